"""``runner quantize``: a model's weights in 8 or 4 bits, made now instead of on first use."""

from __future__ import annotations

from functools import partial

from rich.console import Console

from runner.cli.fetch import show_weights
from runner.config.settings import GptqSettings, Settings
from runner.errors import UserError
from runner.report.console import print_line
from runner.weights.quantize import origin, weights_for


def quantize(settings: Settings, console: Console) -> None:
    """Quantise ``settings.model``, or fetch its published checkpoint; quick when it is here already.

    Raises:
        UserError: another precision, no weights, or nothing here that can quantise them; says what to do.
        StorageError: the cache can't be written.
    """
    precision = settings.precision
    if not isinstance(precision, GptqSettings):
        raise UserError(f"precision={precision.name} is not quantised; give precision=int8 or precision=int4")
    print_line(console, f"{settings.model.name} in {precision.name}: {origin(settings.model, precision).words}")
    weights = weights_for(settings.model, precision, tell=partial(print_line, console))
    show_weights(settings, weights, console)
