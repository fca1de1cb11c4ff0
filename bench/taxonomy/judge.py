"""What an LLM judge is asked about a wrong answer or a trace, and how its reply is read; any engine may carry it."""

from __future__ import annotations

import re

from bench.judge import chat, last_line, quoted
from bench.problem import Problem, write_gold
from bench.taxonomy.findings import ErrorKind, Pattern

# Raised whenever a judge is asked in other words; stored judgements name it.
TAXONOMY_WORDING = 1

_ERRORS = {
    ErrorKind.COMPUTATIONAL: "the method is right, a step of it is wrong",
    ErrorKind.PROCEDURAL: "another method than the one asked for was followed; its steps are right",
    ErrorKind.FORMAT: "the right value was found and given in a wrong form",
    ErrorKind.PARTIAL: "a part of the data, of the steps or of the answer is left out, or the response stops early",
    ErrorKind.HALLUCINATION: "it uses values that the question did not give and no step produced",
}
_PATTERNS = {
    Pattern.REDUNDANT_VERIFICATION: "a result already derived is derived again",
    Pattern.SELF_CONTRADICTION: "an equation or a claim and its negation are both asserted",
    Pattern.IRRELEVANT_EXPLORATION: "a stretch that can't bear on the answer",
    Pattern.STOPPING_FAILURE: "the end repeats one character or phrase, or is random tokens",
    Pattern.HELPFUL_DECOMPOSITION: "the problem is split into parts that are worked out and put together",
}
_ERROR_REPLY = re.compile(r"ERROR: ?([a-z_]+)\.?")
_PATTERNS_REPLY = re.compile(r"PATTERNS: ?([a-z_]+(?:, ?[a-z_]+)*)\.?")


def error_messages(problem: Problem, response: str) -> list[dict[str, str]]:
    """Return the chat that asks a judge for the kind of error of a wrong response; read by :func:`read_error`."""
    task = "A model answered the question below wrongly. Say which kind of error it made.\n\n" + _listed(_ERRORS)
    ending = "End with one line: ERROR: and the name of the kind that fits best."
    asked = f"Question:\n{problem.question}\n\nCorrect answer: {write_gold(problem.gold)}"
    return chat(f"{task}\n\n{ending}", f"{asked}\n\n{quoted('Response', response)}")


def pattern_messages(trace: str) -> list[dict[str, str]]:
    """Return the chat that asks a judge for the patterns of a trace; read by :func:`read_patterns`."""
    task = "Below is the reasoning of a model. Say which of these patterns it shows.\n\n" + _listed(_PATTERNS)
    ending = "End with one line: PATTERNS: and the names of all that it shows, separated by commas, or none."
    return chat(f"{task}\n\n{ending}", quoted("Reasoning", trace))


def read_error(reply: str) -> ErrorKind | None:
    """Return the kind of error that the last line of a reply names, None where it is not exactly as asked for."""
    match = _ERROR_REPLY.fullmatch(last_line(reply))
    return ErrorKind(match[1]) if match and match[1] in set(ErrorKind) else None


def read_patterns(reply: str) -> frozenset[Pattern] | None:
    """Return the patterns that the last line of a reply names, None where it is not exactly as asked for."""
    match = _PATTERNS_REPLY.fullmatch(last_line(reply))
    if match is None:
        return None
    names = {name.strip() for name in match[1].split(",")}
    if names == {"none"}:
        return frozenset()
    return frozenset(map(Pattern, names)) if names <= set(Pattern) else None


def _listed(kinds: dict[ErrorKind, str] | dict[Pattern, str]) -> str:
    return "\n".join(f"- {kind.value}: {meaning}" for kind, meaning in kinds.items())
