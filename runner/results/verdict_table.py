"""The verdicts of a run as a table: made from the store at any time without a model, or beside the generation."""

from __future__ import annotations

import dataclasses
import json
from collections.abc import Iterable, Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass, field
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING, Any, get_type_hints

from runner.config.settings import Scoring
from runner.errors import UserError
from runner.results.executions import Executed, executed_in
from runner.results.grading import (
    grade_record,
    grading_fingerprint,
    make_tasks_known,
    task_fingerprint,
)
from runner.results.judgements import Judged, judged_in
from runner.results.layout import RunFolder, replacing, write_atomic
from runner.results.record import Record, sample_key
from runner.results.run import load_run
from runner.results.store import read, scan
from runner.results.verdict_row import VerdictRow

if TYPE_CHECKING:
    import pyarrow as pa

_ROW_GROUP = 4_096
# In the table's metadata: its Basis as JSON.
_BASIS = "basis"


@dataclass(frozen=True, slots=True)
class Basis:
    """What the verdicts of a table follow from; where it is another one the table is out of date.

    Attributes:
        length: Bytes of the generations.
        family: The model's family.
        tasks: The :func:`runner.results.grading.task_fingerprint` of each task of the run, by name.
        grading: Fingerprint of the grading.
        judgements: Bytes of the judgements where a judge decides, else 0.
        executions: Bytes of what became of programs.
    """

    length: int
    family: str | None
    tasks: Mapping[str, str]
    grading: str = field(default_factory=grading_fingerprint)
    judgements: int = 0
    executions: int = 0

    def holds(self, length: int, family: str | None, grading: str, judgements: int = 0, executions: int = 0) -> bool:
        """Whether the same verdicts would be made now; a task that is unknown here counts as unchanged."""
        tasks = {name: _now(name) or before for name, before in self.tasks.items()}
        return self == Basis(length, family, tasks, grading, judgements, executions)

    def metadata(self) -> dict[str, str]:
        """Return it as a table's metadata."""
        return {_BASIS: json.dumps(dataclasses.asdict(self))}


def grade_run(folder: RunFolder, scoring: Scoring = Scoring.PAPER) -> Path:
    """Grade all samples of a run and return the table's path; nothing is done if it is up to date.

    Memory does not grow with the texts; a table of another grading stays beside this one. Where the run's own task
    files are missing, a table that is up to date in all else is taken as it is.

    Raises:
        UserError: ``run.json`` can't be read, or a task of the run is unknown here.
        StorageError: the table can't be written; the old one stays.
    """
    judged = judged_in(folder)
    grading, judgements = grading_fingerprint(scoring, judged), 0 if judged is None else judged.length
    executed = executed_in(folder)
    executions = 0 if executed is None else executed.length
    path = folder.verdicts(grading)
    run = load_run(folder)
    family = None if run is None else str(run.settings["model"]["family"])
    if run is not None:
        with suppress(UserError):  # raised below if the files are needed
            make_tasks_known(run)
    basis = _basis_of(path)
    if basis is not None and basis.holds(folder.size(), family, grading, judgements, executions):
        return path
    if run is not None:
        make_tasks_known(run)
    found = scan(folder)
    tasks: dict[str, str] = {}  # filled while the rows are written
    rows = _graded(read(folder, scanned=found), family, tasks, scoring, judged, executed)
    _write(path, _tables(rows), Basis(found.report.bytes, family, tasks, grading, judgements, executions))
    return path


def read_verdicts(folder: RunFolder, scoring: Scoring = Scoring.PAPER, **options: Any) -> pa.Table:
    """Grade all samples of a run as :func:`grade_run` does and return the table; a damaged one is made again, once.

    Args:
        folder: The run's folder.
        scoring: Who decides.
        options: Of ``pyarrow.parquet.read_table``.

    Raises:
        UserError: see :func:`grade_run`.
        StorageError: the table can't be written.
    """
    import pyarrow as pa
    import pyarrow.parquet as pq

    path = grade_run(folder, scoring)
    try:
        return pq.read_table(path, page_checksum_verification=True, **options)
    except (OSError, pa.ArrowException):
        path.unlink(missing_ok=True)
        return pq.read_table(grade_run(folder, scoring), **options)


def _graded(
    records: Iterable[Record],
    family: str | None,
    tasks: dict[str, str],
    scoring: Scoring,
    judged: Judged | None,
    executed: Executed | None,
) -> Iterator[VerdictRow]:
    """Yield the verdicts and note the fingerprints of their tasks in ``tasks``."""
    for record in records:
        yield grade_record(record, family, scoring, judged, executed)
        tasks[record.task] = task_fingerprint(record.task)


class LiveTable:
    """Grades samples while others are generated, so that nothing is left to grade at the end of a run.

    It is opened with the folder's lock held and told of every sample that is stored from then on. A process that
    ends before :meth:`finish` loses nothing but this work: :func:`grade_run` does it again.

    Memory grows by about 100 bytes a sample.

    Args:
        folder: The run's folder.
        family: The model's family.
        scoring: Who decides.
    """

    def __init__(self, folder: RunFolder, family: str | None, scoring: Scoring = Scoring.PAPER) -> None:
        import pyarrow as pa
        import pyarrow.parquet as pq

        self._folder = folder
        self._family = family
        self._scoring = scoring
        self._grading = grading_fingerprint(scoring)
        self._path = folder.verdicts(self._grading)
        self._start = folder.size()
        self._rows: list[VerdictRow] = []
        self._tasks: dict[str, str] = {}
        self._keys: set[str] = set()
        self._count = 0
        self._buffer = pa.BufferOutputStream()
        self._new = pq.ParquetWriter(self._buffer, _schema(), write_page_checksum=True)

    def grade(self, record: Record) -> VerdictRow:
        """Return the verdict on a sample that was just stored, and keep it.

        Raises:
            UserError: see :func:`runner.results.grading.grade_record`.
        """
        row = grade_record(record, self._family, self._scoring)
        self._rows.append(row)
        self._tasks[record.task] = task_fingerprint(record.task)
        self._count += 1
        self._keys.add(record.key)
        if len(self._rows) == _ROW_GROUP:
            self._flush()
        return row

    def finish(self) -> Path:
        """Write the table of all samples of the run and return its path; call it once.

        Raises:
            StorageError: the table can't be written; the old one stays.
        """
        self._flush()
        basis = Basis(self._folder.size(), self._family, self._tasks, self._grading)
        self._new.add_key_value_metadata(basis.metadata())
        self._new.close()
        try:
            written = self._write_joined(basis)
        except _Damaged:
            self._path.unlink(missing_ok=True)
            written = False
        if not written:
            grade_run(self._folder, self._scoring)
        return self._path

    def _write_joined(self, basis: Basis) -> bool:
        """Write earlier and new rows; False if they are not a row for each sample of the store."""
        import pyarrow as pa
        import pyarrow.parquet as pq

        found = scan(self._folder).report
        samples = found.done + found.failed
        table = self._buffer.getvalue()
        if not self._start:
            if self._count == samples:
                write_atomic(self._path, memoryview(table))
            return self._count == samples
        before = _basis_of(self._path)
        if before is None or not before.holds(self._start, self._family, self._grading):
            return False
        masks = list(self._masks())
        if sum(map(sum, masks)) + self._count != samples:
            return False
        basis = dataclasses.replace(basis, tasks={**before.tasks, **self._tasks})
        _write(self._path, self._joined(masks, pq.ParquetFile(pa.BufferReader(table))), basis)
        return True

    def _flush(self) -> None:
        for table in _tables(self._rows):
            self._new.write_table(table)
        self._rows.clear()

    def _masks(self) -> Iterator[list[bool]]:
        """Yield for each group of earlier rows which of them stay: a sample that was graded now replaces its row."""
        for rows in _groups(self._path, ["problem_id", "repeat"]):
            places = zip(rows["problem_id"].to_pylist(), rows["repeat"].to_pylist(), strict=True)
            yield [sample_key(problem_id, repeat) not in self._keys for problem_id, repeat in places]

    def _joined(self, masks: list[list[bool]], new: Any) -> Iterator[pa.Table]:
        """Yield the earlier rows that stay, then the new ones."""
        import pyarrow as pa

        for rows, kept in zip(_groups(self._path), masks, strict=True):
            if any(kept):
                yield rows.filter(pa.array(kept, pa.bool_()))
        for group in range(new.num_row_groups):
            yield new.read_row_group(group)


class _Damaged(Exception):
    """A table whose rows can't be read though its footer can."""


def _groups(path: Path, columns: list[str] | None = None) -> Iterator[pa.Table]:
    """Yield a table's groups of rows.

    Raises:
        _Damaged: a group can't be read.
    """
    import pyarrow as pa
    import pyarrow.parquet as pq

    try:
        with pq.ParquetFile(path, page_checksum_verification=True) as file:
            for group in range(file.num_row_groups):
                yield file.read_row_group(group, columns=columns)
    except (OSError, pa.ArrowException) as error:
        raise _Damaged from error


def _now(task: str) -> str | None:
    """Return the fingerprint of a task, or None if it is unknown here."""
    try:
        return task_fingerprint(task)
    except ValueError:
        return None


def _basis_of(path: Path) -> Basis | None:
    """Return what a table was made from; None without a readable table."""
    import pyarrow as pa
    import pyarrow.parquet as pq

    try:
        return Basis(**json.loads(pq.read_metadata(path).metadata[_BASIS.encode()]))
    except (OSError, KeyError, TypeError, ValueError, pa.ArrowException):
        return None


def _write(path: Path, tables: Iterable[pa.Table], basis: Basis) -> None:
    """Write the tables, and once they are all there their basis."""
    import pyarrow.parquet as pq

    with replacing(path) as temporary, pq.ParquetWriter(temporary, _schema(), write_page_checksum=True) as writer:
        for table in tables:
            writer.write_table(table)
        writer.add_key_value_metadata(basis.metadata())


def _tables(rows: Iterable[VerdictRow]) -> Iterator[pa.Table]:
    import pyarrow as pa

    left = iter(rows)
    while group := list(islice(left, _ROW_GROUP)):
        yield pa.Table.from_pylist(group, schema=_schema())


def _schema() -> pa.Schema:
    import pyarrow as pa

    types: dict[Any, Any] = {str: pa.string(), int: pa.int64(), float: pa.float64(), bool: pa.bool_()}
    types |= {kind | None: arrow for kind, arrow in types.items()}
    return pa.schema([(name, types[kind]) for name, kind in get_type_hints(VerdictRow).items()])
