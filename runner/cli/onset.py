"""``python -m runner onset``: at which token of its thinking a model knew the answer."""

from __future__ import annotations

import csv
import io
from collections.abc import Sequence
from pathlib import Path
from statistics import fmean

from rich.console import Console
from rich.table import Table

from runner.cli.one_run import run_at
from runner.cli.redundancy import read_words
from runner.engines.base import EngineDied, EngineStopped
from runner.errors import EXIT_FAILED, UserError
from runner.onset import ANSWER_TOKENS, Onset, onsets
from runner.report.console import print_line, visible_line
from runner.results.layout import write_atomic

_STEP, _SAMPLES = 64, 32
_COLUMNS = ("key", "thinking", "probes", "onset", "settled", "needed", "correct")


def show_onset(path: Path, words: Sequence[str], console: Console) -> int:
    """Close the stored thinking of some samples every few tokens, and print when the answer was known.

    Args:
        path: The run's folder.
        words: ``step=TOKENS`` (64) and ``samples=N`` (32).
        console: Where to print.

    Returns:
        0, or 1 if the engine ended.

    Raises:
        UserError: no such run or choice, or the run can't be probed here.
        StorageError: the file can't be written.
    """
    chosen = read_words(words, ("step", "samples"), "onset RUN")
    step, most = (_positive(name, chosen.get(name), usual) for name, usual in (("step", _STEP), ("samples", _SAMPLES)))
    folder, run = run_at(path, None, "onset", words)
    try:
        found = onsets(folder, run, step, most)
    except (EngineDied, EngineStopped) as death:
        print_line(console, f"the engine ended: {visible_line(death)}")
        return EXIT_FAILED
    if not found:
        raise UserError(
            f"{folder.path} has no sample that thinks, in one piece and with token ids; nothing can be closed"
        )
    console.print(_table(found), highlight=False)
    probes = sum(one.probes for one in found)
    print_line(
        console,
        f"{probes} answers of at most {ANSWER_TOKENS} tokens, asked every {step} tokens of thinking; means over "
        "samples with the figure. Wasted: thinking tokens after it",
    )
    file = folder.path / f"onset-{step}.csv"
    write_atomic(file, _csv(found))
    print_line(console, f"a row a sample: {visible_line(file)}")
    return 0


def _positive(name: str, typed: str | None, usual: int) -> int:
    if typed is None:
        return usual
    if not (typed.isascii() and typed.isdigit() and 0 < len(typed) < 7 and int(typed)):
        raise UserError(f"{name}={typed}: give a number from 1 to 999999")
    return int(typed)


def _table(found: Sequence[Onset]) -> Table:
    table = Table(title="When the answer was known", title_justify="left")
    for heading in ("", "samples", "never %", "tokens", "share", "wasted"):
        table.add_column(heading, justify="right" if heading else "left", no_wrap=True)
    places = {
        "first right answer (onset)": [one.onset for one in found],
        "right from here on": [one.settled for one in found],
        "first correct sentence (FCA)": [one.needed for one in found],
    }
    for name, tokens in places.items():
        known = [(at, one.thinking) for at, one in zip(tokens, found, strict=True) if at is not None]
        cells = ["–"] * 3
        if known:
            shares = [at / thinking for at, thinking in known]
            wasted = fmean(thinking - at for at, thinking in known)
            cells = [f"{fmean(at for at, _ in known):.1f}", f"{fmean(shares):.3f}", f"{wasted:.1f}"]
        table.add_row(name, str(len(found)), f"{100 * (1 - len(known) / len(found)):.1f}", *cells)
    return table


def _csv(found: Sequence[Onset]) -> bytes:
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow(_COLUMNS)
    writer.writerows([getattr(one, name) for name in _COLUMNS] for one in found)
    return text.getvalue().encode("utf-8", "backslashreplace")
