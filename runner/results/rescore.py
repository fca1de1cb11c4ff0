"""What another grading changes: the verdicts of one grader beside those of another, sample by sample."""

from __future__ import annotations

import logging
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from bench.verdict import Outcome
from runner.config.settings import Scoring
from runner.results.layout import RunFolder
from runner.results.verdict_table import grade_run, read_verdicts

_log = logging.getLogger(__name__)

_KEY = ("problem_id", "repeat")
_READING = ("outcome", "answer", "rule", "reason")
_GRADER = ("grader_version", "scoring")
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
        before: Who graded before, e.g. ``paper 1``; None where nothing of another grading is stored.
        after: Who grades now.
        tasks: A row a task, in the order of the samples.
        changes: The samples that changed, those with another outcome first.
        only_now: Samples without an earlier verdict, e.g. because they are newer than it; in no other figure.
        ungraded: Samples that the new grading gives no verdict on.
    """

    run: str
    before: str | None
    after: str
    tasks: tuple[TaskChange, ...]
    changes: tuple[Change, ...]
    only_now: int
    ungraded: int


def rescore(folder: RunFolder, scoring: Scoring) -> Comparison:
    """Grade a run's samples anew, without a model, and compare with what was stored.

    Beside the default scoring stands the newest table of another grader version, or else of another scoring; beside
    another scoring, the default one, made if it is missing. The new verdicts are stored, older tables stay.

    Raises:
        UserError: see :func:`runner.results.verdict_table.grade_run`.
        StorageError: the table can't be written.
    """
    path = grade_run(folder, scoring)
    after = read_verdicts(folder, scoring, columns=list(_COLUMNS)).to_pylist()
    if scoring is Scoring.PAPER:
        before = _stored_before(folder, path)
    else:
        before = read_verdicts(folder, columns=list(_COLUMNS)).to_pylist()
    return _compare(folder.path.name, before, after)


def _stored_before(folder: RunFolder, now: Path) -> list[dict[str, Any]]:
    """Return the rows of the newest other table, those of the default scoring first; none where there is none."""
    others = (_rows(path) for path in folder.all_verdicts() if path != now)
    readable = [rows for rows in others if rows]
    readable.sort(key=lambda rows: rows[0]["scoring"] != Scoring.PAPER)  # stable: newest first among equals
    return readable[0] if readable else []


def _rows(path: Path) -> list[dict[str, Any]] | None:
    """Return the rows of a table of any version, None where it can't be read."""
    import pyarrow as pa
    import pyarrow.parquet as pq

    try:
        columns = [name for name in pq.read_schema(path).names if name in _COLUMNS]
        rows = pq.read_table(path, columns=columns).to_pylist()
    except (OSError, pa.ArrowException) as error:
        _log.warning("%s can't be read (%s); it is passed over", path, error)
        return None
    whole = set(_COLUMNS) <= {*columns, *_UNNAMED}
    return [{**_UNNAMED, **row} for row in rows] if whole else None


def _compare(run: str, before: list[dict[str, Any]], after: list[dict[str, Any]]) -> Comparison:
    earlier = {_key(row): row for row in before}
    pairs = [(earlier[_key(row)], row) for row in after if _key(row) in earlier]
    tasks: dict[str, TaskChange] = {}
    for was, now in _graded(pairs):
        tasks.setdefault(now["task"], TaskChange(now["task"])).count(was, now)
    changes = [Change(run, was, now) for was, now in _graded(pairs) if _differ(was, now)]
    return Comparison(
        run=run,
        before=_grader(before) if before else None,
        after=_grader(after),
        tasks=tuple(tasks.values()),
        changes=tuple(sorted(changes, key=lambda change: not change.matters)),
        only_now=len(after) - len(pairs),
        ungraded=sum(row["outcome"] == Outcome.UNGRADED for row in after),
    )


def _graded(pairs: list[tuple[dict[str, Any], dict[str, Any]]]) -> Iterator[tuple[Row, Row]]:
    """Yield the pairs in which both sides are verdicts; an error has none."""
    spoken = (Outcome.CORRECT, Outcome.INCORRECT, Outcome.UNPARSED)
    return (pair for pair in pairs if all(row["outcome"] in spoken for row in pair))


def _differ(before: Row, after: Row) -> bool:
    return bool(before["outcome"] != after["outcome"] or before["answer"] != after["answer"])


def _key(row: Row) -> tuple[str, int]:
    return row["problem_id"], row["repeat"]


def _grader(rows: list[dict[str, Any]]) -> str:
    return f"{rows[0]['scoring']} {rows[0]['grader_version']}" if rows else "nothing"
