"""Hand histories: keep a finished hand as numbers, write it out when asked, read it back and play it again.

The format is JSON Lines, one finished hand a line; each game's RULES.md shows its own. What is read is played
through once, so that a history which is returned is one that the rules could have written.
"""

import io
import json
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from card_table.game import Game, States, check_whole, copy_states
from card_table.given import quote

VERSION = 1


@dataclass(frozen=True)
class PlayedHand:
    """A hand that can be played again.

    Attributes:
        start: array (1,), the record right after the deal.
        script: what was prescribed beyond the deal, see ``Game.feed``.
        actions: what was played, in order.
    """

    start: States
    script: list[int]
    actions: list[int]


def write(history: Mapping[str, Any]) -> str:
    """The line of a history, with its end."""
    return json.dumps(history, ensure_ascii=False) + "\n"


def read(lines: str | Iterable[str], *games: type[Game]) -> Iterator[dict[str, Any]]:
    """The histories in an open file, in lines, or in a text of one or more lines.

    Args:
        lines: what holds one history a line.
        *games: the games whose histories may be there.

    Raises:
        ValueError: a line that is no history of a hand played by the rules, with its number and the reason;
            or what was given is not text.
    """
    for number, line in _numbered(lines):
        try:
            history = _parse(line)
            replay(history, *games)
        except ValueError as error:
            raise ValueError(f"line {number}: {error}") from error
        yield history


def _numbered(lines: object) -> Iterator[tuple[int, object]]:
    """The lines with their numbers, from 1.

    Raises:
        ValueError: there are no lines, or one is not in the file's encoding, with its number.
    """
    if isinstance(lines, str):
        lines = io.StringIO(lines)
    if not isinstance(lines, Iterable) or isinstance(lines, bytes | bytearray):
        raise ValueError(f"lines of type {type(lines).__name__!r}: must be an open text file, lines or text")
    number = 0
    try:
        for number, line in enumerate(lines, start=1):
            yield number, line
    except UnicodeDecodeError as error:
        # Files are decoded in pieces of many lines; those of the piece before the error were not given yet.
        line_number = number + 1 + error.object[: error.start].count(b"\n")
        raise ValueError(f"line {line_number}: is not in {error.encoding} ({error.reason})") from error


def _parse(line: object) -> Any:  # noqa: ANN401 - anything that JSON can hold
    if not isinstance(line, str):
        raise ValueError(f"{quote(line)}: must be text, open files with encoding='utf-8'")
    try:
        return json.loads(line, object_pairs_hook=_without_repeats)
    except RecursionError:
        raise ValueError(f"is no history, it is nested too deeply: {quote(line)}") from None
    except ValueError as error:
        raise ValueError(f"{error}: {quote(line)}") from None


def replay(history: Mapping[str, Any], *games: type[Game]) -> tuple[Game, PlayedHand]:
    """Play a history through.

    Args:
        history: what ``env.histories`` or ``read`` gave.
        *games: the games of which it may be.

    Returns:
        The game with the history's arguments, and the hand.

    Raises:
        ValueError: it is no history of a hand played by the rules; the message names the key and the reason.
    """
    for given in games:
        if not (isinstance(given, type) and issubclass(given, Game)):
            raise ValueError(f"games: {quote(given)} must be the class of a game")
    if not isinstance(history, Mapping):
        raise ValueError(f"{quote(history)} is no history: must be an object with keys")
    kinds = {game.name: game for game in games}
    name = history.get("game")
    kind = kinds.get(name) if isinstance(name, str) else None
    if kind is None:
        raise ValueError(f"game {quote(name)} is unknown: choose from {list(kinds)}")
    if history.get("version") != VERSION:
        raise ValueError(f"version {quote(history.get('version'))} is unknown: must be {VERSION}")
    game, options = kind.read_history(history)
    states = copy_states(game.record)
    game.kernels.prepare(states, 0, False)
    states["hand"] = check_whole("hand", history["hand"], 0, game.hands - 1)
    reserved, script = game.prescribe(states, options)
    player = _Player(game)
    player.deal(states, reserved)
    game.check_deal(states, options)
    hand = PlayedHand(copy_states(states), list(script), [])
    written = game.begin_history(states)
    for place, move in enumerate(history["moves"]):
        if player.is_over:
            raise ValueError(f"moves[{place}]={quote(move)}: the hand is over before it")
        actor = int(states["actor"][0])
        if not isinstance(move, list | tuple) or len(move) != 2 or move[0] != actor:
            raise ValueError(f"moves[{place}]={quote(move)}: must be [{actor}, MOVE], it is that seat's move")
        try:
            hand.actions.append(game.parse_move(states, move[1]))
        except ValueError as error:
            raise ValueError(f"moves[{place}]={quote(move)}: {error}") from None
        player.step(states, hand.actions[-1], script, written)
    if not player.is_over:
        raise ValueError(f"moves={len(history['moves'])} moves: they stop before the hand is over")
    game.end_history(written, states)
    for key, value in written.items():
        if not _is_same(history[key], value):
            name, wrong, right = _difference(key, history[key], value)
            raise ValueError(f"{name}={quote(wrong)}: the hand as it was played has {quote(right)}")
    return game, hand


def write_out(game: Game, hand: PlayedHand) -> dict[str, Any]:
    """The history of a finished hand."""
    states = copy_states(hand.start)
    script = list(hand.script)
    history = game.begin_history(states)
    player = _Player(game)
    for action in hand.actions:
        player.step(states, action, script, history)
    game.end_history(history, states)
    return history


class _Player:
    """Steps one game for the sake of its history, with arrays for all that is not needed."""

    def __init__(self, game: Game) -> None:
        self._game = game
        self._action = np.zeros(1, np.int64)
        self._shown = (
            np.zeros((1, game.layout.size), np.uint8),
            np.zeros((1, game.n_actions), np.bool_),
            np.zeros(1, np.int64),
        )
        self._rewards = np.zeros((1, game.players), np.float32)
        self._over = np.zeros(1, np.bool_)
        self._hand_over = np.zeros(1, np.bool_)

    @property
    def is_over(self) -> bool:
        return bool(self._hand_over[0])

    def deal(self, states: States, reserved: int) -> None:
        self._game.kernels.deal_hand(states, 0, reserved, *self._shown)

    def step(self, states: States, action: int, script: list[int], history: dict[str, Any]) -> None:
        game = self._game
        history["moves"].append([int(states["actor"][0]), game.format_move(states, action)])
        if script:
            game.feed(states, action, script)
        self._action[0] = action
        outcome = (self._rewards, self._over, self._hand_over)
        game.kernels.step(states, 0, 1, self._action, False, *self._shown, *outcome)
        game.note_move(history, states)


def check_keys(name: str, value: object, keys: Iterable[str]) -> None:
    """Check that a part of a history has its keys and no others.

    Raises:
        ValueError: it has not.
    """
    if not isinstance(value, Mapping):
        raise ValueError(f"{name}={quote(value)}: must be an object with keys")
    for key in keys:
        if key not in value:
            raise ValueError(f"{name} has no key {key!r}")
    for key in value:
        if key not in keys:
            raise ValueError(f"{name} has the unknown key {quote(key)}")


def _is_same(value: object, other: object) -> bool:
    """Whether two values are written alike: true is not 1, and 1.0 is not 1."""
    try:
        return json.dumps(value) == json.dumps(other)
    except (TypeError, ValueError, RecursionError):
        return False


def _difference(name: str, given: Any, played: Any) -> tuple[str, object, object]:  # noqa: ANN401
    """The name of the smallest part that two values do not have alike, and both values of it."""
    places: Iterable[Any] = ()
    if isinstance(given, Mapping) and isinstance(played, dict) and list(given) == list(played):
        places = played
    if isinstance(given, list | tuple) and isinstance(played, list) and len(given) == len(played):
        places = range(len(played))
    for place in places:
        if not _is_same(given[place], played[place]):
            return _difference(f"{name}[{place!r}]", given[place], played[place])
    return name, given, played


def _without_repeats(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    found = dict(pairs)
    if len(found) < len(pairs):
        raise ValueError(f"a key occurs twice among {quote([key for key, _ in pairs])}")
    return found
