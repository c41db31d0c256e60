"""The one door for hidden information: a view tells what a seat may know, all of it and nothing else."""

from collections.abc import Callable
from typing import Any

import numpy as np
import numpy.typing as npt
import pytest

from card_table.cards import N_CARDS, list_cards, set_of
from card_table.game import Game, States
from palace_env import palace_v0, rules
from palace_env.text import describe
from tests.palace_invariants import check_states, random_arguments

# What is done to a field of the record.
Change = Callable[[Any], Any]


def see(game: Game, states: States, seat: int) -> States:
    views = states.copy()
    game.kernels.see(states, 0, len(states), np.full(len(states), seat), views)
    return views


def look(game: Game, states: States, seat: int) -> npt.NDArray[np.uint8]:
    out = np.zeros((len(states), game.layout.size), np.uint8)
    for i in range(len(states)):
        game.kernels.look(states, i, seat, out[i])
    return out


def positions(seed: int, steps: int, **arguments: Any) -> tuple[Any, States]:
    """A game and states from the middle of random hands of it."""
    rng = np.random.default_rng(seed)
    batch = palace_v0.batch(16, seed=seed, **arguments)
    for _ in range(steps):
        batch.step([rng.choice(np.flatnonzero(mask)) for mask in batch.masks])
    return batch.game, batch.states.copy()


def reshuffled(states: States, seat: int, rng: np.random.Generator) -> States:
    """The same games as far as a seat can tell: what it cannot place lies elsewhere, the future is another.

    Written from RULES.md 7 alone, without the code under test.
    """
    other = states.copy()
    for g in other:
        seen = int(g.seen[seat]) | 1 << seat
        hidden_seats = [s for s in range(g.players) if g.in_hand[s] and not seen >> s & 1]
        pile_known = int(g.public_pile) | int(g.private_pile[seat])
        deck_known = int(g.public_deck) | int(g.private_deck[seat])
        deck = set_of(g.deck[: g.deck_size].tolist())
        free = int(deck & ~deck_known) | int(g.pile) & ~pile_known
        for s in hidden_seats:
            free |= int(g.palace[s])
        cards = rng.permutation(list_cards(free)).tolist()
        for s in hidden_seats:
            palace = [cards.pop() for _ in range(g.palace_cards)]
            g.palace[s] = set_of(palace)
            g.dealt[s, : g.palace_cards] = palace
        into_pile = int(g.pile_size) - int(pile_known).bit_count()
        g.pile = pile_known | set_of(cards.pop() for _ in range(into_pile))
        g.deck[: g.deck_size] = rng.permutation(list_cards(deck_known) + cards)
        g.deck[g.deck_size :] = rng.integers(0, N_CARDS, N_CARDS - g.deck_size)
        g.rng[:] = rng.integers(0, 2**32, 4)
        g.seed, g.game, g.deals = rng.integers(0, 2**60, 3)
        g.next_draw = rng.integers(-1, N_CARDS)
        for s in range(10):
            if s != seat:
                g.private_pile[s] = rng.integers(0, 2**52)
                g.private_deck[s] = rng.integers(0, 2**52)
                g.strength[s] = rng.integers(0, 2**23)
                g.strength_without[s] = rng.integers(0, 2**23, 4)
                if not seen >> s & 1 and not g.in_hand[s]:
                    g.dealt[s, : g.palace_cards] = rng.integers(0, N_CARDS, g.palace_cards)
    return other


@pytest.mark.parametrize("table", range(12))
def test_what_a_seat_cannot_know_changes_nothing_that_it_gets(table: int) -> None:
    rng = np.random.default_rng(table)
    arguments = random_arguments(rng)
    for steps in (0, 3, 9, 25):
        game, states = positions(table, steps, **arguments)
        for seat in range(game.players):
            other = reshuffled(states, seat, rng)
            assert other.tobytes() != states.tobytes()
            assert see(game, other, seat).tobytes() == see(game, states, seat).tobytes()
            assert (look(game, other, seat) == look(game, states, seat)).all()


def test_text_comes_from_the_view_alone() -> None:
    rng = np.random.default_rng(5)
    game, states = positions(5, 12, players=4)
    for seat in range(4):
        other = reshuffled(states, seat, rng)
        before, after = see(game, states, seat), see(game, other, seat)
        for i in range(len(states)):
            assert describe(before[i : i + 1]) == describe(after[i : i + 1])


@pytest.mark.parametrize("table", range(6))
def test_a_view_is_enough_for_the_observation(table: int) -> None:
    game, states = positions(table, 15, **random_arguments(np.random.default_rng(100 + table)))
    for seat in range(game.players):
        assert (look(game, see(game, states, seat), seat) == look(game, states, seat)).all()


@pytest.mark.parametrize("table", range(12))
def test_a_view_filled_in_is_a_whole_game_with_the_same_view(table: int) -> None:
    arguments = random_arguments(np.random.default_rng(200 + table))
    for steps in (0, 5, 20):
        game, states = positions(table, steps, **arguments)
        for seat in range(game.players):
            views = see(game, states, seat)
            filled = views.copy()
            game.kernels.complete(filled, 0, len(filled), 7)
            again = views.copy()
            game.kernels.complete(again, 0, len(again), 7)
            assert filled.tobytes() == again.tobytes(), "from the seed alone"
            assert see(game, filled, seat).tobytes() == views.tobytes()
            check_states(filled, game)
            assert (look(game, filled, seat) <= game.layout.high).all()


def test_filling_in_is_uniform_over_the_places() -> None:
    _, states = positions(1, 0, players=3)
    game, one = palace_v0.Palace(players=3), states[:1]
    views = np.repeat(see(game, one, 0), 20_000)
    game.kernels.complete(views, 0, len(views), 3)
    unknown = set(range(52)) - set(one["dealt"][0, 0].tolist()) - set(one["banner"][0, :3].tolist())
    counts = np.bincount(views["dealt"][:, 1:3].ravel()[views["dealt"][:, 1:3].ravel() >= 0], minlength=52)
    assert set(np.flatnonzero(counts).tolist()) == unknown
    expected = 20_000 * 6 / len(unknown)
    assert np.abs(counts[list(unknown)] - expected).max() < 5 * np.sqrt(expected)


def _changed(field: str, seat: int, value: Change, steps: int = 12) -> bool:
    """Whether seat 0's observation changes with a field that it may know."""
    game, states = positions(8, steps, players=4)
    states = states[states["in_hand"][:, seat] != 0]
    assert len(states) > 2
    other = states.copy()
    if states[field].ndim > 1:
        other[field][:, seat] = value(states[field][:, seat])
    else:
        other[field] = value(states[field])
    for g in other:
        for shown in range(4):
            rules.show_seat(g, shown)
    return bool((look(game, other, 0) != look(game, states, 0)).any(axis=1).all())


@pytest.mark.parametrize(
    ("field", "seat", "value"),
    [
        ("palace", 0, lambda cards: cards ^ (1 << 51)),
        ("soldiers", 0, lambda cards: cards ^ (1 << 50)),
        ("stacks", 2, lambda chips: chips + 2),
        ("paid", 3, lambda chips: chips + 2),
        ("shown", 1, lambda row: row + (np.arange(len(row[0])) == rules.BUYS)),
        ("shown", 1, lambda row: row + (np.arange(len(row[0])) == rules.DISCARDS)),
        ("shown", 2, lambda row: row + (np.arange(len(row[0])) == rules.ATTACKS)),
        ("shown", 2, lambda row: row + (np.arange(len(row[0])) == rules.CALLS)),
        ("shown", 3, lambda row: row + (np.arange(len(row[0])) == rules.RAISED)),
        ("shown", 3, lambda row: row + (np.arange(len(row[0])) == rules.WON)),
        ("pot", 0, lambda chips: chips + 2),
        ("deck_size", 0, lambda size: size - 1),
        ("raises", 0, lambda count: count + 1),
        ("owed", 0, lambda chips: chips + 2),
        ("button", 0, lambda seat: (seat + 1) % 4),
        ("phase", 0, lambda phase: (phase + 1) % 4),
        ("hands", 0, lambda hands: hands + 1),
        ("public_deck", 0, lambda cards: cards ^ 1),
        ("private_deck", 0, lambda cards: cards ^ 1),
        ("strength", 0, lambda strength: strength ^ 1),
        ("in_hand", 0, lambda inside: 1 - inside),
    ],
)
def test_what_a_seat_can_know_shows_in_its_observation(field: str, seat: int, value: Change) -> None:
    assert _changed(field, seat, value)


def test_each_of_the_last_twelve_moves_shows() -> None:
    rng = np.random.default_rng(0)
    batch = palace_v0.batch(200, players=10, seed=2)
    for _ in range(200):
        batch.step([rng.choice(np.flatnonzero(mask)) for mask in batch.masks])
    piece = batch.game.layout.slice_of("moves")
    states, shown = batch.states, batch.observations[:, piece].reshape(200, rules.MOVES, rules.MOVE_SIZE)
    assert (states["moves"] >= 13).sum() > 5
    kinds = set()
    for g, moves, viewer in zip(states, shown, batch.actors.tolist(), strict=True):
        for back, row in enumerate(moves.tolist(), 1):
            wanted = [0] * rules.MOVE_SIZE
            if back <= g.moves:
                entry = int(g.log[(int(g.moves) - back) % rules.LOG])
                kind, seat, about, chips = entry & 15, entry >> 4 & 15, entry >> 8 & 63, entry >> 20
                kinds.add(kind)
                wanted[kind - 1] = 1
                wanted[8] = (seat - viewer) % 10 + 1
                wanted[9] = (about - viewer) % 10 + 1 if kind == rules.LOG_ATTACK else 0
                wanted[10] = chips // 2
                if kind in (rules.LOG_BUY, rules.LOG_DISCARD):
                    wanted[11:] = [about % 13 + 1, about // 13 + 1]
            assert row == wanted
    assert kinds == set(range(1, 9))
