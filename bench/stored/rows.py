"""A stored set: problems that are read from a file, in an order that the seed decides."""

from __future__ import annotations

import csv
import hashlib
import io
import json
from abc import abstractmethod
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import Any, ClassVar

from bench.finite import FiniteTask
from bench.seeding import permuted

Row = dict[str, Any]


@dataclass(frozen=True, slots=True)
class Source:
    """Where a set is published.

    Attributes:
        repository: Data set of the Hugging Face hub.
        revision: Commit, 40 hex digits.
        file: Pattern that fits exactly one file of it.
        rows: Problems that are read from it; 0 where none are counted on.
        licence: Of the problems, as the publisher states it.
        sha256: Of the file; empty where none is stated here, and the commit alone pins it.
    """

    repository: str
    revision: str
    file: str
    rows: int
    licence: str
    sha256: str = ""


@dataclass(frozen=True)
class StoredTask(FiniteTask):
    """Data: a row, ``{"id": ..., "question": ..., "answer": ...}`` and what the set says besides.

    Problem i of a seed is the i-th row of a permutation of all rows, so that few samples are no biased choice. A
    sample's data is the whole row: it is graded without the file.

    A subclass says how a row is read. Its ``source`` is where the file comes from if nobody gives one.
    """

    path: str = ""  # JSON lines, a JSON list, CSV or Parquet

    source: ClassVar[Source]

    @abstractmethod
    def row(self, raw: Mapping[str, Any]) -> Row | None:
        """Return a row as the data of a problem, without its id if it has none; None for one that is left out.

        Raises:
            KeyError, ValueError: it is no row of this set.
        """

    def rows(self) -> tuple[Row, ...]:
        """Return all rows in the order of the file; read once.

        Raises:
            ValueError: there is no such file, or it does not hold this set.
        """
        if not self.path:
            raise ValueError(f"{self.name} needs the file with its problems; give path")
        return _read(self)

    def checksum(self) -> str:
        """Return the SHA-256 of all rows: it tells one version of a set from another, whatever format it is in."""
        written = json.dumps(self.rows(), sort_keys=True, ensure_ascii=True)
        return hashlib.sha256(written.encode("ascii")).hexdigest()

    def length(self) -> int:
        return len(self.rows())

    def entry(self, seed: int, index: int) -> Row:
        return self.rows()[permuted(index, self.length(), seed, self.name)]

    def read_data(self, data: Any) -> Row:
        """Return a row."""
        if not isinstance(data, dict) or not {"id", "question", "answer"} <= set(data):
            raise ValueError(f"{self.name}: data has to be a row with id, question and answer, not {data!r:.60}")
        if type(data["question"]) is not str:
            raise ValueError(f"{self.name}: the question has to be a text, not {data['question']!r:.60}")
        return data

    def question(self, data: Row) -> str:
        return str(data["question"])


def integer(value: Any) -> int:
    """Return a whole number from a JSON number or a text with commas of thousands.

    Raises:
        ValueError: it is none.
    """
    number = float(value) if isinstance(value, float) else int(str(value).replace(",", "").strip())
    if number != int(number):
        raise ValueError(f"{value!r:.60} is no whole number")
    return int(number)


def text(raw: Mapping[str, Any], *names: str) -> str:
    """Return the first of these fields that is there, as a text without white space around it.

    Raises:
        KeyError: none is.
    """
    for name in names:
        if raw.get(name) is not None:
            return str(raw[name]).strip()
    raise KeyError(names[0])


@lru_cache(maxsize=32)
def _read(task: StoredTask) -> tuple[Row, ...]:
    try:
        rows = [task.row(raw) for raw in raw_rows(task.path)]
    except OSError as error:
        raise ValueError(f"{task.path} can't be read: {error.strerror or error}") from error
    except KeyError as error:
        raise ValueError(f"{task.path} does not hold {task.name}: a row lacks the field {error}") from error
    except (ValueError, TypeError, AttributeError, ArithmeticError, RecursionError, csv.Error) as error:
        raise ValueError(f"{task.path} does not hold {task.name}: {error}") from error
    found = tuple({"id": str(number), **row} for number, row in enumerate(rows) if row is not None)
    if not found:
        raise ValueError(f"{task.path} holds no row of {task.name}")
    return found


def raw_rows(path: str) -> Iterator[Mapping[str, Any]]:
    """Yield the rows of a file as they are.

    Raises:
        OSError: it can't be read.
        ValueError: it is in no known format.
    """
    content = Path(path).read_bytes()
    if content.startswith(b"PAR1"):
        import pyarrow.parquet as pq

        yield from pq.read_table(path).to_pylist()
    elif path.endswith(".csv"):
        yield from csv.DictReader(io.StringIO(content.decode("utf-8-sig"), newline=""))
    elif content.lstrip().startswith(b"["):
        yield from json.loads(content)
    else:
        yield from (json.loads(line) for line in content.split(b"\n") if line.strip())
