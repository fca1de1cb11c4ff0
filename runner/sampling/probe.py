"""Asks a model for its answer at a place in a thinking that it wrote before: does it know already?"""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass

from bench.problem import Problem
from runner.config.suite import Place
from runner.results.record import Turn
from runner.sampling.generation import Generation
from runner.sampling.request import Message, Segment
from runner.sampling.sample import Action, Event, Finish, Generate, Question, SampleSpec, Started, turn_of


@dataclass(frozen=True, slots=True)
class Thought:
    """The beginning of a stored text.

    Attributes:
        text: What the model wrote, up to a place in its thinking.
        token_ids: The same as ids.
        closing: The text that is forced behind it: it closes the thinking and asks for the answer.
        answer_tokens: Most tokens of the answer.
    """

    text: str
    token_ids: tuple[int, ...]
    closing: str
    answer_tokens: int


class Probe(Question):
    """Closes a thinking at a place and asks for the answer; its request is named by the place, so that all differ.

    Its record has three turns: what was thought, what was forced, what was answered. Its usage is of the answer alone.
    """

    def __init__(
        self,
        problem: Problem,
        place: Place,
        messages: tuple[Message, ...],
        spec: SampleSpec,
        seed: int,
        thought: Thought,
        clock: Callable[[], float] = time.time,
    ) -> None:
        super().__init__(problem, place, messages, spec, seed, clock)
        self._thought = thought

    def advance(self, event: Event) -> Action:
        """Ask once, then finish with what came."""
        thought = self._thought
        if isinstance(event, Started):
            own = (Segment(thought.text, thought.token_ids),) if thought.token_ids else ()
            prefix = (*own, Segment(thought.closing, injected=True))
            return Generate(self._request(len(thought.token_ids), thought.answer_tokens, prefix))
        if isinstance(event, Generation):
            before = (Turn("model", thought.text, thought.token_ids), Turn("injected", thought.closing))
            return Finish(self._record([event], (*before, turn_of(event))))
        raise TypeError(f"a probe calls no tool, got {type(event).__name__}")
