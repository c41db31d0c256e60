"""Policies: what they choose, that they play without torch, their files and which of these are refused."""

import json
import pickle
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from safetensors.numpy import load, save

from agents.policy import FORMAT, Policy, Weights, choose, describe, load_policy, pack, unpack
from card_table.game import Game
from detective_env.detective_v0 import Detective
from palace_env.palace_v0 import Palace, batch
from tests.plain import said_by


def random_weights(game: Game, hidden: int = 32, outputs: int | None = None, scale: float = 0.3) -> Weights:
    rng = np.random.default_rng(8)
    outputs = game.n_actions + 1 if outputs is None else outputs

    def normal(*shape: int) -> np.ndarray:
        return (rng.normal(size=shape) * scale).astype(np.float32)

    first = normal(game.layout.size, hidden)
    first /= game.layout.high[:, None]
    return Weights(
        first,
        normal(hidden),
        normal(hidden, hidden),
        normal(hidden),
        normal(hidden, outputs),
        normal(outputs),
    )


def seen(game: Palace, size: int = 200, moves: int = 30) -> tuple[np.ndarray, np.ndarray]:
    """Observations and masks of games in which random moves were made."""
    rng = np.random.default_rng(1)
    tables = batch(size, seed=2, players=game.players)
    for _ in range(moves):
        tables.step((rng.random(tables.masks.shape) * tables.masks).argmax(axis=1))
    return tables.observations.copy(), tables.masks.copy()


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A policy in its folder."""
    game = Palace()
    (tmp_path / "policy.safetensors").write_bytes(pack(random_weights(game), game))
    (tmp_path / "config.json").write_text(json.dumps({"format": FORMAT, **describe(game)}))
    return tmp_path


def test_scores_are_those_of_a_dense_network() -> None:
    game = Palace()
    weights = random_weights(game)
    observations, _ = seen(game)
    units = np.maximum(observations.astype(np.float64) @ weights.first + weights.first_bias, 0)
    units = np.maximum(units @ weights.second + weights.second_bias, 0)
    expected = units @ weights.last + weights.last_bias
    np.testing.assert_allclose(weights.scores(observations), expected, rtol=1e-3, atol=1e-3)


def test_a_row_is_scored_alike_alone_and_among_others() -> None:
    game = Palace()
    weights = random_weights(game)
    observations, _ = seen(game)
    together = weights.scores(observations)
    for row in range(0, len(observations), 17):
        assert (weights.scores(observations[row : row + 1]) == together[row]).all()


def test_scores_refuse_other_observations() -> None:
    weights = random_weights(Palace())
    with pytest.raises(ValueError, match=r"observations of shape \(2, 9\).*must be uint8 \(n, \d+\)"):
        weights.scores(np.zeros((2, 9), np.uint8))
    with pytest.raises(ValueError, match="dtype 'float32'"):
        weights.scores(np.zeros((2, len(weights.first)), np.float32))


def test_weights_that_do_not_fit_together_are_refused() -> None:
    weights = random_weights(Palace())
    arrays = vars(weights)
    with pytest.raises(ValueError, match="weights 'second_bias'"):
        Weights(**{**arrays, "second_bias": arrays["second_bias"][:-1]})
    with pytest.raises(ValueError, match="weights 'first'"):
        Weights(**{**arrays, "first": np.zeros((), np.float32)})
    with pytest.raises(ValueError, match=r"weights 'last' of shape \(0, 61\): must be \(H, K\), neither 0"):
        Weights(**{**arrays, "last": np.zeros((0, 61), np.float32)})


def test_choices_are_legal_and_as_frequent_as_the_softmax_over_legal_moves_says() -> None:
    scores = np.tile(np.array([[2.0, 0.5, 9.0, -1.0, 0.0]], np.float32), (40_000, 1))
    masks = np.tile(np.array([[True, True, False, True, False]]), (40_000, 1))
    actions, logs = choose(scores, masks, np.random.default_rng(0))
    chances = np.exp([2.0, 0.5, -1.0])
    chances /= chances.sum()
    counts = np.bincount(actions, minlength=5) / len(actions)
    np.testing.assert_allclose(counts, [chances[0], chances[1], 0, chances[2], 0], atol=0.01)
    np.testing.assert_allclose(np.exp(logs), chances[[0, 1, 1, 2]][actions], rtol=1e-4)


def test_without_chance_the_best_legal_move_is_taken_the_first_of_equals() -> None:
    scores = np.array([[1.0, 3.0, 9.0, 3.0], [5.0, 1.0, 1.0, 1.0]], np.float32)
    masks = np.array([[True, True, False, True], [False, True, True, True]])
    assert choose(scores, masks, None)[0].tolist() == [1, 1]


def test_a_mask_without_a_legal_move_is_refused() -> None:
    masks = np.array([[True, False], [False, False]])
    with pytest.raises(ValueError, match="row 1 of the masks has no legal action"):
        choose(np.zeros((2, 2), np.float32), masks, np.random.default_rng(0))


def test_scores_that_are_not_finite_are_refused() -> None:
    scores = np.array([[0.0, np.nan]], np.float32)
    with pytest.raises(ValueError, match="row 0 of the scores is not finite"):
        choose(scores, np.array([[True, True]]), None)
    assert choose(scores, np.array([[True, False]]), None)[0].tolist() == [0]


@pytest.mark.parametrize(
    "masks",
    [np.ones((3, 2), np.bool_), np.ones((2, 5), np.bool_), np.ones((2, 2), np.int8), np.ones(2, np.bool_)],
)
def test_masks_that_do_not_fit_are_refused(masks: np.ndarray) -> None:
    with pytest.raises(ValueError, match=r"must be bool \(n, A\)"):
        choose(np.zeros((2, 4), np.float32), masks, None)


@pytest.mark.parametrize("greedy", [False, True])
def test_a_policy_plays_whole_hands_and_repeats_itself(folder: Path, greedy: bool) -> None:
    game = Palace()
    policy = load_policy(folder, game, greedy)

    def played() -> np.ndarray:
        rng = np.random.default_rng(5)
        tables = batch(64, seed=3)
        taken = []
        for _ in range(100):
            actions = policy.act(tables.views(), tables.observations, tables.masks, rng)
            taken.append(actions)
            tables.step(actions)
        assert actions.dtype == np.int64
        return np.array(taken)

    assert (played() == played()).all()


def test_a_policy_is_the_same_after_its_files(folder: Path) -> None:
    game = Palace()
    weights, loaded = random_weights(game), load_policy(folder, game)
    observations, masks = seen(game)
    assert loaded.name == str(folder)
    scores = loaded.weights.scores(observations)
    assert scores.shape == masks.shape  # the value is not shipped
    np.testing.assert_allclose(scores, weights.scores(observations)[:, :-1], rtol=0.02, atol=0.05)
    again = unpack(pack(loaded.weights, game), game)
    np.testing.assert_allclose(again.scores(observations), scores, rtol=1e-3, atol=1e-3)


@pytest.mark.parametrize("game", [Palace(), Detective()], ids=["palace", "detective"])
def test_a_policy_of_the_default_size_is_shipped_in_less_than_a_megabyte(game: Game) -> None:
    assert len(pack(random_weights(game, hidden=256), game)) < 1_000_000


def test_a_policy_plays_under_other_rules_of_the_same_shape(folder: Path) -> None:
    game = Palace(ante=4, stack=50, max_raises=None)
    policy = load_policy(folder, game)
    observations, masks = seen(game)
    actions = policy.act(np.zeros(0), observations, masks, np.random.default_rng(0))
    assert masks[np.arange(len(masks)), actions].all()


def test_a_policy_plays_without_torch(folder: Path) -> None:
    program = f"""
import sys
for name in ("torch", "stable_baselines3", "sb3_contrib", "matplotlib", "tensorboard"):
    sys.modules[name] = None
import numpy as np
import agents
from palace_env import palace_v0
game = palace_v0.Palace()
policy = agents.load({str(folder)!r}, game)
tables = palace_v0.batch(8)
tables.step(policy.act(tables.views(), tables.observations, tables.masks, np.random.default_rng(0)))
print("played")
"""
    assert said_by(program) == "played"


@pytest.mark.parametrize(
    ("game", "told"),
    [
        (Palace(players=6), r"seats=4, the game has seats=6"),
        (Palace(hand_values=False), r"hand_values=True, the game has hand_values=False"),
        (Palace(betting="no-limit"), r"n_actions=61, the game has n_actions=80"),
    ],
)
def test_a_policy_for_another_shape_of_game_is_refused(folder: Path, game: Palace, told: str) -> None:
    with pytest.raises(ValueError, match=told):
        load_policy(folder, game)


def test_a_policy_for_other_amounts_is_refused(folder: Path) -> None:
    game = Palace(betting="no-limit")
    (folder / "policy.safetensors").write_bytes(pack(random_weights(game), game))
    (folder / "config.json").write_text(json.dumps({"format": FORMAT, **describe(game)}))
    load_policy(folder, Palace(betting="no-limit", big_bet=10))
    with pytest.raises(ValueError, match=r"sizes=\[1, 2, 4, 8\], the game has sizes=\[1, 2, 3, 4\]"):
        load_policy(folder, Palace(betting="no-limit", sizes=(1, 2, 3, 4)))


def change_config(folder: Path, change: Callable[[dict[str, Any]], None]) -> None:
    config = json.loads((folder / "config.json").read_text())
    change(config)
    (folder / "config.json").write_text(json.dumps(config))


@pytest.mark.parametrize(
    ("change", "told"),
    [
        (lambda config: config.update(game="detective"), "game='detective', the game has game='palace'"),
        (lambda config: config.update(format=99), "format 99 is unknown: must be 1"),
        (lambda config: config.pop("format"), "format None is unknown"),
        (lambda config: config.update(format=True), "format True is unknown"),
        (lambda config: config.update(seats=4.0), r"seats=4\.0, the game has seats=4"),
        (lambda config: config.update(hand_values=1), "hand_values=1, the game has hand_values=True"),
        (lambda config: config["layout"]["table"][0].__setitem__(2, 1.0), r"piece 0 .*1\.0.*'palace', 52, 1"),
        (lambda config: config.pop("layout"), "layout part 'table' is None: must be a list"),
        (
            lambda config: config["layout"]["table"].pop(2),
            "piece 2 of layout part 'table' is .*'phase'.*'deck'",
        ),
        (
            lambda config: config["layout"]["seat"].append(["x", 1, 1]),
            "layout part 'seat' has .* pieces, the game",
        ),
        (
            lambda config: config["layout"]["table"][0].__setitem__(2, 7),
            "piece 0 .*'palace', 52, 7.*'palace', 52, 1",
        ),
    ],
)
def test_a_config_for_something_else_is_refused(
    folder: Path, change: Callable[[dict[str, Any]], None], told: str
) -> None:
    change_config(folder, change)
    with pytest.raises(ValueError, match=told) as refused:
        load_policy(folder, Palace())
    assert "config.json" in str(refused.value)


@pytest.mark.parametrize(
    "contents",
    [b"", b"{", b"[1]", b"null", b"\xff\xfe", b"[" * 100_000, pickle.dumps({"format": FORMAT})],
    ids=range(7),
)
def test_a_broken_config_is_refused(folder: Path, contents: bytes) -> None:
    (folder / "config.json").write_bytes(contents)
    with pytest.raises(ValueError, match=r"config\.json"):
        load_policy(folder, Palace())


class Planted:
    """Unpickling this would leave a trace."""

    def __reduce__(self) -> tuple[Any, ...]:
        return (exec, ("raise SystemExit('code from a file was run')",))


def rewritten(contents: bytes, change: Callable[[dict[str, np.ndarray]], object]) -> bytes:
    arrays = dict(load(contents))
    change(arrays)
    return save(arrays)


def without_units() -> bytes:
    """A network of which nothing is left but the last biases."""
    game = Palace()
    shapes: dict[str, tuple[int, ...]] = {
        "first.weight": (0, game.layout.size),
        "first.bias": (0,),
        "second.weight": (0, 0),
        "second.bias": (0,),
        "last.weight": (game.n_actions, 0),
        "last.bias": (game.n_actions,),
    }
    return save({name: np.zeros(shape, np.float16) for name, shape in shapes.items()})


@pytest.mark.parametrize(
    ("change", "told"),
    [
        (lambda whole: whole[:-100], "no valid safetensors file"),
        (lambda whole: whole[:5], "no valid safetensors file"),
        (lambda whole: b"", "no valid safetensors file"),
        (lambda whole: pickle.dumps(Planted()), "no valid safetensors file"),
        (
            lambda whole: rewritten(whole, lambda arrays: arrays.pop("last.bias")),
            "it holds .*must be .*last.bias",
        ),
        (
            lambda whole: rewritten(whole, lambda arrays: arrays.update(more=np.zeros(1, np.float16))),
            "it holds .*more.*must be",
        ),
        (
            lambda whole: rewritten(whole, lambda arrays: arrays["second.bias"].fill(np.inf)),
            "'second.bias' holds numbers that are not finite",
        ),
        (
            lambda whole: rewritten(
                whole, lambda arrays: arrays.update({"last.bias": np.zeros(7, np.float16)})
            ),
            r"'last.bias' is float16 \(7,\): this game needs float16 \(61,\)",
        ),
        (
            lambda whole: rewritten(
                whole, lambda arrays: arrays.update({"last.bias": np.zeros(61, np.float32)})
            ),
            r"'last.bias' is float32",
        ),
        (
            lambda whole: rewritten(
                whole, lambda arrays: arrays.update({"first.bias": np.zeros((), np.float16)})
            ),
            r"'first.weight' is float16 .*: this game needs float16 \(1, ",
        ),
        (lambda whole: without_units(), r"is float16 \(0, \d+\): this game needs float16 \(1, \d+\)"),
    ],
)
def test_broken_weights_are_refused(folder: Path, change: Callable[[bytes], bytes], told: str) -> None:
    path = folder / "policy.safetensors"
    path.write_bytes(change(path.read_bytes()))
    with pytest.raises(ValueError, match=told) as refused:
        load_policy(folder, Palace())
    assert "policy.safetensors" in str(refused.value)


@pytest.mark.parametrize("name", ["policy.safetensors", "config.json"])
def test_a_missing_file_is_named(folder: Path, name: str) -> None:
    (folder / name).unlink()
    with pytest.raises(FileNotFoundError, match=rf"{name}.* is missing"):
        load_policy(folder, Palace())


def test_the_value_column_does_not_change_what_a_policy_does() -> None:
    game = Palace()
    weights = random_weights(game)
    observations, masks = seen(game)
    without = unpack(pack(weights, game), game)
    taken = [
        Policy(each, "p", greedy=True).act(np.zeros(0), observations, masks, np.random.default_rng(0))
        for each in (weights, without)
    ]
    assert np.mean(taken[0] == taken[1]) > 0.98  # float16 may turn a near tie
