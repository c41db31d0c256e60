"""The state of a table is the whole truth: what seat 0 observes, then all that is hidden and the mover."""

from collections.abc import Iterable
from itertools import chain
from types import ModuleType
from typing import Any

import numpy as np
import numpy.typing as npt
import pytest

from card_table.aec import TableEnv
from card_table.cards import NO_CARD, list_cards

TABLES: dict[str, list[dict[str, Any]]] = {
    "palace": [{"players": 3, "seats": 5, "hands": 3}, {"players": 10, "stack": 12}],
    "detective": [{"players": 3, "seats": 4, "expert": True}, {"players": 4, "streets": 3, "hands": 2}],
}


@pytest.mark.parametrize("table", [0, 1])
def test_the_state_tells_where_every_card_is(face: ModuleType, table: int) -> None:
    env: TableEnv = face.env(**TABLES[face.GAME.name][table])
    rng = np.random.default_rng(table)
    for seed in range(4):
        env.reset(seed=seed)
        while True:
            seen = env.observe("player_0")["observation"]
            state = env.state()
            assert (state[: len(seen)] == seen).all()
            assert state[len(seen) :].tolist() == HIDDEN[env.game.name](env._states[0], env.game.seats)
            if all(env.terminations.values()):
                break
            mask = env.observe(env.agent_selection)["action_mask"]
            env.step(int(rng.choice(np.flatnonzero(mask))))


def flags(size: int, marked: Iterable[int]) -> list[int]:
    """So many bytes, 1 in these places; ``NO_CARD`` marks none."""
    marks = [0] * size
    for place in marked:
        if place != NO_CARD:
            marks[place] = 1
    return marks


def hidden_of_palace(g: np.record, seats: int) -> list[int]:
    told = [flags(52, list_cards(int(g.palace[seat]))) for seat in range(seats)]
    told += [flags(52, g.deck[: g.deck_size].tolist()), flags(52, list_cards(int(g.pile)))]
    return list(chain(*told, flags(seats, [int(g.actor)])))


def hidden_of_detective(g: np.record, seats: int) -> list[int]:
    deck = flags(52, g.deck[: g.deck_size].tolist())
    one_by_one = [*one_each(g.private[:seats]), *one_each(g.exposed[:seats]), *one_each(g.board)]
    thrown, burnt = flags(52, g.thrown.ravel().tolist()), flags(52, g.burnt.tolist())
    under = [flags(4, [int(card) - 1]) for card in g.bet_card[:, :seats].ravel()]
    return list(chain(*one_by_one, thrown, burnt, deck, *under, flags(seats, [int(g.actor)])))


def one_each(cards: npt.NDArray[np.int8]) -> list[list[int]]:
    return [flags(52, [card]) for card in cards.tolist()]


HIDDEN = {"palace": hidden_of_palace, "detective": hidden_of_detective}
