"""The ways in which a conversation with tools goes on: ReAct in one turn, ReAct in messages, native calls."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import pairwise
from typing import Literal, Protocol

from runner.config.settings import Settings, ThinkingMarkers
from runner.engines.base import Engine
from runner.engines.markers import opens_thinking
from runner.engines.writing import LocalEngine
from runner.errors import UserError
from runner.sampling.generation import FinishReason, Generation, Usage
from runner.sampling.request import Message, Segment
from runner.tools.native import assistant_turn, read_native, tool_message
from runner.tools.protocol import SPECS, ToolSpec
from runner.tools.react import STOPS, instructions, observation, read_react
from runner.tools.reading import Reading, visible_of


@dataclass(frozen=True, slots=True)
class Conversation:
    """What stands before the next text.

    Attributes:
        messages: The chat so far.
        prefix: The assistant's turn so far.
    """

    messages: tuple[Message, ...]
    prefix: tuple[Segment, ...] = ()


class Dialect(Protocol):
    """How calls are asked for, read and answered."""

    @property
    def told(self) -> tuple[ToolSpec, ...]:
        """Tools that a request carries; none where the prompt tells of them."""
        ...

    @property
    def stop(self) -> tuple[str, ...]:
        """Strings that end a text before the model makes up a result."""
        ...

    def begin(self, messages: tuple[Message, ...]) -> Conversation:
        """Return the conversation that asks a question."""
        ...

    def opened(self, now: Conversation, generation: Generation) -> bool:
        """Tell whether a text begins inside thinking."""
        ...

    def read(self, now: Conversation, generation: Generation) -> Reading:
        """Return what a text asks for."""
        ...

    def go_on(
        self, now: Conversation, generation: Generation, reading: Reading, results: Sequence[str]
    ) -> Conversation:
        """Return the conversation behind the results of a text's calls, one each."""
        ...

    def tail(self, now: Conversation, generation: Generation) -> str:
        """Return the end of what stands before a text, as far as it says whether the text begins inside thinking."""
        ...

    def tool_tokens(self, usages: Sequence[Usage]) -> int:
        """Return the tokens of all results so far, by the usage of every text so far."""
        ...


@dataclass(frozen=True, slots=True)
class React:
    """ReAct text for an engine that continues a turn: results stand in the model's own turn, as the form means them.

    Attributes:
        specs: The tools.
        turns: Most calls of a sample, which the model is told.
        markers: The model's thinking markers.
        lead: What begins the turn of a model that does not think, so that it keeps the form.
        told: See :class:`Dialect`.
    """

    specs: tuple[ToolSpec, ...]
    turns: int
    markers: ThinkingMarkers | None
    lead: str = ""
    told: tuple[ToolSpec, ...] = ()

    @property
    def stop(self) -> tuple[str, ...]:
        return STOPS if self.markers is None else ()

    def begin(self, messages: tuple[Message, ...]) -> Conversation:
        lead = (Segment(self.lead, injected=True),) if self.lead else ()
        return Conversation(_instructed(messages, self.specs, self.turns), lead)

    def opened(self, now: Conversation, generation: Generation) -> bool:
        before = generation.prompt_tail + "".join(segment.text for segment in now.prefix)
        return self.markers is not None and opens_thinking(before, self.markers)

    def read(self, now: Conversation, generation: Generation) -> Reading:
        ended = generation.finish_reason is not FinishReason.LENGTH
        return read_react(visible_of(generation.text, self.opened(now, generation), ended), self.specs)

    def go_on(
        self, now: Conversation, generation: Generation, reading: Reading, results: Sequence[str]
    ) -> Conversation:
        # As text, not as ids: these hold what was cut off, the stop string and the end of the turn.
        said = generation.text[: reading.kept]
        forced = "".join(observation(said, result) for result in results)
        return replace(now, prefix=(*now.prefix, Segment(said), Segment(forced, injected=True)))

    def tail(self, now: Conversation, generation: Generation) -> str:
        if not now.prefix or self.markers is None:
            return generation.prompt_tail if not now.prefix else ""
        return self.markers.open if self.opened(now, generation) else ""

    def tool_tokens(self, usages: Sequence[Usage]) -> int:
        return usages[-1].injected - usages[0].injected  # what begins the turn is no result


@dataclass(frozen=True, slots=True)
class ReactMessages:
    """ReAct text for an engine that can't continue a turn: results come as the user's messages."""

    specs: tuple[ToolSpec, ...]
    turns: int
    markers: ThinkingMarkers | None
    told: tuple[ToolSpec, ...] = ()
    stop: tuple[str, ...] = ()

    def begin(self, messages: tuple[Message, ...]) -> Conversation:
        return Conversation(_instructed(messages, self.specs, self.turns))

    def opened(self, now: Conversation, generation: Generation) -> bool:
        return self.markers is not None and opens_thinking(generation.prompt_tail, self.markers)

    def read(self, now: Conversation, generation: Generation) -> Reading:
        ended = generation.finish_reason is not FinishReason.LENGTH
        return read_react(visible_of(generation.text, self.opened(now, generation), ended), self.specs)

    def go_on(
        self, now: Conversation, generation: Generation, reading: Reading, results: Sequence[str]
    ) -> Conversation:
        visible = visible_of(generation.text, self.opened(now, generation), ended=True)[: reading.kept]
        said = Message("assistant", visible.strip(), raw=generation.raw_turn)
        return replace(
            now, messages=(*now.messages, said, *(Message("user", f"Observation: {result}") for result in results))
        )

    def tail(self, now: Conversation, generation: Generation) -> str:
        return generation.prompt_tail

    def tool_tokens(self, usages: Sequence[Usage]) -> int:
        return _growth(usages)


@dataclass(frozen=True, slots=True)
class Native:
    """Calls as the model's template, or its provider, has them."""

    specs: tuple[ToolSpec, ...]
    family: str
    markers: ThinkingMarkers | None
    stop: tuple[str, ...] = ()

    @property
    def told(self) -> tuple[ToolSpec, ...]:
        return self.specs

    def begin(self, messages: tuple[Message, ...]) -> Conversation:
        return Conversation(messages)

    def opened(self, now: Conversation, generation: Generation) -> bool:
        return self.markers is not None and opens_thinking(generation.prompt_tail, self.markers)

    def read(self, now: Conversation, generation: Generation) -> Reading:
        return read_native(generation, self.specs, self.family, self.opened(now, generation))

    def go_on(
        self, now: Conversation, generation: Generation, reading: Reading, results: Sequence[str]
    ) -> Conversation:
        said = assistant_turn(generation, reading, self.family, self.opened(now, generation))
        answers = (tool_message(call, result) for call, result in zip(reading.calls, results, strict=True))
        return replace(now, messages=(*now.messages, said, *answers))

    def tail(self, now: Conversation, generation: Generation) -> str:
        return generation.prompt_tail

    def tool_tokens(self, usages: Sequence[Usage]) -> int:
        return usages[-1].tool or _growth(usages)


def _growth(usages: Sequence[Usage]) -> int:
    """Return by how much the prompts grew beyond the visible texts between them.

    A provider counts prompts and outputs only, so this is an estimate: it holds what surrounds each message, and misses
    what the provider drops.
    """
    return sum(max(0, later.prompt - before.prompt - before.answer) for before, later in pairwise(usages))


def _instructed(messages: tuple[Message, ...], specs: Sequence[ToolSpec], turns: int) -> tuple[Message, ...]:
    """Return the chat with the instructions in front of the question: not every template has a system message."""
    *before, question = messages
    return (*before, replace(question, content=instructions(specs, turns) + question.content))


def tool_protocol(settings: Settings, engine: Engine) -> Literal["react", "native"]:
    """Return the protocol that a point's tools are called by: native where the engine and the model's template have it.

    Raises:
        UserError: native is asked for, and the model's template knows no tools.
    """
    asked = settings.tools.protocol
    takes = engine.capabilities.native_tools and (not isinstance(engine, LocalEngine) or engine.writer.takes_tools)
    if asked == "native" and not takes:
        raise UserError(
            f"tools.protocol=native: the chat template of model={settings.model.name} knows no tools; "
            "use tools.protocol=react (or auto)"
        )
    return "native" if takes and asked != "react" else "react"


def dialect_of(settings: Settings, continues: bool) -> Dialect:
    """Return how a point's samples talk about tools.

    Args:
        settings: The point's, ``tools.protocol`` no longer ``auto``.
        continues: Whether the engine continues a turn.
    """
    model = settings.model
    specs = tuple(SPECS[name] for name in settings.tools.names)
    if settings.tools.protocol == "native":
        return Native(specs, model.family, model.thinking)
    if not continues:
        return ReactMessages(specs, settings.tools.turns, model.thinking)
    lead = "" if model.thinking is not None else "\nThought:" if model.kind == "base" else "Thought:"
    return React(specs, settings.tools.turns, model.thinking, lead)
