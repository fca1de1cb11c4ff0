"""What our engine and driver cost beside bare vLLM: ``python -m benchmarks.bench_vllm [--prompts 64] [--tokens 64]``.

Prints the new tokens per second of the embedded model on the same basic-math prompts

- bare: vLLM's own engine is given all prompts as ids at once and stepped, texts not even decoded,
- ours: the same vLLM engine under our driver, with everything a run does: chat template, encoding, sample, decoding,
  token counts, storing, grading,

and the ratio, which should be at least 0.97. Greedy, each text to its end or the cap, so both make the same tokens.
They take turns and swap places every round, so that whatever else the machine does slows both; the median over the
rounds counts. On a machine that others use, set VLLM_CPU_OMP_THREADS_BIND=0: bound threads wait for each other.
"""

from __future__ import annotations

import argparse
import os
import statistics
import tempfile
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import islice
from pathlib import Path
from threading import Event
from typing import Any

from bench.problem import Problem
from runner.config.compose import compose
from runner.config.settings import Settings, VllmSettings
from runner.config.suite import Place, Suite
from runner.engines.vllm import VllmEngine
from runner.results.grading import grade_record
from runner.results.layout import RunFolder
from runner.results.store import GenerationStore
from runner.sampling.driver import Driver
from runner.sampling.prompting import messages_for
from runner.sampling.request import SamplingParams
from runner.sampling.sample import SampleSpec, SingleTurn
from runner.tools.pool import ToolPool
from runner.weights.locate import locate


def ours(engine: VllmEngine, settings: Settings, problems: Sequence[tuple[Problem, Place]], cap: int) -> int:
    """Run the problems as a run does; return the number of new tokens."""
    spec = SampleSpec(SamplingParams(), cap)
    samples = (
        SingleTurn(problem, place, messages_for(settings.prompt, problem.question), spec, seed=0)
        for problem, place in problems
    )
    tokens = 0
    with tempfile.TemporaryDirectory() as folder, GenerationStore(RunFolder(Path(folder))) as store:
        for record in Driver(lambda: engine, ToolPool({}), max_restarts=0).run(samples, Event()):
            store.append(record)
            grade_record(record)
            tokens += record.usage.output
    return tokens


def bare(llm: Any, prompts: Sequence[list[int]], cap: int) -> int:
    """Run the prompts with nothing but vLLM; return the number of new tokens."""
    from vllm import SamplingParams as VllmParams
    from vllm.sampling_params import RequestOutputKind

    params = VllmParams(temperature=0.0, max_tokens=cap, detokenize=False, output_kind=RequestOutputKind.FINAL_ONLY)
    for number, ids in enumerate(prompts):
        llm.add_request(str(number), {"type": "token", "prompt_token_ids": ids}, params)
    tokens = 0
    while llm.has_unfinished_requests():
        tokens += sum(len(output.outputs[0].token_ids) for output in llm.step())
    return tokens


def encode(engine: VllmEngine, settings: Settings, problems: Sequence[tuple[Problem, Place]]) -> list[list[int]]:
    """Return the prompts as ids."""
    tokenizer = engine._tokenization.tokenizer
    chats = [
        [{"role": message.role, "content": message.content} for message in messages_for(settings.prompt, p.question)]
        for p, _ in problems
    ]
    return [tokenizer.apply_chat_template(chat, add_generation_prompt=True, return_dict=False) for chat in chats]


@dataclass
class Timing:
    """What one way took, round by round.

    Attributes:
        tokens: New tokens of all rounds.
        wall_s: Seconds of each round.
        cpu_s: Seconds that this process computed, vLLM's own processes aside.
    """

    tokens: int = 0
    wall_s: list[float] = field(default_factory=list)
    cpu_s: float = 0.0


def measure(llm: Any, ways: Mapping[str, Callable[[], int]], rounds: int) -> dict[str, Timing]:
    """Time each way in every round."""
    timings = {name: Timing() for name in ways}
    for number in range(rounds):
        for name in sorted(ways, reverse=bool(number % 2)):
            llm.reset_prefix_cache()
            wall, cpu = time.perf_counter(), time.process_time()
            timings[name].tokens += ways[name]()
            timings[name].wall_s.append(time.perf_counter() - wall)
            timings[name].cpu_s += time.process_time() - cpu
        print(f"round {number + 1}: " + ", ".join(f"{name} {t.wall_s[-1]:.2f} s" for name, t in timings.items()))
    return timings


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--prompts", type=int, default=64)
    parser.add_argument("--tokens", type=int, default=64, help="cap on new tokens a prompt")
    parser.add_argument("--sequences", type=int, default=16, help="decoded together; less than prompts fills the queue")
    parser.add_argument("--rounds", type=int, default=8)
    parser.add_argument("--precision", default="fp32")
    arguments = parser.parse_args()
    engine_options = [f"engine.max_num_seqs={arguments.sequences}", "engine.enforce_eager=true"]
    settings = compose(["model=smollm2_135m", "engine=vllm", f"precision={arguments.precision}", *engine_options])
    assert isinstance(settings.engine, VllmSettings)
    engine = VllmEngine(settings.model, settings.precision, settings.engine, locate(settings.model))
    problems = list(islice(Suite(settings.suite).places(), arguments.prompts))
    prompts, llm = encode(engine, settings, problems), engine._core._llm
    ways = {
        "bare": lambda: bare(llm, prompts, arguments.tokens),
        "ours": lambda: ours(engine, settings, problems, arguments.tokens),
    }
    bare(llm, prompts[:2], 8)  # warm up
    timings = measure(llm, ways, arguments.rounds)
    engine.close()
    print(
        f"SmolLM2-135M, {engine.loaded.compute_dtype}, {os.cpu_count()} cores, {arguments.sequences} sequences, greedy"
    )
    for name, timing in timings.items():
        total = sum(timing.wall_s)
        print(f"{name}: {timing.tokens / total:.1f} tok/s ({timing.tokens} tokens), own CPU {timing.cpu_s / total:.2%}")
    ratios = [b / o for b, o in zip(timings["bare"].wall_s, timings["ours"].wall_s, strict=True)]
    print(f"ours / bare, median of {arguments.rounds} rounds: {statistics.median(ratios):.3f}")


if __name__ == "__main__":
    main()
