"""Simple scripted agents of Palace Poker: each is one function from a view to a move.

``mask`` tells which actions are legal; ``scratch`` is of no use here. The moves are those of
``palace_env.rules``.
"""

import numpy as np
import numpy.typing as npt

from card_table.cards import count, lowest
from card_table.compile import State, rule
from card_table.hands import PAIR, STRAIGHT, TWO_PAIR, best_hand, category_of
from palace_env.rules import (
    BUY,
    CALL,
    DISCARDING,
    DONE,
    FOLD,
    RAISE,
    STAY,
    TURN,
    attack_count,
    attack_from,
    battle_strength,
    can_attack,
    can_buy,
    can_finish,
    can_stay,
    discard_from,
    raise_amount,
    raise_count,
)


@rule
def passive_move(g: State, mask: npt.NDArray[np.bool_], scratch: State) -> int:
    """Stays and calls; attacks only when it may not stay."""
    seat = int(g.actor)
    if g.phase == DISCARDING:
        return keep_best(g)
    if g.phase != TURN:
        return CALL
    return STAY if can_stay(g, seat) else attack_on(g, first_target(g), 0)


@rule
def aggressive_move(g: State, mask: npt.NDArray[np.bool_], scratch: State) -> int:
    """Attacks the first player at its left whom it may, and raises all it may."""
    if g.phase == DISCARDING:
        return keep_best(g)
    if g.phase != TURN:
        return top_raise(g)
    target = first_target(g)
    if target < 0:
        return STAY
    top = 0
    for size in range(attack_count(g)):
        if mask[attack_on(g, target, size)]:
            top = size
    return attack_on(g, target, top)


@rule
def tight_move(g: State, mask: npt.NDArray[np.bool_], scratch: State) -> int:
    """Goes by the hand it has made: calls with a pair, attacks with two pair, raises with a straight."""
    seat = int(g.actor)
    if g.phase == DISCARDING:
        return keep_best(g)
    if g.phase != TURN:
        made = category_of(battle_strength(g, seat, int(g.opponent)))
        if made >= STRAIGHT:
            return least_raise(g)
        return CALL if made >= PAIR else FOLD
    best = -1
    target = -1
    for other in range(int(g.players)):
        if can_attack(g, seat, other) and battle_strength(g, seat, other) > best:
            best = battle_strength(g, seat, other)
            target = other
    made = category_of(best) if target >= 0 else 0
    if made >= TWO_PAIR:
        return attack_on(g, target, 0)
    if made == PAIR and can_buy(g, seat) and count(int(g.soldiers[seat])) < 3:
        return BUY
    if can_stay(g, seat):
        return STAY
    return attack_on(g, target, 0) if made == PAIR else FOLD


@rule
def own_cards(g: State, seat: int) -> int:
    """Palace, as far as it is known, soldiers and banner of a player in the hand."""
    return int(g.palace[seat]) | shown_cards(g, seat)


@rule
def shown_cards(g: State, seat: int) -> int:
    """Soldiers and banner of a player in the hand."""
    return int(g.soldiers[seat]) | 1 << int(g.banner[seat])


@rule
def first_target(g: State) -> int:
    """The first player at the actor's left whom the actor may attack, -1 if there is none."""
    seat = int(g.actor)
    for ahead in range(1, int(g.players)):
        other = (seat + ahead) % int(g.players)
        if can_attack(g, seat, other):
            return other
    return -1


@rule
def attack_on(g: State, target: int, size: int) -> int:
    """The actor's attack on a seat with an extra of some size, 0 being none."""
    ahead = (target - int(g.actor)) % int(g.players)
    return attack_from(g) + (ahead - 1) * attack_count(g) + size


@rule
def top_raise(g: State) -> int:
    """The largest raise that the actor may make, else the call."""
    action = CALL
    for size in range(raise_count(g)):
        if raise_amount(g, int(g.actor), size) > 0:
            action = RAISE + size
    return action


@rule
def least_raise(g: State) -> int:
    """The smallest raise that the actor may make, else the call."""
    for size in range(raise_count(g)):
        if raise_amount(g, int(g.actor), size) > 0:
            return RAISE + size
    return CALL


@rule
def keep_best(g: State) -> int:
    """While discarding: give up as few soldiers as one may, those that the best hand misses least."""
    seat = int(g.actor)
    if can_finish(g, seat):
        return DONE
    return discard_from(g) + least_useful(g, seat)


@rule
def least_useful(g: State, seat: int) -> int:
    """The soldier without which a player's plain hand is the best; of equals the lowest card."""
    own = own_cards(g, seat)
    rest = int(g.soldiers[seat])
    least = -1
    best = -1
    while rest:
        card = lowest(rest)
        rest &= rest - 1
        without = best_hand(own & ~(1 << card)) << 4 | (12 - card % 13)
        if without > best:
            best = without
            least = card
    return least
