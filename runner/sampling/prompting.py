"""From a problem to the messages a model is sent."""

from __future__ import annotations

from runner.config.settings import ModelSettings, PromptSettings
from runner.sampling.request import Message

# Where a base model, which was never told to stop, runs on into a question of its own making.
RUN_ON_STOPS = ("\nQuestion:", "\n\nQuestion", "\nQ:", "\nProblem:")


def messages_for(prompt: PromptSettings, question: str) -> tuple[Message, ...]:
    """Return the chat for one question; the template's text is used byte for byte."""
    user = Message("user", prompt.user.replace("{question}", question))
    if prompt.system is None:
        return (user,)
    return (Message("system", prompt.system.replace("{question}", question)), user)


def stop_strings(model: ModelSettings) -> tuple[str, ...]:
    """Return what ends a text: only for base models, so a stop string never fires inside thinking."""
    return RUN_ON_STOPS if model.kind == "base" else ()
