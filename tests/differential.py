"""Each game beside its reference, which is written from RULES.md alone: play compared decision by decision.

``python -m tests.differential --hands 100000`` plays so many hands, or matches of several, of each game at
random, or of one: ``--game palace``. The first difference ends a game's run with the whole story of its play,
and with the play's number: ``--first NUMBER --hands 1`` plays it again. At the end a table tells how often
each numbered paragraph of RULES.md was exercised; one that was so less than once in a thousand hands fails
the run.
"""

from tests import command

if __name__ == "__main__":
    command.end_at_once()

import random
import time
from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Protocol

import tests.detective.differential
import tests.palace.differential


class Differential(Protocol):
    """What the ``differential`` module of each game offers."""

    @property
    def PARAGRAPHS(self) -> Sequence[str]:  # noqa: N802 - a constant of the module
        """The numbers of those paragraphs of RULES.md that play can exercise, in their order."""

    def play(self, rng: random.Random, counts: Counter[str]) -> None:
        """Play one random hand or match with both, and count the paragraphs that the reference applies.

        Raises:
            AssertionError: product and reference differ; tells arguments, options, moves and the difference.
        """


GAMES: Mapping[str, Differential] = {
    "palace": tests.palace.differential,
    "detective": tests.detective.differential,
}


def run(game: str, hands: int, seed: int = 0, first: int = 0) -> Counter[str]:
    """Play so many hands or matches of one game with random numbers of their own each.

    Returns:
        how often each paragraph was exercised.

    Raises:
        AssertionError: the first difference, with the number of its play.
    """
    counts: Counter[str] = Counter()
    for number in range(first, first + hands):
        try:
            GAMES[game].play(random.Random(f"{game} {seed} {number}"), counts)
        except AssertionError as difference:
            raise AssertionError(f"{game}, seed {seed}, play {number}:\n{difference}") from difference
    return counts


def rare(game: str, counts: Mapping[str, int], least: int) -> list[str]:
    """The paragraphs of a game that were exercised less often than that."""
    return [number for number in GAMES[game].PARAGRAPHS if counts.get(number, 0) < least]


def table(game: str, counts: Mapping[str, int]) -> str:
    """How often each paragraph was exercised, read down the columns."""
    width = max(map(len, GAMES[game].PARAGRAPHS))
    cells = [f"{number:<{width}} {counts.get(number, 0):>10,}" for number in GAMES[game].PARAGRAPHS]
    columns = max(100 // (width + 12), 1)
    rows = -(-len(cells) // columns)
    return "\n".join("  ".join(cells[row::rows]) for row in range(rows))


def main(arguments: Sequence[str] | None = None) -> int:
    """The command line; returns the exit status, 1 after a difference or when a paragraph was rare."""
    parser = command.parser("differential", __doc__)
    whole = command.at_least(0)
    parser.add_argument(
        "--hands", type=command.at_least(1), default=2000, help="hands or matches of each game (2000)"
    )
    parser.add_argument("--game", choices=[*GAMES, "both"], default="both")
    parser.add_argument("--seed", type=whole, default=0, help="other hands (0)")
    parser.add_argument("--first", type=whole, default=0, help="the number of the first play (0)")
    given = parser.parse_args(arguments)
    failed = False
    for game in GAMES if given.game == "both" else [given.game]:
        start = time.perf_counter()
        try:
            counts = run(game, given.hands, given.seed, given.first)
        except AssertionError as difference:
            print(difference)
            failed = True
            continue
        print(f"{game}: {given.hands:,} plays, no difference, {time.perf_counter() - start:.0f} s")
        print(table(game, counts))
        least = given.hands // 1000
        if missing := rare(game, counts, least):
            print(f"exercised less than {least} times: {', '.join(missing)}")
            failed = True
    return int(failed)


if __name__ == "__main__":
    command.run(main)
