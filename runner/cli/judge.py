"""``python -m runner judge STUDY``: has stored samples judged, now or again, and says how far judge and rules agree."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, get_args

from rich.console import Console
from rich.table import Table

from bench.taxonomy import Pattern
from runner.config.compose import compose, read_stored
from runner.config.settings import Settings
from runner.engines.base import EngineDied, EngineStopped
from runner.engines.source import EngineSource
from runner.errors import EXIT_FAILED, EXIT_INTERRUPTED, UserError
from runner.judge_cases import Case, answer_case, error_case, pattern_case, pattern_names, records_of
from runner.judge_stage import judge_now, show_agreement, turn_of
from runner.judging import Judge, check_judge, judge_cases, judge_of
from runner.report.console import print_line, visible_line
from runner.report.terminal import show_summary
from runner.results.grading import make_tasks_known
from runner.results.judgements import Matter, read_judgements
from runner.results.layout import RunFolder
from runner.results.lock import FolderLock
from runner.results.marks import marks_of
from runner.results.record import sample_key
from runner.results.run import Run
from runner.results.runs import runs_of
from runner.results.summary import summarise
from runner.results.verdict_table import read_verdicts
from runner.stop import stop_on_signal
from runner.tracking.views import choose_keys

if TYPE_CHECKING:
    from bench.metrics.agreement import Agreement

_MATTERS = get_args(Matter)


@dataclass(frozen=True, slots=True)
class _Run:
    """A stored run with the judge that is asked for now."""

    folder: RunFolder
    run: Run
    settings: Settings
    judge: Judge

    @property
    def family(self) -> str:
        return self.settings.model.family


def judge_study(study: Path, words: Sequence[str], check: int, most: int, config_dir: Path | None, out: Console) -> int:
    """Have the samples of a study's runs judged and say what came of it.

    Args:
        study: A study's folder, or a run's.
        words: ``judge=...`` and its values as for a run, and ``what=answers``, ``errors`` or ``patterns``.
        check: How many answers a run that rules have graded are judged too, so that agreement can be stated.
        most: How many wrong answers or traces a run are judged for the taxonomies.
        config_dir: A further folder of config groups.
        out: Where to say it.

    Returns:
        0, 1 if something stays unjudged, 130 if it was interrupted.

    Raises:
        UserError: no such run, no judge is given, or it can't be had here.
        StorageError: a run's folder can't be written.
    """
    matter, overrides = _matter(words)
    chosen = compose(overrides, config_dir)
    runs = [_with_judge(folder, run, chosen, matter) for folder, run in runs_of(study)]
    code = 0
    for group in _by_judge(runs):
        with closing(group[0].judge.source()) as source:
            for one in group:
                print_line(out, f"{visible_line(one.folder.path.name)}:")
                code = max(code, _judge_run(one, matter, (check, most), source, out))
                if code == EXIT_INTERRUPTED:
                    return code
    return code


def _matter(words: Sequence[str]) -> tuple[Matter, list[str]]:
    given = [word.removeprefix("what=") for word in words if word.startswith("what=")]
    rest = [word for word in words if not word.startswith("what=")]
    what = given[-1] if given else "answers"
    for matter in _MATTERS:
        if what == matter:
            return matter, rest
    raise UserError(f"what={what}: nothing that is judged; give one of: {', '.join(_MATTERS)}")


def _with_judge(folder: RunFolder, run: Run, chosen: Settings, matter: Matter) -> _Run:
    stored = read_stored(Settings, run.settings, folder.run_json)
    settings = stored.model_copy(update={"judge": chosen.judge})
    judge = judge_of(settings, matter)
    if judge is None:
        raise UserError("judge: nobody is given; say who judges, e.g. judge=same or judge=model model@judge.model=NAME")
    check_judge(settings, elsewhere=False)
    make_tasks_known(run)
    return _Run(folder, run, settings, judge)


def _by_judge(runs: Sequence[_Run]) -> list[list[_Run]]:
    """Group the runs by their judge, so that each is loaded once."""
    groups: dict[str, list[_Run]] = {}
    for one in runs:
        groups.setdefault(one.judge.fingerprint, []).append(one)
    return list(groups.values())


def _judge_run(one: _Run, matter: Matter, counts: tuple[int, int], source: EngineSource, out: Console) -> int:
    check, most = counts
    with FolderLock(one.folder.lock):
        if matter != "answers":
            return _judge_taxonomy(one, matter, most, source, out)
        turn = turn_of(one.folder, one.settings)
        code = 0 if turn is None else judge_now(turn, source, out)
        if check and not code:
            code = _judge(one, _graded_by_rule(one, check), source, out)
            show_agreement(one.folder, one.judge, out)
        if turn is None and not check:
            print_line(out, "no answer waits for a judge; --check N judges N that rules have graded")
            return 0
    if turn is not None:
        show_summary(summarise(one.folder, one.settings.scoring), one.folder, out)
    return code


def _judge(one: _Run, cases: Iterator[Case], source: EngineSource, out: Console) -> int:
    with stop_on_signal(lambda line: None) as stop:
        try:
            print_line(out, judge_cases(one.folder, cases, one.judge, source, stop))
        except (EngineDied, EngineStopped) as death:
            print_line(out, f"the judge's engine ended; what was judged is kept: {visible_line(death)}")
            return EXIT_FAILED
        return EXIT_INTERRUPTED if stop.is_set() else 0


def _outcomes(one: _Run, outcomes: Sequence[str]) -> set[str]:
    """Return the keys of the samples with these outcomes that rules decided."""
    columns = ["problem_id", "repeat", "outcome", "rule"]
    rows = read_verdicts(one.folder, one.settings.scoring, columns=columns).to_pylist()
    kept = (row for row in rows if row["outcome"] in outcomes and row["rule"] != "judge")
    return {sample_key(row["problem_id"], row["repeat"]) for row in kept}


def _graded_by_rule(one: _Run, count: int) -> Iterator[Case]:
    keys = choose_keys(sorted(_outcomes(one, ("correct", "incorrect"))), count)
    cases = (answer_case(record, one.family) for record in records_of(one.folder, set(keys)))
    return (case for case in cases if case is not None)


def _judge_taxonomy(one: _Run, matter: Matter, most: int, source: EngineSource, out: Console) -> int:
    """Have kinds of error or patterns judged, and print how far judge and rules agree."""
    outcomes = ("incorrect", "unparsed") if matter == "errors" else ("correct", "incorrect", "unparsed")
    keys = set(choose_keys(sorted(_outcomes(one, outcomes)), most))
    if not keys:
        print_line(out, "nothing to judge")
        return 0
    rows = marks_of(one.folder, keys).set_index("key")
    found = {str(key): (row["error"], pattern_names(row["patterns"])) for key, row in rows.iterrows()}
    cases = (
        error_case(record, found[record.key][0])
        if matter == "errors"
        else pattern_case(record, one.family, found[record.key][1])
        for record in records_of(one.folder, set(found))
    )
    code = _judge(one, (case for case in cases if case is not None), source, out)
    said = {
        judgement.sample: judgement.said
        for judgement in read_judgements(one.folder)
        if judgement.judge == one.judge.fingerprint and judgement.matter == matter and judgement.said is not None
    }
    _show(matter, {key: (said[key], found[key]) for key in found if key in said}, out)
    return code


def _show(matter: Matter, pairs: dict[str, tuple[object, tuple[str | None, set[str]]]], out: Console) -> None:
    from bench.metrics.agreement import agreement

    if matter == "errors":
        rows = {"kind of error": agreement((said, error or "none") for said, (error, _) in pairs.values())}
    else:
        rows = {
            pattern.value: agreement((pattern.value in _names(said), pattern.value in names) for said, (_, names) in
                                     pairs.values())
            for pattern in Pattern
        }  # fmt: skip
    table = Table(title="judge and rules on the same samples", title_justify="left")
    for name in ("", "n", "agree", "kappa", "judge alone", "rules alone"):
        table.add_column(name, justify="right" if name else "left")
    for name, found in rows.items():
        table.add_row(name, *_cells(found))
    out.print(table)


def _names(said: object) -> set[str]:
    return set(said) if isinstance(said, list) else set()


def _cells(found: Agreement) -> list[str]:
    """Return the figures of one row; who alone sees it is asked of patterns only, which are there or not."""
    kappa = "–" if found.kappa is None else f"{found.kappa:.2f}"
    seen = set(found.table) <= {(a, b) for a in (True, False) for b in (True, False)}
    alone = [str(found.table.get(pair, 0)) if seen else "" for pair in ((True, False), (False, True))]
    return [str(found.n), str(found.agreed), kappa, *alone]
