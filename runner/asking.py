"""Asks a model things that are no benchmark's problems: verdicts, questions for a new set, answers to check one."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from contextlib import closing, contextmanager
from dataclasses import dataclass

from bench.problem import AnswerKind, Problem
from runner.config.model import EffortLevel, ModelSettings
from runner.config.settings import (
    ApiSettings,
    ConcreteEngine,
    EffortSettings,
    EngineSettings,
    Precision,
    SamplingSettings,
    Settings,
    TotalBudget,
)
from runner.config.suite import Place
from runner.engines.base import Engine
from runner.engines.factory import make_engine, noise_of
from runner.results.record import Record, sample_key
from runner.results.run import code_revision
from runner.sampling.driver import Driver, StopFlag
from runner.sampling.prompting import further, stop_strings
from runner.sampling.request import Message, SamplingParams
from runner.sampling.sample import Sample, SampleSpec, SingleTurn
from runner.tools.pool import ToolPool


@dataclass(frozen=True, slots=True)
class Respondent:
    """Who is asked, and how.

    Attributes:
        model: The model.
        precision: Number format of its weights.
        engine: What runs it.
        max_tokens: Most tokens of a reply, None for the context.
        effort: How hard it is told to think.
        temperature: 0 is greedy.
        top_p: Nucleus.
    """

    model: ModelSettings
    precision: Precision
    engine: EngineSettings
    max_tokens: int | None
    effort: EffortLevel
    temperature: float = 0.0
    top_p: float = 1.0

    def settings(self, base: Settings) -> Settings:
        """Return the settings of a run that asks it; what it is asked about stays that of ``base``."""
        sampling = SamplingSettings(
            name="asked", source="fixed", temperature=float(self.temperature), top_p=float(self.top_p), top_k=0,
            repetition_penalty=1.0, seed=0, noise="stream",
        )  # fmt: skip
        changes = {
            "model": self.model, "precision": self.precision, "engine": self.engine, "sampling": sampling,
            "budget": TotalBudget(kind="total", tokens=self.max_tokens, reuse=False),
            "effort": EffortSettings(level=self.effort),
            "tools": base.tools.model_copy(update={"names": ()}),
        }  # fmt: skip
        return base.model_copy(update=changes)


@dataclass(frozen=True, slots=True)
class Ask:
    """One thing to ask.

    Attributes:
        key: Unique among those in flight; no ``#``.
        system: System message.
        user: User message.
        seed: Of the reply's tokens.
        script: What the scripted engine says at the end of its reply if it is right, and if it is wrong.
        examples: Earlier turns, shown between the system and the user message.
    """

    key: str
    system: str
    user: str
    seed: int
    script: tuple[str, str]
    examples: tuple[Message, ...] = ()

    @property
    def problem(self) -> Problem:
        """The ask as a problem: what the driver and the scripted engine know it by."""
        right, wrong = self.script
        facts = {"script": right, "script_wrong": wrong}
        return Problem(self.key, "asked", None, "", right, AnswerKind.JUDGED, facts)


class Interview:
    """An engine with a driver of its own that is asked one thing after the other; not thread-safe.

    Args:
        settings: Of whoever is asked, see :meth:`Respondent.settings`.
        engine: The engine, resolved.
        make: Makes the engine, given what finds the problem of an ask by its key.
        tools: A pool, which stays unused.
    """

    def __init__(
        self,
        settings: Settings,
        engine: ConcreteEngine,
        make: Callable[[Callable[[str], Problem]], Engine],
        tools: ToolPool,
    ) -> None:
        self._asked: dict[str, Ask] = {}
        self._driver = Driver(lambda: make(self._problem), tools, engine.max_restarts)
        self._settings = settings

    def run(self, asks: Iterable[Ask], stop: StopFlag) -> Iterator[tuple[Ask, Record]]:
        """Yield every ask with what came of it, in the order they finish; asks are drawn as the engine has room.

        Raises:
            EngineDied: more deaths than ``engine.max_restarts``.
        """
        for record in self._driver.run(_Samples(asks, self._sample), stop):
            yield self._asked.pop(record.key), record

    def close(self) -> None:
        """Release the engine."""
        self._driver.close()

    def _sample(self, ask: Ask) -> Sample:
        self._asked[sample_key(ask.key, 0)] = ask
        system = (Message("system", ask.system),) if ask.system else ()
        user = Message("user", "\n\n".join((ask.user, *further(None, self._effort))))
        return SingleTurn(ask.problem, Place(0, 0, 0), (*system, *ask.examples, user), self._spec(), ask.seed)

    @property
    def _effort(self) -> object:
        return self._settings.model.efforts.get(self._settings.effort.level)

    def _spec(self) -> SampleSpec:
        drawn = self._settings.sampling
        noise = noise_of(drawn, self._driver.engine.capabilities)
        return SampleSpec(
            sampling=SamplingParams(drawn.temperature, drawn.top_p, drawn.top_k, drawn.repetition_penalty, noise),
            max_tokens=self._settings.budget.most_tokens,
            stop=stop_strings(self._settings.model),
            template_options=self._settings.model.effort_options(self._settings.effort.level),
            code_revision=code_revision(),
        )

    def _problem(self, problem_id: str) -> Problem:
        return self._asked[sample_key(problem_id, 0)].problem


class _Samples(Iterator[Sample]):
    """Samples of asks that may go on after they seemed to end, as a queue does."""

    def __init__(self, asks: Iterable[Ask], sample: Callable[[Ask], Sample]) -> None:
        self._asks = iter(asks)
        self._sample = sample

    def __next__(self) -> Sample:
        return self._sample(next(self._asks))


@contextmanager
def interviewing(
    settings: Settings, engine: ConcreteEngine, lend: Callable[[Callable[[str], Problem]], Engine] | None = None
) -> Iterator[Interview]:
    """Yield an interview and let go of the engine at the end.

    Args:
        settings: Of whoever is asked.
        engine: The engine, resolved.
        lend: Lends an engine that is loaded already; None loads one.

    Raises:
        UserError: the engine or the weights are not to be had here.
    """

    def load(problem_of: Callable[[str], Problem]) -> Engine:
        return make_engine(settings, engine, problem_of)

    with closing(ToolPool({})) as tools, closing(Interview(settings, engine, lend or load, tools)) as interview:
        yield interview


def unheeded(engine: ConcreteEngine) -> Iterator[str]:
    """Yield which options of an engine would do nothing for asks, with what to give instead."""
    if isinstance(engine, ApiSettings) and engine.max_cost is not None:
        yield "max_cost limits the answers of a run alone, not what is asked besides; give max_cost=null"
    if isinstance(engine, ApiSettings) and engine.batch:
        yield "batch is for the answers of a run alone, not for what is asked besides; give batch=false"


def visible(record: Record, family: str | None) -> str | None:
    """Return the visible answer of a reply, None if it failed, was cut or ended within its thinking.

    Such a reply says nothing for certain.
    """
    import bench
    from bench.finish import ended
    from bench.thinking import ThinkingState

    end = record.finish_reason.value
    if record.failure is not None or not ended(end):
        return None
    split = bench.split_thinking(record.text, finish_reason=end, prompt_tail=record.prompt_tail, family=family)
    return None if split.state is ThinkingState.UNCLOSED else split.answer.strip()
