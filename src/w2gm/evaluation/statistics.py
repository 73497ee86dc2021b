"""What scores are made of: rank correlation, best thresholds, average precision, and their bootstrap.

Every statistic here takes the scores of N items and `counts` (R, N), how often each of R resamples holds each item,
and gives R values: the data itself is the one row of ones. Resampling by counts needs no sorting but the first: the
items stay in the order of their scores, and only how many stand at each place changes.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

Doubles = npt.NDArray[np.float64]
Counts = npt.NDArray[np.int32]
Bools = npt.NDArray[np.bool_]

RESAMPLES = 1000
SEED = 0
# Values of one array of a block of resamples: a megabyte of float64.
_BLOCK = 2**17


class Interval(NamedTuple):
    """The middle 95 per cent of a statistic over resamples."""

    low: float
    high: float


def resamples(items: int, times: int = RESAMPLES, seed: int = SEED) -> Counts:
    """(times, items) int32: how often each item is in each of `times` resamples with replacement.

    One generator, `numpy.random.default_rng(seed)`; each resample is its next `integers(0, items, items)`.

    >>> resamples(4, times=2).tolist()
    [[0, 1, 2, 1], [3, 1, 0, 0]]
    """
    random = np.random.default_rng(seed)
    counts = np.zeros((times, items), np.int32)
    if items == 0:
        return counts
    for row in counts:
        row[:] = np.bincount(random.integers(0, items, items), minlength=items)
    return counts


def interval(values: Doubles) -> Interval:
    """The 2.5th and 97.5th percentiles; resamples whose statistic is not defined (NaN) do not count.

    >>> interval(np.arange(101.0))
    Interval(low=2.5, high=97.5)
    """
    defined = values[~np.isnan(values)]
    if not len(defined):
        return Interval(float("nan"), float("nan"))
    low, high = np.quantile(defined, (0.025, 0.975))
    return Interval(float(low), float(high))


def two_sided_p(differences: Doubles) -> float:
    """How often a resampled difference is not on the side of the others: 2 (1 + the rarer side) / (1 + R), at most 1.

    >>> two_sided_p(np.array([1.0] * 98 + [-1.0]))
    0.04
    """
    defined = differences[~np.isnan(differences)]
    if not len(defined):
        return float("nan")
    rarer = min(int((defined <= 0).sum()), int((defined >= 0).sum()))
    return min(1.0, 2 * (1 + rarer) / (1 + len(defined)))


def spearman(scores: npt.ArrayLike, ratings: npt.ArrayLike, counts: Counts | None = None) -> Doubles:
    """Spearman's rank correlation, ties at their mean rank, of each resample: (R,), or (1,) of the data itself.

    A NaN in either, fewer than two items or no variation make it NaN.

    >>> spearman([0.1, 0.2, 0.2, 0.9], [1, 2, 3, 4]).round(6).tolist()
    [0.948683]
    """
    correlations: Doubles = spearman_of_each([np.asarray(scores, np.float64)], ratings, counts)[0]
    return correlations


def spearman_of_each(scores: Sequence[Doubles], ratings: npt.ArrayLike, counts: Counts | None = None) -> Doubles:
    """`spearman` of several scores of the same items, whose ratings are ranked once: (len(scores), R)."""
    y = np.asarray(ratings, np.float64)
    counts = np.ones((1, len(y)), np.int32) if counts is None else counts
    usable = [k for k, x in enumerate(scores) if len(y) and not (np.isnan(x).any() or np.isnan(y).any())]
    correlations = np.full((len(scores), len(counts)), np.nan)

    rating_order, orders = _Order.of(y), [_Order.of(scores[k]) for k in usable]

    def block(part: Doubles) -> Doubles:
        rated = _centred_ranks(rating_order, part)
        weighted = part * rated
        return np.stack([_correlation(_centred_ranks(order, part), rated, part, weighted) for order in orders])

    if usable:
        correlations[usable] = _in_blocks(counts, block)
    return correlations


def _correlation(x: Doubles, y: Doubles, counts: Doubles, weighted: Doubles) -> Doubles:
    """Pearson's correlation of centred x and y (N, R), each item taken `counts` times; `weighted` is counts * y."""
    covariance, other = (np.einsum("ir,ir->r", weighted, values) for values in (x, y))
    square = np.einsum("ir,ir,ir->r", counts, x, x) * other
    with np.errstate(invalid="ignore", divide="ignore"):
        return np.where(square > 0, covariance / np.sqrt(square), np.nan)


class _Order(NamedTuple):
    """The order of N values: the items in it (N,), where its groups of equal ones start, the group of each item."""

    items: npt.NDArray[np.int64]
    starts: npt.NDArray[np.int64]
    groups: npt.NDArray[np.int64]

    @classmethod
    def of(cls, values: Doubles) -> _Order:
        _, groups = np.unique(values, return_inverse=True)
        items = np.argsort(groups, kind="stable")
        return cls(items, np.flatnonzero(np.diff(groups[items], prepend=-1)), groups)


def _centred_ranks(order: _Order, counts: Doubles) -> Doubles:
    """(N, R): each item's rank in each resample, ties at their mean, less the mean rank."""
    sizes = np.add.reduceat(counts[order.items], order.starts, axis=0)
    ends = np.cumsum(sizes, axis=0)
    # The mean rank of a group is (first + last) / 2; the mean of all ranks is (N + 1) / 2.
    ranks: Doubles = (ends - 0.5 * sizes - 0.5 * ends[-1])[order.groups]
    return ranks


class Detection(NamedTuple):
    """How well scores tell true items from false ones, (R,) each: over all thresholds, and over the ranking."""

    accuracy: Doubles
    f1: Doubles
    ap: Doubles


def detection(scores: npt.ArrayLike, truth: npt.ArrayLike, counts: Counts | None = None) -> Detection:
    """Best accuracy, best F1 and average precision of each resample, or of the data itself.

    An item is called true when its score is at least the threshold; equal scores cannot be parted, and calling
    nothing true is a threshold too. Average precision is sum over thresholds of (gain in recall) x precision. A
    NaN among the scores makes all three NaN.

    >>> found = detection([0.9, 0.8, 0.3, 0.1], [True, False, True, False])
    >>> found.accuracy.tolist(), found.f1.tolist(), found.ap.round(4).tolist()
    ([0.75], [0.8], [0.8333])
    """
    values, positive = np.asarray(scores, np.float64), np.asarray(truth, np.bool_)
    counts = np.ones((1, len(values)), np.int32) if counts is None else counts
    if len(values) == 0 or np.isnan(values).any():
        return Detection(*(np.full(len(counts), np.nan) for _ in Detection._fields))
    order = np.argsort(-values, kind="stable")
    ends = np.flatnonzero(np.append(np.diff(values[order]) != 0, True))
    return Detection(*_in_blocks(counts, lambda part: _detection(part[order], positive[order], ends)))


def _detection(counts: Doubles, truth: Bools, ends: npt.NDArray[np.int64]) -> Doubles:
    """(3, R): accuracy, F1 and average precision; items (N, R) in falling order, `ends` the last of equal scores."""
    called, hits = np.cumsum(counts, axis=0), np.cumsum(counts * truth[:, np.newaxis], axis=0)
    total, true = called[-1], hits[-1]
    nothing = np.zeros((1, counts.shape[1]))
    called, hits = (np.concatenate([nothing, part[ends]]) for part in (called, hits))
    accuracy = (total - true + 2 * hits - called).max(axis=0) / total
    f1 = (2 * hits / np.maximum(1, called + true)).max(axis=0)
    gains = np.diff(hits, axis=0)
    with np.errstate(invalid="ignore", divide="ignore"):
        ap = (gains * hits[1:] / np.maximum(1, called[1:])).sum(axis=0) / true
    return np.stack([accuracy, f1, ap])


def share(right: npt.ArrayLike, counts: Counts | None = None) -> Doubles:
    """The mean of N values in each resample, (R,), or of the data itself; NaN of none.

    >>> share([1, 0, 1, 1]).tolist()
    [0.75]
    """
    values = np.asarray(right, np.float64)
    counts = np.ones((1, len(values)), np.int32) if counts is None else counts
    if len(values) == 0:
        return np.full(len(counts), np.nan)
    means: Doubles = counts @ values / len(values)
    return means


def _in_blocks(counts: Counts, statistic: Callable[[Doubles], Doubles]) -> Doubles:
    """`statistic` (..., R) of some resamples (N, R) at a time, which is faster too: they stay in the cache."""
    step = max(1, _BLOCK // counts.shape[1])
    blocks = (counts[start : start + step] for start in range(0, len(counts), step))
    return np.concatenate([statistic(np.ascontiguousarray(block.T, np.float64)) for block in blocks], axis=-1)
