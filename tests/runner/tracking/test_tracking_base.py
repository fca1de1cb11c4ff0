"""What a tracked run and a table of traces may hold, and which tracker the settings give."""

from __future__ import annotations

from pathlib import Path

import pytest
from omegaconf import OmegaConf
from pydantic import TypeAdapter

from runner.config.settings import NoTracking, TrackingSettings, WandbTracking
from runner.errors import UserError
from runner.tracking.base import TraceRow, TrackedRun, cut, plain
from runner.tracking.factory import make_tracker
from runner.tracking.off import OffTracker

CONF = Path(__file__).parents[3] / "conf" / "tracking"


def tracked(**changed):
    fields = {"id": "a-1", "name": "n", "group": "g", "tags": (), "config": {}, "folder": Path("run")}
    return TrackedRun(**fields | changed)


def settings_of(option):
    return TypeAdapter(TrackingSettings).validate_python(OmegaConf.to_container(OmegaConf.load(CONF / option)))


def test_cut_texts_keep_their_limit_and_stay_apart():
    first, second = cut("x" * 300, 64), cut("x" * 299, 64)
    assert len(first) == len(second) == 64
    assert first != second
    assert cut("x" * 64, 64) == "x" * 64


def test_a_tracked_run_fits_its_limits():
    run = tracked(name="n\ud800" * 200, group="é" * 200, tags=("t" * 65, "t" * 65, "u"))
    assert len(run.name) == len(run.group) == 128
    assert [len(tag) for tag in run.tags] == [64, 1]
    run.name.encode()


@pytest.mark.parametrize("bad", ["", "a" * 65, "A", "a/b", "a\n", "é"])
def test_an_id_of_another_form_is_refused(bad):
    with pytest.raises(ValueError, match="run id"):
        tracked(id=bad)


def test_plain_values_lose_no_key_and_hold_nothing_odd():
    odd = {"a.b": 1, "a_b": 2, "none": None, "list": (float("inf"), "\ud800", {"c.d": True}), "nan": float("nan")}
    assert plain(odd) == {"a_b": 1, "a_b_": 2, "none": None, "list": [None, "?", {"c_d": True}], "nan": None}


def test_a_trace_holds_short_texts():
    row = TraceRow("sum:1", "sum", 0, "2+2?", "\ud800", "x" * 5_000, None, "4", "unparsed", None, 1, 2, 3)
    assert (row.thinking, row.answer) == ("?", "x" * 4_000 + " [+1000 characters]")


def test_every_option_of_the_group_is_valid():
    assert settings_of("wandb.yaml") == WandbTracking(
        name="wandb", project="thinkmeter", entity=None, mode="auto", tags=(), trace_rows=200
    )
    assert settings_of("off.yaml") == NoTracking(name="off")


def test_off_asks_for_no_traces():
    tracker = make_tracker(settings_of("off.yaml"))
    assert isinstance(tracker, OffTracker)
    tracker.start(tracked())
    tracker.log_traces(lambda count: pytest.fail("asked for"))
    tracker.finish(0)
    assert tracker.url is None


@pytest.mark.parametrize("project", ["a/b", "50%", "x" * 129])
def test_a_project_name_that_would_be_refused_is_a_users_mistake(project):
    settings = settings_of("wandb.yaml").model_copy(update={"project": project})
    with pytest.raises(UserError, match=r"tracking\.project"):
        make_tracker(settings)


def test_an_unknown_mode_in_the_environment_is_refused(monkeypatch):
    monkeypatch.setenv("WANDB_MODE", "of-line")
    with pytest.raises(UserError, match="WANDB_MODE=of-line: no such mode"):
        make_tracker(settings_of("wandb.yaml"))
