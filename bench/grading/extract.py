"""Finds the answer in the visible text: the rules in order, the first that finds something decides."""

from __future__ import annotations

import re
from importlib import import_module
from itertools import islice, pairwise
from pkgutil import iter_modules

from bench.grading import rules as folder
from bench.grading.response import Found, Response, Rule
from bench.grading.words import words


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

# Looking ahead keeps the search cheap in a text full of `<`.
_SPECIAL = re.compile(
    r"<(?=[|｜/esbt])(?:[|｜](?P<name>[\w▁]{1,40})[|｜]|(?P<end>/s|eos|end_of_turn|turn\|)|start_of_turn|s|bos)>"
)
_ENDS = frozenset(
    words("eot_id endoftext im_end end_of_text return end eom_id eos end_of_turn end▁of▁sentence END_OF_TURN_TOKEN")
)
_MAX_SPECIAL = 4096  # more of them are a loop
_TERMINAL_COLOUR = re.compile(r"\x1b\[[0-9;]{0,40}[A-Za-z]")
# A base model goes on with the next question of its own; only it speaks for others.
_RUN_ON = re.compile(r"\n[ \t#*]*(?:Question|Problem|Q|Instruction|(?P<other>Human|User))[ \t]*\d{0,4}[ \t*]*:")


def visible_text(answer: str) -> str:
    """Return an answer without what decoding left of special tokens, cut where the model's turn ends."""
    if "\x08" in answer or "\x1b" in answer:  # an under-escaped `\\boxed`, a terminal's colours
        answer = _TERMINAL_COLOUR.sub("", answer.replace("\x08oxed", "\\boxed"))
    if "<" not in answer or ">" not in answer:
        return answer
    position, written = 0, False
    for token in islice(_SPECIAL.finditer(answer), _MAX_SPECIAL):
        written = written or bool(answer[position : token.start()].strip())
        position = token.end()
        if written and (token["end"] or token["name"] in _ENDS):
            answer = answer[: token.start()]
            break
    return _SPECIAL.sub("", answer, count=_MAX_SPECIAL) if position else answer


def extract(response: Response) -> Found | None:
    """Return what the first rule with a result found, None where none has one.

    Where the text goes on with a question of its own, an answer before it decides.
    """
    run_on = _RUN_ON.search(response.text, 1)
    if run_on:
        own = Response(response.text[: run_on.start()], response.problem, ended=True)
        found = _first_found(own, RULES if run_on["other"] else _PLAIN_STATEMENTS)
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
