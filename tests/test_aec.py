"""One table as a PettingZoo environment: PettingZoo's own tests, and the conduct that they do not check."""

import copy
import json
import pickle
import random
import warnings
from collections import defaultdict
from collections.abc import Callable
from pathlib import Path
from types import ModuleType
from typing import Any

import gymnasium
import numpy as np
import pettingzoo
import pytest

from card_table.aec import TableEnv
from card_table.game import IllegalMoveError, InvalidMoveError, NotPlayingError
from detective_env import detective_v0
from palace_env import palace_v0

with warnings.catch_warnings():  # PettingZoo's tests import one of its environments by a name that it retires
    warnings.filterwarnings("ignore", "The old environment creation API", DeprecationWarning)
    from pettingzoo.test import api_test, performance_benchmark, render_test, seed_test

ARGUMENTS: list[dict[str, Any]] = [
    {},
    {"players": 2},
    {"players": 10},
    {"players": 3, "seats": 5, "betting": "no-limit", "ante": 4, "stack": 40},
    {"players": 4, "hands": 6, "stack": 9, "ante": 2},
    {"players": 2, "ranks": 4, "palace_cards": 1, "max_soldiers": 2, "hand_values": False, "hands": 2},
]
each = pytest.mark.parametrize("arguments", ARGUMENTS, ids=str)
BOTH = [
    *((palace_v0, arguments) for arguments in ARGUMENTS),
    (detective_v0, {"hands": 1}),
    (detective_v0, {"players": 3, "seats": 4, "expert": True, "rounds": 1}),
]
each_of_both = pytest.mark.parametrize(
    ("face", "arguments"), BOTH, ids=[f"{face.GAME.name}-{arguments}" for face, arguments in BOTH]
)
# What PettingZoo warns of for any Dict space.
dict_spaces = [
    pytest.mark.filterwarnings(f"ignore:^{text}$:UserWarning")
    for text in (
        "Observation is not a NumPy array",
        r"Observation space for each agent probably should be gymnasium\.spaces\.box or "
        r"gymnasium\.spaces\.discrete",
    )
]


def legal(env: TableEnv) -> list[int]:
    mask = env.observe(env.agent_selection)["action_mask"]
    return [int(action) for action in np.flatnonzero(mask)]


def take(env: TableEnv, *moves: str) -> None:
    for move in moves:
        env.step(env.parse_move(move))


def play_on(env: TableEnv, rng: np.random.Generator, most: int = 10_000) -> list[int]:
    """Make random moves until the episode is over, or so many."""
    made: list[int] = []
    while len(made) < most and not any(env.terminations.values()):
        made.append(int(rng.choice(legal(env))))
        env.step(made[-1])
    return made


def snapshot(env: TableEnv) -> tuple[Any, ...]:
    """All that can be seen of a table."""
    agents = env.possible_agents
    seen = [array.tobytes() for agent in agents for array in env.observe(agent).values()]
    tables = (env.rewards, env.terminations, env.truncations, env.infos, env._cumulative_rewards)
    return (
        env.state().tobytes(),
        seen,
        [env.view(agent).tobytes() for agent in agents],
        list(env.agents),
        env.agent_selection,
        [dict(table) for table in tables],
        env.histories,
        env.winners,
    )


# ---- PettingZoo's own tests


@each
@dict_spaces[0]
@dict_spaces[1]
def test_api(arguments: dict[str, Any], capsys: pytest.CaptureFixture[str]) -> None:
    api_test(palace_v0.env(**arguments), num_cycles=100)
    assert "Passed API test" in capsys.readouterr().out


@each
def test_same_seed_same_game(arguments: dict[str, Any]) -> None:
    seed_test(lambda: palace_v0.env(**arguments), num_cycles=50)


@each_of_both
def test_render(face: ModuleType, arguments: dict[str, Any]) -> None:
    render_test(lambda render_mode: face.env(render_mode=render_mode, **arguments))


def test_performance_benchmark(capsys: pytest.CaptureFixture[str]) -> None:
    performance_benchmark(palace_v0.env())
    assert "Finished performance benchmark" in capsys.readouterr().out


def test_the_registry_makes_it() -> None:
    env = pettingzoo.make("aec", "palace_env/Palace-v0", players=3, render_mode="ansi")
    assert isinstance(env, TableEnv)
    assert len(env.possible_agents) == 3
    assert env.metadata == {
        "name": "palace_v0",
        "render_modes": ["human", "ansi"],
        "is_parallelizable": False,
    }
    assert str(env) == "palace_v0"
    assert palace_v0.raw_env is palace_v0.env


# ---- spaces and observations


@each_of_both
def test_spaces_hold_what_is_observed_and_belong_to_one_table(
    face: ModuleType, arguments: dict[str, Any]
) -> None:
    env, other = face.env(**arguments), face.env(**arguments)
    env.reset(seed=1)
    assert env.possible_agents == [f"player_{seat}" for seat in range(env.game.players)]
    for agent in env.possible_agents:
        observations = env.observation_space(agent)["observation"]
        assert isinstance(observations, gymnasium.spaces.Box)
        np.testing.assert_array_equal(observations.high, env.game.layout.high)
        space, actions = env.observation_space(agent), env.action_space(agent)
        assert space is env.observation_space(agent)
        assert actions is env.action_space(agent)
        assert space == other.observation_space(agent)
        assert space is not other.observation_space(agent)
        assert actions is not other.action_space(agent)
        assert actions.n == env.game.n_actions
        assert space.contains(env.observe(agent))
    assert env.state_space.contains(env.state())


@each_of_both
def test_only_the_agent_to_move_has_actions(face: ModuleType, arguments: dict[str, Any]) -> None:
    env = face.env(**arguments)
    rng = np.random.default_rng(3)
    for seed in range(5):
        env.reset(seed=seed)
        while not any(env.terminations.values()):
            masks = {agent: env.observe(agent)["action_mask"] for agent in env.possible_agents}
            assert {agent for agent, mask in masks.items() if mask.any()} == {env.agent_selection}
            assert all(mask.dtype == np.int8 and mask.max() <= 1 for mask in masks.values())
            play_on(env, rng, 1)
        assert not any(env.observe(agent)["action_mask"].any() for agent in env.possible_agents)


def test_observations_are_the_callers_own() -> None:
    env = palace_v0.env()
    env.reset(seed=2)
    agents = env.possible_agents
    before = snapshot(env)
    for seen in (env.last()[0], *map(env.observe, agents)):
        for array in seen.values():
            array[:] = 1 - array
    env.state()[:] = 1
    for agent in agents:
        env.view(agent)["pot"] = 9
    assert snapshot(env) == before
    seen = env.last()[0]
    kept = {key: array.copy() for key, array in seen.items()}
    play_on(env, np.random.default_rng(0))
    assert all((seen[key] == kept[key]).all() for key in kept)


@each
def test_a_table_is_a_batch_of_one(arguments: dict[str, Any]) -> None:
    env = palace_v0.env(**arguments)
    batch = palace_v0.batch(1, seed=11, **arguments)
    env.reset(seed=11)
    rng = np.random.default_rng(4)
    for _ in range(200):
        agent = env.agent_selection
        assert agent == f"player_{batch.actors[0]}"
        seen = env.observe(agent)
        np.testing.assert_array_equal(seen["observation"], batch.observations[0])
        np.testing.assert_array_equal(seen["action_mask"], batch.masks[0])
        assert env.view(agent).tobytes() == batch.views().tobytes()
        made = play_on(env, rng, 1)
        batch.step(np.array(made))
        np.testing.assert_array_equal(list(env.rewards.values()), batch.rewards[0])
        assert all(env.terminations.values()) == batch.over[0]
        if batch.over[0]:
            env.reset()


# ---- rewards and the end


def paid(history: dict[str, Any]) -> list[float]:
    """What the players are paid for a hand."""
    if history["game"] == "palace":
        return [net / history["rules"]["small_bet"] for net in history["net"]]
    points = history["points"]
    return [own - (sum(points) - own) / (len(points) - 1) for own in points]


@each_of_both
def test_each_seat_earns_its_pay_along_its_own_steps(face: ModuleType, arguments: dict[str, Any]) -> None:
    env = face.env(**arguments)
    rng = np.random.default_rng(5)
    for seed in range(10):
        env.reset(seed=seed)
        earned: dict[str, float] = defaultdict(float)
        ends = []
        for agent in env.agent_iter():
            _, reward, terminated, truncated, info = env.last()
            assert not truncated
            assert info == {}
            earned[agent] += reward
            if terminated:
                ends.append(agent)
                env.step(None)
                assert not any(env.rewards.values())
            else:
                hands = len(env.histories)
                env.step(rng.choice(legal(env)))
                assert any(env.rewards.values()) <= (len(env.histories) > hands)
                assert sum(env.rewards.values()) == pytest.approx(0, abs=1e-5)
        assert ends == env.possible_agents
        assert env.agents == []
        totals = np.sum([paid(history) for history in env.histories], axis=0)
        assert [earned[agent] for agent in env.possible_agents] == pytest.approx(list(totals), abs=1e-5)
        best = np.flatnonzero(totals > totals.max() - 1e-9).tolist()
        assert env.winners
        # Detective Poker breaks ties by action cards left.
        assert env.winners == best or (face is detective_v0 and set(env.winners) < set(best))


@pytest.mark.parametrize("seat", range(4))
def test_a_seat_that_has_folded_waits_for_the_end(seat: int) -> None:
    env = palace_v0.env(players=4)
    env.reset(seed=6, options={"button": (seat + 3) % 4})
    agent = f"player_{seat}"
    assert env.agent_selection == agent
    rng = np.random.default_rng(seat)
    take(env, "fold")
    while not any(env.terminations.values()):
        assert env.agents == env.possible_agents
        assert env.agent_selection != agent
        assert env.winners == []
        play_on(env, rng, 1)
    for waiting in env.possible_agents:
        assert env.agent_selection == waiting
        observation, reward, terminated, truncated, info = env.last()
        assert not observation["action_mask"].any()
        assert (terminated, truncated, info) == (True, False, {})
        assert waiting != agent or reward == -0.5
        env.step(None)


def test_several_go_out_at_once_and_all_are_paid_at_the_end() -> None:
    file = Path(__file__).parent / "golden" / "palace" / "double_tie_with_others_left.json"
    history = json.loads(file.read_text("utf-8"))["history"]
    env = TableEnv.from_history(history, palace_v0.GAME)
    most_gone = 0
    for _, move in history["moves"]:
        left = int(env.view("player_0")["left"][0])
        take(env, move)
        most_gone = max(most_gone, left - int(env.view("player_0")["left"][0]))
        assert env.agents == env.possible_agents
    assert most_gone == 2
    rewards = []
    for _ in env.agent_iter():
        rewards.append(env.last()[1])
        env.step(None)
    assert rewards == [net / history["rules"]["small_bet"] for net in history["net"]]


# ---- order, legality, errors


def test_nothing_is_played_before_a_reset() -> None:
    env = palace_v0.env(render_mode="ansi")
    agent = env.possible_agents[0]
    calls: dict[str, Callable[[], object]] = {
        "step": lambda: env.step(0),
        "last": env.last,
        "agent_iter": env.agent_iter,
        "observe": lambda: env.observe(agent),
        "state": env.state,
        "view": lambda: env.view(agent),
        "move_text": lambda: env.move_text(0),
        "parse_move": lambda: env.parse_move("stay"),
        "render": env.render,
    }
    for name, call in calls.items():
        with pytest.raises(NotPlayingError, match=f"{name}.*call reset"):
            call()
    with pytest.raises(NotPlayingError):
        env.view_text(agent)
    assert [env.agents, env.histories, env.winners] == [[], [], []]


def test_at_the_end_only_none_is_taken_and_then_nothing() -> None:
    env = palace_v0.env(players=3)
    env.reset(seed=1)
    take(env, "fold", "fold")
    refused: list[Any] = [0, 1, np.int64(1), True, "stay"]
    for action in refused:
        before = snapshot(env)
        with pytest.raises(IllegalMoveError, match="only None"):
            env.step(action)
        assert snapshot(env) == before
    with pytest.raises(NotPlayingError):
        env.move_text(0)
    with pytest.raises(NotPlayingError):
        env.parse_move("stay")
    for left in (3, 2, 1):
        assert env.num_agents == left
        assert len(env.rewards) == len(env.terminations) == len(env.truncations) == len(env.infos) == left
        env.step(None)
    for action in (None, 0):
        with pytest.raises(NotPlayingError, match="call reset"):
            env.step(action)
    with pytest.raises(NotPlayingError):
        env.last()
    assert list(env.agent_iter()) == []
    assert env.observe("player_0")["observation"].any()
    assert len(env.histories) == 1
    env.reset()
    assert env.agents == env.possible_agents


@pytest.mark.parametrize(
    "action",
    [
        None,
        True,
        np.True_,
        1.0,
        np.float64(1),
        "fold",
        b"1",
        [1],
        np.array(1),
        -1,
        -(10**30),
        10**30,
        np.uint64(2**63),
    ],
    ids=repr,
)
def test_what_is_no_legal_whole_number_is_refused(action: Any) -> None:  # noqa: ANN401
    env = palace_v0.env()
    env.reset(seed=1)
    for ask in (env.step, env.move_text):
        before = snapshot(env)
        with pytest.raises(
            IllegalMoveError, match=r"of seat \d is not allowed now: choose from 0 \(stay\), 1"
        ):
            ask(action)
        assert snapshot(env) == before


@pytest.mark.parametrize("kind", [int, np.int8, np.uint8, np.int32, np.int64, np.uint64])
def test_every_kind_of_whole_number_is_taken(kind: Any) -> None:  # noqa: ANN401
    env = palace_v0.env()
    env.reset(seed=1)
    seat = env.agent_selection
    assert env.move_text(kind(0)) == "stay"
    env.step(kind(0))
    assert env.agent_selection != seat


@each_of_both
def test_every_masked_action_is_refused_and_changes_nothing(
    face: ModuleType, arguments: dict[str, Any]
) -> None:
    env = face.env(**arguments)
    rng = np.random.default_rng(8)
    for seed in range(3):
        env.reset(seed=seed)
        while not any(env.terminations.values()):
            allowed = legal(env)
            texts = [env.move_text(action) for action in allowed]
            assert len(set(texts)) == len(texts)
            assert [env.parse_move(text) for text in texts] == allowed
            before = env.state().tobytes(), env.view("player_0").tobytes()
            for action in range(env.game.n_actions):
                if action not in allowed:
                    with pytest.raises(IllegalMoveError):
                        env.step(action)
            assert (env.state().tobytes(), env.view("player_0").tobytes()) == before
            play_on(env, rng, 1)


def test_a_refusal_names_seat_and_move_and_what_is_allowed() -> None:
    env = palace_v0.env(players=3)
    env.reset(seed=1, options={"button": 0, "deal": {"banners": ["2c", "3h", "4d"]}})
    with pytest.raises(IllegalMoveError) as refused:
        env.step(4)
    assert str(refused.value) == (
        "action 4 (call) of seat 1 is not allowed now: "
        "choose from 0 (stay), 1 (fold), 2 (buy), 6 (attack 2), 7 (attack 0)"
    )
    with pytest.raises(
        IllegalMoveError, match="'ATTACK 1' is not allowed now, seat 1 may: stay, fold, buy, "
    ):
        env.parse_move("ATTACK 1")
    with pytest.raises(InvalidMoveError, match="'attack' is no move"):
        env.parse_move("attack")


def test_unknown_agents_and_render_modes_are_refused() -> None:
    env = palace_v0.env(players=2)
    env.reset(seed=1)
    strangers: list[Any] = ["player_2", "", 0, None, ["player_0"]]
    for agent in strangers:
        for ask in (env.observe, env.view, env.view_text, env.observation_space, env.action_space):
            with pytest.raises(ValueError, match=r"is unknown: choose from \['player_0', 'player_1'\]"):
                ask(agent)
    with pytest.raises(ValueError, match="render_mode='rgb_array'"):
        palace_v0.env(render_mode="rgb_array")
    with pytest.raises(ValueError, match="argument 'player' is unknown"):
        palace_v0.env(player=3)


def test_what_needs_a_game_in_progress_says_so_by_its_own_name() -> None:
    env = palace_v0.env(render_mode="ansi")
    for ask, name in (
        (lambda: env.view("player_0"), "view"),
        (lambda: env.view_text("player_0"), "view_text"),
        (env.render, "render"),
        (env.state, "state"),
    ):
        with pytest.raises(NotPlayingError, match=f"^{name}: no game is in progress, call reset first"):
            ask()


@pytest.mark.parametrize(
    "arguments",
    [{"sizes": np.array(3)}, {"betting": np.array("limit")}, {"render_mode": np.array("ansi")}],
    ids=repr,
)
def test_arrays_without_dimensions_are_no_lists_and_no_words(arguments: dict[str, Any]) -> None:
    (name,) = arguments
    with pytest.raises(ValueError, match=f"^{name}=array.*: must be "):
        palace_v0.env(**arguments)


@pytest.mark.parametrize("game", [palace_v0.GAME, "palace", None], ids=repr)
def test_a_table_is_one_of_a_game(game: Any) -> None:  # noqa: ANN401
    with pytest.raises(ValueError, match=r"game=.*must be a game, not its class or name"):
        TableEnv(game)


def test_rendering(capsys: pytest.CaptureFixture[str]) -> None:
    env = palace_v0.env(render_mode="ansi")
    env.reset(seed=1)
    assert env.render() == env.view_text(env.agent_selection)
    silent = palace_v0.env()
    silent.reset(seed=1)
    with pytest.warns(UserWarning, match="render_mode"):
        assert silent.render() is None
    assert capsys.readouterr().out == ""
    human = palace_v0.env(render_mode="human", players=2, hands=2)
    human.reset(seed=1)
    shown = [human.view_text(human.agent_selection)]
    take(human, "fold")
    assert "Hand 2 of 2" in human.view_text(human.agent_selection)
    out = capsys.readouterr().out
    assert out.startswith(shown[0] + "\n")
    assert out.endswith(human.view_text(human.agent_selection) + "\n")
    assert "The hand is over." in out
    human.close()


# ---- resets


def test_one_seed_gives_one_series_of_deals(face: ModuleType) -> None:
    first, second = face.env(), face.env()
    deals = []
    for env in (first, second):
        env.reset(seed=5)
        deals.append([env.state().tobytes()])
        for _ in range(4):
            play_on(env, np.random.default_rng(len(deals)), 3)  # what was played does not matter
            env.reset()
            deals[-1].append(env.state().tobytes())
    assert deals[0] == deals[1]
    assert len(set(deals[0])) == 5
    first.reset(seed=5)
    assert first.state().tobytes() == deals[0][0]
    fresh = [face.env() for _ in range(3)]
    for env in fresh:
        env.reset()
    assert len({env.state().tobytes() for env in fresh}) == 3


def test_global_generators_are_left_alone() -> None:
    np.random.seed(1)
    random.seed(1)
    before = np.random.get_state()[1].tobytes(), random.getstate()  # type: ignore[index]
    env = palace_v0.env()
    env.reset()
    play_on(env, np.random.default_rng(0))
    after = np.random.get_state()[1].tobytes(), random.getstate()  # type: ignore[index]
    assert after == before


def test_options_hold_for_one_reset() -> None:
    env = palace_v0.env(players=4, hands=2)
    deal = {"banners": ["Ah", "7c", "Kd", "2s"], "draws": ["Ts", "9s"]}
    options = {"button": 0, "stacks": [200, 20, 5, 200], "deal": deal}
    kept = copy.deepcopy(options)
    env.reset(seed=7, options=options)
    assert options == kept
    record = env.view("player_0")[0]
    assert (record.stacks[:4] + record.paid[:4]).tolist() == [200, 20, 5, 200]
    take(env, "buy", "done", "buy", "done")
    play_on(env, np.random.default_rng(0))
    assert env.histories[0]["draws"][:2] == ["Ts", "9s"]
    assert env.histories[0]["banners"] == ["Ah", "7c", "Kd", "2s"]
    assert env.histories[0]["stacks"] == [200, 20, 5, 200]
    assert env.histories[1]["banners"] != ["Ah", "7c", "Kd", "2s"]
    assert env.histories[1]["button"] == 1
    env.reset()
    record = env.view("player_0")[0]
    assert (record.stacks[:4] + record.paid[:4]).tolist() == [200] * 4


def test_what_a_deal_leaves_out_comes_from_the_seed() -> None:
    env = palace_v0.env(players=3)

    def banners_and_palaces(deal: dict[str, Any], seed: int) -> tuple[list[str], list[list[str]]]:
        env.reset(seed=seed, options={"deal": deal, "button": 1})
        take(env, "fold", "fold")
        history = env.histories[0]
        return history["banners"], history["palaces"]

    banners = ["Ah", "7c", "Kd"]
    palaces = [["2c", "5d", "9h"], ["3s", "4s", "Jd"], ["Qs", "Qc", "6h"]]
    given = [banners_and_palaces({"banners": banners}, seed) for seed in (1, 2)]
    assert [found[0] for found in given] == [banners, banners]
    assert given[0][1] != given[1][1]
    given = [banners_and_palaces({"palaces": palaces}, seed) for seed in (1, 2)]
    assert [found[1] for found in given] == [palaces, palaces]
    assert given[0][0] != given[1][0]
    assert banners_and_palaces({}, 1) == banners_and_palaces({"draws": []}, 1)
    assert banners_and_palaces({"banners": None, "palaces": None, "draws": None}, 1) == banners_and_palaces(
        {}, 1
    )


def test_the_first_button_comes_from_the_seed_alone() -> None:
    env = palace_v0.env(players=5)

    def button(seed: int, options: dict[str, Any] | None = None) -> int:
        env.reset(seed=seed, options=options)
        return int(env.view("player_0")["button"][0])

    plain = [button(seed) for seed in range(40)]
    assert set(plain) == set(range(5))
    deal = {"banners": ["Ah", "7c", "Kd", "2s", None], "draws": ["Ts"]}
    stacks = [9, 9, 9, 9, 0]
    assert plain == [button(seed, {"deal": {"draws": ["Ts"]}}) for seed in range(40)]
    found = {button(seed, {"stacks": stacks, "deal": deal}) for seed in range(40)}
    assert found == {0, 1, 2, 3}


def test_draws_may_go_on_past_a_reshuffle() -> None:
    bought = ["As", "Ks", "Ah", "Kh"]  # the whole draw deck
    deal = {"banners": ["Ac", "Ad"], "palaces": [["Kc"], ["Kd"]]}

    def fifth(*later: str) -> str:
        """The card drawn right after a reshuffle of all that had been bought."""
        env = palace_v0.env(players=2, ranks=2, palace_cards=1, max_soldiers=1)
        env.reset(seed=3, options={"button": 0, "deal": {**deal, "draws": [*bought, *later]}})
        for card in bought:
            take(env, "buy", f"discard {card}")
        assert int(env.view("player_0")["deck_size"][0]) == 0
        take(env, "buy", "done", "attack 1", "fold")
        drawn: str = env.histories[0]["draws"][4]
        return drawn

    assert fifth() in bought
    assert [fifth(card) for card in bought] == bought
    assert fifth("Ac") == fifth()  # a banner is not in the deck, so the seed decides


BAD_OPTIONS: list[tuple[Any, str]] = [
    ([], r"options=\[\]"),
    (3, "options=3"),
    ({"buttons": 0}, r"option 'buttons' is unknown: choose from \['button', 'stacks', 'deal'\]"),
    ({"button": 3}, "button=3: must be a whole number from 0 to 2"),
    ({"button": -1}, "button=-1"),
    ({"button": True}, "button=True"),
    ({"button": 1.0}, r"button=1\.0"),
    ({"button": 1, "stacks": [5, 0, 5]}, r"button=1: that seat has no chips, choose from \[0, 2\]"),
    ({"stacks": [5, 5]}, r"stacks=\[5, 5\]: has 2 entries, must have 3"),
    ({"stacks": 5}, "stacks=5: must be a list"),
    ({"stacks": [5, 5, -1]}, r"stacks\[2\]=-1"),
    ({"stacks": [5, 5, 2.0]}, r"stacks\[2\]=2\.0"),
    ({"stacks": [5, 0, 0]}, r"stacks=\[5, 0, 0\]: at least two players"),
    ({"stacks": [300_000_001, 0, 0]}, r"stacks\[0\]=300000001: must be a whole number from 0 to 300000000"),
    ({"stacks": [300_000_000, 1, 0]}, r"stacks=.*: are 300000001 chips, must be 300000000 at most together"),
    ({"stacks": np.array(5)}, r"stacks=array\(5\): must be a list of 3"),
    ({"deal": {"banners": np.array("Ah")}}, r"deal\['banners'\]=array\('Ah'.*: must be a list of 3"),
    ({"deal": {"draws": np.array("Ah")}}, r"deal\['draws'\]=array\('Ah'.*: must be a list$"),
    (
        {"deal": {"palaces": [np.array("2c")] * 3}},
        r"deal\['palaces'\]\[0\]=array\('2c'.*: must be a list of 3",
    ),
    ({"deal": []}, r"deal=\[\]: must be a dict"),
    ({"deal": {"banner": ["Ah", "7c", "Kd"]}}, r"deal key 'banner' is unknown"),
    ({"deal": {"banners": ["Ah", "7c"]}}, r"deal\['banners'\]=\['Ah', '7c'\]: has 2 entries, must have 3"),
    ({"deal": {"banners": "Ah 7c Kd"}}, r"deal\['banners'\]='Ah 7c Kd': must be a list"),
    ({"deal": {"banners": ["Ah", "7c", "Zd"]}}, r"deal\['banners'\]\[2\]: 'Zd' is no card"),
    ({"deal": {"banners": ["Ah", "7c", None]}}, r"deal\['banners'\]\[2\]: None is no card"),
    (
        {"deal": {"banners": ["Ah", "7c", "ah"]}},
        r"deal\['banners'\]\[2\]='ah': deal\['banners'\]\[0\] is that card",
    ),
    ({"deal": {"banners": ["Ah", "7c", "Kh"]}, "button": 0}, "seats 2 and 0 have one suit"),
    (
        {"stacks": [5, 0, 5], "deal": {"banners": ["Ah", "7c", "Kd"]}},
        r"deal\['banners'\]\[1\]='7c': must be None",
    ),
    ({"deal": {"palaces": [["2c", "5d", "9h"], ["3s", "4s", "Jd"]]}}, r"deal\['palaces'\].*must have 3"),
    (
        {"deal": {"palaces": [["2c", "5d"], ["3s", "4s"], ["9h", "9s"]]}},
        r"deal\['palaces'\]\[0\].*must have 3",
    ),
    (
        {"deal": {"palaces": [["2c", "5d", "9h"], ["3s", "4s", "Jd"], ["Qs", "2c", "6h"]]}},
        r"deal\['palaces'\]\[2\]\[1\]='2c'",
    ),
    (
        {"stacks": [5, 0, 5], "deal": {"palaces": [["2c", "5d", "9h"], ["3s"], ["Qs", "Qc", "6h"]]}},
        r"deal\['palaces'\]\[1\]=\['3s'\]: has 1 entries, must have 0",
    ),
    ({"deal": {"draws": ["Ts", "Ts"]}}, r"deal\['draws'\]\[1\]='Ts'"),
    ({"deal": {"banners": ["Ah", "7c", "Kd"], "draws": ["Ah"]}}, r"deal\['draws'\]\[0\]='Ah'"),
    ({"deal": {"draws": [12]}}, r"deal\['draws'\]\[0\]: 12 is no card"),
]


@pytest.mark.parametrize(("options", "message"), BAD_OPTIONS, ids=[message for _, message in BAD_OPTIONS])
def test_bad_options_are_refused_and_the_game_goes_on(options: Any, message: str) -> None:  # noqa: ANN401
    env = palace_v0.env(players=3)
    with pytest.raises(ValueError, match=message):
        env.reset(seed=1, options=options)
    with pytest.raises(NotPlayingError):
        env.state()
    env.reset(seed=1)
    play_on(env, np.random.default_rng(0), 1)
    before = snapshot(env)
    with pytest.raises(ValueError, match=message):
        env.reset(seed=2, options=options)
    assert snapshot(env) == before
    twin = palace_v0.env(players=3)
    twin.reset(seed=1)
    play_on(twin, np.random.default_rng(0), 1)
    for table in (env, twin):
        play_on(table, np.random.default_rng(1))
        table.reset()
    assert snapshot(env) == snapshot(twin)


@pytest.mark.parametrize("players", [2, 10])
def test_one_player_may_hold_all_the_chips_that_all_players_can_have(players: int) -> None:
    most = 100_000_000 * players
    stacks = [most - players + 1] + [1] * (players - 1)
    env = palace_v0.env(players=players, betting="no-limit", hands=3, small_bet=3)
    rng = np.random.default_rng(0)
    for seed in range(5):
        env.reset(seed=seed, options={"stacks": stacks})
        assert env.observe("player_0")["observation"].max() <= 255
        play_on(env, rng)
        for history in env.histories:
            assert sum(history["stacks"]) == most
            assert TableEnv.from_history(history, palace_v0.GAME).view("player_0")["stacks"].min() >= 0


@pytest.mark.parametrize("seed", [-1, 2**63, 1.0, True, "7", np.float64(3)], ids=repr)
def test_bad_seeds_are_refused_and_the_game_goes_on(seed: Any) -> None:  # noqa: ANN401
    env = palace_v0.env()
    env.reset(seed=np.int64(1))
    before = snapshot(env)
    with pytest.raises(ValueError, match=r"seed=.*must be a whole number"):
        env.reset(seed=seed)
    assert snapshot(env) == before


# ---- copies


@pytest.mark.parametrize(
    ("face", "arguments", "deal", "move"),
    [
        (palace_v0, {"hands": 3, "betting": "no-limit", "stack": 30}, {"draws": ["Ts", "9s", "8s"]}, "buy"),
        (detective_v0, {"hands": 2, "expert": True}, {"board": ["Ts", "9s"]}, "bet 0 1 +1"),
    ],
    ids=["palace", "detective"],
)
@pytest.mark.parametrize(
    "duplicate", [copy.deepcopy, lambda env: pickle.loads(pickle.dumps(env))], ids=["copy", "pickle"]
)
def test_copies_at_any_moment_are_identical_and_independent(
    duplicate: Any,  # noqa: ANN401
    face: ModuleType,
    arguments: dict[str, Any],
    deal: dict[str, Any],
    move: str,
) -> None:
    env = face.env(players=3, **arguments)
    blank = duplicate(env)
    for table in (env, blank):
        table.reset(seed=9, options={"deal": deal})
        take(table, move)
    assert snapshot(blank) == snapshot(env)
    moves = np.random.default_rng(9)
    for agent in env.agent_iter():
        twin = duplicate(env)
        before = snapshot(env)
        assert snapshot(twin) == before
        assert twin.observation_space(agent) is not env.observation_space(agent)
        play_on(twin, np.random.default_rng(1))
        twin.reset()
        assert snapshot(env) == before
        third = duplicate(env)
        rng = copy.deepcopy(moves)
        if any(env.terminations.values()):
            env.step(None)
            third.step(None)
        else:
            play_on(env, moves, 1)
            play_on(third, rng, 1)
        assert snapshot(third) == snapshot(env)
    third = duplicate(env)
    env.reset()
    third.reset()
    assert snapshot(third) == snapshot(env)
    assert b"kernels" not in pickle.dumps(env)
