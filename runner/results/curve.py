"""The accuracy-budget curve of a finished run: what it would have found under smaller caps, by cutting its ids."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

from runner.config.settings import Scoring
from runner.engines.writing import Rendered, Writer
from runner.errors import UserError
from runner.results.grading import grade_record
from runner.results.record import Record, RecordStatus
from runner.sampling.generation import FinishReason, Generation
from runner.sampling.request import Request
from runner.sampling.sample import turn_of

if TYPE_CHECKING:
    from bench.metrics.figures import Figures


@dataclass(frozen=True, slots=True)
class Answered:
    """A stored sample, its ids with it, and the request that it answered without its cap."""

    record: Record
    request: Request


@dataclass(frozen=True, slots=True)
class CurvePoint:
    """What a run would have found under a cap.

    Attributes:
        cap: Most output tokens.
        figures: Means over the tasks.
    """

    cap: int
    figures: Figures


def curve(
    samples: Iterable[Answered], writer: Writer, caps: Sequence[int], family: str, scoring: Scoring = Scoring.PAPER
) -> list[CurvePoint]:
    """Return a point for every cap, in their order; reads the samples once.

    Args:
        samples: All of one run.
        writer: Of the run's model.
        caps: In output tokens, 1 or more each.
        family: The model's family.
        scoring: Who decides.

    Raises:
        UserError: a sample can't be cut, see :func:`cut`.
    """
    rows: dict[int, list[dict[str, Any]]] = {cap: [] for cap in caps}
    for sample in samples:
        for cap, record in zip(caps, cut(sample, writer, caps), strict=True):
            rows[cap].append(dict(grade_record(record, family, scoring)))
    return [CurvePoint(cap, _figures(rows[cap])) for cap in caps]


def cut(sample: Answered, writer: Writer, caps: Sequence[int]) -> list[Record]:
    """Return the record that a run with each cap would have stored; it took no time, and a failure stays one.

    Raises:
        UserError: the text was not generated in one piece, has no ids, or was itself cut below a cap; or its prompt
            can't be rendered as it was.
    """
    record = sample.record
    if record.status is RecordStatus.ERROR:
        return [record for _ in caps]
    ids = _ids(record)
    rendered = writer.render(replace(sample.request, max_tokens=None))
    if isinstance(rendered, Generation) or rendered.prompt_sha256 != record.prompt_sha256:
        raise UserError(f"{record.key}: its prompt is not rendered as it was; read the run with what made it")
    return [_shortened(sample, writer, rendered, ids, cap) for cap in caps]


def _ids(record: Record) -> tuple[int, ...]:
    """Return all ids that the model wrote."""
    ids: list[int] = []
    for turn in record.turns:
        if turn.kind != "model":
            raise UserError(
                f"{record.key} holds {turn.kind} text, so a shorter one is not its beginning; "
                "a curve needs a run with budget=total and without tools"
            )
        if turn.token_ids is None:
            raise UserError(f"{record.key} has no token ids, so it can't be cut")
        ids += turn.token_ids
    return tuple(ids)


def _shortened(sample: Answered, writer: Writer, rendered: Rendered, ids: tuple[int, ...], cap: int) -> Record:
    record, cap = sample.record, min(cap, rendered.max_new_tokens)
    complete = len(ids) <= cap and record.status is not RecordStatus.TRUNCATED
    if len(ids) < cap and not complete:
        raise UserError(f"{record.key} was cut after {len(ids)} tokens, so nothing is known of a cap of {cap}")
    reason = record.finish_reason if complete else FinishReason.LENGTH
    capped = replace(rendered, max_new_tokens=cap)
    generation = writer.generation(sample.request, capped, ids[:cap], reason, 0.0)
    return replace(
        record,
        status=record.status if complete else RecordStatus.TRUNCATED,
        finish_reason=reason,
        turns=(turn_of(generation),),
        usage=generation.usage if len(ids) <= cap else replace(generation.usage, source="derived"),
        max_tokens=cap,
        latency_s=0.0,
    )


def _figures(rows: Sequence[dict[str, Any]]) -> Figures:
    import pandas as pd

    from bench.metrics.figures import COLUMNS, overall_figures, task_figures
    from bench.metrics.overthinking import REFERENCE

    frame = pd.DataFrame(rows, columns=["task", *COLUMNS])
    tasks = [task_figures(str(task), samples, REFERENCE) for task, samples in frame.groupby("task")]
    return overall_figures(tasks, REFERENCE)
