"""The command lines that start process 1 of a sandbox, one for each kind of sandbox.

What a sandbox shows: the Python that runs this program with its standard library, the system's shared libraries, a
/proc of its own processes, five devices, and two folders in memory that can be written to. All but these two is
read-only.
"""

from __future__ import annotations

import io
import json
import os
import shutil
import sys
import sysconfig
import zipfile
from collections.abc import Iterator, Mapping
from dataclasses import asdict, dataclass
from enum import StrEnum
from functools import cache
from pathlib import Path

_INSIDE = Path(__file__).with_name("inside")
_CODE = "/code.zip"  # where process 1 finds its own code
_LIBRARIES = ("/usr/lib", "/usr/lib64", "/usr/lib32", "/lib", "/lib64", "/lib32")
_SHARED_MEMORY_MIB = 4
_ENVIRONMENT = {
    "HOME": "/tmp",
    "LANG": "C.UTF-8",
    "PYTHONHASHSEED": "0",  # sets of texts come in the same order in every call
    "PYTHONPATH": _CODE,
    "MALLOC_ARENA_MAX": "2",  # each arena reserves 64 MiB of addresses, which the limit on memory counts
}


class SandboxKind(StrEnum):
    """What keeps model-written code in."""

    BUBBLEWRAP = "bubblewrap"
    NAMESPACES = "namespaces"  # the same, made by this program with root's rights
    NONE = "none"  # a process with the user's own rights


@dataclass(frozen=True, slots=True)
class Limits:
    """What one call may use.

    Attributes:
        cpu_s: Processor seconds of all its processes together.
        wall_s: Seconds.
        memory_mib: Memory in MiB, of each process and of all together.
        disk_mib: Files in MiB; they lie in memory, on top of ``memory_mib``.
        processes: Processes and threads.
        output_bytes: Bytes kept of each stream; a longer one loses its middle.
    """

    cpu_s: float = 5.0
    wall_s: float = 10.0
    memory_mib: int = 512
    disk_mib: int = 16
    processes: int = 16
    output_bytes: int = 1 << 20

    def as_argument(self, uid: int) -> str:
        """Return the limits as process 1 takes them; ``uid`` is whose rights it gives itself, 0 for no change."""
        return json.dumps({**asdict(self), "uid": uid})


def interpreter() -> Path:
    """Return the Python that runs this program, outside of any virtual environment."""
    return Path(getattr(sys, "_base_executable", sys.executable)).resolve()


def shown() -> list[Path]:
    """Return the files and folders of this machine that a sandbox shows."""
    prefix = Path(sys.base_prefix).resolve() / "lib"
    found = [Path(folder) for folder in _LIBRARIES if Path(folder).exists()]
    others = [interpreter(), prefix, Path(sysconfig.get_path("stdlib")).resolve(), Path("/etc/ld.so.cache")]
    for path in others:
        if path.exists() and not any(path.is_relative_to(above) for above in found):
            found.append(path)
    return found


@cache
def code_archive() -> bytes:
    """Return the code of process 1 as a zip file: a folder that is mounted would say where it lies on this machine."""
    data = io.BytesIO()
    with zipfile.ZipFile(data, "w") as archive:
        for path in sorted(_INSIDE.glob("*.py")):
            archive.writestr(zipfile.ZipInfo(f"{_INSIDE.name}/{path.name}"), path.read_bytes())
    return data.getvalue()


def _parents() -> list[str]:
    """Return the folders above what is shown, the outermost first."""
    above = {str(parent) for path in shown() for parent in path.parents} - {"/"}
    return sorted(above - {str(path) for path in shown()})


def hidden() -> list[Path]:
    """Return the folders below :func:`shown` that hold installed packages, which are nobody's business."""
    folders = [path for path in shown() if path.is_dir() and not path.is_symlink()]
    names = ("python3*/site-packages", "python3*/dist-packages", "python3/dist-packages")
    return sorted({found for folder in folders for name in names for found in folder.glob(name)})


def command(kind: SandboxKind, limits: Limits, uid: int, fds: tuple[int, int]) -> tuple[list[str], Mapping[str, str]]:
    """Return what starts process 1, and its environment.

    Args:
        kind: Of the sandbox; of none see :func:`bare_command`.
        limits: Of every call.
        uid: Whose rights the sandbox has when root makes it.
        fds: Where the filter on system calls and :func:`code_archive` can be read.
    """
    (filter_fd, code_fd), root = fds, os.geteuid() == 0
    program = [*_program(), limits.as_argument(uid if root else 0)]
    if kind is SandboxKind.BUBBLEWRAP:
        bubblewrap = shutil.which("bwrap") or "bwrap"
        options = [*_bubblewrap(limits, root, code_fd), "--seccomp", str(filter_fd)]
        return [bubblewrap, *options, "--", *program], _ENVIRONMENT
    script = str(Path(__file__).with_name("namespaces.py"))
    return [str(interpreter()), "-I", "-S", script, _view(limits), str(filter_fd), str(code_fd), *program], _ENVIRONMENT


def bare_command(limits: Limits, folder: str) -> tuple[list[str], Mapping[str, str]]:
    """Return what starts process 1 without a sandbox, and its environment; at its end it removes its folder."""
    return [*_program(), limits.as_argument(0), folder], {**_ENVIRONMENT, "PYTHONPATH": str(_INSIDE.parent)}


def _program() -> list[str]:
    return [str(interpreter()), "-S", "-s", "-P", "-m", "inside.serve"]


def _view(limits: Limits) -> str:
    """Return what the sandbox shows, as :mod:`runner.tools.namespaces` reads it."""
    links = {str(path): os.readlink(path) for path in shown() if path.is_symlink()}
    binds = {str(path): str(path) for path in shown() if not path.is_symlink()}
    return json.dumps(
        {
            "links": links,
            "binds": binds,
            "code": _CODE,
            "hidden": [str(path) for path in hidden()],
            "writable": {folder: mib << 20 for folder, mib in _writable(limits).items()},
        }
    )


def _writable(limits: Limits) -> Mapping[str, int]:
    """Return the folders that a call can write to, with their sizes in MiB."""
    return {"/tmp": limits.disk_mib, "/dev/shm": _SHARED_MEMORY_MIB}


def _bubblewrap(limits: Limits, root: bool, code_fd: int) -> Iterator[str]:
    yield from ("--unshare-ipc", "--unshare-pid", "--unshare-net", "--unshare-uts", "--unshare-cgroup-try")
    if root:  # process 1 gives itself the rights of a user of its own, and for that alone it has these
        yield from ("--cap-drop", "ALL")
        for right in ("CAP_SETUID", "CAP_SETGID", "CAP_SETPCAP"):
            yield from ("--cap-add", right)
    else:
        yield from ("--unshare-user", "--uid", "1000", "--gid", "1000")
    # Not --die-with-parent: whoever asks hangs up, and process 1 ends; killed while it starts, it leaves a process.
    yield from ("--new-session", "--as-pid-1", "--hostname", "sandbox")
    for folder in _parents():  # bubblewrap would make them for root's eyes alone
        yield from ("--dir", folder)
    for path in shown():
        if path.is_symlink():
            yield from ("--symlink", os.readlink(path), str(path))
        else:
            yield from ("--ro-bind", str(path), str(path))
    for path in hidden():
        yield from ("--size", "4096", "--tmpfs", str(path), "--remount-ro", str(path))
    yield from ("--perms", "0444", "--file", str(code_fd), _CODE, "--proc", "/proc", "--dev", "/dev")
    for folder, mib in _writable(limits).items():
        yield from ("--perms", "1777", "--size", str(mib << 20), "--tmpfs", folder)
    for folder in ("/proc", "/dev", "/"):
        yield from ("--remount-ro", folder)
    yield from ("--chdir", "/tmp")
