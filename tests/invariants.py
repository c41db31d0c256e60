"""Random Palace hands over all player counts and options, with every invariant checked at every step.

Run ``python -m tests.invariants 100000`` for that many hands.
"""

import argparse
import sys
from typing import Any, TypeVar

import numpy as np
import numpy.typing as npt

from card_table.cards import N_CARDS, suit_cards
from card_table.compile import ILLEGAL, rule
from card_table.game import States
from card_table.hands import best_hand
from palace_env import palace_v0, rules

GAMES = 64
T = TypeVar("T")


def random_arguments(rng: np.random.Generator) -> dict[str, Any]:
    """Arguments of a Palace game: any player count, both forms of betting, every option and knob."""

    def one_of(*choices: T) -> T:
        return choices[rng.integers(len(choices))]

    palace_cards = int(rng.integers(1, 4))
    ranks = one_of(13, 13, 13, int(rng.integers(2, 14)))
    players = int(rng.integers(2, 11))
    players = max(2, min(players, 4 * ranks // (1 + palace_cards)))
    if 4 * ranks < (1 + palace_cards) * players:
        palace_cards = 1
    small = int(rng.integers(1, 12))
    return {
        "players": players,
        "betting": one_of("limit", "no-limit"),
        "small_bet": small,
        "big_bet": one_of(None, small, small + int(rng.integers(0, 9))),
        "ante": one_of(None, 0, int(rng.integers(0, 3 * small))),
        "stack": one_of(200, int(rng.integers(1, 30)), int(rng.integers(1, 200))),
        "hands": one_of(1, int(rng.integers(2, 30))),
        "max_raises": one_of(3, None, int(rng.integers(0, 6))),
        "bare_raise": one_of(None, int(rng.integers(1, 20))),
        "sizes": one_of((1, 2, 4, 8), (), (1,), (2, 3, 5, 7, 11, 13, 17, 19)),
        "discard_fee": one_of(0, int(rng.integers(0, 6))),
        "forced_duel": one_of(True, False),
        "seats": one_of(None, int(rng.integers(players, 11))),
        "hand_values": one_of(True, True, False),
        "ranks": ranks,
        "palace_cards": palace_cards,
        "max_soldiers": one_of(5, int(rng.integers(0, 6))),
    }


@rule
def _choose(
    masks: npt.NDArray[np.bool_], draws: npt.NDArray[np.float64], actions: npt.NDArray[np.int64]
) -> None:
    for i in range(len(actions)):
        wanted = int(draws[i] * np.sum(masks[i]))
        for action in range(masks.shape[1]):
            if masks[i, action]:
                if wanted == 0:
                    actions[i] = action
                    break
                wanted -= 1


@rule
def _first_disagreement(states: States, masks: npt.NDArray[np.bool_]) -> int:
    """The first game in which is_legal and the mask differ for some action, in or out of range, or -1."""
    for i in range(len(states)):
        count = masks.shape[1]
        if rules.action_count(states[i]) != count:
            return i
        for action in range(-3, count + 3):
            if rules.is_legal(states[i], action) != (0 <= action < count and masks[i, action]):
                return i
    return -1


@rule
def _apply_all(states: States, actions: npt.NDArray[np.int64], statuses: npt.NDArray[np.int64]) -> None:
    for i in range(len(states)):
        statuses[i] = rules.apply(states[i], actions[i])


@rule
def _first_stale_strength(states: States) -> int:
    for i in range(len(states)):
        g = states[i]
        suits = rules.banner_suits(g)
        for seat in range(g.players):
            if g.in_hand[seat] == 0 or g.hand_values == 0:
                continue
            shown = int(g.soldiers[seat]) | 1 << int(g.banner[seat])
            own = shown | int(g.palace[seat])
            if g.strength[seat] != best_hand(own):
                return i
            for suit in range(4):
                if (suits >> suit) & 1 and suit != int(g.banner[seat]) // 13:
                    if g.strength_without[seat, suit] != best_hand(own & ~suit_cards(suit)):
                        return i
                    if g.shown_without[seat, suit] != best_hand(shown & ~suit_cards(suit)):
                        return i
    return -1


def card_bits(cards: npt.NDArray[Any]) -> npt.NDArray[np.int64]:
    """The sets of the cards in the last axis, where -1 is no card."""
    one = np.int64(1)
    bits = np.where(cards >= 0, one << np.maximum(cards, 0).astype(np.int64), 0)
    return np.bitwise_or.reduce(bits, axis=-1) if cards.shape[-1] else np.zeros(cards.shape[:-1], np.int64)


def check_states(
    states: States,
    arguments: dict[str, Any],
    layout_high: npt.NDArray[np.uint8],
    observations: npt.NDArray[np.uint8],
) -> None:
    """Check everything that must hold between moves of hands that are being played."""
    players = arguments["players"]
    total = players * arguments["stack"]
    assert (states["stacks"].sum(1) + states["pot"] == total).all(), "chips are conserved"
    assert (states["stacks"] >= 0).all()
    assert (states["paid"].sum(1) == states["pot"]).all(), "the pot is what was paid"
    places = np.arange(N_CARDS)
    in_deck = np.where(places < states["deck_size"][:, None], states["deck"], -1)
    deck = card_bits(in_deck)
    banners = card_bits(states["banner"][:, :, None])
    held = [deck, states["pile"], *states["soldiers"].T, *states["palace"].T, *banners.T]
    counts = sum(np.bitwise_count(cards).astype(int) for cards in held)
    all_cards = sum(1 << card for card in range(N_CARDS) if card % 13 >= 13 - arguments["ranks"])
    assert (counts == 4 * arguments["ranks"]).all(), "each card is in one place"
    assert (np.bitwise_or.reduce(held) == all_cards).all(), "and no card is lost"
    assert (np.bitwise_count(deck) == states["deck_size"]).all()
    assert (np.bitwise_count(states["pile"]) == states["pile_size"]).all()
    assert (states["in_hand"].sum(1) == states["left"]).all()
    assert (states["left"] >= 2).all(), "a hand that goes on has two players"
    is_in = states["in_hand"] != 0
    assert (np.bitwise_count(states["palace"]) == arguments["palace_cards"] * is_in).all()
    assert ((states["banner"] >= 0) == is_in).all()
    too_many = np.bitwise_count(states["soldiers"]) > arguments["max_soldiers"]
    discarding = (states["phase"] == rules.DISCARDING)[:, None] & (np.arange(10) == states["actor"][:, None])
    assert (~too_many | discarding).all(), "only who is discarding holds too many soldiers"
    assert (states["public_pile"] & ~states["pile"] == 0).all(), "what is known is true"
    assert (states["private_pile"] & ~states["pile"][:, None] == 0).all()
    assert (states["public_deck"] & ~deck == 0).all()
    assert (states["private_deck"] & ~deck[:, None] == 0).all()
    actors = states["actor"]
    assert np.take_along_axis(is_in, actors[:, None].astype(int), 1).all(), "the actor is in the hand"
    stale = _first_stale_strength(states)
    assert stale < 0, f"strengths of game {stale} are stale"
    assert (observations <= layout_high).all(), "observations keep to their bounds"


def play_and_check(arguments: dict[str, Any], hands: int, seed: int) -> tuple[int, int]:
    """Play at least so many random hands under some arguments; returns the hands and moves played."""
    rng = np.random.default_rng(seed)
    batch = palace_v0.batch(GAMES, seed=seed, **arguments)
    high = batch.game.layout.high
    actions = np.zeros(GAMES, np.int64)
    statuses = np.zeros(GAMES, np.int64)
    played = moves = 0
    while played < hands:
        assert batch.masks.any(1).all(), "there is always a legal move"
        check_states(batch.states, arguments, high, batch.observations)
        wrong = _first_disagreement(batch.states, batch.masks)
        assert wrong < 0, f"mask and is_legal differ in game {wrong}"
        refused = rng.integers(-2, batch.masks.shape[1] + 2, GAMES)
        inside = (refused >= 0) & (refused < batch.masks.shape[1])
        legal = inside & batch.masks[np.arange(GAMES), np.where(inside, refused, 0)]
        before = batch.states[~legal]
        after = before.copy()
        _apply_all(after, refused[~legal], statuses[: len(after)])
        assert (statuses[: len(after)] == ILLEGAL).all()
        assert before.tobytes() == after.tobytes(), "a refused action changes nothing"
        _choose(batch.masks, rng.random(GAMES), actions)
        batch.step(actions)
        moves += GAMES
        played += int(batch.hand_over.sum())
        earned = batch.rewards
        assert np.abs(earned.sum(1)).max() < 1e-3, "payoffs sum to zero"
        assert not earned[~batch.hand_over].any(), "nothing is earned before the end"
        assert (batch.hand_over | ~batch.over).all()
        assert moves < GAMES * (20_000 + 400 * hands), "hands end"
    return played, moves


def main() -> None:
    """Play as many hands as asked for."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("hands", type=int, nargs="?", default=100_000)
    parser.add_argument("--seed", type=int, default=0)
    asked = parser.parse_args()
    rng = np.random.default_rng(asked.seed)
    played = moves = tables = 0
    while played < asked.hands:
        arguments = random_arguments(rng)
        try:
            more, steps = play_and_check(arguments, min(250, asked.hands - played), int(rng.integers(2**31)))
        except AssertionError:
            print(f"failed with {arguments}", file=sys.stderr)
            raise
        played += more
        moves += steps
        tables += 1
        if tables % 20 == 0:
            print(f"{played} hands, {moves} moves, {tables} tables", flush=True)
    print(f"{played} hands, {moves} moves, {tables} tables: every invariant held")


if __name__ == "__main__":
    main()
