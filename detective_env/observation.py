"""The observation of Detective Poker: its layout and its encoder.

The encoder reads what is hidden only through the accessors of ``view``, so that a game's record and the view
of the same seat give the same bytes.
"""

import numpy as np
import numpy.typing as npt

from card_table.cards import N_CARDS, NO_CARD, put_cards
from card_table.compile import State, rule
from card_table.hands import N_CATEGORIES
from card_table.layout import Layout, Piece, bounds
from detective_env.rules import (
    BOARD,
    KINDS,
    MAX_BET,
    MAX_SEATS,
    NONE,
    STREETS,
    THROWN,
    all_cards,
    board_size,
    dealt_cards,
    thrown_by,
)
from detective_env.view import (
    known_bet_card,
    known_cards,
    known_exposed,
    known_private,
)

N_KINDS = KINDS - 1  # of action cards
EVEN = 128  # points of a seat that has as many as oneself

_BY_STREET = "by street"

TABLE_PIECES = (
    Piece("private", N_CARDS, 1, "one's own private card"),
    Piece("flop", N_CARDS, 1, "the three cards of the flop, by card"),
    Piece("turn", N_CARDS, 1, "the card of the turn"),
    Piece("river", N_CARDS, 1, "the card of the river"),
    Piece("thrown", N_CARDS, 1, "cards thrown out, by card"),
    Piece("street", STREETS, 1, "preflop, flop, turn or river; none when the hand is over"),
    Piece(
        "under",
        STREETS * N_KINDS,
        1,
        f"the action card under one's own bets, {_BY_STREET}: +1, Clockwise, Bluff or Blank",
    ),
    Piece("cards", N_KINDS, 1, "action cards in one's own hand: +1, Clockwise, Bluff, Blank"),
    Piece("hands_to_go", 1, 255, "hands of the game after this one, at most 255"),
)
SEAT_PIECES = (
    Piece("exposed", N_CARDS, 1, "the exposed card; none for oneself"),
    Piece("dealer", 1, 1, "dealer"),
    Piece("chips", 1, 12, "chips left"),
    Piece("n_cards", 1, N_KINDS, "action cards in hand"),
    Piece(
        "points",
        1,
        255,
        f"points in the game less one's own, plus {EVEN}, kept within 0 … 255; for oneself 0",
    ),
    Piece(
        "named",
        STREETS * MAX_SEATS,
        1,
        f"the player that this seat's bets name, {_BY_STREET}, counted from oneself: four places a "
        "street, at smaller tables too",
    ),
    Piece("bet", STREETS, MAX_BET, f"the chips of its bets, {_BY_STREET}"),
    Piece("covers", STREETS, 1, f"whether a card lies under them, {_BY_STREET}"),
)
HAND_PIECES = (
    Piece(
        "category",
        STREETS * N_CATEGORIES,
        1,
        f"the exposed card with the board, for oneself the private card with it, {_BY_STREET} up to now: the "
        "category, that of less than five cards by their groups",
    ),
    Piece(
        "decides",
        STREETS * 5,
        13,
        f"its deciding ranks, {_BY_STREET}: 1 deuce … 13 ace, 0 none; of a straight its highest "
        "card's, five in 5-4-3-2-A",
    ),
)

_AT = bounds(TABLE_PIECES)
PRIVATE = _AT["private"]
FLOP = _AT["flop"]
TURN = _AT["turn"]
RIVER = _AT["river"]
THROWN_OUT = _AT["thrown"]
STREET = _AT["street"]
UNDER = _AT["under"]
CARDS = _AT["cards"]
HANDS_TO_GO = _AT["hands_to_go"]
TABLE_SIZE = sum(piece.size for piece in TABLE_PIECES)

_IN = bounds(SEAT_PIECES + HAND_PIECES)
EXPOSED = _IN["exposed"]
DEALER = _IN["dealer"]
CHIPS = _IN["chips"]
N_CARDS_LEFT = _IN["n_cards"]
POINTS = _IN["points"]
NAMED = _IN["named"]
BET = _IN["bet"]
COVERS = _IN["covers"]
CATEGORY = _IN["category"]
DECIDES = _IN["decides"]
SEAT_SIZE = sum(piece.size for piece in SEAT_PIECES)
SEAT_SIZE_WITH_HANDS = SEAT_SIZE + sum(piece.size for piece in HAND_PIECES)


def layout(seats: int, hand_values: bool) -> Layout:
    """The observation's layout for tables of up to ``seats`` seats."""
    return Layout(TABLE_PIECES, SEAT_PIECES + HAND_PIECES if hand_values else SEAT_PIECES, seats)


@rule
def observe(g: State, viewer: int, out: npt.NDArray[np.uint8]) -> None:
    """Write what a seat sees into ``out``, uint8 (D,), from a game's record or from that seat's view."""
    # One function and no slices: each array that is handed on is counted, which takes longer than its writes.
    # What is used again stands in variables: after any write to ``out`` a field is read anew.
    out[:] = 0
    last = int(g.street)
    players = int(g.players)
    dealer = int(g.dealer)
    even = EVEN - int(g.points[viewer])
    has_hands = g.hand_values != 0
    out[PRIVATE + known_private(g, viewer, viewer)] = 1
    if last > 0:
        out[FLOP + int(g.board[0])] = 1
        out[FLOP + int(g.board[1])] = 1
        out[FLOP + int(g.board[2])] = 1
    if last > 1:
        out[TURN + int(g.board[3])] = 1
    if last > 2:
        out[RIVER + int(g.board[4])] = 1
    if g.expert:
        for street in range(last):
            for place in range(THROWN):
                card = int(g.thrown[street, place])
                if card == NO_CARD:
                    break
                out[THROWN_OUT + card] = 1
    if g.scored == 0:
        out[STREET + last] = 1
    for street in range(STREETS):
        card = known_bet_card(g, viewer, viewer, street)
        if card != NONE:
            out[UNDER + street * N_KINDS + card - 1] = 1
    cards = known_cards(g, viewer, viewer)
    for kind in range(N_KINDS):
        out[CARDS + kind] = (cards >> (kind + 1)) & 1
    out[HANDS_TO_GO] = min(int(g.hands) - int(g.hand) - 1, 255)
    at = TABLE_SIZE
    seat = viewer
    for ahead in range(players):
        out[at + DEALER] = dealer == seat
        out[at + CHIPS] = g.chips_left[seat]
        out[at + N_CARDS_LEFT] = g.n_cards[seat]
        if ahead > 0:
            out[at + EXPOSED + known_exposed(g, viewer, seat)] = 1
            out[at + POINTS] = min(max(even + int(g.points[seat]), 0), 255)
        for street in range(STREETS):
            out[at + BET + street] = g.bet_chips[street, seat]
            out[at + COVERS + street] = g.bet_card[street, seat] != NONE
            named = int(g.bet_board[street, seat])
            if named >= 0:
                named += players if named < viewer else 0
                out[at + NAMED + street * MAX_SEATS + named - viewer] = 1
        if has_hands:
            for street in range(last + 1):
                strength = int(
                    g.exposed_strength[street, seat] if ahead > 0 else g.private_strength[street, seat]
                )
                out[at + CATEGORY + street * N_CATEGORIES + (strength >> 20)] = 1
                ranks = at + DECIDES + street * 5
                out[ranks] = strength >> 16 & 15
                out[ranks + 1] = strength >> 12 & 15
                out[ranks + 2] = strength >> 8 & 15
                out[ranks + 3] = strength >> 4 & 15
                out[ranks + 4] = strength & 15
        at += SEAT_SIZE_WITH_HANDS if has_hands else SEAT_SIZE
        seat = seat + 1 if seat + 1 < players else 0


def state_size(seats: int, hand_values: bool) -> int:
    """Bytes of the whole truth, see ``observe_all``."""
    return layout(seats, hand_values).size + _hidden_size(seats)


@rule
def _hidden_size(seats: int) -> int:
    return (2 * seats + BOARD + 3) * N_CARDS + STREETS * seats * N_KINDS + seats


@rule
def observe_all(g: State, out: npt.NDArray[np.uint8]) -> None:
    """Write the whole truth into ``out``: for privileged critics, never for players.

    It is the observation of seat 0, then the private card of each seat, the exposed card of each, each card
    of the whole board, the cards that are thrown out by the end, the burnt ones and the deck (52 bytes each),
    the action card under each bet (one-hot, by street and seat), and the seat to move (one-hot).
    """
    seats = int(g.seats)
    start = len(out) - _hidden_size(seats)
    observe(g, 0, out[:start])
    out[start:] = 0
    for seat in range(int(g.players)):
        out[start + seat * N_CARDS + int(g.private[seat])] = 1
        out[start + (seats + seat) * N_CARDS + int(g.exposed[seat])] = 1
    start += 2 * seats * N_CARDS
    for place in range(board_size(int(g.streets) - 1)):
        out[start + place * N_CARDS + int(g.board[place])] = 1
    start += BOARD * N_CARDS
    put_cards(out[start : start + N_CARDS], thrown_by(g, STREETS - 1))
    start += N_CARDS
    for street in range(1, int(g.streets)):
        out[start + int(g.burnt[street - 1])] = 1
    start += N_CARDS
    put_cards(out[start : start + N_CARDS], all_cards(g) & ~dealt_cards(g))
    start += N_CARDS
    for street in range(STREETS):
        for seat in range(int(g.players)):
            if g.bet_card[street, seat] != NONE:
                out[start + (street * seats + seat) * N_KINDS + int(g.bet_card[street, seat]) - 1] = 1
    start += STREETS * seats * N_KINDS
    if g.actor >= 0:
        out[start + int(g.actor)] = 1
