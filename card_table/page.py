"""Texts laid out on a page of 80 columns and 24 lines: wrapped, aligned, and shortened until they fit."""

import textwrap
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

WIDTH = 80
HEIGHT = 23  # one line of the terminal is for what is typed


@dataclass(frozen=True)
class Part:
    """Lines that belong together.

    Attributes:
        lines: the part in full.
        rank: 0 always stays; else the part with the highest rank is left out first when there is no room.
        brief: what may take the place of ``lines`` when there is no room.
        joined: whether it follows the part before without a blank line.
    """

    lines: Sequence[str]
    rank: int = 0
    brief: Sequence[str] | None = None
    joined: bool = False


def fit(parts: Iterable[Part], height: int = HEIGHT) -> list[str]:
    """The lines of a page; one that is still too long then is told as it is.

    Blank lines between parts go first, then parts with a rank, then what has a brief form is told briefly.
    """
    left = [part for part in parts if part.lines]
    airy = _lines(left, True)
    if len(airy) <= height:
        return airy
    while len(_lines(left, False)) > height:
        ranked = [part for part in left if part.rank]
        long = [part for part in left if part.brief is not None]
        if ranked:
            left.remove(max(ranked, key=lambda part: part.rank))
        elif long:
            place = left.index(long[-1])
            left[place] = Part(long[-1].brief or [], joined=long[-1].joined)
        else:
            break
    return _lines(left, False)


def _lines(parts: Iterable[Part], airy: bool) -> list[str]:
    lines: list[str] = []
    for part in parts:
        if lines and airy and not part.joined:
            lines.append("")
        lines += part.lines
    return lines


def wrap(text: str, indent: int = 0) -> list[str]:
    """The lines of a paragraph, those after the first indented."""
    return textwrap.wrap(text, WIDTH, subsequent_indent=" " * indent, break_on_hyphens=False) or [""]


def align(rows: Sequence[Sequence[str]], right: Iterable[int] = ()) -> list[str]:
    """The lines of a table; its last column is wrapped where it is too long.

    Args:
        rows: the cells, as many in each row.
        right: the columns that are flush right.
    """
    flush = set(right)
    last = len(rows[0]) - 1
    sizes = [max(len(row[column]) for row in rows) for column in range(last)]
    lines = []
    for row in rows:
        start = " ".join(
            row[column].rjust(size) if column in flush else row[column].ljust(size)
            for column, size in enumerate(sizes)
        )
        lines += wrap(f"{start}  {row[last]}", len(start) + 2)
    return [line.rstrip() for line in lines]


def columns(cells: Sequence[str]) -> list[str]:
    """Cells side by side, read line by line; one that is wider than half a line has a line of its own."""
    half = WIDTH // 2
    size = max((len(cell) + 2 for cell in cells if len(cell) + 2 <= half), default=WIDTH)
    each = WIDTH // size
    lines: list[str] = []
    row: list[str] = []
    for cell in cells:
        if row and (len(row) == each or len(cell) + 2 > half):
            lines.append("".join(row).rstrip())
            row = []
        if len(cell) + 2 > half:
            lines += wrap(cell, 4)
        else:
            row.append(cell.ljust(size))
    return [*lines, "".join(row).rstrip()] if row else lines
