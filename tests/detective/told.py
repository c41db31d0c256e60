"""What a seat may know as the product tells it: the bytes of the observation, and the text in sentences."""

import itertools
import re
from collections.abc import Mapping
from typing import Any

import numpy as np
import numpy.typing as npt

from card_table.layout import Layout
from tests.detective import reference
from tests.detective.reference import ACTION_CARDS, BOARD_CARDS, RANKS, SUITS, Rules

STREETS = ("preflop", "flop", "turn", "river")


def observation(
    known: Mapping[str, Any], rules: Rules, layout: Layout, hand_values: bool
) -> npt.NDArray[np.uint8]:
    """What a seat may know as the observation that docs/detective.md describes, uint8 (D,)."""
    seen = bytearray(layout.size)
    me, players, street = known["seat"], rules.players, known["street"]

    def put(name: str, values: list[int], seat: int | None = None) -> None:
        start = layout.slice_of(name, seat).start
        seen[start : start + len(values)] = bytes(values)

    def put_cards(name: str, cards: list[str], seat: int | None = None) -> None:
        start = layout.slice_of(name, seat).start
        for card in cards:
            seen[start + 13 * SUITS.index(card[1]) + RANKS.index(card[0])] = 1  # 13.1

    board = known["board"]
    put_cards("private", [known["private"][me]])
    put_cards("flop", board[:3])
    put_cards("turn", board[3:4])
    put_cards("river", board[4:5])
    put_cards("thrown", known["thrown"])
    put("street", [int(number == street) for number in range(4)])
    own = {bet[0]: bet[4] for bet in known["bets"] if bet[1] == me}
    put("under", [int(own.get(number) == card) for number in range(4) for card in ACTION_CARDS])
    put("cards", [int(card in known["cards"]) for card in ACTION_CARDS])
    put("hands_to_go", [min(known["hands_to_go"], 255)])
    last = rules.streets - 1 if street is None else street
    for away in range(players):
        seat = (me + away) % players
        bets = {bet[0]: bet for bet in known["bets"] if bet[1] == seat}
        face_up = known["exposed"][seat] if seat != me else known["private"][seat]
        if seat != me:
            put_cards("exposed", [face_up], away)
        put("dealer", [int(seat == known["dealer"])], away)
        put("chips", [known["chips"][seat]], away)
        put("n_cards", [known["n_cards"][seat]], away)
        ahead = known["points"][seat] - known["points"][me]
        put("points", [0 if seat == me else min(max(ahead + 128, 0), 255)], away)
        named = [(bets[number][2] - me) % players if number in bets else None for number in range(4)]
        put("named", [int(name == i) for name in named for i in range(4)], away)
        put("bet", [bets[number][3] if number in bets else 0 for number in range(4)], away)
        put("covers", [int(number in bets and bets[number][4] is not None) for number in range(4)], away)
        if hand_values:
            worth = [
                reference.strength(frozenset([face_up, *board[: BOARD_CARDS[number]]]))
                for number in range(last + 1)
            ]
            categories = len(reference.CATEGORIES)
            put("category", [int(category == i) for category, _ in worth for i in range(categories)], away)
            ranks = [[rank + 1 for rank in decides] + [0] * (5 - len(decides)) for _, decides in worth]
            put("decides", list(itertools.chain(*ranks)), away)
    return np.frombuffer(seen, np.uint8)


def pieces_that_differ(
    layout: Layout, seen: npt.NDArray[np.uint8], wanted: npt.NDArray[np.uint8]
) -> list[str]:
    """The names of the pieces in which two observations differ, with the values of both."""
    places: list[tuple[str, int | None]] = [(piece.name, None) for piece in layout.table_pieces]
    places += [(piece.name, seat) for seat in range(layout.seats) for piece in layout.seat_pieces]
    return [
        f"{name} {seat}: {seen[where].tolist()}, not {wanted[where].tolist()}"
        for name, seat in places
        if (seen[where := layout.slice_of(name, seat)] != wanted[where]).any()
    ]


def read_text(text: str) -> dict[str, Any]:
    """What ``view_text`` tells, in the form of ``Game.known``."""
    row = r"^([> ])([D ]) *(\d)( you)? +(\S+) +(\S+) +(\d+) +(\d+) +(-?\d+)$"
    rows = re.findall(row, text, re.MULTILINE)
    flat = " ".join(text.split())
    me = int(only([seat for _, _, seat, you, *_ in rows if you]))
    number, of = re.findall(r"Hand (\d+) of (\d+)", flat)[0]
    street = re.findall(r"The street is the (\w+)|The street is (\w+)", flat)
    movers = [seat for mover, _, seat, *_ in rows if mover == ">"]

    def seat_of(words: str, speaker: int) -> int:
        if words in ("you", "yourself"):
            return me
        return speaker if words == "itself" else int(words.removeprefix("seat "))

    bets = []
    said = (
        r"(preflop|flop|turn|river) (seat \d|you): (\d) chips? "
        r"on (yourself|you|itself|seat \d)(?:, (\S+|a card) under it)?"
    )
    for name, who, chips, named, card in re.findall(said, flat):
        player = seat_of(who, -1)
        under = "?" if card == "a card" else card or None
        bets.append((STREETS.index(name), player, seat_of(named, player), int(chips), under))
    return {
        "seat": me,
        "dealer": int(only([seat for _, dealer, seat, *_ in rows if dealer == "D"])),
        "hand": int(number) - 1,
        "hands_to_go": int(of) - int(number),
        "street": STREETS.index("".join(street[0])) if street else None,
        "to_move": int(only(movers)) if movers else None,
        "private": [None if private == "##" else private for *_, private, _, _, _ in rows],
        "exposed": [None if exposed == "##" else exposed for *_, exposed, _, _, _, _ in rows],
        "board": _cards_after("Board", flat),
        "thrown": _cards_after("Thrown out", flat),
        "bets": bets,
        "chips": [int(chips) for *_, chips, _, _ in rows],
        "n_cards": [int(cards) for *_, cards, _ in rows],
        "cards": [card for card in ACTION_CARDS if card in _words_after("Action cards in your hand", flat)],
        "points": [int(points) for *_, points in rows],
    }


def _words_after(title: str, flat: str) -> list[str]:
    return [
        word for found in re.findall(rf"{title}: ([^.]*)\.", flat) for word in found.replace(",", "").split()
    ]


def _cards_after(title: str, flat: str) -> list[str]:
    return [word for word in _words_after(title, flat) if re.fullmatch(f"[{RANKS}][{SUITS}]", word)]


def only(found: list[str]) -> str:
    """The one element of a list.

    Raises:
        AssertionError: it has none, or more.
    """
    assert len(found) == 1, f"{found!r}: must be one"
    return found[0]
