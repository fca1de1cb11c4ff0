"""A real Llama of a few thousand random weights with a tokenizer of its own, made in a second."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from runner.config.settings import ModelSettings, ThinkingMarkers
from runner.sampling.request import Message, Request, SamplingParams

TEMPLATE = (
    "{{ bos_token }}{% for message in messages %}[{{ message['role'] }}]{{ message['content'] }}\n{% endfor %}"
    "{% if add_generation_prompt %}[assistant]{% endif %}"
)
SPECIAL = ["<|begin|>", "<|end|>", "<think>", "</think>"]
CORPUS = ["What is 12 + 30? The sum of 12 and 30 is \\boxed{42}. The answer is 1, 2, 3, 4, 5, 6, 7, 8, 9."] * 4


def save_tokenizer(folder: Path, template: str | None = TEMPLATE) -> None:
    """Write a byte-level BPE tokenizer that puts <|begin|> before a plain text."""
    from tokenizers import Tokenizer, decoders, models, pre_tokenizers, processors, trainers
    from transformers import PreTrainedTokenizerFast

    tokenizer = Tokenizer(models.BPE())
    tokenizer.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False)
    tokenizer.decoder = decoders.ByteLevel()
    alphabet = pre_tokenizers.ByteLevel.alphabet()
    trainer = trainers.BpeTrainer(
        vocab_size=320, special_tokens=SPECIAL, initial_alphabet=alphabet, show_progress=False
    )
    tokenizer.train_from_iterator(CORPUS, trainer)
    begin = ("<|begin|>", tokenizer.token_to_id("<|begin|>"))
    tokenizer.post_processor = processors.TemplateProcessing(single="<|begin|> $A", special_tokens=[begin])
    fast = PreTrainedTokenizerFast(tokenizer_object=tokenizer, bos_token="<|begin|>", eos_token="<|end|>")
    fast.chat_template = template
    fast.save_pretrained(folder)


def save_model(folder: Path, **config: Any) -> None:
    """Write the weights: the same ones every time, large enough to prefer some tokens clearly."""
    import torch
    from transformers import LlamaConfig, LlamaForCausalLM

    torch.manual_seed(7)
    sizes = {"hidden_size": 32, "intermediate_size": 64, "num_hidden_layers": 2, "num_attention_heads": 4}
    settings = LlamaConfig(
        vocab_size=320,
        num_key_value_heads=2,
        max_position_embeddings=256,
        initializer_range=0.3,
        bos_token_id=0,
        eos_token_id=1,
        **{**sizes, **config},
    )
    LlamaForCausalLM(settings).save_pretrained(folder)


def change_json(path: Path, **changes: Any) -> None:
    content = json.loads(path.read_text()) if path.exists() else {}
    path.write_text(json.dumps({**content, **changes}))


def model_settings(folder: Path, **changes: Any) -> ModelSettings:
    fields = {"name": "tiny", "id": str(folder), "family": "tiny", "kind": "instruct", **changes}
    return ModelSettings.model_validate(fields)


def thinking(opening: str = "<think>", closing: str = "</think>") -> ThinkingMarkers:
    return ThinkingMarkers(open=opening, close=closing)


def request(key: str, text: str = "What is 12 + 30?", **fields: Any) -> Request:
    defaults = {"sampling": SamplingParams(), "seed": 5, "max_tokens": 16, **fields}
    messages = defaults.pop("messages", (Message("user", text),))
    return Request(key=key, messages=messages, **defaults)
