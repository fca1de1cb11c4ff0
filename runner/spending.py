"""What a run costs at a provider, and where that ends it."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import replace
from itertools import islice

from runner.config.prices import Price, missing_price, price_of
from runner.config.settings import ApiSettings
from runner.plan import FREE, Estimate, Plan, make_plan, shown_cost
from runner.point import Point
from runner.results.record import Record
from runner.results.run import load_run
from runner.results.store import read
from runner.sampling.generation import Usage
from runner.sampling.prompting import messages_of
from runner.sampling.sample import Sample

_CHARACTERS_A_TOKEN = 4  # of English text, by OpenAI's rule of thumb; for the estimate of prompts alone
_LOOKED_AT = 100  # prompts whose mean length stands for all


class Spending:
    """Adds up what the samples of a run cost, those of earlier attempts first.

    Args:
        price: What tokens cost, None where nobody says.
        most: US dollars that end the run, None for no limit.
        batch: Whether batches are asked.
        spent: US dollars of earlier attempts.
        finished: Their samples.

    Attributes:
        spent: US dollars so far, by the stored token counts; 0 without a price.
        ended: Whether :meth:`within` held samples back.
    """

    def __init__(
        self, price: Price | None, most: float | None, batch: bool, spent: float = 0.0, finished: int = 0
    ) -> None:
        self._price = price
        self._batch = batch
        self._most = most
        self._before = spent
        self._finished = finished
        self._open = 0
        self.spent = spent
        self.ended = False

    @property
    def here(self) -> float | None:
        """US dollars of this attempt, None without a price."""
        return None if self._price is None else self.spent - self._before

    @property
    def sentence(self) -> str:
        """How the run ended, where it ended by its cost."""
        return (
            f"engine.max_cost={self._most}: the run has cost ${self.spent:.4f}, and the next sample might exceed it; "
            "what was paid for is kept, give more to go on"
        )

    def within(self, samples: Iterable[Sample]) -> Iterator[Sample]:
        """Yield samples as long as those that are under way will probably not exceed the limit.

        A sample under way counts with the mean cost of those that finished, so the limit may be exceeded by as
        much as the samples then under way cost more than that: at most twice ``max_concurrency`` of them. What was
        begun is finished, since it is paid for.
        """
        for sample in samples:
            if self._most is not None and self.spent + self._mean * (self._open + 1) > self._most:
                self.ended = True
                return
            self._open += 1
            yield sample

    def add(self, record: Record) -> None:
        """Count a finished sample."""
        self._open -= 1
        cost = self._cost(record)
        self.spent += cost
        self._finished += cost > 0  # a failed call is not known to cost anything

    @property
    def _mean(self) -> float:
        return self.spent / self._finished if self._finished else 0.0

    def _cost(self, record: Record) -> float:
        return 0.0 if self._price is None else self._price.cost(record.usage, batch=self._batch)


def spending_of(point: Point) -> Spending:
    """Return the spending of a point's run, with what it has cost so far.

    That is the sum over its stored samples, or what its attempts noted if that is more: a line that can't be read, or a
    failed sample that was made again, was paid for as well. A process that was killed noted nothing.

    Raises:
        UserError: the file of prices, or ``run.json``, can't be read.
    """
    engine = point.engine
    if not isinstance(engine, ApiSettings):
        return Spending(None, None, batch=False)
    price = price_of(point.settings.model, engine)
    if price is None:
        return Spending(None, None, engine.batch)
    costs = [price.cost(record.usage, batch=engine.batch) for record in read(point.folder)]
    run = load_run(point.folder)
    noted = sum(attempt.cost or 0.0 for attempt in run.attempts) if run is not None else 0.0
    return Spending(price, engine.max_cost, engine.batch, max(noted, sum(costs)), sum(cost > 0 for cost in costs))


def planned(point: Point, missing: int) -> Plan:
    """Return what a point would take and cost.

    Args:
        point: The point.
        missing: Samples still to be generated.

    Raises:
        UserError: the file of prices can't be read.
    """
    plan = make_plan(point.settings, point.engine.name, point.folder.path, point.suite.size, missing)
    return replace(plan, cost=_expected(point, plan))


def said_first(point: Point, missing: int) -> str:
    """Return what a run says of its cost before the first call; empty where there is no price to say it by."""
    if not isinstance(point.engine, ApiSettings) or price_of(point.settings.model, point.engine) is None:
        return ""
    return f"expected cost: {shown_cost(planned(point, missing).cost)}"


def _expected(point: Point, plan: Plan) -> Estimate:
    engine = point.engine
    if not isinstance(engine, ApiSettings):
        return FREE
    price = price_of(point.settings.model, engine)
    if price is None:
        return Estimate(None, missing_price(point.settings.model, engine))
    if plan.tokens.value is None:
        return Estimate(None, plan.tokens.basis)
    usage = Usage(prompt=round(_prompt_tokens(point) * plan.missing), output=round(plan.tokens.value))
    limit = "" if engine.max_cost is None else f"; engine.max_cost={engine.max_cost} ends the run"
    basis = f"price of {price.date} by {price.source}; prompts at {_CHARACTERS_A_TOKEN} characters a token{limit}"
    return Estimate(price.cost(usage, batch=engine.batch), basis)


def _prompt_tokens(point: Point) -> float:
    """Return the mean tokens of a prompt, by its characters."""
    prompts = [messages_of(point.settings, problem.question) for problem, _ in islice(point.suite.places(), _LOOKED_AT)]
    characters = sum(len(message.content) for prompt in prompts for message in prompt)
    return characters / len(prompts) / _CHARACTERS_A_TOKEN
