"""The named parts of an observation: where they lie, how large they get, and the table that says so."""

import itertools
import re

import numpy as np
import pytest

from card_table.game import Game
from card_table.layout import Layout, Piece, bounds
from detective_env.detective_v0 import Detective
from palace_env.palace_v0 import Palace

CARDS = Piece("cards", 52, 1, "one byte a card")
POT = Piece("pot", 1, 255, "in small bets")
STACK = Piece("stack", 1, 200, "in small bets")
COUNTS = Piece("counts", 3, 9, "buys, discards, attacks")
LAYOUT = Layout((CARDS, POT), (STACK, COUNTS), seats=3)


def test_sizes_add_up() -> None:
    assert LAYOUT.table_size == 53
    assert LAYOUT.seat_size == 4
    assert LAYOUT.size == 53 + 3 * 4


def test_pieces_lie_one_after_the_other_seat_by_seat() -> None:
    assert LAYOUT.slice_of("cards") == slice(0, 52)
    assert LAYOUT.slice_of("pot") == slice(52, 53)
    assert LAYOUT.slice_of("stack", 0) == slice(53, 54)
    assert LAYOUT.slice_of("counts", 0) == slice(54, 57)
    assert LAYOUT.slice_of("counts", seat=2) == slice(62, 65)


def test_the_largest_values_stand_byte_by_byte() -> None:
    assert LAYOUT.high.dtype == np.uint8
    assert LAYOUT.high.tolist() == [1] * 52 + [255] + 3 * [200, 9, 9, 9]


def test_bounds_are_where_pieces_start() -> None:
    assert bounds((STACK, COUNTS, POT)) == {"stack": 0, "counts": 1, "pot": 4}
    assert bounds(()) == {}


def test_the_table_shows_every_piece_as_markdown() -> None:
    assert LAYOUT.table() == (
        "| bytes | piece | size | largest | meaning |\n"
        "| --- | --- | --- | --- | --- |\n"
        "| 0 … 51 | cards | 52 | 1 | one byte a card |\n"
        "| 52 … 52 | pot | 1 | 255 | in small bets |\n"
        "| 53 + 4·s + 0 … 0 | stack | 1 | 200 | in small bets |\n"
        "| 53 + 4·s + 1 … 3 | counts | 3 | 9 | buys, discards, attacks |\n"
    )


@pytest.mark.parametrize(
    ("name", "seat", "message"),
    [
        ("chips", None, "'chips' is no piece here: choose from ['cards', 'pot']"),
        ("stack", None, "'stack' is no piece here: choose from ['cards', 'pot']"),
        ("pot", 0, "'pot' is no piece here: choose from ['stack', 'counts']"),
        ("stack", 3, "seat 3: must be 0 to 2"),
        ("stack", -1, "seat -1: must be 0 to 2"),
    ],
)
def test_what_is_no_piece_is_refused(name: str, seat: int | None, message: str) -> None:
    with pytest.raises(ValueError, match=f"^{re.escape(message)}$"):
        LAYOUT.slice_of(name, seat)


@pytest.mark.parametrize(("size", "high"), [(0, 1), (-1, 1), (1, 0), (1, 256)])
def test_a_piece_needs_a_byte_and_a_value_that_fits_in_one(size: int, high: int) -> None:
    message = f"piece 'x': size {size} must be at least 1, high {high} from 1 to 255"
    with pytest.raises(ValueError, match=f"^{re.escape(message)}$"):
        Piece("x", size, high, "nothing")


@pytest.mark.parametrize(
    "game",
    [
        *(Palace(), Palace(players=2, seats=7), Palace(players=10, hand_values=False)),
        *(Detective(), Detective(players=3, seats=4), Detective(players=3, hand_values=False)),
    ],
    ids=lambda game: f"{game.name}-{game.seats}",
)
def test_the_pieces_of_an_observation_cover_it_without_gap_or_overlap(game: Game) -> None:
    layout = game.layout
    slices = [layout.slice_of(piece.name) for piece in layout.table_pieces]
    slices += [
        layout.slice_of(piece.name, seat) for seat in range(layout.seats) for piece in layout.seat_pieces
    ]
    assert slices[0].start == 0
    assert all(before.stop == after.start for before, after in itertools.pairwise(slices))
    assert slices[-1].stop == layout.size == len(layout.high)
    starts = bounds(layout.table_pieces)
    assert all(layout.slice_of(name).start == start for name, start in starts.items())
    names = [piece.name for piece in (*layout.table_pieces, *layout.seat_pieces)]
    assert len(set(names)) == len(names)
