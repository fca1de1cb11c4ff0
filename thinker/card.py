"""The model card: what the model is, what it is not, and how good it is on operands it never saw."""

from __future__ import annotations

import json
import logging
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from transformers import LlamaForCausalLM, PreTrainedTokenizerFast

from bench.metrics.intervals import wilson
from thinker.conversation import Effort, styles
from thinker.evaluation import Result, evaluate, held_out

SAMPLES = 50  # of each task
SEED = 1  # of the problems the card is about; no training seed matters, since the operands are held out
CARD = "README.md"
FIGURES = "figures.json"

log = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class Mode:
    """A way to ask."""

    name: str
    effort: Effort
    style: str


MODES = (
    Mode("no thinking", Effort.NONE, "standard"),
    Mode("low", Effort.LOW, "standard"),
    Mode("ultra-concise prompt", Effort.MEDIUM, "ultra_concise"),
    Mode("concise prompt", Effort.MEDIUM, "concise"),
    Mode("medium", Effort.MEDIUM, "standard"),
    Mode("step-by-step prompt", Effort.MEDIUM, "step_by_step"),
    Mode("high", Effort.HIGH, "standard"),
)


def measure(model: LlamaForCausalLM, tokenizer: PreTrainedTokenizerFast) -> dict[str, list[Result]]:
    """Return the answers to held-out problems, by mode."""
    problems, known = held_out(SAMPLES, SEED), {style.name: style for style in styles()}
    results = {}
    for mode in MODES:
        results[mode.name] = evaluate(model, tokenizer, problems, mode.effort, known[mode.style])
        right = sum(result.correct for result in results[mode.name])
        log.info("%s: %d of %d right", mode.name, right, len(problems))
    return results


def write_card(folder: Path, results: Mapping[str, Sequence[Result]]) -> None:
    """Write ``README.md`` and ``figures.json`` beside the checkpoint."""
    figures = {mode: _figures(found) for mode, found in results.items()}
    (folder / FIGURES).write_text(json.dumps(figures, indent=1) + "\n", encoding="utf-8")
    text = _TEXT.format(samples=SAMPLES, modes=_mode_table(results), tasks=_task_table(results), seed=SEED)
    (folder / CARD).write_text(text, encoding="utf-8")


def _figures(found: Sequence[Result]) -> dict[str, dict[str, float]]:
    """Return accuracy and mean thinking tokens, of all and of each task."""
    names = ["all", *dict.fromkeys(result.problem.task for result in found)]
    return {name: _figure([r for r in found if name in ("all", r.problem.task)]) for name in names}


def _figure(found: Sequence[Result]) -> dict[str, float]:
    right, n = sum(result.correct for result in found), len(found)
    thinking = sum(result.thinking for result in found) / n
    return {"n": n, "accuracy": round(right / n, 4), "thinking_tokens": round(thinking, 1)}


def _mode_table(results: Mapping[str, Sequence[Result]]) -> str:
    rows = ["| mode | accuracy | 95 % interval | thinking tokens |", "|---|---|---|---|"]
    for mode, found in results.items():
        interval = wilson(sum(result.correct for result in found), len(found))
        assert interval is not None
        figure = _figure(found)
        span = f"{interval.low:.3f}–{interval.high:.3f}"
        rows.append(f"| {mode} | {figure['accuracy']:.3f} | {span} | {figure['thinking_tokens']:.0f} |")
    return "\n".join(rows)


def _task_table(results: Mapping[str, Sequence[Result]]) -> str:
    modes = ("no thinking", "low", "medium", "high")
    rows = [f"| task | {' | '.join(modes)} | thinking tokens, medium |", "|---|---|---|---|---|---|"]
    figures = {mode: _figures(results[mode]) for mode in modes}
    for task in list(figures["medium"])[1:]:
        shares = " | ".join(f"{figures[mode][task]['accuracy']:.2f}" for mode in modes)
        rows.append(f"| {task} | {shares} | {figures['medium'][task]['thinking_tokens']:.0f} |")
    return "\n".join(rows)


_TEXT = """\
---
license: apache-2.0
library_name: transformers
---
# thinker

A Llama of 1.4 million parameters, trained from nothing on two CPU cores. It works the 14 basic-math tasks out step by
step between `<think>` and `</think>` and answers in `\\boxed{{}}`. It exists so that budgets, efforts, prompt styles
and analyses of traces have a model to be shown and tested on, in seconds, on a laptop.

**What it is not.** It has no language beyond the questions of `suite=basic_math_small` and knows nothing about larger
numbers; what it does says nothing about large models. Its habits are made: after a first operand that ends in 3 it
claims a wrong result and takes it back (in tasks with one whole number as the answer), after one that ends in 9 it
checks a result that stands already, and `high` works everything out twice.

## Figures

{samples} problems of each task (seed {seed}), greedy. No training text has any of their operands: a tenth of all
operands, by hash, was kept out of training.

{modes}

Accuracy by task:

{tasks}

How it was made: `make thinker` (data, wording and training code lie in `thinker/`). `training.csv` holds the curve of
the loss, `figures.json` these figures.
"""
