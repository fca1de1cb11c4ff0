"""A certificate says what is so, and a leaderboard takes nothing without one."""

from __future__ import annotations

import json
import shutil
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from tests.end_to_end.command import SCRIPTED, only_run, runner

ASKED = (*SCRIPTED, "suite.samples=4", "suite.tasks=[sum,mode]")


@pytest.fixture
def run(tmp_path: Path) -> Path:
    done = runner(*ASKED, cwd=tmp_path)
    assert done.code == 0, done.err
    return only_run(tmp_path)


def test_a_run_as_it_was_made_is_certified_and_a_further_sample_voids_it(run: Path, tmp_path: Path) -> None:
    done = runner("verify", str(run), cwd=tmp_path)
    assert done.code == 0, done.out + done.err
    certificate = json.loads((run / "certificate.json").read_bytes())
    assert (certificate["holds"], certificate["samples"], len(certificate["regenerated"])) == (True, 8, 8)
    more = runner(*ASKED, "suite.samples=5", cwd=tmp_path)
    assert more.code == 0, more.err
    refused = runner("leaderboard", "outputs/single", cwd=tmp_path)
    assert refused.code == 2
    assert "not those that were certified" in refused.out


def test_a_changed_text_and_changed_data_are_named(run: Path, tmp_path: Path) -> None:
    lines = (run / "generations.jsonl").read_text().split("\n")
    first, second = (json.loads(line) for line in lines[:2])
    first["turns"][0]["text"] += " indeed"
    second["data"][0] += 1
    (run / "generations.jsonl").write_text("\n".join([json.dumps(first), json.dumps(second), *lines[2:]]))
    done = runner("verify", str(run), cwd=tmp_path)
    assert done.code == 1, done.out + done.err
    certificate = json.loads((run / "certificate.json").read_bytes())
    assert certificate["wrong_data"] == [f"{second['problem_id']}/0"]
    assert f"{first['problem_id']}/0" in certificate["other_texts"]
    assert not certificate["holds"]


def test_a_sample_that_was_taken_out_is_missed(run: Path, tmp_path: Path) -> None:
    lines = (run / "generations.jsonl").read_text().splitlines(keepends=True)
    (run / "generations.jsonl").write_text("".join(lines[1:]))
    done = runner("verify", str(run), cwd=tmp_path)
    assert done.code == 1, done.out + done.err
    assert "MISSING: 1 of the samples" in done.out
    assert not json.loads((run / "certificate.json").read_bytes())["holds"]


def test_verdicts_that_were_changed_after_the_check_are_no_row(run: Path, tmp_path: Path) -> None:
    assert runner("verify", str(run), cwd=tmp_path).code == 0
    (table,) = run.glob("verdicts-*.parquet")
    read, basis = pq.read_table(table), pq.ParquetFile(table).metadata.metadata
    column = read.schema.get_field_index("output_tokens")
    fewer = pa.array([1] * len(read), read.schema.field(column).type)
    with pq.ParquetWriter(table, read.schema, write_page_checksum=True) as file:
        file.write_table(read.set_column(column, read.schema.field(column), fewer))
        file.add_key_value_metadata({name: text for name, text in basis.items() if name != b"ARROW:schema"})
    done = runner("leaderboard", str(run), "--out", "board", cwd=tmp_path)
    assert done.code == 2
    assert "its verdicts are not those that were certified" in done.out


def test_other_weights_can_not_certify(run: Path, tmp_path: Path) -> None:
    identity = json.loads((run / "run.json").read_bytes())
    identity["loaded"]["model_revision"] = "another"
    (run / "run.json").write_text(json.dumps(identity))
    done = runner("verify", str(run), cwd=tmp_path)
    assert done.code == 2
    assert "model revision" in done.err
    assert not (run / "certificate.json").exists()


def test_copies_of_a_run_are_one_row_and_refused_runs_are_named(run: Path, tmp_path: Path) -> None:
    assert runner("verify", str(run), cwd=tmp_path).code == 0
    shutil.copytree(run, tmp_path / "theirs" / "copy")
    (other,) = (tmp_path / "theirs",)
    shutil.copytree(run, other / "bare")
    (other / "bare" / "certificate.json").unlink()
    done = runner("leaderboard", "outputs/single", str(other), "--out", "board", cwd=tmp_path)
    assert done.code == 1, done.err
    assert "refused" in done.out
    assert "no certificate" in done.out
    assert "leaderboard of 1 runs" in done.out
    (block,) = json.loads((tmp_path / "board" / "metadata.json").read_bytes()).values()
    assert block["settings"]["suite"]["samples"] == 4
    assert (tmp_path / "board" / "index.html").is_file()
