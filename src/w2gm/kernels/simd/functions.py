"""Functions of vectors: fused multiply-add, reciprocal root, and exp and log by polynomials."""

from __future__ import annotations

from llvmlite import ir
from numba.extending import intrinsic

from w2gm.kernels.jit import inlined
from w2gm.kernels.simd.lanes import floor_at
from w2gm.kernels.simd.types import FAST, FLOAT, INT, Vector, call_llvm, integers, splat


@intrinsic
def fma(typingctx, a, b, c):
    """A * b + c with one rounding; numbers among them stand for vectors."""
    vectors = [argument for argument in (a, b, c) if isinstance(argument, Vector)]
    if not vectors:
        return None

    def codegen(context, builder, sig, args):
        return call_llvm(builder, "fma", *args)

    return vectors[0](vectors[0], vectors[0], vectors[0]), codegen


@intrinsic
def reciprocal_root(typingctx, vector):
    """1 / sqrt(v): the processor's estimate with one Newton step where it has one, relative error about 1e-7."""

    def codegen(context, builder, sig, args):
        root = call_llvm(builder, "sqrt", args[0])
        return builder.fdiv(splat(builder, FLOAT(1), vector.n), root, flags=FAST)

    return vector(vector), codegen


@intrinsic
def _scaled(typingctx, vector, by):
    """V * 2**by for vectors of integral `by` in -126..127.

    The exponent's bits come from adding 1.5 * 2**23: integer conversion of a NaN would be undefined, this is not.
    """
    n = vector.n

    def codegen(context, builder, sig, args):
        whole = builder.fadd(args[1], ir.Constant(vector.ir, [12582912.0] * n))  # exact: no fast flags
        bits = builder.shl(builder.bitcast(whole, ir.VectorType(INT, n)), integers(23, n))
        scale = builder.bitcast(builder.add(bits, integers(127 << 23, n)), vector.ir)
        return builder.fmul(args[0], scale, flags=FAST)

    return vector(vector, vector), codegen


@intrinsic
def _nearest(typingctx, vector):
    """The nearest integral float."""

    def codegen(context, builder, sig, args):
        return call_llvm(builder, "rint", args[0])

    return vector(vector), codegen


@intrinsic
def _exponent(typingctx, vector):
    """The integral k with v / 2**k between sqrt(1/2) and sqrt(2)."""
    n = vector.n

    def codegen(context, builder, sig, args):
        above = builder.sub(builder.bitcast(args[0], ir.VectorType(INT, n)), integers(0x3F3504F3, n))
        return builder.sitofp(builder.ashr(above, integers(23, n)), vector.ir)

    return vector(vector), codegen


@inlined
def exp(x):
    """Lane by lane e**x; relative error below 3e-7 for x in -87..88, e**-87 below. A NaN stays a NaN."""
    x = floor_at(x, -87.0)
    k = _nearest(x * 1.44269504)
    f = fma(k, -0.693145752, x)  # log 2 in two parts, so that f is exact to the last bit
    f = fma(k, -1.42860677e-6, f)
    p = fma(f, 1.3981999507e-3, 8.3334519073e-3)
    p = fma(p, f, 4.1665795894e-2)
    p = fma(p, f, 1.6666665459e-1)
    p = fma(p, f, 5.0000001201e-1)
    return _scaled(fma(p, f * f, f + 1.0), k)


@inlined
def log(x):
    """Lane by lane the natural logarithm of positive normal x; absolute error below 1e-6. A NaN stays a NaN."""
    k = _exponent(x)
    t = _scaled(x, 0.0 - k) - 1.0
    p = fma(t, 7.0376836292e-2, -1.1514610310e-1)
    p = fma(p, t, 1.1676998740e-1)
    p = fma(p, t, -1.2420140846e-1)
    p = fma(p, t, 1.4249322787e-1)
    p = fma(p, t, -1.6668057665e-1)
    p = fma(p, t, 2.0000714765e-1)
    p = fma(p, t, -2.4999993993e-1)
    p = fma(p, t, 3.3333331174e-1)
    square = t * t
    return fma(p, t * square, fma(square, -0.5, t)) + k * 0.69314718
