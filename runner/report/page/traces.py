"""Samples and their texts for the page: every sample's verdict, and the texts of as many as a folder should hold."""

from __future__ import annotations

import json
from bisect import bisect_left
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import bench
from bench.problem import Problem
from runner.config.settings import Scoring
from runner.errors import UserError
from runner.report.page.scripts import write_data
from runner.results.grading import make_tasks_known, problem_of
from runner.results.layout import RunFolder
from runner.results.marks import places
from runner.results.record import Record, sample_key
from runner.results.redundancy import mark_first
from runner.results.run import load_run
from runner.results.store import read, scan
from runner.results.verdict_table import read_verdicts
from runner.tracking.views import choose_keys

if TYPE_CHECKING:
    import pandas as pd

_CHUNK = 20  # texts a file
_LONGEST = 200_000  # characters of a thinking or an answer; the middle of a longer one is left out
_COLUMNS = (
    "problem_id", "task", "repeat", "status", "outcome", "reason", "answer", "gold", "rule", "thinking_state",
    "thinking_tokens", "answer_tokens", "output_tokens", "injected_tokens", "usage_source", "finish_reason",
    "max_tokens", "budget_hit", "latency_s", "failure_kind",
)  # fmt: skip
# Kept as places in a list of their values, since they repeat.
_REPEATING = {
    "task", "status", "outcome", "reason", "rule", "thinking_state", "usage_source", "finish_reason", "failure_kind",
}  # fmt: skip


# What the taxonomies found in a sample, by column name; see :func:`runner.results.marks.marks_of`.
MarkRow = Mapping[Any, Any]


def write_run(
    folder: Path, place: int, path: Path, texts: int, marks: Mapping[str, MarkRow], scoring: Scoring
) -> dict[str, int]:
    """Write one run's samples and texts below ``folder``/data; return how many there are of each.

    Which samples have a text is decided by problem and repeat alone, so that all runs of a study show the same ones
    and any two can stand side by side.

    Args:
        folder: The page's.
        place: The run's place in the study.
        path: The run's folder.
        texts: Most samples with their text.
        marks: By sample, for those that were looked at.
        scoring: Whose verdicts.
    """
    source = RunFolder(path)
    rows = _rows(source, scoring)
    keys = [sample_key(*pair) for pair in zip(rows["problem_id"], rows["repeat"], strict=True)]
    chosen = choose_keys(keys, texts)
    where = {key: number // _CHUNK for number, key in enumerate(chosen)}
    data = folder / "data"
    written = _write_texts(data, place, source, where, marks)
    columns = {name: _coded(rows[name].tolist()) if name in _REPEATING else rows[name].tolist() for name in _COLUMNS}
    found = [marks.get(key) for key in keys]
    columns["error"] = _coded(list(map(_error_column, found, rows["outcome"])))
    columns["pattern"] = [None if row is None else _names(row) for row in found]
    columns["chunk"] = [where.get(key) for key in keys]
    columns["size"] = _coded([_size(facts) for facts in rows["facts"]])
    write_data(data / f"samples-{place}.js", f"samples-{place}", columns)
    return {"samples": len(keys), "texts": written, "marked": sum(key in where for key in marks)}


def _size(facts: str) -> str | None:
    """Return the size of the problem as the page compares it, e.g. the length of a list; None where it has none."""
    size = json.loads(facts).get("size")
    return None if size is None else str(size)


def _error(row: MarkRow) -> str | None:
    """Return the kind of error; a frame of nothing but missing ones holds NaN in its place."""
    return row["error"] if isinstance(row["error"], str) else None


def _error_column(row: MarkRow | None, outcome: str | None) -> str | None:
    """Return the kind of error, and ``none`` of a wrong answer that was looked at and is of no kind."""
    if row is None:
        return None
    return _error(row) or ("none" if outcome in ("incorrect", "unparsed") else None)


def _names(row: MarkRow) -> list[str]:
    return list(dict.fromkeys(name for name, *_ in json.loads(row["patterns"])))


def _rows(source: RunFolder, scoring: Scoring) -> pd.DataFrame:
    frame: pd.DataFrame = read_verdicts(source, scoring, columns=[*_COLUMNS, "facts"]).to_pandas()
    return frame.astype(object).where(frame.notna(), None)


def _coded(values: Sequence[Any]) -> dict[str, list[Any]]:
    """Return values as the list of different ones and each one's place in it; None has none."""
    different = list(dict.fromkeys(value for value in values if value is not None))
    places = {value: number for number, value in enumerate(different)}
    return {"values": different, "places": [places.get(value) for value in values]}


def _write_texts(
    data: Path, place: int, source: RunFolder, where: Mapping[str, int], marks: Mapping[str, MarkRow]
) -> int:
    """Write the chosen texts, a file for every few of them; return how many were found."""
    chunks: dict[int, dict[str, Any]] = {}
    for key, text in _texts(source, where, marks):
        chunks.setdefault(where[key], {})[key] = text
    for number, texts in chunks.items():
        write_data(data / f"texts-{place}-{number}.js", f"texts-{place}-{number}", texts)
    return sum(map(len, chunks.values()))


def _texts(
    source: RunFolder, where: Mapping[str, int], marks: Mapping[str, MarkRow]
) -> Iterator[tuple[str, dict[str, Any]]]:
    run = load_run(source)
    try:
        family = "" if run is None else make_tasks_known(run)
    except UserError:  # its own task files are gone; verdicts and texts are still there
        family = "" if run is None else str(run.settings["model"]["family"])
    found = scan(source, {key.rpartition("/")[0] for key in where})
    kept = replace(
        found,
        done={key: start for key, start in found.done.items() if key in where},
        failed={key: start for key, start in found.failed.items() if key in where},
    )
    for record in read(source, scanned=kept):
        yield record.key, _text(record, family, marks.get(record.key))


def _text(record: Record, family: str, marks: MarkRow | None) -> dict[str, Any]:
    """Return one sample's texts, with the spans in them where it was looked at."""
    try:
        problem = problem_of(record)
    except UserError:
        problem = None
    split = bench.split_thinking(
        record.text, finish_reason=record.finish_reason.value, prompt_tail=record.prompt_tail, family=family or None
    )
    thinking, answer = split.thinking or "", split.answer
    earlier = [{"kind": turn.kind, "text": _cut(turn.text)} for turn in record.turns[:-1]]
    return {
        "question": None if problem is None else problem.question,
        "thinking": _cut(thinking),
        "answer": _cut(answer),
        "turns": earlier if any(turn["kind"] == "tool" for turn in earlier) else [],
        "failure": None if record.failure is None else record.failure.message,
        "derived_from": list(record.derived_from),
        "first": _first(thinking, problem, record.usage.thinking),
        "marks": None if marks is None else _marks(marks, thinking, answer, places(record.text, split)),
    }


def _first(thinking: str, problem: Problem | None, tokens: int) -> list[list[Any]]:
    """Return the span of the first correct answer in a thinking, if it has one, as :func:`_marks` gives spans."""
    found = mark_first(thinking, problem, tokens) if thinking and problem is not None else None
    return [] if found is None else _inside([(*found[:2], "first correct answer", found[2])], thinking, 0)


def _cut(text: str) -> str:
    if len(text) <= _LONGEST:
        return text
    half = _LONGEST // 2
    return f"{text[:half]}\n[… {len(text) - 2 * half:,} characters left out …]\n{text[-half:]}"


def _marks(row: MarkRow, thinking: str, answer: str, begin: tuple[int, int]) -> dict[str, Any]:
    """Return the spans in thinking and answer, each ``[start, end, kind, note]`` in a browser's places, and the error.

    Args:
        row: With spans in the places of the whole text.
        thinking: All thinking.
        answer: What the model shows.
        begin: Where the two begin in the whole text.
    """
    spans = [
        (start, end, "wrong step", f"right would be {truth}") for start, end, truth in json.loads(row["wrong_steps"])
    ]
    spans += [(*span, name, rule) for name, rule, found in json.loads(row["patterns"]) for span in found]
    spans += [(*span, f"error {row['error']}", row["error_rule"]) for span in json.loads(row["error_spans"])]
    return {
        "error": {"kind": row["error"], "rule": row["error_rule"]} if _error(row) else None,
        "thinking": _inside(spans, thinking, begin[0]),
        "answer": _inside(spans, answer, begin[1]),
    }


def _inside(spans: Sequence[tuple[int, int, str, str]], part: str, at: int) -> list[list[Any]]:
    """Return the spans that lie in a part of the text, in places within it; of a part that is cut, its beginning."""
    if at < 0:
        return []
    end = at + (len(part) if len(part) <= _LONGEST else _LONGEST // 2)
    # A browser counts these twice.
    wide = [] if part.isascii() else [place for place, character in enumerate(part) if ord(character) > 0xFFFF]
    return [
        [start - at + bisect_left(wide, start - at), stop - at + bisect_left(wide, stop - at), kind, note]
        for start, stop, kind, note in spans
        if at <= start and stop <= end
    ]
