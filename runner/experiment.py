"""One point of a study from its settings to its table: generate what is missing, grade, summarise, show."""

from __future__ import annotations

import time
from collections.abc import Iterable, Iterator
from contextlib import AbstractContextManager, closing, nullcontext
from dataclasses import asdict, replace
from functools import partial
from typing import Any

from rich.console import Console

from bench.problem import AnswerKind, Problem
from runner.batches import batching
from runner.config.naming import point_name
from runner.config.settings import NativeBudget, Settings, ThinkingBudget, TotalBudget
from runner.config.suite import Place, lasting
from runner.engines.base import Engine, EngineCapabilities, EngineDied, EngineStopped
from runner.engines.factory import noise_of
from runner.engines.source import EngineSource
from runner.errors import EXIT_FAILED, EXIT_INTERRUPTED, EXIT_LATER
from runner.judge_beside import judging_beside
from runner.judge_stage import ended_beside, judge_now, turn_of
from runner.point import Pending, Point, pending
from runner.report.console import print_line
from runner.report.progress import RunProgress
from runner.report.terminal import show_line, show_summary
from runner.results.counts import counted
from runner.results.lock import FolderLock
from runner.results.log import logging_to
from runner.results.run import Run, check_run, close_attempt, code_revision, load_run, open_run
from runner.results.store import GenerationStore
from runner.results.summary import summarise
from runner.results.verdict_table import LiveTable
from runner.reuse import reusing
from runner.sampling.budget import Closing, ForcedClose, with_budget
from runner.sampling.driver import Driver
from runner.sampling.prompting import messages_of, stop_strings
from runner.sampling.request import UNCAPPED, SamplingParams
from runner.sampling.sample import Sample, SampleSpec, SingleTurn
from runner.sampling.seeds import sample_seed
from runner.sampling.tool_turns import ToolLimits, ToolTurns
from runner.spending import said_first, spending_of
from runner.stop import stop_on_signal
from runner.tools.dialects import dialect_of, tool_protocol
from runner.tools.python import make_pool
from runner.tracking.base import Tracker
from runner.tracking.factory import make_tracker
from runner.tracking.off import OffTracker
from runner.tracking.views import summary_metrics, trace_rows, tracked_run

_TURN_S = 600.0  # a shard waits for another one that grades the whole run


def run_point(point: Point, source: EngineSource, command: str, console: Console, brief: str | None = None) -> int:
    """Generate what is missing of a point, then grade, summarise and show all that its folder holds.

    Args:
        point: What is asked.
        source: Lends the engine that the point asks for; not asked if nothing is missing.
        command: What the user typed, kept for ``status``.
        console: Where progress and the table go.
        brief: How the point is called in the one line that stands for its table; None shows the table.

    Returns:
        0 if every sample is there, 1 if some failed, 130 if it was interrupted.

    Raises:
        UserError: the point can't be run here; nothing was generated.
        StorageError: the folder can't be written; what was written is valid.
    """
    tracker = make_tracker(point.settings.tracking)
    with GenerationStore(point.folder) as store, logging_to(point.folder.log):
        missing = pending(point, store.done_keys())
        if not missing.count:
            check_run(point.folder, point.fingerprint)
            code = judged(point, source, console)
            if code is None:
                return 0
            if brief is None:
                print_line(console, f"nothing to generate: all {point.suite.size} samples are in {point.folder.path}")
            return max(code, conclude(point, OffTracker(), console, brief))
        code = EXIT_FAILED
        try:
            code = generate(missing, source, store, tracker, command, console, brief)
            after = 0 if code == EXIT_INTERRUPTED else judged(point, source, console)
            if after is None:
                return code
            done = point.suite.count_done(store.done_keys())
            broken_off = code in (EXIT_INTERRUPTED, EXIT_LATER)
            if broken_off and not done:
                print_line(console, f"not finished: none of {point.suite.size} samples")
                return code
            code = max(code, after, conclude(point, tracker, console, brief))
            if broken_off:
                note = "short texts end first, so these figures are not those of the whole"
                print_line(console, f"not finished: {done} of {point.suite.size} samples; {note}")
        finally:
            tracker.finish(code)
    return code


def generate(
    missing: Pending,
    source: EngineSource,
    store: GenerationStore,
    tracker: Tracker,
    command: str,
    console: Console,
    brief: str | None = None,
) -> int:
    """Generate and store what is missing.

    Returns:
        0 if nothing was left undone, 1 if the engine died too often or ended the run, 75 if a batch is under way, 130
        if interrupted.

    Raises:
        UserError: the engine can't be had here.
    """
    point = missing.point
    loading = "" if source.ready else f"; loading {point.settings.model.name} on {point.engine.name}"
    if loading or brief is None:
        print_line(console, f"{missing.count} samples to do{loading}")
    if cost := said_first(point, missing.count):
        print_line(console, cost)
    lend = partial(source.lend, point.suite.problem)
    with (
        batching(point, lend) as asking,
        reusing(point, asking) as make,
        closing(make_pool(point.settings.tools)) as tools,
        closing(Driver(make, tools, point.engine.max_restarts)) as driver,
    ):
        settings = effective(point.settings, driver.engine)
        plain = settings.model_dump(mode="json")
        with whole_run(point):
            run = open_run(point.folder, plain, point.fingerprint, driver.engine.loaded, command)
        tracker.start(tracked_run(point_name(settings), settings.study, run, point.folder))
        progress = RunProgress(console, missing.count, missing.already, brief)
        asked = replace(missing, point=replace(point, settings=settings))
        return _drive(asked, driver, store, run, progress, console)


def _drive(
    missing: Pending, driver: Driver, store: GenerationStore, run: Run, progress: RunProgress, console: Console
) -> int:
    """Let an engine generate what is missing of a run that is open, and store and grade it as it comes.

    Returns:
        See :func:`generate`.
    """
    point, settings = missing.point, missing.point.settings
    verdicts = LiveTable(point.folder, settings.model.family, settings.scoring)
    spending = spending_of(missing.point)
    start = time.monotonic()
    generated = code = 0
    kinds = {task.answer_kind for task in point.suite.tasks.values()}
    needs_judge = point.shard is None and AnswerKind.JUDGED in kinds  # of shards the run is judged as a whole
    with (
        stop_on_signal(progress.announce) as stop,
        judging_beside(point.folder, settings, stop, needs_judge) as judge,
        progress.showing(),
    ):
        try:
            asked = samples(missing.places(), settings, driver.engine.capabilities)
            for finished in driver.run(spending.within(asked), stop):
                record = with_budget(finished, settings.budget, settings.model)
                store.append(record)
                row = verdicts.grade(record)
                progress.update(row)
                if row["reason"] == "not_judged":
                    judge.take(record)
                generated += record.usage.output - record.usage.reused
                spending.add(record)
        except EngineStopped as ended:
            print_line(console, str(ended))
            code = ended.code
        except EngineDied as death:
            if not stop.is_set():  # a Ctrl-C on the terminal reaches an engine's own process too
                print_line(console, f"the engine died more than {point.engine.max_restarts} times: {death}")
                code = EXIT_FAILED
        code = max(code, ended_beside(judge, point.folder, settings, console))
    if spending.ended and not stop.is_set():
        print_line(console, spending.sentence)
        code = EXIT_FAILED
    if spending.here is not None:
        print_line(console, f"cost: ${spending.here:.4f} now, ${spending.spent:.4f} of the run in all")
    if point.shard is None:  # else the rows of the others are missing; the last shard makes the table
        verdicts.finish()
    with whole_run(point):
        close_attempt(point.folder, run, generated, time.monotonic() - start, spending.here)
    return EXIT_INTERRUPTED if stop.is_set() else code


def judged(point: Point, source: EngineSource, console: Console) -> int | None:
    """Give the judge its turn if answers wait for it; return an exit code, see :func:`runner.judge_stage.judge_now`.

    None stands for a judge that takes the device of the run's engine and so waits until that one is closed: see
    :func:`judge_and_conclude`.
    """
    turn = turn_of(point.folder, point.settings)
    if turn is None:
        return 0
    if turn.judge.stage == "after" and source.ready:
        print_line(console, f"{turn.judge.name} judges once the engine is closed")
        return None
    return judge_now(turn, source if turn.judge.stage == "same" else None, console)


def judge_and_conclude(point: Point, console: Console, brief: str | None = None) -> int:
    """Give the judge its turn whose engine had to wait for the run's to be closed, and conclude the run after it.

    Returns:
        See :func:`run_point`; 0 if nothing waits.
    """
    with GenerationStore(point.folder), logging_to(point.folder.log):
        turn = turn_of(point.folder, point.settings)
        return 0 if turn is None else max(judge_now(turn, None, console), conclude_tracked(point, console, brief))


def conclude_tracked(point: Point, console: Console, brief: str | None = None) -> int:
    """Grade, summarise and show the whole run as :func:`conclude` does, with a tracker of its own."""
    tracker = make_tracker(point.settings.tracking)
    run = load_run(point.folder)
    code = EXIT_FAILED
    try:
        if run is not None:
            tracker.start(tracked_run(point_name(point.settings), point.settings.study, run, point.folder))
        code = conclude(point, tracker, console, brief)
    finally:
        tracker.finish(code)
    return code


def whole_run(point: Point) -> AbstractContextManager[object]:
    """Hold the lock of a shard's run, which the shards share; the writer of a whole run has it anyway."""
    return nullcontext() if point.shard is None else FolderLock(point.folder.lock, _TURN_S)


def conclude(point: Point, tracker: Tracker, console: Console, brief: str | None = None) -> int:
    """Grade and summarise what the folder holds, show it and send a copy to the tracker.

    Returns:
        0, or 1 if some samples have no verdict.
    """
    settings = point.settings
    counted(point.folder, lasting(settings.suite))  # kept for whoever asks how far the study is
    summary = summarise(point.folder, settings.scoring)
    if brief is None:
        show_summary(summary, point.folder, console)
    else:
        show_line(summary, point.folder, console, brief)
    tracker.log_summary(summary_metrics(summary))
    tracker.log_traces(partial(trace_rows, point.folder, settings.model.family, settings.scoring))
    if tracker.url:
        print_line(console, f"W&B: {tracker.url}")
    return EXIT_FAILED if summary.partial else 0


def samples(places: Iterable[tuple[Problem, Place]], settings: Settings, can: EngineCapabilities) -> Iterator[Sample]:
    """Yield samples of these problems, made as they are drawn.

    Args:
        places: The problems, and where each stands.
        settings: See :func:`effective`.
        can: What the engine can do.
    """
    drawn, budget = settings.sampling, settings.budget
    noise = "stream" if drawn.noise == "auto" else drawn.noise
    spec = SampleSpec(
        sampling=SamplingParams(drawn.temperature, drawn.top_p, drawn.top_k, drawn.repetition_penalty, noise),
        max_tokens=budget.tokens if isinstance(budget, TotalBudget) else None,
        stop=stop_strings(settings.model),
        template_options=settings.model.effort_options(settings.effort.level),
        code_revision=code_revision(),
        thinking_cap=_thinking_cap(settings),
    )
    closing, tools = _closing(settings), settings.tools
    for problem, place in places:
        messages = messages_of(settings, problem.question)
        seed = sample_seed(drawn.seed, problem.id, place.repeat)
        if tools.names:
            dialect = dialect_of(settings, can.continues)
            yield ToolTurns(problem, place, messages, spec, seed, dialect, ToolLimits(tools.turns, tools.tokens))
        elif closing is None:
            yield SingleTurn(problem, place, messages, spec, seed)
        else:
            yield ForcedClose(problem, place, messages, spec, seed, closing)


def _thinking_cap(settings: Settings) -> int | None:
    """Return the cap on thinking that the engine is told; a provider that takes the word is told that there is none."""
    budget, untold = settings.budget, settings.effort.level == "default"
    if not isinstance(budget, NativeBudget):
        return None
    return UNCAPPED if budget.tokens is None and settings.model.thinking_cap and untold else budget.tokens


def _closing(settings: Settings) -> Closing | None:
    """Return how the run closes the thinking, None where its budget does not."""
    model, budget = settings.model, settings.budget
    if not isinstance(budget, ThinkingBudget) or model.thinking is None:
        return None
    return Closing(budget, model.thinking, model.family)


def effective(settings: Settings, engine: Engine) -> Settings:
    """Return the settings as they really act: the model's own sampling filled in, paths independent of where we are."""
    sampling = settings.sampling
    if sampling.source == "model":
        own = asdict(engine.default_sampling)
        sampling = sampling.model_copy(update={name: own[name] for name in own if name != "noise"})
    noise = noise_of(sampling, engine.capabilities)
    changes: dict[str, Any] = {
        "sampling": sampling.model_copy(update={"noise": noise}),
        "suite": lasting(settings.suite),
    }
    if settings.tools.names:
        changes["tools"] = settings.tools.model_copy(update={"protocol": tool_protocol(settings, engine)})
    return settings.model_copy(update=changes)
