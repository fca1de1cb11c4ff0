"""Finds explicit statements of an answer: ``Final answer: 7``, ``The answer is 7``, ``#### 7``."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

from bench.grading.assertions import is_unasserted_next
from bench.grading.corrections import corrected
from bench.grading.lists import without_bullets
from bench.grading.reading import Value, begins_with_value, read_answer, read_statement
from bench.grading.response import Response
from bench.problem import LIST_KINDS, AnswerKind
from bench.scan import from_the_end

# The words without the letter that may be a capital: folding the case of a long text costs more than looking
# for a word in capitals too. `inal ` is "Final result", "final value" and their like; see _FINAL.
_ENGLISH = ("nswer", "NSWER", "inal ", "####")
_OTHERS = ("espuesta", "sposta", "ntwort", "ntwoord", "evap", "awaban", "Svar", "svar")
_ASCII = (*_ENGLISH, *_OTHERS)
_ALL = (*_ASCII, "答案", "答え", "正解", "정답", "твет", "éponse", "الجواب", "الإجابة", "उत्तर")
_LINE_MARK = "####"  # as in GSM8K; a heading of this depth looks alike, so all of the line has to be the value
# Attempts at reading; a text with more markers than that repeats itself.
_MAX_MARKERS = 256
_MAX_READ = 16
# How far a statement may reach.
_MAX_SCALAR = 2_000
_MAX_LIST = 16_000
_MAX_LEAD = 200

# From the end of the word to its value. `answer to the problem is`, `**Answer:**`, `"answer":`, `Answer | 7`.
_LINK = re.compile(
    r"""s?[*_`"'}\])]{0,6}[ \t]{0,4}
    (?:(?:to|of|for)[ ](?:the|this|your|my|our)\b[^.:=\n]{0,60}?[ ])?
    (?:therefore|thus|then|hence|so)?[ ]?
    (?:(?:is|are|was|be|equals|should[ ]be|would[ ]be|will[ ]be|must[ ]be|es|est|ist|är|é|è|是|为|為|は)(?![a-z])
      |[:：=]|->|=>|→|⇒|[—–-](?=[ ])|\||>
      |(?=[*_#:\s]*\n))""",
    re.VERBOSE | re.IGNORECASE,
)
_FINAL = re.compile(r"(?:result|value|number|sum|total|count|list|output|solution|choice)", re.IGNORECASE)
# What may stand before the value. A dash after a line break is a bullet.
_LEAD = re.compile(r"""(?:[\s*_#`$:："'|=]|\\[\[(]|\\text(?:bf)?\{|\}|->|(?<=\n)[-•][ ])*""", re.VERBOSE)
_LEAD_OF_RELATION = re.compile(_LEAD.pattern.replace("|=]", "|]"), re.VERBOSE)  # there, `=` is a value
_NO_VALUE = re.compile(r"(?:null|none|false|true|nan|undefined)\b|,", re.IGNORECASE)  # `{"answer": null, "steps": 3}`
_PARAGRAPH_END = re.compile(r"\n\s*\n")
_ELEMENT = re.compile(r"[ \t]*(?:[-−*•+]|\d|[.)])")
_BULLETS = re.compile(r"\n[ \t]*(?:(?:[-*•+]|\d{1,4}[.)])[ \t]+)?\S+[ \t]*\n\s*\Z")
# A point after a digit may go on as a decimal; one at the end of the text after anything else can't.
_STATEMENT_END = re.compile(r"(?<=[^\s\d])[.!?](?=\s|\Z)|(?<=\d)[.!?](?=\s)|。|(?=</)|\n")
# Before the word: what makes it a final statement and no mention. "Check the answer: 7 - 4 = 3" is none.
_EXPLICIT = re.compile(
    r"(?:\b(?:final|correct|my)|(?<!check )(?<!verify )(?<!get )(?<!find )(?<!to )\bthe)[ *_]{1,4}$|(?:\n|\A)[*#>_ ]*$",
    re.IGNORECASE,
)
_BEFORE = 100
# For a statement to take a box's place: where its sentence begins, what may stand there, and what it may not hold.
_SENTENCE_BEGIN = re.compile(r"[.!?。][\s*_\"')]+|\n|(?<=\})[$.*_) ]*")
_OPENING = re.compile(
    r"""[\s*_#>$|`"'(<\[{•-]*(?:(?:so|and|but|however|therefore|thus|hence|actually|wait|no|oh|ok|okay|hmm|sorry|correction|
    finally|instead|rather|consequently|in[ ]conclusion|in[ ]summary|to[ ]conclude|i[ ]mean|let[ ]me[ ]correct[ ]that)
    [\s*_,:;!.—–-]+)*(?:\d{1,3}[.)][ ])?(?:(?:the|my|our|your|a)[\s*_]+)?
    (?:(?:final|correct|actual|right|real|true|new|revised|corrected|numerical|numeric)[\s*_]+)*(?:</?[a-z_]*)?""",
    re.VERBOSE | re.IGNORECASE,
)
_WOULD = re.compile(r"\b(?:would|should|was)\b", re.IGNORECASE)
_OTHER_QUESTION = re.compile(r"\b(?:different|another|other|previous|earlier|last|next)\b", re.IGNORECASE)
_CONDITION = re.compile(r"\b(?:if|unless|were|provided that|assuming)\b", re.IGNORECASE)
_TAG_NAME = re.compile(r"<[a-z_]*$", re.IGNORECASE)  # `<answer>`, `<final_answer>`


@dataclass(frozen=True, slots=True)
class Statement:
    """A marker and the text that it introduces.

    Attributes:
        begins: Where that text begins.
        text: What may hold the value: to the end of the line, or of the paragraph for a list.
        line_only: Whether the whole line has to be the value, as after ``####``.
        explicit: Whether it begins its sentence and makes no condition, so that it can't but mean the final answer.
    """

    begins: int
    text: str
    line_only: bool
    explicit: bool


@dataclass(slots=True)
class Said:
    """What was stated; ``value`` is None where it was taken back."""

    value: Value | None


def last_statement(response: Response, start: int = 0, *, explicit: bool = False) -> Said | None:
    """Return what the last readable statement after ``start`` says, with what corrects it."""
    read = characters = 0
    for statement in _statements(response, start):
        if explicit and not (statement.explicit and begins_with_value(_line(statement), response.problem)):
            continue
        value = _read(statement, response)
        if value is not None:
            correction = corrected(response.text[statement.begins :], response.problem)
            return Said(correction.value if correction else value)
        read += 1
        characters += len(statement.text)
        if read == _MAX_READ or characters > _MAX_LIST:
            break
    return None


def _statements(response: Response, start: int) -> Iterator[Statement]:
    """Yield the statements from the last to the first; their texts do not overlap, so reading all is linear."""
    text, limit = response.text, len(response.text)
    listed = response.problem.answer_kind in LIST_KINDS
    reach = _MAX_LIST if listed else _MAX_SCALAR
    lead = _LEAD_OF_RELATION if response.problem.answer_kind is AnswerKind.RELATION else _LEAD
    needles = _needles(text, start)
    for seen, (place, needle) in enumerate(from_the_end(text, needles, start)):
        if seen == _MAX_MARKERS:
            return
        begins = _value_start(text, place, needle, lead)
        if begins < 0:
            continue
        piece = text[begins : min(limit, begins + reach)]
        cut = not response.ended and begins + len(piece) >= len(text)
        limit = place
        if cut:
            piece = _completed(piece, listed)
        if piece:
            lined = needle == _LINE_MARK
            before = text[max(start, place - 1 - _BEFORE) : max(0, place - 1)]
            if not lined and (is_unasserted_next(before) or _OTHER_QUESTION.search(text, place, begins)):
                continue
            yield Statement(begins, piece, lined, lined or _is_final(before, text[place:begins], piece))


def _needles(text: str, start: int) -> tuple[str, ...]:
    """Return the words to look for: those of other languages only in a text whose end has one of them."""
    if not text.isascii():
        return _ALL
    end = text[max(start, len(text) - _MAX_SCALAR) :]
    for word in _OTHERS:
        if word in end:
            return _ASCII
    return _ENGLISH


def _value_start(text: str, place: int, needle: str, lead: re.Pattern[str]) -> int:
    """Return where the value after this marker would begin, -1 where the word introduces none."""
    after = place + len(needle)
    if needle == "inal ":
        word = _FINAL.match(text, after)
        if word is None or text[place - 1 : place] not in ("f", "F"):
            return -1
        after = word.end()
    if needle != _LINE_MARK:
        link = _LINK.match(text, after)
        if link is None or (link.group() == ">" and not _TAG_NAME.search(text, max(0, place - _BEFORE), place)):
            return -1
        if not link.group().strip("s*_ ") and not _is_explicit(text, place):
            return -1  # a line that happens to end with the word
        after = link.end()
    led = lead.match(text, after, after + _MAX_LEAD)
    begins = led.end() if led else after
    return -1 if _NO_VALUE.match(text, begins) else begins


def _is_explicit(text: str, place: int) -> bool:
    word = place - 1  # needles lack their first letter
    return word <= 0 or text[word] in "Ff" or bool(_EXPLICIT.search(text, max(0, word - _BEFORE), word))


def _is_final(before: str, marker: str, piece: str) -> bool:
    """Return whether a statement begins its sentence, as far as a word such as "so" goes, without any condition."""
    begins = _SENTENCE_BEGIN.split(before)[-1]
    if not _OPENING.fullmatch(begins) or _WOULD.search(marker):
        return False
    return not _CONDITION.search(piece.partition("\n")[0])


def _completed(piece: str, listed: bool) -> str:
    """Return the part of a text that was cut up to its last completed sentence or line.

    A list is complete where nothing shows that more elements were to come: a bracket that is open, a comma at its
    end, a bullet or a number in what follows or, where it has a bullet itself, nothing that follows.
    """
    ends = [match.end() for match in _STATEMENT_END.finditer(piece)]
    whole, rest = (piece[: ends[-1]], piece[ends[-1] :]) if ends else ("", piece)
    if not listed or _PARAGRAPH_END.search(whole):
        return whole
    open_ended = whole.count("[") > whole.count("]") or whole.rstrip().endswith((",", ";"))
    bulleted = whole.count("]") == 0 and (_ELEMENT.match(rest) or (not rest.strip() and _BULLETS.search(whole)))
    return "" if open_ended or bulleted else whole


def _balanced(line: str) -> str:
    """Return a line without the bracket that closes one before its marker: ``(Answer: 7)``."""
    bare = line.rstrip(" .*_")
    for opening, closing in ("()", "[]", "{}"):
        if bare.endswith(closing) and bare.count(closing) > bare.count(opening):
            return bare[:-1]
    return line


def _line(statement: Statement) -> str:
    return _balanced(statement.text.partition("\n")[0])


def _read(statement: Statement, response: Response) -> Value | None:
    line = _line(statement)
    if statement.line_only:
        return read_answer(line, response.problem)
    if response.problem.answer_kind in LIST_KINDS:
        paragraph = _PARAGRAPH_END.split(statement.text, maxsplit=1)[0]
        value = read_answer(without_bullets(paragraph), response.problem) if paragraph != line else None
        if value is not None:
            return value
    return read_statement(line, response.problem)
