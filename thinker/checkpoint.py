"""The model as an ordinary folder of transformers, which is what the repository ships."""

from __future__ import annotations

import copy
import shutil
from pathlib import Path

import torch
from tokenizers import Tokenizer
from transformers import GenerationConfig, LlamaForCausalLM, PreTrainedTokenizerFast

from thinker.network import CONTEXT
from thinker.vocabulary import END, PAD

FOLDER = Path(__file__).parents[1] / "runner" / "data" / "thinker"
TEMPLATE = Path(__file__).with_name("chat_template.jinja")


def save(model: LlamaForCausalLM, tokenizer: Tokenizer, folder: Path) -> None:
    """Write weights in fp16, tokenizer, chat template and generation defaults; what lay there is replaced."""
    shutil.rmtree(folder, ignore_errors=True)
    halved = copy.deepcopy(model).to(torch.float16)
    halved.generation_config = GenerationConfig(
        eos_token_id=tokenizer.token_to_id(END), pad_token_id=tokenizer.token_to_id(PAD)
    )
    halved.save_pretrained(folder)
    wrapped = PreTrainedTokenizerFast(
        tokenizer_object=tokenizer,
        eos_token=END,
        pad_token=PAD,
        model_max_length=CONTEXT,
        clean_up_tokenization_spaces=False,
    )
    wrapped.chat_template = TEMPLATE.read_text(encoding="utf-8")
    wrapped.save_pretrained(folder)


def load(folder: Path) -> tuple[LlamaForCausalLM, PreTrainedTokenizerFast]:
    """Return what :func:`save` wrote, computing in fp32."""
    model = LlamaForCausalLM.from_pretrained(folder, dtype=torch.float32).eval()
    return model, PreTrainedTokenizerFast.from_pretrained(folder)
