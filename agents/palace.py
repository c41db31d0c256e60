"""The scripted agents of Palace Poker by name, and what a finished hand tells of the play."""

import numpy as np
import numpy.typing as npt

from agents.palace_equity import SCRATCH, equity_move
from agents.palace_simple import aggressive_move, passive_move, tight_move
from agents.script import Scripts, random_move
from card_table.game import States
from palace_env.rules import SHOWDOWN, STATE, action_count

_SCRIPTS = Scripts(
    "palace",
    STATE,
    SCRATCH,
    action_count,
    {
        "random": random_move,
        "passive": passive_move,
        "aggressive": aggressive_move,
        "tight": tight_move,
        "equity": equity_move,
    },
    samples={"equity": 30},
)
SPECS = _SCRIPTS.names
script = _SCRIPTS.script
PASSIVE = _SCRIPTS.pick("passive")


def figures(states: States) -> dict[str, npt.NDArray[np.float64]]:
    """What finished hands tell of the play.

    Args:
        states: records of hands that are over.

    Returns:
        ``pot``: the pot that was paid out, in small bets; ``showdowns``: 1 where a showdown ended the hand.
    """
    return {
        "pot": states["paid"].sum(axis=1) / states["small_bet"],
        "showdowns": (states["end"] == SHOWDOWN).astype(np.float64),
    }
