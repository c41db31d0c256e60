"""Simple scripted agents of Detective Poker: each is one function from a view to a move.

``mask`` tells which actions are legal; ``scratch`` is of no use here. The moves are those of
``detective_env.rules``.
"""

import numpy as np
import numpy.typing as npt

from card_table.cards import NO_CARD
from card_table.compile import State, rule
from card_table.hands import best_hand
from detective_env.rules import (
    BETS,
    KINDS,
    MAX_BET,
    NONE,
    PLUS_ONE,
    board_on,
    can_put,
    places_ahead,
    seat_ahead,
)


@rule
def self_move(g: State, mask: npt.NDArray[np.bool_], scratch: State) -> int:
    """Names itself, always."""
    return plain_bet(g, int(g.actor))


@rule
def passive_move(g: State, mask: npt.NDArray[np.bool_], scratch: State) -> int:
    """A chip on itself and no more: the least that a player must do, played for whoever forfeits a move."""
    return bet(g, int(g.actor), 1, NONE)


@rule
def visible_move(g: State, mask: npt.NDArray[np.bool_], scratch: State) -> int:
    """Names whose hand is best by the cards that it sees; of equals the next clockwise, itself first."""
    board = board_on(g, int(g.street))
    named = int(g.actor)
    best = -1
    for ahead in range(int(g.players)):
        seat = seat_ahead(g, int(g.actor), ahead)
        strength = best_hand(board | 1 << seen_card(g, seat))
        if strength > best:
            best = strength
            named = seat
    return plain_bet(g, named)


@rule
def seen_card(g: State, seat: int) -> int:
    """The one of a player's two cards that a view shows: its own private one, of the others the exposed."""
    return int(g.private[seat]) if g.exposed[seat] == NO_CARD else int(g.exposed[seat])


@rule
def plain_bet(g: State, named: int) -> int:
    """The plainest bet on a seat: chips as even as they go, rather late, and +1 on the last street."""
    to_come = int(g.streets) - int(g.street)
    chips = int(g.chips_left[g.actor]) // to_come
    is_plus = to_come == 1 and can_put(g, int(g.actor), PLUS_ONE)
    return bet(g, named, min(chips, MAX_BET), PLUS_ONE if is_plus else NONE)


@rule
def bet(g: State, named: int, chips: int, card: int) -> int:
    """The actor's action of naming a seat with so many chips, NONE or an action card under them."""
    return places_ahead(g, int(g.actor), named) * BETS + (chips - 1) * KINDS + card
