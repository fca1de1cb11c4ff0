"""Which files of a model an engine reads, whether they are all there, and a name for their content."""

from __future__ import annotations

import hashlib
import json
from fnmatch import fnmatchcase
from pathlib import Path

from runner.errors import UserError

SMALL = ("*.json", "*.jinja", "*.txt", "*.model", "*.tiktoken")
CODE = ("*.py",)  # only for a model whose code the user trusts

# The second kind is taken where the first is missing.
WEIGHT_KINDS = (("*.safetensors",), ("*.bin",))
# Copies in another layout (subfolders, consolidated) and what a trainer left behind.
NOT_WEIGHTS = ("*/*.safetensors", "consolidated*", "*/*.bin", "training_args.bin", "optimizer.bin", "scheduler.bin")

_EDGE = 1 << 20  # bytes hashed at either end of a weight file


def small_patterns(trust_remote_code: bool) -> tuple[str, ...]:
    """Return the patterns of configuration, tokenizer and template files."""
    return (*SMALL, *CODE) if trust_remote_code else SMALL


def weight_files(folder: Path) -> list[Path]:
    """Return the weight files of a folder: the safetensors, or where there are none the ``.bin`` files."""
    names = sorted(path.name for path in folder.iterdir() if path.is_file())
    for patterns in WEIGHT_KINDS:
        found = [folder / name for name in names if _matches(name, patterns) and not _matches(name, NOT_WEIGHTS)]
        if found:
            return found
    return []


def missing(folder: Path) -> str | None:
    """Say what an engine would miss in this folder, or return None when nothing is missing."""
    if not (folder / "config.json").is_file():
        return "config.json"
    found = weight_files(folder)
    if not found:
        return "weight files (*.safetensors or *.bin)"
    index = next(folder.glob(f"*{found[0].suffix}.index.json"), None)
    wanted = set(_read_json(index)["weight_map"].values()) if index else set()
    absent = sorted(wanted - {path.name for path in found})
    return ", ".join(absent[:3]) if absent else None


def content_revision(folder: Path, trust_remote_code: bool) -> str:
    """Return ``content-`` and sixteen hex digits that change when what an engine reads here changes.

    Small files count whole. Of a weight file its size and the first and last MiB count: a change that leaves
    all three as they are goes unseen, and in return the largest model takes milliseconds.
    """
    digest = hashlib.sha256()
    patterns = small_patterns(trust_remote_code)
    weights = weight_files(folder)
    small = (path for path in folder.iterdir() if path.is_file() and _matches(path.name, patterns))
    for path in sorted({*small, *weights}):
        content = _edges(path) if path in weights else path.read_bytes()
        digest.update(f"{path.name}\0{path.stat().st_size}\0".encode("utf-8", "surrogateescape"))
        digest.update(content)
    return f"content-{digest.hexdigest()[:16]}"


def size_bytes(folder: Path) -> int:
    """Return the size of all files below a folder, links followed."""
    return sum(path.stat().st_size for path in folder.rglob("*") if path.is_file())


def _edges(path: Path) -> bytes:
    with path.open("rb") as file:
        head = file.read(_EDGE)
        file.seek(max(0, path.stat().st_size - _EDGE))
        return head + file.read(_EDGE)


def _read_json(path: Path) -> dict[str, dict[str, str]]:
    try:
        content: dict[str, dict[str, str]] = json.loads(path.read_text(encoding="utf-8"))
        return {"weight_map": content["weight_map"]}
    except (ValueError, LookupError, TypeError) as error:
        raise UserError(f"{path} is damaged ({error}); fetch the model again") from error


def _matches(name: str, patterns: tuple[str, ...]) -> bool:
    return any(fnmatchcase(name, pattern) for pattern in patterns)
