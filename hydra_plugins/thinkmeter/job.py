"""What these plugins work for: this program's own job, and no other program's task."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from hydra.errors import HydraException

if TYPE_CHECKING:
    from runner.app import Job


def job_of(task: Any, plugin: str) -> Job:
    """Return the task as this program's job.

    Raises:
        HydraException: it is another program's.
    """
    from runner.app import Job

    if not isinstance(task, Job):
        raise HydraException(f"{plugin} runs the points of thinkmeter only")
    return task
