"""The training step in vectors: the mathematics of `general`, several times as fast.

What makes it fast, with what each gained when it was added (K = 2, D = 50, one thread):

- the scalars of all 2 K^2 component pairs of a triple are one vector (`lanes`): one exp and one log for all of
  them, and their K^2 distances are summed by one transposing reduction;
- variances and weights lie ready in the row (`layout`) and are renewed when a row is updated: no exp per energy;
- one row per word: +8 to 13 % over tables apart, and 64-byte alignment as much again;
- a centre's negatives are all drawn first and their rows asked for two triples ahead: +25 %;
- Adagrad multiplies by a reciprocal root instead of dividing by a root;
- an inactive triple costs its energies and nothing more.

Positions are offsets into the flat tables: w of the centre's row, c of the context's, n of the negative's. The
lanes of a vector "over pairs" are (context or negative, component of w, component of the other), see `lanes`.

Rows may be shared by input and output. Where a word then meets itself, the general step takes the triple: one row
gets the sum of two roles' gradients.
"""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any

import numpy as np

from w2gm.kernels import simd
from w2gm.kernels.diagonal import pair_exponents, step_dimensions
from w2gm.kernels.general import EPSILON, train_triple
from w2gm.kernels.jit import inlined, kernel
from w2gm.kernels.lanes import PairLanes
from w2gm.kernels.layout import LANES, Layout
from w2gm.kernels.sampling import draw_window, subsample_sentence

f32 = np.float32
AHEAD = 2  # triples between asking for a negative's row and using it


@inlined
def fetch(rows, start, width):
    """Ask for all cache lines of a row."""
    for offset in range(0, width, LANES):
        simd.prefetch(rows, start + offset)


@inlined
def squared_distances(inputs, outputs, w, c, n, layout, half, partial, zero):
    """||mu_i - mu_j||^2 over pairs. `zero` is a register of zeros; modified in place: partial, a stack of them."""
    K, D = layout.senses, layout.padded
    lanes = simd.lanes_of(zero)
    for pair in range(2 * half):
        partial[pair] = zero
    for i in range(K):
        for j in range(K):
            near, far = zero, zero
            for t in range(0, layout.vector_size, lanes):
                mean = simd.load(inputs, w + i * D + t, zero)
                d = mean - simd.load(outputs, c + j * D + t, zero)
                near = simd.fma(d, d, near)
                d = mean - simd.load(outputs, n + j * D + t, zero)
                far = simd.fma(d, d, far)
            partial[i * K + j] = near
            partial[half + i * K + j] = far
    return simd.totals(partial)


@inlined
def adagrad(rows, value, square, old, gradient, rate):
    """One step of Adagrad on a register of parameters whose present value is `old`. Modified in place: rows."""
    sums = simd.fma(gradient, gradient, simd.load(rows, square, gradient))
    simd.store(rows, square, sums)
    simd.store(rows, value, old - rate * gradient * simd.reciprocal_root(sums))


@inlined
def step_means(inputs, outputs, w, c, n, layout, half, pull, rate, own):
    """Step the means of all three rows; `pull` over pairs is d L / d mu_i per (mu_j - mu_i).

    `own` are three stacks of K registers, room for the old means. Modified in place: inputs, outputs, own.
    """
    K, D, squares = layout.senses, layout.padded, layout.mean_squares
    mu_w, mu_c, mu_n = own
    lanes = simd.lanes_of(mu_w[0])
    for t in range(0, layout.vector_size, lanes):
        for i in range(K):
            mu_w[i] = simd.load(inputs, w + i * D + t, mu_w[0])
            mu_c[i] = simd.load(outputs, c + i * D + t, mu_w[0])
            mu_n[i] = simd.load(outputs, n + i * D + t, mu_w[0])
        for i in range(K):
            all_w, all_c, all_n = f32(0), f32(0), f32(0)
            of_w, of_c, of_n = mu_w[i] * f32(0), mu_w[i] * f32(0), mu_w[i] * f32(0)
            for j in range(K):
                all_w += pull[i * K + j] + pull[half + i * K + j]
                all_c += pull[j * K + i]
                all_n += pull[half + j * K + i]
                of_w = of_w + pull[i * K + j] * mu_c[j] + pull[half + i * K + j] * mu_n[j]
                of_c = of_c + pull[j * K + i] * mu_w[j]
                of_n = of_n + pull[half + j * K + i] * mu_w[j]
            at = i * D + t
            adagrad(inputs, w + at, w + squares + at, mu_w[i], of_w - all_w * mu_w[i], rate)
            adagrad(outputs, c + at, c + squares + at, mu_c[i], of_c - all_c * mu_c[i], rate)
            adagrad(outputs, n + at, n + squares + at, mu_n[i], of_n - all_n * mu_n[i], rate)


@inlined
def step_small(rows, at, layout, derived, pair_sums, sign, step, is_variance, is_score):
    """Step a row's log variances and scores together and renew variances and weights. Modified in place: rows.

    `at` is the place of the row's `small` part and `derived` its variances and weights; `pair_sums` holds, per
    component, the sums over pairs of d L / d S and of the signed responsibilities, which are `sign` in all.
    """
    W = layout.group
    zero = pair_sums * 0.0
    of_scores = simd.where(is_score, pair_sums - sign * derived, zero)
    gradient = simd.where(is_variance, pair_sums * derived, of_scores)
    sums = simd.fma(gradient, gradient, simd.load(rows, at + W, gradient))
    value = simd.load(rows, at, gradient) - f32(step.learning_rate) * gradient * simd.reciprocal_root(sums)
    held = simd.ceil_at(simd.floor_at(value, f32(step.min_log_variance)), f32(step.max_log_variance))
    value = simd.where(is_variance, held, value)
    simd.store(rows, at + W, sums)
    simd.store(rows, at, value)
    # In the lanes of scores: subtract the highest, then divide by the sum, the softmax.
    highest = simd.highest(simd.where(is_score, value, zero - 1e30))
    power = simd.exp(simd.where(is_score, value - highest, value))
    weights = power / simd.total(simd.where(is_score, power, zero))
    simd.store(rows, at + 2 * W, simd.where(is_score, weights, power))


@functools.cache
def make_vector_trainer(layout: Layout, shared: bool, lanes: int) -> Callable[..., Any]:
    """The step over a chunk of ids in registers of `lanes` floats; called as that of `general.make_trainer`.

    `shared`: whether input and output are one table.
    """
    K, W, width, small = layout.senses, layout.group, layout.width, layout.scores - layout.senses
    scores_end, shared_variances = 2 * K, 0 if layout.diagonal else K
    diagonal, single = layout.diagonal, K == 1  # constants of their own: the compiler drops the other branch early
    last_real = (layout.vector_size - 1) % lanes + 1
    pairs = PairLanes(layout)
    half, count = pairs.half, pairs.count
    centre_variance, centre_weight = pairs.centre_variance, pairs.centre_weight
    other_variance, other_weight = pairs.other_variance, pairs.other_weight
    pairs_or_rest, sum_for_centre = pairs.pairs_or_rest, pairs.sum_for_centre
    sum_for_context, sum_for_negative = pairs.sum_for_context, pairs.sum_for_negative

    @kernel
    def train(ids, bounds, tables, sampler, window, step, own):
        state, scratch, tallies = own
        inputs = tables.input.reshape(tables.input.size)
        outputs = tables.output.reshape(tables.output.size)
        sentence, contexts, negatives = scratch.sentence, scratch.contexts, scratch.negatives
        margin, rate = f32(step.margin), f32(step.learning_rate)
        half_dimensions = f32(0.5 * layout.vector_size)
        zero, zeros = simd.broadcast(f32(0), lanes), simd.broadcast(f32(0), count)
        real = simd.mask(0, last_real, lanes)
        partial = simd.stack(count, lanes)
        a1, a2, a3, a4 = simd.stack(K, lanes), simd.stack(K, lanes), simd.stack(K, lanes), simd.stack(K, lanes)
        b1, b2, b3, b4 = simd.stack(K, lanes), simd.stack(K, lanes), simd.stack(K, lanes), simd.stack(K, lanes)
        c1, c2, c3, c4 = simd.stack(K, lanes), simd.stack(K, lanes), simd.stack(K, lanes), simd.stack(K, lanes)
        is_variance, is_score = simd.mask(0, shared_variances, W), simd.mask(K, scores_end, W)
        position, stop = bounds
        loss_sum = np.float64(0)
        triples = 0
        active = 0
        centres = 0
        while position < stop:
            length, position = subsample_sentence(ids, position, stop, sampler, state, sentence)
            centres += length
            for centre in range(length):
                m = draw_window(sentence, length, centre, window, sampler, state, contexts, negatives)
                triples += m
                word = np.int64(sentence[centre])
                w = word * width
                for k in range(min(AHEAD, m)):
                    fetch(outputs, negatives[k] * width, width)
                if centre + 1 < length:
                    fetch(inputs, np.int64(sentence[centre + 1]) * width, width)
                for k in range(m):
                    if k + AHEAD < m:
                        fetch(outputs, negatives[k + AHEAD] * width, width)
                    context, negative = contexts[k], negatives[k]
                    if context == negative:  # equal energies: the gradients cancel and the loss is the margin
                        loss_sum += margin
                        active += 1
                        continue
                    if shared:  # noqa: SIM102 - a condition of its own: the compiler drops it early where it is false
                        if word in (context, negative):
                            loss = train_triple(layout, tables, word, context, negative, step, scratch)
                            loss_sum += loss
                            active += loss != f32(0)
                            continue
                    c, n = context * width, negative * width

                    # log E = logsumexp( log p_i + log q_j + xi_ij )
                    of_w = simd.load(inputs, w + small + 2 * W, W)  # variances, then weights
                    of_c = simd.load(outputs, c + small + 2 * W, W)
                    of_n = simd.load(outputs, n + small + 2 * W, W)
                    if diagonal:
                        xi = pair_exponents(inputs, outputs, w, c, n, layout, half, partial, real)
                        inverse, spread = zeros, zeros
                    else:  # xi_ij = - D/2 log S - 1/2 distance / S
                        distance = squared_distances(inputs, outputs, w, c, n, layout, half, partial, zero)
                        S = simd.shuffle(of_w, of_w, centre_variance)
                        S = S + simd.shuffle(of_c, of_n, other_variance) + f32(EPSILON)
                        inverse = 1.0 / S
                        spread = 0.5 * distance * inverse
                        xi = 0.0 - half_dimensions * simd.log(S) - spread
                    if single:
                        log_energy, r = xi, zeros + 1.0
                    else:
                        xi = simd.shuffle(xi, zeros - 1e30, pairs_or_rest)
                        highest = simd.group_highest(xi, half)
                        weights = simd.shuffle(of_w, of_w, centre_weight) * simd.shuffle(of_c, of_n, other_weight)
                        part = weights * simd.exp(xi - highest)
                        whole = simd.group_total(part, half)
                        log_energy, r = highest + simd.log(whole), part / whole
                    loss = margin - log_energy[0] + log_energy[half]
                    if loss <= f32(0):  # false for a NaN, which therefore spreads instead of hiding
                        continue
                    loss_sum += loss
                    active += 1

                    # The loss falls with log E(w, c) and rises with log E(w, n).
                    r = simd.where(simd.mask(0, half, count), 0.0 - r, r)
                    toward_S = zeros
                    if diagonal:
                        stacks = ((a1, a2, a3, a4), (b1, b2, b3, b4), (c1, c2, c3, c4))
                        step_dimensions(inputs, outputs, w, c, n, layout, half, r, step, stacks, real)
                    else:  # d L / d mu_i = sum_j r / S (mu_j - mu_i),  d L / d S = r / S (1/2 distance / S - D/2)
                        pull = r * inverse
                        toward_S = pull * (spread - half_dimensions)
                        step_means(inputs, outputs, w, c, n, layout, half, pull, rate, (a1, b1, c1))
                    sums_w = simd.shuffle(toward_S, r, sum_for_centre)
                    sums_c = simd.shuffle(toward_S, r, sum_for_context)
                    sums_n = simd.shuffle(toward_S, r, sum_for_negative)
                    step_small(inputs, w + small, layout, of_w, sums_w, f32(0), step, is_variance, is_score)
                    step_small(outputs, c + small, layout, of_c, sums_c, f32(-1), step, is_variance, is_score)
                    step_small(outputs, n + small, layout, of_n, sums_n, f32(1), step, is_variance, is_score)
        tallies.loss[0] += loss_sum
        tallies.counts[0] += triples
        tallies.counts[1] += active
        tallies.counts[2] += centres

    return train
