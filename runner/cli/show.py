"""A run's table, or one stored sample as a reader wants it: prompt, thinking, answer, verdict and the rule."""

from __future__ import annotations

import shlex
from collections.abc import Sequence
from pathlib import Path

from rich.console import Console
from rich.markup import escape

import bench
from bench.problem import Problem, write_gold
from bench.verdict import Outcome
from runner.cli.one_run import matching, run_at
from runner.config.compose import read_stored
from runner.config.settings import HintBudget, PromptSettings, Scoring
from runner.errors import UserError
from runner.report.console import print_line, visible
from runner.report.terminal import show_summary
from runner.results.executions import executed_in
from runner.results.grading import grade_record, make_tasks_known, problem_of
from runner.results.judgements import judged_in
from runner.results.layout import RunFolder
from runner.results.load import runs_of
from runner.results.record import Record
from runner.results.run import Run
from runner.results.store import read
from runner.results.summary import compute_summary
from runner.results.verdict_row import VerdictRow
from runner.sampling.prompting import further, messages_for


def show(path: Path, words: Sequence[str], console: Console) -> None:
    """Print one sample of a run, or the run's table.

    Args:
        path: The run's folder, or a study's.
        words: A part of the run's name, where the folder is that of a study with several, then the sample: a problem
            id with or without ``/repeat``, the beginning of one, or a task's name for its first sample that is not
            right. Without a sample the table is shown.
        console: Where to print.

    Raises:
        UserError: no such run or sample; says what there is.
    """
    part, wanted = _read(path, words)
    folder, run = run_at(path, part, "show", [] if wanted is None else [wanted])
    if wanted is not None:
        _show_sample(folder, run, wanted, console)
        return
    show_summary(compute_summary(folder, Scoring(run.settings.get("scoring", Scoring.PAPER))), folder, console)
    print_line(console, f"a sample: {shlex.join(['python', '-m', 'runner', 'show', str(folder.path), 'TASK-OR-ID'])}")


def _read(path: Path, words: Sequence[str]) -> tuple[str | None, str | None]:
    """Return the part of the run's name and the sample; one word alone is what it fits, a task's name first."""
    if len(words) > 2:
        raise UserError(f"show: {shlex.join(words)} is too much; give RUN SAMPLE, or STUDY PART-OF-A-RUN'S-NAME SAMPLE")
    if len(words) == 2:
        return words[0], words[1]
    if not words:
        return None, None
    in_study = not RunFolder(path).run_json.is_file()
    named = in_study and words[0] not in bench.task_names() and matching(runs_of(path), words[0])
    return (words[0], None) if named else (None, words[0])


def _show_sample(folder: RunFolder, run: Run, wanted: str, console: Console) -> None:
    family = make_tasks_known(run)
    record = _find(folder, wanted, family)
    problem = problem_of(record)
    if problem is None:
        raise UserError(f"{record.key}: its stored data can't be read as a problem of {record.task}: {record.data!r}")
    _print_prompt(folder, run, problem, console)
    _print_calls(record, console)
    thinking = bench.split_thinking(
        record.text, finish_reason=record.finish_reason.value, prompt_tail=record.prompt_tail, family=family
    )
    if thinking.thinking:
        _section(console, f"thinking, {record.usage.thinking} tokens, {thinking.state.value}", thinking.thinking)
    _section(console, f"answer, {record.usage.answer} tokens", thinking.answer)
    _print_verdict(record, _verdict(record, family, folder), problem, console)


def _print_calls(record: Record, console: Console) -> None:
    """Print the turns up to the last result of a tool, a model's text as far as the conversation went on with it."""
    last = max((place for place, turn in enumerate(record.turns) if turn.kind == "tool"), default=-1)
    for turn in record.turns[: last + 1]:
        if turn.kind == "tool":
            named = escape(visible(turn.name)) or "a call that names no tool"
            _section(console, f"call of {named}", "\n".join((turn.arguments or {}).values()))
            _section(console, "result" if turn.ok else f"result: {turn.fault or 'failed'}", turn.text)
            continue
        _section(console, f"{turn.kind} turn", turn.text[: turn.kept])
        if turn.kept is not None:
            _section(console, "cut off behind the call", turn.text[turn.kept :])


def _verdict(record: Record, family: str, folder: RunFolder) -> VerdictRow:
    return grade_record(record, family, judged=judged_in(folder), executed=executed_in(folder))


def _find(folder: RunFolder, wanted: str, family: str) -> Record:
    """Return the first sample that fits, in stored order."""
    tasks, judged, executed = set(), judged_in(folder), executed_in(folder)
    for record in read(folder):
        tasks.add(record.task)
        if record.key == wanted or (record.key.startswith((f"{wanted}:", f"{wanted}/")) and wanted != record.task):
            return record
        if record.task != wanted:
            continue
        if grade_record(record, family, judged=judged, executed=executed)["outcome"] != Outcome.CORRECT:
            return record
    if wanted in tasks:
        raise UserError(f"{folder.path}: every answer to {wanted} is right; give a problem id, e.g. {wanted}:0:0:3")
    raise UserError(
        f"{folder.path}: {wanted!r} begins the name of no run and no sample; give the beginning of a problem id, "
        f"e.g. sum:0:0:3, or a task: {', '.join(sorted(tasks)) or 'none so far'}"
    )


def _print_prompt(folder: RunFolder, run: Run, problem: Problem, console: Console) -> None:
    prompt = read_stored(PromptSettings, run.settings["prompt"], folder.run_json)
    budget, efforts = run.settings["budget"], run.settings["model"].get("efforts") or {}
    hint = read_stored(HintBudget, budget, folder.run_json) if budget.get("kind") == "hint" else None
    said = further(hint, efforts.get(run.settings["effort"]["level"]))
    for message in messages_for(prompt, problem.question, tuple(said)):
        _section(console, message.role, message.content)


def _print_verdict(record: Record, row: VerdictRow, problem: Problem, console: Console) -> None:
    found = f"{row['answer']} (rule {row['rule']})" if row["rule"] else f"nothing read ({row['reason'] or 'no answer'})"
    lines = [
        f"{row['outcome'] or 'error'}: {found}; gold {write_gold(problem.gold)}",
        f"{record.key}: {record.status.value}, ended by {record.finish_reason.value}, "
        f"{record.usage.output} output tokens ({record.usage.source}), "
        f"cap {record.max_tokens}, {record.latency_s:.1f} s",
    ]
    if record.budget_hit is not None:
        lines.append(f"budget={record.budget_kind} {'acted' if record.budget_hit else 'did not act'}")
    if record.derived_from:
        lines.append(f"cut from or continues texts of {', '.join(record.derived_from)}")
    if record.failure is not None:
        lines.append(f"{record.failure.boundary.value} {record.failure.kind}: {record.failure.message}")
    _section(console, "verdict", "\n".join(lines))


def _section(console: Console, title: str, text: str) -> None:
    console.rule(title, align="left")
    print_line(console, visible(text))
