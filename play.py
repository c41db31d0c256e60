"""Play against the agents: ``python play.py palace --against bot equity``; or step through a hand history."""

import os
import signal

if __name__ == "__main__":  # while packages load, Ctrl-C ends the program without a word
    signal.signal(signal.SIGINT, lambda number, frame: os._exit(130))

import contextlib
import inspect
import secrets
import sys
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, TypeVar

import tyro

from agents.command import complaints, held, on_interrupt
from agents.tables import TABLES, PalaceTable, Table

if TYPE_CHECKING:
    from types import ModuleType

    from agents import Agent
    from card_table.game import Game, States
    from card_table.screen import Screen

FINISHED, END_OF_INPUT, INTERRUPTED = 0, 3, 130  # exit codes; 2 is for what cannot be done
T = TypeVar("T")


@dataclass(frozen=True)
class Args:
    """Take a seat at a table of agents, by keys or, with --protocol, as a program.

    An agent is a script (of Palace random, passive, aggressive, tight, equity; of Detective random, self,
    visible, equity, detective; equity:200 takes 200 samples a decision), bot for the policy that is shipped,
    the folder of a training run, or an outside program. The exit code is 0 when the match was finished or you
    quit, 2 for bad arguments or output that cannot be written, 3 when the input ended, 130 after Ctrl-C.
    """

    against: tuple[str, ...] = ("equity",)
    """The agents in the other seats, in order; the last one named takes all seats that are left."""
    seat: int = 0
    """Yours."""
    seed: int | None = None
    """Where the deals and the agents' chance come from; None: from chance."""
    hints: bool = False
    """Show a hint at every decision."""
    save: Path | None = None
    """A file to which each finished hand is added at once, with all its cards; see the game's RULES.md."""
    plain: bool = False
    """Show plain ASCII, without colours and without clearing the screen."""
    protocol: bool = False
    """Talk with a program: a JSON object a line on standard input and output, see docs/protocol.md."""
    table: Annotated[Table, tyro.conf.arg(name="")] = field(default_factory=PalaceTable)
    """What is played, in detail."""


@dataclass(frozen=True)
class Replay:
    """Step forwards and back through a hand in a file that --save has written.

    The exit code is 0 when you quit, 2 for bad arguments or a broken file, 3 when the input ended.
    """

    file: tyro.conf.Positional[Path]
    """One hand a line."""
    hand: int = 1
    """Which of the file's hands, from 1."""
    seat: int | None = None
    """Show what this seat could see; None: all cards open."""
    plain: bool = False
    """Show plain ASCII, without colours and without clearing the screen."""


USUAL = {"palace": PalaceTable(hands=10)}  # a match is more fun than a hand
GAMES = {name: Args(table=USUAL.get(name, table())) for name, table in TABLES.items()}


def main() -> None:
    """Parse the command line, or ask what to play; play, and exit with the code that tells how it ended."""
    with complaints("play.py"):
        args = parse() if sys.argv[1:] else ask()
        if args is None:
            sys.exit(END_OF_INPUT)
        sys.exit(step_through(args) if isinstance(args, Replay) else play(args))


def parse() -> Args | Replay:
    """The command line's arguments: first the game, or ``replay``."""
    told = inspect.getdoc(Args)
    kinds: Any = None
    for game, usual in GAMES.items():
        described = f"{game.capitalize()} Poker. {told}"
        kind = Annotated[Args, tyro.conf.subcommand(game, default=usual, description=described)]
        kinds = kind if kinds is None else kinds | kind
    kinds |= Annotated[
        Replay,
        tyro.conf.subcommand("replay", default=Replay(tyro.MISSING), description=inspect.getdoc(Replay)),
    ]
    parsed: Args | Replay = tyro.cli(kinds, description=told, config=(tyro.conf.FlagCreatePairsOff,))
    return parsed


def ask() -> Args | None:
    """Ask what to play, with an answer ready for each question; None if the input ended."""
    import agents
    from card_table.screen import Screen, complete

    screen = Screen()
    screen.say(["What do you want to play? Enter takes what stands in brackets.", ""])
    try:
        game = question(
            screen, "Game, palace or detective", "palace", lambda typed: complete(typed, list(GAMES))
        )
        usual = GAMES[game]
        table = question(
            screen, "Players", "4", lambda typed: checked(replace(usual.table, players=int(typed)))
        )
        against = question(
            screen,
            "Against (names with blanks between, or the folders of training runs)",
            " ".join(usual.against),
            lambda typed: tuple(agents.load(spec, table.settle()).name for spec in typed.split()),
        )
        told = str(table.settle().hands)
        table = question(screen, "Hands", told, lambda typed: checked(with_hands(table, typed)))
    except EOFError:
        return None
    return replace(usual, table=table, against=against)


def question(screen: "Screen", text: str, usual: str, read: Callable[[str], T]) -> T:
    """Ask until there is an answer that can be read.

    Raises:
        EOFError: the input ended.
    """
    while True:
        try:
            return read(screen.ask(f"{text} [{usual}]: ").lower() or usual)
        except (ValueError, OSError, ModuleNotFoundError) as error:
            screen.complain(str(error))


def checked(table: Table) -> Table:
    """A table that can be played at.

    Raises:
        ValueError: an argument is out of range.
    """
    table.settle()
    return table


def with_hands(table: Table, typed: str) -> Table:
    """A table for so many hands.

    Raises:
        ValueError: that is no number.
    """
    changed: dict[str, Any] = {"hands": int(typed)}
    return replace(table, **changed)


def play(args: Args) -> int:
    """Play a match, and return the exit code.

    Raises:
        ValueError: an argument or an agent is invalid.
        OSError: a file is missing, or hands cannot be saved.
        ModuleNotFoundError: an agent needs a package that is not installed.
    """
    from card_table.rng import check_seed

    game = args.table.settle()
    if not 0 <= args.seat < game.players:
        raise ValueError(f"seat={args.seat!r}: must be from 0 to {game.players - 1}")
    seed = secrets.randbits(31) if args.seed is None else check_seed(args.seed)
    opponents = seat_agents(args.against, game)
    with saving(args.save) as save, on_interrupt(signal.default_int_handler):
        if args.protocol:
            from agents.serving import serve

            return serve(game, opponents, args.seat, seed, save, sys.stdin.buffer, sys.stdout.buffer)
        return sit_down(args, game, opponents, seed, save)


def sit_down(
    args: Args, game: "Game", opponents: "Sequence[Agent]", seed: int, save: Callable[[Any], None] | None
) -> int:
    """Let a person play a match, and return the exit code."""
    from agents.match import LeaveError, Match
    from card_table.page import wrap
    from card_table.screen import Screen

    screen = Screen(args.plain)
    if len(args.against) < len(opponents):
        screen.say(wrap(f"{args.against[-1]} is named last and takes all seats that are left."))
    match = Match(game, words_of(game.name), args.seat, opponents, seed, screen, save, args.hints)
    try:
        match.run()
    except LeaveError:
        screen.say(["You have left the table."])
    except EOFError:
        screen.say(["", "The input has ended."])
        return END_OF_INPUT
    except KeyboardInterrupt:
        with held():
            screen.say(["", "Stopped."])
        return INTERRUPTED
    return FINISHED


def seat_agents(specs: Sequence[str], game: "Game") -> "list[Agent]":
    """The agents of the other seats, in order.

    Raises:
        ValueError: a spec is unknown, there are none, or more than seats.
    """
    import agents
    from card_table.given import quote

    others = game.players - 1
    if not 1 <= len(specs) <= others:
        raise ValueError(
            f"against={quote(list(specs))}: name 1 to {others} agents, there are {others} other seats"
        )
    seated = [agents.load(spec, game) for spec in specs]
    return seated + seated[-1:] * (others - len(seated))


@contextlib.contextmanager
def saving(place: Path | None) -> Iterator[Callable[[Any], None] | None]:
    """A function that adds a history to a file at once; None without a file.

    Raises:
        OSError: the file cannot be written.
        ValueError: its last line has no end, so that nothing can be added.
    """
    if place is None:
        yield None
        return
    from card_table import history

    with place.open("ab+") as file:
        if file.tell():
            file.seek(-1, os.SEEK_END)
            if file.read() != b"\n":
                raise ValueError(f"--save {str(place)!r}: its last line is not complete, name another file")

        def save(hand: Any) -> None:  # noqa: ANN401 - a history
            with held():
                file.write(history.write(hand).encode())
                file.flush()

        yield save


def step_through(args: Replay) -> int:
    """Show a hand of a file move by move, and return the exit code.

    Raises:
        ValueError: the file is broken or foreign, or an argument is out of range.
        OSError: the file is missing.
    """
    from agents.spec import PLAYABLE
    from card_table.aec import TableEnv
    from card_table.history import read
    from card_table.page import Part
    from card_table.screen import Screen

    games = [playable.game for playable in PLAYABLE.values()]
    try:
        with args.file.open(encoding="utf-8", newline="\n") as file:
            hands = list(read(file, *games))
    except ValueError as error:
        raise ValueError(f"{str(args.file)!r}, {error}") from None
    if not 1 <= args.hand <= len(hands):
        raise ValueError(f"hand={args.hand!r}: {str(args.file)!r} has {len(hands)} hands, the first being 1")
    history = hands[args.hand - 1]
    table = TableEnv.from_history(history, *games)
    if args.seat is not None and not 0 <= args.seat < table.game.players:
        raise ValueError(f"seat={args.seat!r}: must be from 0 to {table.game.players - 1}")
    text = words_of(table.game.name)
    views = [seen(table, args.seat, text)]
    moves = history["moves"]
    for _, move in moves:
        table.step(table.parse_move(move))
        views.append(seen(table, args.seat, text))

    def page(place: int) -> list[Part]:
        made = f": seat {moves[place - 1][0]}, {moves[place - 1][1]}" if place else ", the deal"
        told = f"Hand {args.hand} of {len(hands)}, move {place} of {len(moves)}{made}."
        return [*text.page(views[place], True), Part([told])]

    with on_interrupt(signal.default_int_handler):
        try:
            Screen(args.plain).page_through(len(views), page)
        except EOFError:
            return END_OF_INPUT
    return FINISHED


def seen(table: Any, seat: int | None, text: "ModuleType") -> "States":  # noqa: ANN401 - a TableEnv
    """What a seat sees, or all cards open."""
    import numpy as np

    if seat is not None:
        views: States = table.view(table.possible_agents[seat])
        return views
    whole: States = text.unite(np.concatenate([table.view(agent) for agent in table.possible_agents]))
    return whole


def words_of(game: str) -> "ModuleType":
    """The sentences of a game."""
    from detective_env import text as detective
    from palace_env import text as palace

    return {"palace": palace, "detective": detective}[game]


if __name__ == "__main__":
    try:
        main()
    finally:
        signal.signal(signal.SIGINT, signal.SIG_IGN)  # there is nothing left to stop
