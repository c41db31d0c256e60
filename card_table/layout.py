"""The named parts of an observation: their order, shapes, largest values and meaning.

An observation is a flat uint8 vector: first the pieces that a table has once, then one block for each seat,
in which every piece that a seat has stands once. Blocks are ordered as seats are seen from the observer, 0
being the observer. Encoders take their bounds from here, and so do the tables in the documentation.
"""

from dataclasses import dataclass
from functools import cached_property

import numpy as np
import numpy.typing as npt


@dataclass(frozen=True)
class Piece:
    """One named part: how many bytes it takes, the largest value of each, and what they mean."""

    name: str
    size: int
    high: int
    meaning: str

    def __post_init__(self) -> None:
        if self.size < 1 or not 1 <= self.high <= 255:
            raise ValueError(
                f"piece {self.name!r}: size {self.size!r} must be at least 1, "
                f"high {self.high!r} from 1 to 255"
            )


@dataclass(frozen=True)
class Layout:
    """All pieces of an observation for tables of up to ``seats`` seats."""

    table_pieces: tuple[Piece, ...]
    seat_pieces: tuple[Piece, ...]
    seats: int

    @cached_property
    def table_size(self) -> int:
        """Bytes before the first seat's block."""
        return sum(piece.size for piece in self.table_pieces)

    @cached_property
    def seat_size(self) -> int:
        """Bytes of one seat's block."""
        return sum(piece.size for piece in self.seat_pieces)

    @property
    def size(self) -> int:
        """Bytes of an observation."""
        return self.table_size + self.seats * self.seat_size

    def slice_of(self, name: str, seat: int | None = None) -> slice:
        """Where a piece lies in an observation.

        Args:
            name: the piece's name.
            seat: for a piece that each seat has, the seat counted from the observer.

        Raises:
            ValueError: an unknown name, or a seat given or missing against the kind of piece.
        """
        pieces, start = self.table_pieces, 0
        if seat is not None:
            if not 0 <= seat < self.seats:
                raise ValueError(f"seat {seat!r}: must be 0 to {self.seats - 1}")
            pieces, start = self.seat_pieces, self.table_size + seat * self.seat_size
        for piece in pieces:
            if piece.name == name:
                return slice(start, start + piece.size)
            start += piece.size
        raise ValueError(f"{name!r} is no piece here: choose from {[piece.name for piece in pieces]}")

    @cached_property
    def high(self) -> npt.NDArray[np.uint8]:
        """The largest value of each byte, uint8 (size,)."""
        highs = [piece.high for piece in self.table_pieces for _ in range(piece.size)]
        highs += [piece.high for piece in self.seat_pieces for _ in range(piece.size)] * self.seats
        return np.array(highs, np.uint8)

    def table(self) -> str:
        """The layout as a Markdown table for the documentation."""
        rows = ["| bytes | piece | size | largest | meaning |", "| --- | --- | --- | --- | --- |"]
        start = 0
        for piece in self.table_pieces:
            rows.append(_row(f"{start} … {start + piece.size - 1}", piece))
            start += piece.size
        at = 0
        for piece in self.seat_pieces:
            rows.append(_row(f"{start} + {self.seat_size}·s + {at} … {at + piece.size - 1}", piece))
            at += piece.size
        return "\n".join(rows) + "\n"


def bounds(pieces: tuple[Piece, ...]) -> dict[str, int]:
    """Where each piece starts, counted from the first piece, for encoders that take bounds as constants."""
    starts: dict[str, int] = {}
    start = 0
    for piece in pieces:
        starts[piece.name] = start
        start += piece.size
    return starts


def _row(where: str, piece: Piece) -> str:
    return f"| {where} | {piece.name} | {piece.size} | {piece.high} | {piece.meaning} |"
