"""The three who are asked, each on its engine; what they replied before is not asked for again."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from itertools import chain

from runner.asking import Ask, Respondent, interviewing, unheeded, visible
from runner.config.fingerprint import text_fingerprint
from runner.config.preflight import preflight
from runner.config.recipe import RecipeSettings, RespondentSettings
from runner.config.settings import ApiSettings, ScriptedSettings, Settings
from runner.engines.base import Engine
from runner.engines.factory import capabilities, make_engine, resolve
from runner.engines.source import EngineSource, ProblemOf
from runner.errors import UserError
from runner.recipe.replies import Reply, ReplyFile, Role, reply_key
from runner.sampling.driver import StopFlag
from runner.sampling.request import Message
from runner.sampling.seeds import sample_seed


@dataclass(frozen=True, slots=True)
class Question:
    """One thing to ask somebody.

    Attributes:
        system: System message, empty for none.
        user: User message.
        number: How often the same was asked before, from 0; each time has a seed of its own.
        script: What the scripted engine says if it is right, and if it is wrong.
    """

    system: str
    user: str
    number: int
    script: tuple[str, str]


class Panel:
    """Asks the three.

    Args:
        recipe: Who they are.
        base: Settings of a run, for what has nothing to do with them.
        replies: What was replied so far, open.
        stop: Ends asking early.
    """

    def __init__(self, recipe: RecipeSettings, base: Settings, replies: ReplyFile, stop: StopFlag) -> None:
        self._seed = recipe.seed
        self._replies = replies
        self._stop = stop
        self._sources: dict[str, EngineSource] = {}
        self._settings = _all_settings(recipe, base)
        self._examples = {role: _turns(one) for role, one in _respondents(recipe).items()}
        self.fingerprints = {role: text_fingerprint(one, role) for role, one in self._settings.items()}
        self.asked = self.known = self.failed = 0

    def ask(self, role: Role, questions: Sequence[Question], progress: Callable[[], None]) -> list[Reply | None]:
        """Return the reply to each question; None where it failed or was stopped.

        Args:
            role: Who is asked.
            questions: What is asked; equal ones are asked once.
            progress: Called after each reply that is new.

        Raises:
            EngineDied: the engine died too often; what was replied is kept.
            StorageError: replies can't be written.
        """
        name = self.fingerprints[role]
        shown = [turn.content for turn in self._examples[role]]
        keys = [reply_key(name, (one.system, *shown, one.user), one.number) for one in questions]
        new = {key: one for key, one in zip(keys, questions, strict=True) if key not in self._replies.known}
        self.known += len(set(keys)) - len(new)
        if new:
            self._interview(role, (self._ask(role, key, one) for key, one in new.items()), progress)
        return [self._replies.known.get(key) for key in keys]

    def close(self) -> None:
        """Release the engines."""
        for source in self._sources.values():
            source.close()

    def _ask(self, role: Role, key: str, question: Question) -> Ask:
        seed = sample_seed(self._seed, key, 0)
        return Ask(key, question.system, question.user, seed, question.script, self._examples[role])

    def _interview(self, role: Role, asks: Iterable[Ask], progress: Callable[[], None]) -> None:
        settings = self._settings[role]
        with interviewing(settings, resolve(settings.engine), self._source(settings).lend) as interview:
            for ask, record in interview.run(asks, self._stop):
                self.asked += 1
                if record.failure is not None:
                    self.failed += 1
                    continue
                said = visible(record, settings.model.family)
                self._replies.add(Reply(ask.key, role, record.text, said))
                progress()

    def _source(self, settings: Settings) -> EngineSource:
        """Return what lends an engine. Of those that hold a model in this machine's memory one is loaded at a time."""
        engine = resolve(settings.engine)
        groups = (settings.model, settings.precision, engine)
        key = "\n".join(group.model_dump_json() for group in groups)
        if not isinstance(engine, ApiSettings | ScriptedSettings):
            for other, source in self._sources.items():
                if other != key:
                    source.close()

        def load(problem_of: ProblemOf) -> Engine:
            return make_engine(settings, engine, problem_of)

        return self._sources.setdefault(key, EngineSource(load))


def check_panel(recipe: RecipeSettings, base: Settings) -> None:
    """Refuse a recipe of which one who is asked can't be had here; loads nothing.

    Raises:
        UserError: everything that is wrong, a line each.
    """
    settings = _all_settings(recipe, base)
    mistakes = [f"{role}: {line}" for role, one in settings.items() for line in _mistakes(one)]
    if mistakes:
        raise UserError("\n".join(mistakes))


def _all_settings(recipe: RecipeSettings, base: Settings) -> dict[Role, Settings]:
    return {role: _settings(one, base) for role, one in _respondents(recipe).items()}


def _respondents(recipe: RecipeSettings) -> dict[Role, RespondentSettings]:
    return {"generator": recipe.generator, "solver": recipe.solver, "judge": recipe.judge}


def _turns(one: RespondentSettings) -> tuple[Message, ...]:
    turns = ((Message("user", example.user), Message("assistant", example.reply)) for example in one.examples)
    return tuple(chain.from_iterable(turns))


def _settings(one: RespondentSettings, base: Settings) -> Settings:
    who = Respondent(one.model, one.precision, one.engine, one.max_tokens, one.effort, one.temperature, one.top_p)
    return who.settings(base)


def _mistakes(settings: Settings) -> list[str]:
    engine = resolve(settings.engine)
    if mistakes := [f"engine.{mistake}" for mistake in unheeded(engine)]:
        return mistakes
    try:
        preflight(settings, engine, capabilities(engine))
    except UserError as error:
        return str(error).replace("budget.tokens", "max_tokens").split("\n")
    return []
