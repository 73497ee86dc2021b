"""The vector and the stack as types of Numba: their arithmetic, their items, and what all rooms emit."""

from __future__ import annotations

import operator
from typing import Any

from llvmlite import ir
from numba import types
from numba.core import cgutils
from numba.core.typeconv import Conversion
from numba.core.typing.templates import AbstractTemplate, infer_global, signature
from numba.extending import lower_builtin, lower_cast, models, register_model

from w2gm.kernels.jit import FAST_MATHS

FLOAT, INT = ir.FloatType(), ir.IntType(32)
FAST = tuple(sorted(FAST_MATHS))


class Vector(types.Type):
    """A vector of n float32."""

    def __init__(self, n: int) -> None:
        self.n = n
        self.ir = ir.VectorType(FLOAT, n)
        super().__init__(name=f"Vector({n})")

    def can_convert_from(self, typingctx: Any, other: types.Type) -> Any:
        """A number becomes a vector of itself."""
        return Conversion.safe if isinstance(other, (types.Float, types.Integer)) else None


@register_model(Vector)
class _VectorModel(models.PrimitiveModel):
    def __init__(self, manager, vector):
        super().__init__(manager, vector, vector.ir)


class Stack(types.Type):
    """A local array of `size` vectors."""

    def __init__(self, size: int, n: int) -> None:
        self.size = size
        self.vector = Vector(n)
        super().__init__(name=f"Stack({size}, {n})")


@register_model(Stack)
class _StackModel(models.PrimitiveModel):
    def __init__(self, manager, stack):
        super().__init__(manager, stack, ir.ArrayType(stack.vector.ir, stack.size).as_pointer())


def shuffled(builder, u, v, lanes):
    """Emit the lanes of u and v in the order of a list."""
    return builder.shuffle_vector(u, v, ir.Constant(ir.VectorType(INT, len(lanes)), list(lanes)))


def splat(builder, scalar, n):
    """Emit a vector of n times a scalar."""
    vector = builder.insert_element(ir.Constant(ir.VectorType(FLOAT, n), ir.Undefined), scalar, INT(0))
    return shuffled(builder, vector, vector, [0] * n)


def call_llvm(builder, name, *vectors):
    """Call llvm.<name> on vectors of one type."""
    kind = vectors[0].type
    function_type = ir.FunctionType(kind, [vector.type for vector in vectors])
    function = cgutils.get_or_insert_function(builder.module, function_type, f"llvm.{name}.v{kind.count}f32")
    return builder.call(function, vectors, fastmath=FAST)


def integers(value, n):
    """Emit a constant vector of n times an integer."""
    return ir.Constant(ir.VectorType(INT, n), [value] * n)


def element(context, builder, array_type, array, index):
    """Pointer to array.data[index]."""
    return builder.gep(context.make_array(array_type)(context, builder, array).data, [index])


def stated_lanes(argument):
    """Number of lanes meant by a constant or by a vector given as an example; None where it is neither."""
    if isinstance(argument, Vector):
        return argument.n
    return getattr(argument, "literal_value", None)


@lower_cast(types.Float, Vector)
@lower_cast(types.Integer, Vector)
def _broadcast_number(context, builder, from_type, to_type, value):
    return splat(builder, context.cast(builder, value, from_type, types.float32), to_type.n)


def _arithmetic(symbol, emit):
    @infer_global(symbol)
    class _Typing(AbstractTemplate):
        def generic(self, args, kws):
            vectors = [argument for argument in args if isinstance(argument, Vector)]
            numbers = (types.Float, types.Integer)
            if len(args) == 2 and vectors and all(a == vectors[0] or isinstance(a, numbers) for a in args):
                return signature(vectors[0], vectors[0], vectors[0])
            return None

    lower_builtin(symbol, Vector, Vector)(lambda context, builder, sig, args: emit(builder, *args))


_arithmetic(operator.add, lambda builder, u, v: builder.fadd(u, v, flags=FAST))
_arithmetic(operator.sub, lambda builder, u, v: builder.fsub(u, v, flags=FAST))
_arithmetic(operator.mul, lambda builder, u, v: builder.fmul(u, v, flags=FAST))
_arithmetic(operator.truediv, lambda builder, u, v: builder.fdiv(u, v, flags=FAST))


@infer_global(operator.getitem)
class _GetItem(AbstractTemplate):
    def generic(self, args, kws):
        if isinstance(args[0], Stack):
            return signature(args[0].vector, args[0], types.intp)
        if isinstance(args[0], Vector):
            return signature(types.float32, args[0], types.intp)
        return None


@infer_global(operator.setitem)
class _SetItem(AbstractTemplate):
    def generic(self, args, kws):
        if isinstance(args[0], Stack):
            return signature(types.none, args[0], types.intp, args[0].vector)
        return None


@lower_builtin(operator.getitem, Vector, types.intp)
def _lane(context, builder, sig, args):
    return builder.extract_element(args[0], args[1])


@lower_builtin(operator.getitem, Stack, types.intp)
def _get(context, builder, sig, args):
    return builder.load(builder.gep(args[0], [INT(0), args[1]]))


@lower_builtin(operator.setitem, Stack, types.intp, Vector)
def _set(context, builder, sig, args):
    builder.store(args[2], builder.gep(args[0], [INT(0), args[1]]))
    return context.get_dummy_value()
