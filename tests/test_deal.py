"""Deals: what is prescribed lies where it should, and what is reserved stays in the deck."""

from types import ModuleType
from typing import Any

import numpy as np
import pytest

from card_table.aec import TableEnv
from card_table.cards import format_card, list_cards, parse_card, set_of
from card_table.compile import OK
from card_table.game import Game, States, copy_states
from card_table.hands import name_hand
from card_table.layout import Layout
from detective_env import detective_v0
from detective_env.rules import board_on, hand_with
from palace_env import palace_v0
from tests import invariants

RESERVED = set_of(range(3, 52, 2))


def dealt(game: Game, reserved: int = 0, **prescribed: Any) -> States:
    """One game right after the deal, with some fields of its record written before."""
    states = copy_states(game.record)
    game.kernels.prepare(states, 0, False)
    for field, cards in prescribed.items():
        states[field][0, : len(cards)] = cards
    shown = np.zeros((1, game.layout.size), np.uint8), np.zeros((1, game.n_actions), np.bool_)
    assert game.kernels.deal_hand(states, 0, reserved, *shown, np.zeros(1, np.int64)) == OK
    invariants.GAMES[game.name].of.check_states(states, game)
    return states


@pytest.mark.parametrize("seed", range(4))
def test_reserved_cards_stay_in_the_deck(face: ModuleType, seed: int) -> None:
    game = face.GAME(players=3)
    game.record["seed"] = seed
    assert deck_of(dealt(game, RESERVED)) & RESERVED == RESERVED
    assert deck_of(dealt(game)) & RESERVED != RESERVED


def deck_of(states: States) -> int:
    """The cards of the deck, as a set."""
    return set_of(states["deck"][0, : int(states["deck_size"][0])].tolist())


def test_hands_are_made_of_both_cards_and_the_board_of_the_street() -> None:
    env = detective_v0.env(players=3)
    deal = {"private": ["Ah", "7c", "Kd"], "exposed": ["As", "7d", "9h"]}
    env.reset(seed=1, options={"deal": {**deal, "board": ["Ac", "Ad", "2c", "7h", "7s"]}})
    g = env._states[0]
    boards = [board_on(g, street) for street in range(4)]
    names = [[name_hand(int(hand_with(g, seat, board))) for board in boards] for seat in range(3)]
    assert names == [
        ["pair of aces", "four aces, two kicker", *["four aces, seven kicker"] * 2],
        [
            "pair of sevens",
            "two pair, aces and sevens, two kicker",
            "full house, sevens full of aces",
            "four sevens, ace kicker",
        ],
        [
            "high card king nine",
            "pair of aces, king nine two kickers",
            "pair of aces, king nine seven kickers",
            "two pair, aces and sevens, king kicker",
        ],
    ]


def test_twelve_cards_thrown_out_on_one_street_are_all_shown() -> None:
    env = detective_v0.env(players=3, expert=True)
    board = ["Ac", "Kd", "Qh", "Js", "2c"]
    ranks = [parse_card(card) % 13 for card in board[:4]]
    thrown = [
        format_card(card) for card in range(52) if card % 13 in ranks and format_card(card) not in board
    ]
    assert len(thrown) == 12
    env.reset(seed=1, options={"deal": {"board": board, "thrown": [[], [], thrown]}})
    for street in range(4):
        assert cards_shown(env, detective_v0.LAYOUT, "thrown") == (set(thrown) if street == 3 else set())
        for _ in env.agents:
            env.step(int(np.flatnonzero(env.observe(env.agent_selection)["action_mask"])[0]))
    assert env.histories[0]["thrown"] == [[], [], thrown]


def cards_shown(env: TableEnv, layout: Layout, piece: str) -> set[str]:
    """The cards of one piece of the mover's observation."""
    shown = env.observe(env.agent_selection)["observation"][layout.slice_of(piece)]
    return {format_card(card) for card in np.flatnonzero(shown).tolist()}


def test_a_seat_without_chips_may_have_no_list_of_cards() -> None:
    env = palace_v0.env(players=3)
    deal = {"banners": ["Ah", None, "Kd"], "palaces": [["2c", "5d", "9h"], None, ["Qs", "Qc", "6h"]]}
    env.reset(seed=1, options={"stacks": [9, 0, 9], "deal": deal})
    state = env.view("player_0")
    assert list_cards(int(state["palace"][0, 0])) == sorted(map(parse_card, ["2c", "5d", "9h"]))
    assert state["in_hand"][0, :3].tolist() == [1, 0, 1]


def test_a_deal_that_leaves_no_banner_is_refused() -> None:
    env = palace_v0.env(players=4, ranks=2, palace_cards=1)
    env.reset(seed=1)
    before = env.state().tobytes()
    deal = {"palaces": [["Ac"], ["Kc"], ["As"], ["Ah"]]}
    with pytest.raises(ValueError, match="leaves some player no banner"):
        env.reset(options={"deal": deal})
    with pytest.raises(ValueError, match=r"deal\['draws'\]\[0\]='9c': the deck holds the top 2 ranks alone"):
        env.reset(options={"deal": {"draws": ["9c"]}})
    assert env.state().tobytes() == before
