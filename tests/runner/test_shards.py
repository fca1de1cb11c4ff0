"""A point that is made in shards ends as if it had been made in one piece."""

from __future__ import annotations

import json
import shutil
from collections.abc import Sequence
from dataclasses import replace
from io import StringIO
from pathlib import Path

import pytest
import yaml
from rich.console import Console

from runner.config.compose import compose
from runner.config.folder import config_folder
from runner.errors import UserError
from runner.pack import Pack, described, packs_of, shards_of, understood
from runner.point import Point, pending, prepare
from runner.results.layout import RunFolder, Shard
from runner.results.lock import FolderLock
from runner.results.run import load_run
from runner.results.store import GenerationStore, read, scan
from runner.results.summary import summarise
from runner.slurm.packing import works_of
from runner.slurm.settings import SlurmSettings, read_slurm
from runner.sweep import run_packs
from tests.end_to_end.command import SCRIPTED

SMALL = (*SCRIPTED, "suite=basic_math_small", "suite.samples=3", "suite.repeats=2", "suite.tasks=[sum,mode]")
SAMPLES = 12


def slurm() -> SlurmSettings:
    plain = yaml.safe_load((config_folder() / "hydra" / "launcher" / "slurm.yaml").read_text("utf-8"))
    return read_slurm({name: value for name, value in plain.items() if name != "_target_"})


@pytest.fixture(autouse=True)
def _here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)


def points(study: str, *overrides: str, budgets: Sequence[str] = ("300",)) -> list[Point]:
    asked = (*SMALL, f"study={study}", *overrides)
    return [prepare(compose([*asked, f"budget.tokens={tokens}"])) for tokens in budgets]


def ran(packs: Sequence[Pack]) -> int:
    return run_packs(packs, "command", Console(file=StringIO()))


def sharded(asked: Sequence[Point]) -> list[Pack]:
    return [shard for pack in packs_of(asked) for shard in shards_of(pack)]


def found(folder: RunFolder) -> dict[str, tuple[str, tuple[int, ...] | None]]:
    return {one.key: (one.text, one.turns[0].token_ids) for one in read(folder, with_ids=True)}


@pytest.mark.parametrize("count", [2, 5])
def test_any_number_of_shards_gives_the_same_results(count: int) -> None:
    (whole,), (parts,) = points("whole"), points("parts", f"shards={count}")
    assert ran(packs_of([whole])) == 0
    packs = sharded([parts])
    assert len(packs) == count
    assert [ran([pack]) for pack in packs] == [0] * count
    assert len(found(parts.folder)) == SAMPLES
    assert found(parts.folder) == found(whole.folder)
    one, other = (summarise(each.folder) for each in (whole, parts))
    assert replace(one, run="") == replace(other, run="")
    assert json.loads(parts.folder.summary.read_bytes())["overall"]["n"] == SAMPLES
    assert not parts.folder.generations.exists()
    run = load_run(parts.folder)
    assert run is not None
    assert sum(attempt.output_tokens for attempt in run.attempts) > 0


def test_a_lost_shard_is_made_again_alone() -> None:
    (point,) = points("s", "shards=3")
    packs = sharded([point])
    assert [ran([pack]) for pack in packs] == [0, 0, 0]
    before = found(point.folder)
    lost = Shard(3, 1)
    shutil.rmtree(point.folder.shard(lost).path)
    missing = pending(point)
    works = works_of([missing], slurm())
    assert [(work.points[0].shard, work.samples) for work in works] == [(lost, missing.count)]
    assert works_of([missing], slurm(), {(point.folder.path, lost)}) == []
    assert ran([Pack(works[0].points)]) == 0
    assert found(point.folder) == before


def test_another_number_of_shards_goes_on_with_what_is_there() -> None:
    (point,) = points("s", "shards=4")
    assert ran(sharded([point])[:1]) == 0
    kept = found(point.folder)
    (fewer,) = points("s", "shards=2")
    assert [ran([pack]) for pack in sharded([fewer])] == [0, 0]
    assert found(point.folder).items() >= kept.items()
    assert scan(point.folder).report.duplicates == 0
    assert scan(point.folder).report.done == SAMPLES


def test_budgets_of_one_model_find_their_texts_in_their_shard() -> None:
    asked = points("s", "shards=2", budgets=("32", "300"))
    packs = sharded(asked)
    assert [[point.settings.budget.tokens for point in pack.points] for pack in packs] == [[300, 32], [300, 32]]
    assert [ran([pack]) for pack in packs] == [0, 0]
    small = [one.usage for one in read(asked[0].folder)]
    assert len(small) == SAMPLES
    assert all(usage.reused == usage.output for usage in small)
    assert len(list(Path("outputs/s/trajectories").glob("*-of-2.ids"))) == 2


def test_a_run_has_shards_or_one_writer() -> None:
    (point,) = points("s", "shards=2")
    first, second, other = Shard(2, 0), Shard(2, 1), Shard(3, 0)
    with GenerationStore(point.folder, first):
        for shard in (None, first, other):
            with pytest.raises(UserError, match="is being written"), GenerationStore(point.folder, shard):
                pass
        with GenerationStore(point.folder, second):
            pass
    with GenerationStore(point.folder), pytest.raises(UserError), GenerationStore(point.folder, first):
        pass


def test_a_shard_begins_while_another_one_has_the_run_to_open_or_conclude_it() -> None:
    (point,) = points("s", "shards=2")
    with GenerationStore(point.folder, Shard(2, 0)), FolderLock(point.folder.lock):
        with GenerationStore(point.folder, Shard(2, 1)):
            pass
        with pytest.raises(UserError, match="is being written"), GenerationStore(point.folder, Shard(3, 0)):
            pass


def test_a_run_whose_last_shard_died_while_concluding_is_concluded_by_any_shard() -> None:
    (point,) = points("s", "shards=2")
    packs = sharded([point])
    assert [ran([pack]) for pack in packs] == [0, 0]
    point.folder.summary.unlink()
    assert ran([packs[0]]) == 0
    assert point.folder.summary.is_file()


def test_what_a_process_is_told_is_what_it_understands() -> None:
    for pack in sharded(points("s", "shards=2")):
        told = json.loads(json.dumps(described(pack.points, "command", brief=False)))
        again = understood(told)
        assert [(point.folder, point.shard) for point in again] == [
            (point.folder, point.shard) for point in pack.points
        ]
