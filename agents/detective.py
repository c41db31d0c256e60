"""The scripted agents of Detective Poker by name, and what a finished hand tells of the play."""

import numpy as np
import numpy.typing as npt

from agents.detective_equity import equity_move
from agents.detective_reading import SCRATCH, detective_move
from agents.detective_simple import passive_move, self_move, visible_move
from agents.script import Scripts, random_move
from card_table.game import States
from detective_env.rules import STATE, action_count

_SCRIPTS = Scripts(
    "detective",
    STATE,
    SCRATCH,
    action_count,
    {
        "random": random_move,
        "self": self_move,
        "visible": visible_move,
        "equity": equity_move,
        "detective": detective_move,
    },
    samples={"equity": 100, "detective": 100},
)
SPECS = _SCRIPTS.names
script = _SCRIPTS.script
PASSIVE = Scripts("detective", STATE, SCRATCH, action_count, {"passive": passive_move}, {}).pick("passive")


def figures(states: States) -> dict[str, npt.NDArray[np.float64]]:
    """What finished hands tell of the play.

    Args:
        states: records of hands that are over.

    Returns:
        ``points``: the mean points of a player; ``right``: the share of bets that were right.
    """
    players = states["players"].astype(np.float64)
    right = (states["bet_points"] > 0).sum(axis=(1, 2))
    return {
        "points": states["hand_points"].sum(axis=1) / players,
        "right": right / (players * states["streets"]),
    }
