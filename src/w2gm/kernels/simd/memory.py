"""Between vectors and arrays: load, store, prefetch, and the local stack."""

from __future__ import annotations

from llvmlite import ir
from numba import types
from numba.core import cgutils
from numba.extending import intrinsic

from w2gm.kernels.simd.types import INT, Stack, Vector, element, stated_lanes


@intrinsic
def load(typingctx, array, index, lanes):
    """A vector of the floats array[index : index + lanes] of a flat array."""
    n = stated_lanes(lanes)
    if n is None:
        return None

    def codegen(context, builder, sig, args):
        pointer = element(context, builder, sig.args[0], args[0], args[1])
        return builder.load(builder.bitcast(pointer, Vector(n).ir.as_pointer()), align=4)

    return Vector(n)(array, types.intp, lanes), codegen


@intrinsic
def store(typingctx, array, index, vector):
    """Write a vector to array[index : index + n] of a flat array."""
    if not isinstance(vector, Vector):
        return None

    def codegen(context, builder, sig, args):
        pointer = element(context, builder, sig.args[0], args[0], args[1])
        builder.store(args[2], builder.bitcast(pointer, vector.ir.as_pointer()), align=4)
        return context.get_dummy_value()

    return types.void(array, types.intp, vector), codegen


@intrinsic
def prefetch(typingctx, array, index):
    """Ask for the cache line of array[index], to be written soon."""

    def codegen(context, builder, sig, args):
        byte_pointer = ir.IntType(8).as_pointer()
        function_type = ir.FunctionType(ir.VoidType(), [byte_pointer, INT, INT, INT])
        function = cgutils.get_or_insert_function(builder.module, function_type, "llvm.prefetch.p0")
        pointer = element(context, builder, sig.args[0], args[0], args[1])
        for_writing, keep_close, data = INT(1), INT(3), INT(1)
        builder.call(function, [builder.bitcast(pointer, byte_pointer), for_writing, keep_close, data])
        return context.get_dummy_value()

    return types.void(array, types.intp), codegen


@intrinsic
def stack(typingctx, size, lanes):
    """A local array of `size` vectors, not initialised; size and lanes are constants."""
    count, n = stated_lanes(size), stated_lanes(lanes)
    if count is None or n is None:
        return None

    def codegen(context, builder, sig, args):
        with builder.goto_entry_block():
            room = builder.alloca(ir.ArrayType(Vector(n).ir, count))
            room.align = 64
        return room

    return Stack(count, n)(size, lanes), codegen
