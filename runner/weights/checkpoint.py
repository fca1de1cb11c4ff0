"""Quantised checkpoints in the cache: each under a name of its content, whole or not there, made by one at a time."""

from __future__ import annotations

import json
import os
import re
import shutil
import time
from collections.abc import Callable, Iterator
from dataclasses import asdict, dataclass
from functools import partial
from pathlib import Path

from runner.config.settings import GptqSettings, ModelSettings
from runner.errors import StorageError, UserError
from runner.weights.cache import cache_folder, locked, locked_if_free
from runner.weights.calibration import SEED, Calibration
from runner.weights.files import small_patterns, weight_files
from runner.weights.quantizer import Quantizer
from runner.weights.recipe import Recipe, read_json, trained_in
from runner.weights.weights import Weights

Tell = Callable[[str], None]

# What is known of a checkpoint, in a file beside its weights.
MANIFEST = "thinkmeter.json"
_OWN_FILES = ("config.json", "quantize_config.json", MANIFEST)  # of the source, that the checkpoint has itself


def made_checkpoints(model: ModelSettings, precision: GptqSettings) -> Iterator[tuple[Path, Recipe]]:
    """Yield the whole checkpoints of a model in a precision, with their recipes; the order says nothing."""
    for folder in sorted(_root().glob(f"{_stem(model, precision)}-*")):
        known = read_json(folder / MANIFEST)
        try:
            recipe, prompts = Recipe(**known["recipe"]), known["calibration"]["prompts"]
        except (LookupError, TypeError):  # not a checkpoint, or another version's
            continue
        if prompts == precision.calibration_samples and _whole(folder):
            yield folder, recipe


def checkpoint_folder(model: ModelSettings, precision: GptqSettings, recipe: Recipe) -> Path:
    """Return where a checkpoint lies, whether it exists or not."""
    return _root() / f"{_stem(model, precision)}-{recipe.key}"


@dataclass(frozen=True, slots=True)
class Making:
    """One checkpoint that is asked for, with all that making it takes.

    Attributes:
        model: The model.
        dense: Its weights before.
        recipe: What the checkpoint depends on.
        calibration: The prompts.
        quantizer: What does it.
        tell: Gets lines that say what takes so long.
    """

    model: ModelSettings
    dense: Weights
    recipe: Recipe
    calibration: Calibration
    quantizer: Quantizer
    tell: Tell

    def ensure(self, folder: Path) -> None:
        """Make the checkpoint unless it is there; of several processes one does, and the others wait.

        Raises:
            UserError: GPTQModel can't.
            StorageError: the cache can't be written.
        """
        if _whole(folder):
            return
        try:
            with locked(_lock(folder), partial(self.tell, f"waiting for another process that makes {folder}")):
                if not _whole(folder):  # else that process made it
                    self._make(folder)
        except OSError as error:
            advice = "free space or set THINKMETER_CACHE to another folder"
            raise StorageError(f"can't write to {cache_folder()}: {error}; {advice}") from error

    def _make(self, folder: Path) -> None:
        _sweep(folder)
        work = _part(folder)
        work.mkdir()
        bits, count = self.recipe.bits, len(self.calibration.prompts)
        trained, dtype = trained_in(self.dense.folder), self.recipe.dtype
        rounded = "" if trained in (None, dtype) else f", from {trained} rounded to {dtype},"
        self.tell(f"quantising {self.model.name} to {bits} bits{rounded} by {count} prompts: once, minutes to hours")
        started = time.monotonic()
        try:
            target = work / "made"
            self.quantizer.quantize(self._job(target), work, self.tell)
            self._complete(target)
            self._note(target, time.monotonic() - started)
            shutil.rmtree(folder, ignore_errors=True)
            os.replace(target, folder)
        finally:
            shutil.rmtree(work, ignore_errors=True)

    def _job(self, target: Path) -> dict[str, object]:
        return {
            "source": str(self.dense.folder),
            "target": str(target),
            "bits": self.recipe.bits,
            "group_size": self.recipe.group_size,
            "dtype": self.recipe.dtype,
            "device": self.recipe.device,
            "trust_remote_code": self.model.trust_remote_code,
            "prompts": self.calibration.prompts,
        }

    def _complete(self, target: Path) -> None:
        """Take tokenizer, template and generation defaults as they are: they are no part of the quantising."""
        for pattern in small_patterns(self.model.trust_remote_code):
            for path in self.dense.folder.glob(pattern):
                if path.name not in _OWN_FILES and not path.name.endswith(".index.json"):
                    shutil.copyfile(path, target / path.name)
        if not weight_files(target):
            raise UserError(f"GPTQModel {self.quantizer.version} wrote no weights of {self.model.name}")

    def _note(self, target: Path, seconds: float) -> None:
        """Write the manifest, with the size of every file, into the finished folder."""
        for path in target.iterdir():
            path.chmod(0o644)  # safetensors writes 0600, which a shared cache folder can't use
        calibration = {
            "prompts": len(self.calibration.prompts),
            "tokens": self.calibration.tokens,
            "digest": self.calibration.digest,
            "seed": SEED,
        }
        sizes = {path.name: path.stat().st_size for path in sorted(target.iterdir())}
        known = {
            "recipe": asdict(self.recipe),
            "trained_in": trained_in(self.dense.folder),
            "calibration": calibration,
            "seconds": round(seconds),
            "files": sizes,
        }
        (target / MANIFEST).write_text(json.dumps(known, indent=2) + "\n", encoding="utf-8")


def _whole(folder: Path) -> bool:
    """Tell whether every file of the manifest is there with its size."""
    files = read_json(folder / MANIFEST).get("files")
    if not isinstance(files, dict) or not files:
        return False
    return all((folder / name).is_file() and (folder / name).stat().st_size == size for name, size in files.items())


def _sweep(folder: Path) -> None:
    """Remove what killed processes left; the lock of ``folder`` is ours, any other says whether its owner lives."""
    for part in folder.parent.glob(".*.part"):
        owner = folder.parent / part.name.removeprefix(".").removesuffix(".part")
        if owner == folder:
            shutil.rmtree(part)
            continue
        with locked_if_free(_lock(owner)) as free:
            if free:
                shutil.rmtree(part, ignore_errors=True)


def _part(folder: Path) -> Path:
    return folder.parent / f".{folder.name}.part"


def _lock(folder: Path) -> Path:
    return folder.parent / f"{folder.name}.lock"


def _root() -> Path:
    return cache_folder() / "gptq"


def _stem(model: ModelSettings, precision: GptqSettings) -> str:
    name = re.sub(r"[^A-Za-z0-9._-]", "-", model.name).lstrip(".")[:40]
    return f"{name}-{precision.name}"
