from __future__ import annotations

import gc
import json
import subprocess
import sys
import weakref
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any

import pytest
import torch
from tiny_model import change_json, model_settings, request, save_model

from runner.config.settings import ModelSettings, PrecisionSettings, TransformersSettings
from runner.engines import loading
from runner.engines.base import EngineDied
from runner.engines.transformers import TransformersEngine
from runner.errors import UserError
from runner.sampling.generation import Boundary, FinishReason, Generation
from runner.sampling.request import Request, SamplingParams, Segment
from runner.weights.weights import Weights

Make = Callable[..., TransformersEngine]
HOT = SamplingParams(0.8, 0.95)
TEXTS = [f"What is {number} + {number * 7}?" + " Say it." * (number % 5) for number in range(12)]


def build(model: ModelSettings, weights: Weights, precision: str = "fp32", **engine: Any) -> TransformersEngine:
    fields = {"name": "transformers", "max_restarts": 0, "batch_size": 4, "device": "cpu", "threads": None, **engine}
    return TransformersEngine(
        model,
        PrecisionSettings.model_validate({"name": precision}),
        TransformersSettings.model_validate(fields),
        weights,
    )


@pytest.fixture
def make() -> Iterator[Make]:
    """Builds engines and closes them."""
    engines: list[TransformersEngine] = []

    def make_engine(folder: Path, precision: str = "fp32", model: dict[str, Any] | None = None, **engine: Any) -> Any:
        settings = model_settings(folder, **(model or {}))
        engines.append(build(settings, Weights(folder, "r1"), precision, **engine))
        return engines[-1]

    yield make_engine
    for engine in engines:
        engine.close()


def finish(engine: TransformersEngine) -> dict[str, Generation]:
    done: dict[str, Generation] = {}
    while engine.in_flight:
        done |= {generation.key: generation for generation in engine.poll(0.05)}
    return done


def ask(engine: TransformersEngine, requests: Sequence[Request]) -> dict[str, Generation]:
    for one in requests:
        engine.submit(one)
    return finish(engine)


def questions(sampling: SamplingParams = HOT, **fields: Any) -> list[Request]:
    caps = [5, 40, 17, 90, 9, 33]
    return [
        request(f"q{n}", text, sampling=sampling, seed=n, **{"max_tokens": caps[n % 6], **fields})
        for n, text in enumerate(TEXTS)
    ]


def texts(generations: dict[str, Generation]) -> dict[str, tuple[int, ...] | None]:
    return {key: generation.token_ids for key, generation in generations.items()}


def failing(engine: TransformersEngine, error: Exception, when: Callable[[torch.Tensor], bool]) -> None:
    """Let the model raise ``error`` on the ids for which ``when`` holds."""

    def before(module: Any, args: Any, inputs: dict[str, Any]) -> None:
        if when(inputs["input_ids"]):
            raise error

    engine._forward.model.register_forward_pre_hook(before, with_kwargs=True)


@pytest.mark.parametrize("sampling", [SamplingParams(), HOT, SamplingParams(1.0), SamplingParams(0.9, 1.0, 10, 1.2)])
def test_batches_and_their_order_change_no_text(tiny: Path, make: Make, sampling: SamplingParams) -> None:
    alone = texts(ask(make(tiny, batch_size=1), questions(sampling)))
    assert len(set(alone.values())) > 6
    assert texts(ask(make(tiny, batch_size=4), questions(sampling))) == alone
    assert texts(ask(make(tiny, batch_size=7), questions(sampling)[::-1])) == alone


def test_the_loop_is_the_models_own_greedy_generation(tiny: Path, make: Make) -> None:
    engine = make(tiny)
    done = ask(engine, questions(SamplingParams()))
    for one in questions(SamplingParams()):
        ids = torch.tensor([engine.tokenization.render(one).prompt_ids])
        whole = engine._forward.model.generate(
            ids, attention_mask=torch.ones_like(ids), max_new_tokens=one.max_tokens, do_sample=False, pad_token_id=1
        )
        assert done[one.key].token_ids == tuple(whole[0, ids.shape[1] :].tolist())


def test_sliding_windows_decode_like_one_at_a_time(tiny: Path, make: Make) -> None:
    from transformers import MistralConfig, MistralForCausalLM

    torch.manual_seed(3)
    sizes = {"hidden_size": 32, "intermediate_size": 64, "num_hidden_layers": 2, "num_attention_heads": 4}
    config = MistralConfig(
        vocab_size=320, num_key_value_heads=2, sliding_window=16, initializer_range=0.3, eos_token_id=1, **sizes
    )
    MistralForCausalLM(config).save_pretrained(tiny)
    alone = texts(ask(make(tiny, batch_size=1), questions()))
    assert texts(ask(make(tiny, batch_size=5), questions())) == alone


def test_the_models_generation_config_never_acts(tiny: Path, make: Make) -> None:
    plain = texts(ask(make(tiny), questions(SamplingParams())))
    hostile = {
        "do_sample": True,
        "temperature": 9.0,
        "repetition_penalty": 5.0,
        "max_length": 3,
        "suppress_tokens": list(range(2, 300)),
        "forced_eos_token_id": 1,
        "num_beams": 4,
        "no_repeat_ngram_size": 1,
        "eos_token_id": 1,
    }
    (tiny / "generation_config.json").write_text(json.dumps(hostile))
    assert texts(ask(make(tiny), questions(SamplingParams()))) == plain


@pytest.mark.parametrize("sampling", [SamplingParams(), HOT])
def test_a_continued_prefix_gives_the_uninterrupted_text(tiny: Path, make: Make, sampling: SamplingParams) -> None:
    engine = make(tiny)
    whole = ask(engine, questions(sampling, max_tokens=40))
    cut = ask(engine, questions(sampling, max_tokens=11))
    prefixes = {key: Segment(part.text, part.token_ids) for key, part in cut.items() if len(part.token_ids or ()) == 11}
    rest = [
        request(key, TEXTS[int(key[1:])], sampling=sampling, seed=int(key[1:]), max_tokens=29, prefix=(segment,))
        for key, segment in prefixes.items()
    ]
    assert len(rest) > 6
    for key, part in ask(engine, rest).items():
        assert (*(cut[key].token_ids or ()), *(part.token_ids or ())) == whole[key].token_ids


def test_every_row_keeps_its_own_cap_and_says_why_it_ended(tiny: Path, make: Make) -> None:
    for one, generation in zip(questions(), sorted(ask(make(tiny), questions()).values(), key=_number), strict=True):
        assert generation.max_tokens == one.max_tokens
        ended = generation.token_ids is not None and generation.token_ids[-1] == 1
        assert generation.finish_reason is (FinishReason.STOP if ended else FinishReason.LENGTH)
        assert ended or generation.usage.output == one.max_tokens
        assert generation.latency_s > 0


def _number(generation: Generation) -> int:
    return int(generation.key[1:])


def test_short_rows_come_back_while_long_ones_still_run(tiny: Path, make: Make) -> None:
    engine = make(tiny, batch_size=2)
    engine.submit(request("long", sampling=HOT, max_tokens=150))
    engine.submit(request("short", sampling=HOT, max_tokens=2))
    assert [generation.key for generation in engine.poll(60.0)] == ["short"]
    assert engine.in_flight == 1


def test_poll_is_bounded_by_its_timeout(tiny: Path, make: Make) -> None:
    engine = make(tiny)
    engine.submit(request("a", max_tokens=100))
    assert engine.poll(0.0) == []
    assert engine.in_flight == 1


def test_a_cancelled_request_never_comes_back(tiny: Path, make: Make) -> None:
    engine = make(tiny, batch_size=3)
    for one in questions():
        engine.submit(one)
    engine.submit(request("too long", "1 " * 500))
    engine.poll(0.0)
    expected = texts(ask(make(tiny), questions()))
    for key in ("q1", "q3", "q11", "too long", "unknown"):  # decoding, waiting, refused, never there
        engine.cancel(key)
    done = finish(engine)
    assert done.keys().isdisjoint({"q1", "q3", "q11", "too long"})
    assert all(done[key].token_ids == expected[key] for key in done)


def test_stop_string_ends_the_text_and_leaves_it(tiny: Path, make: Make) -> None:
    engine = make(tiny)
    whole = ask(engine, [request("whole", max_tokens=40)])["whole"]
    stop = whole.text[10:14]
    end = whole.text.index(stop)
    stopped = ask(engine, [request("stopped", max_tokens=40, stop=("never there", stop))])["stopped"]
    assert stopped.text == whole.text[:end]
    assert stopped.finish_reason is FinishReason.STOP
    assert stop in engine.tokenization.decode(stopped.token_ids or ())


def test_what_is_wrong_with_a_request_comes_back_as_its_failure(tiny: Path, make: Make) -> None:
    done = ask(make(tiny), [request("long", "1 " * 500), request("fine", max_tokens=3)])
    assert done["fine"].failure is None
    assert done["long"].failure is not None
    assert (done["long"].failure.boundary, done["long"].failure.kind) == (Boundary.PROMPT, "prompt_too_long")


@pytest.mark.parametrize("error", [torch.OutOfMemoryError("CUDA out of memory"), RuntimeError("can't allocate memory")])
def test_out_of_memory_halves_the_batch_and_changes_no_text(tiny: Path, make: Make, error: Exception) -> None:
    expected = texts(ask(make(tiny), questions()))
    engine = make(tiny, batch_size=8)
    failing(engine, error, lambda ids: ids.shape[0] > 3)
    assert texts(ask(engine, questions())) == expected
    assert engine.batch_size == 2


def test_out_of_memory_with_one_sequence_fails_that_request_alone(tiny: Path, make: Make) -> None:
    engine = make(tiny)
    failing(engine, torch.OutOfMemoryError("CUDA out of memory"), lambda ids: ids.shape[1] > 150)
    done = ask(engine, [*questions(), request("huge", "é" * 90, max_tokens=4)])
    failures = {key: generation.failure.kind for key, generation in done.items() if generation.failure}
    assert failures == {"huge": "out_of_memory"}


def test_an_error_in_the_model_takes_only_the_request_that_causes_it(tiny: Path, make: Make) -> None:
    expected = texts(ask(make(tiny), questions()))
    engine = make(tiny)
    bad = request("bad", prefix=(Segment("?", token_ids=(99_999,)),))  # an id that the embedding doesn't have
    done = ask(engine, [*questions()[:6], bad, *questions()[6:]])
    failure = done.pop("bad").failure
    assert failure is not None
    assert (failure.boundary, failure.kind) == (Boundary.ENGINE, "forward_failed")
    assert texts(done) == expected


def test_logits_that_are_not_finite_are_a_failure(tiny: Path, make: Make) -> None:
    engine = make(tiny)
    engine._forward.model.lm_head.weight.data.fill_(float("nan"))
    failure = ask(engine, [request("a")])["a"].failure
    assert failure is not None
    assert failure.kind == "not_finite"


def test_a_lost_device_is_a_dead_engine(tiny: Path, make: Make) -> None:
    engine = make(tiny)
    failing(engine, RuntimeError("CUDA error: device-side assert triggered"), lambda ids: True)
    engine.submit(request("a"))
    with pytest.raises(EngineDied, match="device-side") as caught:
        engine.poll(1.0)
    assert not caught.value.restartable


def test_close_frees_the_model(tiny: Path) -> None:
    engine = build(model_settings(tiny), Weights(tiny, "r1"))
    engine.submit(request("a", max_tokens=100))
    engine.poll(0.0)
    weight = weakref.ref(engine._forward.model.lm_head.weight)
    engine.close()
    engine.close()
    gc.collect()
    assert weight() is None
    assert engine.in_flight == 0


def test_what_was_loaded_is_read_back(tiny: Path, make: Make) -> None:
    loaded = make(tiny, precision="bf16", model={"context": 100}).loaded
    assert (loaded.compute_dtype, loaded.weight_bits, loaded.weight_format) == ("bfloat16", 16, "dense")
    assert (loaded.engine, loaded.device, loaded.context, loaded.model_revision) == ("transformers", "cpu", 100, "r1")
    assert loaded.versions["torch"] == torch.__version__
    assert make(tiny, model={"context": 100_000}).loaded.context == 256


CPU, CUDA = torch.device("cpu"), torch.device("cuda")


@pytest.mark.parametrize(
    ("wanted", "trained", "device", "native", "expected"),
    [
        ("auto", torch.float16, CPU, True, torch.float32),
        ("auto", torch.bfloat16, CPU, False, torch.float32),
        ("auto", torch.bfloat16, CPU, True, torch.bfloat16),
        ("auto", torch.bfloat16, CUDA, True, torch.bfloat16),
        ("auto", torch.bfloat16, CUDA, False, torch.float16),
        ("auto", torch.float32, CUDA, True, torch.float32),
        ("fp32", torch.bfloat16, CUDA, True, torch.float32),
        ("bf16", torch.float32, CPU, False, torch.bfloat16),
    ],
)
def test_auto_precision_is_the_trained_one_where_the_hardware_has_it(
    wanted: loading.Format,
    trained: torch.dtype,
    device: torch.device,
    native: bool,
    expected: torch.dtype,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(loading, "_has_bf16", lambda device: native)  # this machine has one kind of processor
    assert loading.pick_dtype(wanted, trained, device) is expected


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"precision": "fp16"}, "precision=fp32"),
        ({"device": "cuda:7"}, "engine.device='cuda:7'"),
        ({"device": "gpu"}, "engine.device='gpu'"),
    ],
)
def test_what_this_machine_cannot_do_is_refused_with_the_alternative(
    tiny: Path, make: Make, options: dict[str, Any], message: str
) -> None:
    with pytest.raises(UserError, match=message):
        make(tiny, **options)


def test_incomplete_weights_are_refused(tiny: Path, make: Make) -> None:
    save_model(tiny)
    change_json(tiny / "config.json", num_hidden_layers=3)
    with pytest.raises(UserError, match="incomplete"):
        make(tiny)


@pytest.mark.parametrize("package", ["torch", "transformers"])
def test_a_missing_package_is_named_with_the_command_that_installs_it(tiny: Path, package: str) -> None:
    code = (
        f"import sys; sys.modules[{package!r}] = None\n"
        "from runner.engines.transformers import TransformersEngine\n"
        "TransformersEngine(None, None, None, None)"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert "UserError: engine=transformers needs torch and transformers" in done.stderr
    assert "pip install -e '.[transformers]'" in done.stderr


def test_loading_and_decoding_print_nothing(tiny: Path, make: Make, capfd: pytest.CaptureFixture[str]) -> None:
    ask(make(tiny), questions())
    assert capfd.readouterr() == ("", "")


@pytest.mark.model
@pytest.mark.slow
def test_the_embedded_model_answers_the_same_in_any_batch(smollm2_settings: ModelSettings, smollm2: Weights) -> None:
    asked = [request(f"q{n}", f"What is {n} + 5?", sampling=SamplingParams(0.1, 0.9), max_tokens=12) for n in range(6)]
    batched = build(smollm2_settings, smollm2, precision="auto", batch_size=6)
    done = ask(batched, asked)
    assert batched.loaded.compute_dtype == "float32"
    assert any("5" in generation.text for generation in done.values())
    batched.batch_size = 1
    assert texts(ask(batched, asked[::-1])) == texts(done)
    batched.close()
