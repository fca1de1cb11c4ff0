"""The filter on system calls that holds in every sandbox, as a program for the kernel (classic BPF).

It is a list of what is refused, on top of namespaces and limits: what reaches another process, makes namespaces or
mounts, speaks to anything but the sandbox itself, or holds memory that no limit counts. All else is allowed, since
Python and its libraries need some two hundred calls. Layout and constants: linux/seccomp.h, linux/filter.h,
linux/audit.h.
"""

from __future__ import annotations

import errno
import platform
import struct
from collections.abc import Iterable

# Numbers of the calls: x86-64 (asm/unistd_64.h) and arm64 (asm-generic/unistd.h).
_REFUSED: dict[str, tuple[int, int]] = {
    # other processes
    "ptrace": (101, 117), "process_vm_readv": (310, 270), "process_vm_writev": (311, 271), "kcmp": (312, 272),
    "pidfd_getfd": (438, 438), "process_madvise": (440, 440), "move_pages": (279, 239), "migrate_pages": (256, 238),
    # namespaces, mounts, files by handle
    "unshare": (272, 97), "setns": (308, 268), "mount": (165, 40), "umount2": (166, 39), "pivot_root": (155, 41),
    "chroot": (161, 51), "move_mount": (429, 429), "open_tree": (428, 428), "fsopen": (430, 430),
    "fsconfig": (431, 431), "fsmount": (432, 432), "fspick": (433, 433), "mount_setattr": (442, 442),
    "name_to_handle_at": (303, 264), "open_by_handle_at": (304, 265), "quotactl": (179, 60),
    # memory that belongs to no process
    "memfd_create": (319, 279), "memfd_secret": (447, 447), "shmget": (29, 194), "shmat": (30, 196),
    "shmctl": (31, 195), "semget": (64, 190), "msgget": (68, 186), "mq_open": (240, 180),
    # wide attack surface that no program for a sum needs
    "bpf": (321, 280), "perf_event_open": (298, 241), "userfaultfd": (323, 282), "io_uring_setup": (425, 425),
    "io_uring_enter": (426, 426), "io_uring_register": (427, 427), "keyctl": (250, 219), "add_key": (248, 217),
    "request_key": (249, 218), "fanotify_init": (300, 262), "personality": (135, 92), "mbind": (237, 235),
    "set_mempolicy": (238, 237),
    # the machine
    "kexec_load": (246, 104), "kexec_file_load": (320, 294), "init_module": (175, 105), "finit_module": (313, 273),
    "delete_module": (176, 106), "reboot": (169, 142), "swapon": (167, 224), "swapoff": (168, 225),
    "syslog": (103, 116), "acct": (163, 89), "settimeofday": (164, 170), "clock_settime": (227, 112),
    "adjtimex": (159, 171), "clock_adjtime": (305, 266),
}  # fmt: skip

_MACHINES = {"x86_64": 0, "aarch64": 1}
_AUDIT_ARCH = (0xC000003E, 0xC00000B7)
_SOCKET = (41, 198)
_CLONE = (56, 220)
_CLONE3 = (435, 435)
_X32 = 0x40000000  # the second set of calls that x86-64 kernels have, by other numbers
# CLONE_NEWNS, NEWCGROUP, NEWUTS, NEWIPC, NEWUSER, NEWPID, NEWNET
_NEW_NAMESPACE = 0x00020000 | 0x02000000 | 0x04000000 | 0x08000000 | 0x10000000 | 0x20000000 | 0x40000000
_AF_UNIX = 1

_LOAD, _EQUAL, _AT_LEAST, _ANY_BIT, _RETURN = 0x20, 0x15, 0x35, 0x45, 0x06
_NUMBER, _ARCH, _FIRST_ARGUMENT = 0, 4, 16  # offsets in struct seccomp_data; little-endian, so the low half comes first
_ALLOW, _KILL, _ERRNO = 0x7FFF0000, 0x80000000, 0x00050000

_Instruction = tuple[int, int, int, int]  # code, jump if true, jump if false, constant


def supported() -> bool:
    """Tell whether the filter exists for this processor."""
    return platform.machine() in _MACHINES


def filter_program() -> bytes:
    """Return the filter as an array of ``struct sock_filter``, for this machine.

    Raises:
        KeyError: the processor is not known, see :func:`supported`.
    """
    return b"".join(struct.pack("=HBBI", *instruction) for instruction in _filter(_MACHINES[platform.machine()]))


def _filter(machine: int) -> Iterable[_Instruction]:
    yield (_LOAD, 0, 0, _ARCH)
    yield (_EQUAL, 1, 0, _AUDIT_ARCH[machine])
    yield (_RETURN, 0, 0, _KILL)  # calls of another architecture have other numbers
    yield (_LOAD, 0, 0, _NUMBER)
    yield (_AT_LEAST, 0, 1, _X32)
    yield _refuse(errno.EPERM)
    for numbers in _REFUSED.values():
        yield (_EQUAL, 0, 1, numbers[machine])
        yield _refuse(errno.EPERM)
    # Its flags lie in memory, out of a filter's sight; the C library then falls back to clone.
    yield (_EQUAL, 0, 1, _CLONE3[machine])
    yield _refuse(errno.ENOSYS)
    yield (_EQUAL, 0, 4, _CLONE[machine])
    yield (_LOAD, 0, 0, _FIRST_ARGUMENT)
    yield (_ANY_BIT, 0, 1, _NEW_NAMESPACE)
    yield _refuse(errno.EPERM)
    yield (_LOAD, 0, 0, _NUMBER)
    # A namespace of its own has no way out for internet protocols, but some families (vsock) know no namespaces.
    yield (_EQUAL, 0, 4, _SOCKET[machine])
    yield (_LOAD, 0, 0, _FIRST_ARGUMENT)
    yield (_EQUAL, 1, 0, _AF_UNIX)
    yield _refuse(errno.EACCES)
    yield (_LOAD, 0, 0, _NUMBER)
    yield (_RETURN, 0, 0, _ALLOW)


def _refuse(error: int) -> _Instruction:
    return (_RETURN, 0, 0, _ERRNO | error)
