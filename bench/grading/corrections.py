"""Reads what a text says after an answer to correct it: ``Wait, that's wrong. The sum is 52.``, ``no, 52``."""

from __future__ import annotations

import re
from dataclasses import dataclass

from bench.grading.assertions import is_taken_back
from bench.grading.normalise import normalise
from bench.grading.numbers import read_number
from bench.grading.plain_claims import leading_value, plain_claim
from bench.grading.reading import Value, read_answer, read_claim
from bench.grading.sentences import last_sentences
from bench.problem import LIST_KINDS, NUMBER_KINDS, AnswerKind, Problem


# Not frozen, like all that is made for every response.
@dataclass(slots=True)
class Correction:
    """What replaces an answer.

    Attributes:
        value: The new answer, None where the old one is only taken back.
    """

    value: Value | None


_WRONG = r"(?: all| clearly| just)? (?:wrong|incorrect|not right|not correct|a mistake)"
# Right behind an answer: `\boxed{7} is wrong`.
_DENIAL = rf"\A[\s*_$)]{{0,4}}(?:is|was){_WRONG}\b"
# Where a correction begins; what it says follows.
_BEGIN = re.compile(
    r"(?:^|[.!?\n,;]|[-—–])[\s*_)]{0,8}(?:(?:but|oh|hmm+|ah|and|ok|okay|well|no|then)\b[\s,.!…]{0,4}){0,3}"
    r"(?:wait|actually|oops|correction|edit(?=:)|hold on|scratch that|sorry|my mistake|apologies|just kidding"
    r"|on second thought"
    r"|i (?:made an?|miscalculated|misread|miscounted|forgot|missed|mean|meant|need to correct)|or rather|make that"
    r"|let me (?:re\w{0,12}|correct|fix|double-?check)|no(?=[,.!])"
    rf"|(?:that|this)(?:'s| is| was){_WRONG})\b|{_DENIAL}[\s;,:]{{0,4}}(?:(?:and|but|so) )?",
    re.IGNORECASE,
)
_QUICK = re.compile(
    r"[wW]ait|ctually|dit:|ops|orrection|old on|[tT]hat|orry|istake|pologies|kidding|hought|rather|make that"
    r"|[Ii] (?:m|need|forgot)"
    r"|[Nn]o[,.!]|et me|[tT]his|\A[\s*_$)]{0,4}(?:is|was) "
)
# Before a new value: `it's 52`, `I mean 52`, `the answer should be 52`.
_LEAD = re.compile(
    r"[\s,:.!…*_-]{0,8}(?:wait[\s,.!]{0,4})?"
    r"(?:(?:so |then )?(?:it|that|this|the (?:[a-z]{1,12} ){1,2})(?:'s| ?is| should be| must be"
    r"| would be)(?: actually)? "
    r"|i (?:mean|meant) |there (?:is|are) |make that |should be |rather |(?:and )?not [\d.,-]{1,20},? but )?",
    re.IGNORECASE,
)
_TAKEN_BACK = re.compile(
    r"\b(?:(?:that|this|it)(?:'s| is| was)(?: all| clearly| just| definitely)? (?:wrong|incorrect|not right"
    rf"|not correct|a mistake)|just kidding|i(?:'m| am) not sure any ?more|scratch that|ignore that)\b|{_DENIAL}",
    re.IGNORECASE,
)
# A check that ends well takes nothing back.
_CONFIRMED = re.compile(
    r"\b(?:yes|correct|right|confirmed|verified|consistent|checks out|matches|stands|same|fine|good"
    r"|indeed)\b(?<!not right)"
    r"(?<!not correct)|✓|✅",
    re.IGNORECASE,
)
_QUESTION = re.compile(r"[^.!?\n]{0,200}\?")
_NUMBER = re.compile(r"(?<![\w.])\d[\d.]*(?<!\.)")
_REACH = 4_000
_MAX_SENTENCES = 24
_MAX_BEGINS = 4
_SHORTEST = len("no, 5")


def corrected(after: str, problem: Problem) -> Correction | None:
    """Return what the text after an answer puts in its place, None where it leaves the answer as it is; linear.

    Only plain statements count: a sentence that names the asked quantity, a value right after a word such as
    "actually", or an equation over all operands after such a word.
    """
    after = after[:_REACH]
    if len(after) < _SHORTEST:
        return None
    value = _last_claim(after, problem)
    begins = [found.span() for found in _BEGIN.finditer(after)] if _QUICK.search(after) else []
    for _, end in reversed(begins[-_MAX_BEGINS:]):
        value = value if value is not None else _new_value(after[end:], problem)
    if value is not None:
        return Correction(value)
    after = _QUESTION.sub(" ", after)
    taken_back = is_taken_back(after) or (begins and _TAKEN_BACK.search(after))
    return Correction(None) if taken_back and not _CONFIRMED.search(_TAKEN_BACK.sub(" ", after)) else None


def _last_claim(text: str, problem: Problem) -> Value | None:
    """Return the value of the last sentence that gives the asked quantity in plain words."""
    seen = 0
    for line in reversed(text.split("\n")):
        for sentence in last_sentences(normalise(line)) if line.strip() else ():
            value = plain_claim(sentence, problem)
            seen += 1
            if value is not None or seen == _MAX_SENTENCES:
                return value
    return None


def _new_value(rest: str, problem: Problem) -> Value | None:
    """Return the value that follows the words of a correction, or that an equation over all operands ends with."""
    plain = normalise(rest.strip().partition("\n\n")[0].replace("\n", " ; "))
    lead = _LEAD.match(plain)
    value = leading_value(plain[lead.end() :] if lead else plain, problem)
    if value is not None:
        return value
    if problem.answer_kind in LIST_KINDS:
        return _list_on_a_line(rest, problem)
    if problem.answer_kind is AnswerKind.RELATION:
        return next((read for said in last_sentences(plain) if (read := read_claim(said, problem))), None)
    if problem.answer_kind in NUMBER_KINDS:
        sentences = [part for said in last_sentences(normalise(rest)) for part in said.split(": ")]
        return next((read_claim(said, problem) for said in sentences if _works_with_all(said, problem)), None)
    return None


def _list_on_a_line(rest: str, problem: Problem) -> Value | None:
    """Return the last list that fills a line."""
    lines = [line for line in rest.split("\n") if "[" in line]
    return next((read for line in reversed(lines) if (read := read_answer(line.strip(), problem))), None)


def _works_with_all(sentence: str, problem: Problem) -> bool:
    """Return whether a sentence is an equation whose left side holds every operand."""
    left, equals, _ = sentence.rpartition("=")
    if not equals or not isinstance(problem.data, tuple | list):
        return False
    numbers = [read_number(number) for number in _NUMBER.findall(left)]
    return sorted(number.value for number in numbers if number) == sorted(map(abs, problem.data))
