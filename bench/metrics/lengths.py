"""How long outputs are: a log-normal in which a cap hides the true length, and whether lengths pile up near the cap."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray

NEAR = 0.9
MIN_LENGTHS = 3


@dataclass(frozen=True, slots=True)
class LengthFit:
    """A log-normal fitted to output lengths.

    Attributes:
        n: Outputs of at least one token.
        censored: Of these, those of which only a lower bound is known.
        empty: Outputs of no token; they are in no fit.
        mu: Mean of the logarithm of the tokens.
        sigma: Standard deviation of it.
        median: exp(mu), in tokens.
        mean: exp(mu + sigma^2 / 2), in tokens; above the observed mean where a cap cuts.
        log_likelihood: Of the logarithms of the lengths, natural logarithm.
    """

    n: int
    censored: int
    empty: int
    mu: float
    sigma: float
    median: float
    mean: float
    log_likelihood: float


@dataclass(frozen=True, slots=True)
class PileUp:
    """Whether a second mode sits near the cap.

    Attributes:
        n: Outputs of at least one token.
        near: Of these, those within the last tenth below the cap, or cut by it.
        expected: How many the log-normal of the shorter ones would put there.
        share: Share pi of all outputs that sit there beyond that; the size of the effect.
        statistic: Likelihood ratio 2 (log L(pi) - log L(0)).
        p: Of pi = 0. With many outputs any other shape than a log-normal gives a small p: read ``share`` first.
    """

    n: int
    near: int
    expected: float
    share: float
    statistic: float
    p: float


@dataclass(frozen=True, slots=True)
class _Lengths:
    """Logarithms of lengths, as far as the likelihood needs them: its cost does not grow with the number of samples."""

    known: int
    mean: float
    variance: float
    thresholds: NDArray[np.float64]
    counts: NDArray[np.int64]

    @property
    def n(self) -> int:
        return self.known + int(self.counts.sum())


def fit_lengths(tokens: ArrayLike, cut: ArrayLike) -> LengthFit | None:
    """Fit a log-normal to output lengths by maximum likelihood; a cut output is longer than it shows.

    log L = sum over whole outputs of log f(log T) + sum over cut ones of log S(log T), with density f and survival S of
    a normal. Source: LLMThinkBench (log-normal lengths); right-censoring as in Cohen 1959.

    Args:
        tokens: Output tokens, one a sample.
        cut: Whether a cap ended the output, one a sample.

    Returns:
        None below :data:`MIN_LENGTHS` whole outputs or if these are all equally long.
    """
    counts, hidden = np.asarray(tokens, dtype=np.float64), np.asarray(cut, dtype=bool)
    some = counts > 0
    lengths = _lengths(counts[some], hidden[some])
    if lengths is None:
        return None
    mu, sigma, _, likelihood = _fit(lengths, mixed=False)
    return LengthFit(
        n=lengths.n,
        censored=lengths.n - lengths.known,
        empty=int((~some).sum()),
        mu=mu,
        sigma=sigma,
        median=float(np.exp(mu)),
        mean=float(np.exp(mu + sigma**2 / 2)),
        log_likelihood=likelihood,
    )


def pile_up(tokens: ArrayLike, cut: ArrayLike, caps: ArrayLike, near: float = NEAR) -> PileUp | None:
    """Test for a second mode near the cap: more outputs there than one log-normal explains.

    An output reaches ``near`` * cap with probability pi + (1 - pi) S(log(near cap)), else has density (1 - pi) f. This
    is the cure model of Boag 1949, with never stopping in the place of being cured. p = P(chi2_1 > LR) / 2, since
    pi = 0 is the edge of its range (Self and Liang 1987). Source of the question: LLMThinkBench. Meant for one task:
    tasks of different lengths together are no log-normal.

    Args:
        tokens: Output tokens, one a sample.
        cut: Whether a cap ended the output, one a sample.
        caps: The cap that acted, one a sample or one for all.
        near: From which share of the cap on a length is near it, in (0, 1].

    Returns:
        None below :data:`MIN_LENGTHS` outputs away from the cap or if these are all equally long.
    """
    counts, hidden = np.asarray(tokens, dtype=np.float64), np.asarray(cut, dtype=bool)
    limits = np.broadcast_to(near * np.asarray(caps, dtype=np.float64), counts.shape)
    some = counts > 0
    counts, hidden, limits = counts[some], hidden[some], limits[some]
    close = hidden | (counts >= limits)
    lengths = _lengths(np.where(close, limits, counts), close)
    if lengths is None:
        return None
    alone, mixed = _fit(lengths, mixed=False), _fit(lengths, mixed=True)
    statistic = max(0.0, 2 * (mixed[3] - alone[3]))
    return PileUp(
        n=lengths.n,
        near=int(close.sum()),
        expected=_expected(mixed[0], mixed[1], limits),
        share=mixed[2] if statistic else 0.0,
        statistic=statistic,
        p=_half_chi2(statistic),
    )


def _lengths(tokens: NDArray[np.float64], hidden: NDArray[np.bool_]) -> _Lengths | None:
    whole = np.log(tokens[~hidden])
    if len(whole) < MIN_LENGTHS or np.ptp(whole) == 0:
        return None
    thresholds, counts = np.unique(tokens[hidden], return_counts=True)
    return _Lengths(len(whole), float(whole.mean()), float(whole.var()), np.log(thresholds), counts)


def _fit(lengths: _Lengths, mixed: bool) -> tuple[float, float, float, float]:
    """Return mu, sigma, pi and the log-likelihood; pi is 0 unless ``mixed``."""
    from scipy.optimize import minimize

    if not len(lengths.counts):
        sigma = lengths.variance**0.5
        return lengths.mean, sigma, 0.0, -_loss(lengths)(np.array([lengths.mean, np.log(sigma)])) * lengths.n
    hidden = 1 - lengths.known / lengths.n
    start = [lengths.mean, np.log(lengths.variance) / 2, *([hidden / 2] if mixed else [])]
    bounds = [(None, None), (None, None), *([(0.0, hidden)] if mixed else [])]
    options = {"xatol": 1e-8, "fatol": 1e-13, "maxiter": 4_000}
    found = minimize(_loss(lengths), start, method="Nelder-Mead", bounds=bounds, options=options)
    mu, log_sigma = (float(value) for value in found.x[:2])
    share = float(found.x[2]) if mixed else 0.0
    return mu, float(np.exp(log_sigma)), share, -float(found.fun) * lengths.n


def _loss(lengths: _Lengths) -> Callable[[NDArray[np.float64]], float]:
    """Return minus the mean log-likelihood as a function of mu, log sigma and, if it is given, pi."""
    from scipy.special import log_ndtr

    def loss(parameters: NDArray[np.float64]) -> float:
        mu, log_sigma = parameters[:2]
        share = parameters[2] if len(parameters) > 2 else 0.0
        variance = np.exp(2 * log_sigma)
        squares = (lengths.variance + (lengths.mean - mu) ** 2) / variance
        whole = lengths.known * (np.log1p(-share) - log_sigma - np.log(2 * np.pi) / 2 - squares / 2)
        beyond = log_ndtr((mu - lengths.thresholds) / np.exp(log_sigma))
        hidden = beyond if share == 0 else np.logaddexp(np.log(share), np.log1p(-share) + beyond)
        return -float(whole + lengths.counts @ hidden) / lengths.n

    return loss


def _expected(mu: float, sigma: float, limits: NDArray[np.float64]) -> float:
    from scipy.special import ndtr

    return float(ndtr((mu - np.log(limits)) / sigma).sum())


def _half_chi2(statistic: float) -> float:
    from scipy.stats import chi2

    return float(chi2.sf(statistic, 1) / 2) if statistic else 1.0
