"""Records for the tests of this folder, made without an engine."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import bench
from runner.engines.base import LoadedModel
from runner.results.layout import RunFolder
from runner.results.record import Record, RecordStatus, Turn
from runner.results.run import open_run
from runner.results.store import GenerationStore
from runner.sampling.generation import Boundary, Failure, FinishReason, Usage

_ENDS = {
    RecordStatus.OK: FinishReason.STOP,
    RecordStatus.TRUNCATED: FinishReason.LENGTH,
    RecordStatus.REFUSED: FinishReason.REFUSED,
    RecordStatus.ERROR: FinishReason.ERROR,
}


def made(
    index: int = 0,
    text: str | None = None,
    *,
    task: str = "sum",
    repeat: int = 0,
    status: RecordStatus = RecordStatus.OK,
    turns: tuple[Turn, ...] | None = None,
    **usage: Any,
) -> Record:
    """Return a record of a real problem; without a text it is answered right."""
    problem = bench.make_task(task).problem(seed=0, fold=0, index=index)
    gold = list(problem.gold) if isinstance(problem.gold, tuple) else problem.gold
    text = rf"The answer is \boxed{{{gold}}}." if text is None else text
    failed = status is RecordStatus.ERROR
    return Record(
        problem_id=problem.id,
        task=task,
        fold=0,
        index=index,
        repeat=repeat,
        data=list(problem.data),
        status=status,
        finish_reason=_ENDS[status],
        turns=turns if turns is not None else (Turn("model", "" if failed else text),),
        usage=Usage(**{"prompt": 40, "answer": 10, "output": 10, **usage}),
        max_tokens=512,
        prompt_sha256="0" * 64,
        prompt_tail="assistant\n",
        started_s=1.7e9,
        latency_s=0.25,
        code_revision="abc",
        failure=Failure(Boundary.ENGINE, "engine_died", "gone") if failed else None,
    )


LOADED = LoadedModel("scripted", "none", 32, "dense", "float32", "cpu", 8192, {})


def made_run(
    path: Path, *records: Record, fingerprint: str = "a" * 16, task_folder: Path | None = None, **model: Any
) -> RunFolder:
    """Return the folder of a run that holds these samples."""
    folder = RunFolder(path)
    settings = {
        "study": "made",
        "model": {"name": "thinker", "family": "thinker", "published_as": None, **model},
        "precision": {"name": "auto"},
        "prompt": {"name": "standard"},
        "budget": {"tokens": 512},
        "effort": {"level": "default"},
        "sampling": {"name": "benchmark", "temperature": 0.1, "top_p": 0.9, "seed": 7},
        "suite": {"name": "basic_math", "seed": 3, "task_folder": None if task_folder is None else str(task_folder)},
    }
    with GenerationStore(folder) as store:
        open_run(folder, settings, fingerprint, LOADED, "python -m runner")
        for record in records:
            store.append(record)
    return folder
