"""Tools in the settings: what is in a run's fingerprint, what is refused, and what a run is called."""

from __future__ import annotations

import pytest

from runner.config.compose import compose
from runner.config.fingerprint import generation_fingerprint
from runner.config.naming import point_name, tools_name
from runner.config.preflight import preflight
from runner.config.suite import Suite
from runner.engines.factory import capabilities, resolve
from runner.errors import UserError

SCRIPTED = ("model=scripted", "engine=scripted", "plan=true")


def fingerprint(*overrides: str) -> str:
    settings = compose([*SCRIPTED, *overrides])
    return generation_fingerprint(settings, Suite(settings.suite))


def test_tools_and_their_limits_are_part_of_a_run_s_fingerprint() -> None:
    asked = [
        (), ("tools=calculator",), ("tools=all",), ("tools=all", "tools.turns=3"), ("tools=all", "tools.tokens=9"),
        ("tools=all", "tools.protocol=react"), ("tools=all", "tools.wall_s=3"), ("tools=all", "engine.slip=again"),
    ]  # fmt: skip
    assert len({fingerprint(*overrides) for overrides in asked}) == len(asked)


def test_what_only_tools_need_changes_no_run_without_tools() -> None:
    """So runs that were made before there were tools keep their folders."""
    assert fingerprint("engine.slip=again", "engine.calls=3", "engine.call_form=llama") == fingerprint()
    assert fingerprint("tools=all", "tools.sandbox=none") == fingerprint("tools=all")


@pytest.mark.parametrize(
    ("overrides", "says"),
    [
        (("budget=thinking", "budget.tokens=10"), "tools=calculator with budget=thinking"),
        (("budget=native", "budget.tokens=10"), "tools=calculator with budget=native"),
        (
            ("model.kind=base", "model.thinking=null", "tools.protocol=native"),
            "tools.protocol=native: model=scripted is a base model",
        ),
    ],
)
def test_what_can_not_be_had_together_is_refused(overrides: tuple[str, ...], says: str) -> None:
    settings = compose([*SCRIPTED, "tools=calculator", *overrides])
    engine = resolve(settings.engine)
    with pytest.raises(UserError) as raised:
        preflight(settings, engine, capabilities(engine))
    assert says in str(raised.value)


def test_a_run_is_called_by_its_tools() -> None:
    assert tools_name(()) == "none"
    assert tools_name(("calculator",)) == "calculator"
    assert "all_tools" in point_name(compose([*SCRIPTED, "tools=all"]))
    assert "tools" not in point_name(compose(list(SCRIPTED)))
