"""How good the model is: problems whose operands it never saw, by task and effort."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import islice

import torch
from transformers import LlamaForCausalLM, PreTrainedTokenizerFast

import bench
from bench.problem import Problem
from bench.verdict import Outcome
from thinker.conversation import NO_THINKING, Effort, Style, conversation
from thinker.problems import drawn, tasks
from thinker.vocabulary import END

MAX_NEW = 700
_BATCH = 140


@dataclass(frozen=True, slots=True)
class Result:
    """One problem answered.

    Attributes:
        problem: What was asked.
        correct: Whether the answer is right.
        thinking: Tokens between the markers.
        text: What the model wrote.
    """

    problem: Problem
    correct: bool
    thinking: int
    text: str


def held_out(samples: int, seed: int) -> list[Problem]:
    """Return held-out problems, ``samples`` of each task."""
    return [problem for task in tasks() for problem in islice(drawn(task, seed, held_out=True), samples)]


def evaluate(
    model: LlamaForCausalLM,
    tokenizer: PreTrainedTokenizerFast,
    problems: Sequence[Problem],
    effort: Effort,
    style: Style,
) -> list[Result]:
    """Answer problems greedily."""
    found: list[Result] = []
    for start in range(0, len(problems), _BATCH):
        batch = problems[start : start + _BATCH]
        prompts = [conversation(problem, effort, style).prompt for problem in batch]
        found += [
            _result(problem, prompt, text, tokenizer)
            for problem, prompt, text in zip(batch, prompts, _answers(model, tokenizer, prompts), strict=True)
        ]
    return found


def _answers(model: LlamaForCausalLM, tokenizer: PreTrainedTokenizerFast, prompts: Sequence[str]) -> Iterator[str]:
    asked = tokenizer(list(prompts), return_tensors="pt", padding=True, padding_side="left", add_special_tokens=False)
    with torch.inference_mode():
        ids = model.generate(
            asked.input_ids, attention_mask=asked.attention_mask, max_new_tokens=MAX_NEW, do_sample=False
        )
    for row in ids[:, asked.input_ids.shape[1] :]:
        yield tokenizer.decode(row, skip_special_tokens=False).partition(END)[0]


def _result(problem: Problem, prompt: str, text: str, tokenizer: PreTrainedTokenizerFast) -> Result:
    tail = prompt[-len(NO_THINKING) :]
    verdict = bench.grade(problem, text, prompt_tail=tail)
    thinking = bench.split_thinking(text, prompt_tail=tail).thinking
    count = len(tokenizer.encode(thinking, add_special_tokens=False)) if thinking else 0
    return Result(problem, verdict.outcome is Outcome.CORRECT, count, text)
