"""What a user asks of the cluster: the settings of ``hydra/launcher=slurm``."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Annotated, Any

from pydantic import AfterValidator, Field, ValidationError

from runner.config.fields import Group, Line, Natural, Positive
from runner.errors import UserError

# What this program sets itself, so that a job is found again and goes on where it stopped.
_TAKEN = frozenset(
    {"array", "chdir", "error", "job-name", "no-requeue", "open-mode", "output"}
    | {"parsable", "requeue", "signal", "test-only", "time", "wait"}
)


def _free(options: tuple[str, ...]) -> tuple[str, ...]:
    for option in options:
        name, _, _ = option.partition("=")
        if not name.startswith("--"):
            raise ValueError(f"{option} must be a long option with its value behind =, as in --exclude=node7")
        if name.removeprefix("--") in _TAKEN:
            raise ValueError(f"{name} can't be given here; this program sets it")
    return options


class SlurmSettings(Group):
    """Where and how the packs of a sweep run on a cluster; null leaves a choice to the cluster."""

    partition: Line | None = Field(description="Partition")
    account: Line | None = Field(description="Account that is charged")
    qos: Line | None = Field(description="Quality of service")
    constraint: Line | None = Field(description="Features that a node must have")
    gpus: Natural | None = Field(description="GPUs of a node for each pack; null: what its engine takes")
    cpus: Positive | None = Field(description="CPU cores for each pack")
    memory: Line | None = Field(description="Main memory for each pack, as sbatch reads it: `64G`")
    timeout: Positive = Field(description="Minutes a job may take; one that needs longer goes on in the next")
    notice: Positive = Field(description="Seconds before that at which it stops and stores what it has")
    requeues: Natural = Field(description="How often a job that was stopped or lost its node starts again by itself")
    pack_size: Positive | None = Field(description="Points of a job at most; null: all that share an engine")
    array_parallelism: Positive | None = Field(description="Jobs of an array that run at a time at most")
    wait: bool = Field(description="Show the jobs until they have ended, then the table; false returns at once")
    dry_run: bool = Field(description="Print what would be submitted, submit nothing")
    snapshot: bool = Field(description="Jobs run a copy of this program; false refuses to run it once it has changed")
    setup: tuple[Line, ...] = Field(description="Lines of shell that a job runs before it starts")
    sbatch: Annotated[tuple[Line, ...], AfterValidator(_free)] = Field(
        description="Further options of sbatch, as in `['--exclude=node7']`"
    )
    srun: tuple[Line, ...] = Field(description="Further options of srun")


def read_slurm(plain: Mapping[str, Any]) -> SlurmSettings:
    """Return the settings that a configuration holds.

    Raises:
        UserError: a line for each mistake.
    """
    try:
        return SlurmSettings.model_validate(plain)
    except ValidationError as error:
        raise UserError("\n".join(_explain(detail) for detail in error.errors())) from error


def _explain(detail: Any) -> str:
    place = ".".join(str(part) for part in detail["loc"])
    message = detail["msg"].removeprefix("Value error, ")
    return f"hydra.launcher.{place}={detail['input']!r}: {message[0].lower()}{message[1:]}"
