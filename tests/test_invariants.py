"""Every invariant of Palace hands, at random tables of every kind."""

import numpy as np
import pytest

from tests import invariants


@pytest.mark.parametrize("table", range(24))
def test_random_tables(table: int) -> None:
    rng = np.random.default_rng(table)
    invariants.play_and_check(invariants.random_arguments(rng), 100, table)


@pytest.mark.slow
def test_a_hundred_thousand_hands() -> None:
    rng = np.random.default_rng(1)
    played = 0
    while played < 100_000:
        arguments = invariants.random_arguments(rng)
        played += invariants.play_and_check(arguments, 250, int(rng.integers(2**31)))[0]
