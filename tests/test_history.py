"""Hand histories: what is written plays again and gives the same bytes; what the rules forbid is refused."""

import copy
import io
import itertools
import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from card_table import history as histories
from card_table.aec import TableEnv
from detective_env import detective_v0
from palace_env import palace_v0

History = dict[str, Any]
ARGUMENTS: list[dict[str, Any]] = [
    {},
    {"players": 2, "hands": 4},
    {"players": 10, "betting": "no-limit", "sizes": (1, 3)},
    {"players": 4, "hands": 8, "stack": 7, "ante": 2, "max_raises": None},
    {"players": 2, "ranks": 2, "palace_cards": 1, "max_soldiers": 1, "forced_duel": False, "discard_fee": 1},
]


def played(seed: int, options: dict[str, Any] | None = None, **arguments: Any) -> list[History]:
    """The histories of an episode of random moves, most of them buys and discards."""
    env = palace_v0.env(**arguments)
    env.reset(seed=seed, options=options)
    rng = np.random.default_rng(seed)
    while not any(env.terminations.values()):
        mask = env.observe(env.agent_selection)["action_mask"]
        moves = [int(action) for action in np.flatnonzero(mask)]
        cards = [action for action in moves if env.move_text(action).startswith(("buy", "discard", "done"))]
        env.step(int(rng.choice(cards if cards and rng.random() < 0.8 else moves)))
    return env.histories


def again(history: History) -> History:
    """The history that a table writes on which its moves have been taken again."""
    env = TableEnv.from_history(history, palace_v0.GAME)
    for seat, move in history["moves"]:
        assert env.agent_selection == f"player_{seat}"
        env.step(env.parse_move(move))
    assert all(env.terminations.values())
    (written,) = env.histories
    return written


@pytest.mark.parametrize("arguments", ARGUMENTS, ids=str)
def test_any_history_plays_again_and_writes_the_same_bytes(arguments: dict[str, Any]) -> None:
    reshuffled = 0
    for seed in range(12):
        lines = [histories.write(history) for history in played(seed, **arguments)]
        read = list(histories.read(lines, palace_v0.GAME))
        assert [histories.write(history) for history in read] == lines
        assert [histories.write(again(history)) for history in read] == lines
        reshuffled += sum(len(history["draws"]) > len(set(history["draws"])) for history in read)
    assert reshuffled or arguments.get("ranks", 13) > 2


@given(st.integers(0, 2**63 - 1), st.integers(2, 10))
def test_a_first_hand_plays_again_from_reset_options_alone(seed: int, players: int) -> None:
    (history,) = played(seed, players=players)
    env = palace_v0.env(**history["rules"])
    deal = {key: history[key] for key in ("banners", "palaces", "draws")}
    env.reset(options={"button": history["button"], "stacks": history["stacks"], "deal": deal})
    for _, move in history["moves"]:
        env.step(env.parse_move(move))
    assert env.histories == [history]


@pytest.mark.parametrize(("players", "expert"), [(3, True), (4, False)])
def test_a_first_hand_of_detective_plays_again_from_reset_options_alone(players: int, expert: bool) -> None:
    for seed in range(20):
        history = played_detective(seed, players=players, expert=expert)[0]
        env = detective_v0.env(**history["rules"])
        deal = {key: history[key] for key in ("private", "exposed", "board", "thrown")}
        env.reset(seed=seed + 1, options={"dealer": history["dealer"], "deal": deal})
        for _, move in history["moves"]:
            env.step(env.parse_move(move))
        assert env.histories == [history]


def played_detective(seed: int, **arguments: Any) -> list[History]:
    """The histories of a game of Detective Poker, played at random."""
    env = detective_v0.env(**arguments)
    env.reset(seed=seed)
    rng = np.random.default_rng(seed)
    while not any(env.terminations.values()):
        env.step(int(rng.choice(np.flatnonzero(env.observe(env.agent_selection)["action_mask"]))))
    return env.histories


def test_a_file_may_hold_hands_of_both_games() -> None:
    hands = [*played(1, players=3), *played_detective(1, hands=2), *played(2, players=4)]
    text = "".join(histories.write(history) for history in hands)
    assert list(histories.read(text, palace_v0.GAME, detective_v0.GAME)) == hands
    assert list(histories.read(text, detective_v0.GAME, palace_v0.GAME)) == hands
    with pytest.raises(ValueError, match=r"^line 2: game 'detective' is unknown: choose from \['palace'\]"):
        list(histories.read(text, palace_v0.GAME))
    with pytest.raises(ValueError, match=r"^line 1: game 'palace' is unknown: choose from \['detective'\]"):
        list(histories.read(text, detective_v0.GAME))
    wrong = {**hands[0], "game": "detective"}
    with pytest.raises(ValueError, match="the history has no key 'dealer'"):
        histories.replay(wrong, palace_v0.GAME, detective_v0.GAME)


def test_a_line_is_the_history_as_json_and_a_newline() -> None:
    (history,) = played(3)
    line = histories.write(history)
    assert line == json.dumps(history, ensure_ascii=False) + "\n"
    assert line.count("\n") == 1
    assert list(history) == [
        *("game", "version", "rules", "hand", "button", "stacks"),
        *("banners", "palaces", "draws", "moves", "net", "end"),
    ]
    assert list(history["rules"]) == [
        *("players", "betting", "small_bet", "big_bet", "ante", "stack", "hands"),
        *("max_raises", "bare_raise", "sizes", "discard_fee", "forced_duel"),
        *("ranks", "palace_cards", "max_soldiers"),
    ]


def test_a_hand_played_again_out_of_a_longer_match_tells_nothing_of_the_match() -> None:
    for hands, game, word in (
        (played(4, players=3, hands=3), palace_v0.GAME, "match"),
        (played_detective(3, players=3, rounds=1), detective_v0.GAME, "game"),
    ):
        for history in (hands[0], hands[-1]):
            env = TableEnv.from_history(history, game)
            for _, text in history["moves"]:
                env.step(env.parse_move(text))
            assert env.histories == [history]
            assert env.winners == []
            told = env.view_text("player_0")
            assert "The hand is over" in told or "Points of this hand" in told
            assert f"of the {word}" not in told
            assert f"The {word} is over" not in told
            assert "so far" not in told
    (alone,) = played_detective(3, players=3, hands=1)
    env = TableEnv.from_history(alone, detective_v0.GAME)
    for _, text in alone["moves"]:
        env.step(env.parse_move(text))
    assert env.winners, "a game of one hand is known as a whole"


def test_histories_belong_to_the_caller() -> None:
    env = palace_v0.env(players=2)
    env.reset(seed=1)
    env.step(env.parse_move("fold"))
    env.histories[0]["net"] = [99, -99]
    assert env.histories[0]["net"] != [99, -99]


def test_a_match_counts_hands_and_carries_stacks_over() -> None:
    match = played(1, {"stacks": [30, 0, 9]}, players=3, hands=5)
    assert [history["hand"] for history in match] == list(range(len(match)))
    assert 1 < len(match) <= 5
    for before, after in itertools.pairwise(match):
        assert after["stacks"] == [sum(chips) for chips in zip(before["stacks"], before["net"], strict=True)]
    for history in match:
        assert history["rules"]["stack"] == 200
        assert [history["stacks"][1], history["banners"][1], history["palaces"][1]] == [0, None, []]
        assert history["net"][1] == sum(history["net"]) == 0


def test_histories_are_written_when_asked_for_and_kept() -> None:
    env = palace_v0.env(players=2, hands=3)
    env.reset(seed=1)
    assert env.histories == []
    env.step(env.parse_move("fold"))
    first = env.histories
    assert len(first) == 1
    env.step(env.parse_move("fold"))
    assert len(first) == 1
    assert env.histories[0] == first[0]
    assert len(env.histories) == 2
    env.reset()
    assert env.histories == []


def test_reading_takes_files_lines_and_text(tmp_path: Path) -> None:
    lines = [histories.write(history) for history in played(5, players=2, hands=3)]
    text = "".join(lines)
    file = tmp_path / "hands.jsonl"
    file.write_text(text, "utf-8")
    with file.open(encoding="utf-8") as opened:
        from_file = list(histories.read(opened, palace_v0.GAME))
    assert (
        from_file == list(histories.read(text, palace_v0.GAME)) == list(histories.read(lines, palace_v0.GAME))
    )
    assert from_file == list(histories.read(io.StringIO(text), palace_v0.GAME))
    assert list(histories.read("", palace_v0.GAME)) == []


GOOD = played(2, players=3, hands=2)[1]


def put(*path: Any) -> Callable[[History], None]:
    """Set the entry at a path of keys and places to the last value."""

    def change(history: History) -> None:
        *way, last, value = path
        part: Any = history
        for key in way:
            part = part[key]
        part[last] = value

    return change


def drop(*path: Any) -> Callable[[History], None]:
    def change(history: History) -> None:
        *way, last = path
        part: Any = history
        for key in way:
            part = part[key]
        del part[last]

    return change


WRONG: list[tuple[Callable[[History], None], str]] = [
    (put("game", "poker"), r"game 'poker' is unknown: choose from \['palace'\]"),
    (put("game", ["palace"]), r"game \['palace'\] is unknown"),
    (drop("game"), "game None is unknown"),
    (put("version", 2), "version 2 is unknown: must be 1"),
    (put("version", True), "version=True"),
    (drop("net"), "the history has no key 'net'"),
    (put("note", "nice"), "the history has the unknown key 'note'"),
    (put("rules", []), r"rules=\[\]: must be an object"),
    (drop("rules", "ante"), "rules has no key 'ante'"),
    (put("rules", "seats", 4), "rules has the unknown key 'seats'"),
    (put("rules", "players", 4), "stacks=.*has 3 entries, must have 4"),
    (put("rules", "players", 11), "players=11"),
    (put("rules", "ante", 1.0), r"ante=1\.0"),
    (put("rules", "big_bet", None), r"rules\['big_bet'\]=None: the hand as it was played has 4"),
    (put("rules", "forced_duel", 1), "forced_duel=1"),
    (put("rules", "sizes", 4), "sizes=4: must be a list"),
    (put("hand", 2), "hand=2: must be a whole number from 0 to 1"),
    (put("hand", True), "hand=True"),
    (put("button", None), "button=None"),
    (put("button", 3), "button=3"),
    (put("stacks", 5), "stacks=5: must be a list"),
    (put("stacks", [1, 2]), "stacks=.*must have 3"),
    (put("stacks", None), "stacks=None: must be a list"),
    (put("stacks", [300_000_000, 1, 1]), "stacks=.*: are 300000002 chips, must be 300000000 at most"),
    (put("banners", None), "banners=None: must be a list"),
    (put("banners", 0, "2x"), r"deal\['banners'\]\[0\]: '2x' is no card"),
    (put("palaces", 0, 0, None), "None is no card"),
    (put("palaces", 0, []), "must have 3"),
    (put("draws", "Ts"), "draws='Ts': must be a list"),
    (put("moves", {}), "moves={}: must be a list"),
    (put("moves", 0, ["fold"]), r"moves\[0\]=\['fold'\]: must be \[\d, MOVE\], it is that seat's move"),
    (put("moves", 0, 0, 7), r"moves\[0\]=\[7, "),
    (put("moves", 0, 1, 5), r"moves\[0\]=.*5 is no move"),
    (put("moves", 0, 1, "run"), r"moves\[0\]=.*'run' is no move"),
    (put("moves", 0, 1, "call"), r"moves\[0\]=.*'call' is not allowed now"),
    (drop("moves", -1), "moves=.*stop before the hand is over"),
    (lambda history: history["moves"].append([0, "fold"]), r"moves\[\d+\]=\[0, 'fold'\]: the hand is over"),
    (lambda history: history["draws"].append("As"), "draws"),
    (put("net", 0, 99), r"net\[0\]=99: the hand as it was played has"),
    (put("net", []), "net="),
    (put("end", "draw"), "end='draw': the hand as it was played has"),
]


@pytest.mark.parametrize(("change", "message"), WRONG, ids=[message for _, message in WRONG])
def test_what_is_no_played_hand_is_refused_with_line_and_reason(
    change: Callable[[History], None], message: str
) -> None:
    wrong = copy.deepcopy(GOOD)
    change(wrong)
    with pytest.raises(ValueError, match=message):
        histories.replay(wrong, palace_v0.GAME)
    with pytest.raises(ValueError, match=f"^line 2: .*{message}"):
        list(histories.read(histories.write(GOOD) + histories.write(wrong), palace_v0.GAME))


def test_true_is_not_one_and_a_move_is_canonical() -> None:
    (history,) = played(4, players=2)
    for key, value in (
        ("net", [float(chips) for chips in history["net"]]),
        ("button", history["button"] + 0.0),
    ):
        with pytest.raises(ValueError, match=rf"{key}(\[0\])?="):
            histories.replay({**history, key: value}, palace_v0.GAME)
    with pytest.raises(ValueError, match=r"net\[0\]=np"):
        histories.replay({**history, "net": list(np.array(history["net"]))}, palace_v0.GAME)
    moves = [[seat, move.upper()] for seat, move in history["moves"]]
    with pytest.raises(ValueError, match=r"moves\[0\]\[1\]='"):
        histories.replay({**history, "moves": moves}, palace_v0.GAME)


@pytest.mark.parametrize(
    ("line", "message"),
    [
        ("", "line 1: Expecting value"),
        ("{", "line 1: "),
        ("[]", r"line 1: \[\] is no history"),
        ("7", "line 1: 7 is no history"),
        ('{"game": "palace", "game": "palace"}', "line 1: a key occurs twice"),
        ('{"game": "palace", "version": NaN}', "line 1: version nan is unknown"),
        ("[" * 100_000, "line 1: is no history, it is nested too deeply"),
        ('{"a":' * 100_000, "line 1: is no history, it is nested too deeply"),
        (b"{}", "line 1: b'{}': must be text, open files with encoding='utf-8'"),
        (5, "line 1: 5: must be text"),
    ],
    ids=range(10),
)
def test_lines_that_are_no_history(line: Any, message: str) -> None:  # noqa: ANN401
    with pytest.raises(ValueError, match=message):
        list(histories.read([line], palace_v0.GAME))


@pytest.mark.parametrize("lines", [None, 5, b"{}\n", bytearray(b"{}\n")], ids=repr)
def test_what_holds_no_lines_of_text(lines: Any) -> None:  # noqa: ANN401
    with pytest.raises(ValueError, match=r"lines of type '\w+': must be an open text file, lines or text"):
        list(histories.read(lines, palace_v0.GAME))


@pytest.mark.parametrize("before", [0, 1, 3, 40])
def test_a_line_in_another_encoding_is_told_by_its_number(before: int, tmp_path: Path) -> None:
    good = histories.write(GOOD).encode()
    file = tmp_path / "hands.jsonl"
    file.write_bytes(good * before + b'{"game": "\xff"}\n' + good)
    with (
        file.open(encoding="utf-8") as opened,
        pytest.raises(ValueError, match=rf"line {before + 1}: is not in utf-8 \(invalid start byte\)"),
    ):
        list(histories.read(opened, palace_v0.GAME))


@pytest.mark.parametrize("game", ["palace", palace_v0.GAME(), None, dict], ids=lambda game: str(game)[:20])
def test_histories_are_read_by_the_classes_of_games(game: Any) -> None:  # noqa: ANN401
    with pytest.raises(ValueError, match=r"games: .* must be the class of a game"):
        TableEnv.from_history(GOOD, game)


def test_a_later_hand_may_begin_with_more_chips_than_any_argument_allows() -> None:
    env = palace_v0.env(players=3, betting="no-limit", stack=60_000_000, hands=2)
    palaces = [["As", "Ac", "Ad"], ["2d", "2s", "9h"], ["3c", "4c", "8s"]]
    env.reset(options={"button": 2, "deal": {"banners": ["Ah", "7c", "Kd"], "palaces": palaces}})
    for move in ("attack 1 +59999997", "call", "done", "fold", "fold"):
        env.step(env.parse_move(move))
    second = env.histories[1]
    assert second["stacks"] == [120_000_001, 0, 59_999_999]
    assert again(second) == second


def test_a_history_that_is_replayed_ends_with_its_hand() -> None:
    first = played(2, players=3, hands=2)[0]
    env = TableEnv.from_history(first, palace_v0.GAME, render_mode="ansi")
    assert env.render_mode == "ansi"
    for _, move in first["moves"]:
        assert not any(env.terminations.values())
        env.step(env.parse_move(move))
    assert all(env.terminations.values())
    env.reset(seed=1)
    while len(env.histories) < 2:
        env.step(env.parse_move("fold"))
    assert [history["hand"] for history in env.histories] == [0, 1]
