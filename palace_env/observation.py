"""The observation of Palace Poker: its layout and its encoder.

The encoder reads what is hidden only through the accessors of ``view``, so that a game's record and the view
of the same seat give the same bytes.
"""

import numpy as np
import numpy.typing as npt

from card_table.cards import N_CARDS, count, put_cards
from card_table.compile import State, rule
from card_table.hands import N_CATEGORIES
from card_table.layout import Layout, Piece, bounds
from card_table.machine import copy_bytes, copy_turned, put_flags, put_strengths
from palace_env.rules import (
    BATTLE,
    BUTTON,
    DISCARDING,
    MOVE_SEAT,
    MOVE_SIZE,
    MOVE_TARGET,
    ON_TURN,
    RECENT,
    SEAT_SIZE,
    call_cost,
    in_bets,
    places_ahead,
    seat_ahead,
)
from palace_env.view import known_deck, known_palace, known_pile

HAND_SIZE = N_CATEGORIES + 5

_SMALL_BETS = "in small bets, rounded down, at most 255"

TABLE_PIECES = (
    Piece("palace", N_CARDS, 1, "one's own palace, by card"),
    Piece("pile", N_CARDS, 1, "cards one knows to be in the discard pile, by card"),
    Piece("deck", N_CARDS, 1, "cards one knows to be in the draw deck, by card"),
    Piece("phase", 4, 1, "asked for: a turn, discards, an answer to an attack, an answer to a raise"),
    Piece("pot", 1, 255, f"the pot {_SMALL_BETS}"),
    Piece("deck_size", 1, 52, "cards in the draw deck"),
    Piece("pile_size", 1, 52, "cards in the discard pile"),
    Piece("raises", 1, 255, "raises in this battle, at most 255; 0 outside a battle"),
    Piece("owed", 1, 255, f"the extra or raise to be called {_SMALL_BETS}; 0 outside a battle"),
    Piece("cost", 1, 255, f"what a full call costs {_SMALL_BETS}; 0 outside a battle"),
    Piece("excess", 1, 15, "soldiers that must still be discarded"),
    Piece("hands_to_go", 1, 255, "hands of the match after this one, at most 255"),
    Piece(
        "moves",
        RECENT,
        255,
        "the last 12 public moves, latest first: stay, fold, buy, done, call, raise, attack, discard one-hot "
        "(8); the seat counted from oneself, plus 1; the seat attacked likewise; chips in small bets, "
        "rounded down, at most 255: what an attack or a call paid, what a raise added, 0 for the others; "
        "rank 1 … 13 and suit 1 … 4 of the card bought or discarded",
    ),
)
SEAT_PIECES = (
    Piece("soldiers", N_CARDS, 1, "soldiers, by card"),
    Piece("banner_suit", 4, 1, "suit of the banner"),
    Piece("banner_rank", 13, 1, "rank of the banner"),
    Piece("in_hand", 1, 1, "in the hand"),
    Piece("button", 1, 1, "dealer"),
    Piece(
        "turn",
        1,
        1,
        "it is this player's turn; in a battle, and while its winner discards, the attacker's, even if out",
    ),
    Piece("battle", 1, 1, "attacks, or is attacked, and an answer is due"),
    Piece("stayed", 1, 1, "stayed since the last buy or attack"),
    Piece("discarded", 1, 1, "ended a Discard turn since the last buy or attack"),
    Piece("stack", 1, 255, f"chips {_SMALL_BETS}"),
    Piece("price", 1, 16, "price in a battle in small bets; 0 for those out"),
    Piece("paid", 1, 255, f"put into the pot in this hand {_SMALL_BETS}"),
    Piece("buys", 1, 127, "buys in this hand"),
    Piece("discards", 1, 127, "cards discarded in this hand"),
    Piece("attacks", 1, 127, "attacks in this hand"),
    Piece("calls", 1, 127, "calls in this hand"),
    Piece("raised", 1, 127, "raises in this hand"),
    Piece("won", 1, 127, "battles won in this hand"),
)
HAND_PIECES = (
    Piece(
        "category",
        N_CATEGORIES,
        1,
        "one's own hand, this seat's suit left out: its category, one-hot; for oneself the plain hand; all 0 "
        "where there can be no battle",
    ),
    Piece("decides", 5, 13, "its deciding ranks, 1 deuce … 13 ace, 0 none"),
    Piece(
        "shown_category",
        N_CATEGORIES,
        1,
        "what this seat shows, one's own suit left out: its category; for oneself, and where there can be no "
        "battle, all 0",
    ),
    Piece("shown_decides", 5, 13, "its deciding ranks"),
)

_AT = bounds(TABLE_PIECES)
PALACE = _AT["palace"]
PILE = _AT["pile"]
DECK = _AT["deck"]
PHASE = _AT["phase"]
POT = _AT["pot"]
DECK_SIZE = _AT["deck_size"]
PILE_SIZE = _AT["pile_size"]
RAISES = _AT["raises"]
OWED = _AT["owed"]
COST = _AT["cost"]
EXCESS = _AT["excess"]
HANDS_TO_GO = _AT["hands_to_go"]
MOVES_FROM = _AT["moves"]
NUMBERS = MOVES_FROM - PHASE
NOTHING = np.zeros(NUMBERS, np.uint8)
NAMES_SEAT = np.zeros(RECENT, np.uint8)
NAMES_SEAT[MOVE_SEAT::MOVE_SIZE] = 1
NAMES_SEAT[MOVE_TARGET::MOVE_SIZE] = 1
TABLE_SIZE = sum(piece.size for piece in TABLE_PIECES)

SEAT_SIZE_WITH_HANDS = SEAT_SIZE + sum(piece.size for piece in HAND_PIECES)


def layout(seats: int, hand_values: bool) -> Layout:
    """The observation's layout for tables of up to ``seats`` seats."""
    return Layout(TABLE_PIECES, SEAT_PIECES + HAND_PIECES if hand_values else SEAT_PIECES, seats)


@rule
def observe(g: State, viewer: int, out: npt.NDArray[np.uint8]) -> None:
    """Write what a seat sees into ``out``, uint8 (D,), from a game's record or from that seat's view."""
    copy_bytes(out, PHASE, NOTHING, 0, NUMBERS)
    viewer &= 15  # of no effect; it tells the compiler that no index is negative
    per_chip = 1.0 / int(g.small_bet)
    put_flags(out, PALACE, known_palace(g, viewer, viewer))
    put_flags(out, PILE, known_pile(g, viewer))
    put_flags(out, DECK, known_deck(g, viewer))
    in_battle = int(g.opponent >= 0)
    actor = max(int(g.actor), 0)
    opponent = max(int(g.opponent), 0)
    out[PHASE + int(g.phase)] = 1
    out[POT] = in_bets(int(g.pot), per_chip)  # the phase after the last one had its mark here
    out[DECK_SIZE] = g.deck_size
    out[PILE_SIZE] = g.pile_size
    out[RAISES] = min(int(g.raises), 255)
    out[OWED] = in_bets(int(g.owed), per_chip)
    out[COST] = in_bets(call_cost(g, actor), per_chip)
    excess = count(int(g.soldiers[actor])) - int(g.max_soldiers)
    out[EXCESS] = max(excess, 0) * int(g.phase == DISCARDING)
    out[HANDS_TO_GO] = min(int(g.hands) - int(g.hand) - 1, 255)
    copy_turned(out, MOVES_FROM, g.recent, 0, RECENT, NAMES_SEAT, viewer, int(g.players))
    stride = SEAT_SIZE_WITH_HANDS if g.hand_values else SEAT_SIZE
    start = TABLE_SIZE
    own_suit = max(int(g.banner[viewer]), 0) // 13 & 3
    for ahead in range(int(g.players)):
        seat = seat_ahead(g, viewer, ahead) & 15
        copy_bytes(out, start, g.shown, seat * SEAT_SIZE, SEAT_SIZE)
        if g.hand_values:
            suit = max(int(g.banner[seat]), 0) // 13 & 3
            both = int(g.in_hand[viewer]) * int(g.in_hand[seat])
            own = int(g.strength_without[viewer, suit]) * both
            shown = int(g.shown_without[seat, own_suit]) * both
            if ahead == 0:
                own = int(g.strength[viewer])
                shown = 0
            put_strengths(out, start + SEAT_SIZE, own, shown)
        start += stride
    if g.seats > g.players:
        for place in range(start, len(out)):
            out[place] = 0
    out[TABLE_SIZE + places_ahead(g, viewer, int(g.button)) * stride + BUTTON] = 1
    out[TABLE_SIZE + places_ahead(g, viewer, int(g.turn)) * stride + ON_TURN] = 1
    out[TABLE_SIZE + places_ahead(g, viewer, opponent) * stride + BATTLE] = in_battle
    out[TABLE_SIZE + places_ahead(g, viewer, actor) * stride + BATTLE] = in_battle


def state_size(seats: int, hand_values: bool) -> int:
    """Bytes of the whole truth, see ``observe_all``."""
    return layout(seats, hand_values).size + (seats + 2) * N_CARDS + seats


@rule
def observe_all(g: State, out: npt.NDArray[np.uint8]) -> None:
    """Write the whole truth into ``out``: for privileged critics, never for players.

    It is the observation of seat 0, then the palace of each seat, the draw deck, the discard pile (52 bytes
    each), and the seat to move (one-hot).
    """
    start = len(out) - (int(g.seats) + 2) * N_CARDS - int(g.seats)
    observe(g, 0, out[:start])
    for seat in range(int(g.seats)):
        put_cards(out[start : start + N_CARDS], int(g.palace[seat]))
        start += N_CARDS
    deck = 0
    for place in range(int(g.deck_size)):
        deck |= 1 << int(g.deck[place])
    put_cards(out[start : start + N_CARDS], deck)
    start += N_CARDS
    put_cards(out[start : start + N_CARDS], int(g.pile))
    start += N_CARDS
    out[start:] = 0
    if g.actor >= 0:
        out[start + int(g.actor)] = 1
