"""The last line that says something about the answer; the fallback, so it is the strictest about echoes."""

from __future__ import annotations

import re
from collections.abc import Iterator
from fractions import Fraction

from bench.grading.assertions import is_taken_back
from bench.grading.claims import last_sentences
from bench.grading.compare import canonical
from bench.grading.labels import names_answer
from bench.grading.lists import Elements
from bench.grading.normalise import normalise
from bench.grading.numbers import Number
from bench.grading.reading import LIST_KINDS, NUMBER_KINDS, Value, read_answer, read_claim
from bench.grading.response import Found, Response, Rule
from bench.grading.tables import read_table
from bench.problem import AnswerKind, Problem

_DIGIT = re.compile(r"[\d¼½¾⅐-⅞①-⑳]")
_NO_CONTENT = re.compile(r"[\s|:=*_`#$~-]*|```.*|\\\[|\\\]|\\\(|\\\)")
_BULLET = re.compile(r"\A\s*(?:[-*•>+]|#+|\d{1,3}[.)](?=\s+(?:\S*[^\W\d_]|[-+−]\d)))\s+")
_STEP = re.compile(r"\A[\s*#_>-]*(?:step|part|case|method|example)\s+\d{1,3}[*_]*\s?[:.)-][*_]*\s", re.IGNORECASE)
_OFFER = re.compile(r"(?:would|do|does|can|could|shall|should|want|need|any|are there|have|may|feel)\b", re.IGNORECASE)
_CHECKS = re.compile(
    r"[\s*_(]*(?:(?:we|you|i|let us|let's|let me|one) )?(?:(?:can|may|will|now) )?(?:to )?(?:double[- ]?check|check|"
    r"verify|verifying|checking|verification|proof|confirm|as a check|sanity check)\b",
    re.IGNORECASE,
)
_NAME = re.compile(r"[\s*_]*([^\W\d_][^\d:=,.;!?()]{0,60}):(?=[\s*_$`\"'(]*[-+]?\d)(?!.*[:=])")
_EXISTING = re.compile(
    r"\b(?:there (?:is|are|was|were|exist)|(?:i|you|he|she|they|we|it) (?:have|has|had|took)) "
    r"(?:\w+ )?\d+ ([a-z]+(?: [a-z]+)?)",
    re.IGNORECASE,
)
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
    supplement = _SUPPLEMENT.search(text)
    value = _last_value(text[: supplement.start()], problem) if supplement else None
    if value is None:
        value = _last_value(text, problem)
    return None if value is None else Found(value, RULE.name)


def _last_value(text: str, problem: Problem) -> Value | None:
    """Return what the last line that says something says, None where it can't be read."""
    listed = problem.answer_kind in LIST_KINDS
    value: Value | None = None
    checked = ""  # a line that checks the answer, as in `To verify: 42 - 30 = 12`
    remarked = False  # a line after the list holds no list, as in `We made 1 swap`
    for start, line in _last_lines(text, _MAX_LIST_LINE if listed else _MAX_SCALAR_LINE, problem):
        line = _STEP.sub("", line, count=1)
        if remarked:
            earlier = _read_line(line, problem) if "[" in line else None
            if isinstance(earlier, tuple) and len(earlier) > 1:
                return earlier
        elif _says_something(line, problem):
            value = (_several_lines(text, start, line, problem) if listed else None) or _read_line(line, problem)
            if checked:
                return value if isinstance(value, Number) and _occurs(value, checked) else _read_line(checked, problem)
            if problem.answer_kind in NUMBER_KINDS and _CHECKS.match(line):
                checked = line
                continue
            single = value is None or (isinstance(value, tuple) and len(value) == 1)
            remarked = problem.answer_kind is AnswerKind.INTEGER_LIST and single
            if not remarked:
                return value
    return value


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
    if _ASIDE.fullmatch(line):
        return False
    if problem.answer_kind is AnswerKind.RELATION:
        plain = normalise(line)
        return bool(_DIGIT.search(line)) or any(read_claim(said, problem) for said in (plain, *last_sentences(plain)))
    return bool(_DIGIT.search(_TALLY.sub(" ", line) if problem.answer_kind in LIST_KINDS else line))


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
        if more and _CHECKS.match(sentence):
            continue  # `The sum is 42. To double-check: 42 - 12 = 30.`
        if more and problem.answer_kind not in LIST_KINDS and _COUNTED.match(sentence):
            continue  # `Their sum is 42. There are 2 numbers.`
        if more and is_taken_back(sentence):
            return None
        if problem.answer_kind in NUMBER_KINDS and _names_another(sentence, problem):
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


def _names_another(sentence: str, problem: Problem) -> bool:
    """Return whether a label or a count is of something not asked for: ``Error code: 42``, ``there are 3 ways``."""
    label = _NAME.match(sentence)
    if label and not names_answer(label[1], problem.question):
        return True
    counted = _EXISTING.search(sentence)
    return counted is not None and not names_answer(counted[1], problem.question)


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
        row = read_answer(_BEFORE_ELEMENT.sub("", line), problem) if 0 < len(line) <= _MAX_ROW else None
        if not isinstance(row, tuple) or len(row) != 1:
            break
        elements.append(row[0])
        end, start = start - 1, text.rfind("\n", 0, max(0, start - 1)) + 1
        line = text[start : max(start, end)]
    return tuple(reversed(elements)) if len(elements) > 1 else None


RULE = Rule("last_line", _find, order=50, when_cut=False)
