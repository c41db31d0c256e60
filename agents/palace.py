"""Scripted agents of Palace Poker, each deciding from a view, and what a finished hand tells of the play."""

from collections.abc import Callable
from typing import Any

import numpy as np
import numpy.typing as npt

from card_table import rng as streams
from card_table.cards import count, lowest
from card_table.compile import State, bind, rule
from card_table.game import States
from card_table.hands import PAIR, STRAIGHT, TWO_PAIR, best_hand, category_of
from card_table.rng import random_below, seed_stream
from palace_env.rules import (
    BUY,
    CALL,
    DISCARDING,
    DONE,
    FOLD,
    RAISE,
    SHOWDOWN,
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

SPECS = ("random", "passive", "aggressive", "tight")

# What a decision may write on: its own stream of random numbers.
SCRATCH = np.dtype((np.record, [streams.FIELD]))


class Script:
    """A scripted agent, see ``agents.spec.Agent``."""

    def __init__(self, name: str, decide_all: Callable[..., int]) -> None:
        """Take the compiled loop that decides."""
        self.name = name
        self._decide_all = decide_all

    def act(
        self,
        views: States,
        observations: npt.NDArray[np.uint8],
        masks: npt.NDArray[np.bool_],
        rng: np.random.Generator,
    ) -> npt.NDArray[np.int64]:
        """See ``agents.spec.Agent.act``."""
        seeds = rng.integers(streams.MAX_SEED, size=len(views), endpoint=True)
        actions = np.zeros(len(views), np.int64)
        scratch = np.zeros(1, SCRATCH)
        masks = np.ascontiguousarray(masks)
        bad = self._decide_all(np.ascontiguousarray(views), masks, seeds, scratch, actions)
        if bad >= 0:
            if not masks[bad].any():
                raise ValueError(f"row {bad} of masks has no legal action: ask only whoever is to move")
            raise ValueError(f"row {bad}: the mask forbids {int(actions[bad])!r}, which the view allows")
        return actions


def script(spec: str) -> Script | None:
    """The script that a spec names, None if it names none."""
    return Script(spec, _LOOPS[spec]) if spec in _LOOPS else None


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


# The rule that the loop below leaves open: (view, mask, scratch) → action.
decide: Callable[[State, Any, State], int]


def _decide_all(
    views: States,
    masks: npt.NDArray[np.bool_],
    seeds: npt.NDArray[np.int64],
    scratch: States,
    actions: npt.NDArray[np.int64],
) -> int:
    """Decide each row; returns the first row without a legal action or with an illegal decision, or -1."""
    for i in range(len(views)):
        if not masks[i].any():
            return i
        seed_stream(scratch[0], int(seeds[i]), 0, 0)
        actions[i] = decide(views[i], masks[i], scratch[0])  # noqa: F821 - bound below
        if not masks[i, actions[i]]:
            return i
    return -1


# ---- the simple scripts


@rule
def random_move(g: State, mask: npt.NDArray[np.bool_], scratch: State) -> int:
    """Any legal action, each as likely as the others."""
    legal = 0
    for action in range(len(mask)):
        if mask[action]:
            legal += 1
    skip = random_below(scratch, legal)
    for action in range(len(mask)):
        if mask[action]:
            if skip == 0:
                return action
            skip -= 1
    return -1


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
        if made >= STRAIGHT and top_raise(g) != CALL:
            return RAISE
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


# ---- what they share


@rule
def own_cards(g: State, seat: int) -> int:
    """Palace, soldiers and banner of a player in the hand."""
    return int(g.palace[seat]) | int(g.soldiers[seat]) | 1 << int(g.banner[seat])


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


_LOOPS = {
    "random": bind(_decide_all, "palace_random_moves", decide=random_move),
    "passive": bind(_decide_all, "palace_passive_moves", decide=passive_move),
    "aggressive": bind(_decide_all, "palace_aggressive_moves", decide=aggressive_move),
    "tight": bind(_decide_all, "palace_tight_moves", decide=tight_move),
}
