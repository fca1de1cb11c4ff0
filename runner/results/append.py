"""A file that only grows: whole pieces or nothing, on the disk within about a second."""

from __future__ import annotations

import os
import threading
from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path

from runner.errors import StorageError
from runner.results.layout import cannot_write

_BLOCK_BYTES = 1 << 16


class AppendFile:
    """A file to append to. One process writes it at a time.

    Attributes:
        path: The file, made if missing; its folder exists.
        end: Bytes of it so far.

    Raises:
        StorageError: from the constructor, the file can't be opened.
    """

    def __init__(self, path: Path) -> None:
        self.path = path
        try:
            self.descriptor = os.open(path, os.O_RDWR | os.O_APPEND | os.O_CREAT, 0o666)
        except OSError as error:
            raise StorageError(cannot_write(path, error)) from error
        self.end = os.fstat(self.descriptor).st_size

    def append(self, data: bytes) -> None:
        """Append ``data``, in one write unless the system takes only a part.

        Raises:
            StorageError: the disk is full or gone; the file is as it was before.
        """
        rest = memoryview(data)
        try:
            while rest:
                rest = rest[os.write(self.descriptor, rest) :]
            self.end += len(data)
        except BaseException as error:  # Ctrl-C between two parts included
            with suppress(OSError):
                self.cut(self.end)
            if isinstance(error, OSError):
                raise StorageError(cannot_write(self.path, error)) from error
            raise

    def cut(self, end: int) -> None:
        """Drop everything from byte ``end`` on."""
        os.ftruncate(self.descriptor, end)
        self.end = end

    def last_line(self) -> int:
        """Return the byte at which the last line begins, whether its newline is there or not."""
        position = max(self.end - 1, 0)  # the last byte may be the newline that ends the line
        while position > 0:
            begin = max(position - _BLOCK_BYTES, 0)
            found = os.pread(self.descriptor, position - begin, begin).rfind(b"\n")
            if found >= 0:
                return begin + found + 1
            position = begin
        return 0

    def cut_torn(self) -> None:
        """Drop a last line without its newline: a killed process did not write it to its end."""
        if self.end and os.pread(self.descriptor, 1, self.end - 1) != b"\n":
            self.cut(self.last_line())

    def sync(self) -> None:
        """Bring what was written to the disk.

        Raises:
            StorageError: the disk is full or gone.
        """
        try:
            os.fsync(self.descriptor)
        except OSError as error:
            raise StorageError(cannot_write(self.path, error)) from error

    def close(self) -> None:
        """Close the file; what was written is the system's now, :meth:`sync` brings it to the disk."""
        os.close(self.descriptor)


class Syncer:
    """Brings files to the disk once a second while something was written, and at the end, beside the work.

    A lost machine costs what was written in the last second or so; a killed process costs nothing.

    Args:
        files: In the order in which they are synced: what others point into comes first.
        interval_s: Seconds between two syncs.
    """

    def __init__(self, files: Sequence[AppendFile], interval_s: float = 1.0) -> None:
        self._files = files
        self._interval_s = interval_s
        self._dirty = False
        self._ended = threading.Event()
        self._failure: StorageError | None = None
        self._thread = threading.Thread(target=self._run, name="sync", daemon=True)
        self._thread.start()

    def written(self) -> None:
        """Say that something was written.

        Raises:
            StorageError: an earlier sync failed, so the disk does not hold what it should.
        """
        self._dirty = True
        self._raise()

    def close(self) -> None:
        """Sync a last time.

        Raises:
            StorageError: this or an earlier sync failed.
        """
        self._ended.set()
        self._thread.join()
        self._sync()
        self._raise()

    def _raise(self) -> None:
        if self._failure is not None:
            raise self._failure

    def _run(self) -> None:
        while not self._ended.wait(self._interval_s):
            self._sync()

    def _sync(self) -> None:
        if not self._dirty:
            return
        self._dirty = False
        for file in self._files:
            try:
                file.sync()
            except StorageError as error:
                self._failure = error
