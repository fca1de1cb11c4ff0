"""Says what the words around a number do to it: whether they name it, multiply it or make it another number."""

from __future__ import annotations

import re

from bench.grading.numbers import Number
from bench.grading.words import words

# What may stand before a number without colon, "is" or equals sign. Any other word may change its value, as in
# `half of 42`; words that are not ASCII are taken for labels.
_LABEL_WORDS = frozenset(
    words(
        "a about actual actually all also an and ans answer approx approximately are around average be because "
        "between both by calculated calculation circa combined complete computed correct count counted counts "
        "difference elements equal equals even evens exact exactly final finally find following for found from get "
        "gets give given gives greatest grand had has have he hence highest i in indeed integer integers is it its "
        "just largest least list lowest max maximum mean median min minimum mode modes my n name namely no now number "
        "numbers obtain obtained odd odds of only our out output overall pair positive precisely product quotient "
        "ratio remaining required res result resulting results returns roughly rounded rounds same sequence set she "
        "simply smallest so solution sum sums that the their them then there therefore these they this thus to total "
        "totals two value values was we were which will would yield yields you your "
        "antwort das der die el ergebnis es est is ist la lautet le respuesta resultado resultat somme suma summe "
        "cm eur gbp inr kg km mm rs us usd"
    )
)
# What else may stand in a name before a colon, where nothing but a verb's form or the question's words may.
_NAMING_WORDS = frozenset(
    words(
        "absolute add addition again altogether arithmetic as below bottom but computation "
        "conclusion division done down entire figure finished go here how if into let me multiplication "
        "multiplied numeric numerical on or per python quantity quick recap see short simple simplified "
        "single subtraction summary together up what when whole with yes say "
        "gesamt gesamtsumme resposta risposta risultato soma somma"
    )
)
_OF = re.compile(r"\b(?:of|for|in|from|between|after|when|by)\b", re.IGNORECASE)
_LABEL_END = re.compile(
    r"[:=]|\b(?:is|are|was|be|equals?|gives?|yields?|becomes?|gets?|lautet|ist|es|est)\b", re.IGNORECASE
)
_WORD = re.compile(r"[^\W\d_]+")
# A label before the one number of a sentence, and what a sentence says that there are so many of.
_NAME = re.compile(r"[\s*_]*([^\W\d_][^\d:=,.;!?()]{0,60}):(?=[\s*_$`\"'(]*[-+]?\d)(?!.*[:=])")
_EXISTING = re.compile(
    r"\b(?:there (?:is|are|was|were|exist)|(?:i|you|he|she|they|we|it|this) (?:have|has|had|took)) "
    r"(?:\w+ )?\d+ ([a-z]+(?: [a-z]+)?)",
    re.IGNORECASE,
)
# After a number: what multiplies it, and what makes it another number that is not worked out.
_SCALE = re.compile(r" ?(thousand|million|billion|trillion|hundred|dozen|bn)s?\b|([kKM])(?![\w^])")
_SCALES = {
    "hundred": 10**2, "thousand": 10**3, "million": 10**6, "billion": 10**9, "trillion": 10**12, "dozen": 12,
    "bn": 10**9, "k": 10**3, "K": 10**3, "M": 10**6,
}  # fmt: skip
_PARTS = re.compile(
    r"[ -]?(?:hal(?:f|ves)|thirds?|quarters?|fourths?|fifths?|sixths?|sevenths?|eighths?|ninths?|tenths?|"
    r"(?:hundred|thousand|million|billion)ths?|doubled|tripled|halved|squared|cubed|digits?|decimals?|factorial|"
    r"percentage points?|out of|point|and a (?:half|third|quarter|bit)|in base|base|"
    r"per ?mille?|\(?(?:in )?(?:hex|hexadecimal|binary|octal)|per ?cent of|(?:raised )?to the power|"
    r"[a-z]{1,20} (?:too|short|off|away|less|more|fewer))\b|[ ]?[‰‱]|(?:st|nd|rd|th|-?ish|some)\b",
    re.IGNORECASE,
)
# Words beside a number that make it something else than the answer.
_TURNS = re.compile(
    r"\b(?:not|no|never|neither|nor|or|either|between|than|except|over|at (?:least|most)|up to|infinity|remainder|"
    r"modulo|mod|minus|plus|times|divided|multiplied|squared|cubed|sqrt|root|log|ln|sin|cos|tan|factorial|wrong|"
    r"incorrect|false|doubt|unlikely|cannot|half|twice|thrice|double|triple|below|under|above|beyond|near|nearly|"
    r"almost|close to|far from|anything|any|unlike|without|opposite|reciprocal|inverse|multiple|factor|square|cube|"
    r"until|before|after|and (?:counting|more|up|then some))\b|n't\b",
    re.IGNORECASE,
)


def turns(phrase: str) -> bool:
    """Return whether words beside a number make it something else than the answer."""
    return _TURNS.search(phrase) is not None


def is_label(phrase: str) -> bool:
    """Return whether the words right before a number leave its value alone.

    What stands before a colon or a verb is the number's name and may be any words.
    """
    said = _WORD.findall(_LABEL_END.split(phrase)[-1])
    return all(len(word) == 1 or not word.isascii() or word.lower() in _LABEL_WORDS for word in said)


def names_answer(name: str, question: str) -> bool:
    """Return whether a name, as in ``Sum of the list: 42``, may be that of what a question asks for.

    It may unless one of the words up to an ``of`` is neither a label's, nor the question's, nor a verb's form.
    """
    asked = question.lower()
    return all(
        len(word) == 1
        or not word.isascii()
        or word in _LABEL_WORDS
        or word in _NAMING_WORDS
        or word in asked
        or word.endswith(("ing", "ly"))
        for word in map(str.lower, _WORD.findall(_OF.split(name)[0]))
    )


def names_another(sentence: str, question: str) -> bool:
    """Return whether a number's label, or what it counts, is not the answer's: ``Page: 42``, ``there are 3 ways``.

    Stricter than :mod:`bench.grading.quantities`, which leaves a name that it does not know.
    """
    label = _NAME.match(sentence)
    if label and not names_answer(label[1], question):
        return True
    counted = _EXISTING.search(sentence)
    return counted is not None and not names_answer(counted[1], question)


def scaled(number: Number | None, unit: str) -> Number | None:
    """Return a number times the scale word after it (``1.25 thousand``), None where the unit makes it a part."""
    if number is None or _PARTS.match(unit):
        return None
    scale = _SCALE.match(unit)
    if not scale:
        return number
    value = number.value * _SCALES[scale[1] or scale[2]]
    if value.denominator == 1:
        return Number(int(value), 0, len(str(abs(int(value)))))
    return Number(value, number.decimals, number.digits)
