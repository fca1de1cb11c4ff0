"""Writes the tables of docs/grading.md from the case files: ``python -m tests.bench.cases.write_docs``.

The page's prose is written by hand; what stands between the marks of a table is replaced.
"""

import json
import re
from pathlib import Path
from typing import Any

FOLDER = Path(__file__).parent
PAGE = FOLDER.parents[2] / "docs" / "grading.md"
SETTLED = {
    "integers": "An integer truth is met exactly: 42.0 is 42, 42.5 is not.",
    "fractions": "A truth that is no integer is met by an exact fraction, mixed number or repeating decimal, or by a "
    "decimal of at least two decimals and two significant digits that is the truth rounded, half up or half even.",
    "percent": "A percentage is its value.",
    "words": "Integers in words count inside a box or after a marker, not in a last line.",
    "decimal comma": "A decimal comma counts where no other reading exists.",
    "unclosed box": "An unclosed box counts only where generation ended by itself.",
    "boxes in a row": "Several boxes in a row, an element each, are a list where a list was asked for.",
    "last box": "The last box wins over a later remark, but not over a later final statement with another value.",
    "mode": "The set of modes must match, in any order; “no mode” is no answer.",
    "sorting": "Ascending, duplicates kept.",
    "echo": "Only in a last line is a list no answer for repeating the question's.",
    "truncated": "A truncated response is right only by a closed box or a completed statement outside thinking.",
    "instruction": "The instruction is followed by a readable closed box in the visible answer, right or wrong.",
}
_LONGEST = 200


def cases(name: str) -> list[dict[str, Any]]:
    """Return the cases of one file of this folder."""
    return [json.loads(line) for line in (FOLDER / f"{name}.jsonl").read_text("utf-8").splitlines()]


def _code(text: str) -> str:
    """Return a text as a cell of code, with what is invisible or would end the cell written out."""
    if not text:
        return "(empty)"
    shown = json.dumps(text, ensure_ascii=not text.isprintable())[1:-1].replace('\\"', '"').replace("\\\\", "\\")
    shown = shown if len(shown) <= _LONGEST else f"{shown[: _LONGEST - 1]}…"
    fence = "`" * (1 + max(map(len, re.findall("`+", shown)), default=0))
    return f"{fence} {shown} {fence}".replace("|", "\\|")


def _table(head: tuple[str, ...], rows: list[tuple[str, ...]]) -> str:
    lines = [head, ("---",) * len(head), *rows]
    return "\n".join(f"| {' | '.join(line)} |" for line in lines)


def _asked(case: dict[str, Any]) -> str:
    return f"{case['task']} {case['data']}".replace("'", "")


def _graded(case: dict[str, Any]) -> tuple[str, ...]:
    cut = " (cut)" if case.get("finish_reason", "stop") != "stop" else ""
    return _asked(case), _code(case["response"]) + cut, case["outcome"], case["rule"] or "—"


def _first(rows: list[dict[str, Any]], *keys: str) -> list[dict[str, Any]]:
    """Return the first case of each combination of values, sorted by kind."""
    found: dict[tuple[Any, ...], dict[str, Any]] = {}
    for row in rows:
        found.setdefault(tuple(row[key] for key in keys), row)
    return sorted(found.values(), key=lambda row: str(row["kind"]))


def settled() -> str:
    """Return the settled questions, each with its examples."""
    rows = []
    for name, sentence in SETTLED.items():
        examples = [case for case in cases("grading") if case["kind"] == f"settled: {name}"]
        followed = name == "instruction"
        for case in examples:
            asked, response, outcome, rule = _graded(case)
            verdict = f"{outcome}, {'followed' if case['followed'] else 'not followed'}" if followed else outcome
            rows.append((sentence, asked, response, verdict, rule))
            sentence = ""
    return _table(("Settled", "Asked", "Response", "Verdict", "Rule"), rows)


def kinds() -> str:
    """Return every kind of answer with an example for each verdict it may get."""
    rows = [case for case in cases("grading") if not case["kind"].startswith("settled")]
    return _table(
        ("Kind", "Asked", "Response", "Verdict", "Rule"),
        [(case["kind"], *_graded(case)) for case in _first(rows, "kind", "outcome")],
    )


def thinking() -> str:
    """Return every kind of text that thinks, with an example for each state it may end in."""
    rows = [
        (case["kind"], _code(case["text"]), case["state"], _code(case["thinking"]), _code(case["answer"]))
        for case in _first(cases("thinking"), "kind", "state")
    ]
    return _table(("Kind", "Text", "State", "Thinking", "Answer"), rows)


def messages() -> str:
    """Return every kind of reply object, with an example for each state it may end in."""
    rows = []
    for case in _first(cases("messages"), "kind", "state"):
        thought = "hidden" if case["thinking"] is None else _code(case["thinking"])
        counts = [str("?" if case[name] is None else case[name]) for name in ("thinking_tokens", "answer_tokens")]
        message = _code(json.dumps(case["message"], ensure_ascii=False))
        rows.append((case["kind"], message, case["state"], thought, _code(case["answer"]), " + ".join(counts)))
    return _table(("Kind", "Reply", "State", "Thinking", "Answer", "Tokens"), rows)


TABLES = {"settled": settled, "kinds": kinds, "thinking": thinking, "messages": messages}


def page(text: str) -> str:
    """Return the page with its tables written anew."""
    for name, table in TABLES.items():
        begin, end = f"<!-- {name} -->", f"<!-- end of {name} -->"
        pattern = re.compile(f"{re.escape(begin)}.*?{re.escape(end)}", re.DOTALL)
        new = f"{begin}\n{table()}\n{end}"
        text, written = pattern.subn(lambda _, new=new: new, text)
        if written != 1:
            raise ValueError(f"{PAGE} needs one place for the table, {begin} … {end}, and has {written}")
    return text


if __name__ == "__main__":
    PAGE.write_text(page(PAGE.read_text("utf-8")), "utf-8")
