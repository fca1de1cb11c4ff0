"""The control surface: every option composes, every mistake is one clear line."""

from __future__ import annotations

import re

import pytest

from runner.config.compose import compose, known_keys
from runner.config.folder import config_folder
from runner.config.settings import Settings
from runner.errors import UserError

OPTIONS = sorted(
    f"{path.parent.name}={path.stem}"
    for path in config_folder().glob("*/*.yaml")
    if path.parent.name not in ("hydra", "recipe")  # recipes belong to make-set
)


@pytest.mark.parametrize("option", OPTIONS)
def test_every_option_of_every_group_composes(option: str) -> None:
    needs = {"model=custom": ["model.id=org/name"], "engine=custom": ["engine.path=my_engine.MyEngine"]}
    extra = needs.get(option, [])
    group, name = option.split("=")
    settings = compose([option, *extra])
    assert isinstance(settings, Settings)
    unnamed = group in ("judge", "tools") or option == "model=custom"  # a judge is named by its model
    if not unnamed:
        chosen = settings.model_dump()[group]
        assert name in (chosen.get("name"), chosen.get("level"), chosen.get("kind"), "none")


@pytest.mark.parametrize(
    ("overrides", "says"),
    [
        (["model=phi5"], "Did you mean phi4"),
        (["modle=phi4"], "Did you mean model"),
        (["budget.tokenz=5"], "Did you mean budget.tokens"),
        (["+budget.tokenz=5"], "Did you mean budget.tokens"),
        (["engine=vllm", "+engine.tensor_paralel_size=2"], "Did you mean engine.tensor_parallel_size"),
        (["budget.tokens=0"], "budget.tokens=0"),
        (["budget.tokens=-5"], "greater than 0"),
        (["budget.tokens=many"], "budget.tokens='many'"),
        (["budget.tokens=1.5"], "integer"),
        (["budget.tokens=true"], "integer"),
        (["sampling.temperature=nan"], "finite"),
        (["suite.folds=7"], "suite.folds=7"),
        (["model=custom"], "model.id"),
        (["model.revision=0e12345"], "quote it twice"),
        (["model.name=''"], "model.name"),
        (["prompt.user=hello"], "{question}"),
        (["model=qwen3_8b", "model.kind=base"], "no thinking markers"),
        (["budget.tokens=["], "can't read an argument"),
    ],
)
def test_a_mistake_is_one_line_that_says_what_to_do(overrides: list[str], says: str) -> None:
    with pytest.raises(UserError) as caught:
        compose(overrides)
    assert says in str(caught.value)
    assert "\n" not in str(caught.value)
    assert "Traceback" not in str(caught.value)


def test_of_a_large_group_the_nearest_options_are_told_and_what_lists_all() -> None:
    count = len(list((config_folder() / "model").glob("*.yaml")))
    for given, own in (("phi5", ""), ("zzz", ""), ("Qwen/Qwen3-8B", "model=custom model.id=Qwen/Qwen3-8B")):
        with pytest.raises(UserError) as caught:
            compose([f"model={given}"])
        told = str(caught.value)
        assert told.startswith(f"model={given}: no such option. Did you mean ")
        assert own in told
        assert told.endswith(f"python -m runner models lists all {count}")
        names = re.split(", | or ", told.partition("mean ")[2].partition("?")[0])
        assert 3 <= len(set(names)) == len(names) <= 5


def test_no_name_is_suggested_twice() -> None:
    with pytest.raises(UserError) as caught:
        compose(["budget.token=5"])
    assert str(caught.value).count("budget.tokens") == 1


def test_prompt_text_arrives_byte_for_byte() -> None:
    text = r"\boxed{} {question} ${model.name} \n {{x}}"
    settings = compose([f"prompt.user='{text}'"])
    assert settings.prompt.user == text


def test_interpolation_in_a_prompt_only_on_request() -> None:
    settings = compose(["prompt.user='{question} ${model.name}'", "prompt.interpolate=true"])
    assert settings.prompt.user == "{question} smollm2_135m"


def test_a_quoted_number_is_text() -> None:
    assert compose(["model.revision='0e12345'"]).model.revision == "0e12345"


@pytest.mark.parametrize("name", ["org/a=b", "a b", "a:b", "ä,ö", "x" * 300, r"c\d"])
def test_odd_names_arrive(name: str) -> None:
    assert compose(["model=custom", f"model.id='{name}'"]).model.id == name


def test_every_setting_is_documented() -> None:
    assert len(list(known_keys())) > 50
    undocumented = [
        f"{group.__name__}.{name}"
        for group in _groups(Settings)
        for name, field in group.model_fields.items()
        if not field.description and name not in Settings.model_fields and name != "name"
    ]
    assert undocumented == []


def _groups(root: type) -> list[type]:
    from runner.config import model, settings

    return [
        value
        for value in {**vars(model), **vars(settings)}.values()
        if isinstance(value, type) and hasattr(value, "model_fields")
    ]
