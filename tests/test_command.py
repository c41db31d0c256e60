"""The programs among the tests refuse bad arguments, and end on Ctrl-C without a traceback in scripts too."""

import importlib
import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from tests import command
from tests.plain import ROOT

QUICK = ["coverage_run", "mutants", "palace.perft"]
LOADING = ["differential", "invariants", "palace.perft", "play_games", "program_matches", "soak"]
ONCE_RUNNING = """
import runpy, signal
from tests import command
run = command.run
command.run = lambda main: run(lambda: main and signal.raise_signal(signal.SIGINT))
runpy.run_module("tests.@", run_name="__main__", alter_sys=True)
"""


def begun_in_a_script(*words: str, **variables: str) -> "subprocess.CompletedProcess[str]":
    """Run Python as what a script has begun in the background, which ignores Ctrl-C."""
    script = ["sh", "-c", "trap '' INT; exec \"$@\"", "sh", sys.executable, *words]
    return subprocess.run(
        script, cwd=ROOT, env={**os.environ, **variables}, capture_output=True, text=True, check=False
    )


@pytest.mark.parametrize("program", LOADING)
def test_ctrl_c_while_packages_load_is_silent(program: str, tmp_path: Path) -> None:
    (tmp_path / "numpy.py").write_text("import signal\nsignal.raise_signal(signal.SIGINT)\n")
    done = begun_in_a_script("-m", f"tests.{program}", PYTHONPATH=str(tmp_path))
    assert (done.returncode, done.stdout, done.stderr) == (130, "", "")


@pytest.mark.parametrize("program", QUICK)
def test_ctrl_c_of_a_program_that_runs_is_silent(program: str) -> None:
    done = begun_in_a_script("-c", ONCE_RUNNING.replace("@", program))
    assert (done.returncode, done.stdout, done.stderr) == (130, "", "")


def test_every_program_ends_so() -> None:
    programs = set()
    for file in (ROOT / "tests").rglob("*.py"):
        source = file.read_text("utf-8")
        if not file.name.startswith("test_") and '\nif __name__ == "__main__":' in source:
            assert source.endswith('\n\n\nif __name__ == "__main__":\n    command.run(main)\n'), file
            programs.add(".".join(file.relative_to(ROOT / "tests").with_suffix("").parts))
    assert programs == {*LOADING, *QUICK}


REFUSED = [
    ("coverage_run", "1", "unrecognized arguments: 1"),
    ("differential", "--hands 0", "argument --hands: '0': must be a whole number, at least 1"),
    ("differential", "--seed -1", "argument --seed: '-1': must be a whole number, at least 0"),
    ("invariants", "0", "argument hands: '0': must be a whole number, at least 1"),
    ("invariants", "--seed x", "argument --seed: 'x': must be a whole number, at least 0"),
    ("mutants", "--jobs 0", "argument --jobs: '0': must be a whole number, at least 1"),
    ("palace.perft", "1", "unrecognized arguments: 1"),
    ("play_games", "", "the following arguments are required: games"),
    ("play_games", "0", "argument games: '0': must be a whole number, at least 1"),
    ("play_games", "1 2", "unrecognized arguments: 2"),
    ("program_matches", "19", "argument hands: '19': must be a whole number, at least 20"),
    ("soak", "--hands 1e6", "argument --hands: '1e6': must be a whole number, at least 1"),
    ("soak", "--seed 99999999999999999999", "must be a whole number, at least 0"),
]


@pytest.mark.parametrize(("program", "words", "told"), REFUSED)
def test_bad_arguments_are_refused_in_words(
    program: str, words: str, told: str, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(sys, "argv", [program, *words.split()])
    with pytest.raises(SystemExit) as left:
        importlib.import_module(f"tests.{program}").main()
    assert left.value.code == 2
    out, err = capsys.readouterr()
    assert out == ""
    assert err.splitlines()[-1].startswith(f"python -m tests.{program}: error: ")
    assert err.endswith(f"{told}\n")


def test_every_program_refuses_bad_arguments() -> None:
    assert {program for program, _, _ in REFUSED} == {*LOADING, *QUICK}


@pytest.mark.parametrize(
    ("code", "status"),
    [
        ("command.run(lambda: 0)", 0),
        ("command.run(lambda: 3)", 3),
        ("import signal; command.run(lambda: signal.raise_signal(signal.SIGTERM))", 143),
    ],
)
def test_a_program_ends_with_its_status(code: str, status: int) -> None:
    done = begun_in_a_script("-c", f"from tests import command; {code}")
    assert (done.returncode, done.stdout, done.stderr) == (status, "", "")


def test_a_process_is_killed_with_what_it_has_started() -> None:
    parent = subprocess.Popen(
        ["sh", "-c", "sleep 1000 & echo $!; wait"],
        stdout=subprocess.PIPE,
        text=True,
        start_new_session=True,
    )
    assert parent.stdout is not None
    assert int(parent.stdout.readline())
    command.kill(parent)
    said, _ = parent.communicate(timeout=60)  # which ends when nobody holds the pipe any longer
    assert said == ""
    assert parent.returncode == -signal.SIGKILL
    command.kill(parent)
