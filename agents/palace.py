"""Scripted agents of Palace Poker, each deciding from a view, and what a finished hand tells of the play."""

from collections.abc import Callable
from typing import Any

import numpy as np
import numpy.typing as npt

from card_table import rng as streams
from card_table.cards import N_CARDS, count, lowest, suit_cards
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
    MAX_SEATS,
    RAISE,
    SHOWDOWN,
    STAY,
    TURN,
    attack_count,
    attack_extra,
    attack_from,
    battle_strength,
    call_cost,
    can_attack,
    can_buy,
    can_finish,
    can_stay,
    discard_from,
    price,
    raise_amount,
    raise_count,
)
from palace_env.view import known_deck, unknown_cards

SPECS = ("random", "passive", "aggressive", "tight", "equity")
SAMPLES = 30  # of `equity`, unless its spec tells their number
MAX_SAMPLES = 100_000

# What `equity` goes by; found by playing variants against each other and against the other scripts.
AHEAD = 5  # the buys it looks ahead
MAX_BUYS = 10  # in a hand: the best of several estimates flatters, and would have it buy without end
RANGE = 0.5  # who attacks or raises is held to have one of the best half of all possible hands
FOLDS = 0.2  # the share of hands, the worst, that are held to fold to an attack
KEEP_BUYING = 0.3  # how often players are held to buy who have not yet; the others are held to buy always

# What a decision may write on. Its generator must not lie where that of a game's record lies: Numba would
# take the one record for a kind of the other.
SCRATCH = np.dtype(
    (
        np.record,
        [
            ("samples", "i8"),
            streams.FIELD,
            ("wins", "f8", (MAX_SEATS,)),  # the chance to win a fight against this seat
            ("later", "f8", (MAX_SEATS,)),  # and then to hold the best hand of those who are left
            ("best", "f8", (AHEAD + 1,)),  # the chance to hold the best hand after so many buys
            ("own", "i4", (MAX_SEATS,)),  # the strength of one's own hand in that fight
            ("captured", "i4", (MAX_SEATS,)),  # and after it, for a showdown
            ("hands", "i8", (MAX_SEATS,)),  # the cards of the others in one sample
            (
                "cards",
                "i1",
                (N_CARDS,),
            ),  # those that could be anywhere unseen, then those known to be in the deck
            ("unknown", "i1"),  # how many of the former
            ("in_deck", "i1"),  # how many of the latter
            ("unknown_taken", "i1"),  # how many of each are taken in this sample
            ("deck_taken", "i1"),
        ],
    )
)


class Script:
    """A scripted agent, see ``agents.spec.Agent``."""

    def __init__(self, name: str, decide_all: Callable[..., int], samples: int = 0) -> None:
        """Take the compiled loop that decides, and how many samples it takes a decision."""
        self.name = name
        self.samples = samples
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
        scratch["samples"] = self.samples
        masks = np.ascontiguousarray(masks)
        bad = self._decide_all(np.ascontiguousarray(views), masks, seeds, scratch, actions)
        if bad >= 0:
            if not masks[bad].any():
                raise ValueError(f"row {bad} of masks has no legal action: ask only whoever is to move")
            raise ValueError(f"row {bad}: the mask forbids {int(actions[bad])!r}, which the view allows")
        return actions


def script(spec: str) -> Script | None:
    """The script that a spec names, None if it names none.

    Raises:
        ValueError: the number of samples is not one.
    """
    name, colon, number = spec.partition(":")
    if name == "equity" and colon:
        if not (number.isascii() and number.isdigit() and 1 <= int(number) <= MAX_SAMPLES):
            raise ValueError(f"{spec!r}: the samples must be a whole number from 1 to {MAX_SAMPLES}")
        return Script(spec, _LOOPS[name], int(number))
    return Script(spec, _LOOPS[spec], SAMPLES) if spec in _LOOPS else None


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


# ---- equity


@rule
def equity_move(g: State, mask: npt.NDArray[np.bool_], scratch: State) -> int:
    """Makes the move that is worth most, by the chances that it finds in samples of what it cannot see."""
    if g.phase == DISCARDING:
        return drop_useless(g)
    estimate(g, scratch)
    return best_turn(g, scratch) if g.phase == TURN else best_answer(g, scratch)


@rule
def best_turn(g: State, scratch: State) -> int:
    """The best of folding, staying, buying and the attacks."""
    seat = int(g.actor)
    action = FOLD
    best = 0.0
    if can_stay(g, seat):
        action = STAY
        best = int(g.pot) * float(scratch.best[0])
    if can_buy(g, seat) and g.buys[seat] < MAX_BUYS:
        worth = buy_worth(g, scratch)
        if worth > best:
            action = BUY
            best = worth
    for other in range(int(g.players)):
        if can_attack(g, seat, other):
            for size in range(attack_count(g)):
                extra = attack_extra(g, seat, other, size)
                worth = attack_worth(g, scratch, other, extra) if extra >= 0 else 0.0
                if worth > best:
                    action = attack_on(g, other, size)
                    best = worth
    return action


@rule
def best_answer(g: State, scratch: State) -> int:
    """The best of folding, calling and the raises."""
    seat = int(g.actor)
    other = int(g.opponent)
    cost = min(call_cost(g, seat), int(g.stacks[seat]))
    wins = among_best(float(scratch.wins[other]), RANGE)
    action = FOLD
    best = 0.0
    worth = wins * float(scratch.later[other]) * (int(g.pot) + cost) - cost
    if worth >= best:
        action = CALL
        best = worth
    for size in range(raise_count(g)):
        amount = min(raise_amount(g, seat, size), int(g.stacks[other]))
        if amount > 0:
            folds = amount / (int(g.pot) + cost + amount)
            worth = bet_worth(g, scratch, other, wins, folds, cost, amount, amount)
            if worth > best:
                action = RAISE + size
                best = worth
    return action


@rule
def buy_worth(g: State, scratch: State) -> float:
    """What the best number of buys in a row is worth, with a showdown after them."""
    seat = int(g.actor)
    bet = int(g.small_bet)
    a_round = float(bet)  # what one's own buy and those of the others until the next add to the pot
    for other in range(int(g.players)):
        if other != seat and g.in_hand[other]:
            a_round += bet if g.buys[other] else KEEP_BUYING * bet
    best = 0.0
    for buys in range(1, min(AHEAD, int(g.stacks[seat]) // bet) + 1):
        best = max(best, (int(g.pot) + buys * a_round) * float(scratch.best[buys]) - buys * bet)
    return best


@rule
def attack_worth(g: State, scratch: State, other: int, extra: int) -> float:
    """What an attack on a seat is worth."""
    seat = int(g.actor)
    cost = min(price(g, seat), int(g.stacks[seat]))
    answer = min(price(g, other), int(g.stacks[other]))
    folds = FOLDS + (1.0 - FOLDS) * extra / (int(g.pot) + cost + extra)
    return bet_worth(g, scratch, other, float(scratch.wins[other]), folds, cost, extra, answer + extra)


@rule
def bet_worth(
    g: State, scratch: State, other: int, wins: float, folds: float, cost: int, extra: int, answer: int
) -> float:
    """What a bet is worth that can be called or folded to.

    Args:
        g: a view.
        scratch: estimates.
        other: who is to answer.
        wins: the chance to win the fight against any hand that the other may hold.
        folds: the share of these hands, the worst, that fold.
        cost: what the actor pays for good.
        extra: what the actor pays and gets back after a fold.
        answer: what a call costs the other.
    """
    pot = int(g.pot) + cost
    later = float(scratch.later[other])
    called = among_best(wins, 1.0 - folds) * later * (pot + extra + answer) - extra
    return folds * later * pot + (1.0 - folds) * called - cost


@rule
def among_best(wins: float, share: float) -> float:
    """The chance to win against the best ``share`` of the hands of which ``wins`` are beaten."""
    return max(0.0, (wins - 1.0 + share) / share)


@rule
def estimate(g: State, scratch: State) -> None:
    """Fill in ``wins``, ``later`` and ``best`` from samples of what the actor cannot see."""
    seat = int(g.actor)
    own = own_cards(g, seat)
    strength = best_hand(own)
    list_unseen(g, scratch)
    for other in range(int(g.players)):
        scratch.hands[other] = 0
        scratch.wins[other] = 0
        scratch.later[other] = 0
        if other != seat and g.in_hand[other]:
            scratch.own[other] = battle_strength(g, seat, other)
            scratch.captured[other] = best_hand(own | shown_cards(g, other))
    scratch.best[:] = 0
    part = 1.0 / int(scratch.samples)
    for _ in range(int(scratch.samples)):
        scratch.unknown_taken = 0
        scratch.deck_taken = 0
        first = 0
        second = 0
        leader = -1
        for other in range(int(g.players)):
            if other != seat and g.in_hand[other]:
                hand = deal_hand(g, scratch, other)
                scratch.hands[other] = hand
                scratch.wins[other] += part * fight(g, seat, own, int(scratch.own[other]), other, hand)
                theirs = best_hand(hand)
                if theirs > first:
                    second = first
                    first = theirs
                    leader = other
                else:
                    second = max(second, theirs)
        for other in range(int(g.players)):
            if other != seat and g.in_hand[other]:
                rest = second if other == leader else first
                scratch.later[other] += part * ahead_of(int(scratch.captured[other]), rest)
        scratch.best[0] += part * ahead_of(strength, first)
        if g.phase == TURN:
            look_ahead(g, scratch, own, first, part)
    for other in range(int(g.players)):
        scratch.later[other] *= scratch.later[other]  # the best hand is not all: the others fight too


@rule
def look_ahead(g: State, scratch: State, own: int, first: int, part: float) -> None:
    """Add one sample to ``best``: the actor buys again and again, the others as they are held to.

    Args:
        g: a view.
        scratch: its ``hands`` are those of the sample, and change.
        own: the actor's cards.
        first: the strength of the best of the others' hands.
        part: what a sample counts.
    """
    for buys in range(1, AHEAD + 1):
        own |= draw(scratch)
        for other in range(int(g.players)):
            hand = int(scratch.hands[other])
            if hand and (g.buys[other] or random_below(scratch, 1000) < 1000 * KEEP_BUYING):
                scratch.hands[other] = hand | draw(scratch)
                first = max(first, best_hand(int(scratch.hands[other])))
        scratch.best[buys] += part * ahead_of(best_hand(own), first)


@rule
def fight(g: State, seat: int, own: int, strength: int, other: int, hand: int) -> float:
    """How a player's cards, of that strength, do in a fight with another's: 1 won, 0 lost, ½ both are out."""
    suit = suit_cards(int(g.banner[seat]) // 13)
    theirs = best_hand(hand & ~suit)
    if strength == theirs:
        return ahead_of(count(own & suit), count(hand & suit_cards(int(g.banner[other]) // 13)))
    return ahead_of(strength, theirs)


@rule
def ahead_of(one: int, other: int) -> float:
    """1 if one is more than the other, ½ if they are equal, else 0."""
    return 1.0 if one > other else 0.5 if one == other else 0.0


@rule
def list_unseen(g: State, scratch: State) -> None:
    """List the cards that could be in a palace, or be bought."""
    seat = int(g.actor)
    size = 0
    rest = unknown_cards(g, seat)
    scratch.unknown = count(rest)
    while rest:
        scratch.cards[size] = lowest(rest)
        rest &= rest - 1
        size += 1
    rest = known_deck(g, seat)
    scratch.in_deck = count(rest)
    while rest:
        scratch.cards[size] = lowest(rest)
        rest &= rest - 1
        size += 1


@rule
def deal_hand(g: State, scratch: State, other: int) -> int:
    """The cards of a player in the hand, a palace that the actor has not seen being random."""
    hand = own_cards(g, other)
    if g.palace[other] == 0:
        for _ in range(int(g.palace_cards)):
            left = int(scratch.unknown) - int(scratch.unknown_taken)
            hand |= 1 << take_unknown(scratch, random_below(scratch, left))
    return hand


@rule
def draw(scratch: State) -> int:
    """A random card that could be bought, as a set; no card when all are taken."""
    unknown = int(scratch.unknown) - int(scratch.unknown_taken)
    in_deck = int(scratch.in_deck) - int(scratch.deck_taken)
    if unknown + in_deck == 0:
        return 0
    place = random_below(scratch, unknown + in_deck)
    if place < unknown:
        return 1 << take_unknown(scratch, place)
    first = int(scratch.unknown) + int(scratch.deck_taken)
    scratch.deck_taken += 1
    return 1 << swap(scratch, first, first + place - unknown)


@rule
def take_unknown(scratch: State, place: int) -> int:
    """Take one of the unknown cards that are left."""
    first = int(scratch.unknown_taken)
    scratch.unknown_taken += 1
    return swap(scratch, first, first + place)


@rule
def swap(scratch: State, first: int, place: int) -> int:
    """Exchange two of the cards; returns the one that comes first now."""
    card = int(scratch.cards[place])
    scratch.cards[place] = scratch.cards[first]
    scratch.cards[first] = card
    return card


@rule
def drop_useless(g: State) -> int:
    """While discarding: give up soldiers that no hand misses, since each raises one's price."""
    seat = int(g.actor)
    if not can_finish(g, seat):
        return discard_from(g) + least_useful(g, seat)
    rest = int(g.soldiers[seat])
    while rest:
        card = lowest(rest)
        rest &= rest - 1
        if is_useless(g, seat, 1 << card):
            return discard_from(g) + card
    return DONE


@rule
def is_useless(g: State, seat: int, soldier: int) -> bool:
    """Whether a player's hand, plain and against each player in the hand, is as good without a soldier."""
    own = own_cards(g, seat)
    if best_hand(own & ~soldier) != best_hand(own):
        return False
    for other in range(int(g.players)):
        if other != seat and g.in_hand[other]:
            counting = own & ~suit_cards(int(g.banner[other]) // 13)
            if best_hand(counting & ~soldier) != best_hand(counting):
                return False
    return True


# ---- what they share


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


_LOOPS = {
    "random": bind(_decide_all, "palace_random_moves", decide=random_move),
    "passive": bind(_decide_all, "palace_passive_moves", decide=passive_move),
    "aggressive": bind(_decide_all, "palace_aggressive_moves", decide=aggressive_move),
    "tight": bind(_decide_all, "palace_tight_moves", decide=tight_move),
    "equity": bind(_decide_all, "palace_equity_moves", decide=equity_move),
}
