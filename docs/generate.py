"""Renew the tables in the pages of this folder: ``python -m docs.generate``; ``--check`` only looks at them.

A table stands between ``<!-- generated: NAME -->`` and ``<!-- end -->``. All of it comes from the games
themselves, but for what the options of a reset mean.
"""

import argparse
import inspect
import itertools
import re
from collections.abc import Sequence
from pathlib import Path
from types import ModuleType
from typing import Any

from detective_env import detective_v0
from palace_env import palace_v0

FOLDER = Path(__file__).parent
PAGES: dict[str, ModuleType] = {"palace.md": palace_v0, "detective.md": detective_v0}
# How many words two moves must begin with alike to stand in one row of the table of actions.
ALIKE = {"palace.md": 1, "detective.md": 3}
SHOWN = 5  # moves in a row at most, or dots stand for some
# The options of a reset, those of `deal` included, and the paragraphs of RULES.md that tell all.
OPTIONS = {
    "palace.md": {
        "button": "the seat that deals first; it must have chips (11.2)",
        "stacks": "the chips before the first hand, by seat; 0 leaves a player out (11.2)",
        "deal": "some or all cards of the first hand, a dict with these keys (11.3):",
        "banners": "the banner of each seat, `None` for one without chips",
        "palaces": "a list of cards for each seat, `[]` for one without chips",
        "draws": "the cards that are bought, in order; may stop early (11.4)",
    },
    "detective.md": {
        "dealer": "the seat that deals first (10.3)",
        "deal": "some or all cards of the first hand, a dict with these keys (10.4):",
        "private": "the private card of each seat",
        "exposed": "the exposed card of each seat",
        "board": "the cards of the board, in order; may stop early",
        "thrown": "in expert mode a list of the cards thrown out, for each street after the first (10.5)",
    },
}
_TABLE = re.compile(r"(?<=<!-- generated: )(\w+)( -->\n).*?(?=^<!-- end -->$)", re.DOTALL | re.MULTILINE)


def main() -> None:
    """Renew all pages, or say which are stale.

    Raises:
        SystemExit: with ``--check``, a page is stale.
    """
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--check", action="store_true", help="change nothing; fail if a page is stale")
    check = parser.parse_args().check
    for name in PAGES:
        path = FOLDER / name
        old = path.read_text("utf-8")
        new = renewed(name, old)
        if check and new != old:
            raise SystemExit(f"docs/{name} is stale, run: python -m docs.generate")
        if new != old:
            path.write_text(new, "utf-8")


def renewed(name: str, text: str) -> str:
    """The text of a page with its tables as they must be now.

    Raises:
        ValueError: the page has other tables than those there are, or one of them twice.
    """
    tables = {
        "arguments": arguments(PAGES[name]),
        "actions": actions(PAGES[name], ALIKE[name]),
        "options": options(PAGES[name], OPTIONS[name]),
        "observation": observation(PAGES[name]),
    }
    found = [match[1] for match in _TABLE.finditer(text)]
    if found != list(tables):
        raise ValueError(f"docs/{name} has the generated tables {found}: must have {list(tables)}")
    return _TABLE.sub(lambda match: f"{match[1]}{match[2]}\n{tables[match[1]]}\n", text)


def arguments(face: ModuleType) -> str:
    """The arguments of ``env``: name, default and what the docstrings say."""
    rows = []
    for function in (face.GAME, face.env):
        meanings = _meanings(function.__init__ if inspect.isclass(function) else function)
        for parameter in inspect.signature(function).parameters.values():
            if parameter.kind is not parameter.VAR_KEYWORD:
                rows.append((f"`{parameter.name}`", f"`{parameter.default!r}`", meanings[parameter.name]))
    return _table(("argument", "default", "meaning"), rows)


def _meanings(function: Any) -> dict[str, str]:  # noqa: ANN401 - any function with a docstring
    """What the Args of a docstring say, by name."""
    lines = (inspect.getdoc(function) or "").partition("Args:\n")[2].partition("\n\n")[0]
    entries = re.findall(r"^    (\w+): (.*(?:\n     .*)*)", lines, re.MULTILINE)
    return {name: " ".join(text.split()).replace("``", "`") for name, text in entries}


def actions(face: ModuleType, alike: int) -> str:
    """The actions of seat 0 at a table with default arguments, in words."""
    env = face.env()
    env.reset(seed=0, options={face.OPTIONS[0]: env.game.players - 1})  # so that seat 0 is the first to move
    view = env.view("player_0")
    words = [env.game.format_move(view, action) for action in range(env.game.n_actions)]
    rows = []
    for _, group in itertools.groupby(enumerate(words), lambda entry: entry[1].split()[:alike]):
        numbers, moves = zip(*group, strict=True)
        listed = [f"`{move}`" for move in moves]
        if len(listed) > SHOWN:
            listed = [*listed[:2], "…", listed[-1]]
        numbered = f"{numbers[0]} … {numbers[-1]}" if len(numbers) > 1 else f"{numbers[0]}"
        rows.append((numbered, ", ".join(listed)))
    return _table(("action", "move"), rows)


def options(face: ModuleType, meanings: dict[str, str]) -> str:
    """The options of a reset.

    Raises:
        ValueError: the game takes other options than those of which the meaning is told.
    """
    names = [*face.OPTIONS, *face.DEAL]
    if list(meanings) != names:
        raise ValueError(f"the meanings of {list(meanings)} are told: must be those of {names}")
    rows = [(f'`deal["{name}"]`' if name in face.DEAL else f"`{name}`", meanings[name]) for name in names]
    return _table(("option", "meaning"), rows)


def observation(face: ModuleType) -> str:
    """The parts of an observation at a table with default arguments."""
    layout = face.LAYOUT
    seats = f"s counts the seats from the observer, 0 to {layout.seats - 1}"
    return f"{layout.size} bytes; {seats}.\n\n{layout.table()}"


def _table(head: tuple[str, ...], rows: Sequence[tuple[str, ...]]) -> str:
    lines = [head, ("---",) * len(head), *rows]
    return "".join(f"| {' | '.join(cells)} |\n" for cells in lines)


if __name__ == "__main__":
    main()
