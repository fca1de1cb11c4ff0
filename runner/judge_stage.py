"""The judge's turn in a run: once its texts are there, and what it came to in a few lines."""

from __future__ import annotations

from dataclasses import dataclass

from rich.console import Console

from runner.config.settings import Settings
from runner.engines.base import EngineDied, EngineStopped
from runner.engines.source import EngineSource
from runner.errors import EXIT_FAILED, EXIT_INTERRUPTED
from runner.judge_beside import Beside
from runner.judging import Judge, agreement_in, decided_by_judge, judge_cases, judge_of, take_office, waiting
from runner.report.console import print_line
from runner.report.terminal import share
from runner.results.judgements import chosen_judge
from runner.results.layout import RunFolder
from runner.results.run import load_run
from runner.stop import stop_on_signal


@dataclass(frozen=True, slots=True)
class Turn:
    """Whose turn it is.

    Attributes:
        folder: The run's folder, whose lock the caller holds.
        settings: The run's.
        judge: Who decides in it.
    """

    folder: RunFolder
    settings: Settings
    judge: Judge


def turn_of(folder: RunFolder, settings: Settings) -> Turn | None:
    """Return the turn of a run's judge, who decides there from now on; None where none is asked for or no answer waits.

    Raises:
        UserError: the run can't be read.
        StorageError: its folder can't be written.
    """
    judge = judge_of(settings)
    if judge is None or not decided_by_judge(folder, settings):
        return None
    if chosen_judge(folder) != (judge.fingerprint, judge.name):
        take_office(folder, judge)
    return Turn(folder, settings, judge) if any(True for _ in waiting(folder, settings)) else None


def judge_now(turn: Turn, source: EngineSource | None, console: Console) -> int:
    """Have all answers of a run judged that wait for it, and say what came of it.

    Args:
        turn: Whose turn it is.
        source: Lends the judge's engine; None loads it.
        console: Where to say it.

    Returns:
        0, 1 if the judge's engine died too often, 130 if it was interrupted.

    Raises:
        UserError: the judge can't be had here.
        StorageError: the folder can't be written.
    """
    print_line(console, f"judging the answers that no rule can grade: {turn.judge.name}")
    with stop_on_signal(lambda line: None) as stop:
        try:
            said = judge_cases(turn.folder, waiting(turn.folder, turn.settings), turn.judge, source, stop)
        except (EngineDied, EngineStopped) as death:
            print_line(console, f"the judge's engine ended; what was judged is kept: {death}")
            return EXIT_FAILED
        print_line(console, said)
        show_agreement(turn.folder, turn.judge, console)
        return EXIT_INTERRUPTED if stop.is_set() else 0


def ended_beside(beside: Beside, folder: RunFolder, settings: Settings, console: Console) -> int:
    """Wait for a judge that worked beside the generation and say what came of it; return an exit code."""
    try:
        said = beside.finish()
    except (EngineDied, EngineStopped) as death:
        print_line(console, f"the judge's engine ended; what was judged is kept: {death}")
        return EXIT_FAILED
    judge = judge_of(settings)
    if said is not None and judge is not None:
        print_line(console, said)
        show_agreement(folder, judge, console)
    return 0


def show_agreement(folder: RunFolder, judge: Judge, console: Console) -> None:
    """Print how far a judge agrees with the rules on the answers of a run on which both spoke."""
    from bench.metrics.agreement import agreement

    run = load_run(folder)
    found = agreement([] if run is None else agreement_in(folder, run, judge.fingerprint))
    if found.interval is None:
        print_line(console, "agreement with the rules: none of the references is a number, a choice or an expression")
        return
    lenient, strict = found.table.get((True, False), 0), found.table.get((False, True), 0)
    span = f"{share(found.interval.low)} to {share(found.interval.high)}"
    kappa = "–" if found.kappa is None else f"{found.kappa:.2f}"
    print_line(
        console,
        f"agreement with the rules where both apply: {found.agreed} of {found.n} (95 % {span}, kappa {kappa}); "
        f"equal by the judge alone: {lenient}, by the rules alone: {strict}",
    )
