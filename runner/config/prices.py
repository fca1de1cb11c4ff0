"""What tokens cost: a file of prices by model, and the cost of a sample by them."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import date as Day
from pathlib import Path
from typing import Annotated

from pydantic import Field, TypeAdapter, ValidationError

from runner.config.api import ApiSettings
from runner.config.fields import Group, Line, Real
from runner.config.folder import config_folder
from runner.config.model import ModelSettings
from runner.config.plain_yaml import read_plain
from runner.errors import UserError
from runner.sampling.generation import Usage

_MILLION = 1_000_000
_Dollars = Annotated[Real, Field(ge=0)]


class Price(Group):
    """What one model costs, in US dollars per million tokens."""

    input: _Dollars = Field(description="Tokens of the prompt")
    cached_input: _Dollars | None = Field(None, description="Of these, what the provider had cached; null: as input")
    output: _Dollars = Field(description="Tokens of the output, thinking included")
    batch: Annotated[Real, Field(gt=0, le=1)] = Field(1.0, description="Factor for batches")
    date: Day = Field(description="When the price was looked up")
    source: Line = Field(description="Where")

    def cost(self, usage: Usage, *, batch: bool = False) -> float:
        """Return what the provider asks for a sample, in US dollars; prompts that later turns sent again included.

        Calls that failed are not known to cost anything, and are not counted.
        """
        cached = self.input if self.cached_input is None else self.cached_input
        fresh = max(0, usage.prompt + usage.resent - usage.cached)
        dollars = (fresh * self.input + usage.cached * cached + usage.output * self.output) / _MILLION
        return dollars * (self.batch if batch else 1)


_TABLE = TypeAdapter(dict[str, Price])


def price_of(model: ModelSettings, engine: ApiSettings) -> Price | None:
    """Return the price of a model by the engine's file of prices, None where it has none.

    Raises:
        UserError: the file can't be read.
    """
    return _table(_path(engine)).get(model.id)


def missing_price(model: ModelSettings, engine: ApiSettings) -> str:
    """Say what to write where a price is needed and not there."""
    entry = f"{model.id}: {{input: …, output: …, date: …, source: …}}"
    return f"{_path(engine)} has no price of {model.id}; write one, in dollars per million tokens: {entry}"


def _path(engine: ApiSettings) -> Path:
    return config_folder() / "prices.yaml" if engine.prices is None else Path(engine.prices).expanduser()


def _table(path: Path) -> Mapping[str, Price]:
    try:
        return _TABLE.validate_python(read_plain(path))
    except (OSError, ValueError) as error:
        wrong = error.errors()[0] if isinstance(error, ValidationError) else None
        reason = f"{'.'.join(map(str, wrong['loc']))}: {wrong['msg']}" if wrong else " ".join(str(error).split())
        raise UserError(f"engine.prices: {path} is no table of prices ({reason}); see conf/prices.yaml") from error
