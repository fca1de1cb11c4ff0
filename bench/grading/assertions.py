"""Takes out of a sentence what it does not assert: what it denies, supposes, ascribes to others or calls wrong."""

from __future__ import annotations

import re

from bench.grading.words import words

# --- What is not asserted ---------------------------------------------------------------------------------------

# What a denial may be about: a list in brackets, a relation between two numbers, or a number.
_VALUE = r"(?:\[[^\[\]]{0,16000}\]|[+-]?\d[\d.,/]{0,300}(?: ?[<>=≤≥] ?[+-]?\d[\d.,/]{0,300})?)"
# To the end of the clause, a list in brackets included; the point or comma in a number ends none.
_TO_ITS_END = r"(?:[^,.;!?\[\]]|(?<=\d)[.,](?=\d)|\[[^\[\]]{0,16000}\]){0,300}"
_NOT = r"(?:\b(?:not|cannot|never|no longer|by no means|in no way|fails? to|anything but)|n't)"
# Words between the denial and what it denies.
_LINKS = (
    r"(?: (?:be|equal|equals|to|exactly|simply|just|really|actually|necessarily|possibly|ever|even|the|a|write|put|use|"
    r"say|box|number|value|list|answer|sum|result|is|in fact))*"
)
_DISBELIEF = (
    r"(?:\b(?:false|untrue|wrong|incorrect|unlikely|impossible|deny|denies|doubt|doubtful|disagree|refuse|no way)"
    rf"|{_NOT} (?:true|correct|right|the case|possible|likely|think|believe|say|claim|mean|agree|be that))"
    r"(?: (?:that|if|it|to say))*"
)
# `if` where it says of something what it is (`if the sum were 42`), not what one does (`if you add them`).
_IF = (
    r"if (?=(?:the|our|my|its?|this|that|a|your|one of) ?(?:[a-z]{1,20} ){0,4}?(?:is|was|were|equals?|had|would)\b"
    r"|[+-]?\d[\d.,]{0,300} ?[<>=≤≥])"
)
_SUPPOSITION = (
    r"(?:\b(?:suppose|supposing|assume|assuming|imagine|pretend|let us say|let's say|as if|as though|whether|unless)\b"
    rf"|\b{_IF}|(?:\A|(?<=[,;:] ))(?:were|had|should|let) (?=(?:the|our|my|it|this|that)\b))"
)
# What others hold, or what the writer held before.
_OPINION = (
    r"\b(?:(?:people|some|many|most|others?|they|students?|who|(?:some|any|every)(?:one|body)|"
    r"(?:you|one) (?:may|might|could))"
    r"(?: [a-z]{1,20}){0,2}? (?:think|say|believe|claim|guess|assume|argue|answer|expect)"
    r"|thinks|says|believes|claims|guesses|argues|assumes|has it that"
    r"|(?:thought|guessed|assumed|believed|expected|claimed|hoped)(?! about\b| it (?:through|over)\b)(?=[ *_]))"
)
# Another thing than what was asked for: `the expected answer`, `the answer to a different question`.
_OTHER_ROLE = (
    r"\b(?:(?:wrong|incorrect|mistaken|erroneous|previous|earlier|rejected|naive|tempting|bad) (?:[a-z]{1,20} )?"
    r"(?:answer|result|value|sum|total|list|guess|solution)|(?:expected|textbook) (?:answer|result|sum)"
    r"|common (?:mistake|error)|calculator would (?:say|give|show)|according to (?:the|this) question"
    r"|(?:different|another|other|previous|earlier|last|next) (?:question|problem|task|list|exercise)s?)\b"
)
_CLAUSE = re.compile(rf"(?:{_DISBELIEF} |{_SUPPOSITION} ?|{_OPINION} |{_OTHER_ROLE}){_TO_ITS_END}", re.IGNORECASE)
_MAIN_CLAUSE = re.compile(r" (?:then|but|so) ")
# `Wrong: 42`, `Answer (wrong): 42`, `Unsorted list: [3, 1]`; not the end of a sentence, as in `41 is wrong: it is 42`.
_BAD_NAME = re.compile(
    r"(?:(?<!is )(?<!was )(?<!are )\(?\b(?:wrong|incorrect|false)|\b(?:incorrectly sorted|unsorted|unordered|"
    r"descending|reversed?|input|given|original|not sorted))"
    r"(?: (?:answers?|results?|lists?|numbers?|values?|order|sum|total|sequence|attempt)){0,2}\)?:"
    r"[ *]{0,4}(?:\[[^\[\]]{0,16000}\]|[+-]?\d[\d ,.+-]{0,16000})",
    re.IGNORECASE,
)
_BEFORE = re.compile(rf"{_NOT}{_LINKS}[ :=]{{0,3}}{_VALUE}(?:,? but(?: rather)?\b)?", re.IGNORECASE)
_AFTER = re.compile(
    rf"(?<![\w.,/]){_VALUE}[\"']?(?: [a-z]{{1,20}}){{0,2}}? (?:is|was|are|seems|looks|would be|can|could|does)"
    r"(?: (?:definitely|clearly|also|therefore|thus|obviously))?"
    r"(?:n't\b| ?not\b(?! (?:only|just|even))| (?:wrong|incorrect|false|untrue|impossible|"
    r"an? (?:myth|lie|error|mistake))\b)[^,.;!?\d\[\]]{0,80}",
    re.IGNORECASE,
)
# Some word of each pattern above; in lower case, since the engine finds the first letters of alternatives fast only
# where case counts.
_ANY = re.compile(
    r"not\b|n't|never|false|untrue|wrong|incorrect|unlikely|impossible|den[iy]|doubt|disagree|refuse|"
    r"no (?:longer|means|way)|fail|anything but|suppos|assum|imagine|pretend|say|as (?:if|though)|whether|unless|"
    r"if\b|were\b|had\b|should\b|let\b|think|thought|believe|claim|guess|argue|answer|expect|"
    r"hope|has it|mistake|erroneous|"
    r"textbook|common|calculator|according|previous|earlier|rejected|naive|tempting|bad|different|other|last"
    r"|next|unsorted|unordered|descending|revers|input|given|"
    r"original|myth|lie\b|error|[❌✗✘☒👎]"
)
# The end of a sentence that takes back what it said, `…, but that's wrong`, or says that the answer is not known.
_RETRACTED = re.compile(
    r"\b(?:that|this|it|which|they)(?:'s| is| are| was| were) (?:not (?:right|correct|true)|wrong|incorrect|false|"
    r"impossible)\b[^\d<>=]{0,200}$"
    r"|[❌✗✘☒👎][\s*_.!]{0,20}$|(?::|-|,) (?:false|wrong|incorrect|untrue)[\s*_.!]{0,20}$"
    r"|(?:\bdo not|don't|\bcannot|can't|\bcould not|couldn't) "
    r"(?:know|tell|determine|compute|calculate|work out|find)\b\D{0,200}$",
    re.IGNORECASE,
)


def without_unasserted(sentence: str) -> str:
    """Return a plain sentence without the values that it does not assert, each with the words that say so; linear."""
    if not _ANY.search(sentence.lower()):
        return sentence
    if _RETRACTED.search(sentence):
        return ""  # `There are 42 ways, but I don't know the sum`
    sentence = _CLAUSE.sub(_main_clause, _BAD_NAME.sub(" ", sentence))
    return _BEFORE.sub(" ", _AFTER.sub(" ", sentence))


def _main_clause(clause: re.Match[str]) -> str:
    """Return what an unasserted clause goes on with: ``if the list is [3, 1], then …``."""
    main = _MAIN_CLAUSE.search(clause.group())
    return clause.group()[main.end() - 1 :] if main else " "


# --- What stands before and after a statement ---------------------------------------------------------------------

# Before a marker: `I don't think the answer is`, `Suppose the answer is`, `Could the answer be`.
_NOT_NEXT = re.compile(
    rf"(?:(?:{_DISBELIEF}|{_OPINION}(?: that)?)[ *_]{{0,4}}(?:(?:the|my|our|your|final|correct)[ *_]{{1,4}}){{0,3}}"
    rf"|{_SUPPOSITION}[^,.;:!?\n]{{0,80}}|\bif(?:[ *_]+(?:the|our|my|this|that|your|final|correct))*[ *_]*"
    r"|(?:\A|[.!?\n])\s*(?:could|can|might|may|would|should|was|were|is|had|let)\b[^.!?\n]{0,40}"
    r"|\baccording to (?:the|this) question,? (?:the )?|\bexample: (?:the )?"
    r"|\b(?:wrong|incorrect|mistaken|expected|textbook|previous|earlier|other|another|different|rejected|naive"
    r"|tempting|bad|possible|"
    r"first|initial)[ *_]{1,4})$",
    re.IGNORECASE,
)
# Looked for first, which is much faster.
_DENIALS = ("no ", *words("not n't never fail anything example instance e.g form like such"))
_NOT_BOXED = re.compile(
    rf"{_NOT}{_LINKS}[ *_$:(\\]{{0,6}}$"
    r"|\b(?:for example|for instance|e\.g\.|your answers? in the form(?:at)?|something like|should look like"
    r"|such as)[ *_$:,(\\]{0,6}$",
    re.IGNORECASE,
)
_FALSE = (
    r"(?:not? (?:right|correct|true|it|possible)|wrong|incorrect|false|mistaken|impossible|untrue|a mistake|an error)"
)
# After a statement: `Wait, that's wrong.`, `which cannot be right`, `... no wait, 43`, `- wrong!`.
_TAKEN_BACK = re.compile(
    r"[\s.,;!*_-]*(?:"
    r"(?:(?:but|wait|no|hmm+|oops|actually|sorry|hold on|however|and|clearly|obviously)\b[\s,.!…-]*){0,4}"
    r"(?:(?:that|this|it|which|they|these|those|he|she)(?:'s| (?:is|are|was|were|seems?|looks?|must be))"
    rf"(?: (?:all|clearly|obviously|just|simply|definitely|also))? {_FALSE}"
    r"|(?:that|this|it|which|they)(?: (?:is|are|was)n't| can(?:'t|not| not) be| could(?:n't| not) be) "
    r"(?:right|correct|true|it)"
    r"|i (?:do not|don't|cannot|can't) (?:know|believe))\b"
    r"|(?<=[.,;!-] )(?:wrong|incorrect|false)\b"
    r"|(?:no|nope|wrong|incorrect|false|not (?:quite|right|correct|true))(?=[\s*_]*(?:[.!]|$))|[❌✗✘☒👎]"
    r"|(?:no,? wait|wait,? no|on second thought|scratch that|correction:|let me correct)\b)",
    re.IGNORECASE,
)


def is_unasserted_next(before: str) -> bool:
    """Return whether a statement that follows these words is denied, supposed or ascribed to others by them."""
    return _NOT_NEXT.search(before) is not None


def denies_box(before: str) -> bool:
    """Return whether the words right before a box deny what it holds."""
    folded = before.lower()
    return any(map(folded.__contains__, _DENIALS)) and _NOT_BOXED.search(before) is not None


def is_taken_back(after: str) -> bool:
    """Return whether the words right after a statement take it back."""
    return _TAKEN_BACK.match(after) is not None


def is_crossed(line: str) -> bool:
    """Return whether a line ends with a cross or the like, which says that it is wrong."""
    return line.rstrip(" *_.!").endswith(("❌", "✗", "✘", "☒", "👎"))
