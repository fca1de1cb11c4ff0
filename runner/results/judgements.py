"""What judges said: one JSON object a line of ``judgements.jsonl``, found again by what was judged and by whom.

A judgement is kept by the hash of its content, so the same answer to the same question is judged once in a study,
however many runs gave it; and a verdict can be made from the file at any time without a model.
"""

from __future__ import annotations

import dataclasses
import hashlib
import json
import logging
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal

from pydantic import JsonValue

from bench.problem import Problem, write_gold
from runner.errors import UserError
from runner.results.append import AppendFile, Syncer
from runner.results.layout import RunFolder, find_runs, write_atomic

# answers: equal to the reference or not; errors and patterns: the taxonomies.
Matter = Literal["answers", "errors", "patterns"]

_log = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class Judgement:
    """What one judge said of one content.

    Attributes:
        key: See :func:`judgement_key`.
        judge: Fingerprint of the judge.
        matter: What it was asked.
        said: The verdict: a truth value, the name of a kind of error, a list of patterns; None where the reply's last
            line is not one of those asked for.
        reply: The whole reply, thinking included.
        finish_reason: Why the reply ended.
        sample: Key of the first sample that it was asked for.
    """

    key: str
    judge: str
    matter: Matter
    said: JsonValue
    reply: str
    finish_reason: str
    sample: str


def judgement_key(judge: str, matter: Matter, *content: str) -> str:
    """Return 32 hex digits for what is judged, and by whom."""
    text = json.dumps([judge, matter, *content], ensure_ascii=True)
    return hashlib.sha256(text.encode("ascii")).hexdigest()[:32]


def answer_content(problem: Problem, answer: str) -> tuple[str, ...]:
    """Return what a judgement on an answer depends on: question, reference and visible answer, nothing else."""
    return problem.question, write_gold(problem.gold), answer


def answer_key(judge: str, problem: Problem, answer: str) -> str:
    """Return the key of a judge's judgement on an answer."""
    return judgement_key(judge, "answers", *answer_content(problem, answer))


class JudgementFile:
    """The writing end of a run's judgements, as a context manager; whoever opens it holds the run's lock.

    Raises:
        StorageError: on entry and from :meth:`append`, the file can't be written.
    """

    def __init__(self, folder: RunFolder) -> None:
        self._path = folder.judgements

    def __enter__(self) -> JudgementFile:
        self._file = AppendFile(self._path)
        self._file.cut_torn()
        self._syncer = Syncer((self._file,))
        return self

    def __exit__(self, *error: object) -> None:
        try:
            self._syncer.close()
        finally:
            self._file.close()

    def append(self, judgement: Judgement) -> None:
        """Store a judgement; a killed process keeps it from here on."""
        line = json.dumps(dataclasses.asdict(judgement), ensure_ascii=True, allow_nan=False)
        self._file.append(line.encode("ascii") + b"\n")
        self._syncer.written()


def read_judgements(folder: RunFolder) -> Iterator[Judgement]:
    """Yield a run's judgements in their order; a line that is none is passed over with a warning."""
    return (judgement for _, judgement in _placed(folder))


def _placed(folder: RunFolder) -> Iterator[tuple[int, Judgement]]:
    """Yield the judgements with the byte at which each line starts."""
    try:
        file = folder.judgements.open("rb")
    except FileNotFoundError:
        return
    with file:
        end = 0
        for line in file:
            start, end = end, end + len(line)
            try:
                yield start, _judgement(json.loads(line))
            except (ValueError, TypeError, RecursionError):
                if line.endswith(b"\n"):  # else it is being written
                    _log.warning("%s: a line is no judgement; it is passed over", folder.judgements)


def _judgement(fields: Any) -> Judgement:
    found = Judgement(**fields)
    texts = (found.key, found.judge, found.matter, found.reply, found.finish_reason, found.sample)
    if not all(isinstance(text, str) for text in texts):
        raise ValueError("not a judgement")
    return found


def known_in(study: Path, judge: str) -> dict[str, tuple[RunFolder, int]]:
    """Return where a judge's judgements stand in any run of a study, by key; the replies stay on the disk."""
    return {
        one.key: (folder, start) for folder in find_runs(study) for start, one in _placed(folder) if one.judge == judge
    }


def judgement_at(folder: RunFolder, start: int) -> Judgement:
    """Return the judgement whose line starts at this byte; the file only grows."""
    with folder.judgements.open("rb") as file:
        file.seek(start)
        return _judgement(json.loads(file.readline()))


@dataclass(frozen=True, slots=True)
class Judged:
    """What the judge that decides in a run said of answers.

    Attributes:
        judge: Its fingerprint.
        name: What people call it, e.g. ``qwen3_8b on vllm``.
        said: Verdict by key; None for a reply without a verdict.
        length: Bytes of the file that was read.
    """

    judge: str
    name: str
    said: Mapping[str, bool | None]
    length: int

    def on(self, problem: Problem, answer: str) -> tuple[bool, bool | None]:
        """Return whether the judge was asked about an answer, and its verdict."""
        key = answer_key(self.judge, problem, answer)
        return key in self.said, self.said.get(key)


def judged_in(folder: RunFolder) -> Judged | None:
    """Return what the judge of a run said so far; None where nobody decides.

    Raises:
        UserError: ``judge.json`` can't be read.
    """
    chosen = chosen_judge(folder)
    if chosen is None:
        return None
    judge, name = chosen
    length = folder.judgements.stat().st_size if folder.judgements.exists() else 0
    return Judged(judge, name, verdicts_of(judge, read_judgements(folder)), length)


def verdicts_of(judge: str, judgements: Iterable[Judgement]) -> dict[str, bool | None]:
    """Return a judge's verdicts on answers by key."""
    mine = (one for one in judgements if one.judge == judge and one.matter == "answers")
    return {one.key: one.said if isinstance(one.said, bool) else None for one in mine}


def chosen_judge(folder: RunFolder) -> tuple[str, str] | None:
    """Return fingerprint and name of the judge that decides in a run, None where nobody does.

    Raises:
        UserError: the file can't be read.
    """
    try:
        fields = json.loads(folder.judge.read_bytes())
        return str(fields["judge"]), str(fields["name"])
    except FileNotFoundError:
        return None
    except (OSError, ValueError, TypeError, KeyError) as error:
        raise UserError(f"{folder.judge} can't be read ({error}); choose the judge again: runner judge") from error


def choose_judge(folder: RunFolder, judge: str, name: str, settings: Mapping[str, Any]) -> None:
    """Let a judge decide in a run from now on; what others said stays stored.

    Raises:
        StorageError: the file can't be written.
    """
    text = json.dumps({"judge": judge, "name": name, "settings": settings}, indent=1, allow_nan=False)
    write_atomic(folder.judge, text.encode("ascii"))
