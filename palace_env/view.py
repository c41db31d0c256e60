"""The one door for hidden information: what a seat may know of a game, and a view filled in at random.

A view is a record of the game's own dtype with everything hidden taken out. Paragraph 7 of RULES.md tells who
learns what.
"""

from card_table.cards import N_CARDS, NO_CARD, count
from card_table.compile import State, rule
from card_table.rng import random_below, seed_stream
from palace_env.rules import MAX_PALACE, MAX_SEATS, all_cards, renew_strengths


@rule
def hide(g: State, viewer: int) -> None:
    """Turn a copy of a game's record into the view of one seat, in place."""
    g.pile = known_pile(g, viewer)
    for seat in range(MAX_SEATS):
        if not sees_palace(g, viewer, seat):
            g.palace[seat] = 0
            for place in range(MAX_PALACE):
                g.dealt[seat, place] = NO_CARD
        if seat != viewer:
            g.private_pile[seat] = 0
            g.private_deck[seat] = 0
            g.strength[seat] = 0
            for suit in range(4):
                g.strength_without[seat, suit] = 0
    for place in range(N_CARDS):
        g.deck[place] = NO_CARD
    for word in range(4):
        g.rng[word] = 0
    g.seed = 0
    g.game = 0
    g.deals = 0
    g.next_draw = NO_CARD
    g.viewer = viewer


@rule
def sees_palace(g: State, viewer: int, seat: int) -> bool:
    """Whether a seat may know the palace of a seat: its own, and those it has been shown."""
    return seat == viewer or (int(g.seen[viewer]) >> seat) & 1 == 1


@rule
def known_palace(g: State, viewer: int, seat: int) -> int:
    """The palace of a player in the hand as far as a seat may know it."""
    return int(g.palace[seat]) if sees_palace(g, viewer, seat) else 0


@rule
def known_pile(g: State, viewer: int) -> int:
    """The cards that a seat knows to be in the discard pile."""
    return int(g.public_pile) | int(g.private_pile[viewer])


@rule
def known_deck(g: State, viewer: int) -> int:
    """The cards that a seat knows to be in the draw deck."""
    return int(g.public_deck) | int(g.private_deck[viewer])


@rule
def unknown_cards(g: State, viewer: int) -> int:
    """The cards that a seat cannot place: in an unseen palace, or unknown in draw deck or discard pile."""
    known = known_pile(g, viewer) | known_deck(g, viewer)
    for seat in range(int(g.players)):
        known |= int(g.soldiers[seat]) | known_palace(g, viewer, seat)
        if g.banner[seat] != NO_CARD:
            known |= 1 << int(g.banner[seat])
    return all_cards(g) & ~known


@rule
def fill_in(g: State, seed: int, number: int) -> None:
    """Complete a view at random, in place, into a whole game that its seat could be in.

    Every card that the seat cannot place is equally likely to be in each place that could hold it; what is to
    be drawn follows from the same stream. The others are given the knowledge that everybody has. Palaces that
    have left the hand unseen stay blank in ``dealt``.

    Args:
        g: a view, see ``hide``.
        seed: 0 … 2**63 − 1, with ``number`` it makes the stream.
        number: 0 … 2**63 − 1, which completion of this view it is.
    """
    viewer = int(g.viewer)
    unknown = unknown_cards(g, viewer)
    known_in_deck = known_deck(g, viewer)
    seed_stream(g, seed, number, 0)
    size = 0
    for card in range(N_CARDS):
        if (unknown >> card) & 1:
            g.deck[size] = card
            size += 1
    for seat in range(int(g.players)):
        if g.in_hand[seat] == 0 or seat == viewer:
            continue
        if g.palace[seat] == 0:
            for place in range(int(g.palace_cards)):
                size -= 1
                card = _take(g, size)
                g.palace[seat] |= 1 << card
                g.dealt[seat, place] = card
        renew_strengths(g, seat)
    for _ in range(int(g.pile_size) - count(int(g.pile))):
        size -= 1
        g.pile |= 1 << _take(g, size)
    for card in range(N_CARDS):
        if (known_in_deck >> card) & 1:
            g.deck[size] = card
            size += 1
    for place in range(size, N_CARDS):
        g.deck[place] = NO_CARD
    g.viewer = -1


@rule
def _take(g: State, last: int) -> int:
    """Take a random card of the places up to ``last``, and close the gap."""
    place = random_below(g, last + 1)
    card = int(g.deck[place])
    g.deck[place] = g.deck[last]
    return card
