"""Bytes by the dozen: what numpy and plain loops cannot say, each function beside the Python it stands for.

Kernels call these functions; compiled, they are a few instructions each (target-independent LLVM, which splits 64
bytes into whatever registers the processor has). With the compiler off the Python bodies run. All numbers are
int64, a set of 64 bits too: bit 63 is the sign.
"""

from __future__ import annotations

import sys

from llvmlite import ir
from numba import types
from numba.core import cgutils
from numba.extending import lower_builtin, type_callable

WINDOW = 64
_BYTE, _WORD, _FLAG = ir.IntType(8), ir.IntType(64), ir.IntType(32)
_BYTES = ir.VectorType(_BYTE, WINDOW)


def trailing_zeros(bits):
    """How many bits below the lowest one that is set; 64 if there is none.

    >>> trailing_zeros(0b1000), trailing_zeros(0)
    (3, 64)
    """
    return (bits & -bits).bit_length() - 1 if bits else WINDOW


def eight_bytes(text, i):
    """`text[i : i + 8]` as one number, the first byte highest.

    >>> import numpy as np
    >>> hex(eight_bytes(np.frombuffer(b"abcdefgh", np.uint8), 0))
    '0x6162636465666768'
    """
    return int.from_bytes(text[i : i + 8].tobytes(), "big", signed=True)


def window_kinds(text, i):
    r"""Which of `text[i : i + 64]` are ASCII letters or digits, apostrophes or hyphens, line ends, not ASCII.

    >>> import numpy as np
    >>> window_kinds(np.frombuffer(b"it's\n".ljust(64), np.uint8), 0)
    (11, 4, 16, 0)
    """
    window = text[i : i + WINDOW].tobytes()
    letters = _bits(byte < 0x80 and chr(byte).isalnum() for byte in window)
    joints = _bits(byte in b"'-" for byte in window)
    return letters, joints, _bits(byte == 0x0A for byte in window), _bits(byte >= 0x80 for byte in window)


def prefetch(array, i):
    """Ask for the cache line of `array[i]`, to be written soon; `array` is contiguous, `i` a row of it."""


def _bits(flags):
    bits = sum(1 << i for i, flag in enumerate(flags) if flag)
    return bits - (bits >> 63 << 64)


@type_callable(trailing_zeros)
def _type_trailing_zeros(context):
    return lambda bits: types.int64


@lower_builtin(trailing_zeros, types.Integer)
def _lower_trailing_zeros(context, builder, signature, arguments):
    bits = context.cast(builder, arguments[0], signature.args[0], types.int64)
    return builder.cttz(bits, ir.Constant(ir.IntType(1), 0))


@type_callable(eight_bytes)
def _type_eight_bytes(context):
    return lambda text, i: types.int64


@lower_builtin(eight_bytes, types.Array, types.Integer)
def _lower_eight_bytes(context, builder, signature, arguments):
    pointer = _pointer(context, builder, signature, arguments)
    number = builder.load(builder.bitcast(pointer, _WORD.as_pointer()), align=1)
    return builder.bswap(number) if sys.byteorder == "little" else number


@type_callable(window_kinds)
def _type_window_kinds(context):
    return lambda text, i: types.UniTuple(types.int64, 4)


@lower_builtin(window_kinds, types.Array, types.Integer)
def _lower_window_kinds(context, builder, signature, arguments):
    pointer = _pointer(context, builder, signature, arguments)
    text = builder.load(builder.bitcast(pointer, _BYTES.as_pointer()), align=1)

    def among(first, count, among_bytes=text):
        return builder.icmp_unsigned("<", builder.sub(among_bytes, _splat(first)), _splat(count))

    # Setting this bit makes capital letters small, and nothing else a letter.
    lower = builder.or_(text, _splat(0x20))
    letters = builder.or_(among(ord("a"), 26, lower), among(ord("0"), 10))
    joints = builder.or_(among(ord("'"), 1), among(ord("-"), 1))
    kinds = [builder.bitcast(kind, _WORD) for kind in (letters, joints, among(0x0A, 1), among(0x80, 0x80))]
    return context.make_tuple(builder, signature.return_type, kinds)


@type_callable(prefetch)
def _type_prefetch(context):
    return lambda array, i: types.none


@lower_builtin(prefetch, types.Array, types.Integer)
def _lower_prefetch(context, builder, signature, arguments):
    pointer = _pointer(context, builder, signature, arguments)
    kind = ir.FunctionType(ir.VoidType(), [_BYTE.as_pointer(), _FLAG, _FLAG, _FLAG])
    function = cgutils.get_or_insert_function(builder.module, kind, "llvm.prefetch.p0")
    for_writing, keep_close, data = _FLAG(1), _FLAG(3), _FLAG(1)
    builder.call(function, [pointer, for_writing, keep_close, data])
    return context.get_dummy_value()


def _splat(byte):
    return ir.Constant(_BYTES, [byte] * WINDOW)


def _pointer(context, builder, signature, arguments):
    """Emit the address of row `arguments[1]` of the array `arguments[0]`."""
    array_type = signature.args[0]
    array = context.make_array(array_type)(context, builder, arguments[0])
    i = context.cast(builder, arguments[1], signature.args[1], types.intp)
    start = builder.bitcast(array.data, _BYTE.as_pointer())
    return builder.gep(start, [builder.mul(i, cgutils.unpack_tuple(builder, array.strides)[0])])
