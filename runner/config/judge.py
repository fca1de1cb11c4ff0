"""Who decides on answers that no rule can grade; never changes a text, so a run can be judged at any time."""

from __future__ import annotations

from typing import Literal

from pydantic import Field

from runner.config.fields import Group, Positive
from runner.config.model import EffortLevel


class NoJudge(Group):
    """Nobody: answers that need a judge stay ungraded."""

    name: Literal["none"]


class JudgeLimits(Group):
    """What all judges are asked with, at temperature 0."""

    max_tokens: Positive | None = Field(description="Most tokens of a reply, thinking included; null for the context")
    effort: EffortLevel = Field(description="How hard the judge is told to think; default sends nothing")


class SameJudge(JudgeLimits):
    """The model that is asked, on its own engine: no second model is loaded. It judges its own answers."""

    name: Literal["same"]
