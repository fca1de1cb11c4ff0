"""Budgets on tokens: a sample whose thinking is closed for it at a cap, and what a record says of its budget."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Literal

from bench import split_thinking
from bench.problem import Problem
from bench.thinking import ThinkingState
from runner.config.settings import BudgetSettings, ModelSettings, NativeBudget, ThinkingBudget, ThinkingMarkers
from runner.config.suite import Place
from runner.engines.markers import opens_thinking
from runner.results.record import Record, RecordStatus, Turn
from runner.sampling.generation import Boundary, Failure, FinishReason, Generation, Usage
from runner.sampling.request import Message, Reserve, Segment
from runner.sampling.sample import Action, Event, Finish, Generate, Question, SampleSpec, Started, turn_of

# How far an engine's own cap may be overrun before it counts as ignored: a closing marker takes some tokens to write.
NATIVE_SLACK_TOKENS = 8
# The same for a provider's, as a multiple: it takes a cap for a target, and says so.
PROVIDER_SLACK = 2


@dataclass(frozen=True, slots=True)
class Closing:
    """How a run's thinking is closed.

    Attributes:
        budget: The caps, and the text that is forced.
        markers: The model's thinking markers.
        family: The model's family, see :func:`bench.split_thinking`.
    """

    budget: ThinkingBudget
    markers: ThinkingMarkers
    family: str

    @property
    def text(self) -> str:
        """What is forced."""
        return self.budget.closing.replace("{close}", self.markers.close)


class ForcedClose(Question):
    """Asks for as many tokens as the thinking may have, closes it if it is still open, and asks for the answer.

    Near the end of the context the thinking gets what the closing and the answer's reserve leave of it.
    A model that closes its thinking before the cap is not disturbed: its answer is continued if the cap cut it. An
    answer ends where a further thinking would begin. A cap of 0 costs one token that is thrown away, since only the
    rendered prompt shows whether it opens the thinking.
    """

    def __init__(
        self,
        problem: Problem,
        place: Place,
        messages: tuple[Message, ...],
        spec: SampleSpec,
        seed: int,
        closing: Closing,
        clock: Callable[[], float] = time.time,
    ) -> None:
        super().__init__(problem, place, messages, spec, seed, clock)
        self._closing = closing
        self._generations: list[Generation] = []
        self._turns: list[Turn] = []

    def advance(self, event: Event) -> Action:
        """Ask for the thinking, then for the answer unless it came by itself."""
        budget = self._closing.budget
        if isinstance(event, Started):
            self._started_s = self._clock()
            reserve = Reserve(self._closing.text, budget.answer_tokens)
            return Generate(replace(self._request(0, max(1, budget.tokens)), reserve=reserve))
        if not isinstance(event, Generation):
            raise TypeError(f"a sample with a thinking budget calls no tool, got {type(event).__name__}")
        first = not self._generations
        if first and budget.tokens == 0 and event.failure is None:
            self._generations.append(_unsaid(event))
            self._turns.append(Turn("injected", self._opening(event) + self._closing.text))
        else:
            self._generations.append(event)
            self._turns.append(turn_of(event))
            if not first or event.finish_reason is not FinishReason.LENGTH:
                return Finish(self._record(self._generations, tuple(self._turns)))
            if (missing := self._missing(event)) is not None:
                self._turns.append(Turn("injected", missing + self._closing.text))
        request = self._request(1, budget.answer_tokens, self._prefix())
        # A thinking that begins anew behind the closed one would have no cap.
        return Generate(replace(request, stop=(*request.stop, self._closing.markers.open)))

    def _missing(self, event: Generation) -> str | None:
        """Return what is missing of the opening marker, mostly nothing, if the thinking is open; None if it is not."""
        opening, begun = self._closing.markers.open, event.text.lstrip()
        if begun and len(begun) < len(opening) and opening.startswith(begun):  # the cap cut the marker itself
            return opening[len(begun) :]
        tail, family = event.prompt_tail, self._closing.family
        split = split_thinking(event.text, finish_reason="length", prompt_tail=tail, family=family)
        return "" if split.state is ThinkingState.UNCLOSED else None

    def _opening(self, event: Generation) -> str:
        """Return the opening marker, or nothing where the prompt wrote it already."""
        markers = self._closing.markers
        return "" if opens_thinking(event.prompt_tail, markers) else markers.open

    def _prefix(self) -> tuple[Segment, ...]:
        return tuple(Segment(turn.text, turn.token_ids, injected=turn.kind == "injected") for turn in self._turns)


def with_budget(record: Record, budget: BudgetSettings, model: ModelSettings) -> Record:
    """Return the record with the mechanism that limited its tokens and whether it acted.

    Args:
        record: As the sample left it.
        budget: The run's.
        model: The run's.

    Returns:
        An error instead where the engine has ignored ``budget=native``, as versions do that don't know it.
    """
    if budget.tokens is None:
        return record
    if record.status is RecordStatus.ERROR:
        return replace(record, budget_kind=budget.kind)
    record = replace(record, budget_kind=budget.kind)
    if isinstance(budget, NativeBudget):
        return _natively_capped(record, budget.tokens, model)
    return replace(record, budget_hit=_acted(record, budget.kind, budget.tokens))


def _acted(record: Record, kind: Literal["total", "thinking", "hint"], tokens: int) -> bool:
    if kind == "thinking":
        return any(turn.kind == "injected" for turn in record.turns)
    if kind == "hint":
        return record.usage.output > tokens
    return record.status is RecordStatus.TRUNCATED and record.usage.output >= tokens


def _natively_capped(record: Record, tokens: int, model: ModelSettings) -> Record:
    """Return the record with whether its thinking ends where an engine's own cap ends it, an error if it is longer.

    An engine caps each stretch of thinking anew, a provider all of them together.
    """
    thinking, end, tail = record.usage.thinking, record.finish_reason.value, record.prompt_tail
    split = split_thinking(record.text, finish_reason=end, prompt_tail=tail, family=model.family)
    provided = record.usage.source in ("provider", "estimated")
    stretches = PROVIDER_SLACK if provided else max(1, len(split.segments))
    if thinking > stretches * tokens + NATIVE_SLACK_TOKENS:
        message = (
            f"budget=native budget.tokens={tokens}: it thought for {thinking} tokens, so the engine has ignored its "
            "cap, as earlier versions do; take a newer one, or budget=thinking, which every engine keeps"
        )
        failure = Failure(Boundary.ENGINE, "cap_ignored", message)
        return replace(record, status=RecordStatus.ERROR, finish_reason=FinishReason.ERROR, failure=failure)
    if provided:  # it may hide the thinking, or show a summary of it
        return replace(record, budget_hit=thinking >= tokens)
    begun = 0  # a thinking that the prompt opened is counted from there; no token is shorter than a character
    if model.thinking is not None and opens_thinking(tail, model.thinking):
        begun = len(tail.rpartition(model.thinking.open)[2])
    return replace(record, budget_hit=split.state is ThinkingState.CLOSED and thinking + begun >= tokens)


def _unsaid(generation: Generation) -> Generation:
    """Return a generation with nothing in it but what it says about the prompt."""
    usage = Usage(prompt=generation.usage.prompt, source=generation.usage.source)
    return replace(generation, text="", usage=usage, token_ids=None, max_tokens=0)
