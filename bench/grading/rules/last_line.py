"""The last line that says something about the answer; the fallback, so it is the strictest about echoes."""

from __future__ import annotations

import re
from collections.abc import Iterator
from fractions import Fraction
from itertools import takewhile

from bench.grading.assertions import is_crossed, is_taken_back
from bench.grading.compare import canonical
from bench.grading.labels import names_another
from bench.grading.lists import Elements
from bench.grading.normalise import normalise
from bench.grading.numbers import Number
from bench.grading.quantities import names_asked_count
from bench.grading.reading import Value, read_answer, read_claim, relevant
from bench.grading.reasons import is_check, is_reason
from bench.grading.response import Found, Response, Rule
from bench.grading.sentences import last_sentences
from bench.grading.tables import read_table
from bench.problem import LIST_KINDS, NUMBER_KINDS, AnswerKind, Problem

_DIGIT = re.compile(r"[\d¼½¾⅐-⅞①-⑳]")
_NO_CONTENT = re.compile(r"[\s|:=*_`#$~-]*|```.*|\\\[|\\\]|\\\(|\\\)")
_BULLET = re.compile(r"\A\s*(?:[-*•>+]|#+|\d{1,3}[.)](?=\s+(?:\S*[^\W\d_]|[-+−]\d)))\s+")
_STEP = re.compile(r"\A[\s*#_>-]*(?:step|part|case|method|example)\s+\d{1,3}[*_]*\s?[:.)-][*_]*\s", re.IGNORECASE)
_OFFER = re.compile(r"(?:would|do|does|can|could|shall|should|want|need|any|are there|have|may|feel)\b", re.IGNORECASE)
_TALLY = re.compile(
    r"(?<![\w.,-])\d{1,4} (?:times|occurrences|numbers|elements|values|items|integers|entries)\b", re.IGNORECASE
)
_COUNTED = re.compile(
    r"(?:there (?:are|were)|we (?:have|used|added)|i (?:used|added)|(?:this|it) has) \d+ "
    r"(?:numbers|elements|values|terms|integers|digits|steps|items)\b",
    re.IGNORECASE,
)
# Where an answer was given and is explained or checked.
_SUPPLEMENT = re.compile(
    r"\n(?=[ *_#>ecvpj])[ *_#>]*(?:explanation|check|verification|proof|justification)[ *_]*:", re.IGNORECASE
)
_EQUAL_SIGN = re.compile(r"[\s*`_$\"']*==?[\s*`_$\"'.]*")
_ASIDE = re.compile(r"\s*[*_]*\((?:note|check|since|because|this)\b.*\)[*_.\s]*", re.IGNORECASE)
_BEFORE_ELEMENT = re.compile(r"\A\s*(?:[-*•+]|\d{1,4}[.)])\s+(?=\S)")
_CLAIMS = re.compile(
    r"\b(?:sorted|order|result|answer|final|ascending|output|modes?|is|are|so|thus|therefore)\b|=|->", re.IGNORECASE
)
_LISTED = re.compile(r"[ \t]{0,8}(?:(?:[-*•+]|\d{1,4}[.)])[ \t]{1,4})?[-−+]?\d{1,30}")
_SOURCE = re.compile(r"\s*\[\d{1,2}\]:? [A-Z]")
_LETTER = re.compile(r"[^\W\d_]")
_IS = re.compile(r"^[\s*_]*(?:is|are)\b ?", re.IGNORECASE)
_YES = re.compile(r"[\s*_]*(?:yes|true|correct|indeed)\b[\s*_.!]*$", re.IGNORECASE)
_NO = re.compile(r"[\s*_]*(?:no|false|incorrect|wrong)\b[\s*_.!]*$", re.IGNORECASE)
# Closing remarks (`Hope this helps!`) are passed over, this many of them.
_MAX_LINES = 12
_MAX_EMPTY = 1_000  # lines without content among them
# A list may fill a long line; of others only the end is of use.
_MAX_SCALAR_LINE = 2_000
_MAX_LIST_LINE = 16_000
_MAX_COLUMN = 1_000
_MAX_ROW = 40
_ELEMENT = re.compile(r"\s*[\[(]?[-+−]?\d")


def _find(response: Response) -> Found | None:
    text, problem = response.text, response.problem
    if problem.answer_kind in NUMBER_KINDS:
        text = _without_listing(text, problem)
    supplement = _SUPPLEMENT.search(text)
    value = _last_value(text[: supplement.start()], problem) if supplement else None
    if value is None:
        value = _last_value(text, problem)
    return None if value is None else Found(value, RULE.name)


def _without_listing(text: str, problem: Problem) -> str:
    """Return a text without the elements, one a line, that end it under a line which counts them: ``2 are odd:``."""
    lines = text[-_MAX_LIST_LINE:].rstrip().split("\n")[-_MAX_COLUMN:]
    rows = sum(1 for _ in takewhile(_LISTED.fullmatch, reversed(lines)))
    if not 1 < rows < len(lines):
        return text
    before = text[: text.rindex("\n".join(lines[-rows:]))].rstrip()
    head = before[before.rfind("\n") + 1 :].rstrip("*_ ")
    introduces = head.endswith(":") or names_asked_count(head, problem.question)
    counted = introduces and len(head) <= _MAX_SCALAR_LINE and _read_line(head.rstrip(":"), problem) is not None
    return before if counted else text


def _last_value(text: str, problem: Problem) -> Value | None:
    """Return what the last line that says something says, None where it can't be read."""
    listed = problem.answer_kind in LIST_KINDS
    value: Value | None = None
    checked = ""  # a line that checks the answer, as in `To verify: 42 - 30 = 12`
    reason = ""  # a line that says why, as in `This is because 30 + 12 = 42`
    remarked = False  # a line after the list holds no list, as in `We made 1 swap`
    for start, line in _last_lines(text, _MAX_LIST_LINE if listed else _MAX_SCALAR_LINE, problem):
        line = _STEP.sub("", line, count=1)
        if remarked:
            earlier = _read_line(line, problem) if "[" in line else None
            if isinstance(earlier, tuple) and len(earlier) > 1:
                return earlier
        elif is_crossed(line):
            continue
        elif problem.answer_kind in NUMBER_KINDS and is_reason(normalise(line)):
            reason = reason or line
        elif _says_something(line, problem):
            value = (_several_lines(text, start, line, problem) if listed else None) or _read_line(line, problem)
            if checked:
                return value if isinstance(value, Number) and _occurs(value, checked) else _read_line(checked, problem)
            if problem.answer_kind in NUMBER_KINDS and is_check(line):
                checked = line
                continue
            single = value is None or (isinstance(value, tuple) and len(value) == 1)
            remarked = problem.answer_kind is AnswerKind.INTEGER_LIST and single
            if not remarked:
                return value
    return _read_line(reason, problem) if reason and value is None and not checked else value


def _occurs(number: Number, line: str) -> bool:
    """Return whether a line uses a number, as that of a check does with the answer."""
    return re.search(rf"(?<![\d.]){re.escape(canonical(number))}(?!\d)", line) is not None


def _last_lines(text: str, longest: int, problem: Problem) -> Iterator[tuple[int, str]]:
    """Yield the last non-empty lines with the place where they begin, the last one first, cut to their ends."""
    end, seen = len(text), 0
    for _ in range(_MAX_EMPTY):
        if end <= 0 or seen == _MAX_LINES:
            return
        start = text.rfind("\n", 0, end) + 1
        line = text[max(start, end - longest) : end]
        equal = problem.answer_kind is AnswerKind.RELATION and _EQUAL_SIGN.fullmatch(line)
        if equal or not _NO_CONTENT.fullmatch(line):
            seen += 1
            yield start, line
        end = start - 1


def _says_something(line: str, problem: Problem) -> bool:
    if line.rstrip(" *_").endswith("?") and _OFFER.match(line.lstrip(" *_")):
        return False
    if _ASIDE.fullmatch(line) or _SOURCE.match(line):
        return False
    if problem.answer_kind is AnswerKind.RELATION:
        plain = normalise(line)
        return bool(_DIGIT.search(line)) or any(read_claim(said, problem) for said in (plain, *last_sentences(plain)))
    if problem.answer_kind in NUMBER_KINDS and not _LETTER.search(line):
        return _DIGIT.search(line) is not None
    if not _DIGIT.search(_TALLY.sub(" ", line) if problem.answer_kind in LIST_KINDS else line):
        return False
    return any(_DIGIT.search(said) for said in _told(line, problem))


def _read_line(line: str, problem: Problem) -> Value | None:
    """Return what the last readable sentence of a line claims."""
    if problem.answer_kind is not AnswerKind.RELATION:
        rest = _BULLET.sub("", line, count=1)
        line = rest if _DIGIT.search(rest) else line  # `42. That is the sum.`
    cells = [cell for cell in line.split("|") if cell.strip()] if line.lstrip().startswith("|") else []
    if len(cells) > 1 and problem.answer_kind in LIST_KINDS:
        cells = ["; ".join(cells)]
    sentences = last_sentences(normalise(cells[-1] if cells else line))
    for place, sentence in enumerate(sentences):
        more = place + 1 < len(sentences)
        if more and sentences[place + 1].endswith("?"):
            if _NO.match(sentence):
                return None
            if _YES.match(sentence):
                return read_claim(_IS.sub("", sentences[place + 1][:-1]), problem)
        if more and is_check(sentence):
            continue  # `The sum is 42. To double-check: 42 - 12 = 30.`
        if more and problem.answer_kind not in LIST_KINDS and _COUNTED.match(sentence):
            continue  # `Their sum is 42. There are 2 numbers.`
        if more and is_taken_back(sentence):
            return None
        if problem.answer_kind in NUMBER_KINDS and names_another(sentence, problem.question):
            continue
        if problem.answer_kind in LIST_KINDS:
            sentence = _TALLY.sub(" ", sentence)  # `It appears 2 times.` tells of the list and is none
        value = None if sentence.endswith("?") else read_claim(sentence, problem)
        if value is not None:
            if not _is_echo(value, sentence, problem):
                return value
            if "[" not in sentence:
                return None
    return None


def _told(line: str, problem: Problem) -> list[str]:
    """Return what the sentences of a line say of the asked quantity."""
    if len(line) > _MAX_SCALAR_LINE:
        return [line]
    plain = normalise(line)
    sentences = last_sentences(plain if _DIGIT.search(plain) else line)
    if problem.answer_kind in NUMBER_KINDS:
        sentences = [sentence for sentence in sentences if not names_another(sentence, problem.question)]
    return [relevant(sentence, problem) for sentence in sentences]


def _is_echo(value: Value, sentence: str, problem: Problem) -> bool:
    """Return whether a list is only the question's, said again without any claim about it."""
    data = problem.data
    if not (isinstance(value, tuple) and isinstance(data, tuple | list) and value == tuple(data)):
        return False
    claims = _CLAIMS.search(sentence)
    return claims is None and any(char.isalpha() for char in sentence)


def _several_lines(text: str, start: int, line: str, problem: Problem) -> Elements | None:
    """Return a list that several lines write and this one ends: a table, an element a line, or a list with breaks."""
    if line.lstrip().startswith("|"):
        return read_table(text[max(0, start - _MAX_LIST_LINE) : start] + line)
    column = _column(text, start, line, problem)
    if column is not None:
        return column
    whole = _with_lines_before(text, start, line)
    if whole == line:
        return None
    value = _read_line(whole, problem)
    return value if isinstance(value, tuple) else None


def _with_lines_before(text: str, start: int, line: str) -> str:
    """Return a line with those before it where its list began: its bracket is open, or a comma ends the line before."""
    begins = start
    unopened = line.count("]") - line.count("[")
    for _ in range(_MAX_COLUMN):
        before = text.rfind("\n", 0, max(0, begins - 1)) + 1
        previous = text[before : max(before, begins - 1)]
        goes_on = previous.rstrip().endswith((",", ";")) and _ELEMENT.match(line)
        if begins <= 0 or start - before > _MAX_LIST_LINE or not (unopened > 0 or goes_on):
            break
        unopened += previous.count("]") - previous.count("[")
        begins, line = before, previous
    return f"{text[begins:start]}{text[start:].partition(chr(10))[0]}".replace("\n", " ") if begins < start else line


def _column(text: str, start: int, line: str, problem: Problem) -> Elements | None:
    """Return a list of two or more elements that is written one to a line and ends with this line."""
    elements: list[int | Fraction] = []
    for _ in range(_MAX_COLUMN):
        short = 0 < len(line) <= _MAX_ROW and _says_something(line, problem)
        row = read_answer(_BEFORE_ELEMENT.sub("", line), problem) if short else None
        if not isinstance(row, tuple) or len(row) != 1:
            break
        elements.append(row[0])
        end, start = start - 1, text.rfind("\n", 0, max(0, start - 1)) + 1
        line = text[start : max(start, end)]
    return tuple(reversed(elements)) if len(elements) > 1 else None


RULE = Rule("last_line", _find, order=50, when_cut=False)
