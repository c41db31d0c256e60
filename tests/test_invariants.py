"""Every invariant of the hands of each game, at random tables of every kind."""

import numpy as np
import pytest

from tests import invariants

HANDS = invariants.TABLES * 3 // 2  # of each of the tables below


@pytest.mark.parametrize("table", range(24))
@pytest.mark.parametrize("game", invariants.GAMES)
def test_random_tables(game: str, table: int) -> None:
    arguments = invariants.random_arguments(game, np.random.default_rng(table))
    invariants.play_and_check(game, arguments, HANDS, table)


@pytest.mark.slow
@pytest.mark.parametrize("game", invariants.GAMES)
def test_a_hundred_thousand_hands(game: str) -> None:
    invariants.play_tables(game, 100_000, seed=1)
