"""``python -m runner redundancy``: where the tokens of a study's traces went, from the stored texts."""

from __future__ import annotations

import csv
import io
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from rich.console import Console
from rich.table import Table
from rich.text import Text

from runner.cli.one_run import matching
from runner.config.settings import Scoring
from runner.embedding import make_embedder
from runner.errors import UserError
from runner.report.console import print_line, visible_line
from runner.report.frames import labels_of
from runner.report.redundancy import samples_of
from runner.report.redundancy_tables import Redundancy, redundancy_tables
from runner.report.study import rank
from runner.report.tables import TextTable
from runner.results.layout import RunFolder, write_atomic
from runner.results.load import runs_of
from runner.results.run import Run

if TYPE_CHECKING:
    import pandas as pd

_FOLDER = "redundancy"
_WORDS = ("embed", "baseline", "ablation")


def show_redundancy(study: Path, words: Sequence[str], scoring: Scoring, console: Console) -> None:
    """Print what the traces of a study say, and write it beside its runs as CSV files.

    Args:
        study: The study's folder, or that of one run.
        words: Choices: ``embed=BACK-END`` (by default ``minilm``), ``baseline=RUN`` (a part of a run's name),
            ``ablation=true``.
        scoring: Whose verdicts.
        console: Where to print.

    Raises:
        UserError: no such run, choice or back-end.
        StorageError: a file can't be written.
    """
    from bench.metrics.redundancy.internal import ABLATION

    chosen = read_words(words, _WORDS, "redundancy STUDY")
    ablation = ABLATION if _flag(chosen.get("ablation", "false")) else ()
    embedder = make_embedder(chosen.get("embed", "minilm"))
    runs = sorted(_begun(study, console), key=lambda pair: rank(pair[1].settings, pair[1].loaded.engine))
    labels = labels_of(runs)
    baseline = _baseline(runs, labels, chosen.get("baseline"))
    samples = {
        label: samples_of(folder, run, embedder, scoring, ablation=ablation)
        for label, (folder, run) in zip(labels, runs, strict=True)
    }
    tables = redundancy_tables(Redundancy(samples, embedder.name), baseline)
    for table in tables:
        console.print(_shown(table), highlight=False)
        print_line(console, table.note)
    written = _write(study / _FOLDER, tables, samples)
    print_line(console, f"the same as CSV, with a row a sample in samples.csv: {visible_line(written)}")


def _begun(study: Path, console: Console) -> list[tuple[RunFolder, Run]]:
    """Return the runs that hold a sample, and say which ones do not.

    Raises:
        UserError: none does.
    """
    every = runs_of(study)
    begun = [pair for pair in every if pair[0].size()]
    for folder, _ in every:
        if not folder.size():
            print_line(console, visible_line(f"{folder.path} holds no sample yet and is left out"))
    if not begun:
        raise UserError(f"{study} holds no sample yet; python -m runner status {study} says what is missing")
    return begun


def read_words(words: Sequence[str], allowed: Sequence[str], command: str) -> dict[str, str]:
    """Return choices of a command that are typed as those of a run, ``name=value``.

    Raises:
        UserError: a word is none of the allowed ones.
    """
    chosen = {}
    for word in words:
        name, sign, value = word.partition("=")
        if name not in allowed or not sign or not value:
            raise UserError(f"{word!r}: {command} takes {', '.join(f'{one}=…' for one in allowed)}")
        chosen[name] = value
    return chosen


def _flag(word: str) -> bool:
    if word not in ("true", "false"):
        raise UserError(f"ablation={word}: give true or false")
    return word == "true"


def _baseline(runs: Sequence[tuple[RunFolder, Run]], labels: Sequence[str], part: str | None) -> str | None:
    if part is None:
        return None
    fitting = [folder.path for folder, _ in matching(runs, Path(part).name)]
    if len(fitting) != 1:
        named = ", ".join(folder.path.name for folder, _ in runs)
        raise UserError(f"baseline={part}: {len(fitting)} runs have that in their name; give one of: {named}")
    return labels[[folder.path for folder, _ in runs].index(fitting[0])]


def _shown(table: TextTable) -> Table:
    shown = Table(title=Text(table.title), title_justify="left")
    for place, name in enumerate(table.columns):
        shown.add_column(name, justify="right" if place else "left")
    for row in table.rows:
        shown.add_row(*map(Text, row))
    return shown


def _write(folder: Path, tables: Sequence[TextTable], samples: dict[str, pd.DataFrame]) -> Path:
    import pandas as pd

    folder.mkdir(parents=True, exist_ok=True)
    for table in tables:
        text = io.StringIO()
        csv.writer(text, lineterminator="\n").writerows([table.columns, *table.rows])
        write_atomic(folder / f"{table.name}.csv", text.getvalue().encode("utf-8", "backslashreplace"))
    rows = pd.concat([frame.assign(run=label) for label, frame in samples.items()], ignore_index=True)
    write_atomic(
        folder / "samples.csv", rows.to_csv(index=False, lineterminator="\n").encode("utf-8", "backslashreplace")
    )
    return folder
