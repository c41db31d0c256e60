"""train.py as a user runs it: a run from start to results, stopping and going on, and what it refuses."""

import dataclasses
import itertools
import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

import agents
import train as program
from agents import runs
from agents.settings import SETTINGS, Settings
from agents.spec import PLAYABLE
from agents.tables import DetectiveTable, PalaceTable
from detective_env.detective_v0 import Detective
from palace_env.palace_v0 import Palace, batch
from tests.plain import ROOT

TINY = (
    *("--games", "32", "--rollout", "512", "--batch", "256", "--hidden", "16"),
    *("--players", "3", "--evaluation-deals", "4"),
)


LIMIT = 600  # seconds that even a busy machine does not take
BEGUN: list[subprocess.Popen[str]] = []


@pytest.fixture(autouse=True)
def nothing_goes_on() -> Iterator[None]:
    """What a failed test has begun ends with it, or it would slow down all that come after."""
    yield
    for process in BEGUN:
        with process:
            process.kill()
    BEGUN.clear()


def begin(*arguments: str) -> subprocess.Popen[str]:
    command = [sys.executable, "-W", "error", str(ROOT / "train.py"), *arguments]
    path = {**os.environ, "PYTHONPATH": str(ROOT), "COLUMNS": "110"}
    BEGUN.append(
        subprocess.Popen(command, env=path, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    )
    return BEGUN[-1]


def train(*arguments: str) -> tuple[int, str, str]:
    """Exit code, stdout and stderr."""
    process = begin(*arguments)
    out, err = process.communicate(timeout=LIMIT)
    return process.returncode, out, err


def interrupt(process: subprocess.Popen[str]) -> tuple[int, str, str]:
    """Press Ctrl-C when the first line about the training has been printed."""
    assert process.stdout is not None
    first = process.stdout.readline()
    process.send_signal(signal.SIGINT)
    out, err = process.communicate(timeout=LIMIT)
    return process.returncode, first + out, err


@pytest.fixture(scope="module")
def finished(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, str]:
    """A run that went from start to end, and what it printed."""
    folder = tmp_path_factory.mktemp("runs") / "whole"
    code, out, err = train("palace", "--steps", "20000", "--out", str(folder), *TINY)
    assert (code, err) == (0, "")
    return folder, out


def test_a_run_ends_with_a_table_of_results_against_every_script(finished: tuple[Path, str]) -> None:
    folder, out = finished
    evaluation = json.loads((folder / "evaluation.json").read_text())
    pairs = [(result["candidate"], result["others"]) for result in evaluation["results"]]
    scripts = ["random", "passive", "aggressive", "tight", "equity"]
    name = str(folder)
    assert pairs == [pair for script in scripts for pair in ((name, script), (script, name))]
    for script in scripts:
        assert f"│ {script} " in out
    assert evaluation["deals"] == 4
    assert evaluation["decisions"] == 20_480  # whole rollouts
    assert {"python", "numpy", "numba", "torch", "sb3-contrib"} <= set(evaluation["versions"])
    assert "--steps 20000" in evaluation["command"]


def test_a_run_tells_how_it_goes(finished: tuple[Path, str]) -> None:
    folder, out = finished
    for name in ("decisions/s", "hands/s", "decisions a hand", "pot", "showdowns", "entropy", "KL"):
        assert f" {name} " in out
    assert " value fit " in out
    assert "against equity" in out
    assert "\x1b" not in out  # no terminal, no colours
    assert (folder / "curve.png").read_bytes().startswith(b"\x89PNG")
    assert any(path.name.startswith("events.") for path in (folder / "tensorboard").iterdir())


def test_a_run_of_detective_tells_margins_and_games_won(tmp_path: Path) -> None:
    folder = tmp_path / "run"
    options = ("--steps", "5000", "--chips", "6", "--actions", "bluff", "+1")
    code, out, err = train("detective", *options, "--out", str(folder), *TINY)
    assert (code, err) == (0, "")
    for told in (" decisions a hand 12 ", " right ", "against visible", "points margin a hand", "games won"):
        assert told in out
    evaluation = json.loads((folder / "evaluation.json").read_text())
    scripts = PLAYABLE["detective"].specs
    assert [result["others"] for result in evaluation["results"][::2]] == list(scripts)
    assert {result["hands"] for result in evaluation["results"]} == {4 * 6 * 3}
    config = json.loads((folder / "config.json").read_text())
    assert config["arguments"]["learning_rate"] == SETTINGS["detective"].learning_rate
    assert config["arguments"]["actions"] == ["bluff", "+1"]
    game = Detective(players=3, chips=6, actions=("bluff", "+1"))
    agents.load(folder, game)
    with pytest.raises(ValueError, match="game='detective', the game has game='palace'"):
        agents.load(folder, Palace(players=3))


def test_a_run_of_one_game_is_not_resumed_as_the_other(tmp_path: Path) -> None:
    run = runs.resume(unfinished(tmp_path))
    args = program.Args(table=DetectiveTable(), out=tmp_path, resume=True)
    with pytest.raises(ValueError, match="it is a run of 'palace', not of 'detective'"):
        program.stored_args(args, ("detective", "--resume"), run)
    run.release()


def test_resuming_detective_refuses_a_flag_that_the_run_was_not_given(tmp_path: Path) -> None:
    usual = program.GAMES["detective"]
    runs.start(tmp_path, {"format": 1, "arguments": program.kept(usual)}).release()
    run = runs.resume(tmp_path)
    args = dataclasses.replace(usual, table=DetectiveTable(expert=True), resume=True)
    with pytest.raises(ValueError, match=r"^--expert: the run has False, leave the option out to resume it$"):
        program.stored_args(args, ("detective", "--resume", "--expert"), run)
    run.release()


def test_a_run_of_detective_is_resumed_with_its_arguments(tmp_path: Path) -> None:
    usual = program.GAMES["detective"]
    table = DetectiveTable(players=3, actions=("blank",))
    kept = program.kept(dataclasses.replace(usual, table=table))
    runs.start(tmp_path, {"format": 1, "arguments": kept}).release()
    run = runs.resume(tmp_path)
    found = program.stored_args(dataclasses.replace(usual, out=tmp_path, resume=True), ("detective",), run)
    run.release()
    assert (found.table, found.settings) == (table, SETTINGS["detective"])


def test_a_run_is_an_agent(finished: tuple[Path, str]) -> None:
    folder, _ = finished
    game = Palace(players=3)
    agent = agents.load(folder, game)
    tables = batch(16, players=3)
    tables.step(agent.act(tables.views(), tables.observations, tables.masks, np.random.default_rng(0)))
    config = json.loads((folder / "config.json").read_text())
    assert config["rules"] == game.rules
    assert config["arguments"]["seed"] == 1


def test_ctrl_c_leaves_a_run_that_goes_on_as_if_nothing_had_happened(
    finished: tuple[Path, str], tmp_path: Path
) -> None:
    folder = tmp_path / "stopped"
    process = begin("palace", "--steps", "20000", "--out", str(folder), *TINY)
    code, out, err = interrupt(process)
    assert (code, err) == (130, "")
    assert "\nStopping as soon as all can be kept; Ctrl-C once more stops at once.\n" in out
    assert f"python train.py palace --resume --out {folder}" in out
    assert not (folder / "evaluation.json").exists()
    agents.load(folder, Palace(players=3))  # plays as it stands
    run = runs.resume(folder)
    _, state = run.load_checkpoint() or ({}, {})
    run.release()
    assert 0 < state["model"]["decisions"] < 20_000

    code, _, err = train("palace", "--resume", "--out", str(folder))
    assert (code, err) == (0, "")
    whole, _ = finished
    assert (folder / "policy.safetensors").read_bytes() == (whole / "policy.safetensors").read_bytes()
    results = [json.loads((each / "evaluation.json").read_text())["results"] for each in (folder, whole)]
    for one, other in zip(*results, strict=True):
        assert one["mean"] == other["mean"]


def test_ctrl_c_again_and_again_stops_without_a_traceback(tmp_path: Path) -> None:
    process = begin("palace", "--out", str(tmp_path / "run"), *TINY)
    assert process.stdout is not None
    first = process.stdout.readline()
    assert "against equity" in first
    while process.poll() is None:
        process.send_signal(signal.SIGINT)
        time.sleep(0.02)
    out, err = process.communicate(timeout=LIMIT)
    assert (process.returncode, err) == (130, "")
    assert "Stopped; to go on: python train.py palace --resume" in out


def test_ctrl_c_waits_until_what_is_written_is_whole(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    sync, pressed = os.fsync, []

    def press(descriptor: int) -> None:
        if program.CHECKPOINT_EVERY == 0:  # once it trains
            pressed.append(os.readlink(f"/proc/self/fd/{descriptor}"))
            signal.raise_signal(signal.SIGINT)
        sync(descriptor)

    def measure(training: program.Training) -> None:
        training.curve.append({"results": {}, "figures": {}})
        monkeypatch.setattr(program, "CHECKPOINT_EVERY", 0)

    monkeypatch.setattr(os, "fsync", press)
    monkeypatch.setattr(program, "measure", measure)
    monkeypatch.setattr(sys, "argv", ["train.py", "palace", "--out", str(tmp_path / "run"), *TINY])
    with pytest.raises(SystemExit) as stopped:
        program.main()
    assert stopped.value.code == 130
    # The first save goes on to its end and the training stops; so does the save at its end, pressed anew.
    names = [Path(each).name for each in pressed]
    assert names == [".checkpoint.safetensors.tmp", ".policy.safetensors.tmp"] * 2
    assert not list((tmp_path / "run").glob("*.tmp")) + list((tmp_path / "run").glob(".*.tmp"))
    assert "Stopped; to go on: python train.py palace --resume" in capsys.readouterr().out
    run = runs.resume(tmp_path / "run")
    assert run.load_checkpoint() is not None
    run.release()


def test_a_folder_that_goes_away_is_told_in_one_line(tmp_path: Path) -> None:
    process = begin("palace", "--out", str(tmp_path / "run"), *TINY)
    assert process.stdout is not None
    process.stdout.readline()
    (tmp_path / "run").rename(tmp_path / "moved")
    _, err = process.communicate(timeout=LIMIT)
    assert process.returncode == 2
    assert err.startswith("train.py: [Errno 2] No such file or directory")
    assert err.count("\n") == 1


def test_minutes_are_kept_with_the_evaluation_included(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    ticks = itertools.count()
    monkeypatch.setattr(program, "time", SimpleNamespace(monotonic=lambda: 0.1 * next(ticks)))
    monkeypatch.setattr(program, "STARTED", 0.0)
    monkeypatch.setattr(
        sys, "argv", ["train.py", "palace", "--minutes", "0.5", "--out", str(tmp_path / "run"), *TINY]
    )
    program.main()
    evaluation = json.loads((tmp_path / "run" / "evaluation.json").read_text())
    assert 20 < evaluation["seconds"] < 30
    assert evaluation["decisions"] > 10_000


def refused(*arguments: str) -> str:
    """The one line that bad input gets."""
    code, out, err = train(*arguments)
    assert (code, out) == (2, "")
    assert err.startswith("train.py: ")
    assert err.count("\n") == 1
    return err


@pytest.mark.parametrize(
    ("arguments", "told"),
    [
        (("--players", "11"), "players=11: must be a whole number from 2 to 10"),
        (("--rollout", "1000"), "rollout=1000: must be a multiple of games=256"),
        (("--resume",), "holds no run to resume"),
        (("--learning-rate", "inf"), "learning_rate=inf: must be a number from"),
        (("--hidden", "10000000"), "hidden=10000000: must be a whole number from 1 to 8192"),
        (("--minutes", "nan"), "minutes=nan: must be above 0"),
    ],
)
def test_bad_arguments_get_one_line_and_leave_no_folder(
    arguments: tuple[str, ...], told: str, tmp_path: Path
) -> None:
    folder = tmp_path / "run"
    assert told in refused("palace", "--out", str(folder), *arguments)
    assert not folder.exists()


def test_a_finished_run_is_neither_resumed_nor_overwritten_unasked(finished: tuple[Path, str]) -> None:
    folder, _ = finished
    assert "holds a finished run" in refused("palace", "--out", str(folder))
    assert "nothing to resume" in refused("palace", "--resume", "--out", str(folder))


def test_a_run_is_not_deleted_for_arguments_that_are_refused(finished: tuple[Path, str]) -> None:
    folder, _ = finished
    before = {path: path.stat() for path in folder.iterdir()}
    refused("palace", "--out", str(folder), "--overwrite", "--entropy", "inf")
    assert {path: path.stat() for path in folder.iterdir()} == before


def call(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], *arguments: str
) -> tuple[int, str, str]:
    """Exit code, stdout and stderr of the program in this process."""
    monkeypatch.setattr(sys, "argv", ["train.py", "palace", *arguments])
    with pytest.raises(SystemExit) as end:
        program.main()
    printed = capsys.readouterr()
    return int(end.value.code or 0), printed.out, printed.err


def test_a_run_that_has_lost_its_checkpoint_is_not_begun_again_over_its_policy(tmp_path: Path) -> None:
    unfinished(tmp_path)
    runs.resume(tmp_path).release()
    (tmp_path / "policy.safetensors").write_bytes(b"learned")
    with pytest.raises(ValueError, match=r"holds a policy but no checkpoint.safetensors to go on from"):
        runs.resume(tmp_path)
    assert (tmp_path / "policy.safetensors").read_bytes() == b"learned"


def unfinished(folder: Path, **changes: object) -> Path:
    """A run for five players that has only begun, with changes to the arguments in its config.json."""
    args = program.Args(table=PalaceTable(players=5), settings=Settings(hidden=16, bfloat16=False))
    runs.start(folder, {"format": 1, "arguments": {**program.kept(args), **changes}}).release()
    return folder


@pytest.mark.parametrize(
    ("given", "told"),
    [
        (("--players", "4"), "--players 4: the run has 5"),
        (("--hidden=256",), "--hidden 256: the run has 16"),
        (("--learning_rate", "0.1"), "--learning-rate 0.1: the run has 0.002"),
        (("--no-hand-values",), "--no-hand-values: the run has True"),
        (("--sizes", "1", "2"), "--sizes [1, 2]: the run has [1, 2, 4, 8]"),
        (("--minutes", "9"), "--minutes 9.0: the run has 10.0"),
    ],
)
def test_resuming_refuses_what_is_given_and_differs_even_if_it_is_the_default(
    given: tuple[str, ...],
    told: str,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    folder = unfinished(tmp_path / "run")
    same = ("--players", "5", "--seed", "1", "--no-bfloat16")
    code, out, err = call(monkeypatch, capsys, "--resume", "--out", str(folder), *same, *given)
    assert (code, out) == (2, "")
    assert err == f"train.py: {told}, leave the option out to resume it\n"


def test_resuming_takes_the_runs_arguments_where_none_is_given(tmp_path: Path) -> None:
    run = runs.resume(unfinished(tmp_path))
    args = program.Args(out=tmp_path, resume=True, threads=1)
    found = program.stored_args(args, ("palace", "--resume", "--out", str(tmp_path)), run)
    run.release()
    assert (found.table.players, found.settings.hidden, found.settings.bfloat16) == (5, 16, False)
    assert (found.out, found.threads) == (tmp_path, 1)


@pytest.mark.parametrize(
    ("changes", "told"),
    [
        ({"hidden": "x"}, "hidden='x': must be a whole number"),
        ({"minutes": None}, "minutes=None: must be above 0"),
        ({"batch": 1.5}, "batch=1.5: must be a whole number"),
        ({"bfloat16": "no"}, "bfloat16='no': must be True or False"),
        ({"players": 4.0}, "players=4.0: must be a whole number"),
        ({"sizes": 3}, "sizes=3: must be"),
        ({"steps": []}, "steps=[]: must be a whole number"),
        ({"game": 5}, "it is a run of 5, not of 'palace'"),
        ({"more": 5}, "its config.json has other arguments than this version"),
    ],
)
def test_a_run_with_broken_arguments_is_not_resumed(
    changes: dict[str, Any],
    told: str,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    folder = unfinished(tmp_path, **changes)
    code, out, err = call(monkeypatch, capsys, "--resume", "--out", str(folder))
    assert (code, out, err.count("\n")) == (2, "", 1)
    assert told in err
    assert str(folder) in err


def test_a_checkpoint_of_another_run_is_not_resumed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    run = runs.resume(unfinished(tmp_path))
    run.save_checkpoint({"states": np.zeros(3)}, {"model": {}})
    run.release()
    code, _, err = call(monkeypatch, capsys, "--resume", "--out", str(tmp_path))
    assert (code, err.count("\n")) == (2, 1)
    assert "its checkpoint is of another run" in err


@pytest.mark.parametrize("package", ["matplotlib", "tensorboard", "sb3_contrib"])
def test_a_package_that_is_missing_is_told_before_the_training(
    package: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    for name in list(sys.modules):
        if name.partition(".")[0] == package or name in ("torch.utils.tensorboard", "agents.selfplay"):
            monkeypatch.delitem(sys.modules, name)
    monkeypatch.setitem(sys.modules, package, None)
    code, out, err = call(monkeypatch, capsys, "--out", str(tmp_path / "run"), *TINY)
    assert (code, out) == (2, "")
    assert err == f"train.py: training needs the package '{package}': install palace-detective[train]\n"
    assert not (tmp_path / "run").exists()


@pytest.mark.parametrize(
    ("failure", "told"),
    [
        (FileNotFoundError(2, "No such file", "x"), "[Errno 2] No such file: 'x'"),
        (ValueError("row 0 of the scores is not finite"), "row 0 of the scores is not finite"),
        (MemoryError("too much"), "there is not enough memory (too much)"),
        (RuntimeError("can't allocate\nat address 0"), "can't allocate"),
    ],
    ids=str,
)
def test_what_fails_in_the_middle_is_told_in_one_line(
    failure: Exception,
    told: str,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    def fail(training: program.Training) -> None:
        raise failure

    monkeypatch.setattr(program, "train", fail)
    assert call(monkeypatch, capsys, "--out", str(tmp_path / "run"), *TINY) == (2, "", f"train.py: {told}\n")
    runs.start(tmp_path / "run", CONFIG, overwrite=True).release()  # it is free again


@pytest.mark.parametrize("game", ["palace", "detective"])
def test_help_loads_no_torch(game: str) -> None:
    code = """
import sys, train
try:
    train.main()
except SystemExit as end:
    print("code", end.code, "torch" in sys.modules)
"""
    done = subprocess.run(
        [sys.executable, "-W", "error", "-c", code, game, "--help"], cwd=ROOT, capture_output=True, text=True
    )
    assert "--minutes" in done.stdout
    assert done.stdout.endswith("code 0 False\n"), done.stderr


CONFIG: dict[str, Any] = {"format": 1, "arguments": {}}


def test_a_run_starts_in_a_new_or_empty_folder(tmp_path: Path) -> None:
    runs.start(tmp_path / "a" / "b", CONFIG).release()
    run = runs.resume(tmp_path / "a" / "b")
    assert run.config == CONFIG
    run.release()
    run = runs.start(tmp_path / "a" / "b", CONFIG, overwrite=True)
    assert run.load_checkpoint() is None
    run.release()


def test_one_training_at_a_time_in_a_folder(tmp_path: Path) -> None:
    run = runs.start(tmp_path, CONFIG)
    run.save_checkpoint({"x": np.arange(3)}, {"y": 1})
    with pytest.raises(BlockingIOError, match="another training runs in it"):
        runs.resume(tmp_path)
    with pytest.raises(BlockingIOError, match="another training runs in it"):
        runs.start(tmp_path, CONFIG, overwrite=True)
    assert run.load_checkpoint() is not None
    run.release()
    runs.resume(tmp_path).release()


def test_a_config_that_fits_no_json_deletes_nothing(tmp_path: Path) -> None:
    runs.start(tmp_path / "run", CONFIG).release()
    with pytest.raises(ValueError, match="JSON"):
        runs.start(tmp_path / "run", {"x": float("inf")}, overwrite=True)
    run = runs.resume(tmp_path / "run")
    assert run.config == CONFIG
    run.release()
    with pytest.raises(ValueError, match="JSON"):
        runs.start(tmp_path / "new", {"x": float("inf")})
    assert not (tmp_path / "new").exists()


def test_overwriting_deletes_a_run_and_nothing_else(tmp_path: Path) -> None:
    run = runs.start(tmp_path, CONFIG)
    run.save_checkpoint({"x": np.arange(3)}, {"y": 1})
    run.write_json("evaluation.json", {})
    run.write_json("evaluation-equity200-players3.json", {})
    run.release()
    with pytest.raises(ValueError, match="holds a finished run"):
        runs.start(tmp_path, CONFIG)
    runs.start(tmp_path, CONFIG, overwrite=True).release()
    assert sorted(path.name for path in tmp_path.iterdir()) == [".lock", "config.json"]
    (tmp_path / "thesis.tex").write_text("years of work")
    with pytest.raises(ValueError, match=r"no run's folder, it holds \['thesis.tex'\]"):
        runs.start(tmp_path, CONFIG, overwrite=True)
    assert (tmp_path / "thesis.tex").read_text() == "years of work"


def test_an_unfinished_run_is_not_started_anew_unasked(tmp_path: Path) -> None:
    runs.start(tmp_path, CONFIG).release()
    with pytest.raises(ValueError, match="holds an unfinished run: --resume it, or --overwrite it"):
        runs.start(tmp_path, CONFIG)


def test_checkpoints_come_back_and_broken_ones_are_refused(tmp_path: Path) -> None:
    run = runs.start(tmp_path, CONFIG)
    arrays = {"a": np.arange(6.0).reshape(2, 3), "none": np.zeros((0, 4), np.bool_), "one": np.ones(())}
    run.save_checkpoint(arrays, {"rng": 2**100, "curve": [[1, 2]]})
    loaded = run.load_checkpoint()
    assert loaded is not None
    found, state = loaded
    assert state == {"rng": 2**100, "curve": [[1, 2]]}
    assert set(found) == set(arrays)
    for name, array in arrays.items():
        assert found[name].shape == array.shape
        assert found[name].dtype == array.dtype
        assert (found[name] == array).all()
    path = tmp_path / runs.CHECKPOINT_FILE
    path.write_bytes(path.read_bytes()[:-8])
    with pytest.raises(ValueError, match="no valid checkpoint"):
        run.load_checkpoint()
    path.unlink()
    path.mkdir()
    with pytest.raises(ValueError, match="no valid checkpoint"):
        run.load_checkpoint()
    run.release()


def test_a_write_that_fails_leaves_the_old_contents(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    run = runs.start(tmp_path, CONFIG)

    def fail(number: int) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(os, "fsync", fail)
    with pytest.raises(OSError, match="No space"):
        run.write_json("config.json", {"format": 2})
    run.release()
    run = runs.resume(tmp_path)
    run.release()
    assert run.config == CONFIG
