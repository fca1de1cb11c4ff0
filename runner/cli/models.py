"""Lists the models of ``conf/model``."""

from __future__ import annotations

from typing import cast

from omegaconf import DictConfig, OmegaConf
from rich.console import Console
from rich.table import Table
from rich.text import Text

from runner.config.folder import config_folder


def show_models(console: Console) -> None:
    """Print one row a model: what to type, what it is and what it needs."""
    table = Table(title="Models (model=NAME)", title_justify="left")
    for heading in ("name", "id", "kind", "billions", "context", "thinks between", "licence", "needs"):
        table.add_column(heading, no_wrap=heading in ("name", "id"))
    for path in sorted((config_folder() / "model").glob("*.yaml")):
        model = cast(DictConfig, OmegaConf.load(path))
        markers = model.get("thinking")
        table.add_row(
            path.stem,
            "model.id=…" if OmegaConf.is_missing(model, "id") else model.id,
            model.kind,
            _shown(model.params_b),
            _shown(model.context),
            Text(f"{markers.open} {markers.close}") if markers else "–",
            _shown(model.licence),
            "HF_TOKEN" if model.gated else "",
        )
    console.print(table)


def _shown(value: float | str | None) -> str:
    return "–" if value is None else str(value)
