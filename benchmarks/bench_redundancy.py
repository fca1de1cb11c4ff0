"""How fast traces are measured: ERD and lexical IRD of 5,000-token traces, MiniLM IRD of 280 sentences; one core each.

    python -m benchmarks.bench_redundancy [--traces 200]

Traces are made once, of sentences with numbers, about 5,900 tokens and 280 sentences before the right answer. Tokens
are counted on ids as a run's are, by the tokenizer of SmolLM2 where it is set up, else by words. MiniLM is left out
where it is not installed.
"""

from __future__ import annotations

import argparse
import resource
import time
from collections.abc import Callable, Sequence

from bench.metrics.redundancy.internal import ird_of
from bench.problem import AnswerKind, Problem
from bench.redundancy import first_correct, look_at, sentences
from bench.redundancy.answer_form import answer_form
from bench.redundancy.tokens import TokensBefore, by_decoding, by_starts
from bench.seeding import Stream
from runner.embedding import make_embedder
from runner.errors import UserError

_GOLD = 987_654
_SENTENCES = 280
_OPENINGS = ("So we get", "Then I add", "Wait, let me check", "Now look at", "Hmm, that leaves", "Therefore we have")
_WORDS = ("the next term", "both sides", "the first row", "what was given", "this case", "the remaining part")


def trace(number: int) -> str:
    """Return a trace whose right answer comes after 280 sentences, with a few behind it."""
    stream = Stream("bench_redundancy", number)
    parts = []
    for place in range(_SENTENCES + 20):
        a, b = stream.below(90) + 10, stream.below(90) + 10
        words = f"{_OPENINGS[stream.below(6)]} {_WORDS[stream.below(6)]}"
        parts.append(f"{words}: {a} + {b} = {a + b}.")
        if place == _SENTENCES:
            parts.append(f"So the answer is {_GOLD}.")
    return " ".join(parts)


def counter(texts: Sequence[str]) -> tuple[str, Callable[[int], TokensBefore], float]:
    """Return what counts tokens, a counter of each text, and the mean number of tokens."""
    try:
        from transformers import AutoTokenizer

        from runner.config.compose import compose
        from runner.weights.quantize import weights_for

        settings = compose(["model=smollm2_135m"])
        tokenizer = AutoTokenizer.from_pretrained(weights_for(settings.model, settings.precision).folder)
    except (ImportError, UserError, OSError):
        starts = [
            [at for at in range(len(text)) if text[at : at + 1] != " " and text[at - 1 : at] in ("", " ")]
            for text in texts
        ]
        return "words", lambda place: by_starts(starts[place]), sum(map(len, starts)) / len(texts)
    ids = [tokenizer(text, add_special_tokens=False, verbose=False)["input_ids"] for text in texts]
    decode = lambda some: tokenizer.decode(list(some), clean_up_tokenization_spaces=False)  # noqa: E731
    return (
        "SmolLM2 ids",
        lambda place: by_decoding(ids[place], decode, len(texts[place])),
        sum(map(len, ids)) / len(texts),
    )


def timed(name: str, texts: Sequence[str], work: Callable[[int], object]) -> None:
    start = time.process_time()
    for place in range(len(texts)):
        work(place)
    seconds = (time.process_time() - start) / len(texts)
    whole = f"10,000 on two cores: {5000 * seconds:.0f} s"
    print(f"{name}: {1000 * seconds:.2f} ms a trace, {1 / seconds:.1f} traces/s a core; {whole}")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--traces", type=int, default=200)
    count: int = parser.parse_args().traces
    texts = [trace(number) for number in range(count)]
    problem = Problem("id", "sum", None, "question", _GOLD, AnswerKind.INTEGER)
    form = answer_form(problem)
    assert form is not None
    found = [first_correct(text, form) for text in texts]
    needed = [sentences(text[: one.end]) for text, one in zip(texts, found, strict=True) if one is not None]
    assert [len(parts) for parts in needed] == [_SENTENCES + 2] * count
    by, counters, tokens = counter(texts)
    print(f"{count} traces of {tokens:,.0f} tokens ({by})")
    timed("ERD", texts, lambda place: look_at(texts[place], problem, counters(place)).erd)
    lexical = make_embedder("lexical")
    timed("IRD, lexical", texts, lambda place: ird_of(needed[place], lexical))
    try:
        minilm = make_embedder("minilm")
    except UserError as missing:
        print(f"IRD, MiniLM: {missing}")
    else:
        fresh = [sentences(trace(time.time_ns() + number))[:_SENTENCES] for number in range(4)]
        minilm(fresh.pop())  # the first trace pays once for the library's kernels, four seconds here
        timed("IRD, MiniLM, nothing in its cache", texts[:3], lambda place: ird_of(fresh[place], minilm))
    print(f"most memory: {resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024:,.0f} MiB")


if __name__ == "__main__":
    main()
