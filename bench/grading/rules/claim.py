"""A sentence that gives the asked quantity in plain words, wherever it stands; else an answer alone on the first line.

What explains such an answer afterwards, its steps, its elements or other quantities, does not take its place.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import lru_cache

from bench.grading.corrections import corrected
from bench.grading.normalise import normalise
from bench.grading.numbers import Number
from bench.grading.plain_claims import asked_words, plain_claim
from bench.grading.quantities import asked_family
from bench.grading.reading import Value, read_answer
from bench.grading.response import Found, Response, Rule
from bench.grading.scalars import TURNING
from bench.grading.sentences import last_sentences
from bench.problem import LIST_KINDS, AnswerKind, Problem

# A sentence that draws a conclusion is the last line's to read, whatever was claimed before it.
_CONCLUDES = re.compile(
    r"[\s*_#>-]{0,8}(?:so|thus|therefore|hence|finally|in (?:conclusion|total|summary)|consequently|altogether)\b"
    r"(?=.{0,300}\d)",
    re.IGNORECASE | re.DOTALL,
)
_DIGIT = re.compile(r"\d")
_LETTER = re.compile(r"[^\W\d_]")
# What may follow an answer on its own line: a new sentence, a remark.
_HEAD = re.compile(
    r"(?P<head>[^\n]{1,400}?)(?:(?<!\.)\.(?= (?![+-]?\d)|$)|(?<!\d):(?= )|,(?= (?:that is|which|the)\b)"
    r"| (?=\()| ?[—–;]| - (?=[a-z])|$)"
)
_PRONOUN = re.compile(r"(?:so )?(?:it is|it's|that is|that's|this is) (?=[+-]?\d)", re.IGNORECASE)
_CROSSED = re.compile("[❌✗✘☒👎✓✔✅]")
_BULLET = re.compile(r"\s*(?:[-*•+#>|]\s|```)")
_BARE_LINE = re.compile(r"^[\s*_$]*[-+]?\d[\d.,/]*[\s*_$.]*$", re.MULTILINE)
_BRACKETS = re.compile(r"\[[^\[\]\n]{0,4000}\]")
# Their answers are worked out, so an operand alone on the first line is one.
_WORKED_OUT = frozenset({"sum", "difference", "product", "quotient"})
_REACH = 8_000
_LONGEST_LINE = 1_000
_MAX_LINES = 60
_MAX_READ = 12  # of them those that mention the asked quantity or conclude; a trace mentions it in every line
_LONGEST_OPENING = 2_000
_ASIDE = 80


def _find(response: Response) -> Found | None:
    text, problem = response.text, response.problem
    if asked_family(problem.question) == "quotient" and "emainder" in text[-_REACH:]:
        return _opening(text, problem)  # `The quotient is 7 and the remainder 5` is no claim of the whole quotient
    for after, sentence in _last_sentences(text, problem):
        value = plain_claim(sentence, problem)
        if value is not None:
            return _found(value, after, problem)
        if _CONCLUDES.match(sentence):
            return None
    return _opening(text, problem)


def _found(value: Value, after: str, problem: Problem) -> Found:
    correction = corrected(after, problem)
    return Found(correction.value if correction else value, RULE.name)


def _last_sentences(text: str, problem: Problem) -> Iterator[tuple[str, str]]:
    """Yield what follows a sentence and the sentence, for those that may claim or conclude, the last one first."""
    words = _mention(problem.question)
    end, start, read = len(text), max(0, len(text) - _REACH), 0
    for _ in range(_MAX_LINES):
        if end <= start or read == _MAX_READ:
            return
        begins = text.rfind("\n", start, end) + 1 or start
        line = text[begins:end]
        if 0 < len(line) <= _LONGEST_LINE and (words.search(line) or _CONCLUDES.match(line)):
            after, read = text[end:], read + 1
            for sentence in last_sentences(normalise(line)):
                yield after, sentence
                after = f"{sentence} {after}"
        end = begins - 1


@lru_cache(maxsize=256)
def _mention(question: str) -> re.Pattern[str]:
    """Return what finds the words of which a claim holds one."""
    return re.compile(rf"\b(?:{'|'.join(sorted(asked_words(question)))}|odd|even)\b", re.IGNORECASE)


# --- An answer alone on the first line ----------------------------------------------------------------------------


def _opening(text: str, problem: Problem) -> Found | None:
    line, _, rest = text.lstrip().partition("\n")
    if len(line) > _LONGEST_OPENING or _BULLET.match(line) or (rest[:1].strip() and _DIGIT.match(rest.lstrip("-+ *"))):
        return None
    plain = _PRONOUN.sub("", normalise(line).strip(), count=1)
    head = _HEAD.match(plain)
    if head is None or not (rest.strip() or head.end() < len(plain) or plain.isalpha()):
        return None
    value = (
        None if _CROSSED.search(line) or TURNING.search(plain[head.end() :][:_ASIDE]) else _bare(head["head"], problem)
    )
    if value is None or _is_step(value, head["head"], rest, problem):
        return None
    return _found(value, plain[head.end() :] + "\n" + rest, problem)


def _bare(head: str, problem: Problem) -> Value | None:
    """Return the answer that a text without any other word is."""
    if (_LETTER.search(head) and not head.isalpha()) or head.count("[") != head.count("]"):
        return None
    value = read_answer(head, problem)
    listed = problem.answer_kind is AnswerKind.INTEGER_LIST
    return None if listed and not (isinstance(value, tuple) and len(value) > 1) else value


def _is_step(value: Value, head: str, rest: str, problem: Problem) -> bool:
    """Return whether an opening is the first of several steps, or only repeats what was asked about."""
    if problem.answer_kind in LIST_KINDS:
        if value == tuple(problem.data):
            return True
        sizes = [found.count(",") for found in _BRACKETS.findall(rest)]
        return problem.answer_kind is AnswerKind.INTEGER_LIST and head.count(",") in sizes
    if isinstance(value, Number):
        worked = asked_family(problem.question) in _WORKED_OUT and value.value in problem.data
        numbered = value.value == 1 and "\n2." in rest
        return worked or numbered or _BARE_LINE.search(rest) is not None or "=" in head
    return False


RULE = Rule("claim", _find, order=45, when_cut=False)
