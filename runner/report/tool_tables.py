"""What tools do, as the paper's tables show it: accuracy and tokens without and with them, calls, and errors."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from bench.taxonomy.tool_errors import ToolError
from runner.report.numbers import NOTHING, missing
from runner.report.tables import TextTable
from runner.results.published_tools import PublishedTools, published_algorithmic, published_tools

if TYPE_CHECKING:
    import pandas as pd

    from runner.report.frames import StudyFrames

# What two runs have to share for one to be the other without its tools.
_SHARED = ("model", "precision", "engine", "prompt", "effort", "budget", "budget_kind", "suite", "sampling")
_NOTE = (
    "Without: the run of the same choices with tools=none. Tokens: mean output tokens, results of tools not among them "
    "(the paper does not say whether its tokens hold them). Calls, tokens of results and errors: of a sample; a sample "
    "may show several kinds of error. All are means over the tasks."
)


def tool_tables(frames: StudyFrames) -> tuple[TextTable, ...]:
    """Return the tables of a study with tools; none for another one."""
    with_tools = [row for row in frames.points.to_dict("records") if row["tools"] != "none"]
    if not with_tools:
        return ()
    without = {_shared(row): row for row in frames.points.to_dict("records") if row["tools"] == "none"}
    rows = tuple(_row(row, without.get(_shared(row)), frames.samples) for row in with_tools)
    columns = (
        "run", "accuracy without", "tokens without", "accuracy with", "tokens with", "calls", "tokens of results",
        "any error", *(kind.value.replace("_", " ") for kind in ToolError),
        "published without", "tokens", "published with", "tokens",
    )  # fmt: skip
    table = TextTable("tools", "Tools", columns, rows, _NOTE)
    sizes = tuple(_sizes(with_tools, without, frames.samples))
    return (table, _size_table(sizes)) if sizes else (table,)


def _row(row: Mapping[Any, Any], base: Mapping[Any, Any] | None, samples: pd.DataFrame) -> tuple[str, ...]:
    from bench.metrics.tool_use import tool_use

    used = tool_use(samples[samples["run"] == row["run"]])
    before: Mapping[Any, Any] = base or {}
    there = published_tools(row["model"]) if row["suite"] == "basic_math" else None
    return (
        row["label"],
        _share(before.get("accuracy")),
        _count(before.get("output_tokens")),
        _share(row["accuracy"]),
        _count(row["output_tokens"]),
        _count(used.calls, 2),
        _count(used.tokens),
        _share(used.erring),
        *(_share(used.errors[kind.value]) for kind in ToolError),
        *_published(there),
    )


def _published(there: PublishedTools | None) -> tuple[str, ...]:
    if there is None:
        return (NOTHING,) * 4
    return (_share(there.without), _count(there.tokens_without), _share(there.within), _count(there.tokens_within))


def _sizes(
    with_tools: Sequence[Mapping[Any, Any]], without: Mapping[tuple[str, ...], Mapping[Any, Any]], samples: pd.DataFrame
) -> Iterator[tuple[str, ...]]:
    """Yield a row for each run with tools, algorithmic task and size."""
    if "size" not in samples:
        return
    asked = samples[samples["category"] == "algorithmic"]
    for row in with_tools:
        base = without.get(_shared(row))
        mine = asked[asked["run"] == row["run"]]
        for (task, size), found in mine.groupby(["task", "size"], observed=True):
            alike = asked[(asked["task"] == task) & (asked["size"] == size)]
            before = None if base is None else alike[alike["run"] == base["run"]]
            there = published_algorithmic(row["model"], str(task), int(size))
            yield (
                f"{row['label']}: {task}, {size:.0f}",
                str(len(found)),
                _share(None if before is None else _accuracy(before)),
                _share(_accuracy(found)),
                _count(float(found["tool_calls"].mean()), 2),
                _share(None if there is None else there.without),
                _share(None if there is None else there.within),
            )


def _size_table(rows: tuple[tuple[str, ...], ...]) -> TextTable:
    columns = (
        "run, task, size",
        "n",
        "accuracy without",
        "accuracy with",
        "calls",
        "published without",
        "published with",
    )
    note = "Size: disks, or queens. Without: the run of the same choices with tools=none."
    return TextTable("tools_by_size", "Tools by size of the problem", columns, rows, note)


def _accuracy(samples: pd.DataFrame) -> float | None:
    from bench.metrics.samples import answered

    found = answered(samples)
    return float((found["outcome"] == "correct").mean()) if len(found) else None


def _shared(row: Mapping[Any, Any]) -> tuple[str, ...]:
    return tuple(str(row[name]) for name in _SHARED)


def _share(value: Any) -> str:
    return NOTHING if missing(value) else f"{value:.3f}"


def _count(value: Any, decimals: int = 1) -> str:
    return NOTHING if missing(value) else f"{value:.{decimals}f}"
