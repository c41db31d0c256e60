"""The programs among the tests end on Ctrl-C without a traceback, also those that a script has begun."""

import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from tests import ending
from tests.plain import ROOT

QUICK = ["coverage_run", "mutants", "palace.perft"]
LOADING = ["differential", "invariants", "palace.perft", "play_games", "program_matches", "soak"]
ONCE_RUNNING = """
import runpy, signal
from tests import ending
run = ending.run
ending.run = lambda main: run(lambda: main and signal.raise_signal(signal.SIGINT))
runpy.run_module("tests.@", run_name="__main__", alter_sys=True)
"""


def begun_in_a_script(*words: str, **variables: str) -> "subprocess.CompletedProcess[str]":
    """Run Python as what a script has begun in the background, which ignores Ctrl-C."""
    command = ["sh", "-c", "trap '' INT; exec \"$@\"", "sh", sys.executable, *words]
    return subprocess.run(
        command, cwd=ROOT, env={**os.environ, **variables}, capture_output=True, text=True, check=False
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
            assert source.endswith('\n\n\nif __name__ == "__main__":\n    ending.run(main)\n'), file
            programs.add(".".join(file.relative_to(ROOT / "tests").with_suffix("").parts))
    assert programs == {*LOADING, *QUICK}


@pytest.mark.parametrize(
    ("code", "status"),
    [
        ("ending.run(lambda: None)", 0),
        ("ending.run(lambda: 3)", 3),
        ("import signal; ending.run(lambda: signal.raise_signal(signal.SIGTERM))", 143),
    ],
)
def test_a_program_ends_with_its_status(code: str, status: int) -> None:
    done = begun_in_a_script("-c", f"from tests import ending; {code}")
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
    ending.kill(parent)
    said, _ = parent.communicate(timeout=60)  # which ends when nobody holds the pipe any longer
    assert said == ""
    assert parent.returncode == -signal.SIGKILL
    ending.kill(parent)
