"""How a local engine's ids become what it hands out, so that stored ids can stand for generated ones."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol, runtime_checkable

from runner.engines.base import Engine
from runner.sampling.generation import Boundary, FinishReason, Generation, failed
from runner.sampling.request import Request


@dataclass(frozen=True, slots=True)
class Rendered:
    """A request as token ids.

    Attributes:
        prompt_ids: The prompt, rendered once.
        prefix_ids: The assistant's turn so far.
        prompt_tail: The last 64 characters of the rendered prompt.
        prompt_sha256: Hash of ``prompt_ids`` as little-endian 32-bit numbers, hex.
        injected: How many of ``prefix_ids`` were forced.
        max_new_tokens: The cap that acts: the request's, or what the context and the request's reserve leave if that is
            less; at least 1.
        thinking_open: The new text begins inside thinking.
        tool: How many of ``prompt_ids`` are what tools gave back.
    """

    prompt_ids: tuple[int, ...]
    prefix_ids: tuple[int, ...]
    prompt_tail: str
    prompt_sha256: str
    injected: int
    max_new_tokens: int
    thinking_open: bool
    tool: int = 0

    @property
    def input_ids(self) -> tuple[int, ...]:
        """Everything that stands before the new tokens."""
        return self.prompt_ids + self.prefix_ids


def cap_of(request: Request, room: int, forced: int) -> int:
    """Return the most new tokens of a request; less than 1 if there is no room, or none are asked for.

    Args:
        request: What is asked.
        room: Tokens of the context behind prompt and prefix.
        forced: Tokens of the text in the request's reserve.
    """
    if request.reserve is not None:
        room = min(room, max(1, room - forced - request.reserve.tokens))
    return room if request.max_tokens is None else min(room, request.max_tokens)


def without_room(request: Request, room: int, context: int) -> Generation:
    """Return what an engine hands out for a request that asks for no token, or whose context has no room for one."""
    if room > 0:
        message = f"asked for {request.max_tokens} new tokens; 1 is the least"
        return failed(request.key, Boundary.PROMPT, "no_tokens_asked", message)
    message = f"the prompt takes {context - room} tokens; the context is {context}"
    return failed(request.key, Boundary.PROMPT, "prompt_too_long", message)


class Writer(Protocol):
    """Turns requests into ids and ids into generations; needs the tokenizer, not the weights."""

    @property
    def takes_tools(self) -> bool:
        """Whether the model is told of ``Request.tools``, in its own way."""
        ...

    def decode(self, ids: Sequence[int]) -> str:
        """Return the text of ids, special tokens kept."""
        ...

    def render(self, request: Request) -> Rendered | Generation:
        """Return the request as ids, or the generation that says why it can't be asked."""
        ...

    def generation(
        self,
        request: Request,
        rendered: Rendered,
        new_ids: Sequence[int],
        finish_reason: FinishReason,
        latency_s: float,
    ) -> Generation:
        """Return what the engine hands out when it has generated ``new_ids``, the end token among them.

        Args:
            request: What was asked.
            rendered: The same as ids.
            new_ids: At most ``rendered.max_new_tokens``.
            finish_reason: Why they end.
            latency_s: Seconds it took.
        """
        ...


@runtime_checkable
class LocalEngine(Engine, Protocol):
    """An engine whose writer can be had: what it would hand out for any ids."""

    @property
    def writer(self) -> Writer:
        """Its own; the same request and ids give the same generation."""
        ...
