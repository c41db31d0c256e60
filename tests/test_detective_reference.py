"""Detective Poker's reference speaks of every testable rule, and counts moves as the product does."""

import hashlib
import json
import re
from collections import Counter
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import detective_env
from detective_env import detective_v0
from tests.detective import differential
from tests.detective.reference import Game, Hand, Rules, strength
from tests.differential import run

# The number of move sequences to each depth from fixed deals and, where the last depth ends the hand, the
# SHA-256 of all the hands with their points.
POSITIONS: list[dict[str, Any]] = json.loads((Path(__file__).parent / "detective" / "perft.json").read_text())


def test_every_marked_paragraph_is_exercised_by_the_differential_run() -> None:
    text = (Path(detective_env.__file__).parent / "RULES.md").read_text("utf-8")
    marked = re.findall(r"^\*\*([\d.]+) ✓\*\*", text, re.MULTILINE)
    assert len(marked) > 50
    assert set(marked) <= {name.split()[0] for name in differential.PARAGRAPHS}


@pytest.mark.parametrize(
    ("of", "name", "wrong"),
    [
        (Rules, "hands_of_game", property(lambda rules: rules.rounds * rules.players)),
        (Hand, "street", property(lambda hand: min(len(hand.bets) // 4, hand.rules.streets - 1))),
        (Hand, "board", lambda hand, street: hand.deal["board"]),
        (
            Hand,
            "strengths",
            lambda hand, street: [strength(frozenset([card])) for card in hand.deal["private"]],
        ),
        (Hand, "_points_of", lambda hand, bet, strengths: bet.chips),
        (Game, "winners", lambda game: game._those_with_most(list(range(game.rules.players)), game.points)),
        (Game, "_under", lambda game, bet, seat: bet.card),
    ],
)
def test_a_reference_with_other_rules_is_seen(
    monkeypatch: pytest.MonkeyPatch, of: type, name: str, wrong: object
) -> None:
    monkeypatch.setattr(of, name, wrong)
    with pytest.raises(AssertionError, match=r"(?s)^detective, seed 0, play \d+:\nenv\(.*\nreset\(seed="):
        run("detective", 200)


@pytest.mark.parametrize("position", POSITIONS, ids=lambda position: position["name"])
def test_reference_counts_the_committed_move_sequences(position: dict[str, Any]) -> None:
    assert _by_reference(position) == (position["sequences"], position["digest"])


@pytest.mark.parametrize("position", POSITIONS, ids=lambda position: position["name"])
def test_product_counts_the_committed_move_sequences(position: dict[str, Any]) -> None:
    assert _by_product(position) == (position["sequences"], position["digest"])


def _by_reference(position: dict[str, Any]) -> tuple[list[int], str | None]:
    arguments = position["arguments"]
    rules = Rules(**{**arguments, "actions": tuple(arguments["actions"])})
    tally = _Tally(position)
    while tally.waiting:
        moves = tally.waiting.pop()
        hand = Game(rules, position["options"]["dealer"], _ignore).deal(position["options"]["deal"])
        for move in moves:
            hand.play(move)
        if hand.over:
            tally.finished(hand.moves_made, hand.points())
        else:
            tally.go_on(moves, hand.moves())
    return tally.result()


def _by_product(position: dict[str, Any]) -> tuple[list[int], str | None]:
    env = detective_v0.env(**position["arguments"])
    tally = _Tally(position)
    while tally.waiting:
        moves = tally.waiting.pop()
        env.reset(options=position["options"])
        for move in moves:
            env.step(env.parse_move(move))
        if env.histories:
            tally.finished(env.histories[0]["moves"], env.histories[0]["points"])
        else:
            legal = np.flatnonzero(env.observe(env.agent_selection)["action_mask"])
            tally.go_on(moves, {env.move_text(action) for action in legal})
    return tally.result()


class _Tally:
    """The sequences still to go on with, how many there are of each length, and the finished hands."""

    def __init__(self, position: dict[str, Any]) -> None:
        self.depth = len(position["sequences"])
        self.to_the_end = position["digest"] is not None
        self.waiting: list[list[str]] = [[]]
        self.sequences: Counter[int] = Counter()
        self.hands: list[str] = []

    def go_on(self, moves: list[str], legal: set[str]) -> None:
        """Count the legal moves after a sequence."""
        self.sequences[len(moves)] += len(legal)
        if self.to_the_end or len(moves) + 1 < self.depth:
            self.waiting += [[*moves, move] for move in legal]

    def finished(self, moves: list[list[Any]], points: list[int]) -> None:
        """Take down a finished hand."""
        self.hands.append(json.dumps([moves, points]))

    def result(self) -> tuple[list[int], str | None]:
        """The number of sequences of each length from 1, and the digest of the finished hands, sorted."""
        digest = hashlib.sha256("\n".join(sorted(self.hands)).encode()).hexdigest()
        return [self.sequences[depth] for depth in sorted(self.sequences)], digest if self.hands else None


def _ignore(paragraph: str) -> None:
    """Count nothing."""
