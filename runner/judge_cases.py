"""What a judge is shown: an answer, a wrong response or a trace of a stored sample, and how its reply is read."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace

from pydantic import JsonValue

import bench
from bench.judge import DIFFERENT, EQUAL, JUDGE_WORDING, judge_messages, read_judgement
from bench.problem import Problem, write_gold
from bench.taxonomy import ErrorKind, Pattern
from bench.taxonomy.judge import TAXONOMY_WORDING, error_messages, pattern_messages, read_error, read_patterns
from bench.thinking import Thinking
from runner.results.grading import judged_answer, problem_of
from runner.results.judgements import Matter, answer_content
from runner.results.layout import RunFolder
from runner.results.record import Record
from runner.results.store import read, scan

# Raised with the words in which a judge is asked; its fingerprint holds them.
WORDINGS: dict[Matter, str] = {
    "answers": f"answers {JUDGE_WORDING}",
    "errors": f"errors {TAXONOMY_WORDING}",
    "patterns": f"patterns {TAXONOMY_WORDING}",
}


@dataclass(frozen=True, slots=True)
class Case:
    """One thing to judge.

    Attributes:
        sample: Key of the sample.
        matter: What is asked about it.
        content: What the judgement depends on beside the judge: the same content is judged once.
        messages: The chat that asks.
        script: What the scripted engine says if it is right, and if it is wrong; it knows what the rules say.
    """

    sample: str
    matter: Matter
    content: tuple[str, ...]
    messages: tuple[dict[str, str], ...]
    script: tuple[str, str]


def read_reply(matter: Matter, reply: str) -> JsonValue:
    """Return what a reply says: a truth value, a kind of error, a list of patterns; None where its last line doesn't.

    Args:
        matter: What was asked.
        reply: The visible text of the reply.
    """
    if matter == "answers":
        return read_judgement(reply)
    if matter == "errors":
        kind = read_error(reply)
        return None if kind is None else kind.value
    patterns = read_patterns(reply)
    return None if patterns is None else [name.value for name in sorted(patterns)]


def answer_case(record: Record, family: str | None) -> Case | None:
    """Return the question whether a sample's answer equals the reference, None where it has no answer."""
    problem, answer = answer_of(record, family)
    if problem is None or not answer:
        return None
    same = _boxed(answer).casefold() == write_gold(problem.gold).strip().casefold()
    script = (EQUAL, DIFFERENT) if same else (DIFFERENT, EQUAL)
    messages = tuple(judge_messages(problem, answer))
    return Case(record.key, "answers", answer_content(problem, answer), messages, script)


def answer_of(record: Record, family: str | None) -> tuple[Problem | None, str]:
    """Return a sample's problem, None if it can't be made again or the sample failed, and what a judge is shown."""
    problem = problem_of(record)
    if problem is None or record.failure is not None:
        return None, ""
    return problem, judged_answer(_split(record, family).answer)


def error_case(record: Record, found: str | None) -> Case | None:
    """Return the question which kind of error a wrong response made; ``found`` is what the rules say."""
    problem = problem_of(record)
    if problem is None or record.failure is not None:
        return None
    others = [kind.value for kind in ErrorKind if kind.value != found]
    script = (f"ERROR: {found or others[0]}", f"ERROR: {others[-1]}")
    content = (problem.question, write_gold(problem.gold), record.text)
    return Case(record.key, "errors", content, tuple(error_messages(problem, record.text)), script)


def pattern_case(record: Record, family: str | None, found: Iterable[str]) -> Case | None:
    """Return the question which patterns a trace shows; ``found`` are those that the rules say."""
    split = _split(record, family)
    trace = split.thinking or split.answer
    if record.failure is not None or not trace.strip():
        return None
    names = set(found)
    others = [pattern.value for pattern in Pattern if pattern.value not in names]
    right, wrong = (f"PATTERNS: {', '.join(sorted(some)) or 'none'}" for some in (names, others))
    return Case(record.key, "patterns", (trace,), tuple(pattern_messages(trace)), (right, wrong))


def pattern_names(found: str) -> set[str]:
    """Return the names of the patterns in a cell of :func:`runner.results.marks.marks_of`."""
    return {str(name) for name, *_ in json.loads(found)}


def records_of(folder: RunFolder, keys: set[str]) -> Iterator[Record]:
    """Yield some samples of a run that are no errors, in stored order."""
    if not keys:
        return
    found = scan(folder, {key.rpartition("/")[0] for key in keys})
    chosen = {key: start for key, start in found.done.items() if key in keys}
    yield from read(folder, scanned=replace(found, done=chosen, failed={}))


def _split(record: Record, family: str | None) -> Thinking:
    end = record.finish_reason.value
    return bench.split_thinking(record.text, finish_reason=end, prompt_tail=record.prompt_tail, family=family)


def _boxed(answer: str) -> str:
    """Return what stands in the last box of an answer, all of it without one; for the scripted judge alone."""
    start = answer.rfind("\\boxed{")
    return answer if start < 0 else answer[start + len("\\boxed{") :].rpartition("}")[0].strip()
