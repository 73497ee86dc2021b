"""The package's measures over pairs of a table of mixtures, and the scores made of them: for benchmarks only."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import numpy.typing as npt
from scipy.stats import rankdata

from w2gm.query.measures import measure_all
from w2gm.query.sensepairs import Senses

Array = npt.NDArray[np.float64]
MEASURES = ("mc", "avesim", "el", "me", "kl")


def measured(mixtures: Senses, pairs: npt.NDArray[np.int64]) -> dict[str, Array]:
    """Every measure of `MEASURES` for each pair (N, 2) of the V words of `mixtures`: {name: (N,)}."""
    one, other = (Senses(*(part[pairs[:, side]] for part in mixtures)) for side in (0, 1))
    return measure_all(one, other, MEASURES)


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
