"""Cards to text and back, sets of cards against plain Python, compiled and as plain Python alike."""

import json

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from card_table import cards
from card_table.cards import NO_CARD, format_card, format_cards, list_cards, parse_card, set_of
from tests.plain import said_in_plain_python

card_sets = st.sets(st.integers(0, 51))


def examples() -> list[int]:
    """Sets of cards of every size, the smallest and the largest among them."""
    rng = np.random.default_rng(1)
    drawn = [set_of(rng.permutation(52)[:size].tolist()) for size in range(53) for _ in range(4)]
    return [*drawn, *(1 << card for card in range(52))]


def results() -> list[object]:
    """What the rules of this file say about all cards and about the examples."""
    out = np.zeros(52, np.uint8)
    told: list[object] = [[cards.suit_of(card), cards.rank_of(card)] for card in range(52)]
    told += [cards.suit_cards(suit) for suit in range(4)]
    for mask in examples():
        cards.put_cards(out, mask)
        told.append([cards.count(mask), cards.lowest(mask) if mask else None, out.tolist()])
    return told


def test_plain_python_says_the_same() -> None:
    code = "import json; from tests.test_cards import results; print(json.dumps(results()))"
    assert json.loads(said_in_plain_python(code)) == results()


def test_suits_are_runs_of_thirteen_cards_in_the_order_of_their_letters() -> None:
    deck = [rank + suit for suit in "cdhs" for rank in "23456789TJQKA"]
    assert [format_card(card) for card in range(52)] == deck
    for card in range(52):
        assert (cards.suit_of(card), cards.rank_of(card)) == divmod(card, 13)
    for suit, name in enumerate(("clubs", "diamonds", "hearts", "spades")):
        assert cards.SUIT_NAMES[suit] == name
        assert cards.suit_cards(suit) == set_of(range(13 * suit, 13 * suit + 13))


@pytest.mark.parametrize("card", range(52))
def test_a_written_card_is_read_in_any_case_with_10_for_t_and_blanks_around(card: int) -> None:
    text = format_card(card)
    for written in (text, text.lower(), text.upper(), text.swapcase(), f" {text}\t", text.replace("T", "10")):
        assert parse_card(written) == card


@pytest.mark.parametrize(
    "bad",
    [
        *(
            "",
            " ",
            "A",
            "h",
            "Ahh",
            "AAh",
            "hA",
            "A h",
            "1h",
            "11h",
            "0h",
            "100h",
            "Ax",
            "?h",
            "10",
            "Ah Kh",
            "Ah,",
        ),
        *("A\u017f", "\u212ah", "\uff12c", "1\uff10c", "A♥", "-1", "51"),
        *(None, 12, 1.5, True, b"Ah", ["Ah"], ("A", "h")),
    ],
)
def test_whatever_is_no_card_is_refused_and_quoted(bad: object) -> None:
    with pytest.raises(
        ValueError, match="is no card: write a rank of 23456789TJQKA and a suit of cdhs"
    ) as error:
        parse_card(bad)
    assert str(error.value).startswith(repr(bad))


@given(card_sets)
def test_sets_are_counted_listed_and_written_out(chosen: set[int]) -> None:
    mask = set_of(chosen)
    assert mask == sum(1 << card for card in chosen)
    assert cards.count(mask) == len(chosen)
    assert list_cards(mask) == sorted(chosen)
    if chosen:
        assert cards.lowest(mask) == min(chosen)
    out = np.full(54, 7, np.uint8)
    cards.put_cards(out[1:53], mask)
    assert out.tolist() == [7, *(int(card in chosen) for card in range(52)), 7]
    flags = np.full(52, True)
    cards.put_cards(flags, mask)
    assert set(np.flatnonzero(flags).tolist()) == chosen


@given(card_sets)
def test_text_of_a_set_goes_from_high_ranks_to_low_and_by_suit_within_a_rank(chosen: set[int]) -> None:
    texts = format_cards(set_of(chosen))
    assert {parse_card(text) for text in texts} == chosen
    assert len(texts) == len(chosen)
    order = [(-"23456789TJQKA".index(text[0]), "cdhs".index(text[1])) for text in texts]
    assert order == sorted(order)


def test_a_set_takes_any_iterable_and_each_card_once() -> None:
    assert set_of([]) == 0
    assert set_of(iter([3, 3, 51])) == 1 << 3 | 1 << 51
    assert NO_CARD not in range(52)
