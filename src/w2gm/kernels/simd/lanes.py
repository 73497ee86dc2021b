"""Making vectors and choosing among lanes."""

from __future__ import annotations

from llvmlite import ir
from numba import types
from numba.extending import intrinsic

from w2gm.kernels.simd.types import FAST, Stack, Vector, shuffled, splat, stated_lanes


@intrinsic
def broadcast(typingctx, value, lanes):
    """A vector with `value` in every lane."""
    n = stated_lanes(lanes)
    if n is None:
        return None

    def codegen(context, builder, sig, args):
        return splat(builder, args[0], n)

    return Vector(n)(types.float32, lanes), codegen


@intrinsic
def mask(typingctx, first, last, lanes):
    """A vector with 1 in the lanes first..last-1 and 0 elsewhere; all three are constants."""
    i, j, n = stated_lanes(first), stated_lanes(last), stated_lanes(lanes)
    if i is None or j is None or n is None:
        return None

    def codegen(context, builder, sig, args):
        return ir.Constant(Vector(n).ir, [float(i <= lane < j) for lane in range(n)])

    return Vector(n)(first, last, lanes), codegen


@intrinsic
def where(typingctx, chosen, u, v):
    """Lane by lane, u where `chosen` is not 0, else v."""

    def codegen(context, builder, sig, args):
        zero = ir.Constant(chosen.ir, [0.0] * chosen.n)
        return builder.select(builder.fcmp_unordered("!=", args[0], zero), args[1], args[2])

    return u(chosen, u, u), codegen


def _limit(comparison):
    @intrinsic
    def limit(typingctx, vector, bound):
        if not isinstance(vector, Vector):
            return None

        def codegen(context, builder, sig, args):
            value, limit_ = args
            return builder.select(builder.fcmp_ordered(comparison, value, limit_), limit_, value)

        return vector(vector, vector), codegen

    return limit


floor_at = _limit("<")  # the larger of a vector and a bound; a NaN in the vector stays
ceil_at = _limit(">")  # the smaller of a vector and a bound; a NaN in the vector stays


@intrinsic
def shuffle(typingctx, u, v, lanes):
    """Lanes of u (0..n-1) and v (n..2n-1) in the order of a constant list such as "0 0 1 1".

    Several lists, "0 1 + 2 3", give the sum of what each gives.
    """
    if not hasattr(lanes, "literal_value"):
        return None
    lists = [[int(lane) for lane in part.split()] for part in lanes.literal_value.split("+")]

    def codegen(context, builder, sig, args):
        result = shuffled(builder, args[0], args[1], lists[0])
        for part in lists[1:]:
            result = builder.fadd(result, shuffled(builder, args[0], args[1], part), flags=FAST)
        return result

    return Vector(len(lists[0]))(u, v, lanes), codegen


@intrinsic
def lanes_of(typingctx, vector):
    """The number of lanes of a vector."""
    if not isinstance(vector, Vector):
        return None

    def codegen(context, builder, sig, args):
        return context.get_constant(types.intp, vector.n)

    return types.intp(vector), codegen


@intrinsic
def size_of(typingctx, stacked):
    """The number of vectors of a stack."""
    if not isinstance(stacked, Stack):
        return None

    def codegen(context, builder, sig, args):
        return context.get_constant(types.intp, stacked.size)

    return types.intp(stacked), codegen
