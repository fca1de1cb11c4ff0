"""The one part that knows submitit: it writes the batch script of an array and hands it to sbatch."""

from __future__ import annotations

import os
import shlex
import sys
from collections.abc import Mapping
from contextlib import redirect_stderr
from io import StringIO
from pathlib import Path
from typing import Any

from submitit import SlurmExecutor
from submitit.core.utils import FailedJobError, FailedSubmissionError

from runner.errors import UserError
from runner.slurm.settings import SlurmSettings


class PackExecutor(SlurmExecutor):
    """Submits arrays whose tasks run a pack each, by its file, where submitit's own unpickle a function.

    Args:
        folder: The submission's folder; logs and script go there too.
        settings: What is asked of the cluster.
        gpus: GPUs of each task, 0 for none.
        tasks: Tasks of the array.
        environment: Variables that its tasks get beside the submitter's.

    Raises:
        UserError: SLURM can't use the folder's name.
    """

    def __init__(
        self, folder: Path, settings: SlurmSettings, gpus: int, tasks: int, environment: Mapping[str, str] | None = None
    ) -> None:
        if "%" in str(folder.absolute()):
            raise UserError(f"outputs={folder}: SLURM reads % in the path of a log; give a folder without it")
        super().__init__(folder.absolute())
        self._more = [f"{name}={value}" for name, value in (environment or {}).items()]
        self.update_parameters(**_parameters(folder.name, settings, gpus, tasks))
        self.parameters["map_count"] = tasks

    @classmethod
    def affinity(cls) -> int:
        """Say that it can be used: the script can be written where there is no SLURM."""
        return 2

    def script(self) -> str:
        """Return what sbatch is given."""
        return self._make_submission_file_text(self._submitit_command_str, "")

    def sbatch(self) -> str:
        """Submit the array; return the array's number.

        Raises:
            UserError: sbatch refuses; says why.
        """
        try:
            with redirect_stderr(StringIO()):  # submitit repeats there what sbatch says
                return str(self._submit_command(self._submitit_command_str).job_id)
        except (FailedJobError, FailedSubmissionError, OSError) as error:
            raise UserError(f"sbatch refuses: {_reason(error)}") from error

    @property
    def _submitit_command_str(self) -> str:
        prefix = ["env", *self._more] if self._more else []
        return shlex.join([*prefix, sys.executable, "-u", "-m", "runner.slurm.task", str(self.folder)])

    def _make_submission_command(self, submission_file_path: Path) -> list[str]:
        # Inside an allocation a job would inherit what that one was given.
        inherited = [name for name in os.environ if name.startswith("SLURM_") and name != "SLURM_CONF"]
        return ["env", *(f"--unset={name}" for name in inherited), "sbatch", str(submission_file_path)]


def _parameters(name: str, settings: SlurmSettings, gpus: int, tasks: int) -> dict[str, Any]:
    more: dict[str, Any] = {} if settings.memory is None else {"mem": settings.memory}
    for option in settings.sbatch:
        option_name, given, value = option.removeprefix("--").partition("=")
        more[option_name] = value if given else True
    return {
        "job_name": name,
        "wckey": None,  # submitit's own would be refused where such keys are checked
        "time": settings.timeout,
        "signal_delay_s": settings.notice,
        "ntasks_per_node": 1,
        "gpus_per_node": gpus or None,
        "cpus_per_task": settings.cpus,
        "partition": settings.partition,
        "account": settings.account,
        "qos": settings.qos,
        "constraint": settings.constraint,
        "array_parallelism": settings.array_parallelism or tasks,
        "stderr_to_stdout": True,
        "setup": list(settings.setup) or None,
        "srun_args": list(settings.srun) or None,
        "additional_parameters": {"requeue": True, **more},
    }


def _reason(error: Exception) -> str:
    lines = [line.strip() for line in str(error).splitlines() if "sbatch: error:" in line]
    said = dict.fromkeys(line.removeprefix("sbatch: error:").strip() for line in lines)
    return "; ".join(said) or " ".join(str(error).split())
