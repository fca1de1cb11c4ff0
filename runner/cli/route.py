"""``python -m runner route STUDY``: what choosing between a thinking and a direct run would have scored."""

from __future__ import annotations

import csv
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from rich.console import Console
from rich.table import Table

from bench.problem import part_of
from runner.cli.one_run import matching
from runner.config.settings import Scoring
from runner.embedding import make_embedder
from runner.errors import UserError
from runner.report.console import make_console, print_line, visible_line
from runner.report.terminal import mean, share, span
from runner.results.grading import make_tasks_known, problem_of
from runner.results.layout import RunFolder
from runner.results.output import STANDARD_OUTPUT, writing
from runner.results.run import Run
from runner.results.runs import runs_of
from runner.results.store import read
from runner.results.verdict_table import read_verdicts
from runner.router import Router, load_router, save_router, train_router

if TYPE_CHECKING:
    import pandas as pd

    from bench.metrics.routers import RouterFigures

_WORDS = ("thinking", "direct", "embed", "score")
_FEWEST = 10  # questions to learn from, and to be scored on


@dataclass(frozen=True, slots=True)
class _Asked:
    """What was asked: text and difficulty by problem id."""

    text: Mapping[str, str]
    score: Mapping[str, float]


def route(
    study: Path,
    words: Sequence[str],
    router: tuple[Path | None, Path | None],
    table: str | None,
    scoring: Scoring,
    console: Console,
) -> None:
    """Train a router, or take a saved one, and print what it and others would have scored.

    Args:
        study: The study that holds a thinking and a direct run.
        words: ``thinking=PART``, ``direct=PART``, ``embed=``, ``score=`` (``length`` or a fact of the problems).
        router: A saved router, and where a trained one is saved; None for a new one, and for ``STUDY/router.json``.
        table: CSV file for the table, None for none.
        scoring: Whose verdicts.
        console: Where to print.

    Raises:
        UserError: no such runs, too few questions, or the back-end is not installed.
        StorageError: the router can't be written.
    """
    from bench.metrics.routers import COLUMNS, paired_modes

    given = _given(words)
    console = make_console(errors=True) if table == STANDARD_OUTPUT else console
    thinking, direct = _modes(runs_of(study), given, scoring)
    frames = [read_verdicts(one[0], scoring, columns=list(COLUMNS)).to_pandas() for one in (thinking, direct)]
    pairs = paired_modes(*frames)
    asked = _questions(direct, given.get("score", "length"))
    trained, scored = _router(pairs, asked, given.get("embed", "lexical"), router, (thinking, direct), study, console)
    rows = _rows(pairs, asked, trained, scored)
    _show(rows, console)
    if table is not None:
        with writing(table, "--csv", newline="") as file:
            _write(csv.writer(file), rows)


def _given(words: Sequence[str]) -> dict[str, str]:
    given = dict(word.partition("=")[::2] for word in words)
    if strange := [name for name in given if name not in _WORDS or not given[name]]:
        raise UserError(f"route: {strange[0]}: give {', '.join(f'{name}=...' for name in _WORDS)}")
    return given


def _modes(
    runs: Sequence[tuple[RunFolder, Run]], given: Mapping[str, str], scoring: Scoring
) -> tuple[tuple[RunFolder, Run], tuple[RunFolder, Run]]:
    """Return the thinking run and the direct one: as named, else of two runs the one that thinks more."""
    named = [matching(runs, given[mode]) for mode in ("thinking", "direct") if mode in given]
    if len(named) == 2 and all(len(found) == 1 for found in named) and named[0] != named[1]:
        return named[0][0], named[1][0]
    if named or len(runs) != 2:
        names = ", ".join(folder.path.name for folder, _ in runs)
        raise UserError(f"route: name one run each, thinking=PART direct=PART, of: {visible_line(names)}")
    by_tokens = sorted(runs, key=lambda one: -_mean_thinking(one[0], scoring))
    return by_tokens[0], by_tokens[1]


def _mean_thinking(folder: RunFolder, scoring: Scoring) -> float:
    return float(read_verdicts(folder, scoring, columns=["thinking_tokens"]).to_pandas()["thinking_tokens"].mean())


def _questions(pair: tuple[RunFolder, Run], score: str) -> _Asked:
    """Return what a run was asked; the difficulty is the length of the question, or a fact of the problem."""
    folder, run = pair
    make_tasks_known(run)
    text: dict[str, str] = {}
    scores: dict[str, float] = {}
    for record in read(folder):
        if record.problem_id in text or (problem := problem_of(record)) is None:
            continue
        text[record.problem_id] = problem.question
        fact = len(problem.question) if score == "length" else problem.facts.get(score)
        if isinstance(fact, int):
            scores[record.problem_id] = float(fact)
    if not scores:
        raise UserError(f"score={score}: no problem has such a number; give length, or a fact such as size")
    return _Asked(text, scores)


def _is_training(problem_id: str) -> bool:
    """Whether a question is learnt from: about half of them, told by a hash of the id alone."""
    return part_of(["router", problem_id], 2) == 0


def _router(
    pairs: pd.DataFrame,
    asked: _Asked,
    choice: str,
    files: tuple[Path | None, Path | None],
    runs: tuple[tuple[RunFolder, Run], tuple[RunFolder, Run]],
    study: Path,
    console: Console,
) -> tuple[Router, set[str]]:
    """Return a router and the questions that it is scored on: those it did not learn from."""
    from bench.metrics.routers import problem_gains

    saved, target = files
    ids = {str(one) for one in pairs["problem_id"]} & set(asked.text)
    if saved is not None:
        router = load_router(saved)
        return router, _enough(ids - set(router.trained_on), "to be scored on")
    gains = problem_gains(pairs)
    gains = gains[gains["problem_id"].map(_is_training) & gains["problem_id"].isin(list(ids))]
    _enough(set(gains["problem_id"]), "to learn from")
    names = (runs[0][0].path.name, runs[1][0].path.name)
    router = train_router(gains, asked.text, make_embedder(choice), choice, names)
    path = target or study / "router.json"
    save_router(router, path)
    print_line(console, f"router trained on {len(gains)} questions with {router.embed_name}: {visible_line(path)}")
    return router, _enough(ids - set(router.trained_on), "to be scored on")


def _enough(ids: set[str], purpose: str) -> set[str]:
    if len(ids) < _FEWEST:
        raise UserError(f"route: {len(ids)} questions {purpose}; at least {_FEWEST} that both runs answered are needed")
    return ids


def _rows(pairs: pd.DataFrame, asked: _Asked, router: Router, scored: set[str]) -> list[RouterFigures]:
    """Return the figures of every router on the same questions."""
    from bench.metrics import routers

    learnt, test = (pairs[pairs["problem_id"].isin(list(ids))] for ids in (router.trained_on, scored))
    choices = {
        "always thinking": routers.always(test, "thinking"),
        "always direct": routers.always(test, "direct"),
        "oracle by task": routers.oracle_by_task(test),
    }
    if not learnt.empty:
        limit = routers.best_threshold(learnt, asked.score)
        choices["threshold on difficulty"] = routers.by_score({one: asked.score.get(one, 0.0) for one in scored}, limit)
    texts = {one: asked.text[one] for one in sorted(scored)}
    choices["trained router"] = routers.by_score(router.scores(texts, make_embedder(router.embed)), 0.5)
    rows = [routers.router_figures(name, routers.routed(test, choice)) for name, choice in choices.items()]
    best = routers.oracle_by_problem(test)
    if best is not None and not best.empty:
        rows.insert(3, routers.router_figures("oracle by question", best))
    return rows


def _show(rows: Sequence[RouterFigures], console: Console) -> None:
    table = Table(title=f"routers on {rows[0].problems} questions that none of them learnt from", title_justify="left")
    headings = ("router", "thinks on", "accuracy", "thinking", "value", "95 % interval", "AUC_OAA", "Acc_ut", "F1")
    for name in headings:
        table.add_column(name, justify="left" if name == "router" else "right")
    for row in rows:
        thinks, right, tokens = share(row.share_thinking), share(row.accuracy), mean(row.thinking_tokens)
        known = [share(value) for value in (row.auc_oaa, row.acc_ut, row.f1)]
        table.add_row(row.router, thinks, right, tokens, share(row.value), span(row.interval), *known)
    console.print(table)
    print_line(console, "value: on hard tasks right or wrong, else right times the share of 1,000 tokens not thought")
    print_line(console, "oracle by task: chosen on these questions; oracle by question: on one half of the repeats,")
    print_line(console, "scored on the other; threshold and router: learnt from other questions")


def _write(writer: object, rows: Sequence[RouterFigures]) -> None:
    plain = [asdict(row) for row in rows]
    names = [name for name in plain[0] if name != "interval"]
    write = writer.writerow  # type: ignore[attr-defined]
    write([*names, "low", "high"])
    for row, one in zip(rows, plain, strict=True):
        ends = (None, None) if row.interval is None else (row.interval.low, row.interval.high)
        write([*(one[name] for name in names), *ends])
