"""Detective hands at tables of every kind: what always holds, what a seat may know, arguments and options."""

import hashlib
import json
import pickle
import warnings
from typing import Any

import numpy as np
import numpy.typing as npt
import pettingzoo
import pytest
from hypothesis import given
from hypothesis import strategies as st

from card_table import history as histories
from card_table.aec import TableEnv
from card_table.batch import Batch
from card_table.cards import N_CARDS, NO_CARD, list_cards
from card_table.compile import rule
from card_table.game import Game, IllegalMoveError, InvalidMoveError, States
from card_table.hands import FULL_HOUSE, QUADS, STRAIGHT_FLUSH
from detective_env import detective_v0, rules
from detective_env.observation import EVEN
from detective_env.text import ACTIONS
from tests import invariants
from tests.detective_invariants import check_states
from tests.plain import said_in_plain_python

with warnings.catch_warnings():  # PettingZoo's tests import one of its environments by a name that it retires
    warnings.filterwarnings("ignore", "The old environment creation API", DeprecationWarning)
    from pettingzoo.test import api_test, seed_test

TABLES: list[dict[str, Any]] = [
    {},
    {"players": 3, "expert": True, "hands": 4},
    {"players": 3, "seats": 4, "expert": True, "ranks": 7, "reward": "win", "chips": 12},
    {"chips": 4, "hand_values": False, "actions": ("bluff",), "ranks": 4, "rounds": 1},
    {"players": 3, "streets": 1, "ranks": 2, "actions": (), "reward": "win", "hands": 2},
    {"streets": 3, "expert": True, "ranks": 8, "chips": 5, "actions": ("blank", "+1")},
]
tables = pytest.mark.parametrize("arguments", TABLES, ids=str)


def random_actions(batch: Batch, rng: np.random.Generator) -> npt.NDArray[np.int64]:
    noise = np.where(batch.masks, rng.random(batch.masks.shape), -1)
    actions: npt.NDArray[np.int64] = np.argmax(noise, axis=1)
    return actions


def positions(seed: int, steps: int, **arguments: Any) -> tuple[Game, States]:
    """A game and states from the middle of random hands of it."""
    rng = np.random.default_rng(seed)
    batch = detective_v0.batch(12, seed=seed, **arguments)
    for _ in range(steps):
        batch.step(random_actions(batch, rng))
    return batch.game, batch.states.copy()


def finished(states: States, game: Game, rng: np.random.Generator) -> States:
    """The same hands played to their end at random, and scored."""
    shown = (
        np.zeros((len(states), game.layout.size), np.uint8),
        np.zeros((len(states), game.n_actions), np.bool_),
        np.zeros(len(states), np.int64),
    )
    outcome = (
        np.zeros((len(states), game.players), np.float32),
        *(np.zeros(len(states), np.bool_) for _ in "ab"),
    )
    states = states.copy()
    for i in range(len(states)):
        while not states["scored"][i]:
            game.kernels.show(states, i, *shown)
            actions = np.zeros(len(states), np.int64)
            actions[i] = rng.choice(np.flatnonzero(shown[1][i]))
            game.kernels.step(states, i, i + 1, actions, False, *shown, *outcome)
    return states


def see(game: Game, states: States, seat: int) -> States:
    views = states.copy()
    game.kernels.see(states, 0, len(states), np.full(len(states), seat), views)
    return views


def look(game: Game, states: States, seat: int) -> npt.NDArray[np.uint8]:
    out = np.zeros((len(states), game.layout.size), np.uint8)
    for i in range(len(states)):
        game.kernels.look(states, i, seat, out[i])
    return out


def cards_in(places: npt.NDArray[np.int8]) -> list[int]:
    return [card for card in places.ravel().tolist() if card != NO_CARD]


@tables
def test_what_holds_at_every_step(arguments: dict[str, Any]) -> None:
    invariants.play_and_check("detective", arguments, 200, seed=1)


@rule
def _strongest(states: States) -> int:
    most = 0
    for i in range(len(states)):
        for seat in range(int(states[i].players)):
            for street in range(4):
                most = max(most, rules.hand_with(states[i], seat, rules.board_on(states[i], street)))
    return most


@rule
def _has_full_house(states: States) -> bool:
    for i in range(len(states)):
        for seat in range(int(states[i].players)):
            for street in range(4):
                strength = rules.hand_with(states[i], seat, rules.board_on(states[i], street))
                if strength >> 20 in (FULL_HOUSE, QUADS):
                    return True
    return False


def test_a_million_expert_hands_make_no_full_house_and_no_four_of_a_kind() -> None:
    for seed in range(50):
        players = 3 + seed % 2
        assert not _has_full_house(detective_v0.batch(20_000, players=players, seed=seed, expert=True).states)


def test_expert_boards_make_no_full_house_and_no_four_of_a_kind() -> None:
    for players in (3, 4):
        expert = detective_v0.batch(8_000, players=players, seed=2, expert=True).states
        assert not _has_full_house(expert)
        assert (expert["thrown"][:, 2, 1] != NO_CARD).any(), "two cards are thrown out on some river"
        assert _has_full_house(detective_v0.batch(8_000, players=players, seed=2).states)
        assert _strongest(expert) < (STRAIGHT_FLUSH + 1) << 20


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


def test_dealers_and_cards_are_uniform() -> None:
    batch = detective_v0.batch(20_000, players=3, seed=3)
    dealers = np.bincount(batch.states["dealer"], minlength=3)
    assert np.abs(dealers - 20_000 / 3).max() < 4 * np.sqrt(20_000 / 3)
    for field in ("private", "exposed", "board", "burnt"):
        cards = cards_in(batch.states[field])
        expected = len(cards) / N_CARDS
        assert np.abs(np.bincount(cards, minlength=N_CARDS) - expected).max() < 5 * np.sqrt(expected)


def test_what_replaces_cards_that_are_thrown_out_is_uniform() -> None:
    states = detective_v0.batch(20_000, players=4, seed=4, expert=True).states
    thrown = (states["thrown"] != NO_CARD).sum(axis=(1, 2))
    # By symmetry each card is as likely as the others to be the river, whatever was thrown out before.
    rivers = states["board"][thrown > 1, 4]
    expected = len(rivers) / N_CARDS
    assert expected > 50
    assert np.abs(np.bincount(rivers, minlength=N_CARDS) - expected).max() < 5 * np.sqrt(expected)


def test_a_hand_takes_its_deal_from_seed_game_and_number_alone() -> None:
    rng = np.random.default_rng(0)
    one, other = detective_v0.batch(16, seed=9), detective_v0.batch(16, seed=9)
    for _ in range(32):
        one.step(random_actions(one, rng))
        other.step(random_actions(other, rng))
    for field in ("dealer", "private", "exposed", "board", "burnt", "deck"):
        assert (one.states[field] == other.states[field]).all()
    assert (one.states["points"] != other.states["points"]).any()


@tables
def test_reset_gives_the_bytes_of_a_fresh_batch(arguments: dict[str, Any]) -> None:
    fresh = detective_v0.batch(8, seed=4, **arguments)
    played = detective_v0.batch(8, seed=4, **arguments)
    rng = np.random.default_rng(0)
    for _ in range(20):
        played.step(random_actions(played, rng))
    assert played.states["bet_points"].any(), "what bets brought stays until the next scoring"
    played.reset()
    assert played.states.tobytes() == fresh.states.tobytes()
    assert (played.observations == fresh.observations).all()


def trajectory(batch: Batch, steps: int, seed: int) -> str:
    """A hash of all that a batch shows on a random walk."""
    rng = np.random.default_rng(seed)
    digest = hashlib.sha256()
    for _ in range(steps):
        batch.step(random_actions(batch, rng))
        views = batch.views()
        digest.update(views.tobytes())
        batch.game.kernels.complete(views, 0, len(views), seed)
        state = np.zeros(batch.game.state_size, np.uint8)
        batch.game.encode_state(batch.states[:1], state)
        shown = (batch.observations, batch.masks, batch.actors, batch.rewards)
        for array in (batch.states, views, state, *shown):
            digest.update(array.tobytes())
    return digest.hexdigest()


@pytest.mark.parametrize("table", range(len(TABLES)))
def test_plain_python_plays_the_same_games(table: int) -> None:
    code = (
        "from tests.test_detective_rules import TABLES, trajectory; from detective_env import detective_v0;"
        f"print(trajectory(detective_v0.batch(3, seed=5, **TABLES[{table}]), 40, 2))"
    )
    compiled = trajectory(detective_v0.batch(3, seed=5, **TABLES[table]), 40, 2)
    assert said_in_plain_python(code) == compiled


@given(
    players=st.integers(3, 4),
    turned=st.integers(1, 2),
    seed=st.integers(0, 2**32),
    expert=st.booleans(),
    choices=st.lists(st.integers(0, 60), min_size=16, max_size=16),
)
def test_turning_the_table_turns_the_results(
    players: int, turned: int, seed: int, expert: bool, choices: list[int]
) -> None:
    first = detective_v0.env(players=players, expert=expert, hands=1)
    first.reset(seed=seed)
    hand = _play(first, choices)

    def turn(by_seat: list[Any]) -> list[Any]:
        return [by_seat[(seat - turned) % players] for seat in range(players)]

    second = detective_v0.env(players=players, expert=expert, hands=1)
    deal = {key: turn(hand[key]) for key in ("private", "exposed")}
    deal |= {key: hand[key] for key in ("board", "thrown")}
    second.reset(seed=seed + 1, options={"dealer": (hand["dealer"] + turned) % players, "deal": deal})
    other = _play(second, choices)
    assert other["points"] == turn(hand["points"])
    assert other["thrown"] == hand["thrown"]
    assert second.winners == sorted((seat + turned) % players for seat in first.winners)


def _play(env: TableEnv, choices: list[int]) -> dict[str, Any]:
    """Play a hand by the legal moves that the choices point at, seats counted from the actor."""
    for choice in choices[: len(env.possible_agents) * 4]:
        legal = np.flatnonzero(env.observe(env.agent_selection)["action_mask"])
        env.step(int(legal[choice % len(legal)]))
    return env.histories[-1]


# ---- what a seat may know


def test_a_finished_hand_is_turned_up() -> None:
    rng = np.random.default_rng(0)
    game, states = positions(1, 0)
    states = finished(states, game, rng)
    for seat in range(4):
        views = see(game, states, seat)
        for field in ("private", "exposed", "board", "bet_card", "cards", "private_strength"):
            assert (views[field] == states[field]).all()
        assert (views["burnt"] == NO_CARD).all()


@tables
def test_a_view_filled_in_is_a_whole_game_with_the_same_view(arguments: dict[str, Any]) -> None:
    for steps in (0, 3, 6, 11):
        game, states = positions(steps, steps, **arguments)
        for seat in range(game.players):
            views = see(game, states, seat)
            filled, again = views.copy(), views.copy()
            game.kernels.complete(filled, 0, len(filled), 7)
            game.kernels.complete(again, 0, len(again), 7)
            assert filled.tobytes() == again.tobytes(), "from the seed alone"
            assert see(game, filled, seat).tobytes() == views.tobytes()
            check_states(filled, game)


def test_filling_in_is_uniform() -> None:
    game, states = positions(3, 6)  # on the flop, two have bet
    index = next(i for i, g in enumerate(states) if (g.bet_card[0] > 0).any())
    one = states[index : index + 1]
    hidden = int(np.flatnonzero(one["bet_card"][0, 0] > 0)[0])
    seat = (hidden + 1) % 4
    views = np.repeat(see(game, one, seat), 20_000)
    game.kernels.complete(views, 0, len(views), 3)
    known = {*one["board"][0, :3].tolist(), int(one["private"][0, seat])}
    known |= {int(one["exposed"][0, s]) for s in range(4) if s != seat}
    for places in (views["private"][:, hidden], views["exposed"][:, seat], views["board"][:, 3]):
        counts = np.bincount(places, minlength=N_CARDS)
        assert set(np.flatnonzero(counts).tolist()) == set(range(N_CARDS)) - known
        expected = 20_000 / (N_CARDS - len(known))
        assert np.abs(counts[counts > 0] - expected).max() < 5 * np.sqrt(expected)
    kinds = np.bincount(views["bet_card"][:, 0, hidden], minlength=5)
    assert kinds[0] == 0
    assert np.abs(kinds[1:] - 5_000).max() < 5 * np.sqrt(5_000)


def test_points_saturate_in_the_observation_and_order_seats() -> None:
    game, states = positions(0, 0)
    states["points"][:, :] = [10, 13, -2000, 2000]
    seen = [look(game, states, 0)[0, game.layout.slice_of("points", seat)].item() for seat in range(4)]
    assert seen == [0, EVEN + 3, 0, 255]


# ---- text, histories, the table


def table(**arguments: Any) -> TableEnv:
    """Three players, dealer at seat 2, known cards."""
    env = detective_v0.env(players=3, **arguments)
    deal = {"private": ["Ah", "7c", "Kd"], "exposed": ["2c", "7d", "9h"], "board": ["3s", "4s", "Jd"]}
    env.reset(seed=1, options={"dealer": 2, "deal": deal})
    return env


@pytest.mark.parametrize(
    ("written", "meant"),
    [
        ("bet 1 2", "bet 1 2"),
        ("  BET   2 3  +1 ", "bet 2 3 +1"),
        ("Bet 0 1 ClockWise", "bet 0 1 clockwise"),
        ("bet 00 01\tBLUFF\n", "bet 0 1 bluff"),
        ("bet 1 1 blank", "bet 1 1 blank"),
    ],
)
def test_moves_are_read_in_any_case_and_spacing(written: str, meant: str) -> None:
    env = table()
    assert env.move_text(env.parse_move(written)) == meant


@pytest.mark.parametrize(
    "text",
    [
        *("", "bet", "bet 1", "bet one 1", "bet 1 -1", "bet 1 1 +2", "bet 1 1 + 1", "bet 1 1 1", "call"),
        *("bet 1 1 blank blank", "bet1 1", "bet 1 1.0", "bet \u0661 1", "bet 1 1 +01", None, 3),
    ],
)
def test_text_that_is_no_move(text: Any) -> None:  # noqa: ANN401
    with pytest.raises(InvalidMoveError, match="is no move: write bet SEAT CHIPS"):
        table().parse_move(text)


@pytest.mark.parametrize(
    "text", ["bet 3 1", "bet 1 0", "bet 1 4", "bet 9999999999999999999 1", "bet 1 1 bluff"]
)
def test_moves_that_are_not_allowed_now(text: str) -> None:
    env = table(actions=("+1",))
    with pytest.raises(IllegalMoveError, match=r"is not allowed now, seat 0 may: bet 0 1, bet 0 1 \+1, "):
        env.parse_move(text)


@tables
def test_all_actions_have_words_of_their_own(arguments: dict[str, Any]) -> None:
    env = detective_v0.env(**arguments)
    env.reset(seed=0)
    words = [env.game.format_move(env._states, action) for action in range(-1, env.game.n_actions + 1)]
    inside = words[1 : 1 + env.game.players * rules.BETS]
    assert len(set(inside)) == len(inside)
    assert not any(words[1 + len(inside) :] + words[:1])
    for action in np.flatnonzero(env.observe(env.agent_selection)["action_mask"]).tolist():
        assert env.parse_move(env.move_text(action)) == action


@tables
def test_views_in_words_keep_to_the_screen(arguments: dict[str, Any]) -> None:
    env = detective_v0.env(render_mode="ansi", **arguments)
    env.reset(seed=3)
    rng = np.random.default_rng(0)
    for agent in env.agent_iter():
        for other in env.possible_agents:
            lines = env.view_text(other).split("\n")
            assert all(len(line) <= 80 and line.isascii() and line == line.rstrip() for line in lines)
        text = env.render()
        assert text is not None
        if env.terminations[agent]:
            assert "The hand is over." in text
            assert "The game is over:" in text
            assert "##" not in text
            env.step(None)
            continue
        assert "It is your bet." in text
        env.step(int(rng.choice(np.flatnonzero(env.observe(agent)["action_mask"]))))


def test_a_view_in_words_tells_what_one_needs() -> None:
    env = table(expert=True)
    for move in ("bet 1 2 bluff", "bet 1 1", "bet 2 1 +1", "bet 0 1 +1"):
        env.step(env.parse_move(move))
    text = env.view_text("player_2")
    words = " ".join(text.split())
    for part in (
        *("expert mode", "Hand 1 of 6", "You are seat 2, the dealer is you", "Board: 3s 4s Jd."),
        *("preflop seat 0: 2 chips on seat 1, a card under it", "seat 1: 1 chip on itself preflop you: "),
        *("preflop you: 1 chip on yourself, +1 under it", "you: high card king jack four three"),
        *("flop seat 1: 1 chip on seat 0, a card under it", "hand: clockwise, bluff, blank."),
        *("CHIPS 1 to 3, of your 6", "SEAT 0 to 2"),
    ):
        assert part in words
    assert "9h" not in text, "one's own exposed card"
    assert "bluff under it" not in text


@tables
def test_any_history_plays_again_and_writes_the_same_bytes(arguments: dict[str, Any]) -> None:
    env = detective_v0.env(**arguments)
    rng = np.random.default_rng(0)
    for seed in range(3):
        env.reset(seed=seed)
        while not any(env.terminations.values()):
            env.step(int(rng.choice(np.flatnonzero(env.observe(env.agent_selection)["action_mask"]))))
        assert len(env.histories) == env.game.hands
        lines = [histories.write(history) for history in env.histories]
        read = list(histories.read(lines, detective_v0.GAME))
        assert [histories.write(history) for history in read] == lines
        for history in read:
            again = TableEnv.from_history(history, detective_v0.GAME)
            for _, move in history["moves"]:
                again.step(again.parse_move(move))
            assert json.dumps(again.histories[0]) == json.dumps(history)


def test_a_history_that_the_rules_forbid_is_refused() -> None:
    env = detective_v0.env(hands=1)
    env.reset(seed=0)
    while not any(env.terminations.values()):
        env.step(int(np.flatnonzero(env.observe(env.agent_selection)["action_mask"])[0]))
    (history,) = env.histories
    for key, value, message in (
        ("points", [9, 9, 9, 9], r"points\[0\]=9: the hand as it was played has 2"),
        ("dealer", 4, "dealer=4"),
        ("board", history["board"][:4], "board="),
        ("moves", history["moves"][:-1], "they stop before the hand is over"),
        ("private", ["Ah"], r"deal\['private'\]"),
        ("thrown", [["Ah"], [], []], "only expert mode throws"),
        ("exposed", None, "exposed=None"),
    ):
        with pytest.raises(ValueError, match=message):
            TableEnv.from_history({**history, key: value}, detective_v0.GAME)


@tables
@pytest.mark.filterwarnings(
    "ignore:Observation is not a NumPy array", "ignore:Observation space for each agent"
)
def test_pettingzoo_accepts_it(arguments: dict[str, Any]) -> None:
    api_test(detective_v0.env(**arguments), num_cycles=100)
    seed_test(lambda: detective_v0.env(**arguments), num_cycles=100)


def test_it_is_registered() -> None:
    env = pettingzoo.make("aec", "detective_env/Detective-v0", players=3)
    assert isinstance(env, TableEnv)
    assert env.metadata["name"] == "detective_v0"
    assert env.game.rules["players"] == 3


def test_a_pickle_goes_on_alike() -> None:
    env = detective_v0.env()
    env.reset(seed=5)
    rng = np.random.default_rng(0)
    for _ in range(21):
        env.step(int(rng.choice(np.flatnonzero(env.observe(env.agent_selection)["action_mask"]))))
    other = pickle.loads(pickle.dumps(env))
    while not any(env.terminations.values()):
        action = int(rng.choice(np.flatnonzero(env.observe(env.agent_selection)["action_mask"])))
        env.step(action)
        other.step(action)
        assert (other.state() == env.state()).all()
    assert other.histories == env.histories
    assert other.winners == env.winners != []


# ---- arguments and options


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"players": 2}, "players=2: must be a whole number from 3 to 4"),
        ({"rounds": 0}, "rounds=0: must be a whole number from 1 to 1000000"),
        ({"hands": 9}, "hands=9: must be a whole number from 1 to 8"),
        ({"chips": 3}, "chips=3: must be a whole number from 4 to 12"),
        ({"chips": 13}, "chips=13: must be a whole number from 4 to 12"),
        ({"expert": 1}, "expert=1: must be True or False"),
        ({"reward": "points"}, "reward='points': must be 'margin' or 'win'"),
        ({"seats": 3}, "seats=3: must be a whole number from 4 to 4"),
        ({"hand_values": None}, "hand_values=None: must be True or False"),
        ({"ranks": 3}, "ranks=3: 12 cards are too few, 4 players and 4 streets need 16"),
        (
            {"ranks": 6, "expert": True},
            "ranks=6: must be 7 at least in expert mode with 4 players and 4 streets",
        ),
        ({"streets": 5}, "streets=5: must be a whole number from 1 to 4"),
        ({"actions": "bluff"}, "actions='bluff': must be a list"),
        ({"actions": ("bluff", "Blank")}, r"actions\[1\]='Blank': choose from"),
        ({"actions": ("bluff", "bluff")}, r"actions=\('bluff', 'bluff'\): has 'bluff' twice"),
        ({"stack": 3}, "argument 'stack' is unknown: choose from"),
    ],
)
def test_bad_arguments(arguments: dict[str, Any], message: str) -> None:
    with pytest.raises(ValueError, match=message):
        detective_v0.env(**arguments)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"button": 0}, "option 'button' is unknown"),
        ({"dealer": 3}, "dealer=3: must be a whole number from 0 to 2"),
        ({"deal": []}, r"deal=\[\]: must be a dict"),
        ({"deal": {"draws": []}}, "deal key 'draws' is unknown"),
        ({"deal": {"private": ["Ah", "Kd"]}}, r"deal\['private'\]=.* has 2 entries, must have 3"),
        (
            {"deal": {"private": ["Ah", "Kd", "Ah"]}},
            r"deal\['private'\]\[2\]='Ah': deal\['private'\]\[0\] is that",
        ),
        ({"deal": {"exposed": ["Ah", None, "Kd"]}}, r"deal\['exposed'\]\[1\]: None is no card"),
        ({"deal": {"exposed": ["Ah", "2d", "Kd"]}}, "the deck holds the top 8 ranks alone"),
        ({"deal": {"board": ["Ah"] * 6}}, "has 6 cards, must have 5 at most"),
        (
            {"deal": {"board": ["Ah", "Kd", "As"]}},
            r"deal\['board'\]\[2\]='As': its rank is on the board already",
        ),
        ({"deal": {"thrown": [[], []]}}, "has 2 entries, must have 3"),
        (
            {"deal": {"board": ["Ah", "Kd"], "thrown": [["As"], [], []]}},
            r"\['thrown'\]\[0\]=.* gives 3 cards",
        ),
        (
            {"deal": {"board": ["Ah", "Kd", "Qd"], "thrown": [["Qs"], [], []]}},
            r"\['thrown'\]\[0\]\[0\]='Qs': must have the rank .* Ah Kd",
        ),
    ],
)
def test_bad_options_change_nothing(options: dict[str, Any], message: str) -> None:
    env = detective_v0.env(players=3, expert=True, ranks=8)
    env.reset(seed=1)
    before = env.state()
    with pytest.raises(ValueError, match=message):
        env.reset(seed=2, options=options)
    assert (env.state() == before).all()


def test_a_partial_deal_leaves_the_rest_to_the_seed() -> None:
    env = detective_v0.env(expert=True)
    deal: dict[str, Any] = {"board": ["Ah", "Kd", "Qs", "2c"], "thrown": [["As", "Kc"], ["Qd"], []]}
    decks: list[tuple[list[str], list[str], str]] = []
    for seed in (1, 1, 2):
        env.reset(seed=seed, options={"dealer": 2, "deal": deal})
        check_states(env._states, env.game)
        history = env.game.begin_history(env._states)
        assert history["board"][:4] == deal["board"]
        assert history["thrown"][:2] == deal["thrown"][:2]
        decks.append((history["private"], history["exposed"], history["board"][4]))
    assert decks[0] == decks[1] != decks[2]
    env.reset(seed=1, options={"dealer": 0, "deal": {"board": ["Ah"]}})
    check_states(env._states, env.game)
    assert env.game.begin_history(env._states)["board"][0] == "Ah"


def test_the_arguments_stand_in_histories_with_defaults_filled_in() -> None:
    game = detective_v0.Detective(players=3, actions=("blank", "+1"))
    assert game.rules == {
        "players": 3,
        "rounds": 2,
        "hands": None,
        "chips": 7,
        "expert": False,
        "ranks": 13,
        "streets": 4,
        "actions": ["+1", "blank"],
    }
    assert game.hands == 6
    assert len(ACTIONS) == rules.KINDS - 1
    assert list_cards(int(game.record["actions"][0])) == [rules.PLUS_ONE, rules.BLANK]
