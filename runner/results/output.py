"""A file that a user names for what a command found: written whole, and never over a run's own files."""

from __future__ import annotations

import os
import shutil
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TextIO

from runner.errors import StorageError, UserError
from runner.report.console import visible_line
from runner.results.layout import RunFolder, cannot_write, replacing

STANDARD_OUTPUT = "-"


@contextmanager
def writing(given: str, option: str, newline: str | None = None) -> Iterator[TextIO]:
    """Yield where text goes: a file that takes its name once it is whole, standard output, a device or a pipe.

    A link is followed and a file's mode is kept.

    Args:
        given: A path, or ``-`` for standard output.
        option: The option's name, for messages.
        newline: See :func:`open`.

    Raises:
        UserError: the path is empty, a folder, or inside a run's folder, whose files are the record of truth.
        StorageError: it can't be written.
    """
    if given == STANDARD_OUTPUT:
        with _standard_output() as stream:
            yield stream
        return
    target = _checked(given, option)
    if target.exists() and not target.is_file():
        try:
            with target.open("w", encoding="utf-8", newline=newline) as file:
                yield file
        except OSError as error:
            raise StorageError(cannot_write(target, error)) from error
        return
    with replacing(target) as temporary:
        with temporary.open("w", encoding="utf-8", newline=newline) as file:
            yield file
        if target.exists():
            shutil.copymode(target, temporary)


@contextmanager
def _standard_output() -> Iterator[TextIO]:
    try:
        yield sys.stdout
        sys.stdout.flush()
    except BrokenPipeError:  # its reader has gone, which is no fault
        raise
    except OSError as error:
        os.dup2(os.open(os.devnull, os.O_WRONLY), 1)  # what is still held would fail once more at the end
        raise StorageError(f"can't write standard output: {error.strerror or error}") from error


def _checked(given: str, option: str) -> Path:
    """Return the path, with links to files followed, if it may be written."""
    target, name = Path(given), visible_line(given)
    if not given or target.is_dir():
        raise UserError(f"{option} {given!r}: that is no file; give the name of one, or - for standard output")
    if target.exists() and not target.is_file():
        return target  # a device or pipe, whose name may not resolve
    target = target.resolve()
    if not target.parent.is_dir():
        raise UserError(f"{option} {name}: there is no folder {visible_line(target.parent)}; make it first")
    if any(RunFolder(folder).run_json.exists() for folder in target.parents):
        raise UserError(f"{option} {name}: that lies in a run's folder, whose files are the record; write elsewhere")
    return target
