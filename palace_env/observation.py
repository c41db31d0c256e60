"""The observation of Palace Poker: its layout and its encoder.

The encoder reads what is hidden only through the accessors of ``view``, so that a game's record and the view
of the same seat give the same bytes.
"""

import numpy as np
import numpy.typing as npt

from card_table.cards import N_CARDS, NO_CARD, count, put_cards
from card_table.compile import State, rule
from card_table.hands import N_CATEGORIES
from card_table.layout import Layout, Piece, bounds
from palace_env.rules import (
    ANSWERING,
    DISCARDING,
    FACING_RAISE,
    LOG,
    LOG_ATTACK,
    LOG_BUY,
    LOG_DISCARD,
    STAYED,
    TURN,
    call_cost,
    places_ahead,
    seat_ahead,
)
from palace_env.view import known_deck, known_palace, known_pile

MOVES = 12  # public moves shown
MOVE_SIZE = 13
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
    Piece("raises", 1, 255, "raises in this battle, at most 255"),
    Piece("owed", 1, 255, f"the extra or raise to be called {_SMALL_BETS}"),
    Piece("cost", 1, 255, f"what a full call costs {_SMALL_BETS}; 0 outside a battle"),
    Piece("excess", 1, 15, "soldiers that must still be discarded"),
    Piece("hands_to_go", 1, 255, "hands of the match after this one, at most 255"),
    Piece(
        "moves",
        MOVES * MOVE_SIZE,
        255,
        "the last 12 public moves, latest first: stay, fold, buy, done, call, raise, attack, discard one-hot "
        "(8); the seat counted from oneself, plus 1; the seat attacked likewise; chips in small bets; "
        "rank 1 … 13 and suit 1 … 4 of the card bought or discarded",
    ),
)
SEAT_PIECES = (
    Piece("soldiers", N_CARDS, 1, "soldiers, by card"),
    Piece("banner_suit", 4, 1, "suit of the banner"),
    Piece("banner_rank", 13, 1, "rank of the banner"),
    Piece("in_hand", 1, 1, "in the hand"),
    Piece("button", 1, 1, "dealer"),
    Piece("turn", 1, 1, "it is this player's turn"),
    Piece("battle", 1, 1, "the other side in the battle that is on"),
    Piece("stayed", 1, 1, "stayed since the last buy or attack"),
    Piece("discarded", 1, 1, "took a Discard turn since the last buy or attack"),
    Piece("stack", 1, 255, f"chips {_SMALL_BETS}"),
    Piece("price", 1, 16, "price in a battle in small bets"),
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
        "one's own hand, this seat's suit left out: its category, one-hot; for oneself the plain hand",
    ),
    Piece("decides", 5, 13, "its deciding ranks, 1 deuce … 13 ace, 0 none"),
    Piece(
        "shown_category",
        N_CATEGORIES,
        1,
        "what this seat shows, one's own suit left out: its category; for oneself 0",
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
TABLE_SIZE = sum(piece.size for piece in TABLE_PIECES)

_IN = bounds(SEAT_PIECES + HAND_PIECES)
SOLDIERS = _IN["soldiers"]
BANNER_SUIT = _IN["banner_suit"]
BANNER_RANK = _IN["banner_rank"]
IN_HAND = _IN["in_hand"]
BUTTON = _IN["button"]
ON_TURN = _IN["turn"]
BATTLE = _IN["battle"]
STAYED_AT = _IN["stayed"]
DISCARDED_AT = _IN["discarded"]
STACK = _IN["stack"]
PRICE = _IN["price"]
PAID = _IN["paid"]
BUYS = _IN["buys"]
DISCARDS = _IN["discards"]
ATTACKS = _IN["attacks"]
CALLS = _IN["calls"]
RAISED = _IN["raised"]
WON = _IN["won"]
CATEGORY = _IN["category"]
SHOWN = _IN["shown_category"]
SEAT_SIZE = sum(piece.size for piece in SEAT_PIECES)
SEAT_SIZE_WITH_HANDS = SEAT_SIZE + sum(piece.size for piece in HAND_PIECES)


def layout(seats: int, hand_values: bool) -> Layout:
    """The observation's layout for tables of up to ``seats`` seats."""
    return Layout(TABLE_PIECES, SEAT_PIECES + HAND_PIECES if hand_values else SEAT_PIECES, seats)


@rule
def observe(g: State, viewer: int, out: npt.NDArray[np.uint8]) -> None:
    """Write what a seat sees into ``out``, uint8 (D,), from a game's record or from that seat's view."""
    out[:] = 0
    per_chip = 1.0 / int(g.small_bet)
    put_cards(out[PALACE : PALACE + N_CARDS], known_palace(g, viewer, viewer))
    put_cards(out[PILE : PILE + N_CARDS], known_pile(g, viewer))
    put_cards(out[DECK : DECK + N_CARDS], known_deck(g, viewer))
    if g.phase == TURN:
        out[PHASE] = 1
    elif g.phase == DISCARDING:
        out[PHASE + 1] = 1
        out[EXCESS] = max(count(int(g.soldiers[g.actor])) - int(g.max_soldiers), 0)
    elif g.phase == ANSWERING:
        out[PHASE + 2] = 1
    elif g.phase == FACING_RAISE:
        out[PHASE + 3] = 1
    out[POT] = _in_bets(int(g.pot), per_chip)
    out[DECK_SIZE] = g.deck_size
    out[PILE_SIZE] = g.pile_size
    out[RAISES] = min(int(g.raises), 255)
    out[OWED] = _in_bets(int(g.owed), per_chip)
    if g.opponent >= 0:
        out[COST] = _in_bets(call_cost(g, int(g.actor)), per_chip)
    out[HANDS_TO_GO] = min(int(g.hands) - int(g.hand) - 1, 255)
    _put_moves(g, viewer, per_chip, out[MOVES_FROM : MOVES_FROM + MOVES * MOVE_SIZE])
    stride = SEAT_SIZE_WITH_HANDS if g.hand_values else SEAT_SIZE
    start = TABLE_SIZE
    for ahead in range(int(g.players)):
        seat = seat_ahead(g, viewer, ahead)
        _put_seat(g, viewer, seat, per_chip, out[start : start + stride])
        start += stride


@rule
def _in_bets(amount: int, per_chip: float) -> int:
    # Half a chip more is never near a whole number of small bets, so that the product, which is faster than
    # a division, is rounded down like the exact quotient for all amounts below 2**31.
    return min(int((amount + 0.5) * per_chip), 255)


@rule
def _put_moves(g: State, viewer: int, per_chip: float, out: npt.NDArray[np.uint8]) -> None:
    at = 0
    for back in range(1, min(int(g.moves), MOVES) + 1):
        entry = int(g.log[(int(g.moves) - back) & (LOG - 1)])
        kind = entry & 15
        about = entry >> 8 & 63
        out[at + kind - 1] = 1
        out[at + 8] = places_ahead(g, viewer, entry >> 4 & 15) + 1
        if kind == LOG_ATTACK:
            out[at + 9] = places_ahead(g, viewer, about) + 1
        out[at + 10] = _in_bets(entry >> 20, per_chip)
        if kind in (LOG_BUY, LOG_DISCARD):
            out[at + 11] = about % 13 + 1
            out[at + 12] = about // 13 + 1
        at += MOVE_SIZE


@rule
def _put_seat(g: State, viewer: int, seat: int, per_chip: float, out: npt.NDArray[np.uint8]) -> None:
    out[BUTTON] = g.button == seat
    out[STACK] = _in_bets(int(g.stacks[seat]), per_chip)
    out[PAID] = _in_bets(int(g.paid[seat]), per_chip)
    out[BUYS] = g.buys[seat]
    out[DISCARDS] = g.discards[seat]
    out[ATTACKS] = g.attacks[seat]
    out[CALLS] = g.calls[seat]
    out[RAISED] = g.raised[seat]
    out[WON] = g.won[seat]
    if g.in_hand[seat] == 0:
        return
    soldiers = int(g.soldiers[seat])
    put_cards(out[SOLDIERS : SOLDIERS + N_CARDS], soldiers)
    banner = int(g.banner[seat])
    out[BANNER_SUIT + banner // 13] = 1
    out[BANNER_RANK + banner % 13] = 1
    out[IN_HAND] = 1
    out[ON_TURN] = g.turn == seat
    out[BATTLE] = g.opponent >= 0 and (g.opponent == seat or g.actor == seat)
    out[STAYED_AT] = g.passed[seat] == STAYED
    out[DISCARDED_AT] = g.passed[seat] > STAYED
    out[PRICE] = count(soldiers) + 1
    if g.hand_values == 0:
        return
    if seat == viewer:
        _put_hand(int(g.strength[seat]), out[CATEGORY : CATEGORY + HAND_SIZE])
    elif g.banner[viewer] != NO_CARD:
        _put_hand(int(g.strength_without[viewer, banner // 13]), out[CATEGORY : CATEGORY + HAND_SIZE])
        _put_hand(int(g.shown_without[seat, int(g.banner[viewer]) // 13]), out[SHOWN : SHOWN + HAND_SIZE])


@rule
def _put_hand(strength: int, out: npt.NDArray[np.uint8]) -> None:
    out[strength >> 20] = strength != 0
    out[N_CATEGORIES] = strength >> 16 & 15
    out[N_CATEGORIES + 1] = strength >> 12 & 15
    out[N_CATEGORIES + 2] = strength >> 8 & 15
    out[N_CATEGORIES + 3] = strength >> 4 & 15
    out[N_CATEGORIES + 4] = strength & 15


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
