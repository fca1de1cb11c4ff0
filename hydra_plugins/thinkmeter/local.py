"""``hydra/launcher=local``: runs all points on this machine, those that share a model on one loaded engine."""

from __future__ import annotations

from collections.abc import Sequence

from hydra.core.config_store import ConfigStore
from hydra.core.hydra_config import HydraConfig
from hydra.core.utils import JobReturn, JobStatus, setup_globals
from hydra.plugins.launcher import Launcher
from hydra.types import HydraContext, TaskFunction
from omegaconf import DictConfig, open_dict, read_write

ConfigStore.instance().store(
    group="hydra/launcher",
    name="local",
    node={"_target_": "hydra_plugins.thinkmeter.local.LocalLauncher"},
    provider="thinkmeter",
)


class LocalLauncher(Launcher):
    """Composes the points, each once, and hands them all to the job."""

    def setup(self, *, hydra_context: HydraContext, task_function: TaskFunction, config: DictConfig) -> None:
        self._loader = hydra_context.config_loader
        self._task = task_function
        self._config = config

    def launch(self, job_overrides: Sequence[Sequence[str]], initial_job_idx: int) -> Sequence[JobReturn]:
        """Run the points; every one returns the exit code of all.

        Raises:
            HydraException: another program's task.
        """
        from hydra_plugins.thinkmeter.job import job_of

        setup_globals()
        code = job_of(self._task, "hydra/launcher=local").run(job_overrides, self._compose)
        return [_returned(overrides, code) for overrides in job_overrides]

    def _compose(self, overrides: Sequence[str]) -> DictConfig:
        config = self._loader.load_sweep_config(self._config, list(overrides))
        HydraConfig.instance().set_config(config)  # ${hydra:...} in a user's file is resolved by it
        with read_write(config), open_dict(config):
            del config["hydra"]
        return config


def _returned(overrides: Sequence[str], code: int) -> JobReturn:
    result = JobReturn(overrides=list(overrides), status=JobStatus.COMPLETED)
    result.return_value = code
    return result
