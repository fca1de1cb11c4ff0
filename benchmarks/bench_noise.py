"""What counter noise costs: ``python -m benchmarks.bench_noise [--tokens 64] [--rounds 5] [--engine transformers]``.

Asks an engine the same basic-math prompts with noise ``stream`` and ``counter`` in turn, at the published benchmark's
sampling (T 0.1, top-p 0.9) and at T 1 without a nucleus, where the noise of every token of the vocabulary is
needed. Prints new tokens per second of this process's CPU time, or of wall time for vLLM, whose core is another
process, and the median of the rounds' ratios. Counter noise is the default where it costs less than 5 %.
"""

from __future__ import annotations

import argparse
import time
from collections.abc import Callable
from dataclasses import replace
from itertools import islice
from statistics import median

from runner.config.compose import compose
from runner.config.suite import Suite
from runner.engines.base import Engine
from runner.engines.factory import make_engine
from runner.sampling.prompting import messages_for
from runner.sampling.request import Noise, Request, SamplingParams

SAMPLINGS = {"T 0.1, top-p 0.9": SamplingParams(0.1, 0.9), "T 1, all tokens": SamplingParams(1.0)}


def requests(count: int, cap: int) -> list[Request]:
    """Return the questions to ask."""
    settings = compose(["model=smollm2_135m"])
    places = islice(Suite(settings.suite).places(), count)
    return [
        Request(f"{problem.id}/0#0", messages_for(settings.prompt, problem.question), SamplingParams(), number, cap)
        for number, (problem, _) in enumerate(places)
    ]


def speed(engine: Engine, asked: list[Request], sampling: SamplingParams, clock: Callable[[], float]) -> float:
    """Return new tokens per second."""
    start, tokens = clock(), 0
    for one in asked:
        engine.submit(replace(one, sampling=sampling))
    while engine.in_flight:
        tokens += sum(generation.usage.output for generation in engine.poll(1.0))
    return tokens / (clock() - start)


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--engine", choices=("transformers", "vllm"), default="transformers")
    parser.add_argument("--tokens", type=int, default=64, help="cap on new tokens a prompt")
    parser.add_argument("--prompts", type=int, default=16)
    parser.add_argument("--rounds", type=int, default=5)
    arguments = parser.parse_args()
    settings = compose(["model=smollm2_135m", f"engine={arguments.engine}", "precision=fp32"])
    assert settings.engine.name in ("transformers", "vllm")
    engine = make_engine(settings, settings.engine, Suite(settings.suite).problem)  # type: ignore[arg-type]
    clock = time.process_time if arguments.engine == "transformers" else time.perf_counter
    asked = requests(arguments.prompts, arguments.tokens)
    speed(engine, asked[:2], SamplingParams(), clock)  # warm up
    noises: tuple[Noise, ...] = ("stream", "counter")
    for name, sampling in SAMPLINGS.items():
        rounds = [[speed(engine, asked, replace(sampling, noise=noise), clock) for noise in noises]
                  for _ in range(arguments.rounds)]  # fmt: skip
        stream, counter = (median(one[place] for one in rounds) for place in range(2))
        ratio = median(counter / stream for stream, counter in rounds)
        print(f"{name:18} stream {stream:8.1f} tok/s  counter {counter:8.1f} tok/s  ratio {ratio:5.3f}", flush=True)
    engine.close()


if __name__ == "__main__":
    main()
