"""What was loaded is read off all weights, and a refused number format is called by the option that asked for it."""

from __future__ import annotations

from pathlib import Path
from types import SimpleNamespace

import pytest
import torch

from runner.config.compose import compose
from runner.engines.base import format_option
from runner.engines.factory import check_precision
from runner.engines.loading import describe, pick_dtype
from runner.errors import UserError
from runner.weights.weights import Weights


class Quantised(torch.nn.Module):
    def __init__(self, bits: int) -> None:
        super().__init__()
        self.bits, self.group_size = bits, 32


def network(*layers: torch.nn.Module, method: str | None = None) -> torch.nn.Module:
    made = torch.nn.Sequential(*layers)
    quantization = None if method is None else SimpleNamespace(quant_method=method)
    made.config = SimpleNamespace(quantization_config=quantization)
    return made


def test_a_layer_kept_in_another_format_does_not_name_the_model() -> None:
    router, layers = torch.nn.Linear(4, 4), torch.nn.Linear(64, 64, dtype=torch.bfloat16)
    loaded = describe(network(router, layers), Weights(Path(), "r"), 8)
    assert (loaded.compute_dtype, loaded.weight_bits) == ("bfloat16", 16)


def test_layers_of_different_bits_are_named_and_are_neither_int4_nor_int8() -> None:
    dense = torch.nn.Linear(4, 4)
    loaded = describe(network(dense, Quantised(4), Quantised(8), method="gptq"), Weights(Path(), "r"), 8)
    assert (loaded.weight_bits, loaded.weight_format) == (None, "gptq of 4 and 8 bits")
    for precision in ("int4", "int8"):
        with pytest.raises(UserError, match="loaded are gptq of 4 and 8 bits weights"):
            check_precision(compose([f"precision={precision}"]).precision, loaded)


@pytest.mark.parametrize(
    ("typed", "says"),
    [
        (["precision=fp16"], "^precision=fp16 is not for a CPU.*use precision=fp32"),
        (["precision=int4", "precision.compute=fp16"], "^precision.compute=fp16 is not .*use precision.compute=fp32"),
    ],
)
def test_fp16_on_a_cpu_is_refused_by_the_option_that_asks_for_it(typed: list[str], says: str) -> None:
    with pytest.raises(UserError, match=says):
        pick_dtype("fp16", torch.float16, torch.device("cpu"), format_option(compose(typed).precision))
