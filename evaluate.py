"""Compare agents on duplicate deals: ``python evaluate.py palace runs/x equity`` and so on."""

import os
import signal

if __name__ == "__main__":  # while packages load, Ctrl-C ends the program without a word
    signal.signal(signal.SIGINT, lambda number, frame: os._exit(130))

import contextlib
import importlib.metadata
import json
import platform
import shlex
import stat
import sys
from collections.abc import Mapping
from dataclasses import Field, asdict, dataclass, field, fields
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import tyro
from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn
from rich.table import Table as Grid

from agents.command import complaints, held, on_interrupt, parse, screen
from agents.tables import EVALUATION_SEED, TABLES, PalaceTable, Table

if TYPE_CHECKING:
    from agents import Agent
    from agents.arena import Result
    from card_table.game import Game

HANDS = 20_000  # of a match, from each seat, unless its deals are told
PACKAGES = ("palace-detective", "numpy", "numba", "torch", "safetensors")


@dataclass(frozen=True)
class Args:
    """Play duplicate matches: the candidate takes every seat in turn, another agent holds all others.

    An agent is a script (of Palace random, passive, aggressive, tight, equity; of Detective random, self,
    visible, equity, detective; equity:200 takes 200 samples a decision), bot for the policy that is shipped,
    the folder of a training run, or program:CMD for an outside program, see docs/protocol.md. Results are
    small bets a hand, in Detective points a hand less the mean of the others', and the share of games won
    where a game has several hands, with 95 % intervals over deals.
    """

    candidate: tyro.conf.Positional[str]
    """The agent that changes seats."""
    others: tyro.conf.Positional[tuple[str, ...]]
    """The agents that take all other seats, one match each."""
    deals: int | None = None
    """Deals of each match, each played from every seat, a whole game being one; None: 20,000 hands' worth."""
    both: bool = False
    """Play the other way round too: one of the others at a table of candidates."""
    seed: int = EVALUATION_SEED
    """Where the deals and the agents' chance come from; the default is that of train.py's own evaluation."""
    json: Path | None = None
    """Where the results go; None: into the candidate's folder, if it has one, as evaluation-<others>.json."""
    table: Annotated[Table, tyro.conf.arg(name="")] = field(default_factory=PalaceTable)
    """What is played, in detail."""


GAMES = {name: Args(tyro.MISSING, tyro.MISSING, table=table()) for name, table in TABLES.items()}


def main() -> None:
    """Parse the command line, play, report; exits with 2 on bad input and with 130 on Ctrl-C."""
    with complaints("evaluate.py"):
        args = parse(GAMES)
        report(args, evaluate(args))


def evaluate(args: Args) -> "list[Result]":
    """Play all matches, the other way round right after each; Ctrl-C meanwhile exits with 130.

    Raises:
        ValueError: an argument or an agent is invalid.
        OSError: a file is missing, or the results could not be written.
        ModuleNotFoundError: an agent needs a package that is not installed.
    """
    if not args.others:
        raise ValueError("others: name at least one agent to play against")
    game = args.table.settle()
    candidate = load(args.candidate, game)
    pairs: list[tuple[Agent, Agent]] = []
    for spec in args.others:
        other = load(spec, game)
        pairs += [(candidate, other), (other, candidate)] if args.both else [(candidate, other)]
    check_place(args)
    try:
        return play(args, game, pairs)
    except KeyboardInterrupt:
        print("Stopped; nothing was written.", file=sys.stderr)
        sys.exit(130)


def play(args: Args, game: "Game", pairs: "list[tuple[Agent, Agent]]") -> "list[Result]":
    """Play a match of each pair, with a bar that tells how far they are.

    Raises:
        KeyboardInterrupt: Ctrl-C was pressed.
    """
    from agents.arena import deals_for, duel

    deals = deals_for(game, HANDS) if args.deals is None else args.deals
    console = Console(stderr=True)
    columns = (TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn(), TimeRemainingColumn())
    bars = Progress(*columns, console=console, transient=True, disable=not console.is_terminal)
    # Ctrl-C raises from here on only: while modules are imported, Python loses some exceptions.
    with on_interrupt(signal.default_int_handler), bars:
        task = bars.add_task("", total=len(pairs) * deals)
        results = []
        for one, other in pairs:
            bars.update(task, description=f"{one.name} at a table of {other.name}")
            results.append(duel(game, one, other, deals, args.seed, lambda n: bars.advance(task, n)))
    return results


def load(spec: str, game: "Game") -> "Agent":
    """The agent that a spec names; if it was trained under other rules, that is told on stderr.

    Raises:
        ValueError: see ``agents.load``; where the run's own rules would do, their options are named.
    """
    import agents

    try:
        agent = agents.load(spec, game)
    except ValueError as error:
        options = other_rules(spec, game)
        raise ValueError(f"{error}; try {options}" if options else str(error)) from None
    options = other_rules(spec, game)
    if options:
        print(f"{spec} was trained under other rules than these: {options}", file=sys.stderr)
    return agent


def other_rules(spec: str, game: "Game") -> str:
    """The options that would give the rules that a policy was trained under; empty if this game has them."""
    from agents.spec import PLAYABLE

    folder = Path(spec)
    with contextlib.suppress(ValueError, OSError):
        if not folder.is_dir() or PLAYABLE[game.name].script(spec) is not None:
            return ""
        from agents.policy import describe, read_config

        config = read_config(folder)
        rules = config.get("rules")
        if config.get("game") == game.name and isinstance(rules, dict):
            own, here = described(config, rules), described(describe(game), game.rules)
            parts = [part for part in fields(TABLES[game.name]) if part.name in own]
            return ", ".join(
                option(part, own[part.name]) for part in parts if own[part.name] != here.get(part.name)
            )
    return ""


def described(config: Mapping[str, Any], rules: Mapping[str, Any]) -> dict[str, Any]:
    """The arguments of a table by name; the seats are None if they are just the players."""
    seats = None if config.get("seats") == rules.get("players") else config.get("seats")
    return {**rules, "hand_values": config.get("hand_values"), "seats": seats}


def option(part: Field[Any], value: object) -> str:
    """An argument of a table as it is given on a command line; a flag is there to change the default."""
    told = part.name.replace("_", "-")
    if isinstance(part.default, bool):
        flag = f"--no-{told}" if part.default else f"--{told}"
        return f"no {flag}" if value == part.default else flag
    return f"--{told} {' '.join(map(str, value)) if isinstance(value, list) else value}"


def place_of(args: Args) -> Path | None:
    """Where the results go: the name tells the others and the game's arguments that differ from usual."""
    if args.json is not None:
        return args.json
    folder = Path(args.candidate)
    if not folder.is_dir():
        return None
    words = [Path(spec).name.replace(":", "") for spec in args.others]
    return folder / f"evaluation-{'-'.join(words + unusual(args))}.json"


def unusual(args: Args) -> list[str]:
    """The game's arguments that differ from the defaults, as words for a file's name."""
    usual = asdict(type(args.table)())
    words = []
    for name, value in asdict(args.table).items():
        if value != usual[name]:
            told = ",".join(map(str, value)) if isinstance(value, tuple) else str(value)
            words.append(name.replace("_", "") + told)
    return words


def check_place(args: Args) -> None:
    """Find out before a long evaluation whether its results can be written.

    Raises:
        OSError: the folder is missing or cannot be written, or the name is too long or that of no plain file.
    """
    place = place_of(args)
    if place is None:
        return
    told = f"{'results' if args.json is None else '--json'} {str(place)!r}"
    if not place.parent.is_dir():
        raise FileNotFoundError(f"{told}: there is no folder {str(place.parent)!r}")
    with contextlib.suppress(FileNotFoundError):
        if not stat.S_ISREG(os.stat(place).st_mode):
            raise OSError(f"{told}: is a folder or a device, name a file")
    try:
        passing_place(place).write_bytes(b"")
        passing_place(place).unlink()
    except OSError as error:
        raise OSError(f"{told}: the folder cannot be written ({error.strerror})") from None


def report(args: Args, results: "list[Result]") -> None:
    """Print the results, and write them where they go.

    Raises:
        OSError: the file could not be written.
    """
    console = screen()
    console.print(totals_grid(args, results), seats_grid(args, results), sep="\n")
    place = place_of(args)
    if place is not None:
        with held():
            write(place, contents_of(args, results))
        console.print(f"Written to {place}", soft_wrap=True, highlight=False)


def totals_grid(args: Args, results: "list[Result]") -> Grid:
    """A row for each match; where games have several hands, with the share of them won."""
    table = args.table
    wins = any(result.hands > result.deals * table.players for result in results)
    grid = Grid(title=f"{table.game}, {table.players} players, {results[0].deals:,} deals from each seat")
    grid.add_column("candidate")
    grid.add_column("table of")
    won = ("games won",) if wins else ()
    for name in (table.unit, *won, "decisions a hand", *results[0].figures):
        grid.add_column(name, justify="right")
    for result in results:
        cells = [result.candidate, result.others, f"{result.mean:+.3f} ± {result.error:.3f}"]
        if wins:
            cells.append(f"{result.won:.1%} ± {result.won_error:.1%}")
        figures = (f"{value:.2f}" for value in result.figures.values())
        grid.add_row(*cells, f"{result.decisions:.1f}", *figures)
    return grid


def seats_grid(args: Args, results: "list[Result]") -> Grid:
    """A row for each seat, a column for each match."""
    grid = Grid(title=f"{args.table.unit}, by seat")
    grid.add_column("seat")
    for result in results:
        grid.add_column(f"{result.candidate} at {result.others}", justify="right")
    for seat in range(args.table.players):
        cells = (f"{result.seat_means[seat]:+.2f} ± {result.seat_errors[seat]:.2f}" for result in results)
        grid.add_row(str(seat), *cells)
    return grid


def contents_of(args: Args, results: "list[Result]") -> dict[str, Any]:
    """The results with what it takes to get them again, as they go into JSON."""
    plain = asdict(args)
    table = plain.pop("table")
    return {
        "command": shlex.join(["python", *sys.argv]),
        "arguments": {
            "game": args.table.game,
            **plain,
            **table,
            "json": None if args.json is None else str(args.json),
        },
        "seed": args.seed,
        "versions": {"python": platform.python_version(), **versions()},
        "unit": f"{args.table.unit}, ± a 95 % interval over deals",
        "results": [asdict(result) for result in results],
    }


def versions() -> dict[str, str]:
    """The versions of what takes part, as far as it is installed."""
    found = {}
    for package in PACKAGES:
        try:
            found[package] = importlib.metadata.version(package)
        except importlib.metadata.PackageNotFoundError:
            continue
    return found


def write(place: Path, contents: dict[str, Any]) -> None:
    """Write a JSON file at once: whoever looks sees the old contents or the new.

    Raises:
        OSError: it could not be written.
    """
    passing = passing_place(place)
    passing.write_text(json.dumps(contents, indent=1, allow_nan=False) + "\n", "utf-8")
    os.replace(passing, place)


def passing_place(place: Path) -> Path:
    """Where a file is written before it gets its name; short, since that name may be as long as any."""
    return place.with_name(f".evaluation-{os.getpid()}.tmp")


if __name__ == "__main__":
    try:
        main()
    finally:
        signal.signal(signal.SIGINT, signal.SIG_IGN)  # there is nothing left to stop
