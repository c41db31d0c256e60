"""Reading one game, you know the other: their files are the same, and what both share knows neither."""

import ast
import re
from pathlib import Path

from tests.plain import ROOT

GAMES = ("palace", "detective")
NAMES = re.compile("palace|detective", re.IGNORECASE)


def files_of(game: str) -> dict[str, Path]:
    """The files of a game's package, by name; the game's own name in it is GAME."""
    files = (path for path in (ROOT / f"{game}_env").iterdir() if path.is_file())
    return {path.name.replace(game, "GAME"): path for path in files}


def job_of(path: Path) -> str:
    """The first sentence of a file, without the game's name and the numbers of paragraphs in its RULES.md."""
    text = path.read_text("utf-8")
    if path.suffix == ".py":
        text = ast.get_docstring(ast.parse(text)) or ""
    first = " ".join(text.split("\n\n")[0].split())
    return NAMES.sub("GAME", re.sub(r"RULES\.md \d+", "RULES.md N", first))


def test_the_games_have_the_same_files_and_each_the_same_job() -> None:
    palace, detective = ({name: job_of(path) for name, path in files_of(game).items()} for game in GAMES)
    assert "GAME_v0.py" in palace
    # What a package holds is the game itself, and no two are alike.
    summaries = [jobs.pop("__init__.py") for jobs in (palace, detective)]
    assert all(re.match(r"GAME Poker: \d+ (to|or) \d+ players", summary) for summary in summaries)
    assert all(job for name, job in palace.items() if name != "py.typed"), "each says what it is for"
    assert palace == detective


def test_the_tests_and_pages_of_the_games_are_the_same() -> None:
    golden = ROOT / "tests" / "golden"
    assert sorted(path.name for path in golden.iterdir()) == sorted(GAMES)
    assert {path.stem for path in (ROOT / "docs").glob("*.md")} >= set(GAMES)


def test_what_the_games_share_mentions_neither() -> None:
    shared = sorted((ROOT / "card_table").glob("*.py"))
    assert shared
    lines = [(path.name, line) for path in shared for line in path.read_text("utf-8").splitlines()]
    assert [(name, line) for name, line in lines if NAMES.search(line)] == []
