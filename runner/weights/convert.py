"""Turns the GGUF file of SmolLM2-135M-Instruct into a folder that every local engine loads.

Run as a script in a process of its own, so that its gigabyte of memory is given back. It imports nothing of
this program.
"""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Any

# Part of the converted folder's name: raise it when the result changes.
CONVERTER_VERSION = 1

CONTEXT = 8192
END_OF_TURN = "<|im_end|>"
BOS_ID, EOS_ID = 1, 2


def convert(gguf: Path, folder: Path) -> None:
    """Write float16 weights, tokenizer and configuration of ``gguf`` into ``folder`` (25 s, 1 GB of memory)."""
    import torch
    from transformers import AutoModelForCausalLM, AutoTokenizer, GenerationConfig, GgufConfig

    model = AutoModelForCausalLM.from_pretrained(
        gguf.parent, gguf_file=gguf.name, quantization_config=GgufConfig(dequantize=True), dtype=torch.float16
    )
    model.generation_config = GenerationConfig(bos_token_id=BOS_ID, eos_token_id=EOS_ID, pad_token_id=EOS_ID)
    model.save_pretrained(folder)
    tokenizer = AutoTokenizer.from_pretrained(gguf.parent, gguf_file=gguf.name)
    _split_digits(tokenizer)
    tokenizer.model_max_length = CONTEXT
    tokenizer.save_pretrained(folder)


def _split_digits(tokenizer: Any) -> None:
    # The model was trained with every digit split off first ("smollm" in the GGUF's header), which transformers
    # does not read: without it the blank lines before a numbered list become other tokens.
    from tokenizers import pre_tokenizers as pre

    tokenizer.backend_tokenizer.pre_tokenizer = pre.Sequence(
        [pre.Digits(individual_digits=True), pre.ByteLevel(add_prefix_space=False, use_regex=True)]
    )


def check(folder: Path) -> None:
    """Raise ValueError unless context length and end token, which some versions get wrong, are the model's."""
    config = json.loads((folder / "config.json").read_text(encoding="utf-8"))
    generation = json.loads((folder / "generation_config.json").read_text(encoding="utf-8"))
    tokenizer = json.loads((folder / "tokenizer.json").read_text(encoding="utf-8"))
    found = (
        config["max_position_embeddings"],
        config["eos_token_id"],
        generation["eos_token_id"],
        next((token["id"] for token in tokenizer["added_tokens"] if token["content"] == END_OF_TURN), None),
    )
    if found != (CONTEXT, EOS_ID, EOS_ID, EOS_ID):
        raise ValueError(f"wrong context or end token after conversion: {found}")


if __name__ == "__main__":
    convert(Path(sys.argv[1]), Path(sys.argv[2]))
    check(Path(sys.argv[2]))
