"""``hydra/sweeper=union``: products of what is typed and ``hydra.sweeper.params``, or the study that a file names."""

from __future__ import annotations

from typing import Any

from hydra._internal.core_plugins.basic_sweeper import BasicSweeper
from hydra.core.config_store import ConfigStore
from hydra.core.override_parser.overrides_parser import OverridesParser
from hydra.types import HydraContext, TaskFunction
from omegaconf import DictConfig

ConfigStore.instance().store(
    group="hydra/sweeper",
    name="union",
    node={"_target_": "hydra_plugins.thinkmeter.union.UnionSweeper", "params": None},
    provider="thinkmeter",
)


class UnionSweeper(BasicSweeper):
    """Gives the launcher all points at once; the launcher composes and checks them."""

    def __init__(self, params: dict[str, str] | None = None) -> None:
        super().__init__(max_batch_size=None, params=params)

    def setup(self, *, hydra_context: HydraContext, task_function: TaskFunction, config: DictConfig) -> None:
        super().setup(hydra_context=hydra_context, task_function=task_function, config=config)
        self._task = task_function

    def sweep(self, arguments: list[str]) -> Any:
        """Launch every point; the job hears of their exit codes.

        Raises:
            HydraException: another program's task, or a point that raised.
        """
        from hydra_plugins.thinkmeter.job import job_of

        job = job_of(self._task, "hydra/sweeper=union")
        assert self.hydra_context is not None
        assert self.launcher is not None
        parser = OverridesParser.create(config_loader=self.hydra_context.config_loader)
        points = job.points([*self._parse_config(), *arguments], parser)
        results = self.launcher.launch([list(point) for point in points], initial_job_idx=0)
        job.codes.extend(result.return_value for result in results)
        return [results]
