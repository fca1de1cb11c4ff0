"""From a problem to the messages a model is sent."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from runner.config.settings import HintBudget, ModelSettings, PromptSettings, Settings
from runner.sampling.request import Message

# Where a base model, which was never told to stop, runs on into a question of its own making.
RUN_ON_STOPS = ("\nQuestion:", "\n\nQuestion", "\nQ:", "\nProblem:")


def messages_of(settings: Settings, question: str) -> tuple[Message, ...]:
    """Return the chat that a point asks one question with."""
    hint = settings.budget if isinstance(settings.budget, HintBudget) else None
    said = further(hint, settings.model.efforts.get(settings.effort.level))
    return messages_for(settings.prompt, question, tuple(said))


def messages_for(prompt: PromptSettings, question: str, further: Sequence[str] = ()) -> tuple[Message, ...]:
    """Return the chat for one question; the template's text is used byte for byte.

    Args:
        prompt: The prompt style.
        question: The problem's question.
        further: Paragraphs behind the user message.
    """
    user = Message("user", "\n\n".join((prompt.user.replace("{question}", question), *further)))
    if prompt.system is None:
        return (user,)
    return (Message("system", prompt.system.replace("{question}", question)), user)


def further(hint: HintBudget | None, sent: object) -> Iterator[str]:
    """Yield what budget and effort say behind the question.

    Args:
        hint: The budget, if it is one that the model is told.
        sent: What the model's file has for the effort; only a text is said.
    """
    if hint is not None and hint.tokens is not None:
        yield hint.text.replace("{tokens}", str(hint.tokens))
    if isinstance(sent, str):
        yield sent


def stop_strings(model: ModelSettings) -> tuple[str, ...]:
    """Return what ends a text: only for base models, so a stop string never fires inside thinking."""
    return RUN_ON_STOPS if model.kind == "base" else ()
