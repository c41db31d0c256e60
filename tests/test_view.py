"""Palace's views: enough for the observation, filled in they are whole games, and the last moves show."""

from typing import Any

import numpy as np
import numpy.typing as npt
import pytest

from card_table.game import Game, States
from palace_env import palace_v0, rules
from tests.palace_invariants import check_states, random_arguments


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
