"""The Hydra side of the command line: from overrides to runs, one point or many."""

from __future__ import annotations

import hashlib
import os
import shlex
import sys
import traceback
from collections.abc import Sequence

from omegaconf import DictConfig
from rich.console import Console

from runner.config.compose import HYDRA_ERRORS, explain, settings_from
from runner.config.folder import config_folder
from runner.errors import StorageError, UserError
from runner.report.console import make_console, print_line

EXIT_FAILED = 1
EXIT_USAGE = 2
EXIT_INTERRUPTED = 130


def main(arguments: Sequence[str]) -> int:
    """Run the point or points that Hydra makes of the arguments; return the exit code."""
    import hydra

    # Hydra would print its own errors and exit with 1; raised, they become one line and exit code 2.
    os.environ["HYDRA_FULL_ERROR"] = "1"
    sys.argv = ["runner", *_with_study(arguments)]
    console = make_console()
    command = shlex.join(["python", "-m", "runner", *arguments])
    codes: list[int] = []

    def point(config: DictConfig) -> None:
        if EXIT_INTERRUPTED not in codes:
            codes.append(_guarded(config, command, console))

    try:
        hydra.main(version_base="1.3", config_path=str(config_folder()), config_name="config")(point)()
    except HYDRA_ERRORS as error:
        print_line(make_console(errors=True), explain(error))
        return EXIT_USAGE
    return max(codes, default=0)


def _guarded(config: DictConfig, command: str, console: Console) -> int:
    """Keep a fault of ours in one point apart from Hydra's errors and from the other points."""
    try:
        return run_one(config, command, console)
    except Exception:
        traceback.print_exc()
        return EXIT_FAILED


def run_one(config: DictConfig, command: str, console: Console) -> int:
    """Run one point; every foreseeable trouble is a message and an exit code."""
    from runner.experiment import run_point

    errors = make_console(errors=True)
    try:
        return run_point(settings_from(config), command, console)
    except UserError as error:
        print_line(errors, str(error))
        return EXIT_USAGE
    except StorageError as error:
        print_line(errors, str(error))
        return EXIT_FAILED
    except KeyboardInterrupt:
        print_line(errors, "broken off; what was generated is kept, the same command goes on from there")
        return EXIT_INTERRUPTED


def _with_study(arguments: Sequence[str]) -> list[str]:
    """Give a multirun without a study's name one that depends only on what it sweeps."""
    listed = list(arguments)
    multirun = any(argument in ("-m", "--multirun") for argument in listed)
    if not multirun or any(argument.startswith("study=") for argument in listed):
        return listed
    swept = sorted(argument for argument in listed if "," in argument or "(" in argument)
    digest = hashlib.sha256("\n".join(swept).encode("utf-8", "surrogatepass")).hexdigest()[:8]
    return [*listed, f"study=adhoc-{digest}"]
