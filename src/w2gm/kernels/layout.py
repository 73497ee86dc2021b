"""How a word's parameters lie in memory: one row per word, so that one word costs one visit to memory.

    spherical   [ means | squares of means | small ]
    diagonal    [ means | squares of means | log variances | their squares | variances | small ]
    small       [ values | squares | derived ]    each: K log variances, K scores, padding to a power of two

"Squares" are Adagrad's sums of squared gradients. "Derived" are the variances (exp of the log variances) and
the weights (softmax of the scores), renewed whenever their sources change, so that the energy, which is needed
far more often than an update happens, takes no exp. Means (and per-dimension variances) are padded to a multiple
of 16 dimensions, rows to a multiple of 64 bytes: a cache line and the widest vector register.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import numpy.typing as npt

LANES = 16  # float32 values in a cache line, and in the widest vector register

Rows = npt.NDArray[np.float32]


class Layout(NamedTuple):
    """Sizes and offsets, in float32 values, inside a word's row."""

    senses: int
    vector_size: int
    diagonal: bool
    padded: int  # dimensions with padding; component i's means start at i * padded
    mean_squares: int
    log_variances: int
    log_variance_squares: int
    variances: int
    scores: int
    score_squares: int
    weights: int
    group: int  # width of one group of `small`
    width: int  # of the whole row

    @property
    def variance_size(self) -> int:
        """Variances of one component."""
        return self.vector_size if self.diagonal else 1


def row_layout(senses: int, vector_size: int, covariance: str) -> Layout:
    """The layout for K senses, D dimensions and "spherical" or "diagonal" covariance.

    >>> row_layout(2, 50, "spherical").width
    272
    """
    diagonal = covariance == "diagonal"
    padded = _round_up(vector_size, LANES)
    block = senses * padded
    group = 4
    while group < 2 * senses:
        group *= 2
    small = 5 * block if diagonal else 2 * block
    return Layout(
        senses=senses,
        vector_size=vector_size,
        diagonal=diagonal,
        padded=padded,
        mean_squares=block,
        log_variances=2 * block if diagonal else small,
        log_variance_squares=3 * block if diagonal else small + group,
        variances=4 * block if diagonal else small + 2 * group,
        scores=small + senses,
        score_squares=small + group + senses,
        weights=small + 2 * group + senses,
        group=group,
        width=_round_up(small + 3 * group, LANES),
    )


def blank_rows(words: int, layout: Layout, accumulator: float) -> Rows:
    """A table (words, width) of zeros, with `accumulator` in all squares, those of the padding included.

    The padding's squares matter: kernels step it along with the rest, and 0 / sqrt(0) would be a NaN.
    """
    rows = aligned(words * layout.width).reshape(words, layout.width)
    block = layout.senses * layout.padded
    rows[:, layout.mean_squares : layout.mean_squares + block] = accumulator
    if layout.diagonal:
        rows[:, layout.log_variance_squares : layout.log_variance_squares + block] = accumulator
    squares = layout.score_squares - layout.senses
    rows[:, squares : squares + layout.group] = accumulator
    return rows


def aligned(size: int) -> Rows:
    """Zeros (size,) that start on a cache line; NumPy alone promises 16 bytes only."""
    buffer = np.zeros(size + LANES, dtype=np.float32)
    start = -(buffer.ctypes.data // 4) % LANES
    return buffer[start : start + size]


def _round_up(value: int, multiple: int) -> int:
    return -(-value // multiple) * multiple
