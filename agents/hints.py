"""What a person at the table gets as a hint: chances found in samples, and what a policy would do."""

from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt

from agents import detective_equity, palace_equity
from agents.detective_reading import SCRATCH as DETECTIVE_SCRATCH
from card_table.compile import rule
from card_table.game import Game, States
from card_table.rng import seed_stream

if TYPE_CHECKING:
    from agents.policy import Weights

SAMPLES = 2000


def chances(game: Game, views: States, seed: int) -> dict[str, npt.NDArray[np.float64]]:
    """What the script ``equity`` reckons from a view of the seat to move, with more samples than it takes.

    Args:
        game: what is played.
        views: array (1,), the view.
        seed: where the samples come from, 0 … 2**63 − 1.

    Returns:
        Of Palace ``wins``, to win a fight with each seat, and ``best``, (1,), to hold the best hand of all;
        of Detective ``best`` and ``weakest``, of each seat to have or share that hand of the street.
    """
    if game.name == "palace":
        scratch = np.zeros(1, palace_equity.SCRATCH)
        scratch["samples"] = SAMPLES
        palace_chances(views, scratch, seed)
        return {"wins": scratch["wins"][0], "best": scratch["best"][0, :1]}
    scratch = np.zeros(1, DETECTIVE_SCRATCH)
    scratch["samples"] = SAMPLES
    detective_chances(views, scratch, seed)
    return {"best": scratch["best"][0], "weakest": scratch["weakest"][0]}


def likely(
    weights: "Weights", observation: npt.NDArray[np.uint8], mask: npt.NDArray[np.bool_]
) -> list[tuple[int, float]]:
    """The legal actions and how often a policy takes each, the likeliest first.

    Args:
        weights: those of the policy.
        observation: uint8 (D,), of the seat to move.
        mask: which actions are legal, bool (A,).
    """
    scores = weights.scores(observation[None])[0, : len(mask)]
    actions = np.flatnonzero(mask)
    parts = np.exp(scores[actions] - scores[actions].max())
    shares = parts / parts.sum()
    order = np.argsort(-shares, kind="stable")
    return [(int(actions[place]), float(shares[place])) for place in order]


@rule
def palace_chances(views: States, scratch: States, seed: int) -> None:
    """Fill in the chances of view 0, see ``agents.palace_equity``."""
    seed_stream(scratch[0], seed, 0, 0)
    palace_equity.estimate(views[0], scratch[0])


@rule
def detective_chances(views: States, scratch: States, seed: int) -> None:
    """Fill in the chances of view 0, see ``agents.detective_equity``."""
    seed_stream(scratch[0], seed, 0, 0)
    detective_equity.list_unseen(views[0], scratch[0])
    detective_equity.estimate(views[0], scratch[0])
