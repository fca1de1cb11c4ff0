"""Finds the answer in the visible text: the rules in order, the first that finds something decides."""

from __future__ import annotations

import re
from importlib import import_module
from itertools import pairwise
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

# A base model goes on with the next question of its own; only it speaks for others.
_RUN_ON = re.compile(
    r"\n[ \t#*]*(?:(?:Next |Another |New )?(?:[Qq]uestion|[Pp]roblem|[Ee]xercise|Q|Instruction|(?P<other>Human|User))"
    r"[ \t]*\d{0,4}[ \t*]*:|Example[ \t]*\d{1,4}[ \t*]*:"
    r"|(?<=[#*] |[*#][*#])(?:Next )?(?:Question|Problem|Exercise)[ \t]*\d{1,4}[ \t*]*(?=\n))"
)


def extract(response: Response) -> Found | None:
    """Return what the first rule with a result found, None where none has one.

    Where the text goes on with a question of its own, an answer before it decides.
    """
    run_on = _RUN_ON.search(response.text, 1)
    if run_on:
        own = Response(response.text[: run_on.start()], response.problem, ended=True)
        bare = read_answer(own.text.strip(), response.problem) is not None  # all that it wrote before is the answer
        found = _first_found(own, RULES if run_on["other"] or bare else _PLAIN_STATEMENTS)
        if found and found.value is not None:
            return found
    return _first_found(response, RULES)


def _first_found(response: Response, rules: tuple[Rule, ...]) -> Found | None:
    for rule in rules:
        if response.ended or rule.when_cut:
            found = rule.find(response)
            if found:
                return found
    return None
