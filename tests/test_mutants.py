"""The table of wrong versions fits the sources and the rules, and what tries them tells killed from alive."""

import ast
import os
import re
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from tests import mutants
from tests.mutants import MUTANTS, Mutant, Stage, read_table
from tests.plain import ROOT

# Paragraphs that a hand can show, but of which no line of the rules could say anything else.
WITHOUT_CODE = {
    "palace": {
        "4.23": "the pot is one number; no line tells of side pots",
    },
    "detective": {
        "6.1": "hands are ranked by card_table alone",
        "6.2": "hands are ranked by card_table alone",
        "6.3": "hands are ranked by card_table alone",
    },
}


def rules_of(game: str) -> str:
    return (ROOT / f"{game}_env" / "RULES.md").read_text("utf-8")


def test_the_list_is_long_and_every_name_is_there_once() -> None:
    names = [
        mutant.name
        for table in mutants.TABLES
        for mutant in read_table((Path(mutants.__file__).parent / table).read_text("utf-8"))
    ]
    assert len(names) == len(set(names)) == len(MUTANTS) > 300


@pytest.mark.parametrize("file", sorted({mutant.file for mutant in MUTANTS.values()}))
def test_each_patch_fits_its_file_once_and_leaves_it_python(file: str) -> None:
    source = (ROOT / file).read_text("utf-8")
    for mutant in MUTANTS.values():
        if mutant.file == file:
            patched = mutant.patch(source)
            assert patched != source, mutant.name
            ast.parse(patched, mutant.name)


@pytest.mark.parametrize("game", ["palace", "detective"])
def test_every_paragraph_that_a_hand_can_show_is_broken_by_a_mutant(game: str) -> None:
    rules = rules_of(game)
    paragraphs = set(re.findall(r"^\*\*(\d+\.\d+)(?: ✓)?\*\*", rules, re.MULTILINE))
    of_game = [mutant for mutant in MUTANTS.values() if mutant.file.startswith(f"{game}_env/")]
    if game == "palace":
        of_game += [mutant for mutant in MUTANTS.values() if mutant.game == "both"]
    broken = {paragraph for mutant in of_game for paragraph in mutant.paragraphs}
    assert broken <= paragraphs
    testable = set(re.findall(r"^\*\*(\d+\.\d+) ✓\*\*", rules, re.MULTILINE))
    assert testable - broken == WITHOUT_CODE[game].keys()


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("Told.\n\n=== a.py\n\n# no_paragraph\n-a\n+b\n", "'# no_paragraph': must be '# ' and a name"),
        ("Told.\n\n=== a.py\n\n# name: 1.1\n-a\nb\n", "name: 'b': must begin with a blank, - or [+]"),
    ],
)
def test_a_table_with_a_line_that_fits_nowhere_is_refused(text: str, message: str) -> None:
    with pytest.raises(ValueError, match=message):
        read_table(text)


@pytest.mark.parametrize("source", ["price = 2\n", "cost = 1\nprice = 1\nprice = 1\n"])
def test_a_patch_that_does_not_fit_once_is_refused(source: str) -> None:
    mutant = Mutant("dear", "rules.py", "price = 1\n", "price = 2\n", ("4.1",))
    with pytest.raises(ValueError, match=r"dear: 'price = 1\\n' is \d times in rules.py, must be there once"):
        mutant.patch(source)


def test_a_patch_takes_whole_lines() -> None:
    mutant = Mutant("dear", "rules.py", "price = 1\n", "price = 2\n", ("4.1",))
    assert (
        mutant.patch("price = 1\nfirst_price = 1\nprice = 10\n") == "price = 2\nfirst_price = 1\nprice = 10\n"
    )


def test_a_mutant_of_each_game_is_killed(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    few = {game: ["tests/test_golden.py", "-k", f"{game} and all"] for game in ("palace", "detective")}
    monkeypatch.setattr(mutants, "STAGES", (Stage("few golden hands", True, 3, few),))
    names = ["the_price_leaves_the_banner_out", "a_right_bet_is_one_point"]
    assert mutants.main(["--only", *names]) == 0
    said = capsys.readouterr().out
    for name, game in zip(names, ("palace", "detective"), strict=True):
        assert re.search(rf"{name}: killed by tests/test_golden\.py::test_golden_hand\[{game}-\w+\]", said)
    assert "2 killed (2 by the few golden hands)" in said


def one_stage(minutes: float, arguments: list[str]) -> tuple[Stage]:
    return (Stage("few tests", True, minutes, {"palace": arguments}),)


def try_one(monkeypatch: pytest.MonkeyPatch, *stage: Stage) -> int:
    monkeypatch.setattr(mutants, "STAGES", stage)
    return mutants.main(["--only", "the_price_leaves_the_banner_out", "--jobs", "1"])


def test_a_survivor_fails_the_run(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    assert try_one(monkeypatch, *one_stage(3, ["tests/test_cards.py", "-k", "iterable"])) == 1
    said = capsys.readouterr().out
    assert "1/1 palace_env/rules.py: the_price_leaves_the_banner_out: SURVIVES" in said
    assert "survives: palace_env/rules.py: the_price_leaves_the_banner_out (RULES.md 4.1)" in said


@pytest.mark.parametrize(
    ("minutes", "arguments", "message"),
    [
        (
            1e-4,
            ["tests/test_cards.py"],
            "few tests, palace: without any patch it hangs: more than 0.0001 minutes",
        ),
        (3, ["tests/no_such_file.py"], "pytest ended with exit code 4"),
    ],
)
def test_without_a_patch_the_tests_must_pass(
    monkeypatch: pytest.MonkeyPatch, minutes: float, arguments: list[str], message: str
) -> None:
    with pytest.raises(RuntimeError, match=message):
        try_one(monkeypatch, *one_stage(minutes, arguments))


def test_a_file_that_cannot_be_collected_kills(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    old = MUTANTS["the_price_leaves_the_banner_out"].old
    file = tmp_path / "test_at_import.py"
    file.write_text(
        "from pathlib import Path\n"
        "from palace_env import rules\n"
        f"assert {old!r} in Path(rules.__file__).read_text('utf-8')\n"
        "def test_nothing():\n    pass\n"
    )
    assert try_one(monkeypatch, *one_stage(3, [str(file)])) == 0
    said = re.search(r": killed by (\S+) \(", capsys.readouterr().out)
    assert said is not None
    assert said[1].endswith("test_at_import.py")


@pytest.mark.parametrize(
    ("code", "said"),
    [(1, "no summary"), (0, "FAILED tests/a.py::b - x"), (2, "FAILED tests/a.py::b - x"), (3, ""), (-9, "")],
)
def test_what_pytest_says_must_fit_its_exit_code(code: int, said: str) -> None:
    with pytest.raises(RuntimeError, match=f"pytest ended with exit code {code}"):
        mutants._what_failed(code, said)


def test_a_crash_kills() -> None:
    assert mutants._what_failed(-11, "") == "it crashes with SIGSEGV"


def test_mutants_are_listed(capsys: pytest.CaptureFixture[str]) -> None:
    assert mutants.main(["--list", "--only", "odd_chips_go_to_one"]) == 0
    assert capsys.readouterr().out == "palace_env/rules.py: odd_chips_go_to_one (RULES.md 9.8)\n"


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["--only", "none"], "'none' is no mutant: see --list"),
        (["--jobs", "0"], "'0': must be a whole number, at least 1"),
        (["--jobs", "two"], "'two': must be a whole number, at least 1"),
    ],
)
def test_bad_arguments(arguments: list[str], message: str, capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit):
        mutants.main(arguments)
    assert message in capsys.readouterr().err


def test_ctrl_c_ends_a_run_and_leaves_nothing(tmp_path: Path) -> None:
    run = subprocess.Popen(
        [sys.executable, "-m", "tests.mutants", "--only", "odd_chips_go_to_one"],
        cwd=ROOT,
        env={**os.environ, "TMPDIR": str(tmp_path)},
        stderr=subprocess.PIPE,
        text=True,
    )
    while not list(tmp_path.glob("mutants-*/copy1/tests/test_view.py")):
        assert run.poll() is None
        time.sleep(0.05)
    run.send_signal(signal.SIGINT)
    _, said = run.communicate(timeout=60)
    assert said == "ended before all mutants were tried\n"
    assert run.returncode == 130
    assert list(tmp_path.iterdir()) == []


def test_the_files_that_stages_name_are_there() -> None:
    named = {
        word.removeprefix("--ignore=").partition("::")[0]
        for stage in mutants.STAGES
        for words in stage.arguments.values()
        for word in words
        if "tests/" in word
    }
    assert "tests/test_command.py" in named
    assert [name for name in named if not (ROOT / name).is_file()] == []
