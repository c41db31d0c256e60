"""Batches: the same games as single tables, as several threads and as plain Python; what they refuse."""

import hashlib
from types import ModuleType
from typing import Any

import numpy as np
import numpy.typing as npt
import pytest

from card_table.batch import Batch
from card_table.compile import SETTINGS
from card_table.game import IllegalMoveError
from detective_env import detective_v0
from palace_env import palace_v0, rules
from tests.plain import said_in_plain_python


def random_actions(batch: Batch, rng: np.random.Generator) -> np.ndarray:
    return np.array([rng.choice(np.flatnonzero(mask)) for mask in batch.masks])


def trajectory(batch: Batch, steps: int, seed: int) -> str:
    """A hash of all that a batch shows on a random walk."""
    rng = np.random.default_rng(seed)
    digest = hashlib.sha256()
    for _ in range(steps):
        batch.step(random_actions(batch, rng))
        for array in (
            batch.observations,
            batch.masks,
            batch.actors,
            batch.rewards,
            batch.over,
            batch.hand_over,
        ):
            digest.update(array.tobytes())
        digest.update(batch.states.tobytes())
        digest.update(batch.views().tobytes())
    return digest.hexdigest()


TABLES: list[dict[str, Any]] = [
    {"players": 4, "stack": 500},
    {"players": 10, "betting": "no-limit", "hands": 4, "stack": 40},
    {"players": 2, "ranks": 3, "palace_cards": 2, "max_soldiers": 2, "hand_values": False, "seats": 5},
    {
        "players": 3,
        "discard_fee": 1,
        "forced_duel": False,
        "max_raises": None,
        "stack": 12,
        "hands": 9,
        "small_bet": 3,
    },
]


BOTH = [
    *((palace_v0, arguments) for arguments in TABLES),
    (detective_v0, {"players": 4}),
    (detective_v0, {"players": 3, "seats": 4, "expert": True, "ranks": 8, "rounds": 1, "reward": "win"}),
    (detective_v0, {"players": 3, "streets": 2, "actions": (), "hand_values": False, "hands": 2}),
]
tables = pytest.mark.parametrize(
    ("face", "arguments"), BOTH, ids=[f"{face.GAME.name}-{arguments}" for face, arguments in BOTH]
)


@tables
def test_a_batch_is_so_many_single_games(face: ModuleType, arguments: dict[str, Any]) -> None:
    batch = face.batch(12, seed=6, **arguments)
    singles = [face.batch(1, seed=6, first=game, **arguments) for game in range(12)]
    rng = np.random.default_rng(0)
    for _ in range(150):
        actions = random_actions(batch, rng)
        batch.step(actions)
        views = batch.views()
        for game, single in enumerate(singles):
            single.step(actions[game : game + 1])
            assert single.states.tobytes() == batch.states[game : game + 1].tobytes()
            assert (single.observations[0] == batch.observations[game]).all()
            assert (single.masks[0] == batch.masks[game]).all()
            assert (single.rewards[0] == batch.rewards[game]).all()
            assert single.over[0] == batch.over[game]
            assert single.views().tobytes() == views[game : game + 1].tobytes()


@tables
def test_a_batch_of_one_is_a_table(face: ModuleType, arguments: dict[str, Any]) -> None:
    batch = face.batch(1, seed=11, **arguments)
    env = face.env(**arguments)
    env.reset(seed=11)
    rng = np.random.default_rng(0)
    for _ in range(300):
        shown = env.observe(env.agent_selection)
        assert (shown["observation"] == batch.observations[0]).all()
        assert (shown["action_mask"] == batch.masks[0]).all()
        action = int(rng.choice(np.flatnonzero(batch.masks[0])))
        env.step(action)
        batch.step([action])
        assert list(env.rewards.values()) == batch.rewards[0].tolist()
        if batch.over[0]:
            assert all(env.terminations.values())
            env.reset()


def test_threads_play_the_same_games(face: ModuleType) -> None:
    size, steps = (9, 12) if SETTINGS.DISABLE_JIT else (65, 60)
    one, four = face.batch(size, seed=3), face.batch(size, seed=3, threads=4)
    assert trajectory(one, steps, 1) == trajectory(four, steps, 1)


@pytest.mark.parametrize("table", range(len(TABLES)))
def test_plain_python_plays_the_same_games(table: int) -> None:
    code = (
        "from tests.test_batch import TABLES, trajectory; from palace_env import palace_v0;"
        f"print(trajectory(palace_v0.batch(3, seed=5, **TABLES[{table}]), 60, 2))"
    )
    assert said_in_plain_python(code) == trajectory(palace_v0.batch(3, seed=5, **TABLES[table]), 60, 2)


def test_reset_starts_the_same_games_again() -> None:
    batch = palace_v0.batch(8, seed=1)
    first = trajectory(batch, 20, 0)
    batch.reset()
    assert trajectory(batch, 20, 0) == first
    batch.reset(seed=2)
    assert trajectory(batch, 20, 0) != first


def test_arrays_are_the_batchs_own_and_stay_the_same_objects() -> None:
    batch = palace_v0.batch(4)
    assert len(batch) == 4
    arrays = (batch.observations, batch.masks, batch.actors, batch.rewards, batch.over, batch.hand_over)
    rng = np.random.default_rng(0)
    for _ in range(5):
        batch.step(random_actions(batch, rng))
    after = (batch.observations, batch.masks, batch.actors, batch.rewards, batch.over, batch.hand_over)
    assert all(before is now for before, now in zip(arrays, after, strict=True))
    for array in (batch.masks, batch.actors):
        with pytest.raises(ValueError, match="read-only"):
            array[0] = 1


def test_one_illegal_action_and_no_game_moves() -> None:
    batch = palace_v0.batch(6)
    before = batch.states.tobytes()
    actions = np.full(6, rules.FOLD)
    actions[4] = rules.CALL
    with pytest.raises(IllegalMoveError, match=r"game 4: action 4 of seat \d is illegal: choose from \["):
        batch.step(actions)
    for bad in (-1, batch.masks.shape[1], 2**40):
        actions[4] = bad
        with pytest.raises(IllegalMoveError, match=f"action {bad} "):
            batch.step(actions)
    with pytest.raises(IllegalMoveError, match=f"game 0: action {2**64 - 1} "):
        batch.step(np.full(6, 2**64 - 1, np.uint64))
    assert batch.states.tobytes() == before


@pytest.mark.parametrize(
    "actions",
    [
        None,
        1,
        [1],
        [1, 1, 1],
        [[1, 1]],
        [1.0, 1.0],
        [True, False],
        ["stay", "fold"],
        [None, None],
        np.zeros((2, 1), int),
    ],
)
def test_actions_must_be_one_whole_number_a_game(actions: npt.ArrayLike) -> None:
    batch = palace_v0.batch(2)
    before = batch.states.tobytes()
    with pytest.raises(ValueError, match="must be 2 whole numbers"):
        batch.step(actions)
    assert batch.states.tobytes() == before


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"size": 0}, "size=0: must be"),
        ({"size": 2.0}, "size=2.0: must be"),
        ({"size": True}, "size=True: must be"),
        ({"size": 2**24 + 1}, "size=16777217: must be a whole number from 1 to 16777216"),
        ({"size": 10**30}, f"size={10**30}: must be"),
        ({"size": 2, "threads": 0}, "threads=0: must be"),
        ({"size": 2, "threads": 1025}, "threads=1025: must be a whole number from 1 to 1024"),
        ({"size": 2, "seed": -1}, "seed=-1: must be"),
        ({"size": 2, "seed": 2**63}, "must be a whole number from 0 to 2"),
        ({"size": 2, "seed": "7"}, "seed='7': must be"),
        ({"size": 2, "first": -3}, "first=-3: must be"),
        ({"size": 2, "players": 11}, "players=11: must be a whole number from 2 to 10"),
        ({"size": 2, "player": 3}, "argument 'player' is unknown: choose from"),
    ],
)
def test_bad_arguments(arguments: dict[str, Any], message: str) -> None:
    with pytest.raises(ValueError, match=message):
        palace_v0.batch(**arguments)


@pytest.mark.parametrize("game", [palace_v0.GAME, "palace", None], ids=repr)
def test_a_batch_is_one_of_a_game(game: Any) -> None:  # noqa: ANN401
    with pytest.raises(ValueError, match=r"game=.*must be a game, not its class or name"):
        Batch(game, 2)


def test_restore_goes_on_from_records_of_the_same_arguments(face: ModuleType) -> None:
    batch, other = face.batch(8, players=3, seed=1), face.batch(8, players=3, seed=2)
    trajectory(batch, 7, 0)
    other.restore(batch.states.copy())
    assert trajectory(other, 30, 1) == trajectory(batch, 30, 1)


MINE: dict[str, Any] = {"players": 4, "seats": 6, "betting": "no-limit"}
OTHERS: list[tuple[dict[str, Any], str]] = [
    ({"players": 6}, "players=6: must be 4"),
    ({"seats": 10}, "seats=10: must be 6"),
    ({"betting": "limit"}, "no_limit=0: must be 1"),
    ({"sizes": (1, 2, 4)}, "n_sizes=3: must be 4"),
    ({"sizes": (1, 2, 4, 9)}, r"sizes=\[1, 2, 4, 9, 0, 0, 0, 0\]: must be \[1, 2, 4, 8, 0, 0, 0, 0\]"),
    ({"hand_values": False}, "hand_values=0: must be 1"),
    ({"small_bet": 3, "big_bet": 4, "ante": 1, "bare_raise": 4}, "small_bet=3: must be 2"),
    ({"big_bet": 5}, "big_bet=5: must be 4"),
    ({"ante": 2}, "ante=2: must be 1"),
    ({"stack": 20}, "stack=20: must be 200"),
    ({"hands": 2}, "hands=2: must be 1"),
    ({"max_raises": None}, "max_raises=-1: must be 3"),
    ({"bare_raise": 1}, "bare_raise=1: must be 4"),
    ({"discard_fee": 1}, "discard_fee=1: must be 0"),
    ({"forced_duel": False}, "forced_duel=0: must be 1"),
    ({"ranks": 12}, "ranks=12: must be 13"),
    ({"palace_cards": 2}, "palace_cards=2: must be 3"),
    ({"max_soldiers": 4}, "max_soldiers=4: must be 5"),
]
DETECTIVES: dict[str, Any] = {"players": 3, "seats": 3}
OTHER_DETECTIVES: list[tuple[dict[str, Any], str]] = [
    ({"players": 4, "seats": 4, "hands": 6}, "players=4: must be 3"),
    ({"seats": 4}, "seats=4: must be 3"),
    ({"rounds": 1}, "hands=3: must be 6"),
    ({"hands": 1}, "hands=1: must be 6"),
    ({"chips": 8}, "chips=8: must be 7"),
    ({"expert": True}, "expert=1: must be 0"),
    ({"reward": "win"}, "win_reward=1: must be 0"),
    ({"hand_values": False}, "hand_values=0: must be 1"),
    ({"ranks": 12}, "ranks=12: must be 13"),
    ({"streets": 3}, "streets=3: must be 4"),
    ({"actions": ("+1", "blank")}, "actions=18: must be 30"),
]
ALL_OTHERS = [
    *((palace_v0, MINE, *other) for other in OTHERS),
    *((detective_v0, DETECTIVES, *other) for other in OTHER_DETECTIVES),
]


@pytest.mark.parametrize(
    ("face", "mine", "arguments", "message"), ALL_OTHERS, ids=[message for *_, message in ALL_OTHERS]
)
def test_records_of_other_arguments_are_not_restored(
    face: ModuleType, mine: dict[str, Any], arguments: dict[str, Any], message: str
) -> None:
    batch = face.batch(3, **mine)
    states = batch.states.copy()
    states[2] = face.batch(1, **{**mine, **arguments}).states[0]
    before = batch.states.tobytes(), batch.observations.tobytes(), batch.actors.tobytes()
    with pytest.raises(ValueError, match=f"states with {message} as in this batch"):
        batch.restore(states)
    assert (batch.states.tobytes(), batch.observations.tobytes(), batch.actors.tobytes()) == before


def test_what_is_no_record_of_a_batch_is_not_restored() -> None:
    batch = palace_v0.batch(3)
    wrong: list[tuple[Any, str]] = [
        (None, "states of type 'NoneType': must be an array of 3 records of 'palace'"),
        ([1, 2, 3], "states of type 'list'"),
        (np.zeros(3), "states of dtype 'float64'"),
        (batch.states[:2].copy(), r"states of shape \(2,\)"),
        (batch.states.copy()[:, None], r"states of shape \(3, 1\)"),
        (batch.views().copy(), r"states with viewer=\d: must be -1"),
        (np.zeros_like(batch.states), "states with players=0: must be 4"),
    ]
    for states, message in wrong:
        with pytest.raises(ValueError, match=message) as refused:
            batch.restore(states)
        assert len(str(refused.value)) < 150


def test_rewards_are_those_of_the_finished_step_and_observations_the_new_games() -> None:
    batch = palace_v0.batch(1, players=2, seed=0)
    stacks = batch.states["stacks"].copy()
    batch.step([rules.FOLD])
    assert batch.over[0]
    assert batch.hand_over[0]
    assert sorted(batch.rewards[0].tolist()) == [-0.5, 0.5]
    assert (batch.states["stacks"] == stacks).all()
    assert batch.states["moves"][0] == 0


def test_a_match_goes_on_with_the_stacks_of_the_last_hand() -> None:
    batch = palace_v0.batch(1, players=2, hands=2, seed=0)
    batch.step([rules.FOLD])
    assert batch.hand_over[0]
    assert not batch.over[0]
    assert sorted((batch.states["stacks"] + batch.states["paid"])[0, :2].tolist()) == [199, 201]
    batch.step([rules.FOLD])
    assert batch.over[0]
