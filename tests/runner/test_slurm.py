"""What would be submitted to a cluster, checked as text: no SLURM is needed."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path
from types import SimpleNamespace

import pytest
import yaml

from runner.app import main
from runner.config.compose import compose
from runner.config.folder import config_folder
from runner.errors import UserError
from runner.pack import packs_of, split
from runner.point import Point, prepare
from runner.results.layout import Shard
from runner.slurm import source, task
from runner.slurm.settings import SlurmSettings
from runner.slurm.submission import TaskFiles, create, submissions
from tests.end_to_end.command import SCRIPTED, Done

ROOT = Path(__file__).resolve().parents[2]
DRY = ("hydra/launcher=slurm", "hydra.launcher.dry_run=true", "study=s")


class Here:
    """Types commands in this process."""

    def __init__(self, capsys: pytest.CaptureFixture[str]) -> None:
        self._capsys = capsys

    def type(self, *arguments: str) -> Done:
        code = main(arguments)
        return Done(code, *self._capsys.readouterr())


@pytest.fixture
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Here:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(sys, "argv", ["runner"])
    return Here(capsys)


def point(*overrides: str) -> Point:
    return prepare(compose([*SCRIPTED, *overrides]))


def options(done: Done) -> dict[str, str]:
    return dict(re.findall(r"^#SBATCH --([a-z-]+)=?(.*)$", done.out, re.MULTILINE))


def test_the_script_says_what_was_asked_and_what_the_engine_takes(here: Here, tmp_path: Path) -> None:
    engine = ("engine=vllm", "engine.tensor_parallel_size=2", "engine.pipeline_parallel_size=2")
    asked = ("partition=gpu", "account=me", "cpus=8", "memory=64G", "timeout=90", "notice=60", "array_parallelism=3")
    more = ("setup=['module load cuda']", "sbatch=['--exclude=n7',--exclusive]", "srun=['--cpu-bind=none']")
    launcher = (f"hydra.launcher.{each}" for each in (*asked, *more))
    done = here.type(*DRY, "model=qwen3_8b,qwen3_4b", "tracking=off", *engine, *launcher)
    assert done.code == 0, done.err
    found = options(done)
    assert found["gpus-per-node"] == "4"
    assert (found["partition"], found["account"], found["cpus-per-task"], found["mem"]) == ("gpu", "me", "8", "64G")
    assert (found["time"], found["signal"], found["array"]) == ("90", "USR2@60", "0-1%2")
    assert found["exclude"] == "n7"
    assert {"requeue", "exclusive"} <= set(found)
    assert "\nmodule load cuda\n" in done.out
    assert re.search(r"^srun .*--cpu-bind=none .*python\S* -u -m runner.slurm.task ", done.out, re.MULTILINE)
    assert not (tmp_path / "outputs").exists()


def test_packs_that_take_other_gpus_are_another_array(here: Here, tmp_path: Path) -> None:
    points = "[[model=qwen3_4b, engine=vllm], [model=qwen3_8b, engine=vllm, engine.tensor_parallel_size=2]]"
    (tmp_path / "mine.yaml").write_text(f"study: s\ncommon: [tracking=off]\npoints: {points}\n")
    done = here.type(*DRY, "sweep=mine.yaml")
    assert done.code == 0, done.err
    assert re.findall(r"gpus-per-node=(\d)", done.out) == ["1", "2"]


@pytest.mark.parametrize(
    ("given", "said"),
    [
        ("timeout=soon", "hydra.launcher.timeout='soon': "),
        ("timeout=0", "hydra.launcher.timeout=0: "),
        ("sbatch=['--array=1-3']", "--array can't be given here; this program sets it"),
        ("sbatch=['--parsable']", "--parsable can't be given here; this program sets it"),
        ("partitoin=gpu", "hydra.launcher.partitoin"),
    ],
)
def test_a_mistake_in_what_is_asked_of_the_cluster_is_one_line(given: str, said: str, here: Here) -> None:
    done = here.type(*DRY, *SCRIPTED, f"hydra.launcher.{given}")
    assert done.code == 2
    (line,) = done.err.strip().split("\n")
    assert said in line


def test_every_mistake_of_every_point_is_told_before_anything_is_submitted(here: Here, tmp_path: Path) -> None:
    done = here.type("-m", "hydra/launcher=slurm", *SCRIPTED, "budget.tokens=50,9000", "prompt=standard,concyse")
    assert done.code == 2
    assert "holds 8192 tokens" in done.err
    assert "Did you mean concise" in done.err
    assert not (tmp_path / "outputs").exists()


def test_without_slurm_the_way_out_is_told(here: Here, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PATH", "/nowhere")
    done = here.type("-m", "hydra/launcher=slurm", *SCRIPTED, "suite.samples=1")
    assert done.code == 2
    assert "there is no sbatch on this machine" in done.err


def test_points_that_share_their_texts_are_never_in_two_packs() -> None:
    points = [
        point(f"prompt={prompt}", f"budget.tokens={tokens}")
        for tokens in (50, 100, 200)
        for prompt in ("standard", "concise", "step_by_step")
    ]
    (pack,) = packs_of(points)
    parts = split(pack, 4)
    assert [len(part.points) for part in parts] == [3, 3, 3]
    assert all(len({one.settings.prompt.name for one in part.points}) == 1 for part in parts)
    assert [len(part.points) for part in split(pack, 7)] == [6, 3]


def test_a_submission_is_read_back(tmp_path: Path) -> None:
    packs = [(["a", "b"], {"shard": None}), (["c"], {"shard": [4, 1]})]
    made = create(tmp_path / "s", "python -m runner", packs, requeues=3, notice=60).with_job("12")
    assert made.shards == (None, Shard(4, 1))
    assert submissions(tmp_path / "s") == [made]
    files = made.task(1)
    assert files.history().starts == ()
    assert [files.begin(), files.begin()] == [1, 2]
    files.end(1)
    assert (len(files.history().starts), files.history().code) == (2, 1)
    assert files.begin() == 3
    assert files.history().code is None


@pytest.mark.parametrize(("code", "noted"), [(0, 0), (130, None)])
def test_a_job_that_was_cancelled_and_has_all_its_samples_ended_well(
    code: int, noted: int | None, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    pack = SimpleNamespace(run=lambda: code, told=True, noticed=None)
    monkeypatch.setattr(task, "_Pack", lambda *given: pack)
    files = started(tmp_path, monkeypatch)
    assert task.main() == code
    assert files.history().code == noted


def test_a_job_that_cannot_note_its_start_says_why(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    files = started(tmp_path, monkeypatch)
    (files.folder / "pack-0.starts.json").mkdir()
    assert task.main() == 1
    assert re.fullmatch(r"can't write .*pack-0\.starts\.json: .*\n", capsys.readouterr().err)


def started(folder: Path, monkeypatch: pytest.MonkeyPatch) -> TaskFiles:
    """Submit a pack without SLURM and start its task."""
    made = create(folder / "s", "python -m runner", [(["a"], {"shard": None})], 3, 60, source.digest())
    monkeypatch.setattr(sys, "argv", ["task", str(made.folder)])
    monkeypatch.setenv("SLURM_ARRAY_TASK_ID", "0")
    return made.task(0)


def test_a_large_point_is_a_task_for_each_shard(here: Here) -> None:
    done = here.type(*DRY, *SCRIPTED, "suite.samples=10", "budget.tokens=50,100", "shards=4")
    assert done.code == 0, done.err
    assert options(done)["array"] == "0-3%4"
    assert re.search(r"│ all .*│ *8 │ *280 │", done.out)


def test_a_changed_program_is_refused_and_a_copy_is_not(tmp_path: Path) -> None:
    now = source.digest()
    source.check(now)
    with pytest.raises(UserError, match="the program changed after this was submitted") as refused:
        source.check(f"{now[:-1]}{'0' if now[-1] != '0' else '1'}")
    assert "\n" not in str(refused.value)
    source.snapshot(tmp_path / "source")
    more = source.environment(tmp_path / "source")
    told = (
        "import runner.slurm.source as s, runner.config.folder as f; print(s.__file__, f.config_folder(), s.digest())"
    )
    copied = subprocess.run(
        [sys.executable, "-c", told], env={**os.environ, **more}, cwd=ROOT, capture_output=True, text=True
    )
    assert copied.stdout.strip() == (
        f"{tmp_path / 'source' / 'runner' / 'slurm' / 'source.py'} {tmp_path / 'source' / 'conf'} {now}"
    )


def test_jobs_of_a_copy_take_python_s_modules_from_it(here: Here) -> None:
    done = here.type(*DRY, *SCRIPTED, "hydra.launcher.snapshot=true")
    assert re.search(r"^srun .* env PYTHONPATH=\S*/source\S* PYTHONSAFEPATH=1 \S*python", done.out, re.MULTILINE)


def test_the_launcher_over_two_nodes_in_the_documentation_becomes_a_script(here: Here, tmp_path: Path) -> None:
    page = (ROOT / "docs" / "slurm.md").read_text("utf-8")
    (told,) = re.findall(r"```yaml\n# my/(\S+)\n(.*?)```", page, re.DOTALL)
    path = tmp_path / "my" / told[0]
    path.parent.mkdir(parents=True)
    path.write_text(told[1])
    engine = ("engine=vllm", "engine.tensor_parallel_size=8", "engine.pipeline_parallel_size=2")
    asked = ("hydra/launcher=two_nodes", "hydra.launcher.dry_run=true", "model=qwen3_235b_a22b", *engine)
    done = here.type("--config-dir", "my", "-m", *asked)
    assert done.code == 0, done.err
    assert (options(done)["nodes"], options(done)["gpus-per-node"]) == ("2", "8")
    assert "ray start --head --port=6379 --block &\n" in done.out
    assert re.search(r"^srun .*--overlap --nodes=1 --ntasks=1 \S*python", done.out, re.MULTILINE)


def test_the_table_of_the_documentation_is_that_of_the_settings() -> None:
    page = (ROOT / "docs" / "slurm.md").read_text("utf-8")
    told = re.findall(r"^\| `(\w+)` \| `([^`]*)` \| (.*) \|$", page, re.MULTILINE)
    defaults = yaml.safe_load((config_folder() / "hydra" / "launcher" / "slurm.yaml").read_text("utf-8"))
    defaults.pop("_target_")
    written = {name: yaml.safe_load(default) for name, default, _ in told}
    assert written == defaults
    assert {name: text for name, _, text in told} == {
        name: field.description for name, field in SlurmSettings.model_fields.items()
    }
