"""What each seat of Detective may know and what not, from RULES.md 8 alone, for ``card_table.secrecy``."""

from collections.abc import Iterator, Mapping
from typing import Any, ClassVar

import numpy as np

from card_table.cards import N_CARDS
from card_table.game import States, copy_states
from card_table.hands import N_CATEGORIES
from card_table.secrecy import Change, Secrets
from detective_env import rules
from tests.detective_invariants import BOARD_SIZES


class DetectiveSecrets(Secrets):
    """Others' private cards, one's own exposed card, what lies under others' bets, and all cards to come."""

    hidden: ClassVar[Mapping[str, str]] = {
        "rng": "decides later deals",
        "seed": "tells all deals",
        "game": "as the seed",
        "deals": "as the seed",
        "private": "another's, until the hand is scored [8.1]",
        "private_strength": "made of another's private card",
        "exposed": "one's own, until the hand is scored [8.2]",
        "exposed_strength": "made of one's own exposed card",
        "bet_card": "which card lies under another's bet, until the hand is scored [8.5]",
        "cards": "which cards another has left [8.5]",
        "board": "what is to come",
        "thrown": "what is to come",
        "burnt": "seen by nobody [8.3]",
        "deck": "seen by nobody [8.3]",
        "deck_size": "tells how many cards are to be thrown out",
    }
    known: ClassVar[Mapping[str, str]] = {
        "private": "one's own, and all once the hand is scored [8.1, 8.6]",
        "private_strength": "of one's own",
        "exposed": "the others', and all once the hand is scored [8.2, 8.6]",
        "exposed_strength": "of the others'",
        "bet_card": "one's own, and whether a card lies under another's [8.4]",
        "bet_board": "public [8.4]",
        "bet_chips": "public [8.4]",
        "chips_left": "public [8.4]",
        "n_cards": "public [8.4]",
        "cards": "one's own",
        "board": "what lies there [8.3]",
        "thrown": "what lies there [8.3]",
        "points": "public [8.7]",
        "bet_points": "public [8.6]",
        "hand_points": "public [8.6]",
        "dealer": "public",
        "hand": "public",
        "street": "public",
        "scored": "public",
        "actor": "public",
        "lone": "how the table came about",
    }

    def reshuffle(self, states: States, seat: int, rng: np.random.Generator) -> States:
        """See ``Secrets.reshuffle``."""
        others = copy_states(states)
        for g in others:
            cards = rng.permutation(_unseen(g, seat)).tolist()
            size = BOARD_SIZES[g.street]
            g.board[size:] = [cards.pop() for _ in range(rules.BOARD - size)]
            g.burnt[:] = [cards.pop() for _ in range(rules.STREETS - 1)]
            for street in range(g.street, rules.STREETS - 1):
                thrown = int(rng.integers(3))
                g.thrown[street, :thrown] = [cards.pop() for _ in range(thrown)]
            g.deck[:] = rng.integers(-1, N_CARDS, N_CARDS)
            g.deck_size = rng.integers(N_CARDS)
            g.rng[:] = rng.integers(0, 2**32, 4)
            g.seed, g.game, g.deals = rng.integers(0, 2**60, 3)
            if g.scored:
                continue
            g.exposed[seat] = cards.pop()
            g.exposed_strength[:, seat] = rng.integers(0, 2**23, rules.STREETS)
            for other in range(g.players):
                if other != seat:
                    g.private[other] = cards.pop()
                    g.private_strength[:, other] = rng.integers(0, 2**23, rules.STREETS)
                    g.cards[other] = rng.integers(0, 32)
                    kinds = rng.integers(1, rules.KINDS, rules.STREETS)
                    g.bet_card[:, other] = np.where(g.bet_card[:, other] != rules.NONE, kinds, rules.NONE)
        return others

    def changes(self, states: States, seat: int, rng: np.random.Generator) -> Iterator[Change]:
        """See ``Secrets.changes``."""
        yield from self._changed_cards(states, seat, rng)
        yield from self._changed_bets(states, seat, rng)
        g = states[0]
        players, last = int(g.players), int(g.hands) - 1
        anyone = int(rng.integers(players))
        other = (seat + int(rng.integers(1, players))) % players
        street = int(rng.integers(g.street + 1))
        ahead = int(g.points[other]) - int(g.points[seat])
        yield Change.of(states, "dealer", (int(g.dealer) + 1) % players)
        yield Change.of(states, "hand", last if g.hand != last else last - 1)
        yield Change.of(states, "chips_left", int(g.chips_left[anyone]) + 1, anyone)
        yield Change.of(states, "n_cards", int(g.n_cards[anyone]) + 1, anyone)
        yield Change.of(states, "cards", int(g.cards[seat]) ^ 1 << int(rng.integers(1, rules.KINDS)), seat)
        yield Change.of(states, "points", int(g.points[other]) + (-1 if ahead > 0 else 1), other)
        if not g.scored:
            yield Change.of(states, "scored", 1)
            if g.street:
                yield Change.of(states, "street", int(g.street) - 1)
        # Of no bearing on a bet: it follows from the bets, or is past.
        yield Change.of(states, "actor", (int(g.actor) + 1) % players, is_observed=False)
        yield Change.of(states, "lone", 1 - int(g.lone), is_observed=False)
        yield Change.of(states, "hand_points", int(g.hand_points[anyone]) + 1, anyone, is_observed=False)
        points = int(g.bet_points[street, anyone]) + 1
        yield Change.of(states, "bet_points", points, street, anyone, is_observed=False)

    def _changed_cards(self, states: States, seat: int, rng: np.random.Generator) -> Iterator[Change]:
        g = states[0]
        other = (seat + int(rng.integers(1, g.players))) % int(g.players)
        street = int(rng.integers(g.street + 1))
        places: list[tuple[str, tuple[int, ...], bool]] = [
            ("private", (seat,), True),
            ("exposed", (other,), True),
        ]
        if g.scored:  # nobody acts on these: the next deal is another
            places += [("private", (other,), False), ("exposed", (seat,), False)]
        if g.street:
            places.append(("board", (int(rng.integers(BOARD_SIZES[g.street])),), True))
            places.append(("thrown", (int(rng.integers(g.street)), 0), bool(g.expert)))
        for field, at, is_observed in places:
            card = int(rng.choice(np.setdiff1d(np.arange(N_CARDS), g[field])))
            yield Change.of(states, field, card, *at, is_observed=is_observed)
        for field, whose in (("private_strength", seat), ("exposed_strength", other)):
            strength = int(g[field][street, whose])
            for other_strength in (strength ^ 1 << 16, (strength + (1 << 20)) % (N_CATEGORIES << 20)):
                is_observed = bool(g.hand_values)
                yield Change.of(states, field, other_strength, street, whose, is_observed=is_observed)

    def _changed_bets(self, states: States, seat: int, rng: np.random.Generator) -> Iterator[Change]:
        g = states[0]
        made = np.argwhere(g.bet_board >= 0).tolist()
        if not made:
            return
        at = tuple(made[rng.integers(len(made))])
        own = at[1] == seat
        card = (int(g.bet_card[at]) + 1) % rules.KINDS if own else int(g.bet_card[at] == rules.NONE)
        for field, value in (
            ("bet_board", (int(g.bet_board[at]) + 1) % int(g.players)),
            ("bet_chips", int(g.bet_chips[at]) % rules.MAX_BET + 1),
            ("bet_card", card),
        ):
            yield Change.of(states, field, value, *at)


def _unseen(g: Any, seat: int) -> list[int]:  # noqa: ANN401 - a record
    """The cards that a seat does not see."""
    seen = {*g.board[: BOARD_SIZES[g.street]].tolist(), *g.thrown[: g.street].ravel().tolist()}
    for other in range(g.players):
        if other == seat or g.scored:
            seen.add(int(g.private[other]))
        if other != seat or g.scored:
            seen.add(int(g.exposed[other]))
    return [card for card in range(N_CARDS) if card not in seen]
