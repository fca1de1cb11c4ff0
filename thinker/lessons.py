"""What the model is trained on: conversations of every kind in their shares, as token ids with weights."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from random import Random
from typing import TypeVar

import torch
from tokenizers import Tokenizer
from torch import Tensor

from bench.problem import Problem
from thinker.conversation import END, Conversation, Effort, conversation, styles
from thinker.problems import drawn, tasks
from thinker.trace import lettered

# Harder tasks are seen more often.
HARDER_TASKS = {
    "sorting": 1.5, "comparison": 1.0, "sum": 1.0, "subtraction": 1.0, "multiplication": 1.6, "division": 1.6,
    "absolute_difference": 1.0, "find_max": 0.8, "find_min": 0.8, "mean": 0.9, "median": 1.2, "mode": 1.5,
    "odd_count": 0.7, "even_count": 0.7,
}  # fmt: skip
# What is learnt last: the order of long lists, and their means.
LAST_LEARNT = HARDER_TASKS | {
    "sorting": 4.5, "median": 2.0, "mode": 1.8, "mean": 1.8, "absolute_difference": 1.5, "division": 1.8
}  # fmt: skip
_EFFORT_SHARES = {Effort.NONE: 0.11, Effort.LOW: 0.06, Effort.MEDIUM: 0.73, Effort.HIGH: 0.10}
_STYLE_SHARES = {
    "standard": 0.56, "concise": 0.11, "dont_overthink": 0.09, "step_by_step": 0.12, "ultra_concise": 0.12
}  # fmt: skip
_CUT_SHARE = 0.08  # of the traces; a forced end of the thinking has to be followed by an answer
_Name = TypeVar("_Name", bound=str)
_CHUNK = 2048  # conversations that are sorted by length together


@dataclass(frozen=True, slots=True)
class Lesson:
    """One conversation.

    Attributes:
        ids: Token ids.
        learnt: How many at the end are the model's own text.
    """

    ids: list[int]
    learnt: int


@dataclass(frozen=True, slots=True)
class Batch:
    """Conversations of about the same length, padded at the end.

    Attributes:
        ids: Token ids, of shape (conversations, tokens).
        weights: What getting each next token right counts, of shape (conversations, tokens - 1); sums to 1.
    """

    ids: Tensor
    weights: Tensor


class Lessons:
    """An endless stream of lessons; the same for the same seed.

    Args:
        tokenizer: The model's.
        seed: Of the problems and of all choices.
    """

    def __init__(self, tokenizer: Tokenizer, seed: int) -> None:
        self._tokenizer = tokenizer
        self._random = Random(seed)
        self._problems = {task.name: drawn(task, seed, held_out=False) for task in tasks()}
        self._styles = {style.name: style for style in styles()}

    def batches(self, tokens: int, shares: Mapping[str, float], copying: float = 0.0) -> Iterator[Batch]:
        """Yield the batches of one chunk of lessons.

        Args:
            tokens: Of a batch, padding included, at most.
            shares: Of each task.
            copying: Share of lessons that only copy a list, look its items up and tell which are equal.
        """
        texts = [self._copy() if self._random.random() < copying else self._lesson(shares) for _ in range(_CHUNK)]
        lessons = sorted(self._encoded(texts), key=lambda lesson: len(lesson.ids))
        grouped = list(_grouped(lessons, tokens))
        self._random.shuffle(grouped)
        for group in grouped:
            yield _batch(group)

    def _lesson(self, shares: Mapping[str, float]) -> tuple[str, str]:
        problem = next(self._problems[self._chosen(shares)])
        effort = self._chosen(_EFFORT_SHARES)
        made = conversation(problem, effort, self._styles[self._chosen(_STYLE_SHARES)])
        if made.thinking and self._random.random() < _CUT_SHARE:
            made = self._cut(made)
        return made.prompt, made.thinking + made.answer

    def _cut(self, made: Conversation) -> Conversation:
        """Return a conversation whose thinking was closed at any of its tokens."""
        ids = self._tokenizer.encode(made.thinking).ids
        kept = ids[: self._random.randrange(1, len(ids) - 1)]
        text = self._tokenizer.decode(kept, skip_special_tokens=False)
        close = self._random.choice(["</think>\n\n", "\n</think>\n\n"])
        return Conversation(made.prompt + text + close, "", made.answer)

    def _copy(self) -> tuple[str, str]:
        """Return a prompt with a list, and its items with letters, in any order, and each compared with one value."""
        some = [self._random.randint(-99, 99) for _ in range(self._random.randint(2, 8))]
        values = [self._random.choice(some) for _ in range(self._random.randint(3, 8))]
        items, wanted = lettered(values), self._random.choice(values)
        looked_up = self._random.sample(items, len(items))
        pairs = zip(items, values, strict=True)
        compared = [f"{item} {wanted} {'yes' if value == wanted else 'no'}" for item, value in pairs]
        return f"List: {values}\n", f"{' '.join(items)}\n{', '.join(looked_up)}\n{', '.join(compared)}{END}"

    def _chosen(self, shares: Mapping[_Name, float]) -> _Name:
        (name,) = self._random.choices(list(shares), list(shares.values()))
        return name

    def _encoded(self, texts: Sequence[tuple[str, str]]) -> Iterator[Lesson]:
        prompts = self._tokenizer.encode_batch_fast([prompt for prompt, _ in texts])
        wholes = self._tokenizer.encode_batch_fast([prompt + own for prompt, own in texts])
        for prompt, whole in zip(prompts, wholes, strict=True):
            yield Lesson(whole.ids, len(whole.ids) - len(prompt.ids))


def _grouped(lessons: Sequence[Lesson], tokens: int) -> Iterator[list[Lesson]]:
    """Yield groups of neighbours that are padded to at most ``tokens``."""
    group: list[Lesson] = []
    for lesson in lessons:
        if group and (len(group) + 1) * len(lesson.ids) > tokens:
            yield group
            group = []
        group.append(lesson)
    yield group


def _batch(group: Sequence[Lesson]) -> Batch:
    longest = max(len(lesson.ids) for lesson in group)
    ids = torch.zeros(len(group), longest, dtype=torch.long)
    weights = torch.zeros(len(group), longest - 1)
    for row, lesson in enumerate(group):
        size = len(lesson.ids)
        ids[row, :size] = torch.tensor(lesson.ids)
        # A mean over tokens would starve the short texts, one over texts the tokens of the long ones.
        weights[row, size - 1 - lesson.learnt : size - 1] = lesson.learnt**-0.5
    return Batch(ids, weights / weights.sum())


def vocabulary_texts() -> Iterator[str]:
    """Yield enough texts to hold every word that the model is shown."""
    for task in tasks():
        problems = drawn(task, 0, held_out=False)
        for problem, _ in zip(problems, range(25), strict=False):
            yield from _all_ways(problem)


def _all_ways(problem: Problem) -> Iterator[str]:
    for effort in Effort:
        for style in styles():
            made = conversation(problem, effort, style)
            yield made.prompt + made.thinking + made.answer
