"""What the replies of all providers become: a text with thinking markers, and counts that say where they are from."""

from __future__ import annotations

import hashlib
import json
import math
from collections.abc import Sequence
from dataclasses import dataclass

from bench.message_usage import TokenCounts
from bench.thinking import Thinking, split_thinking
from runner.config.settings import ThinkingMarkers
from runner.sampling.generation import Usage, UsageSource
from runner.sampling.request import Message

# Markers of a reply whose model has none of its own: a provider sends thinking apart, and a stored text is one text.
DEFAULT_MARKERS = ThinkingMarkers(open="<think>", close="</think>")
# No text is so long; a larger count is a fault of the server.
MAX_TOKENS = 10**9
# Tokens a word, where a provider counts none; the figure of the basic-math benchmark.
TOKENS_A_WORD = 1.33


@dataclass(frozen=True, slots=True)
class Part:
    """A stretch of a reply.

    Attributes:
        text: As the provider sent it.
        thought: Whether it is thinking.
    """

    text: str
    thought: bool = False


def marked_text(parts: Sequence[Part], markers: ThinkingMarkers | None, *, cut: bool) -> str:
    """Return the parts as one text, which :func:`bench.split_thinking` takes apart into the same thinking and answer.

    Args:
        parts: In order.
        markers: The model's; None takes ``<think>``.
        cut: Whether the reply was cut: a last part that is thinking then stays open.
    """
    marks = markers or DEFAULT_MARKERS
    written = []
    filled = [part for part in parts if part.text]
    for number, part in enumerate(filled, start=1):
        if not part.thought:
            written.append(part.text)
            continue
        end = "" if cut and number == len(filled) else f"\n{marks.close}\n\n"
        written.append(f"{marks.open}\n{_without_tags(part.text, marks).strip()}{end}")
    return "".join(written)


def _without_tags(thought: str, markers: ThinkingMarkers) -> str:
    """Return thinking without thinking tags in it, which would end it early."""
    if markers.open not in thought and markers.close not in thought:
        return thought
    split = split_thinking(thought, prompt_tail=markers.open)
    return "\n".join(filter(None, (*split.segments, split.answer)))


def count_of(value: object) -> int | None:
    """Return what a provider sent as a count of tokens, None where it is none: no whole number, or beyond any text."""
    return value if type(value) is int and 0 <= value <= MAX_TOKENS else None


def usage_of(split: Thinking, counts: TokenCounts, *, prompt: object, cached: object = None) -> Usage:
    """Return the counts of a reply: the provider's where it gives them and they can be believed.

    A provider that counts thinking and answer together, or says 0 beside visible thinking, leaves their shares to be
    estimated: the answer by its words, the thinking as the rest. Such counts are marked ``estimated``, all of them,
    since a figure is as good as its weakest part.

    Args:
        split: The reply taken apart by :func:`bench.split_message`.
        counts: What the provider's usage says.
        prompt: What it sent as count of the prompt, cached tokens included; whatever is no count is dropped.
        cached: The same for how many of these it read from its cache.
    """
    prompt = count_of(prompt)
    cached = min(count_of(cached) or 0, prompt or 0)
    output, thinking = count_of(counts.output), count_of(split.thinking_tokens)
    if output is None or (output == 0 and (split.answer or split.thinking)):
        answer, thinking = estimated_tokens(split.answer), thinking or estimated_tokens(split.thinking or "")
        return Usage(prompt or 0, thinking, answer, thinking + answer, source="estimated", cached=cached)
    if thinking is None and output > 0:
        answer = min(estimated_tokens(split.answer), output)
        return Usage(prompt or 0, output - answer, answer, output, source="estimated", cached=cached)
    thinking = thinking or 0
    source: UsageSource = "estimated" if prompt is None else "provider"
    return Usage(prompt or 0, thinking, output - thinking, output, source=source, cached=cached)


def estimated_tokens(text: str) -> int:
    """Return how many tokens a text may have, by its words."""
    return math.ceil(TOKENS_A_WORD * len(text.split()))


def prompt_hash(messages: Sequence[Message]) -> str:
    """Return the hash of a chat that a provider renders: SHA-256 of its roles and contents as ASCII JSON, hex."""
    chat = [[message.role, message.content] for message in messages]
    return hashlib.sha256(json.dumps(chat).encode("ascii")).hexdigest()
