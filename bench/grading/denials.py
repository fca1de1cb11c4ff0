"""Takes out of a sentence what it denies, so that no reader takes it for what the sentence says."""

from __future__ import annotations

import re

# What a denial may be about: a list in brackets, a relation between two numbers, or a number.
_VALUE = r"(?:\[[^\[\]]{0,16000}\]|[+-]?\d[\d.,/]{0,300}(?: ?[<>=≤≥] ?[+-]?\d[\d.,/]{0,300})?)"
_NOT = r"(?:\b(?:not|cannot|never|no longer)|n't)"
# Words between the denial and what it denies.
_LINKS = r"(?: (?:be|equal|equals|to|exactly|simply|just|really|actually|the|number|value|list|answer|is|in fact))*"
_BEFORE = re.compile(rf"{_NOT}{_LINKS}[ :=]{{0,3}}{_VALUE}(?:,? but(?: rather)?\b)?", re.IGNORECASE)
_DISBELIEF = (
    r"(?:\b(?:false|untrue|wrong|incorrect|unlikely|impossible|deny|denies|doubt|doubtful|disagree)"
    rf"|{_NOT} (?:true|correct|right|the case|possible|likely|think|believe|say|claim|mean|agree))"
    r"(?: (?:that|if|it|to say))*"
)
# `It is false that …`, `I don't think …`: to the end of the clause, a list in brackets included.
_CLAUSE = re.compile(rf"{_DISBELIEF} (?:[^,.;!?\[\]]|(?<=\d)[.,](?=\d)|\[[^\[\]]{{0,16000}}\]){{0,300}}", re.IGNORECASE)
_AFTER = re.compile(
    rf"(?<![\w.,/]){_VALUE}[\"']?(?: [a-z]{{1,20}}){{0,2}}? (?:is|was|are|seems|looks|would be|can|could|does)"
    r"(?: (?:definitely|clearly|also|therefore|thus|obviously))?"
    r"(?:n't\b| ?not\b(?! (?:only|just|even))| (?:wrong|incorrect|false|untrue|impossible)\b)[^,.;!?\d\[\]]{0,80}",
    re.IGNORECASE,
)
_ANY = re.compile(
    r"not\b|n't|never|false|untrue|wrong|incorrect|unlikely|impossible|den[iy]|doubt|disagree|no longer", re.IGNORECASE
)
# Before a marker: `I don't think the answer is`, `It is not true that the answer is`.
_DENIES_NEXT = re.compile(
    rf"{_DISBELIEF}[ *_]{{0,4}}(?:(?:the|my|our|your|final|correct)[ *_]{{1,4}}){{0,3}}$", re.IGNORECASE
)


def without_denials(sentence: str) -> str:
    """Return a plain sentence without the values that it denies, each with the words that deny it; linear."""
    if not _ANY.search(sentence):
        return sentence
    return _BEFORE.sub(" ", _AFTER.sub(" ", _CLAUSE.sub(" ", sentence)))


def denies_next(before: str) -> bool:
    """Return whether a statement that follows these words is denied by them."""
    return _DENIES_NEXT.search(before) is not None
