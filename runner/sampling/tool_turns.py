"""A sample that calls tools: text, calls, what they gave back, and again, until a text without a call is the answer."""

from __future__ import annotations

import time
from collections import deque
from collections.abc import Callable
from dataclasses import dataclass, replace

from bench.problem import Problem
from runner.config.suite import Place
from runner.results.record import Record, RecordStatus, Turn
from runner.sampling.generation import Failure, FinishReason, Generation
from runner.sampling.request import Message, Request
from runner.sampling.sample import Action, CallTool, Event, Finish, Generate, Question, SampleSpec, Started
from runner.sampling.seeds import turn_seed
from runner.tools.dialects import Dialect
from runner.tools.protocol import ToolCall, ToolResult
from runner.tools.reading import ReadCall, Reading

_NO_CALLS_LEFT = "no more tool calls can be made; give the final answer now"


@dataclass(frozen=True, slots=True)
class ToolLimits:
    """What bounds the calls of a sample.

    Attributes:
        calls: Most calls, those that could not be made among them; behind them the model is told to answer.
        tokens: Tokens of results from which on no more calls are made; None for no limit. The result that passes it is
            still given whole.
    """

    calls: int
    tokens: int | None


class ToolTurns(Question):
    """Asks, makes the calls that come, gives back what they gave, and asks again until an answer comes.

    A cap on output tokens holds over all texts of the sample together. A call that can't be read, or of a tool that is
    not offered, is answered with what is wrong and counts as a call. Calls of one text run one after the other. A text
    that a cap cut calls nothing.
    """

    def __init__(
        self,
        problem: Problem,
        place: Place,
        messages: tuple[Message, ...],
        spec: SampleSpec,
        seed: int,
        dialect: Dialect,
        limits: ToolLimits,
        clock: Callable[[], float] = time.time,
    ) -> None:
        super().__init__(problem, place, messages, spec, seed, clock)
        self._dialect = dialect
        self._limits = limits
        self._conversation = dialect.begin(messages)
        self._generations: list[Generation] = []
        lead = "".join(segment.text for segment in self._conversation.prefix)
        self._turns = [Turn("injected", lead)] if lead else []
        self._reading = Reading()
        self._pending: deque[ReadCall] = deque()  # calls of the last text that have no result yet
        self._results: list[str] = []  # of those that have
        self._calls = 0
        self._told = False  # that no calls are left

    def advance(self, event: Event) -> Action:
        """Ask, call, or finish."""
        if isinstance(event, Started):
            self._started_s = self._clock()
            return Generate(self._next_request())
        if isinstance(event, ToolResult):
            call = self._pending.popleft()
            self._add_result(call, event.text, ok=event.ok, latency_s=event.latency_s)
            return self._next_call()
        return self._take(event)

    def fail(self, failure: Failure) -> Record:
        """Return the record of a sample that can't go on, with all turns it had."""
        broken = Generation(self.key, "", FinishReason.ERROR, failure=failure)
        return self._counted(self._record([*self._generations, broken], (*self._turns, Turn("model", ""))))

    def _take(self, generation: Generation) -> Action:
        """Take a text: the calls in it, or the answer."""
        self._generations.append(generation)
        ended = generation.finish_reason in (FinishReason.STOP, FinishReason.TOOL_CALLS)
        self._reading = self._dialect.read(self._conversation, generation) if ended else Reading()
        self._turns.append(
            Turn(
                "model",
                generation.text,
                generation.token_ids,
                generation.latency_s,
                kept=self._reading.kept,
                slips=self._reading.slips,
            )
        )
        if not self._reading.calls or self._told:
            return Finish(self._finished(cut=bool(self._reading.calls)))
        self._pending.extend(self._reading.calls)
        return self._next_call()

    def _next_call(self) -> Action:
        """Make the next call of the text; where all have their results, ask for what follows."""
        while self._pending:
            call = self._pending[0]
            if self._used_up:
                call = replace(call, fault="limit", message=_NO_CALLS_LEFT)
                self._told = True
            self._calls += 1
            if call.fault is None:
                key = f"{self.key}#{self._calls - 1}"
                return CallTool(ToolCall(key, call.name, call.arguments, session=self.key))
            self._pending.popleft()
            self._add_result(call, f"Error: {call.message}", ok=False, latency_s=0.0)
        return self._go_on()

    def _go_on(self) -> Action:
        results, self._results = self._results, []
        last = self._generations[-1]
        self._conversation = self._dialect.go_on(self._conversation, last, self._reading, results)
        if self._left == 0:
            return Finish(self._finished(cut=True))
        return Generate(self._next_request())

    def _add_result(self, call: ReadCall, text: str, *, ok: bool, latency_s: float) -> None:
        self._results.append(text)
        self._turns.append(
            Turn(
                "tool",
                text,
                latency_s=latency_s,
                name=call.name,
                arguments=dict(call.arguments),
                ok=ok,
                fault=call.fault,
            )
        )

    @property
    def _used_up(self) -> bool:
        tokens = self._dialect.tool_tokens([generation.usage for generation in self._generations])
        return self._calls >= self._limits.calls or (self._limits.tokens is not None and tokens >= self._limits.tokens)

    @property
    def _left(self) -> int | None:
        """Output tokens that the sample may still use, None for no cap but the context."""
        most = self._spec.max_tokens
        used = sum(generation.usage.output for generation in self._generations)
        return None if most is None else max(0, most - used)

    def _next_request(self) -> Request:
        number, now = len(self._generations), self._conversation
        request = self._request(number, self._left, now.prefix)
        return replace(
            request,
            messages=now.messages,
            # Behind a prefix positions go on, so the same seed draws other numbers; a new prompt begins them anew.
            seed=request.seed if now.prefix else turn_seed(request.seed, number),
            stop=(*request.stop, *self._dialect.stop),
            tools=self._dialect.told,
        )

    def _finished(self, *, cut: bool) -> Record:
        """Return the record; ``cut`` says that a limit ended it before an answer."""
        last = self._generations[-1]
        record = self._counted(self._record(self._generations, tuple(self._turns)))
        before = record.usage.output - last.usage.output
        return replace(
            record,
            status=RecordStatus.TRUNCATED if cut else record.status,
            max_tokens=None if last.max_tokens is None else before + last.max_tokens,
            prompt_tail=self._dialect.tail(self._conversation, last),
        )

    def _counted(self, record: Record) -> Record:
        """Return the record with the tokens of results told apart from what budgets force."""
        usages = [generation.usage for generation in self._generations]
        if not usages:
            return record
        usage = replace(record.usage, injected=usages[0].injected, tool=self._dialect.tool_tokens(usages))
        return replace(record, usage=usage)
