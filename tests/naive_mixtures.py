"""The slow, obvious twin of what `naive` lacks between two mixtures: their best transport, and how far they overlap.

As `naive` it imports nothing from w2gm; float64, the formulas as in docs/maths.md.
"""

from __future__ import annotations

import numpy as np

from naive import Array, Mixture, mixture_log_density, over_pairs, wasserstein2


def w2(a: Mixture, b: Mixture) -> float:
    """Minus the smallest 2-Wasserstein distance over the pairs of senses."""
    return float(-np.min(over_pairs(wasserstein2, a, b)))


def log_mean_density(x: Array, a: Mixture, b: Mixture) -> float:
    """Log of m(x) = (f_a(x) + f_b(x)) / 2, x (D,)."""
    return float(np.logaddexp(mixture_log_density(x, a), mixture_log_density(x, b)) - np.log(2))


def js(a: Mixture, b: Mixture, samples: int, seed: int = 0) -> tuple[float, float]:
    """(minus the Jensen-Shannon divergence, its standard error), from so many points drawn from each word."""
    generator = np.random.default_rng(seed)
    halves = []
    for one in (a, b):
        chosen = generator.choice(len(one.means), size=samples, p=one.weights)
        points = one.means[chosen] + np.sqrt(one.variances[chosen]) * generator.standard_normal(
            (samples, one.means.shape[1])
        )
        halves.append([mixture_log_density(x, one) - log_mean_density(x, a, b) for x in points])
    error = 0.5 * np.sqrt(sum(np.var(half, ddof=1) / samples for half in halves))
    return float(-0.5 * np.sum(np.mean(halves, axis=1))), float(error)
