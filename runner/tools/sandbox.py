"""A sandbox as this program sees it: started, asked for calls, thrown away; and which kind this machine can have."""

from __future__ import annotations

import contextlib
import itertools
import os
import random
import shutil
import signal
import socket
import struct
import subprocess
import tempfile
import time
from dataclasses import dataclass
from json import dumps
from pathlib import Path

from runner.tools.launch import Limits, SandboxKind, bare_command, code_archive, command
from runner.tools.seccomp import filter_program

_START_S = 20.0  # a busy machine takes long to start a process
_END_S = 5.0  # and to end one
_GRACE_S = 5.0  # beyond a call's wall time: process 1 ends the call itself and answers
_STATUSES = frozenset(
    ("ready", "ok", "raised", "signal", "exit", "time", "cpu", "memory", "processes", "files", "output")
)
# Users that no account has (systemd keeps these for passing services); each sandbox of root gets another one.
_FIRST_UID, _UIDS = 61_184, 4_000
_uids = itertools.count(random.SystemRandom().randrange(_UIDS))


class SandboxError(Exception):
    """The sandbox itself failed: it can't be started, was killed, or does not keep to the protocol."""


@dataclass(frozen=True, slots=True)
class ProgramResult:
    """What became of a call.

    Attributes:
        status: ``ok``; ``raised`` (an error, or an exit code other than 0); ``signal``; ``exit`` (a session's process
            ended); ``sandbox`` (the sandbox was lost); or the limit that was hit: ``time``, ``cpu``, ``memory``,
            ``processes``, ``files``, ``output``.
        exit_code: Negative for the signal that ended it.
        stdout: Decoded as UTF-8; what is no UTF-8 is replaced. With the errors where they are not apart.
        stderr: The same.
        seconds: From the question to the answer.
    """

    status: str
    exit_code: int
    stdout: str
    stderr: str
    seconds: float

    @property
    def ok(self) -> bool:
        """Whether it ended by itself and well."""
        return self.status == "ok"


class Sandbox:
    """One sandbox; the constructor returns at once, while it starts. Not for two threads at a time.

    Programs run each in a fresh process. Cells share one interpreter, so a sandbox that ran one is for one sample
    alone. Process 1 ends, and everything with it, once the link to it is closed: also when this program is killed.

    Args:
        kind: What keeps the code in.
        limits: Of every call.

    Attributes:
        reusable: Whether the next program finds it as the first one did.
    """

    def __init__(self, kind: SandboxKind, limits: Limits) -> None:
        self.reusable = True
        self._limits = limits
        self._ready = self._closed = False
        self._folder = tempfile.mkdtemp(prefix="tools-") if kind is SandboxKind.NONE else None
        self._link, theirs = socket.socketpair()
        try:
            self._process = _start(kind, limits, theirs, self._folder)
        except BaseException:
            self._link.close()
            self._drop_folder()
            raise
        finally:
            theirs.close()

    def run(self, source: str, stdin: str = "", *, apart: bool = False) -> ProgramResult:
        """Run a program in a fresh process; ``apart`` keeps errors out of its standard output. Never raises."""
        return self._call({"op": "program", "source": source, "stdin": stdin, "apart": apart})

    def cell(self, source: str) -> ProgramResult:
        """Run a cell with the variables of the cells before. Never raises."""
        return self._call({"op": "cell", "source": source})

    def wait_ready(self) -> None:
        """Wait until it has started.

        Raises:
            SandboxError: it can't be started, with the reason.
        """
        if self._closed:
            raise SandboxError("it is closed")
        if not self._ready:
            if self._receive(time.monotonic() + _START_S)[0] != "ready":
                raise SandboxError("it does not keep to the protocol")
            self._ready = True
            self._drop_errors()  # so that a sandbox holds one descriptor here

    def hang_up(self) -> None:
        """Let everything in it end, without waiting; a call that runs in another thread ends as well."""
        self.reusable = False
        with contextlib.suppress(OSError):
            self._link.shutdown(socket.SHUT_RDWR)

    @property
    def has_ended(self) -> bool:
        """Whether everything in it has ended."""
        return self._process.poll() is not None

    def close(self) -> None:
        """End everything in it, wait for that, and free what it holds here."""
        self.hang_up()
        self._closed = True
        self._link.close()
        try:
            self._process.wait(_END_S)
        except subprocess.TimeoutExpired:
            self._kill()
        self._drop_errors()
        self._drop_folder()

    def _call(self, request: dict[str, object]) -> ProgramResult:
        start = time.monotonic()
        try:
            self.wait_ready()
            deadline = time.monotonic() + self._limits.wall_s + _GRACE_S
            self._send(dumps(request).encode("ascii"), deadline)
            status, code, out, err = self._receive(deadline)
        except SandboxError as error:
            self.close()
            return ProgramResult("sandbox", 0, "", str(error), time.monotonic() - start)
        return ProgramResult(status, code, out, err, time.monotonic() - start)

    def _send(self, body: bytes, deadline: float) -> None:
        try:
            self._link.settimeout(max(0.01, deadline - time.monotonic()))
            self._link.sendall(struct.pack(">I", len(body)) + body)
        except OSError as error:
            raise SandboxError(self._lost(error)) from error

    def _receive(self, deadline: float) -> tuple[str, int, str, str]:
        size = struct.unpack(">I", self._exactly(4, deadline))[0]
        if size > 2 * self._limits.output_bytes + 1000:
            raise SandboxError(f"it answers with {size} bytes, more than it may")
        head, _, body = self._exactly(size, deadline).partition(b"\n")
        try:
            status, code, out_size, reusable = head.decode("ascii").split()
            split = int(out_size)
            self.reusable = self.reusable and reusable == "1"
            exit_code = int(code)
        except ValueError as error:
            raise SandboxError("it does not keep to the protocol") from error
        if status not in _STATUSES:
            raise SandboxError("it does not keep to the protocol")
        return status, exit_code, body[:split].decode("utf-8", "replace"), body[split:].decode("utf-8", "replace")

    def _exactly(self, size: int, deadline: float) -> bytes:
        data = bytearray()
        while len(data) < size:
            try:
                self._link.settimeout(max(0.01, deadline - time.monotonic()))
                part = self._link.recv(min(size - len(data), 1 << 20))
            except OSError as error:
                raise SandboxError(self._lost(error)) from error
            if not part:
                raise SandboxError(self._lost(None))
            data += part
        return bytes(data)

    def _drop_errors(self) -> None:
        if self._process.stderr is not None:
            self._process.stderr.close()
            self._process.stderr = None

    def _drop_folder(self) -> None:
        """Remove the folder, in case that process 1 was killed before it could."""
        if self._folder is not None:
            shutil.rmtree(self._folder, ignore_errors=True)

    def _kill(self) -> None:
        """Kill what started process 1, and process 1 itself."""
        for file in Path(f"/proc/{self._process.pid}/task").glob("*/children"):
            for child in file.read_text().split():
                with contextlib.suppress(OSError):
                    os.kill(int(child), signal.SIGKILL)
        self._process.kill()
        self._process.wait()

    def _lost(self, error: OSError | None) -> str:
        """Return why it does not answer; what started it may have said so."""
        if isinstance(error, TimeoutError):
            return "it does not answer in time"
        said = ""
        with contextlib.suppress(subprocess.TimeoutExpired):
            self._process.wait(1.0)
        if self._process.stderr is not None and self.has_ended:
            said = self._process.stderr.read(2000).decode("utf-8", "replace").strip()
        return said.replace("\n", " ") or "it was lost"


def _start(kind: SandboxKind, limits: Limits, link: socket.socket, folder: str | None) -> subprocess.Popen[bytes]:
    """Start process 1 of a sandbox with a socket as its standard input."""
    with tempfile.TemporaryFile() as filter_file, tempfile.TemporaryFile() as code_file:
        if folder is not None:
            passed: tuple[int, ...] = ()
            line, environment = bare_command(limits, folder)
        else:
            for file, data in ((filter_file, filter_program()), (code_file, code_archive())):
                file.write(data)
                file.seek(0)
            passed = fds = (filter_file.fileno(), code_file.fileno())
            line, environment = command(kind, limits, _FIRST_UID + next(_uids) % _UIDS, fds)
        try:
            return subprocess.Popen(
                line,
                stdin=link.fileno(),
                stdout=subprocess.DEVNULL,
                stderr=subprocess.PIPE,
                env=environment,
                cwd=folder,
                pass_fds=passed,
                start_new_session=True,
            )
        except OSError as error:
            raise SandboxError(f"{line[0]} can't be started: {error.strerror}") from error
