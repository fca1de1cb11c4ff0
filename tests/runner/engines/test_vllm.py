from __future__ import annotations

import dataclasses
import json
import os
import shutil
import signal
import subprocess
import sys
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import psutil
import pytest

from runner.config.settings import ModelSettings, PrecisionSettings, TransformersSettings, VllmSettings
from runner.engines.base import Engine, EngineDied
from runner.engines.transformers import TransformersEngine
from runner.engines.vllm import VllmEngine
from runner.errors import UserError
from runner.sampling.generation import FinishReason, Generation
from runner.sampling.request import Message, Request, SamplingParams, Segment
from runner.weights.weights import Weights

pytestmark = pytest.mark.vllm

CONTEXT = 512
HOT = SamplingParams(0.8, 0.95)
TEXTS = [f"What is {number} + {number * 7}?" + " Explain it." * (number % 3) for number in range(20)]
ENDLESS = "Count from 1 to 1000, one number a line."


def build(model: ModelSettings, weights: Weights, precision: str = "fp32", **engine: Any) -> VllmEngine:
    fields = {
        "name": "vllm",
        "max_restarts": 0,
        "tensor_parallel_size": 1,
        "pipeline_parallel_size": 1,
        "gpu_memory_utilization": 0.5,
        "max_num_seqs": 8,
        "max_model_len": CONTEXT,
        "enforce_eager": True,
        "prefix_caching": True,
        "cpu_kv_cache_gib": 1,
        **engine,
    }
    precision_settings = PrecisionSettings.model_validate({"name": precision})
    return VllmEngine(model, precision_settings, VllmSettings.model_validate(fields), weights)


@pytest.fixture(scope="module", autouse=True)
def one_core() -> Iterator[None]:
    """Threads bound to cores that other work wants too would wait for each other most of the time."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("VLLM_CPU_OMP_THREADS_BIND", str(min(os.sched_getaffinity(0))))
        yield


@pytest.fixture(scope="module")
def engine(smollm2_settings: ModelSettings, smollm2: Weights, one_core: None) -> Iterator[VllmEngine]:
    made = build(smollm2_settings, smollm2)
    yield made
    made.close()


@pytest.fixture(scope="module")
def transformers_engine(smollm2_settings: ModelSettings, smollm2: Weights) -> Iterator[TransformersEngine]:
    settings = TransformersSettings(name="transformers", max_restarts=0, batch_size=8, device="cpu", threads=1)
    made = TransformersEngine(smollm2_settings, PrecisionSettings(name="fp32"), settings, smollm2)
    yield made
    made.close()


def request(key: str, text: str, max_tokens: int | None = 40, sampling: SamplingParams = HOT, **fields: Any) -> Request:
    fields = {"seed": len(key) * 1000 + ord(key[-1]), **fields}
    return Request(key, (Message("user", text),), sampling, max_tokens=max_tokens, **fields)


def questions(sampling: SamplingParams, **fields: Any) -> list[Request]:
    caps = [5, 40, 17, 30]
    return [request(f"q{n}", text, caps[n % 4], sampling, **fields) for n, text in enumerate(TEXTS)]


def finish(engine: Engine) -> dict[str, Generation]:
    done: dict[str, Generation] = {}
    while engine.in_flight:
        done |= {generation.key: generation for generation in engine.poll(0.05)}
    return done


def ask(engine: Engine, requests: Sequence[Request]) -> dict[str, Generation]:
    for one in requests:
        engine.submit(one)
    return finish(engine)


def ids(generations: dict[str, Generation]) -> dict[str, tuple[int, ...] | None]:
    return {key: generation.token_ids for key, generation in generations.items()}


def processes() -> set[psutil.Process]:
    """Processes below this one, Python's own tracker of shared memory aside."""
    below = psutil.Process().children(recursive=True)
    return {process for process in below if "resource_tracker" not in " ".join(process.cmdline())}


def core(among: set[psutil.Process]) -> psutil.Process:
    return next(process for process in among if "EngineCore" in process.name())


def test_a_short_text_comes_back_while_a_long_one_still_runs(engine: VllmEngine) -> None:
    engine.submit(request("long", ENDLESS, 60))
    engine.submit(request("short", "Hi", 3))
    done: list[Generation] = []
    while not done:
        done = engine.poll(0.05)
    assert [generation.key for generation in done] == ["short"]
    assert engine.in_flight == 1
    assert set(finish(engine)) == {"long"}


@pytest.mark.parametrize(
    ("count", "sampling", "stop", "endings"),
    [
        (20, SamplingParams(), (), {FinishReason.STOP, FinishReason.LENGTH}),
        (6, SamplingParams(repetition_penalty=1.3), (), {FinishReason.LENGTH}),
        (6, SamplingParams(), (" is", "\n"), {FinishReason.STOP, FinishReason.LENGTH}),
    ],
)
def test_greedy_texts_and_all_counts_equal_those_of_transformers(
    engine: VllmEngine,
    transformers_engine: TransformersEngine,
    count: int,
    sampling: SamplingParams,
    stop: tuple[str, ...],
    endings: set[FinishReason],
) -> None:
    asked = questions(sampling, stop=stop)[:count]
    done, expected = ask(engine, asked), ask(transformers_engine, asked)
    for key, generation in done.items():
        assert dataclasses.replace(generation, latency_s=0) == dataclasses.replace(expected[key], latency_s=0)
    assert {generation.finish_reason for generation in done.values()} == endings


def test_neither_order_nor_company_changes_a_drawn_text(engine: VllmEngine) -> None:
    first = ids(ask(engine, questions(HOT)[:10]))
    assert ids(ask(engine, questions(HOT)[9::-1])) == first
    assert ids(ask(engine, questions(HOT)[1:2])) == {"q1": first["q1"]}
    assert ids(ask(engine, questions(HOT, seed=5)[:10])) != first


def test_a_continued_prefix_gives_the_uninterrupted_greedy_text(engine: VllmEngine) -> None:
    greedy = SamplingParams()
    whole = ask(engine, [request(text, text, 40, greedy) for text in TEXTS[:6]])
    cut = ask(engine, [request(text, text, 11, greedy) for text in TEXTS[:6]])
    begun = {text: Segment(part.text, part.token_ids) for text, part in cut.items() if part.usage.output == 11}
    assert begun
    rest = ask(engine, [request(text, text, 29, greedy, prefix=(segment,)) for text, segment in begun.items()])
    for text, segment in begun.items():
        assert (*segment.token_ids, *rest[text].token_ids) == whole[text].token_ids
        assert segment.text + rest[text].text == whole[text].text


def test_a_continued_drawn_text_does_not_repeat_the_draws_of_its_prefix(engine: VllmEngine) -> None:
    text = request("s", ENDLESS, 12)
    (cut,) = ask(engine, [text]).values()
    continued = request("s", ENDLESS, 12, prefix=(Segment(cut.text, cut.token_ids),))
    again = [ids(ask(engine, [continued])) for _ in range(2)]
    assert again[0] == again[1]
    assert again[0]["s"] != cut.token_ids


def test_the_cap_and_the_context_end_a_text(engine: VllmEngine) -> None:
    done = ask(engine, [request("capped", ENDLESS, 7), request("free", "word " * 400, None)])
    assert done["capped"].usage.output == len(done["capped"].token_ids or ()) == 7
    assert done["capped"].finish_reason is FinishReason.LENGTH
    assert done["free"].max_tokens == CONTEXT - done["free"].usage.prompt
    assert done["free"].usage.output <= CONTEXT - done["free"].usage.prompt


def test_a_request_that_cannot_be_asked_costs_the_others_nothing(engine: VllmEngine) -> None:
    done = ask(
        engine,
        [
            request("long", "word " * CONTEXT),
            request("hot", "Hi", sampling=SamplingParams(3.0)),
            request("cool", "Hi", sampling=SamplingParams(0.001)),  # vLLM would silently draw with 0.01
            request("good", "Hi", 3),
        ],
    )
    kinds = {key: generation.failure and generation.failure.kind for key, generation in done.items()}
    assert kinds == {"long": "prompt_too_long", "hot": "request_refused", "cool": "request_refused", "good": None}


def test_a_cancelled_request_never_comes_back(engine: VllmEngine) -> None:
    for one in (request("gone", ENDLESS), request("bad", "word " * CONTEXT), request("stays", "Hi", 3)):
        engine.submit(one)
    for key in ("gone", "bad", "unknown"):
        engine.cancel(key)
    assert set(finish(engine)) == {"stays"}


def test_a_ctrl_c_of_the_whole_group_leaves_the_engine_running(engine: VllmEngine) -> None:
    engine.submit(request("during", ENDLESS, 20))
    of_vllm = [process for process in processes() if "VLLM" in process.name()]
    assert len(of_vllm) == 2  # core and worker
    for process in of_vllm:
        process.send_signal(signal.SIGINT)
    assert finish(engine)["during"].failure is None
    assert ask(engine, [request("after", "Hi", 3)])["after"].failure is None


def test_what_is_loaded_is_read_back(engine: VllmEngine, smollm2: Weights) -> None:
    loaded = engine.loaded
    assert (loaded.weight_bits, loaded.weight_format, loaded.compute_dtype) == (32, "dense", "float32")
    assert (loaded.device, loaded.context, loaded.model_revision) == ("cpu", CONTEXT, smollm2.revision)
    assert set(loaded.versions) == {"vllm", "torch", "transformers"}


def test_the_models_generation_config_never_acts(
    engine: VllmEngine, smollm2_settings: ModelSettings, smollm2: Weights, tmp_path: Path
) -> None:
    folder = Path(shutil.copytree(smollm2.folder, tmp_path / "model"))
    stated = json.loads((folder / "generation_config.json").read_text())
    hostile = {"do_sample": True, "temperature": 2.0, "repetition_penalty": 5.0, "top_k": 1, "max_new_tokens": 2}
    (folder / "generation_config.json").write_text(json.dumps(stated | hostile))
    spoilt = build(smollm2_settings, Weights(folder, "spoilt"))
    try:
        assert ids(ask(spoilt, questions(HOT)[:6])) == ids(ask(engine, questions(HOT)[:6]))
    finally:
        spoilt.close()


def test_a_killed_engine_says_so_and_a_fresh_one_takes_its_place(
    smollm2_settings: ModelSettings, smollm2: Weights, capfd: pytest.CaptureFixture[str]
) -> None:
    others, environment = processes(), dict(os.environ)
    doomed = build(smollm2_settings, smollm2)
    assert dict(os.environ) == environment
    doomed.submit(request("x", ENDLESS))
    core(processes() - others).kill()
    with pytest.raises(EngineDied, match="exit code -9"):
        finish(doomed)
    with pytest.raises(EngineDied):
        doomed.submit(request("y", "Hi"))
    with pytest.raises(EngineDied):
        doomed.poll(0.05)
    doomed.cancel("x")
    doomed.close()
    assert processes() == others
    fresh = build(smollm2_settings, smollm2)
    assert ask(fresh, [request("x", "Hi", 3)])["x"].usage.output == 3
    fresh.close()
    fresh.close()
    assert processes() == others
    assert capfd.readouterr() == ("", "")


def test_the_core_does_not_outlive_a_killed_run() -> None:
    script = (
        "import multiprocessing, os, time\n"
        "from runner.engines.vllm_core import _Guard, _starts_watched\n"
        "guard = _Guard()\n"
        "with _starts_watched(guard) as started:\n"
        "    multiprocessing.get_context('spawn').Process(target=time.sleep, args=(600,)).start()\n"
        "print(started[0].pid, flush=True)\n"
        "os.kill(os.getpid(), 9)\n"
    )
    run = subprocess.run([sys.executable, "-c", script], stdout=subprocess.PIPE, text=True, check=False)
    assert run.returncode == -signal.SIGKILL
    pid = int(run.stdout)
    _, alive = psutil.wait_procs([psutil.Process(pid)] if psutil.pid_exists(pid) else [], timeout=30)
    assert not [process for process in alive if process.status() != psutil.STATUS_ZOMBIE]


@pytest.mark.parametrize(
    ("precision", "engine_fields", "message"),
    [
        ("fp16", {}, "precision=fp16 is not for a CPU.*precision=fp32"),
        ("fp32", {"tensor_parallel_size": 7}, "vLLM can't start .*attention heads.*divisible"),
    ],
)
def test_what_cannot_be_done_is_refused_in_one_line(
    smollm2_settings: ModelSettings, smollm2: Weights, precision: str, engine_fields: dict[str, Any], message: str
) -> None:
    with pytest.raises(UserError, match=message) as refusal:
        build(smollm2_settings, smollm2, precision, **engine_fields)
    assert "\n" not in str(refusal.value)


def test_a_gpu_build_without_gpu_names_the_alternatives(
    smollm2_settings: ModelSettings, smollm2: Weights, monkeypatch: pytest.MonkeyPatch
) -> None:
    import vllm.platforms
    from vllm.platforms.interface import UnspecifiedPlatform

    monkeypatch.setattr(vllm.platforms, "_current_platform", UnspecifiedPlatform())
    with pytest.raises(UserError, match="no GPU here; use engine=transformers, or install a CPU build"):
        build(smollm2_settings, smollm2)


def test_without_the_package_it_says_what_to_install(
    smollm2_settings: ModelSettings, smollm2: Weights, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, "vllm.platforms", None)
    with pytest.raises(UserError, match=r"pip install .*\[vllm\]"):
        build(smollm2_settings, smollm2)
