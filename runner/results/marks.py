"""What the taxonomies find in a run's texts, with the spans; kept beside the verdicts, so it is looked for once."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Collection
from contextlib import suppress
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import bench
from bench.taxonomy import TAXONOMY_VERSION, ErrorFinding, PatternFinding, WrongStep, error_of, patterns_of, wrong_steps
from bench.thinking import Thinking
from runner.config.settings import Scoring
from runner.errors import UserError
from runner.results.grading import grading_fingerprint, make_tasks_known, problem_of, verdict_on
from runner.results.layout import RunFolder, replacing
from runner.results.record import Record
from runner.results.run import load_run
from runner.results.store import read, scan

if TYPE_CHECKING:
    import pandas as pd

_COLUMNS = ("key", "error", "error_rule", "error_spans", "patterns", "wrong_steps")


@dataclass(frozen=True, slots=True)
class Marks:
    """What is found in one sample; all spans are places in :attr:`runner.results.record.Record.text`.

    Attributes:
        error: Why the answer is wrong, None where it is right or nothing says why.
        patterns: Those of the thinking, then those of the visible answer.
        wrong_steps: Those of the thinking, then those of the visible answer.
    """

    error: ErrorFinding | None
    patterns: tuple[PatternFinding, ...]
    wrong_steps: tuple[WrongStep, ...]


def mark(record: Record, family: str | None) -> Marks:
    """Look at one sample; never raises on any text. Thinking and visible answer are looked at each on its own.

    So an answer that repeats what the thinking found is no redundant verification.
    """
    text, end, patterns, steps = record.text, record.finish_reason.value, [], []
    split = bench.split_thinking(text, finish_reason=end, prompt_tail=record.prompt_tail, family=family)
    for start, part in zip(places(text, split), (split.thinking, split.answer), strict=True):
        if not part or start < 0:
            continue
        patterns += [replace(one, spans=tuple(_moved(span, start) for span in one.spans)) for one in patterns_of(part)]
        steps += [replace(step, span=_moved(step.span, start)) for step in wrong_steps(part)]
    try:
        problem = problem_of(record)
    except UserError:  # its task is unknown here
        problem = None
    if problem is None:
        return Marks(None, tuple(patterns), tuple(steps))
    verdict = verdict_on(problem, text, split, end, Scoring.PAPER)
    error = error_of(problem, text, verdict, finish_reason=end)
    return Marks(error, tuple(patterns), tuple(steps))


def places(text: str, split: Thinking) -> tuple[int, int]:
    """Return where thinking and visible answer begin in a text; -1 for one that is empty or not one piece of it."""
    first = text.find(split.thinking) if split.thinking else -1
    after = first + len(split.thinking or "") if first >= 0 else 0
    return first, text.find(split.answer, after) if split.answer else -1


def _moved(span: tuple[int, int], by: int) -> tuple[int, int]:
    return span[0] + by, span[1] + by


def marks_of(folder: RunFolder, keys: Collection[str]) -> pd.DataFrame:
    """Return what is found in some of a run's samples; what was looked at before is read from the folder.

    Columns: ``key`` (problem id and repeat), ``error`` and ``error_rule`` (None without an error), ``error_spans``,
    ``patterns`` (a list of pattern, rule and spans) and ``wrong_steps`` (a list of start, end and what would be right)
    as JSON. Samples that failed have no text and no row. Looking takes some ten milliseconds a sample.

    Raises:
        UserError: the run can't be read.
        StorageError: the table can't be written.
    """
    import pandas as pd

    path = folder.path / f"marks-{_fingerprint()}.parquet"
    stored = _stored(path)
    found = scan(folder, {key.rpartition("/")[0] for key in (*keys, *stored)})
    # A sample that was made again has another place; its row of before says nothing of it.
    before = {key: row for key, row in stored.items() if found.done.get(key) == row["place"]}
    missing = {key: start for key, start in found.done.items() if key in keys and key not in before}
    if missing:
        run = load_run(folder)
        family = None if run is None else str(run.settings["model"]["family"])
        if run is not None:
            with suppress(UserError):  # its own task files are gone: no kinds of error, but patterns all the same
                make_tasks_known(run)
        records = read(folder, scanned=replace(found, done=missing, failed={}))
        before |= {record.key: _row(record, family, missing[record.key]) for record in records}
        with replacing(path) as temporary:
            pd.DataFrame(list(before.values()), columns=[*_COLUMNS, "place"]).to_parquet(temporary, index=False)
    rows = [row for key, row in before.items() if key in keys]
    return pd.DataFrame(rows, columns=[*_COLUMNS, "place"]).drop(columns="place")


def _fingerprint() -> str:
    """Return eight hex digits that change whenever the same texts may get other marks."""
    text = json.dumps([TAXONOMY_VERSION, grading_fingerprint(), _COLUMNS])
    return hashlib.sha256(text.encode("ascii")).hexdigest()[:8]


def _stored(path: Path) -> dict[str, dict[str, Any]]:
    """Return the rows that were kept, by key; none where they can't be read."""
    import pandas as pd

    try:
        rows = pd.read_parquet(path).to_dict("records")
        return {str(row["key"]): {str(name): value for name, value in row.items()} for row in rows}
    except (OSError, ValueError, KeyError):  # pyarrow's errors are ValueErrors
        return {}


def _row(record: Record, family: str | None, place: int) -> dict[str, Any]:
    marks = mark(record, family)
    return {
        "key": record.key,
        "error": None if marks.error is None else marks.error.kind.value,
        "error_rule": None if marks.error is None else marks.error.rule,
        "error_spans": json.dumps([] if marks.error is None else marks.error.spans),
        "patterns": json.dumps([[one.pattern.value, one.rule, one.spans] for one in marks.patterns]),
        "wrong_steps": json.dumps([[*step.span, step.truth] for step in marks.wrong_steps]),
        "place": place,
    }
