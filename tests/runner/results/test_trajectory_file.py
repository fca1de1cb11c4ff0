"""The ids that points share survive processes, torn ends and damage, and are never somebody else's."""

from __future__ import annotations

import dataclasses
from pathlib import Path

import pytest
from made_records import LOADED
from test_disk_full import no_file_beyond

from runner.engines.trajectory import Piece, Trajectory
from runner.results.trajectories import TrajectoryFile, trajectory_path

KEYS = [bytes([number]) * 16 for number in range(4)]
FIRST, MORE, OTHER = Piece((1, 2, 3), False, "a"), Piece((4, 0xFFFFFFFF), True, "run é"), Piece((7,) * 50, True, "b")


def write(path: Path) -> list[int]:
    """Write three pieces; return where the file ended after each."""
    ends = []
    with TrajectoryFile(path) as file:
        for key, start, piece in ((KEYS[0], 0, FIRST), (KEYS[1], 0, OTHER), (KEYS[0], 3, MORE)):
            file.extend(key, start, piece)
            ends.append(path.stat().st_size)
    return ends


def test_another_process_reads_what_was_written(tmp_path: Path) -> None:
    path = tmp_path / "study" / "t.ids"
    write(path)
    with TrajectoryFile(path) as file:
        assert file.get(KEYS[0]) == Trajectory((FIRST, MORE))
        assert file.get(KEYS[1]) == Trajectory((OTHER,))
        assert file.get(KEYS[2]) == Trajectory()


def test_every_torn_end_costs_no_more_than_the_piece_it_tore(tmp_path: Path) -> None:
    path = tmp_path / "t.ids"
    ends = write(path)
    whole = path.read_bytes()
    for cut in (0, 1, ends[0] - 1, ends[0], ends[0] + 40, ends[1] - 200, ends[1] - 1, ends[1], len(whole) - 1):
        path.write_bytes(whole[:cut])
        with TrajectoryFile(path) as file:
            assert file.get(KEYS[0]).ids == ((1, 2, 3) if cut >= ends[0] else ())
            assert bool(file.get(KEYS[1]).ids) == (cut >= ends[1])
            file.extend(KEYS[2], 0, OTHER)
        with TrajectoryFile(path) as file:
            assert file.get(KEYS[2]) == Trajectory((OTHER,))


def test_zeros_that_a_lost_machine_leaves_at_the_end_are_no_pieces(tmp_path: Path) -> None:
    path = tmp_path / "t.ids"
    ends = write(path)
    path.write_bytes(path.read_bytes() + bytes(200))
    with TrajectoryFile(path) as file:
        assert file.get(KEYS[0]) == Trajectory((FIRST, MORE))
    assert path.stat().st_size == ends[-1]


def test_damaged_ids_are_unknown_until_they_are_made_again(tmp_path: Path) -> None:
    path = tmp_path / "t.ids"
    ends = write(path)
    data = bytearray(path.read_bytes())
    data[ends[0] - 1] ^= 1  # the last byte of the first piece's ids
    path.write_bytes(data)
    for _ in range(2):
        with TrajectoryFile(path) as file:
            assert file.get(KEYS[0]) == Trajectory()
            assert file.get(KEYS[1]) == Trajectory((OTHER,))
    with TrajectoryFile(path) as file:
        file.extend(KEYS[0], 0, MORE)
    with TrajectoryFile(path) as file:
        assert file.get(KEYS[0]) == Trajectory((MORE,))


def test_a_second_writer_reads_and_keeps_its_own_to_itself(tmp_path: Path) -> None:
    path = tmp_path / "t.ids"
    ends = write(path)
    with TrajectoryFile(path) as first, TrajectoryFile(path) as second:
        second.extend(KEYS[1], 3, FIRST)
        second.extend(KEYS[2], 0, OTHER)
        assert second.get(KEYS[1]).ids == (7, 7, 7, 1, 2, 3)
        assert second.get(KEYS[2]) == Trajectory((OTHER,))
        assert first.get(KEYS[1]) == Trajectory((OTHER,))
        assert path.stat().st_size == ends[-1]


def test_a_longer_text_takes_the_place_of_a_shorter_one(tmp_path: Path) -> None:
    path = tmp_path / "t.ids"
    write(path)
    with TrajectoryFile(path) as file:
        file.extend(KEYS[1], 10, FIRST)
        file.extend(KEYS[0], 0, OTHER)
    with TrajectoryFile(path) as file:
        assert file.get(KEYS[1]).ids == (7,) * 10 + (1, 2, 3)
        assert file.get(KEYS[0]) == Trajectory((OTHER,))


def test_an_id_that_fits_no_file_is_refused(tmp_path: Path) -> None:
    with TrajectoryFile(tmp_path / "t.ids") as file:
        for token in (-1, 1 << 32):
            with pytest.raises(ValueError, match="32-bit"):
                file.extend(KEYS[0], 0, Piece((token,), False, "a"))
        assert file.get(KEYS[0]) == Trajectory()


def test_each_loaded_model_has_a_file_of_its_own(tmp_path: Path) -> None:
    others = [{}, {"weight_bits": 4}, {"model_revision": "x"}, {"compute_dtype": "bfloat16"}, {"engine": "vllm"}]
    paths = {trajectory_path(tmp_path, dataclasses.replace(LOADED, **changes)) for changes in others}
    assert len(paths) == len(others)


def test_a_full_disk_costs_no_text_and_leaves_a_valid_file(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    path = tmp_path / "t.ids"
    ends = write(path)
    with TrajectoryFile(path) as file, no_file_beyond(ends[-1] + 100):
        for key in KEYS[2:]:
            file.extend(key, 0, OTHER)
        assert [file.get(key).ids for key in KEYS] == [(1, 2, 3, 4, 0xFFFFFFFF), (7,) * 50, (7,) * 50, (7,) * 50]
    assert "run again" in caplog.text
    with TrajectoryFile(path) as file:
        assert [bool(file.get(key).ids) for key in KEYS] == [True, True, False, False]
