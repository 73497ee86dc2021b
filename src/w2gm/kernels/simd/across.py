"""Across lanes: sums and maxima of a vector, of groups of its lanes, of all vectors of a stack."""

from __future__ import annotations

from llvmlite import ir
from numba import types
from numba.core import cgutils
from numba.extending import intrinsic

from w2gm.kernels.simd.types import FAST, FLOAT, INT, Vector, call_llvm, shuffled, stated_lanes


def _butterfly(builder, vector, group, combine):
    """Combine the lanes of each aligned group of lanes, so that every lane holds the result."""
    distance = 1
    while distance < group:
        other = shuffled(builder, vector, vector, [lane ^ distance for lane in range(vector.type.count)])
        vector = combine(vector, other)
        distance *= 2
    return vector


@intrinsic
def total(typingctx, vector):
    """The sum of all lanes, a float32."""

    def codegen(context, builder, sig, args):
        function_type = ir.FunctionType(FLOAT, [FLOAT, vector.ir])
        name = f"llvm.vector.reduce.fadd.v{vector.n}f32"
        function = cgutils.get_or_insert_function(builder.module, function_type, name)
        return builder.call(function, [FLOAT(0), args[0]], fastmath=FAST)

    return types.float32(vector), codegen


@intrinsic
def highest(typingctx, vector):
    """The largest lane, a float32; NaNs are passed over."""

    def codegen(context, builder, sig, args):
        function_type = ir.FunctionType(FLOAT, [vector.ir])
        name = f"llvm.vector.reduce.fmax.v{vector.n}f32"
        function = cgutils.get_or_insert_function(builder.module, function_type, name)
        return builder.call(function, [args[0]], fastmath=FAST)

    return types.float32(vector), codegen


@intrinsic
def group_total(typingctx, vector, group):
    """In every lane, the sum over its aligned group of lanes; `group` is a constant power of two."""
    size = stated_lanes(group)
    if size is None:
        return None

    def codegen(context, builder, sig, args):
        return _butterfly(builder, args[0], size, lambda u, v: builder.fadd(u, v, flags=FAST))

    return vector(vector, group), codegen


@intrinsic
def group_highest(typingctx, vector, group):
    """In every lane, the maximum over its aligned group of lanes; NaNs are passed over."""
    size = stated_lanes(group)
    if size is None:
        return None

    def codegen(context, builder, sig, args):
        return _butterfly(builder, args[0], size, lambda u, v: call_llvm(builder, "maxnum", u, v))

    return vector(vector, group), codegen


@intrinsic
def totals(typingctx, stacked):
    """A vector of the sums of each vector of a stack, filled with zeros up to a power of two.

    Transposes and adds pairwise: half the work of summing the vectors one by one. Shuffles stay inside 128 bits
    while they can, where they are cheapest.
    """
    filled = 1
    while filled < stacked.size:
        filled *= 2

    def codegen(context, builder, sig, args):
        size, width = stacked.size, stacked.vector.n
        vectors = [builder.load(builder.gep(args[0], [INT(0), INT(k)])) for k in range(size)]
        vectors += [ir.Constant(stacked.vector.ir, None)] * (filled - size)  # zeros: what is added to them folds away

        def add(u, v, low, high):
            return builder.fadd(shuffled(builder, u, v, low), shuffled(builder, u, v, high), flags=FAST)

        done = 1  # how many sums share a vector, each spread over width / done lanes
        while len(vectors) > 1 and done < width:
            block = max(4, 2 * done) if done < 4 else width
            low = _in_pairs(width, block, done)
            high = [lane + block // 2 for lane in low]
            vectors = [add(u, v, low, high) for u, v in zip(vectors[::2], vectors[1::2], strict=True)]
            done *= 2
        while vectors[0].type.count > done:
            half = vectors[0].type.count // 2
            vectors = [add(v, v, range(half), range(half, 2 * half)) for v in vectors]
        while len(vectors) > 1:
            pairs = zip(vectors[::2], vectors[1::2], strict=True)
            vectors = [shuffled(builder, u, v, range(2 * u.type.count)) for u, v in pairs]
        return vectors[0]

    return Vector(filled)(stacked), codegen


def _in_pairs(width, block, done):
    """Lanes of the lower half of every block, u's and v's sums alternating."""
    return [
        start + side * width + step * done + lane
        for start in range(0, width, block)
        for step in range(block // done // 2)
        for side in (0, 1)
        for lane in range(done)
    ]
