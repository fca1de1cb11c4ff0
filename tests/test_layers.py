"""Imports go one way: bench never imports runner, and inside runner no module imports one of a higher floor."""

from __future__ import annotations

import ast
import re
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parent.parent

PACKAGES = {
    "runner", "runner.cli", "runner.config", "runner.engines", "runner.recipe", "runner.report", "runner.results",
    "runner.sampling",
    "runner.slurm", "runner.tools", "runner.tools.inside", "runner.tracking", "runner.weights",
}  # fmt: skip

# From the ground up; a module belongs to the longest name that fits it. docs/architecture.md says the same.
FLOORS = (
    ("vocabulary and settings", (
        *sorted(PACKAGES), "runner.errors", "runner.stop", "runner.report.console", "runner.config.fields",
        "runner.config.model", "runner.config.scripted", "runner.config.custom", "runner.config.settings",
        "runner.config.folder", "runner.config.machine", "runner.config.plain_yaml",
        "runner.config.naming", "runner.config.api", "runner.config.prices", "runner.slurm.settings",
        "runner.config.judge", "runner.config.recipe",
        "runner.sampling.request", "runner.sampling.generation", "runner.sampling.seeds", "runner.tools.protocol",
        "runner.config.tools",
        "runner.results.record", "runner.results.verdict_row", "runner.engines.base", "runner.weights.weights",
        "runner.tracking.base",
    )),
    ("what is asked", (
        "runner.tools.inside.", "runner.tools.seccomp", "runner.tools.namespaces", "runner.tools.launch",
        "runner.tools.sandbox", "runner.tools.usable",
        "runner.config.suite", "runner.config.compose", "runner.config.fingerprint", "runner.config.preflight",
        "runner.config.study", "runner.config.api_rules", "runner.config.stored", "runner.config.provider_rules",
        "runner.config.sweep",
    )),
    ("prompting, budget, engines, tools", (
        "runner.sampling.prompting", "runner.weights.", "runner.engines.", "runner.tools.pool",
        "runner.tools.reading",
        "runner.tools.react", "runner.tools.native", "runner.tools.dialects", "runner.tools.calculator",
        "runner.tools.functions",
        "runner.tools.python", "runner.tools.warm", "runner.tools.execute",
        "runner.embedding",
    )),
    ("sample, store", (
        "runner.sampling.sample", "runner.sampling.tool_turns", "runner.sampling.budget", "runner.sampling.probe",
        "runner.results.layout", "runner.results.append",
        "runner.results.output", "runner.results.lock", "runner.results.store", "runner.results.token_ids",
        "runner.results.run", "runner.results.runs", "runner.results.counts", "runner.results.progress",
        "runner.results.log", "runner.results.judgements", "runner.results.executions", "runner.results.trajectories",
        "runner.results.asked", "runner.slurm.submission",
        "runner.slurm.queue", "runner.slurm.state", "runner.slurm.source", "runner.results.batch_journal",
    )),
    ("driver, grading", ("runner.sampling.driver", "runner.results.grading", "runner.results.verdict_table")),
    ("summary", ("runner.results.summary", "runner.results.published", "runner.results.published_tools",
        "runner.results.load", "runner.results.rescore",
        "runner.results.foreign", "runner.results.exact", "runner.results.curve", "runner.results.paired",
        "runner.results.optimal",
        "runner.results.marks", "runner.results.redundancy", "runner.results.certificate")),
    ("tracking, report", ("runner.tracking.", "runner.report.")),
    ("experiment, cli", (
        "runner.point", "runner.pack", "runner.batches", "runner.spending", "runner.plan", "runner.experiment",
        "runner.shard", "runner.reuse",
        "runner.asking", "runner.judge_cases", "runner.judging", "runner.judge_beside", "runner.judge_stage",
        "runner.recipe.", "runner.router",
        "runner.verify", "runner.onset", "runner.executing", "runner.cli.",
    )),
    ("sweep", (
        "runner.sweep", "runner.spread", "runner.worker", "runner.slurm.packing", "runner.slurm.executor",
        "runner.slurm.submit", "runner.slurm.wait", "runner.slurm.task",
    )),
    ("app", ("runner.app",)),
    ("door", ("runner.__main__",)),
)  # fmt: skip

# What a module of bench imports where it is used, beside the standard library.
LAZY_PACKAGES = {
    "bench.puzzles.gym": {"reasoning_gym"},
    "bench.grading.symbolic_process": {"math_verify"},
    "bench.stored.rows": {"pyarrow"},
}

# Attributes of a package that come from a module on demand, see runner/__init__.py.
LAZY_EXPORTS = {("runner", "runner.results.load")}


def modules() -> dict[str, Path]:
    found = {}
    for package in ("bench", "runner"):
        for path in sorted((ROOT / package).rglob("*.py")):
            parts = path.relative_to(ROOT).with_suffix("").parts
            found[".".join(part for part in parts if part != "__init__")] = path
    return found


def imports(path: Path) -> set[str]:
    names: set[str] = set()
    for node in ast.walk(ast.parse(path.read_text("utf-8"))):
        if isinstance(node, ast.Import):
            names |= {alias.name for alias in node.names}
        elif isinstance(node, ast.ImportFrom) and node.module:
            names.add(node.module)
            names |= {f"{node.module}.{alias.name}" for alias in node.names}
    return names


MODULES = modules()


def floor(module: str) -> int:
    fits = [
        (len(name), level)
        for level, (_, names) in enumerate(FLOORS)
        for name in names
        if module == name or (name.endswith(".") and module.startswith(name))
    ]
    assert fits, f"{module} has no floor; add it to FLOORS and to docs/architecture.md"
    return max(fits)[1]


@pytest.mark.parametrize("module", [name for name in MODULES if name.split(".")[0] == "bench"])
def test_bench_core_is_the_standard_library(module: str) -> None:
    allowed = {*sys.stdlib_module_names, "bench"}
    if module.startswith("bench.metrics"):
        allowed |= {"numpy", "pandas", "scipy"}
    allowed |= LAZY_PACKAGES.get(module, set())
    assert {name.split(".")[0] for name in imports(MODULES[module])} <= allowed


@pytest.mark.parametrize("module", [name for name in MODULES if name.split(".")[0] == "runner"])
def test_no_runner_module_imports_a_higher_floor(module: str) -> None:
    here = floor(module)
    for name in imports(MODULES[module]) & set(MODULES):
        if name.startswith("runner") and (module, name) not in LAZY_EXPORTS:
            assert floor(name) <= here, f"{module} (floor {here}) imports {name} (floor {floor(name)})"


def test_no_module_imports_itself_in_a_circle() -> None:
    graph = {name: imports(path) & set(MODULES) - {name} for name, path in MODULES.items()}
    for source, target in LAZY_EXPORTS:
        graph[source] -= {target}
    done: set[str] = set()

    def visit(name: str, trail: tuple[str, ...]) -> None:
        assert name not in trail, " -> ".join((*trail, name))
        if name not in done:
            for next_name in graph[name]:
                visit(next_name, (*trail, name))
            done.add(name)

    for name in graph:
        visit(name, ())


def test_the_floors_are_those_of_the_documentation() -> None:
    page = (ROOT / "docs" / "architecture.md").read_text("utf-8")
    for name, modules in FLOORS:
        (row,) = (line for line in page.split("\n") if line.startswith(f"| {name} |"))
        named = {f"runner.{word.strip('*')}" for word in re.findall(r"`([^`]+)`", row)}
        assert named == {module for module in modules if module not in PACKAGES}, name


def test_the_training_code_needs_no_part_of_the_program() -> None:
    for path in (ROOT / "thinker").glob("*.py"):
        assert "runner" not in {name.split(".")[0] for name in imports(path)}, path
