"""Single machine instructions that Numba has no name for; without it each has a plain Python stand-in."""

from collections.abc import Callable
from typing import TYPE_CHECKING, Any, TypeAlias

import numba
import numba.extending
import numpy as np
import numpy.typing as npt
from llvmlite import ir
from numba.core import cgutils
from numba.np.arrayobj import make_array, populate_array

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
Bytes: TypeAlias = "npt.NDArray[np.uint8] | npt.NDArray[np.int8] | npt.NDArray[np.bool_]"

if SETTINGS.DISABLE_JIT:

    def count_bits(number: int) -> int:
        """The number of ones in a whole number that is not negative."""
        return int(number).bit_count()

    def put_flags(out: Bytes, to: int, bits: int) -> None:
        """Write the 52 lowest bits of a number, lowest first, into as many bytes from a place on."""
        row = out.reshape(-1)
        for place in range(_N_FLAGS):
            row[to + place] = (bits >> place) & 1

    def copy_bytes(out: Bytes, to: int, source: Bytes, start: int, size: int) -> None:
        """Copy so many bytes, a constant, from a place in one array to one in another, or in the same."""
        out.reshape(-1).view(np.uint8)[to : to + size] = source.reshape(-1).view(np.uint8)[
            start : start + size
        ]

    def copy_turned(
        out: Bytes, to: int, source: Bytes, start: int, size: int, kinds: Bytes, by: int, around: int
    ) -> None:
        """Copy so many bytes, a constant, turning those that number the places around a table.

        Where ``kinds`` (size,) is not 0, a place 1 … ``around`` is counted from place ``by`` + 1, which
        becomes 1; 0 stays.
        """
        for at in range(size):
            byte = int(source[start + at])
            if kinds[at] and byte:
                byte = (byte - 1 - by) % around + 1
            out[to + at] = byte & 255

    def put_strengths(out: Bytes, to: int, first: int, second: int) -> None:
        """Write two strengths: category, one-hot in 9 bytes, and five deciding ranks; zeros for no hand."""
        for place, strength in ((to, first), (to + 14, second)):
            out[place : place + 9] = 0
            out[place + (strength >> 20)] = strength != 0
            for rank in range(5):
                out[place + 9 + rank] = strength >> (16 - 4 * rank) & 15

    def put_eight(out: Bytes, to: int, bits: int) -> None:
        """Write the eight lowest bits of a number, lowest first, into as many bytes from a place on."""
        for place in range(8):
            out[to + place] = (bits >> place) & 1

    def row_of(array: npt.NDArray[Any], row: int) -> npt.NDArray[Any]:
        """A row of an array (n, m) in one piece, good for as long as somebody holds the array."""
        return array[row]  # type: ignore[no-any-return]

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
    def put_flags(_context: object, out: object, _to: object, _bits: object) -> Typed:
        """Write the 52 lowest bits of a number, lowest first, into as many bytes from a place on."""

        def generate(
            context: "BaseContext", builder: ir.IRBuilder, signature: "Signature", arguments: Values
        ) -> "Value":
            flags = builder.bitcast(arguments[2], ir.VectorType(ir.IntType(1), 64))
            flags = builder.zext(flags, ir.VectorType(_BYTE, 64))
            places = ir.Constant(ir.VectorType(_WORD, _N_FLAGS), list(range(_N_FLAGS)))
            flags = builder.shuffle_vector(flags, ir.Constant(flags.type, ir.Undefined), places)
            place = _place(context, builder, signature, arguments, 0)
            builder.store(flags, builder.bitcast(place, flags.type.as_pointer()), align=1)
            return context.get_dummy_value()  # type: ignore[no-untyped-call]

        return numba.types.void(_of_bytes(out), numba.types.int64, numba.types.int64), generate

    @numba.extending.intrinsic(prefer_literal=True)
    def copy_bytes(
        _context: object, out: object, _to: object, source: object, _start: object, size: object
    ) -> Typed:
        """Copy so many bytes, a constant, from a place in one array to one in another, or in the same."""
        kind = _row_of(_literal(size))

        def generate(
            context: "BaseContext", builder: ir.IRBuilder, signature: "Signature", arguments: Values
        ) -> "Value":
            given = _place(context, builder, signature, arguments, 2)
            place = _place(context, builder, signature, arguments, 0)
            row = builder.load(builder.bitcast(given, kind.as_pointer()), align=1)
            builder.store(row, builder.bitcast(place, kind.as_pointer()), align=1)
            return context.get_dummy_value()  # type: ignore[no-untyped-call]

        int64 = numba.types.int64
        return numba.types.void(_of_bytes(out), int64, _of_bytes(source), int64, int64), generate

    @numba.extending.intrinsic(prefer_literal=True)
    def copy_turned(
        _context: object,
        out: object,
        _to: object,
        source: object,
        _start: object,
        size: object,
        kinds: object,
        _by: object,
        _around: object,
    ) -> Typed:
        """Copy so many bytes, a constant, turning those that number the places around a table.

        Where ``kinds`` (size,) is not 0, a place 1 … ``around`` is counted from place ``by`` + 1, which
        becomes 1; 0 stays.
        """
        kind = _row_of(_literal(size))

        def generate(
            context: "BaseContext", builder: ir.IRBuilder, signature: "Signature", arguments: Values
        ) -> "Value":
            given = _place(context, builder, signature, arguments, 2)
            place = _place(context, builder, signature, arguments, 0)
            row = builder.load(builder.bitcast(given, kind.as_pointer()), align=1)
            marks = _data(context, builder, signature, arguments, 5)
            marks = builder.load(builder.bitcast(marks, kind.as_pointer()), align=1)
            by, around = (_spread(builder, builder.trunc(arguments[given], _BYTE), kind) for given in (6, 7))
            none = ir.Constant(kind, None)
            turned = builder.sub(row, by)
            below = builder.icmp_signed("<=", turned, none)
            turned = builder.select(below, builder.add(turned, around), turned)
            is_place = builder.and_(
                builder.icmp_signed("!=", marks, none), builder.icmp_signed("!=", row, none)
            )
            builder.store(
                builder.select(is_place, turned, row), builder.bitcast(place, kind.as_pointer()), align=1
            )
            return context.get_dummy_value()  # type: ignore[no-untyped-call]

        int64, whole, part = numba.types.int64, _of_bytes(out), _of_bytes(source)
        marks = _of_bytes(kinds)
        return numba.types.void(whole, int64, part, int64, int64, marks, int64, int64), generate

    @numba.extending.intrinsic
    def put_strengths(_context: object, out: object, _to: object, _first: object, _second: object) -> Typed:
        """Write two strengths: category, one-hot in 9 bytes, and five deciding ranks; zeros for no hand."""

        def generate(
            context: "BaseContext", builder: ir.IRBuilder, signature: "Signature", arguments: Values
        ) -> "Value":
            first, second = (_or_no_category(builder, given) for given in arguments[2:4])
            both = builder.or_(first, builder.shl(second, ir.Constant(_NUMBER, 32)))
            pairs = builder.bitcast(both, _row_of(8))
            low = builder.and_(pairs, ir.Constant(_row_of(8), [15] * 8))
            high = builder.lshr(pairs, ir.Constant(_row_of(8), [4] * 8))
            # Nibble k of the first strength is now in byte k, of the second in byte 8 + k.
            order = [place for pair in range(8) for place in (pair, 8 + pair)]
            nibbles = _shuffle(builder, low, high, order)
            one = [*[5] * 9, 4, 3, 2, 1, 0]
            nibbles = _shuffle(builder, nibbles, nibbles, [*one, *(8 + place for place in one)])
            kind = _row_of(28)
            is_category = builder.icmp_signed("==", nibbles, ir.Constant(kind, [*range(9), *[0] * 5] * 2))
            one_hot = ir.Constant(ir.VectorType(ir.IntType(1), 28), ([1] * 9 + [0] * 5) * 2)
            row = builder.select(one_hot, builder.zext(is_category, kind), nibbles)
            place = _place(context, builder, signature, arguments, 0)
            builder.store(row, builder.bitcast(place, kind.as_pointer()), align=1)
            return context.get_dummy_value()  # type: ignore[no-untyped-call]

        int64 = numba.types.int64
        return numba.types.void(_of_bytes(out), int64, int64, int64), generate

    @numba.extending.intrinsic
    def put_eight(_context: object, out: object, _to: object, _bits: object) -> Typed:
        """Write the eight lowest bits of a number, lowest first, into as many bytes from a place on."""

        def generate(
            context: "BaseContext", builder: ir.IRBuilder, signature: "Signature", arguments: Values
        ) -> "Value":
            flags = builder.bitcast(builder.trunc(arguments[2], _BYTE), ir.VectorType(ir.IntType(1), 8))
            place = _place(context, builder, signature, arguments, 0)
            builder.store(
                builder.zext(flags, _row_of(8)), builder.bitcast(place, _row_of(8).as_pointer()), align=1
            )
            return context.get_dummy_value()  # type: ignore[no-untyped-call]

        return numba.types.void(_of_bytes(out), numba.types.int64, numba.types.int64), generate

    def _or_no_category(builder: ir.IRBuilder, strength: "Value") -> "Value":
        """A strength, with a category that no byte stands for if it is of no hand."""
        none = builder.icmp_signed("==", strength, ir.Constant(_NUMBER, 0))
        return builder.select(none, ir.Constant(_NUMBER, 15 << 20), strength)

    def _shuffle(builder: ir.IRBuilder, first: "Value", second: "Value", places: list[int]) -> "Value":
        return builder.shuffle_vector(
            first, second, ir.Constant(ir.VectorType(_WORD, len(places)), list(places))
        )

    def _of_bytes(array: object) -> numba.types.Array:
        if not (
            isinstance(array, numba.types.Array)
            and array.layout == "C"
            and array.dtype in (numba.types.uint8, numba.types.int8, numba.types.boolean)
        ):
            raise numba.errors.TypingError(f"arrays must be bytes in one piece, not {array}")
        return array

    def _literal(size: object) -> int:
        if not isinstance(size, numba.types.IntegerLiteral):
            raise numba.errors.TypingError(f"the number of bytes must be a constant, not {size}")
        return int(size.literal_value)

    def _row_of(size: int) -> ir.VectorType:
        return ir.VectorType(_BYTE, size)

    def _spread(builder: ir.IRBuilder, number: "Value", kind: ir.VectorType) -> "Value":
        first = builder.insert_element(ir.Constant(kind, ir.Undefined), number, ir.Constant(_WORD, 0))
        places = ir.Constant(ir.VectorType(_WORD, kind.count), [0] * kind.count)
        return builder.shuffle_vector(first, ir.Constant(kind, ir.Undefined), places)

    def _place(
        context: "BaseContext", builder: ir.IRBuilder, signature: "Signature", arguments: Values, array: int
    ) -> "Value":
        """So many bytes, the next argument, into the contents of an array."""
        start = builder.bitcast(_data(context, builder, signature, arguments, array), _BYTE.as_pointer())
        return builder.gep(start, [arguments[array + 1]])

    @numba.extending.intrinsic
    def row_of(_context: object, array: object, _row: object) -> Typed:
        """A row of an array (n, m) in one piece, good for as long as somebody holds the array.

        A row that is taken by an index holds the array, and holders are counted by instructions that wait for
        all others: a few of them cost a tenth of a step.
        """
        if not (isinstance(array, numba.types.Array) and array.ndim == 2 and array.layout == "C"):
            raise numba.errors.TypingError(f"rows are taken of arrays (n, m) in a row, not of {array}")
        row = numba.types.Array(array.dtype, 1, "C", readonly=not array.mutable)

        def generate(
            context: "BaseContext", builder: ir.IRBuilder, signature: "Signature", arguments: Values
        ) -> "Value":
            whole = make_array(array)(context, builder, arguments[0])  # type: ignore[no-untyped-call]
            rows = cgutils.unpack_tuple(builder, whole.shape, 2)  # type: ignore[no-untyped-call]
            part = make_array(row)(context, builder)  # type: ignore[no-untyped-call]
            start = builder.gep(whole.data, [builder.mul(arguments[1], rows[1])])
            populate_array(  # type: ignore[no-untyped-call]
                part,
                data=start,
                shape=[rows[1]],
                strides=[whole.itemsize],
                itemsize=whole.itemsize,
                meminfo=None,
            )
            return part._getvalue()

        return row(array, numba.types.int64), generate

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
        context: "BaseContext",
        builder: ir.IRBuilder,
        signature: "Signature",
        arguments: Values,
        array: int = 0,
    ) -> "Value":
        """Where the contents of an argument, an array, start."""
        kind = signature.args[array]
        return make_array(kind)(context, builder, arguments[array]).data  # type: ignore[no-untyped-call]


@rule
def fetch_row(array: npt.NDArray[Any], row: int) -> None:
    """Have a row of an array, or a record, brought near while something else is worked out.

    Args:
        array: its rows follow each other.
        row: one of its rows.
    """
    for offset in range(0, array.strides[0], _LINE):
        _fetch_line(array, row * array.strides[0] + offset)
