"""What must hold of Detective hands at every step, at tables of every kind; see ``tests.invariants``."""

from collections.abc import Mapping
from typing import Any

import numpy as np
import numpy.typing as npt
import pytest

from card_table.batch import Batch
from card_table.cards import N_CARDS, NO_CARD, set_of
from card_table.game import Game, States
from card_table.hands import FULL_HOUSE, QUADS, best_hands
from detective_env import detective_v0, rules
from detective_env.text import ACTIONS

FACE = detective_v0
RULES = rules
BOARD_SIZES = (0, 3, 4, 5)


def random_arguments(rng: np.random.Generator) -> dict[str, Any]:
    """Arguments of a Detective game: any player count, both modes, every option and knob."""
    players, streets, expert = int(rng.integers(3, 5)), int(rng.integers(1, 5)), bool(rng.integers(2))
    if rng.integers(2):
        streets = 4
    board, burnt = BOARD_SIZES[streets - 1], streets - 1
    least = board + (2 * players + burnt) // 4 if expert else -(-(2 * players + board + burnt) // 4)
    rounds = int(rng.integers(1, 4))
    return {
        "players": players,
        "rounds": rounds,
        "hands": int(rng.integers(1, rounds * players + 1)) if rng.integers(2) else None,
        "chips": int(rng.integers(streets, 13)),
        "expert": expert,
        "reward": ("margin", "win")[rng.integers(2)],
        "seats": int(rng.integers(players, 5)),
        "hand_values": bool(rng.integers(4)),
        "ranks": int(rng.integers(max(2, least), 14)) if rng.integers(2) else 13,
        "streets": streets,
        "actions": [card for card in ACTIONS if rng.integers(4)],
    }


def check_states(states: States, game: Game) -> None:
    """Check everything that must hold between bets of hands that are being played."""
    arguments = game.rules
    players, streets = game.players, arguments["streets"]
    seats = np.arange(rules.MAX_SEATS) < players
    made = states["bet_board"] >= 0
    bet = states["bet_chips"]
    assert (states["chips_left"] + bet.sum(1) == arguments["chips"] * seats).all(), "chips are left or bet"
    assert ((bet >= 1) == made).all(), "a bet is of a chip at least"
    assert (bet <= rules.MAX_BET).all()
    assert (states["bet_board"] < players).all()
    to_come = streets - made[:, :, :players].sum(1)
    assert (states["chips_left"][:, :players] >= to_come).all(), "a chip is left for each street to come"
    assert (made.sum((1, 2)) // players == states["street"]).all(), "a bet each on every street"
    bettor = states["dealer"] + 1 + states["street"] + made.sum((1, 2)) % players
    assert (states["actor"] == bettor % players).all(), "bets are made in turn"
    _check_action_cards(states, len(arguments["actions"]), seats)
    _check_cards(states, arguments, players)
    if game.record["hand_values"][0]:
        streets_so_far = np.arange(rules.STREETS)[:, None] <= states["street"][:, None, None]
        for field in ("private", "exposed"):
            own = _one_by_one(states[field][:, None, :players])
            strengths = _strengths(_boards(states)[:, :, None] | own)
            kept = states[f"{field}_strength"][:, :, :players]
            assert (kept == np.where(streets_so_far, strengths, 0)).all(), "strengths are up to date"


def _check_action_cards(states: States, given: int, seats: npt.NDArray[np.bool_]) -> None:
    played = states["bet_card"]
    held = states["cards"]
    assert (np.bitwise_count(held.astype(np.uint8)) == states["n_cards"]).all()
    assert ((states["n_cards"] + (played > 0).sum(1)) == given * seats).all(), "cards are in hand or played"
    kinds = np.where(played > 0, 1 << played.astype(int), 0)
    assert (np.bitwise_or.reduce(kinds, axis=1) + held == states["actions"][:, None] * seats).all(), (
        "one each"
    )


def _check_cards(states: States, arguments: Mapping[str, Any], players: int) -> None:
    """Each card is in one place, and in expert mode the board has no pair and makes no full house."""
    streets = arguments["streets"]
    sizes = {"private": players, "exposed": players, "board": BOARD_SIZES[streets - 1], "burnt": streets - 1}
    for field, size in sizes.items():
        assert ((states[field] != NO_CARD).sum(1) == size).all(), field
    assert ((states["deck"] != NO_CARD).sum(1) == states["deck_size"]).all()
    thrown = states["thrown"].reshape(len(states), -1)
    places = np.concatenate([*(states[field] for field in sizes), states["deck"], thrown], axis=1)
    whole = [card for card in range(N_CARDS) if card % 13 >= 13 - arguments["ranks"]]
    assert ((places != NO_CARD).sum(1) == len(whole)).all(), "each card is in one place"
    cards = np.bitwise_or.reduce(_one_by_one(places), axis=1)
    assert (cards == set_of(whole)).all(), "and no card is lost"
    if not arguments["expert"]:
        assert (thrown == NO_CARD).all(), "cards are thrown out in expert mode alone"
        return
    board = states["board"]
    ranks = np.where(board == NO_CARD, -1 - np.arange(rules.BOARD), board % 13)
    pairs = ranks[:, :, None] == ranks[:, None, :]
    assert (pairs.sum((1, 2)) == rules.BOARD).all(), "no pair on the board"
    for street, size in enumerate(BOARD_SIZES[1:]):
        out = states["thrown"][:, street]
        repeats = (out[:, :, None] % 13 == ranks[:, None, : size - 1]).any(2)
        assert (repeats | (out == NO_CARD)).all(), "only a rank that lies on the board is thrown out"
    categories = _strengths(_hands(states, players)) >> 20
    assert not np.isin(categories, (FULL_HOUSE, QUADS)).any(), "no full house and no four of a kind"


def _boards(states: States) -> npt.NDArray[np.int64]:
    """The board of each street as a set, int64 (B, 4)."""
    cards = _one_by_one(states["board"])
    boards = [np.bitwise_or.reduce(cards[:, :size], axis=1) for size in BOARD_SIZES]
    return np.stack(boards, axis=1)


def _hands(states: States, players: int) -> npt.NDArray[np.int64]:
    """The cards that make each player's hand on each street, as sets, int64 (B, 4, N)."""
    own = _one_by_one(states["private"]) | _one_by_one(states["exposed"])
    return _boards(states)[:, :, None] | own[:, None, :players]


def _one_by_one(cards: npt.NDArray[Any]) -> npt.NDArray[np.int64]:
    """Each card as a set of its own, which is empty where there is no card."""
    return np.where(cards == NO_CARD, 0, np.int64(1) << np.maximum(cards, 0).astype(np.int64))


def _strengths(cards: npt.NDArray[np.int64]) -> npt.NDArray[np.int32]:
    flat = np.zeros(cards.size, np.int32)
    best_hands(cards.ravel(), flat)
    return flat.reshape(cards.shape)


def check_results(before: States, actions: npt.NDArray[np.int64], batch: Batch) -> None:
    """Check what a step made of the games as they were before it: scores, totals and rewards."""
    game = batch.game
    players = game.players
    last_bets = before["actor"] == (before["dealer"] + before["street"]) % players
    assert (batch.hand_over == (last_bets & (before["street"] == game.rules["streets"] - 1))).all()
    ended = batch.hand_over
    over = ended & (before["hand"] + 1 == game.hands)
    assert (batch.over == over).all(), "a game has so many hands"
    earned = np.where(ended[:, None], _points(before, actions, game), 0)
    totals = before["points"][:, :players] + earned
    points = batch.states["points"][:, :players]
    assert (points == np.where(over[:, None], 0, totals)).all(), "points add up over the hands"
    if game.record["win_reward"][0]:
        expected = np.where(over[:, None], _shares(totals, before, actions) - 1 / players, 0)
    else:
        expected = earned - (earned.sum(1, keepdims=True) - earned) / (players - 1)
    assert np.abs(batch.rewards - expected).max() < 1e-5, "rewards are margins or shares of the win"


def _points(before: States, actions: npt.NDArray[np.int64], game: Game) -> npt.NDArray[np.int64]:
    """The points of each hand if these are its last bets, by RULES.md 5 and 7.1, int64 (B, N)."""
    players, streets, expert = game.players, game.rules["streets"], game.rules["expert"]
    board, chips, card = (before[field].astype(int) for field in ("bet_board", "bet_chips", "bet_card"))
    last = np.arange(len(before)), before["street"], before["actor"]
    board[last] = (before["actor"] + actions // 15) % players
    chips[last] = actions % 15 // 5 + 1
    card[last] = actions % 5
    board, chips, card = (bets[:, :streets, :players] for bets in (board, chips, card))
    strengths = _strengths(_hands(before, players))[:, :streets]
    board = np.where(card == 2, board + 1, board) % players  # clockwise
    strength = np.take_along_axis(strengths, np.maximum(board, 0), axis=2)
    best, weakest = strengths.max(2, keepdims=True), strengths.min(2, keepdims=True)
    right = np.where(card == 3, strength == weakest, strength == best)  # bluff
    plus_one = card == 1
    points: npt.NDArray[np.int64] = np.where(right, chips + plus_one, -1 * (expert & plus_one)).sum(1)
    return points


def _shares(
    totals: npt.NDArray[np.int64], before: States, actions: npt.NDArray[np.int64]
) -> npt.NDArray[np.float64]:
    """Each player's share of the win, by RULES.md 9, float64 (B, N)."""
    kept = before["n_cards"].astype(int)
    kept[np.arange(len(before)), before["actor"]] -= actions % 5 > 0
    merit = totals * 10 + kept[:, : totals.shape[1]]
    won = merit == merit.max(1, keepdims=True)
    shares: npt.NDArray[np.float64] = won / won.sum(1, keepdims=True)
    return shares


def check_history(history: Mapping[str, Any], game: Game, rewards: npt.NDArray[np.float32]) -> None:
    """Check that a history tells what the players were paid for the hand, if they are paid by the hand."""
    if game.record["win_reward"][0]:
        return
    points = history["points"]
    others = [(sum(points) - own) / (len(points) - 1) for own in points]
    margins = [own - mean for own, mean in zip(points, others, strict=True)]
    assert rewards.tolist() == pytest.approx(margins, abs=1e-5)
