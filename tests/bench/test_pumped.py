"""No compiled pattern of the grader takes more than linear work, whatever short text is said over and over."""

import pkgutil
import re
import time
from collections.abc import Iterator
from importlib import import_module

import pytest

import bench

LENGTH = 2_000
# One and two characters that begin, go on with or end something that some pattern looks for.
SINGLES = "².7-+ \n\t,:;'\"*_`~$#|/\\^%=<>()[]{}&!?aAsx½−ˍ₂"
PAIRS = (
    "1 ", " 1", "1,", "1.", "1/", "²/", "²₂", "a ", " a", "a.", "A.", "\n ", " \n", "\n#", "- ", "\n-", "<a", "<s",
    "</", "<|", "< ", "[1", "1]", "[ ", "] ", "(1", "a)", ") ", "is", ": ", "= ", "*a", "a*", "``", "` ", "~a", "{a",
    "\\a", "\\ ", "&a", "| ", "1%", "e1", "^1", "_1", "'1", "no", "n't", "t ", "th", "|1", "||",
)  # fmt: skip
# Seconds of processor time that make a text suspect; linear work on so short a text takes a few milliseconds at most.
SUSPECT = 0.01
TIMES = 8  # as long a text takes a linear pattern 8 times as long, a quadratic one 64 times
TOO_MUCH = 24


def patterns() -> Iterator[tuple[str, re.Pattern[str]]]:
    """Yield every compiled pattern of grading and splitting, also those in a list, with its name."""
    for module in pkgutil.walk_packages(bench.__path__, "bench."):
        if module.name.startswith(("bench.metrics", "bench.arithmetic")):
            continue
        for name, value in vars(import_module(module.name)).items():
            held = value if isinstance(value, list | tuple) else [value]
            inner = [item for part in held for item in (part if isinstance(part, tuple) else [part])]
            for place, pattern in enumerate(item for item in inner if isinstance(item, re.Pattern)):
                yield f"{module.name}.{name}.{place}", pattern


PATTERNS = {pattern: name for name, pattern in patterns()}


def seconds(pattern: re.Pattern[str], text: str) -> float:
    start = time.process_time()
    pattern.fullmatch(text)
    pattern.sub("", text)
    return time.process_time() - start


def slow(pattern: re.Pattern[str]) -> list[str]:
    """Return the units whose repetition takes more than linear time."""
    texts = [unit * (LENGTH // len(unit)) for unit in (*SINGLES, *PAIRS)]
    suspects = [text for text in texts if seconds(pattern, text) > SUSPECT]
    return [text[:2] for text in suspects if seconds(pattern, text * TIMES) > TOO_MUCH * seconds(pattern, text)]


@pytest.mark.parametrize("pattern", PATTERNS, ids=list(PATTERNS.values()))
def test_work_on_pumped_text_is_linear(pattern):
    assert slow(pattern) == []


def test_the_test_finds_a_quadratic_pattern():
    assert slow(re.compile("[⁰¹²]+/")) == ["²²"]
