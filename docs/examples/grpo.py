"""Takes a few GRPO steps with TRL on the demonstration model, rewarded by r · p_int · p_ext; runs on a CPU.

    make train-env
    .venv-train/bin/python docs/examples/grpo.py --steps 3 --penalty both --out outputs/grpo

The checkpoint is measured like any other model: ``python -m runner model=thinker model.id=outputs/grpo ...``. A few
steps on a CPU show that the parts fit, not that a model got better.
"""

from __future__ import annotations

import argparse
from importlib.resources import files
from typing import Any, get_args

from datasets import Dataset
from trl import GRPOConfig, GRPOTrainer

from bench import make_task
from bench.rewards import Penalty, Reward
from runner.config.compose import compose
from runner.embedding import make_embedder
from runner.sampling.prompting import messages_of

# Problems of a kind that the model can do about half of the time, drawn with another seed than any suite's.
_TASK, _PARAMS, _SEED = "sum", {"low": 0, "high": 99, "sizes": [4, 5]}, 20_260_101


def problems(count: int) -> Dataset:
    """Return ``prompt`` (messages), and ``task`` and ``data``, by which the reward knows what was asked."""
    settings, task = compose(["model=thinker", "suite=basic_math_small"]), make_task(_TASK, **_PARAMS)
    rows: list[dict[str, Any]] = []
    for index in range(count):
        problem = task.problem(seed=_SEED, fold=0, index=index)
        messages = [{"role": one.role, "content": one.content} for one in messages_of(settings, problem.question)]
        rows.append({"prompt": messages, "task": problem.task, "data": list(problem.data)})
    return Dataset.from_list(rows)


def train(steps: int, penalty: Penalty, out: str) -> list[dict[str, float]]:
    """Train and save; return what the trainer logged at each step, the mean reward as ``reward``."""
    arguments = GRPOConfig(
        output_dir=out,
        max_steps=steps,
        num_generations=4,
        per_device_train_batch_size=4,
        max_completion_length=400,
        temperature=1.0,
        learning_rate=1e-5,
        chat_template_kwargs={"reasoning_effort": "high"},
        model_init_kwargs={"dtype": "float32"},
        logging_steps=1,
        save_strategy="no",
        report_to="none",
        use_cpu=True,
        seed=1,
    )
    trainer = GRPOTrainer(
        model=str(files("runner") / "data" / "thinker"),
        reward_funcs=Reward(penalty, make_embedder("lexical"), most_tokens=400),
        args=arguments,
        train_dataset=problems(4 * steps),
    )
    trainer.train()
    trainer.save_model(out)
    return [entry for entry in trainer.state.log_history if "reward" in entry]


def main() -> None:
    """Read the options and train."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--steps", type=int, default=3)
    parser.add_argument("--penalty", choices=get_args(Penalty), default="both")
    parser.add_argument("--out", default="outputs/grpo")
    asked = parser.parse_args()
    for number, entry in enumerate(train(asked.steps, asked.penalty, asked.out), 1):
        print(f"step {number}: reward {entry['reward']:.3f}, completion {entry['completions/mean_length']:.0f} tokens")


if __name__ == "__main__":
    main()
