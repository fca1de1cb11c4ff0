"""What batches are worth: ``python -m benchmarks.bench_transformers [--model thinker] [--tokens 512] [--copies 8]``.

Prints the new tokens per second of a model on basic-math prompts, one of every task, greedy, each text to its end or
the cap:

- one prompt at a time with plain ``model.generate``, as a user would write it, before and after all others;
- with this project's engine, one at a time and at several batch sizes, and how many times the first that is.

Batches answer every prompt several times, for a batch has to be filled and refilled to show its speed. Nothing is
reused between equal prompts.
"""

from __future__ import annotations

import argparse
import time
from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import partial
from itertools import islice

from runner.config.compose import compose
from runner.config.settings import Settings, TransformersSettings
from runner.config.suite import Suite
from runner.engines.transformers import TransformersEngine
from runner.sampling.prompting import messages_for
from runner.sampling.request import Request, SamplingParams
from runner.weights.locate import locate

TASKS = 14
SUITES = {"smollm2_135m": "basic_math", "thinker": "basic_math_small"}


def prompts(settings: Settings, cap: int) -> list[Request]:
    """Return one question of every task as requests."""
    return [
        Request(problem.id, messages_for(settings.prompt, problem.question), SamplingParams(), 0, cap)
        for problem, _ in islice(Suite(settings.suite).places(), TASKS)
    ]


def plainly(engine: TransformersEngine, requests: Sequence[Request]) -> int:
    """Answer one request after the other with the model's own loop; return the number of new tokens."""
    import torch

    model, tokenizer, count = engine._forward.model, engine.tokenization.tokenizer, 0
    for request in requests:
        chat = [{"role": message.role, "content": message.content} for message in request.messages]
        inputs = tokenizer.apply_chat_template(chat, add_generation_prompt=True, return_tensors="pt").to(model.device)
        with torch.inference_mode():
            ids = model.generate(**inputs, max_new_tokens=request.max_tokens, do_sample=False)
        count += ids.shape[1] - inputs["input_ids"].shape[1]
    return count


def batched(engine: TransformersEngine, requests: Sequence[Request], batch_size: int) -> int:
    """Answer the requests with the engine; return the number of new tokens."""
    engine.batch_size = batch_size
    waiting, count = list(reversed(requests)), 0
    while waiting or engine.in_flight:
        while waiting and engine.in_flight < 4 * batch_size:
            engine.submit(waiting.pop())
        count += sum(generation.usage.output for generation in engine.poll(1.0))
    return count


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--model", choices=SUITES, default="smollm2_135m")
    parser.add_argument("--tokens", type=int, default=512, help="cap on new tokens a prompt")
    parser.add_argument("--copies", type=int, default=8, help="how often a batched engine answers every prompt")
    parser.add_argument("--batch-sizes", type=int, nargs="+", default=[16, 64])
    parser.add_argument("--threads", type=int, default=None, help="CPU threads; torch's choice by default")
    arguments = parser.parse_args()
    threads = "null" if arguments.threads is None else arguments.threads
    asked = [f"model={arguments.model}", f"suite={SUITES[arguments.model]}", f"engine.threads={threads}"]
    settings = compose([*asked, "engine=transformers", "precision=fp32"])
    assert isinstance(settings.engine, TransformersSettings)
    engine = TransformersEngine(settings.model, settings.precision, settings.engine, locate(settings.model))
    requests = prompts(settings, arguments.tokens)
    copies = [replace(one, key=f"{one.key}/{copy}") for copy in range(arguments.copies) for one in requests]
    plainly(engine, requests[:1])  # warm up
    print(f"{arguments.model}, float32, greedy; new tokens per second")
    base = measure("one at a time, model.generate", lambda: plainly(engine, requests))
    measure("engine, batch of 1", lambda: batched(engine, requests, 1), base)
    for size in arguments.batch_sizes:
        measure(f"engine, batch of {size}", partial(batched, engine, copies, size), base)
    measure("one at a time again", lambda: plainly(engine, requests), base)


def measure(name: str, way: Callable[[], int], base: float | None = None) -> float:
    """Run ``way``, print its tokens per second beside the base's, and return them."""
    start = time.perf_counter()
    tokens = way()
    seconds = time.perf_counter() - start
    speed = tokens / seconds
    ratio = f"{speed / (base or speed):6.2f}x"
    print(f"{name:32} {speed:8.1f} tok/s {ratio}  ({tokens} tokens in {seconds:.1f} s)", flush=True)
    return speed


if __name__ == "__main__":
    main()
