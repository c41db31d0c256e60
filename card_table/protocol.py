"""The line protocol between a table and a program that plays there: messages, and lines of any bytes read.

A message is one JSON object in a line; docs/protocol.md explains them all, with a whole conversation.
"""

import json
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

from card_table.game import Game, IllegalMoveError, InvalidMoveError, States
from card_table.given import quote

VERSION = 1
MAX_LINE = 65_536  # bytes of a line that a program sends
MAX_MOVE = 80  # characters of a move

_KEYS = {"move": ("type", "id", "move"), "quit": ("type",)}


class RefusedError(ValueError):
    """What a program sent cannot be taken, and why; it is asked again."""


class LateError(RefusedError):
    """A move of an earlier decision."""


class QuitError(Exception):
    """A program leaves the table."""


# ---- what a table sends


def hello(game: Game, software: dict[str, str | None]) -> dict[str, Any]:
    """The first message: what is spoken, by what, and what is played."""
    return {
        "type": "hello",
        "protocol": VERSION,
        "software": software,
        "game": game.name,
        "rules": game.rules,
    }


def hand(game: Game, views: States) -> dict[str, Any]:
    """A hand was dealt, and what the seat sees of it."""
    data = game.view_data(views)
    return {"type": "hand", "hand": data["hand"], "seat": data["seat"], "view": data}


def turn(
    game: Game, views: States, mask: npt.NDArray[np.bool_], number: int, seconds: float | None
) -> dict[str, Any]:
    """The seat is to move.

    Args:
        game: what is played.
        views: the seat's view, (1,).
        mask: its legal actions, bool (A,).
        number: of the decision, by which the answer names it.
        seconds: how long it has, None: as long as it likes.
    """
    return {
        "type": "turn",
        "id": number,
        "seconds": seconds,
        "view": game.view_data(views),
        "text": game.view_text(views),
        "moves": [game.format_move(views, action) for action in np.flatnonzero(mask).tolist()],
    }


def refused(number: int, reason: RefusedError) -> dict[str, Any]:
    """A line was not taken; the decision is still open."""
    return {"type": "refused", "id": number, "reason": str(reason)}


def result(game: Game, views: States, history: Mapping[str, Any]) -> dict[str, Any]:
    """A hand is over.

    Args:
        game: what is played.
        views: the seat's view of the end, (1,).
        history: of the hand, the whole of it; what the seat may not know is taken out here.
    """
    return {
        "type": "result",
        "hand": history["hand"],
        "history": game.veil_history(history, views),
        "view": game.view_data(views),
        "text": game.view_text(views),
    }


def goodbye(reason: str, winners: Sequence[int]) -> dict[str, Any]:
    """The last message: why there are no more, and the seats that won or share the match, if it is over."""
    return {"type": "goodbye", "reason": reason, "winners": list(winners)}


def write(message: Mapping[str, Any]) -> bytes:
    """A message as its line, ASCII alone, with its end."""
    return json.dumps(message, allow_nan=False).encode("ascii") + b"\n"


# ---- what a program sends


class Lines:
    """Bytes put in as they come, taken out line by line; of a line too long only the beginning is kept."""

    def __init__(self) -> None:
        self._bytes = bytearray()
        self._searched = 0  # how much of it is known to have no line's end

    def __len__(self) -> int:
        return len(self._bytes)

    def put(self, data: bytes) -> None:
        """Add what was read."""
        self._bytes += data

    def take(self) -> bytes | None:
        """The next whole line without its end, None if there is none yet."""
        end = self._bytes.find(b"\n", self._searched)
        if end < 0:
            del self._bytes[MAX_LINE + 1 :]
            self._searched = len(self._bytes)
            return None
        line = bytes(self._bytes[:end])
        del self._bytes[: end + 1]
        self._searched = 0
        return line

    def rest(self) -> bytes:
        """What came after the last line's end, when no more will come."""
        rest = bytes(self._bytes)
        self._bytes.clear()
        self._searched = 0
        return rest


def answer(game: Game, views: States, mask: npt.NDArray[np.bool_], number: int, line: bytes) -> int:
    """The legal action that a line chooses.

    Args:
        game: what is played.
        views: the seat's view, (1,).
        mask: its legal actions, bool (A,).
        number: of the decision that is open.
        line: what the program sent, without the line's end.

    Raises:
        RefusedError: it is no message, none that this decision takes, or no legal move; a LateError if it is
            of an earlier decision.
        QuitError: the program leaves.
    """
    try:
        message = _read(line)
        if message["type"] == "quit":
            raise QuitError
        return _action(game, views, mask, number, message)
    except RecursionError:
        raise RefusedError("the line is nested too deeply") from None


def _action(
    game: Game, views: States, mask: npt.NDArray[np.bool_], number: int, message: Mapping[str, Any]
) -> int:
    given, move = message["id"], message["move"]
    if type(given) is not int or given != number:
        kind = LateError if type(given) is int and 0 < given < number else RefusedError
        raise kind(f"id {quote(given)} is not that of the decision that is open, which is {number}")
    if not isinstance(move, str):
        raise RefusedError(f"move {quote(move)} is no text: must be one of the turn's moves")
    if len(move) > MAX_MOVE:
        raise RefusedError(f"move {quote(move)} has {len(move)} characters: must be one of the turn's moves")
    try:
        action = game.parse_move(views, move)
    except (InvalidMoveError, IllegalMoveError) as error:
        raise RefusedError(str(error)) from None
    if not mask[action]:
        raise RefusedError(f"{move!r} is not allowed now")
    return action


def _read(line: bytes) -> dict[str, Any]:
    """The message in a line.

    Raises:
        RefusedError: there is none.
    """
    if len(line) > MAX_LINE:
        raise RefusedError(f"a line must have {MAX_LINE} bytes at most")
    try:
        message = json.loads(line.decode("utf-8"), object_pairs_hook=_once, parse_constant=_no_number)
    except UnicodeDecodeError as error:
        raise RefusedError(f"the line is no UTF-8: {error.reason} at byte {error.start}") from None
    except ValueError as error:
        raise RefusedError(f"the line {quote(line)} is no JSON: {error}") from None
    if not isinstance(message, dict):
        raise RefusedError(f"{quote(message)} is no message: must be an object with the key 'type'")
    kind = message.get("type")
    if not isinstance(kind, str) or kind not in _KEYS:
        raise RefusedError(f"type {quote(kind)} is unknown: must be one of {list(_KEYS)}")
    for key in message:
        if key not in _KEYS[kind]:
            raise RefusedError(f"key {quote(key)} is unknown: a {kind} has {list(_KEYS[kind])}")
    for key in _KEYS[kind]:
        if key not in message:
            raise RefusedError(f"key {key!r} is missing: a {kind} has {list(_KEYS[kind])}")
    return message


def _once(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    found = dict(pairs)
    if len(found) < len(pairs):
        raise ValueError("a key occurs twice")
    return found


def _no_number(name: str) -> None:
    raise ValueError(f"{name} is no number")
