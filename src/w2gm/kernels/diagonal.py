"""What differs for diagonal covariance in the vector step: a variance for each dimension.

    xi_ij = - 1/2 sum_t ( log S_t + d_t^2 / S_t ),   S_t = var_i,t + var_j,t + eps,   d = mu_i - mu_j

The last register of a component may reach into the padding; `real` marks its lanes that are dimensions. A group of
stacks holds, for a register of dimensions of all components of a word: means, variances and the gradients of means
and of variances.
"""

from __future__ import annotations

import numpy as np

from w2gm.kernels import simd
from w2gm.kernels.general import EPSILON
from w2gm.kernels.jit import inlined

f32 = np.float32


@inlined
def pair_exponents(inputs, outputs, w, o, layout, partial, first, real):
    """-2 xi over pairs, not yet summed across lanes. Modified in place: partial, a stack, from `first` on."""
    K, D = layout.senses, layout.padded
    lanes = simd.lanes_of(real)
    zero = real * f32(0)
    for i in range(K):
        for j in range(K):
            terms = zero
            for t in range(0, layout.vector_size, lanes):
                term = exponent_term(inputs, w + i * D + t, outputs, o + j * D + t, layout, zero)
                if t + lanes > layout.vector_size:
                    term = simd.where(real, term, zero)
                terms = terms + term
            partial[first + i * K + j] = terms


@inlined
def exponent_term(one, a, other, b, layout, zero):
    """The term log S + d^2 / S for a register of dimensions of two components."""
    S = simd.load(one, a + layout.variances, zero) + simd.load(other, b + layout.variances, zero) + f32(EPSILON)
    d = simd.load(one, a, zero) - simd.load(other, b, zero)
    return simd.log(S) + d * d / S


@inlined
def step_dimensions(inputs, outputs, w, o, layout, r, step, own):
    """Step means and log variances of an other; r over pairs are responsibilities times the verdict.

    The gradients of the centre's means and variances are added to its gradient. `own` is (that gradient (width,), two
    groups of stacks, real). Modified in place: outputs, own.
    """
    K = layout.senses
    of_centre, (of_w, of_o), real = own
    for t in range(0, layout.vector_size, simd.lanes_of(real)):
        for i in range(K):
            begin(inputs, w, layout, i, t, of_w, real)
            begin(outputs, o, layout, i, t, of_o, real)
        for i in range(K):
            for j in range(K):
                add_pair(r[i * K + j], i, j, of_w, of_o)
        for i in range(K):
            add_to_centre(of_centre, layout, i, t, of_w)
            finish(outputs, o, layout, i, t, of_o, step, real)


@inlined
def add_own_dimensions(inputs, w, layout, r, of_centre, of_w, real):
    """Add the gradients of the centre's own row, where it is among its others. Modified in place: of_centre, of_w."""
    K = layout.senses
    for t in range(0, layout.vector_size, simd.lanes_of(real)):
        for i in range(K):
            begin(inputs, w, layout, i, t, of_w, real)
        for i in range(K):
            for j in range(K):
                add_pair(r[i * K + j], i, j, of_w, of_w)
        for i in range(K):
            add_to_centre(of_centre, layout, i, t, of_w)


@inlined
def step_centre_dimensions(inputs, w, layout, step, of_centre, of_w, real):
    """Step means and log variances of the centre along its gradient. Modified in place: inputs, of_w."""
    for t in range(0, layout.vector_size, simd.lanes_of(real)):
        for i in range(layout.senses):
            begin(inputs, w, layout, i, t, of_w, real)
            at = i * layout.padded + t
            of_w[2][i] = simd.load(of_centre, at, real)
            of_w[3][i] = simd.load(of_centre, at + layout.variances, real)
            finish(inputs, w, layout, i, t, of_w, step, real)


@inlined
def begin(rows, row, layout, i, t, stacks, zero):
    """Load means and variances of component i and clear its gradients. Modified in place: stacks."""
    means, variances, of_means, of_variances = stacks
    at = row + i * layout.padded + t
    means[i] = simd.load(rows, at, zero)
    variances[i] = simd.load(rows, at + layout.variances, zero)
    of_means[i] = zero * f32(0)
    of_variances[i] = zero * f32(0)


@inlined
def add_pair(weight, i, j, one, other):
    """Add the gradients of one pair of components. Modified in place: one, other."""
    S = one[1][i] + other[1][j] + f32(EPSILON)
    d = one[0][i] - other[0][j]
    pull = weight * d / S
    spread = f32(0.5) * (pull * d - weight) / S
    one[2][i] = one[2][i] - pull
    other[2][j] = other[2][j] + pull
    one[3][i] = one[3][i] + spread
    other[3][j] = other[3][j] + spread


@inlined
def add_to_centre(of_centre, layout, i, t, stacks):
    """Add the gradients of component i to the centre's. Modified in place: of_centre (width,)."""
    at = i * layout.padded + t
    simd.store(of_centre, at, simd.load(of_centre, at, stacks[2][i]) + stacks[2][i])
    at += layout.variances
    simd.store(of_centre, at, simd.load(of_centre, at, stacks[3][i]) + stacks[3][i])


@inlined
def finish(rows, row, layout, i, t, stacks, step, real):
    """One step of Adagrad for component i; its variances are renewed. Modified in place: rows."""
    means, variances, of_means, of_variances = stacks
    rate, variance_rate = f32(step.learning_rate), f32(step.variance_rate)
    at = row + i * layout.padded + t
    inside = real * f32(0) + f32(1)
    if t + simd.lanes_of(real) > layout.vector_size:
        inside = real
    sums = simd.fma(of_means[i], of_means[i], simd.load(rows, at + layout.mean_squares, inside))
    simd.store(rows, at + layout.mean_squares, sums)
    simd.store(rows, at, means[i] - rate * of_means[i] * simd.reciprocal_root(sums))
    gradient = simd.where(inside, of_variances[i] * variances[i], inside)
    sums = simd.fma(gradient, gradient, simd.load(rows, at + layout.log_variance_squares, inside))
    simd.store(rows, at + layout.log_variance_squares, sums)
    value = simd.load(rows, at + layout.log_variances, inside)
    value = value - variance_rate * gradient * simd.reciprocal_root(sums)
    value = simd.ceil_at(simd.floor_at(value, f32(step.min_log_variance)), f32(step.max_log_variance))
    simd.store(rows, at + layout.log_variances, simd.where(inside, value, inside))
    simd.store(rows, at + layout.variances, simd.where(inside, simd.exp(value), inside))
