"""The command line of evaluate.py: results on the screen and in a file, and what it says to bad input."""

import inspect
import json
import os
import signal
import subprocess
import sys
from dataclasses import asdict
from pathlib import Path

import numpy as np
import pytest

import evaluate
from agents import Agent, arena, load
from agents.command import on_interrupt
from agents.policy import FORMAT, Weights, describe, pack
from agents.spec import PLAYABLE
from agents.tables import TABLES, DetectiveTable, PalaceTable
from card_table.game import Game
from detective_env.detective_v0 import Detective
from palace_env.palace_v0 import Palace
from tests.plain import ROOT


def run(*arguments: str) -> subprocess.CompletedProcess[str]:
    """The program in a process of its own."""
    command = [sys.executable, "evaluate.py", *arguments]
    return subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)


def call(monkeypatch: pytest.MonkeyPatch, *arguments: str) -> int:
    """The program's exit code, in this process."""
    monkeypatch.setattr(sys, "argv", ["evaluate.py", *arguments])
    try:
        evaluate.main()
    except SystemExit as stop:
        return int(stop.code or 0)
    return 0


def test_an_evaluation_prints_its_results_and_writes_them(tmp_path: Path) -> None:
    place = tmp_path / "results.json"
    options = ("--deals", "40", "--players", "3", "--ante", "4", "--seed", "7", "--both")
    done = run("palace", "equity:5", "tight", "passive", *options, "--json", str(place))
    assert (done.returncode, done.stderr) == (0, "")
    assert "palace, 3 players, 40 deals from each seat" in done.stdout
    contents = json.loads(place.read_text("utf-8"))
    results = contents["results"]
    names = [(result["candidate"], result["others"]) for result in results]
    assert names == [
        ("equity:5", "tight"),
        ("tight", "equity:5"),
        ("equity:5", "passive"),
        ("passive", "equity:5"),
    ]
    for result in results:
        assert f"{result['mean']:+.3f} ± {result['error']:.3f}" in done.stdout
        assert result["hands"] == 120
        assert len(result["seat_means"]) == 3
    assert contents["seed"] == 7
    assert contents["arguments"]["ante"] == 4
    assert contents["command"].startswith("python evaluate.py palace equity:5 tight passive --deals 40")
    assert {"python", "numpy", "numba"} <= set(contents["versions"])
    assert [path.name for path in tmp_path.iterdir()] == ["results.json"]


def test_the_results_are_those_of_the_duel(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    import agents

    place = tmp_path / "results.json"
    options = (
        "--deals",
        "30",
        "--no-forced-duel",
        "--betting",
        "no-limit",
        "--sizes",
        "1",
        "3",
        "--json",
        str(place),
    )
    assert call(monkeypatch, "palace", "tight", "random", *options) == 0
    game = Palace(forced_duel=False, betting="no-limit", sizes=(1, 3))
    expected = arena.duel(game, agents.load("tight"), agents.load("random"), 30, seed=2**40)
    result = json.loads(place.read_text("utf-8"))["results"][0]
    assert result["mean"] == expected.mean
    assert result["seat_errors"] == list(expected.seat_errors)
    assert str(place) in capsys.readouterr().out


def test_whole_games_of_detective_tell_the_margin_and_who_won(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    place = tmp_path / "results.json"
    options = ("--deals", "25", "--players", "3", "--both", "--json", str(place))
    monkeypatch.setenv("COLUMNS", "200")
    assert call(monkeypatch, "detective", "visible", "random", *options) == 0
    shown = capsys.readouterr().out
    contents = json.loads(place.read_text("utf-8"))
    one, other = contents["results"]
    game = Detective(players=3)
    expected = arena.duel(game, load("visible", game), load("random", game), 25, seed=2**40)
    assert (one["mean"], one["won"], one["won_error"]) == (expected.mean, expected.won, expected.won_error)
    assert one["hands"] == 25 * 6 * 3
    assert one["mean"] > 1 > -1 > other["mean"]
    assert one["won"] > 0.8 > 0.1 > other["won"]
    for result in (one, other):
        assert f"{result['mean']:+.3f} ± {result['error']:.3f}" in shown
        assert f"{result['won']:.1%} ± {result['won_error']:.1%}" in shown
    assert "points margin a hand" in shown
    assert contents["arguments"]["game"] == "detective"


@pytest.mark.parametrize(
    ("arguments", "hands"),
    [(("palace", "passive", "passive"), 1), (("detective", "random", "random", "--hands", "3"), 3)],
)
def test_without_a_number_of_deals_as_many_are_played_as_have_the_usual_number_of_hands(
    arguments: tuple[str, ...],
    hands: int,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    monkeypatch.setattr(evaluate, "HANDS", 8)
    assert call(monkeypatch, *arguments) == 0
    shown = capsys.readouterr().out
    assert f"{-(-8 // hands)} deals from each seat" in shown
    assert ("games won" in shown) == (hands > 1)


@pytest.mark.parametrize(
    ("arguments", "told"),
    [
        (("palace", "nobody", "tight"), "'nobody' is no agent of palace"),
        (("palace", "tight", "tight", "equity:x"), "'equity:x': the samples"),
        (("palace", "tight"), "others: name at least one agent"),
        (("palace", "runs/none", "tight"), "'runs/none'"),
        (("palace", "tight", "tight", "--ante", "-1"), "ante=-1: must be a whole number"),
        (("palace", "tight", "tight", "--deals", "1"), "deals=1: must be a whole number"),
        (("palace", "tight", "tight", "--seed", "-3"), "seed=-3: must be a whole number"),
        (("palace", "tight", "tight", "--players", "11"), "players=11: must be a whole number from 2 to 10"),
        (("detective", "tight", "random"), "'tight' is no agent of detective"),
        (("detective", "self", "random", "--hands", "9"), "hands=9: must be a whole number from 1 to 8"),
        (
            ("detective", "self", "random", "--players", "3", "--deals", "1"),
            "deals=1: must be a whole number",
        ),
        (
            ("palace", "tight", "tight", "--json", "none/x.json"),
            "--json 'none/x.json': there is no folder 'none'",
        ),
        (("palace", "tight", "tight", "--json", "."), "--json '.': is a folder or a device, name a file"),
        (("palace", "tight", "tight", "--json", "/dev/null"), "is a folder or a device, name a file"),
        (("palace", "tight", "tight", "--json", "/proc/x"), "--json '/proc/x': the folder cannot be written"),
        (("palace", "tight", "tight", "--json", "x" * 256), "File name too long"),
    ],
    ids=str,
)
def test_bad_input_is_told_in_one_line(
    arguments: tuple[str, ...], told: str, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    assert call(monkeypatch, *arguments) == 2
    printed = capsys.readouterr()
    assert printed.out == ""
    assert printed.err.startswith("evaluate.py: ")
    assert told in printed.err
    assert printed.err.count("\n") == 1


def test_a_name_may_be_as_long_as_any(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    place = tmp_path / ("x" * 255)
    assert call(monkeypatch, "palace", "tight", "random", "--deals", "2", "--json", str(place)) == 0
    assert list(tmp_path.iterdir()) == [place]


@pytest.fixture
def policy(tmp_path: Path) -> str:
    """The folder of a policy that was trained for five players and other bets."""
    return shipped(
        Palace(players=5, small_bet=4, big_bet=10, ante=1, bare_raise=4, forced_duel=False), tmp_path
    )


def shipped(game: Game, folder: Path) -> str:
    """The folder, with a policy in it that was trained for this game and learned nothing."""
    shapes = ((game.layout.size, 1), 1, (1, 1), 1, (1, game.n_actions), game.n_actions)
    weights = Weights(*(np.zeros(shape, np.float32) for shape in shapes))
    (folder / "policy.safetensors").write_bytes(pack(weights, game))
    (folder / "config.json").write_text(json.dumps({"format": FORMAT, **describe(game)}))
    return str(folder)


@pytest.mark.parametrize(
    ("options", "own"),
    [
        (("--ante", "1"), "--players 5, --small-bet 4, --big-bet 10, --no-forced-duel"),
        (
            ("--seats", "6", "--no-hand-values", "--small-bet", "4", "--ante", "1", "--big-bet", "10"),
            "--players 5, --seats None, no --no-hand-values, --bare-raise 4, --no-forced-duel",
        ),
    ],
)
def test_a_policy_that_does_not_fit_names_the_options_that_do(
    options: tuple[str, ...],
    own: str,
    policy: str,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    assert call(monkeypatch, "palace", policy, "random", *options) == 2
    printed = capsys.readouterr()
    assert (printed.out, printed.err.count("\n")) == ("", 1)
    assert "the policy does not fit the game" in printed.err
    assert printed.err.endswith(f"; try {own}\n")


def test_rules_that_are_not_a_policys_own_are_told(
    policy: str, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    own = ("--players", "5", "--small-bet", "4", "--big-bet", "10", "--ante", "1", "--bare-raise", "4")
    play = ("palace", "random", policy, "--deals", "2")
    assert call(monkeypatch, *play, *own, "--no-forced-duel") == 0
    assert capsys.readouterr().err == ""
    assert call(monkeypatch, *play, *own, "--no-forced-duel", "--ante", "2", "--ranks", "12") == 0
    told = capsys.readouterr().err
    assert told == f"{policy} was trained under other rules than these: --ranks 13, --ante 1\n"


@pytest.mark.parametrize(
    ("trained", "options", "told"),
    [
        (Detective(expert=True, rounds=3), (), "--rounds 3, --expert"),
        (Detective(actions=("bluff", "blank")), ("--expert",), "no --expert, --actions bluff blank"),
    ],
)
def test_a_flag_that_is_off_unless_given_is_told_so(
    trained: Detective,
    options: tuple[str, ...],
    told: str,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    policy = shipped(trained, tmp_path)
    assert call(monkeypatch, "detective", "random", policy, "--deals", "2", *options) == 0
    assert capsys.readouterr().err == f"{policy} was trained under other rules than these: {told}\n"


@pytest.mark.parametrize(("name", "left_out"), [("palace", set()), ("detective", {"reward"})])
def test_a_tables_options_are_the_games_arguments_with_the_same_defaults(
    name: str, left_out: set[str]
) -> None:
    arguments = inspect.signature(PLAYABLE[name].game).parameters.values()
    expected = {each.name: each.default for each in arguments if each.name not in left_out}
    assert asdict(TABLES[name]()) == expected


@pytest.mark.parametrize("name", ["palace", "detective"])
def test_the_help_names_every_script(name: str) -> None:
    for spec in PLAYABLE[name].specs:
        assert spec in (evaluate.Args.__doc__ or "")


def test_a_full_disk_behind_the_screen_is_told_in_one_line() -> None:
    command = [sys.executable, "evaluate.py", "palace", "tight", "random", "--deals", "2"]
    with open("/dev/full", "w") as full:
        done = subprocess.run(command, cwd=ROOT, stdout=full, stderr=subprocess.PIPE, text=True, check=False)
    assert done.returncode == 2
    assert done.stderr == "evaluate.py: [Errno 28] No space left on device\n"


@pytest.mark.parametrize("program", ["train.py", "evaluate.py"])
def test_ctrl_c_while_packages_load_is_silent(program: str, tmp_path: Path) -> None:
    (tmp_path / "tyro.py").write_text("import signal\nsignal.raise_signal(signal.SIGINT)\n")
    command = [sys.executable, program, "palace", "tight", "tight"]
    path = {**os.environ, "PYTHONPATH": str(tmp_path)}
    done = subprocess.run(command, cwd=ROOT, env=path, capture_output=True, text=True, check=False)
    assert (done.returncode, done.stdout, done.stderr) == (130, "", "")


@pytest.mark.parametrize("program", ["train.py", "evaluate.py"])
def test_the_help_of_a_flag_tells_what_the_flag_does(program: str) -> None:
    command = [sys.executable, program, "palace", "--help"]
    path = {**os.environ, "COLUMNS": "200"}
    done = subprocess.run(command, cwd=ROOT, env=path, capture_output=True, text=True, check=False)
    assert "Let the last two stay instead of fighting. (default: they must fight)" in done.stdout
    assert "(default: True)" not in done.stdout


@pytest.mark.parametrize(
    "arguments",
    [
        ("chess", "tight", "tight"),
        ("palace", "tight", "tight", "--dels", "3"),
        ("detective", "self", "self", "--ante", "3"),
        ("detective", "self", "self", "--actions", "bet"),
        ("detective",),
        (),
    ],
    ids=str,
)
def test_what_is_no_command_line_is_refused(
    arguments: tuple[str, ...], monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    assert call(monkeypatch, *arguments) == 2
    printed = capsys.readouterr()
    assert printed.out == ""
    assert "Traceback" not in printed.err


def test_ctrl_c_stops_without_a_traceback(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    duel = arena.duel

    def press(deals: int) -> None:
        signal.raise_signal(signal.SIGINT)

    def pressed(
        game: Game, one: Agent, other: Agent, deals: int, seed: int, progress: object
    ) -> arena.Result:
        return duel(game, one, other, deals, seed, press)

    monkeypatch.setattr(arena, "duel", pressed)
    place = tmp_path / "results.json"
    assert call(monkeypatch, "palace", "tight", "tight", "--deals", "1000", "--json", str(place)) == 130
    assert capsys.readouterr().err == "Stopped; nothing was written.\n"
    assert not place.exists()


def test_ctrl_c_waits_until_the_file_is_written(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    replace = os.replace

    def press(*places: Path) -> None:
        signal.raise_signal(signal.SIGINT)
        replace(*places)

    place = tmp_path / "results.json"
    args = evaluate.Args("tight", ("tight",), deals=2, json=place)
    results = evaluate.evaluate(args)
    monkeypatch.setattr(os, "replace", press)
    with pytest.raises(KeyboardInterrupt), on_interrupt(signal.default_int_handler):
        evaluate.report(args, results)
    assert [each.name for each in tmp_path.iterdir()] == [place.name]
    assert len(json.loads(place.read_text())["results"]) == len(results)


def test_the_file_lies_beside_the_candidate_and_tells_what_was_played(tmp_path: Path) -> None:
    table = PalaceTable(players=3, sizes=(1, 2))
    args = evaluate.Args(str(tmp_path), ("equity:200", "runs/other"), deals=9, table=table)
    assert evaluate.place_of(args) == tmp_path / "evaluation-equity200-other-players3-sizes1,2.json"
    assert evaluate.place_of(evaluate.Args("tight", ("equity",))) is None
    args = evaluate.Args(str(tmp_path), ("self",), table=DetectiveTable(actions=("bluff",), expert=True))
    assert evaluate.place_of(args) == tmp_path / "evaluation-self-expertTrue-actionsbluff.json"


def test_help_needs_no_torch() -> None:
    code = (
        "import sys, evaluate; sys.argv = ['evaluate.py', 'detective', '--help']\n"
        "try: evaluate.main()\n"
        "finally: assert 'torch' not in sys.modules and 'numba' not in sys.modules"
    )
    done = subprocess.run([sys.executable, "-c", code], cwd=ROOT, capture_output=True, text=True, check=False)
    assert (done.returncode, done.stderr) == (0, "")
    assert "--both" in done.stdout
