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
from functools import partial
from importlib import resources
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, TypeVar

import tyro

from agents.command import complaints, on_interrupt
from agents.tables import TABLES, PalaceTable, Table

if TYPE_CHECKING:
    from types import ModuleType

    from agents import Agent
    from card_table.game import Game, States
    from card_table.screen import Screen

FINISHED, BAD_ARGUMENTS, END_OF_INPUT, INTERRUPTED = 0, 2, 3, 130  # exit codes
COMMANDS = {
    "help": "how to type a move, and who sits where",
    "rules": "the sections of the rules; rules 4 shows one, rules 4.3 a paragraph of it",
    "hint": "your chances, and what the trained policies at the table would do",
    "history": "what has happened in this hand",
    "look": "all that you can know now, at length",
    "quit": "leave the table",
}
T = TypeVar("T")


@dataclass(frozen=True)
class Args:
    """Take a seat at a table of agents, by keys or, with --protocol, as a program.

    An agent is a script (of Palace random, passive, aggressive, tight, equity; of Detective random, self,
    visible, equity, detective; equity:200 takes 200 samples a decision), bot for the policy that is shipped,
    the folder of a training run, or an outside program. The exit code is 0 when the match was finished or you
    quit, 2 for bad arguments, 3 when the input ended, 130 after Ctrl-C.
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
    kinds: Any = Annotated[
        Replay,
        tyro.conf.subcommand("replay", default=Replay(tyro.MISSING), description=inspect.getdoc(Replay)),
    ]
    told = inspect.getdoc(Args)
    for game, usual in GAMES.items():
        described = f"{game.capitalize()} Poker. {told}"
        kinds |= Annotated[Args, tyro.conf.subcommand(game, default=usual, description=described)]
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
            from agents.program import serve

            return serve(game, opponents, args.seat, seed, save, sys.stdin.buffer, sys.stdout.buffer)
        from card_table.screen import Screen

        match = Match(game, args, seed, opponents, save, Screen(args.plain))
        try:
            match.run()
            return FINISHED
        except LeaveError:
            return FINISHED
        except EOFError:
            match.screen.say(["", "The input has ended."])
            return END_OF_INPUT
        except KeyboardInterrupt:
            match.screen.say(["", "Stopped."])
            return INTERRUPTED


def seat_agents(specs: Sequence[str], game: "Game") -> "list[Agent]":
    """The agents of the other seats, in order.

    Raises:
        ValueError: a spec is unknown, there are none, or more than seats.
    """
    import agents

    others = game.players - 1
    if not 1 <= len(specs) <= others:
        raise ValueError(
            f"against={list(specs)!r}: name 1 to {others} agents, there are {others} other seats"
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


class LeaveError(Exception):
    """The person wants to leave the table."""


class Match:
    """A person at a table of agents.

    What the person is shown comes from views of the person's seat alone.
    """

    def __init__(
        self,
        game: "Game",
        args: Args,
        seed: int,
        opponents: "Sequence[Agent]",
        save: Callable[[Any], None] | None,
        screen: "Screen",
    ) -> None:
        """Sit down.

        Args:
            game: what is played.
            args: with the person's seat, and whether hints are wanted.
            seed: decides the deals and the agents' chance.
            opponents: who has the other seats, in order.
            save: what takes each finished hand.
            screen: the person's.
        """
        import numpy as np

        from card_table.aec import TableEnv

        self.screen = screen
        self.game = game
        self.text = words_of(game.name)
        self._seat = args.seat
        self._hints = args.hints
        self._seed = seed
        self._named = args.against
        others = [seat for seat in range(game.players) if seat != args.seat]
        self._agents = dict(zip(others, opponents, strict=True))
        self._rng = {seat: np.random.default_rng([seed, seat]) for seat in range(game.players)}
        self._save = save
        self._saved = 0
        self._skips = False
        person = game.seat_names[args.seat]
        views: list[States] = []

        class Watched(TableEnv):
            """Keeps what the person sees after each deal and each move."""

            def render(self) -> None:
                views.append(self.view(person))

        self._views = views
        self._person = person
        self.table = Watched(game, render_mode="human")

    def run(self) -> None:
        """Play to the end of the match.

        Raises:
            LeaveError: the person quits.
            EOFError: the input has ended.
        """
        self.screen.say(self._welcome())
        self.table.reset(seed=self._seed)
        self._catch_up()
        while not any(self.table.terminations.values()):
            seat = self.game.seat_names.index(self.table.agent_selection)
            if seat == self._seat:
                self._decide()
            else:
                self._step(self._ask(seat))

    def _ask(self, seat: int) -> int:
        """The move of an agent."""
        import numpy as np

        name = self.game.seat_names[seat]
        shown = self.table.observe(name)
        masks = shown["action_mask"][None].view(np.bool_)
        agent = self._agents[seat]
        return int(agent.act(self.table.view(name), shown["observation"][None], masks, self._rng[seat])[0])

    def _step(self, action: int) -> None:
        self.table.step(action)
        finished = self.table.histories
        for history in finished[self._saved :]:
            if self._save is not None:
                self._save(history)
        self._saved = len(finished)
        self._catch_up()

    def _catch_up(self) -> None:
        """Show what the person has seen since the last move."""
        while self._views:
            view = self._views.pop(0)
            if view["actor"][0] < 0:
                self._end_hand(view)
            elif self.text.is_out(view):
                self._watch(view)

    def _end_hand(self, view: "States") -> None:
        self.screen.show(self.text.page(view))
        self._skips = False
        if self._views and self.screen.is_terminal:
            self._pause(view, "Enter: the next hand. ", ())

    def _watch(self, view: "States") -> None:
        """Show a person who is out what the others do."""
        told = self.text.tell_last(view)
        if self._skips or not told:
            return
        self.screen.say([told])
        if self.screen.is_terminal:
            typed = self._pause(
                view, "You are out. Enter: the next move; skip: the end of the hand. ", ("skip",)
            )
            self._skips = typed == "skip"

    def _pause(self, view: "States", prompt: str, words: tuple[str, ...]) -> str:
        """Wait for Enter or one of some words; commands are obeyed meanwhile."""
        from card_table.screen import complete

        while True:
            try:
                typed = self.screen.ask(prompt).lower().split()
                if not typed:
                    return ""
                word = complete(typed[0], [*words, *COMMANDS])
                if word in words:
                    return word
                self._obey(word, typed[1:], view)
            except ValueError as error:
                self.screen.complain(str(error))

    def _decide(self) -> None:
        """Let the person move."""
        from card_table.page import Part
        from card_table.screen import complete

        view = self.table.view(self._person)
        parts = self.text.page(view)
        if self._hints:
            parts.append(Part(self._hint(view), rank=3))
        self.screen.show(parts)
        while True:
            try:
                typed = self.screen.ask("Your move: ").split()
                if not typed:
                    self.screen.complain("Write a move, or help.")
                    continue
                if not typed[0].isdecimal():
                    typed[0] = complete(typed[0].lower(), [*self.text.VERBS, *COMMANDS])
                if typed[0] in COMMANDS:
                    self._obey(typed[0], typed[1:], view)
                    continue
                moves = self.text.read_moves(view, " ".join(typed))
            except ValueError as error:
                self.screen.complain(str(error))
                continue
            for move in moves:
                self._step(self.table.parse_move(move))
            return

    def _obey(self, command: str, rest: Sequence[str], view: "States") -> None:
        """Do what a command says.

        Raises:
            LeaveError: the person quits.
            ValueError: the command is not clear.
        """
        from card_table.screen import rules_of

        if len(rest) > (command == "rules"):
            raise ValueError(f"{' '.join(rest)!r} after {command} is not clear: write {command} alone.")
        if command == "quit":
            raise LeaveError
        answers: dict[str, Callable[[], list[str]]] = {
            "help": self._help,
            "rules": lambda: rules_of(self._rules(), "".join(rest)),
            "hint": partial(self._hint, view),
            "history": partial(self.text.tell_hand, view),
            "look": lambda: self.game.view_text(view).split("\n"),
        }
        self.screen.say(answers[command]())

    def _welcome(self) -> list[str]:
        from card_table.page import wrap

        players = ", ".join(f"seat {seat} {agent.name}" for seat, agent in self._agents.items())
        last = self._named[-1]
        spread = f" ({last}, named last, has all seats that were left.)"
        told = wrap(
            f"You are seat {self._seat}. The others: {players}."
            f"{spread if len(self._named) < len(self._agents) else ''}"
        )
        return told + wrap(f"The same deals come again with --seed {self._seed}. Type help at any time.")

    def _help(self) -> list[str]:
        from card_table.page import wrap

        lines = ["Moves:"]
        for line in self.text.HELP:
            lines += wrap(f"  {line}", 4)
        lines.append("Commands, which may be cut short:")
        for command, meaning in COMMANDS.items():
            lines += wrap(f"  {command:8} {meaning}", 11)
        return lines + self._welcome()

    def _rules(self) -> str:
        return (resources.files(f"{self.game.name}_env") / "RULES.md").read_text("utf-8")

    def _hint(self, view: "States") -> list[str]:
        """The chances of the person to move, and what each policy at the table would do.

        Raises:
            ValueError: the person is not to move.
        """
        import numpy as np

        from agents import hints
        from card_table.page import wrap

        if view["actor"][0] != self._seat:
            raise ValueError("There is a hint only when it is your move.")
        seed = int(self._rng[self._seat].integers(2**31))
        lines: list[str] = self.text.tell_chances(view, hints.chances(self.game, view, seed))
        shown = self.table.observe(self._person)
        for name, agent in {agent.name: agent for agent in self._agents.values()}.items():
            weights = getattr(agent, "weights", None)  # only a trained policy has some
            if weights is not None:
                mask = shown["action_mask"].view(np.bool_)
                shares = hints.likely(weights, shown["observation"], mask)
                told = ", ".join(
                    f"{self.table.move_text(action)} {share:.0%}"
                    for action, share in shares[:4]
                    if share >= 0.005
                )
                lines += wrap(f"{name} would play: {told}.")
        return lines


if __name__ == "__main__":
    try:
        main()
    finally:
        signal.signal(signal.SIGINT, signal.SIG_IGN)  # there is nothing left to stop
