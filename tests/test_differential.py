"""Each game plays as its reference does, and from a fixed deal there are as many sequences of moves."""

from collections import Counter
from collections.abc import Callable
from typing import Any

import pytest

from tests import differential
from tests.palace import perft, reference

SEQUENCES = 300  # of the longest that the quick test counts

games = pytest.mark.parametrize("game", differential.GAMES)
perft_cases = pytest.mark.parametrize("case", perft.CASES, ids=lambda case: case["name"])


@games
def test_a_few_hundred_hands_are_the_same_in_both(game: str) -> None:
    counts = differential.run(game, 200)
    exercised = [number for number in differential.GAMES[game].PARAGRAPHS if counts[number]]
    assert len(exercised) >= 0.9 * len(differential.GAMES[game].PARAGRAPHS)


@games
def test_a_play_can_be_played_again_by_its_number(game: str) -> None:
    three = differential.run(game, 3, seed=5)
    one_by_one = sum((differential.run(game, 1, seed=5, first=number) for number in range(3)), Counter[str]())
    assert three == one_by_one


@games
def test_a_paragraph_that_is_rarely_exercised_fails_the_run(
    game: str, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    often = dict.fromkeys(differential.GAMES[game].PARAGRAPHS, 3)
    monkeypatch.setattr(differential, "run", lambda *_: often)
    assert differential.main(["--hands", "3000", "--game", game]) == 0
    often[differential.GAMES[game].PARAGRAPHS[-1]] = 2
    assert differential.main(["--hands", "3000", "--game", game]) == 1
    assert (
        f"exercised less than 3 times: {differential.GAMES[game].PARAGRAPHS[-1]}" in capsys.readouterr().out
    )


@pytest.mark.parametrize(
    ("name", "wrong"),
    [
        ("price", lambda hand, seat: len(hand.soldiers[seat]) * hand.rules["small_bet"]),
        ("can_buy", lambda hand, seat: True),
        ("cards_against", lambda hand, seat, opponent: hand.cards_of(seat)),
        ("seats_in_hand", lambda hand: [seat for seat in range(hand.rules["players"]) if hand.in_hand[seat]]),
    ],
)
def test_a_palace_reference_with_other_rules_is_seen(
    monkeypatch: pytest.MonkeyPatch, name: str, wrong: Callable[..., object]
) -> None:
    monkeypatch.setattr(reference.Hand, name, wrong)
    with pytest.raises(AssertionError, match=r"(?s)^palace, seed 0, play \d+:\narguments .*moves "):
        differential.run("palace", 200)


def test_a_palace_seat_that_knows_too_much_is_seen(monkeypatch: pytest.MonkeyPatch) -> None:
    def to_pile(hand: reference.Hand, card: str, who: object) -> None:
        hand.pile.append(card)
        for known in hand.knows_in_pile:
            known.add(card)

    monkeypatch.setattr(reference.Hand, "_to_pile", to_pile)
    with pytest.raises(AssertionError, match=r"observation of seat \d, pile: the product"):
        differential.run("palace", 50)


@perft_cases
def test_there_are_as_many_short_sequences_of_moves_as_are_committed(case: dict[str, Any]) -> None:
    depth = max(2, sum(number <= SEQUENCES for number in case["sequences"]))
    assert perft.by_product(case, depth) == case["sequences"][:depth]
    assert perft.by_reference(case, depth) == case["sequences"][:depth]


@pytest.mark.slow
@perft_cases
def test_there_are_as_many_sequences_of_moves_as_are_committed(case: dict[str, Any]) -> None:
    depth = len(case["sequences"])
    assert perft.by_product(case, depth) == case["sequences"]
    assert perft.by_reference(case, depth) == case["sequences"]
