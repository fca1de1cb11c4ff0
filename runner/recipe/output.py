"""The finished set: a versioned file that a suite loads, and a manifest that says how it came about."""

from __future__ import annotations

import hashlib
import json
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from runner.config.recipe import RecipeSettings
from runner.recipe.candidates import Candidate
from runner.recipe.process import Progress
from runner.results.layout import slug, write_atomic
from runner.results.run import code_revision

SUBSET = "overthinking-general"  # as in the published benchmark, so that the same suite loads both


@dataclass(frozen=True, slots=True)
class Written:
    """Where a set lies.

    Attributes:
        path: JSON lines, a question a line.
        manifest: How it was made.
        version: The beginning of the hash of its content.
        manifest_fields: What the manifest says.
    """

    path: Path
    manifest: Path
    version: str
    manifest_fields: Mapping[str, Any]


def write_set(
    folder: Path, recipe: RecipeSettings, state: Progress, respondents: Mapping[str, str], finished: bool
) -> Written:
    """Write the set and its manifest; the same questions have the same version, other ones never an old file's name.

    Args:
        folder: Where they go.
        recipe: What was asked for.
        state: What came of it.
        respondents: Fingerprint of each who was asked.
        finished: Whether all rounds were finished.

    Raises:
        StorageError: a file can't be written.
    """
    lines = [json.dumps(row(one, recipe), ensure_ascii=True) for one in state.kept]
    data = "".join(f"{line}\n" for line in lines).encode("ascii")
    version = hashlib.sha256(data).hexdigest()[:12]
    path, manifest = folder / f"{slug(recipe.name)}-{version}.jsonl", folder / "manifest.json"
    fields = {
        "name": recipe.name,
        "version": version,
        "file": path.name,
        "quality": recipe.quality,
        "finished": finished,
        "questions": len(state.kept),
        "written": sum(state.written.values()),
        "dropped": _dropped(state),
        "judge": {"answers": state.judged, "like_search": state.judged_like_search},
        "balance": balance(state.kept, recipe),
        "respondents": dict(respondents),
        "code_revision": code_revision(),
        "recipe": recipe.model_dump(mode="json"),
    }
    write_atomic(path, data)
    write_atomic(manifest, json.dumps(fields, indent=1).encode("ascii"))
    return Written(path, manifest, version, fields)


def row(one: Candidate, recipe: RecipeSettings) -> dict[str, Any]:
    """Return a question as a line of the set."""
    about: dict[str, Any] = {"field": one.field, "answer_type": one.answer_type, "quality": recipe.quality}
    if one.options:
        about["options"] = list(one.options)
    gold = one.problem.gold
    return {"id": one.id, "question": one.question, "answer": gold, "metadata": about, "subset": SUBSET}


def balance(kept: Sequence[Candidate], recipe: RecipeSettings) -> dict[str, Any]:
    """Return how many questions there are of each field, type of answer and right letter, and how many cells lack some.

    A set that favours a letter can be guessed.
    """
    cells = Counter((one.field, one.answer_type) for one in kept)
    wanted = [(about, kind) for about in recipe.fields for kind in recipe.generate.types]
    return {
        "by_type": {kind: sum(one.answer_type == kind for one in kept) for kind in recipe.generate.types},
        "by_field": {about: sum(one.field == about for one in kept) for about in recipe.fields},
        "by_letter": {letter: sum(one.answer == letter and bool(one.options) for one in kept) for letter in "ABCD"},
        "cells": len(wanted),
        "full_cells": sum(cells[cell] >= recipe.wanted for cell in wanted),
        "empty_cells": [f"{about}, {kind}" for about, kind in wanted if not cells[about, kind]],
    }


def _dropped(state: Progress) -> dict[str, int]:
    """Return how many candidates were dropped for each reason, most first."""
    reasons: Counter[str] = Counter()
    for (_, reason), count in state.dropped.items():
        reasons[reason] += count
    return dict(sorted(reasons.items(), key=lambda item: (-item[1], item[0])))
