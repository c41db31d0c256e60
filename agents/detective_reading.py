"""A scripted agent of Detective Poker that reads the others' bets, as if they were those of ``equity``.

What the actor cannot see is its own exposed card and the others' private ones. Each of the others sees the
first and one of the second, so that its bets tell how likely these two are together; given the actor's
exposed card they tell nothing of a third player's. A table holds that likelihood for each of the others, by
both cards.

To know what ``equity`` would bet in a player's place its chances are found without samples: on one street
cards of a rank are alike, unless a flush can be made of their suit, so that there are only a few kinds of
cards, and two cards of these kinds make hands that fall into a few levels of strength. The cards that a
player does not see are held to be independent of each other.
"""

import math

import numpy as np
import numpy.typing as npt

from agents.detective_equity import FIELDS as EQUITY_FIELDS
from agents.detective_equity import (
    clear_chances,
    count_sample,
    estimate,
    list_unseen,
    take_share,
)
from agents.detective_plan import (
    DETECTIVE,
    EQUITY,
    HAS_BLUFF,
    HAS_PLUS,
    best_bet,
    held_cards,
    plan,
    plus_points,
    points_to_come,
)
from card_table.cards import N_CARDS, NO_CARD, count, lowest, suit_cards
from card_table.compile import State, rule
from card_table.hands import best_hand
from card_table.rng import random_word
from detective_env.rules import (
    FACE_DOWN,
    MAX_BET,
    MAX_SEATS,
    all_cards,
    board_on,
    seat_ahead,
    thrown_by,
)

# What it goes by, found by playing variants against `equity`.
NOISE = 0.08  # bets are held to be made in proportion to exp(points / NOISE) ...
FLOOR = 0.01  # ... or, this often, for reasons unknown
LEVELS = 16  # of strength
STEPS = 64  # to which chances are rounded
KINDS = 26  # of cards: the ranks, and again the ranks of the suit that can make a flush
TRIES = 4  # how many times as many samples may be drawn as are wanted, to get some without a card twice

# By chance in steps: how much more likely a bet is for one chip that is right so often.
ODDS = np.exp(np.arange(STEPS + 1) / STEPS / NOISE)

SCRATCH = np.dtype(
    (
        np.record,
        [
            *EQUITY_FIELDS,
            # How likely a seat's bets are, by the places of the actor's exposed card and the seat's private
            # one; later summed up over the second.
            ("likely", "f8", (MAX_SEATS, N_CARDS, N_CARDS)),
            ("exposed", "f8", (N_CARDS,)),  # the same of the actor's exposed card alone, summed up
            # By kind of card, on one street:
            ("kinds", "i8"),  # how many there are: those of the flush suit only if there is one
            ("kind_of", "i1", (N_CARDS,)),
            ("held", "i1", (KINDS,)),  # how many there are, as far as all players know
            ("open", "i1", (KINDS,)),  # how many the player whose bet is read cannot place
            ("made", "i4", (KINDS * (KINDS + 1) // 2,)),  # the strengths of two cards, sorted
            ("level", "i1", (KINDS, KINDS)),  # of the strength of two cards, -1 if there are no two
            ("equal", "f8", (LEVELS, KINDS)),  # the chance of a hand of that level, one card being known
            ("below", "f8", (LEVELS, KINDS)),  # and of a weaker one, equal ones counting half
            # By role (0 the player whose bet is read, 1 the actor, 2 and 3 the others clockwise of the first)
            # and by the kinds of the first's private and of the second's exposed card: the chances that the
            # first sees of having the best and the weakest hand.
            ("right", "f8", (MAX_SEATS, KINDS, KINDS)),
            ("poor", "f8", (MAX_SEATS, KINDS, KINDS)),
            # What a bet on a seat weighs by the chance of its being best or weakest, in steps:
            ("all_right", "f8", (STEPS + 1,)),  # all bets together that this seat is the best
            ("all_poor", "f8", (STEPS + 1,)),  # and that it is the weakest
            ("this_right", "f8", (STEPS + 1,)),  # what the bet that was made may be of these
            ("this_poor", "f8", (STEPS + 1,)),
            ("factor", "f8", (KINDS, KINDS)),  # how likely the bet is
            ("kept", "i1", (MAX_SEATS,)),  # which of +1 and Bluff each seat is held to have left
        ],
    )
)


@rule
def detective_move(g: State, mask: npt.NDArray[np.bool_], scratch: State) -> int:
    """Makes the bet that is worth most by what the cards that it sees and all bets so far tell."""
    plan(g, scratch)
    list_unseen(g, scratch)
    read_bets(g, scratch)
    weigh(g, scratch)
    return best_bet(g, scratch, DETECTIVE)


# ---- reading


@rule
def read_bets(g: State, scratch: State) -> None:
    """Fill in ``likely`` by all bets of the others so far."""
    seat = int(g.actor)
    size = int(scratch.n_unseen)
    for other in range(int(g.players)):
        scratch.kept[other] = held_cards(int(g.actions))
        for own in range(size):
            for theirs in range(size):
                scratch.likely[other, own, theirs] = 0.0 if own == theirs else 1.0
    for street in range(int(g.street) + 1):
        ready = False
        for other in range(int(g.players)):
            if other != seat and g.bet_board[street, other] >= 0:
                if not ready:
                    sort_kinds(g, scratch, street)
                    ready = True
                read_bet(g, scratch, other, street)


@rule
def sort_kinds(g: State, scratch: State, street: int) -> None:
    """Sort the cards of a street by kind, and the hands that two of them make by level."""
    board = board_on(g, street)
    flush = flush_suit(board)
    scratch.kinds = 26 if flush >= 0 else 13
    cards = all_cards(g) & ~board & ~thrown_by(g, street)
    scratch.held[:] = 0
    scratch.level[:] = -1
    for card in range(N_CARDS):
        kind = card % 13 + (13 if card // 13 == flush else 0)
        scratch.kind_of[card] = kind
        if (cards >> card) & 1:
            scratch.held[kind] += 1
    size = 0
    for one in range(int(scratch.kinds)):
        for two in range(one + 1):
            pair = two_cards(scratch, cards, flush, one, two)
            if pair:
                scratch.made[size] = best_hand(board | pair)
                size += 1
    made = scratch.made[:size]
    made.sort()
    for one in range(int(scratch.kinds)):
        for two in range(one + 1):
            pair = two_cards(scratch, cards, flush, one, two)
            if pair:
                level = level_of(scratch, size, best_hand(board | pair))
                scratch.level[one, two] = level
                scratch.level[two, one] = level


@rule
def flush_suit(board: int) -> int:
    """The suit of which two more cards make a flush, -1 if there is none."""
    for suit in range(4):
        if count(board & suit_cards(suit)) >= 3:
            return suit
    return -1


@rule
def two_cards(scratch: State, cards: int, flush: int, one: int, two: int) -> int:
    """Any two cards of two kinds, as a set, empty if there are no two."""
    if scratch.held[one] == 0 or scratch.held[two] == 0 or (one == two and scratch.held[one] < 2):
        return 0
    first = lowest(of_kind(cards, flush, one))
    return 1 << first | 1 << lowest(of_kind(cards, flush, two) & ~(1 << first))


@rule
def of_kind(cards: int, flush: int, kind: int) -> int:
    """Those cards that are of a kind."""
    suited = suit_cards(flush) if flush >= 0 else 0
    rank = 0x8004002001 << kind % 13
    return cards & rank & (suited if kind >= 13 else ~suited)


@rule
def level_of(scratch: State, size: int, strength: int) -> int:
    """The level of a strength: which part of the sorted ones it falls into; equal ones fall into the same."""
    low = 0
    high = LEVELS - 1
    while low < high:
        middle = (low + high + 1) // 2
        if int(scratch.made[middle * size // LEVELS]) <= strength:
            low = middle
        else:
            high = middle - 1
    return low


@rule
def read_bet(g: State, scratch: State, other: int, street: int) -> None:
    """Let ``likely`` count a player's bet on a street."""
    see_as(g, scratch, other)
    spread_levels(g, scratch)
    find_chances(g, scratch, other)
    weigh_options(g, scratch, other, street)
    named = role_of(g, other, int(g.bet_board[street, other]))
    leaning = judge(g, scratch, named)
    if g.bet_card[street, other] == FACE_DOWN:
        scratch.kept[other] &= ~(HAS_PLUS if leaning >= 0 else HAS_BLUFF)
    size = int(scratch.n_unseen)
    for own in range(size):
        own_kind = int(scratch.kind_of[scratch.unseen[own]])
        for theirs in range(size):
            their_kind = int(scratch.kind_of[scratch.unseen[theirs]])
            scratch.likely[other, own, theirs] *= scratch.factor[their_kind, own_kind]


@rule
def see_as(g: State, scratch: State, other: int) -> None:
    """Count by kind the cards that a player does not see, its own and the actor's exposed one among them."""
    for kind in range(int(scratch.kinds)):
        scratch.open[kind] = scratch.held[kind]
    for third in range(int(g.players)):
        if third != other and g.exposed[third] != NO_CARD:
            scratch.open[scratch.kind_of[g.exposed[third]]] -= 1


@rule
def spread_levels(g: State, scratch: State) -> None:
    """Fill in ``equal`` and ``below``."""
    scratch.equal[:] = 0
    for known in range(int(scratch.kinds)):
        total = 0
        if scratch.held[known]:
            for hidden in range(int(scratch.kinds)):
                n = int(scratch.open[hidden]) - (1 if hidden == known and scratch.open[known] else 0)
                if n > 0 and scratch.level[known, hidden] >= 0:
                    scratch.equal[scratch.level[known, hidden], known] += n
                    total += n
        so_far = 0.0
        for level in range(LEVELS):
            share = float(scratch.equal[level, known]) / max(total, 1)
            scratch.equal[level, known] = share
            scratch.below[level, known] = so_far + 0.5 * share
            so_far += share


@rule
def find_chances(g: State, scratch: State, other: int) -> None:
    """Fill in ``right`` and ``poor``: the chances that a player sees."""
    scratch.right[:] = 0
    scratch.poor[:] = 0
    two = third_player(g, other, 0)
    three = third_player(g, other, 1) if g.players > 3 else -1
    kinds = int(scratch.kinds)
    for theirs in range(kinds):
        if scratch.open[theirs] > 0:
            for level in range(LEVELS):
                equal_0 = float(scratch.equal[level, theirs])
                below_0 = float(scratch.below[level, theirs])
                above_0 = 1.0 - below_0
                equal_2 = float(scratch.equal[level, scratch.kind_of[g.exposed[two]]])
                below_2 = float(scratch.below[level, scratch.kind_of[g.exposed[two]]])
                above_2 = 1.0 - below_2
                equal_3 = 0.0
                below_3 = above_3 = 1.0
                if three >= 0:
                    equal_3 = float(scratch.equal[level, scratch.kind_of[g.exposed[three]]])
                    below_3 = float(scratch.below[level, scratch.kind_of[g.exposed[three]]])
                    above_3 = 1.0 - below_3
                right_0 = equal_0 * below_2 * below_3
                right_1 = below_0 * below_2 * below_3
                right_2 = below_0 * equal_2 * below_3
                right_3 = below_0 * below_2 * equal_3
                poor_0 = equal_0 * above_2 * above_3
                poor_1 = above_0 * above_2 * above_3
                poor_2 = above_0 * equal_2 * above_3
                poor_3 = above_0 * above_2 * equal_3
                for own in range(kinds):
                    equal = scratch.equal[level, own]
                    below = scratch.below[level, own]
                    scratch.right[0, theirs, own] += right_0 * below
                    scratch.right[1, theirs, own] += right_1 * equal
                    scratch.right[2, theirs, own] += right_2 * below
                    scratch.right[3, theirs, own] += right_3 * below
                    scratch.poor[0, theirs, own] += poor_0 * (1.0 - below)
                    scratch.poor[1, theirs, own] += poor_1 * equal
                    scratch.poor[2, theirs, own] += poor_2 * (1.0 - below)
                    scratch.poor[3, theirs, own] += poor_3 * (1.0 - below)


@rule
def third_player(g: State, other: int, skip: int) -> int:
    """The first player clockwise of another who is not the actor, or the one after, ``skip`` being 1."""
    seat = seat_ahead(g, other, 1)
    while seat == g.actor or seat == other or skip > 0:
        if seat != g.actor:
            skip -= 1
        seat = seat_ahead(g, seat, 1)
    return seat


@rule
def role_of(g: State, other: int, seat: int) -> int:
    """The role of a seat where another's bet is read, see ``right``."""
    if seat == other:
        return 0
    if seat == g.actor:
        return 1
    return 2 if seat == third_player(g, other, 0) else 3


@rule
def weigh_options(g: State, scratch: State, other: int, street: int) -> None:
    """Fill in how heavy each bet weighs that a player could have made."""
    left = int(g.chips)
    cards = int(scratch.kept[other])
    for earlier in range(street):
        left -= int(g.bet_chips[earlier, other])
    scratch.all_right[:] = 0
    scratch.all_poor[:] = 0
    scratch.this_right[:] = 0
    scratch.this_poor[:] = 0
    now = float(scratch.worth[EQUITY, street, left, cards])
    face_down = g.bet_card[street, other] == FACE_DOWN
    for chips in range(1, min(MAX_BET, left - (int(g.streets) - 1 - street)) + 1):
        is_bet = chips == g.bet_chips[street, other]
        rest = left - chips
        plain = math.exp((points_to_come(scratch, EQUITY, street, rest, cards) - now) / NOISE)
        plus = 0.0
        bluff = 0.0
        if cards & HAS_PLUS:
            later = points_to_come(scratch, EQUITY, street, rest, cards & ~HAS_PLUS)
            plus = math.exp((later + plus_points(g, 0, 0.0) - now) / NOISE)
        if cards & HAS_BLUFF:
            later = points_to_come(scratch, EQUITY, street, rest, cards & ~HAS_BLUFF)
            bluff = math.exp((later - now) / NOISE)
        for step in range(STEPS + 1):
            odds = float(ODDS[step])
            for_one = odds
            for _ in range(1, chips):
                for_one *= odds
            without = plain * for_one
            with_plus = plus * for_one * odds * (odds if g.expert else 1.0)
            with_bluff = bluff * for_one
            scratch.all_right[step] += without + with_plus
            scratch.all_poor[step] += with_bluff
            if is_bet:
                if face_down:
                    scratch.this_right[step] += with_plus
                    scratch.this_poor[step] += with_bluff
                else:
                    scratch.this_right[step] += without


@rule
def judge(g: State, scratch: State, named: int) -> float:
    """Fill in ``factor``, the likelihood of a bet on a player of some role.

    Returns how much likelier +1 lies under the bet than Bluff: above 0, or below.
    """
    leaning = 0.0
    for theirs in range(int(scratch.kinds)):
        if scratch.open[theirs] > 0:
            for own in range(int(scratch.kinds)):
                total = 0.0
                for role in range(int(g.players)):
                    total += float(scratch.all_right[step_of(float(scratch.right[role, theirs, own]))])
                    total += float(scratch.all_poor[step_of(float(scratch.poor[role, theirs, own]))])
                is_right = float(scratch.this_right[step_of(float(scratch.right[named, theirs, own]))])
                is_poor = float(scratch.this_poor[step_of(float(scratch.poor[named, theirs, own]))])
                scratch.factor[theirs, own] = FLOOR + (1.0 - FLOOR) * (is_right + is_poor) / total
                if scratch.open[own] > 0:
                    leaning += (is_right - is_poor) / total
    return leaning


@rule
def step_of(chance: float) -> int:
    """A chance in steps."""
    return int(chance * STEPS + 0.5)


# ---- weighing


@rule
def weigh(g: State, scratch: State) -> None:
    """Fill in ``best`` and ``weakest`` from samples of unseen cards, as likely as the bets tell.

    Where no card is drawn twice, these are exact draws. Should all have one twice, the bets are left out.
    """
    seat = int(g.actor)
    players = int(g.players)
    add_up(g, scratch)
    clear_chances(scratch)
    taken = 0
    for _ in range(TRIES * int(scratch.samples)):
        own = draw(scratch, scratch.exposed)
        drawn = 1 << own
        scratch.places[seat] = own
        for other in range(players):
            if other != seat:
                place = draw(scratch, scratch.likely[other, own])
                drawn |= 1 << place
                scratch.places[other] = place
        if count(drawn) == players:
            count_sample(g, scratch, 0)
            taken += 1
            if taken == scratch.samples:
                break
    if taken == 0:
        list_unseen(g, scratch)
        estimate(g, scratch)
    else:
        take_share(scratch, taken)


@rule
def add_up(g: State, scratch: State) -> None:
    """Sum ``likely`` up over the private cards, then ``exposed`` over the actor's exposed card."""
    seat = int(g.actor)
    size = int(scratch.n_unseen)
    so_far = 0.0
    for own in range(size):
        together = 1.0
        for other in range(int(g.players)):
            if other != seat:
                total = 0.0
                for theirs in range(size):
                    total += float(scratch.likely[other, own, theirs])
                    scratch.likely[other, own, theirs] = total
                together *= total
        so_far += together
        scratch.exposed[own] = so_far


@rule
def draw(scratch: State, up_to: npt.NDArray[np.float64]) -> int:
    """A random place, drawn by weights that are summed up for all places."""
    size = int(scratch.n_unseen)
    mark = random_word(scratch) / 2**32 * float(up_to[size - 1])
    low = 0
    high = size - 1
    while low < high:
        middle = (low + high) // 2
        if float(up_to[middle]) > mark:
            high = middle
        else:
            low = middle + 1
    return low
