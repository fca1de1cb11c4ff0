"""The traces of a study's runs with their verdicts, for the tables that say where their tokens went."""

from __future__ import annotations

import json
from collections.abc import Collection, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from runner.config.settings import Scoring
from runner.embedding import make_embedder
from runner.report.redundancy_tables import LEVELS, Redundancy, redundancy_tables
from runner.report.tables import TextTable
from runner.report.taxonomy import LOOKED_AT
from runner.results.layout import RunFolder
from runner.results.record import sample_key
from runner.results.redundancy import redundancy_of
from runner.results.run import Run, load_run
from runner.results.verdict_table import read_verdicts
from runner.tracking.views import choose_keys

if TYPE_CHECKING:
    import pandas as pd

    from bench.metrics.redundancy.internal import Embed
    from runner.report.frames import StudyFrames

_VERDICT = (
    "problem_id", "repeat", "task", "status", "outcome", "output_tokens", "thinking_tokens", "latency_s", "facts",
)  # fmt: skip


def samples_of(
    folder: RunFolder,
    run: Run,
    embed: Embed | None,
    scoring: Scoring = Scoring.PAPER,
    keys: Collection[str] | None = None,
    ablation: Sequence[tuple[float, float]] = (),
) -> pd.DataFrame:
    """Return a run's verdicts with what its traces say, a row a sample that did not fail.

    Args:
        folder: The run's folder.
        run: The run.
        embed: Turns sentences into vectors; None leaves the internal redundancy out.
        scoring: Whose verdicts.
        keys: Samples that are looked at; None for all.
        ablation: Further shares of window and stride.

    Raises:
        UserError: the run can't be read.
        StorageError: missing verdicts can't be written.
    """
    import pandas as pd

    found = redundancy_of(folder, run, embed, keys, ablation)
    verdicts = read_verdicts(folder, scoring, columns=list(_VERDICT)).to_pandas()
    keyed = map(sample_key, verdicts["problem_id"], verdicts["repeat"])
    verdicts["key"] = pd.Series(list(keyed), index=verdicts.index, dtype=object)
    facts = pd.DataFrame([json.loads(text) for text in verdicts.pop("facts")], index=verdicts.index)
    for level in LEVELS:
        if level in facts:
            verdicts[level] = facts[level]
    joined: pd.DataFrame = verdicts.merge(found, on="key", how="inner")
    return joined


def study_redundancy(frames: StudyFrames, scoring: Scoring, most: int = LOOKED_AT) -> tuple[TextTable, ...]:
    """Return the tables of a study for its report, of as many samples as the taxonomies look at, by lexical vectors.

    Empty where no sample that was looked at has a first correct answer.

    Raises:
        UserError: a run can't be read.
        StorageError: missing verdicts can't be written.
    """
    share = max(1, most // len(frames.points))
    embedder = make_embedder("lexical")
    samples = {}
    for name, label, path in zip(*(frames.points[column] for column in ("run", "label", "path")), strict=True):
        rows = frames.samples[frames.samples["run"] == name]
        keys = set(choose_keys(map(sample_key, rows["problem_id"], rows["repeat"]), share))
        folder = RunFolder(Path(path))
        run = load_run(folder)
        if run is not None and keys:
            samples[label] = samples_of(folder, run, embedder, scoring, keys)
    if not any(frame["needed"].notna().any() for frame in samples.values()):
        return ()
    return redundancy_tables(Redundancy(samples, embedder.name))
