"""The typed settings of one point: a resolved Hydra configuration ends here.

Every group of ``conf/`` is one class. Unknown keys, wrong types and impossible values are refused at the door.
"""

from __future__ import annotations

from collections.abc import Mapping
from enum import StrEnum
from typing import Annotated, Any, ClassVar, Literal

from pydantic import Field, model_validator

from runner.config.api import AnthropicSettings as AnthropicSettings
from runner.config.api import ApiSettings as ApiSettings
from runner.config.api import GoogleSettings as GoogleSettings
from runner.config.api import OpenAISettings as OpenAISettings
from runner.config.custom import CustomSettings as CustomSettings
from runner.config.fields import Group, Line, Natural, Positive, Real, Text
from runner.config.judge import JudgeLimits, NoJudge, SameJudge
from runner.config.model import EffortLevel
from runner.config.model import ModelSettings as ModelSettings  # read from here like every other group
from runner.config.model import ThinkingMarkers as ThinkingMarkers
from runner.config.scripted import ScriptedSettings as ScriptedSettings
from runner.config.tools import ToolSettings as ToolSettings


class Scoring(StrEnum):
    """Who decides what a response is worth; never changes a text, so any run can be graded in both ways."""

    PAPER = "paper"  # this program's grader, which follows the paper's definitions
    RELEASED_CODE = "released_code"  # the decisions of the published code, to compare with published rows


NumberFormat = Literal["auto", "fp16", "bf16", "fp32"]


class PrecisionSettings(Group):
    """In which number format the model computes."""

    name: NumberFormat = Field(description="auto: the trained format on a GPU, fp32 where a CPU only emulates it")


class GptqSettings(Group):
    """Weights in few bits by GPTQ: a published checkpoint where the model names one, else quantised here."""

    name: Literal["int8", "int4"] = Field(description="Bits of a weight")
    compute: NumberFormat = Field(description="Number format of everything else; auto: what suits engine and device")
    calibration_samples: Positive = Field(description="Prompts that decide the rounding, where it is quantised here")

    @property
    def bits(self) -> int:
        """Bits of a weight."""
        return int(self.name.removeprefix("int"))


Precision = Annotated[PrecisionSettings | GptqSettings, Field(discriminator="name")]


class TransformersSettings(Group):
    """Hugging Face transformers, batched."""

    name: Literal["transformers"]
    max_restarts: Natural = Field(description="How often a dead engine is built again")
    batch_size: Positive = Field(description="Sequences decoded together; halved by itself when memory runs out")
    device: Line | None = Field(description="torch device; null takes cuda, then mps, then cpu")
    threads: Positive | None = Field(description="CPU threads; null leaves torch's choice")


class VllmSettings(Group):
    """vLLM in process, fed request by request."""

    name: Literal["vllm"]
    max_restarts: Natural = Field(description="How often a dead engine is built again")
    tensor_parallel_size: Positive = Field(description="GPUs that share every layer")
    pipeline_parallel_size: Positive = Field(description="Groups of GPUs that hold consecutive layers")
    gpu_memory_utilization: Annotated[float, Field(gt=0, le=1)] = Field(description="Share of a GPU's memory to take")
    max_num_seqs: Positive = Field(description="Sequences decoded together; twice as many are kept in flight")
    max_model_len: Positive | None = Field(description="Context to reserve memory for; null takes the model's")
    enforce_eager: bool = Field(description="Skip graph compilation: quicker start, slower steps")
    prefix_caching: bool = Field(description="Reuse the key-value cache of shared prompt beginnings")
    cpu_kv_cache_gib: Positive = Field(description="Memory of the cache in a CPU build")


class AutoSettings(Group):
    """vllm where a GPU and the package are there, else transformers."""

    name: Literal["auto"]
    vllm: VllmSettings = Field(description="Options if vllm is taken")
    transformers: TransformersSettings = Field(description="Options if transformers is taken")


ApiEngineSettings = OpenAISettings | AnthropicSettings | GoogleSettings
ConcreteEngine = TransformersSettings | VllmSettings | ScriptedSettings | ApiEngineSettings | CustomSettings
EngineSettings = Annotated[AutoSettings | ConcreteEngine, Field(discriminator="name")]


class SplitSettings(Group):
    """One part of all problems, told apart by a hash of their data; a model trained on other parts has seen none."""

    parts: Positive = Field(description="Parts into which all data falls, about equally")
    part: Natural = Field(description="The part that is asked, from 0")

    @model_validator(mode="after")
    def _exists(self) -> SplitSettings:
        if self.part >= self.parts:
            raise ValueError(f"part {self.part} does not exist; {self.parts} parts are counted from 0")
        return self


class SuiteSettings(Group):
    """Which problems are asked, and how many."""

    name: Line = Field(description="Name of the suite")
    samples: Positive = Field(description="Problems a task and fold")
    folds: Annotated[int, Field(strict=True, ge=1, le=6)] = Field(description="Disjoint sets of problems, at most 6")
    repeats: Positive = Field(description="Samples a problem")
    seed: Natural = Field(description="Seed of the problems; the same seed gives the same problems everywhere")
    tasks: tuple[Line, ...] | None = Field(description="Only these tasks; null takes all in params")
    split: SplitSettings | None = Field(None, description="Only a part of all problems; null asks all")
    task_folder: Text | None = Field(description="Folder with your own task files; null for none")
    path: Text | None = Field(None, description="File with the stored set; null takes the pinned one of the hub")
    low: int = Field(0, description="Smallest operand; params refer to it")
    high: int = Field(0, description="Largest operand; params refer to it")
    sizes: tuple[Positive, ...] = Field((), description="Sizes of the problems; params refer to it")
    params: Mapping[str, Mapping[str, Any]] = Field(description="Parameters of every task, by task name")


class TotalBudget(Group):
    """A hard cap on all output tokens."""

    kind: Literal["total"] = Field(description="A hard cap on all output tokens")
    tokens: Positive | None = Field(description="Cap; null lets a text run to the end of the context")
    reuse: bool = Field(
        True, description="Cut or continue the texts of the study's other points instead of generating them again"
    )

    @property
    def most_tokens(self) -> int | None:
        """Most output tokens of a sample, None for no cap but the context."""
        return self.tokens


class ThinkingBudget(Group):
    """A hard cap on thinking: at the cap the thinking is closed for the model, which then answers."""

    kind: Literal["thinking"] = Field(description="A hard cap on thinking, then an answer")
    tokens: Natural = Field(description="Most thinking tokens, the opening marker among them; 0 closes it at once")
    answer_tokens: Positive = Field(description="Reserve for the answer; a cap on all that follows the thinking")
    closing: Text = Field(description="What is forced at the cap; {close} is replaced by the model's closing marker")
    reuse: bool = Field(
        True, description="Cut or continue the texts of the study's other points instead of generating them again"
    )

    @model_validator(mode="after")
    def _closes(self) -> ThinkingBudget:
        if "{close}" not in self.closing:
            raise ValueError("budget.closing must contain {close}")
        return self

    @property
    def most_tokens(self) -> int:
        """Most output tokens of a sample."""
        return self.tokens + self.answer_tokens


class HintBudget(Group):
    """A cap that the model is only told: nothing is forced, and the record says whether the text stayed within it."""

    reuse: ClassVar[bool] = False  # the prompts of two caps differ, so no text is the beginning of another

    kind: Literal["hint"] = Field(description="A cap that the prompt states and nothing enforces")
    tokens: Positive | None = Field(description="Output tokens that the model is told; null says nothing")
    text: Text = Field(description="What is said, a paragraph of its own behind the question; {tokens} is the cap")

    @model_validator(mode="after")
    def _says_it(self) -> HintBudget:
        if "{tokens}" not in self.text:
            raise ValueError("budget.text must contain {tokens}")
        return self

    @property
    def most_tokens(self) -> None:
        """A hint keeps no text short."""
        return None


class NativeBudget(Group):
    """A cap on thinking that the engine or the provider itself enforces; the answer has none."""

    reuse: ClassVar[bool] = False  # the engine closes the thinking in a way of its own, so nothing is cut or continued

    kind: Literal["native"] = Field(description="The engine's or the provider's own cap on thinking")
    tokens: Natural | None = Field(description="Most thinking tokens; null leaves it to the model")

    @property
    def most_tokens(self) -> None:
        """The answer may be of any length."""
        return None


BudgetKind = Literal["total", "thinking", "hint", "native"]
BudgetSettings = Annotated[TotalBudget | ThinkingBudget | HintBudget | NativeBudget, Field(discriminator="kind")]


class EffortSettings(Group):
    """How hard the model is told to think."""

    level: EffortLevel = Field(description="default sends nothing; what else there is depends on the model")


class PromptSettings(Group):
    """The prompt style; texts reach the model byte for byte."""

    name: Line = Field(description="Name of the style")
    system: Text | None = Field(description="System message; null for none")
    user: Text = Field(description="User message; {question} is replaced by the problem's question")
    interpolate: bool = Field(description="Resolve ${...} in the texts; otherwise it is text like any other")

    @model_validator(mode="after")
    def _has_question(self) -> PromptSettings:
        if "{question}" not in self.user:
            raise ValueError("prompt.user must contain {question}")
        return self


class SamplingSettings(Group):
    """How tokens are drawn."""

    name: Line = Field(description="Name of the choice")
    source: Literal["fixed", "model"] = Field(
        description="fixed: exactly the values below; model: the model's generation_config"
    )
    temperature: Annotated[Real, Field(ge=0)] = Field(description="0 is greedy")
    top_p: Annotated[Real, Field(gt=0, le=1)] = Field(description="Nucleus")
    top_k: Natural = Field(description="0 for no limit")
    repetition_penalty: Annotated[Real, Field(gt=0)] = Field(description="1 for none")
    seed: Natural = Field(description="Seed of the texts")
    noise: Literal["auto", "counter", "stream"] = Field(
        "auto",
        description="counter: a token's noise depends on seed, position and token alone; stream: the engine's own "
        "random numbers; auto: counter where the engine has it",
    )


class WandbTracking(Group):
    """Weights & Biases: a copy of the run; the files stay the record."""

    name: Literal["wandb"]
    project: Line = Field(description="W&B project")
    entity: Line | None = Field(description="W&B user or team; null takes your default")
    mode: Literal["auto", "online", "offline"] = Field(description="auto: online when logged in, else offline")
    tags: tuple[Line, ...] = Field(description="Extra tags")
    trace_rows: Natural = Field(description="Samples in the traces table; the artifact holds all")


class NoTracking(Group):
    """Nothing is sent anywhere."""

    name: Literal["off"]


TrackingSettings = Annotated[WandbTracking | NoTracking, Field(discriminator="name")]


class ModelJudge(JudgeLimits):
    """A model of its own, on an engine of its own."""

    name: Literal["model"]
    model: ModelSettings
    precision: Precision
    engine: EngineSettings


JudgeSettings = Annotated[NoJudge | SameJudge | ModelJudge, Field(discriminator="name")]


class Settings(Group):
    """One point of a study: everything that a run needs to know."""

    study: Line = Field(description="Folder below outputs that holds the runs of a study")
    outputs: Line = Field(description="Root folder of all studies")
    plan: bool = Field(description="Only say what would be done")
    shards: Positive = Field(1, description="Parts into which a point's samples fall, each a job or a GPU of its own")
    scoring: Scoring = Field(description="Who decides: paper is our grader, released_code the published code's ways")
    model: ModelSettings
    precision: Precision
    engine: EngineSettings
    suite: SuiteSettings
    budget: BudgetSettings
    effort: EffortSettings
    prompt: PromptSettings
    tools: ToolSettings
    sampling: SamplingSettings
    tracking: TrackingSettings
    judge: JudgeSettings = NoJudge(name="none")
