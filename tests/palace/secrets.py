"""What each seat of Palace may know and what not, from RULES.md 7 alone, for ``card_table.secrecy``."""

from collections.abc import Iterator, Mapping
from typing import Any, ClassVar

import numpy as np

from card_table.cards import N_CARDS, NO_CARD, format_card, list_cards, set_of
from card_table.game import States, copy_states
from card_table.hands import N_CATEGORIES
from card_table.secrecy import Change, Secrets
from palace_env import rules

_COUNTS = (rules.BUYS, rules.DISCARDS, rules.ATTACKS, rules.CALLS, rules.RAISED, rules.WON)


class PalaceSecrets(Secrets):
    """Palaces until they are shown, the pile and the deck but for what has been seen to go there, the future.

    The public fields ``shown`` and ``recent`` hold what all see as observations show it, byte for byte, so
    that the rules themselves carry a change of a seat's chips or cards over to ``shown``. What a seat has
    been shown is taken from the record, ``seen`` and the like; that this is right is proved by the reference.
    """

    hidden: ClassVar[Mapping[str, str]] = {
        "rng": "decides the draws",
        "seed": "tells all deals",
        "game": "as the seed",
        "deals": "as the seed",
        "deck": "the draw deck, and what its unused places hold",
        "next_draw": "a draw that is prescribed",
        "pile": "but for what one has seen go there [7.5]",
        "palace": "another's, unless one was shown it [7.2, 7.3, 7.4]",
        "dealt": "as the palace, also of those who are out",
        "private_pile": "what another has seen [7.5]",
        "private_deck": "what another has seen [7.6]",
        "strength": "made of another's palace",
        "strength_without": "made of another's palace",
    }
    known: ClassVar[Mapping[str, str]] = {
        "palace": "one's own, and what one was shown [7.2, 7.3, 7.4]",
        "dealt": "as the palace",
        "private_pile": "what one has seen go there [7.5]",
        "private_deck": "what one has seen go there, reshuffled [7.6]",
        "public_pile": "discards, banners and soldiers [7.1, 7.5]",
        "public_deck": "the same, reshuffled [7.6]",
        "strength": "of one's own cards",
        "strength_without": "of one's own cards",
        "shown_without": "of soldiers and banner [7.1]",
        "soldiers": "public [7.1]",
        "banner": "public [7.1]",
        "in_hand": "public",
        "passed": "public",
        "stacks": "public",
        "paid": "public",
        "pot": "public",
        "owed": "public",
        "raises": "public",
        "phase": "public",
        "button": "public",
        "turn": "public",
        "actor": "public",
        "opponent": "public",
        "hand": "public",
        "deck_size": "public",
        "pile_size": "public",
        "recent": "moves are public",
        "shown": "what all see of a seat; counts of its moves",
        "log": "moves are public",
        "moves": "moves are public",
        "seen": "all see who is shown a palace [7.2, 7.3]",
        "net": "public",
        "score": "public",
        "end": "public",
        "left": "public",
        "passing": "moves are public",
        "lone": "how the table came about",
    }
    derived: ClassVar[Mapping[str, str]] = {
        "banners": "those of the players in the hand, as a set",
        "spare": "always 0",
    }

    def reshuffle(self, states: States, seat: int, rng: np.random.Generator) -> States:
        """See ``Secrets.reshuffle``."""
        others = copy_states(states)
        for g in others:
            self._reshuffle_cards(g, seat, rng)
            g.deck[g.deck_size :] = rng.integers(0, N_CARDS, N_CARDS - g.deck_size)
            g.rng[:] = rng.integers(0, 2**32, 4)
            g.seed, g.game, g.deals = rng.integers(0, 2**60, 3)
            g.next_draw = rng.integers(-1, N_CARDS)
            rest = np.arange(rules.MAX_SEATS) != seat
            g.private_pile[rest] = rng.integers(0, 2**52, rules.MAX_SEATS - 1)
            g.private_deck[rest] = rng.integers(0, 2**52, rules.MAX_SEATS - 1)
            g.strength[rest] = rng.integers(0, 2**23, rules.MAX_SEATS - 1)
            g.strength_without[rest] = rng.integers(0, 2**23, (rules.MAX_SEATS - 1, 4))
        return others

    def _reshuffle_cards(self, g: Any, seat: int, rng: np.random.Generator) -> None:  # noqa: ANN401
        """Deal what the seat cannot place anew to the places that could hold it."""
        unseen = [s for s in range(g.players) if s != seat and not int(g.seen[seat]) >> s & 1]
        pile_known = int(g.public_pile) | int(g.private_pile[seat])
        deck_known = int(g.public_deck) | int(g.private_deck[seat])
        free = (int(g.pile) | set_of(g.deck[: g.deck_size].tolist())) & ~(pile_known | deck_known)
        for s in unseen:
            free |= int(g.palace[s])
        cards = rng.permutation(list_cards(free)).tolist()
        for s in unseen:
            if g.in_hand[s]:
                palace = [cards.pop() for _ in range(g.palace_cards)]
                g.palace[s] = set_of(palace)
                g.dealt[s, : g.palace_cards] = palace
            elif g.dealt[s, 0] != NO_CARD:
                g.dealt[s, : g.palace_cards] = rng.permutation(N_CARDS)[: g.palace_cards]
        into_pile = int(g.pile_size) - pile_known.bit_count()
        g.pile = pile_known | set_of(cards.pop() for _ in range(into_pile))
        g.deck[: g.deck_size] = rng.permutation(list_cards(deck_known) + cards)

    def changes(self, states: States, seat: int, rng: np.random.Generator) -> Iterator[Change]:
        """See ``Secrets.changes``."""
        yield from self._changed_cards(states, seat, rng)
        yield from self._changed_strengths(states, seat, rng)
        yield from self._changed_seats(states, rng)
        yield from self._changed_table(states, rng)
        yield from self._changed_past(states, seat, rng)

    def _changed_cards(self, states: States, seat: int, rng: np.random.Generator) -> Iterator[Change]:
        g = states[0]
        bit = 1 << int(rng.integers(N_CARDS))
        for place in ("pile", "deck"):
            public, private = int(g[f"public_{place}"]), int(g[f"private_{place}"][seat])
            if not private & bit:
                yield Change.of(states, f"public_{place}", public ^ bit)
            if not public & bit:
                yield Change.of(states, f"private_{place}", private ^ bit, seat)
        for owner in range(int(g.players)):
            if (owner == seat or int(g.seen[seat]) >> owner & 1) and g.dealt[owner, 0] != NO_CARD:
                palace = int(g.palace[owner]) ^ bit
                # Whoever has seen another's palace is out, or that other is: it can no longer matter.
                yield Change.of(states, "palace", palace, owner, is_observed=owner == seat)
                dealt = (int(g.dealt[owner, 0]) + 1) % N_CARDS
                yield Change.of(states, "dealt", dealt, owner, 0, is_observed=False)

    def _changed_strengths(self, states: States, seat: int, rng: np.random.Generator) -> Iterator[Change]:
        g = states[0]
        is_observed = bool(g.hand_values)
        strength = _other_strength(int(g.strength[seat]), rng)
        yield Change.of(states, "strength", strength, seat, is_observed=is_observed)
        others = [s for s in np.flatnonzero(g.in_hand).tolist() if s != seat]
        if not g.in_hand[seat] or not others:
            return
        other = int(rng.choice(others))
        for field, whose, against in (("strength_without", seat, other), ("shown_without", other, seat)):
            suit = int(g.banner[against]) // 13
            strength = _other_strength(int(g[field][whose, suit]), rng)
            yield Change.of(states, field, strength, whose, suit, is_observed=is_observed)

    def _changed_seats(self, states: States, rng: np.random.Generator) -> Iterator[Change]:
        """What all see of a seat, carried over to what is shown of it."""
        g = states[0]
        seat = int(rng.integers(g.players))
        banner_of = int(rng.choice(np.flatnonzero(g.in_hand)))
        bet = int(g.small_bet)
        for field, whose, value in (
            ("soldiers", seat, _other_cards(int(g.soldiers[seat]), rng)),
            ("banner", banner_of, (int(g.banner[banner_of]) + int(rng.choice((1, 13)))) % N_CARDS),
            ("in_hand", seat, 1 - int(g.in_hand[seat])),
            ("passed", seat, (int(g.passed[seat]) + 1) % 3),
            ("stacks", seat, _other_amount(g.stacks[seat], bet)),
            ("paid", seat, _other_amount(g.paid[seat], bet)),
        ):
            change = Change.of(states, field, value, whose)
            rules.show_seat(change.states[0], whose)
            yield change
        counter = int(rng.choice(_COUNTS))
        yield Change.of(states, "shown", int(not g.shown[seat, counter]), seat, counter)

    def _changed_table(self, states: States, rng: np.random.Generator) -> Iterator[Change]:
        g = states[0]
        players, bet, last = int(g.players), int(g.small_bet), int(g.hands) - 1
        values = {
            "pot": _other_amount(g.pot, bet),
            "owed": _other_amount(g.owed, bet),
            "raises": int(not g.raises),
            "phase": (int(g.phase) + 1) % 5,
            "button": (int(g.button) + 1) % players,
            "turn": (int(g.turn) + 1) % players,
            "opponent": -1 if g.opponent >= 0 else int(rng.integers(players)),
            "hand": last if g.hand != last else last - 1,
            "deck_size": int(not g.deck_size),
            "pile_size": int(not g.pile_size),
        }
        third = [s for s in range(players) if s not in (int(g.actor), int(g.opponent))]
        if g.opponent >= 0 and third:
            values["actor"] = int(rng.choice(third))
        for field, value in values.items():
            yield Change.of(states, field, value)

    def _changed_past(self, states: States, seat: int, rng: np.random.Generator) -> Iterator[Change]:
        """What was done; what of it is long past is not observed."""
        g = states[0]
        if g.moves:
            place = int(rng.integers(min(int(g.moves), rules.MOVES)))
            part = int(rng.integers(rules.MOVE_SIZE))
            at = place * rules.MOVE_SIZE + part
            value = int(g.recent[at])
            is_seat = part in (rules.MOVE_SEAT, rules.MOVE_TARGET) and value
            other_value = value % int(g.players) + 1 if is_seat else value ^ 1
            yield Change.of(states, "recent", other_value, at)
        other = (seat + int(rng.integers(1, int(g.players)))) % int(g.players)
        for field, at in (
            ("log", int(g.moves) - 1 & rules.LOG - 1),
            ("seen", other),
            ("net", other),
            ("score", other),
        ):
            yield Change.of(states, field, int(g[field][at]) ^ 1, at, is_observed=False)
        for field in ("moves", "end", "left", "passing", "lone"):
            yield Change.of(states, field, int(g[field]) ^ 1, is_observed=False)

    def retell(self, history: Mapping[str, Any], states: States) -> dict[str, Any]:
        """See ``Secrets.retell``: the palaces are others."""
        dealt = states["dealt"][0, : len(history["palaces"])].tolist()
        palaces = [[format_card(card) for card in cards if card != NO_CARD] for cards in dealt]
        return {**history, "palaces": palaces}


def _other_cards(cards: int, rng: np.random.Generator) -> int:
    """As many other cards, or one instead of none."""
    others = [card for card in range(N_CARDS) if not cards >> card & 1]
    return cards & (cards - 1) | 1 << int(rng.choice(others))


def _other_amount(amount: int, small_bet: int) -> int:
    """An amount that is another in small bets, rounded down, however large the first is."""
    return 0 if amount >= small_bet else small_bet


def _other_strength(strength: int, rng: np.random.Generator) -> int:
    """A strength of another category, or with another last deciding rank."""
    return int(rng.choice((strength ^ 1, (strength + (1 << 20)) % (N_CATEGORIES << 20))))
