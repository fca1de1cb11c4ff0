"""The demonstration model under every axis, through the command a user types: what the papers show, it shows."""

from __future__ import annotations

import json
from pathlib import Path

import pandas as pd
import pytest

import runner as package
from runner.results.layout import RunFolder
from runner.results.store import read
from tests.end_to_end.command import runner

ASKED = ("model=thinker", "suite=basic_math_small", "sampling=greedy", "tracking=off", "engine.batch_size=64")
CARD = Path(package.__file__).parent / "data" / "thinker" / "figures.json"


@pytest.fixture(scope="module")
def study(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Run every effort, prompt style, total budget and thinking budget once; return the study's folder."""
    folder = tmp_path_factory.mktemp("thinker")
    common = (*ASKED, "engine=transformers", "study=all")
    for sweep in (
        ["suite.samples=20", "effort=none,low,medium,high"],
        ["suite.samples=20", "prompt=concise,ultra_concise,step_by_step,dont_overthink"],
        ["suite.samples=10", "budget.tokens=16,32,64,128,256,512"],
        ["suite.samples=10", "budget=thinking", "budget.answer_tokens=64", "budget.tokens=0,16,32,64,128,256"],
    ):
        done = runner("-m", *common, *sweep, cwd=folder, timeout_s=900)
        assert done.code == 0, done.out + done.err
    return folder / "outputs" / "all"


@pytest.fixture(scope="module")
def samples(study: Path) -> pd.DataFrame:
    return package.load(study)


def accuracy(samples: pd.DataFrame, **chosen: object) -> float:
    for name, value in chosen.items():
        samples = samples[samples[name] == value]
    assert len(samples) >= 140
    return float(samples["correct"].mean())


def plain(samples: pd.DataFrame) -> pd.DataFrame:
    """Return the samples without a budget."""
    return samples[samples["budget"].isna()]


@pytest.mark.slow
def test_thinking_makes_the_difference_that_the_card_states(samples: pd.DataFrame) -> None:
    card = json.loads(CARD.read_text())
    efforts = plain(samples[samples["prompt"] == "standard"])
    for effort, mode in {"none": "no thinking", "low": "low", "medium": "medium", "high": "high"}.items():
        # Twice the standard error of two shares of 280 and 700 problems, and a little.
        assert accuracy(efforts, effort=effort) == pytest.approx(card[mode]["all"]["accuracy"], abs=0.08)
    assert accuracy(efforts, effort="medium") > accuracy(efforts, effort="none") + 0.45


@pytest.mark.slow
def test_more_effort_thinks_longer_and_none_not_at_all(samples: pd.DataFrame) -> None:
    efforts = plain(samples[samples["prompt"] == "standard"])
    tokens = efforts.groupby("effort")["thinking_tokens"].mean()
    assert tokens["none"] == 0
    assert 0 < tokens["low"] < tokens["medium"] / 2
    assert tokens["medium"] * 1.6 < tokens["high"]
    assert (efforts[efforts["effort"] == "none"]["thinking_state"] != "unclosed").all()


@pytest.mark.slow
def test_concise_styles_shorten_the_thinking(samples: pd.DataFrame) -> None:
    medium = plain(samples[samples["effort"].isin(["default", "medium"])])
    tokens = medium.groupby("prompt")["thinking_tokens"].mean()
    assert tokens["ultra_concise"] < tokens["concise"] < tokens["standard"]
    assert tokens["dont_overthink"] < tokens["standard"]
    assert tokens["step_by_step"] > 0.9 * tokens["standard"]


@pytest.mark.slow
def test_accuracy_collapses_under_a_hard_cap_and_rises_with_it(samples: pd.DataFrame) -> None:
    capped = samples[samples["budget"].notna() & ~samples["run"].str.contains("thinking")]
    curve = capped.groupby("budget")["correct"].mean()
    assert list(curve.index) == [16, 32, 64, 128, 256, 512]
    assert curve[16] < 0.05
    assert curve[64] > curve[16] + 0.1
    assert curve[256] > curve[64] + 0.2
    assert curve[512] >= curve[256] - 0.02
    assert (capped["output_tokens"] <= capped["budget"]).all()


@pytest.mark.slow
def test_accuracy_rises_with_the_budget_of_thinking(samples: pd.DataFrame) -> None:
    forced = samples[samples["run"].str.contains("thinking")]
    curve = forced.groupby("budget")["correct"].mean()
    assert list(curve.index) == [0, 16, 32, 64, 128, 256]
    assert curve[0] < 0.5
    assert curve[64] > curve[16] + 0.05
    assert curve[256] > curve[0] + 0.3
    assert (forced["thinking_tokens"] <= forced["budget"]).all()
    assert set(forced[forced["budget"] == 0]["thinking_state"]) == {"forced"}
    assert set(forced["status"]) == {"ok"}


@pytest.mark.slow
def test_a_forced_close_stands_in_the_record(study: Path) -> None:
    (folder,) = study.glob("*b16thinking*")
    record = next(record for record in read(RunFolder(folder)) if len(record.turns) == 3)
    assert [turn.kind for turn in record.turns] == ["model", "injected", "model"]
    assert record.usage.injected > 0
    assert record.text.count("</think>") == 1


@pytest.mark.model
def test_text_that_it_does_not_know_breaks_nothing(tmp_path: Path) -> None:
    strange = "prompt.user='Привет ☃ \\u0000? {question} <think> </think> <|im_end|>'"
    done = runner(*ASKED, "engine=transformers", strange, "suite.samples=1", "budget.tokens=64", cwd=tmp_path)
    assert done.code == 0, done.out + done.err


@pytest.mark.model
def test_sampling_above_zero_is_repeated_by_its_seed_and_differs_by_it(tmp_path: Path) -> None:
    texts = []
    for study, seed in (("a", 1), ("b", 1), ("c", 2)):
        asked = ("sampling=benchmark", "sampling.temperature=1.5", f"sampling.seed={seed}", f"study={study}")
        done = runner(*ASKED, *asked, "engine=transformers", "suite.samples=2", "budget.tokens=200", cwd=tmp_path)
        assert done.code == 0, done.out + done.err
        (folder,) = (tmp_path / "outputs" / study).glob("*-*")
        texts.append({record.key: record.text for record in read(RunFolder(folder))})
    assert texts[0] == texts[1]
    assert sum(texts[0][key] != texts[2][key] for key in texts[0]) > 5


@pytest.mark.model
def test_a_hint_is_told_to_the_model_and_what_came_of_it_is_recorded(tmp_path: Path) -> None:
    asked = ("-m", *ASKED, "engine=transformers", "suite.samples=2", "study=hint", "budget=hint")
    done = runner(*asked, "budget.tokens=4,96,null", cwd=tmp_path)
    assert done.code == 0, done.out + done.err
    frame = package.load(tmp_path / "outputs" / "hint")
    told, free = frame[frame["budget"].notna()], frame[frame["budget"].isna()]
    assert set(told["budget_kind"]) == {"hint"}
    assert (told["budget_hit"] == (told["output_tokens"] > told["budget"])).all()
    assert set(told["budget_hit"]) == {True, False}
    assert free["budget_hit"].isna().all()
    assert (frame["injected_tokens"] == 0).all()
    prompts = frame.groupby(frame["budget"].fillna(0))["prompt_tokens"].mean()
    assert prompts[4] > prompts[0] + 10
    (folder,) = (tmp_path / "outputs" / "hint").glob("*b4hint*")
    shown = runner("show", str(folder), str(told["problem_id"].iloc[0]), cwd=tmp_path)
    assert "Use at most 4 tokens for your whole response" in shown.out
    assert "budget=hint" in shown.out


@pytest.mark.vllm
def test_both_engines_give_the_same_ids(tmp_path: Path) -> None:
    """Greedy, 308 prompts, computed in fp32 by both."""
    ids = {}
    for engine in ("transformers", "vllm"):
        extra = ["engine.cpu_kv_cache_gib=1", "engine.enforce_eager=true"] if engine == "vllm" else []
        asked = [*(word for word in ASKED if "batch_size" not in word), f"engine={engine}", f"study={engine}", *extra]
        done = runner(*asked, "suite.samples=22", cwd=tmp_path, timeout_s=900)
        assert done.code == 0, done.out + done.err
        (folder,) = (tmp_path / "outputs" / engine).glob("*-*")
        ids[engine] = {record.key: record.turns[0].token_ids for record in read(RunFolder(folder), with_ids=True)}
    assert len(ids["vllm"]) == 308
    assert ids["vllm"] == ids["transformers"]
