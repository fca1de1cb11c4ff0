"""The texts by which a model is quantised: prompts of this program's own tasks, the same ones every time."""

from __future__ import annotations

import hashlib
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

import numpy as np
import yaml

import bench
from runner.config.folder import config_folder
from runner.config.settings import ModelSettings, PromptSettings
from runner.engines.tokenization import Tokenization
from runner.errors import UserError
from runner.sampling.generation import Generation
from runner.sampling.prompting import messages_for
from runner.sampling.request import Request, SamplingParams

# Seed of the problems: far from those that people give a suite, so that no study asks what the rounding was made for.
SEED = 7_700_421
_SUITE = "basic_math"
_CONTEXT = 1 << 20  # no prompt of ours is longer than a model takes


@dataclass(frozen=True)
class Calibration:
    """Prompts as token ids.

    Attributes:
        prompts: The ids of each, as the model is sent them.
    """

    prompts: tuple[tuple[int, ...], ...]

    @cached_property
    def digest(self) -> str:
        """Sixteen hex digits over all ids and where a prompt ends."""
        digest = hashlib.sha256()
        for ids in self.prompts:
            digest.update(np.asarray([len(ids), *ids], dtype="<u4").tobytes())
        return digest.hexdigest()[:16]

    @property
    def tokens(self) -> int:
        """Ids of all prompts."""
        return sum(map(len, self.prompts))


def calibration_for(model: ModelSettings, folder: Path, count: int) -> Calibration:
    """Return ``count`` prompts of a model: standard style, tasks of basic_math in turn, in the model's own template.

    They depend on the model's tokenizer and template, the tasks and ``conf/prompt/standard.yaml``, and on nothing
    that a study sweeps.

    Raises:
        UserError: the model's tokenizer or template can't be used.
    """
    tokenization = Tokenization.load(folder, model, _CONTEXT)
    written = (config_folder() / "prompt" / "standard.yaml").read_text("utf-8")
    prompt = PromptSettings.model_validate(yaml.safe_load(written))
    tasks = [bench.make_task(name) for name in bench.task_names(_SUITE)]
    prompts = []
    for number in range(count):
        problem = tasks[number % len(tasks)].problem(seed=SEED, fold=0, index=number // len(tasks))
        messages = messages_for(prompt, problem.question)
        rendered = tokenization.render(Request(problem.id, messages, SamplingParams(), seed=0, max_tokens=1))
        if isinstance(rendered, Generation):
            raise UserError(f"{model.name} can't be quantised: {rendered.failure and rendered.failure.message}")
        prompts.append(tuple(rendered.prompt_ids))
    return Calibration(tuple(prompts))
