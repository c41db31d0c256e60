"""Moves in the notation of RULES.md 14, and views in sentences."""

import json
import re
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from card_table.aec import TableEnv
from card_table.cards import list_cards, parse_card
from card_table.game import IllegalMoveError, InvalidMoveError
from card_table.given import quote
from palace_env import palace_v0
from tests import test_golden

GOLDEN = Path(__file__).parent / "golden" / "palace"
BANNERS = ["Ah", "7c", "Kd"]
PALACES = [["2c", "5d", "9h"], ["3s", "4s", "Jd"], ["Qs", "Qc", "6h"]]


def table(draws: list[str] | None = None, stacks: list[int] | None = None, **arguments: Any) -> TableEnv:
    """Three players, the button at seat 2, known cards."""
    env = palace_v0.env(players=3, **arguments)
    deal = {"banners": BANNERS, "palaces": PALACES, "draws": draws or []}
    env.reset(seed=1, options={"button": 2, "stacks": stacks, "deal": deal})
    return env


def take(env: TableEnv, *moves: str) -> None:
    for move in moves:
        env.step(env.parse_move(move))


def golden(name: str, after: int | None = None) -> TableEnv:
    """A golden hand, after so many moves."""
    history = json.loads((GOLDEN / f"{name}.json").read_text("utf-8"))["history"]
    env = TableEnv.from_history(history, palace_v0.GAME)
    take(env, *(move for _, move in history["moves"][:after]))
    return env


# ---- moves


@pytest.mark.parametrize(
    ("written", "meant"),
    [
        ("stay", "stay"),
        ("  STAY ", "stay"),
        ("Fold", "fold"),
        ("\tbuy\n", "buy"),
        ("attack 1", "attack 1"),
        ("ATTACK    2", "attack 2"),
        ("attack 01", "attack 1"),
        ("attack 1 +4", "attack 1 +4"),
        ("Attack  1   +008", "attack 1 +8"),
    ],
)
def test_moves_are_read_in_any_case_and_spacing(written: str, meant: str) -> None:
    env = table(betting="no-limit")
    assert env.move_text(env.parse_move(written)) == meant


@pytest.mark.parametrize("written", ["discard Tc", "DISCARD tC", " discard  10C ", "Discard 10c"])
def test_a_ten_may_be_written_with_digits(written: str) -> None:
    env = table(draws=["Tc"])
    take(env, "buy")
    assert env.move_text(env.parse_move(written)) == "discard Tc"


@pytest.mark.parametrize(
    "text",
    [
        *("", " ", "stay fold", "stay.", "s", "attack", "attack one", "attack -1", "attack 1.0", "attack +4"),
        *("attack 1 4", "attack 1 + 4", "attack 1 +-4", "attack 1 +", "attack 1 +0", "attack 1 +00"),
        *(
            "attack 1+4",
            "attack1",
            "attack 1 +4 +4",
            "attack \u00b9",
            "attack \u0661",
            "attack 1 +\uff14",
            "\u017ftay",
            "attac\u212a 1",
        ),
        *(
            "raise",
            "raise +4",
            "raise 4 chips",
            "raise -4",
            "raise 1e1",
            "discard",
            "discard 1c",
            "discard 11c",
        ),
        *(
            "discard c7",
            "discard 7c 8c",
            "discard 7♣",
            "discard \u212ac",
            "bet 1 2",
            "call 2",
            "done 1",
            "fold\0",
        ),
        *(None, 3, b"stay", ["stay"], True),
    ],
    ids=repr,
)
def test_what_is_no_move(text: Any) -> None:  # noqa: ANN401
    env = table(betting="no-limit")
    before = env.state().tobytes()
    with pytest.raises(InvalidMoveError) as refused:
        env.parse_move(text)
    assert str(refused.value).startswith(f"{text!r} is no move: write stay, fold, ")
    assert env.state().tobytes() == before


@pytest.mark.parametrize(
    "text",
    [
        *("call", "done", "raise 4", "raise 0", "discard 7c", "attack 0", "attack 3", "attack 99"),
        *("attack 1 +5", "attack 1 +999999999999", f"attack 1 +{9 * 10**30}", "attack 1" + "0" * 6000),
    ],
    ids=lambda text: text[:30],
)
def test_moves_that_are_not_allowed_now(text: str) -> None:
    env = table(betting="no-limit")
    with pytest.raises(IllegalMoveError) as refused:
        env.parse_move(text)
    assert str(refused.value).startswith(
        f"{quote(text)} is not allowed now, seat 0 may: stay, fold, buy, attack 1"
    )


def test_the_words_of_all_moves() -> None:
    env = table(draws=["7h"], betting="no-limit", stacks=[40, 60, 100])

    def offered() -> list[str]:
        mask = env.observe(env.agent_selection)["action_mask"]
        return [env.move_text(int(action)) for action in np.flatnonzero(mask)]

    extras = ["", " +4", " +8", " +16", " +32", " +37"]
    assert offered() == [
        "stay",
        "fold",
        "buy",
        *(f"attack {seat}{extra}" for seat in (1, 2) for extra in extras),
    ]
    take(env, "buy")
    assert offered() == ["done", "discard 7h"]
    take(env, "done", "attack 2 +4")
    assert offered() == ["fold", "call", "raise 4", "raise 8", "raise 16", "raise 32", "raise 53"]
    take(env, "raise 53")
    assert offered() == ["fold", "call"]


def test_an_action_without_words_is_named_by_its_number() -> None:
    wide = palace_v0.env(players=2, seats=4)
    wide.reset(seed=1)
    with pytest.raises(IllegalMoveError, match="action 8 of seat"):
        wide.step(8)  # against a seat where nobody sits
    env = table(betting="no-limit", stacks=[10, 10, 10])
    with pytest.raises(IllegalMoveError, match=r"action 5 of seat 0"):
        env.step(5)  # a raise is of no size where there is nothing to raise
    with pytest.raises(IllegalMoveError, match=r"action 13 of seat 0"):
        env.step(13)  # an extra that is more than anybody has
    limit = table()
    with pytest.raises(IllegalMoveError, match=r"action 5 \(raise 4\) of seat 0"):
        limit.step(5)


def test_when_a_hand_is_over_no_action_has_words() -> None:
    env = table()
    take(env, "fold", "fold")
    assert {env.game.format_move(env._states, action) for action in range(-1, 70)} == {""}


# ---- views


def test_a_turn_in_words() -> None:
    env = table(draws=["Ts"], discard_fee=1)
    take(env, "buy", "done", "stay", "stay")
    assert env.view_text("player_0") == "\n".join(
        [
            "Palace Poker, limit: small bet 2, big bet 4, ante 1. You are seat 0. Pot 5.",
            "Cards in the draw deck 39, in the discard pile 0.",
            "",
            "   seat  banner palace   price in pot chips  soldiers",
            ">  0 you Ah     2c 5d 9h     4      3   197  Ts",
            "   1     7c     ## ## ##     2      1   199  -",
            " D 2     Kd     ## ## ##     2      1   199  -",
            "",
            "Your hand: high card ace ten nine five two. Your price in a battle: 4.",
            "  Against seat 1 (price 2), no clubs: high card ace ten nine five.",
            "  Against seat 2 (price 2), no diamonds: high card ace ten nine two.",
            "Since the last buy or attack seat 1 stayed and seat 2 stayed. Once all in the",
            "hand have, there is a showdown.",
            "Seat 1 stayed. Seat 2 stayed.",
            "",
            "It is your turn. Your moves:",
            "  stay",
            "  fold        leave the hand",
            "  buy         pay 2 and draw a soldier",
            "  attack 1    pay 4",
            "  attack 2    pay 4",
            "  discard Ts  pay 1",
        ]
    )


def last_lines(text: str, count: int) -> list[str]:
    return text.split("\n")[-count:]


def test_an_attack_and_a_raise_in_words() -> None:
    env = table(draws=["Ts"])
    take(env, "buy", "done", "attack 0")
    assert last_lines(env.view_text("player_0"), 6) == [
        "Seat 1 attacked you for 2.",
        "",
        "Seat 1 attacks you. Raises in this battle: 0 of 3 at most. Your moves:",
        "  fold     seat 1 captures your soldiers and banner",
        "  call     pay 4, then fight",
        "  raise 4  pay 8",
    ]
    assert last_lines(env.view_text("player_1"), 1) == ["Seat 0 is to move: it answers an attack by you."]
    take(env, "raise 4")
    assert last_lines(env.view_text("player_1"), 6) == [
        "You attacked seat 0 for 2. Seat 0 called and raised by 4.",
        "",
        "Seat 0 raised by 4. Raises in this battle: 1 of 3 at most. Your moves:",
        "  fold     seat 0 captures your soldiers and banner",
        "  call     pay 4, then fight",
        "  raise 4  pay 8",
    ]
    assert last_lines(env.view_text("player_2"), 1) == ["Seat 1 is to move: it faces a raise of 4 by seat 0."]
    take(env, "call")
    assert "You called for 4 and lost to seat 0." in env.view_text("player_1")
    assert "Seat 1 called for 4 and lost to you." in env.view_text("player_0")
    assert last_lines(env.view_text("player_0"), 4) == [
        "You may keep 5 soldiers: you may discard. Your moves:",
        "  done",
        "  discard 7c",
        "  discard Ts",
    ]
    assert last_lines(env.view_text("player_2"), 1) == ["Seat 0 is to move: it may discard."]


def test_no_limit_in_words() -> None:
    env = table(betting="no-limit", stacks=[20, 9, 200], hands=2)
    take(env, "attack 1 +4")
    text = env.view_text("player_1")
    assert text.startswith("Palace Poker, no limit: small bet 2, big bet 4, ante 1. Hand 1 of 2. You are")
    assert last_lines(text, 5) == [
        "Seat 0 attacked you for 6, 4 of it extra.",
        "",
        "Seat 0 attacks you, with an extra of 4 to be matched. Your moves:",
        "  fold  seat 0 captures your soldiers and banner",
        "  call  pay 6, then fight",
    ]


def test_short_of_chips_in_words() -> None:
    env = table(draws=["Ts"], stacks=[4, 4, 1])
    take(env, "buy", "done")
    assert "Seat 0 bought Ts." in env.view_text("player_1")
    take(env, "attack 2")
    assert last_lines(env.view_text("player_2"), 2) == [
        "  fold  seat 1 captures your soldiers and banner",
        "  call  pay nothing, you have no chips, then fight",
    ]
    take(env, "call")
    assert "Seat 2 called for nothing and " in env.view_text("player_0")
    env = table(draws=["Ts"], stacks=[4, 4, 1])
    take(env, "buy", "done", "attack 0")
    assert last_lines(env.view_text("player_0"), 1) == ["  call  pay 1, all you have, then fight"]
    env = table(draws=["Ts"], stacks=[4, 4, 1])
    take(env, "buy", "done", "stay", "stay")
    assert "  attack 1    pay 1, all you have" in env.view_text("player_0").split("\n")
    env = table(stacks=[9, 9, 9])
    env.reset(seed=1, options={"stacks": [9, 0, 9], "button": 0})
    assert "   1     out                        0     0  (no chips, so no cards)" in env.view_text("player_0")
    assert "You have no chips, so no cards." in env.view_text("player_1")


def test_what_must_be_discarded_in_words() -> None:
    env = golden("sixth_soldier_forces_a_discard")
    history = env.histories[0]
    replay = TableEnv.from_history(history, palace_v0.GAME)
    forced = set()
    for place, (_, move) in enumerate(history["moves"]):
        text = replay.view_text(replay.agent_selection)
        if "You may keep 5 soldiers: discard 1 at least. Your moves:\n  discard" in text:
            forced.add(place)
        take(replay, move)
    moves = [move for _, move in history["moves"]]
    assert forced
    assert all(moves[place].startswith("discard") for place in forced)


def test_banners_of_one_suit_have_no_battle() -> None:
    env = golden("same_suit_banners_split", after=0)
    texts = [env.view_text(agent) for agent in env.possible_agents]
    assert any("No battle with seat" in text for text in texts)


@pytest.mark.parametrize(
    ("name", "said"),
    [
        ("fold_on_a_turn", r" stood last and won the pot of \d+\."),
        ("same_suit_banners_split", r"All who are left have banners of \w+: .* split the pot of \d+\."),
        ("double_tie_of_the_last_two", r"The last two tied in every way: .* split the pot of \d+\."),
        (
            "showdown_after_stays",
            r"Showdown:\n  (you|seat 0): .*\n  (.*\n)+(You|Seat \d+) won the pot of \d+\.",
        ),
        ("showdown_split_with_an_odd_chip", r"Showdown:\n(.*\n)+.* and .* split the pot of \d+\."),
    ],
)
def test_how_a_hand_ended_in_words(name: str, said: str) -> None:
    env = golden(name)
    history = env.histories[0]
    for seat, agent in enumerate(env.possible_agents):
        text = env.view_text(agent)
        assert "The hand is over." in text
        assert re.search(said, text), text
        told = " ".join(text.split("Won and lost: ")[1].split())
        names = ["you" if other == seat else f"seat {other}" for other in range(len(history["net"]))]
        results = ", ".join(f"{name} {net:+d}" for name, net in zip(names, history["net"], strict=True))
        assert told.startswith(results + ".")


def test_a_showdown_shows_all_palaces_and_else_nobody_shows() -> None:
    env = table()
    take(env, "stay", "stay", "stay")
    for agent in env.possible_agents:
        text = env.view_text(agent)
        assert "##" not in text
        assert all(" ".join(palace) in text for palace in PALACES)
    assert "Seat 2 won the pot of 3." in env.view_text("player_0")
    assert "You won the pot of 3." in env.view_text("player_2")
    assert "  seat 2: pair of queens, king six kickers" in env.view_text("player_0")
    env = table()
    take(env, "fold", "fold")
    assert "Qs Qc 6h" not in env.view_text("player_0")
    assert "## ## ##" in env.view_text("player_0")
    assert "Qs Qc 6h" in env.view_text("player_2")
    assert "You are out of this hand." in env.view_text("player_0")


def test_a_palace_seen_in_a_fight_stays_in_view() -> None:
    env = table()
    take(env, "attack 1", "call")  # seat 1 sees seat 0's palace, and loses
    assert "2c 5d 9h" in env.view_text("player_1")
    assert "3s 4s Jd" not in env.view_text("player_0")
    assert "(3s 4s Jd)" in env.view_text("player_1")
    assert "2c 5d 9h" not in env.view_text("player_2")
    assert "You know to be in the discard pile: Jd 4s 3s." in env.view_text("player_1")


def test_a_double_tie_in_words() -> None:
    history = json.loads((GOLDEN / "double_tie_with_others_left.json").read_text("utf-8"))["history"]
    env = TableEnv.from_history(history, palace_v0.GAME)
    texts = []
    for _, move in history["moves"]:
        take(env, move)
        texts += [env.view_text(agent) for agent in env.possible_agents]
    assert any(
        re.search(r"(You|Seat \d) called for \d+ and tied with (you|seat \d)\.", text) for text in texts
    )


def test_no_battle_is_left_when_the_last_two_tie_after_a_raise() -> None:
    env = golden("double_tie_of_the_last_two", 2)
    take(env, "raise 4", "call")
    assert env.histories[0]["end"] == "battle_tie"
    data = env.game.view_data(env.view("player_0"))
    assert (data["owed"], data["raises"]) == (0, 0)


def test_reshuffled_cards_are_known_to_be_in_the_deck() -> None:
    env = golden("reshuffle_of_public_and_folded_cards")
    replay = TableEnv.from_history(env.histories[0], palace_v0.GAME)
    texts = []
    for _, move in env.histories[0]["moves"]:
        take(replay, move)
        texts.append(replay.view_text("player_0"))
    assert any("You know to be in the draw deck: " in text for text in texts)


def test_what_is_too_long_ago_is_said_to_be_lost() -> None:
    env = table()
    take(env, "fold")
    bought = 0
    while bought < 16:
        take(env, "buy")
        bought += 1
        discards = env.observe(env.agent_selection)["action_mask"]
        env.step(int(np.flatnonzero(discards)[-1]))
        text = " ".join(env.view_text("player_0").split())
        assert ("You folded. Seat 1 bought" in text) == (bought < 16)
    assert "(What was done before the last 32 moves is not kept.) Seat 1 bought" in text
    assert "You folded" not in text


@settings(max_examples=40)
@given(
    st.integers(0, 10_000),
    st.integers(2, 10),
    st.sampled_from(["limit", "no-limit"]),
    st.sampled_from([2, 10_000_000]),
    st.integers(1, 2),
)
def test_a_view_is_ascii_of_80_columns_and_tells_no_secrets(
    seed: int, players: int, betting: str, small_bet: int, hands: int
) -> None:
    stack = 100_000_000 if small_bet > 2 else 60
    env = palace_v0.env(players=players, betting=betting, small_bet=small_bet, stack=stack, hands=hands)
    env.reset(seed=seed)
    rng = np.random.default_rng(seed)
    for _ in range(25):
        for seat, agent in enumerate(env.possible_agents):
            text = env.view_text(agent)
            assert text.isascii()
            assert all(0 <= len(line) <= 80 and line == line.rstrip() for line in text.split("\n"))
            cards = {parse_card(word) for word in re.findall(r"\b[2-9TJQKA][cdhs]\b", text)}
            assert not cards & hidden(env, seat)
        if any(env.terminations.values()):
            break
        mask = env.observe(env.agent_selection)["action_mask"]
        moves = [int(action) for action in np.flatnonzero(mask)]
        cheap = [action for action in moves if env.move_text(action) != "fold"]
        env.step(int(rng.choice(cheap or moves)))


def hidden(env: TableEnv, seat: int) -> set[int]:
    """The cards that a seat cannot know: those in unseen palaces and, unless known there, in the deck."""
    view = env.view(f"player_{seat}")[0]
    truth = env._states[0]
    secret = {int(card) for card in truth.deck[: truth.deck_size]}
    secret -= set(list_cards(int(view.public_deck) | int(view.private_deck[seat])))
    for other in range(len(env.possible_agents)):
        if not view.palace[other] and truth.in_hand[other]:
            secret |= set(list_cards(int(truth.palace[other])))
    return secret


def test_a_scored_hand_of_detective_in_words() -> None:
    hand = json.loads((GOLDEN.parent / "detective" / "shared_best_hand.json").read_text("utf-8"))
    env, _ = test_golden.play(hand)
    bets, hands = env.view_text("player_0").split("\n\n")[-2:]
    assert bets.split("\n")[1:5] == [
        "  preflop  you: 2 chips on yourself - right, 2 points",
        "  preflop  seat 1: 2 chips on seat 2 - right, 2 points",
        "  preflop  seat 2: 1 chip on seat 1 - wrong, 0 points",
        "  preflop  seat 3: 1 chip on you, +1 under it - right, 2 points",
    ]
    assert [line[11:] for line in hands.split("\n") if line.startswith(("  preflop", "  river"))] == [
        "you: high card ace king (best)",
        "seat 1: high card queen jack",
        "seat 2: high card ace king (best)",
        "seat 3: high card five four (weakest)",
        "you: two pair, kings and eights, ace kicker (best)",
        "seat 1: two pair, eights and threes, king kicker (weakest)",
        "seat 2: two pair, kings and eights, ace kicker (best)",
        "seat 3: two pair, eights and threes, king kicker (weakest)",
    ]
    assert hands.endswith("The game is over: you won.")


# ---- views for programs


@pytest.mark.parametrize("file", test_golden.FILES, ids=lambda file: f"{file.parent.name}-{file.stem}")
def test_programs_are_told_the_moves_of_the_hand(file: Path) -> None:
    hand = {"history": json.loads(file.read_text("utf-8"))["history"]}
    env = test_golden.table(hand, {})
    moves = hand["history"]["moves"]
    for made, (_, move) in enumerate(moves, 1):
        take(env, move)
        for seat, agent in enumerate(env.possible_agents):
            told = env.game.view_data(env.view(agent))
            if told["game"] == "palace":
                assert [[one["seat"], one["move"]] for one in told["moves"]] == moves[:made][-32:]
            else:
                assert [_bet(one) for one in told["bets"]] == [
                    [
                        mover,
                        bet if told["over"] or seat == mover else re.sub(r"( \d \d) .+", r"\1 hidden", bet),
                    ]
                    for mover, bet in moves[:made]
                ]


def _bet(told: dict[str, Any]) -> list[Any]:
    return [told["seat"], f"bet {told['board']} {told['chips']} {told['card'] or ''}".rstrip()]
