"""Between the kernels' rows and the oracle's tables: what both sides of a comparison need."""

from __future__ import annotations

import math

import numpy as np

import naive
from w2gm.kernels.general import Step, Tables
from w2gm.kernels.layout import Layout, blank_rows

LIMITS = (1e-6, 1e6)
VARIANCE_ALPHA = 0.7
MAX_NORM = 1.2  # some means of random tables lie within it, some beyond


def parameters(rows, layout: Layout) -> naive.Table:
    """The oracle's table of the rows' parameters."""
    return _table(rows, layout, 0, layout.log_variances, layout.scores)


def accumulators(rows, layout: Layout) -> naive.Table:
    """The oracle's table of the rows' sums of squares."""
    return _table(rows, layout, layout.mean_squares, layout.log_variance_squares, layout.score_squares)


def to_naive(tables: Tables, layout: Layout) -> tuple[naive.Tables, naive.Tables]:
    """The oracle's (tables, accumulators) of a kernel's."""
    pair = []
    for part in (parameters, accumulators):
        table = part(tables.input, layout)
        pair.append(naive.Tables(table, table if tables.shared else part(tables.output, layout)))
    return pair[0], pair[1]


def random_tables(words: int, layout: Layout, seed: int, *, shared=False, log_variance=(-3.0, 1.0)) -> Tables:
    """Tables in the middle of a training: everything random, all that is derived consistent."""
    generator = np.random.default_rng(seed)
    inputs = _random_rows(words, layout, generator, log_variance)
    return Tables(inputs, inputs if shared else _random_rows(words, layout, generator, log_variance), shared)


def make_step(learning_rate=0.05, margin=1.0) -> Step:
    limits = map(math.log, LIMITS)
    return Step(learning_rate, VARIANCE_ALPHA * learning_rate, margin, MAX_NORM, *limits)


def _random_rows(words, layout, generator, log_variance):
    rows = blank_rows(words, layout, 1.0)
    K, D = layout.senses, layout.vector_size
    for i in range(K):
        for t in range(D):
            rows[:, i * layout.padded + t] = generator.normal(0, 0.5, words)
            rows[:, layout.mean_squares + i * layout.padded + t] = generator.uniform(0.1, 2, words)
        rows[:, layout.scores + i] = generator.normal(0, 1, words)
        rows[:, layout.score_squares + i] = generator.uniform(0.1, 2, words)
    for at in variance_offsets(layout):
        rows[:, layout.log_variances + at] = generator.uniform(*log_variance, words)
        rows[:, layout.log_variance_squares + at] = generator.uniform(0.1, 2, words)
    renew(rows, layout)
    return rows


def renew(rows, layout) -> None:
    """Make the derived values fit their sources."""
    for at in variance_offsets(layout):
        rows[:, layout.variances + at] = np.exp(rows[:, layout.log_variances + at])
    scores = rows[:, layout.scores : layout.scores + layout.senses]
    weights = np.exp(scores - scores.max(axis=1, keepdims=True))
    rows[:, layout.weights : layout.weights + layout.senses] = weights / weights.sum(axis=1, keepdims=True)


def variance_offsets(layout) -> list[int]:
    if not layout.diagonal:
        return list(range(layout.senses))
    return [i * layout.padded + t for i in range(layout.senses) for t in range(layout.vector_size)]


def _table(rows, layout, means, log_variances, scores) -> naive.Table:
    K, D = layout.senses, layout.vector_size
    shape = (len(rows), K, D) if layout.diagonal else (len(rows), K)
    per_sense = [slice(means + i * layout.padded, means + i * layout.padded + D) for i in range(K)]
    return naive.Table(
        np.stack([rows[:, part] for part in per_sense], axis=1),
        np.stack([rows[:, log_variances + at] for at in variance_offsets(layout)], axis=1).reshape(shape),
        rows[:, scores : scores + K],
    )
