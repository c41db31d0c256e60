"""Branch coverage of the card table and both games: ``python -m tests.coverage_run`` fails below 100 %.

Compiled code cannot be measured, so the rules are as plain Python, by tests that take minutes there; all else
is measured beside the compiled rules. pyproject.toml says what is measured.
"""

from tests import command

if __name__ == "__main__":
    command.end_at_once()

import os
import re
import subprocess
import sys
import tempfile
from collections.abc import Mapping, Sequence
from typing import NamedTuple

from tests.plain import ROOT


class Run(NamedTuple):
    """One run of some tests.

    Attributes:
        name: what it measures.
        variables: of the environment; "" for ``NUMBA_CACHE_DIR`` stands for a new, empty folder.
        tests: files in this folder, or single tests of one.
        left_out: tests of these files, or what their names begin with.
    """

    name: str
    variables: Mapping[str, str]
    tests: Sequence[str]
    left_out: Sequence[str]


RUNS = [
    Run(
        "the rules as plain Python",
        {"NUMBA_DISABLE_JIT": "1"},
        [
            "test_aec.py::test_copies_at_any_moment_are_identical_and_independent",
            "test_batch.py::test_one_illegal_action_and_no_game_moves",
            "test_cards.py",
            "test_deal.py",
            "test_golden.py",
            "test_hands.py",
            "test_invariants.py",
            "test_machine.py",
            "test_play.py::test_a_page_of_one_seat_or_of_all_cards",
            "test_rng.py",
            "test_rules.py",
            "test_text.py",
        ],
        [  # what plays many hands
            "test_hands.py::test_all_hands_of_up_to_five_cards_fall_into_the_known_classes",
            "test_hands.py::test_different_strengths_have_different_names",
            "test_hands.py::test_the_best_of_many_cards_is_the_best_of_all_fives",
            "test_rng.py::test_first_numbers_of_streams_in_a_row_are_even_and_unrelated",
            "test_rules.py::test_a_hand_takes_its_deal_from_seed_game_and_number_alone",
            "test_rules.py::test_banners_of_a_group_differ_and_palaces_are_uniform",
            "test_rules.py::test_every_seat_is_the_first_button_equally_often",
            "test_rules.py::test_first_numbers_the_games",
            "test_rules.py::test_turning_the_table_turns_the_results",
            "test_text.py::test_a_view_is_ascii_of_80_columns_and_tells_no_secrets",
        ],
    ),
    Run(
        "the compiler and the instructions that it generates",
        {"NUMBA_CACHE_DIR": ""},
        ["test_compile.py", "test_machine.py"],
        [  # what looks at other processes, which are not measured
            "test_compile.py::test_a_cache_that_cannot_be_written_is_warned_of_once_and_done_without",
            "test_compile.py::test_a_game_is_compiled_once_and_leaves_all_global_generators_alone",
            "test_compile.py::test_a_second_process_compiles_nothing_and_an_edit_anywhere_compiles_anew",
            "test_compile.py::test_an_installation_that_nobody_can_write_to",
            "test_compile.py::test_numbas_bounds_check_works_although_code_without_it_has_been_kept",
            "test_compile.py::test_without_the_compiler_rules_are_plain_functions_and_say_the_same",
        ],
    ),
    Run(
        "what is not compiled",
        {},
        [
            "test_aec.py",
            "test_batch.py",
            "test_deal.py",
            "test_detective_rules.py",
            "test_fuzz.py",
            "test_history.py",
            "test_layout.py",
            "test_machines.py",
            "test_play.py",
            "test_protocol.py",
            "test_rules.py",
            "test_secrecy.py",
            "test_text.py",
        ],
        [],
    ),
]


def main() -> int:
    """Make all runs at once and report; the exit status, 0 if tests pass and leave nothing out."""
    command.parser("coverage_run", __doc__).parse_args()
    with tempfile.TemporaryDirectory() as folder:
        parts = [f"{folder}/part{number}" for number in range(len(RUNS))]
        commands = [["run", "-m", *_pytest(run)] for run in RUNS]
        started: list[subprocess.Popen[str]] = []
        try:
            for part, run, words in zip(parts, RUNS, commands, strict=True):
                variables = {name: value or f"{folder}/cache" for name, value in run.variables.items()}
                started.append(_coverage(part, words, variables))
            failed = False
            for run, process in zip(RUNS, started, strict=True):
                told, _ = process.communicate()
                failed |= process.returncode != 0
                print(f"{run.name}: {told if process.returncode else told.splitlines()[-1]}", flush=True)
        finally:
            for process in started:
                if process.poll() is None:
                    command.kill(process)
                    process.wait()
        if failed:
            return 1
        for words in (["combine", "--quiet", *parts], ["report"]):
            process = _coverage(f"{folder}/whole", words, {})
            print(process.communicate()[0], end="")
            if process.returncode:
                return process.returncode
        return 0


def _pytest(run: Run) -> list[str]:
    """The command line of a run's tests.

    Raises:
        ValueError: a test that is to be left out is not there.
    """
    for name in run.left_out:
        file, _, test = name.partition("::")
        if not re.search(rf"^def {test}", (ROOT / "tests" / file).read_text("utf-8"), re.MULTILINE):
            raise ValueError(f"{name!r} is no test: must be one that is left out")
    tests = [f"tests/{name}" for name in run.tests]
    return ["pytest", "--quiet", *tests, *(f"--deselect=tests/{name}" for name in run.left_out)]


def _coverage(data: str, words: Sequence[str], variables: Mapping[str, str]) -> "subprocess.Popen[str]":
    """Start the program that measures, on a file of its data."""
    return subprocess.Popen(
        [sys.executable, "-m", "coverage", *words],
        cwd=ROOT,
        env={**os.environ, "COVERAGE_FILE": data, **variables},
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        start_new_session=True,
    )


if __name__ == "__main__":
    command.run(main)
