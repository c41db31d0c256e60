"""A table that serves a program at the other end of two pipes, by docs/protocol.md."""

import os
from collections.abc import Callable, Mapping, Sequence
from typing import Any, BinaryIO

import numpy as np
import numpy.typing as npt

from agents.program import software
from agents.spec import Agent
from card_table import protocol
from card_table.game import Game, States, copy_states
from card_table.history import PlayedHand, write_out
from card_table.protocol import QuitError, RefusedError

FINISHED, END_OF_INPUT = 0, 3  # exit codes
_CHUNK = 65_536


def serve(
    game: Game,
    opponents: Sequence[Agent],
    seat: int,
    seed: int,
    save: Callable[[Mapping[str, Any]], None] | None,
    inp: BinaryIO,
    out: BinaryIO,
) -> int:
    """Play one match, all hands of the game, with a program at one seat.

    Args:
        game: what is played.
        opponents: who holds the other seats, in the order of the seats.
        seat: the program's.
        seed: the deals are those of ``env.reset(seed)``; the opponents' chance comes from it too.
        save: called with the whole history of each hand as soon as it is over.
        inp: what the program sends; it must have ``read1``.
        out: what it is sent.

    Returns:
        The exit code: 0 if the match was played to its end or the program quit, 3 if it went away.

    Raises:
        KeyboardInterrupt: Ctrl-C was pressed; the program has been told.
    """
    table = Dealer(game, seed)
    others = [each for each in range(game.players) if each != seat]
    sides = {
        each: (agent, np.random.default_rng([seed, each]))
        for each, agent in zip(others, opponents, strict=True)
    }
    client = _Client(inp, out)
    try:
        client.send(protocol.hello(game, software()))
        while True:
            client.send(protocol.hand(game, table.view(seat)))
            while not table.is_hand_over:
                actor = table.actor
                if actor == seat:
                    table.step(client.ask(game, table.view(seat), table.mask))
                else:
                    table.step(table.ask(*sides[actor]))
            history = table.history()
            if save is not None:
                save(history)
            client.send(protocol.result(game, table.view(seat), history))
            if table.is_over:
                client.send(protocol.goodbye("the match is over", game.winners(table.states)))
                return FINISHED
            table.go_on()
    except QuitError:
        client.leave("you quit")
        return FINISHED
    except (EOFError, BrokenPipeError):
        client.leave("your input ended")
        return END_OF_INPUT
    except KeyboardInterrupt:
        client.leave("the table was interrupted")
        raise


class _Client:
    """The program that is served."""

    def __init__(self, inp: BinaryIO, out: BinaryIO) -> None:
        self._inp = inp
        self._out = out
        self._lines = protocol.Lines()
        self._number = 0

    def send(self, message: Mapping[str, Any]) -> None:
        self._out.write(protocol.write(message))
        self._out.flush()

    def ask(self, game: Game, views: States, mask: npt.NDArray[np.bool_]) -> int:
        self._number += 1
        self.send(protocol.turn(game, views, mask, self._number, None))
        while True:
            try:
                return protocol.answer(game, views, mask, self._number, self._receive())
            except RefusedError as error:
                self.send(protocol.refused(self._number, error))

    def _receive(self) -> bytes:
        while True:
            line = self._lines.take()
            if line is not None:
                return line
            data: bytes = self._inp.read1(_CHUNK)  # type: ignore[attr-defined]
            if not data:
                line = self._lines.rest()  # its end may be missing
                if line:
                    return line
                raise EOFError
            self._lines.put(data)

    def leave(self, reason: str) -> None:
        """Say goodbye to a program that may have gone."""
        try:
            self.send(protocol.goodbye(reason, []))
        except BrokenPipeError:
            # What could not be written is dropped, or Python would try once more at its end.
            os.dup2(os.open(os.devnull, os.O_WRONLY), self._out.fileno())


class Dealer:
    """Deals one match hand by hand; a finished hand stays as it is until the next is dealt.

    Attributes:
        game: what is played.
        states: the whole truth, (1,).
        mask: the legal actions of whoever is to move, bool (A,).
    """

    def __init__(self, game: Game, seed: int) -> None:
        """Deal the first hand; the deals are those of ``env.reset(seed)``."""
        self.game = game
        self.states = copy_states(game.record)
        self._shown = (
            np.zeros((1, game.layout.size), np.uint8),
            np.zeros((1, game.n_actions), np.bool_),
            np.zeros(1, np.int64),
        )
        self._rewards = np.zeros((1, game.players), np.float32)
        self._over = np.zeros(1, np.bool_)
        self._hand_over = np.zeros(1, np.bool_)
        self.mask = self._shown[1][0]
        game.kernels.start(self.states, 0, 1, seed, 0, *self._shown)
        self._begin_hand()

    def _begin_hand(self) -> None:
        self._hand_over[0] = False
        self._hand = PlayedHand(copy_states(self.states), [], [])

    @property
    def actor(self) -> int:
        """Who is to move, -1 when the hand is over."""
        return int(self._shown[2][0])

    @property
    def is_hand_over(self) -> bool:
        """Whether the hand is over."""
        return bool(self._hand_over[0])

    @property
    def is_over(self) -> bool:
        """Whether the match is over."""
        return bool(self._over[0])

    def view(self, seat: int) -> States:
        """What a seat may know, (1,)."""
        views = copy_states(self.states)
        self.game.kernels.see(self.states, 0, 1, np.array([seat], np.int64), views)
        return views

    def ask(self, agent: Agent, rng: np.random.Generator) -> int:
        """The move of an agent that is to move."""
        observations, masks, _ = self._shown
        return int(agent.act(self.view(self.actor), observations.copy(), masks.copy(), rng)[0])

    def step(self, action: int) -> None:
        """Make a legal move."""
        self._hand.actions.append(action)
        outcome = (self._rewards, self._over, self._hand_over)
        actions = np.array([action], np.int64)
        self.game.kernels.step(self.states, 0, 1, actions, False, *self._shown, *outcome)

    def history(self) -> dict[str, Any]:
        """The history of the finished hand, the whole of it."""
        return write_out(self.game, self._hand)

    def go_on(self) -> None:
        """Deal the next hand."""
        self.game.kernels.prepare(self.states, 0, True)
        self.game.kernels.deal_hand(self.states, 0, 0, *self._shown)
        self._begin_hand()
