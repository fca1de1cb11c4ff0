"""Reads the sentences that can't but give the answer: ``The sum is 46``, ``There are 3 odd integers``.

What is read here counts wherever it stands in a text, so a name is taken only where all of its words are known.
"""

from __future__ import annotations

import re
from functools import lru_cache

from bench.grading.assertions import without_unasserted
from bench.grading.claims import read_leading
from bench.grading.labels import turns
from bench.grading.numbers import Number, read_number
from bench.grading.quantities import asked_family, family_words
from bench.grading.reading import Value, begins_with_value, read_answer, read_statement
from bench.grading.scalars import without_asides
from bench.grading.words import read_spelled, words
from bench.problem import LIST_KINDS, AnswerKind, Problem

# What a name may hold besides a word for the asked quantity.
_PLAIN_WORDS = frozenset(
    words(
        "a all an and answer are arithmetic ascending between both by calculated correct data elements entire exact "
        "final for from given hence here i in integer integers is it its left list me my new now number numbers "
        "obtained of order our overall result resulting right set so sorted terms that the their them then therefore "
        "these this those thus to total two us value values we whole your increasing output numerically actual true "
        "revised corrected numerical"
    )
)
_GENERAL = frozenset(words("result answer output"))
_DISTANCE = frozenset(words("absolute distance"))
_ORDERED = frozenset(words("difference quotient"))
_LINK = re.compile(
    r"(?: (?:is|are|was|were|equals|comes(?: out)? to|is equal to|will be|turns out to be)"
    r"(?: (?:therefore|thus|then|hence|also|just|simply|exactly|indeed|now|clearly|equal to))?| ?=| ?:)(?=[ :]"
    r"| ?[\d(\[-])"
    r"[ :]*",
    re.IGNORECASE,
)
# Where the clause of a name may begin.
_CLAUSE = re.compile(r".*(?:[,;:.!]|(?<![a-z])(?:so|thus|therefore|hence|and|that|then)(?![a-z]))(?= )", re.IGNORECASE)
_NUMBER = re.compile(r"(?<![\w.])[+-]?\d[\d.]*(?<!\.)")
_WORD = re.compile(r"[^\W\d_]+")
_NUMBER_OF = re.compile(r"\bnumber of\b", re.IGNORECASE)
_DIGIT = re.compile(r"\d")
# Where a value ends. A comma or a point in a number ends none.
_VALUE_END = re.compile(
    r"[;(]|,(?!\d)|:(?= )|(?<!\.)\.(?= |$)|"
    r" (?:because|since|as|and|which|with|when|after|in|or|for|but|so|where|by|of|is|at|-|without)\b",
    re.IGNORECASE,
)
_SENTENCE_END = re.compile(r"(?<!\.)\.(?= |$)")
# An equation after a link may be a step on the way: `The sum is 14 + (-3) = 11.`
_EQUATION = re.compile(r"[=+*^~%]|\d ?- ?\d")
_UNSURE = re.compile(
    r"\b(?:if|would|could|might|may|should have|suppose|assum\w+|unless|whether|except|instead of|not|n't|never|"
    r"running|partial|so far|first|last|next|second|example|e\.g|wrong|incorrect|mistake|originally|initially|"
    r"approximately|about|roughly|around|remainder|according|wait|sorry|scratch|kidding|i mean|rather|no,|or)\b|n't\b",
    re.IGNORECASE,
)
_IS_NAMED = re.compile(
    r"[^\w+-]*(?P<value>[+-]?\d[\d.,/]{0,300}) is (?:(?:therefore|thus|indeed|clearly|also"
    r"|then) )?(?P<name>(?:the|our|my) .+)",
    re.IGNORECASE,
)
_COUNT = r"(?P<count>\d{1,6}|[a-z]{3,9}(?:-[a-z]{3,5})?)"
_NOUN = r"(?:integers?|numbers?|values?|elements?)"
_COUNTED = re.compile(
    rf"(?<![\w.,-]){_COUNT}(?: \(\d{{1,6}}\))? (?:(?P<before>odd|even)\b"
    rf"|(?:(?:out )?of (?:the|these|them|those|\d{{1,6}})(?: \d{{1,6}})?(?: {_NOUN})? (?:is|are)|{_NOUN} (?:is"
    rf"|are)|are) "
    r"(?P<after>odd|even)\b)",
    re.IGNORECASE,
)
_SIGN = re.compile(
    r"\W*(?:(?:so|thus|therefore|hence),? )?the (?:correct |right )?(?:sign|symbol|relation"
    r"|operator)(?: between them)? is "
    r"['\"(]*(?P<sign>[<>=])['\")]*[ .!]*",
    re.IGNORECASE,
)
_ENUMERATED = re.compile(r"\d(?:,| and|, and)? *$")
_LONGEST = 800
_REACH = 24  # how far behind a value words may turn it into another


def plain_claim(sentence: str, problem: Problem) -> Value | None:
    """Return what a plain sentence says the asked quantity is, None where it says so in no plain words."""
    if len(sentence) > _LONGEST or sentence.endswith("?"):
        return None
    if problem.answer_kind is AnswerKind.RELATION:
        sign = _SIGN.fullmatch(sentence)
        return read_answer(sign["sign"], problem) if sign else None
    stripped = without_asides(sentence).strip()
    counted = _counted(sentence, problem) if asked_family(problem.question) == "count" else None
    value = _named(stripped, problem) if counted is None else counted
    if value is None:  # by far the commonest
        return None
    return None if _UNSURE.search(stripped) or without_unasserted(stripped) != stripped else value


def _named(sentence: str, problem: Problem) -> Value | None:
    """Return the value that a sentence says to be the asked quantity, or gives after a name of it."""
    named = _IS_NAMED.fullmatch(sentence.rstrip(" ."))
    if named and problem.answer_kind not in LIST_KINDS and _is_asked(named["name"].partition(",")[0], problem):
        return read_answer(named["value"], problem)
    return _linked(sentence, problem)


def _linked(sentence: str, problem: Problem) -> Value | None:
    """Return the value that a sentence gives after a name of the asked quantity; the first such name counts."""
    for link in _LINK.finditer(sentence):
        before, after = sentence[: link.start()], sentence[link.end() :]
        clause = _CLAUSE.match(before) if not _is_asked(before, problem) else None
        name = before[clause.end() :] if clause else before
        if not _is_asked(name, problem):
            continue
        return leading_value(after, problem)
    return None


def leading_value(text: str, problem: Problem) -> Value | None:
    """Return the value with which a text begins; an equation is none, since it may be one of several steps."""
    if problem.answer_kind in LIST_KINDS:
        return read_statement(text, problem) if begins_with_value(text, problem) else None
    value = _VALUE_END.split(text, maxsplit=1)[0].strip()
    if _EQUATION.search(value):
        return None
    read = read_answer(value, problem)
    if not isinstance(read, Number) or turns(text[len(value) :][:_REACH]):
        return None
    leading = read if value[:1].isalpha() else read_leading(_SENTENCE_END.split(text, maxsplit=1)[0])
    return read if leading is not None and read.value == leading.value else None


def _is_asked(name: str, problem: Problem) -> bool:
    """Return whether a name is of the asked quantity and of no part of it; numbers in it have to be the operands."""
    said = [word.lower() for word in _WORD.findall(name)]
    wanted, known = _asked_words(problem.question)
    if not any(word in wanted for word in said) or not all(word in known for word in said):
        return False
    if "number" in wanted and wanted.intersection(said) == {"number"} and not _NUMBER_OF.search(name):
        return False  # `the even number is 2`
    if _DISTANCE & wanted and _DISTANCE.isdisjoint(said) and _GENERAL.isdisjoint(said):
        return False
    return not _DIGIT.search(name) or _names_operands(name, problem)


def asked_words(question: str) -> frozenset[str]:
    """Return the words of which a plain claim has to hold one."""
    return _asked_words(question)[0]


@lru_cache(maxsize=256)
def _asked_words(question: str) -> tuple[frozenset[str], frozenset[str]]:
    """Return the words of which a name has to hold one, and all that it may hold."""
    asked = asked_family(question)
    own = frozenset(family_words(asked)) if asked else frozenset()
    if asked == "count":
        own |= {"many", "number"}
        return own | _GENERAL, own | _GENERAL | _PLAIN_WORDS | _parity(question)
    if asked == "difference" and "absolute" in question:
        own |= _DISTANCE
    if asked == "order":
        own |= {"list"}
    return own | _GENERAL, own | _GENERAL | _PLAIN_WORDS


def _parity(question: str) -> frozenset[str]:
    return frozenset(word for word in ("odd", "even") if re.search(rf"\b{word}\b", question))


def _names_operands(name: str, problem: Problem) -> bool:
    """Return whether the numbers in a name are all the operands, or how many they are.

    Where their order matters, as in a difference, they tell nothing: it may be the other way round.
    """
    ordered = asked_family(problem.question) in _ORDERED and _DISTANCE.isdisjoint(_asked_words(problem.question)[0])
    if ordered or not isinstance(problem.data, tuple | list):
        return False
    numbers = [read_number(number) for number in _NUMBER.findall(name)]
    values = sorted(number.value for number in numbers if number is not None)
    return values == sorted(problem.data) or values == [len(problem.data)]


def _counted(sentence: str, problem: Problem) -> Value | None:
    """Return how many a sentence says are odd, or even: ``There are 3 odd integers``, ``2 of them are even``."""
    parity = _parity(problem.question)
    for found in _COUNTED.finditer(sentence):
        if str(found["before"] or found["after"]).lower() not in parity:
            continue
        spelled = found["count"] if found["count"].isdigit() else read_spelled(found["count"])
        listed = _ENUMERATED.search(sentence[max(0, found.start() - 12) : found.start()])
        if spelled is not None and not listed:
            return read_answer(str(spelled), problem)
    return None
