"""Says of which quantity a name speaks; takes the values of quantities that were not asked for out of a sentence."""

from __future__ import annotations

import re
from enum import StrEnum
from functools import lru_cache

from bench.grading.words import words


class Quantity(StrEnum):
    """What a name such as ``Sum of the list`` is the name of."""

    ASKED = "asked"
    ANOTHER = "another"
    UNKNOWN = "unknown"


# Words that name a quantity; the first of them in a question tells which one is asked for.
_NAMES = {
    "sum": "sum sums add adding addition total totals summe suma somme",
    "difference": "difference subtract subtraction",
    "product": "product multiply multiplication",
    "quotient": "quotient divide division",
    "maximum": "maximum max largest greatest biggest highest",
    "minimum": "minimum min smallest least lowest",
    "mean": "mean average avg",
    "median": "median",
    "mode": "mode modes",
    "order": "sort sorted ascending ordered increasing",
    "count": "count counts tally",
    "odd": "odd odds",
    "even": "even evens",
    "remainder": "remainder",
    "sign": "sign relation operator symbol",
    "frequency": "frequency frequencies occurrences",
    "spread": "range variance deviation std",
}
_FAMILIES = {word: family for family, line in _NAMES.items() for word in words(line)}
_PARITIES = frozenset({"odd", "even"})
# Whose value another quantity may be on the way: `the two middle numbers are 2 and 3, their mean is 2.5`.
_ON_THE_WAY = {
    "median": re.compile(r"\b(?:(?:mean|average) (?:of|is taken)|their (?:mean|average))\b|^\W*so ", re.IGNORECASE)
}
# What `total` may be said of besides a sum.
_TOTALS = frozenset({"difference", "product", "quotient", "count"})
_PHRASES = (
    (re.compile(r"\b(?:number|amount|quantity)s? of\b|\bhow many\b|\bhow often\b"), "count"),
    (
        re.compile(
            r"\b(?:smallest|least|lowest|minimum|min) to (?:the )?[a-z]+est\b|\b(?:minimum|min) to (?:the )?max|"
            r"\bin (?:numerical )?order\b"
        ),
        "order",
    ),
    (re.compile(r"\bmost (?:frequent|common)(?:ly)?\b|\bcommonest\b"), "mode"),
)
# Whatever they are said of, it is not what was asked for; the second line unless the asked quantity is named too.
_NEVER = frozenset(
    words("partial intermediate subtotal wrong incorrect previous earlier descending reverse reversed unsorted")
)
_BESIDE = frozenset(
    words(
        "original initial input inputs confidence probability accuracy certainty score word token tokens time "
        "duration seconds minutes step steps seed state id error index position page source sources reference "
        "references footnote version question length size difficulty"
    )
)
_COUNTED = frozenset(
    words(
        "number numbers integer integers element elements value values item items term terms entry entries "
        "digit digits addends operands list step steps second seconds minute minutes word words token tokens"
    )
)
_WORD = re.compile(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+|[^\W\d_A-Za-z]+")
_GIVEN = re.compile(r"^(?:the )?given\b")
_NEVER_SAID = re.compile(
    r"\brunning (?:sum|total|count)\b|\b(?:second|third|next|2nd|3rd) "
    r"(?:largest|smallest|greatest|biggest|highest|lowest|least)\b"
    r"|\b(?:largest|greatest|biggest|highest) to (?:the )?(?:smallest|least|lowest)\b"
)
_RESULT_OF = re.compile(r"^(?:the )?(?:final |numerical )?(?:result|value|answer) of (?:the )?")
_VERBS = frozenset(words("add adding subtract multiply divide sort"))
# A part or a multiple of what was asked for, unless the question itself speaks of it.
_SCOPE = re.compile(
    r"\b(?:half|twice|thrice|double[ds]?|tripled?|halved|squares?|squared|cubes?|cubed|positives?|negatives?|absolute|"
    r"first|second|last|but|except|excluding|without|odd|even|less|greater than|more than|divided|multiplied"
    r"|times|one of|"
    r"digits?|signed|ignoring)\b",
    re.IGNORECASE,
)
# A name that works with a quantity: `sum divided by 3`.
_WORKED = re.compile(
    r"[/*+^]|\b(?:divided|over|times|plus|minus|multiplied|half|twice|double|by|not|without|than|if)\b|n't",
    re.IGNORECASE,
)
_HEAD_END = re.compile(r"\b(?:of|for|in|from|between|after|when|by|with|at)\b")


@lru_cache(maxsize=256)
def asked_family(question: str) -> str | None:
    """Return the quantity that a question asks for, None where it names none that is known."""
    folded = question[:400].lower()
    if "how many" in folded:
        return "count"
    return next((_FAMILIES[word] for word in _WORD.findall(folded) if word in _FAMILIES), None)


def family_words(family: str) -> tuple[str, ...]:
    """Return the words that name a quantity, e.g. those for ``sum``."""
    return words(_NAMES[family])


def spoken(name: str) -> str:
    """Return the words of a name in lower case, also of one like ``sorted_list`` or ``totalSum``."""
    return " ".join(_WORD.findall(name)).lower()


@lru_cache(maxsize=256)
def quantity_of(name: str, question: str) -> Quantity:
    """Return whether a name is that of what a question asks for, of something else, or neither is known."""
    folded = spoken(name)
    said = folded.split()
    asked = asked_family(question)
    if not _NEVER.isdisjoint(said) or _NEVER_SAID.search(folded):
        return Quantity.ANOTHER
    head = _HEAD_END.split(_RESULT_OF.sub("", folded))[0].strip() or folded  # `in order` begins with a preposition
    families = {_FAMILIES[word] for word in _WORD.findall(head) if word in _FAMILIES}
    families |= {family for phrase, family in _PHRASES if phrase.search(folded)}
    if asked != "count" and "count" in families and _COUNTED.isdisjoint(said[1:]) and head == "number":
        return Quantity.UNKNOWN  # `number of apples`
    if asked == "count":
        return _of_count(said, families, question)
    if asked in families:
        return Quantity.ANOTHER if _is_part(folded, question) else Quantity.ASKED
    if asked in _TOTALS and "total" in head.split():
        families.discard("sum")
    if (asked and families) or not _BESIDE.isdisjoint(_WORD.findall(head)) or _GIVEN.search(head):
        return Quantity.ANOTHER
    return Quantity.UNKNOWN


def _of_count(said: list[str], families: set[str], question: str) -> Quantity:
    """Return of what a name speaks where a count is asked for: ``odd numbers``, ``number of elements``."""
    parities = {_FAMILIES[word] for word in said if word in _FAMILIES} & _PARITIES
    asked = set(re.findall(r"\b(?:odd|even)\b", question.lower()))
    if parities and "one of" in " ".join(said):
        return Quantity.ANOTHER
    if parities:
        return Quantity.ASKED if parities & asked else Quantity.ANOTHER
    if families - {"count", "sum"} or not _BESIDE.isdisjoint(said):
        return Quantity.ANOTHER
    if families and any(word in _COUNTED and word != "number" for word in said):
        return Quantity.ANOTHER if asked else Quantity.UNKNOWN
    return Quantity.ASKED if "count" in families else Quantity.UNKNOWN


# --- Clauses ------------------------------------------------------------------------------------------------------

_ARITHMETIC = r"[\d\s.+*/()=~^%<>-]"
_LIST = r"(?:\[[^\[\]]{0,16000}\],? ?)+|[+-]?\d[\d.]*(?:(?:,? and|[,;]) [+-]?\d[\d.]*)+"
_VALUE = rf"(?:{_LIST}|(?=[(+-]?[ ]?\d){_ARITHMETIC}{{0,400}}\d[)%]*)"
_LINK = (
    r"(?: ?[:=]| (?:is|are|was|were|would be|will be|equals|of|comes to))"
    r"(?: (?:therefore|thus|also|just|only|exactly|about|approximately))?"
)
_NAMED = re.compile(
    rf"\W*(?P<name>[^\W\d][^\d:=<>,;\[\]]{{0,80}}?)(?:{_LINK})? ?[\"'`]?(?P<value>{_VALUE})"
    r"(?P<unit>[^\d=<>\[\]]{0,80})",
    re.IGNORECASE,
)
_SAID_OF = re.compile(
    rf"\W*(?:both )?(?P<value>{_VALUE}),? (?:is|are)(?: (?:both|all|also))?(?P<name> [^\d:=<>,;\[\]]{{1,80}}?)"
    r"(?: (?:of|from|between)\b[^=]{0,80})?",
    re.IGNORECASE,
)
_EXISTING = re.compile(
    r"\W*(?:so |thus |therefore )?(?:there (?:is|are|was|were)|(?:this|it|that|i|we|you|the list|list) "
    r"(?:has|have|took|takes|used|added|contains|consists of))(?: (?:only|exactly|a total of))? "
    r"(?P<value>\d{1,6}) (?P<name>[^\d:=<>,;]{1,80})",
    re.IGNORECASE,
)
_THESE = re.compile(r"\W*(?:these|those|they|namely)(?: (?:numbers|integers|are))?\W*")
_REMARK = re.compile(
    r"\W*(?:confidence|certainty|sources?|references?|word count|time taken)(?: [a-z]+)? ?:"
    r"|\W*(?:(?:it|this|which|that) )?(?:occurs|appears|is (?:at|in) (?:the )?(?:position|index|place)) ?\b",
    re.IGNORECASE,
)
# Where a clause ends: a comma before a word, or `and` after a value and before a subject.
_BREAK = re.compile(
    r"([,;.]? (?:and|while|whereas|but|with)(?= (?:[a-z]|[+-]?\d[\d./]* is\b|\d+ (?:odd|even)\b))"
    r"|[,;]\s?(?!and [+-]?\d)(?=[a-z*\"']|\d+ of (?:them|these)\b|[+-]?\d[\d./]* is the\b)|;|\s?\|\s?(?=[a-z*]))",
    re.IGNORECASE,
)
# An unknown beside a number is a part of the equation, not the name of its other side: `2x = 42`, `x + 1 = 42`.
_UNKNOWN = re.compile(r"(?<![\w.])(?:\d[\d.]*[xyz](?![\w(])(?! ?\d)|[xyz] ?[-+*/^] ?\d|\d ?[-+*/] ?[xyz](?!\w))")
_DIGIT = re.compile(r"\d")
_LETTERS = re.compile(r"[^\W\d_]{2}")
_TALLY = re.compile(
    r",? ?\(?(?:(?:which|that|it|and|each) )?(?:(?:appears?|occurs?|appearing|occurring|repeated) )?"
    r"(?<![\w.,-])\d{1,4} (?:times|occurrences)\b\)?(?: each)?",
    re.IGNORECASE,
)
_MAX_CLAUSES = 64
_LONGEST = 4_000


@lru_cache(maxsize=8)  # the same sentence is first looked at for what it speaks of, then read
def without_others(sentence: str, question: str) -> str:
    """Return a plain sentence without the clauses that give another quantity than the asked one its value; linear.

    ``The sum is 42 and the average is 21`` becomes ``The sum is 42`` where the sum was asked for. A sentence that
    speaks of nothing else becomes empty. A clause that goes on to work with its value stays.
    """
    if len(sentence) > _LONGEST or not ("=" in sentence or _LETTERS.search(sentence)):
        return sentence
    clauses = _clauses(sentence)
    if len(clauses) > _MAX_CLAUSES:
        return sentence
    kept = [(mark, clause) for mark, clause in clauses if not _is_of_another(clause, question)]
    if len(kept) == len(clauses):
        return sentence
    if not _DIGIT.search(sentence):
        return ""
    return "".join(f"{mark}{clause}" for mark, clause in kept).strip(" ,;(")


def _clauses(sentence: str) -> list[tuple[str, str]]:
    """Return the clauses of a sentence, each with the mark or the word before it."""
    first, *parts = _BREAK.split(sentence)
    clauses = [("", first)]
    for mark, clause in zip(parts[::2], parts[1::2], strict=True):
        before, last = clauses[-1]
        if mark.strip(",;. ").isalpha() and not _DIGIT.search(last):  # `the maximum and minimum`
            clauses[-1] = (before, f"{last}{mark}{clause}")
        else:
            clauses.append((mark, clause))
    return clauses


def _is_of_another(clause: str, question: str) -> bool:
    """Return whether a clause only says what the value of another quantity is, or what the elements counted are."""
    if _REMARK.match(clause) or (clause.count("=") == 1 and _UNKNOWN.search(clause)):
        return True
    existing = _EXISTING.fullmatch(clause.rstrip(" .!"))
    if existing:
        counted = existing["name"].lower()
        known = any(word in _COUNTED for word in _WORD.findall(counted))
        return known and quantity_of(f"number of {counted}", question) is Quantity.ANOTHER
    found = _NAMED.fullmatch(clause) or _SAID_OF.fullmatch(clause.rstrip(" .!"))
    if found is None or (_WORKED.search(found["name"]) and not _is_part(found["name"], question)):
        return False
    quantity = quantity_of(found["name"], question)
    asked = asked_family(question)
    if asked == "count":
        return quantity is Quantity.ANOTHER or _lists_elements(found, question)
    if asked in _ON_THE_WAY and _ON_THE_WAY[asked].search(found["name"]):
        return False
    return quantity is Quantity.ANOTHER


def _is_part(name: str, question: str) -> bool:
    """Return whether a name is of a part, a multiple or a relative of the asked quantity: ``half the sum``."""
    said = _WORD.findall(name.lower())
    asked = asked_family(question)
    if asked is None or not any(_FAMILIES.get(word) == asked and word not in _VERBS for word in said):
        return False
    return any(scope.group() not in question.lower() for scope in _SCOPE.finditer(name.lower()))


def _lists_elements(found: re.Match[str], question: str) -> bool:
    """Return whether a clause names what was counted, not how many: ``odd numbers: 5, 7``, ``7 is odd``."""
    name = found["name"].lower()
    several = re.fullmatch(_LIST, found["value"]) is not None
    if several and _THESE.fullmatch(name):
        return True
    if (
        quantity_of(name, question) is not Quantity.ASKED
        or "count" in _WORD.findall(name)
        or _PHRASES[0][0].search(name)
    ):
        return False
    said = found.re is _SAID_OF and " is " in found.group()
    return several or said or re.search(r"\b(?:number|integer|one) *$", name) is not None


def names_asked_count(head: str, question: str) -> bool:
    """Return whether a line speaks of the count that is asked for: ``There are 2 odd numbers``."""
    return asked_family(question) == "count" and quantity_of(head, question) is Quantity.ASKED


def without_tallies(text: str) -> str:
    """Return a plain text without how often something occurs: ``7 (appears 2 times)``."""
    return _TALLY.sub(" ", text)
