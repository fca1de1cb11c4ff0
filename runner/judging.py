"""Who judges in a run, and the judging itself: each content once in a study, every reply kept."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, replace
from itertools import chain
from typing import Literal

from bench.judge_check import rule_verdict
from runner.asking import Ask, Respondent, interviewing, unheeded, visible
from runner.config.fingerprint import text_fingerprint
from runner.config.judge import NoJudge
from runner.config.preflight import preflight
from runner.config.settings import ApiSettings, ConcreteEngine, ModelJudge, ScriptedSettings, Settings
from runner.engines.base import Engine
from runner.engines.factory import capabilities, make_engine, resolve
from runner.engines.source import EngineSource, ProblemOf
from runner.errors import UserError
from runner.judge_cases import WORDINGS, Case, answer_case, answer_of, read_reply, records_of
from runner.results.grading import make_tasks_known
from runner.results.judgements import (
    Judgement,
    JudgementFile,
    Matter,
    answer_key,
    choose_judge,
    judgement_at,
    judgement_key,
    known_in,
    read_judgements,
    verdicts_of,
)
from runner.results.layout import RunFolder
from runner.results.record import Record, sample_key
from runner.results.run import Run
from runner.results.store import read
from runner.results.verdict_table import read_verdicts
from runner.sampling.driver import StopFlag
from runner.sampling.seeds import sample_seed

# beside: while the texts are generated. same: on the engine that generated them. after: once that one is closed.
Stage = Literal["beside", "same", "after"]


@dataclass(frozen=True, slots=True)
class Judge:
    """Who decides in a run.

    Attributes:
        settings: Of its requests.
        engine: Its engine, resolved.
        fingerprint: What tells its judgements from another judge's.
        stage: When it works.
    """

    settings: Settings
    engine: ConcreteEngine
    fingerprint: str
    stage: Stage

    @property
    def name(self) -> str:
        """What people call it."""
        return f"{self.settings.model.name} on {self.engine.name}"

    @property
    def plain(self) -> Mapping[str, object]:
        """What it was asked with, as plain values."""
        kept = {"model", "precision", "engine", "budget", "effort", "sampling"}
        return self.settings.model_dump(mode="json", include=kept)

    def source(self) -> EngineSource:
        """Return what loads its engine when it is first asked for."""

        def load(problem_of: ProblemOf) -> Engine:
            return make_engine(self.settings, self.engine, problem_of)

        return EngineSource(load)


def judge_of(settings: Settings, matter: Matter = "answers") -> Judge | None:
    """Return the judge that a run asks for, None for none; loads nothing.

    Args:
        settings: The run's.
        matter: What it is asked.
    """
    asked = settings.judge
    if isinstance(asked, NoJudge):
        return None
    own = asked if isinstance(asked, ModelJudge) else settings
    who = Respondent(own.model, own.precision, own.engine, asked.max_tokens, asked.effort)
    judges = who.settings(settings)
    engine, generates = resolve(judges.engine), resolve(settings.engine)
    if not isinstance(asked, ModelJudge):
        stage: Stage = "same"
    else:
        stage = "after" if _holds_device(engine) and _holds_device(generates) else "beside"
    return Judge(judges, engine, text_fingerprint(judges, WORDINGS[matter]), stage)


def check_judge(settings: Settings, *, elsewhere: bool) -> None:
    """Refuse a judge that can't be had here, by the rules for a model that is asked.

    Raises:
        UserError: everything that is wrong, a line each, each beginning with ``judge``.
    """
    judge = judge_of(settings)
    if judge is None:
        return
    if mistakes := list(unheeded(judge.engine)):
        place = "judge=same: engine" if judge.stage == "same" else "judge.engine"
        raise UserError("\n".join(f"{place}.{mistake}" for mistake in mistakes))
    if judge.stage == "same":
        return
    answers = resolve(settings.engine)
    if isinstance(judge.engine, ApiSettings) and isinstance(answers, ApiSettings) and answers.max_cost is not None:
        raise UserError(
            f"judge.engine={judge.engine.name}: engine.max_cost={answers.max_cost} would not count what it asks; "
            "generate with judge=none, then give the judge and engine.max_cost=null"
        )
    try:
        preflight(judge.settings, judge.engine, capabilities(judge.engine), elsewhere=elsewhere)
    except UserError as error:
        raise UserError(
            "\n".join(f"judge: {line.replace('budget.tokens', 'judge.max_tokens')}" for line in str(error).split("\n"))
        ) from error


def decided_by_judge(folder: RunFolder, settings: Settings) -> bool:
    """Whether a run holds answers on which a judge decides, or has to."""
    table = read_verdicts(folder, settings.scoring, columns=["reason", "rule"]).to_pylist()
    return any(row["reason"] in ("not_judged", "judge_unreadable") or row["rule"] == "judge" for row in table)


def waiting(folder: RunFolder, settings: Settings) -> Iterator[Case]:
    """Yield the answers of a run on which its judge has not spoken yet, in stored order."""
    table = read_verdicts(folder, settings.scoring, columns=["problem_id", "repeat", "reason"]).to_pylist()
    keys = {sample_key(row["problem_id"], row["repeat"]) for row in table if row["reason"] == "not_judged"}
    for record in records_of(folder, keys):
        if (case := answer_case(record, settings.model.family)) is not None:
            yield case


class Docket:
    """The judgements of one run: what is known of its study, what is asked, and where it is kept.

    Args:
        folder: The run's folder, whose lock the caller holds.
        judge: Who decides.
        file: The run's judgements, open.
    """

    def __init__(self, folder: RunFolder, judge: Judge, file: JudgementFile) -> None:
        self._folder = folder
        self._judge = judge
        self._file = file
        self._known = known_in(folder.path.parent, judge.fingerprint)
        self._cases: dict[str, Case] = {}  # in flight
        self.judged = self.taken_over = self.unreadable = self.failed = 0

    def ask(self, case: Case) -> Ask | None:
        """Return what to ask about a case; None where the judgement is known, or asked for already."""
        key = judgement_key(self._judge.fingerprint, case.matter, *case.content)
        if key in self._cases:
            return None
        if key in self._known:
            keeper, start = self._known[key]
            if keeper.path != self._folder.path:
                self._keep(replace(judgement_at(keeper, start), sample=case.sample))
                self.taken_over += 1
            return None
        self._cases[key] = case
        system, user = (message["content"] for message in case.messages)
        return Ask(key, system, user, sample_seed(0, key, 0), case.script)

    def take(self, ask: Ask, record: Record) -> None:
        """Keep what came of an ask; a failed one is asked again by the next attempt."""
        case = self._cases.pop(ask.key)
        if record.failure is not None:
            self.failed += 1
            return
        reply = visible(record, self._judge.settings.model.family)
        said = None if reply is None else read_reply(case.matter, reply)
        self.judged += 1
        self.unreadable += said is None
        finish, judge = record.finish_reason.value, self._judge.fingerprint
        self._keep(Judgement(ask.key, judge, case.matter, said, record.text, finish, case.sample))

    def _keep(self, judgement: Judgement) -> None:
        self._file.append(judgement)
        self._known[judgement.key] = (self._folder, 0)  # it is here, that is all that counts

    def said(self) -> str:
        """Return in one line what became of the cases."""
        parts = [f"{self.judged} judged by {self._judge.name}"]
        parts += [f"{self.taken_over} taken over from other runs"] if self.taken_over else []
        parts += [f"{self.unreadable} replies without a verdict"] if self.unreadable else []
        parts += [f"{self.failed} failed, asked again by the next attempt"] if self.failed else []
        return ", ".join(parts)


@contextmanager
def docket(folder: RunFolder, judge: Judge) -> Iterator[Docket]:
    """Yield the docket of a run; the caller holds the run's lock.

    Raises:
        StorageError: the folder can't be written.
    """
    with JudgementFile(folder) as file:
        yield Docket(folder, judge, file)


def take_office(folder: RunFolder, judge: Judge) -> None:
    """Let a judge decide in a run from now on.

    Raises:
        StorageError: the folder can't be written.
    """
    choose_judge(folder, judge.fingerprint, judge.name, judge.plain)


def judge_cases(
    folder: RunFolder, cases: Iterable[Case], judge: Judge, source: EngineSource | None, stop: StopFlag
) -> str:
    """Have cases judged, on an engine of its own or a lent one; return what became of them in one line.

    Args:
        folder: The run's folder, whose lock the caller holds.
        cases: What is judged; drawn as the engine has room.
        judge: Who decides.
        source: Lends the engine that is loaded already; None loads one.
        stop: Ends it early.

    Raises:
        UserError: the judge can't be had here.
        StorageError: the folder can't be written.
        EngineDied: the engine died too often; what was judged is kept.
    """
    with docket(folder, judge) as file:
        asks = (ask for case in cases if (ask := file.ask(case)) is not None)
        first = next(asks, None)
        if first is not None:
            with interviewing(judge.settings, judge.engine, None if source is None else source.lend) as interview:
                for ask, record in interview.run(chain([first], asks), stop):
                    file.take(ask, record)
        return file.said()


def agreement_in(folder: RunFolder, run: Run, judge: str) -> list[tuple[bool, bool]]:
    """Return what judge and rules said of the answers of a run on which both spoke, a pair for each answer.

    Raises:
        UserError: the run's tasks can't be read.
    """
    family = make_tasks_known(run)
    said = verdicts_of(judge, read_judgements(folder))
    pairs: dict[str, tuple[bool, bool]] = {}
    for record in read(folder) if said else ():
        problem, answer = answer_of(record, family)
        key = "" if problem is None else answer_key(judge, problem, answer)
        verdict = said.get(key)
        if problem is not None and verdict is not None and key not in pairs:
            ruled = rule_verdict(problem, answer)
            pairs |= {} if ruled is None else {key: (verdict, ruled)}
    return list(pairs.values())


def _holds_device(engine: ConcreteEngine) -> bool:
    """Whether an engine keeps a model in this machine's memory, so that two of them may not fit."""
    return not isinstance(engine, ApiSettings | ScriptedSettings)
