"""Turns of thought in a trace, by the words that announce them; English alone."""

from __future__ import annotations

import re

# A thought is given up for another one: counted as in Wang et al. 2025, "Thoughts Are All Over the Place", section 2,
# which counts sentences that begin with "alternatively", and their like.
_LEAD = r"(?:(?:wait|hmm|but|so|or|ok(?:ay)?|well|no)[,.]?\s+){0,2}"
_OTHER = r"(?:another|a different|an alternative)"
_SWITCH = re.compile(
    rf"{_LEAD}(?:alternatively|instead,|on second thought|let me (?:try|think of|use|consider) {_OTHER}|let's "
    rf"(?:try|use|consider) {_OTHER}|another (?:way|approach|method|idea|thought)|maybe (?:i should|there's another|"
    r"another)|perhaps (?:i should|another))\b",
    re.IGNORECASE,
)
# Words with which a model turns back on what it has written (the list of the budget-forcing and of the R1 analyses).
_REFLECTION = re.compile(
    r"\b(?:wait|hmm+|alternatively|hold on|double[- ]check(?:ing)?|re-?check(?:ing)?|re-?verif(?:y|ying)|verify|"
    r"verifying|actually|let me check|let me see|make sure|think again|reconsider|mistake)\b",
    re.IGNORECASE,
)


def is_switch(sentence: str) -> bool:
    """Return whether a sentence begins another line of thought."""
    return _SWITCH.match(sentence.lstrip(" *_>-")) is not None


def reflections(text: str) -> int:
    """Return how many words or phrases of reflection a text holds."""
    return len(_REFLECTION.findall(text))
