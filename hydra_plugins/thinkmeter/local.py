"""``hydra/launcher=local``: runs all points on this machine, those that share a model on one loaded engine."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from hydra.core.config_store import ConfigStore
from hydra.core.utils import JobReturn, JobStatus, setup_globals
from hydra.plugins.launcher import Launcher
from hydra.types import HydraContext, TaskFunction
from omegaconf import DictConfig

if TYPE_CHECKING:
    from runner.app import CarryOut

ConfigStore.instance().store(
    group="hydra/launcher",
    name="local",
    node={"_target_": "hydra_plugins.thinkmeter.local.LocalLauncher"},
    provider="thinkmeter",
)


class LocalLauncher(Launcher):
    """Composes the points, each once, and hands them all to the job."""

    _elsewhere = False  # whether other machines run the points

    def setup(self, *, hydra_context: HydraContext, task_function: TaskFunction, config: DictConfig) -> None:
        self._loader = hydra_context.config_loader
        self._task = task_function
        self._config = config

    def launch(self, job_overrides: Sequence[Sequence[str]], initial_job_idx: int) -> Sequence[JobReturn]:
        """Run the points; every one returns the exit code of all.

        Raises:
            HydraException: another program's task.
        """
        from runner.sweep import run_sweep

        return self.run_all("hydra/launcher=local", job_overrides, run_sweep)

    def run_all(self, name: str, job_overrides: Sequence[Sequence[str]], carry_out: CarryOut) -> Sequence[JobReturn]:
        """Compose and check the points and let ``carry_out`` run those that passed, in the name of a launcher.

        Raises:
            HydraException: another program's task.
        """
        from hydra_plugins.thinkmeter.composing import Composer
        from hydra_plugins.thinkmeter.job import job_of

        setup_globals()
        compose = Composer(self._loader, self._config).compose
        code = job_of(self._task, name).run(job_overrides, compose, carry_out, self._elsewhere)
        return [_returned(overrides, code) for overrides in job_overrides]


def _returned(overrides: Sequence[str], code: int) -> JobReturn:
    result = JobReturn(overrides=list(overrides), status=JobStatus.COMPLETED)
    result.return_value = code
    return result
