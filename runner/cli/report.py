"""``python -m runner report``: a study as a page, as tables of text, and as a report on W&B."""

from __future__ import annotations

from pathlib import Path

from rich.console import Console

from runner.config.settings import Scoring
from runner.errors import UserError
from runner.report.console import print_line, visible_line

_FOLDER = "report"


def report_study(study: Path, out: Path | None, texts: int, wandb: bool, scoring: Scoring, console: Console) -> None:
    """Write a study's page and its tables as text, and say where they are.

    Args:
        study: The study's folder, or that of one run.
        out: The page's folder; ``report`` in the study's by default.
        texts: Most samples whose text the page holds.
        wandb: Also write the comparison report for W&B, and save it there unless offline.
        scoring: Whose verdicts.
        console: Where to say it.

    Raises:
        UserError: there is no run, or ``--wandb`` for runs that are not logged.
        StorageError: a file can't be written.
    """
    from runner.report.findings import findings
    from runner.report.frames import read_study
    from runner.report.gap import gap_findings, gap_table, gaps
    from runner.report.optimal import optimal_curves, optimal_findings, optimal_runs, optimal_tables
    from runner.report.page import write_page
    from runner.report.pairs import study_pairs
    from runner.report.redundancy import study_redundancy
    from runner.report.repeats import repeat_tables
    from runner.report.splits import splits
    from runner.report.tables import tables
    from runner.report.taxonomy import pattern_shares, study_taxonomy, taxonomy_parts
    from runner.report.text import write_text
    from runner.report.tool_tables import tool_tables
    from runner.report.wandb_report import FILE, tracking_of, write_wandb_report

    folder = study / _FOLDER if out is None else out
    if folder.exists() and not folder.is_dir():
        raise UserError(f"{folder} is a file; give a folder for the report with --out")
    frames = read_study(study, scoring.value)
    tracking = tracking_of(frames) if wandb else None
    name = study.resolve().name
    pairs, marks = study_pairs(frames), study_taxonomy(frames)
    beside, optimal = gaps(frames), optimal_runs(frames)
    found = [*findings(frames, pairs, splits(frames), pattern_shares(marks)), *gap_findings(beside)]
    found += optimal_findings(optimal)
    parts, own = taxonomy_parts(frames, marks), optimal_tables(optimal)
    traces, called, repeated = study_redundancy(frames, scoring), tool_tables(frames), repeat_tables(frames)
    page = write_page(
        frames,
        folder,
        title=name,
        findings=found,
        pairs=pairs,
        taxonomy=parts,
        marks=marks,
        texts=texts,
        curves=optimal_curves(optimal),
        optimal=own,
        redundancy=traces,
        further={"Tools": called, "Repeats": repeated},
    )
    written = [*tables(frames, pairs), *([gap_table(beside)] if beside else []), *own, *traces, *called, *repeated]
    write_text(folder, name, frames, found, written)
    print_line(console, f"report: {visible_line(page)}, with Markdown, LaTeX and CSV beside it")
    if tracking is not None:
        # Its runs on W&B are grouped by the name they were made under, whatever the folder is called now.
        groups = set(frames.points["study"])
        group = groups.pop() if len(groups) == 1 else name
        address = write_wandb_report(frames, group, tracking, [one.text for one in found], folder)
        print_line(console, f"W&B report: {address or visible_line(folder / FILE)}")
