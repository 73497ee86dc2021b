"""What differs for diagonal covariance in the vector step: a variance for each dimension.

    xi_ij = - 1/2 sum_t ( log S_t + d_t^2 / S_t ),   S_t = var_i,t + var_j,t + eps,   d = mu_i - mu_j

The last register of a component may reach into the padding; `real` marks its lanes that are dimensions.
"""

from __future__ import annotations

import numpy as np

from w2gm.kernels import simd
from w2gm.kernels.general import EPSILON
from w2gm.kernels.jit import inlined

f32 = np.float32


@inlined
def pair_exponents(inputs, outputs, w, c, n, layout, half, partial, real):
    """The exponents xi over pairs. Modified in place: partial, a stack of registers."""
    K, D = layout.senses, layout.padded
    lanes = simd.lanes_of(real)
    zero = real * f32(0)
    for pair in range(2 * half):
        partial[pair] = zero
    for i in range(K):
        for j in range(K):
            near, far = zero, zero
            for t in range(0, layout.vector_size, lanes):
                near_term = exponent_term(inputs, w + i * D + t, outputs, c + j * D + t, layout, zero)
                far_term = exponent_term(inputs, w + i * D + t, outputs, n + j * D + t, layout, zero)
                if t + lanes > layout.vector_size:
                    near_term = simd.where(real, near_term, zero)
                    far_term = simd.where(real, far_term, zero)
                near = near + near_term
                far = far + far_term
            partial[i * K + j] = near
            partial[half + i * K + j] = far
    return f32(-0.5) * simd.totals(partial)


@inlined
def exponent_term(one, a, other, b, layout, zero):
    """The term log S + d^2 / S for a register of dimensions of two components."""
    S = simd.load(one, a + layout.variances, zero) + simd.load(other, b + layout.variances, zero) + f32(EPSILON)
    d = simd.load(one, a, zero) - simd.load(other, b, zero)
    return simd.log(S) + d * d / S


@inlined
def step_dimensions(inputs, outputs, w, c, n, layout, half, r, step, own, real):
    """Step means and log variances of all three rows; r over pairs is d L / d log E times the responsibilities.

    `own` are stacks of K registers, room for (means, variances, gradients of means and of log variances) of w, c
    and n. Modified in place: inputs, outputs, own.
    """
    K, D = layout.senses, layout.padded
    lanes = simd.lanes_of(real)
    zero = real * f32(0)
    of_w, of_c, of_n = own
    for t in range(0, layout.vector_size, lanes):
        for i in range(K):
            begin(inputs, w + i * D + t, layout, i, of_w, zero)
            begin(outputs, c + i * D + t, layout, i, of_c, zero)
            begin(outputs, n + i * D + t, layout, i, of_n, zero)
        for i in range(K):
            for j in range(K):
                add_pair(r[i * K + j], i, j, of_w, of_c)
                add_pair(r[half + i * K + j], i, j, of_w, of_n)
        inside = zero + f32(1)
        if t + lanes > layout.vector_size:
            inside = real
        for i in range(K):
            finish(inputs, w + i * D + t, layout, i, of_w, step, inside)
            finish(outputs, c + i * D + t, layout, i, of_c, step, inside)
            finish(outputs, n + i * D + t, layout, i, of_n, step, inside)


@inlined
def begin(rows, at, layout, i, stacks, zero):
    """Load means and variances of component i and clear its gradients. Modified in place: stacks."""
    means, variances, of_means, of_variances = stacks
    means[i] = simd.load(rows, at, zero)
    variances[i] = simd.load(rows, at + layout.variances, zero)
    of_means[i] = zero
    of_variances[i] = zero


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
def finish(rows, at, layout, i, stacks, step, inside):
    """One step of Adagrad for component i; its variances are renewed. Modified in place: rows."""
    means, variances, of_means, of_variances = stacks
    rate = f32(step.learning_rate)
    sums = simd.fma(of_means[i], of_means[i], simd.load(rows, at + layout.mean_squares, inside))
    simd.store(rows, at + layout.mean_squares, sums)
    simd.store(rows, at, means[i] - rate * of_means[i] * simd.reciprocal_root(sums))
    gradient = simd.where(inside, of_variances[i] * variances[i], inside)
    sums = simd.fma(gradient, gradient, simd.load(rows, at + layout.log_variance_squares, inside))
    simd.store(rows, at + layout.log_variance_squares, sums)
    value = simd.load(rows, at + layout.log_variances, inside) - rate * gradient * simd.reciprocal_root(sums)
    value = simd.ceil_at(simd.floor_at(value, f32(step.min_log_variance)), f32(step.max_log_variance))
    simd.store(rows, at + layout.log_variances, simd.where(inside, value, inside))
    simd.store(rows, at + layout.variances, simd.where(inside, simd.exp(value), inside))
