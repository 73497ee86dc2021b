"""A vector of float32 for Numba: `Vector(n)` is LLVM's <n x float>, whatever registers the processor has.

    +  -  *  /          lane by lane, a scalar stands for a vector of itself
    v[k]                lane k
    load, store         n floats from or to an array; `prefetch` asks for a cache line early
    broadcast, mask     make vectors, `lanes_of` tells their width; `where` chooses lane by lane
    shuffle             any lanes of two vectors in any order, by a constant list
    stack               a small local array of vectors, kept in registers when the loops over it unroll
    total, totals       sums across lanes: of one vector, of each vector of a stack
    group_total, group_highest    sums and maxima inside groups of lanes
    floor_at, ceil_at, fma, reciprocal_root, exp, log

Only target-independent LLVM is emitted: LLVM splits a vector that is wider than the registers (AVX2, NEON).
Numbers of lanes and lists of lanes are compile-time constants: literals, or variables of an enclosing function.
A constant does not survive being passed to another compiled function; the types of vectors and stacks do. Therefore
`load` and `broadcast` also take a vector in place of the number of lanes, and a helper asks `size_of` a stack how
often its loops go round: only a loop whose length is known where it is written unrolls, and only what is indexed by
such a loop stays in registers (the mixture step: 1.2 to 1.4 times as fast).

Measured on the mixture step (one thread, AVX-512): 3.0 to 3.3 times plain loops over the same rows.
"""

from __future__ import annotations

from w2gm.kernels.simd.across import group_highest, group_total, highest, total, totals
from w2gm.kernels.simd.functions import exp, fma, log, reciprocal_root
from w2gm.kernels.simd.lanes import broadcast, ceil_at, floor_at, lanes_of, mask, shuffle, size_of, where
from w2gm.kernels.simd.memory import load, prefetch, stack, store
from w2gm.kernels.simd.types import Stack, Vector

__all__ = [
    "Stack",
    "Vector",
    "broadcast",
    "ceil_at",
    "exp",
    "floor_at",
    "fma",
    "group_highest",
    "group_total",
    "highest",
    "lanes_of",
    "load",
    "log",
    "mask",
    "prefetch",
    "reciprocal_root",
    "shuffle",
    "size_of",
    "stack",
    "store",
    "total",
    "totals",
    "where",
]
