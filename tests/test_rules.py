"""What golden hands do not show of the Palace rules: the record, the deal, the button, turning the table."""

import itertools
from types import ModuleType
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from card_table.aec import TableEnv
from card_table.cards import NO_CARD
from card_table.hands import FLUSH, HIGH_CARD
from palace_env import palace_v0, rules
from tests import invariants
from tests.palace_invariants import check_states


def test_the_record_has_no_padding_and_widest_fields_first() -> None:
    end = 0
    widths = []
    assert rules.STATE.fields is not None
    for name in rules.STATE.names or ():
        dtype, offset = rules.STATE.fields[name][:2]
        assert offset == end, "no gap"
        assert dtype.base.kind == "i", "signed fields only"
        end += dtype.itemsize
        widths.append(dtype.base.itemsize)
    assert end == rules.STATE.itemsize
    assert rules.STATE.itemsize % 8 == 0, "every record of an array is aligned"
    assert widths == sorted(widths, reverse=True)


def test_every_seat_is_the_first_button_equally_often() -> None:
    batch = palace_v0.batch(20_000, players=5, seed=3)
    counts = np.bincount(batch.states["button"], minlength=5)
    assert np.abs(counts - 4_000).max() < 4 * np.sqrt(4_000)


def test_the_button_moves_left_past_players_without_chips() -> None:
    env = palace_v0.env(players=4, hands=3)
    env.reset(seed=0, options={"button": 0, "stacks": [10, 0, 10, 10]})
    for agent in env.agent_iter():
        env.step(None if env.terminations[agent] else env.parse_move("fold"))
    assert [hand["button"] for hand in env.histories] == [0, 2, 3]


def test_banners_of_a_group_differ_and_palaces_are_uniform() -> None:
    batch = palace_v0.batch(4_000, players=10, seed=5)
    states = batch.states
    for game in range(len(batch)):
        order = [(int(states["button"][game]) + ahead) % 10 for ahead in range(1, 11)]
        for group in (order[:4], order[4:8], order[8:]):
            suits = {int(states["banner"][game, seat]) // 13 for seat in group}
            assert len(suits) == len(group)
    counts = np.bincount(states["dealt"].ravel(), minlength=52)
    expected = 4_000 * 30 / 52
    assert np.abs(counts - expected).max() < 5 * np.sqrt(expected)


def test_banners_when_the_deck_runs_out_while_they_are_dealt() -> None:
    # 16 cards for two groups of 4 who need 4 suits: what was laid aside for the first is dealt to the second.
    batch = palace_v0.batch(200, players=8, ranks=4, palace_cards=1, seed=1)
    ahead = (batch.states["button"][:, None] + np.arange(1, 9)) % 8
    suits = np.take_along_axis(batch.states["banner"], ahead, axis=1) // 13
    assert (np.sort(suits.reshape(200, 2, 4), axis=2) == [0, 1, 2, 3]).all()
    assert (batch.states["deck_size"] == 0).all()
    check_states(batch.states, batch.game)


def test_a_hand_takes_its_deal_from_seed_game_and_number_alone() -> None:
    played = palace_v0.batch(64, seed=9)
    fresh = palace_v0.batch(64, seed=9)
    rng = np.random.default_rng(0)
    while not (played.states["deals"] >= 3).all():
        played.step([rng.choice(np.flatnonzero(mask)) for mask in played.masks])
    for game in range(64):
        number = int(played.states["deals"][game]) - 1
        start = palace_v0.batch(1, seed=9, first=game)
        for _ in range(number):
            while not start.hand_over[0]:
                start.step([rules.FOLD] if start.masks[0, rules.FOLD] else [rules.DONE])
            start.hand_over[0] = False
        assert (start.states["dealt"][0] == played.states["dealt"][game]).all()
    assert (fresh.states["dealt"] != played.states["dealt"]).any()


def test_every_card_is_bought_first_equally_often() -> None:
    batch = palace_v0.batch(20_000, players=2, seed=6)
    buyers = batch.actors.astype(int)
    batch.step(np.full(len(batch), rules.BUY))
    bought = batch.states["soldiers"][np.arange(len(batch)), buyers]
    counts = np.bincount(np.log2(bought).astype(int), minlength=52)
    expected = 20_000 / 52
    assert np.abs(counts - expected).max() < 5 * np.sqrt(expected)


def test_four_soldiers_and_banner_of_one_suit_are_seen_to_be_a_flush() -> None:
    env = palace_v0.env(players=2, forced_duel=False)
    deal = {"banners": ["2h", "7c"], "draws": ["4h", "6h", "8h", "Th"]}
    env.reset(seed=0, options={"button": 1, "deal": deal})
    piece = env.game.layout.slice_of("shown_category", 1)
    shown = []
    for _ in deal["draws"]:
        for move in ("buy", "done", "stay"):
            env.step(env.parse_move(move))
        shown.append(np.flatnonzero(env.observe("player_1")["observation"][piece]).tolist())
    assert shown == [[HIGH_CARD], [HIGH_CARD], [HIGH_CARD], [FLUSH]]


def test_who_wins_with_too_many_soldiers_need_discard_none_when_the_hand_is_over() -> None:
    env = palace_v0.env(players=2, forced_duel=False)
    env.reset(seed=0, options={"button": 1, "deal": {"banners": ["Ah", "7c"]}})
    for _ in range(5):
        for move in ("buy", "done", "stay"):
            env.step(env.parse_move(move))
    for move in ("attack 1", "fold"):
        env.step(env.parse_move(move))
    assert int(env.view("player_0")[0].soldiers[0]).bit_count() == 6
    excess = env.game.layout.slice_of("excess")
    assert not any(env.observe(agent)["observation"][excess] for agent in env.possible_agents)


def _play(env: TableEnv, choices: list[int]) -> list[int]:
    """Play a hand by taking the legal moves that the choices point at; returns the net of each seat."""
    for step in range(10_000):
        if env.terminations[env.agent_selection]:
            break
        legal = np.flatnonzero(env.observe(env.agent_selection)["action_mask"])
        env.step(int(legal[choices[step % len(choices)] % len(legal)]))
    return list(env.histories[-1]["net"])


@given(
    players=st.integers(2, 10),
    turned=st.integers(1, 9),
    seed=st.integers(0, 2**32),
    betting=st.sampled_from(["limit", "no-limit"]),
    choices=st.lists(st.integers(0, 60), min_size=1, max_size=40),
)
def test_turning_the_table_turns_the_results(
    players: int, turned: int, seed: int, betting: str, choices: list[int]
) -> None:
    first = palace_v0.env(players=players, betting=betting)
    first.reset(seed=seed)
    start = _play(first, choices)
    hand = first.histories[0]

    def turn(by_seat: list[Any]) -> list[Any]:
        return [by_seat[(seat - turned) % players] for seat in range(players)]

    second = palace_v0.env(players=players, betting=betting)
    deal = {"banners": turn(hand["banners"]), "palaces": turn(hand["palaces"]), "draws": hand["draws"]}
    second.reset(seed=seed + 1, options={"button": (hand["button"] + turned) % players, "deal": deal})
    assert _play(second, choices) == turn(start)
    moves = [
        [(seat + turned) % players, text] for seat, text in hand["moves"] if not text.startswith("attack")
    ]
    assert [move for move in second.histories[0]["moves"] if not move[1].startswith("attack")] == moves


def test_seats_are_counted_clockwise(face: ModuleType) -> None:
    of = invariants.GAMES[face.GAME.name].of.RULES
    g = face.batch(1, players=3).states[0]
    for seat, other in itertools.product(range(3), repeat=2):
        ahead = int(of.places_ahead(g, seat, other))
        assert ahead == (other - seat) % 3
        assert of.seat_ahead(g, seat, ahead) == other


def test_a_hand_given_whole_plays_alike_whatever_the_seed() -> None:
    first = palace_v0.env(players=3)
    first.reset(seed=1)
    net = _play(first, [5, 1, 2, 3])
    history = first.histories[0]
    options = {
        "button": history["button"],
        "deal": {key: history[key] for key in ("banners", "palaces", "draws")},
    }
    for seed in (2, 3):
        again = palace_v0.env(players=3)
        again.reset(seed=seed, options=options)
        assert _play(again, [5, 1, 2, 3]) == net
        assert again.histories == [history]


def test_a_partial_deal_leaves_the_rest_to_the_seed() -> None:
    env = palace_v0.env(players=2)
    palaces = []
    for seed in (1, 1, 2):
        env.reset(seed=seed, options={"deal": {"banners": ["Ah", "Kd"]}})
        state = env._states[0]
        assert state.banner[:2].tolist() == [38, 24]
        assert NO_CARD not in state.dealt[:2].ravel()
        palaces.append(state.dealt[:2].tolist())
    assert palaces[0] == palaces[1] != palaces[2]


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"players": 1}, "players=1: must be a whole number from 2 to 10"),
        ({"betting": "pot-limit"}, "betting='pot-limit': must be 'limit' or 'no-limit'"),
        ({"small_bet": 0}, "small_bet=0: must be a whole number from 1 to 100000000"),
        ({"small_bet": 4, "big_bet": 3}, "big_bet=3: must be a whole number from 4 to 100000000"),
        ({"ante": -1}, "ante=-1: must be a whole number from 0 to 100000000"),
        ({"stack": 0}, "stack=0: must be"),
        ({"hands": 0}, "hands=0: must be"),
        ({"max_raises": -1}, "max_raises=-1: must be a whole number from 0 to 100000000"),
        ({"bare_raise": 0}, "bare_raise=0: must be"),
        ({"sizes": 3}, "sizes=3: must be a list"),
        ({"sizes": (1, 0)}, r"sizes\[1\]=0: must be a whole number from 1 to 100000000"),
        ({"sizes": (1, 2, 2)}, r"sizes=\(1, 2, 2\): must be strictly increasing"),
        ({"sizes": range(1, 10)}, r"sizes=range\(1, 10\): must be a list"),
        ({"sizes": list(range(1, 10))}, r"sizes=\[1, .*, 9\]: at most 8 sizes"),
        ({"discard_fee": 0.5}, r"discard_fee=0\.5: must be"),
        ({"forced_duel": 1}, "forced_duel=1: must be True or False"),
        ({"seats": 3}, "seats=3: must be a whole number from 4 to 10"),
        ({"hand_values": None}, "hand_values=None: must be True or False"),
        ({"ranks": 1}, "ranks=1: must be a whole number from 2 to 13"),
        ({"palace_cards": 4}, "palace_cards=4: must be a whole number from 1 to 3"),
        ({"max_soldiers": 6}, "max_soldiers=6: must be a whole number from 0 to 5"),
        (
            {"ranks": 2, "players": 3, "palace_cards": 2},
            "ranks=2: 8 cards are too few, 3 players with 2 palace cards and a banner need 9",
        ),
    ],
)
def test_bad_arguments(arguments: dict[str, Any], message: str) -> None:
    with pytest.raises(ValueError, match=f"^{message}"):
        palace_v0.env(**arguments)


@pytest.mark.parametrize("first", [0, 1_000])
def test_first_numbers_the_games(first: int) -> None:
    whole = palace_v0.batch(1_010, seed=4)
    part = palace_v0.batch(10, seed=4, first=first)
    assert (whole.observations[first : first + 10] == part.observations).all()
