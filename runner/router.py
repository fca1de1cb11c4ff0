"""A trained router: logistic regression on sentence embeddings that says for which questions thinking pays."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from runner.embedding import Embedder
from runner.errors import UserError
from runner.results.layout import write_atomic

if TYPE_CHECKING:
    import numpy as np
    import pandas as pd

ROUTER_VERSION = 1
_L2 = 1e-3  # per unit of squared weight; embeddings have length 1


@dataclass(frozen=True, slots=True)
class Router:
    """A router as it is saved.

    Attributes:
        embed: The back-end as a user chooses it.
        embed_name: Its full name; vectors of another name are others.
        weights: Of the embedding's dimensions.
        bias: Added to the weighted sum.
        trained_on: Ids of the problems that it learnt from; it is not scored on them.
        tasks: Tasks that they are of.
        runs: Names of the thinking and the direct run that it learnt from.
        version: Of this layout.
    """

    embed: str
    embed_name: str
    weights: tuple[float, ...]
    bias: float
    trained_on: tuple[str, ...]
    tasks: tuple[str, ...]
    runs: tuple[str, str]
    version: int = ROUTER_VERSION

    def scores(self, questions: Mapping[str, str], embed: Embedder) -> dict[str, float]:
        """Return by problem id the probability that thinking pays; from 0.5 on it is worth it.

        Args:
            questions: Text by problem id.
            embed: The back-end of this name.

        Raises:
            UserError: it is another one.
        """
        import numpy as np

        if embed.name != self.embed_name:
            raise UserError(
                f"the router knows vectors of {self.embed_name}, not of {embed.name}; use embed={self.embed}"
            )
        if not questions:
            return {}
        rows = embed(list(questions.values()))
        found = _sigmoid(rows @ np.array(self.weights) + self.bias)
        return dict(zip(questions, found.tolist(), strict=True))


def train_router(
    gains: pd.DataFrame, questions: Mapping[str, str], embed: Embedder, choice: str, runs: tuple[str, str]
) -> Router:
    """Return a router that learnt from some questions.

    Weighted logistic regression: a question counts by how much its mode matters, and a task as much as any other.
    With these weights choosing at a probability of 0.5 has the least expected loss.

    Args:
        gains: From :func:`bench.metrics.routers.problem_gains`.
        questions: Text by problem id.
        embed: Turns questions into vectors.
        choice: How a user chose it.
        runs: Names of the thinking and the direct run.

    Raises:
        UserError: there is nothing to learn: on no question do the modes differ.
    """
    import numpy as np

    weight = gains["gain"].abs() / gains.groupby("task")["gain"].transform("size")
    if not float(weight.sum()):
        raise UserError("route: thinking and direct answers are worth the same on every training question")
    ids = [str(one) for one in gains["problem_id"]]
    rows = embed([questions[one] for one in ids]).astype(np.float64)
    thinks = (gains["gain"] > 0).to_numpy(dtype=np.float64)
    weights, bias = _fitted(rows, thinks, weight.to_numpy(dtype=np.float64) / float(weight.sum()))
    tasks = tuple(sorted(set(map(str, gains["task"]))))
    return Router(choice, embed.name, tuple(weights.tolist()), bias, tuple(sorted(ids)), tasks, runs)


def _fitted(rows: np.ndarray, labels: np.ndarray, weights: np.ndarray) -> tuple[np.ndarray, float]:
    """Return weights and bias of the L2-regularised logistic regression; the bias is not regularised."""
    import numpy as np
    from scipy.optimize import minimize

    extended = np.column_stack((rows, np.ones(len(rows))))
    penalised = np.append(np.ones(rows.shape[1]), 0.0) * _L2

    def loss(at: np.ndarray) -> tuple[float, np.ndarray]:
        score = extended @ at
        value = weights @ (np.logaddexp(0, score) - labels * score) + 0.5 * at @ (penalised * at)
        return float(value), extended.T @ (weights * (_sigmoid(score) - labels)) + penalised * at

    # Where all labels are the same only the bias grows, without end; bounded it says so with certainty enough.
    bounds: Sequence[Any] = [(None, None)] * rows.shape[1] + [(-20, 20)]
    found = minimize(loss, np.zeros(extended.shape[1]), jac=True, method="L-BFGS-B", bounds=bounds)
    return found.x[:-1], float(found.x[-1])


def _sigmoid(score: np.ndarray) -> np.ndarray:
    import numpy as np

    return np.asarray(0.5 * (1 + np.tanh(0.5 * score)))


def save_router(router: Router, path: Path) -> None:
    """Write a router as JSON.

    Raises:
        StorageError: the file can't be written.
    """
    write_atomic(path, json.dumps(asdict(router), allow_nan=False).encode("ascii"))


def load_router(path: Path) -> Router:
    """Return a saved router.

    Raises:
        UserError: the file is none.
    """
    try:
        fields = json.loads(path.read_bytes())
        if fields["version"] != ROUTER_VERSION:
            raise ValueError(f"version {fields['version']}; this program reads {ROUTER_VERSION}")
        lists = {name: tuple(fields[name]) for name in ("weights", "trained_on", "tasks", "runs")}
        return Router(**{**fields, **lists})
    except (OSError, ValueError, TypeError, KeyError) as error:
        raise UserError(
            f"--router {path}: no saved router ({error}); train one: python -m runner route STUDY"
        ) from error
