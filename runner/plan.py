"""What a point would cost, said before anything is loaded."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from math import prod
from pathlib import Path
from typing import Any

from rich.console import Console
from rich.table import Table
from rich.text import Text

from bench.metrics.power import detectable_paired, detectable_unpaired
from runner.config.naming import point_name
from runner.config.settings import BudgetSettings, GptqSettings, Settings, ThinkingBudget
from runner.errors import UserError
from runner.point import Point
from runner.report.console import print_line
from runner.results.layout import RunFolder, find_runs
from runner.results.published import published
from runner.results.run import Run, load_run
from runner.reuse import shared_text, text_size
from runner.weights.quantize import origin

# Share of problems on which two compared runs disagree, for the paired difference; a cautious round figure.
DISCORDANT = 0.2
# An earlier run with fewer samples tells nothing of how long a model's texts are.
LEAST_SAMPLES = 20
# A shorter attempt measures the filling and emptying of a batch.
LEAST_SECONDS = 2.0


@dataclass(frozen=True, slots=True)
class Estimate:
    """A figure and where it was taken from; ``value`` is None if nothing is known yet."""

    value: float | None
    basis: str


FREE = Estimate(0.0, "the model runs on this machine")


@dataclass(frozen=True, slots=True)
class Plan:
    """What would be done.

    Attributes:
        folder: Where the run lies.
        engine: The engine that would be loaded.
        samples: Samples of the point.
        missing: Of these, still to be generated.
        problems: Different problems among them, the unit of every test.
        tokens: Expected output tokens in sum.
        seconds: Expected time of generating them.
        paired: Smallest accuracy difference to another run on the same problems that 80 % of studies of this size see.
        unpaired: The same to a run on other problems.
        cost: Expected US dollars for what is missing.
    """

    folder: Path
    engine: str
    samples: int
    missing: int
    problems: int
    tokens: Estimate
    seconds: Estimate
    paired: float | None
    unpaired: float | None
    cost: Estimate = FREE


def make_plan(settings: Settings, engine: str, folder: Path, samples: int, missing: int) -> Plan:
    """Estimate from earlier runs of the model, else from published figures, else from the cap."""
    a_sample = _tokens_a_sample(settings)
    tokens = None if a_sample.value is None else a_sample.value * missing
    rate = _rate(settings, engine)
    seconds = None if tokens is None or rate.value is None else tokens / rate.value
    basis = rate.basis if tokens is not None else "so are the tokens"
    problems = samples // settings.suite.repeats
    return Plan(
        folder=folder,
        engine=engine,
        samples=samples,
        missing=missing,
        problems=problems,
        tokens=Estimate(tokens, a_sample.basis),
        seconds=Estimate(seconds, basis),
        paired=detectable_paired(problems, DISCORDANT),
        unpaired=detectable_unpaired(problems),
    )


def paid_once(plans: Sequence[Plan], points: Sequence[Point]) -> list[Plan]:
    """Return the plans of a study's points with what they share counted once.

    Points that differ in their budget alone are cut from, or continue, one text a sample: the largest budget pays for
    it. Of the others a budget on thinking pays for its answers, one on all output for nothing.
    """
    largest: dict[str, float] = {}
    for text, point in ((shared_text(point), point) for point in points):
        if text is not None:
            largest[text] = max(largest.get(text, 0.0), text_size(point))
    found = []
    for plan, point in zip(plans, points, strict=True):
        text = shared_text(point)
        shares = text is not None and text_size(point) < largest[text]
        found.append(_shared(plan, point.settings.budget) if shares else plan)
    return found


def _shared(plan: Plan, budget: BudgetSettings) -> Plan:
    """Return the plan of a point whose texts are those of a larger budget."""
    answer = budget.answer_tokens if isinstance(budget, ThinkingBudget) else 0
    paid, alone, seconds = float(answer * plan.missing), plan.tokens.value, plan.seconds
    paid = paid if alone is None else min(paid, alone)
    basis = "what points share is counted once"
    if not paid:
        seconds = Estimate(0.0, basis)
    elif seconds.value is not None and alone:
        seconds = Estimate(seconds.value * paid / alone, seconds.basis)
    return replace(plan, tokens=Estimate(paid, basis), seconds=seconds)


def show_plan(plan: Plan, settings: Settings, obstacles: Iterable[str], console: Console) -> None:
    """Print the plan as a table of two columns, then why this machine can't carry it out, if it can't."""
    table = Table(title=Text(f"Plan for {settings.model.name}"), title_justify="left", show_header=False)
    difference = (
        f"{_points(plan.paired)} against a run on the same problems (if {DISCORDANT:.0%} of them change), "
        f"{_points(plan.unpaired)} against other problems; 80 % power, 5 % level"
    )
    rows = {
        "samples": f"{plan.samples}, of which {plan.missing} are missing",
        "tokens": _shown(plan.tokens, "", 1),
        "time": _shown(plan.seconds, " min", 60),
        "cost": shown_cost(plan.cost),
        "engine": plan.engine,
        **_weights(settings),
        "folder": str(plan.folder),
        "detectable difference": difference,
    }
    for name, value in rows.items():
        table.add_row(name, Text(value))
    console.print(table, highlight=False)
    for obstacle in obstacles:
        print_line(console, f"not on this machine: {obstacle}")


def _weights(settings: Settings) -> dict[str, str]:
    """Return the row that says whose quantised weights would be loaded, none for others."""
    precision = settings.precision
    return {"weights": origin(settings.model, precision).words} if isinstance(precision, GptqSettings) else {}


def show_plans(plans: Sequence[tuple[Plan, Settings]], console: Console) -> None:
    """Print the plans of a study as one table, a row a point and one for all; then what is not known."""
    table = Table(title=Text(f"Plan for {len(plans)} points"), title_justify="left")
    table.add_column("point", overflow="fold")
    for heading in ("samples", "missing", "tokens", "minutes"):
        table.add_column(heading, justify="right", no_wrap=True)
    for plan, settings in plans:
        table.add_row(Text(point_name(settings)), *_figures([plan]))
    table.add_section()
    table.add_row("all points", *_figures([plan for plan, _ in plans]))
    console.print(table, highlight=False)
    bases = [estimate.basis for plan, _ in plans for estimate in (plan.tokens, plan.seconds)]
    print_line(console, f"tokens and time by: {'; '.join(dict.fromkeys(bases))}")
    if any(plan.cost is not FREE for plan, _ in plans):
        print_line(console, f"cost of all points: {_total_cost([plan.cost for plan, _ in plans])}")
    folders = dict.fromkeys(str(plan.folder.parent) for plan, _ in plans)
    print_line(console, f"folder: {', '.join(folders)}")


def _figures(plans: Sequence[Plan]) -> list[str]:
    """Return samples, missing, tokens and minutes of plans together; a sum in which one is unknown is unknown."""
    tokens, seconds = ([getattr(plan, name).value for plan in plans] for name in ("tokens", "seconds"))
    counts = [f"{sum(plan.samples for plan in plans)}", f"{sum(plan.missing for plan in plans)}"]
    return [*counts, _summed(tokens, 1), _summed(seconds, 60)]


def _summed(values: Sequence[float | None], divisor: float) -> str:
    known = [value for value in values if value is not None]
    return f"{sum(known) / divisor:,.0f}" if len(known) == len(values) else "unknown"


def _tokens_a_sample(settings: Settings) -> Estimate:
    cap = settings.budget.most_tokens
    for folder, run in _earlier(settings):
        done, mean = _mean_tokens(folder)
        if mean is not None and done >= LEAST_SAMPLES and _is_bound(run.settings["budget"], settings):
            partly = "" if done >= _asked(run) else f"; {done} of its {_asked(run)} samples, the short ones come first"
            return Estimate(min(mean, cap or mean), f"mean of {folder.path}{partly}")
    if settings.model.published_as is not None:
        mean = published(settings.model.published_as).output_tokens
        return Estimate(min(mean, cap or mean), "published mean of this model")
    if cap is not None:
        return Estimate(float(cap), "the cap, an upper bound")
    return Estimate(None, "no run of this model with as large a budget yet, and no cap")


def _is_bound(budget: Mapping[str, Any], settings: Settings) -> bool:
    """Tell whether texts under another run's budget are at least as long as they will be under this one."""
    theirs, ours = budget["tokens"], settings.budget.tokens
    if budget.get("kind") != settings.budget.kind:
        return theirs is None
    return theirs is None or (ours is not None and int(theirs) >= ours)


def _asked(run: Run) -> int:
    """Return how many samples a run was last asked for, all tasks together; 0 where an older version didn't say."""
    suite = run.settings["suite"]
    tasks = suite.get("tasks") or suite.get("params") or ()
    return len(tasks) * int(prod(suite.get(factor, 0) for factor in ("folds", "samples", "repeats")))


def _rate(settings: Settings, engine: str) -> Estimate:
    """Return tokens a second of an earlier run of the same model on the same engine, and on what device that was.

    The device of a run to come is not known before it is loaded; a short attempt is no measurement.
    """
    for folder, run in _earlier(settings):
        if run.loaded.engine != engine:
            continue
        for attempt in reversed(run.attempts):
            if attempt.seconds >= LEAST_SECONDS and attempt.output_tokens > 0:
                return Estimate(attempt.output_tokens / attempt.seconds, f"speed of {folder.path} on {attempt.device}")
    reason = f"no run of this model on {engine} that took {LEAST_SECONDS:.0f} s or more to take the speed from"
    return Estimate(None, reason)


def _earlier(settings: Settings) -> Iterator[tuple[RunFolder, Run]]:
    """Yield the runs of the same model and precision in any study: same effort and prompt first, then the latest."""
    outputs = Path(settings.outputs)
    studies = [path for path in outputs.iterdir() if path.is_dir()] if outputs.is_dir() else []
    runs = [(folder, run) for study in studies for folder in find_runs(study) if (run := _readable(folder))]

    def nearness(pair: tuple[RunFolder, Run]) -> tuple[bool, bool, str]:
        theirs = pair[1].settings
        same_effort = theirs["effort"]["level"] == settings.effort.level
        return same_effort, theirs["prompt"]["name"] == settings.prompt.name, pair[1].updated

    for folder, run in sorted(runs, key=nearness, reverse=True):
        same_model = run.settings["model"]["name"] == settings.model.name
        if same_model and run.settings["precision"]["name"] == settings.precision.name:
            yield folder, run


def _readable(folder: RunFolder) -> Run | None:
    try:
        return load_run(folder)
    except UserError:
        return None  # an estimate does without


def _mean_tokens(folder: RunFolder) -> tuple[int, float | None]:
    """Return how many samples a run has, and their mean output tokens."""
    try:
        summary = json.loads(folder.summary.read_bytes())
        done, mean = summary["overall"]["n"], summary["overall"]["output_tokens"]
    except (OSError, ValueError, KeyError):
        return 0, None  # not summarised yet, or by another version
    return int(done), float(mean) if mean else None


def _shown(estimate: Estimate, unit: str, divisor: float) -> str:
    if estimate.value is None:
        return f"unknown: {estimate.basis}"
    return f"about {estimate.value / divisor:,.0f}{unit} ({estimate.basis})"


def shown_cost(cost: Estimate) -> str:
    """Return an expected cost as a person reads it."""
    if cost is FREE:
        return f"none: {cost.basis}"
    return f"unknown: {cost.basis}" if cost.value is None else f"about ${cost.value:,.2f} ({cost.basis})"


def _total_cost(costs: Sequence[Estimate]) -> str:
    """Return what several points cost together; where one is unknown, why."""
    unknown = next((cost for cost in costs if cost.value is None), None)
    paid = [cost for cost in costs if cost is not FREE]
    basis = "; ".join(dict.fromkeys(cost.basis for cost in paid))
    return shown_cost(unknown or Estimate(sum(cost.value or 0.0 for cost in paid), basis))


def _points(difference: float | None) -> str:
    return "none" if difference is None else f"{100 * difference:.1f} points"
