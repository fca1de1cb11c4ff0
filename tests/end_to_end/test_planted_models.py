"""Models that are planted to overthink, to be worse at negative numbers, or not to stop are found out as just that."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from runner.report.findings import Finding, Topic, findings
from runner.report.frames import StudyFrames, read_study
from runner.report.pairs import study_pairs
from runner.report.splits import splits
from runner.report.taxonomy import pattern_shares, study_taxonomy
from tests.end_to_end.command import SCRIPTED, runner

PLANTED = {
    "plain": (),
    "overthinks": ("engine.thinking_tokens=900", "engine.rechecks=6"),
    "negative": ("engine.negative_accuracy=0.2",),
    "endless": ("engine.overrun=0.4",),
}


@pytest.fixture(scope="module")
def study(tmp_path_factory: pytest.TempPathFactory) -> StudyFrames:
    cwd = tmp_path_factory.mktemp("planted")
    asked = ("study=planted", "suite.samples=40", "suite.tasks=[sum,subtraction,find_min]", "engine.accuracy=0.9")
    for name, part in PLANTED.items():
        done = runner(*SCRIPTED, *asked, f"model.name={name}", *part, cwd=cwd)
        assert done.code == 0, done.err
    return read_study(cwd / "outputs" / "planted")


@pytest.fixture(scope="module")
def found(study: StudyFrames) -> list[Finding]:
    return findings(study, study_pairs(study), splits(study), pattern_shares(study_taxonomy(study)))


def about(found: list[Finding], study: StudyFrames, topic: Topic) -> Iterator[tuple[str, str]]:
    """Yield the model and the sentence of each finding about single runs."""
    models = dict(zip(study.points["run"], study.points["model"], strict=True))
    return ((models[one.runs[0]], one.text) for one in found if one.topic is topic)


def test_only_the_biased_model_is_worse_at_negative_answers(found: list[Finding], study: StudyFrames) -> None:
    ((model, text),) = about(found, study, Topic.PROBLEMS)
    assert model == "negative"
    assert "worse on problems with a negative answer" in text


def test_only_the_overthinker_derives_again_and_only_the_endless_one_fails_to_stop(
    found: list[Finding], study: StudyFrames
) -> None:
    said = list(about(found, study, Topic.TRACES))
    assert {model for model, text in said if "redundant verification" in text} == {"overthinks"}
    assert {model for model, text in said if "stopping failure" in text or "did not end" in text} == {"endless"}


def test_the_overthinker_costs_tokens_and_is_no_better(study: StudyFrames) -> None:
    pairs = study_pairs(study)
    assert {pair.factor for pair in pairs} == {"model"}
    rows = study.points.set_index("model")
    assert rows.loc["overthinks", "output_tokens"] > 2 * rows.loc["plain", "output_tokens"]
    assert rows.loc["overthinks", "overthinking"] < rows.loc["plain", "overthinking"]
