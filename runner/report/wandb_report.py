"""A comparison report on W&B: built from a study, saved there when logged in, kept as JSON beside the page always."""

from __future__ import annotations

import logging
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from runner.config.compose import read_stored
from runner.config.settings import WandbTracking
from runner.errors import UserError
from runner.report.choices import level, rows, varying
from runner.report.numbers import NOTHING, missing
from runner.results.layout import RunFolder, write_atomic
from runner.results.run import load_run
from runner.tracking.wandb import mode_of, server

if TYPE_CHECKING:
    from runner.report.frames import StudyFrames

FILE = "wandb-report.json"
_MAX_TITLE = 128
_TABLE_ROWS = 50  # of the table in the text; the run set above it holds all
# Where the runs' logged settings hold what studies vary.
_CONFIG = {
    "model": "model.name",
    "precision": "precision.name",
    "prompt": "prompt.name",
    "effort": "effort.level",
    "budget": "budget.tokens",
    "tools": "tools.name",
}
_BARS = ("precision", "prompt", "effort", "tools")
_FIGURES = ("accuracy", "thinking_tokens", "output_tokens", "overthinking")
_SIGNS = str.maketrans({sign: f"\\{sign}" for sign in "\\`*_{}[]<>()#+-.!|$~"})

_log = logging.getLogger(__name__)


def tracking_of(frames: StudyFrames) -> WandbTracking:
    """Return where the study's runs are logged: the settings of the one that was touched last.

    Raises:
        UserError: none of its runs is logged to W&B.
    """
    newest = frames.points.sort_values("updated", ascending=False)["path"]
    for folder in map(RunFolder, map(Path, newest)):
        run = load_run(folder)
        if run is not None and run.settings["tracking"]["name"] == "wandb":
            return read_stored(WandbTracking, run.settings["tracking"], folder.run_json)
    raise UserError(
        "--wandb: none of these runs was made with tracking=wandb, so W&B has nothing to compare; "
        "type the study's command again with tracking=wandb, which logs what is there without generating anything"
    )


def write_wandb_report(
    frames: StudyFrames, study: str, tracking: WandbTracking, findings: Sequence[str], folder: Path
) -> str | None:
    """Write the report as JSON into ``folder`` and save it on W&B; return its address there, None offline.

    Where W&B fails the JSON stays and one warning says so: the files are the record.

    Args:
        frames: The study.
        study: Its name, which is the group of its runs.
        tracking: Project, entity and mode.
        findings: What the study says, a sentence each, plain text.
        folder: The page's.

    Raises:
        StorageError: the JSON can't be written.
    """
    online, host = mode_of(tracking) == "online", server()
    report = _report(frames, study, tracking, findings, entity="")
    spec = report._to_model().model_dump_json(by_alias=True, exclude_none=True)
    write_atomic(folder / FILE, spec.encode("utf-8", "backslashreplace"))
    if not online:
        return None
    try:
        import wandb

        entity = tracking.entity or wandb.Api().default_entity
        return str(_report(frames, study, tracking, findings, entity).save().url)
    except Exception as error:
        reason = " ".join(str(error).split())[:200]
        _log.warning("W&B: the report is not saved on %s: %s: %s", host, type(error).__name__, reason)
        return None


def _report(frames: StudyFrames, study: str, tracking: WandbTracking, findings: Sequence[str], entity: str) -> Any:
    """Return the report; without an entity no server is asked for anything."""
    import wandb_workspaces.reports.v2 as wr

    runs = wr.Runset(
        entity=entity,
        project=tracking.project if entity else "",
        name="Leaderboard",
        filters=f"Metric('Group') == {study!r}",
        order=[wr.OrderBy(wr.SummaryMetric("accuracy"), ascending=False)],
        pinned_columns=["run:displayName", *(f"summary:{name}" for name in _FIGURES)],
    )
    blocks = [
        wr.H1("Findings"),
        wr.MarkdownBlock("\n".join(f"- {_markdown(text)}" for text in findings) or "None yet."),
        wr.H1("Leaderboard"),
        wr.MarkdownBlock(_table(frames)),
        wr.H1("Comparison"),
        wr.PanelGrid(runsets=[runs], panels=_panels(wr, varying(frames.points))),
    ]
    title = f"{study}: accuracy and tokens"[:_MAX_TITLE]
    described = f"{len(frames.points)} runs of the study {study}, made by python -m runner report"
    return wr.Report(project=tracking.project, entity=entity, title=title, description=described, blocks=blocks)


def _panels(wr: Any, names: Sequence[str]) -> list[Any]:
    accuracy, tokens = wr.SummaryMetric("accuracy"), wr.SummaryMetric("output_tokens")
    axes = [*(wr.Config(_CONFIG[name]) for name in names), *map(wr.SummaryMetric, _FIGURES)]
    panels = [
        wr.ScatterPlot(title="Accuracy against output tokens", x=tokens, y=accuracy, log_x=True),
        *([_budgets(wr, accuracy)] if "budget" in names else []),
        *(_bars(wr, name, metric) for name in _BARS if name in names for metric in (accuracy, tokens)),
        wr.ParallelCoordinatesPlot(
            title="Choices and figures", columns=[wr.ParallelCoordinatesPlotColumn(metric=axis) for axis in axes]
        ),
        wr.RunComparer(diff_only="split"),
    ]
    for number, panel in enumerate(panels):
        panel.layout = wr.Layout(x=12 * (number % 2), y=9 * (number // 2), w=12, h=9)
    return panels


def _budgets(wr: Any, accuracy: Any) -> Any:
    return wr.ScatterPlot(title="Budget curve", x=wr.Config(_CONFIG["budget"]), y=accuracy, log_x=True)


def _bars(wr: Any, name: str, metric: Any) -> Any:
    return wr.BarPlot(
        title=f"{metric.name.replace('_', ' ')} by {name}",
        metrics=[metric],
        groupby=wr.Config(_CONFIG[name]),
        groupby_aggfunc="mean",
        groupby_rangefunc="minmax",
    )


def _table(frames: StudyFrames) -> str:
    """Return the best runs as a Markdown table, with intervals, which W&B's own table lacks."""
    names = varying(frames.points)
    best = frames.points.sort_values("accuracy", ascending=False, kind="stable").head(_TABLE_ROWS)
    lines = [" | ".join((*names, "accuracy", "95 % interval", "thinking", "output", "O"))]
    lines.append(" | ".join(("---",) * (len(names) + 5)))
    lines += [" | ".join((*(_markdown(level(row, name)) for name in names), *_cells(row))) for row in rows(best)]
    return "\n".join(f"| {line} |" for line in lines)


def _cells(row: Mapping[Any, Any]) -> list[str]:
    low, high = row["accuracy_low"], row["accuracy_high"]
    interval = NOTHING if missing(low) else f"{low:.3f}–{high:.3f}"
    return [
        _figure(row["accuracy"], 3),
        interval,
        *(_figure(row[name], 1) for name in _FIGURES[1:3]),
        _figure(row["overthinking"], 3),
    ]


def _figure(value: Any, decimals: int) -> str:
    return NOTHING if missing(value) else f"{value:.{decimals}f}"


def _markdown(text: str) -> str:
    return " ".join(text.split()).translate(_SIGNS)
