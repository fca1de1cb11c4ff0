"""A study as Markdown, LaTeX and CSV files."""

from __future__ import annotations

import csv
import io
import re
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from runner.report.console import visible
from runner.report.findings import Finding, Topic
from runner.report.tables import TextTable
from runner.results.layout import write_atomic

if TYPE_CHECKING:
    from runner.report.frames import StudyFrames

_HEADINGS = {
    Topic.CAUTION: "Read with care",
    Topic.OVERALL: "Overall",
    Topic.PAIR: "What one choice changes",
    Topic.PROBLEMS: "Problems that are harder than others",
    Topic.TRACES: "What the texts look like",
    Topic.GAP: "Beside the published figures",
}
_MARKDOWN = re.compile(r"([\\`*_{}\[\]<>#|~$])")
_LATEX = {
    "\\": r"\textbackslash{}", "&": r"\&", "%": r"\%", "$": r"\$", "#": r"\#", "_": r"\_", "{": r"\{", "}": r"\}",
    "~": r"\textasciitilde{}", "^": r"\textasciicircum{}", "–": "--", "−": "$-$", "<": r"\textless{}",
    ">": r"\textgreater{}",
}  # fmt: skip


def write_text(
    folder: Path, title: str, frames: StudyFrames, found: Sequence[Finding], tables: Sequence[TextTable]
) -> list[Path]:
    """Write ``report.md``, a ``.tex`` file a table, and ``runs.csv`` and ``tasks.csv`` with full precision.

    Args:
        folder: Where; it is made.
        title: The study's name.
        frames: The study.
        found: What it says.
        tables: Of it.

    Returns:
        The files.

    Raises:
        StorageError: a file can't be written; those that were there stay.
    """
    files = {"report.md": markdown(title, found, tables)}
    files |= {f"{table.name}.tex": latex(table) for table in tables}
    files |= {f"table-{table.name}.csv": _csv(table) for table in tables}
    files["runs.csv"] = frames.points.to_csv(index=False, lineterminator="\n")
    files["tasks.csv"] = frames.tasks.to_csv(index=False, lineterminator="\n")
    for name, text in files.items():
        write_atomic(folder / name, text.encode("utf-8", "backslashreplace"))
    return [folder / name for name in files]


def markdown(title: str, found: Sequence[Finding], tables: Sequence[TextTable]) -> str:
    """Return a study as one Markdown page."""
    parts = [f"# {_plain(title)}", "## Findings"]
    for topic, heading in _HEADINGS.items():
        if sentences := [f"- {_plain(one.text)}" for one in found if one.topic is topic]:
            parts += [f"### {heading}", "\n".join(sentences)]
    for table in tables:
        rows = [table.columns, *table.rows]
        lines = ["| " + " | ".join(map(_plain, row)) + " |" for row in rows]
        rule = "| --- |" + " ---: |" * (len(table.columns) - 1)
        parts += [f"## {_plain(table.title)}", "\n".join([lines[0], rule, *lines[1:]]), _plain(table.note)]
    return "\n\n".join(parts) + "\n"


def latex(table: TextTable) -> str:
    """Return a table as a ``tabular`` that needs no package; for ``\\input`` inside a ``table``."""
    rows = [" & ".join(map(_tex, row)) + r" \\" for row in (table.columns, *table.rows)]
    head = rf"\begin{{tabular}}{{l{'r' * (len(table.columns) - 1)}}}"
    note = f"% {visible(table.note)}".replace("\n", " ")
    return "\n".join([note, head, r"\hline", rows[0], r"\hline", *rows[1:], r"\hline", r"\end{tabular}"]) + "\n"


def _csv(table: TextTable) -> str:
    written = io.StringIO()
    csv.writer(written, lineterminator="\n").writerows([table.columns, *table.rows])
    return written.getvalue()


def _plain(text: str) -> str:
    """Return a text that Markdown shows as it is, on one line."""
    return _MARKDOWN.sub(r"\\\1", visible(text).replace("\n", " "))


def _tex(text: str) -> str:
    return "".join(_LATEX.get(character, character) for character in visible(text).replace("\n", " "))
