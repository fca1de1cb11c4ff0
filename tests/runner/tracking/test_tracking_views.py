"""What a tracker is shown of a real folder: one id for a run, and few traces chosen by their keys."""

from __future__ import annotations

import random
from dataclasses import replace

from runner.config.settings import Scoring
from runner.results.record import RecordStatus
from runner.results.run import load_run
from runner.tracking.views import choose_keys, trace_rows, tracked_run
from tests.runner.results.made_records import made, made_run


def test_chosen_keys_are_the_same_in_any_order_and_of_all_tasks():
    tasks = ("sum", "mean", "mode", "median")
    keys = [f"{tasks[index % 4]}:{index}/0" for index in range(200)]
    chosen = choose_keys(keys, 40)
    assert chosen == choose_keys(random.Random(1).sample(keys, len(keys)), 40)
    assert {key.split(":")[0] for key in chosen} == set(tasks)
    assert choose_keys(keys[:100], 5) == [key for key in choose_keys(keys, 200) if key in keys[:100]][:5]
    assert len(choose_keys(keys, 1_000)) == 200


def test_traces_are_split_and_graded(tmp_path):
    thought = made(0, r"<think>so</think> It is \boxed{7}.", task="mean", thinking=1)
    folder = made_run(tmp_path / "run", made(1), thought, made(2, status=RecordStatus.ERROR))
    first, second = trace_rows(folder, "thinker", Scoring.PAPER, 10)
    assert (first.task, first.thinking, first.extracted, first.outcome) == ("mean", "so", "7", "incorrect")
    assert (second.task, second.outcome, second.extracted) == ("sum", "correct", second.gold)
    assert len(trace_rows(folder, "thinker", Scoring.PAPER, 1)) == 1
    assert trace_rows(folder, "thinker", Scoring.PAPER, 0) == []


def test_a_sample_with_damaged_data_is_left_out(tmp_path):
    folder = made_run(tmp_path / "run", replace(made(0), data=None), made(1))
    assert [row.problem_id for row in trace_rows(folder, "thinker", Scoring.PAPER, 10)] == [made(1).problem_id]


def test_two_peoples_runs_of_one_name_have_two_ids(tmp_path):
    ids = []
    for person in ("one", "other", "one"):
        folder = made_run(tmp_path / person)
        run = load_run(folder)
        assert run is not None
        ids.append(tracked_run("run", "study", run, folder).id)
    assert ids[0] == ids[2] != ids[1]
