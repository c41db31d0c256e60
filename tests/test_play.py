"""A person at the table: what is shown, what may be typed, how a match ends, over a pipe and a terminal."""

import io
import json
import os
import pty
import re
import select
import shlex
import signal
import subprocess
import sys
import time
from pathlib import Path
from types import ModuleType
from typing import Any

import numpy as np
import pytest

import agents
import play
from agents.hints import likely
from agents.match import LeaveError, Match
from card_table.aec import TableEnv
from card_table.cards import format_card
from card_table.game import Game, IllegalMoveError, InvalidMoveError
from card_table.history import read
from card_table.page import HEIGHT, WIDTH, Part, align, columns, fit
from card_table.screen import LineError, Screen, complete, rules_of
from detective_env import detective_v0
from detective_env import text as detective_text
from palace_env import palace_v0
from palace_env import text as palace_text
from tests.plain import ROOT
from tests.play_games import TEXTS, Checked, Keys, games_of, play_game

SCREENS = Path(__file__).parent / "golden_screens"
FACES = {"palace": palace_v0, "detective": detective_v0}
# What is typed in the golden sessions, and the agents there, who play by no chance of their own.
SESSIONS = {
    "palace": (
        ["tight", "passive", "aggressive"],
        {"hands": 2},
        "buy; discard; 1; h; history; attack seat 1; stay; 2; rules 4.7; done; c; discard; 1; 99; q",
    ),
    "detective": (
        ["self", "visible", "self"],
        {"hands": 2},
        "1 1; 2 4; bet 1 on me; 3 2 cl; 1 1 b; bet 1 3 +1; 0 1; 0 1 bluff; look; 0 2; history; 0 1",
    ),
}


def table_of_passive(game: Game) -> list[agents.Agent]:
    name = "passive" if game.name == "palace" else "self"
    return [agents.load(name, game)] * (game.players - 1)


def at_table(
    game: Game, typed: str | bytes, seed: int = 7, **options: Any
) -> tuple[str, type[Exception] | None]:
    """What a person at seat 0 sees who types these lines, and how it ended."""
    out = io.StringIO()
    data = typed if isinstance(typed, bytes) else typed.encode()
    opponents = options.pop("opponents", None) or table_of_passive(game)
    screen = Screen(inp=io.BytesIO(data), out=out)
    match = Match(game, TEXTS[game.name], 0, opponents, seed, screen, **options)
    try:
        match.run()
    except (EOFError, LeaveError) as end:
        return out.getvalue(), type(end)
    return out.getvalue(), None


def golden_session(name: str) -> str:
    specs, arguments, typed = SESSIONS[name]
    game = FACES[name].GAME(**arguments)
    opponents = [agents.load(spec, game) for spec in specs]
    shown, end = at_table(game, typed.replace("; ", "\n") + "\n", opponents=opponents)
    # Over a pipe nobody sees what is typed; here it stands after its prompt.
    lines = iter(typed.split("; "))
    told = re.sub("Your move: ", lambda prompt: prompt[0] + next(lines, ""), shown)
    return f"{told}({end.__name__ if end else 'finished'})\n"


# ---- pages


@pytest.mark.parametrize("name", SESSIONS)
def test_the_golden_screens(name: str) -> None:
    assert golden_session(name) == (SCREENS / f"{name}.txt").read_text("utf-8")


@pytest.mark.parametrize("number", range(6))
def test_no_screen_shows_a_card_that_the_seat_may_not_know(number: int) -> None:
    screen = play_game(games_of(number), number)
    assert screen.pages
    assert screen.longest <= HEIGHT


@pytest.mark.slow
def test_a_thousand_games_show_no_card_that_the_seat_may_not_know() -> None:
    for number in range(1000):
        assert play_game(games_of(number), number).longest <= HEIGHT


@pytest.mark.parametrize("name", FACES)
def test_the_check_of_screens_finds_a_hidden_card(name: str) -> None:
    game = FACES[name].GAME()
    table = TableEnv(game)
    table.reset(seed=1)
    keys = Keys(game, 0, 1)
    keys.truth = table._states
    screen = Checked(keys)
    screen.say(["nothing of note"])
    hidden = sorted(keys.secret())
    assert len(hidden) > 30
    with pytest.raises(AssertionError, match="seat 0 was shown"):
        screen.say([f"Look: {format_card(hidden[0])}."])


def test_a_page_is_shortened_until_it_fits() -> None:
    title, rows = Part(["title"]), Part(["row"] * 10)
    spare, news = Part(["spare"] * 3, rank=1), Part(["news"] * 9, brief=["brief"])
    assert fit([title, Part([]), rows]) == ["title", "", *["row"] * 10]
    assert fit([title, rows, Part(["end"], joined=True)])[-2:] == ["row", "end"]
    assert fit([title, rows, news]) == ["title", "", *["row"] * 10, "", *["news"] * 9]
    assert fit([title, rows, spare, news], 23) == ["title", *["row"] * 10, *["spare"] * 3, *["news"] * 9]
    assert fit([title, rows, spare, news], 22) == ["title", *["row"] * 10, *["news"] * 9]
    assert fit([title, rows, spare, news], 19) == ["title", *["row"] * 10, "brief"]
    assert fit([title, rows], 5) == ["title", *["row"] * 10]


def test_tables_are_aligned_and_columns_fill_lines() -> None:
    assert align([["a", "b", "last"], ["100", "cc", ""]], right=(0,)) == ["  a b   last", "100 cc"]
    wide = align([["x", "word " * 30]])
    assert all(len(line) <= WIDTH for line in wide)
    assert wide[1].startswith("   word")
    assert columns(["1 stay", "2 fold", "3 buy"]) == ["1 stay  2 fold  3 buy"]
    assert columns(["a", "x" * 39, "y", "z" * 38]) == ["a", "x" * 39, "y".ljust(40) + "z" * 38]
    assert columns(["x" * 39]) == ["x" * 39]


def test_a_page_of_one_seat_or_of_all_cards() -> None:
    env = palace_v0.env(players=3)
    env.reset(seed=3)
    own = "\n".join(fit(palace_text.page(env.view("player_0"))))
    assert "##" not in own  # palaces of others have no column while one plays
    assert own.endswith("\n\nSeat 2 is to move: it is its turn.")
    alone = "\n".join(fit(palace_text.page(env.view("player_0"), True)))
    assert alone == own.removesuffix("\n\nSeat 2 is to move: it is its turn.")
    views = np.concatenate([env.view(agent) for agent in env.possible_agents])
    whole = "\n".join(fit(palace_text.page(palace_text.unite(views), True)))
    assert "##" not in whole
    assert "You" not in whole
    for agent in env.possible_agents:
        palace = [format_card(int(card)) for card in env.view(agent)["dealt"][0, int(agent[-1])]]
        assert " ".join(palace) in whole


def test_a_page_of_a_seat_that_is_out_has_no_hand_of_its_own() -> None:
    env = palace([])
    env.step(env.parse_move("fold"))
    told = "\n".join(fit(palace_text.page(env.view("player_0"))))
    assert "\n\nYou are out of this hand.\n" in told
    assert "Your palace" not in told
    assert "your hand against it" not in told


def test_a_page_of_detective_of_one_seat_or_of_all_cards() -> None:
    env = detective_v0.env(players=3, expert=True)
    deal = {"private": ["Ah", "7c", "Kd"], "exposed": ["2c", "7d", "9h"], "board": ["3s", "4s", "Jd"]}
    env.reset(seed=1, options={"dealer": 2, "deal": deal})
    assert [detective_text.tell_last(env.view(agent)) for agent in env.possible_agents] == [""] * 3
    for move in ("bet 1 2 bluff", "bet 1 1", "bet 2 1 +1"):
        env.step(env.parse_move(move))
    assert [detective_text.tell_last(env.view(agent)) for agent in env.possible_agents] == [
        "Seat 2 bet 1 chip on itself with a card under it.",
        "Seat 2 bet 1 chip on itself with a card under it.",
        "You bet 1 chip on yourself with +1 under it.",
    ]
    pages = [fit(detective_text.page(env.view(agent))) for agent in env.possible_agents]
    assert [page[-1] == "Seat 1 is to bet." for page in pages] == [True, False, True]
    views = np.concatenate([env.view(agent) for agent in env.possible_agents])
    assert fit(detective_text.page(detective_text.unite(views), True)) == [
        "Detective Poker, expert mode, hand 1 of 6, flop. The dealer is seat 2.",
        "",
        "   seat exposed private  hand",
        "   0    2c      Ah       high card ace jack four three two",
        ">  1    7d      7c       pair of sevens, jack four three kickers",
        " D 2    9h      Kd       high card king jack nine four three",
        "   Board: 3s 4s Jd.",
        "",
        "   seat points chips cards preflop      flop turn  river",
        "   0         0     5     3 2 on 1 bluff",
        ">  1         0     6     4 1 on 1",
        " D 2         0     6     3 1 on 2 +1",
    ]
    alone = "\n".join(fit(detective_text.page(env.view("player_2"), True)))
    assert alone == "\n".join(pages[2]).partition("\n\nYou bet")[0]


# ---- what is typed


def palace(draws: list[str], betting: str = "no-limit", **options: Any) -> TableEnv:
    env = palace_v0.env(players=3, betting=betting)
    deal = {
        "banners": ["Ah", "7c", "Kd"],
        "palaces": [["2c", "5d", "9h"], ["3s", "4s", "Jd"], ["Qs", "Qc", "6h"]],
        "draws": draws,
    }
    env.reset(seed=1, options={"button": 2, "deal": deal, **options})
    return env


def meant(env: TableEnv, typed: str) -> list[str]:
    text: ModuleType = TEXTS[env.game.name]
    moves: list[str] = text.read_moves(env.view(env.agent_selection), typed)
    return moves


@pytest.mark.parametrize(
    ("typed", "move"),
    [
        *(("stay", "stay"), ("1", "stay"), ("3", "buy"), ("4", "attack 1"), ("4 +4", "attack 1 +4")),
        *(
            ("attack seat 2", "attack 2"),
            ("attack 1 with 8 extra", "attack 1 +8"),
            ("attack 1 with an extra of +8", "attack 1 +8"),
            ("attack 1 +8", "attack 1 +8"),
        ),
    ],
)
def test_a_turn_of_palace_may_be_typed_in_many_ways(typed: str, move: str) -> None:
    assert meant(palace([]), typed) == [move]


def test_a_raise_is_by_an_amount() -> None:
    env = palace([])
    env.step(env.parse_move("attack 1"))
    for typed in ("raise 4", "raise by 4", "raise by 4 chips", "3 4"):
        assert meant(env, typed) == ["raise 4"]
    for typed in ("raise to 4", "3", "raise", "raise by", "raise four"):
        with pytest.raises(InvalidMoveError):
            meant(env, typed)
    with pytest.raises(IllegalMoveError):
        meant(env, "raise by 5")


def test_several_soldiers_go_at_once() -> None:
    env = palace(["7h", "8s", "Td"], "limit")
    for move in ("buy", "done", "stay", "stay", "buy", "done", "stay", "stay", "buy"):
        env.step(env.parse_move(move))
    assert meant(env, "discard 7h 10d") == ["discard 7h", "discard Td"]
    assert meant(env, "discard td, 8S and 7H done") == ["discard Td", "discard 8s", "discard 7h"]
    assert meant(env, "2 8s done") == ["discard 8s", "done"]
    for typed in ("discard 7h 7h", "discard", "2", "discard 7h x", "discard done 7h"):
        with pytest.raises(InvalidMoveError):
            meant(env, typed)
    with pytest.raises(IllegalMoveError):
        meant(env, "discard 7h 9c")
    for move in meant(env, "discard 7h 8s done"):
        env.step(env.parse_move(move))
    assert env.agent_selection == "player_1"


def test_done_is_refused_while_too_many_soldiers_would_be_left() -> None:
    history = json.loads((ROOT / "tests/golden/palace/capture_beyond_five_soldiers.json").read_text("utf-8"))[
        "history"
    ]
    env = TableEnv.from_history(history, palace_v0.GAME)
    most = 0
    for _, move in history["moves"]:
        view = env.view(env.agent_selection)
        seat = int(view["actor"][0])
        held = [format_card(card) for card in range(52) if int(view["soldiers"][0, seat]) >> card & 1]
        most = max(most, len(held))
        if len(held) > 6:
            with pytest.raises(IllegalMoveError, match=f"not allowed with {len(held) - 1} .*: 5 may be kept"):
                meant(env, f"discard {held[0]} done")
        if len(held) > 5:
            enough = held[: len(held) - 5]
            cards = [f"discard {card}" for card in enough]
            assert meant(env, f"discard {' '.join(enough)} done") == [*cards, "done"]
        env.step(env.parse_move(move))
    assert most > 6


@pytest.mark.parametrize(
    ("typed", "why"),
    [
        *(("0", "no number of the menu: it goes from 1 to "), ("99", "no number of the menu")),
        *(("attack 1 8", "write an extra with a plus"), ("attack", "is no move"), ("stay 1", "is no move")),
        *(("call", "is not allowed now"), ("attack 0", "is not allowed now"), ("1 2", "is no move")),
        *(("done", "is not allowed now"), ("discard 2c", "is not allowed now")),
    ],
)
def test_what_is_not_clear_in_palace_is_refused(typed: str, why: str) -> None:
    with pytest.raises((InvalidMoveError, IllegalMoveError), match=why):
        meant(palace([]), typed)


@pytest.mark.parametrize(
    ("typed", "move"),
    [
        *(("2 3", "bet 2 3"), ("bet 2 3 +1", "bet 2 3 +1"), ("2 3 bluff", "bet 2 3 bluff")),
        *(("bet 3 on seat 2", "bet 2 3"), ("3 on 2 with a clockwise", "bet 2 3 clockwise")),
        *(
            ("1 on me blu", "bet SELF 1 bluff"),
            ("bet me 2 cl", "bet SELF 2 clockwise"),
            ("2 1 +", "bet 2 1 +1"),
        ),
    ],
)
def test_a_bet_may_be_typed_in_many_ways(typed: str, move: str) -> None:
    env = detective_v0.env()
    env.reset(seed=1)
    assert meant(env, typed) == [move.replace("SELF", env.agent_selection[-1])]


@pytest.mark.parametrize(
    ("typed", "why"),
    [
        *(("2", "write SEAT CHIPS"), ("2 3 bl", "could be bluff or blank"), ("2 3 joker", "is none of")),
        *(
            ("2 3 +1 bluff", "write SEAT CHIPS"),
            ("bet x 3", "write SEAT CHIPS"),
            ("3 on", "write SEAT CHIPS"),
        ),
        *(("2 4", "Chips: 1 to 3 of your 7"), ("4 1", "Seats: 0 to 3"), ("-1 2", "write SEAT CHIPS")),
    ],
)
def test_what_is_not_clear_in_detective_is_refused(typed: str, why: str) -> None:
    env = detective_v0.env()
    env.reset(seed=1)
    with pytest.raises((InvalidMoveError, IllegalMoveError), match=re.escape(why)):
        meant(env, typed)


def test_words_may_be_cut_short_where_they_are_clear() -> None:
    words = ("stay", "discard", "done", "help", "history")
    assert [complete(word, words) for word in ("s", "di", "done", "hel", "hi")] == [
        *("stay", "discard", "done", "help", "history")
    ]
    for word, why in (("d", "could be discard or done"), ("x", "is no move"), ("", "could be")):
        with pytest.raises(LineError, match=why):
            complete(word, words)


@pytest.mark.parametrize("name", FACES)
def test_the_rules_are_at_hand(name: str) -> None:
    markdown = (ROOT / f"{name}_env/RULES.md").read_text("utf-8")
    sections = rules_of(markdown, "")
    assert len(sections) > 10
    for section in sections:
        assert len(rules_of(markdown, section.split()[0])) > 1
    for number in set(re.findall(r"^\*\*(\d+\.\d+)", markdown, re.MULTILINE)):
        lines = rules_of(markdown, number)
        assert lines[0].startswith(f"{number} ")
        assert "**" not in "".join(lines)
    assert all(line.startswith("4.1 ") or line[:2] != "4." for line in rules_of(markdown, "4.1"))
    for number in ("99", "4.", "four"):
        with pytest.raises(LineError, match="no paragraph"):
            rules_of(markdown, number)


# ---- a match


@pytest.mark.parametrize("name", FACES)
def test_nonsense_is_refused_with_the_reason_and_asked_again(name: str) -> None:
    game = FACES[name].GAME(hands=1)
    junk = [b"", b"   ", b"zzz", b"99", b"-3", b"h", b"\xff\xfe", b"\0", "é".encode(), b"a" * 100_000]
    junk += [b"rules 99", b"rules 1 2", b"hint now", b"quit now", b"1e999", b"attack \xe2\x99\xa5"]
    shown, end = at_table(game, b"\n".join(junk) + b"\n")
    assert end is EOFError
    assert shown.count("Your move: ") == len(junk) + 1
    assert "'zzz' is no move and no command" in shown
    assert "is too long" in shown
    assert "no text in UTF-8" in shown
    assert max(map(len, shown.splitlines())) <= WIDTH
    assert shown.isascii()


@pytest.mark.parametrize("name", FACES)
def test_commands_answer_without_a_move(name: str) -> None:
    game = FACES[name].GAME(hands=1)
    shown, end = at_table(game, "help\nrules\nrules 1\nhint\nhistory\nlook\nq\n", opponents=None)
    assert end is LeaveError
    assert shown.count(f"{name.capitalize()} Poker, hand" if game.hands > 1 else "You are seat 0. ") >= 2
    assert "Hint of equity" in shown
    assert "Commands, which may be cut short" in shown


def test_a_hint_tells_what_a_policy_would_do() -> None:
    game = palace_v0.GAME()
    bot = agents.load("bot", game)
    shown, _ = at_table(game, "hint\n", opponents=[bot] * 3)
    assert re.search(r"bot would play: \w+( \d)? \d+%", shown)
    observation = np.zeros(game.layout.size, np.uint8)
    mask = np.zeros(game.n_actions, np.bool_)
    mask[[0, 1, 2]] = True
    shares = likely(bot.weights, observation, mask)  # type: ignore[attr-defined]
    assert sorted(action for action, _ in shares) == [0, 1, 2]
    assert sum(share for _, share in shares) == pytest.approx(1)
    assert [share for _, share in shares] == sorted((share for _, share in shares), reverse=True)


@pytest.mark.parametrize("name", FACES)
def test_finished_hands_are_saved_at_once_and_replay(name: str, tmp_path: Path) -> None:
    place = tmp_path / "hands.jsonl"
    game = FACES[name].GAME(hands=2)
    for _ in range(2):
        with play.saving(place) as save:
            kept: list[int] = []

            def count(history: Any, save: Any = save, kept: list[int] = kept) -> None:  # noqa: ANN401
                save(history)
                kept.append(len(place.read_text("utf-8").splitlines()))

            opponents = [agents.load("random", game)] * 3
            typed = "stay\nfold\ncall\n1\n0 1\n" * 200
            _, end = at_table(game, typed, opponents=opponents, save=count)
            assert end is None
        assert len(kept) == 2
    with place.open(encoding="utf-8") as file:
        assert [hand["hand"] for hand in read(file, type(game))] == [0, 1, 0, 1]
    place.write_text('{"game": "palace"', "utf-8")
    with pytest.raises(ValueError, match="its last line is not complete"), play.saving(place):
        pass


class Terminal(Screen):
    """A screen that waits as a terminal does, on what is given."""

    def __init__(self, typed: str) -> None:
        self.shown = io.StringIO()
        super().__init__(inp=io.BytesIO(typed.encode()), out=self.shown)
        self.is_terminal = True


@pytest.mark.parametrize(("typed", "pauses"), [("fold\n\n\nhistory\nskip\n", 4), ("fold\nsk\n", 1)])
def test_a_player_who_is_out_sees_the_hand_go_on_or_skips_to_its_end(typed: str, pauses: int) -> None:
    game = palace_v0.GAME(players=6, hands=1)
    screen = Terminal(typed)
    Match(game, palace_text, 0, table_of_passive(game), 8, screen).run()
    shown = screen.shown.getvalue()
    assert shown.count("You are out. Enter") == pauses
    assert "The hand is over" in shown


def test_a_terminal_waits_before_the_next_hand() -> None:
    game = detective_v0.GAME(hands=2)
    screen = Terminal("0 1\n" * 4 + "history\nx\n\nquit\n")
    with pytest.raises(LeaveError):
        Match(game, detective_text, 0, table_of_passive(game), 5, screen).run()
    assert screen.shown.getvalue().count("Enter: the next hand.") == 3


# ---- programs


def run(*words: str, typed: bytes = b"") -> "subprocess.CompletedProcess[bytes]":
    """Run play.py; it says so on stderr if torch was imported."""
    code = "import atexit, runpy, sys; sys.argv = ['play.py', *sys.argv[1:]]; "
    code += "atexit.register(lambda: 'torch' in sys.modules and print('has loaded torch', file=sys.stderr)); "
    code += "runpy.run_path('play.py', run_name='__main__')"
    return subprocess.run(
        [sys.executable, "-W", "error", "-c", code, *words], cwd=ROOT, input=typed, capture_output=True
    )


def test_over_a_pipe_without_torch(tmp_path: Path) -> None:
    place = tmp_path / "hands.jsonl"
    typed = b"\xff\n\n" + b"x" * 100_000 + b"\nfold\nfold\nfold\nfold\n"
    ended = run(
        "palace", "--hands", "2", "--seed", "3", "--save", str(place), "--against", "tight", typed=typed
    )
    assert (ended.returncode, ended.stderr) == (0, b"")
    assert b"tight is named last and takes all seats that are left." in ended.stdout
    assert b"The match is over: " in ended.stdout
    assert ended.stdout.isascii()
    assert len(place.read_text("utf-8").splitlines()) == 2
    ended = run("replay", str(place), "--hand", "2", typed=b"n\nb\n1\n0\n77\nq\n")
    assert (ended.returncode, ended.stderr) == (0, b"")
    assert b"Hand 2 of 2, move 1 of " in ended.stdout


@pytest.mark.parametrize(
    ("words", "code", "told"),
    [
        (["detective", "--hands", "1", "--against", "self", "--seed", "1"], 3, b"The input has ended."),
        (["palace", "--against", "nobody"], 2, b"'nobody' is no agent of palace"),
        (["palace", "--seat", "4"], 2, b"seat=4: must be from 0 to 3"),
        (["palace", "--against", "tight", "tight", "tight", "tight"], 2, b"name 1 to 3 agents"),
        ([], 3, b"Players [4]: "),
    ],
    ids=["end of input", "no agent", "no seat", "too many", "questions"],
)
def test_exit_codes(words: list[str], code: int, told: bytes) -> None:
    ended = run(*words, typed=b"p\n" if not words else b"")
    assert ended.returncode == code
    assert told in ended.stdout + ended.stderr
    assert b"Traceback" not in ended.stderr


def test_a_broken_or_foreign_file_is_told_with_its_line(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    env = detective_v0.env(hands=1)
    env.reset(seed=1)
    while not env.histories:
        env.step(int(np.flatnonzero(env.observe(env.agent_selection)["action_mask"])[0]))
    good = json.dumps(env.histories[0]) + "\n"
    place = tmp_path / "hands.jsonl"
    for second, why in (
        ("{", "line 2: "),
        ('{"game": "chess"}', "game 'chess' is unknown"),
        (good.replace("bet 0 1", "bet 0 9"), r"line 2: moves\["),
        ("\ud800", "line 2: is not in utf-8"),
    ):
        place.write_bytes((good + second).encode("utf-8", "surrogatepass"))
        with pytest.raises(ValueError, match=why):
            play.step_through(play.Replay(place))
    place.write_text(good, "utf-8")
    for wrong in (play.Replay(place, hand=2), play.Replay(place, hand=0), play.Replay(place, seat=4)):
        with pytest.raises(ValueError, match=r"^(hand|seat)=\d: "):
            play.step_through(wrong)
    place.write_text("", "utf-8")
    with pytest.raises(ValueError, match="has 0 hands"):
        play.step_through(play.Replay(place))
    assert capsys.readouterr().out == ""


def test_a_replay_goes_both_ways_and_to_a_move(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    pages: list[str] = []
    screen = Terminal("\nb\nb\n2\nn\nx\n99\nq\n")
    screen.page_through(4, lambda place: pages.append(str(place)) or [Part([f"page {place}"])])  # type: ignore[func-returns-value]
    assert pages == ["0", "1", "0", "2", "3"]
    shown = screen.shown.getvalue()
    assert "nothing was before it" in shown
    assert "'99' is none of these" in shown


@pytest.mark.parametrize(("count", "typed"), [(1, "n\nq\n"), (3, "2\n+\nquit\n")])
def test_after_the_last_page_of_a_replay_there_is_none(count: int, typed: str) -> None:
    pages: list[int] = []
    screen = Terminal(typed)
    screen.page_through(count, lambda place: pages.append(place) or [Part([f"page {place}"])])  # type: ignore[func-returns-value]
    assert pages == [0, *range(count)[2:]]
    assert "That was the last move." in screen.shown.getvalue()


class Pty:
    """A terminal of one's own, with colours, as standard input and output while it is entered."""

    def __enter__(self) -> "Pty":
        self._master, slave = pty.openpty()
        self._patch = pytest.MonkeyPatch()
        for name in ("NO_COLOR", "FORCE_COLOR", "COLUMNS", "LINES"):
            self._patch.delenv(name, raising=False)
        self._patch.setenv("TERM", "xterm-256color")
        self._patch.setattr(sys, "stdin", open(slave, encoding="utf-8"))
        self._patch.setattr(sys, "stdout", open(os.dup(slave), "w", encoding="utf-8"))
        self._ends = (sys.stdin, sys.stdout)
        return self

    def __exit__(self, *_: object) -> None:
        self._patch.undo()
        for end in self._ends:
            end.close()
        os.close(self._master)

    def type(self, data: bytes) -> None:
        """Press keys."""
        os.write(self._master, data)

    def shown(self, words: str) -> str:
        """What has come to the screen since the last look, keys pressed among it, up to some words."""
        sys.stdout.flush()
        return read_until(self._master, words)


def test_a_terminal_shows_suits_in_colour_and_clears_between_pages() -> None:
    with Pty() as terminal:
        screen = Screen()
        assert screen.is_terminal
        assert not screen.is_plain
        screen.show([Part(["> Ah 2s"])])
        told = [terminal.shown("2♠\x1b[0m\r\n")]
        screen.show([Part(["Qd, no card: Qx"])])
        told.append(terminal.shown("Qx\r\n"))
        screen.complain("№ is no move")
        told.append(terminal.shown("\x1b[0m\r\n"))
    assert told == [
        "\r\n\x1b[1m> \x1b[0m\x1b[1;31mA♥\x1b[0m\x1b[1m \x1b[0m\x1b[1m2♠\x1b[0m\r\n",
        "\x1b[2J\x1b[H\x1b[1;31mQ♦\x1b[0m, no card: Qx\r\n",
        "\x1b[33m№ is no move\x1b[0m\r\n",
    ]


def test_what_is_typed_at_a_terminal_may_have_symbols_of_suits() -> None:
    with Pty() as terminal:
        screen = Screen()
        terminal.type("  discard 7♥ \n".encode())
        assert screen.ask("Your move: ") == "discard 7h"
        terminal.shown("Your move: ")
        terminal.type(b"\xff\n")
        with pytest.raises(LineError, match="no text in UTF-8"):
            screen.ask("Your move: ")


@pytest.mark.parametrize("encoding", ["latin-1", None])
def test_a_terminal_without_symbols_of_suits_shows_letters(encoding: str | None) -> None:
    class Old(io.StringIO):
        def isatty(self) -> bool:
            return True

    Old.encoding = encoding  # type: ignore[assignment]
    out = Old()
    screen = Screen(inp=io.BytesIO(), out=out)
    assert screen.is_plain
    screen.say(["Ah × 2"], "bold")
    assert out.getvalue() == "Ah x 2\n"


def test_ctrl_c_over_a_pipe(tmp_path: Path) -> None:
    place = tmp_path / "hands.jsonl"
    words = [sys.executable, "play.py", "detective", "--seed", "1", "--against", "self", "--save", str(place)]
    with subprocess.Popen(
        words, cwd=ROOT, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE
    ) as process:
        assert process.stdin is not None
        process.stdin.write(b"0 1\n" * 4)
        process.stdin.flush()
        until = time.monotonic() + 120
        while not (place.exists() and place.stat().st_size) and time.monotonic() < until:
            time.sleep(0.05)
        process.send_signal(signal.SIGINT)
        out, err = process.communicate(timeout=60)
    assert process.returncode == 130
    assert err == b""
    assert b"Stopped." in out
    assert len(place.read_text("utf-8").splitlines()) == 1


def test_at_a_terminal() -> None:
    pid, fd = pty.fork()
    if pid == 0:  # pragma: no cover - the child becomes the program
        os.environ.update(TERM="xterm-256color", LANG="C.UTF-8", LC_ALL="C.UTF-8", COLUMNS="80", LINES="24")
        os.environ.pop("NO_COLOR", None)
        os.chdir(ROOT)
        os.execv(sys.executable, [sys.executable, "play.py", "palace", "--seed", "7", "--against", "passive"])
    try:
        play_at_terminal(fd)
        assert os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1]) == 130
    finally:
        os.close(fd)  # which ends the program if it still plays


def play_at_terminal(fd: int) -> None:
    shown = read_until(fd, "Your move: ")
    assert re.search("[2-9TJQKA][♣♦♥♠]", shown)
    assert not re.search(r"\b[2-9TJQKA][cdhs]\b", shown)
    assert "\x1b[31m" in shown or "\x1b[1;31m" in shown
    os.write(fd, b"nonsense\r")
    read_until(fd, "is no move and no command", "Your move: ")
    os.write(fd, b"buy\r")
    assert "\x1b[2J" in read_until(fd, "Your move: ")
    # Readline shows the prompt before it waits; a Ctrl-C in between takes effect at the next key alone.
    read_until(fd, "Stopped.", keys=b"\x03")


def read_until(fd: int, *words: str, keys: bytes = b"") -> str:
    """What a terminal shows, up to some words; the keys are pressed, and again after each quiet second."""
    shown = b""
    until = time.monotonic() + 120
    os.write(fd, keys)
    pattern = re.compile(".*".join(map(re.escape, words)), re.DOTALL)
    while not pattern.search(shown.decode("utf-8", "replace")):
        assert time.monotonic() < until, shown
        if select.select([fd], [], [], 1)[0]:
            shown += os.read(fd, 65_536)
        else:
            os.write(fd, keys)
    return shown.decode("utf-8", "replace")


def test_arguments_can_be_asked_for(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    typed = io.BytesIO(b"\n1\n5\nnobody\ntight equity\n0\n3\n")
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(typed))
    args = play.ask()
    assert args is not None
    assert (args.table.game, args.table.players, args.against) == ("palace", 5, ("tight", "equity"))
    assert args.table.settle().hands == 3
    told = capsys.readouterr().out
    assert "players=1: must be" in told
    assert "'nobody' is no agent" in told


@pytest.mark.parametrize(("closed", "code"), [("<&-", 3), (">&-", 0)])
def test_a_stream_closed_from_the_start_is_one_that_leads_nowhere(closed: str, code: int) -> None:
    command = f"{shlex.quote(sys.executable)} play.py palace --seed 1 --hands 1 --against passive {closed}"
    done = subprocess.run(
        ["bash", "-c", command], cwd=ROOT, input=b"fold\n" * 9, stderr=subprocess.PIPE, check=False
    )
    assert done.returncode == code
    assert b"Traceback" not in done.stderr


def test_a_game_that_is_told_to_end_ends_the_programs_that_it_has_started(tmp_path: Path) -> None:
    number = tmp_path / "number"
    tells = f"pathlib.Path({str(number)!r}).write_text(str(os.getpid()))"
    hangs = f"import os, pathlib, time; {tells}; time.sleep(600)"
    words = [sys.executable, "play.py", "detective", "--seed", "1", "--against"]
    words.append(f"program:{shlex.join([sys.executable, '-c', hangs])}")
    with subprocess.Popen(words, cwd=ROOT, stdin=subprocess.PIPE, stdout=subprocess.PIPE) as game:
        while not (number.exists() and number.read_text()):
            assert game.poll() is None
            time.sleep(0.05)
        assert game.stdout is not None
        assert game.stdout.readline()  # all is imported: meanwhile Python loses some exceptions
        game.terminate()
        assert game.wait(60) == 143
    with pytest.raises(ProcessLookupError):
        os.kill(int(number.read_text()), 0)


if __name__ == "__main__":  # writes the golden screens anew
    for game_name in SESSIONS:
        (SCREENS / f"{game_name}.txt").write_text(golden_session(game_name), "utf-8")
