"""Finds the last code block of a text."""

from __future__ import annotations

# Longer blocks are programs or data.
MAX_BLOCK = 16_384


def last_block(text: str) -> tuple[str, str, str] | None:
    """Return language, content and what follows the last closed fence, None where there is none."""
    if "`" not in text:  # by far the commonest
        return None
    ends = text.rfind("```")
    begins = text.rfind("```", 0, max(ends, 0))
    if begins < 0 or ends - begins > MAX_BLOCK:
        return None
    language, newline, content = text[begins + 3 : ends].partition("\n")
    if not newline:
        language, content = "", language
    return language.strip().lower(), content, text[ends + 3 :]
