"""Makes a sandbox with root's rights where bubblewrap is missing, then becomes its process 1.

Started as ``python namespaces.py VIEW FILTER_FD CODE_FD PROGRAM...``; standard library alone, imported by nothing. It
does what bubblewrap does: new namespaces, a root folder in memory with a few parts of the machine in it, read-only, and
a filter on system calls. Giving up root's rights is left to the program, as there.
"""

from __future__ import annotations

import ctypes
import json
import os
import socket
import sys
from pathlib import Path
from typing import Any

# linux/sched.h, sys/mount.h, linux/prctl.h, linux/seccomp.h
_NEW_MOUNTS, _NEW_HOST_NAME, _NEW_IPC, _NEW_PIDS, _NEW_NET = 0x00020000, 0x04000000, 0x08000000, 0x20000000, 0x40000000
_READ_ONLY, _NO_SETUID, _NO_DEVICES, _NO_PROGRAMS, _REMOUNT, _BIND, _RECURSIVE, _PRIVATE = (
    0x1, 0x2, 0x4, 0x8, 0x20, 0x1000, 0x4000, 0x40000,
)  # fmt: skip
_DETACH = 2
_SECCOMP, _NO_NEW_PRIVILEGES, _SECCOMP_FILTER = 22, 38, 2
_DEVICES = ("null", "zero", "full", "random", "urandom")

_libc = ctypes.CDLL(None, use_errno=True)


class _Filter(ctypes.Structure):
    """``struct sock_fprog`` of linux/filter.h."""

    _fields_ = (("length", ctypes.c_ushort), ("instructions", ctypes.c_void_p))


def check(result: int, what: str) -> None:
    """Raise an error if a call of the C library failed."""
    if result != 0:
        number = ctypes.get_errno()
        raise OSError(number, f"{what}: {os.strerror(number)}")


def mount(source: str, target: str, kind: str, flags: int, options: str = "") -> None:
    """Mount a file system."""
    done = _libc.mount(source.encode(), target.encode(), kind.encode(), ctypes.c_ulong(flags), options.encode())
    check(done, f"mount {target}")


def build(view: dict[str, Any], code: bytes, old: str, new: str) -> None:
    """Build the root folder ``new``, with ``code`` as a file in it; the machine's own is ``old``."""
    mount("tmpfs", new, "tmpfs", _NO_SETUID | _NO_DEVICES, "size=1m,mode=755")
    for source, target in view["binds"].items():
        _bind(old + source, new + target, _READ_ONLY | _NO_DEVICES)
    Path(new + view["code"]).write_bytes(code)
    for target, source in view["links"].items():
        os.symlink(source, new + target)
    for target in view["hidden"]:
        mount("tmpfs", new + target, "tmpfs", _READ_ONLY, "size=4k,mode=755")
    for name in _DEVICES:
        _bind(f"{old}/dev/{name}", f"{new}/dev/{name}", 0)
    for target, size in view["writable"].items():
        os.makedirs(new + target)
        options = f"size={size},mode=1777"
        mount("tmpfs", new + target, "tmpfs", _NO_SETUID | _NO_DEVICES, options)
    os.mkdir(new + "/proc")
    mount("proc", new + "/proc", "proc", _READ_ONLY | _NO_SETUID | _NO_DEVICES | _NO_PROGRAMS)
    mount("", new, "", _REMOUNT | _BIND | _READ_ONLY | _NO_SETUID | _NO_DEVICES)


def _bind(source: str, target: str, flags: int) -> None:
    if os.path.isdir(source):
        os.makedirs(target, exist_ok=True)
    else:
        os.makedirs(os.path.dirname(target), exist_ok=True)
        Path(target).touch()
    mount(source, target, "", _BIND)
    mount("", target, "", _BIND | _REMOUNT | _NO_SETUID | flags)


def enter(view: dict[str, Any], code: bytes) -> None:
    """Give this process, the first of its namespaces, a root folder of its own."""
    mount("", "/", "", _RECURSIVE | _PRIVATE)
    mount("tmpfs", "/tmp", "tmpfs", 0, "size=1m")
    os.mkdir("/tmp/old")
    os.mkdir("/tmp/new")
    check(_libc.pivot_root(b"/tmp", b"/tmp/old"), "pivot_root")
    build(view, code, "/old", "/new")
    os.chdir("/new")
    check(_libc.pivot_root(b".", b"."), "pivot_root")
    check(_libc.umount2(b".", _DETACH), "umount")
    os.chdir("/tmp")
    socket.sethostname("sandbox")


def refuse_calls(program: bytes) -> None:
    """Install the filter on system calls; nothing can take it off again."""
    code = ctypes.create_string_buffer(program, len(program))
    asked = _Filter(len(program) // 8, ctypes.addressof(code))
    check(_libc.prctl(_NO_NEW_PRIVILEGES, 1, 0, 0, 0), "no_new_privs")
    check(_libc.prctl(_SECCOMP, _SECCOMP_FILTER, ctypes.byref(asked), 0, 0), "seccomp")


def main(view: str, filter_fd: str, code_fd: str, *program: str) -> None:
    """Make the namespaces; the child is process 1 of them, this process waits for it."""
    os.umask(0o022)
    with open(int(filter_fd), "rb") as file, open(int(code_fd), "rb") as archive:
        refused, code = file.read(), archive.read()
    check(_libc.unshare(_NEW_MOUNTS | _NEW_HOST_NAME | _NEW_IPC | _NEW_PIDS | _NEW_NET), "unshare")
    child = os.fork()
    if child:
        os.close(0)
        os.waitpid(child, 0)
        return
    enter(json.loads(view), code)
    refuse_calls(refused)
    os.execv(program[0], program)


if __name__ == "__main__":
    main(*sys.argv[1:])
