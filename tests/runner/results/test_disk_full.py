"""A full disk ends in one clear line; what was written stays valid and the old summary stays."""

from __future__ import annotations

import re
import resource
from collections.abc import Iterator
from contextlib import contextmanager
from itertools import count
from pathlib import Path

import pytest
from made_records import made

from runner.errors import StorageError
from runner.results.layout import RunFolder, write_atomic
from runner.results.record import Turn
from runner.results.store import GenerationStore, read, scan


@contextmanager
def no_file_beyond(size: int) -> Iterator[None]:
    """Let the system refuse to make any file longer than ``size`` bytes, as a full disk would."""
    soft, hard = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (size, hard))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, (soft, hard))


def append_for_ever(store: GenerationStore, ids: int) -> None:
    for index in count():
        store.append(made(index, turns=(Turn("model", "x" * 100, tuple(range(ids))),)))


@pytest.mark.parametrize("ids", [0, 500])
def test_what_was_stored_before_stays_valid(tmp_path: Path, ids: int) -> None:
    folder = RunFolder(tmp_path / "run")
    refused = pytest.raises(StorageError, match=re.escape(str(folder.path)))
    with no_file_beyond(20_000), GenerationStore(folder) as store, refused:
        append_for_ever(store, ids)
    taken = scan(folder).report.done
    assert taken > 5
    assert folder.generations.read_bytes().endswith(b"}\n")
    with GenerationStore(folder) as store:
        store.append(made(taken, turns=(Turn("model", "y", (1, 2)),)))
    assert [record.index for record in read(folder)] == list(range(taken + 1))
    assert [record.turns[0].token_ids for record in read(folder, with_ids=True)][-1] == (1, 2)
    assert scan(folder).report.bad == 0


def test_the_old_summary_stays(tmp_path: Path) -> None:
    path = tmp_path / "summary.json"
    write_atomic(path, b"old")
    with no_file_beyond(1_000), pytest.raises(StorageError, match=str(path)):
        write_atomic(path, b"x" * 10_000)
    assert [(file.name, file.read_bytes()) for file in tmp_path.iterdir()] == [("summary.json", b"old")]
