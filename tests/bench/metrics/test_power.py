"""A detectable difference is one that the test it names would detect with the stated power."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.stats import norm

from bench.metrics.intervals import bootstrap_rng
from bench.metrics.power import detectable_paired, detectable_unpaired


@pytest.mark.parametrize(("accuracy", "n"), [(0.5, 400), (0.9, 1_000), (0.1, 200)])
def test_an_unpaired_difference_is_seen_in_four_of_five_studies(accuracy: float, n: int) -> None:
    difference = detectable_unpaired(n, accuracy)
    assert difference is not None
    towards_half = accuracy - difference if accuracy > 0.5 else accuracy + difference
    draws = np.random.Generator(bootstrap_rng("unpaired")).binomial(n, [[accuracy], [towards_half]], (2, 20_000)) / n
    pooled = draws.mean(axis=0)
    z = np.abs(draws[0] - draws[1]) / np.sqrt(2 * pooled * (1 - pooled) / n)
    assert np.mean(z > norm.ppf(0.975)) == pytest.approx(0.8, abs=0.03)


@pytest.mark.parametrize(("discordant", "n"), [(0.2, 400), (0.5, 1_000)])
def test_a_paired_difference_is_seen_in_four_of_five_studies(discordant: float, n: int) -> None:
    difference = detectable_paired(n, discordant)
    assert difference is not None
    better = (discordant + difference) / 2
    draws = np.random.Generator(bootstrap_rng("paired")).multinomial(
        n, [better, discordant - better, 1 - discordant], 20_000
    )
    z = np.abs(draws[:, 0] - draws[:, 1]) / np.sqrt(draws[:, 0] + draws[:, 1])
    assert np.mean(z > norm.ppf(0.975)) == pytest.approx(0.8, abs=0.03)


def test_a_value_worked_out_by_hand() -> None:
    assert detectable_unpaired(400) == pytest.approx(np.sin((1.95996 + 0.84162) * np.sqrt(2 / 400)) / 2, abs=1e-5)


def test_too_few_problems_show_nothing() -> None:
    assert detectable_unpaired(0) is None
    assert detectable_unpaired(2) is None
    assert detectable_paired(0, 0.5) is None
    assert detectable_paired(10, 0.01) is None
