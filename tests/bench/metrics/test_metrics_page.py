"""The page names every measure and every public function, and none that does not exist."""

from __future__ import annotations

import importlib
import inspect
import pkgutil
import re
from pathlib import Path

from bench import metrics
from bench.metrics.measure import measures

PAGE = (Path(__file__).resolve().parents[3] / "docs" / "metrics.md").read_text("utf-8")

# How the others get at their samples and draws; no metrics.
PLUMBING = {
    "samples.answered", "measure.measure_named", "measure.column", "intervals.bootstrap_rng", "intervals.mean_of_draws",
    *(f"optimal_means.{name}" for name in ("counted", "bundle", "mean_of", "parts_of", "headlines")),
}  # fmt: skip


def functions() -> set[str]:
    found = set()
    for info in pkgutil.iter_modules(metrics.__path__):
        module = importlib.import_module(f"{metrics.__name__}.{info.name}")
        for name, value in vars(module).items():
            public = callable(value) and not inspect.isclass(value) and not name.startswith("_")
            if public and getattr(value, "__module__", "") == module.__name__:
                found.add(f"{info.name}.{name}")
    return found


def test_every_function_is_on_the_page() -> None:
    assert set(re.findall(r"`(\w+\.\w+)`", PAGE)) == functions() - PLUMBING


def test_every_measure_is_on_the_page_as_it_says_itself() -> None:
    lines = [f"| `{one.name}` | {one.unit} | {one.formula} | {one.source} |" for one in measures()]
    assert [line for line in PAGE.split("\n") if line in lines] == lines
