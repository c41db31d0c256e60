"""The compiled rules of Detective Poker: the record of a game, the deal, the legal moves and what they do.

Every function takes the record ``g`` of one game; cards are numbers 0 … 51, sets of cards 52-bit masks, seats
0 … players − 1, streets 0 (preflop) … 3 (river). Numbers in brackets are paragraphs of RULES.md.
"""

import numpy as np
import numpy.typing as npt

from card_table import rng
from card_table.cards import N_CARDS, NO_CARD, rank_of
from card_table.compile import ILLEGAL, OK, OVER, State, rule
from card_table.hands import best_hand
from card_table.rng import random_below, seed_stream, shuffle_end

MAX_SEATS = 4
STREETS = 4
BOARD = 5
MAX_BET = 3  # chips
# On each street but the first, whose number is one more, at most: all cards of up to four ranks but one.
THROWN = 12

STATE = np.dtype(
    (
        np.record,
        [
            rng.FIELD,
            ("seed", "i8"),
            ("game", "i8"),  # number of the game under the seed
            ("deals", "i8"),  # hands dealt so far under the seed
            ("private_strength", "i4", (STREETS, MAX_SEATS)),  # of private card and board, streets so far
            ("exposed_strength", "i4", (STREETS, MAX_SEATS)),  # of exposed card and board, streets so far
            ("points", "i4", (MAX_SEATS,)),  # of the game's finished hands
            ("hand", "i4"),  # in this game, from 0
            ("hands", "i4"),
            ("bet_board", "i1", (STREETS, MAX_SEATS)),  # the seat named by each seat's bet, -1 before it
            ("bet_chips", "i1", (STREETS, MAX_SEATS)),
            ("bet_card", "i1", (STREETS, MAX_SEATS)),  # the action card under it, NONE or a kind
            ("bet_points", "i1", (STREETS, MAX_SEATS)),  # of the last hand that was scored
            ("hand_points", "i1", (MAX_SEATS,)),  # of this hand once it is scored
            ("private", "i1", (MAX_SEATS,)),
            ("exposed", "i1", (MAX_SEATS,)),
            ("chips_left", "i1", (MAX_SEATS,)),
            ("cards", "i1", (MAX_SEATS,)),  # action cards in hand: bit k for kind k
            ("n_cards", "i1", (MAX_SEATS,)),  # how many these are
            ("board", "i1", (BOARD,)),  # all of it, from the deal on
            ("burnt", "i1", (STREETS - 1,)),
            ("thrown", "i1", (STREETS - 1, THROWN)),  # by street after the first, in order, then NO_CARD
            ("deck", "i1", (N_CARDS,)),  # what is left of it, the next card last
            ("deck_size", "i1"),
            ("players", "i1"),
            ("seats", "i1"),  # that the spaces are laid out for
            ("ranks", "i1"),
            ("streets", "i1"),
            ("chips", "i1"),
            ("actions", "i1"),  # the action cards that a player has: bit k for kind k
            ("expert", "i1"),
            ("win_reward", "i1"),
            ("hand_values", "i1"),
            ("dealer", "i1"),
            ("street", "i1"),
            ("actor", "i1"),  # whose bet it is, -1 when the hand is over
            ("scored", "i1"),  # whether the hand is over and all turned up
            ("viewer", "i1"),  # the seat whose view this is, -1: the whole truth
            (
                "lone",
                "i1",
            ),  # whether this hand is played again out of a longer game, whose points are unknown
        ],
    )
)

# What lies under a bet: no card, an action card's kind or, in a view, a card whose kind is unknown.
NONE, PLUS_ONE, CLOCKWISE, BLUFF, BLANK, FACE_DOWN = range(6)
# Actions: by board, counted from the actor's own, then by chips, then by what lies under them.
KINDS = 5
BETS = MAX_BET * KINDS  # on one board


# ---- seats and streets


@rule
def seat_ahead(g: State, seat: int, ahead: int) -> int:
    """The seat so many places, fewer than the players, clockwise."""
    seat += ahead
    return seat - int(g.players) if seat >= g.players else seat


@rule
def places_ahead(g: State, seat: int, other: int) -> int:
    """How many places clockwise of a seat another sits, 0 for itself."""
    ahead = other - seat
    return ahead + int(g.players) if ahead < 0 else ahead


@rule
def first_bettor(g: State, street: int) -> int:
    """Who bets first on a street [3.6]."""
    return (int(g.dealer) + 1 + street) % int(g.players)


@rule
def board_size(street: int) -> int:
    """The cards that lie on the board on a street: 0, 3, 4 or 5."""
    return street + 2 if street > 0 else 0


@rule
def board_on(g: State, street: int) -> int:
    """The board as it was on a street, as a set."""
    cards = 0
    for place in range(board_size(street)):
        cards |= 1 << int(g.board[place])
    return cards


# ---- actions


@rule
def action_count(g: State) -> int:
    """The number of actions."""
    return int(g.seats) * BETS


@rule
def board_of(g: State, action: int) -> int:
    """The seat that an action names, -1 where nobody sits."""
    ahead = action // BETS
    return seat_ahead(g, int(g.actor), ahead) if ahead < g.players else -1


@rule
def chips_of(action: int) -> int:
    """The chips that an action bets."""
    return action % BETS // KINDS + 1


@rule
def card_of(action: int) -> int:
    """The action card under an action's bet, NONE or a kind."""
    return action % KINDS


# ---- what is allowed


@rule
def most_chips(g: State, seat: int) -> int:
    """The most chips that a player may bet now: one stays for each street to come [4.3, 4.4]."""
    return min(MAX_BET, int(g.chips_left[seat]) - (int(g.streets) - 1 - int(g.street)))


@rule
def can_put(g: State, seat: int, card: int) -> bool:
    """Whether a player may put a card, NONE or a kind, under a bet [4.6, 4.7]."""
    return bool(((int(g.cards[seat]) | 1) >> card) & 1)  # no card is always at hand


@rule
def is_legal(g: State, action: int) -> bool:
    """Whether the actor may take an action now; any whole number may be asked."""
    seat = int(g.actor)
    if seat < 0 or action < 0 or action >= action_count(g) or board_of(g, action) < 0:
        return False
    return chips_of(action) <= most_chips(g, seat) and can_put(g, seat, card_of(action))


@rule
def legal_actions(g: State, mask: npt.NDArray[np.bool_]) -> None:
    """Write which actions the actor may take into ``mask``, bool (A,); all False when the hand is over."""
    seat = int(g.actor)
    if seat < 0:
        mask[:] = False
        return
    # The actions as bits, first those on one board, then the same on each; one loop over bits is fast.
    cards = int(g.cards[seat]) | 1
    on_board = cards
    for _ in range(1, most_chips(g, seat)):
        on_board = on_board << KINDS | cards
    actions = 0
    for _ in range(int(g.players)):
        actions = actions << BETS | on_board
    for action in range(len(mask)):
        mask[action] = (actions >> action) & 1


# ---- dealing


@rule
def new_match(g: State) -> None:
    """Set up a game [2] before its first deal: no points, no dealer, nothing prescribed."""
    g.hand = 0
    g.dealer = -1
    for seat in range(MAX_SEATS):
        g.points[seat] = 0
    clear_prescribed(g)


@rule
def next_hand(g: State) -> None:
    """Move the deal on to the next hand of a game [2.3], before it is dealt."""
    g.hand += 1
    g.dealer = seat_ahead(g, int(g.dealer), 1)
    clear_prescribed(g)


@rule
def clear_prescribed(g: State) -> None:
    """Leave the whole deal to the seed."""
    for seat in range(MAX_SEATS):
        g.private[seat] = NO_CARD
        g.exposed[seat] = NO_CARD
    for place in range(BOARD):
        g.board[place] = NO_CARD
    for street in range(STREETS - 1):
        g.burnt[street] = NO_CARD
        for place in range(THROWN):
            g.thrown[street, place] = NO_CARD


@rule
def deal(g: State, reserved: int) -> int:
    """Deal a hand [3], the board included; ``reserved`` cards stay in the deck.

    Cards in ``private``, ``exposed``, ``board`` and ``thrown`` are given; a street whose board cards are all
    given throws out those in ``thrown`` alone [10.5]. Returns OK.
    """
    seed_stream(g, int(g.seed), int(g.game), int(g.deals))
    if g.deals == 0:
        for street in range(STREETS):
            for seat in range(MAX_SEATS):
                g.bet_points[street, seat] = 0
    g.deals += 1
    drawn = random_below(g, int(g.players))  # drawn even if given: the rest of the deal stays
    if g.dealer < 0:
        g.dealer = drawn
    _clear_table(g)
    shuffle_in(g, all_cards(g) & ~(dealt_cards(g) | reserved))
    for seat in range(int(g.players)):
        if g.private[seat] == NO_CARD:
            g.private[seat] = draw(g)
        if g.exposed[seat] == NO_CARD:
            g.exposed[seat] = draw(g)
    deal_board(g)
    if reserved:
        _put_in_deck(g, reserved)
    begin_street(g, 0)
    return OK


@rule
def _clear_table(g: State) -> None:
    g.scored = 0
    g.viewer = -1
    for street in range(STREETS):
        for seat in range(MAX_SEATS):
            g.private_strength[street, seat] = 0
            g.exposed_strength[street, seat] = 0
            g.bet_board[street, seat] = -1
            g.bet_chips[street, seat] = 0
            g.bet_card[street, seat] = NONE
    n_cards = 0
    for kind in range(1, KINDS):
        n_cards += (int(g.actions) >> kind) & 1
    for seat in range(MAX_SEATS):
        plays = seat < g.players
        g.hand_points[seat] = 0
        g.chips_left[seat] = g.chips if plays else 0
        g.cards[seat] = g.actions if plays else 0
        g.n_cards[seat] = n_cards if plays else 0


@rule
def all_cards(g: State) -> int:
    """The cards that are played with."""
    return (0x1FFF & ~((1 << (13 - int(g.ranks))) - 1)) * 0x8004002001


@rule
def dealt_cards(g: State) -> int:
    """The cards that lie anywhere but in the deck, as a set."""
    cards = 0
    for seat in range(int(g.players)):
        cards |= _bit(int(g.private[seat])) | _bit(int(g.exposed[seat]))
    for place in range(BOARD):
        cards |= _bit(int(g.board[place]))
    for street in range(STREETS - 1):
        cards |= _bit(int(g.burnt[street]))
    return cards | thrown_by(g, STREETS - 1)


@rule
def thrown_by(g: State, street: int) -> int:
    """The cards thrown out up to a street and on it, as a set."""
    cards = 0
    if g.expert:
        for earlier in range(street):
            place = 0
            while place < THROWN and g.thrown[earlier, place] != NO_CARD:
                cards |= 1 << int(g.thrown[earlier, place])
                place += 1
    return cards


@rule
def _bit(card: int) -> int:
    return 1 << card if card != NO_CARD else 0


@rule
def shuffle_in(g: State, cards: int) -> None:
    """Make these cards the deck, shuffled as far down as a hand can go."""
    g.deck_size = 0
    _put_in_deck(g, cards)
    size = int(g.deck_size)
    for place in range(size, N_CARDS):
        g.deck[place] = NO_CARD
    most = 2 * int(g.players) + BOARD + STREETS - 1
    if g.expert:
        most += THROWN
    shuffle_end(g, g.deck, size, min(size, most))


@rule
def _put_in_deck(g: State, cards: int) -> None:
    size = int(g.deck_size)
    for card in range(N_CARDS):
        if (cards >> card) & 1:
            g.deck[size] = card
            size += 1
    g.deck_size = size


@rule
def draw(g: State) -> int:
    """Take the last card off the deck."""
    g.deck_size -= 1
    card = int(g.deck[g.deck_size])
    g.deck[g.deck_size] = NO_CARD
    return card


@rule
def deal_board(g: State) -> None:
    """Burn a card and deal what is missing of the board, street by street [3.4].

    In expert mode a card whose rank lies on the board already is thrown out and replaced [7.2]. That
    ends: the deck is large enough for a card of a new rank to be left [12.5].
    """
    ranks = 0
    for street in range(1, int(g.streets)):
        g.burnt[street - 1] = draw(g)
        for place in range(board_size(street - 1), board_size(street)):
            if g.board[place] == NO_CARD:
                card = draw(g)
                while g.expert != 0 and (ranks >> rank_of(card)) & 1 == 1:
                    _throw_out(g, street, card)
                    card = draw(g)
                g.board[place] = card
            ranks |= 1 << rank_of(int(g.board[place]))


@rule
def _throw_out(g: State, street: int, card: int) -> None:
    place = 0
    while g.thrown[street - 1, place] != NO_CARD:
        place += 1
    g.thrown[street - 1, place] = card


@rule
def begin_street(g: State, street: int) -> None:
    """Let the betting of a street begin, its board cards face up."""
    g.street = street
    g.actor = first_bettor(g, street)
    if g.hand_values:
        board = board_on(g, street)
        for seat in range(int(g.players)):
            g.private_strength[street, seat] = best_hand(board | 1 << int(g.private[seat]))
            g.exposed_strength[street, seat] = best_hand(board | 1 << int(g.exposed[seat]))


# ---- moves


@rule
def apply(g: State, action: int) -> int:
    """Take an action of the actor.

    Returns OK, OVER if it ends the hand, or ILLEGAL, which leaves the record as it was.
    """
    if not is_legal(g, action):
        return ILLEGAL
    return take(g, action)


@rule
def take(g: State, action: int) -> int:
    """Take an action that is known to be legal; returns OK or OVER."""
    seat = int(g.actor)
    street = int(g.street)
    chips = chips_of(action)
    card = card_of(action)
    g.bet_board[street, seat] = board_of(g, action)
    g.bet_chips[street, seat] = chips
    g.chips_left[seat] -= chips
    if card != NONE:
        g.bet_card[street, seat] = card
        g.cards[seat] &= ~(1 << card)
        g.n_cards[seat] -= 1
    g.actor = seat_ahead(g, seat, 1)
    if g.actor != first_bettor(g, street):
        return OK
    if street + 1 < g.streets:
        begin_street(g, street + 1)
        return OK
    score(g)
    return OVER


# ---- scoring


@rule
def score(g: State) -> None:
    """Turn all up and give each bet its points [5.10, 8.6]."""
    for seat in range(int(g.players)):
        g.hand_points[seat] = 0
    for street in range(int(g.streets)):
        best, weakest = extremes(g, street)
        for seat in range(int(g.players)):
            points = bet_value(g, seat, street, best, weakest)
            g.bet_points[street, seat] = points
            g.hand_points[seat] += points
    for seat in range(int(g.players)):
        g.points[seat] += g.hand_points[seat]
    g.scored = 1
    g.actor = -1


@rule
def hand_with(g: State, seat: int, board: int) -> int:
    """The strength of a player's own two cards with a board, a set of cards [5.1]."""
    return best_hand(board | 1 << int(g.private[seat]) | 1 << int(g.exposed[seat]))


@rule
def extremes(g: State, street: int) -> tuple[int, int]:
    """Who has or shares the best hand on a street, and who the weakest, as sets of seats [5.2, 5.3]."""
    board = board_on(g, street)
    best = weakest = 1
    most = least = hand_with(g, 0, board)
    for seat in range(1, int(g.players)):
        strength = hand_with(g, seat, board)
        if strength > most:
            most = strength
            best = 0
        if strength < least:
            least = strength
            weakest = 0
        if strength == most:
            best |= 1 << seat
        if strength == least:
            weakest |= 1 << seat
    return best, weakest


@rule
def is_right(g: State, board: int, card: int, best: int, weakest: int) -> bool:
    """Whether a bet is right [5.4].

    Args:
        g: the game.
        board: the seat that is named.
        card: what lies under the bet.
        best: who has the best hand on the bet's street, see ``extremes``.
        weakest: who has the weakest.
    """
    if card == BLUFF:
        return (weakest >> board) & 1 == 1
    if card == CLOCKWISE:
        board = seat_ahead(g, board, 1)
    return (best >> board) & 1 == 1


@rule
def bet_value(g: State, seat: int, street: int, best: int, weakest: int) -> int:
    """The points that a bet on a street brings, given who has the best and the weakest hand [5, 7.1]."""
    card = int(g.bet_card[street, seat])
    if is_right(g, int(g.bet_board[street, seat]), card, best, weakest):
        return int(g.bet_chips[street, seat]) + (1 if card == PLUS_ONE else 0)
    return -1 if g.expert != 0 and card == PLUS_ONE else 0


# ---- the end


@rule
def is_match_over(g: State) -> bool:
    """Whether a finished hand was the last one."""
    return bool(g.hand + 1 >= g.hands)


@rule
def winners(g: State) -> int:
    """Who wins a finished game or shares the win, as a set of seats: by points, then by action cards [9]."""
    most = -(2**40)
    leaders = 0
    for seat in range(int(g.players)):
        merit = int(g.points[seat]) * (KINDS + 1) + int(g.n_cards[seat])
        if merit > most:
            most = merit
            leaders = 0
        if merit == most:
            leaders |= 1 << seat
    return leaders


@rule
def rewards(g: State, out: npt.NDArray[np.float32]) -> None:
    """Write each player's reward for the finished hand into ``out``, float32 (N,); they sum to zero.

    In form ``margin`` it is the player's points less the mean of the others'; in form ``win`` it is the share
    of the win less 1 / N after the last hand, and 0 after the others [9.4, 9.5].
    """
    players = int(g.players)
    if g.win_reward == 0:
        total = 0
        for seat in range(players):
            total += int(g.hand_points[seat])
        for seat in range(players):
            out[seat] = (players * int(g.hand_points[seat]) - total) / (players - 1)
        return
    out[:] = 0
    if is_match_over(g):
        leaders = winners(g)
        shared_by = 0
        for seat in range(players):
            shared_by += (leaders >> seat) & 1
        for seat in range(players):
            out[seat] = ((leaders >> seat) & 1) / shared_by - 1 / players
