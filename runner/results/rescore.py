"""What another grading changes: the verdicts of one grader beside those of another, sample by sample."""

from __future__ import annotations

import logging
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from itertools import islice
from pathlib import Path
from typing import Any

from bench.verdict import Outcome
from runner.config.settings import Scoring
from runner.results.grading import grader_version
from runner.results.layout import RunFolder
from runner.results.summary import in_listing_order
from runner.results.verdict_table import read_verdicts

_log = logging.getLogger(__name__)

_KEY = ("problem_id", "repeat")
_READING = ("outcome", "answer", "rule", "reason")
_GRADER = ("grader_version", "scoring")
_SPOKEN = (Outcome.CORRECT, Outcome.INCORRECT, Outcome.UNPARSED)
_COLUMNS = (*_KEY, "task", "gold", *_READING, *_GRADER)
_UNNAMED = {"grader_version": "(version unknown)", "scoring": Scoring.PAPER.value}  # tables older than these columns

Row = Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class Change:
    """One sample that the two gradings see differently: in outcome or in the answer that was read.

    Attributes:
        run: Name of the run's folder.
        before: Columns of the earlier verdict.
        after: Columns of the new one.
    """

    run: str
    before: Row
    after: Row

    @property
    def matters(self) -> bool:
        """Whether the outcome is another one."""
        return bool(self.before["outcome"] != self.after["outcome"])


@dataclass(slots=True)
class TaskChange:
    """What changed in one task.

    Attributes:
        task: Its name.
        n: Samples that both gradings speak about.
        right_before: Of these, right ones by the earlier grading.
        right_after: By the new one.
        gained: Not right before, right now.
        lost: Right before, not right now.
        unparsed_before: Nothing read by the earlier grading.
        unparsed_after: By the new one.
    """

    task: str
    n: int = 0
    right_before: int = 0
    right_after: int = 0
    gained: int = 0
    lost: int = 0
    unparsed_before: int = 0
    unparsed_after: int = 0

    def count(self, before: Row, after: Row) -> None:
        """Take one sample in."""
        was, now = before["outcome"] == Outcome.CORRECT, after["outcome"] == Outcome.CORRECT
        self.n += 1
        self.right_before += was
        self.right_after += now
        self.gained += now and not was
        self.lost += was and not now
        self.unparsed_before += before["outcome"] == Outcome.UNPARSED
        self.unparsed_after += after["outcome"] == Outcome.UNPARSED


@dataclass(frozen=True, slots=True)
class Comparison:
    """Two gradings of one run.

    Attributes:
        run: Name of the run's folder.
        before: Who graded before, e.g. ``paper 1``; None where nothing of that grading is stored.
        after: Who grades now; None where nothing of that grading is stored or there are no samples.
        tasks: A row a task, in listing order as in the run's table.
        changes: The samples that changed, those with another outcome first.
        one_sided: Samples with a verdict of one side only, e.g. because they are newer than it; in no other figure.
        ungraded: Samples that the new grading gives no verdict on.
    """

    run: str
    before: str | None
    after: str | None
    tasks: tuple[TaskChange, ...]
    changes: tuple[Change, ...]
    one_sided: int
    ungraded: int


def current_graders() -> list[str]:
    """Return who can grade here and now, the default scoring first, e.g. ``paper 3``."""
    return [current_grader(scoring) for scoring in Scoring]


def current_grader(scoring: Scoring) -> str:
    """Return who grades now in this way."""
    return f"{scoring.value} {grader_version(scoring)}"


def stored_graders(folder: RunFolder) -> dict[str, Path]:
    """Return the newest table of each grader; those of the default scoring first, newer ones before older ones."""
    found: dict[str, Path] = {}
    for path in folder.all_verdicts():
        rows = _rows(path, most=1)
        if rows:
            found.setdefault(_grader(rows), path)
    return dict(sorted(found.items(), key=lambda item: not item[0].startswith(Scoring.PAPER.value)))  # stable


def names_grader(given: str, grader: str) -> bool:
    """Whether a version as users type it, ``3`` or ``paper 3``, means this grader."""
    return given in (grader, grader.partition(" ")[2])


def rescore(folder: RunFolder, scoring: Scoring, before: str | None = None, after: str | None = None) -> Comparison:
    """Compare two gradings of a run, without a model; what today's code gives is made where it is asked for.

    New verdicts are stored, older tables stay.

    Args:
        folder: The run's folder.
        scoring: Who decides now.
        before: A version to compare with, as :func:`names_grader` knows it. By default the newest stored one other
            than ``after``, of the default scoring if there is any; beside another scoring, the default one of today.
        after: The version that is compared; by default today's.

    Raises:
        UserError: see :func:`runner.results.verdict_table.grade_run`.
        StorageError: the table can't be written.
    """
    stored = stored_graders(folder)
    now = _rows_of(folder, stored, after or current_grader(scoring))
    if before is not None:
        return _compare(folder.path.name, _rows_of(folder, stored, before), now)
    if scoring is not Scoring.PAPER and after is None:
        return _compare(folder.path.name, _rows_of(folder, stored, current_grader(Scoring.PAPER)), now)
    others = (_rows(path) for grader, path in stored.items() if now and grader != _grader(now))
    return _compare(folder.path.name, next(filter(None, others), []), now)


def _rows_of(folder: RunFolder, stored: Mapping[str, Path], grader: str) -> list[dict[str, Any]]:
    """Return the verdicts of a grader, of today's code made if they are missing; none where none are stored."""
    for scoring, current in zip(Scoring, current_graders(), strict=True):
        if names_grader(grader, current):
            rows: list[dict[str, Any]] = read_verdicts(folder, scoring, columns=list(_COLUMNS)).to_pylist()
            return rows
    path = next((path for name, path in stored.items() if names_grader(grader, name)), None)
    return [] if path is None else _rows(path) or []


def _rows(path: Path, most: int | None = None) -> list[dict[str, Any]] | None:
    """Return the rows of a table of any version, or the first of them, None where it can't be read."""
    import pyarrow as pa
    import pyarrow.parquet as pq

    try:
        columns = [name for name in pq.read_schema(path).names if name in _COLUMNS]
        with pq.ParquetFile(path) as file:
            batches = islice(file.iter_batches(most or 65_536, columns=columns), 1 if most else None)
            rows = [row for batch in batches for row in batch.to_pylist()]
    except (OSError, pa.ArrowException) as error:
        _log.warning("%s can't be read (%s); it is passed over", path, error)
        return None
    whole = set(_COLUMNS) <= {*columns, *_UNNAMED}
    return [{**_UNNAMED, **row} for row in rows] if whole else None


def _compare(run: str, before: list[dict[str, Any]], after: list[dict[str, Any]]) -> Comparison:
    earlier = {_key(row): row for row in before}
    spoken_before, spoken_after = ({_key(row) for row in rows if row["outcome"] in _SPOKEN} for rows in (before, after))
    pairs = [(earlier[_key(row)], row) for row in after if _key(row) in earlier]
    tasks: dict[str, TaskChange] = {}
    for was, now in _graded(pairs):
        tasks.setdefault(now["task"], TaskChange(now["task"])).count(was, now)
    changes = [Change(run, was, now) for was, now in _graded(pairs) if _differ(was, now)]
    return Comparison(
        run=run,
        before=_grader(before) if before else None,
        after=_grader(after) if after else None,
        tasks=tuple(tasks[name] for name in in_listing_order(tasks)),
        changes=tuple(sorted(changes, key=lambda change: not change.matters)),
        one_sided=len(spoken_before ^ spoken_after),
        ungraded=sum(row["outcome"] == Outcome.UNGRADED for row in after),
    )


def _graded(pairs: list[tuple[dict[str, Any], dict[str, Any]]]) -> Iterator[tuple[Row, Row]]:
    """Yield the pairs in which both sides are verdicts; an error has none."""
    return (pair for pair in pairs if all(row["outcome"] in _SPOKEN for row in pair))


def _differ(before: Row, after: Row) -> bool:
    return bool(before["outcome"] != after["outcome"] or before["answer"] != after["answer"])


def _key(row: Row) -> tuple[str, int]:
    return row["problem_id"], row["repeat"]


def _grader(rows: list[dict[str, Any]]) -> str:
    return f"{rows[0]['scoring']} {rows[0]['grader_version']}"
