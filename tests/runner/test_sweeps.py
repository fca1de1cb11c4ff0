"""Every point of every study that comes with this program can be asked, and no two of a study are one."""

from __future__ import annotations

import csv
import re
from functools import cache
from importlib.resources import files
from pathlib import Path

import pytest
from hydra.core.override_parser.overrides_parser import OverridesParser

from bench.registry import task_class
from bench.stored.rows import StoredTask
from runner.config.compose import compose
from runner.config.preflight import preflight
from runner.config.settings import Settings
from runner.config.study import same_effect
from runner.config.suite import Suite
from runner.config.sweep import PointAsked, read_sweep, sweep_names, union
from runner.engines.factory import capabilities, resolve

PUBLISHED = [name for name in sweep_names() if not name.startswith("demo_")]


def asked(name: str) -> list[PointAsked]:
    return union(read_sweep(name), [], OverridesParser.create())


@cache
def points(name: str) -> list[Settings]:
    """Return the points of a study, as a plan: that may be made for a machine that this one is not."""
    return [compose([*point.overrides, "plan=true"]) for point in asked(name)]


def needs_the_hub(settings: Settings) -> bool:
    """Whether a point asks problems of a set that is downloaded, as tests do not."""
    names = settings.suite.tasks or tuple(settings.suite.params)
    return settings.suite.path is None and any(issubclass(task_class(name), StoredTask) for name in names)


@pytest.mark.parametrize("name", sweep_names())
def test_every_point_of_a_study_can_be_asked(name: str) -> None:
    assert read_sweep(name).study == name
    for settings in points(name):
        engine = resolve(settings.engine)
        preflight(settings, engine, capabilities(engine))
        if not needs_the_hub(settings):
            assert Suite(settings.suite).size


@pytest.mark.parametrize("name", sweep_names())
def test_the_points_of_a_study_go_together(name: str) -> None:
    assert same_effect(points(name)) == []


@pytest.mark.parametrize("name", PUBLISHED)
def test_a_published_study_has_the_papers_settings_and_a_small_twin(name: str) -> None:
    assert f"demo_{name}" in sweep_names()
    for settings in points(name):
        drawn, suite = settings.sampling, settings.suite
        if settings.suite.name == "optimal_thinking" and drawn.source == "model":
            assert settings.engine.name in ("openai", "anthropic")  # who thinks takes no temperature there
            continue
        if drawn.name in ("redundancy", "optimal_thinking"):  # the other papers'
            assert (drawn.temperature, drawn.source, settings.budget.tokens) == (0.6, "fixed", 16_384)
            continue
        if settings.engine.name == "openai" and settings.model.kind == "reasoning":
            assert drawn.source == "model"  # OpenAI takes no temperature for them
        else:
            assert (drawn.temperature, drawn.top_p, drawn.source) == (0.1, 0.9, "fixed")
        if name == "tools_algorithmic":  # two sizes of each task, which the paper does not say how often it asks
            assert (suite.samples, suite.folds, suite.repeats) == (2, 1, 50)
            continue
        assert (suite.samples, suite.folds) == (100 if settings.model.source == "api" else 1000, 3)


@pytest.mark.parametrize("name", [name for name in sweep_names() if name.startswith("demo_")])
def test_a_demonstration_needs_nothing_from_the_hub(name: str) -> None:
    for settings in points(name):
        assert settings.model.source in ("shipped", "embedded", "none")
        assert Suite(settings.suite).size <= 280


def test_the_main_table_asks_every_published_row() -> None:
    named = [settings.model.published_as for settings in points("main_table")]
    assert sorted(map(str, named)) == sorted(rows("main"))


@pytest.mark.parametrize("name", ["precision", "budget_1024", "effort", "prompt_style"])
def test_a_study_has_as_many_points_as_its_table_has_rows(name: str) -> None:
    assert len(asked(name)) == len(rows(name))


def rows(table: str) -> list[str]:
    path = files("runner").joinpath("data", "published", f"llmthinkbench_{table}.csv")
    return [f"{row['model']}|{row.get('params_b')}" for row in csv.DictReader(path.read_text("utf-8").splitlines())]


def test_the_page_lists_every_study() -> None:
    page = (Path(__file__).resolve().parents[2] / "docs" / "sweeps.md").read_text("utf-8")
    listed = re.findall(r"^\| `(\w+)` \|.*\| (\d+) \| `(\w+)`", page, re.MULTILINE)
    assert sorted(listed) == [(name, str(len(asked(name))), f"demo_{name}") for name in PUBLISHED]
