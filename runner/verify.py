"""Whether a run's samples are what its settings give: data, verdicts, and some of the texts generated again."""

from __future__ import annotations

import hashlib
import heapq
from collections.abc import Collection, Iterable
from contextlib import closing
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from threading import Event
from typing import Any

from bench.problem import Problem
from runner.config.compose import read_stored
from runner.config.settings import Settings
from runner.config.suite import Place
from runner.engines.factory import make_engine
from runner.errors import UserError
from runner.experiment import effective, samples
from runner.point import Point, prepare
from runner.results.certificate import Certificate, files_sha256, generations_sha256
from runner.results.executions import executed_in
from runner.results.grading import grade_record, grader_version
from runner.results.judgements import judged_in
from runner.results.layout import RunFolder
from runner.results.record import Record, sample_key
from runner.results.run import Run, code_revision
from runner.results.store import Scan, read, scan
from runner.results.verdict_table import grade_run, read_verdicts
from runner.sampling.budget import with_budget
from runner.sampling.driver import Driver
from runner.tools.python import make_pool

_VERDICT = ("outcome", "answer", "rule", "output_tokens", "thinking_tokens")


@dataclass(frozen=True, slots=True)
class _Checked:
    wrong_data: tuple[str, ...]
    wrong_verdicts: tuple[str, ...]


def verify_run(folder: RunFolder, run: Run, count: int) -> Certificate:
    """Check all of a run's data and verdicts, and generate some of its texts again.

    Which ones is decided by the hash of the whole file of generations, so they are not known before it is written.

    Args:
        folder: The run's folder; nothing is written there but missing verdicts.
        run: The run.
        count: Most texts that are generated again.

    Raises:
        UserError: the run can't be checked here: no texts, other weights, another engine or number format.
        EngineDied: the engine died more often than ``engine.max_restarts``.
        EngineStopped: a provider refuses every call.
    """
    point = prepare(read_stored(Settings, {**run.settings, "plan": False}, folder.run_json))
    found, digest = scan(folder), generations_sha256(folder)
    if not found.done:
        raise UserError(f"{folder.path} holds no text yet; finish the run first: python -m runner status STUDY")
    checked = _check_stored(folder, point, found)
    chosen = _chosen(found.done, digest, count)
    other, engine, repeatable = _regenerate(folder, run, point, found, chosen)
    return Certificate(
        fingerprint=run.fingerprint,
        nonce=run.nonce,
        generations_sha256=digest,
        verdicts_sha256=files_sha256([grade_run(folder, point.settings.scoring)]),
        scoring=point.settings.scoring.value,
        made=datetime.now(UTC).isoformat(timespec="seconds"),
        code_revision=code_revision(),
        grader_version=grader_version(point.settings.scoring, judged_in(folder)),
        engine=engine,
        samples=len(found.done),
        missing=point.suite.size - point.suite.count_done(found.done),
        failed=len(found.failed),
        wrong_data=checked.wrong_data,
        wrong_verdicts=checked.wrong_verdicts,
        regenerated=tuple(chosen),
        other_texts=other,
        repeatable=repeatable,
    )


def _chosen(keys: Iterable[str], digest: str, count: int) -> list[str]:
    def rank(key: str) -> bytes:
        return hashlib.sha256(f"{digest}/{key}".encode("utf-8", "surrogatepass")).digest()

    return heapq.nsmallest(count, keys, key=rank)


def _check_stored(folder: RunFolder, point: Point, found: Scan) -> _Checked:
    settings = point.settings
    table = read_verdicts(folder, settings.scoring, columns=["problem_id", "repeat", *_VERDICT]).to_pylist()
    stored = {sample_key(row["problem_id"], row["repeat"]): row for row in table}
    data, verdicts, judged, executed = [], [], judged_in(folder), executed_in(folder)
    for record in read(folder, scanned=replace(found, failed={})):
        if _drawn_again(record, point) is None:
            data.append(record.key)
        fresh: Any = grade_record(record, settings.model.family, settings.scoring, judged, executed)
        if any(fresh[name] != stored.get(record.key, {}).get(name) for name in _VERDICT):
            verdicts.append(record.key)
    return _Checked(tuple(data), tuple(verdicts))


def _drawn_again(record: Record, point: Point) -> Problem | None:
    """Return a sample's problem, drawn by its place; None if id or data are not those that are stored."""
    task = point.suite.known.get(record.task) or point.suite.tasks.get(record.task)
    if task is None:
        return None
    problem = task.problem(seed=point.settings.suite.seed, fold=record.fold, index=record.index)
    same = problem.id == record.problem_id and _plain(problem.data) == _plain(record.data)
    return problem if same else None


def _plain(data: Any) -> Any:
    return [_plain(item) for item in data] if isinstance(data, list | tuple) else data


def _regenerate(
    folder: RunFolder, run: Run, point: Point, found: Scan, chosen: Collection[str]
) -> tuple[tuple[str, ...], str, bool]:
    """Generate texts again; return the keys of those that differ, what was loaded, and whether texts have to agree."""
    kept = replace(found, done={key: found.done[key] for key in chosen}, failed={})
    before = {record.key: record for record in read(folder, scanned=kept)}
    other = []
    with (
        closing(make_pool(point.settings.tools)) as tools,
        closing(Driver(lambda: _engine(folder, run, point), tools, point.engine.max_restarts)) as driver,
    ):
        loaded, repeatable = driver.engine.loaded, driver.engine.capabilities.seeds
        settings = effective(point.settings, driver.engine)
        places = [
            (problem, Place(one.fold, one.index, one.repeat))
            for one in before.values()
            if (problem := _drawn_again(one, point)) is not None
        ]
        asked = samples(places, settings, driver.engine.capabilities)
        again = {record.key: record for record in driver.run(asked, Event())}
    for key, record in before.items():
        made = again.get(key)
        if made is None or _said(with_budget(made, settings.budget, settings.model)) != _said(record):
            other.append(key)
    engine = f"{loaded.engine}, {loaded.weights}, computing in {loaded.compute_dtype}, {loaded.device}"
    return tuple(other), engine, repeatable


def _engine(folder: RunFolder, run: Run, point: Point) -> Any:
    engine = make_engine(point.settings, point.engine, point.suite.problem)
    try:
        run.check_same(engine.loaded, folder)
    except UserError:
        engine.close()
        raise
    return engine


def _said(record: Record) -> tuple[object, ...]:
    turns = tuple((turn.kind, turn.text) for turn in record.turns)
    return turns, record.finish_reason, record.prompt_sha256, record.usage.output
