"""Process 1 of a sandbox: ``python -m inside.serve LIMITS [FOLDER]`` with a socket as standard input.

Model-written code never runs in this process, and processes that run it have no descriptor of the socket, so they can't
answer in its place. A request is a frame (four bytes of length, big-endian, then JSON): ``op`` (``program`` or
``cell``), ``source``, ``stdin``, ``apart``. A reply is a frame: a line of status, exit code, length of standard output
and whether the sandbox is as good as new, then standard output and standard error. FOLDER is removed at the end:
without a sandbox the calls' files lie there, and whoever asks may have been killed.
"""

from __future__ import annotations

import gc
import json
import os
import signal
import socket
import struct
import sys
from typing import Any

from .calls import Reply, Session, run_program
from .limits import Limits, alone, confine
from .watch import FOLDERS, Alarm

# What programs import most; a forked process has it already.
_PRELOADED = (
    "bisect", "collections", "decimal", "fractions", "functools", "heapq", "itertools", "json", "math", "operator",
    "random", "re", "statistics", "string",
)  # fmt: skip


def serve(limits: Limits) -> None:
    """Answer calls until the other side hangs up."""
    confine(limits)
    link, alarm = _take_socket(), Alarm()
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    for name in _PRELOADED:
        __import__(name)
    gc.collect()
    gc.freeze()
    fresh, session = _stamps(), None
    _answer(link, Reply("ready", 0, b""), reusable=True)
    while (request := _receive(link)) is not None:
        if request["op"] == "program":
            source, stdin, apart = (request[name] for name in ("source", "stdin", "apart"))
            reply = run_program(limits, source, stdin, apart, alarm, link.fileno())
        else:
            session = session or Session(limits, alarm, link.fileno())
            reply = session.cell(request["source"])
            session = session if reply.status in ("ok", "raised") else None
        _answer(link, reply, reusable=_stamps() == fresh)
    if session is not None:
        session.end()


def _stamps() -> list[int]:
    """Return when what a call can write to was last changed; a file that came and went, or a mode, counts too."""
    folders = FOLDERS if alone() else (os.getcwd(),)
    return [os.stat(folder).st_ctime_ns for folder in folders]


def _take_socket() -> socket.socket:
    """Return the socket that was standard input, and leave nothing in its place."""
    link = socket.socket(fileno=os.dup(0))
    null = os.open(os.devnull, os.O_RDWR)
    for fd in range(3):
        os.dup2(null, fd)
    os.close(null)
    return link


def _receive(link: socket.socket) -> dict[str, Any] | None:
    """Return the next request, None once nobody can ask any more."""
    head = _exactly(link, 4)
    body = _exactly(link, struct.unpack(">I", head)[0]) if head else None
    return json.loads(body) if body else None


def _exactly(link: socket.socket, size: int) -> bytes | None:
    data = bytearray()
    while len(data) < size:
        part = link.recv(min(size - len(data), 1 << 20))
        if not part:
            return None
        data += part
    return bytes(data)


def _answer(link: socket.socket, reply: Reply, reusable: bool) -> None:
    head = f"{reply.status} {reply.code} {len(reply.out)} {int(reusable)}\n".encode()
    body = head + reply.out + reply.err
    link.sendall(struct.pack(">I", len(body)) + body)


if __name__ == "__main__":
    try:
        serve(Limits(sys.argv[1]))
    finally:
        if sys.argv[2:]:
            import shutil

            shutil.rmtree(sys.argv[2], ignore_errors=True)
