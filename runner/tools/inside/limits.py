"""What a call may use, as process 1 of the sandbox knows it."""

from __future__ import annotations

import json
import os
import resource


class Limits:
    """Limits read from the command line; :class:`runner.tools.sandbox.Limits` says what each means.

    ``uid`` is whose rights the sandbox gives itself, 0 for those it was started with.
    """

    def __init__(self, text: str) -> None:
        values = json.loads(text)
        self.cpu_s: float = values["cpu_s"]
        self.wall_s: float = values["wall_s"]
        self.memory: int = values["memory_mib"] << 20
        self.disk: int = values["disk_mib"] << 20
        self.processes: int = values["processes"]
        self.output: int = values["output_bytes"]
        self.uid: int = values["uid"]


def alone() -> bool:
    """Tell whether all processes in sight are of this sandbox; without one they are the user's."""
    return os.getpid() == 1


def confine(limits: Limits) -> None:
    """Give up every right, and bound what all processes of the sandbox inherit."""
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    if limits.uid:
        _drop_bounding_set()
        os.setgroups([])
        os.setresgid(limits.uid, limits.uid, limits.uid)
        os.setresuid(limits.uid, limits.uid, limits.uid)  # from 0 to another one: the kernel takes what acts
        _drop_inheritable()
    if alone():
        _hide()
        if limits.uid or _counts_apart():
            most = limits.processes + 1  # with this one
            resource.setrlimit(resource.RLIMIT_NPROC, (most, most))


def bound_process(limits: Limits, cpu_s: float | None) -> None:
    """Bound this process and those it makes, each for itself; ``cpu_s`` None leaves the processor to the watch."""
    resource.setrlimit(resource.RLIMIT_AS, (limits.memory, limits.memory))
    resource.setrlimit(resource.RLIMIT_FSIZE, (limits.disk, limits.disk))
    resource.setrlimit(resource.RLIMIT_NOFILE, (64, 64))
    if cpu_s is not None:
        whole = int(cpu_s) + 1
        resource.setrlimit(resource.RLIMIT_CPU, (whole, whole + 1))


def _counts_apart() -> bool:
    """Tell whether the kernel counts processes for each user namespace, as since 5.14, not for the user as a whole."""
    major, minor = os.uname().release.split(".")[:2]
    return (int(major), int("".join(filter(str.isdigit, minor)))) >= (5, 14)


def _drop_bounding_set() -> None:
    """Give up for good what no process of the sandbox may ever gain."""
    pr_capbset_drop = 24  # linux/prctl.h
    with open("/proc/sys/kernel/cap_last_cap") as file:
        last = int(file.read())
    for capability in range(last + 1):
        _prctl(pr_capbset_drop, capability)


def _drop_inheritable() -> None:
    """Give up the capabilities that a program could be given again."""
    import ctypes

    version_3 = (0x20080522).to_bytes(4, "little")  # linux/capability.h
    if ctypes.CDLL(None).capset(version_3 + bytes(4), bytes(24)) != 0:
        raise OSError("capset failed")


def _hide() -> None:
    """Keep the other processes, which have the same user, from this one's memory and descriptors."""
    pr_set_dumpable = 4  # linux/prctl.h
    _prctl(pr_set_dumpable, 0)


def _prctl(option: int, value: int) -> None:
    import ctypes

    if ctypes.CDLL(None).prctl(option, ctypes.c_ulong(value), 0, 0, 0) != 0:
        raise OSError(f"prctl({option}, {value}) failed")
