"""What the model is shown: a prompt as the program renders it, thinking of some length, an answer."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path

import yaml

from bench.problem import Problem
from thinker.trace import Detail, Trace
from thinker.working import work_out

PROMPTS = Path(__file__).parents[1] / "conf" / "prompt"

# ChatML, as rendered by the chat template that lies beside the weights.
USER = "<|im_start|>user\n{content}<|im_end|>\n<|im_start|>assistant\n"
SYSTEM = "<|im_start|>system\neffort: {effort}<|im_end|>\n"
NO_THINKING = "<think>\n\n</think>\n\n"
END = "<|im_end|>\n"


class Effort(StrEnum):
    """How hard the model is told to think; medium is what it does untold."""

    NONE = "none"
    LOW = "low"
    MEDIUM = "medium"
    HIGH = "high"


@dataclass(frozen=True, slots=True)
class Style:
    """A prompt style of the program's ``prompt`` group.

    Attributes:
        name: Its name.
        user: The user message, with ``{question}`` where the question goes.
    """

    name: str
    user: str


def styles() -> list[Style]:
    """Return every prompt style that the program ships, in the order of their names."""
    read = [yaml.safe_load(path.read_text(encoding="utf-8")) for path in sorted(PROMPTS.glob("*.yaml"))]
    return [Style(fields["name"], fields["user"]) for fields in read]


@dataclass(frozen=True, slots=True)
class Conversation:
    """One problem asked and answered.

    Attributes:
        prompt: All up to where the model's own text begins; not learnt.
        thinking: What the model writes first, with its markers; empty where the prompt closed the thinking.
        answer: What it writes then, with the end of its turn.
    """

    prompt: str
    thinking: str
    answer: str


# What a prompt style leaves of the working, by effort.
_SHORTER = {"concise": Detail.SHORT, "dont_overthink": Detail.SHORT, "ultra_concise": Detail.BRIEF}


def conversation(problem: Problem, effort: Effort, style: Style) -> Conversation:
    """Return a problem asked in a style and worked out with an effort."""
    trace = work_out(problem.task, problem.data)
    system = SYSTEM.format(effort=effort.value) if effort in (Effort.LOW, Effort.HIGH) else ""
    prompt = system + USER.format(content=style.user.replace("{question}", problem.question))
    answer = f"The answer is \\boxed{{{trace.answer}}}.{END}"
    if effort is Effort.NONE:
        return Conversation(prompt + NO_THINKING, "", answer)
    lines = _lines(trace, effort, style, abs(problem.data[0]) % 10)
    return Conversation(prompt, "<think>\n" + "\n".join(lines) + "\n</think>\n\n", answer)


def _lines(trace: Trace, effort: Effort, style: Style, habit: int) -> list[str]:
    """Return the lines of thinking.

    Args:
        trace: The problem worked out.
        effort: How hard to think.
        style: The prompt style.
        habit: The last digit of the first operand, which decides about habits, so that they show without sampling:
            3 claims a wrong answer and takes it back, 9 checks a result that stands already.
    """
    shorter = _SHORTER.get(style.name)
    if effort is Effort.LOW:
        return [trace.brief]
    if effort is Effort.HIGH and shorter is None:
        return _checked(trace, habit)
    if shorter is not None:
        detail = shorter if effort is Effort.MEDIUM else _LONGER[shorter]
        return list(trace.lines(detail))
    return [*trace.full, *_habits(trace, habit)]


_LONGER = {Detail.BRIEF: Detail.SHORT, Detail.SHORT: Detail.FULL}


def _habits(trace: Trace, habit: int) -> list[str]:
    if habit == 3 and trace.slip is not None:
        return [f"So {trace.slip}. Wait, {trace.slip} is wrong.", trace.check]
    if habit == 9:
        return [f"Check: {trace.check}"]
    return []


def _checked(trace: Trace, habit: int) -> list[str]:
    """Return the working done twice; with the habit of a slip, the second pass finds a wrong claim."""
    if habit == 3 and trace.slip is not None:
        return [*trace.full, f"So {trace.slip}. Check:", *trace.full, f"{trace.slip} is wrong, {trace.answer}."]
    return [*trace.full, f"So {trace.answer}. Check:", *trace.full]
