"""Finds the answer in the visible text: the rules in order, the first that finds something decides."""

from __future__ import annotations

import re
from importlib import import_module
from itertools import islice, pairwise
from pkgutil import iter_modules

from bench.grading import rules as folder
from bench.grading.reading import read_answer
from bench.grading.response import Found, Response, Rule


def discover_rules() -> tuple[Rule, ...]:
    """Return the rule of every file in ``bench/grading/rules``, in the order in which they are asked.

    Raises:
        ValueError: two rules share an order.
    """
    names = [f"{folder.__name__}.{module.name}" for module in iter_modules(folder.__path__)]
    rules: list[Rule] = sorted((import_module(name).RULE for name in names), key=lambda rule: rule.order)
    for one, other in pairwise(rules):
        if one.order == other.order:
            raise ValueError(f"the rules {one.name} and {other.name} both have order {one.order}; give one another")
    return tuple(rules)


RULES = discover_rules()
_PLAIN_STATEMENTS = tuple(rule for rule in RULES if rule.when_cut)

# A base model goes on with the next question of its own; only it speaks for others. Every repetition is bounded and
# gives nothing back: two neighbours that match the same blanks would try each way to share them.
_RUN_ON = re.compile(
    r"\n(?=[ \t#*AENHIPQUepq])[ \t#*]{0,16}+(?=[AENHIPQUepq])(?:(?:Next |Another |New )?"
    r"(?:[Qq]uestion|[Pp]roblem|[Ee]xercise|Q|Instruction|(?P<other>Human|User))[ \t]{0,4}+\d{0,4}+[ \t*]{0,8}+:"
    r"|Example[ \t]{0,4}+\d{1,4}+[ \t*]{0,8}+:"
    r"|(?<=[#*] |[*#][*#])(?:Next )?(?:Question|Problem|Exercise)[ \t]{0,4}+\d{1,4}+[ \t*]{0,8}+(?=\n))"
)


# What follows the head of a question: an answer of its own, or numbers in a question, an order or an expression.
_ITS_ANSWER = re.compile(r"\n[ \t#*]*(?:Answer|A|Solution|Response)[ \t*]*:|\n\s*(?:Answer|Solution)\b")
_TASK = re.compile(
    r"\d[^\n?]{0,300}\?|\d ?[-+*/×÷−] ?\(?-?\d|\b(?:what|how|which|find|compute|calculate|add|subtract|multiply|divide|"
    r"sort|compare|determine|evaluate|solve|count)\b[^\n]{0,300}\d",
    re.IGNORECASE,
)
_BLANK_LINE = re.compile(r"\n\s*\n")
_LONGEST_TASK = 600
_MAX_HEADS = 64


def extract(response: Response) -> Found | None:
    """Return what the first rule with a result found, None where none has one.

    Where the text goes on with a question of its own, an answer before it decides.
    """
    run_on = _run_on(response.text)
    if run_on:
        own = Response(response.text[: run_on.start()], response.problem, ended=True)
        bare = read_answer(own.text.strip(), response.problem) is not None  # all that it wrote before is the answer
        found = _first_found(own, RULES if run_on["other"] or bare else _PLAIN_STATEMENTS)
        if found and found.value is not None:
            return found
    return _first_found(response, RULES)


def _run_on(text: str) -> re.Match[str] | None:
    """Return the head with which a text goes on with another task, None where it does not."""
    first = _RUN_ON.search(text, 1)
    if first is None:  # by far the commonest
        return None
    heads = islice(_RUN_ON.finditer(text, first.start()), _MAX_HEADS)
    return next((head for head in heads if head["other"] or _asks(text, head)), None)


def _asks(text: str, head: re.Match[str]) -> bool:
    """Return whether a new task follows a head: an answer of its own after it, or numbers with something to do.

    ``Problem: that forgot the carry.`` tells of the same task.
    """
    begins = head.end()
    task = text[begins : begins + _LONGEST_TASK]
    if _ITS_ANSWER.search(task):
        return True
    paragraph = _BLANK_LINE.split(task.lstrip(), maxsplit=1)[0]
    return _TASK.search(paragraph) is not None


def _first_found(response: Response, rules: tuple[Rule, ...]) -> Found | None:
    for rule in rules:
        if response.ended or rule.when_cut:
            found = rule.find(response)
            if found:
                return found
    return None
