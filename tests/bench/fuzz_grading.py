"""Fuzzes grading and splitting, guided by coverage: ``make fuzz``, or ``python -m tests.bench.fuzz_grading -runs=N``.

Seeded from the case files. A text fails that raises, breaks a promise of the verdict, or takes more processor time
than ALLOWED and its length explain. The failing text is written to ``crash-*`` in the current folder; naming that
file as an argument runs it again. Options are libFuzzer's.
"""

import json
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

import atheris

with atheris.instrument_imports(include=["bench"]):
    import bench
    from bench.verdict import Outcome

PROBLEMS = [
    bench.problem_from_data("sum", [12, 30]),
    bench.problem_from_data("division", [10, 3]),
    bench.problem_from_data("sorting", [3, -1, 2]),
    bench.problem_from_data("mode", [1, 1, 2, 2, 3]),
    bench.problem_from_data("comparison", [7, 3]),
]
FAMILIES = (None, "gpt-oss")
ENDS = ("stop", "length")
REPEATS = (*[1] * 14, 64, 4096)  # a part said over and over shows work that grows faster than its length
LONGEST = 10_000
CASES = Path(__file__).with_name("cases")
# Seconds of processor time. The instrumented code takes about 1 ms for the longest text, and 50 ns a character.
ALLOWED = 0.2
ALLOWED_PER_CHARACTER = 2e-6


def seconds(text: str, choice: int, clock: Callable[[], float]) -> float:
    """Return the time that one text takes by a clock, checking what is promised of its verdict."""
    problem, choice = PROBLEMS[choice % len(PROBLEMS)], choice // len(PROBLEMS)
    family, end = FAMILIES[choice % 2], ENDS[choice // 2 % 2]
    start = clock()
    verdict = bench.grade(problem, text, finish_reason=end, prompt_tail=text[-40:] if choice & 8 else "", family=family)
    split = bench.split_message({"content": text, "reasoning": text[:40]} if choice & 4 else text, family=family)
    taken = clock() - start
    if not (verdict.outcome is Outcome.UNPARSED) == (verdict.answer is None) == (verdict.reason is not None):
        raise AssertionError(verdict)
    json.dumps([verdict.answer, split.thinking, [call.name for call in split.tool_calls]], allow_nan=False)
    return taken


def one_input(data: bytes) -> None:
    """Read an input: four bytes of choices, then the text, a slice of which may be pumped."""
    if len(data) < 4:
        return
    text = pumped(data[4:].decode("utf-8", "surrogateescape"), REPEATS[data[1] % len(REPEATS)], data[2], data[3])
    allowed = ALLOWED + ALLOWED_PER_CHARACTER * len(text)
    # The clock of the processor's time is slow to read, and thrice since a collection of garbage is no fault.
    clocks = (time.perf_counter, *[time.process_time] * 3)
    if all(seconds(text, data[0], clock) > allowed for clock in clocks):
        raise AssertionError(f"{len(text)} characters took more than {allowed:.2f} s")


def pumped(text: str, times: int, begin: int, length: int) -> str:
    """Return a text with one of its slices said several times over; a length of 0 takes all of it."""
    begin, end = (begin % (len(text) + 1), begin + length) if length else (0, len(text))
    middle = text[begin:end]
    return text[:begin] + middle * min(times, LONGEST // max(1, len(middle))) + text[end:]


def write_seeds(folder: Path) -> None:
    """Write every case's text as a seed."""
    texts = [json.loads(line)["response"] for line in (CASES / "grading.jsonl").read_text("utf-8").splitlines()]
    texts += [json.loads(line)["text"] for line in (CASES / "thinking.jsonl").read_text("utf-8").splitlines()]
    for place, text in enumerate(texts):
        (folder / str(place)).write_bytes(bytes([place % 80, 0, 0, 0]) + text.encode("utf-8", "surrogatepass"))


def main() -> None:
    """Fuzz until libFuzzer's options say stop."""
    with tempfile.TemporaryDirectory() as folder:
        named = [option for option in sys.argv[1:] if not option.startswith("-")]
        if not named:
            write_seeds(Path(folder))
        atheris.Setup([sys.argv[0], "-max_len=4096", *sys.argv[1:], *([] if named else [folder])], one_input)
        atheris.Fuzz()


if __name__ == "__main__":
    main()
