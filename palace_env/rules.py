"""The compiled rules of Palace Poker: the record of a game, the deal, the legal moves and what they do.

Every function takes the record ``g`` of one game; amounts are chips, cards are numbers 0 … 51, sets of cards
52-bit masks, seats 0 … players − 1. Numbers in brackets are paragraphs of RULES.md.
"""

import numpy as np
import numpy.typing as npt

from card_table import rng
from card_table.cards import N_CARDS, NO_CARD, count, lowest, suit_cards
from card_table.compile import ILLEGAL, OK, OVER, State, rule
from card_table.hands import best_hand, best_unsuited
from card_table.machine import copy_bytes, put_eight, put_flags
from card_table.rng import random_below, seed_stream, shuffle_end

MAX_SEATS = 10
MAX_PALACE = 3
MAX_SIZES = 8
LOG = 32  # moves kept in the record, the last ones; a power of two

# What all see of the latest moves and of each seat is kept in the record byte for byte as observations show
# it, since few moves change much of it. A move: its kind, one-hot, and then
MOVES = 12
MOVE_SEAT, MOVE_TARGET, MOVE_CHIPS, MOVE_RANK, MOVE_SUIT = range(8, 13)
MOVE_SIZE = 13
RECENT = MOVES * MOVE_SIZE
_OLDER = RECENT - MOVE_SIZE
# A seat: its soldiers by card, suit and rank of its banner, and then; the observation adds the button, whose
# turn it is and the battle.
BANNER_SUIT, BANNER_RANK = N_CARDS, N_CARDS + 4
IN_HAND, BUTTON, ON_TURN, BATTLE, HAS_STAYED, HAS_DISCARDED, STACK, PRICE, PAID = range(69, 78)
BUYS, DISCARDS, ATTACKS, CALLS, RAISED, WON = range(78, 84)
SEAT_SIZE = 84
_BANNER_SIZE = IN_HAND - BANNER_SUIT
_NO_BANNER = np.zeros(_BANNER_SIZE, np.int8)

_WHOLE_DECK = 2**N_CARDS - 1
_IN_ORDER = np.arange(N_CARDS, dtype=np.int8)

STATE = np.dtype(
    (
        np.record,
        [
            rng.FIELD,
            ("seed", "i8"),
            ("game", "i8"),  # number of the game under the seed
            ("deals", "i8"),  # hands dealt so far under the seed
            ("pile", "i8"),
            ("public_pile", "i8"),  # cards everybody knows to be in the discard pile
            ("public_deck", "i8"),  # cards everybody knows to be in the draw deck
            ("banners", "i8"),  # of those in the hand, as a set
            ("soldiers", "i8", (MAX_SEATS,)),
            ("palace", "i8", (MAX_SEATS,)),  # of those in the hand
            (
                "private_pile",
                "i8",
                (MAX_SEATS,),
            ),  # cards that this seat alone, or with others, knows to be there
            ("private_deck", "i8", (MAX_SEATS,)),
            ("log", "i8", (LOG,)),  # ring of moves, see log_move
            ("stacks", "i4", (MAX_SEATS,)),
            ("paid", "i4", (MAX_SEATS,)),  # put into the pot in this hand
            ("net", "i4", (MAX_SEATS,)),  # payoff of the finished hand
            ("score", "i4", (MAX_SEATS,)),  # sum of net over the finished hands of the match
            ("strength", "i4", (MAX_SEATS,)),  # of all own cards
            (
                "strength_without",
                "i4",
                (MAX_SEATS, 4),
            ),  # of one's cards without a suit that is not one's banner's
            ("shown_without", "i4", (MAX_SEATS, 4)),  # the same of soldiers and banner alone
            ("sizes", "i4", (MAX_SIZES,)),
            ("pot", "i4"),
            ("owed", "i4"),  # the extra or raise that the actor faces
            ("raises", "i4"),  # in this battle
            ("moves", "i4"),  # in this hand
            ("hand", "i4"),  # in this match, from 0
            ("hands", "i4"),
            ("stack", "i4"),
            ("small_bet", "i4"),
            ("big_bet", "i4"),
            ("ante", "i4"),
            ("bare_raise", "i4"),
            ("discard_fee", "i4"),
            ("max_raises", "i4"),  # -1: no cap
            ("seen", "i2", (MAX_SEATS,)),  # bit s: this seat has seen the palace of seat s
            ("banner", "i1", (MAX_SEATS,)),  # of those in the hand, else NO_CARD
            ("in_hand", "i1", (MAX_SEATS,)),
            ("passed", "i1", (MAX_SEATS,)),  # since the last buy or attack: 0, STAYED or DISCARDED
            ("recent", "i1", (RECENT,)),  # the last moves, latest first; seats count from 1
            ("dealt", "i1", (MAX_SEATS, MAX_PALACE)),  # palaces in the order dealt
            ("deck", "i1", (N_CARDS,)),  # the draw deck, in no order: draws are random
            ("deck_size", "i1"),
            ("pile_size", "i1"),
            ("next_draw", "i1"),  # a card prescribed for the next buy
            ("players", "i1"),
            ("seats", "i1"),  # that the spaces are laid out for
            ("ranks", "i1"),
            ("palace_cards", "i1"),
            ("max_soldiers", "i1"),
            ("n_sizes", "i1"),
            ("no_limit", "i1"),
            ("forced_duel", "i1"),
            ("hand_values", "i1"),
            ("button", "i1"),
            ("left", "i1"),  # players in the hand
            ("turn", "i1"),  # whose turn it is; in a battle the attacker
            ("actor", "i1"),  # whose move it is, -1 when the hand is over
            ("opponent", "i1"),  # in a battle the other side, else -1
            ("phase", "i1"),
            ("passing", "i1"),  # whether these discards are a Discard turn
            ("end", "i1"),
            ("viewer", "i1"),  # the seat whose view this is, -1: the whole truth
            (
                "lone",
                "i1",
            ),  # whether this hand is played again out of a longer match, whose results are unknown
            ("spare", "i1", (6,)),  # fills the record up to a multiple of eight bytes, always 0
            ("shown", "i1", (MAX_SEATS, SEAT_SIZE)),  # what all see of each seat
        ],
    )
)

# Phases: what the actor is asked.
TURN, DISCARDING, ANSWERING, FACING_RAISE, ENDED = range(5)
# What a player did since the last buy or attack.
STAYED, DISCARDED = 1, 2
# How a hand ended.
LAST_STANDING, SAME_BANNER, SHOWDOWN, BATTLE_TIE = 1, 2, 3, 4
# What a call came to, in the log.
CALLER_WON, CALLER_LOST, BOTH_OUT = 1, 2, 3

# Actions; then come raises by size, attacks by seat and size, discards by card.
STAY, FOLD, BUY, DONE, CALL, RAISE = range(6)
# Kinds of moves in the log.
LOG_STAY, LOG_FOLD, LOG_BUY, LOG_DONE, LOG_CALL, LOG_RAISE, LOG_ATTACK, LOG_DISCARD = range(1, 9)


# ---- seats


@rule
def seat_ahead(g: State, seat: int, ahead: int) -> int:
    """The seat so many places, fewer than the players, to the left."""
    seat += ahead
    return seat - int(g.players) if seat >= g.players else seat


@rule
def places_ahead(g: State, seat: int, other: int) -> int:
    """How many places to the left of a seat another sits, 0 for itself."""
    ahead = other - seat
    return ahead + int(g.players) if ahead < 0 else ahead


@rule
def next_in_hand(g: State, seat: int) -> int:
    """The next player in the hand at a seat's left."""
    seat = seat_ahead(g, seat, 1)
    while g.in_hand[seat] == 0:
        seat = seat_ahead(g, seat, 1)
    return seat


# ---- actions


@rule
def raise_count(g: State) -> int:
    """The number of raise actions: one in limit, the sizes and the top in no limit."""
    return int(g.n_sizes) + 1 if g.no_limit else 1


@rule
def attack_count(g: State) -> int:
    """The number of attack actions against one seat: the price alone and, in no limit, with each extra."""
    return int(g.n_sizes) + 2 if g.no_limit else 1


@rule
def attack_from(g: State) -> int:
    """The first attack action."""
    return RAISE + raise_count(g)


@rule
def discard_from(g: State) -> int:
    """The first discard action."""
    return attack_from(g) + (int(g.seats) - 1) * attack_count(g)


@rule
def action_count(g: State) -> int:
    """The number of actions."""
    return discard_from(g) + N_CARDS


@rule
def target_of(g: State, action: int) -> int:
    """The seat that an attack action names; the actor's own if there is none."""
    ahead = 1 + (action - attack_from(g)) // attack_count(g)
    return seat_ahead(g, int(g.actor), ahead) if ahead < g.players else int(g.actor)


# ---- amounts


@rule
def price(g: State, seat: int) -> int:
    """A player's price in a battle: soldiers and banner, a small bet each."""
    return (count(int(g.soldiers[seat])) + 1) * int(g.small_bet)


@rule
def call_cost(g: State, seat: int) -> int:
    """What a full call costs the player who is asked for one."""
    return int(g.owed) + (price(g, seat) if g.phase == ANSWERING else 0)


@rule
def sized(g: State, size: int, top: int) -> int:
    """The amount of a no-limit size, 0 where it is not below the top; the last size is the top itself."""
    if size >= g.n_sizes:
        return top
    amount = int(g.sizes[size]) * int(g.big_bet)
    return amount if amount < top else 0


@rule
def attack_extra(g: State, seat: int, target: int, size: int) -> int:
    """The extra of an attack of some size beyond the price, -1 where that size is not offered."""
    if size == 0:
        return 0
    top = min(int(g.stacks[seat]) - price(g, seat), int(g.stacks[target]) - price(g, target))
    extra = sized(g, size - 1, top) if top > 0 else 0
    return extra if extra > 0 else -1


@rule
def raise_amount(g: State, seat: int, size: int) -> int:
    """What a raise of some size adds beyond the call, 0 where it is not offered."""
    beyond = int(g.stacks[seat]) - call_cost(g, seat)
    theirs = int(g.stacks[g.opponent])
    if theirs == 0:
        return 0
    if g.no_limit:
        return sized(g, size, min(beyond, theirs)) if beyond >= g.big_bet else 0
    if 0 <= g.max_raises <= g.raises:
        return 0
    amount = int(g.big_bet) if g.soldiers[seat] else int(g.bare_raise)
    return amount if beyond >= amount else 0


# ---- what is allowed


@rule
def can_buy(g: State, seat: int) -> bool:
    """Whether a player on turn may buy."""
    return bool(g.max_soldiers > 0 and g.stacks[seat] >= g.small_bet and (g.deck_size > 0 or g.pile_size > 0))


@rule
def can_begin_discard(g: State, seat: int) -> bool:
    """Whether a player on turn may take a Discard turn."""
    return bool(g.soldiers[seat] != 0 and g.stacks[seat] >= g.discard_fee)


@rule
def can_attack(g: State, seat: int, target: int) -> bool:
    """Whether a player on turn may attack a seat."""
    # Without short cuts, which a processor guesses wrong half of the time.
    other_suit = int(g.banner[target]) // 13 != int(g.banner[seat]) // 13
    return bool((target != seat) & (g.in_hand[target] != 0) & (g.stacks[seat] > 0) & other_suit)


@rule
def can_stay(g: State, seat: int) -> bool:
    """Whether a player on turn may stay: the last two must fight if they can."""
    return not (g.forced_duel != 0 and g.left == 2 and can_attack(g, seat, next_in_hand(g, seat)))


@rule
def can_finish(g: State, seat: int) -> bool:
    """Whether a player may end discarding."""
    return bool(count(int(g.soldiers[seat])) <= g.max_soldiers)


@rule
def is_legal(g: State, action: int) -> bool:
    """Whether the actor may take an action now; any whole number may be asked."""
    seat = int(g.actor)
    if seat < 0 or action < 0 or action >= action_count(g):
        return False
    discard = discard_from(g)
    if g.phase == DISCARDING:
        if action == DONE:
            return can_finish(g, seat)
        return action >= discard and (int(g.soldiers[seat]) >> (action - discard)) & 1 == 1
    if g.phase != TURN:
        if RAISE <= action < attack_from(g):
            return raise_amount(g, seat, action - RAISE) > 0
        return action in (FOLD, CALL)
    if action >= discard:
        return can_begin_discard(g, seat) and (int(g.soldiers[seat]) >> (action - discard)) & 1 == 1
    if action >= attack_from(g):
        target = target_of(g, action)
        size = (action - attack_from(g)) % attack_count(g)
        return can_attack(g, seat, target) and attack_extra(g, seat, target, size) >= 0
    if action == STAY:
        return can_stay(g, seat)
    if action == BUY:
        return can_buy(g, seat)
    return action == FOLD


@rule
def legal_actions(g: State, mask: npt.NDArray[np.bool_]) -> None:
    """Write which actions the actor may take into ``mask``, bool (A,); all False when the hand is over."""
    seat = int(g.actor)
    if seat < 0:
        mask[:] = False
        return
    cards = int(g.soldiers[seat])
    flags = 0  # the actions before the discards, as bits
    if g.phase == DISCARDING:
        flags = int(can_finish(g, seat)) << DONE
    elif g.phase != TURN:
        cards = 0
        flags = 1 << FOLD | 1 << CALL
        if g.no_limit == 0:
            flags |= int(raise_amount(g, seat, 0) > 0) << RAISE
    else:
        cards *= int(can_begin_discard(g, seat))
        flags = 1 << FOLD | int(can_stay(g, seat)) << STAY | int(can_buy(g, seat)) << BUY
        if g.no_limit == 0:
            target = seat
            for attack in range(RAISE + 1, RAISE + int(g.players)):
                target = seat_ahead(g, target, 1)
                flags |= int(can_attack(g, seat, target)) << attack
    put_eight(mask, 0, flags)
    put_eight(mask, 8, flags >> 8)
    discard = discard_from(g)
    if g.no_limit:
        _put_sizes(g, seat, mask)
    put_flags(mask, discard, cards)


@rule
def _put_sizes(g: State, seat: int, mask: npt.NDArray[np.bool_]) -> None:
    """Write which no-limit raises and attacks the actor may make, by size."""
    for size in range(raise_count(g)):
        mask[RAISE + size] = g.opponent >= 0 and raise_amount(g, seat, size) > 0
    action = attack_from(g)
    for ahead in range(1, int(g.seats)):
        target = seat_ahead(g, seat, ahead) if ahead < g.players else seat
        allowed = g.phase == TURN and can_attack(g, seat, target)
        for size in range(attack_count(g)):
            mask[action] = allowed and attack_extra(g, seat, target, size) >= 0
            action += 1


# ---- dealing


@rule
def new_match(g: State) -> None:
    """Set up a match before its first deal: full stacks, no button, nothing prescribed."""
    g.hand = 0
    g.button = -1
    for seat in range(MAX_SEATS):
        g.score[seat] = 0
        g.stacks[seat] = g.stack if seat < g.players else 0
    clear_prescribed(g)


@rule
def next_hand(g: State) -> None:
    """Move the button on to the next hand of a match, before its deal."""
    g.hand += 1
    button = seat_ahead(g, int(g.button), 1)
    while g.stacks[button] == 0:
        button = seat_ahead(g, button, 1)
    g.button = button
    clear_prescribed(g)


@rule
def clear_prescribed(g: State) -> None:
    """Leave the whole deal to the seed."""
    g.next_draw = NO_CARD
    for seat in range(MAX_SEATS):
        g.banner[seat] = NO_CARD
        for place in range(MAX_PALACE):
            g.dealt[seat, place] = NO_CARD


@rule
def deal(g: State, reserved: int) -> int:
    """Deal a hand [2]; cards in ``banner`` and ``dealt`` are given, ``reserved`` ones stay in the draw deck.

    Returns OK, or ILLEGAL if what is prescribed leaves no banner of a fitting suit for some player.
    """
    seed_stream(g, int(g.seed), int(g.game), int(g.deals))
    g.deals += 1
    _clear_table(g)
    taken = reserved
    prescribed = 0
    for seat in range(int(g.players)):
        if g.stacks[seat] > 0:
            g.in_hand[seat] = 1
            g.left += 1
            pay(g, seat, min(int(g.ante), int(g.stacks[seat])))
            if g.banner[seat] != NO_CARD:
                taken |= 1 << int(g.banner[seat])
            for place in range(int(g.palace_cards)):
                if g.dealt[seat, place] != NO_CARD:
                    taken |= 1 << int(g.dealt[seat, place])
                    prescribed += 1
    if g.hand == 0:
        _draw_button(g)
    cards = all_cards(g) & ~taken
    _put_in_deck(g, cards)
    if not _deal_banners(g, cards):
        return ILLEGAL
    _deal_palaces(g, prescribed)
    _put_in_deck(g, reserved)
    for seat in range(int(g.players)):
        if g.in_hand[seat]:
            g.banners |= 1 << int(g.banner[seat])
    suits = banner_suits(g)
    for seat in range(int(g.players)):
        if g.in_hand[seat]:
            _first_strengths(g, seat, suits)
        show_seat(g, seat)
    g.turn = next_in_hand(g, int(g.button))
    g.actor = g.turn
    g.phase = TURN
    return OK


@rule
def _draw_button(g: State) -> None:
    drawn = random_below(g, int(g.left))  # drawn even if given, so that the rest of the deal stays the same
    if g.button < 0:
        for seat in range(int(g.players)):
            if g.in_hand[seat]:
                if drawn == 0:
                    g.button = seat
                drawn -= 1


@rule
def _clear_table(g: State) -> None:
    g.pile = 0
    g.public_pile = 0
    g.public_deck = 0
    g.banners = 0
    g.pot = 0
    g.owed = 0
    g.raises = 0
    g.moves = 0
    g.deck_size = 0
    g.pile_size = 0
    g.left = 0
    g.opponent = -1
    g.passing = 0
    g.end = 0
    g.viewer = -1
    g.log[:] = 0
    g.recent[:] = 0
    g.soldiers[:] = 0
    g.palace[:] = 0
    g.private_pile[:] = 0
    g.private_deck[:] = 0
    g.paid[:] = 0
    g.net[:] = 0
    g.strength[:] = 0
    g.strength_without[:] = 0
    g.shown_without[:] = 0
    g.seen[:] = 0
    g.in_hand[:] = 0
    g.passed[:] = 0
    g.shown[:] = 0


@rule
def all_cards(g: State) -> int:
    """The cards that are played with."""
    return (0x1FFF & ~((1 << (13 - int(g.ranks))) - 1)) * 0x8004002001


@rule
def _put_in_deck(g: State, cards: int) -> None:
    if cards == _WHOLE_DECK:
        copy_bytes(g.deck, 0, _IN_ORDER, 0, N_CARDS)
        g.deck_size = N_CARDS
        return
    size = int(g.deck_size)
    while cards:
        g.deck[size] = lowest(cards)
        cards &= cards - 1
        size += 1
    g.deck_size = size


@rule
def _deal_banners(g: State, cards: int) -> bool:
    """Deal the deck, which is these cards, until all have a suit new to the group; False if none is left."""
    blocked = 0  # all cards of the suits that the group shows
    dealt = 0
    laid_aside = 0
    shuffled = 0
    seat = int(g.button)
    for _ in range(int(g.players)):
        seat = seat_ahead(g, seat, 1)
        if g.in_hand[seat] == 0:
            continue
        if dealt % 4 == 0:
            blocked = 0
        while g.banner[seat] == NO_CARD:
            if cards & ~blocked == 0:
                return False
            if g.deck_size == 0:
                _put_in_deck(g, laid_aside)
                laid_aside = 0
            if shuffled == 0:
                shuffled = min(int(g.deck_size), 2 * int(g.players))
                shuffle_end(g, g.deck, int(g.deck_size), shuffled)
            card = _take_last(g)
            shuffled -= 1
            if (blocked >> card) & 1:
                laid_aside |= 1 << card
            else:
                g.banner[seat] = card
                cards &= ~(1 << card)
        blocked |= suit_cards(int(g.banner[seat]) // 13)
        dealt += 1
    _put_in_deck(g, laid_aside)
    return True


@rule
def _deal_palaces(g: State, prescribed: int) -> None:
    shuffle_end(g, g.deck, int(g.deck_size), int(g.left) * int(g.palace_cards) - prescribed)
    for place in range(int(g.palace_cards)):
        seat = int(g.button)
        for _ in range(int(g.players)):
            seat = seat_ahead(g, seat, 1)
            if g.in_hand[seat]:
                if g.dealt[seat, place] == NO_CARD:
                    g.dealt[seat, place] = _take_last(g)
                g.palace[seat] |= 1 << int(g.dealt[seat, place])


@rule
def _take_last(g: State) -> int:
    g.deck_size -= 1
    return int(g.deck[g.deck_size])


@rule
def _draw(g: State) -> int:
    """Take a random card, or the prescribed one, out of a draw deck that is not empty."""
    place = random_below(g, int(g.deck_size))
    if g.next_draw != NO_CARD:
        for other in range(int(g.deck_size)):
            if g.deck[other] == g.next_draw:
                place = other
        g.next_draw = NO_CARD
    card = int(g.deck[place])
    g.deck_size -= 1
    g.deck[place] = g.deck[g.deck_size]
    return card


# ---- moving chips and cards


@rule
def pay(g: State, seat: int, amount: int) -> None:
    """Move chips from a player to the pot; a negative amount comes back."""
    g.stacks[seat] -= amount
    g.paid[seat] += amount
    g.pot += amount


@rule
def renew_strengths(g: State, seat: int) -> None:
    """Bring the strengths that observations show up to date with a player's cards.

    Suits that no banner in the hand has any more are left as they were: nobody looks at them.
    """
    if g.hand_values == 0:
        return
    shown = _shown_cards(g, seat)
    own = shown | int(g.palace[seat])
    g.strength[seat] = best_hand(own)
    few = count(shown) < 5  # which is no flush
    suits = banner_suits(g) & ~(1 << (int(g.banner[seat]) // 13))
    for suit in range(4):
        if (suits >> suit) & 1:
            g.strength_without[seat, suit] = best_hand(own & ~suit_cards(suit))
            g.shown_without[seat, suit] = (
                best_unsuited(shown & ~suit_cards(suit)) if few else best_hand(shown & ~suit_cards(suit))
            )


@rule
def _first_strengths(g: State, seat: int, suits: int) -> None:
    """``renew_strengths`` of a player who was just dealt in: four cards are no flush."""
    if g.hand_values == 0:
        return
    own = _shown_cards(g, seat) | int(g.palace[seat])
    g.strength[seat] = best_unsuited(own)
    banner = int(g.banner[seat])
    for suit in range(4):
        if (suits >> suit) & 1 and suit != banner // 13:
            g.strength_without[seat, suit] = best_unsuited(own & ~suit_cards(suit))
            g.shown_without[seat, suit] = (banner % 13 + 1) << 16


@rule
def in_bets(amount: int, per_chip: float) -> int:
    """An amount as observations show it: in small bets, rounded down, at most 255.

    Args:
        amount: in chips.
        per_chip: 1 / small bet.
    """
    # Half a chip more is never near a whole number of small bets, so that the product, which is faster than
    # a division, is rounded down like the exact quotient for all amounts below 2**31.
    return min(int((amount + 0.5) * per_chip), 255)


@rule
def signed_byte(number: int) -> int:
    """The signed byte with the bits of a number from 0 to 255."""
    return (number ^ 128) - 128


@rule
def show_seat(g: State, seat: int) -> None:
    """Bring what all see of a seat up to date, all but its counts."""
    seat &= 15  # of no effect; it tells the compiler that no index is negative
    shown = g.shown[seat]
    per_chip = 1.0 / int(g.small_bet)
    in_hand = int(g.in_hand[seat])
    banner = max(int(g.banner[seat]), 0)
    soldiers = int(g.soldiers[seat])
    put_flags(g.shown, seat * SEAT_SIZE, soldiers)
    copy_bytes(g.shown, seat * SEAT_SIZE + BANNER_SUIT, _NO_BANNER, 0, _BANNER_SIZE)
    shown[BANNER_SUIT + banner // 13] = in_hand
    shown[BANNER_RANK + banner % 13] = in_hand
    shown[IN_HAND] = in_hand
    shown[HAS_STAYED] = g.passed[seat] == STAYED
    shown[HAS_DISCARDED] = g.passed[seat] == DISCARDED
    shown[STACK] = signed_byte(in_bets(int(g.stacks[seat]), per_chip))
    shown[PRICE] = in_hand + count(soldiers)
    shown[PAID] = signed_byte(in_bets(int(g.paid[seat]), per_chip))


@rule
def add_one(g: State, seat: int, counter: int) -> None:
    """Count what a seat did; the counts of a hand stop at 127."""
    g.shown[seat, counter] = min(int(g.shown[seat, counter]) + 1, 127)


@rule
def _discard_shown(g: State, cards: int) -> None:
    g.pile |= cards
    g.public_pile |= cards
    g.pile_size += count(cards)


@rule
def _discard_palace(g: State, seat: int) -> None:
    """A palace goes to the pile: its owner knows it there, and whoever has seen it."""
    cards = int(g.palace[seat])
    g.palace[seat] = 0
    g.pile |= cards
    g.pile_size += count(cards)
    for viewer in range(int(g.players)):
        if viewer == seat or (int(g.seen[viewer]) >> seat) & 1:
            g.private_pile[viewer] |= cards


@rule
def _reshuffle(g: State) -> None:
    _put_in_deck(g, int(g.pile))
    g.public_deck = g.public_pile
    g.public_pile = 0
    g.pile = 0
    g.pile_size = 0
    for seat in range(int(g.players)):
        g.private_deck[seat] = g.private_pile[seat]
        g.private_pile[seat] = 0


@rule
def _leave(g: State, seat: int) -> None:
    """Take a player out of the hand: palace to the pile; soldiers and banner are the caller's to place."""
    _discard_palace(g, seat)
    g.in_hand[seat] = 0
    g.left -= 1
    g.soldiers[seat] = 0
    g.banners &= ~(1 << int(g.banner[seat]))
    g.banner[seat] = NO_CARD
    g.strength[seat] = 0
    for suit in range(4):
        g.strength_without[seat, suit] = 0
        g.shown_without[seat, suit] = 0


@rule
def banner_suits(g: State) -> int:
    """The suits of the banners in the hand, as a set of bits."""
    suits = 0
    for suit in range(4):
        suits |= int(int(g.banners) & suit_cards(suit) != 0) << suit
    return suits


@rule
def _shown_cards(g: State, seat: int) -> int:
    return int(g.soldiers[seat]) | 1 << int(g.banner[seat])


@rule
def log_move(g: State, kind: int, about: int, amount: int) -> None:
    """Add a move of the actor to the log.

    An entry is kind | seat << 4 | about << 8 | soldiers << 14 | outcome << 18 | amount << 20. ``about`` is
    the card bought or discarded, the seat attacked, or for a fold in a battle the other side plus one;
    ``soldiers`` is how many the actor held; ``amount`` is what an attack or a call paid, or a raise added.
    """
    seat = int(g.actor)
    entry = kind | seat << 4 | about << 8 | count(int(g.soldiers[seat])) << 14 | amount << 20
    g.log[int(g.moves) & (LOG - 1)] = entry
    g.moves += 1
    copy_bytes(g.recent, MOVE_SIZE, g.recent, 0, _OLDER)
    for place in range(MOVE_SIZE):
        g.recent[place] = 0
    g.recent[kind - 1] = 1
    g.recent[MOVE_SEAT] = seat + 1
    g.recent[MOVE_CHIPS] = signed_byte(in_bets(amount, 1.0 / int(g.small_bet)))
    if kind == LOG_ATTACK:
        g.recent[MOVE_TARGET] = about + 1
    elif kind in (LOG_BUY, LOG_DISCARD):
        g.recent[MOVE_RANK] = about % 13 + 1
        g.recent[MOVE_SUIT] = about // 13 + 1


@rule
def _log_outcome(g: State, outcome: int) -> None:
    g.log[(int(g.moves) - 1) & (LOG - 1)] |= outcome << 18


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
    other = int(g.opponent)
    status = _move(g, seat, action)
    show_seat(g, seat)
    if other >= 0:
        show_seat(g, other)
    return status


@rule
def _move(g: State, seat: int, action: int) -> int:
    if action >= discard_from(g):
        return _discard(g, seat, action - discard_from(g))
    if action >= attack_from(g):
        size = (action - attack_from(g)) % attack_count(g)
        return _attack(g, seat, target_of(g, action), size)
    if action >= RAISE:
        return _raise(g, seat, action - RAISE)
    if action == CALL:
        return _call(g, seat)
    if action == DONE:
        log_move(g, LOG_DONE, 0, 0)
        return _finish_discarding(g)
    if action == BUY:
        return _buy(g, seat)
    if action == STAY:
        log_move(g, LOG_STAY, 0, 0)
        g.passed[seat] = STAYED
        return _end_turn(g)
    return _fold(g, seat)


@rule
def _clear_passed(g: State) -> None:
    for seat in range(int(g.players)):
        g.passed[seat] = 0
        g.shown[seat, HAS_STAYED] = 0
        g.shown[seat, HAS_DISCARDED] = 0


@rule
def _buy(g: State, seat: int) -> int:
    pay(g, seat, int(g.small_bet))
    if g.deck_size == 0:
        _reshuffle(g)
    card = _draw(g)
    log_move(g, LOG_BUY, card, 0)
    g.public_deck &= ~(1 << card)
    for viewer in range(int(g.players)):
        g.private_deck[viewer] &= ~(1 << card)
    g.soldiers[seat] |= 1 << card
    add_one(g, seat, BUYS)
    renew_strengths(g, seat)
    _clear_passed(g)
    g.phase = DISCARDING
    g.passing = 0
    return OK


@rule
def _discard(g: State, seat: int, card: int) -> int:
    log_move(g, LOG_DISCARD, card, 0)
    if g.phase == TURN:
        pay(g, seat, int(g.discard_fee))
        g.phase = DISCARDING
        g.passing = 1
    g.soldiers[seat] &= ~(1 << card)
    _discard_shown(g, 1 << card)
    add_one(g, seat, DISCARDS)
    renew_strengths(g, seat)
    return _finish_discarding(g) if g.soldiers[seat] == 0 else OK


@rule
def _finish_discarding(g: State) -> int:
    if g.passing:
        g.passed[int(g.actor)] = DISCARDED
        g.passing = 0
    return _end_turn(g)


@rule
def _fold(g: State, seat: int) -> int:
    if g.phase == TURN:
        log_move(g, LOG_FOLD, 0, 0)
        _discard_shown(g, _shown_cards(g, seat))
        _leave(g, seat)
        return _end_turn(g)
    other = int(g.opponent)
    log_move(g, LOG_FOLD, other + 1, 0)
    pay(g, other, -int(g.owed))
    return _beaten(g, seat, other)


@rule
def _attack(g: State, seat: int, target: int, size: int) -> int:
    extra = attack_extra(g, seat, target, size)
    amount = min(int(g.stacks[seat]), price(g, seat) + extra)
    log_move(g, LOG_ATTACK, target, amount)
    pay(g, seat, amount)
    add_one(g, seat, ATTACKS)
    _clear_passed(g)
    g.phase = ANSWERING
    g.actor = target
    g.opponent = seat
    g.owed = extra
    g.raises = 0
    return OK


@rule
def _raise(g: State, seat: int, size: int) -> int:
    amount = raise_amount(g, seat, size)
    log_move(g, LOG_RAISE, 0, amount)
    pay(g, seat, call_cost(g, seat) + amount)
    add_one(g, seat, RAISED)
    g.phase = FACING_RAISE
    g.actor = g.opponent
    g.opponent = seat
    g.owed = amount
    g.raises += 1
    return OK


@rule
def _call(g: State, seat: int) -> int:
    amount = min(int(g.stacks[seat]), call_cost(g, seat))
    log_move(g, LOG_CALL, 0, amount)
    pay(g, seat, amount)
    other = int(g.opponent)
    if g.phase == FACING_RAISE:
        pay(g, other, amount - int(g.owed))  # what of the raise is not called goes back
    add_one(g, seat, CALLS)
    return _fight(g, seat, other)


@rule
def battle_strength(g: State, seat: int, opponent: int) -> int:
    """The strength of a player's hand in a fight: the opponent's banner suit left out."""
    suit = int(g.banner[opponent]) // 13
    return best_hand((_shown_cards(g, seat) | int(g.palace[seat])) & ~suit_cards(suit))


@rule
def _own_suit_count(g: State, seat: int) -> int:
    cards = _shown_cards(g, seat) | int(g.palace[seat])
    return count(cards & suit_cards(int(g.banner[seat]) // 13))


@rule
def _fight(g: State, caller: int, other: int) -> int:
    g.seen[caller] |= 1 << other
    lead = battle_strength(g, caller, other) - battle_strength(g, other, caller)
    if lead == 0:
        lead = _own_suit_count(g, caller) - _own_suit_count(g, other)
    if lead < 0:
        _log_outcome(g, CALLER_LOST)
        return _beaten(g, caller, other)
    g.seen[other] |= 1 << caller
    if lead > 0:
        _log_outcome(g, CALLER_WON)
        return _beaten(g, other, caller)
    _log_outcome(g, BOTH_OUT)
    _end_battle(g)
    if g.left == 2:
        return _settle(g, BATTLE_TIE)
    for seat in (caller, other):
        _discard_shown(g, _shown_cards(g, seat))
        _leave(g, seat)
    return _end_turn(g)


@rule
def _end_battle(g: State) -> None:
    g.opponent = -1
    g.owed = 0
    g.raises = 0


@rule
def _beaten(g: State, loser: int, winner: int) -> int:
    """The loser is out, the winner captures soldiers and banner and discards, unless the hand is over."""
    captured = _shown_cards(g, loser)
    _leave(g, loser)
    g.soldiers[winner] |= captured
    add_one(g, winner, WON)
    renew_strengths(g, winner)
    _end_battle(g)
    end = _decided(g)
    if end:
        return _settle(g, end)
    g.actor = winner
    g.phase = DISCARDING
    g.passing = 0
    return OK


@rule
def _end_turn(g: State) -> int:
    end = _decided(g)
    if end == 0:
        end = SHOWDOWN
        for seat in range(int(g.players)):
            if g.in_hand[seat] and g.passed[seat] == 0:
                end = 0
    if end:
        return _settle(g, end)
    g.turn = next_in_hand(g, int(g.turn))
    g.actor = g.turn
    g.phase = TURN
    return OK


# ---- the end


@rule
def _decided(g: State) -> int:
    """How the hand is over without a showdown, 0 if it is not."""
    if g.left == 1:
        return LAST_STANDING
    suits = banner_suits(g)
    return SAME_BANNER if suits & (suits - 1) == 0 else 0


@rule
def _settle(g: State, end: int) -> int:
    """Pay out the pot; the odd chips go one each to the winners from the button's left."""
    best = 0
    winners = 0
    for seat in range(int(g.players)):
        if g.in_hand[seat]:
            merit = 1
            if end == SHOWDOWN:
                merit = best_hand(_shown_cards(g, seat) | int(g.palace[seat]))
                for viewer in range(int(g.players)):
                    g.seen[viewer] |= 1 << seat
            if merit > best:
                best = merit
                winners = 0
            if merit == best:
                winners |= 1 << seat
    share = int(g.pot) // count(winners)
    odd = int(g.pot) % count(winners)
    per_chip = 1.0 / int(g.small_bet)
    seat = int(g.button)
    for _ in range(int(g.players)):
        seat = seat_ahead(g, seat, 1)
        won = 0
        if (winners >> seat) & 1:
            won = share
            if odd > 0:
                won += 1
                odd -= 1
        g.stacks[seat] += won
        g.net[seat] = won - int(g.paid[seat])
        g.score[seat] += g.net[seat]
        g.shown[seat, STACK] = signed_byte(in_bets(int(g.stacks[seat]), per_chip))
    g.pot = 0
    g.end = end
    g.phase = ENDED
    g.actor = -1
    g.opponent = -1
    return OVER


@rule
def is_match_over(g: State) -> bool:
    """Whether a finished hand was the last one: all are played, or one player holds all the chips."""
    with_chips = 0
    for seat in range(int(g.players)):
        if g.stacks[seat] > 0:
            with_chips += 1
    return with_chips == 1 or g.hand + 1 >= g.hands


@rule
def rewards(g: State, out: npt.NDArray[np.float32]) -> None:
    """Write each player's payoff of the finished hand, in small bets, into ``out``, float32 (N,)."""
    for seat in range(int(g.players)):
        out[seat] = int(g.net[seat]) / int(g.small_bet)
