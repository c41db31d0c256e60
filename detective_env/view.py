"""The one door for hidden information: what a seat may know of a game, and a view filled in at random.

A view is a record of the game's own dtype with everything hidden taken out. Paragraph 8 of RULES.md tells who
learns what.
"""

from card_table.cards import N_CARDS, NO_CARD
from card_table.compile import State, rule
from card_table.hands import best_hand
from card_table.rng import random_below, seed_stream
from detective_env.rules import (
    BOARD,
    FACE_DOWN,
    KINDS,
    MAX_SEATS,
    NONE,
    STREETS,
    THROWN,
    all_cards,
    board_on,
    board_size,
    deal_board,
    dealt_cards,
    draw,
    shuffle_in,
)


@rule
def hide(g: State, viewer: int) -> None:
    """Turn a copy of a game's record into the view of one seat, in place."""
    for seat in range(MAX_SEATS):
        g.private[seat] = known_private(g, viewer, seat)
        g.exposed[seat] = known_exposed(g, viewer, seat)
        g.cards[seat] = known_cards(g, viewer, seat)
        for street in range(STREETS):
            g.bet_card[street, seat] = known_bet_card(g, viewer, seat, street)
            if not sees_private(g, viewer, seat):
                g.private_strength[street, seat] = 0
            if not sees_exposed(g, viewer, seat):
                g.exposed_strength[street, seat] = 0
    for place in range(board_size(int(g.street)), BOARD):
        g.board[place] = NO_CARD
    for street in range(STREETS - 1):
        g.burnt[street] = NO_CARD
        if street >= g.street:
            for place in range(THROWN):
                g.thrown[street, place] = NO_CARD
    for place in range(N_CARDS):
        g.deck[place] = NO_CARD
    g.deck_size = 0
    for word in range(4):
        g.rng[word] = 0
    g.seed = 0
    g.game = 0
    g.deals = 0
    g.viewer = viewer


@rule
def sees_private(g: State, viewer: int, seat: int) -> bool:
    """Whether a seat may know the private card of a seat: its own, and all once the hand is scored."""
    return bool(seat == viewer or g.scored != 0)


@rule
def sees_exposed(g: State, viewer: int, seat: int) -> bool:
    """Whether a seat may know the exposed card of a seat: the others', and all once the hand is scored."""
    return bool(seat != viewer or g.scored != 0)


@rule
def known_private(g: State, viewer: int, seat: int) -> int:
    """The private card of a seat as far as a seat may know it, else NO_CARD."""
    return int(g.private[seat]) if sees_private(g, viewer, seat) else NO_CARD


@rule
def known_exposed(g: State, viewer: int, seat: int) -> int:
    """The exposed card of a seat as far as a seat may know it, else NO_CARD."""
    return int(g.exposed[seat]) if sees_exposed(g, viewer, seat) else NO_CARD


@rule
def known_cards(g: State, viewer: int, seat: int) -> int:
    """The action cards in a seat's hand, bit k for kind k, as far as a seat may know them, else 0."""
    return int(g.cards[seat]) if sees_private(g, viewer, seat) else 0


@rule
def known_bet_card(g: State, viewer: int, seat: int, street: int) -> int:
    """What lies under a bet as far as a seat may know it, else FACE_DOWN."""
    card = int(g.bet_card[street, seat])
    return card if card == NONE or sees_private(g, viewer, seat) else FACE_DOWN


@rule
def fill_in(g: State, seed: int, number: int) -> None:
    """Complete a view at random, in place, into a whole game that its seat could be in.

    Every card that the seat cannot place is equally likely to be in each place that could hold it, and every
    action card that a player has to lie under each of that player's bets that hide one.

    Args:
        g: a view, see ``hide``.
        seed: 0 … 2**63 − 1, with ``number`` it makes the stream.
        number: 0 … 2**63 − 1, which completion of this view it is.
    """
    seed_stream(g, seed, number, 0)
    shuffle_in(g, all_cards(g) & ~dealt_cards(g))
    for seat in range(int(g.players)):
        if g.private[seat] == NO_CARD:
            g.private[seat] = draw(g)
            _strengthen(g, seat, True)
        if g.exposed[seat] == NO_CARD:
            g.exposed[seat] = draw(g)
            _strengthen(g, seat, False)
        if seat != g.viewer and g.scored == 0:
            _fill_in_bets(g, seat)
    deal_board(g)
    g.viewer = -1


@rule
def _strengthen(g: State, seat: int, private: bool) -> None:
    """Bring the strengths that observations show up to date with a card that was filled in."""
    if g.hand_values == 0:
        return
    for street in range(int(g.street) + 1):
        if private:
            g.private_strength[street, seat] = best_hand(board_on(g, street) | 1 << int(g.private[seat]))
        else:
            g.exposed_strength[street, seat] = best_hand(board_on(g, street) | 1 << int(g.exposed[seat]))


@rule
def _fill_in_bets(g: State, seat: int) -> None:
    g.cards[seat] = g.actions
    left = 0
    for kind in range(1, KINDS):
        left += (int(g.actions) >> kind) & 1
    for street in range(int(g.street) + 1):
        if g.bet_card[street, seat] == FACE_DOWN:
            skip = random_below(g, left)
            for kind in range(1, KINDS):
                if (int(g.cards[seat]) >> kind) & 1:
                    if skip == 0:
                        g.bet_card[street, seat] = kind
                    skip -= 1
            g.cards[seat] &= ~(1 << int(g.bet_card[street, seat]))
            left -= 1
