"""``hydra/launcher=slurm``: hands all points to a SLURM cluster; ``conf/hydra/launcher/slurm.yaml`` has its keys."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from typing import Any

from hydra.core.utils import JobReturn
from omegaconf import OmegaConf

from hydra_plugins.thinkmeter.local import LocalLauncher


class SlurmLauncher(LocalLauncher):
    """Composes the points as the local launcher does; the job submits them.

    Args:
        asked: What is asked of the cluster, see :class:`runner.slurm.settings.SlurmSettings`.
    """

    _elsewhere = True

    def __init__(self, **asked: Any) -> None:
        self._asked: Any = OmegaConf.to_container(OmegaConf.create(asked))

    def launch(self, job_overrides: Sequence[Sequence[str]], initial_job_idx: int) -> Sequence[JobReturn]:
        """Submit the points; every one returns the exit code of all.

        Raises:
            HydraException: another program's task.
            UserError: a mistake in what is asked of the cluster, or SLURM is not there or refuses.
        """
        from runner.slurm.settings import read_slurm
        from runner.slurm.submit import submit_sweep

        return self.run_all("hydra/launcher=slurm", job_overrides, partial(submit_sweep, read_slurm(self._asked)))
