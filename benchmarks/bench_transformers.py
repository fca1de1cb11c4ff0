"""What batches are worth: ``python -m benchmarks.bench_transformers [--prompts 64] [--tokens 96]``.

Prints the new tokens per second of the embedded model on the same basic-math prompts

- one prompt at a time with plain ``model.generate``, as a user would write it,
- with this project's engine at several batch sizes, and how many times that is.

Greedy, each text to its end or the cap. The three take turns, so that whatever else the machine does slows all of
them. The first few prompts are enough for one at a time, whose speed doesn't depend on their number.
"""

from __future__ import annotations

import argparse
import os
import time
from collections import defaultdict
from collections.abc import Callable, Sequence
from itertools import islice

from runner.config.compose import compose
from runner.config.settings import Settings, TransformersSettings
from runner.config.suite import Suite
from runner.engines.transformers import TransformersEngine
from runner.sampling.prompting import messages_for
from runner.sampling.request import Request, SamplingParams
from runner.weights.locate import locate

ROUNDS = 2


def prompts(settings: Settings, count: int, cap: int) -> list[Request]:
    """Return the first questions of the suite as requests."""
    places = islice(Suite(settings.suite).places(), count)
    return [
        Request(problem.id, messages_for(settings.prompt, problem.question), SamplingParams(), 0, cap)
        for problem, _ in places
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
    parser.add_argument("--prompts", type=int, default=64)
    parser.add_argument("--single-prompts", type=int, default=4, help="of them, for one at a time")
    parser.add_argument("--tokens", type=int, default=96, help="cap on new tokens a prompt")
    parser.add_argument("--batch-sizes", type=int, nargs="+", default=[16, 64])
    arguments = parser.parse_args()
    settings = compose(["model=smollm2_135m", "engine=transformers", "precision=fp32"])
    assert isinstance(settings.engine, TransformersSettings)
    engine = TransformersEngine(settings.model, settings.precision, settings.engine, locate(settings.model))
    requests = prompts(settings, arguments.prompts, arguments.tokens)
    few = requests[: arguments.single_prompts]
    ways: dict[str, Callable[[], int]] = {
        "one at a time, model.generate": lambda: plainly(engine, few),
        "engine, batch of 1": lambda: batched(engine, few, 1),
    }
    for size in arguments.batch_sizes:
        ways[f"engine, batch of {size}"] = lambda size=size: batched(engine, requests, size)
    plainly(engine, requests[:1])  # warm up
    measure(ways, os.cpu_count())


def measure(ways: dict[str, Callable[[], int]], cores: int | None) -> None:
    """Run every way in turns and print its tokens per second beside the first one's."""
    tokens: dict[str, int] = defaultdict(int)
    seconds: dict[str, float] = defaultdict(float)
    for _ in range(ROUNDS):
        for name, way in ways.items():
            start = time.perf_counter()
            tokens[name] += way()
            seconds[name] += time.perf_counter() - start
    first = next(iter(ways))
    print(f"SmolLM2-135M, float32, {cores} cores, greedy")
    for name in ways:
        speed, base = tokens[name] / seconds[name], tokens[first] / seconds[first]
        print(f"{name:32} {speed:8.1f} tok/s  {speed / base:6.2f}x  ({tokens[name]} tokens in {seconds[name]:.1f} s)")


if __name__ == "__main__":
    main()
