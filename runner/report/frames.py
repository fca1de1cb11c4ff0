"""A study as the frames that reports are made from: a row a run, a row a run and task, a row a sample."""

from __future__ import annotations

import json
import logging
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from runner.config.settings import Scoring
from runner.errors import StorageError, UserError
from runner.report.study import rank, set_apart
from runner.results.grading import grader_version
from runner.results.judgements import judged_in
from runner.results.layout import RunFolder
from runner.results.load import choices_of, flat_figures, runs_of, scoring_named
from runner.results.run import Run
from runner.results.summary import SummaryRow, figures_of, published_for
from runner.results.verdict_row import VerdictRow
from runner.results.verdict_table import read_verdicts

if TYPE_CHECKING:
    import pandas as pd
    import pyarrow as pa

    from bench.metrics.figures import Figures

# Texts and what follows from the problem alone stay in the verdict tables; the rest are words, numbers and flags.
_LEFT_OUT = {"answer", "latency_s", "grader_version", "scoring"}
_COLUMNS = [name for name in VerdictRow.__annotations__ if name not in _LEFT_OUT]
_WORDS = [name for name, kind in VerdictRow.__annotations__.items() if "str" in str(kind) and name in _COLUMNS]

_SIGNS = ("negative", "zero", "positive")

_log = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class StudyFrames:
    """What a report shows.

    Attributes:
        points: A row a run, in the order of the study's table, index 0, 1, …: see :func:`read_study`.
        tasks: A row a run and task, runs as in ``points``, tasks in listing order.
        samples: A row a sample.
    """

    points: pd.DataFrame
    tasks: pd.DataFrame
    samples: pd.DataFrame


def read_study(path: str | Path, scoring: str = "paper") -> StudyFrames:
    """Read the verdicts of a study; missing ones are made, texts are not read.

    ``points`` has ``run`` (unique here; what the other frames name it by), ``path`` (its folder), ``label`` (unique:
    what sets it apart), what :func:`runner.load` says of a run, ``study``, ``fingerprint``, ``nonce``, ``created``,
    ``updated``, ``family``, ``kind``, ``params_b``, ``model_id``, ``model_revision``, ``weight_bits``,
    ``weight_format``, ``compute_dtype``, ``context`` and ``budget_form`` (what has to be alike for a comparison),
    ``tools``, the columns of :func:`runner.summary` over all tasks, ``parsed`` (share of ``n``), ``truncated_share``,
    ``token_sources``, ``partial``, ``grader_version``, ``scoring``, and ``published_as``, ``published_accuracy``,
    ``published_output_tokens``, ``published_overthinking``, ``published_token_basis`` and ``published_setting``
    (whether the run's prompt, budget and suite are those of the published table). ``overthinking`` is O of the means
    under ``reference`` bounds, ``overthinking_mean`` the mean of the tasks' O; ``overthinking_pool`` and
    ``overthinking_pool_mean`` the same under the study's own bounds, missing below five runs; ``on_front`` whether no
    other run is both more accurate and shorter.

    ``tasks`` has ``run``, ``task``, ``category`` and the figures' columns. ``samples`` has ``run`` and the columns of
    :class:`runner.results.verdict_row.VerdictRow` without ``answer``, ``gold``, ``latency_s``, ``grader_version`` and
    ``scoring``; the problem's facts (``size``, …) stand under their own names, and ``gold_sign`` is ``negative``,
    ``zero`` or ``positive`` where the answer is one number. Words are categories.

    Args:
        path: A study's folder, or that of one run. Copies of a run are treated as by :func:`runner.load`.
        scoring: Whose verdicts.

    Raises:
        UserError: there is no run that can be read, or no such scoring.
    """
    return frames_of(runs_of(Path(path)), scoring_named(scoring))


def frames_of(runs: Sequence[tuple[RunFolder, Run]], scoring: Scoring = Scoring.PAPER) -> StudyFrames:
    """Return the frames of some runs, see :func:`read_study`; one that is empty or can't be read is left out.

    Raises:
        UserError: none of them can be read.
    """
    import pandas as pd

    from bench.metrics.figures import COLUMNS

    ordered = sorted(runs, key=lambda pair: rank(pair[1].settings, pair[1].loaded.engine))
    read = [(pair, table) for pair in ordered if (table := _verdicts(pair[0], scoring)) is not None]
    if not read:
        raise UserError("there is nothing to report of these runs; the lines above say why")
    kept = [pair for pair, _ in read]
    names = _unique([folder.path.name for folder, _ in kept], [str(folder.path) for folder, _ in kept])
    points, tasks = [], []
    for name, label, (pair, table) in zip(names, labels_of(kept), read, strict=True):
        rows, overall = figures_of(table.select(["task", "category", *COLUMNS]).to_pandas())
        points.append({"run": name, "path": str(pair[0].path), "label": label, **_point(pair, table, overall, scoring)})
        tasks += [{"run": name, **_task(row)} for row in rows]
    samples = _samples(names, [table for _, table in read])
    return StudyFrames(_pooled(pd.DataFrame(points), samples), pd.DataFrame(tasks), samples)


def _verdicts(folder: RunFolder, scoring: Scoring) -> pa.Table | None:
    try:
        found = read_verdicts(folder, scoring, columns=_COLUMNS, read_dictionary=_WORDS)
    except (UserError, StorageError) as error:
        _log.warning("%s; the report is made without it", error)
        return None
    if not found.num_rows:
        _log.warning("%s holds no sample yet; the report is made without it", folder.path)
        return None
    return found


def _point(pair: tuple[RunFolder, Run], table: pa.Table, overall: Figures, scoring: Scoring) -> dict[str, Any]:
    folder, run = pair
    chosen = choices_of(folder, run)
    del chosen["run"]
    answers = overall.n or None
    sources = {str(source) for source in table["usage_source"].unique().to_pylist()}
    return {
        **chosen,
        **_identity(run),
        **flat_figures(overall),
        "bounds": "reference",
        "parsed": answers and 1 - overall.unparsed / answers,
        "truncated_share": answers and overall.truncated / answers,
        "token_sources": ", ".join(sorted(sources)),
        "partial": overall.errors + overall.ungraded > 0,
        "grader_version": grader_version(scoring, judged_in(folder)),
        "scoring": scoring.value,
        **_published(run),
    }


def _identity(run: Run) -> dict[str, Any]:
    model, loaded = run.settings["model"], run.loaded
    return {
        "study": run.settings["study"],
        "fingerprint": run.fingerprint,
        "nonce": run.nonce,
        "created": run.created,
        "updated": run.updated,
        "family": model["family"],
        "kind": model.get("kind"),
        "params_b": model.get("params_b"),
        "model_id": model.get("id"),
        "model_revision": loaded.model_revision,
        "context": _context(run),
        "budget_form": _budget_form(run.settings["budget"]),
        "weight_bits": loaded.weight_bits,
        "weight_format": loaded.weight_format,
        "compute_dtype": loaded.compute_dtype,
    }


def _context(run: Run) -> str:
    """Return as text what has to be alike for two runs to differ in one of the study's factors alone."""
    asked = run.settings
    suite = {name: asked["suite"].get(name) for name in ("seed", "split", "low", "high", "sizes", "params")}
    sampling = {name: value for name, value in asked["sampling"].items() if name != "name"}
    return json.dumps([run.loaded.engine, suite, sampling], sort_keys=True)


def _budget_form(budget: Mapping[str, Any]) -> str | None:
    """Return as text how a budget acts, its tokens apart; None without one."""
    form = {name: value for name, value in budget.items() if name not in ("tokens", "reuse")}
    return None if budget["tokens"] is None else json.dumps(form, sort_keys=True)


def _published(run: Run) -> dict[str, Any]:
    row, asked = published_for(run), run.settings
    plain = asked["prompt"]["name"] == "standard" and asked["budget"]["tokens"] is None
    return {
        "published_as": None if row is None else row.name,
        "published_accuracy": None if row is None else row.accuracy,
        "published_output_tokens": None if row is None else row.output_tokens,
        "published_overthinking": None if row is None else row.overthinking,
        "published_token_basis": None if row is None else row.token_basis,
        "published_setting": row is not None and plain and asked["suite"]["name"] == "basic_math",
    }


def _task(row: SummaryRow) -> dict[str, Any]:
    return {"task": row.task, "category": row.category, **flat_figures(row.figures)}


def _samples(names: Sequence[str], tables: Sequence[pa.Table]) -> pd.DataFrame:
    """Return all samples in one frame; words that repeat are kept once over all runs."""
    import numpy as np
    import pandas as pd
    import pyarrow as pa

    whole = pa.concat_tables(tables).unify_dictionaries()
    frame: pd.DataFrame = whole.to_pandas(types_mapper={pa.bool_(): pd.BooleanDtype()}.get)
    codes: Any = np.repeat(np.arange(len(names)), [table.num_rows for table in tables])
    run = pd.Categorical.from_codes(codes, pd.Index(names))
    frame.insert(0, "run", pd.Series(run, index=frame.index))
    facts = frame.pop("facts")
    gold = frame.pop("gold")
    frame["gold_sign"] = pd.Categorical(gold.map(_sign, na_action="ignore"), categories=_SIGNS)
    known = pd.DataFrame([json.loads(text) for text in facts.cat.categories])
    words = [name for name in known if not pd.api.types.is_numeric_dtype(known[name])]
    found = known.astype(dict.fromkeys(words, "category")).take(facts.cat.codes.to_numpy()).set_index(frame.index)
    return pd.concat([frame, found[[name for name in found if name not in frame]]], axis=1)


def _sign(gold: str) -> str | None:
    """Return the sign of an answer as verdicts hold it, None where it is no number."""
    if gold[-1:].isdigit():
        return "negative" if gold.startswith("-") else "zero" if gold == "0" else "positive"
    return None


def _pooled(points: pd.DataFrame, samples: pd.DataFrame) -> pd.DataFrame:
    """Add what depends on all runs of the study."""
    from bench.metrics.grid import grid
    from bench.metrics.pareto import pareto_front
    from bench.metrics.pool import pool_scores

    scores = pool_scores(grid(samples, ["accuracy", "output_tokens"])).scores
    pooled = [scores.get(run, {}).get("pool") for run in points["run"]]
    points["overthinking_pool"] = [None if forms is None else forms.of_means for forms in pooled]
    points["overthinking_pool_mean"] = [None if forms is None else forms.mean for forms in pooled]
    known = points[["accuracy", "output_tokens"]].notna().all(axis=1)
    points["on_front"] = False
    accuracy, tokens = (points.loc[known, name].astype(float) for name in ("accuracy", "output_tokens"))
    points.loc[known, "on_front"] = pareto_front(accuracy, -tokens)
    return points


def labels_of(runs: Sequence[tuple[RunFolder, Run]]) -> list[str]:
    """Return for each run the model and what sets it apart, e.g. ``thinker, budget 512``; unique."""
    apart = set_apart([(run.settings, run.loaded.engine) for _, run in runs])
    texts = [
        ", ".join(value if name == "model" else f"{name} {value}" for name, value in chosen.items()) for chosen in apart
    ]
    return _unique(texts, [f"{text} ({run.fingerprint[:8]})" for text, (_, run) in zip(texts, runs, strict=True)])


def _unique(names: Sequence[str], longer: Sequence[str]) -> list[str]:
    """Return the names, those that recur in their longer form, and numbered where that recurs too."""
    often = Counter(names)
    found = [long if often[name] > 1 else name for name, long in zip(names, longer, strict=True)]
    seen: Counter[str] = Counter()
    for place, name in enumerate(found):
        seen[name] += 1
        found[place] = f"{name} ({seen[name]})" if seen[name] > 1 else name
    return found
