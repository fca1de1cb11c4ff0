"""The list of models: every file is a model, published rows are named once, and a terminal of 80 columns is enough."""

from __future__ import annotations

import csv
import io
import json
import re
from collections import Counter
from importlib.resources import files
from pathlib import Path

import pytest
from rich.console import Console

from runner.cli.models import known_models, read_model, show_models
from runner.config.compose import compose
from runner.config.model import ModelSettings, sent_text
from runner.config.preflight import preflight
from runner.engines.factory import capabilities, resolve
from runner.errors import UserError
from runner.results.published import main_table
from runner.sampling.prompting import messages_of
from runner.weights.locate import locate
from tests.runner.cli.write_effort_page import PAGE, page

MODELS = known_models()


def shown(width: int, as_json: bool = False) -> str:
    console = Console(file=io.StringIO(), width=width)
    show_models(console, as_json)
    return console.file.getvalue()  # type: ignore[attr-defined]


def test_every_published_row_is_named_once() -> None:
    named = Counter(model.published_as for model in MODELS if model.published_as)
    assert set(named) == set(main_table())
    assert set(named.values()) == {1}


OPTIMAL_THINKING = {
    "o3": "o3",
    "GPT-OSS-120B": "gpt_oss_120b",
    "Sonnet-4": "claude_sonnet4",
    "GPT-OSS-20B": "gpt_oss_20b",
    "GPT-4.1": "gpt41",
    "Qwen3-235B-A22B": "qwen3_235b_a22b",
    "Magistral-Small-2506": "magistral_small",
}


def test_the_models_of_the_other_main_table_are_here() -> None:
    text = files("runner").joinpath("data", "published", "optimal_thinking_main.csv").read_text("utf-8")
    assert {row["model"] for row in csv.DictReader(text.splitlines())} == set(OPTIMAL_THINKING)
    assert set(OPTIMAL_THINKING.values()) <= {model.name for model in MODELS}


@pytest.mark.parametrize("width", [80, 140])
def test_no_line_is_wider_than_the_terminal_and_no_name_is_broken(width: int) -> None:
    lines = shown(width).splitlines()
    assert max(map(len, lines)) <= width
    first = {line.split()[0] for line in lines if line.split()}
    assert {model.name for model in MODELS} <= first
    assert any("none medium*" in line for line in lines)
    assert any("int8 int4" in line for line in lines)
    assert any("HF_TOKEN" in line for line in lines)
    assert ("Qwen/Qwen2.5-72B-Instruct" in shown(width)) == (width == 140)


def test_a_program_reads_the_same_models() -> None:
    read = {model["name"]: model for model in json.loads(shown(80, as_json=True))}
    assert list(read) == [model.name for model in MODELS]
    assert read["qwen25_7b"]["checkpoints"]["int4"] == "Qwen/Qwen2.5-7B-Instruct-GPTQ-Int4"
    assert read["qwen3_8b"]["efforts"] == {"none": {"enable_thinking": False}, "medium": {"enable_thinking": True}}
    assert read["gpt5"]["engines"] == ["openai"]


def test_the_page_is_up_to_date() -> None:
    text = PAGE.read_text("utf-8")
    assert page(text) == text, "python -m tests.runner.cli.write_effort_page"


FIELDS = {
    "openai": r"reasoning_effort=(minimal|low|medium|high)",
    "anthropic": r"thinking.type=disabled|thinking.budget_tokens=\d{4,}, thinking.type=enabled",
    "google": r"generationConfig.thinkingConfig.thinkingBudget=(0|[1-9]\d{2,})",
}


@pytest.mark.parametrize("model", [model for model in MODELS if model.provider], ids=lambda model: model.name)
def test_a_provider_is_sent_fields_of_its_own_requests(model: ModelSettings) -> None:
    for level, sent in model.efforts.items():
        assert re.fullmatch(FIELDS[str(model.provider)], sent_text(sent)), level


def test_a_word_is_said_behind_the_question_and_the_template_gets_nothing() -> None:
    settings = compose(["model=qwen3_8b", "effort=none", "model.efforts.none=/no_think"])
    (user,) = messages_of(settings, "How many?")
    assert user.content.endswith("\\boxed{}.\n\n/no_think")
    assert settings.model.effort_options("none") == {}
    assert compose(["model=qwen3_8b"]).model.effort_options("none") == {"enable_thinking": False}


@pytest.mark.parametrize("name", [model.name for model in MODELS if model.provider])
def test_a_model_of_a_provider_is_refused_in_one_line(name: str) -> None:
    settings = compose([f"model={name}", "budget=thinking", "effort=minimal"])
    engine = resolve(settings.engine)
    with pytest.raises(UserError) as caught:
        preflight(settings.model_copy(update={"plan": True}), engine, capabilities(engine))
    wanted = f"model={name} is asked over the network: it needs engine={settings.model.provider}"
    assert str(caught.value) == wanted
    with pytest.raises(UserError, match="nothing to fetch"):
        locate(settings.model)


@pytest.mark.parametrize(
    ("overrides", "says"),
    [
        (["model.source=api"], "go together"),
        (["model.provider=openai"], "go together"),
        (["model.default_effort=low"], "none of the model's efforts"),
        (["+model.efforts={default: {}}"], "has no default"),
        (["+model.efforts={huge: {}}"], "model.efforts.huge"),
    ],
)
def test_a_model_that_contradicts_itself_is_refused(overrides: list[str], says: str) -> None:
    with pytest.raises(UserError, match=says):
        compose(["model=custom", "model.id=org/name", *overrides])


@pytest.mark.parametrize(
    "text",
    [
        "",
        "[1",
        "3",
        "- id",
        "id: a/b\nkind: huge\nfamily: f",
        "kind: base\nfamily: f",
        "id: a/b\nid: a/c\nkind: base\nfamily: f\nsource: hub",
    ],
)
def test_a_file_that_holds_no_model_is_named(tmp_path: Path, text: str) -> None:
    path = tmp_path / "mine.yaml"
    path.write_text(text)
    with pytest.raises(UserError, match=r"mine\.yaml holds no model") as caught:
        read_model(path)
    assert "\n" not in str(caught.value)
