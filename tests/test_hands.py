"""Made hands against known counts, a slow evaluator written here and the best of all fives; their names."""

import itertools
import json
import math
from collections import Counter

import numpy as np
import numpy.typing as npt
import pytest
from hypothesis import given
from hypothesis import strategies as st

from card_table import hands
from card_table.cards import parse_card, set_of
from card_table.compile import rule
from card_table.hands import best_hand, best_hands, category_of, deciding_rank, name_hand, rank_name
from tests.plain import said_in_plain_python

card_sets = st.sets(st.integers(0, 51), min_size=1, max_size=15)


def strength(text: str) -> int:
    return best_hand(set_of(map(parse_card, text.split())))


# ---- the known counts


def sets_of_size(size: int) -> npt.NDArray[np.int64]:
    """All sets of so many cards of the deck, int64 (52 over size,)."""
    by_size = [np.zeros(1, np.int64), *(np.zeros(0, np.int64) for _ in range(size))]
    for card in range(52):
        for count in range(size, 0, -1):
            by_size[count] = np.concatenate([by_size[count], by_size[count - 1] | 1 << card])
    return by_size[size]


def strengths(masks: npt.NDArray[np.int64]) -> npt.NDArray[np.int32]:
    out = np.zeros(len(masks), np.int32)
    best_hands(masks, out)
    return out


@pytest.mark.parametrize(
    ("size", "by_category", "distinct"),
    [
        (1, [52, 0, 0, 0, 0, 0, 0, 0, 0], 13),
        (2, [1_248, 78, 0, 0, 0, 0, 0, 0, 0], 91),
        (3, [18_304, 3_744, 0, 52, 0, 0, 0, 0, 0], 455),
        (4, [183_040, 82_368, 2_808, 2_496, 0, 0, 0, 13, 0], 1_820),
        (5, [1_302_540, 1_098_240, 123_552, 54_912, 10_200, 5_108, 3_744, 624, 40], 7_462),
    ],
)
def test_all_hands_of_up_to_five_cards_fall_into_the_known_classes(
    size: int, by_category: list[int], distinct: int
) -> None:
    masks = sets_of_size(size)
    assert len(masks) == sum(by_category) == math.comb(52, size)
    found = strengths(masks)
    assert np.bincount(found >> 20, minlength=9).tolist() == by_category
    assert len(np.unique(found)) == distinct


@rule
def count_seven_cards(counts: npt.NDArray[np.int64]) -> None:
    """Count all hands of seven cards by category, int64 (9,)."""
    for a in range(52):
        for b in range(a):
            for c in range(b):
                three = 1 << a | 1 << b | 1 << c
                for d in range(c):
                    for e in range(d):
                        five = three | 1 << d | 1 << e
                        for f in range(e):
                            for g in range(f):
                                counts[best_hand(five | 1 << f | 1 << g) >> 20] += 1


@pytest.mark.skipif(not hasattr(best_hand, "py_func"), reason="takes a quarter of an hour as plain Python")
def test_all_hands_of_seven_cards_fall_into_the_known_classes() -> None:
    counts = np.zeros(9, np.int64)
    count_seven_cards(counts)
    known = [23_294_460, 58_627_800, 31_433_400, 6_461_620, 6_180_020, 4_047_644, 3_473_184, 224_848, 41_584]
    assert counts.tolist() == known


# ---- a slow evaluator


def slow_strength(cards: tuple[int, ...]) -> tuple[int, ...]:
    """The category and five deciding ranks, 0 for none, of the best hand of at most five of some cards."""
    return max(slow_five(five) for five in itertools.combinations(cards, min(5, len(cards))))


def slow_five(cards: tuple[int, ...]) -> tuple[int, ...]:
    ranks = [card % 13 + 1 for card in cards]
    groups = sorted(((times, rank) for rank, times in Counter(ranks).items()), reverse=True)
    order = [rank for _, rank in groups]
    shape = [times for times, _ in groups]
    straight = flush = False
    if len(cards) == 5:
        flush = len({card // 13 for card in cards}) == 1
        if order == [13, 4, 3, 2, 1]:
            order, straight = [4], True
        elif len(order) == 5 and order[0] - order[4] == 4:
            order, straight = order[:1], True
    if straight and flush:
        category = 8
    elif shape[0] == 4:
        category = 7
    elif shape[:2] == [3, 2]:
        category = 6
    elif flush:
        category = 5
    elif straight:
        category = 4
    elif shape[0] == 3:
        category = 3
    else:
        category = shape.count(2)
    return category, *order, *([0] * (5 - len(order)))


def told(cards: tuple[int, ...]) -> tuple[int, ...]:
    """The category and the five deciding ranks as the compiled rules say."""
    found = best_hand(set_of(cards))
    return category_of(found), *(deciding_rank(found, place) for place in range(5))


# Hands from parts of the deck hold more straights, flushes and groups.
DECKS = {
    "all cards": range(52),
    "two suits": range(26),
    "one suit and an ace": [*range(13), 25],
    "low straights": [card for card in range(52) if card % 13 in (12, 0, 1, 2, 3, 4)],
    "four ranks": [card for card in range(52) if card % 13 in (0, 5, 11, 12)],
}


@pytest.mark.parametrize("size", [1, 2, 3])
def test_every_short_hand_is_what_the_slow_evaluator_says(size: int) -> None:
    for cards in itertools.combinations(range(52), size):
        assert told(cards) == slow_strength(cards)


@pytest.mark.parametrize("deck", DECKS)
@pytest.mark.parametrize("size", [4, 5, 6, 7])
def test_longer_hands_are_what_the_slow_evaluator_says(size: int, deck: str) -> None:
    rng = np.random.default_rng(size)
    for _ in range(400):
        cards = tuple(rng.choice(DECKS[deck], size, replace=False).tolist())
        assert told(cards) == slow_strength(cards)


def test_strengths_of_hands_of_any_size_compare_as_the_slow_evaluator_says() -> None:
    rng = np.random.default_rng(0)
    hands_of_all_sizes = [
        tuple(rng.choice(deck, size, replace=False).tolist())
        for deck in DECKS.values()
        for size in range(1, 8)
        for _ in range(40)
    ]
    pairs = sorted((slow_strength(cards), best_hand(set_of(cards))) for cards in hands_of_all_sizes)
    for (slow, fast), (slow_next, fast_next) in itertools.pairwise(pairs):
        assert (fast < fast_next) == (slow < slow_next)
        assert (fast == fast_next) == (slow == slow_next)


# ---- more than five cards


@pytest.mark.parametrize("size", range(6, 16))
def test_the_best_of_many_cards_is_the_best_of_all_fives(size: int) -> None:
    rng = np.random.default_rng(size)
    places = np.array(list(itertools.combinations(range(size), 5)))
    for deck in (range(52), range(26), DECKS["low straights"], DECKS["four ranks"]):
        for _ in range(25):
            cards = rng.choice(deck, size, replace=False).astype(np.int64)
            fives = (1 << cards[places]).sum(axis=1)
            assert best_hand(set_of(cards.tolist())) == strengths(fives).max()


@given(card_sets, st.integers(0, 51))
def test_one_card_more_never_makes_a_hand_worse(cards: set[int], another: int) -> None:
    if len(cards | {another}) <= 15:
        assert best_hand(set_of(cards | {another})) >= best_hand(set_of(cards))


@given(card_sets, st.permutations(range(4)))
def test_suits_never_rank(cards: set[int], suits: list[int]) -> None:
    turned = {13 * suits[card // 13] + card % 13 for card in cards}
    assert best_hand(set_of(turned)) == best_hand(set_of(cards))


def test_no_cards_are_below_any_card() -> None:
    assert best_hand(0) == 0 < strength("2c")


def test_a_missing_card_is_below_any_card() -> None:
    assert strength("Ah") < strength("Ah 2c") < strength("Ah 3c") < strength("2h 2c") < strength("2h 2c 3d")
    assert strength("Kh Kc Kd Ks") < strength("Kh Kc Kd Ks 2c") < strength("Ah Ac Ad As")


def test_straights_and_flushes_need_five_cards() -> None:
    assert category_of(strength("Ah Kh Qh Jh")) == hands.HIGH_CARD
    assert category_of(strength("2c 3c 4c 5c")) == hands.HIGH_CARD
    assert category_of(strength("Qc Kd Ah 2s 3c")) == hands.HIGH_CARD  # and do not go round the corner


# ---- names


@pytest.mark.parametrize(
    ("category", "cards", "name"),
    [
        (hands.HIGH_CARD, "6c", "high card six"),
        (hands.HIGH_CARD, "Ah 2c", "high card ace two"),
        (hands.HIGH_CARD, "Ah Kh Qh Jh 9c 3d 2s", "high card ace king queen jack nine"),
        (hands.PAIR, "6c 6d", "pair of sixes"),
        (hands.PAIR, "Ts Td 4c", "pair of tens, four kicker"),
        (hands.PAIR, "Ts Td 4c Ah", "pair of tens, ace four kickers"),
        (hands.PAIR, "Ts Td 4c Ah 9s", "pair of tens, ace nine four kickers"),
        (hands.TWO_PAIR, "Kc Kd 4c 4h", "two pair, kings and fours"),
        (hands.TWO_PAIR, "Kc Kd 4c 4h Qs", "two pair, kings and fours, queen kicker"),
        (hands.TWO_PAIR, "Kc Kd 4c 4h Qs Qc 3d", "two pair, kings and queens, four kicker"),
        (hands.TRIPS, "7c 7d 7h", "three sevens"),
        (hands.TRIPS, "6c 6d 6h 2s", "three sixes, two kicker"),
        (hands.TRIPS, "6c 6d 6h 2s Js", "three sixes, jack two kickers"),
        (hands.STRAIGHT, "Ac 2d 3h 4s 5c", "straight, five high"),
        (hands.STRAIGHT, "6d 2d 3h 4s 5c", "straight, six high"),
        (hands.STRAIGHT, "Ac Kd Qh Js Tc", "straight, ace high"),
        (hands.FLUSH, "Ac Jc 9c 6c 2c", "flush, ace jack nine six two"),
        (hands.FULL_HOUSE, "6c 6d 6h As Ad", "full house, sixes full of aces"),
        (hands.FULL_HOUSE, "6c 6d 6h 3s 3d 3h", "full house, sixes full of threes"),
        (hands.QUADS, "Kc Kd Kh Ks", "four kings"),
        (hands.QUADS, "Kc Kd Kh Ks 8c", "four kings, eight kicker"),
        (hands.STRAIGHT_FLUSH, "Ac 2c 3c 4c 5c", "straight flush, five high"),
        (hands.STRAIGHT_FLUSH, "9s Ts Js Qs Ks", "straight flush, king high"),
        (hands.STRAIGHT_FLUSH, "As Ts Js Qs Ks", "royal flush"),
    ],
)
def test_the_name_of_a_hand(category: int, cards: str, name: str) -> None:
    assert category_of(strength(cards)) == category
    assert name_hand(strength(cards)) == name


def test_different_strengths_have_different_names() -> None:
    found = np.unique(np.concatenate([strengths(sets_of_size(size)) for size in (1, 2, 3, 4, 5)])).tolist()
    assert len({name_hand(one) for one in found}) == len(found) == 13 + 91 + 455 + 1_820 + 7_462


@pytest.mark.parametrize("none", [0, -1])
def test_no_cards_have_no_name(none: int) -> None:
    with pytest.raises(
        ValueError, match=f"strength {none} is that of no cards: a hand has one card at least"
    ):
        name_hand(none)


def test_names_of_ranks() -> None:
    assert [rank_name(rank) for rank in (0, 8, 9, 10, 11, 12)] == [
        "two",
        "ten",
        "jack",
        "queen",
        "king",
        "ace",
    ]


# ---- plain Python


def results() -> list[int]:
    """The strengths of some hands of every size, all parts of them, and the same as one array."""
    rng = np.random.default_rng(2)
    masks = [
        set_of(rng.choice(deck, min(size, len(deck)), replace=False).tolist())
        for deck in DECKS.values()
        for size in range(16)
        for _ in range(10)
    ]
    found = [best_hand(mask) for mask in masks]
    parts = [deciding_rank(one, place) for one in found for place in range(5)]
    return [*found, *map(category_of, found), *parts, *strengths(np.array(masks)).tolist()]


def test_plain_python_says_the_same() -> None:
    code = "import json; from tests.test_hands import results; print(json.dumps(results()))"
    assert json.loads(said_in_plain_python(code)) == results()
