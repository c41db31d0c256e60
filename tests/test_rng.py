"""Random streams: the published generator's numbers, evenly chosen, others for every seed, game and hand."""

import itertools
import json

import numpy as np
import numpy.typing as npt
import pytest

from card_table import rng
from card_table.compile import State
from card_table.rng import MAX_SEED, WORD, check_seed
from tests.plain import said_in_plain_python

# The generator does not lie where the games' records have theirs: Numba would take those for kinds of this.
RECORD = np.dtype((np.record, [("before", "i8"), rng.FIELD]))


def stream(seed: int, game: int = 0, hand: int = 0) -> State:
    """A record at the start of a stream."""
    g = np.zeros(1, RECORD)[0]
    rng.seed_stream(g, seed, game, hand)
    return g


def words(g: State, n: int) -> list[int]:
    return [int(rng.random_word(g)) for _ in range(n)]


def chi_square(counts: npt.NDArray[np.int64]) -> float:
    """How far counts lie from even, as a normal deviate."""
    freedom = counts.size - 1
    even = counts.sum() / counts.size
    return float((((counts - even) ** 2 / even).sum() - freedom) / np.sqrt(2 * freedom))


# ---- the generator


def sfc32(a: int, b: int, c: int, counter: int) -> tuple[int, int, int, int, int]:
    """The next number and words of sfc32, written for 32-bit words that overflow."""
    one, two, three, count = np.array([a, b, c, counter], np.uint32)[:, None]
    number = one + two + count
    turned = (three << np.uint32(21) | three >> np.uint32(11)) + number
    first, second = two ^ two >> np.uint32(9), three + (three << np.uint32(3))
    return int(number[0]), int(first[0]), int(second[0]), int(turned[0]), int((count + np.uint32(1))[0])


def test_the_numbers_are_those_of_practrand() -> None:
    # From PractRand 0.94: started with these words and the counter at 1, 15 numbers thrown away.
    g = np.zeros(1, RECORD)[0]
    g.rng[:] = [0xBB3C4104, 0x02294965, 0xDA1CE2A9, 1]
    words(g, 15)
    known = ["89b5c414", "7ee57639", "dbe18f7b", "94aa0162", "a22bff0a", "21c91fb8", "2c6fd6fe", "cda90d13"]
    assert [f"{word:08x}" for word in words(g, 8)] == known


@pytest.mark.parametrize(
    "state", [(0, 0, 0, 0), (WORD, WORD, WORD, WORD), (1, 2, 3, 4), (1 << 31, 0, WORD, 9)]
)
def test_a_step_is_that_of_32_bit_words(state: tuple[int, int, int, int]) -> None:
    for _ in range(100):
        expected = sfc32(*state)
        assert rng.advance(*state) == expected
        state = expected[1:]


def mixed(x: int) -> int:
    """The finaliser of MurmurHash3, written for 32-bit words that overflow."""
    word = np.array([x], np.uint32)
    for shift, factor in ((16, 0x85EBCA6B), (13, 0xC2B2AE35)):
        word = (word ^ word >> np.uint32(shift)) * np.uint32(factor)
    return int((word ^ word >> np.uint32(16))[0])


def test_mix_is_the_finaliser_of_murmurhash3() -> None:
    numbers = [
        0,
        1,
        2,
        0x80000000,
        0xDEADBEEF,
        WORD,
        *np.random.default_rng(0).integers(WORD, size=200).tolist(),
    ]
    assert [rng.mix(number) for number in numbers] == [mixed(number) for number in numbers]
    assert rng.mix(0) == 0
    assert rng.mix(1) == 0x514E28B7  # of the published function


@pytest.mark.parametrize(
    ("seed", "game", "hand", "first"),
    [
        (0, 0, 0, [0xCD1CBFAE, 0xE7224678, 0x5224CA89]),
        (7, 0, 0, [0x86DE96E1, 0x8368B25D, 0x979315A3]),
        (7, 1, 0, [0x8A8AF772, 0x334D8067, 0xAA1686BA]),
        (7, 0, 1, [0xA04C7BC5, 0x0F643E69, 0xAE83C5DB]),
        (MAX_SEED, 4095, 12, [0xE155F673, 0x03A66551, 0x32FB464E]),
    ],
)
def test_streams_stay_as_they_are(seed: int, game: int, hand: int, first: list[int]) -> None:
    # Published deals rest on them.
    a, b, c = 0x9E3779B9, 0x243F6A88, 0xB7E15162
    for number in (seed, game, hand):
        for word in (number % 2**32, number // 2**32):
            a = mixed(a ^ word)
            b = mixed((b + word) % 2**32)
            c = mixed(c ^ (word + a + b) % 2**32)
    state = a, b, c, 1
    drawn = []
    for _ in range(15):
        number, *after = sfc32(*state)
        state = (after[0], after[1], after[2], after[3])
        drawn.append(number)
    assert words(stream(seed, game, hand), 3) == drawn[12:] == first


# ---- streams


def test_streams_of_neighbouring_seeds_games_and_hands_differ() -> None:
    numbers = (0, 1, 2, 3, 2**31, 2**32 - 1, 2**32, 2**32 + 1, 2**40, MAX_SEED)
    starts = {tuple(words(stream(*triple), 4)) for triple in itertools.product(numbers, repeat=3)}
    assert len(starts) == len(numbers) ** 3
    firsts = [word for start in starts for word in start]
    assert len(set(firsts)) > 0.99 * len(firsts)


@pytest.mark.parametrize("varied", ["seed", "game", "hand"])
def test_first_numbers_of_streams_in_a_row_are_even_and_unrelated(varied: str) -> None:
    start = {"seed": 5, "game": 5, "hand": 5}
    firsts = np.array([words(stream(**{**start, varied: i}), 1)[0] for i in range(4096)])
    assert abs(chi_square(np.bincount(firsts >> 26, minlength=64))) < 4
    assert abs(chi_square(np.bincount(firsts & 63, minlength=64))) < 4
    pairs = (firsts[1:] >> 29) * 8 + (firsts[:-1] >> 29)
    assert abs(chi_square(np.bincount(pairs, minlength=64))) < 4


def test_every_byte_of_a_stream_is_even() -> None:
    drawn = np.array(words(stream(1), 20_000))
    assert drawn.min() >= 0
    assert drawn.max() <= WORD
    for shift in (0, 8, 16, 24):
        assert abs(chi_square(np.bincount(drawn >> shift & 255, minlength=256))) < 4


# ---- choosing


@pytest.mark.parametrize("n", [1, 2, 3, 13, 52, 100, 65_535])
def test_a_number_below_n_scales_the_word(n: int) -> None:
    drawn = [int(rng.random_below(stream(seed), n)) for seed in range(200)]
    assert drawn == [words(stream(seed), 1)[0] * n // 2**32 for seed in range(200)]
    assert 0 <= min(drawn) <= max(drawn) < n


def test_the_smallest_and_the_largest_word_give_0_and_n_less_1() -> None:
    for n in (1, 2, 52, 65_535):
        g = np.zeros(1, RECORD)[0]
        assert rng.random_below(g, n) == 0  # a + b + counter = 0
        g.rng[:] = [WORD, 0, 0, 0]
        assert rng.random_below(g, n) == n - 1


@pytest.mark.parametrize("n", [2, 3, 13, 52])
def test_numbers_below_n_come_equally_often(n: int) -> None:
    g = stream(n)
    counts = np.bincount([rng.random_below(g, n) for _ in range(400 * n)], minlength=n)
    assert len(counts) == n
    assert abs(chi_square(counts)) < 4


def shuffled(g: State, size: int, drawn: int) -> list[int]:
    """The numbers from 0 on after a shuffle of the end of the first ``size`` of them."""
    cards = np.arange(size + 3, dtype=np.int8)
    rng.shuffle_end(g, cards, size, drawn)
    return [int(card) for card in cards]


@pytest.mark.parametrize(("size", "drawn"), [(52, 52), (52, 5), (52, 1), (52, 0), (1, 1), (7, 3), (0, 0)])
def test_a_shuffle_of_the_end_moves_cards_and_loses_none(size: int, drawn: int) -> None:
    g = stream(3)
    for _ in range(20):
        before = [int(word) for word in g.rng]
        cards = shuffled(g, size, drawn)
        assert sorted(cards[:size]) == list(range(size))
        assert cards[size:] == [size, size + 1, size + 2]
        plain = list(range(size))
        g.rng[:] = before
        for left in range(size, size - drawn, -1):
            place = int(rng.random_below(g, left))
            plain[place], plain[left - 1] = plain[left - 1], plain[place]
        assert cards[:size] == plain


@pytest.mark.parametrize(("size", "drawn"), [(4, 4), (4, 3), (5, 2), (52, 1)])
def test_every_order_of_the_end_comes_equally_often(size: int, drawn: int) -> None:
    orders = {order: i for i, order in enumerate(itertools.permutations(range(size), drawn))}
    g = stream(9)
    ends = [tuple(shuffled(g, size, drawn)[size - drawn : size]) for _ in range(300 * len(orders))]
    counts = np.bincount([orders[end] for end in ends], minlength=len(orders))
    assert abs(chi_square(counts)) < 4


# ---- seeds


@pytest.mark.parametrize("seed", [0, 1, MAX_SEED, np.int32(7), np.uint64(7), np.int64(MAX_SEED)])
def test_a_seed_is_a_whole_number(seed: int | np.integer) -> None:
    checked = check_seed(seed)
    assert checked == seed
    assert type(checked) is int


@pytest.mark.parametrize(
    "seed",
    [-1, MAX_SEED + 1, np.uint64(2**63), np.int8(-1), 1.0, np.float64(1), True, np.True_, "1", None, [1]],
)
def test_any_other_seed_is_refused_by_name_and_quoted(seed: object) -> None:
    with pytest.raises(ValueError, match=r"must be a whole number from 0 to 2\*\*63 - 1") as error:
        check_seed(seed)
    assert str(error.value).startswith(f"seed={seed!r}: ")
    with pytest.raises(ValueError, match=r"^first="):
        check_seed(seed, "first")


# ---- plain Python


def results() -> list[list[int]]:
    """Words, choices and shuffles of streams of all kinds."""
    told = []
    for seed, game, hand in itertools.product((0, 77, 2**32 + 5, MAX_SEED), (0, 2**33), (0, 3)):
        g = stream(seed, game, hand)
        told.append(words(g, 20))
        told.append([int(rng.random_below(g, n)) for n in range(1, 60)])
        told.append(shuffled(g, 52, 20))
        told.append([int(word) for word in g.rng])
    return told


def test_plain_python_says_the_same() -> None:
    code = "import json; from tests.test_rng import results; print(json.dumps(results()))"
    assert json.loads(said_in_plain_python(code)) == results()
