"""A user's task file may be wrong or change: no sample is lost, and no verdict outlives what it follows from."""

from __future__ import annotations

import json
import subprocess
import sys
from dataclasses import replace
from pathlib import Path
from typing import Any

from made_records import made, made_run

from bench.problem import data_digest
from runner.results.layout import RunFolder
from runner.results.record import Record, RecordStatus

TASK = """
from dataclasses import dataclass
from bench.problem import AnswerKind
from bench.task import Task

FACTOR = 2

@dataclass(frozen=True)
class Share(Task):
    name = "share"
    category = "arithmetic"
    answer_kind = AnswerKind.INTEGER

    def draw(self, seed, position):
        return position

    def read_data(self, data):
        return {"a": 1, "b": 2, "zero": 0}[data] if isinstance(data, str) else int(str(data))

    def question(self, data):
        return "Share it."

    def gold(self, data):
        return FACTOR * (12 // data)
"""

# A process of its own, as each command is: tasks stay known until a process ends.
GRADE = """
import json, sys
from pathlib import Path
import pyarrow.parquet as pq
from bench.problem import data_digest
from runner.results.layout import RunFolder
from runner.results.store import read
from runner.results.summary import summarise
from runner.results.verdict_table import LiveTable, grade_run

folder = RunFolder(Path(sys.argv[1]))
path = grade_run(folder)
live = LiveTable(folder, "thinker")
found = {
    "stored": [[row["outcome"], row["reason"], row["category"]] for row in pq.read_table(path).to_pylist()],
    "live": [[row["outcome"], row["reason"], row["category"]] for row in map(live.grade, read(folder))],
    "partial": summarise(folder).partial,
    "table": path.stat().st_ino,
}
print(json.dumps(found))
"""


def shared(data: Any, text: str = r"\boxed{24}", **changes: Any) -> Record:
    record = replace(made(0, text), problem_id=f"share:data:{data_digest('share', 1, data)}", task="share", data=data)
    return replace(record, **changes)


def graded(folder: RunFolder) -> tuple[dict[str, Any], list[str]]:
    done = subprocess.run([sys.executable, "-c", GRADE, folder.path], capture_output=True, text=True, check=True)
    return json.loads(done.stdout), done.stderr.splitlines()


def own_task(tmp_path: Path, text: str = TASK) -> Path:
    folder = tmp_path / "tasks"
    folder.mkdir(exist_ok=True)
    (folder / "share.py").write_text(text)
    return folder


def test_a_fault_of_a_task_costs_no_sample(tmp_path: Path) -> None:
    failed = shared("unheard-of", status=RecordStatus.ERROR, repeat=1)
    records = shared("a"), shared("zero"), shared("unheard-of"), shared(None), failed
    found, logged = graded(made_run(tmp_path / "run", *records, task_folder=own_task(tmp_path)))
    assert found["stored"] == [
        ["correct", None, "arithmetic"],
        ["ungraded", "grader_failed", "arithmetic"],  # gold divides by zero
        ["ungraded", "grader_failed", "arithmetic"],  # read_data finds no such key
        ["ungraded", "unreadable_data", "arithmetic"],  # read_data says that it is none
        [None, None, "arithmetic"],
    ]
    assert found["live"] == found["stored"]
    assert found["partial"]
    assert len(logged) == 1
    assert "ZeroDivisionError" in logged[0]


def test_a_changed_task_file_gets_new_verdicts(tmp_path: Path) -> None:
    folder = made_run(tmp_path / "run", shared("a"), task_folder=own_task(tmp_path))
    first, _ = graded(folder)
    again, _ = graded(folder)
    assert again == first
    own_task(tmp_path, TASK.replace("FACTOR = 2", "FACTOR = 2 + 1"))
    changed, _ = graded(folder)
    assert [first["stored"][0][0], changed["stored"][0][0]] == ["correct", "incorrect"]


def test_verdicts_can_be_read_where_the_task_files_are_missing(tmp_path: Path) -> None:
    folder = made_run(tmp_path / "run", shared("a"), task_folder=own_task(tmp_path))
    graded(folder)
    (tmp_path / "tasks").rename(tmp_path / "moved")
    code = "import sys, runner; print(*runner.load(sys.argv[1])['outcome'])"
    command = [sys.executable, "-c", code, folder.path]
    assert subprocess.run(command, capture_output=True, text=True, check=True).stdout == "correct\n"
