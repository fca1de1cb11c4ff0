"""What the weights of a quantised checkpoint depend on, and what of it the model itself decides."""

from __future__ import annotations

import hashlib
import json
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from runner.errors import UserError

# Raise it when the same recipe gives other weights.
_VERSION = 1
# The largest that fits: smaller groups round better and take more memory. What engines have kernels for.
_GROUP_SIZES = (128, 64, 32)
_WIDTHS = ("hidden_size", "intermediate_size", "moe_intermediate_size", "shared_expert_intermediate_size")


@dataclass(frozen=True, slots=True)
class Recipe:
    """All that the weights of a checkpoint depend on.

    Attributes:
        source: Revision of the weights that are quantised.
        bits: Of a weight.
        group_size: Weights that share a scale.
        calibration: Digest of the calibration prompts.
        dtype: Number format that the dense weights are in while they are quantised.
        gptqmodel: Version of GPTQModel.
        torch: Version of torch, which may round otherwise.
        device: ``cpu`` or ``cuda``; the same of it.
        version: Of this program's way to use it.
    """

    source: str
    bits: int
    group_size: int
    calibration: str
    dtype: str
    gptqmodel: str
    torch: str
    device: str
    version: int = _VERSION

    @property
    def key(self) -> str:
        """Twelve hex digits over all of it."""
        return hashlib.sha256(json.dumps(asdict(self), sort_keys=True).encode()).hexdigest()[:12]


def group_size_for(folder: Path, name: str) -> int:
    """Return the largest group size that divides the width of every layer of the model in ``folder``.

    Raises:
        UserError: none does.
    """
    config = _config_of_text(folder)
    widths = [config[width] for width in _WIDTHS if isinstance(config.get(width), int)]
    heads, width = config.get("num_attention_heads"), config.get("head_dim")
    widths += [heads * width] if heads and width else []
    for size in _GROUP_SIZES:
        if widths and all(width % size == 0 for width in widths):
            return size
    listed = ", ".join(map(str, widths)) or "of unknown width"
    raise UserError(
        f"{name} can't be quantised: its layers are {listed}, which groups of "
        f"{', '.join(map(str, _GROUP_SIZES))} don't divide; use precision=auto"
    )


def trained_in(folder: Path) -> str | None:
    """Return the number format that the weights in ``folder`` are stored in, e.g. ``float32``; None if unsaid."""
    config = _config_of_text(folder)
    said = config.get("dtype") or config.get("torch_dtype")
    return said.removeprefix("torch.") if isinstance(said, str) else None


def _config_of_text(folder: Path) -> dict[str, Any]:
    """Return a model's configuration; of one that also sees or hears, with the language model's on top."""
    config = read_json(folder / "config.json")
    return {**config, **(config.get("text_config") or {})}


def rounded_to(trained: str | None) -> str:
    """Return the number format in which dense weights are quantised: their own, of those with 16 bits.

    float32 is rounded to bfloat16, which keeps its range, as GPTQModel does by itself; so is what nobody names.
    """
    return "float16" if trained == "float16" else "bfloat16"


def quantization_of(folder: Path) -> dict[str, Any] | None:
    """Return how the weights in a folder say they are quantised, None for dense ones."""
    said = read_json(folder / "config.json").get("quantization_config")
    if isinstance(said, dict):
        return said
    own = autogptq_config(folder)
    return None if own is None else {**read_json(own), "quant_method": "gptq"}


def autogptq_config(folder: Path) -> Path | None:
    """Return the file in which AutoGPTQ said how it quantised, None where ``config.json`` says it."""
    path = folder / "quantize_config.json"
    return path if path.is_file() and "quantization_config" not in read_json(folder / "config.json") else None


def read_json(path: Path) -> dict[str, Any]:
    """Return a JSON object, an empty one for a file that is none."""
    try:
        content = json.loads(path.read_text(encoding="utf-8"))
    except (OSError, ValueError):
        return {}
    return content if isinstance(content, dict) else {}
