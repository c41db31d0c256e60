"""An outside program as an agent: started, asked for its moves by docs/protocol.md, and ended."""

import contextlib
import importlib.metadata
import os
import selectors
import shlex
import signal
import subprocess
import sys
import time
import weakref
from collections.abc import Mapping, Sequence
from typing import IO, Any

import numpy as np
import numpy.typing as npt

from agents.spec import PLAYABLE
from card_table import protocol
from card_table.game import Game, States
from card_table.given import quote
from card_table.protocol import LateError, QuitError, RefusedError

SECONDS = 10.0  # that a program has for a move unless its spec says otherwise
MAX_SECONDS = 86_400.0
MAX_REFUSED = 10  # lines in one decision
MAX_FORFEITS = 3  # in a row
GRACE = 1.0  # seconds that a program has to end by itself, and again when it was told to

_PACKAGE = "palace-detective"
_CHUNK = 65_536
_MAX_NAME = 70  # characters of a spec that are shown
_MAX_UNREAD = 2**20  # bytes kept of what a program sends before it is asked


def software() -> dict[str, str | None]:
    """What talks to programs: name and version of this package, None where it is not installed."""
    try:
        version = importlib.metadata.version(_PACKAGE)
    except importlib.metadata.PackageNotFoundError:
        version = None
    return {"name": _PACKAGE, "version": version}


class _ForfeitError(Exception):
    """No legal move came; the kind of failure, then what happened in words."""

    def __init__(self, kind: str, told: str) -> None:
        super().__init__(told)
        self.kind = kind


class Program:
    """An outside program as an agent, see ``agents.spec.Agent``; it must not be copied.

    A move that does not come in time, or in ten lines, or because the program has ended, is forfeited: the
    passive move is played for it, see ``agents.spec.PLAYABLE``. After three forfeits in a row the program is
    ended. Each kind of failure is told once on stderr, and at the end how many moves were forfeited.

    Attributes:
        name: its spec.
        seconds: how long it has for a move.
        decisions: how often it was to move.
        forfeits: how many moves it forfeited, by kind: ``silence``, ``garbage``, ``death``, ``quit``.
    """

    def __init__(self, spec: str, game: Game) -> None:
        """Start the program that a spec names.

        Args:
            spec: ``program:CMD``, or ``program@SECONDS:CMD`` with another limit a move; the command's words
                are split as a shell would, but no shell is asked.
            game: what is played.

        Raises:
            ValueError: the spec is none.
            OSError: the program cannot be started.
        """
        self.name = spec
        self.seconds, words = read_spec(spec)
        self.decisions = 0
        self.forfeits: dict[str, int] = {}
        self._game = game
        self._passive = PLAYABLE[game.name].passive
        self._gone: _ForfeitError | None = None
        self._in_a_row = 0
        try:
            self._pipes = _Pipes(words)
        except OSError as error:
            raise type(error)(
                f"agent {quote(spec)}: {quote(words[0])} cannot be started ({error.strerror})"
            ) from None
        self._end = weakref.finalize(self, _end, self._pipes, spec, self.forfeits)
        self._pipes.send(protocol.write(protocol.hello(game, software())))

    def act(
        self,
        views: States,
        observations: npt.NDArray[np.uint8],
        masks: npt.NDArray[np.bool_],
        rng: np.random.Generator,
    ) -> npt.NDArray[np.int64]:
        """See ``agents.spec.Agent.act``; the program is asked row by row, and its chance is its own."""
        self._check_rows(views, masks)
        actions = np.zeros(len(views), np.int64)
        for i in range(len(views)):
            row = slice(i, i + 1)
            self.decisions += 1
            try:
                actions[i] = self._ask(views[row], masks[i])
                self._in_a_row = 0
            except _ForfeitError as error:
                self._forfeit(error)
                actions[i] = self._passive.act(views[row], observations[row], masks[row], rng)[0]
        return actions

    def close(self) -> None:
        """End the program, and tell how many moves were forfeited; what is asked from now on is forfeited."""
        self._end()
        self._gone = self._gone or _ForfeitError("closed", "it was ended")

    def _check_rows(self, views: States, masks: npt.NDArray[np.bool_]) -> None:
        game = self._game
        if not isinstance(views, np.ndarray) or views.dtype != game.dtype or views.ndim != 1:
            raise ValueError(f"views: must be records (n,) of {game.name}")
        if masks.shape != (len(views), game.n_actions) or not masks.any(axis=1).all():
            raise ValueError(
                f"masks of shape {masks.shape!r}: must be {(len(views), game.n_actions)!r}, with a legal "
                "action in each row"
            )
        for field in game.settled:
            if field != "viewer" and (views[field] != game.record[field]).any():
                raise ValueError(f"views: their {field!r} is not that of the game that the program was told")

    def _ask(self, views: States, mask: npt.NDArray[np.bool_]) -> int:
        """The program's move.

        Raises:
            _ForfeitError: there is none.
        """
        if self._gone is not None:
            raise self._gone
        until = time.monotonic() + self.seconds
        number = self.decisions
        self._pipes.send(protocol.write(protocol.turn(self._game, views, mask, number, self.seconds)))
        reason: RefusedError
        for _ in range(MAX_REFUSED):
            try:
                line = self._pipes.receive(until)
            except TimeoutError:
                raise _ForfeitError("silence", f"no move within {self.seconds:g} s") from None
            except EOFError:
                self._gone = _ForfeitError("death", f"it has ended{self._pipes.how_it_ended()}")
                raise self._gone from None
            try:
                return protocol.answer(self._game, views, mask, number, line)
            except QuitError:
                self._gone = _ForfeitError("quit", "it has quit")
                raise self._gone from None
            except LateError as error:
                reason = error
            except RefusedError as error:
                reason = error
                self._pipes.send(protocol.write(protocol.refused(number, error)))
        raise _ForfeitError("garbage", f"no legal move in {MAX_REFUSED} lines, of the last: {reason}")

    def _forfeit(self, error: _ForfeitError) -> None:
        if error.kind not in self.forfeits:
            _say(self.name, f"{error}; the passive move is played for it")
        self.forfeits[error.kind] = self.forfeits.get(error.kind, 0) + 1
        self._in_a_row += 1
        if self._in_a_row == MAX_FORFEITS and self._gone is None:
            _say(self.name, f"{MAX_FORFEITS} moves forfeited in a row, it is ended")
            self._gone = error
            self._pipes.end(protocol.goodbye("too many moves were forfeited", []))


def read_spec(spec: str) -> tuple[float, list[str]]:
    """The seconds a move and the words of the command that a spec of a program gives.

    Raises:
        ValueError: it is no such spec.
    """
    head, colon, command = spec.partition(":")
    kind, at, limit = head.partition("@")
    if kind != "program" or not colon:
        raise ValueError(f"{quote(spec)}: must be program:CMD or program@SECONDS:CMD")
    seconds = SECONDS
    if at:
        try:
            seconds = float(limit)
        except ValueError:
            seconds = 0.0
        if not 0 < seconds <= MAX_SECONDS:
            raise ValueError(
                f"{quote(spec)}: the seconds a move must be a number above 0, {MAX_SECONDS:g} at most"
            )
    try:
        words = shlex.split(command)
    except ValueError as error:
        raise ValueError(f"{quote(spec)}: the command cannot be split into words ({error})") from None
    if not words or "\0" in command:
        raise ValueError(f"{quote(spec)}: names no command")
    return seconds, words


class _Pipes:
    """A running program and the pipes to it, of which none is ever waited for longer than asked."""

    def __init__(self, words: Sequence[str]) -> None:
        # A session of its own: Ctrl-C is meant for us, and what the program starts can be ended with it.
        process = subprocess.Popen(
            words, bufsize=0, stdin=subprocess.PIPE, stdout=subprocess.PIPE, start_new_session=True
        )
        assert process.stdin is not None
        assert process.stdout is not None
        self._process = process
        self._stdin: IO[bytes] = process.stdin
        self._stdout: IO[bytes] = process.stdout
        self._unsent = bytearray()
        self._lines = protocol.Lines()
        os.set_blocking(self._stdin.fileno(), False)
        os.set_blocking(self._stdout.fileno(), False)

    def send(self, data: bytes) -> None:
        """Have bytes sent while a line is waited for, and as many as the program takes now."""
        self._unsent += data
        self._push()

    def receive(self, until: float) -> bytes:
        """The program's next line, once it was sent all that there is to send.

        Raises:
            TimeoutError: there is none at a moment of ``time.monotonic``.
            EOFError: there will be none.
        """
        while True:
            if not self._unsent:
                line = self._lines.take()
                if line is not None:
                    return line
            left = until - time.monotonic()
            if left <= 0:
                raise TimeoutError
            with selectors.DefaultSelector() as selector:
                if len(self._lines) < _MAX_UNREAD:
                    selector.register(self._stdout, selectors.EVENT_READ)
                if self._unsent:
                    selector.register(self._stdin, selectors.EVENT_WRITE)
                ready = [key.fileobj for key, _ in selector.select(left)]
            if self._stdin in ready:
                self._push()
            if self._stdout in ready:
                self._pull()

    def _push(self) -> None:
        try:
            while self._unsent:
                del self._unsent[: os.write(self._stdin.fileno(), self._unsent[:_CHUNK])]
        except BlockingIOError:
            pass
        except OSError:  # it reads no more; whether it still speaks, or has ended, reading tells
            self._unsent.clear()

    def _pull(self) -> None:
        data = os.read(self._stdout.fileno(), _CHUNK)
        if not data:
            raise EOFError
        self._lines.put(data)

    def how_it_ended(self) -> str:
        """The exit status in words, "" if it is not known."""
        with contextlib.suppress(subprocess.TimeoutExpired):
            code = self._process.wait(GRACE)
            return f", exit code {code}" if code >= 0 else f" by {signal.Signals(-code).name}"
        return ""

    def end(self, goodbye: Mapping[str, Any]) -> None:
        """Tell the program that there is no more to come, then to end, then end it; once."""
        if self._stdin.closed:
            return
        self.send(protocol.write(goodbye))
        self._stdin.close()
        for number in (None, signal.SIGTERM, signal.SIGKILL):
            if self._process.poll() is None and number is not None:
                with contextlib.suppress(ProcessLookupError):
                    os.killpg(self._process.pid, number)
            with contextlib.suppress(subprocess.TimeoutExpired):
                self._process.wait(GRACE)
                break
        self._stdout.close()


def _end(pipes: _Pipes, name: str, forfeits: Mapping[str, int]) -> None:
    pipes.end(protocol.goodbye("the table closes", []))
    if forfeits:
        told = ", ".join(f"{kind} {number}" for kind, number in forfeits.items())
        _say(name, f"forfeited moves: {sum(forfeits.values())} ({told})")


def _say(name: str, told: str) -> None:
    """A line on stderr about a program; its spec may be a whole script."""
    short = " ".join(name.split())
    print(f"{short if len(short) <= _MAX_NAME else short[:_MAX_NAME] + '…'}: {told}", file=sys.stderr)
