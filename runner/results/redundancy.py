"""How much of a run's traces was needed: a row a sample, from the stored texts and token ids."""

from __future__ import annotations

from collections.abc import Callable, Collection, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import bench
from bench.problem import Problem
from bench.redundancy import look_at, sentences, visible_trace
from bench.redundancy.answer_form import answer_form, is_ambiguous
from bench.redundancy.tokens import TokensBefore, by_characters, by_decoding
from bench.redundancy.trace import first_correct
from bench.thinking import Thinking
from runner.config.api import ApiSettings
from runner.config.compose import read_stored
from runner.config.prices import Price, price_of
from runner.config.settings import Settings
from runner.engines.factory import make_writer
from runner.errors import UserError
from runner.results.grading import make_tasks_known, problem_of
from runner.results.layout import RunFolder
from runner.results.marks import places
from runner.results.record import Record, Turn
from runner.results.run import Run
from runner.results.store import read, scan

if TYPE_CHECKING:
    import pandas as pd

    from bench.metrics.redundancy.internal import Embed

Decode = Callable[[Sequence[int]], str]


@dataclass(frozen=True, slots=True)
class _Found:
    """A trace in a record's text.

    Attributes:
        text: The thinking, or the visible answer before its terminal statement.
        start: Where it begins in the record's text; -1 where it is not one piece of it.
        source: ``thinking``, ``visible`` or ``hidden``, where a provider keeps the thinking.
        tokens: Tokens of it by the record's own count; an estimate for a visible trace.
    """

    text: str
    start: int
    source: str
    tokens: int


def decoder_of(settings: Settings, run: Run) -> Decode | None:
    """Return what turns a run's token ids into text, None where its tokenizer is not to be had here."""
    try:
        return make_writer(settings, run.loaded).decode
    except UserError:
        return None


def _price(settings: Settings) -> Price | None:
    return price_of(settings.model, settings.engine) if isinstance(settings.engine, ApiSettings) else None


def redundancy_of(
    folder: RunFolder,
    run: Run,
    embed: Embed | None = None,
    keys: Collection[str] | None = None,
    ablation: Sequence[tuple[float, float]] = (),
) -> pd.DataFrame:
    """Return a row a sample that did not fail, memory for one text at a time.

    Columns: ``key``, ``source`` (``thinking``, ``visible`` for a response without, ``hidden``), ``basis`` (``ids``:
    counted on stored ids; ``characters``: the trace's tokens spread over its characters), ``trace_tokens``,
    ``sentences``, ``needed`` (tokens up to the first correct answer), ``external`` (those after it), ``erd``,
    ``needed_share``, ``missing`` (why there is none), ``ambiguous``, ``needed_sentences``, ``short`` (below 20 of
    them), ``ird``, ``switches``, ``reflections``, ``dollars`` (None without a price), and ``ird α β`` for every pair of
    the ablation.

    Args:
        folder: The run's folder.
        run: The run.
        embed: Turns sentences into vectors; without it there is no ``ird``.
        keys: Samples that are looked at; None for all.
        ablation: Further shares of window and stride.

    Raises:
        UserError: the run can't be read.
    """
    import pandas as pd

    family = str(run.settings["model"]["family"])
    with suppress(UserError):  # its own task files are gone: their samples have no gold
        make_tasks_known(run)
    settings = read_stored(Settings, run.settings, folder.run_json)
    decode, price = decoder_of(settings, run), _price(settings)
    found = scan(folder)
    done = found.done if keys is None else {key: start for key, start in found.done.items() if key in keys}
    records = read(folder, with_ids=decode is not None, scanned=replace(found, done=done, failed={}))
    rows = [
        {**_row(record, family, decode, embed, ablation), "dollars": price and price.cost(record.usage)}
        for record in records
    ]
    return pd.DataFrame(rows, columns=_columns(ablation))


def _columns(ablation: Sequence[tuple[float, float]]) -> list[str]:
    first = (
        "key source basis trace_tokens sentences needed external erd needed_share missing ambiguous needed_sentences "
        "short ird switches reflections dollars"
    )
    return [*first.split(), *(f"ird {alpha:g} {beta:g}" for alpha, beta in ablation)]


def _row(
    record: Record, family: str, decode: Decode | None, embed: Embed | None, ablation: Sequence[tuple[float, float]]
) -> dict[str, Any]:
    split = bench.split_thinking(
        record.text, finish_reason=record.finish_reason.value, prompt_tail=record.prompt_tail, family=family
    )
    found = _trace_in(record, split)
    problem = _problem(record)
    row: dict[str, Any] = {"key": record.key, "source": found.source, "trace_tokens": found.tokens}
    if problem is None or found.source == "hidden":
        return {**row, "missing": "hidden" if problem is not None else "no_problem"}
    exact = None if decode is None else _on_ids(record, found, decode)
    seen = look_at(found.text, problem, exact or by_characters(found.tokens, len(found.text)))
    row |= {
        "basis": "characters" if exact is None else "ids",
        "trace_tokens": seen.total,
        "sentences": seen.sentences,
        "needed": seen.needed,
        "external": seen.external,
        "erd": seen.erd,
        "needed_share": None if seen.erd is None else 1 - seen.erd,
        "missing": seen.missing,
        "ambiguous": seen.ambiguous,
        "switches": seen.switches,
        "reflections": seen.reflections,
    }
    if seen.first is not None:
        row |= _internal(sentences(found.text[: seen.first.end]), embed, ablation)
    return row


def _internal(parts: Sequence[str], embed: Embed | None, ablation: Sequence[tuple[float, float]]) -> dict[str, Any]:
    from bench.metrics.redundancy.internal import SHORT, ird

    row: dict[str, Any] = {"needed_sentences": len(parts), "short": len(parts) < SHORT}
    if embed is None or len(parts) < 2:
        return row
    vectors = embed(list(parts))
    row["ird"] = ird(vectors)
    return row | {f"ird {alpha:g} {beta:g}": ird(vectors, alpha, beta) for alpha, beta in ablation}


def _problem(record: Record) -> Problem | None:
    try:
        return problem_of(record)
    except UserError:  # its task is unknown here
        return None


def _trace_in(record: Record, split: Thinking) -> _Found:
    usage = record.usage
    if split.thinking:
        return _Found(split.thinking, places(record.text, split)[0], "thinking", usage.thinking)
    if usage.thinking > 0:
        return _Found("", -1, "hidden", usage.thinking)
    trace = visible_trace(split.answer)
    share = len(trace) / len(split.answer) if split.answer else 0.0
    return _Found(trace, record.text.find(trace), "visible", round(usage.answer * share))


def _on_ids(record: Record, found: _Found, decode: Decode) -> TokensBefore | None:
    """Return a counter over the stored ids of the final message, None where they are not all there."""
    said: list[Turn] = []
    for turn in reversed(record.turns):
        if turn.kind == "tool":
            break
        said.insert(0, turn)
    if found.start < 0 or any(turn.kind == "model" and turn.token_ids is None for turn in said):
        return None
    before = tokens_in(said, decode)
    first = before(found.start)
    return lambda place: before(found.start + place) - first


def tokens_in(turns: Sequence[Turn], decode: Decode) -> TokensBefore:
    """Return a counter of the model's own tokens over the joined text of some turns; forced text has none."""
    pieces: list[tuple[int, int, TokensBefore]] = []  # where a turn of the model begins and ends, and its counter
    at = 0
    for turn in turns:
        if turn.token_ids is not None:
            pieces.append((at, at + len(turn.text), by_decoding(turn.token_ids, decode, len(turn.text))))
        at += len(turn.text)

    def before(place: int) -> int:
        return sum(counter(min(place, end) - begin) for begin, end, counter in pieces if place > begin)

    return before


def mark_first(thinking: str, problem: Problem, tokens: int) -> tuple[int, int, str] | None:
    """Return where the first correct answer stands in a thinking, for who shows it: start, end and a note.

    Args:
        thinking: All of it.
        problem: What was asked.
        tokens: Of the thinking; spread over its characters, so the note says about how many come later.
    """
    form = answer_form(problem)
    first = None if form is None else first_correct(thinking, form)
    if first is None:
        return None
    later = tokens - by_characters(tokens, len(thinking))(first.end)
    chance = "; an answer so short may be met by chance" if is_ambiguous(problem) else ""
    return first.start, first.end, f"about {later:,} of {tokens:,} tokens come after it{chance}"
