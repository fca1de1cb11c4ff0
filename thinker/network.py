"""The model's shape, and what its numbers look like before training."""

from __future__ import annotations

import torch
from tokenizers import Tokenizer
from transformers import LlamaConfig, LlamaForCausalLM

from thinker.vocabulary import END, LARGEST, PAD

CONTEXT = 1024


def config(tokenizer: Tokenizer) -> LlamaConfig:
    """Return the shape: 1.4 million parameters; 32 is the smallest head that vLLM's attention on a CPU takes."""
    return LlamaConfig(
        vocab_size=tokenizer.get_vocab_size(),
        hidden_size=160,
        intermediate_size=448,
        num_hidden_layers=4,
        num_attention_heads=5,
        num_key_value_heads=5,
        head_dim=32,
        max_position_embeddings=CONTEXT,
        rms_norm_eps=1e-6,
        tie_word_embeddings=True,
        pad_token_id=tokenizer.token_to_id(PAD),
        bos_token_id=None,
        eos_token_id=tokenizer.token_to_id(END),
    )


def new_model(tokenizer: Tokenizer, seed: int) -> LlamaForCausalLM:
    """Return an untrained model in which numbers are made of a sign, tens, ones and a size."""
    torch.manual_seed(seed)
    model = LlamaForCausalLM(config(tokenizer))
    with torch.no_grad():
        _shape_numbers(model.model.embed_tokens.weight, tokenizer)
    return model


def _shape_numbers(embedding: torch.Tensor, tokenizer: Tokenizer) -> None:
    scale = embedding.std().item()
    signs, tens, ones = (torch.randn(count, embedding.shape[1]) * scale for count in (2, 10, 10))
    size = torch.randn(embedding.shape[1]) * scale
    written = [*(str(number) for number in range(-LARGEST, LARGEST + 1)), *(f"0{digit}" for digit in range(10))]
    for text in written:
        at, number = tokenizer.token_to_id(text), int(text)
        parts = signs[int(number < 0)] + tens[abs(number) // 10] + ones[abs(number) % 10]
        embedding[at] = 0.5 * (embedding[at] + parts) + size * number / LARGEST
