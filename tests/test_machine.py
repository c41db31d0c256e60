"""What is written in single machine instructions is what a plain loop would write, and nothing beside it."""

import numpy as np
import numpy.typing as npt
import pytest
from hypothesis import given
from hypothesis import strategies as st

from card_table import machine
from card_table.compile import SETTINGS, rule
from card_table.hands import best_hand, category_of, deciding_rank

SIZE = 39
SEATS = np.zeros(SIZE, np.uint8)
SEATS[3::5] = 1
Bytes = npt.NDArray[np.uint8]


@rule
def _put_flags(out: Bytes, to: int, bits: int) -> None:
    machine.put_flags(out, to, bits)


@rule
def _put_eight(out: Bytes, to: int, bits: int) -> None:
    machine.put_eight(out, to, bits)


@rule
def _copy(out: Bytes, to: int, source: npt.NDArray[np.int8], start: int) -> None:
    machine.copy_bytes(out, to, source, start, SIZE)


@rule
def _copy_so_many(out: Bytes, source: Bytes, size: int) -> None:
    machine.copy_bytes(out, 0, source, 0, size)


@rule
def _count(number: int) -> int:
    return machine.count_bits(number)


@rule
def _slide(row: Bytes) -> None:
    machine.copy_bytes(row, 7, row, 0, SIZE)


@rule
def _turn(out: Bytes, source: npt.NDArray[np.int8], by: int, around: int) -> None:
    machine.copy_turned(out, 4, source, 2, SIZE, SEATS, by, around)


@rule
def _put_strengths(out: Bytes, to: int, first: int, second: int) -> None:
    machine.put_strengths(out, to, first, second)


@rule
def _fill_rows(rows: Bytes) -> None:
    for i in range(len(rows)):
        row = machine.row_of(rows, i)
        for place in range(len(row)):
            row[place] = 10 * i + place


@given(st.integers(0, 2**52 - 1), st.integers(0, 20))
def test_flags_are_the_bits_of_a_number(bits: int, to: int) -> None:
    out = np.full(80, 7, np.uint8)
    wanted = out.copy()
    wanted[to : to + 52] = [bits >> place & 1 for place in range(52)]
    _put_flags(out, to, bits)
    assert (out == wanted).all()
    out[:] = 7
    wanted[:] = 7
    wanted[to : to + 8] = [bits >> place & 1 for place in range(8)]
    _put_eight(out, to, bits)
    assert (out == wanted).all()


@given(st.integers(0, 20), st.integers(0, 20))
def test_bytes_are_copied_between_arrays_of_either_sign(to: int, start: int) -> None:
    source = np.arange(100, 160).astype(np.int8)
    out = np.full(80, 7, np.uint8)
    wanted = out.copy()
    wanted[to : to + SIZE] = np.arange(100, 160)[start : start + SIZE]
    _copy(out, to, source, start)
    assert (out == wanted).all()


def test_bytes_slide_within_an_array() -> None:
    row = np.arange(60, dtype=np.uint8)
    _slide(row)
    assert row.tolist() == [*range(7), *range(SIZE), *range(7 + SIZE, 60)]


@given(st.integers(2, 10), st.data())
def test_places_around_a_table_are_counted_from_another(around: int, data: st.DataObject) -> None:
    by = data.draw(st.integers(0, around - 1))
    source = np.array(data.draw(st.lists(st.integers(0, around), min_size=60, max_size=60)), np.int8)
    out = np.full(60, 77, np.uint8)
    _turn(out, source, by, around)
    for place in range(60):
        if not 4 <= place < 4 + SIZE:
            assert out[place] == 77
            continue
        given_byte = int(source[place - 2])
        if SEATS[place - 4] and given_byte:
            given_byte = (given_byte - 1 - by) % around + 1
        assert out[place] == given_byte


@given(st.lists(st.lists(st.integers(0, 51), max_size=9, unique=True), min_size=2, max_size=2))
def test_strengths_are_written_as_category_and_deciding_ranks(hands: list[list[int]]) -> None:
    strengths = [best_hand(sum(1 << card for card in cards)) for cards in hands]
    out = np.full(40, 7, np.uint8)
    wanted = out.tolist()
    for start, strength in zip((5, 19), strengths, strict=True):
        wanted[start : start + 14] = [0] * 14
        if strength:
            wanted[start + category_of(strength)] = 1
            wanted[start + 9 : start + 14] = [deciding_rank(strength, place) for place in range(5)]
    _put_strengths(out, 5, *strengths)
    assert out.tolist() == wanted


@given(st.integers(0, 2**62))
def test_ones_are_counted(number: int) -> None:
    assert _count(number) == f"{number:b}".count("1")


def test_rows_are_those_of_the_array() -> None:
    rows = np.zeros((3, 6), np.uint8)
    _fill_rows(rows)
    assert rows.tolist() == [[10 * i + place for place in range(6)] for i in range(3)]


@pytest.mark.skipif(bool(SETTINGS.DISABLE_JIT), reason="plain Python takes any array")
def test_what_has_no_single_instruction_is_refused_when_compiled() -> None:
    with pytest.raises(Exception, match="bytes in one piece"):
        _put_flags(np.zeros(80, np.int64), 0, 1)
    with pytest.raises(Exception, match="bytes in one piece"):
        _put_flags(np.zeros(160, np.uint8)[::2], 0, 1)
    with pytest.raises(Exception, match=r"rows are taken of arrays \(n, m\)"):
        _fill_rows(np.zeros((4, 6), np.uint8)[:, ::2])
    with pytest.raises(Exception, match="the number of bytes must be a constant"):
        _copy_so_many(np.zeros(80, np.uint8), np.zeros(80, np.uint8), 3)
    with pytest.raises(Exception, match="memory is fetched of arrays"):
        machine.fetch_row(memoryview(np.zeros((4, 6))), 0)  # type: ignore[arg-type]


def test_memory_that_is_fetched_stays_as_it_is() -> None:
    array = np.arange(600.0).reshape(4, 150)
    for row in (0, 3):
        machine.fetch_row(array, row)
    assert (array == np.arange(600.0).reshape(4, 150)).all()
