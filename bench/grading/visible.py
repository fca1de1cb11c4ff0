"""Cleans an answer: what a reader would not see is taken out, and the text ends where the model's turn ends."""

from __future__ import annotations

import re
from itertools import islice

from bench.grading.words import words

# Looking ahead keeps the search cheap in a text full of `<`.
_SPECIAL = re.compile(
    r"<(?=[|｜/esbt])(?:[|｜](?P<name>[\w▁]{1,40})[|｜]|(?P<end>/s|eos|end_of_turn|turn\|)|start_of_turn|s|bos)>"
)
_ENDS = frozenset(
    words("eot_id endoftext im_end end_of_text return end eom_id eos end_of_turn end▁of▁sentence END_OF_TURN_TOKEN")
)
# Text struck through. `<s>` and `</s>` around all of a text are the tokens that begin and end a turn.
_STRUCK = re.compile(r"<(s|del|strike)>[^<>\n]{0,200}</\1>|~~[^~\n]{1,200}~~")
_TURN = re.compile(r"\s*<s>[^<>]*</s>\s*")
_CALCULATED = re.compile(r"<<[^<>\n]{1,200}>>")  # a calculator's note, as GSM8K has them: `12 + 30 = <<12+30=42>>42`
_FOOTNOTE = re.compile(r"\[\^[\w-]{1,20}\](?::[^\n]*)?")  # its mark, or its line
_MAX_SPECIAL = 4096  # more of them are a loop
_TERMINAL_COLOUR = re.compile(r"\x1b\[[0-9;]{0,40}[A-Za-z]")


def _without_comments(text: str) -> str:
    """Return HTML without its comments; one that never ends is text."""
    if "<!--" not in text:
        return text
    first, *parts = text.split("<!--")
    shown = [first]
    for part in parts:
        _, closed, rest = part.partition("-->")
        shown.append(rest if closed else f"<!--{part}")
    return "".join(shown)


def visible_text(answer: str) -> str:
    """Return an answer without what decoding left of special tokens, cut where the model's turn ends."""
    if "\x08" in answer or "\x1b" in answer:  # an under-escaped `\\boxed`, a terminal's colours
        answer = _TERMINAL_COLOUR.sub("", answer.replace("\x08oxed", "\\boxed"))
    # One character is found ten times as fast as two.
    if "~" in answer and "~~" in answer:
        answer = _STRUCK.sub(" ", answer)
    if "^" in answer and "[^" in answer:
        answer = _FOOTNOTE.sub("", answer)
    if "<" not in answer or ">" not in answer:
        return answer
    if "<<" in answer:
        answer = _CALCULATED.sub("", answer)
    answer = _without_comments(answer)
    if answer.rfind("</") >= 0 and not _TURN.fullmatch(answer):
        answer = _STRUCK.sub(" ", answer)
    position, written = 0, False
    for token in islice(_SPECIAL.finditer(answer), _MAX_SPECIAL):
        written = written or bool(answer[position : token.start()].strip())
        position = token.end()
        if written and (token["end"] or token["name"] in _ENDS):
            answer = answer[: token.start()]
            break
    return _SPECIAL.sub("", answer, count=_MAX_SPECIAL) if position else answer
