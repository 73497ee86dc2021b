"""The training step in plain loops, for any K and D, spherical or diagonal: the fallback and the check.

A step is a window, see `windows`: a centre word w and its others o, contexts and negatives. With  S = Sigma_i +
Sigma_j + eps,  d = mu_i - mu_j  and  r_ij  the responsibilities of the component pairs:

    xi_ij   = -1/2 sum log S - 1/2 sum d^2 / S           log E = logsumexp_ij( log p_i + log q_j + xi_ij )
    d log E / d mu_i      = - sum_j r_ij d / S           d log E / d mu_j has the opposite sign
    d log E / d log var_i =   var_i sum_j r_ij (d^2 / S - 1) / (2 S)
    d log E / d s_i       =   sum_j r_ij - p_i

The gradient of the window's loss is the sum of these, each times the verdict on its energy. Each table row that takes
part gets the sum of its roles' gradients and one step of Adagrad; then the centre's means are held within `max_norm`.
"""

from __future__ import annotations

import functools
import math
from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from w2gm.kernels.jit import inlined, kernel
from w2gm.kernels.layout import Layout
from w2gm.kernels.sampling import draw_window, subsample_sentence
from w2gm.kernels.windows import judge, merge_repeated

f32 = np.float32
EPSILON = 1e-4  # added to every S


class Tables(NamedTuple):
    """The rows of input (centre) and output (context) words, (V, layout.width) float32; maybe the same array."""

    input: npt.NDArray[np.float32]
    output: npt.NDArray[np.float32]
    shared: bool


class Step(NamedTuple):
    """The numbers that rule one chunk's steps."""

    learning_rate: float  # of means and scores
    variance_rate: float  # of log variances
    margin: float
    max_norm: float  # of a centre's means; may be infinite
    min_log_variance: float
    max_log_variance: float


class Tallies(NamedTuple):
    """What a thread has done: sums (2,) of losses and of active triples; counts (2,) of triples and centre words."""

    sums: npt.NDArray[np.float64]
    counts: npt.NDArray[np.int64]


def make_tallies() -> Tallies:
    """Tallies at zero, each on cache lines of its own so that threads do not slow each other."""
    return Tallies(np.zeros(16, np.float64)[:2], np.zeros(16, np.int64)[:2])


@inlined
def log_energy(layout, one, other, r):
    """The energy log E of two rows; leaves the responsibilities in r. Modified in place: r (K, K)."""
    K, D = layout.senses, layout.vector_size
    highest = f32(-np.inf)
    for i in range(K):
        for j in range(K):
            a, b = i * layout.padded, j * layout.padded
            xi = f32(0)
            if layout.diagonal:
                for t in range(D):
                    S = one[layout.variances + a + t] + other[layout.variances + b + t] + f32(EPSILON)
                    d = one[a + t] - other[b + t]
                    xi += math.log(S) + d * d / S
            else:
                S = one[layout.variances + i] + other[layout.variances + j] + f32(EPSILON)
                for t in range(D):
                    d = one[a + t] - other[b + t]
                    xi += d * d
                xi = xi / S + f32(D) * math.log(S)
            xi *= f32(-0.5)
            r[i, j] = xi
            if not xi <= highest:  # so that a NaN becomes the highest and stays visible
                highest = xi
    total = f32(0)
    for i in range(K):
        for j in range(K):
            r[i, j] = one[layout.weights + i] * other[layout.weights + j] * math.exp(r[i, j] - highest)
            total += r[i, j]
    for i in range(K):
        for j in range(K):
            r[i, j] /= total
    return highest + math.log(total)


@inlined
def add_gradients(layout, sign, one, other, r, of_one, of_other):
    """Add sign * d log E / d parameters of both rows. Modified in place: of_one, of_other (width,)."""
    K, D = layout.senses, layout.vector_size
    for i in range(K):
        for j in range(K):
            a, b = i * layout.padded, j * layout.padded
            weight = sign * r[i, j]
            distance = f32(0)
            S = f32(1)
            if not layout.diagonal:
                S = one[layout.variances + i] + other[layout.variances + j] + f32(EPSILON)
            for t in range(D):
                if layout.diagonal:
                    S = one[layout.variances + a + t] + other[layout.variances + b + t] + f32(EPSILON)
                d = one[a + t] - other[b + t]
                pull = weight * d / S
                of_one[a + t] -= pull
                of_other[b + t] += pull
                if layout.diagonal:
                    spread = f32(0.5) * weight * (d * d / S - f32(1)) / S
                    of_one[layout.log_variances + a + t] += spread * one[layout.variances + a + t]
                    of_other[layout.log_variances + b + t] += spread * other[layout.variances + b + t]
                else:
                    distance += d * d
            if not layout.diagonal:
                spread = f32(0.5) * weight * (distance / S - f32(D)) / S
                of_one[layout.log_variances + i] += spread * one[layout.variances + i]
                of_other[layout.log_variances + j] += spread * other[layout.variances + j]
            of_one[layout.scores + i] += weight
            of_other[layout.scores + j] += weight
    for i in range(K):
        of_one[layout.scores + i] -= sign * one[layout.weights + i]
        of_other[layout.scores + i] -= sign * other[layout.weights + i]


@inlined
def adagrad(row, value, square, gradient, rate):
    """One step of Adagrad on row[value]. Modified in place: row."""
    row[square] += gradient * gradient
    row[value] -= rate * gradient / math.sqrt(row[square])


@inlined
def update(layout, row, gradient, step):
    """Step all parameters of a row against their gradient and renew what is derived. Modified in place: row."""
    K = layout.senses
    rate, variance_rate = f32(step.learning_rate), f32(step.variance_rate)
    low, high = f32(step.min_log_variance), f32(step.max_log_variance)
    variances = layout.vector_size if layout.diagonal else 1
    stride = layout.padded if layout.diagonal else 1
    highest = f32(-np.inf)
    for i in range(K):
        for t in range(layout.vector_size):
            at = i * layout.padded + t
            adagrad(row, at, layout.mean_squares + at, gradient[at], rate)
        for t in range(variances):
            at = i * stride + t
            value = layout.log_variances + at
            adagrad(row, value, layout.log_variance_squares + at, gradient[value], variance_rate)
            if row[value] < low:  # comparisons, not min and max: a NaN stays a NaN
                row[value] = low
            elif row[value] > high:
                row[value] = high
            row[layout.variances + at] = math.exp(row[value])
        adagrad(row, layout.scores + i, layout.score_squares + i, gradient[layout.scores + i], rate)
        if not row[layout.scores + i] <= highest:
            highest = row[layout.scores + i]
    total = f32(0)
    for i in range(K):
        row[layout.weights + i] = math.exp(row[layout.scores + i] - highest)
        total += row[layout.weights + i]
    for i in range(K):
        row[layout.weights + i] /= total


@inlined
def hold_norms(layout, row, max_norm):
    """Move means that are farther than `max_norm` from the origin back to that distance. Modified in place: row."""
    for i in range(layout.senses):
        means = row[i * layout.padded : i * layout.padded + layout.vector_size]
        square = f32(0)
        for t in range(layout.vector_size):
            square += means[t] * means[t]
        if square > f32(max_norm) * f32(max_norm):  # false for a NaN, which stays
            scale = f32(max_norm) / math.sqrt(square)
            for t in range(layout.vector_size):
                means[t] *= scale


@inlined
def train_window(layout, tables, word, drawn, window, step, scratch):
    """One step on a word and its `drawn` (others, contexts, number of others); returns (loss, active triples).

    Modified in place: tables, scratch.
    """
    others, contexts, number = drawn
    w = tables.input[word]
    K = layout.senses
    shares = scratch.shares[: number * K * K].reshape(number, K, K)
    for k in range(number):
        scratch.energies[k] = log_energy(layout, w, tables.output[others[k]], shares[k])
    loss, active = judge(scratch.energies, contexts, window, f32(step.margin), scratch.verdicts)
    merge_repeated(others, number, scratch.verdicts, scratch.places)
    of_w, of_o = scratch.gradients[0], scratch.gradients[1]
    of_w[:] = f32(0)
    for k in range(number):
        verdict = scratch.verdicts[k]
        if verdict == f32(0):
            continue
        o = tables.output[others[k]]
        if tables.shared and others[k] == word:  # one row in two roles: one step, with the sum of both gradients
            add_gradients(layout, verdict, w, o, shares[k], of_w, of_w)
            continue
        of_o[:] = f32(0)
        add_gradients(layout, verdict, w, o, shares[k], of_w, of_o)
        update(layout, o, of_o, step)
    if active != f32(0):
        update(layout, w, of_w, step)
        hold_norms(layout, w, step.max_norm)
    return loss, active


@functools.cache
def make_window(layout: Layout) -> Callable[..., Any]:
    """The step on one window, compiled for a layout; called as `train_window` without the layout."""

    @kernel
    def one_window(tables, word, drawn, window, step, scratch):
        return train_window(layout, tables, word, drawn, window, step, scratch)

    return one_window


@functools.cache
def make_trainer(layout: Layout) -> Callable[..., Any]:
    """The steps over a chunk of ids, compiled for a layout.

    train(ids, bounds, tables, sampler, window, step, (state, scratch, tallies)): trains on ids[bounds[0]:bounds[1]].
    """

    @kernel
    def train(ids, bounds, tables, sampler, window, step, own):
        state, scratch, tallies = own
        position, stop = bounds
        loss_sum, active_sum = 0.0, 0.0
        triples = 0
        centres = 0
        others = scratch.others[0]
        while position < stop:
            n, position = subsample_sentence(ids, position, stop, sampler, state, scratch.sentence)
            centres += n
            for centre in range(n):
                contexts, number = draw_window(scratch.sentence, n, centre, window, sampler, state, others)
                if contexts == 0:
                    continue
                word = scratch.sentence[centre]
                loss, active = train_window(layout, tables, word, (others, contexts, number), window, step, scratch)
                loss_sum += loss
                active_sum += active
                triples += number - contexts
        tallies.sums[0] += loss_sum
        tallies.sums[1] += active_sum
        tallies.counts[0] += triples
        tallies.counts[1] += centres

    return train
