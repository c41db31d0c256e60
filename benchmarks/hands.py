"""Measure seven-card hand evaluation against phevaluator and eval7: ``python -m benchmarks.hands``.

Every evaluator gets the same hands in the form that suits it best, made before the clock starts. Runs take
turns, so that a busy moment of the machine falls on all of them, and the best run of each counts. Before
anything is timed, all of them must put the hands in the same order.
"""

import importlib.metadata
import platform
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Annotated, Any

import numpy as np
import numpy.typing as npt
import tyro

from card_table.cards import N_CARDS, format_card, rank_of, set_of, suit_of
from card_table.hands import best_hand, best_hands

HAND_SIZE = 7
PEERS = ("phevaluator", "eval7")


@dataclass(frozen=True)
class Contender:
    """One way to evaluate all hands: ``run`` returns a value for each hand, higher is better."""

    name: str
    calls: str
    run: Callable[[], Sequence[int] | npt.NDArray[np.int32]]


def main(
    hands: Annotated[int, tyro.conf.arg(help="how many random hands to evaluate")] = 200_000,
    repeats: Annotated[int, tyro.conf.arg(help="runs of each evaluator, of which the best counts")] = 5,
    seed: Annotated[int, tyro.conf.arg(help="seed of the hands")] = 0,
) -> None:
    """Print evaluations a second of seven-card hands, one thread, with ratios to the installed peers."""
    if hands < 1 or repeats < 1:
        raise SystemExit(f"hands={hands!r} and repeats={repeats!r} must be at least 1")
    dealt = deal(hands, seed)
    contenders = [*ours(dealt), *peers(dealt)]
    different = check_order(contenders)
    print(
        f"{hands:,} hands of {HAND_SIZE} cards, best of {repeats} runs, one thread; "
        f"Python {platform.python_version()}, numba {importlib.metadata.version('numba')}"
    )
    print(f"All of them order these hands alike, in {different:,} different strengths.")
    print_table(contenders, measure(contenders, hands, repeats))
    for name in PEERS:
        if not is_installed(name):
            print(
                f"{name} is not installed, so it was not measured; "
                "pip install -c constraints.txt '.[bench]' installs both peers"
            )


def deal(hands: int, seed: int) -> list[list[int]]:
    """Random hands of seven different cards."""
    rng = np.random.default_rng(seed)
    dealt: list[list[int]] = rng.random((hands, N_CARDS)).argpartition(HAND_SIZE)[:, :HAND_SIZE].tolist()
    return dealt


def ours(dealt: list[list[int]]) -> list[Contender]:
    """The evaluator of ``card_table``, for an array in compiled code and called from Python hand by hand."""
    sets = [set_of(cards) for cards in dealt]
    masks = np.array(sets, np.int64)
    strengths = np.zeros(len(dealt), np.int32)

    def in_array() -> npt.NDArray[np.int32]:
        best_hands(masks, strengths)
        return strengths

    return [
        Contender("card_table", "compiled, an array", in_array),
        Contender("card_table", "Python, one by one", lambda: [best_hand(cards) for cards in sets]),
    ]


def peers(dealt: list[list[int]]) -> list[Contender]:
    """The installed peers; neither offers an array form, so they are called from Python hand by hand."""
    found = []
    if is_installed("phevaluator"):
        from phevaluator import evaluate_cards

        ids = [tuple(4 * rank_of(card) + suit_of(card) for card in cards) for cards in dealt]
        found.append(
            # Its values go down from the worst hand to 1, the best.
            Contender("phevaluator", "Python, one by one", lambda: [-evaluate_cards(*hand) for hand in ids])
        )
    if is_installed("eval7"):
        import eval7

        deck: list[Any] = [eval7.Card(format_card(card)) for card in range(N_CARDS)]
        held = [[deck[card] for card in cards] for cards in dealt]
        found.append(
            Contender("eval7", "Python, one by one", lambda: [eval7.evaluate(hand) for hand in held])
        )
    return found


def is_installed(name: str) -> bool:
    """Whether a distribution is installed."""
    try:
        importlib.metadata.version(name)
    except importlib.metadata.PackageNotFoundError:
        return False
    return True


def check_order(contenders: list[Contender]) -> int:
    """Make sure that all evaluators order the hands alike, ties included; how many strengths they tell apart.

    Raises:
        SystemExit: two of them differ.
    """
    first, *others = [(contender, grades(contender.run())) for contender in contenders]
    for contender, found in others:
        differing = np.flatnonzero(found != first[1])
        if len(differing):
            raise SystemExit(
                f"{contender.name} ({contender.calls}) and {first[0].name} ({first[0].calls}) order the "
                f"hands differently: first at hand {int(differing[0])}"
            )
    return int(first[1].max()) + 1


def grades(values: Sequence[int] | npt.NDArray[np.int32]) -> npt.NDArray[np.int64]:
    """The place of each hand's value among all different values: equal exactly if two orders are equal."""
    places: npt.NDArray[np.int64] = np.unique(np.asarray(values), return_inverse=True)[1]
    return places


def measure(contenders: list[Contender], hands: int, repeats: int) -> list[float]:
    """Evaluations a second of each contender in its best run."""
    best = [float("inf")] * len(contenders)
    for _ in range(repeats):
        for place, contender in enumerate(contenders):
            start = time.perf_counter()
            contender.run()
            best[place] = min(best[place], time.perf_counter() - start)
    return [hands / seconds for seconds in best]


def print_table(contenders: list[Contender], speeds: list[float]) -> None:
    """One line a contender: its speed, and how many times the speed of each peer that is."""
    references = {
        contender.name: speed
        for contender, speed in zip(contenders, speeds, strict=True)
        if contender.name in PEERS
    }
    peer_columns = "".join(f"{'× ' + name:>15}" for name in references)
    print(f"{'evaluator':13}{'called from':20}{'hands/s':>13}{peer_columns}")
    for contender, speed in zip(contenders, speeds, strict=True):
        ratios = "".join(f"{speed / reference:15.2f}" for reference in references.values())
        print(f"{contender.name:13}{contender.calls:20}{speed:13,.0f}{ratios}")


if __name__ == "__main__":
    tyro.cli(main)
