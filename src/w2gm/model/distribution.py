"""One word as a probability distribution: a mixture of K Gaussians, in float64."""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from w2gm.errors import ConfigError

Doubles = npt.NDArray[np.float64]


class Entropy(NamedTuple):
    """Differential entropy in nats, and the standard error of the estimate (0 when it is exact)."""

    value: float
    error: float


@dataclass(frozen=True, eq=False)
class Sense:
    """One component of a word. `variance` is a float when spherical, (D,) when diagonal."""

    key: str
    number: int
    weight: float
    mean: Doubles
    variance: float | Doubles


@dataclass(frozen=True, eq=False)
class WordDistribution:
    """The mixture f(x) = sum_k weights_k N(x; means_k, variances_k) of one word.

    weights: (K,). means: (K, D). variances: (K,) when spherical, (K, D) when diagonal. numbers: the components'
    numbers in the model, 0..K-1 unless this is one sense alone (`model["bank:1"]`). All float64.

    >>> bank = WordDistribution("bank", np.array([0.75, 0.25]), np.array([[0.0], [4.0]]), np.ones(2))
    >>> round(bank.density(np.zeros(1)), 4)
    0.2992
    >>> [(sense.key, sense.weight) for sense in bank.senses]
    [('bank:0', 0.75), ('bank:1', 0.25)]
    """

    word: str
    weights: Doubles
    means: Doubles
    variances: Doubles
    numbers: tuple[int, ...] = field(default=())

    def __post_init__(self) -> None:
        for name in ("weights", "means", "variances"):
            object.__setattr__(self, name, np.asarray(getattr(self, name), dtype=np.float64))
        object.__setattr__(self, "numbers", self.numbers or tuple(range(len(self.weights))))

    def __len__(self) -> int:
        return len(self.weights)

    @property
    def senses(self) -> list[Sense]:
        """The components, in the model's order."""
        return [
            Sense(
                key=f"{self.word}:{number}",
                number=number,
                weight=float(self.weights[k]),
                mean=self.means[k],
                variance=float(self.variances[k]) if self.variances.ndim == 1 else self.variances[k],
            )
            for k, number in enumerate(self.numbers)
        ]

    @property
    def mean(self) -> Doubles:
        """Mean of the whole mixture, sum_k weights_k means_k; (D,)."""
        return self.weights @ self.means

    def log_density(self, x: npt.ArrayLike) -> float | Doubles:
        """Log-density log f(x): a float for a point (D,), an array (n,) for points (n, D).

        log N = -1/2 (D log 2 pi + log|Sigma| + (x - mu)' Sigma^-1 (x - mu)), and log-sum-exp over components.
        """
        points = np.asarray(x, dtype=np.float64)
        dimensions = self.means.shape[1]
        if points.ndim not in (1, 2) or points.shape[-1] != dimensions:
            raise ConfigError(f"x must have shape ({dimensions},) or (n, {dimensions}), got {points.shape}")
        rows = np.atleast_2d(points)
        spread = self._spread()
        logs = np.empty((len(self), len(rows)))
        for k in range(len(self)):
            squares = ((rows - self.means[k]) ** 2 / spread[k]).sum(axis=1)
            normaliser = dimensions * math.log(2 * math.pi) + np.log(spread[k]).sum()
            logs[k] = np.log(self.weights[k]) - 0.5 * (normaliser + squares)
        with np.errstate(invalid="ignore"):  # a NaN in x is a NaN in the answer, without a warning
            total: Doubles = np.logaddexp.reduce(logs, axis=0)
        return float(total[0]) if points.ndim == 1 else total

    def density(self, x: npt.ArrayLike) -> float | Doubles:
        """Density f(x): a float for a point (D,), an array (n,) for points (n, D).

        In many dimensions it leaves the range of floats; then use `log_density`.
        """
        logs = self.log_density(x)
        with np.errstate(over="ignore", under="ignore"):
            return float(np.exp(logs)) if isinstance(logs, float) else np.exp(logs)

    def sample(self, n: int = 1, seed: int | np.random.Generator | None = None) -> Doubles:
        """`n` independent points of the distribution, (n, D).

        >>> WordDistribution("bank", np.ones(1), np.array([[3.0, 4.0]]), np.full(1, 1e-20)).sample(2, seed=1)
        array([[3., 4.],
               [3., 4.]])
        """
        if n < 0:
            raise ConfigError(f"the number of samples must be at least 0, got {n}")
        random = np.random.default_rng(seed)
        chosen = random.choice(len(self), size=n, p=self.weights / self.weights.sum())
        noise = random.standard_normal((n, self.means.shape[1]))
        points: Doubles = self.means[chosen] + noise * np.sqrt(self._spread()[chosen])
        return points

    def entropy(self, samples: int = 10_000, seed: int | np.random.Generator | None = 0) -> Entropy:
        """Differential entropy -E[log f(x)] in nats, with its standard error.

        One component: exact, D/2 log(2 pi e) + 1/2 log|Sigma|. A mixture has no closed form: the mean of -log f
        over `samples` points, error = their standard deviation / sqrt(samples).

        >>> WordDistribution("bank", np.ones(1), np.zeros((1, 2)), np.ones(1)).entropy()
        Entropy(value=2.8378770664093453, error=0.0)
        """
        if len(self) == 1:
            spread = self._spread()[0]
            return Entropy(float(0.5 * (len(spread) * math.log(2 * math.pi * math.e) + np.log(spread).sum())), 0.0)
        if samples < 2:
            raise ConfigError(f"entropy needs at least 2 samples to state its error, got {samples}")
        surprise = -np.asarray(self.log_density(self.sample(samples, seed)))
        return Entropy(float(surprise.mean()), float(surprise.std(ddof=1) / math.sqrt(samples)))

    def _spread(self) -> Doubles:
        """Variances as (K, D), whatever the covariance."""
        wide = self.variances[:, None] if self.variances.ndim == 1 else self.variances
        return np.broadcast_to(wide, self.means.shape)
