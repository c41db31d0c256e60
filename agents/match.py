"""A person at a table of agents: asks for moves, shows what the person may know, obeys commands."""

from collections.abc import Callable, Mapping, Sequence
from functools import partial
from importlib import resources
from types import ModuleType
from typing import Any

import numpy as np

from agents.hints import chances, likely
from agents.spec import Agent
from card_table.aec import TableEnv
from card_table.game import Game, States
from card_table.given import quote
from card_table.page import Part, wrap
from card_table.screen import Screen, complete, rules_of

COMMANDS = {
    "help": "how to type a move, and who sits where",
    "rules": "the sections of the rules; rules 4 shows one, rules 4.3 a paragraph of it",
    "hint": "your chances, and what the trained policies at the table would do",
    "history": "what has happened in this hand",
    "look": "all that you can know now, at length",
    "quit": "leave the table",
}


class LeaveError(Exception):
    """The person wants to leave the table."""


class Match:
    """A person at a table of agents.

    What the person is shown comes from views of the person's seat alone.
    """

    def __init__(
        self,
        game: Game,
        text: ModuleType,
        seat: int,
        opponents: Sequence[Agent],
        seed: int,
        screen: Screen,
        save: Callable[[Mapping[str, Any]], None] | None = None,
        hints: bool = False,
    ) -> None:
        """Sit down.

        Args:
            game: what is played.
            text: the game's module of sentences.
            seat: the person's.
            opponents: who has the other seats, in their order.
            seed: decides the deals and the agents' chance.
            screen: the person's.
            save: called with the history of each hand as soon as it is over.
            hints: whether every decision comes with a hint.
        """
        self.table = _Watched(game, render_mode="human")
        self.table.watcher = game.seat_names[seat]
        self._game = game
        self._text = text
        self._seat = seat
        others = [other for other in range(game.players) if other != seat]
        self._agents = dict(zip(others, opponents, strict=True))
        self._rng = {each: np.random.default_rng([seed, each]) for each in range(game.players)}
        self._seed = seed
        self._screen = screen
        self._save = save
        self._hints = hints
        self._saved = 0
        self._skips = False

    def run(self) -> None:
        """Play to the end of the match.

        Raises:
            LeaveError: the person quits.
            EOFError: the input has ended.
        """
        self._screen.say(self._welcome())
        self.table.reset(seed=self._seed)
        self._catch_up()
        while not any(self.table.terminations.values()):
            seat = self._game.seat_names.index(self.table.agent_selection)
            if seat == self._seat:
                self._decide()
            else:
                self._step(self._ask(seat))

    def _ask(self, seat: int) -> int:
        """The move of an agent."""
        name = self._game.seat_names[seat]
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
        while self.table.views:
            view = self.table.views.pop(0)
            if view["actor"][0] < 0:
                self._end_hand(view)
            elif self._text.is_out(view):
                self._watch(view)

    def _end_hand(self, view: States) -> None:
        self._screen.show(self._text.page(view))
        self._skips = False
        if self.table.views and self._screen.is_terminal:
            self._pause(view, "Enter: the next hand. ", ())

    def _watch(self, view: States) -> None:
        """Show a person who is out what the others do."""
        told = self._text.tell_last(view)
        if self._skips or not told:
            return
        self._screen.say([told])
        if self._screen.is_terminal:
            typed = self._pause(
                view, "You are out. Enter: the next move; skip: the end of the hand. ", ("skip",)
            )
            self._skips = typed == "skip"

    def _pause(self, view: States, prompt: str, words: tuple[str, ...]) -> str:
        """Wait for Enter or one of some words; commands are obeyed meanwhile."""
        while True:
            try:
                typed = self._screen.ask(prompt).lower().split()
                if not typed:
                    return ""
                word = complete(typed[0], [*words, *COMMANDS])
                if word in words:
                    return word
                self._obey(word, typed[1:], view)
            except ValueError as error:
                self._screen.complain(str(error))

    def _decide(self) -> None:
        """Let the person move."""
        view = self.table.view(self.table.watcher)
        parts = self._text.page(view)
        if self._hints:
            parts.append(Part(self._hint(view), rank=3))
        self._screen.show(parts)
        while True:
            try:
                typed = self._screen.ask("Your move: ").split()
                if not typed:
                    self._screen.complain("Write a move, or help.")
                    continue
                if not typed[0].isdecimal():
                    typed[0] = complete(typed[0].lower(), [*self._text.VERBS, *COMMANDS])
                if typed[0] in COMMANDS:
                    self._obey(typed[0], typed[1:], view)
                    continue
                moves = self._text.read_moves(view, " ".join(typed))
            except ValueError as error:
                self._screen.complain(str(error))
                continue
            for move in moves:
                self._step(self.table.parse_move(move))
            return

    def _obey(self, command: str, rest: Sequence[str], view: States) -> None:
        """Do what a command says.

        Raises:
            LeaveError: the person quits.
            ValueError: the command is not clear.
        """
        if len(rest) > (command == "rules"):
            raise ValueError(f"{quote(' '.join(rest))} after {command} is not clear: write {command} alone.")
        if command == "quit":
            raise LeaveError
        answers: dict[str, Callable[[], list[str]]] = {
            "help": self._help,
            "rules": lambda: rules_of(self._rules(), "".join(rest)),
            "hint": partial(self._hint, view),
            "history": partial(self._text.tell_hand, view),
            "look": lambda: self._game.view_text(view).split("\n"),
        }
        self._screen.say(answers[command]())

    def _welcome(self) -> list[str]:
        players = ", ".join(f"seat {seat} {agent.name}" for seat, agent in self._agents.items())
        told = f"You are seat {self._seat}. The others: {players}."
        return wrap(told) + wrap(f"The same deals come again with --seed {self._seed}. For help type help.")

    def _help(self) -> list[str]:

        lines = ["Moves:"]
        for line in self._text.HELP:
            lines += wrap(f"  {line}", 4)
        lines.append("Commands, which may be cut short:")
        for command, meaning in COMMANDS.items():
            lines += wrap(f"  {command:8} {meaning}", 11)
        return lines + self._welcome()

    def _rules(self) -> str:
        return (resources.files(f"{self._game.name}_env") / "RULES.md").read_text("utf-8")

    def _hint(self, view: States) -> list[str]:
        """The chances of the person to move, and what each policy at the table would do.

        Raises:
            ValueError: the person is not to move.
        """
        if view["actor"][0] != self._seat:
            raise ValueError("There is a hint only when it is your move.")
        seed = int(self._rng[self._seat].integers(2**31))
        lines: list[str] = self._text.tell_chances(view, chances(self._game, view, seed))
        shown = self.table.observe(self.table.watcher)
        for name, agent in {agent.name: agent for agent in self._agents.values()}.items():
            weights = getattr(agent, "weights", None)  # only a trained policy has some
            if weights is not None:
                mask = shown["action_mask"].view(np.bool_)
                shares = likely(weights, shown["observation"], mask)
                told = ", ".join(
                    f"{self.table.move_text(action)} {share:.0%}"
                    for action, share in shares[:4]
                    if share >= 0.005
                )
                lines += wrap(f"{name} would play: {told}.")
        return lines


class _Watched(TableEnv):
    """A table that keeps what one agent sees after each deal and each move.

    Attributes:
        watcher: the agent.
        views: what it has seen and nobody has looked at yet, in order.
    """

    watcher: str

    def __init__(self, game: Game, render_mode: str | None = None) -> None:
        super().__init__(game, render_mode)
        self.views: list[States] = []

    def render(self) -> None:
        """Keep a view; called whenever something has changed."""
        self.views.append(self.view(self.watcher))
