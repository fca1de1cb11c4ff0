"""What was stored is read back, whatever happened to the file in between."""

from __future__ import annotations

import logging
import re
from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from made_records import made

from runner.errors import UserError
from runner.results.layout import RunFolder
from runner.results.record import Record, RecordStatus, Turn
from runner.results.store import GenerationStore, read, scan

HOSTILE = "a\u2028b\u0085c\x00d\ud800e\r\nf\u2029\x0bg\U0001f600"


@pytest.fixture
def folder(tmp_path: Path) -> RunFolder:
    return RunFolder(tmp_path / "run")


def store(folder: RunFolder, *records: Record) -> None:
    with GenerationStore(folder) as open_store:
        for record in records:
            open_store.append(record)


def indices(folder: RunFolder) -> list[int]:
    return [record.index for record in read(folder)]


def test_turns_ids_and_hostile_texts_come_back(folder: RunFolder) -> None:
    turns = (
        Turn("model", HOSTILE, (1, 2, 0xFFFF_FFFF), 0.5),
        Turn("injected", "</think>"),
        Turn("tool", "", None, 0.25),
        Turn("model", "end", ()),
    )
    records = [made(0, turns=turns), made(1, turns=(Turn("model", "x", (7,)),)), made(2)]
    store(folder, *records[:1])
    store(folder, *records[1:])
    assert list(read(folder, with_ids=True)) == records
    assert next(read(folder)).turns[0] == Turn("model", HOSTILE, None, 0.5)


@settings(max_examples=20, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(texts=st.lists(st.text(st.characters(codec=None)), max_size=4))
def test_any_texts_come_back(tmp_path_factory: pytest.TempPathFactory, texts: list[str]) -> None:
    folder = RunFolder(tmp_path_factory.mktemp("run"))
    store(folder, *(made(index, text) for index, text in enumerate(texts)))
    assert [record.text for record in read(folder)] == texts


def test_a_line_torn_at_any_byte_is_done_again(folder: RunFolder) -> None:
    store(folder, made(0), made(1))
    whole = folder.generations.read_bytes()
    start = whole.index(b"\n") + 1
    for length in range(start, len(whole)):
        folder.generations.write_bytes(whole[:length])
        kept = [0, 1] if length == len(whole) - 1 else [0]  # there only the newline is missing
        assert indices(folder) == kept
        with GenerationStore(folder) as open_store:
            assert len(open_store.done_keys()) == len(kept)
            if length % 200 == 0 or len(kept) == 2:  # each costs a sync
                open_store.append(made(2))
                kept.append(2)
        assert indices(folder) == kept
        assert scan(folder).report.bad == 0


@pytest.mark.parametrize("tail", [b"\x00" * 5000, b"\x00\x00\n", b"{\n", b"[" * 100_000, b"\xff\n", b"\n"])
def test_a_broken_tail_is_cut_off(folder: RunFolder, tail: bytes) -> None:
    store(folder, made(0))
    whole = folder.generations.read_bytes()
    folder.generations.write_bytes(whole + tail)
    store(folder)
    assert folder.generations.read_bytes() == whole


def test_a_torn_file_of_ids_does_not_shift_later_ones(folder: RunFolder) -> None:
    first = made(0, turns=(Turn("model", "x", (1, 2)),))
    second = made(1, turns=(Turn("model", "y", (3, 4)),))
    store(folder, first)
    with folder.token_ids.open("ab") as file:
        file.write(b"\x01\x00\x00\x00\x02\x00")  # an id without a line, and half of another
    store(folder, second)
    assert list(read(folder, with_ids=True)) == [first, second]


def test_lost_ids_are_none(folder: RunFolder) -> None:
    store(folder, made(0, turns=(Turn("model", "x", (1, 2)),)))
    folder.token_ids.write_bytes(b"")
    assert [record.turns[0].token_ids for record in read(folder, with_ids=True)] == [None]


def test_later_ids_are_not_taken_for_lost_ones(folder: RunFolder) -> None:
    store(folder, made(0, turns=(Turn("model", "x", (1, 2)),)))
    folder.token_ids.write_bytes(b"")
    store(folder, made(1, turns=(Turn("model", "y", (3, 4, 5)),)))
    assert [record.turns[0].token_ids for record in read(folder, with_ids=True)] == [None, (3, 4, 5)]


def test_places_without_a_checksum_are_read(folder: RunFolder) -> None:
    record = made(0, turns=(Turn("model", "x", (1, 2)),))
    store(folder, record)
    line = folder.generations.read_text()
    folder.generations.write_text(re.sub(r'"ids":\[\[0,2,\d+\]\]', '"ids":[[0,2]]', line))
    assert list(read(folder, with_ids=True)) == [record]


@pytest.mark.parametrize(
    "garbage",
    [b"null", b"{}", b"[1]", b"7", b"garbage", b"\xff\xfe\x00", b"", b"[" * 100_000, b'{"version": 1}', b"NaN"],
)
def test_a_garbage_line_in_the_middle_is_counted(folder: RunFolder, garbage: bytes) -> None:
    store(folder, made(0), made(1))
    first, second, _ = folder.generations.read_bytes().split(b"\n")
    folder.generations.write_bytes(b"\n".join((first, garbage, second)))
    assert indices(folder) == [0, 1]
    assert scan(folder).report.bad == 1


@pytest.mark.parametrize(
    ("field", "value"),
    [("version", "null"), ("problem_id", "3"), ("turns", '[{"kind":"model","text":1}]'), ("latency_s", "NaN"),
     ("usage", '{"output":"ten"}'), ("status", '"fine"'), ("ids", "[[-1,2]]"), ("failure", '"x"'),
     ("index", str(1 << 63)), ("latency_s", "1e999"), ("started_s", "1" + "0" * 400), ("usage", '{"source":1}'),
     ("usage", '{"prompt":9223372036854775808}'), ("usage", r'{"source":"\ud800"}'), ("problem_id", r'"\ud800"'),
     ("failure", '{"boundary":"engine","kind":1,"message":""}'),
     ("failure", '{"boundary":"engine","kind":"","message":[]}')],
)  # fmt: skip
def test_a_line_edited_by_hand_is_no_record(folder: RunFolder, field: str, value: str) -> None:
    store(folder, made(0))
    line = folder.generations.read_text().splitlines()[0]
    assert f'"{field}":' in line
    with folder.generations.open("a") as file:
        file.write(f'{line[:-1]},"{field}":{value}}}\n')  # of a key that occurs twice, JSON takes the last
    assert scan(folder).report.bad == 1


def test_records_of_another_version_are_not_made_again(folder: RunFolder) -> None:
    store(folder, made(0), replace(made(1), version=2))
    before = folder.generations.read_bytes()
    with GenerationStore(folder) as open_store, pytest.raises(UserError, match=r"version 2.* reads 1.*study="):
        open_store.done_keys()
    assert folder.generations.read_bytes() == before


def test_the_last_line_without_an_error_counts(folder: RunFolder, caplog: pytest.LogCaptureFixture) -> None:
    failed = made(0, status=RecordStatus.ERROR)
    store(folder, failed, made(1, "old"), failed, made(0, "good"), failed, made(1, "new"), made(2))
    with caplog.at_level(logging.WARNING):
        assert [record.text for record in read(folder)][:2] == ["good", "new"]
        assert scan(folder).report.done == 3
    assert len(caplog.records) == 1  # about the sample that was done twice, once


def test_an_error_is_tried_again_and_kept_until_then(folder: RunFolder) -> None:
    failed = made(0, status=RecordStatus.ERROR)
    later = replace(failed, latency_s=9.0)
    store(folder, failed, later)
    with GenerationStore(folder) as open_store:
        assert open_store.done_keys() == set()
    assert list(read(folder)) == [later]
    store(folder, made(0))
    assert [record.status for record in read(folder)] == [RecordStatus.OK]


@pytest.mark.parametrize(
    ("record", "reason"),
    [
        (replace(made(0), latency_s=float("nan")), "Out of range"),
        (made(0, turns=(Turn("model", "x", (-1,)),)), "32-bit"),
    ],
)
def test_a_record_that_no_line_can_hold_is_refused(folder: RunFolder, record: Record, reason: str) -> None:
    with GenerationStore(folder) as open_store:
        with pytest.raises(ValueError, match=reason):
            open_store.append(record)
        open_store.append(made(1))
    assert indices(folder) == [1]


def test_a_folder_without_generations_holds_nothing(folder: RunFolder) -> None:
    assert list(read(folder, with_ids=True)) == []
    assert scan(folder).report.bytes == 0


def test_a_folder_in_place_of_the_generations_is_one_clear_line(folder: RunFolder) -> None:
    folder.generations.mkdir(parents=True)
    with pytest.raises(UserError, match=r"generations\.jsonl"):
        scan(folder)


def test_a_scan_for_some_problems_finds_their_lines_as_a_whole_scan_does(folder: RunFolder) -> None:
    failed = made(1, status=RecordStatus.ERROR)
    store(folder, *(made(index) for index in (0, 2, 3)), failed, made(1), made(2, repeat=1))
    with folder.generations.open("ab") as file:  # written by hand, with blanks
        file.write(
            folder.generations.read_bytes().split(b"\n")[0].replace(b'{"problem_id":', b'{ "problem_id": ') + b"\n"
        )
    whole = scan(folder)
    for index in range(4):
        some = scan(folder, {made(index).problem_id})
        keys = {key for key in whole.done if key.startswith(f"{made(index).problem_id}/")}
        assert {key: some.done[key] for key in keys} == {key: whole.done[key] for key in keys}
        assert len(some.done) <= len(keys) + 1
