"""What a bet of Detective Poker is worth: its expected points, and those of what is left for later streets.

How sure a player will be later is not known before; what it mostly is stands in ``SURENESS``.
"""

import numpy as np

from agents.detective_simple import bet
from card_table.compile import State, rule
from detective_env.rules import BLUFF, MAX_BET, NONE, PLUS_ONE, STREETS, can_put, most_chips

EQUITY, DETECTIVE = range(2)  # whose plan it is
MOST = MAX_BET * STREETS  # chips
HAS_PLUS, HAS_BLUFF = 1, 2

# The chances that whoever most likely is the best is, and that whoever most likely is the weakest is, by plan,
# by players (3, 4), by street: eight cases, each as likely as the others.
_BY_CARDS = [
    [
        (0.40, 0.42),
        (0.42, 0.55),
        (0.52, 0.50),
        (0.53, 0.67),
        (0.67, 0.56),
        (0.68, 0.73),
        (0.88, 0.58),
        (0.86, 0.78),
    ],
    [
        (0.33, 0.38),
        (0.36, 0.51),
        (0.46, 0.44),
        (0.47, 0.60),
        (0.62, 0.47),
        (0.63, 0.65),
        (0.86, 0.47),
        (0.84, 0.65),
    ],
]
SURENESS = np.array([[[cases] * STREETS for cases in _BY_CARDS]] * 2)

FIELDS = [
    ("planned", "i8"),  # the rules that the plan below is for, see `plan`, 0: none
    # By plan, the street that begins, chips left and which of +1 and Bluff are left: the points to come.
    ("worth", "f8", (2, STREETS + 1, MOST + 1, 4)),
]


@rule
def best_bet(g: State, scratch: State, whose: int) -> int:
    """The actor's bet that is worth most by ``scratch``'s chances; of equals the first, without a card.

    Clockwise and Blank are never worth more than no card, so that neither is played.
    """
    seat = int(g.actor)
    street = int(g.street)
    left = int(g.chips_left[seat])
    cards = 0
    if can_put(g, seat, PLUS_ONE):
        cards |= HAS_PLUS
    if can_put(g, seat, BLUFF):
        cards |= HAS_BLUFF
    action = -1
    best = 0.0
    for named in range(int(g.players)):
        right = float(scratch.best[named])
        weakest = float(scratch.weakest[named])
        for chips in range(1, most_chips(g, seat) + 1):
            worth = chips * right + float(scratch.worth[whose, street + 1, left - chips, cards])
            if action < 0 or worth > best:
                action = bet(g, named, chips, NONE)
                best = worth
            if cards & HAS_PLUS:
                later = float(scratch.worth[whose, street + 1, left - chips, cards & ~HAS_PLUS])
                worth = plus_points(g, chips, right) + later
                if worth > best:
                    action = bet(g, named, chips, PLUS_ONE)
                    best = worth
            if cards & HAS_BLUFF:
                later = float(scratch.worth[whose, street + 1, left - chips, cards & ~HAS_BLUFF])
                worth = chips * weakest + later
                if worth > best:
                    action = bet(g, named, chips, BLUFF)
                    best = worth
    return action


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
    cases = SURENESS.shape[3]
    for case in range(cases):
        right = float(SURENESS[whose, int(g.players) - 3, street, case, 0])
        weakest = float(SURENESS[whose, int(g.players) - 3, street, case, 1])
        best = 0.0
        for chips in range(1, min(MAX_BET, left - (int(g.streets) - 1 - street)) + 1):
            later = left - chips
            best = max(best, chips * right + float(scratch.worth[whose, street + 1, later, cards]))
            if cards & HAS_PLUS:
                rest = float(scratch.worth[whose, street + 1, later, cards & ~HAS_PLUS])
                best = max(best, plus_points(g, chips, right) + rest)
            if cards & HAS_BLUFF:
                rest = float(scratch.worth[whose, street + 1, later, cards & ~HAS_BLUFF])
                best = max(best, chips * weakest + rest)
        total += best
    return float(total / cases)
