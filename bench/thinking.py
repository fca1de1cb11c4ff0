"""Splits a response into its thinking and its visible answer."""

from __future__ import annotations

import re
from dataclasses import dataclass
from enum import StrEnum
from typing import Literal

from bench.finish import ended
from bench.harmony import is_harmony, split_channels
from bench.tags import Tag, every_tag, is_quoted, live_tags
from bench.text_calls import TextToolCall, take_tool_calls


class ThinkingState(StrEnum):
    """How the thinking of a response ended."""

    ABSENT = "absent"  # no thinking was written
    CLOSED = "closed"  # the model closed its thinking itself; the block may be empty
    FORCED = "forced"  # a budget closed it: only the caller who did so knows, a text doesn't tell
    UNCLOSED = "unclosed"  # the response ended inside the thinking


@dataclass(frozen=True, slots=True)
class Thinking:
    """A response taken apart.

    Attributes:
        thinking: All thinking, segments joined by a newline, ``""`` where there is none, None where a
            provider hides it.
        answer: The visible text outside the thinking, stripped. Empty where the response ended inside a
            thinking that it began with.
        state: See :class:`ThinkingState`.
        segments: The stripped, non-empty blocks of thinking in order.
        tool_calls: Calls in order, written as text in thinking or answer or, in a reply object, native.
        thinking_tokens: Model tokens strictly between the markers, None where unknown (a text has no tokens).
        answer_tokens: Model tokens of the answer, None where unknown.
        closed_by: What follows the answer and shows, even in a response that was cut, that its last line is whole: a
            ``line`` break, the ``tag`` of a wrapper such as ``</answer>``, or nothing, ``""``.
    """

    thinking: str | None
    answer: str
    state: ThinkingState
    segments: tuple[str, ...] = ()
    tool_calls: tuple[TextToolCall, ...] = ()
    thinking_tokens: int | None = None
    answer_tokens: int | None = None
    closed_by: Literal["", "line", "tag"] = ""


# What stands between an earlier turn and the assistant's: a tag before it is somebody's wording.
_NEW_TURN = re.compile(r"<\||<｜|<start_of_turn>|\[/INST\]")
_SOLUTION_MARKS = (
    ("<|begin_of_solution|>", "<|end_of_solution|>"),
    ("<|START_RESPONSE|>", "<|END_RESPONSE|>"),
    ("<|open|>response<|sep|>", "<|close|>response<|sep|>"),
    ("", "[END FINAL RESPONSE]"),  # its beginning is the tag that closes the thinking
)
_WRAPPER = re.compile(r"<(answer|response|solution)>", re.IGNORECASE)
Span = tuple[int, int]  # from a character's place to one past another's


def split_thinking(
    text: str, *, finish_reason: str = "stop", prompt_tail: str = "", family: str | None = None
) -> Thinking:
    """Split one response into thinking and visible answer; never raises, linear in the length.

    Known are ``<think>``, ``<thinking>``, ``<reasoning>``, ``<thought>``, ``<scratchpad>``, ``<reflection>``,
    ``<analysis>``, ``<cot>`` and their like in any case, with attributes or a namespace such as ``<seed:think>``,
    ``<antThinking>``, ``<longcat_think>``, ``<|thinking|>``, ``[THINK]``, ``◁think▷``, ``<|begin_of_thought|>``,
    ``<|START_THINKING|>``, ``<|channel>thought``, ``<unused94>thought``, ``<details type="reasoning">``, what comes
    before ``[BEGIN FINAL RESPONSE]``, and Harmony channels. A closing tag without an opening one ends a thinking that
    began with the response; tags quoted in code are text.

    Limits: the state is never ``forced`` (see :class:`ThinkingState`); Harmony without its special tokens is
    recognised only where ``family`` names it; a whole response inside a code fence is not taken apart.

    Args:
        text: What the model wrote, without the prompt.
        finish_reason: Why the response ended, in any provider's words (:func:`bench.finish.ended`); matters for a
            Harmony call without its end.
        prompt_tail: The end of the rendered prompt, which may have opened the thinking.
        family: The model's family, e.g. ``gpt-oss``.
    """
    if is_harmony(text, prompt_tail, family):
        return _from_channels(text, finish_reason, prompt_tail)
    opened = bool(prompt_tail) and _leaves_open(prompt_tail)
    tags = live_tags(text)
    if tags or opened:
        walk, unclosed = _walked(text, tags, opened)
        state = ThinkingState.UNCLOSED if unclosed else ThinkingState.CLOSED
        visible = "".join([text[start:end] for start, end in walk.visible])
        return _assemble([text[start:end] for start, end in walk.segments], visible, state)
    return _assemble([], text, ThinkingState.ABSENT)


def split_spans(text: str, *, opened: bool = False) -> tuple[tuple[Span, ...], tuple[Span, ...]]:
    """Return where thinking and where visible text stand in a response with tags; what is in neither is a tag.

    The same split as that of :func:`split_thinking`, for who has to count tokens. Harmony channels have no tags.

    Args:
        text: What the model wrote, without the prompt.
        opened: Whether the prompt opened the thinking.
    """
    walk, _ = _walked(text, live_tags(text), opened)
    return tuple(walk.segments), tuple(walk.visible)


def _from_channels(text: str, finish_reason: str, prompt_tail: str) -> Thinking:
    """Return the parts of a Harmony response."""
    channels = split_channels(text, prompt_tail, complete=ended(finish_reason))
    segments = tuple(filter(None, (part.strip() for part in channels.thinking)))
    state = ThinkingState.CLOSED if channels.thinking else ThinkingState.ABSENT
    if channels.unclosed:
        state = ThinkingState.UNCLOSED
    answer = "\n".join(channels.answer).strip()  # a note to the user and the answer are no one sentence
    return Thinking("\n".join(segments), answer, state, segments, tuple(channels.tool_calls))


def _assemble(segments: list[str], answer: str, state: ThinkingState) -> Thinking:
    """Return the parts as a Thinking: stripped, tool calls taken out of the answer, wrappers removed."""
    kept = tuple(filter(None, map(str.strip, segments))) if segments else ()
    calls = [call for segment in kept for call in take_tool_calls(segment)[0]]
    found, answer = take_tool_calls(answer)
    outer = answer.strip()
    inner = _without_wrapper(outer) if outer.startswith("<") or outer.endswith("]") else outer
    closed_by: Literal["", "line", "tag"] = "tag" if inner != outer else ""
    if len(outer) < len(answer) and not closed_by and "\n" in answer[len(answer.rstrip()) :]:
        closed_by = "line"
    return Thinking("\n".join(kept), inner, state, kept, (*calls, *found), closed_by=closed_by)


def _without_wrapper(answer: str) -> str:
    """Return the answer without solution markers and without an element such as ``<answer>`` around all of it."""
    for begin, end in _SOLUTION_MARKS:
        if answer.startswith(begin):
            answer = answer.removeprefix(begin).removesuffix(end).strip()
    opening = _WRAPPER.match(answer)
    if opening:
        closing = f"</{opening[1]}>".lower()
        inner = answer[opening.end() : -len(closing)]
        if answer[-len(closing) :].lower() == closing and opening[0].lower() not in inner.lower():
            return inner.strip()
    return answer


def _leaves_open(prompt_tail: str) -> bool:
    """Return whether the prompt ended inside a thinking block."""
    tags = [tag for tag in every_tag(prompt_tail) if not is_quoted(prompt_tail, tag)]
    return bool(tags) and not tags[-1].closes and not _NEW_TURN.search(prompt_tail, tags[-1].end)


def _walked(text: str, tags: list[Tag], opened: bool) -> tuple[_Walk, bool]:
    """Return the walk over the tags, with what it found, and whether the text ends inside the thinking.

    Blocks nest. An opening tag right after another one is a doubled tag. Where closing tags are missing, the
    last one closes all that is open, since a thinking that quotes an opening tag is commoner than a lost end.
    """
    walk = _Walk(text, opened or (bool(tags) and tags[0].closes))
    for tag in tags:
        if tag.closes:
            walk.close(tag)
        elif tag.empty:
            walk.pass_empty(tag)
        else:
            walk.open(tag)
    return walk, walk.finish()


class _Walk:
    """The state while the tags of one text are passed in order."""

    def __init__(self, text: str, inside: bool) -> None:
        self.text = text
        self.segments: list[Span] = []
        self.visible: list[Span] = []
        self._depth = int(inside)
        self._start = 0  # where the current block or the current visible piece begins
        self._after_open = 0 if inside else -1  # end of the tag before, if that one opened
        self._inner_close: Tag | None = None  # last closing tag inside the current block
        self._reopened: Tag | None = None  # first opening tag after it

    def open(self, tag: Tag) -> None:
        if not self._depth:
            self.visible.append((self._start, tag.start))
            self._start, self._depth = tag.end, 1
        elif self._after_open < 0 or self.text[self._after_open : tag.start].strip():
            self._depth += 1
            if self._inner_close and not self._reopened:
                self._reopened = tag
        elif self._after_open == self._start:
            self._start = tag.end
        self._after_open = tag.end

    def close(self, tag: Tag) -> None:
        self._after_open = -1
        if self._depth > 1:
            self._depth -= 1
            self._inner_close, self._reopened = tag, None
        elif self._depth:
            self._end_block(tag)
        else:  # a closing tag too many: the text around it stays visible
            self.visible.append((self._start, tag.start))
            self._start = tag.end

    def pass_empty(self, tag: Tag) -> None:
        if not self._depth:
            self.visible.append((self._start, tag.start))
            self._start = tag.end

    def _end_block(self, tag: Tag) -> None:
        self.segments.append((self._start, tag.start))
        self._start, self._depth = tag.end, 0
        self._inner_close = self._reopened = None

    def finish(self) -> bool:
        """Take what is left and return whether it is an unclosed thinking."""
        reopened = self._reopened
        if self._depth and self._inner_close:
            self._end_block(self._inner_close)
            if reopened:
                self.open(reopened)
        rest = (self._start, len(self.text))
        (self.segments if self._depth else self.visible).append(rest)
        return bool(self._depth)
