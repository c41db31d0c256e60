"""A scripted agent of Detective Poker that reads the others' bets, as if they were those of ``equity``.

What the actor cannot see is its own exposed card and the others' private ones. Each of the others sees the
first and one of the second, so that its bets tell how likely these two are together; given the actor's exposed
card they tell nothing of a third player's. For each other player a table holds that likelihood, by both cards.

To know what ``equity`` would bet in a player's place its chances are found without samples: on one street
cards of a rank are alike, unless a flush can be made of their suit, so that there are only a few kinds of
cards, and two cards of these kinds make hands that fall into a few levels of strength. The cards that a player
does not see are held to be independent of each other.
"""

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
    plan,
    plus_points,
)
from card_table.cards import N_CARDS, NO_CARD, count, lowest, suit_cards
from card_table.compile import State, rule
from card_table.hands import best_hand
from card_table.rng import random_word
from detective_env.rules import (
    BLUFF,
    FACE_DOWN,
    MAX_BET,
    MAX_SEATS,
    PLUS_ONE,
    all_cards,
    board_on,
    seat_ahead,
    thrown_by,
)

# What it goes by, found by playing variants against `equity`.
NOISE = 0.12  # bets are held to be made in proportion to exp(points / NOISE) ...
FLOOR = 0.01  # ... or, this often, for reasons unknown
LEVELS = 32  # of strength
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
            ("kind_of", "i1", (N_CARDS,)),
            ("held", "i1", (KINDS,)),  # how many there are, as far as all players know
            ("open", "i1", (KINDS,)),  # how many the player whose bet is read cannot place
            ("made", "i4", (KINDS * (KINDS + 1) // 2,)),  # the strengths of two cards, sorted
            ("level", "i1", (KINDS, KINDS)),  # of the strength of two cards, -1 if there are no two
            ("equal", "f8", (LEVELS, KINDS)),  # the chance of a hand of that level, one card being known
            ("below", "f8", (LEVELS, KINDS)),  # and of a weaker one, equal ones counting half
            # By seat counted from the player whose bet is read, and by the kinds of its private card and of
            # the actor's exposed one: the chances that this player sees.
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
    cards = 0
    if (int(g.actions) >> PLUS_ONE) & 1:
        cards |= HAS_PLUS
    if (int(g.actions) >> BLUFF) & 1:
        cards |= HAS_BLUFF
    for other in range(int(g.players)):
        scratch.kept[other] = cards
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
    cards = all_cards(g) & ~board & ~thrown_by(g, street)
    scratch.held[:] = 0
    scratch.level[:] = -1
    for card in range(N_CARDS):
        kind = card % 13 + (13 if card // 13 == flush else 0)
        scratch.kind_of[card] = kind
        if (cards >> card) & 1:
            scratch.held[kind] += 1
    size = 0
    for one in range(KINDS):
        for two in range(one + 1):
            pair = two_cards(scratch, cards, flush, one, two)
            if pair:
                scratch.made[size] = best_hand(board | pair)
                size += 1
    made = scratch.made[:size]
    made.sort()
    for one in range(KINDS):
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
    named = int(g.bet_board[street, other]) - other
    if named < 0:
        named += int(g.players)
    judge(g, scratch, named)
    if g.bet_card[street, other] == FACE_DOWN:
        guess_card(g, scratch, other, named)
    size = int(scratch.n_unseen)
    for own in range(size):
        own_kind = int(scratch.kind_of[scratch.unseen[own]])
        for theirs in range(size):
            their_kind = int(scratch.kind_of[scratch.unseen[theirs]])
            scratch.likely[other, own, theirs] *= scratch.factor[their_kind, own_kind]


@rule
def see_as(g: State, scratch: State, other: int) -> None:
    """Count by kind the cards that a player cannot place, its private card and the actor's exposed one too."""
    for kind in range(KINDS):
        scratch.open[kind] = scratch.held[kind]
    for third in range(int(g.players)):
        if third != other and g.exposed[third] != NO_CARD:
            scratch.open[scratch.kind_of[g.exposed[third]]] -= 1


@rule
def spread_levels(g: State, scratch: State) -> None:
    """Fill in ``equal`` and ``below``."""
    scratch.equal[:] = 0
    for known in range(KINDS):
        total = 0
        if scratch.held[known]:
            for hidden in range(KINDS):
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
    players = int(g.players)
    actor = int(g.actor) - other
    if actor < 0:
        actor += players
    # The kinds of the exposed cards that both the player and the actor see, and where they sit.
    first = -1
    second = -1
    first_kind = 0
    second_kind = 0
    for ahead in range(1, players):
        if ahead != actor:
            kind = int(scratch.kind_of[g.exposed[seat_ahead(g, other, ahead)]])
            if first < 0:
                first = ahead
                first_kind = kind
            else:
                second = ahead
                second_kind = kind
    for theirs in range(KINDS):
        if scratch.open[theirs] > 0:
            for level in range(LEVELS):
                he = float(scratch.equal[level, theirs])
                be = float(scratch.below[level, theirs])
                ae = 1.0 - be
                hf = float(scratch.equal[level, first_kind])
                bf = float(scratch.below[level, first_kind])
                af = 1.0 - bf
                hs = 0.0
                bs = 1.0
                as_ = 1.0
                if second >= 0:
                    hs = float(scratch.equal[level, second_kind])
                    bs = float(scratch.below[level, second_kind])
                    as_ = 1.0 - bs
                own_b = he * bf * bs
                own_a = he * af * as_
                fir_b = hf * be * bs
                fir_a = hf * ae * as_
                sec_b = hs * be * bf
                sec_a = hs * ae * af
                act_b = be * bf * bs
                act_a = ae * af * as_
                for own in range(KINDS):
                    equal = scratch.equal[level, own]
                    below = scratch.below[level, own]
                    scratch.right[0, theirs, own] += own_b * below
                    scratch.poor[0, theirs, own] += own_a * (1.0 - below)
                    scratch.right[actor, theirs, own] += act_b * equal
                    scratch.poor[actor, theirs, own] += act_a * equal
                    scratch.right[first, theirs, own] += fir_b * below
                    scratch.poor[first, theirs, own] += fir_a * (1.0 - below)
                    if second >= 0:
                        scratch.right[second, theirs, own] += sec_b * below
                        scratch.poor[second, theirs, own] += sec_a * (1.0 - below)


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
        plain = np.exp((float(scratch.worth[EQUITY, street + 1, rest, cards]) - now) / NOISE)
        plus = 0.0
        bluff = 0.0
        if cards & HAS_PLUS:
            later = float(scratch.worth[EQUITY, street + 1, rest, cards & ~HAS_PLUS])
            plus = np.exp((later + plus_points(g, 0, 0.0) - now) / NOISE)
        if cards & HAS_BLUFF:
            later = float(scratch.worth[EQUITY, street + 1, rest, cards & ~HAS_BLUFF])
            bluff = np.exp((later - now) / NOISE)
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
def judge(g: State, scratch: State, named: int) -> None:
    """Fill in ``factor``, the likelihood of a bet that named the player so many seats ahead."""
    for theirs in range(KINDS):
        if scratch.open[theirs] > 0:
            for own in range(KINDS):
                total = 0.0
                for ahead in range(int(g.players)):
                    total += scratch.all_right[int(scratch.right[ahead, theirs, own] * STEPS + 0.5)]
                    total += scratch.all_poor[int(scratch.poor[ahead, theirs, own] * STEPS + 0.5)]
                this = (
                    scratch.this_right[int(scratch.right[named, theirs, own] * STEPS + 0.5)]
                    + scratch.this_poor[int(scratch.poor[named, theirs, own] * STEPS + 0.5)]
                )
                scratch.factor[theirs, own] = FLOOR + (1.0 - FLOOR) * this / total


@rule
def guess_card(g: State, scratch: State, other: int, named: int) -> None:
    """Let ``kept`` count the card under a bet as that of +1 and Bluff which it more likely is."""
    plus = 0.0
    bluff = 0.0
    for theirs in range(KINDS):
        for own in range(KINDS):
            if scratch.open[theirs] > 0 and scratch.open[own] > 0:
                plus += float(scratch.this_right[int(scratch.right[named, theirs, own] * STEPS + 0.5)])
                bluff += float(scratch.this_poor[int(scratch.poor[named, theirs, own] * STEPS + 0.5)])
    scratch.kept[other] &= ~(HAS_PLUS if plus >= bluff else HAS_BLUFF)


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
