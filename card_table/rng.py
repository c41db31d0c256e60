"""The random generator inside a game's record, and the streams it is seeded with.

The generator is sfc32 (Chris Doty-Humphrey, PractRand): four 32-bit words, kept in four signed 64-bit fields,
so that the same source gives the same numbers compiled and as plain Python. Hand k of game i draws from a
stream made of (seed, i, k) alone.
"""

import numpy as np
import numpy.typing as npt

from card_table.compile import State, rule
from card_table.given import is_whole, quote

WORD = 0xFFFFFFFF
MAX_SEED = 2**63 - 1
FIELD = ("rng", "i8", (4,))


@rule
def advance(a: int, b: int, c: int, counter: int) -> tuple[int, int, int, int, int]:
    """The next 32 random bits, and the four words after them."""
    result = (a + b + counter) & WORD
    turned = ((c << 21) & WORD) | (c >> 11)
    return result, b ^ (b >> 9), (c + (c << 3)) & WORD, (turned + result) & WORD, (counter + 1) & WORD


@rule
def random_word(g: State) -> int:
    """The next 32 random bits."""
    result, a, b, c, counter = advance(int(g.rng[0]), int(g.rng[1]), int(g.rng[2]), int(g.rng[3]))
    g.rng[0] = a
    g.rng[1] = b
    g.rng[2] = c
    g.rng[3] = counter
    return result


@rule
def random_below(g: State, n: int) -> int:
    """A random whole number from 0 to n − 1, n below 2**16; no value is favoured by more than n / 2**32."""
    return (random_word(g) * n) >> 32


@rule
def shuffle_end(g: State, cards: npt.NDArray[np.int8], size: int, drawn: int) -> None:
    """Move ``drawn`` random ones of the first ``size`` cards of an array to the end of these, shuffled."""
    a, b, c, counter = int(g.rng[0]), int(g.rng[1]), int(g.rng[2]), int(g.rng[3])
    for left in range(size, size - drawn, -1):
        word, a, b, c, counter = advance(a, b, c, counter)
        place = (word * left) >> 32
        card = cards[place]
        cards[place] = cards[left - 1]
        cards[left - 1] = card
    g.rng[0] = a
    g.rng[1] = b
    g.rng[2] = c
    g.rng[3] = counter


@rule
def mix(x: int) -> int:
    """Scramble 32 bits (the finaliser of MurmurHash3)."""
    x ^= x >> 16
    x = (x * 0x85EBCA6B) & WORD
    x ^= x >> 13
    x = (x * 0xC2B2AE35) & WORD
    return x ^ (x >> 16)


@rule
def seed_stream(g: State, seed: int, game: int, hand: int) -> None:
    """Start the stream of hand number ``hand`` of game number ``game`` under ``seed``, each 0 … 2**63 − 1."""
    a, b, c = 0x9E3779B9, 0x243F6A88, 0xB7E15162
    for number in (seed, game, hand):
        for word in (number & WORD, number >> 32):
            a = mix(a ^ word)
            b = mix((b + word) & WORD)
            c = mix(c ^ ((word + a + b) & WORD))
    g.rng[0] = a
    g.rng[1] = b
    g.rng[2] = c
    g.rng[3] = 1
    for _ in range(12):
        random_word(g)


def check_seed(seed: object, name: str = "seed") -> int:
    """The seed as an int.

    Raises:
        ValueError: unless it is a whole number from 0 to 2**63 − 1.
    """
    if not is_whole(seed) or not 0 <= seed <= MAX_SEED:
        raise ValueError(f"{name}={quote(seed)}: must be a whole number from 0 to 2**63 - 1")
    return int(seed)
