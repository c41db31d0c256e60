"""What a bet of Detective Poker is worth: its expected points, and those of what is left for later streets.

How sure a player will be later is not known before; what it mostly is stands in ``SURENESS``.
"""

import numpy as np

from agents.detective_simple import bet
from card_table.compile import State, rule
from detective_env.rules import BLUFF, MAX_BET, NONE, PLUS_ONE, STREETS

EQUITY, DETECTIVE = range(2)  # whose plan it is
MOST = MAX_BET * STREETS  # chips
HAS_PLUS, HAS_BLUFF = 1, 2

# How sure a player is when it comes to bet, in eight cases, each as likely as the others: the chance of whom
# it holds to be the best to be it, and that of the weakest. Found in hands among `equity`: by the cards alone
# it is alike on all streets; who reads the bets too is surer on the flop, and again from the turn on.
_THREE = (
    ((0.40, 0.42, 0.52, 0.53, 0.67, 0.68, 0.88, 0.86), (0.42, 0.55, 0.50, 0.67, 0.56, 0.73, 0.58, 0.78)),
    ((0.49, 0.53, 0.68, 0.69, 0.83, 0.84, 0.98, 0.96), (0.53, 0.76, 0.60, 0.83, 0.67, 0.87, 0.66, 0.88)),
    ((0.56, 0.58, 0.76, 0.78, 0.91, 0.91, 1.00, 1.00), (0.58, 0.82, 0.68, 0.89, 0.74, 0.94, 0.74, 0.96)),
)
_FOUR = (
    ((0.33, 0.36, 0.46, 0.47, 0.62, 0.63, 0.86, 0.84), (0.38, 0.51, 0.44, 0.60, 0.47, 0.65, 0.47, 0.65)),
    ((0.42, 0.45, 0.63, 0.64, 0.80, 0.81, 0.97, 0.96), (0.48, 0.69, 0.54, 0.77, 0.55, 0.79, 0.53, 0.77)),
    ((0.51, 0.54, 0.73, 0.74, 0.89, 0.90, 0.99, 0.99), (0.53, 0.78, 0.58, 0.83, 0.63, 0.87, 0.60, 0.86)),
)
# By plan, players less 3, street, which of the two chances, and case. Preflop nothing is still to come.
SURENESS = np.array(
    [
        [[cards] * STREETS for cards, _, _ in (_THREE, _FOUR)],
        [[cards, flop, later, later] for cards, flop, later in (_THREE, _FOUR)],
    ]
)

FIELDS = [
    ("planned", "i8"),  # the rules that the plan below is for, see `plan`, 0: none
    # By plan, the street that begins, chips left and which of +1 and Bluff are left: the points to come.
    ("worth", "f8", (2, STREETS + 1, MOST + 1, 4)),
]


@rule
def best_bet(g: State, scratch: State, whose: int) -> int:
    """The actor's bet that is worth most by ``scratch``'s chances; of equals the one on the lowest seat.

    Args:
        g: a view.
        scratch: with ``best`` and ``weakest``, and a plan.
        whose: EQUITY or DETECTIVE.
    """
    seat = int(g.actor)
    street = int(g.street)
    left = int(g.chips_left[seat])
    cards = held_cards(int(g.cards[seat]))
    action = -1
    best = 0.0
    for named in range(int(g.players)):
        right = float(scratch.best[named])
        weakest = float(scratch.weakest[named])
        worth, chips, card = best_stake(g, scratch, whose, street, left, cards, right, weakest)
        if action < 0 or worth > best:
            action = bet(g, named, chips, card)
            best = worth
    return action


@rule
def held_cards(kinds: int) -> int:
    """Which of +1 and Bluff are among action cards, bit k for kind k, as HAS_PLUS and HAS_BLUFF."""
    return (kinds >> PLUS_ONE & 1) * HAS_PLUS | (kinds >> BLUFF & 1) * HAS_BLUFF


@rule
def best_stake(
    g: State, scratch: State, whose: int, street: int, left: int, cards: int, right: float, weakest: float
) -> tuple[float, int, int]:
    """What a bet on a player is worth at best, with the points to come; its chips, and what lies under them.

    Clockwise and Blank bring what no card brings, so that neither is played.

    Args:
        g: a game.
        scratch: with the points to come from the next street on.
        whose: EQUITY or DETECTIVE.
        street: which it is.
        left: the chips that the one who bets has.
        cards: HAS_PLUS, HAS_BLUFF, both or 0.
        right: the chance that the player has the best hand.
        weakest: the chance that it is the weakest.
    """
    best = -1.0  # a bet without a card is worth more
    best_chips = 1
    best_card = NONE
    for chips in range(1, min(MAX_BET, left - (int(g.streets) - 1 - street)) + 1):
        worth = chips * right + points_to_come(scratch, whose, street, left - chips, cards)
        if worth > best:
            best = worth
            best_chips = chips
            best_card = NONE
        if cards & HAS_PLUS:
            to_come = points_to_come(scratch, whose, street, left - chips, cards & ~HAS_PLUS)
            worth = plus_points(g, chips, right) + to_come
            if worth > best:
                best = worth
                best_chips = chips
                best_card = PLUS_ONE
        if cards & HAS_BLUFF:
            to_come = points_to_come(scratch, whose, street, left - chips, cards & ~HAS_BLUFF)
            worth = chips * weakest + to_come
            if worth > best:
                best = worth
                best_chips = chips
                best_card = BLUFF
    return best, best_chips, best_card


@rule
def points_to_come(scratch: State, whose: int, street: int, left: int, cards: int) -> float:
    """The points that a plan expects after a street, of so many chips and these cards then left."""
    return float(scratch.worth[whose, street + 1, left, cards])


@rule
def plus_points(g: State, chips: int, right: float) -> float:
    """The expected points of so many chips over a +1, given the chance to be right."""
    points = (chips + 1) * right
    return points - (1.0 - right) if g.expert else points


@rule
def plan(g: State, scratch: State) -> None:
    """Fill in ``worth`` for a game's rules, unless it is for them already."""
    rules = (int(g.players) << 8 | int(g.streets) << 4 | int(g.chips)) << 1 | int(g.expert)
    if scratch.planned == rules:
        return
    scratch.planned = rules
    last = int(g.streets)
    scratch.worth[:] = 0
    for whose in range(2):
        for street in range(last - 1, 0, -1):
            for left in range(last - street, int(g.chips) + 1):
                for cards in range(4):
                    scratch.worth[whose, street, left, cards] = points_from(
                        g, scratch, whose, street, left, cards
                    )


@rule
def points_from(g: State, scratch: State, whose: int, street: int, left: int, cards: int) -> float:
    """The points to come, from a street on, given those from the next one on."""
    total = 0.0
    cases = SURENESS.shape[-1]
    for case in range(cases):
        right = float(SURENESS[whose, int(g.players) - 3, street, 0, case])
        weakest = float(SURENESS[whose, int(g.players) - 3, street, 1, case])
        worth, _, _ = best_stake(g, scratch, whose, street, left, cards, right, weakest)
        total += worth
    return float(total / cases)
