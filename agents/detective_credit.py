"""Who is to be credited with what in Detective Poker: once a hand is scored, each bet's points are known."""

import numpy as np
import numpy.typing as npt

from card_table.game import States


def bet_credit(states: States, seats: npt.NDArray[np.integer]) -> npt.NDArray[np.float32]:
    """What each bet of a hand brought each seat, as the margin pays it (RULES.md 9.4).

    A bet's points are its bettor's, and cost each other seat their part of the mean that its own are compared
    to. RULES.md 3.6 tells who begins each street, and it goes round clockwise, so that the order of all
    bets follows from who made the last.

    Args:
        states: records (n,), one at least, of games of one kind, whose last hand was scored; the next may
            have been dealt since.
        seats: who made the hand's last bet, (n,).

    Returns:
        float32 (n, streets × N, N), by bet in order; the sum over a hand's bets is its rewards.

    Raises:
        ValueError: games that pay for the win.
    """
    if states["win_reward"].any():
        raise ValueError("reward='win': must be 'margin' to credit bets, a bet's share of the win is unknown")
    players, streets = int(states["players"][0]), int(states["streets"][0])
    street, place = np.divmod(np.arange(streets * players), players)
    bettors = (seats[:, None] + street + place + 2 - streets) % players
    points = states["bet_points"][np.arange(len(states))[:, None], street, bettors].astype(np.float32)
    own = bettors[:, :, None] == np.arange(players)
    credit: npt.NDArray[np.float32] = np.where(own, points[:, :, None], -points[:, :, None] / (players - 1))
    return credit
