"""Cards as numbers and text, and sets of cards as 52-bit masks.

A card is 13 × suit + rank, 0 (``2c``) … 51 (``As``); a set of cards is an int with the bit of each card set,
so that each suit is a run of 13 bits.
"""

import re
from collections.abc import Iterable

import numpy as np
import numpy.typing as npt

from card_table.compile import rule
from card_table.given import quote
from card_table.machine import count_bits, put_flags

RANKS = "23456789TJQKA"
SUITS = "cdhs"
SUIT_NAMES = ("clubs", "diamonds", "hearts", "spades")
N_CARDS = 52
SUIT_CARDS = 0x1FFF  # the cards of suit 0; shift by 13 a suit
NO_CARD = -1


@rule
def suit_of(card: int) -> int:
    """The suit, 0 … 3, of a card."""
    return card // 13


@rule
def rank_of(card: int) -> int:
    """The rank, 0 (deuce) … 12 (ace), of a card."""
    return card % 13


@rule
def suit_cards(suit: int) -> int:
    """All cards of a suit."""
    return 0x1FFF << (13 * suit)


@rule
def count(cards: int) -> int:
    """The number of cards in a set."""
    return count_bits(cards)


@rule
def lowest(cards: int) -> int:
    """The card with the lowest number in a set that is not empty."""
    return count((cards & -cards) - 1)


@rule
def put_cards(out: npt.NDArray[np.uint8] | npt.NDArray[np.bool_], cards: int) -> None:
    """Write a set as one byte a card into a slice of 52 bytes."""
    put_flags(out, 0, cards)


def format_card(card: int) -> str:
    """A card in two characters, such as ``Ah``."""
    return RANKS[card % 13] + SUITS[card // 13]


def list_cards(cards: int) -> list[int]:
    """The cards of a set, lowest number first."""
    return [card for card in range(N_CARDS) if cards >> card & 1]


def format_cards(cards: int) -> list[str]:
    """The cards of a set as text, high ranks first, suits in the order c d h s."""
    return [format_card(card) for card in sorted(list_cards(cards), key=lambda c: (-(c % 13), c // 13))]


def parse_card(text: object) -> int:
    """The number of a card written in any case, ``10`` for ``T`` allowed.

    Raises:
        ValueError: it is no card.
    """
    if isinstance(text, str):
        match = re.fullmatch(r"(10|[2-9TJQKA])([cdhs])", text.strip(), re.IGNORECASE | re.ASCII)
        if match:
            rank = "T" if match[1] == "10" else match[1].upper()
            return 13 * SUITS.index(match[2].lower()) + RANKS.index(rank)
    raise ValueError(f"{quote(text)} is no card: write a rank of {RANKS} and a suit of {SUITS}, such as 'Ah'")


def set_of(cards: Iterable[int]) -> int:
    """The set of some cards."""
    mask = 0
    for card in cards:
        mask |= 1 << card
    return mask
