"""Tells words of calculation and of reasoning about it from words that come from elsewhere."""

from __future__ import annotations

import re

from bench.grading.words import words

_WORD = re.compile(r"[A-Za-zÀ-ÿ]+(?:'[a-z]+)?")
_LONG = 4  # letters; shorter words tell nothing of the subject
_NO_PROSE = re.compile(r"\\[A-Za-z]+|`[^`\n]{0,200}`|</?\w{1,20}>")

_ENDINGS = ("s", "es", "ed", "ing", "ly", "d", "er", "est", "ies", "'s")
_AT_HOME = frozenset(
    words(
        "can't couldn't didn't doesn't don't hasn't haven't i'll i've isn't shouldn't they're wasn't we'll we've won't "
        "wouldn't you're "
        "about above absolute across actually adding addition after again against agree agreed agrees align almost "
        "already alright also alternatively although always another answer anything anyway appear appears apply "
        "approach around arrange ascending asked asking asks average back base because been before begin begins below "
        "besides best between beyond bigger biggest both bottom boxed brackets break bring calculate calculating "
        "calculation calculator called came careful carefully carries carry carryover case cases change check choose "
        "clear clearly close closer closest column combine combining come comes common compare comparing comparison "
        "complete compute computing concern conclude confident confirm confused consider consistent consists contain "
        "contains convert correct correctly could count counting course decide decimal decimals decreasing definitely "
        "definition denominator descending determine differ difference different digit digits direct direction "
        "directly distance divide divided dividend divides dividing divisible division divisor does doing done double "
        "down drop duplicate each easier easily easy eight eighth eighty either element elements eleven eleventh else "
        "empty ended ends enough ensure entries entry equal equally equals equation equivalent error even every exact "
        "exactly example except explain expression extra extreme fact factor factors false fifth fifty figure final "
        "finally find finding fine first fits five follow following follows form format formula forty found four "
        "fourth fraction frequency frequent from full further general gets give given gives going gone good great "
        "greater greatest group guess half hand happen have having held help hence here higher highest hold hundred "
        "hundreds identify input inside instead instruction instructions integer integers into itself just keep kept "
        "know large larger largest last latex lead leading least leave leaves left less like line list listed little "
        "long look looking looks lower lowest magnitude make makes making many match matches mathematical matter "
        "maximum maybe mean means median member middle might minimum minus minutes missed missing mistake mode modes "
        "moment more most move moving much multiple multiplication multiplied multiply multiplying must namely near "
        "need needed needs negative neither never next nine ninety ninth none nonzero nope normal note nothing notice "
        "number numbers numerator obvious obviously occur occuring occurrence occurrences occurs often okay once ones "
        "only onto operation opposite order ordered original other others otherwise output over overall pair pairs "
        "part parts pass perform perhaps pick place plus point position positive possible power precise previous "
        "probably problem proceed process product proper provide question quick quickly quite quotient range rather "
        "reach read reading real really reason recall recheck recount remain remainder remaining remember repeat "
        "repeated require response result results reverse reversed right round rounded rounding rows rule same second "
        "seem seems seen separately sequence seven seventh seventy several shall should show shows side sign signs "
        "similar simple simpler simplify simply since single sixth sixty size skip small smaller smallest solution "
        "solve some somehow something sort sorted sorting split square start started starting state statement step "
        "steps still stop straight straightforward subtract subtracting subtraction such summing sums sure symbol "
        "take taken takes taking task tell tens tenth term terms than that their them then there therefore these they "
        "thing things think thinking third thirty this those though thought thousand thousands three through thus "
        "tied ties time times together told tool total totals toward trick tried trivial true trust turn twelve "
        "twenty twice under understand unique unit units until upon used user uses using usual value values verified "
        "verify very wait want wants ways well were what when where whether which while whole will with within "
        "without word words work working works would write writes written wrong your zero zeros"
    )
)


def foreign_words(sentence: str) -> tuple[int, int]:
    """Return how many longer words of a sentence come from elsewhere, and how many longer words it has.

    LaTeX commands and what stands in code marks count as no words. Reads the first 1,000 characters.
    """
    plain = _NO_PROSE.sub(" ", sentence[:1_000])
    longer = [word.lower() for word in _WORD.findall(plain) if len(word) >= _LONG]
    return sum(not _is_at_home(word) for word in longer), len(longer)


def _is_at_home(word: str) -> bool:
    return word in _AT_HOME or any(word.endswith(ending) and word[: -len(ending)] in _AT_HOME for ending in _ENDINGS)
