"""The settings of ``make-set``: who writes questions, who answers and who judges them, about what, and what is kept."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Annotated, Literal

from pydantic import Field, model_validator

from runner.config.fields import Group, Line, Natural, Positive, Real, Text
from runner.config.model import EffortLevel
from runner.config.settings import EngineSettings, ModelSettings, Precision

AnswerType = Literal["number", "multiple_choice", "word_or_phrase", "open"]


class Example(Group):
    """An earlier turn that a respondent is shown."""

    user: Text = Field(description="What was asked")
    reply: Text = Field(description="What a good reply looks like")


class RespondentSettings(Group):
    """A model that is asked, on its engine."""

    model: ModelSettings
    precision: Precision
    engine: EngineSettings
    max_tokens: Positive = Field(description="Most tokens of a reply, thinking included")
    effort: EffortLevel = Field(description="How hard it is told to think")
    temperature: Annotated[Real, Field(ge=0)] = Field(description="0 is greedy")
    top_p: Annotated[Real, Field(gt=0, le=1)] = Field(description="Nucleus")
    examples: tuple[Example, ...] = Field(description="Turns shown before each question, for small models")


class GeneratePrompt(Group):
    """How a question is asked for."""

    system: Text = Field(description="System message")
    user: Text = Field(description="{field}, {type}, {format} and {number} are replaced")
    types: Mapping[AnswerType, Text] = Field(description="What is said of each type of answer: {type}")
    formats: Mapping[AnswerType, Text] = Field(description="The form that a reply has to have: {format}")

    @model_validator(mode="after")
    def _says_all(self) -> GeneratePrompt:
        if missing := [name for name in ("{field}", "{type}", "{format}") if name not in self.user]:
            raise ValueError(f"the user message must contain {', '.join(missing)}")
        if set(self.types) != set(self.formats):
            raise ValueError("types and formats must name the same types of answer")
        return self


class AnswerPrompt(Group):
    """How a question is put to the model that checks it."""

    system: Text = Field(description="System message; empty for none")
    user: Text = Field(description="{question} is replaced")

    @model_validator(mode="after")
    def _asks(self) -> AnswerPrompt:
        if "{question}" not in self.user:
            raise ValueError("the user message must contain {question}")
        return self


class RecipeSettings(Group):
    """A set of questions: what it is about and how it is made."""

    name: Line = Field(description="Name of the set")
    quality: Line = Field(description="What the set may be used for, written into it: e.g. demo")
    seed: Natural = Field(description="Seed of all texts")
    wanted: Positive = Field(description="Questions kept for each field and type of answer")
    candidates: Positive = Field(description="Most questions written for each field and type of answer")
    agreement: Positive = Field(description="k: answers by another model, all of which have to equal the reference")
    similarity: Annotated[Real, Field(gt=0, le=1)] = Field(description="Cosine from which two questions are the same")
    embed: Line = Field(description="What compares questions: lexical, minilm or api:URL#MODEL")
    fields: tuple[Line, ...] = Field(min_length=1, description="What questions are about")
    generator: RespondentSettings = Field(description="Writes questions with their answers")
    solver: RespondentSettings = Field(description="Answers them k times; another model than the generator")
    judge: RespondentSettings = Field(description="Decides whether an answer equals the reference")
    generate: GeneratePrompt
    answer: AnswerPrompt

    @model_validator(mode="after")
    def _enough(self) -> RecipeSettings:
        if self.candidates < self.wanted:
            raise ValueError(f"candidates={self.candidates} are fewer than the {self.wanted} wanted")
        if len(set(self.fields)) < len(self.fields):
            raise ValueError("a field is named twice")
        return self
