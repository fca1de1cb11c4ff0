"""What Anthropic and Google refuse is refused here, before the first call."""

from __future__ import annotations

import pytest

from runner.config.api_rules import api_mistakes
from runner.config.compose import compose
from runner.engines.factory import resolve

CLAUDE = ("model=claude_sonnet4", "engine=anthropic")
THINKS = (*CLAUDE, "sampling=model_default")
GEMINI = ("model=gemini25_pro", "engine=google")
SERVER = "engine.base_url=http://localhost:1"


def mistakes(*overrides: str) -> list[str]:
    settings = compose(list(overrides))
    return list(api_mistakes(settings, resolve(settings.engine)))


@pytest.mark.parametrize(
    "overrides",
    [
        CLAUDE,
        (*CLAUDE, "effort=none"),
        (*THINKS, "effort=high"),
        (*THINKS, "budget=native", "budget.tokens=1024"),
        (*THINKS, "engine.api_version='2026-10-21'"),
        (*CLAUDE, "effort=low", "sampling.temperature=1", "sampling.top_p=0.95"),
        (*GEMINI, "effort=minimal"),
        (*GEMINI, "budget=native", "budget.tokens=32256"),
        ("model=gemini25_flash_lite", "engine=google", "budget=native", "budget.tokens=512"),
        ("model=thinker", "engine=anthropic", SERVER),
        ("model=thinker", "engine=anthropic", SERVER, "sampling.temperature=1.5"),
    ],
)
def test_what_a_provider_takes_passes(overrides: tuple[str, ...]) -> None:
    assert mistakes(*overrides) == []


@pytest.mark.parametrize(
    ("overrides", "says"),
    [
        ((*CLAUDE, "effort=low"), "use sampling=model_default"),
        ((*CLAUDE, "effort=low", "sampling.temperature=1", "sampling.top_p=0.9"), "0.95 or more"),
        ((*CLAUDE, "sampling.temperature=1.5"), "takes 0 to 1"),
        ((*CLAUDE, "sampling.repetition_penalty=1.2"), "has none; use 1"),
        ((*CLAUDE, "engine.api_version='2026-10-21'"), "takes no temperature"),
        ((*THINKS, "effort=high", "budget.tokens=4096"), "less than all output, budget.tokens=4096"),
        ((*THINKS, "effort=high", "engine.max_output_tokens=24576"), "less than all output, engine.max_output_tokens"),
        ((*THINKS, "budget=native", "budget.tokens=1023"), "1024 is the least"),
        ((*THINKS, "budget=native", "budget.tokens=2048", "effort=low"), "both say how much"),
        ((*THINKS, "effort=low", "+model.efforts.low.seed=1"), "sends seed"),
        ((*GEMINI, "budget=native", "budget.tokens=64"), "takes 128 to 32768 tokens"),
        ((*GEMINI, "budget=native", "budget.tokens=40000"), "takes 128 to 32768 tokens"),
        (("model=gemini25_flash_lite", "engine=google", "budget=native", "budget.tokens=100"), "0, or 512 to 24576"),
        ((*GEMINI, "effort=low", "model.efforts.low.generationConfig.thinkingConfig.thinkingBudget=5"), "128 to"),
        (
            (*GEMINI, "effort=low", "+model.efforts.low.generationConfig.thinkingConfig.thinkingLevel=LOW"),
            "only one is taken",
        ),
        ((*GEMINI, "sampling=model_default"), "write it out"),
        ((*GEMINI, "sampling.temperature=2.5"), "takes 0 to 2"),
        (("model=thinker", "engine=google", SERVER), "models of Google alone"),
    ],
)
def test_what_a_provider_refuses_is_one_line(overrides: tuple[str, ...], says: str) -> None:
    (line,) = mistakes(*overrides)
    assert says in line
