"""One seat as a Gymnasium environment: conformance, opponents that move inside, what the learner is paid."""

import copy
import os
import pickle
import runpy
import subprocess
import sys
import warnings
from typing import Any, TypeAlias

import gymnasium
import numpy as np
import pytest
from gymnasium.utils.env_checker import check_env
from stable_baselines3.common.env_checker import check_env as check_for_sb3

from agents import load
from agents.solo import SoloEnv
from card_table.game import IllegalMoveError, NotPlayingError, States
from detective_env import detective_v0
from palace_env import palace_v0
from tests.plain import ROOT


def solo(game: str = "palace", **arguments: Any) -> SoloEnv:
    """The environment without Gymnasium's wrappers, against quick opponents unless others are given."""
    name = f"{game}_env/{game.capitalize()}-v0"
    env = gymnasium.make(name, **{"opponents": "random", **arguments}).unwrapped
    assert isinstance(env, SoloEnv)
    return env


Episode: TypeAlias = tuple[list[np.ndarray], list[int], float]


def play(env: SoloEnv, seed: int | None, rng: np.random.Generator) -> Episode:
    """An episode of random moves: observations, actions, and what was earned."""
    observation, info = env.reset(seed=seed)
    observations, actions, earned, over = [observation], [], 0.0, False
    while not over:
        assert observation in env.observation_space
        assert (env.action_masks() == info["action_mask"]).all()
        actions.append(int(rng.choice(np.flatnonzero(info["action_mask"]))))
        observation, reward, over, truncated, info = env.step(np.int64(actions[-1]))
        observations.append(observation)
        earned += reward
        assert not truncated
    assert not info["action_mask"].any()
    return observations, actions, earned


@pytest.mark.parametrize(
    "arguments",
    [
        {},
        {"opponents": "random", "players": 2},
        {"opponents": "tight", "players": 7, "hands": 3},
        {"opponents": "aggressive", "betting": "no-limit", "seat": 3},
        {"game": "detective", "opponents": ["self", "visible", "random"], "hands": 2},
        {"game": "detective", "opponents": "visible", "players": 3, "rounds": 1, "expert": True},
    ],
)
def test_gymnasiums_checker_finds_nothing(
    arguments: dict[str, Any], capsys: pytest.CaptureFixture[str]
) -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        check_env(solo(**{"opponents": "equity", **arguments}))
    assert "You are seat" in capsys.readouterr().out  # it renders for people, too


@pytest.mark.parametrize("game", ["palace", "detective"])
def test_sb3s_checker_finds_nothing(game: str) -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        check_for_sb3(solo(game))


@pytest.mark.parametrize("game", ["palace", "detective"])
def test_a_seed_settles_everything(game: str) -> None:
    first, second = solo(game, players=3), solo(game, players=3)
    for seed in (5, None, None, 6):
        one = play(first, seed, np.random.default_rng(9))
        two = play(second, seed, np.random.default_rng(9))
        assert first.seat == second.seat
        assert one[1:] == two[1:]
        np.testing.assert_array_equal(np.array(one[0]), np.array(two[0]))
    assert play(first, None, np.random.default_rng(9))[1:] != one[1:]


@pytest.mark.parametrize("hands", [1, 5])
def test_the_learner_is_paid_all_that_its_seat_nets_also_on_others_moves(hands: int) -> None:
    env = solo(hands=hands, opponents=["aggressive", "tight", "random"])
    rng = np.random.default_rng(2)
    for episode in range(60):
        _, _, earned = play(env, episode, rng)
        assert earned == sum(history["net"][env.seat] for history in env.table.histories) / 2


@pytest.mark.parametrize("reward", ["margin", "win"])
def test_the_learner_of_detective_is_paid_for_each_hand_or_for_the_win(reward: str) -> None:
    env = solo("detective", players=3, rounds=1, reward=reward, opponents=["self", "visible"])
    rng = np.random.default_rng(3)
    for episode in range(20):
        observations, actions, earned = play(env, episode, rng)
        assert len(actions) == 3 * 4
        assert len(observations) == len(actions) + 1
        if reward == "win":
            winners = env.table.winners
            assert earned == pytest.approx((env.seat in winners) / len(winners) - 1 / 3, abs=1e-6)
            continue
        points = np.array([history["points"] for history in env.table.histories])
        own = points[:, env.seat].sum()
        assert earned == pytest.approx(own - (points.sum() - own) / 2, abs=1e-5)


def test_options_of_detective_prescribe_the_deal_and_its_learner_never_sees_its_exposed_card() -> None:
    env = solo("detective", seat=1)
    exposed = ["Kh", "2c", "Kd", "Kc"]
    observation, _ = env.reset(seed=0, options={"dealer": 0, "deal": {"exposed": exposed}})
    assert not observation[detective_v0.LAYOUT.slice_of("exposed", 0)].any()
    assert observation[detective_v0.LAYOUT.slice_of("exposed", 1)].sum() == 1
    with pytest.raises(ValueError, match="option 'stacks' is unknown"):
        env.reset(options={"stacks": [1, 2, 3, 4]})


def test_hands_that_end_before_the_learner_is_asked_are_dealt_again(monkeypatch: pytest.MonkeyPatch) -> None:
    env = solo(players=2, seat=0)
    deals = []
    reset = env.table.reset

    def counted(seed: int, options: dict[str, Any]) -> None:
        deals.append(seed)
        reset(seed, options)

    monkeypatch.setattr(env.table, "reset", counted)
    for seed in range(60):
        _, info = env.reset(seed=seed, options={"button": 0})  # the opponent is asked first, and may fold
        assert info["action_mask"].any()
    assert 60 < len(deals) < 120


def test_seats_are_drawn_at_random_unless_one_is_given() -> None:
    env, fixed = solo(), solo(seat=2)
    seats = set()
    for seed in range(40):
        env.reset(seed=seed)
        seats.add(env.seat)
        fixed.reset(seed=seed)
        assert fixed.seat == 2
    assert seats == {0, 1, 2, 3}


class Noting:
    """An opponent that notes from which seats it is asked, and takes the first legal move."""

    name = "noting"

    def __init__(self) -> None:
        self.seats: set[int] = set()

    def act(
        self, views: States, observations: np.ndarray, masks: np.ndarray, rng: np.random.Generator
    ) -> np.ndarray:
        """See ``agents.Agent.act``."""
        assert masks.dtype == np.bool_
        assert masks.shape == (1, 61)
        assert observations.shape == (1, palace_v0.LAYOUT.size)
        assert views["viewer"][0] == views["actor"][0]
        self.seats.add(int(views["actor"][0]))
        return np.array([masks[0].argmax()], np.int64)


def test_opponents_sit_in_order_at_the_learners_left_and_see_views() -> None:
    agents = [Noting(), Noting(), Noting()]
    env = solo(opponents=agents, seat=2)
    for seed in range(20):
        play(env, seed, np.random.default_rng(seed))
    assert [agent.seats for agent in agents] == [{3}, {0}, {1}]


def test_opponents_may_be_loaded_agents() -> None:
    env = solo(opponents=load("tight"))
    assert [agent.name for agent in env.opponents] == ["tight"] * 3


@pytest.mark.parametrize(
    "action", [np.int64(60), 5, -1, 61, 1.0, True, "1", None, np.array([1]), np.array(1.0)]
)
def test_an_illegal_action_raises_and_changes_nothing(action: Any) -> None:  # noqa: ANN401
    env = solo()
    before, _ = env.reset(seed=4)
    mask, state, chance = env.action_masks(), env.table.state(), env.np_random.bit_generator.state
    with pytest.raises(IllegalMoveError, match="choose from"):
        env.step(action)
    assert (env.action_masks() == mask).all()
    assert (env.table.state() == state).all()
    assert env.np_random.bit_generator.state == chance
    _, reward, _, _, _ = env.step(np.array(1))  # fold: arrays without dimensions are what SB3's predict gives
    assert reward <= 0
    assert before in env.observation_space


def test_steps_need_an_episode() -> None:
    env = solo()
    with pytest.raises(NotPlayingError, match="reset"):
        env.step(1)
    play(env, 1, np.random.default_rng(0))
    with pytest.raises(NotPlayingError, match="reset"):
        env.step(1)


def test_options_prescribe_the_deal() -> None:
    env = solo(seat=1)
    palaces = [["2c", "5d", "9h"], ["Ac", "Ad", "Ah"], ["3c", "4c", "6c"], ["7d", "8d", "9d"]]
    options = {"button": 0, "deal": {"banners": ["Kh", "Ks", "Kd", "Kc"], "palaces": palaces}}
    observation, _ = env.reset(seed=0, options=options)
    held = observation[palace_v0.LAYOUT.slice_of("palace")]
    assert held.sum() == 3
    assert env.table.view("player_1")["palace"][0, 1] == env.table.view("player_1")["palace"][0].max()
    assert "three aces" in env.table.view_text("player_1")


def test_options_that_are_wrong_or_keep_the_learner_out_are_refused_by_name() -> None:
    env = solo(seat=1)
    with pytest.raises(ValueError, match="option 'dealer' is unknown"):
        env.reset(options={"dealer": 1})
    with pytest.raises(
        ValueError, match=r"stacks=\[50, 0, 50, 50\]: seat 1 is the learner's, it must have chips"
    ):
        env.reset(options={"stacks": [50, 0, 50, 50]})
    folding = solo(players=2, seat=1, opponents=Folding())
    folding.reset(options={"button": 0})
    with pytest.raises(ValueError, match=r"options={'button': 1}: seat 1 was not asked once in 1000 deals"):
        folding.reset(options={"button": 1})


class Folding:
    """An opponent that folds."""

    name = "folding"

    def act(
        self, views: States, observations: np.ndarray, masks: np.ndarray, rng: np.random.Generator
    ) -> np.ndarray:
        """See ``agents.Agent.act``."""
        return np.array([1], np.int64)


@pytest.mark.parametrize("begun", [False, True])
@pytest.mark.parametrize(
    "options",
    [{"foo": 1}, {"stacks": [0, 5, 5, 5]}, {"button": 9}, {"deal": {"banners": ["Ah"]}}, 5, {"stacks": 1}],
    ids=str,
)
@pytest.mark.parametrize("seed", [None, 3])
def test_a_reset_that_is_refused_changes_nothing(begun: bool, options: Any, seed: int | None) -> None:  # noqa: ANN401
    env, twin = solo(seat=0, hands=2), solo(seat=0, hands=2)
    for one in (env, twin):
        one.reset(seed=7)
        one.step(int(np.flatnonzero(one.action_masks())[0]))
        if not begun:
            play(one, None, np.random.default_rng(1))
    before = (env.table.state().tobytes(), env.action_masks().tobytes(), env.seat, env.np_random_seed)
    with pytest.raises(ValueError, match=r"foo|stacks|button|banners|options"):
        env.reset(seed=seed, options=options)
    assert (env.table.state().tobytes(), env.action_masks().tobytes(), env.seat, env.np_random_seed) == before
    assert env.np_random.bit_generator.state == twin.np_random.bit_generator.state
    if begun:
        for one in (env, twin):
            one.step(int(np.flatnonzero(one.action_masks())[0]))
    assert env.table.state().tobytes() == twin.table.state().tobytes()
    assert env.table.histories == twin.table.histories
    assert play(env, None, np.random.default_rng(2))[1:] == play(twin, None, np.random.default_rng(2))[1:]


def test_a_first_reset_that_is_refused_leaves_the_environment_new() -> None:
    env = solo(seat=0)
    with pytest.raises(ValueError, match="option 'foo' is unknown"):
        env.reset(seed=3, options={"foo": 1})
    with pytest.raises(NotPlayingError, match="step: no episode is in progress"):
        env.step(1)
    with pytest.raises(NotPlayingError, match="render: no episode is in progress"):
        env.render()


def test_the_learner_is_not_seated_where_no_chips_are() -> None:
    env = solo(players=5)
    seats = set()
    for seed in range(40):
        env.reset(seed=seed, options={"stacks": [0, 50, 0, 50, 50]})
        seats.add(env.seat)
    assert seats == {1, 3, 4}


@pytest.mark.parametrize(
    ("arguments", "told"),
    [
        ({"opponents": ["tight"]}, r"opponents=\['tight'\]: must be one agent, or a list of 3"),
        ({"opponents": "nobody"}, "'nobody'"),
        ({"opponents": None}, "opponents=None: must be one agent, or a list of 3, each an agent or a spec"),
        ({"opponents": 5}, "opponents=5: must be"),
        ({"opponents": True}, "opponents=True: must be"),
        ({"opponents": {"random"}}, r"opponents={'random'}: must be"),
        ({"opponents": np.array(["random"] * 3)}, r"opponents=array\(.*: must be"),
        ({"opponents": ["random", None, "tight"]}, r"opponents=\['random', None, 'tight'\]: must be"),
        ({"opponents": Folding}, "opponents=<class .*Folding'>: must be"),
        ({"game": ["palace"]}, r"game=\['palace'\] is unknown"),
        ({"seat": 4}, "seat=4: must be a whole number from 0 to 3"),
        ({"render_mode": "rgb_array"}, "render_mode='rgb_array'"),
        ({"players": 1}, "players=1"),
        ({"colour": "red"}, "argument 'colour' is unknown"),
        ({"game": "bridge"}, "game='bridge' is unknown: choose from"),
    ],
)
def test_wrong_arguments_are_refused_by_name(arguments: dict[str, Any], told: str) -> None:
    with pytest.raises(ValueError, match=told):
        SoloEnv(**{"opponents": "random", **arguments})


@pytest.mark.parametrize("copied", [copy.deepcopy, lambda env: pickle.loads(pickle.dumps(env))])
def test_copies_go_on_alike_and_apart(copied: Any) -> None:  # noqa: ANN401
    env = solo()
    env.reset(seed=8)
    env.step(0 if env.action_masks()[0] else 1)
    env.reset()
    other = copied(env)
    one = play(env, None, np.random.default_rng(1))
    two = play(other, None, np.random.default_rng(1))
    assert one[1:] == two[1:]


def test_ansi_gives_what_the_learner_sees() -> None:
    env = solo(render_mode="ansi", seat=3)
    env.reset(seed=1)
    text = env.render()
    assert text is not None
    assert "You are seat 3" in text


@pytest.mark.parametrize(
    ("game", "vec", "unit"),
    [("palace", "dummy", "small bets"), ("detective", "subproc", "points margin")],
)
def test_the_sb3_example_runs(game: str, vec: str, unit: str) -> None:
    command = [sys.executable, "-W", "error", "examples/sb3.py", "--game", game, "--vec", vec, "--envs", "2"]
    done = subprocess.run(
        [*command, "--steps", "1024", "--hands", "20", "--opponents", "random"],
        cwd=ROOT,
        env={**os.environ, "PYTHONPATH": str(ROOT)},
        capture_output=True,
        text=True,
        timeout=600,
    )
    assert done.returncode == 0, done.stderr
    assert f"{unit} a hand against random" in done.stdout


@pytest.mark.parametrize(
    ("arguments", "told"),
    [
        (["--envs", "0"], "sb3.py: --envs 0: must be from 1 to 1000\n"),
        (["--envs", "1001"], "sb3.py: --envs 1001: must be from 1 to 1000\n"),
        (["--steps", "0"], "sb3.py: --steps 0: must be from 1 to 1000000000\n"),
        (["--hands", "-1"], "sb3.py: --hands -1: must be from 1 to 10000000\n"),
        (["--opponents", "foo"], "sb3.py: 'foo' is no agent of palace"),
        (["--game", "detective", "--opponents", "tight"], "sb3.py: 'tight' is no agent of detective"),
        (["--opponents", "./nowhere"], "sb3.py: agent './nowhere': there is no folder"),
    ],
)
def test_the_sb3_example_refuses_bad_arguments_in_a_line(
    arguments: list[str], told: str, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(sys, "argv", ["sb3.py", *arguments])
    with pytest.raises(SystemExit) as left:
        runpy.run_path(str(ROOT / "examples" / "sb3.py"), run_name="__main__")
    assert left.value.code == 2
    out, err = capsys.readouterr()
    assert out == ""
    assert err.startswith(told)
    assert err.count("\n") == 1
