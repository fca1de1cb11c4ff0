"""Progress of a run: live bars on a terminal, a plain line now and then elsewhere."""

from __future__ import annotations

import os
import time
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from statistics import fmean

from rich.console import Console, Group
from rich.live import Live
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeElapsedColumn, TimeRemainingColumn
from rich.table import Table
from rich.text import Text

from runner.results.verdict_row import VerdictRow

_PLAIN_EVERY_S = 15.0
_WATCHED = 50  # the first samples, on which a broken setup shows


class RunProgress:
    """Counts finished samples; :meth:`update` takes one at a time.

    Args:
        console: Where to show it; live bars only if it is a terminal.
        total: Samples to generate now.
        already: Samples that earlier runs left in the folder.
        label: What its lines begin with where many runs have one line each; the last one is then left to the caller.

    Attributes:
        tokens: Output tokens so far.
    """

    def __init__(self, console: Console, total: int, already: int, label: str | None = None) -> None:
        self._console = console
        self._total = total
        self._already = already
        self._label = label
        self._start = time.monotonic()
        self._last_line = self._start
        self.tokens = 0
        self._seen = 0
        self._asked: Counter[str] = Counter()
        self._right: Counter[str] = Counter()
        self._errors = 0
        self._dubious = 0
        self._bar = Progress(
            TextColumn("{task.description}"),
            BarColumn(),
            MofNCompleteColumn(),
            TimeElapsedColumn(),
            TextColumn("left"),
            TimeRemainingColumn(),
            console=console,
        )
        self._bar_id = self._bar.add_task("samples", total=total)
        self._notice = ""

    @contextmanager
    def showing(self) -> Iterator[None]:
        """Show the progress while the block runs."""
        if not self._console.is_terminal:
            yield
            if self._label is None:
                self._print_line()
            return
        with Live(get_renderable=self._render, console=self._console, refresh_per_second=4, transient=True):
            yield

    def update(self, row: VerdictRow) -> None:
        """Count one finished sample."""
        self._seen += 1
        self.tokens += row["output_tokens"]
        if row["status"] == "error":
            self._errors += 1
        else:
            self._asked[row["task"]] += 1
            self._right[row["task"]] += bool(row["correct"])
        dubious = row["status"] == "truncated" or row["outcome"] == "unparsed"
        self._dubious += dubious and self._seen <= _WATCHED
        self._bar.update(self._bar_id, completed=self._seen)
        if self._seen == _WATCHED and self._dubious > _WATCHED / 2:
            self._console.print(
                f"[yellow]Warning:[/] {self._dubious} of the first {_WATCHED} samples were cut off or hold no readable "
                "answer. Look at one with `python -m runner show RUN SAMPLE`; a larger budget.tokens or another "
                "prompt may help."
            )
        if not self._console.is_terminal and time.monotonic() - self._last_line > _PLAIN_EVERY_S:
            self._print_line()

    def announce(self, text: str) -> None:
        """Show a line until the end; takes no lock, so that a signal handler may call it."""
        self._notice = text
        if not self._console.is_terminal:
            with suppress(OSError, ValueError):  # a notebook's output is no file
                os.write(self._console.file.fileno(), f"{text}\n".encode())

    def line(self) -> str:
        """Return the state as one plain line."""
        accuracy = fmean(self._right[task] / asked for task, asked in self._asked.items()) if self._asked else None
        shown = "–" if accuracy is None else f"{accuracy:.3f}"
        rate = self.tokens / max(time.monotonic() - self._start, 1e-9)
        text = "" if self._label is None else f"{self._label}: "
        text += f"{self._seen}/{self._total} samples, {rate:.0f} tokens/s, {self._left()} left, accuracy {shown}"
        if self._already:
            text += f", {self._already} from before"
        return text + (f", {self._errors} failed" if self._errors else "")

    def _left(self) -> str:
        if not self._seen:
            return "?"
        seconds = (time.monotonic() - self._start) / self._seen * (self._total - self._seen)
        return f"{seconds / 60:.0f} min" if seconds > 90 else f"{seconds:.0f} s"

    def _print_line(self) -> None:
        self._last_line = time.monotonic()
        self._console.print(self.line(), highlight=False)

    def _render(self) -> Group:
        table = Table.grid(padding=(0, 2))
        cells = [f"{task} {self._right[task]}/{asked}" for task, asked in self._asked.items()]
        for start in range(0, len(cells), 5):
            table.add_row(*cells[start : start + 5])
        notice = [Text(self._notice, style="yellow")] if self._notice else []
        return Group(self._bar, Text(self.line(), style="dim"), table, *notice)
