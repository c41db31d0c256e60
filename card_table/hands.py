"""The best poker hand of 1 … 15 cards as one sortable int, and its name in words.

A strength is six nibbles: the category, then up to five deciding ranks in the order in which they decide
(1 deuce … 13 ace, 0 none). It compares as the hands do; a missing card is below any card. Fewer than five
cards are ranked by their groups, then by their other cards; straights and flushes need five.
"""

import numpy as np
import numpy.typing as npt

from card_table.cards import SUIT_CARDS
from card_table.compile import rule

HIGH_CARD, PAIR, TWO_PAIR, TRIPS, STRAIGHT, FLUSH, FULL_HOUSE, QUADS, STRAIGHT_FLUSH = range(9)
CATEGORIES = (
    "high card",
    "pair",
    "two pair",
    "three of a kind",
    "straight",
    "flush",
    "full house",
    "four of a kind",
    "straight flush",
)
N_CATEGORIES = 9


def _tables() -> tuple[npt.NDArray[np.int32], npt.NDArray[np.int8]]:
    top = np.zeros(8192, np.int32)
    run = np.zeros(8192, np.int8)
    for ranks in range(8192):
        high_first = [rank for rank in range(12, -1, -1) if ranks >> rank & 1]
        for place, rank in enumerate(high_first[:5]):
            top[ranks] |= (rank + 1) << (16 - 4 * place)
        with_low_ace = ranks << 1 | ranks >> 12
        for high in range(12, 2, -1):
            if with_low_ace >> (high - 3) & 31 == 31:
                run[ranks] = high + 1
                break
    top[[ranks.bit_count() >= 5 for ranks in range(8192)]] |= 1 << 20
    return top, run


# TOP[ranks]: the five highest ranks of a 13-bit set as nibbles, and bit 20 if it holds five or more.
# RUN[ranks]: the high card, 4 … 13, of the best five in a row, or 0.
TOP, RUN = _tables()
_FIVE = 1 << 20
_NIBBLES = _FIVE - 1


@rule
def best_hand(cards: int) -> int:
    """The strength of the best hand of at most five of these 1 … 15 cards (0 for no cards)."""
    a = cards & SUIT_CARDS
    b = (cards >> 13) & SUIT_CARDS
    c = (cards >> 26) & SUIT_CARDS
    d = (cards >> 39) & SUIT_CARDS
    flush = 0
    flush_run = 0
    for suited in (a, b, c, d):
        top = int(TOP[suited])
        if top >= _FIVE:
            flush = max(flush, top)
            flush_run = max(flush_run, int(RUN[suited]))
    if flush_run:
        return STRAIGHT_FLUSH << 20 | flush_run << 16
    if flush:
        return max(FLUSH << 20 | (flush & _NIBBLES), best_unsuited(cards))
    return best_unsuited(cards)


@rule
def best_unsuited(cards: int) -> int:
    """The best hand that is no flush: ``best_hand`` of four cards or less, in half the time."""
    a = cards & SUIT_CARDS
    b = (cards >> 13) & SUIT_CARDS
    c = (cards >> 26) & SUIT_CARDS
    d = (cards >> 39) & SUIT_CARDS
    ranks = a | b | c | d
    twice = (a & b) | (c & d) | ((a | b) & (c | d))
    if twice == 0:
        run = int(RUN[ranks])
        return STRAIGHT << 20 | run << 16 if run else int(TOP[ranks]) & _NIBBLES
    four = a & b & c & d
    if four:
        quad = int(TOP[four]) >> 16 & 15
        return QUADS << 20 | quad << 16 | (int(TOP[ranks & ~(1 << (quad - 1))]) >> 16 & 15) << 12
    thrice = (a & b & (c | d)) | (c & d & (a | b))
    if thrice:
        trip = int(TOP[thrice]) >> 16 & 15
        pair = twice & ~(1 << (trip - 1))
        if pair:
            return FULL_HOUSE << 20 | trip << 16 | (int(TOP[pair]) >> 16 & 15) << 12
    run = int(RUN[ranks])
    if run:
        return STRAIGHT << 20 | run << 16
    if thrice:
        trip = int(TOP[thrice]) >> 16 & 15
        return TRIPS << 20 | trip << 16 | (int(TOP[ranks & ~(1 << (trip - 1))]) >> 12 & 0xFF) << 8
    pairs = int(TOP[twice]) >> 12 & 0xFF
    first = pairs >> 4
    second = pairs & 15
    if second:
        rest = ranks & ~(1 << (first - 1) | 1 << (second - 1))
        return TWO_PAIR << 20 | pairs << 12 | (int(TOP[rest]) >> 16 & 15) << 8
    return PAIR << 20 | first << 16 | (int(TOP[ranks & ~(1 << (first - 1))]) >> 8 & 0xFFF) << 4


@rule
def category_of(strength: int) -> int:
    """The category, 0 (high card) … 8 (straight flush), of a strength."""
    return strength >> 20


@rule
def deciding_rank(strength: int, place: int) -> int:
    """The deciding rank in place 0 … 4 of a strength: 1 deuce … 13 ace, 0 none."""
    return strength >> (16 - 4 * place) & 15


@rule
def best_hands(cards: npt.NDArray[np.int64], out: npt.NDArray[np.int32]) -> None:
    """The strengths of an array of card sets, written into ``out`` of the same length."""
    for i in range(len(cards)):
        out[i] = best_hand(cards[i])


_RANK_NAMES = (
    *("two", "three", "four", "five", "six", "seven"),
    *("eight", "nine", "ten", "jack", "queen", "king", "ace"),
)


def name_hand(strength: int) -> str:
    """A strength in words, such as ``two pair, kings and fours, queen kicker``.

    Raises:
        ValueError: 0, the strength of no cards.
    """
    if strength <= 0:
        raise ValueError(f"strength {strength!r} is that of no cards: a hand has one card at least")
    category = strength >> 20
    ranks = [strength >> shift & 15 for shift in (16, 12, 8, 4, 0)]
    names = [_RANK_NAMES[rank - 1] for rank in ranks if rank]
    plurals = [name + ("es" if name == "six" else "s") for name in names]
    kickers = names[2:] if category == TWO_PAIR else names[1:]
    tail = f", {' '.join(kickers)} kicker{'s' if len(kickers) > 1 else ''}" if kickers else ""
    if category == STRAIGHT_FLUSH:
        return "royal flush" if names[0] == "ace" else f"straight flush, {names[0]} high"
    if category == QUADS:
        return f"four {plurals[0]}{tail}"
    if category == FULL_HOUSE:
        return f"full house, {plurals[0]} full of {plurals[1]}"
    if category == FLUSH:
        return f"flush, {' '.join(names)}"
    if category == STRAIGHT:
        return f"straight, {names[0]} high"
    if category == TRIPS:
        return f"three {plurals[0]}{tail}"
    if category == TWO_PAIR:
        return f"two pair, {plurals[0]} and {plurals[1]}{tail}"
    if category == PAIR:
        return f"pair of {plurals[0]}{tail}"
    return f"high card {' '.join(names)}"


def rank_name(rank: int) -> str:
    """The name of a rank, 0 ``two`` … 12 ``ace``."""
    return _RANK_NAMES[rank]
