"""What must hold of Palace hands at every step, at tables of every kind; see ``tests.invariants``."""

from collections.abc import Mapping
from typing import Any, TypeVar

import numpy as np
import numpy.typing as npt
import pytest

from card_table.batch import Batch
from card_table.cards import N_CARDS, suit_cards
from card_table.compile import rule
from card_table.game import Game, States
from card_table.hands import best_hand
from palace_env import palace_v0, rules

FACE = palace_v0
RULES = rules
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


def check_states(states: States, game: Game) -> None:
    """Check everything that must hold between moves of hands that are being played."""
    arguments = game.rules
    total = game.players * arguments["stack"]
    assert (states["stacks"].sum(1) + states["pot"] == total).all(), "chips are conserved"
    assert (states["stacks"] >= 0).all()
    assert (states["paid"].sum(1) == states["pot"]).all(), "the pot is what was paid"
    places = np.arange(N_CARDS)
    in_deck = np.where(places < states["deck_size"][:, None], states["deck"], -1)
    deck = _card_bits(in_deck)
    banners = _card_bits(states["banner"][:, :, None])
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
    fresh = states.copy()
    fresh["shown"][..., : rules.BUYS] = 0
    _show_all(fresh)
    stale_shows = (fresh["shown"] != states["shown"]).any(axis=(1, 2))
    assert not stale_shows.any(), f"what all see of game {np.argmax(stale_shows)} is stale"
    assert (states["banners"] == _card_bits(np.where(states["in_hand"] != 0, states["banner"], -1))).all()


def _card_bits(cards: npt.NDArray[Any]) -> npt.NDArray[np.int64]:
    """The sets of the cards in the last axis, where -1 is no card."""
    bits = np.where(cards >= 0, np.int64(1) << np.maximum(cards, 0).astype(np.int64), 0)
    return np.bitwise_or.reduce(bits, axis=-1) if cards.shape[-1] else np.zeros(cards.shape[:-1], np.int64)


@rule
def _show_all(states: States) -> None:
    for i in range(len(states)):
        for seat in range(int(states[i].players)):
            rules.show_seat(states[i], seat)


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


def check_results(before: States, actions: npt.NDArray[np.int64], batch: Batch) -> None:
    """Check what a step made of the games as they were before it: chips are carried from hand to hand."""
    goes_on = batch.hand_over & ~batch.over
    players, small = batch.game.players, batch.game.rules["small_bet"]
    chips, earlier = (
        (states["stacks"] + states["paid"])[goes_on, :players] for states in (batch.states, before)
    )
    assert np.abs(chips - earlier - batch.rewards[goes_on] * small).max(initial=0) < 0.01, "chips carry over"
    assert (batch.states["hand"] == np.where(batch.over, 0, before["hand"] + batch.hand_over)).all()
    assert (batch.states["hand"] < batch.game.hands).all()
    assert (chips > 0).sum(1).min(initial=2) >= 2, "a match that goes on has two players"


def check_history(history: Mapping[str, Any], game: Game, rewards: npt.NDArray[np.float32]) -> None:
    """Check that a history tells what the players were paid for the hand."""
    assert sum(history["net"]) == 0
    assert rewards.tolist() == pytest.approx([net / game.rules["small_bet"] for net in history["net"]])
