"""Word measures of the paper over many pairs of words at once, and the scores made of them: for benchmarks only.

The mixtures are arrays: means (V, K, D), variances (V, K) or (V, K, D), weights (V, K); pairs are (N, 2) word ids.
`tests/test_benchmarks_quality.py` holds the measures to `tests/naive.py`.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

import numpy as np
import numpy.typing as npt
from scipy.stats import rankdata

Array = npt.NDArray[np.float64]
MEASURES = ("mc", "avesim", "el", "me", "kl")


class Mixtures(NamedTuple):
    """What is measured: the input mixtures of a model, or one vector a word with variance 1."""

    means: npt.NDArray[np.float32]
    variances: npt.NDArray[np.float32]
    weights: npt.NDArray[np.float32]


def measured(mixtures: Mixtures, pairs: npt.NDArray[np.int64]) -> dict[str, Array]:
    """Every measure of `MEASURES`, and "kl-back" with the words exchanged, for each pair: {name: (N,)}."""
    parts = [_measured(mixtures, pairs[start : start + 4096]) for start in range(0, len(pairs), 4096)]
    return {name: np.concatenate([part[name] for part in parts]) for name in parts[0]}


def _measured(mixtures: Mixtures, pairs: npt.NDArray[np.int64]) -> dict[str, Array]:
    one, other = ([np.asarray(part[pairs[:, side]], np.float64) for part in mixtures] for side in (0, 1))
    a, b = one[0][:, :, np.newaxis], other[0][:, np.newaxis, :]  # (N, K, 1, D) and (N, 1, K, D)
    D = a.shape[-1]
    p = one[2][:, :, np.newaxis] * other[2][:, np.newaxis, :]
    u, v = (_per_dimension(part, D) for part in (one[1], other[1]))
    u, v = u[:, :, np.newaxis], v[:, np.newaxis, :]
    square = (a - b) ** 2
    cosine = np.sum(a * b, axis=-1) / (np.linalg.norm(a, axis=-1) * np.linalg.norm(b, axis=-1))
    S = u + v
    terms = np.log(p) - 0.5 * np.sum(np.log(S) + square / S, axis=-1)
    highest = terms.max(axis=(1, 2))
    energy = highest + np.log(np.exp(terms - highest[:, np.newaxis, np.newaxis]).sum(axis=(1, 2)))
    forth = 0.5 * np.sum(u / v + square / v - 1 + np.log(v) - np.log(u), axis=-1)
    back = 0.5 * np.sum(v / u + square / u - 1 + np.log(u) - np.log(v), axis=-1)
    return {
        "mc": cosine.max(axis=(1, 2)),
        "avesim": (p * cosine).sum(axis=(1, 2)),
        "el": energy - 0.5 * D * np.log(2 * np.pi),
        "me": -np.sqrt(square.sum(axis=-1).min(axis=(1, 2))),
        "kl": -forth.min(axis=(1, 2)),
        "kl-back": -back.min(axis=(1, 2)),
    }


def _per_dimension(variances: Array, dimensions: int) -> Array:
    return variances if variances.ndim == 3 else np.repeat(variances[..., np.newaxis], dimensions, axis=-1)


def spearman(scores: Array, ratings: Array) -> float:
    """Spearman's correlation x 100, ties ranked at their mean."""
    return float(100 * np.corrcoef(rankdata(scores), rankdata(ratings))[0, 1])


def best_threshold(scores: Array, truth: npt.NDArray[np.bool_], score: Callable[..., Array]) -> float:
    """The best of `score(true positives, false positives, truth)` over all thresholds, x 100."""
    order = np.argsort(-scores, kind="stable")
    hits = np.concatenate([[0], np.cumsum(truth[order])])
    calls = np.arange(len(scores) + 1)
    ends = np.concatenate([[True], np.diff(scores[order]) != 0, [True]])  # a threshold cannot part equal scores
    return float(100 * score(hits[ends], calls[ends] - hits[ends], truth).max())


def accuracies(hits: Array, false_alarms: Array, truth: npt.NDArray[np.bool_]) -> Array:
    """Share of right answers when the first are called positive."""
    return (hits + (~truth).sum() - false_alarms) / len(truth)


def f1_scores(hits: Array, false_alarms: Array, truth: npt.NDArray[np.bool_]) -> Array:
    """Harmonic mean of precision and recall when the first are called positive."""
    return 2 * hits / np.maximum(1, hits + false_alarms + truth.sum())


def entailment(values: dict[str, Array], truth: npt.NDArray[np.bool_]) -> dict[str, float]:
    """Best accuracy and best F1 of maximum cosine and of KL: {"cos accuracy": ..., ...}."""
    return {
        f"{name} {title}": best_threshold(values[measure], truth, score)
        for name, measure in (("cos", "mc"), ("kl", "kl"))
        for title, score in (("accuracy", accuracies), ("f1", f1_scores))
    }
