"""Writes the table of docs/effort.md from the files of the models: ``python -m tests.runner.cli.write_effort_page``."""

from __future__ import annotations

import re
from collections import defaultdict
from pathlib import Path

from runner.cli.models import known_models
from runner.config.model import ModelSettings, sent_text

PAGE = Path(__file__).resolve().parents[3] / "docs" / "effort.md"
LEVELS = ("none", "minimal", "low", "medium", "high")


def efforts() -> str:
    """Return what is sent for each effort, a row for all models that are sent the same."""
    models: dict[tuple[str, ...], list[str]] = defaultdict(list)
    for model in known_models():
        if model.efforts:
            models[_sent(model)].append(f"`{model.name}`")
    lines = [("models", "sent to", *LEVELS, "untold"), ("---",) * (len(LEVELS) + 3)]
    lines += [(" ".join(names), *sent) for sent, names in models.items()]
    return "\n".join(f"| {' | '.join(line)} |" for line in lines)


def page(text: str) -> str:
    """Return the page with its table written anew."""
    begin, end = "<!-- efforts -->", "<!-- end of efforts -->"
    pattern = re.compile(f"{re.escape(begin)}.*?{re.escape(end)}", re.DOTALL)
    return pattern.sub(lambda _: f"{begin}\n{efforts()}\n{end}", text)


def _sent(model: ModelSettings) -> tuple[str, ...]:
    cells = []
    for level in LEVELS:
        sent = model.efforts.get(level)
        cells.append("" if sent is None else f"`{sent_text(sent)}`" if sent else "nothing")
    return (model.provider or "template", *cells, model.default_effort or "")


if __name__ == "__main__":
    PAGE.write_text(page(PAGE.read_text("utf-8")), "utf-8")
