"""Rewards against overthinking, as plain functions for reinforcement learning: TRL's and verl's signatures.

r · p_int · p_ext: right or wrong, times a penalty on likeness before the first correct answer, times one on what
comes after it (DESIGN, IRD and ERD). A figure that does not exist (a wrong answer, no first correct answer in the
trace, too few sentences) penalises nothing.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal, get_args

from bench.grade import grade_split
from bench.problem import Problem
from bench.redundancy import look_at, sentences, visible_trace
from bench.redundancy.tokens import by_characters
from bench.registry import problem_from_data
from bench.thinking import Thinking, split_thinking
from bench.verdict import Outcome

Penalty = Literal["none", "internal", "external", "both", "length"]

STEEPNESS, CENTRE = 20.0, 0.3


def _sigmoid(x: float) -> float:
    return 1 / (1 + math.exp(-STEEPNESS * (x - CENTRE)))


def internal_penalty(ird: float | None) -> float:
    """Return p_int = (σ(1 - IRD) - σ(0)) / (σ(1) - σ(0)), σ(x) = 1/(1 + e^(-k(x - c))), k = 20, c = 0.3.

    In [0, 1], 1 for no likeness; an IRD below 0 counts as 0, None as no redundancy.
    """
    if ird is None:
        return 1.0
    x = 1 - min(1.0, max(0.0, ird))
    return (_sigmoid(x) - _sigmoid(0)) / (_sigmoid(1) - _sigmoid(0))


def external_penalty(erd: float | None) -> float:
    """Return p_ext = 1 - ERD; None counts as no redundancy."""
    return 1.0 if erd is None else 1.0 - min(1.0, max(0.0, erd))


def length_penalty(tokens: int, most: int) -> float:
    """Return max(0, 1 - tokens/most): all of the length is paid for, wherever it stands; ``most`` is above 0."""
    return max(0.0, 1 - tokens / most)


@dataclass(frozen=True)
class Reward:
    """A reward of one response; an instance is called as TRL calls a reward function.

    Attributes:
        penalty: Which redundancy is penalised; ``length`` is the pure length penalty to compare with.
        embed: Turns sentences into vectors, see ``bench.metrics.redundancy.internal``; for ``internal`` and ``both``.
        most_tokens: Length at which ``length`` leaves nothing.
        family: The model's family, see :func:`bench.split_thinking`.
        prompt_tail: The end of the rendered prompt, e.g. ``<think>`` where the chat template opens the thinking;
            without it a thinking that was cut would be graded as an answer.

    Raises:
        ValueError: there is no such penalty, ``embed`` is missing where it is needed, or ``most_tokens`` is below 1.
    """

    penalty: Penalty = "both"
    embed: Callable[[list[str]], Any] | None = None
    most_tokens: int = 4_096
    family: str | None = None
    prompt_tail: str = ""

    def __post_init__(self) -> None:
        if self.penalty not in get_args(Penalty):
            raise ValueError(f"penalty={self.penalty}: give one of {', '.join(get_args(Penalty))}")
        if self.penalty in ("internal", "both") and self.embed is None:
            raise ValueError(
                f"a reward with the penalty {self.penalty} needs embed, a function from sentences to vectors"
            )
        if self.most_tokens < 1:
            raise ValueError(f"most_tokens={self.most_tokens}: give a length above 0")

    @property
    def __name__(self) -> str:
        """What a trainer's log calls it."""
        return f"reward_{self.penalty}"

    def of(self, problem: Problem, response: str, tokens: int | None = None) -> float:
        """Return r · p_int · p_ext of one response, in [0, 1].

        Args:
            problem: What was asked.
            response: What the model wrote, thinking with its markers included.
            tokens: Its length; without it characters stand for tokens, four each.
        """
        split = split_thinking(response, prompt_tail=self.prompt_tail, family=self.family)
        if grade_split(problem, split, complete=True).outcome is not Outcome.CORRECT:
            return 0.0
        length = max(1, len(response) // 4) if tokens is None else tokens
        if self.penalty == "length":
            return length_penalty(length, self.most_tokens)
        return self._left(problem, split)

    def _left(self, problem: Problem, split: Thinking) -> float:
        """Return what the penalties leave of a right answer; shares of a trace are counted in characters."""
        trace = split.thinking or visible_trace(split.answer)
        found = look_at(trace, problem, by_characters(len(trace), len(trace)))
        left = external_penalty(found.erd) if self.penalty in ("external", "both") else 1.0
        if self.penalty in ("internal", "both") and found.first is not None and self.embed is not None:
            from bench.metrics.redundancy.internal import ird_of

            left *= internal_penalty(ird_of(sentences(trace[: found.first.end]), self.embed))
        return left

    def __call__(self, prompts: Sequence[Any], completions: Sequence[Any], **columns: Any) -> list[float]:
        """Return a reward a completion, as ``trl.GRPOTrainer(reward_funcs=...)`` asks.

        Args:
            prompts: Not looked at: the columns say what was asked.
            completions: Texts, or conversations whose messages hold them.
            columns: Those of the data set, a value a completion: ``task`` and ``data`` (a task's name and the problem's
                data); also TRL's ``completion_ids``.
        """
        ids = columns.get("completion_ids") or [None] * len(completions)
        asked = zip(columns["task"], columns["data"], completions, ids, strict=True)
        return [
            self.of(problem_from_data(task, data), _text(said), None if tokens is None else len(tokens))
            for task, data, said, tokens in asked
        ]

    def compute_score(
        self, data_source: str, solution_str: str, ground_truth: Any, extra_info: Mapping[str, Any] | None = None
    ) -> float:
        """Return one reward, as verl's ``custom_reward_function`` asks.

        Args:
            data_source: A task's name.
            solution_str: The response.
            ground_truth: The problem's data, as ``bench.problem_from_data`` takes it.
            extra_info: May hold ``tokens``, the response's length.
        """
        tokens = (extra_info or {}).get("tokens")
        return self.of(problem_from_data(data_source, ground_truth), solution_str, tokens)


def _text(completion: Any) -> str:
    if isinstance(completion, str):
        return completion
    return "".join(str(message.get("content") or "") for message in completion if message.get("role") == "assistant")
