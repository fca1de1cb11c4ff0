"""Facts about this machine that cost milliseconds: no torch, no driver call."""

from __future__ import annotations

import importlib.metadata
import os
import platform
import shlex
import shutil
from dataclasses import dataclass
from importlib.util import find_spec
from pathlib import Path

GIB = 1 << 30

# Instructions that make bfloat16 faster than float32; without them a CPU emulates it, three times slower.
_BF16_FLAGS = frozenset({"amx_bf16", "avx512_bf16", "bf16"})


def has_package(module: str) -> bool:
    """Tell whether a top-level module can be imported, without importing it."""
    return find_spec(module) is not None


def version(*distributions: str) -> str | None:
    """Return the installed version of the first of these distributions that is there, or None."""
    for name in distributions:
        try:
            return importlib.metadata.version(name)
        except importlib.metadata.PackageNotFoundError:
            continue
    return None


def install_command(extra: str) -> str:
    """Return what to type so that one of this project's extras is there: ``transformers`` or ``vllm``."""
    if (Path(__file__).resolve().parents[2] / "pyproject.toml").exists():
        return f"pip install -e '.[{extra}]'"
    stated = importlib.metadata.requires("thinkmeter") or []
    needed = [line.partition(";")[0].strip() for line in stated if f"extra == '{extra}'" in line.replace('"', "'")]
    return shlex.join(["pip", "install", *needed])


def has_gpu() -> bool:
    """Tell whether an NVIDIA GPU is there and not hidden by ``CUDA_VISIBLE_DEVICES``."""
    if os.environ.get("CUDA_VISIBLE_DEVICES", "0").strip() in ("", "-1"):
        return False
    # Under WSL the GPU is /dev/dxg, which any machine with WSL has; the driver's program tells them apart.
    in_wsl = Path("/dev/dxg").exists() and shutil.which("nvidia-smi") is not None
    return in_wsl or any(Path("/dev").glob("nvidia[0-9]*"))


def visible_gpus() -> list[str]:
    """Return the NVIDIA GPUs that this process may use, as ``CUDA_VISIBLE_DEVICES`` names them."""
    named = os.environ.get("CUDA_VISIBLE_DEVICES")
    if named is None:
        return [str(number) for number, _ in enumerate(Path("/dev").glob("nvidia[0-9]*"))]
    names = [name.strip() for name in named.split(",")]
    return [name for name in names if name not in ("", "-1")]


@dataclass(frozen=True, slots=True)
class Cpu:
    """The processor.

    Attributes:
        name: As the system calls it.
        cores: Logical cores that this process may use.
        bf16: Whether it computes bfloat16 natively.
    """

    name: str
    cores: int
    bf16: bool


def cpu() -> Cpu:
    """Return what is known of the processor."""
    cores = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
    info = _fields(Path("/proc/cpuinfo"))
    name = info.get("model name") or platform.processor() or platform.machine()
    flags = (info.get("flags") or info.get("Features") or "").split()
    return Cpu(name, cores, not _BF16_FLAGS.isdisjoint(flags))


@dataclass(frozen=True, slots=True)
class Memory:
    """Main memory in bytes; None where the system doesn't say.

    Attributes:
        total: Of the machine, or the control group's limit (a cluster job's share) where that is smaller.
        available: What programs can still take of the machine's.
    """

    total: int | None
    available: int | None


def memory() -> Memory:
    """Return main memory in bytes."""
    info = _fields(Path("/proc/meminfo"))
    total = _kib(info.get("MemTotal"))
    limit = _group_limit()
    return Memory(total if limit is None or total is None else min(total, limit), _kib(info.get("MemAvailable")))


def free_disk(folder: Path) -> int:
    """Return the bytes free where ``folder`` is, or will be made.

    Raises:
        OSError: the file system doesn't answer.
    """
    existing = folder.absolute()
    while not existing.exists():
        existing = existing.parent
    return shutil.disk_usage(existing).free


def _group_limit() -> int | None:
    """Return the smallest memory limit of this process's control group (version 2) and those above it."""
    limits = []
    for line in _read(Path("/proc/self/cgroup")).split("\n"):
        if line.startswith("0::"):
            group = Path("/sys/fs/cgroup") / line[3:].lstrip("/")
            for folder in (group, *group.parents):
                limit = _read(folder / "memory.max").strip()
                limits += [int(limit)] if limit.isdecimal() else []
    return min(limits, default=None)


def _fields(path: Path) -> dict[str, str]:
    """Read ``name : value`` lines; of repeated names the first counts."""
    found: dict[str, str] = {}
    for line in _read(path).split("\n"):
        name, _, value = line.partition(":")
        found.setdefault(name.strip(), value.strip())
    return found


def _kib(field: str | None) -> int | None:
    return int(field.split()[0]) * 1024 if field else None


def _read(path: Path) -> str:
    try:
        return path.read_text(encoding="utf-8", errors="replace")
    except OSError:
        return ""
