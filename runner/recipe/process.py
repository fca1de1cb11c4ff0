"""The recipe itself, in rounds: write one question a cell that is not full, drop doubles, check each k times.

A round ends before the next begins, and what is kept follows from the replies in the order of cells, never from which
reply came first. So the same replies give the same set, however often the work was broken off.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field

from bench.judge import DIFFERENT, EQUAL, judge_messages, read_judgement
from runner.config.recipe import AnswerType, RecipeSettings
from runner.embedding import Embedder
from runner.recipe.candidates import Candidate, Unusable, read_candidate
from runner.recipe.panel import Panel, Question
from runner.recipe.replies import Reply, Role

Cell = tuple[str, AnswerType]


@dataclass(slots=True)
class Progress:
    """What became of the candidates so far.

    Attributes:
        kept: Questions on whose answer all agree, in the order in which they were written.
        dropped: Number of candidates that were dropped, by cell and reason.
        written: Candidates whose reply is there, by cell.
        judged: Answers that the judge was shown.
        judged_like_search: Those of them of which it said what a search for the reference in the answer says.
    """

    kept: list[Candidate] = field(default_factory=list)
    dropped: Counter[tuple[Cell, str]] = field(default_factory=Counter)
    written: Counter[Cell] = field(default_factory=Counter)
    judged: int = 0
    judged_like_search: int = 0

    def of(self, cell: Cell) -> int:
        """Return how many questions of a cell are kept."""
        return sum((one.field, one.answer_type) == cell for one in self.kept)


class Recipe:
    """Makes the set.

    Args:
        settings: The recipe.
        panel: Who is asked.
        embed: Compares questions.
        progress: Called after each reply that is new, with what is being done.
    """

    def __init__(
        self, settings: RecipeSettings, panel: Panel, embed: Embedder, progress: Callable[[str], None]
    ) -> None:
        self._settings = settings
        self._panel = panel
        self._embed = embed
        self._progress = progress
        self._seen: dict[str, list[str]] = {}  # usable questions so far, kept or not, by field
        self._words: set[str] = set()  # the same in words alone
        self.state = Progress()

    @property
    def cells(self) -> list[Cell]:
        """All pairs of a field and a type of answer."""
        return [(about, kind) for about in self._settings.fields for kind in self._settings.generate.types]

    def run(self) -> bool:
        """Make the set as far as the replies go; return whether every round was finished.

        Raises:
            EngineDied: an engine died too often; replies are kept.
            StorageError: replies can't be written.
        """
        for number in range(self._settings.candidates):
            open_cells = [cell for cell in self.cells if self.state.of(cell) < self._settings.wanted]
            if not open_cells:
                return True
            written = self._written(open_cells, number)
            if written is None or not self._checked(self._new(written)):
                return False
        return True

    def _written(self, cells: Sequence[Cell], number: int) -> list[Candidate] | None:
        """Return the usable questions of a round, None if a reply is missing."""
        replies = self._ask("generator", [self._question_for(cell, number) for cell in cells], "writing")
        if replies is None:
            return None
        usable = []
        for cell, reply in zip(cells, replies, strict=True):
            self.state.written[cell] += 1
            try:
                usable.append(read_candidate(reply.visible or "", *cell, number))
            except Unusable as reason:
                self.state.dropped[cell, "cut" if reply.visible is None else str(reason)] += 1
        return usable

    def _question_for(self, cell: Cell, number: int) -> Question:
        about, kind = cell
        prompt = self._settings.generate
        user = prompt.user
        said = {"{type}": prompt.types[kind], "{format}": prompt.formats[kind], "{field}": about}
        for name, text in {**said, "{number}": str(number + 1)}.items():
            user = user.replace(name, text)
        return Question(prompt.system, user, number, _scripted(about, kind, number))

    def _new(self, candidates: Iterable[Candidate]) -> list[Candidate]:
        """Return the candidates that ask what none before them asked, in words or in meaning."""
        new = []
        for one in candidates:
            if self._is_double(one):
                self._drop(one, "double")
            else:
                new.append(one)
            self._seen.setdefault(one.field, []).append(one.question)
            self._words.add(one.plain)
        return new

    def _is_double(self, one: Candidate) -> bool:
        """Whether an earlier question is the same; meaning is compared within a field, words everywhere."""
        near = self._seen.get(one.field, [])
        if one.plain in self._words or not near:
            return one.plain in self._words
        rows = self._embed([one.question, *near])
        return bool((rows[1:] @ rows[0]).max() >= self._settings.similarity)

    def _checked(self, candidates: Sequence[Candidate]) -> bool:
        """Keep those of the candidates on which all k answers equal the reference; False if a reply is missing."""
        times = self._settings.agreement
        asked = [self._put(one, number) for one in candidates for number in range(times)]
        answers = self._ask("solver", asked, "answering")
        if answers is None:
            return False
        pairs = [(one, answers[place * times + n]) for place, one in enumerate(candidates) for n in range(times)]
        verdicts = self._judged(pairs)
        if verdicts is None:
            return False
        for place, one in enumerate(candidates):
            said = verdicts[place * times : (place + 1) * times]
            if all(said):
                self.state.kept.append(one)
            else:
                self._drop(one, f"{sum(map(bool, said))} of {times} agree")
        return True

    def _put(self, one: Candidate, number: int) -> Question:
        prompt = self._settings.answer
        script = (f"\\boxed{{{one.answer}}}", "\\boxed{none}")
        return Question(prompt.system, prompt.user.replace("{question}", one.shown), number, script)

    def _judged(self, pairs: Sequence[tuple[Candidate, Reply]]) -> list[bool] | None:
        """Return for each answer whether the judge finds it equal; one that was cut, or is empty, is not."""
        shown = [(one, reply.visible) for one, reply in pairs if reply.visible]
        replies = self._ask("judge", [_to_judge(one, answer) for one, answer in shown], "judging")
        if replies is None:
            return None
        said = [read_judgement(reply.visible or "") is True for reply in replies]
        self.state.judged += len(said)
        self.state.judged_like_search += sum(
            _names(answer, one.answer) == equal for (one, answer), equal in zip(shown, said, strict=True)
        )
        left: Iterator[bool] = iter(said)
        return [next(left) if reply.visible else False for _, reply in pairs]

    def _ask(self, role: Role, questions: Sequence[Question], doing: str) -> list[Reply] | None:
        replies = self._panel.ask(role, questions, lambda: self._progress(doing))
        there = [reply for reply in replies if reply is not None]
        return there if len(there) == len(replies) else None

    def _drop(self, one: Candidate, reason: str) -> None:
        self.state.dropped[(one.field, one.answer_type), reason] += 1


def _to_judge(one: Candidate, answer: str) -> Question:
    system, user = (message["content"] for message in judge_messages(one.problem, answer))
    # What the scripted judge says.
    script = (EQUAL, DIFFERENT) if _names(answer, one.answer) else (DIFFERENT, EQUAL)
    return Question(system, user, 0, script)


def _names(answer: str, reference: str) -> bool:
    """Whether an answer holds the reference as a word of its own."""
    return re.search(rf"(?<!\w){re.escape(reference)}(?!\w)", answer, re.IGNORECASE) is not None


def _scripted(about: str, kind: AnswerType, number: int) -> tuple[str, str]:
    """Return an invented question in the right form, and a reply in none: what the scripted engine writes."""
    question = f"QUESTION: Which entry has row {number + 1} of the made-up {kind.replace('_', ' ')} table on {about}?"
    answers = {
        "number": f"ANSWER: {100 + 7 * number}",
        "multiple_choice": f"A) red {number}\nB) green {number}\nC) blue {number}\nD) grey {number}\nANSWER: B",
        "word_or_phrase": f"ANSWER: word {chr(ord('a') + number % 26)}",
        "open": f"ANSWER: It says {chr(ord('a') + number % 26)} and nothing else at all.",
    }
    return f"{question}\n{answers[kind]}", "I can't think of a question."
