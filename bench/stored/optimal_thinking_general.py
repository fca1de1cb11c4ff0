"""OptimalThinkingBench's easy questions of 72 fields, or a set of one's own in the same form."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from bench.problem import AnswerKind
from bench.stored.rows import Row, Source, StoredTask, text

# The file holds the eleven puzzles too, which are drawn here, and some copies of it mathematics.
_OTHER_SUBSETS = ("underthinking", "overthinking-math")
_FIELDS = ("field", "discipline", "domain", "subject", "topic")
_OPTIONS = ("options", "choices")


@dataclass(frozen=True)
class OptimalThinkingGeneral(StoredTask):
    """Gold: a reference text, with which a judge compares the answer.

    A row has ``question``, ``answer``, ``metadata`` (an object, or one written as text, with the field, ``answer_type``
    and, of multiple choice, ``options``) and ``subset``. Options that the question does not show are put behind it.
    """

    name = "optimal_thinking_general"
    category = "general"
    suite = "optimal_thinking"
    answer_kind = AnswerKind.JUDGED
    order = 340
    source = Source(
        repository="facebook/optimal_thinking_bench",
        revision="949ee6b5dc7960928dab98704cb380ded43c7636",
        file="otl_bench.jsonl",
        rows=1_327,
        licence="CC BY-NC 4.0",
    )

    def row(self, raw: Mapping[str, Any]) -> Row | None:
        """Return the row with what is known of it; None for one of another part of the benchmark."""
        if str(raw.get("subset", "")).startswith(_OTHER_SUBSETS):
            return None
        given = raw.get("metadata") or {}
        about = json.loads(given) if isinstance(given, str) else given
        row: Row = {"question": text(raw, "question"), "answer": text(raw, "answer")}
        if not row["answer"]:
            raise ValueError("a row has no answer")
        row |= {"id": str(raw["id"])} if raw.get("id") is not None else {}
        row["field"] = next((str(about[name]) for name in _FIELDS if about.get(name)), "")
        row["answer_type"] = str(about.get("answer_type", ""))
        options: Any = next((about[name] for name in _OPTIONS if about.get(name)), [])
        if options:
            row["options"] = _options(options)
        return row

    def question(self, data: Row) -> str:
        question = str(data["question"])
        hidden = [option for option in data.get("options", ()) if option not in question]
        return question if not hidden else question + "\n\n" + "\n".join(data["options"])

    def gold(self, data: Row) -> str:
        return str(data["answer"])

    def facts(self, data: Row) -> Mapping[str, int | str]:
        """Return the field and the type of answer, where the set says them."""
        return {name: data[name] for name in ("field", "answer_type") if data.get(name)}


def _options(options: Any) -> list[str]:
    """Return options as they are shown, with their letters: from a list, or from texts by letter."""
    if isinstance(options, Mapping):
        return [f"{letter}) {option}" for letter, option in options.items()]
    return [f"{chr(ord('A') + place)}) {option}" for place, option in enumerate(options)]
