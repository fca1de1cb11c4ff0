"""The Hydra side of the command line: from overrides to runs, one point or many."""

from __future__ import annotations

import hashlib
import os
import shlex
import sys
import traceback
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path

from omegaconf import DictConfig

from runner.config.compose import HYDRA_ERRORS, explain, settings_from
from runner.config.folder import config_folder
from runner.config.settings import Scoring
from runner.errors import EXIT_FAILED, EXIT_INTERRUPTED, EXIT_USAGE, StorageError, UserError
from runner.report.console import make_console, print_line
from runner.results.layout import find_runs


def main(arguments: Sequence[str]) -> int:
    """Run the point or points that Hydra makes of the arguments; return the exit code.

    The points of a multirun are all checked before the first one starts.
    """
    command = shlex.join(["python", "-m", "runner", *arguments])
    multirun = any(argument in ("-m", "--multirun") for argument in arguments)
    arguments = _with_study(arguments) if multirun else list(arguments)
    codes: list[int] = []
    studies: dict[Path, Scoring] = {}
    try:
        if multirun:
            mistakes: list[str] = []
            _each_point(arguments, lambda config: mistakes.extend(check(config, studies)))
            if mistakes:
                return _complain("\n".join(dict.fromkeys(mistakes)), EXIT_USAGE)
        _each_point(arguments, lambda config: codes.append(run(config, command, codes)))
    except HYDRA_ERRORS as error:
        return _complain(explain(error), EXIT_USAGE)
    _show(studies)
    return max(codes, default=0)


def check(config: DictConfig, studies: dict[Path, Scoring]) -> list[str]:
    """Return what is wrong with a point, a line each; loads and writes nothing.

    The folder of a point's study is added to ``studies``, with whose verdicts it is shown.
    """
    from runner.point import prepare

    try:
        settings = settings_from(config)
        point = prepare(settings)
        if not settings.plan:
            studies[point.folder.path.parent] = settings.scoring
    except UserError as error:
        return [f"{_point_typed()}{line}" for line in str(error).split("\n")]
    return []


def run(config: DictConfig, command: str, earlier: Sequence[int]) -> int:
    """Run one point; every trouble is a message and an exit code, so that it costs the other points nothing.

    Args:
        config: The point's configuration.
        command: What the user typed.
        earlier: Exit codes of the points before; after an interrupted one nothing more starts.
    """
    from runner.experiment import run_point

    if EXIT_INTERRUPTED in earlier:
        return EXIT_INTERRUPTED
    try:
        return run_point(settings_from(config), command, make_console())
    except UserError as error:
        return _complain(str(error), EXIT_USAGE)
    except StorageError as error:
        return _complain(str(error), EXIT_FAILED)
    except KeyboardInterrupt:
        return _complain("broken off; what was generated is kept, the same command goes on", EXIT_INTERRUPTED)
    except Exception:  # a fault of ours, kept apart from Hydra's complaints
        traceback.print_exc()
        return EXIT_FAILED


def _show(studies: Mapping[Path, Scoring]) -> None:
    """Print the table of every study that has a run by now."""
    from runner.report.study import show_study

    for study, scoring in studies.items():
        if find_runs(study):
            show_study(study, scoring, make_console())


def _each_point(arguments: Sequence[str], do: Callable[[DictConfig], None]) -> None:
    """Let Hydra compose the points and do something with each."""
    import hydra

    # Hydra would print its own errors and exit with 1; raised, they become one line and exit code 2.
    os.environ["HYDRA_FULL_ERROR"] = "1"
    sys.argv = ["runner", *arguments]
    hydra.main(version_base="1.3", config_path=str(config_folder()), config_name="config")(do)()


def _point_typed() -> str:
    """Return which point of a multirun this is, as the user would type it."""
    from hydra.core.hydra_config import HydraConfig

    return f"{shlex.join(HydraConfig.get().overrides.task)}: "


def _with_study(arguments: Sequence[str]) -> list[str]:
    """Give a multirun without a study's name one that depends only on what it sweeps."""
    from hydra.core.override_parser.overrides_parser import OverridesParser

    typed = [argument for argument in arguments if not argument.startswith("-")]
    overrides = OverridesParser.create().parse_overrides(typed)
    if any(override.key_or_group == "study" for override in overrides):
        return list(arguments)
    swept = sorted(override.input_line or "" for override in overrides if override.is_sweep_override())
    digest = hashlib.sha256("\n".join(swept).encode("utf-8", "surrogatepass")).hexdigest()[:8]
    return [*arguments, f"study=adhoc-{digest}"]


def _complain(message: str, code: int) -> int:
    print_line(make_console(errors=True), message)
    return code
