"""The training step in vectors: the mathematics of `general`, several times as fast.

A step is a window: the centre word w and its others o, contexts and negatives, see `windows`. It has four passes:

1. measure   the squared distances of all pairs of components of w and each o         a vector of dimensions
2. weigh     energies and responsibilities                                            a vector of pairs of many words
3. judge     what the loss asks of each energy                                        a vector of negatives
4. step      each other's row; the centre's gradient is summed, its row stepped last and its means held in bounds

What makes it fast, with what each gained when it was added (K = 2, D = 50, one thread):

- exp and log are taken of full registers, and the centre's row is stepped once, because a window is worked on in
  passes (as fast as triple by triple with every gain below, docs/speed.md);
- distances are summed across lanes by one transposing reduction for several words;
- variances and weights lie ready in the row (`layout`) and are renewed when a row is updated: no exp per energy;
- one row per word: +8 to 13 % over tables apart, and 64-byte alignment as much again;
- the next window's words are drawn, and their rows asked for, before this window is worked on: +25 %;
- Adagrad multiplies by a reciprocal root instead of dividing by a root;
- a word with a verdict of 0 costs its energy and nothing more;
- responsibilities end at e^-60: smaller ones make numbers so small that the processor slows down, +15 %, and for
  K = 3, where a cell has lanes without a pair, +40 %.

Positions are offsets into the flat tables: w of the centre's row, o of the other's.
"""

from __future__ import annotations

import functools
import math
from collections.abc import Callable
from typing import Any

import numpy as np

from w2gm.kernels import simd
from w2gm.kernels.diagonal import add_own_dimensions, pair_exponents, step_centre_dimensions, step_dimensions
from w2gm.kernels.general import EPSILON
from w2gm.kernels.jit import inlined, kernel
from w2gm.kernels.lanes import PairLanes
from w2gm.kernels.layout import LANES, Layout
from w2gm.kernels.sampling import draw_window, subsample_sentence
from w2gm.kernels.windows import judge, merge_repeated

f32 = np.float32
LEAST_SHARE = -60.0  # the logarithm of the smallest responsibility


@inlined
def fetch(rows, word, width):
    """Ask for all cache lines of a row."""
    for offset in range(0, width, LANES):
        simd.prefetch(rows, word * width + offset)


@inlined
def draw_ahead(sentence, length, centre, window, sampler, state, scratch, tables):
    """Draw the others of `centre` and ask for the rows of all that are not about to be there; see `draw_window`.

    Its contexts but the farthest were those of the word before. Modified in place: state, scratch.others.
    """
    inputs, outputs, width = tables
    others = scratch.others[centre & 1]
    contexts, number = draw_window(sentence, length, centre, window, sampler, state, others)
    for k in range(max(0, contexts - 1), number):
        fetch(outputs, others[k], width)
    fetch(inputs, np.int64(sentence[centre]), width)
    for k in range(number, number + LANES):  # what a vector reaches beyond the last word must be words too
        others[k] = others[0]
    return contexts, number


@inlined
def squared_distances(inputs, outputs, w, o, layout, partial, first, mu_w):
    """||mu_i - mu_j||^2 over pairs, to sum across lanes; `mu_w` is any stack of K registers.

    Modified in place: partial from `first` on, a stack.
    """
    K, D = simd.size_of(mu_w), layout.padded
    zero = simd.broadcast(f32(0), mu_w[0])
    for i in range(K):
        for j in range(K):
            square = zero
            for t in range(0, layout.vector_size, simd.lanes_of(zero)):
                d = simd.load(inputs, w + i * D + t, zero) - simd.load(outputs, o + j * D + t, zero)
                square = simd.fma(d, d, square)
            partial[first + i * K + j] = square


@inlined
def judge_pooled(energies, contexts, number, margin, scratch, zeros):
    """`windows.judge` where each context is held against all negatives, in vectors of negatives.

    Modified in place: energies beyond the last, scratch.verdicts, scratch.hits.
    """
    verdicts, hits = scratch.verdicts, scratch.hits
    weight = f32(1) / f32(contexts)
    simd.store(energies, number, zeros - 1e30)  # what stands beyond the last negative is never too high
    loss_sum, active = zeros, zeros
    for k in range(contexts):
        hits[k] = f32(0)
    for at in range(contexts, number, LANES):
        energy = simd.load(energies, at, zeros) + margin
        raised = zeros
        for k in range(contexts):
            loss = simd.floor_at(energy - energies[k], 0.0)
            hit = simd.where(loss, zeros + 1.0, zeros)  # a NaN is a hit, and therefore spreads instead of hiding
            loss_sum = loss_sum + loss
            raised = raised + hit
            hits[k] += simd.total(hit)
        active = active + raised
        simd.store(verdicts, at, weight * raised)
    for k in range(contexts):
        verdicts[k] = -weight * hits[k]
    return weight * simd.total(loss_sum), weight * simd.total(active)


@inlined
def adagrad(rows, value, square, old, gradient, rate):
    """One step of Adagrad on a register of parameters whose present value is `old`. Modified in place: rows."""
    sums = simd.fma(gradient, gradient, simd.load(rows, square, gradient))
    simd.store(rows, square, sums)
    simd.store(rows, value, old - rate * gradient * simd.reciprocal_root(sums))


@inlined
def step_means(inputs, outputs, w, o, layout, pull, rate, own):
    """Step the means of an other; `pull` over pairs is d L / d mu_i per (mu_j - mu_i).

    What pulls at the centre's means, sum_j pull_ij mu_j, is added to its gradient. `own` is (the centre's gradient
    (width,), two stacks of K registers). Modified in place: outputs, own.
    """
    of_centre, mu_w, mu_o = own
    K, D, squares = simd.size_of(mu_w), layout.padded, layout.mean_squares
    for t in range(0, layout.vector_size, simd.lanes_of(mu_w[0])):
        for i in range(K):
            mu_w[i] = simd.load(inputs, w + i * D + t, mu_w[0])
            mu_o[i] = simd.load(outputs, o + i * D + t, mu_w[0])
        for i in range(K):
            at = i * D + t
            all_o, of_o, of_w = f32(0), mu_w[i] * f32(0), simd.load(of_centre, at, mu_w[0])
            for j in range(K):
                all_o += pull[j * K + i]
                of_o = of_o + pull[j * K + i] * mu_w[j]
                of_w = of_w + pull[i * K + j] * mu_o[j]
            simd.store(of_centre, at, of_w)
            adagrad(outputs, o + at, o + squares + at, mu_o[i], of_o - all_o * mu_o[i], rate)


@inlined
def pull_centre(inputs, w, layout, pull, of_centre, mu_w):
    """Add the pull of the centre's own row, where it is among its others. Modified in place: of_centre, mu_w."""
    K, D = simd.size_of(mu_w), layout.padded
    for t in range(0, layout.vector_size, simd.lanes_of(mu_w[0])):
        for j in range(K):
            mu_w[j] = simd.load(inputs, w + j * D + t, mu_w[0])
        for i in range(K):
            of_w = simd.load(of_centre, i * D + t, mu_w[0])
            for j in range(K):
                of_w = of_w + pull[i * K + j] * mu_w[j]
            simd.store(of_centre, i * D + t, of_w)


@inlined
def step_centre_means(inputs, w, layout, pull, rate, of_centre, mu_w):
    """Step the centre's means, given the sums over its others of pull and what pulls. Modified in place: inputs.

    `mu_w` is any stack of K registers.
    """
    K, D = simd.size_of(mu_w), layout.padded
    for i in range(K):
        all_w = f32(0)
        for j in range(K):
            all_w += pull[i * K + j]
        for t in range(0, layout.vector_size, simd.lanes_of(mu_w[0])):
            at = i * D + t
            mean = simd.load(inputs, w + at, mu_w[0])
            gradient = simd.load(of_centre, at, mu_w[0]) - all_w * mean
            adagrad(inputs, w + at, w + layout.mean_squares + at, mean, gradient, rate)


@inlined
def hold_norms(inputs, w, layout, max_norm, zero):
    """Move means farther than `max_norm` from the origin back to that distance. Modified in place: inputs."""
    for i in range(layout.senses):
        first = w + i * layout.padded
        squares = zero
        for t in range(first, first + layout.vector_size, simd.lanes_of(zero)):
            mean = simd.load(inputs, t, zero)
            squares = simd.fma(mean, mean, squares)
        square = simd.total(squares)
        if square > max_norm * max_norm:  # false for a NaN, which stays
            scale = max_norm / f32(math.sqrt(square))
            for t in range(first, first + layout.vector_size, simd.lanes_of(zero)):
                simd.store(inputs, t, scale * simd.load(inputs, t, zero))


@inlined
def step_small(rows, at, layout, pair_sums, sign, step, is_variance, is_score):
    """Step a row's log variances and scores together and renew variances and weights. Modified in place: rows.

    `at` is the place of the row's `small` part; `pair_sums` holds, per component, the sums over pairs of d L / d S
    and of the responsibilities times verdicts, which are `sign` in all.
    """
    W = layout.group
    derived = simd.load(rows, at + 2 * W, pair_sums)
    zero = pair_sums * 0.0
    of_scores = simd.where(is_score, pair_sums - sign * derived, zero)
    gradient = simd.where(is_variance, pair_sums * derived, of_scores)
    sums = simd.fma(gradient, gradient, simd.load(rows, at + W, gradient))
    rates = simd.where(is_variance, zero + f32(step.variance_rate), zero + f32(step.learning_rate))
    value = simd.load(rows, at, gradient) - rates * gradient * simd.reciprocal_root(sums)
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
def make_vector_trainer(layout: Layout, shared: bool, pooled: bool, lanes: int) -> Callable[..., Any]:
    """The steps over a chunk of ids in registers of `lanes` floats; called as those of `general.make_trainer`.

    `shared`: whether input and output are one table; `pooled`: as in the window that it will be called with.
    """
    K, W, width, small = layout.senses, layout.group, layout.width, layout.scores - layout.senses
    scores_end, shared_variances = 2 * K, 0 if layout.diagonal else K
    diagonal, single = layout.diagonal, K == 1  # constants of their own: the compiler drops the other branch early
    last_real = (layout.vector_size - 1) % lanes + 1
    pairs = PairLanes(layout)
    cell, block, together = pairs.cell, pairs.block, pairs.together
    measured = K * K * together
    centre_values, centre_weights = pairs.centre_values, pairs.centre_weights
    other_values, other_weights = pairs.other_values, pairs.other_weights
    pairs_or_rest, exchanged = pairs.pairs_or_rest, pairs.exchanged
    sum_for_centre, sum_for_other = pairs.sum_for_centre, pairs.sum_for_other

    @kernel(allocates=False)
    def train(ids, bounds, tables, sampler, window, step, own):
        state, scratch, tallies = own
        inputs = tables.input.reshape(tables.input.size)
        outputs = tables.output.reshape(tables.output.size)
        flat = (inputs, outputs, width)
        sentence, energies, verdicts = scratch.sentence, scratch.energies, scratch.verdicts
        shares, pulls, spreads, of_centre = scratch.shares, scratch.pulls, scratch.spreads, scratch.gradients[0]
        margin, rate, max_norm = f32(step.margin), f32(step.learning_rate), f32(step.max_norm)
        half_dimensions = f32(0.5 * layout.vector_size)
        zero, zeros, none = simd.broadcast(f32(0), lanes), simd.broadcast(f32(0), block), simd.broadcast(f32(0), cell)
        of_negatives = simd.broadcast(f32(0), LANES)
        real = simd.mask(0, last_real, lanes)
        partial = simd.stack(measured, lanes)
        a1, a2, a3, a4 = simd.stack(K, lanes), simd.stack(K, lanes), simd.stack(K, lanes), simd.stack(K, lanes)
        b1, b2, b3, b4 = simd.stack(K, lanes), simd.stack(K, lanes), simd.stack(K, lanes), simd.stack(K, lanes)
        is_variance, is_score = simd.mask(0, shared_variances, W), simd.mask(K, scores_end, W)
        position, stop = bounds
        loss_sum, active_sum = np.float64(0), np.float64(0)
        triples = 0
        centres = 0
        while position < stop:
            length, position = subsample_sentence(ids, position, stop, sampler, state, sentence)
            centres += length
            coming = (0, 0)
            if length > 0:
                coming = draw_ahead(sentence, length, 0, window, sampler, state, scratch, flat)
            for centre in range(length):
                contexts, number = coming
                if centre + 1 < length:
                    coming = draw_ahead(sentence, length, centre + 1, window, sampler, state, scratch, flat)
                if contexts == 0:
                    continue
                others = scratch.others[centre & 1]
                w = np.int64(sentence[centre]) * width
                triples += number - contexts

                # Measure: per word, over pairs: squared distances (or exponents), the sums S and the products p q.
                of_w = simd.load(inputs, w + small + 2 * W, W)  # variances, then weights
                values_w = simd.shuffle(of_w, of_w, centre_values) + f32(EPSILON)
                weights_w = simd.shuffle(of_w, of_w, centre_weights)
                for first in range(0, number, together):
                    for k in range(together):
                        o = others[first + k] * width
                        of_o = simd.load(outputs, o + small + 2 * W, W)
                        if diagonal:
                            pair_exponents(inputs, outputs, w, o, layout, partial, k * K * K, real)
                        else:
                            squared_distances(inputs, outputs, w, o, layout, partial, k * K * K, a1)
                            S = values_w + simd.shuffle(of_o, of_o, other_values)
                            simd.store(pulls, (first + k) * cell, S)
                        weight = weights_w * simd.shuffle(of_o, of_o, other_weights)
                        simd.store(shares, (first + k) * cell, weight)
                    simd.store(spreads, first * cell, simd.totals(partial))

                # Weigh: log E = logsumexp( log p_i + log q_j + xi_ij ), a block of words at a time.
                for at in range(0, number * cell, block):
                    inverse, spread = zeros, zeros
                    if diagonal:
                        xi = f32(-0.5) * simd.load(spreads, at, zeros)
                    else:  # xi_ij = - D/2 log S - 1/2 distance / S
                        S = simd.load(pulls, at, zeros)
                        inverse = 1.0 / S
                        spread = 0.5 * simd.load(spreads, at, zeros) * inverse
                        xi = 0.0 - half_dimensions * simd.log(S) - spread
                    log_energy, r = xi, zeros + 1.0
                    if not single:
                        xi = simd.shuffle(xi, zeros - 1e30, pairs_or_rest)
                        highest = simd.group_highest(xi, cell)
                        part = simd.load(shares, at, zeros) * simd.exp(simd.floor_at(xi - highest, LEAST_SHARE))
                        whole = simd.group_total(part, cell)
                        log_energy, r = highest + simd.log(whole), part / whole
                    simd.store(shares, at, r)
                    simd.store(pulls, at, r * inverse)
                    # d L / d S = r / S (1/2 distance / S - D/2)
                    simd.store(spreads, at, r * inverse * (spread - half_dimensions))
                    if single:
                        simd.store(energies, at, log_energy)
                    else:
                        for k in range(0, block, cell):
                            energies[(at + k) // cell] = log_energy[k]

                if pooled:
                    loss, active = judge_pooled(energies, contexts, number, margin, scratch, of_negatives)
                else:
                    loss, active = judge(energies, contexts, window, margin, verdicts)
                loss_sum += loss
                active_sum += active
                if active == f32(0):
                    continue
                merge_repeated(others, number, verdicts, scratch.places)

                # Step: the loss falls along verdict times the gradient of log E, for each other and the centre.
                all_pull, all_signs = none, f32(0)
                all_sums = of_w * f32(0)
                for t in range(0, width, lanes):
                    simd.store(of_centre, t, zero)
                for k in range(number):
                    verdict = verdicts[k]
                    if verdict == f32(0):
                        continue
                    o = others[k] * width
                    r = verdict * simd.load(shares, k * cell, none)
                    pull = verdict * simd.load(pulls, k * cell, none)
                    toward_S = verdict * simd.load(spreads, k * cell, none)
                    sums_o = simd.shuffle(toward_S, r, sum_for_other)
                    all_sums = all_sums + simd.shuffle(toward_S, r, sum_for_centre)
                    all_signs += verdict
                    if shared:  # noqa: SIM102 - a condition of its own: the compiler drops it early where it is false
                        if o == w:  # one row in two roles: one step, with the sum of both gradients
                            all_sums = all_sums + sums_o
                            all_signs += verdict
                            if diagonal:
                                add_own_dimensions(inputs, w, layout, r, of_centre, (a1, a2, a3, a4), real)
                            else:
                                pull = pull + simd.shuffle(pull, pull, exchanged)
                                all_pull = all_pull + pull
                                pull_centre(inputs, w, layout, pull, of_centre, a1)
                            continue
                    if diagonal:
                        stacks = ((a1, a2, a3, a4), (b1, b2, b3, b4))
                        step_dimensions(inputs, outputs, w, o, layout, r, step, (of_centre, stacks, real))
                    else:
                        all_pull = all_pull + pull
                        step_means(inputs, outputs, w, o, layout, pull, rate, (of_centre, a1, b1))
                    step_small(outputs, o + small, layout, sums_o, verdict, step, is_variance, is_score)
                if diagonal:
                    step_centre_dimensions(inputs, w, layout, step, of_centre, (a1, a2, a3, a4), real)
                else:
                    step_centre_means(inputs, w, layout, all_pull, rate, of_centre, a1)
                step_small(inputs, w + small, layout, all_sums, all_signs, step, is_variance, is_score)
                hold_norms(inputs, w, layout, max_norm, zero)
        tallies.sums[0] += loss_sum
        tallies.sums[1] += active_sum
        tallies.counts[0] += triples
        tallies.counts[1] += centres

    return train
