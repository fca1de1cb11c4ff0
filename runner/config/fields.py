"""The kinds of values that settings are made of."""

from __future__ import annotations

from typing import Annotated, Any

from pydantic import AfterValidator, BaseModel, BeforeValidator, ConfigDict, Field


def _refuse_number(value: Any) -> Any:
    if isinstance(value, bool | int | float):
        raise ValueError(f"is text, but it was read as the {type(value).__name__} {value!r}; quote it twice: \"'...'\"")
    return value


def _printable(value: str) -> str:
    if not value.strip() or any(ord(character) < 32 for character in value):
        raise ValueError("must be a line of text, not empty")
    return value


# A text that YAML or Hydra may have turned into a number (a revision such as 0e12345) is refused, not guessed.
Text = Annotated[str, BeforeValidator(_refuse_number)]
Line = Annotated[Text, AfterValidator(_printable)]
Positive = Annotated[int, Field(strict=True, gt=0, lt=1 << 62)]
Natural = Annotated[int, Field(strict=True, ge=0, lt=1 << 62)]
Real = Annotated[float, Field(strict=True, allow_inf_nan=False)]


class Group(BaseModel):
    """A group of settings: frozen, and no key is unknown."""

    model_config = ConfigDict(extra="forbid", frozen=True)
