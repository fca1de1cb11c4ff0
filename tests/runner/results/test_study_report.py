"""Frames of a study, what they say, and how it is written."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import pytest
from made_records import made, made_run

import runner
from bench.problem import write_gold
from runner.config.settings import Scoring
from runner.report.findings import Topic, findings
from runner.report.frames import read_study
from runner.report.gap import gaps
from runner.report.pairs import study_pairs
from runner.report.tables import leaderboard, tables
from runner.report.taxonomy import error_counts, pattern_counts, study_taxonomy
from runner.report.text import latex, markdown
from runner.results.layout import RunFolder
from runner.results.marks import marks_of
from runner.results.record import RecordStatus
from runner.sampling.generation import FinishReason

AGAIN = "<think>47 + 38 = 85. Wait, let me check: 47 + 38 = 85.</think>"


def test_points_and_tasks_are_the_summary_and_samples_the_verdicts(tmp_path: Path) -> None:
    study = tmp_path / "study"
    made_run(study / "a", *(made(k, task=task) for k in range(4) for task in ("sum", "mode")), name="small")
    made_run(study / "b", made(0), made(1, "no"), made(2, status=RecordStatus.ERROR), fingerprint="b" * 16, name="big")
    frames, summary = read_study(study), runner.summary(study).set_index(["run", "task"])
    for row in frames.points.to_dict("records"):
        same = summary.loc[(row["run"], "overall")]
        assert [row[name] for name in ("n", "accuracy", "overthinking")] == list(
            same[["n", "accuracy", "overthinking"]]
        )
    assert len(frames.samples) == len(runner.load(study))
    assert dict(zip(frames.points["label"], frames.points["partial"], strict=True)) == {"small": False, "big": True}
    modes = frames.samples[frames.samples["task"] == "mode"]
    assert modes["modes"].notna().all()
    golds = [write_gold(made(k).data and sum(made(k).data)) for k in range(4)]
    sums = frames.samples.query("run == 'a' and task == 'sum'")
    assert [sign == "negative" for sign in sums["gold_sign"]] == [gold.startswith("-") for gold in golds]


def test_findings_begin_with_cautions_and_correct_for_how_many_were_tested(tmp_path: Path) -> None:
    study = tmp_path / "study"
    for number, output in enumerate((10, 20, 400)):
        made_run(
            study / f"r{number}",
            *(made(k, output=output + k, source="estimated" if number == 2 else "ids") for k in range(12)),
            fingerprint=str(number) * 16,
            name=f"m{number}",
        )
    frames = read_study(study)
    pairs = study_pairs(frames)
    found = findings(frames, pairs)
    assert found[0].topic is Topic.CAUTION
    assert "not all counted in one way" in found[0].text
    said = [one.text for one in found if one.topic is Topic.PAIR]
    assert [text.split(" is ")[0] for text in said] == ["model: m1 against m0", "model: m2 against m0"]
    assert all(pair.p_tokens >= pair.compared.tokens.p for pair in pairs)


def test_texts_are_looked_at_once_and_again_only_if_made_again(tmp_path: Path) -> None:
    study = tmp_path / "study"
    folder = made_run(study / "a", made(0, AGAIN + r"\boxed{85}"), made(1, "47 + 38 = 86, so \\boxed{86}"), made(2))
    table = study_taxonomy(read_study(study))
    assert pattern_counts(table).loc["a", ["traces", "redundant_verification"]].tolist() == [3, 1]
    assert error_counts(table).loc["a", "wrong"] == 2
    (kept,) = folder.path.glob("marks-*.parquet")
    written = kept.stat().st_mtime_ns
    keys = {made(k).key for k in range(3)}
    again = marks_of(RunFolder(folder.path), keys)
    assert kept.stat().st_mtime_ns == written
    start, end, truth = json.loads(again.set_index("key").loc[made(1).key, "wrong_steps"])[0]
    assert ("47 + 38 = 86, so \\boxed{86}"[start:end], truth) == ("47 + 38 = 86", "85")


def test_thinking_that_the_prompt_opened_and_a_cap_cut_is_no_right_answer(tmp_path: Path) -> None:
    cut = replace(made(0), prompt_tail="<think>\n", finish_reason=FinishReason.LENGTH)
    made_run(tmp_path / "study" / "a", cut)
    table = study_taxonomy(read_study(tmp_path / "study"))
    assert table["outcome"].tolist() == ["unparsed"]
    assert table["error"].tolist() == ["partial"]


def test_tables_show_what_is_published_in_brackets_where_the_setting_differs(tmp_path: Path) -> None:
    made_run(tmp_path / "study" / "a", made(0), made(1), published_as="Qwen3|8", name="a_b|c")
    frames = read_study(tmp_path / "study")
    table = leaderboard(frames)
    assert table.rows[0][-2:] == ("(0.821)", "(3027.8)")
    assert r"a\_b|c" in latex(table)
    assert r"a\_b\|c" in markdown("s", [], tables(frames, ()))


def test_the_parts_of_a_gap_add_up_to_it(tmp_path: Path) -> None:
    texts = [None, "no", "The answer is 5.", None]
    made_run(tmp_path / "study" / "a", *(made(k, text) for k, text in enumerate(texts)), published_as="Qwen3|8")
    (gap,) = gaps(read_study(tmp_path / "study"))
    assert gap.protocol is None
    assert gap.ours + gap.grader + gap.model == pytest.approx(gap.published)
    theirs = runner.summary(tmp_path / "study", scoring=Scoring.RELEASED_CODE.value).set_index("task")
    assert gap.ours + gap.grader == theirs.loc["overall", "accuracy_parsed"]
