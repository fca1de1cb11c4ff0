"""What every engine loads: a folder of weights and the revision that names its content."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path


@dataclass(frozen=True, slots=True)
class Weights:
    """Weights, configuration and tokenizer of one model, complete on this machine.

    Attributes:
        folder: A folder in the layout of ``transformers``.
        revision: The hub's commit, or a name derived from the content; never a branch.
    """

    folder: Path
    revision: str
