"""Grading takes no more than linear work, whatever short text is said over and over in a place where answers stand."""

import time

import pytest

import bench
from bench.problem import Problem

LENGTH = 2_000
# What begins, goes on with or ends something that some pattern looks for.
SINGLES = "².7-+ \n\t,:;'\"*_`~$#|/\\^%=<>()[]{}&!?aAsx½−ˍ₂"
PAIRS = (
    "1 ", " 1", "1,", "1.", "1/", "²/", "²₂", "a ", " a", "a.", "A.", "\n ", " \n", "\n#", "- ", "\n-", "<a", "<s",
    "</", "<|", "< ", "[1", "1]", "[ ", "] ", "(1", "a)", ") ", "is", ": ", "= ", "*a", "a*", "``", "` ", "~a", "{a",
    "\\a", "\\ ", "&a", "| ", "1%", "e1", "^1", "_1", "'1", "no", "n't", "t ", "th", "|1", "||",
    "❌", "[^", "<<1", "(1=", "aa ", ", as ", "1 since ", "1 is odd, ", "there are 1 a", "1 and the sum is ", "a: 1, ",
)  # fmt: skip
# Where an answer is looked for.
FRAMES = (
    "%s", "\\boxed{%s}", "The answer is %s", "Final answer: %s.\n\nDone", "<think>%s</think>7", "%s</think>7",
    '{"answer": "%s"}', "```\n%s\n```", "so %s is 42", "\\boxed{42} %s", "<tool_call>%s", "[%s]",
    "\\boxed{42}\nQuestion%s", "42\n**Example 1%s", "\n# User%s:", "functions.%s", "Explanation%s",
)  # fmt: skip
PROBLEMS = {
    "sum": [12, 30], "division": [1, 3], "sorting": [5, 2, 7], "mode": [6, 6, 9], "comparison": [9, 5]
}  # fmt: skip
# Seconds of processor time that make the longer text suspect; linear work on it takes a few milliseconds.
SUSPECT = 0.1
TIMES = 8  # as long a text takes linear work 8 times as long, quadratic work 64 times
TOO_MUCH = 24


def seconds(problem: Problem, text: str) -> float:
    start = time.process_time()
    bench.grade(problem, text)
    return time.process_time() - start


def least(problem: Problem, text: str) -> float:
    """Return the time without what a busy machine adds to it."""
    return min(seconds(problem, text) for _ in range(3))


def slow(problem: Problem, frame: str) -> list[str]:
    """Return the units whose repetition in a frame takes more than linear time."""
    found = []
    for unit in (*SINGLES, *PAIRS):
        short, long = (frame.replace("%s", unit * (length // len(unit))) for length in (LENGTH, TIMES * LENGTH))
        if seconds(problem, long) > SUSPECT and least(problem, long) > TOO_MUCH * least(problem, short):
            found.append(unit)
    return found


@pytest.mark.parametrize("frame", FRAMES)
@pytest.mark.parametrize("task", PROBLEMS)
def test_work_on_pumped_text_is_linear(task: str, frame: str) -> None:
    assert slow(bench.problem_from_data(task, PROBLEMS[task]), frame) == []
