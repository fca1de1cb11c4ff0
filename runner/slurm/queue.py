"""What SLURM knows: jobs that wait or run, how others ended. Its programs are the only way that this one asks it."""

from __future__ import annotations

import os
import shutil
import subprocess
from collections.abc import Iterable
from dataclasses import dataclass

from runner.errors import UserError

_PATIENCE_S = 60.0
_DEFAULT_ARRAY = 1001  # SLURM's own default of MaxArraySize
# A job that will start, as opposed to one that did.
_WAITING = frozenset({"PENDING", "REQUEUED", "REQUEUE_HOLD", "REQUEUE_FED", "RESV_DEL_HOLD", "SPECIAL_EXIT"})
_WHY = {"None": "it was just submitted"}


@dataclass(frozen=True, slots=True)
class Job:
    """A job that waits or runs.

    Attributes:
        id: ``array_index``.
        running: Whether it has begun.
        note: Its node, or why it waits.
    """

    id: str
    running: bool
    note: str


def require(program: str = "sbatch") -> None:
    """Refuse to go on where there is no SLURM.

    Raises:
        UserError: says so.
    """
    if shutil.which(program) is None:
        raise UserError(
            f"hydra/launcher=slurm: there is no {program} on this machine. Type it where jobs can be submitted, take "
            "hydra/launcher=local, or see what would be submitted with hydra.launcher.dry_run=true"
        )


def jobs_in_queue(names: Iterable[str]) -> dict[tuple[str, int], Job]:
    """Return the jobs of these names that wait or run, by name and index in their array.

    Raises:
        UserError: SLURM does not answer.
    """
    wanted = sorted(set(names))
    if not wanted:
        return {}
    lines = _ask("squeue", "--noheader", "--array", "--format=%j|%F|%K|%T|%N|%r", f"--name={','.join(wanted)}")
    found = {}
    for line in lines:
        name, array, index, state, nodes, reason = line.split("|", 5)
        running = state not in _WAITING
        found[name, int(index)] = Job(f"{array}_{index}", running, nodes if running else _WHY.get(reason, reason))
    return found


def ends_of(arrays: Iterable[str]) -> dict[str, str]:
    """Return how SLURM's accounting says the jobs of arrays ended, e.g. ``CANCELLED by 0``; none where it is off."""
    wanted = sorted(set(arrays))
    if not wanted:
        return {}
    asked = ("--noheader", "--allocations", "--parsable2", "--format=JobID,State", f"--jobs={','.join(wanted)}")
    try:
        return dict(line.split("|", 1) for line in _ask("sacct", *asked))
    except UserError:
        return {}


def largest_array() -> int:
    """Return how many tasks an array may have."""
    value = _configured("MaxArraySize")
    return max(1, int(value) - 1) if value.isdecimal() else _DEFAULT_ARRAY - 1


def cluster_name() -> str:
    """Return what the cluster is called, empty where there is none or it does not answer."""
    named = os.environ.get("SLURM_CLUSTER_NAME")
    if named or shutil.which("scontrol") is None:
        return named or ""
    try:
        return _configured("ClusterName")
    except UserError:
        return ""


def is_over(cluster: str, job: str) -> bool:
    """Whether this cluster, if it is the one of that name, says that it no longer has a job waiting or running."""
    if not cluster or cluster != cluster_name():
        return False
    try:
        return not _ask("squeue", "--noheader", "--format=%T", f"--jobs={job}")
    except UserError as error:
        return "Invalid job id" in str(error)


def cancel(names: Iterable[str]) -> None:
    """End all jobs of these names.

    Raises:
        UserError: SLURM refuses, or does not answer.
    """
    wanted = sorted(set(names))
    if wanted:
        _ask("scancel", f"--name={','.join(wanted)}")


def requeue(job: str) -> None:
    """Let a running job start again.

    Raises:
        UserError: SLURM refuses, or does not answer.
    """
    _ask("scontrol", "requeue", job)


def _configured(wanted: str) -> str:
    for line in _ask("scontrol", "show", "config"):
        name, _, value = line.partition("=")
        if name.strip() == wanted:
            return value.strip()
    return ""


def _ask(*command: str) -> list[str]:
    try:
        done = subprocess.run(command, capture_output=True, text=True, timeout=_PATIENCE_S)
    except (OSError, subprocess.SubprocessError) as error:
        raise UserError(f"{command[0]} does not answer: {error}") from error
    if done.returncode:
        raise UserError(f"{command[0]} says: {' '.join(done.stderr.split())}")
    return done.stdout.splitlines()
