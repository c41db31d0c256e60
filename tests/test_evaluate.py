"""The command line of evaluate.py: results on the screen and in a file, and what it says to bad input."""

import json
import signal
import subprocess
import sys
from pathlib import Path

import pytest

import evaluate
from agents import Agent, arena
from agents.tables import PalaceTable
from card_table.game import Game

ROOT = Path(__file__).parent.parent


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
    from palace_env.palace_v0 import Palace

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
        (
            ("palace", "tight", "tight", "--json", "none/x.json"),
            "--json 'none/x.json': there is no folder 'none'",
        ),
        (("palace", "tight", "tight", "--json", "."), "--json '.': is a folder, name a file"),
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


@pytest.mark.parametrize(
    "arguments", [("chess", "tight", "tight"), ("palace", "tight", "tight", "--dels", "3")], ids=str
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


def test_the_file_lies_beside_the_candidate_and_tells_what_was_played(tmp_path: Path) -> None:
    args = evaluate.Args(
        "palace",
        str(tmp_path),
        ("equity:200", "runs/other"),
        deals=9,
        table=PalaceTable(players=3, sizes=(1, 2)),
    )
    assert evaluate.place_of(args) == tmp_path / "evaluation-equity200-other-players3-sizes1,2.json"
    assert evaluate.place_of(evaluate.Args("palace", "tight", ("equity",))) is None


def test_help_needs_no_torch() -> None:
    code = (
        "import sys, evaluate; sys.argv = ['evaluate.py', '--help']\n"
        "try: evaluate.main()\n"
        "finally: assert 'torch' not in sys.modules and 'numba' not in sys.modules"
    )
    done = subprocess.run([sys.executable, "-c", code], cwd=ROOT, capture_output=True, text=True, check=False)
    assert (done.returncode, done.stderr) == (0, "")
    assert "--both" in done.stdout
