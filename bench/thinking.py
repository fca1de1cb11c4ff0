"""Splits a response into its thinking and its visible answer."""

from __future__ import annotations

import re
from dataclasses import dataclass
from enum import StrEnum
from itertools import islice

from bench.harmony import is_harmony, split_channels
from bench.scan import from_the_end
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
    """

    thinking: str | None
    answer: str
    state: ThinkingState
    segments: tuple[str, ...] = ()
    tool_calls: tuple[TextToolCall, ...] = ()
    thinking_tokens: int | None = None
    answer_tokens: int | None = None


# Looking ahead for the second character keeps a text full of `<` cheap, bounding the attributes one of `<think `.
_ANGLE = (
    r"<(?=[/|trslcTRSLC])(?:"
    r"(?:/?[ ]?(?:think(?:ing)?|reasoning|thoughts?|seed:think|longcat_think)(?:/|\s[^<>]{0,400})?"
    r"|\|(?:begin|end)_of_thought\||\|(?:start|end)_thinking\||channel\|)>|\|channel>thought\b)"
)
# The first character has no case, so the engine looks for it at memchr speed; that's why texts without the
# rarer brackets get a pattern of their own.
_ANGLE_TAG = re.compile(_ANGLE, re.IGNORECASE)
_ANY_TAG = re.compile(_ANGLE + r"|\[/?THINK\]|◁/?think▷", re.IGNORECASE)
_CLOSERS = ("</", "<|e", "<|E", "<c", "[/", "◁/")
_MAX_TAGS = 4096  # more tags than that are a model's loop or an attack: see _outermost
_FENCE = re.compile("```")
# What stands between an earlier turn and the assistant's: a tag before it is somebody's wording.
_NEW_TURN = re.compile(r"<\||<｜|<start_of_turn>|\[/INST\]")
_SOLUTION_MARKS = (
    ("<|begin_of_solution|>", "<|end_of_solution|>"),
    ("<|START_RESPONSE|>", "<|END_RESPONSE|>"),
)
_WRAPPER = re.compile(r"<(answer|response|solution)>", re.IGNORECASE)
_QUOTES = frozenset("`\"'")


@dataclass(frozen=True, slots=True)
class _Tag:
    start: int
    end: int
    closes: bool
    empty: bool  # `<think/>`, a whole block without content


def split_thinking(
    text: str, *, finish_reason: str = "stop", prompt_tail: str = "", family: str | None = None
) -> Thinking:
    """Split one response into thinking and visible answer; never raises, linear in the length.

    Known are ``<think>``, ``<thinking>``, ``<reasoning>``, ``<thought>``, ``<seed:think>`` and ``<longcat_think>``
    in any case and with attributes, ``[THINK]``, ``◁think▷``, ``<|begin_of_thought|>``, ``<|START_THINKING|>``,
    ``<|channel>thought`` and Harmony channels. A closing tag
    without an opening one ends a thinking that began with the response; tags quoted in code are text.

    Limits: the state is never ``forced`` (see :class:`ThinkingState`); Harmony without its special tokens is
    recognised only where ``family`` names it; a whole response inside a code fence is not taken apart.

    Args:
        text: What the model wrote, without the prompt.
        finish_reason: ``stop`` where the model ended by itself; matters for a Harmony call without its end.
        prompt_tail: The end of the rendered prompt, which may have opened the thinking.
        family: The model's family, e.g. ``gpt-oss``.
    """
    if is_harmony(text, prompt_tail, family):
        return _from_channels(text, finish_reason, prompt_tail)
    opened = bool(prompt_tail) and _leaves_open(prompt_tail)
    tags = _live_tags(text)
    if tags or opened:
        segments, visible, unclosed = _blocks(text, tags, opened)
        state = ThinkingState.UNCLOSED if unclosed else ThinkingState.CLOSED
        return _assemble(segments, "".join(visible), state)
    return _assemble([], text, ThinkingState.ABSENT)


def _from_channels(text: str, finish_reason: str, prompt_tail: str) -> Thinking:
    """Return the parts of a Harmony response."""
    channels = split_channels(text, prompt_tail, complete=finish_reason != "length")
    segments = tuple(filter(None, (part.strip() for part in channels.thinking)))
    state = ThinkingState.CLOSED if channels.thinking else ThinkingState.ABSENT
    if channels.unclosed:
        state = ThinkingState.UNCLOSED
    answer = "".join(channels.answer).strip()
    return Thinking("\n".join(segments), answer, state, segments, tuple(channels.tool_calls))


def _assemble(segments: list[str], answer: str, state: ThinkingState) -> Thinking:
    """Return the parts as a Thinking: stripped, tool calls taken out of the answer, wrappers removed."""
    kept = tuple(filter(None, map(str.strip, segments))) if segments else ()
    calls = [call for segment in kept for call in take_tool_calls(segment)[0]]
    found, answer = take_tool_calls(answer)
    answer = answer.strip()
    if answer.startswith("<"):
        answer = _without_wrapper(answer)
    return Thinking("\n".join(kept), answer, state, kept, (*calls, *found))


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
    tags = [tag for tag in _tags(prompt_tail) if not _is_quoted(prompt_tail, tag)]
    return bool(tags) and not tags[-1].closes and not _NEW_TURN.search(prompt_tail, tags[-1].end)


def _tags(text: str) -> list[_Tag]:
    """Return the tags of the text, quoted ones included."""
    # rfind is several times as fast as `in` here.
    if "◁" in text or text.rfind("THINK]") >= 0 or text.rfind("hink]") >= 0:
        pattern = _ANY_TAG
    elif "<" in text and ">" in text:
        pattern = _ANGLE_TAG
    else:
        return []
    tags = [_tag(match) for match in islice(pattern.finditer(text), _MAX_TAGS + 1)]
    return tags if len(tags) <= _MAX_TAGS else _outermost(text, pattern, tags[0])


def _outermost(text: str, pattern: re.Pattern[str], first: _Tag) -> list[_Tag]:
    """Return the tags around everything up to the last closing one, and the first tag after it."""
    tags = [] if first.closes else [first]
    for place, _ in islice(from_the_end(text, _CLOSERS), _MAX_TAGS):
        match = pattern.match(text, place)
        if match:
            after = pattern.search(text, match.end())
            return [*tags, _tag(match), *([_tag(after)] if after else [])]
    return tags


def _tag(match: re.Match[str]) -> _Tag:
    tag = match.group()
    closes = tag[1] == "/" or tag[:5].lower() in ("<|end", "<chan")
    return _Tag(match.start(), match.end(), closes, empty=tag.endswith("/>") and not closes)


def _is_quoted(text: str, tag: _Tag) -> bool:
    """Return whether the tag stands alone between two equal quotes, as in a sentence about tags.

    A quote right after a word ends what was quoted before: the tag in ``"a"</think>"b"`` is none that is quoted.
    """
    before = text[tag.start - 1 : tag.start]
    if before not in _QUOTES or before != text[tag.end : tag.end + 1]:
        return False
    return not text[max(0, tag.start - 2) : tag.start - 1].isalnum()


def _live_tags(text: str) -> list[_Tag]:
    """Return the tags that open or close thinking: neither quoted nor inside a code fence."""
    tags = [tag for tag in _tags(text) if not _is_quoted(text, tag)]
    if not tags or "```" not in text:
        return tags
    fences = [match.start() for match in islice(_FENCE.finditer(text), _MAX_TAGS)]
    last_close = max((tag.start for tag in tags if tag.closes), default=-1)
    live: list[_Tag] = []
    passed = base = 0  # fences before this tag; fences before the part (thinking or answer) it stands in
    quoting = -1  # the fence that an opening tag was quoted in
    for tag in tags:
        while passed < len(fences) and fences[passed] < tag.start:
            passed += 1
        # A fence that never closes fences nothing, and thinking may end inside one that it forgot to close.
        fenced = (passed - base) % 2 == 1 and passed < len(fences)
        if fenced and (not tag.closes or quoting == passed or last_close > fences[passed]):
            quoting = passed
            continue
        live.append(tag)
        base = passed
    return live


def _blocks(text: str, tags: list[_Tag], opened: bool) -> tuple[list[str], list[str], bool]:
    """Return thinking segments, visible pieces, and whether the text ends inside the thinking.

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
    return walk.segments, walk.visible, walk.finish()


class _Walk:
    """The state while the tags of one text are passed in order."""

    def __init__(self, text: str, inside: bool) -> None:
        self.text = text
        self.segments: list[str] = []
        self.visible: list[str] = []
        self._depth = int(inside)
        self._start = 0  # where the current block or the current visible piece begins
        self._after_open = 0 if inside else -1  # end of the tag before, if that one opened
        self._inner_close: _Tag | None = None  # last closing tag inside the current block
        self._reopened: _Tag | None = None  # first opening tag after it

    def open(self, tag: _Tag) -> None:
        if not self._depth:
            self.visible.append(self.text[self._start : tag.start])
            self._start, self._depth = tag.end, 1
        elif self._after_open < 0 or self.text[self._after_open : tag.start].strip():
            self._depth += 1
            if self._inner_close and not self._reopened:
                self._reopened = tag
        elif self._after_open == self._start:
            self._start = tag.end
        self._after_open = tag.end

    def close(self, tag: _Tag) -> None:
        self._after_open = -1
        if self._depth > 1:
            self._depth -= 1
            self._inner_close, self._reopened = tag, None
        elif self._depth:
            self._end_block(tag)
        else:  # a closing tag too many: the text around it stays visible
            self.visible.append(self.text[self._start : tag.start])
            self._start = tag.end

    def pass_empty(self, tag: _Tag) -> None:
        if not self._depth:
            self.visible.append(self.text[self._start : tag.start])
            self._start = tag.end

    def _end_block(self, tag: _Tag) -> None:
        self.segments.append(self.text[self._start : tag.start])
        self._start, self._depth = tag.end, 0
        self._inner_close = self._reopened = None

    def finish(self) -> bool:
        """Take what is left and return whether it is an unclosed thinking."""
        reopened = self._reopened
        if self._depth and self._inner_close:
            self._end_block(self._inner_close)
            if reopened:
                self.open(reopened)
        rest = self.text[self._start :]
        (self.segments if self._depth else self.visible).append(rest)
        return bool(self._depth)
