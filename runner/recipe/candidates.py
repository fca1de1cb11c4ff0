"""A written question: read from a reply, strictly, and checked against the type of answer that was asked for."""

from __future__ import annotations

import hashlib
import json
import re
from dataclasses import dataclass
from fractions import Fraction

from bench.problem import AnswerKind, Problem
from runner.config.recipe import AnswerType

_LONGEST = {"question": 600, "answer": 300}  # characters
_WORDS = {"word_or_phrase": 5, "open": 30}
_LETTERS = "ABCD"
_OPTION = re.compile(r"([A-D])[).:]\s*(\S.*)")
_NUMBER = re.compile(r"-?\d{1,12}(?:,\d{3})*(?:\.\d{1,9})?(?:/\d{1,9})?")
_SPACE = re.compile(r"[\W_]+")


class Unusable(ValueError):
    """A reply that holds no question of the kind that was asked for; the message is the reason, one word or two."""


@dataclass(frozen=True, slots=True)
class Candidate:
    """A question with its reference answer.

    Attributes:
        field: What it is about.
        answer_type: The type of its answer.
        number: Which candidate of its field and type, from 0.
        question: The question, without the options.
        answer: The reference: of multiple choice the letter.
        options: Of multiple choice the four options, without letters.
    """

    field: str
    answer_type: AnswerType
    number: int
    question: str
    answer: str
    options: tuple[str, ...] = ()

    @property
    def id(self) -> str:
        """A name that follows from the content."""
        text = json.dumps([self.field, self.answer_type, self.question, self.answer, self.options])
        return hashlib.sha256(text.encode("ascii")).hexdigest()[:12]

    @property
    def shown(self) -> str:
        """The question as it is put, with the options."""
        lines = [f"{letter}) {option}" for letter, option in zip(_LETTERS, self.options, strict=False)]
        return "\n".join([self.question, *lines])

    @property
    def problem(self) -> Problem:
        """The question as a problem that a judge decides on."""
        reference = self.answer
        if self.options:
            reference = f"{self.answer}) {self.options[_LETTERS.index(self.answer)]}"
        return Problem(f"recipe:{self.id}", "recipe", None, self.shown, reference, AnswerKind.JUDGED)

    @property
    def plain(self) -> str:
        """The question in words alone, by which two are the same."""
        return _SPACE.sub(" ", self.question).strip().casefold()


def read_candidate(reply: str, about: str, answer_type: AnswerType, number: int) -> Candidate:
    """Return the question that a reply ends with, in the form that was asked for.

    Raises:
        Unusable: it does not, or its answer is not of the type.
    """
    lines = [line.strip().strip("*").strip() for line in reply.strip().split("\n") if line.strip()]
    lines = lines[max((place for place, line in enumerate(lines) if line.startswith("QUESTION:")), default=0) :]
    question = _one(lines, "QUESTION:")
    answer = _one(lines, "ANSWER:")
    found = [match for line in lines if (match := _OPTION.fullmatch(line))]
    options = tuple(match[2].strip() for match in found)
    if [match[1] for match in found] != (list(_LETTERS) if answer_type == "multiple_choice" else []):
        raise Unusable("options")
    if len(lines) != 2 + len(options):
        raise Unusable("other lines")
    if len(set(map(str.casefold, options))) < len(options):
        raise Unusable("equal options")
    return Candidate(about, answer_type, number, question, _checked(answer, answer_type, question), options)


def _one(lines: list[str], keyword: str) -> str:
    found = [line.removeprefix(keyword).strip() for line in lines if line.startswith(keyword)]
    if len(found) != 1 or not found[0]:
        raise Unusable(f"no {keyword.lower().rstrip(':')}")
    if len(found[0]) > _LONGEST[keyword.lower().rstrip(":")]:
        raise Unusable("too long")
    return found[0]


def _checked(answer: str, answer_type: AnswerType, question: str) -> str:
    """Return the answer in the form of its type.

    Raises:
        Unusable: it is of another type, or the question gives it away.
    """
    if answer_type == "multiple_choice":
        letter = answer.rstrip(").")
        if letter not in tuple(_LETTERS):
            raise Unusable("no letter")
        return letter
    if answer_type == "number":
        plain = answer.replace(",", "")
        if not _NUMBER.fullmatch(answer) or (("/" in plain) and Fraction(plain.rpartition("/")[2]) == 0):
            raise Unusable("no number")
        return plain
    if len(answer.split()) > _WORDS[answer_type]:
        raise Unusable("too many words")
    if answer_type == "word_or_phrase" and _NUMBER.fullmatch(answer):
        raise Unusable("a number")
    if answer.casefold().rstrip(".") in question.casefold():
        raise Unusable("answer in question")
    return answer
