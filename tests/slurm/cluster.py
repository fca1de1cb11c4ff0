"""Types commands on the test cluster, and looks at what SLURM and the files say afterwards."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path

from runner.results.layout import find_runs
from tests.end_to_end import command
from tests.end_to_end.command import SCRIPTED, Done

KIT = Path(__file__).resolve().parents[2] / "cluster" / "slurm.sh"
LAUNCHER = ("-m", "hydra/launcher=slurm")
STUDY = ("study=s", *SCRIPTED, "suite.tasks=[sum,mode]")
# A point takes some seconds; nothing but time depends on it.
SLOW = ("engine.step_s=0.02", "engine.window=4", "suite.samples=100")


class Cluster:
    """A user's folder on the cluster."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.environment = {name: os.environ[name] for name in ("SLURM_CONF",)}

    def type(self, *arguments: str, **changes: str) -> Done:
        """Type a command and wait for its end."""
        return command.runner(*arguments, cwd=self.folder, **self.environment, **changes)

    def start(self, *arguments: str) -> subprocess.Popen[str]:
        """Type a command and look away."""
        return command.start(*arguments, cwd=self.folder, **self.environment)

    def ask(self, *words: str) -> list[str]:
        """Return what a program of SLURM's answers, line by line."""
        return subprocess.run(words, check=True, capture_output=True, text=True).stdout.splitlines()

    def start_inside(self, *arguments: str) -> Done:
        """Type a command within a job of its own."""
        words = ["srun", "--ntasks=1", "--gpus=1", sys.executable, "-m", "runner", *arguments]
        done = subprocess.run(words, cwd=self.folder, capture_output=True, text=True)
        return Done(done.returncode, done.stdout, done.stderr)

    def kit(self, *words: str) -> None:
        """Do something to the cluster itself."""
        name, *rest = words
        subprocess.run([str(KIT), name, os.environ["SLURM_TEST_FOLDER"], *rest], check=True)

    def without(self, program: str) -> str:
        """Return a search path on which one program of SLURM's is missing."""
        folder = self.folder / f"no-{program}"
        folder.mkdir()
        for name in ("squeue", "sacct", "scontrol", "scancel", "sbatch", "git"):
            if name != program and (found := shutil.which(name)) is not None:
                (folder / name).symlink_to(found)
        return str(folder)

    def cancel(self) -> None:
        """End all jobs that were submitted from here."""
        names = ",".join(path.parent.name for path in self.folder.glob("outputs/s/.slurm/*/submission.json"))
        if names:
            self.ask("scancel", f"--name={names}")
            self.until(lambda: not self.ask("squeue", "--noheader", f"--name={names}"))

    def submissions(self) -> list[dict[str, object]]:
        """Return what was submitted, the oldest first."""
        found = [json.loads(path.read_bytes()) for path in self.folder.glob("outputs/s/.slurm/*/submission.json")]
        return sorted(found, key=lambda one: int(one["job"] or 0))

    def job(self) -> str:
        """Return the number of the latest array."""
        return str(self.submissions()[-1]["job"])

    def name(self) -> str:
        """Return the name of the latest submission."""
        (path,) = self.folder.glob(f"outputs/s/.slurm/*/{self.job()}_submission.sh")
        return path.parent.name

    def starts(self, index: int = 0) -> int:
        """Return how often a task of the latest array started, by its file."""
        path = self.folder / "outputs/s/.slurm" / self.name() / f"pack-{index}.starts.json"
        return len(json.loads(path.read_bytes())["starts"])

    def logs(self) -> str:
        """Return the logs of all tasks."""
        return "".join(path.read_text() for path in sorted(self.folder.glob("outputs/s/.slurm/*/*_log.out")))

    def states(self) -> list[str]:
        """Return how the tasks of the latest array ended, by SLURM's accounting: state and exit code."""
        asked = ("sacct", "--noheader", "--allocations", "--parsable2", "--format=JobID,State,ExitCode")
        lines: list[str] = []

        def ended() -> bool:
            lines[:] = sorted(self.ask(*asked, f"--jobs={self.job()}"))
            return bool(lines) and not any("|RUNNING|" in line or "|PENDING|" in line for line in lines)

        self.until(ended)
        return [line.partition("|")[2] for line in lines]

    def samples(self) -> dict[str, list[str]]:
        """Return the keys of the stored samples that are no errors, by the name of the run."""
        found = {}
        for folder in find_runs(self.folder / "outputs" / "s"):
            files = [part.generations for part in folder.parts() if part.generations.exists()]
            lines = [json.loads(line) for path in files for line in path.read_bytes().split(b"\n")[:-1]]
            found[folder.path.name] = [
                f"{line['problem_id']}/{line['repeat']}" for line in lines if line["status"] != "error"
            ]
        return found

    def check(self, runs: int, samples: int) -> None:
        """Assert that every sample is there once."""
        found = self.samples()
        assert len(found) == runs
        assert {name: len(keys) for name, keys in found.items()} == dict.fromkeys(found, samples)
        assert all(len(set(keys)) == len(keys) for keys in found.values())

    def check_part(self, samples: int) -> None:
        """Assert that some samples are there, but not all, and none twice."""
        (keys,) = self.samples().values()
        assert 0 < len(set(keys)) == len(keys) < samples

    def await_samples(self, count: int) -> None:
        """Wait until so many samples are stored."""
        self.until(lambda: sum(map(len, self.samples().values())) >= count)

    def until(self, holds: Callable[[], bool], limit_s: float = 180) -> None:
        """Wait until something holds."""
        deadline = time.monotonic() + limit_s
        while not holds():
            assert time.monotonic() < deadline, f"never happened; logs:\n{self.logs()}"
            time.sleep(0.2)
