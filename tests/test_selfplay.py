"""Self-play: returns by seat, hands learned from once and whole, SB3's arithmetic, going on exactly."""

from typing import Any

import numpy as np
import pytest
import torch
from sb3_contrib.common.maskable.distributions import MaskableCategorical

from agents import load
from agents.arena import duel
from agents.policy import Policy, choose
from agents.selfplay import Decisions, SelfPlay
from agents.settings import SETTINGS, Settings
from card_table.game import Game
from detective_env.detective_v0 import Detective
from palace_env.palace_v0 import Palace

SMALL = Settings(games=16, rollout=256, batch=64, hidden=16, bfloat16=False)


@pytest.fixture(autouse=True)
def _one_thread() -> None:
    torch.set_num_threads(1)


def recorded(moves: list[tuple[int, int, float]], ends: dict[int, Any], told: int = 1) -> Decisions:
    """Decisions from (game, seat, value) in order, and the payoffs of those that ended a hand."""
    decisions = Decisions(Palace(players=3), len(moves), told)
    decisions.extend(len(moves))
    for row, (table, seat, value) in enumerate(moves):
        decisions.games[row], decisions.seats[row], decisions.values[row] = table, seat, value
    decisions.ended[:] = False
    decisions.payoffs[:] = 0
    for row, payoffs in ends.items():
        decisions.ended[row] = True
        decisions.payoffs[row] = payoffs
    return decisions


def test_the_result_of_a_hand_goes_to_each_seats_last_decision() -> None:
    # Seat 1 is beaten after its only decision, seat 0 decides twice, and seat 2 ends the hand.
    decisions = recorded([(0, 0, 0.5), (0, 1, 0.25), (0, 0, -0.5), (0, 2, 1.0)], {3: [-2.0, -1.0, 3.0]})
    decisions.credit(1, 0.5)
    assert decisions.complete.tolist() == [True] * 4
    assert decisions.returns.tolist() == [-2.0, -1.0, -2.0, 3.0]
    # Last decisions: payoff less value. Seat 0's first: (-0.5 - 0.5) + 0.5 × (-2.0 + 0.5).
    assert decisions.advantages.tolist() == [-1.75, -1.25, -1.5, 2.0]


def test_an_unfinished_hand_waits_and_nothing_passes_from_one_hand_to_the_next() -> None:
    decisions = recorded(
        [(0, 0, 0.0), (1, 0, 0.0), (0, 1, 0.0), (0, 0, 5.0), (1, 1, 0.0), (0, 1, 7.0)],
        {2: [1.0, -1.0, 0.0]},
    )
    decisions.credit(2, 0.95)
    assert decisions.complete.tolist() == [True, False, True, False, False, False]
    assert decisions.advantages[[0, 2]].tolist() == [1.0, -1.0]
    decisions.drop_complete()
    assert decisions.size == 4
    assert decisions.games[:4].tolist() == [1, 0, 1, 0]
    assert decisions.values[:4].tolist() == [0.0, 5.0, 0.0, 7.0]


def plain_advantages(values: list[float], payoff: float, trace: float) -> list[float]:
    """GAE by its definition, for one seat's decisions in one hand."""
    after = [*values[1:], payoff]
    deltas = [after[place] - value for place, value in enumerate(values)]
    return [
        sum(trace**ahead * delta for ahead, delta in enumerate(deltas[start:]))
        for start in range(len(deltas))
    ]


def test_what_a_decision_brings_goes_to_each_seats_last_decision_up_to_it() -> None:
    # The last three decisions of the hand are told what they brought: seat 1's, seat 2's and seat 0's second.
    brought = [[-1.0, 2.0, -1.0], [-2.0, -2.0, 4.0], [8.0, -4.0, -4.0]]
    moves = [(0, 0, 0.5), (0, 1, 0.25), (0, 2, 1.0), (0, 0, -0.5)]
    decisions = recorded(moves, {3: brought}, told=3)
    decisions.credit(1, 0.5)
    # All that is earned from the decision on: seat 1's is followed by all three, seat 2's by two.
    assert decisions.returns.tolist() == [5.0, -4.0, 0.0, 8.0]
    # Seat 0's first decision has the three before its second: -1 - 2 + (-0.5) - 0.5 + 0.5 × (8 + 0.5).
    assert decisions.advantages.tolist() == [0.25, -4.25, -1.0, 8.5]


def test_what_is_brought_before_a_seats_first_decision_is_none_of_its_own_and_ends_with_the_hand() -> None:
    hand = [[1.0, -1.0, 0.0], [0.0, 3.0, -3.0]]
    moves = [(0, 0, 0.0), (0, 1, 0.0), (0, 1, 0.0), (0, 0, 0.0)]
    decisions = recorded(moves, {1: hand, 3: hand}, told=2)
    decisions.credit(1, 0.95)
    assert decisions.returns.tolist() == [1.0, 3.0, 2.0, 0.0]


def plain_credit(
    moves: list[tuple[int, int, float]], ends: dict[int, Any], trace: float
) -> tuple[list[float], list[float]]:
    """Advantages and returns, in 32 bits, of hands of which only the whole is told."""
    advantages, returns = [np.nan] * len(moves), [np.nan] * len(moves)
    ahead: dict[int, dict[int, tuple[np.float32, np.float32]]] = {}
    payoff: dict[int, list[np.float32]] = {}
    for row in range(len(moves) - 1, -1, -1):
        table, seat, value = moves[row]
        if row in ends:
            payoff[table], ahead[table] = [np.float32(part) for part in ends[row]], {}
        if table in payoff:
            after, later = ahead[table].get(seat, (payoff[table][seat], np.float32(0)))
            advantage = after - np.float32(value) + np.float32(trace) * later
            advantages[row], returns[row] = float(advantage), float(payoff[table][seat])
            ahead[table][seat] = np.float32(value), advantage
    return advantages, returns


def test_a_payoff_at_the_end_is_credited_to_the_bit_as_a_whole() -> None:
    rng = np.random.default_rng(5)
    moves = [(int(rng.integers(7)), int(rng.integers(3)), float(rng.normal())) for _ in range(3000)]
    ends = {int(row): rng.normal(size=3).tolist() for row in rng.choice(3000, 200, replace=False)}
    decisions = recorded(moves, ends)
    decisions.credit(7, 0.95)
    advantages, returns = plain_credit(moves, ends, 0.95)
    complete = decisions.complete
    np.testing.assert_array_equal(complete, ~np.isnan(advantages))
    np.testing.assert_array_equal(decisions.advantages[complete], np.array(advantages)[complete])
    np.testing.assert_array_equal(decisions.returns[complete], np.array(returns)[complete])


@pytest.mark.parametrize("trace", [0.0, 0.6, 0.95, 1.0])
def test_advantages_equal_a_plain_reference(trace: float) -> None:
    rng = np.random.default_rng(4)
    games, players, count = 5, 3, 400
    moves = [
        (int(rng.integers(games)), int(rng.integers(players)), float(rng.normal())) for _ in range(count)
    ]
    ends = {int(row): rng.normal(size=players).tolist() for row in rng.choice(count, 40, replace=False)}
    decisions = recorded(moves, ends)
    decisions.credit(games, trace)

    advantages, returns = [np.nan] * count, [np.nan] * count
    hand: dict[int, list[int]] = {table: [] for table in range(games)}
    for row, (table, _, _) in enumerate(moves):
        hand[table].append(row)
        if row not in ends:
            continue
        for seat in range(players):
            own = [place for place in hand[table] if moves[place][1] == seat]
            payoff = ends[row][seat]
            for place, advantage in zip(
                own, plain_advantages([moves[place][2] for place in own], payoff, trace), strict=True
            ):
                advantages[place], returns[place] = advantage, payoff
        hand[table] = []
    complete = ~np.isnan(advantages)
    assert 0 < complete.sum() < count
    np.testing.assert_array_equal(decisions.complete, complete)
    np.testing.assert_allclose(decisions.advantages[complete], np.array(advantages)[complete], atol=1e-5)
    np.testing.assert_allclose(decisions.returns[complete], np.array(returns)[complete], atol=1e-6)


def test_decisions_keep_their_contents_when_room_is_made() -> None:
    decisions = Decisions(Palace(), 4)
    for start in range(0, 30, 3):
        rows = decisions.extend(3)
        decisions.actions[rows] = range(start, start + 3)
    assert decisions.size == 30
    assert decisions.actions[:30].tolist() == list(range(30))


@pytest.mark.parametrize(
    "game", [Palace(players=3, hands=4), Detective(players=3)], ids=["palace", "detective"]
)
def test_every_hand_is_learned_from_once_and_whole(game: Game) -> None:
    model = SelfPlay(game, SMALL, seed=3)
    learned = played = 0
    for _ in range(6):
        model.collect()
        played += SMALL.rollout
        decisions = model.decisions
        decisions.credit(SMALL.games, SMALL.trace)
        complete = decisions.complete[: decisions.size]
        learned += int(complete.sum())
        for table in range(SMALL.games):
            own = decisions.games[: decisions.size] == table
            ended = np.flatnonzero(decisions.ended[: decisions.size][own])
            # All up to the last end, nothing after it.
            assert int(complete[own].sum()) == (ended[-1] + 1 if len(ended) else 0)
        payoffs = decisions.payoffs[: decisions.size][decisions.ended[: decisions.size]]
        np.testing.assert_allclose(payoffs.sum(axis=2), 0, atol=1e-5)
        decisions.drop_complete()
        assert learned + decisions.size == played
        assert not decisions.ended[: decisions.size].any()


def some_decisions(model: SelfPlay) -> tuple[torch.Tensor, ...]:
    """Observations, masks, actions and logarithms of decisions that the network as it is took."""
    model.collect()
    decisions, rows = model.decisions, slice(model.decisions.size - SMALL.rollout, model.decisions.size)
    arrays = (decisions.observations, decisions.masks, decisions.actions, decisions.logs)
    return tuple(torch.from_numpy(array[rows].copy()) for array in arrays)


def test_play_and_loss_have_the_chances_that_sb3_has() -> None:
    model = SelfPlay(Palace(), SMALL, seed=5)
    model.learn(2000)  # away from the first weights, which make all moves alike
    observations, masks, actions, logs = some_decisions(model)
    with torch.no_grad():
        values, expected, entropy = model.policy.evaluate_actions(observations, actions, masks)
        assert entropy is not None
        advantages, returns = torch.randn(len(actions)), torch.randn(len(actions))
        _, told = model.loss(observations, masks, actions, expected, advantages, returns)
    torch.testing.assert_close(logs, expected, atol=1e-4, rtol=0)
    torch.testing.assert_close(told[0], -advantages.mean(), atol=1e-5, rtol=1e-5)
    errors = (values.flatten() - returns).abs()
    assert errors.min() < 1 < errors.max()
    torch.testing.assert_close(told[1], torch.where(errors < 1, errors**2, 2 * errors - 1).mean())
    torch.testing.assert_close(told[2], entropy.mean(), atol=1e-5, rtol=1e-5)
    torch.testing.assert_close(told[3:], torch.zeros(2), atol=1e-5, rtol=0)


def test_choose_reports_the_logarithm_that_a_masked_categorical_has() -> None:
    rng = np.random.default_rng(0)
    scores = rng.normal(size=(300, 20)).astype(np.float32) * 3
    masks = rng.random((300, 20)) < 0.3
    masks[np.arange(300), rng.integers(20, size=300)] = True
    actions, logs = choose(scores, masks, rng)
    chances = MaskableCategorical(logits=torch.from_numpy(scores), masks=torch.from_numpy(masks))
    expected: torch.Tensor = chances.log_prob(torch.from_numpy(actions))  # type: ignore[no-untyped-call]
    torch.testing.assert_close(torch.from_numpy(logs), expected, atol=1e-5, rtol=0)


def test_weights_say_what_the_network_says() -> None:
    model = SelfPlay(Palace(), SMALL, seed=6)
    observations, masks, _, _ = some_decisions(model)
    scores = model.weights().scores(observations.numpy())
    with torch.no_grad():
        units = model.policy.features_extractor(observations)
        assert isinstance(units, torch.Tensor)
        expected = torch.cat([model.policy.action_net(units), model.policy.value_net(units)], 1)
    np.testing.assert_allclose(scores, expected.numpy(), atol=1e-5)
    assert scores.shape[1] == masks.shape[1] + 1


def test_the_same_seed_gives_the_same_training_and_another_another() -> None:
    def trained(seed: int) -> np.ndarray:
        return SelfPlay(Palace(), SMALL, seed).learn(1000).weights().first

    assert (trained(1) == trained(1)).all()
    assert (trained(1) != trained(2)).any()


def test_threads_do_not_change_the_training() -> None:
    one, two = (SelfPlay(Palace(), SMALL, seed=4, threads=threads) for threads in (1, 2))
    for _ in range(3):
        assert one.iterate(0) == two.iterate(0)
    assert (one.weights().first == two.weights().first).all()


@pytest.mark.parametrize("game", [Palace(players=5), Detective(players=3)], ids=["palace", "detective"])
def test_a_restored_snapshot_goes_on_exactly(game: Game) -> None:
    model = SelfPlay(game, SMALL, seed=7)
    for _ in range(2):
        model.iterate(0.1)
    arrays, state = model.snapshot()
    assert model.decisions.size > 0  # unfinished hands are part of it
    figures = [model.iterate(0.5), model.iterate(0.9)]

    other = SelfPlay(game, SMALL, seed=7)
    other.restore(arrays, state)
    assert [other.iterate(0.5), other.iterate(0.9)] == figures
    assert (other.num_timesteps, other.hands, other.iterations) == (model.num_timesteps, model.hands, 4)
    for name, weights in vars(model.weights()).items():
        np.testing.assert_array_equal(vars(other.weights())[name], weights)


def test_a_snapshot_of_something_else_is_refused() -> None:
    arrays, state = SelfPlay(Palace(), SMALL, seed=7).snapshot()
    wider = Settings(games=16, rollout=256, batch=64, hidden=32)
    with pytest.raises(ValueError, match=r"network\.features_extractor\.first\.weight.*must be.*32"):
        SelfPlay(Palace(), wider).restore(arrays, state)
    del arrays["decisions.logs"]
    with pytest.raises(ValueError, match=r"'decisions\.logs' is missing"):
        SelfPlay(Palace(), SMALL).restore(arrays, state)


@pytest.mark.parametrize(
    ("change", "told"),
    [
        ({"games": 0}, "games=0"),
        ({"rollout": 1000, "games": 256}, "rollout=1000: must be a multiple of games=256"),
        ({"trace": 1.5}, "trace=1.5"),
        ({"learning_rate": -1.0}, "learning_rate=-1.0"),
        ({"entropy": float("nan")}, "entropy=nan"),
        *(
            ({name: float("inf")}, f"{name}=inf: must be a number from .* to ")
            for name in ("learning_rate", "entropy", "unit", "clip", "max_gradient", "value_weight")
        ),
        ({"unit": 1e-300}, "unit=1e-300: must be a number from 0.001 to"),
        ({"hidden": 10_000_000}, "hidden=10000000: must be a whole number from 1 to 8192"),
        ({"hidden": "x"}, "hidden='x'"),
        ({"batch": 1.5}, "batch=1.5: must be a whole number"),
        ({"epochs": True}, "epochs=True"),
        ({"trace": None}, "trace=None"),
        ({"bfloat16": "no"}, "bfloat16='no': must be True or False"),
    ],
)
def test_settings_out_of_range_are_refused(change: dict[str, Any], told: str) -> None:
    with pytest.raises(ValueError, match=told):
        Settings(**change)


def test_a_short_training_beats_random_play() -> None:
    game = Palace()
    model = SelfPlay(game, Settings(games=128, rollout=4096, batch=1024, hidden=64), seed=1)
    model.learn(120_000)
    result = duel(game, Policy(model.weights(), "learned"), load("random", game), deals=400, seed=11)
    assert result.mean - result.error > 0.3


def test_a_short_training_of_detective_beats_random_play() -> None:
    game = Detective(players=3)
    model = SelfPlay(game, Settings(games=128, rollout=3072, batch=512, hidden=64, unit=4.0), seed=1)
    model.learn(120_000)
    result = duel(game, Policy(model.weights(), "learned"), load("random", game), deals=100, seed=11)
    assert result.mean - result.error > 0.5


def test_each_game_has_settings_of_its_own() -> None:
    for game in (Palace(), Detective()):
        assert SelfPlay(game).settings is SETTINGS[game.name]
