"""The Hydra side of the command line: from overrides to points that have passed all checks, then to runs."""

from __future__ import annotations

import hashlib
import os
import shlex
import sys
from collections.abc import Callable, Iterator, Sequence

from hydra.core.override_parser.overrides_parser import OverridesParser
from omegaconf import DictConfig
from rich.console import Console

from runner.config.compose import HYDRA_ERRORS, explain, quoted, settings_from
from runner.config.folder import config_folder
from runner.config.study import same_effect
from runner.config.sweep import Sweep, product, read_sweep, union
from runner.errors import EXIT_USAGE, UserError
from runner.point import Point, prepare
from runner.report.console import make_console, print_line
from runner.sweep import complain, run_alone

Compose = Callable[[Sequence[str]], DictConfig]
CarryOut = Callable[[Sequence[Point], str, Console], int]
_LAUNCHES = "hydra/launcher=slurm"
_NAMED = 3  # points of one refusal that are named


class Job:
    """What a command asks for, in the hands of Hydra: its task function, and what our sweeper and launcher call.

    Args:
        command: What the user typed.
        sweep: The study that it names, None if it names none.

    Attributes:
        codes: Exit codes so far.
    """

    def __init__(self, command: str, sweep: Sweep | None) -> None:
        self._command = command
        self._sweep = sweep
        self._labels: dict[tuple[str, ...], str] = {}
        self.codes: list[int] = []

    def __call__(self, config: DictConfig) -> int:
        """Run one point on its own: without ``-m``, or where a launcher of another kind starts it."""
        try:
            code = run_alone(prepare(settings_from(config)), self._command, make_console())
        except UserError as error:
            code = complain(str(error), EXIT_USAGE)
        self.codes.append(code)
        return code

    def points(self, typed: Sequence[str], parser: OverridesParser) -> list[tuple[str, ...]]:
        """Return the overrides of every point of a multirun.

        Raises:
            UserError: the study's file is wrong, or a sweep has no finite list of values.
            HydraException: what was typed can't be read.
        """
        if self._sweep is None:
            return list(product(parser.parse_overrides(list(typed)), shlex.join(typed)))
        asked = union(self._sweep, typed, parser)
        self._labels = {point.overrides: point.label for point in asked}
        return [point.overrides for point in asked]

    def run(self, points: Sequence[Sequence[str]], compose: Compose, carry_out: CarryOut, elsewhere: bool) -> int:
        """Check all points, then run them all; return the exit code.

        Args:
            points: The overrides of each.
            compose: Composes the configuration of a point.
            carry_out: Runs the points that passed, each once, given what was typed and where to print.
            elsewhere: Whether it does so on other machines.
        """
        mistakes: dict[str, list[str]] = {}
        ready: dict[str, Point] = {}
        for overrides in points:
            try:
                point = prepare(settings_from(compose(overrides)), elsewhere=elsewhere)
                ready.setdefault(point.settings.model_dump_json(), point)
            except UserError as error:
                for reason in str(error).split("\n"):
                    mistakes.setdefault(reason, []).append(self._label(overrides))
            except HYDRA_ERRORS as error:
                mistakes.setdefault(explain(error), []).append(self._label(overrides))
        mistakes = mistakes or {reason: [] for reason in same_effect([one.settings for one in ready.values()])}
        if mistakes:
            return complain("\n".join(map(_refusal, mistakes, mistakes.values())), EXIT_USAGE)
        console = make_console()
        if len(ready) < len(points):
            print_line(console, f"{len(points) - len(ready)} of {len(points)} points are named twice and run once")
        return carry_out(list(ready.values()), self._command, console)

    def _label(self, overrides: Sequence[str]) -> str:
        return self._labels.get(tuple(overrides)) or shlex.join(overrides)


def _refusal(reason: str, labels: Sequence[str]) -> str:
    """Say once why points are refused, and which: of many the first few."""
    points = list(dict.fromkeys(labels))
    if len(points) < 2:
        return ": ".join([*points, reason])
    first = f", the first {_NAMED} of them" if len(points) > _NAMED else ""
    return "\n  ".join([reason, f"at {len(points)} points{first}:", *points[:_NAMED]])


def main(arguments: Sequence[str]) -> int:
    """Run the point or points that Hydra makes of the arguments; return the exit code."""
    import hydra

    command = shlex.join(["python", "-m", "runner", *arguments])
    # Hydra would print its own errors and exit with 1; raised, they become one line and exit code 2.
    os.environ["HYDRA_FULL_ERROR"] = "1"
    try:
        sweep, hydra_arguments = _read(arguments)
        job = Job(command, sweep)
        sys.argv = ["runner", *hydra_arguments]
        hydra.main(version_base="1.3", config_path=str(config_folder()), config_name="config")(job)()
    except UserError as error:
        return complain(str(error), EXIT_USAGE)
    except HYDRA_ERRORS as error:
        return complain(explain(error), EXIT_USAGE)
    return max(job.codes, default=0)


def _read(arguments: Sequence[str]) -> tuple[Sweep | None, list[str]]:
    """Return the study that is named, and the arguments that Hydra gets; a multirun has a study's name then.

    Raises:
        UserError: there is no such study, or more than one is named.
    """
    if _LAUNCHES in arguments and not _is_multirun(arguments):  # Hydra asks a launcher for multiruns alone
        arguments = ["--multirun", *arguments]
    named = [argument.removeprefix("sweep=") for argument in arguments if argument.startswith("sweep=")]
    rest = [argument for argument in arguments if not argument.startswith("sweep=")]
    if not named:
        return None, _with_study(rest) if _is_multirun(rest) else rest
    if len(named) > 1:
        raise UserError(f"sweep={','.join(named)}: give one sweep at a time")
    sweep = read_sweep(named[0])
    if any(argument.startswith("hydra/sweeper=") for argument in rest):
        raise UserError(f"sweep={named[0]} is read by this program's own sweeper; leave hydra/sweeper out")
    study = [] if any(name == "study" for name, _ in _typed(rest)) else [f"study={quoted(sweep.study)}"]
    return sweep, [*rest, *study, *([] if _is_multirun(rest) else ["--multirun"])]


def _is_multirun(arguments: Sequence[str]) -> bool:
    return any(argument in ("-m", "--multirun") for argument in arguments)


def _with_study(arguments: Sequence[str]) -> list[str]:
    """Give a multirun without a study's name one that depends only on what it sweeps."""
    typed = list(_typed(arguments))
    if any(name == "study" for name, _ in typed):
        return list(arguments)
    swept = sorted(line for _, line in typed if line is not None)
    digest = hashlib.sha256("\n".join(swept).encode("utf-8", "surrogatepass")).hexdigest()[:8]
    return [*arguments, f"study=adhoc-{digest}"]


def _typed(arguments: Sequence[str]) -> Iterator[tuple[str, str | None]]:
    """Yield the name of every override, with the override itself if it makes a sweep."""
    from hydra._internal.utils import get_args_parser

    typed = get_args_parser().parse_known_intermixed_args(list(arguments))[0].overrides
    for override in OverridesParser.create().parse_overrides(typed):
        sweeps = override.is_sweep_override() or override.key_or_group.startswith("hydra.sweeper")
        yield override.key_or_group, (override.input_line if sweeps else None)
