"""A scripted agent of Detective Poker that bets by the chances of all players, found in samples."""

import numpy as np
import numpy.typing as npt

from agents import detective_plan
from agents.detective_plan import EQUITY, best_bet, plan
from agents.detective_simple import seen_card
from card_table import rng
from card_table.cards import N_CARDS, lowest
from card_table.compile import State, rule
from card_table.hands import best_hand
from card_table.rng import shuffle_end
from detective_env.rules import MAX_SEATS, all_cards, board_on, dealt_cards

# What a decision may write on. Its generator must not lie where that of a game's record lies: Numba would
# take the one record for a kind of the other.
FIELDS = [
    ("samples", "i8"),
    rng.FIELD,
    *detective_plan.FIELDS,
    ("best", "f8", (MAX_SEATS,)),  # the chance to have or share the best hand of the street
    ("weakest", "f8", (MAX_SEATS,)),  # and the weakest
    ("strength", "i4", (MAX_SEATS, N_CARDS)),  # of each seat, by the place of the card that is not seen
    ("unseen", "i1", (N_CARDS,)),  # the cards that the actor cannot place, lowest first
    ("places", "i1", (N_CARDS,)),  # of these, shuffled as samples are drawn
    ("n_unseen", "i1"),
]


@rule
def equity_move(g: State, mask: npt.NDArray[np.bool_], scratch: State) -> int:
    """Makes the bet that is worth most if every card that it cannot see is as likely as the others."""
    plan(g, scratch)
    list_unseen(g, scratch)
    estimate(g, scratch)
    return best_bet(g, scratch, EQUITY)


@rule
def list_unseen(g: State, scratch: State) -> None:
    """List the cards that the actor cannot place, and what hand each of them would make for each player."""
    rest = all_cards(g) & ~dealt_cards(g)
    size = 0
    while rest:
        scratch.unseen[size] = lowest(rest)
        scratch.places[size] = size
        rest &= rest - 1
        size += 1
    scratch.n_unseen = size
    board = board_on(g, int(g.street))
    for seat in range(int(g.players)):
        seen = board | 1 << seen_card(g, seat)
        for place in range(size):
            scratch.strength[seat, place] = best_hand(seen | 1 << int(scratch.unseen[place]))


@rule
def estimate(g: State, scratch: State) -> None:
    """Fill in ``best`` and ``weakest`` from samples of the cards that the actor does not see."""
    size = int(scratch.n_unseen)
    clear_chances(scratch)
    for _ in range(int(scratch.samples)):
        shuffle_end(scratch, scratch.places, size, int(g.players))
        count_sample(g, scratch, size - int(g.players))
    take_share(scratch, int(scratch.samples))


@rule
def clear_chances(scratch: State) -> None:
    """Begin to count samples."""
    scratch.best[:] = 0
    scratch.weakest[:] = 0


@rule
def count_sample(g: State, scratch: State, first: int) -> None:
    """Count who is best and weakest, the unseen card of seat s being the one of ``places[first + s]``."""
    most = least = int(scratch.strength[0, int(scratch.places[first])])
    for seat in range(1, int(g.players)):
        strength = int(scratch.strength[seat, int(scratch.places[first + seat])])
        most = max(most, strength)
        least = min(least, strength)
    for seat in range(int(g.players)):
        strength = int(scratch.strength[seat, int(scratch.places[first + seat])])
        if strength == most:
            scratch.best[seat] += 1
        if strength == least:
            scratch.weakest[seat] += 1


@rule
def take_share(scratch: State, samples: int) -> None:
    """Turn counts of samples into chances."""
    for seat in range(MAX_SEATS):
        scratch.best[seat] /= samples
        scratch.weakest[seat] /= samples
