"""Hand histories: finished hands kept as numbers, written out as dicts when asked."""

from dataclasses import dataclass
from typing import Any

import numpy as np

from card_table.game import Game, States


@dataclass(frozen=True)
class PlayedHand:
    """A hand as a table keeps it: enough to play it again.

    Attributes:
        start: array (1,), the record right after the deal.
        script: what was prescribed beyond the deal, see ``Game.feed``.
        actions: what was played, in order.
    """

    start: States
    script: list[int]
    actions: list[int]


def write_out(game: Game, hand: PlayedHand) -> dict[str, Any]:
    """The history of a finished hand."""
    states = hand.start.copy()
    script = list(hand.script)
    history = game.begin_history(states)
    actions = np.zeros(1, np.int64)
    scratch = (
        np.zeros((1, game.layout.size), np.uint8),
        np.zeros((1, game.n_actions), np.bool_),
        np.zeros(1, np.int64),
        np.zeros((1, game.players), np.float32),
        np.zeros(1, np.bool_),
        np.zeros(1, np.bool_),
    )
    for action in hand.actions:
        history["moves"].append([int(states["actor"][0]), game.format_move(states, action)])
        if script:
            game.feed(states, action, script)
        actions[0] = action
        game.kernels.step(states, 0, 1, actions, False, *scratch)
        game.note_move(history, states)
    game.end_history(history, states)
    return history
