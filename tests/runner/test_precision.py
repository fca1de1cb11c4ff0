"""What a device or engine can't do in a precision is refused, with the alternative; what was loaded is checked."""

from __future__ import annotations

import re

import pytest

from runner.config import machine
from runner.config.compose import compose
from runner.config.fingerprint import generation_fingerprint
from runner.config.preflight import preflight, unavailable
from runner.config.suite import Suite
from runner.engines.base import LoadedModel
from runner.engines.factory import capabilities, check_precision, resolve
from runner.errors import UserError
from runner.report.study import computed_in
from runner.results.run import Run

CPU_ALONE = pytest.mark.skipif(machine.has_gpu(), reason="speaks of machines without a GPU")


@CPU_ALONE
@pytest.mark.parametrize(
    ("overrides", "says"),
    [
        (["precision=int8", "engine=vllm"], "vLLM has no 8-bit GPTQ for a CPU; use engine=transformers"),
        (["precision=int4", "engine=vllm", "precision.compute=fp16"], "vLLM on a CPU takes bf16 alone"),
        (["precision=int4", "precision.compute=fp16"], "a CPU has no fast fp16 arithmetic; use precision.compute=auto"),
        (["precision=fp16"], "precision=fp16: a CPU has no fast fp16 arithmetic; use precision=fp32"),
    ],
)
def test_a_cpu_refuses_what_it_cant_do(overrides: list[str], says: str) -> None:
    settings = compose(["model=thinker", "engine=transformers", *overrides])
    assert any(says in line for line in unavailable(settings, resolve(settings.engine)))


@pytest.mark.skipif(machine.has_package("gptqmodel"), reason="this environment has it")
@pytest.mark.parametrize("precision", ["int8", "int4"])
def test_transformers_without_gptqmodel_names_another_engine(precision: str) -> None:
    settings = compose(["model=thinker", "engine=transformers", f"precision={precision}"])
    says = rf"^precision={precision}: engine=transformers needs gptqmodel and optimum"
    with pytest.raises(UserError, match=says) as told:
        preflight(settings, resolve(settings.engine), capabilities(resolve(settings.engine)))
    assert "use engine=vllm" in str(told.value)


def test_vllm_computes_with_gptq_weights_in_16_bits() -> None:
    settings = compose(["model=thinker", "engine=vllm", "precision=int4", "precision.compute=fp32", "plan=true"])
    with pytest.raises(UserError, match=r"GPTQ weights in 16 bits alone; use precision.compute=auto"):
        preflight(settings, resolve(settings.engine), capabilities(resolve(settings.engine)))


def loaded(bits: int, weight_format: str, dtype: str) -> LoadedModel:
    return LoadedModel("transformers", "r", bits, weight_format, dtype, "cpu", 1024, {})


@pytest.mark.parametrize(
    ("precision", "found", "fits"),
    [
        ("int4", (4, "gptq", "bfloat16"), True),
        ("int4", (8, "gptq", "bfloat16"), False),
        ("int8", (16, "dense", "bfloat16"), False),
        ("fp32", (32, "dense", "float32"), True),
        ("fp32", (4, "gptq", "float32"), False),
        ("bf16", (32, "dense", "float32"), False),
        ("auto", (4, "mxfp4", "bfloat16"), True),
    ],
)
def test_other_weights_than_asked_for_stop_the_run(precision: str, found: tuple[int, str, str], fits: bool) -> None:
    asked = compose([f"precision={precision}"]).precision
    if fits:
        check_precision(asked, loaded(*found))
        return
    bits, weight_format, dtype = found
    says = f"{precision} was asked for, but loaded are {bits}-bit {weight_format} weights that compute in {dtype}"
    with pytest.raises(UserError, match=re.escape(says)):
        check_precision(asked, loaded(*found))


def test_the_compute_format_is_checked_apart() -> None:
    asked = compose(["precision=int4", "precision.compute=bf16"]).precision
    with pytest.raises(UserError, match="compute in float32"):
        check_precision(asked, loaded(4, "gptq", "float32"))


def test_a_study_of_runs_that_do_not_compute_alike_says_so() -> None:
    def run(precision: str, dtype: str) -> Run:
        return Run("f", {"precision": {"name": precision}}, loaded(16, "dense", dtype), "", "", (), "n")

    alike = [run("fp32", "float32"), run("int8", "float32"), run("auto", "none")]
    assert computed_in(alike) is None
    said = computed_in([*alike, run("int4", "bfloat16")])
    assert said is not None
    assert said.endswith("bfloat16 (precision int4); float32 (precision fp32, int8)")


def test_runs_of_other_quantised_weights_never_share_a_folder() -> None:
    def fingerprint(*overrides: str) -> str:
        settings = compose(["suite.tasks=[sum]", *overrides])
        return generation_fingerprint(settings, Suite(settings.suite))

    asked = (
        ["precision=int4"],
        ["precision=int8"],
        ["precision=int4", "precision.compute=bf16"],
        ["precision=int4", "precision.calibration_samples=64"],
        ["precision=int4", "+model.checkpoints.int4={id: org/name}"],
        ["precision=int4", "+model.checkpoints.int4={id: org/name, revision: abc}"],
    )
    assert len({fingerprint(*overrides) for overrides in asked}) == len(asked)
    published = ("precision=int4", "+model.checkpoints.int4={id: org/name}")
    assert fingerprint(*published) == fingerprint(*published, "precision.calibration_samples=64")
