"""When a model knew: its stored thinking is closed every few tokens, and the answer that it gives there is graded."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import closing
from dataclasses import dataclass, replace
from threading import Event

import bench
from bench.problem import Problem
from bench.redundancy import look_at
from bench.redundancy.tokens import TokensBefore
from runner.config.compose import compose, read_stored
from runner.config.settings import Settings, ThinkingBudget
from runner.config.suite import Place
from runner.engines.base import Engine
from runner.engines.factory import capabilities, make_engine, make_writer
from runner.errors import UserError
from runner.point import Point, prepare
from runner.results.grading import grade_record, make_tasks_known, problem_of
from runner.results.layout import RunFolder
from runner.results.marks import places
from runner.results.record import Record
from runner.results.redundancy import Decode, tokens_in
from runner.results.run import Run, code_revision
from runner.results.store import read, scan
from runner.reuse import reusing
from runner.sampling.budget import Closing
from runner.sampling.driver import Driver
from runner.sampling.probe import Probe, Thought
from runner.sampling.prompting import messages_of, stop_strings
from runner.sampling.request import SamplingParams
from runner.sampling.sample import SampleSpec
from runner.sampling.seeds import sample_seed
from runner.tools.pool import ToolPool
from runner.tracking.views import choose_keys

ANSWER_TOKENS = 16


@dataclass(frozen=True, slots=True)
class Onset:
    """One stored thinking that was closed at several places.

    Attributes:
        key: The sample.
        thinking: Its tokens of thinking.
        probes: Places at which it was closed and answered: after 0, step, 2 · step, ... tokens of thinking. One whose
            answer failed, such as for want of context, is in no figure.
        onset: Tokens of thinking at the first place with the right answer; None where none has it.
        settled: The same from which on every answer is right.
        needed: Tokens up to the first sentence with the right answer (FCA); None without one.
        correct: Whether the sample's own answer is right.
    """

    key: str
    thinking: int
    probes: int
    onset: int | None
    settled: int | None
    needed: int | None
    correct: bool


@dataclass(frozen=True, slots=True)
class _Stored:
    """A stored sample whose thinking can be closed.

    Attributes:
        record: The sample.
        problem: What was asked, under the sample's own id.
        ids: All that the model wrote.
        begin: Ids before its thinking.
        before: Counts the ids of a beginning of the thinking.
        thinking: Its text.
    """

    record: Record
    problem: Problem
    ids: tuple[int, ...]
    begin: int
    before: TokensBefore
    thinking: str

    @property
    def tokens(self) -> int:
        return self.before(len(self.thinking))


def onsets(folder: RunFolder, run: Run, step: int, most: int) -> list[Onset]:
    """Return the onset of some of a run's samples, those that think and were written in one piece.

    Answers are drawn greedily, at most 16 tokens each; those of an earlier call come from the study's trajectories.

    Args:
        folder: The run's folder; nothing is written there.
        run: The run.
        step: Tokens of thinking between two places.
        most: Most samples; which ones is decided by problem and repeat alone.

    Raises:
        UserError: the run can't be probed here: its model does not think, its engine continues no text, other weights.
        EngineDied: the engine died more often than ``engine.max_restarts``.
    """
    settings = read_stored(Settings, {**run.settings, "plan": False}, folder.run_json)
    point, close = prepare(settings), _closing(settings)
    family = make_tasks_known(run)
    decode = make_writer(settings, run.loaded).decode
    stored = _stored(folder, decode, family, most)
    answers: dict[str, dict[int, bool]] = {one.record.key: {} for one in stored}
    with (
        reusing(point, lambda: _engine(folder, run, point)) as make,
        closing(ToolPool({})) as tools,
        closing(Driver(make, tools, point.engine.max_restarts)) as driver,
    ):
        for record in driver.run(_probes(stored, settings, close, step, decode), Event()):
            if record.failure is not None:  # no answer is not a wrong one
                continue
            at = len(record.turns[0].token_ids or ())
            answers[record.key][at] = bool(grade_record(record, family, settings.scoring)["correct"])
    return [_onset(one, answers[one.record.key], family, settings) for one in stored if answers[one.record.key]]


def _closing(settings: Settings) -> str:
    """Return the text that closes a thinking, as a run with ``budget=thinking`` forces it."""
    if settings.model.thinking is None:
        raise UserError(f"{settings.model.name} does not think between markers, so there is no thinking to close")
    budget = compose(["budget=thinking"]).budget
    assert isinstance(budget, ThinkingBudget)
    return Closing(budget, settings.model.thinking, settings.model.family).text


def _engine(folder: RunFolder, run: Run, point: Point) -> Engine:
    if not capabilities(point.engine).continues:
        raise UserError(f"engine={point.engine.name} can't go on with a text; onset needs transformers or vllm")
    engine = make_engine(point.settings, point.engine, point.suite.problem)
    try:
        run.check_same(engine.loaded, folder)
    except UserError:
        engine.close()
        raise
    return engine


def _stored(folder: RunFolder, decode: Decode, family: str, most: int) -> list[_Stored]:
    found = scan(folder)
    chosen = {key: found.done[key] for key in choose_keys(found.done, most)}
    records = read(folder, with_ids=True, scanned=replace(found, done=chosen, failed={}))
    return [one for record in records if (one := _taken(record, decode, family)) is not None]


def _taken(record: Record, decode: Decode, family: str) -> _Stored | None:
    turn, problem = record.turns[0], problem_of(record)
    if len(record.turns) != 1 or turn.token_ids is None or problem is None:
        return None
    split = bench.split_thinking(
        record.text, finish_reason=record.finish_reason.value, prompt_tail=record.prompt_tail, family=family
    )
    start = places(record.text, split)[0]
    if not split.thinking or start < 0:
        return None
    before = tokens_in(record.turns, decode)
    begin = before(start)
    named = replace(problem, id=record.problem_id)  # made again from its data, a problem has another id
    return _Stored(record, named, turn.token_ids, begin, lambda place: before(start + place) - begin, split.thinking)


def _probes(stored: Sequence[_Stored], settings: Settings, close: str, step: int, decode: Decode) -> Iterator[Probe]:
    spec = SampleSpec(
        sampling=SamplingParams(),
        max_tokens=ANSWER_TOKENS,
        stop=stop_strings(settings.model),
        template_options=settings.model.effort_options(settings.effort.level),
        code_revision=code_revision(),
    )
    for one in stored:
        problem, record = one.problem, one.record
        messages = messages_of(settings, problem.question)
        seed = sample_seed(settings.sampling.seed, problem.id, record.repeat)
        place = Place(record.fold, record.index, record.repeat)
        for at in range(0, one.tokens, step):
            ids = one.ids[: one.begin + at]
            yield Probe(problem, place, messages, spec, seed, Thought(decode(ids), ids, close, ANSWER_TOKENS))


def _onset(one: _Stored, answers: Mapping[int, bool], family: str, settings: Settings) -> Onset:
    right = [(at - one.begin, answers[at]) for at in sorted(answers)]
    settled = None
    for at, known in reversed(right):
        if not known:
            break
        settled = at
    return Onset(
        key=one.record.key,
        thinking=one.tokens,
        probes=len(right),
        onset=next((at for at, known in right if known), None),
        settled=settled,
        needed=look_at(one.thinking, one.problem, one.before).needed,
        correct=bool(grade_record(one.record, family, settings.scoring)["correct"]),
    )
