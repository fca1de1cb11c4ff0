"""One stored sample as a reader wants it: prompt, thinking, answer, verdict and the rule."""

from __future__ import annotations

from pathlib import Path

from rich.console import Console

import bench
from bench.problem import Problem, write_gold
from bench.verdict import Outcome
from runner.config.compose import read_stored
from runner.config.settings import PromptSettings
from runner.errors import UserError
from runner.report.console import print_line, visible
from runner.results.grading import grade_record, make_tasks_known, problem_of
from runner.results.layout import RunFolder, find_runs
from runner.results.record import Record
from runner.results.run import Run, load_run
from runner.results.store import read
from runner.results.verdict_row import VerdictRow
from runner.sampling.prompting import messages_for


def show_sample(path: Path, wanted: str, console: Console) -> None:
    """Print one sample of a run.

    Args:
        path: The run's folder, or a study's folder that holds one run alone.
        wanted: A problem id with or without ``/repeat``, the beginning of one, or a task's name for its first
            sample that is not right.
        console: Where to print.

    Raises:
        UserError: no such run or sample; says what there is.
    """
    folder, run = run_at(path)
    family = make_tasks_known(run)
    record = _find(folder, wanted, family)
    problem = problem_of(record)
    if problem is None:
        raise UserError(f"{record.key}: its stored data can't be read as a problem of {record.task}: {record.data!r}")
    _print_prompt(folder, run, problem, console)
    thinking = bench.split_thinking(
        record.text, finish_reason=record.finish_reason.value, prompt_tail=record.prompt_tail, family=family
    )
    if thinking.thinking:
        _section(console, f"thinking, {record.usage.thinking} tokens, {thinking.state.value}", thinking.thinking)
    _section(console, f"answer, {record.usage.answer} tokens", thinking.answer)
    _print_verdict(record, grade_record(record, family), problem, console)


def run_at(path: Path) -> tuple[RunFolder, Run]:
    """Return the run of this folder, or the only one of this study.

    Raises:
        UserError: there is none, or several.
    """
    folder = RunFolder(path)
    if not folder.run_json.is_file():
        runs = find_runs(path)
        if len(runs) != 1:
            names = ", ".join(str(run.path) for run in runs) or "none here"
            raise UserError(f"{path} is no run's folder; runs: {names}")
        folder = runs[0]
    run = load_run(folder)
    if run is None:
        raise UserError(f"{path} holds no run")
    return folder, run


def _find(folder: RunFolder, wanted: str, family: str) -> Record:
    """Return the first sample that fits, in stored order."""
    tasks = set()
    for record in read(folder):
        tasks.add(record.task)
        if record.key == wanted or (record.key.startswith((f"{wanted}:", f"{wanted}/")) and wanted != record.task):
            return record
        if record.task == wanted and grade_record(record, family)["outcome"] != Outcome.CORRECT:
            return record
    raise UserError(
        f"{folder.path} has no sample {wanted!r}, or none of it that is wrong; give the beginning of a problem id, "
        f"e.g. sum:0:0:3, or a task: {', '.join(sorted(tasks)) or 'none so far'}"
    )


def _print_prompt(folder: RunFolder, run: Run, problem: Problem, console: Console) -> None:
    prompt = read_stored(PromptSettings, run.settings["prompt"], folder.run_json)
    for message in messages_for(prompt, problem.question):
        _section(console, message.role, message.content)


def _print_verdict(record: Record, row: VerdictRow, problem: Problem, console: Console) -> None:
    found = f"{row['answer']} (rule {row['rule']})" if row["rule"] else f"nothing read ({row['reason'] or 'no answer'})"
    lines = [
        f"{row['outcome'] or 'error'}: {found}; gold {write_gold(problem.gold)}",
        f"{record.key}: {record.status.value}, ended by {record.finish_reason.value}, "
        f"{record.usage.output} output tokens ({record.usage.source}), "
        f"cap {record.max_tokens}, {record.latency_s:.1f} s",
    ]
    if record.derived_from:
        lines.append(f"cut from or continues texts of {', '.join(record.derived_from)}")
    if record.failure is not None:
        lines.append(f"{record.failure.boundary.value} {record.failure.kind}: {record.failure.message}")
    _section(console, "verdict", "\n".join(lines))


def _section(console: Console, title: str, text: str) -> None:
    console.rule(title, align="left")
    print_line(console, visible(text))
