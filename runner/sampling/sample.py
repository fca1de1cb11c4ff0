"""A sample as a small state machine: it is told what happened and says what to do next.

A sample knows nothing of engines, batches or files. The driver starts it with :class:`Started`, then feeds
it the generations and tool results it asked for, one at a time, until it finishes.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Protocol

from pydantic import JsonValue

from bench.problem import Problem
from runner.config.suite import Place
from runner.results.record import Record, RecordStatus, Turn, sample_key
from runner.sampling.generation import Failure, FinishReason, Generation, Usage
from runner.sampling.request import Message, Request, SamplingParams, Segment
from runner.tools.protocol import ToolCall, ToolResult


@dataclass(frozen=True, slots=True)
class Started:
    """The first event of a sample."""


@dataclass(frozen=True, slots=True)
class Generate:
    """Ask the engine for a text."""

    request: Request


@dataclass(frozen=True, slots=True)
class CallTool:
    """Ask the tool pool for a call."""

    call: ToolCall


@dataclass(frozen=True, slots=True)
class Finish:
    """The sample is done."""

    record: Record


Event = Started | Generation | ToolResult
Action = Generate | CallTool | Finish


class Sample(Protocol):
    """One repeat of one problem on its way to a record."""

    key: str

    def advance(self, event: Event) -> Action:
        """Take an event and return the next action; after :class:`Finish` it is not called again."""
        ...

    def fail(self, failure: Failure) -> Record:
        """Return the record of a sample that can't go on."""
        ...


@dataclass(frozen=True, slots=True)
class SampleSpec:
    """What all samples of a run share.

    Attributes:
        sampling: How tokens are drawn.
        max_tokens: Cap on the output, None for the context.
        stop: Stop strings.
        template_options: Extra variables for the chat template.
        code_revision: Stored with every record.
        thinking_cap: Cap on thinking that the engine enforces, None for none.
    """

    sampling: SamplingParams
    max_tokens: int | None
    stop: tuple[str, ...] = ()
    template_options: Mapping[str, JsonValue] = field(default_factory=dict)
    code_revision: str = ""
    thinking_cap: int | None = None


_STATUS = {
    FinishReason.STOP: RecordStatus.OK,
    FinishReason.TOOL_CALLS: RecordStatus.OK,
    FinishReason.LENGTH: RecordStatus.TRUNCATED,
    FinishReason.REFUSED: RecordStatus.REFUSED,
    FinishReason.ERROR: RecordStatus.ERROR,
}


class Question:
    """What all kinds of samples have in common: the problem, how it is asked, and the record of what came.

    Args:
        problem: What is asked.
        place: Where it stands in the suite.
        messages: The chat that asks it.
        spec: What all samples of the run share.
        seed: Of the sample's tokens.
        clock: Seconds since the epoch.
    """

    def __init__(
        self,
        problem: Problem,
        place: Place,
        messages: tuple[Message, ...],
        spec: SampleSpec,
        seed: int,
        clock: Callable[[], float] = time.time,
    ) -> None:
        self.key = sample_key(problem.id, place.repeat)
        self._problem = problem
        self._place = place
        self._messages = messages
        self._spec = spec
        self._seed = seed
        self._clock = clock
        self._started_s = clock()

    def fail(self, failure: Failure) -> Record:
        """Return the record of a sample that can't go on."""
        return self._record([Generation(self.key, "", FinishReason.ERROR, failure=failure)], (Turn("model", ""),))

    def _request(self, number: int, max_tokens: int | None, prefix: tuple[Segment, ...] = ()) -> Request:
        """Return the sample's request number ``number``, from 0."""
        return Request(
            key=f"{self.key}#{number}",
            messages=self._messages,
            sampling=self._spec.sampling,
            seed=self._seed,
            max_tokens=max_tokens,
            prefix=prefix,
            stop=self._spec.stop,
            template_options=self._spec.template_options,
            thinking_cap=self._spec.thinking_cap,
        )

    def _record(self, generations: Sequence[Generation], turns: tuple[Turn, ...]) -> Record:
        """Return the record of what was generated, at least once; the last generation says how it ended."""
        first, last = generations[0], generations[-1]
        return Record(
            problem_id=self._problem.id,
            task=self._problem.task,
            fold=self._place.fold,
            index=self._place.index,
            repeat=self._place.repeat,
            data=self._problem.data,
            status=_STATUS[last.finish_reason],
            finish_reason=last.finish_reason,
            turns=turns,
            usage=_summed([generation.usage for generation in generations]),
            max_tokens=_cap(generations),
            prompt_sha256=first.prompt_sha256,
            prompt_tail=first.prompt_tail,
            started_s=self._started_s,
            latency_s=self._clock() - self._started_s,
            code_revision=self._spec.code_revision,
            failure=last.failure,
            derived_from=tuple(sorted({run for generation in generations for run in generation.derived_from})),
            request_ids=tuple(generation.request_id for generation in generations if generation.request_id),
        )


class SingleTurn(Question):
    """Question in, one text out."""

    def advance(self, event: Event) -> Action:
        """Ask once, then finish with what came."""
        if isinstance(event, Started):
            self._started_s = self._clock()
            return Generate(self._request(0, self._spec.max_tokens))
        if isinstance(event, Generation):
            return Finish(self._record([event], (turn_of(event),)))
        raise TypeError(f"a single-turn sample calls no tool, got {type(event).__name__}")


def turn_of(generation: Generation) -> Turn:
    """Return a generation as a turn of the record."""
    return Turn("model", generation.text, generation.token_ids, generation.latency_s)


# Counts of a provider, which takes, and bills, all that was said before anew at each turn.
_BILLED = ("provider", "estimated")


def _summed(usages: Sequence[Usage]) -> Usage:
    """Return the usage of one generation after the other; each counts all that was forced before it."""
    if len(usages) == 1:
        return usages[0]
    return Usage(
        prompt=usages[0].prompt,
        thinking=sum(usage.thinking for usage in usages),
        answer=sum(usage.answer for usage in usages),
        output=sum(usage.output for usage in usages),
        injected=usages[-1].injected,
        source=next((usage.source for usage in usages if usage.source != "ids"), "ids"),
        reused=sum(usage.reused for usage in usages),
        cached=sum(usage.cached for usage in usages),
        resent=sum(usage.prompt for usage in usages[1:] if usage.source in _BILLED),
    )


def _cap(generations: Sequence[Generation]) -> int | None:
    caps = [generation.max_tokens for generation in generations]
    return None if None in caps else sum(cap for cap in caps if cap is not None)
