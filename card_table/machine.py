"""Single machine instructions that Numba has no name for; without it each has a plain Python stand-in."""

from collections.abc import Callable
from typing import TYPE_CHECKING, Any, TypeAlias

import numba
import numba.extending
import numpy as np
import numpy.typing as npt
from llvmlite import ir
from numba.np.arrayobj import make_array

from card_table.compile import SETTINGS, rule

if TYPE_CHECKING:
    from llvmlite.ir import Value
    from numba.core.base import BaseContext
    from numba.core.typing.templates import Signature

_BYTE, _WORD, _NUMBER = ir.IntType(8), ir.IntType(32), ir.IntType(64)
_N_FLAGS = 52
_LINE = 64  # bytes that processors fetch at once

# What the arguments of a call are in the code that is generated.
Values: TypeAlias = "tuple[Value, ...]"
# The types of a call, and what generates its code.
Typed: TypeAlias = "tuple[object, Callable[..., Value]]"

if SETTINGS.DISABLE_JIT:

    def count_bits(number: int) -> int:
        """The number of ones in a whole number that is not negative."""
        return int(number).bit_count()

    def put_flags(out: npt.NDArray[np.uint8] | npt.NDArray[np.bool_], bits: int) -> None:
        """Write the 52 lowest bits of a number, lowest first, into as many bytes."""
        for place in range(_N_FLAGS):
            out[place] = (bits >> place) & 1

    def _fetch_line(_array: npt.NDArray[Any], _offset: int) -> None:
        pass

else:

    @numba.extending.intrinsic
    def count_bits(_context: object, _number: object) -> Typed:
        """The number of ones in a whole number that is not negative."""

        def generate(
            _context: object, builder: ir.IRBuilder, _signature: object, arguments: Values
        ) -> "Value":
            return builder.ctpop(arguments[0])

        return numba.types.int64(numba.types.int64), generate

    @numba.extending.intrinsic
    def put_flags(_context: object, out: object, _bits: object) -> Typed:
        """Write the 52 lowest bits of a number, lowest first, into as many bytes."""
        if not (
            isinstance(out, numba.types.Array)
            and out.layout == "C"
            and out.dtype in (numba.types.uint8, numba.types.boolean)
        ):
            raise numba.errors.TypingError(f"flags are put into uint8 or bool in a row, not into {out}")

        def generate(
            context: "BaseContext", builder: ir.IRBuilder, signature: "Signature", arguments: Values
        ) -> "Value":
            flags = builder.bitcast(arguments[1], ir.VectorType(ir.IntType(1), 64))
            flags = builder.zext(flags, ir.VectorType(_BYTE, 64))
            places = ir.Constant(ir.VectorType(_WORD, _N_FLAGS), list(range(_N_FLAGS)))
            flags = builder.shuffle_vector(flags, ir.Constant(flags.type, ir.Undefined), places)
            start = _data(context, builder, signature, arguments)
            builder.store(flags, builder.bitcast(start, flags.type.as_pointer()), align=1)
            return context.get_dummy_value()  # type: ignore[no-untyped-call]

        return numba.types.void(out, numba.types.int64), generate

    @numba.extending.intrinsic
    def _fetch_line(_context: object, array: object, _offset: object) -> Typed:
        if not isinstance(array, numba.types.Array):
            raise numba.errors.TypingError(f"memory is fetched of arrays, not of {array}")

        def generate(
            context: "BaseContext", builder: ir.IRBuilder, signature: "Signature", arguments: Values
        ) -> "Value":
            start = builder.bitcast(_data(context, builder, signature, arguments), _BYTE.as_pointer())
            place = builder.gep(start, [arguments[1]])
            kinds = [place.type, _WORD, _WORD, _WORD]
            fetch = builder.module.declare_intrinsic(
                "llvm.prefetch", [place.type], ir.FunctionType(ir.VoidType(), kinds)
            )
            to_write, as_near_as_can_be, data = (ir.Constant(_WORD, value) for value in (1, 3, 1))
            builder.call(fetch, [place, to_write, as_near_as_can_be, data])
            return context.get_dummy_value()  # type: ignore[no-untyped-call]

        return numba.types.void(array, numba.types.int64), generate

    def _data(
        context: "BaseContext", builder: ir.IRBuilder, signature: "Signature", arguments: Values
    ) -> "Value":
        """Where the first argument's, an array's, contents start."""
        return make_array(signature.args[0])(context, builder, arguments[0]).data  # type: ignore[no-untyped-call]


@rule
def fetch_row(array: npt.NDArray[Any], row: int) -> None:
    """Have a row of an array, or a record, brought near while something else is worked out.

    Args:
        array: its rows follow each other.
        row: one of its rows.
    """
    for offset in range(0, array.strides[0], _LINE):
        _fetch_line(array, row * array.strides[0] + offset)
