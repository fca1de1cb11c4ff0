"""Finds the tags that open and close thinking in a text, and tells which of them are only quoted."""

from __future__ import annotations

import re
from bisect import bisect_right
from dataclasses import dataclass
from itertools import islice

from bench.scan import from_the_end

_WORDS = (
    r"(?:(?:inner_|internal_)?(?:think(?:ing)?|reason(?:ing)?|thoughts?|monologue)(?:_process)?|think_fast(?:er)?|cot"
    r"|chain_of_thought|scratchpad|reflection|analysis|rationale)"
)
# Looking ahead for a name of three letters keeps a text full of `<` or of other tags cheap, giving nothing back what
# stands before a name, bounding the attributes one of `<think `.
_ANGLE = (
    r"<(?=[/\\|]{0,2}+ ?+[a-z]{2}[a-z|:_])(?:"
    rf"\\?+/?+ ?+(?:{_WORDS}|(?!think)\w{{1,20}}+[:|]{_WORDS}|antthinking|longcat_think)(?::\w{{1,20}})?"
    r"(?:/|\s[^<>]{0,400})?>"
    rf"|\|(?:/?+(?:(?:begin|start|end)_(?:of_)?+)?+{_WORDS}(?:_(?:begin|start|end))?\|>"
    r"|channel>thought\b|im_start\|>(?:think|answer)\b|(?:open|close)\|>think<\|sep\|>)"
    r"|channel\|>|unused94>(?:thought\b)?|unused95>)"
)
_FOLD = r"""<details\s[^<>]{0,200}\btype=["']reasoning["'][^<>]{0,200}>|</details>"""
# For texts in lower case: looking for a letter in both takes three times as long. The first character has no case,
# so the engine looks for it at memchr speed; that's why texts without the rarer tags get a pattern of their own.
_ANGLE_TAG = re.compile(_ANGLE)
_ANY_TAG = re.compile(rf"{_ANGLE}|{_FOLD}|\[/?think(?:ing)?\]|\[begin final response\]|◁/?think▷")
_RARER = ("think]", "king]", "nse]", '="reasoning', "='reasoning")
_CLOSES = re.compile(r"[<\[◁](?:/|\\|\|/)|<\|(?:end|close)|.*_end\||<channel|<unused95|<\|im_start\|>a|\[begin")
_CLOSERS = ("</", "<\\/", "<|", "<c", "<u", "[/", "[b", "◁/")
_MAX_TAGS = 4096  # more tags than that are a model's loop or an attack: see _outermost
_BACKTICKS = re.compile(r"(?<!`)`{1,2}(?!`)|\n")
_MAX_CODE = 80  # a longer stretch is more likely to lie between two backticks of different spans
_FENCE = re.compile("```")
_QUOTES = frozenset("`\"'")


@dataclass(frozen=True, slots=True)
class Tag:
    """A tag where it stands in a text.

    Attributes:
        start: The place of its first character.
        end: One past its last character.
        closes: Whether it closes thinking.
        empty: Whether it is a whole block without content, ``<think/>``.
    """

    start: int
    end: int
    closes: bool
    empty: bool


def every_tag(text: str) -> list[Tag]:
    """Return the tags of the text, quoted ones included."""
    if not ("<" in text and ">" in text) and "]" not in text and "◁" not in text:
        return []
    text = lowered if len(lowered := text.lower()) == len(text) else text  # a dotted capital I becomes two characters
    if _has_rarer_tag(text):
        pattern = _ANY_TAG
    elif "<" in text:
        pattern = _ANGLE_TAG
    else:
        return []
    tags = [_tag(match) for match in islice(pattern.finditer(text), _MAX_TAGS + 1)]
    return tags if len(tags) <= _MAX_TAGS else _outermost(text, pattern, tags[0])


def _has_rarer_tag(text: str) -> bool:
    for sign in _RARER:  # a loop, since a generator takes twice as long
        if text.rfind(sign) >= 0:  # several times as fast as `in` here
            return True
    return "◁" in text


def _outermost(text: str, pattern: re.Pattern[str], first: Tag) -> list[Tag]:
    """Return the tags around everything up to the last closing one, and the first tag after it."""
    tags = [] if first.closes else [first]
    for place, _ in islice(from_the_end(text, _CLOSERS), _MAX_TAGS):
        match = pattern.match(text, place)
        if match and _tag(match).closes:
            after = pattern.search(text, match.end())
            return [*tags, _tag(match), *([_tag(after)] if after else [])]
    return tags


def _tag(match: re.Match[str]) -> Tag:
    tag = match.group()
    closes = _CLOSES.match(tag) is not None
    return Tag(match.start(), match.end(), closes, empty=tag.endswith("/>") and not closes)


def is_quoted(text: str, tag: Tag) -> bool:
    """Return whether the tag stands alone between two equal quotes, as in a sentence about tags.

    A quote right after a word ends what was quoted before: the tag in ``"a"</think>"b"`` is none that is quoted.
    """
    before = text[tag.start - 1 : tag.start]
    if before not in _QUOTES or before != text[tag.end : tag.end + 1]:
        return False
    return not text[max(0, tag.start - 2) : tag.start - 1].isalnum()


def _code_spans(text: str) -> list[tuple[int, int]]:
    """Return the short stretches between two equal runs of one or two backticks on a line."""
    spans: list[tuple[int, int]] = []
    begin: re.Match[str] | None = None
    for run in islice(_BACKTICKS.finditer(text), _MAX_TAGS):
        if run.group() == "\n":
            begin = None
        elif begin is None:
            begin = run
        elif run.group() == begin.group():
            if run.start() - begin.end() <= _MAX_CODE:
                spans.append((begin.end(), run.start()))
            begin = None
    return spans


def _stands_in(spans: list[tuple[int, int]], tag: Tag) -> bool:
    place = bisect_right(spans, (tag.start, tag.start)) - 1
    return any(begin <= tag.start and tag.end <= end for begin, end in spans[max(0, place) : place + 2])


def _without_other_folds(text: str, tags: list[Tag]) -> list[Tag]:
    """Return the tags without those ``</details>`` that close another fold than one of reasoning."""
    kept: list[Tag] = []
    folds = 0
    for tag in tags:
        fold = text.startswith(("<d", "</d", "<D", "</D"), tag.start)
        if not fold or not tag.closes or folds:
            kept.append(tag)
            folds += fold * (-1 if tag.closes else 1)
    return kept


def live_tags(text: str) -> list[Tag]:
    """Return the tags that open or close thinking: neither quoted nor inside a code fence."""
    tags = [tag for tag in every_tag(text) if not is_quoted(text, tag)]
    if tags and "`" in text:
        spans = _code_spans(text)
        tags = [tag for tag in tags if not _stands_in(spans, tag)]
    tags = _without_other_folds(text, tags)
    if not tags or "```" not in text:
        return tags
    fences = [match.start() for match in islice(_FENCE.finditer(text), _MAX_TAGS)]
    last_close = max((tag.start for tag in tags if tag.closes), default=-1)
    live: list[Tag] = []
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
