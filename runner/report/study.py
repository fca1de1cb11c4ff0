"""The table that a multirun ends with: a row a run, by what sets the runs apart."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, get_args

from rich.console import Console
from rich.table import Table
from rich.text import Text

from runner.config.model import EffortLevel
from runner.config.naming import tools_name
from runner.config.settings import Scoring
from runner.errors import StorageError, UserError
from runner.report.console import print_line, visible_line
from runner.report.terminal import mean, share, span
from runner.results.layout import RunFolder, find_runs
from runner.results.load import runs_of
from runner.results.run import Run
from runner.results.summary import RunSummary, compute_summary

if TYPE_CHECKING:
    from bench.metrics.figures import Figures
    from bench.metrics.tool_use import ToolUse

# Groups of settings that say what a run is; the others say where it goes.
_GROUPS = ("model", "precision", "engine", "suite", "budget", "effort", "prompt", "tools", "sampling")
# Settings that a column of their group shows already.
_SHOWN = {f"{group}.name" for group in _GROUPS} | {"budget.tokens", "budget.kind", "effort.level", "tools.names"}
# What sampling.source=model takes from the model.
_OF_THE_MODEL = {f"sampling.{name}" for name in ("temperature", "top_p", "top_k", "repetition_penalty")}
_LONG = 24  # characters of a setting that a table shows whole
_OF_TOOLS = ("calls", "tool tokens", "tool errors")
_TOOLS_SAY = "calls: of tools, a sample; tool tokens: of their results; tool errors: share of samples with one"
_FIGURES = ("n", "accuracy", "95 % interval", "truncated", "thinking", "output", "O")


@dataclass(frozen=True, slots=True)
class Row:
    """One point of a study as it was asked, finished or not.

    Attributes:
        folder: Where its run lies, if it ever began.
        settings: What is asked, as ``run.json`` holds it.
        engine: Name of the engine.
        state: ``done``, or how far it is.
    """

    folder: RunFolder
    settings: Mapping[str, Any]
    engine: str
    state: str


def show_study(study: Path, scoring: Scoring, console: Console, asked: Sequence[Row]) -> None:
    """Print a row for each run of a study and each point asked, in the order of their choices, budgets by size.

    Points that are not done have a row that says so.
    """
    runs = list(runs_of(study)) if find_runs(study) else []
    found = [(folder, run.settings, run.loaded.engine) for folder, run in runs]
    begun = {folder.path for folder, _, _ in found}
    rows = found + [(row.folder, row.settings, row.engine) for row in asked if row.folder.path not in begun]
    rows.sort(key=lambda row: (rank(row[1], row[2]), _ordered(row[1])))
    choices = set_apart([(settings, engine) for _, settings, engine in rows])
    apart = list(choices[0])
    states = {row.folder.path: row.state for row in asked}
    unfinished = any(state != "done" for state in states.values())
    table = Table(title=Text(f"study {study}"), title_justify="left")
    further = _OF_TOOLS if any(_has_tools(settings) for _, settings, _ in rows) else ()
    for name in (*apart, *(["state"] if unfinished else []), *_FIGURES, *further):
        table.add_column(name, justify="left" if name in (*apart, "state") else "right", no_wrap=True)
    for (folder, _, _), chosen in zip(rows, choices, strict=True):
        state = [states.get(folder.path, "")] if unfinished else []
        summary = _summary(folder, scoring) if folder.path in begun else None
        cells = ["–"] * len(_FIGURES) if summary is None else _cells(summary.overall)
        cells = [*cells, *(_tool_cells(summary.tools if summary else None) if further else ())]
        table.add_row(*(Text(cell) for cell in (*chosen.values(), *state, *cells)))
    console.print(table, highlight=False)
    if further:
        print_line(console, _TOOLS_SAY)
    print_line(console, "accuracy: mean over the tasks; thinking, output: mean tokens; O: Overthinking Score")
    if note := computed_in([run for _, run in runs]):
        print_line(console, note)


def computed_in(runs: Sequence[Run]) -> str | None:
    """Say in which number formats runs computed where these differ: that alone may change texts."""
    by_format: dict[str, set[str]] = {}
    for run in (run for run in runs if run.loaded.compute_dtype != "none"):  # a scripted engine computes nothing
        by_format.setdefault(run.loaded.compute_dtype, set()).add(str(run.settings["precision"]["name"]))
    if len(by_format) < 2:
        return None
    each = (f"{name} (precision {', '.join(sorted(by_format[name]))})" for name in sorted(by_format))
    return f"these runs do not compute alike, which may change texts by itself: {'; '.join(each)}"


def set_apart(runs: Sequence[tuple[Mapping[str, Any], str]]) -> list[dict[str, str]]:
    """Return for each of some runs what sets it apart from the others.

    That is the model, every group in which they differ, and every single setting in which runs differ whose choice of
    its group has the same name, such as ``sampling.seed``.

    Args:
        runs: Settings, as ``run.json`` holds them, and the engine's name.
    """
    choices = [_choices(settings, engine) for settings, engine in runs]
    names = [name for name in choices[0] if name == "model" or len({chosen[name] for chosen in choices}) > 1]
    values = [_single(settings) for settings, _ in runs]
    single = _differing(choices, values)
    return [
        {**{name: chosen[name] for name in names}, **{name: _text(value.get(name)) for name in single}}
        for chosen, value in zip(choices, values, strict=True)
    ]


def _single(settings: Mapping[str, Any]) -> dict[str, Any]:
    """Return every single setting that has a part in a text or in which problems are asked, by its dotted name.

    What one choice leaves to engine or model is filled in once a run begins, and is no difference of its own; nor is
    from where a folder of tasks is named.
    """
    found = dict(_leaves({name: settings[name] for name in _GROUPS if name in settings}))
    if own := found.get("suite.task_folder"):
        found["suite.task_folder"] = str(Path(own).expanduser().absolute())
    if found.get("sampling.source") == "model":
        found = {name: value for name, value in found.items() if name not in _OF_THE_MODEL}
    return found if found.get("sampling.noise") != "auto" else {**found, "sampling.noise": None}


def _leaves(settings: Mapping[str, Any], prefix: str = "") -> Iterator[tuple[str, Any]]:
    for name, value in settings.items():
        if isinstance(value, Mapping):
            yield from _leaves(value, f"{prefix}{name}.")
        else:
            yield f"{prefix}{name}", value


def _differing(choices: Sequence[Mapping[str, str]], values: Sequence[Mapping[str, Any]]) -> list[str]:
    """Return the single settings that have several values under one choice of their group.

    Parameters of the tasks count only under the same sizes and range, which they are mostly made of.
    """
    seen: dict[tuple[str, ...], set[str]] = {}
    for chosen, value in zip(choices, values, strict=True):
        made_of = [_text(value.get(f"suite.{name}")) for name in ("low", "high", "sizes")]
        for name, one in value.items():
            under = [chosen.get(name.partition(".")[0], ""), *(made_of if name.startswith("suite.params.") else ())]
            if name not in _SHOWN and not (name == "sampling.noise" and one is None):
                seen.setdefault((name, *under), set()).add(_text(one))
    return list(dict.fromkeys(name for (name, *_), several in seen.items() if len(several) > 1))


def _ordered(settings: Mapping[str, Any]) -> list[tuple[str, bool, float, str]]:
    """Return what runs are ordered by whose choices are the same: single settings, numbers by size."""
    found = sorted(_single(settings).items())
    return [
        (name, is_number := isinstance(value, int | float), value if is_number else 0.0, _text(value))
        for name, value in found
    ]


def _text(value: Any) -> str:
    """Return a setting as a table shows it; a long one is cut, and four hex digits tell it from others."""
    if value is None:
        return "–"
    text = value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)
    digits = hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()[:4]
    return visible_line(text if len(text) <= _LONG else f"{text[:_LONG]}… {digits}")


def _summary(folder: RunFolder, scoring: Scoring) -> RunSummary | None:
    """Return a run's summary, None if its files can't be read: its row costs the others nothing."""
    try:
        return compute_summary(folder, scoring)
    except (UserError, StorageError):
        return None


def _choices(settings: Mapping[str, Any], engine: str) -> dict[str, str]:
    """Return what was chosen for a run, by the name of the group, as text."""
    names = {group: str(settings[group]["name"]) for group in ("model", "precision", "suite", "prompt", "sampling")}
    return {
        **names,
        "tools": tools_name(settings.get("tools", {}).get("names", ())),
        "engine": engine,
        "effort": str(settings["effort"]["level"]),
        "budget": _budget(settings["budget"]),
    }


def _budget(budget: Mapping[str, object]) -> str:
    tokens = budget["tokens"]
    kind = "" if budget.get("kind", "total") == "total" else f" {budget['kind']}"
    return "none" if tokens is None else f"{tokens}{kind}"


_EFFORTS = get_args(EffortLevel)


def rank(settings: Mapping[str, Any], engine: str) -> tuple[object, ...]:
    """Return what runs are ordered by: their choices, efforts from least to most, budgets by size."""
    chosen, budget = _choices(settings, engine), settings["budget"]
    effort = _EFFORTS.index(chosen["effort"]) if chosen["effort"] in _EFFORTS else -1
    tokens = float("inf") if budget["tokens"] is None else float(budget["tokens"])
    first = tuple(chosen[name] for name in ("model", "precision", "suite", "prompt", "sampling", "engine"))
    tools = (chosen["tools"] != "none", chosen["tools"])
    return (*first, *tools, effort, str(budget.get("kind")), tokens)


def _has_tools(settings: Mapping[str, Any]) -> bool:
    return bool(settings.get("tools", {}).get("names"))


def _tool_cells(found: ToolUse | None) -> Sequence[str]:
    if found is None:
        return ["–"] * len(_OF_TOOLS)
    return ["–" if found.calls is None else f"{found.calls:.2f}", mean(found.tokens), share(found.erring)]


def _cells(figures: Figures) -> Sequence[str]:
    return [
        str(figures.n),
        share(figures.accuracy),
        span(figures.accuracy_interval),
        str(figures.truncated),
        mean(figures.thinking_tokens),
        mean(figures.output_tokens),
        share(figures.overthinking),
    ]
