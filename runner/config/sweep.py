"""Studies in files: a union of products of choices, written as what a user would type."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path

from hydra._internal.core_plugins.basic_sweeper import BasicSweeper
from hydra.core.override_parser.overrides_parser import OverridesParser
from hydra.core.override_parser.types import Override
from hydra.errors import HydraException
from pydantic import BaseModel, ConfigDict, Field, ValidationError

from runner.config.compose import near
from runner.config.folder import sweeps_folder
from runner.config.plain_yaml import read_plain
from runner.errors import UserError


class _File(BaseModel):
    model_config = ConfigDict(extra="forbid", strict=True, frozen=True)

    study: str = Field(min_length=1)
    common: list[str] = []
    points: list[list[str]] = Field(min_length=1)


@dataclass(frozen=True, slots=True)
class Sweep:
    """A study read from a file.

    Attributes:
        where: The file, as it is named in messages.
        study: The study's name.
        common: Overrides of every point.
        points: Overrides of each entry; those with several values make it a product.
    """

    where: str
    study: str
    common: tuple[str, ...]
    points: tuple[tuple[str, ...], ...]


@dataclass(frozen=True, slots=True)
class PointAsked:
    """One point as overrides.

    Attributes:
        overrides: One value each.
        label: How a message names the point.
    """

    overrides: tuple[str, ...]
    label: str


def read_sweep(given: str) -> Sweep:
    """Read a study by its name in ``sweeps/``, or by the path of a user's own file.

    Raises:
        UserError: there is no such file, or it does not hold a study; names the file.
    """
    path = _find(given)
    try:
        plain = read_plain(path)
    except (OSError, ValueError) as error:
        raise UserError(f"{path} can't be read: {' '.join(str(error).split())}") from error
    try:
        read = _File.model_validate(plain)
    except ValidationError as error:
        first = error.errors()[0]
        place = ".".join(str(part) for part in first["loc"]) or "the file"
        raise UserError(
            f"{path}: {place}: {first['msg'][0].lower()}{first['msg'][1:]}; a sweep has the keys study, common "
            "(a list of overrides) and points (a list of lists of overrides); quote an override that has commas"
        ) from error
    return Sweep(str(path), read.study, tuple(read.common), tuple(map(tuple, read.points)))


def sweep_names() -> list[str]:
    """Return the names of the studies that come with this program."""
    return sorted(path.stem for path in sweeps_folder().glob("*.yaml"))


def union(sweep: Sweep, typed: Sequence[str], parser: OverridesParser) -> list[PointAsked]:
    """Return every point of a study once, in the order of the file.

    Args:
        sweep: The study.
        typed: Overrides that the user added; they beat those of the file in all points.
        parser: Hydra's, so that choices, ranges and globs mean what they mean on a command line.

    Raises:
        UserError: an override of the file can't be read; names file and entry.
        HydraException: a typed one can't be read.
    """
    added = parser.parse_overrides(list(typed))
    common = _parsed(sweep.common, f"{sweep.where}: common", parser)
    found: dict[tuple[str, ...], PointAsked] = {}
    for number, entry in enumerate(sweep.points, start=1):
        label = f"{sweep.where}: point {number}"
        own = _parsed(entry, label, parser)
        for overrides in product([*common, *own, *added], label):
            found.setdefault(overrides, PointAsked(overrides, f"{label} ({' '.join(overrides)})"))
    return list(found.values())


def product(overrides: Sequence[Override], label: str) -> Iterable[tuple[str, ...]]:
    """Yield the product over the overrides' values; of two overrides of one key the later counts.

    Raises:
        UserError: a sweep without a finite list of values, such as ``interval(0, 1)``; names the point.
    """
    try:
        (points,) = BasicSweeper.split_arguments(list(overrides), None)
    except HydraException as error:
        raise UserError(f"{label}: {error}; give the values one by one, or range(...)") from error
    return map(tuple, points)


def _find(given: str) -> Path:
    named = sweeps_folder() / f"{given}.yaml"
    if given in sweep_names():
        return named
    own = Path(given).expanduser()
    if own.is_file():
        return own
    names = sweep_names()
    raise UserError(
        f"sweep={given}: no such sweep.{near(given, names)} Give the path of a file of your own, or one of: "
        f"{', '.join(names) or 'none here'}"
    )


def _parsed(overrides: Sequence[str], label: str, parser: OverridesParser) -> list[Override]:
    try:
        parsed = parser.parse_overrides(list(overrides))
    except HydraException as error:
        raise UserError(f"{label}: {' '.join(str(error).split())}") from error
    if fixed := [override.key_or_group for override in parsed if override.key_or_group in ("study", "sweep", "plan")]:
        raise UserError(f"{label}: {fixed[0]} can't be an override in a file; study is a key of the file itself")
    return parsed
