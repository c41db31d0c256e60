"""A scripted agent of Palace Poker that weighs moves by chances, found in samples of what it cannot see."""

import numpy as np
import numpy.typing as npt

from agents.palace_simple import attack_on, least_useful, own_cards, shown_cards
from card_table import rng
from card_table.cards import N_CARDS, count, lowest, suit_cards
from card_table.compile import State, rule
from card_table.hands import best_hand
from card_table.rng import random_below
from palace_env.rules import (
    BUY,
    BUYS,
    CALL,
    DISCARDING,
    DONE,
    FOLD,
    MAX_SEATS,
    RAISE,
    STAY,
    TURN,
    attack_count,
    attack_extra,
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

# What it goes by, found by playing variants against each other and against the other scripts.
AHEAD = 5  # the buys it looks ahead
RANGE = 0.5  # who attacks or raises is held to have one of the best half of all possible hands
FOLDS = 0.2  # the share of hands, the worst, that are held to fold to an attack
OTHERS_BUY = 0.3  # how often others are held to buy who have not in this hand; who has is held to go on

# What a decision may write on. Its generator must not lie where that of a game's record lies: Numba would
# take the one record for a kind of the other.
SCRATCH = np.dtype(
    (
        np.record,
        [
            ("samples", "i8"),
            rng.FIELD,
            ("wins", "f8", (MAX_SEATS,)),  # the chance to win a fight against this seat
            ("later", "f8", (MAX_SEATS,)),  # and then to hold the best hand of those who are left
            ("best", "f8", (AHEAD + 1,)),  # the chance to hold the best hand after so many buys
            ("own", "i4", (MAX_SEATS,)),  # the strength of one's own hand in that fight
            ("captured", "i4", (MAX_SEATS,)),  # and after it, for a showdown
            ("hands", "i8", (MAX_SEATS,)),  # the cards of the others in one sample
            ("cards", "i1", (N_CARDS,)),  # unknown ones, then known ones of the deck
            ("unknown", "i1"),  # how many the actor cannot place
            ("in_deck", "i1"),  # how many are known to be in the deck
            ("unknown_taken", "i1"),  # how many of each are taken in this sample
            ("deck_taken", "i1"),
        ],
    )
)


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
    if can_buy(g, seat):
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
    bet = int(g.small_bet)
    best = 0.0
    for buys in range(1, min(AHEAD, int(g.stacks[g.actor]) // bet) + 1):
        best = max(best, (int(g.pot) + buys * bet) * float(scratch.best[buys]) - buys * bet)
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
            if hand and (g.shown[other, BUYS] or random_below(scratch, 1000) < 1000 * OTHERS_BUY):
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
