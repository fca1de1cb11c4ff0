"""Which tracker a run gets."""

from __future__ import annotations

import os

from runner.config.settings import TrackingSettings, WandbTracking
from runner.errors import UserError
from runner.tracking.base import MAX_NAME, Tracker
from runner.tracking.off import OffTracker

_CLIENT_MODES = ("", "online", "offline", "disabled", "dryrun", "run", "shared")
_REFUSED_IN_PROJECT = "/\\#?%:"


def make_tracker(settings: TrackingSettings) -> Tracker:
    """Return the tracker that the settings ask for; it serves any number of runs, one after the other.

    Raises:
        UserError: W&B would refuse the project's name or the mode that the environment names.
    """
    if not isinstance(settings, WandbTracking):
        return OffTracker()
    project = settings.project
    if len(project) > MAX_NAME or any(character in _REFUSED_IN_PROJECT for character in project):
        raise UserError(
            f"tracking.project={project!r}: W&B takes at most {MAX_NAME} characters and none of "
            f"{' '.join(_REFUSED_IN_PROJECT)}; choose another name or tracking=off"
        )
    mode = os.environ.get("WANDB_MODE", "")
    if mode not in _CLIENT_MODES:
        raise UserError(f"WANDB_MODE={mode}: no such mode; give online, offline or disabled, or unset it")
    from runner.tracking.wandb import WandbTracker

    return WandbTracker(settings)
