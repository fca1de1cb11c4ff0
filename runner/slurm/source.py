"""The program that a job runs is the one that submitted it: told by a digest of its source, or kept as a copy."""

from __future__ import annotations

import hashlib
import os
import shutil
from collections.abc import Mapping
from pathlib import Path

from runner.config.folder import config_folder
from runner.errors import StorageError, UserError
from runner.results.layout import cannot_write, write_atomic
from runner.results.run import REVISION_FILE, code_revision

_ROOT = Path(__file__).resolve().parents[2]
_PACKAGES = ("bench", "runner")
_ENVIRONMENTS = ".venv-*"
_LEFT_OUT = ("__pycache__", "*.pyc")


def digest() -> str:
    """Return the revision of this program and twelve hex digits over all files of its packages."""
    total = hashlib.sha256()
    for package in _PACKAGES:
        for path in sorted((_ROOT / package).rglob("*")):
            if path.is_file() and "__pycache__" not in path.parts and not path.name.startswith("."):
                content = hashlib.sha256(path.read_bytes()).hexdigest()
                total.update(f"{path.relative_to(_ROOT)} {content}\n".encode("utf-8", "surrogateescape"))
    return f"{code_revision()} {total.hexdigest()[:12]}"


def check(submitted: str) -> None:
    """Refuse to run what was submitted by another state of this program.

    Raises:
        UserError: its source is another one now.
    """
    now = digest()
    if submitted.split(" ")[-1] != now.split(" ")[-1]:
        raise UserError(
            f"the program changed after this was submitted: then {submitted}, now {now}. Type the command again to "
            "submit what is missing to the program as it is now; hydra.launcher.snapshot=true keeps jobs from changes"
        )


def environment(folder: Path) -> Mapping[str, str]:
    """Return the variables with which Python takes this program from a copy in a folder."""
    paths = [str(folder.absolute()), *filter(None, [os.environ.get("PYTHONPATH")])]
    # Without the second, the folder in which the command was typed would come first.
    return {"PYTHONPATH": os.pathsep.join(paths), "PYTHONSAFEPATH": "1"}


def snapshot(folder: Path) -> None:
    """Copy this program into a folder; :func:`environment` has it used.

    Raises:
        StorageError: the copy can't be written.
    """
    try:
        for package in _PACKAGES:
            shutil.copytree(_ROOT / package, folder / package, ignore=shutil.ignore_patterns(*_LEFT_OUT))
        if not (folder / "runner" / "conf").exists():  # where it is in a program that was installed
            shutil.copytree(config_folder(), folder / "conf")
        for found in _ROOT.glob(_ENVIRONMENTS):  # looked for beside the packages
            (folder / found.name).symlink_to(found)
    except OSError as error:
        raise StorageError(cannot_write(folder, error)) from error
    write_atomic(folder / REVISION_FILE, code_revision().encode("utf-8"))
