"""What a game provides so that tables, batches and agents can play it, and the errors that playing raises."""

from abc import ABC, abstractmethod
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, ClassVar, TypeAlias

import numpy as np
import numpy.typing as npt

from card_table.given import is_whole, quote
from card_table.layout import Layout

if TYPE_CHECKING:
    from card_table.batch import Kernels

# An array of game records; most functions here take one of length 1.
States: TypeAlias = npt.NDArray[Any]


class IllegalMoveError(ValueError):
    """A move that is not allowed now; nothing has changed."""


class InvalidMoveError(ValueError):
    """Text that is no move at all; nothing has changed."""


class NotPlayingError(RuntimeError):
    """Something that needs a game in progress; call reset first."""


class Game(ABC):
    """One game with its arguments settled: what a table of it needs to know.

    Attributes:
        name: the game's name in histories and specs.
        dtype: the record of one game.
        kernels: the game's compiled loops, see ``card_table.batch``.
        players: N, the number of players.
        seats: the number of seats that the spaces are laid out for.
        hands: the hands of one episode at most.
        n_actions: A, the number of actions.
        layout: the observation's parts.
        state_size: the bytes of ``encode_state``.
        rules: all arguments that bear on the rules, defaults filled in, as histories give them.
        action_rules: those of them that say what the actions mean.
        settled: the fields of a record that hold the arguments, or are the same in all records of a game.
        record: array (1,) of one game's record with the arguments written in, nothing dealt.
    """

    name: ClassVar[str]
    dtype: ClassVar[np.dtype[Any]]
    settled: ClassVar[tuple[str, ...]]
    kernels: ClassVar["Kernels"]

    players: int
    seats: int
    hands: int
    n_actions: int
    layout: Layout
    state_size: int
    rules: dict[str, Any]
    action_rules: tuple[str, ...]
    record: States

    @property
    def seat_names(self) -> list[str]:
        """The agents' names, ``player_0`` and so on, the number being the seat."""
        return [f"player_{seat}" for seat in range(self.players)]

    @abstractmethod
    def prescribe(self, states: States, options: Mapping[str, Any]) -> tuple[int, list[int]]:
        """Write the options of a reset into a game that is prepared but not dealt.

        Returns:
            The cards that the deal must leave in the draw deck, as a set, and the script: what is prescribed
            beyond the deal, for ``feed``.

        Raises:
            ValueError: an option is unknown or invalid; it names the option, its value and what is allowed.
        """

    @abstractmethod
    def check_deal(self, states: States, options: Mapping[str, Any]) -> None:
        """Check what of the options can be checked only when the hand has been dealt.

        Raises:
            ValueError: as ``prescribe``.
        """

    @abstractmethod
    def feed(self, states: States, action: int, script: list[int]) -> None:
        """Before a legal action: take what it uses up of the script into the game."""

    @abstractmethod
    def format_move(self, states: States, action: int) -> str:
        """Any action of the actor in the notation, legal or not; "" if it has no words now."""

    @abstractmethod
    def parse_move(self, states: States, text: str) -> int:
        """The action that a text means for the actor.

        Raises:
            InvalidMoveError: the text is no move.
            IllegalMoveError: the move is not allowed now.
        """

    @abstractmethod
    def view_text(self, views: States) -> str:
        """A view in sentences, for a person to play from."""

    @abstractmethod
    def view_data(self, views: States) -> dict[str, Any]:
        """A view as data that JSON can hold, for a program to play from; docs/protocol.md tells its keys."""

    @abstractmethod
    def begin_history(self, states: States) -> dict[str, Any]:
        """The history of a hand as far as it is known when it has been dealt."""

    @abstractmethod
    def note_move(self, history: dict[str, Any], states: States) -> None:
        """Add to a history what a move that was just made brought to light."""

    @abstractmethod
    def end_history(self, history: dict[str, Any], states: States) -> None:
        """Add the result of a hand that is over."""

    @abstractmethod
    def veil_history(self, history: Mapping[str, Any], views: States) -> dict[str, Any]:
        """The history of a finished hand as far as a seat may know it, from its view of the end."""

    @classmethod
    @abstractmethod
    def read_history(cls, history: Mapping[str, Any]) -> tuple["Game", dict[str, Any]]:
        """The game and the reset options that play a history again.

        Raises:
            ValueError: its keys or arguments are not those of this game, or its moves are no list.
        """

    @abstractmethod
    def winners(self, states: States) -> list[int]:
        """The seats that won a finished match or share it, in order."""

    @abstractmethod
    def encode_state(self, states: States, out: npt.NDArray[np.uint8]) -> None:
        """Write the whole truth about the game into ``out``, uint8 (state_size,)."""


def copy_states(states: States) -> States:
    """A copy of game records; an array's own ``copy`` goes field by field, forty times slower."""
    return np.frombuffer(bytearray(states.tobytes()), states.dtype)


def check_game(game: object) -> Game:
    """An argument that must be a game.

    Raises:
        ValueError: it is none, a class of games for instance.
    """
    if not isinstance(game, Game):
        raise ValueError(f"game={quote(game)}: must be a game, not its class or name")
    return game


def check_whole(name: str, value: object, low: int, high: int) -> int:
    """An argument as an int.

    Raises:
        ValueError: unless it is a whole number from ``low`` to ``high``.
    """
    if not is_whole(value) or not low <= value <= high:
        raise ValueError(f"{name}={quote(value)}: must be a whole number from {low} to {high}")
    return int(value)


def check_flag(name: str, value: object) -> bool:
    """An argument as a bool.

    Raises:
        ValueError: unless it is True or False.
    """
    if not isinstance(value, bool | np.bool_):
        raise ValueError(f"{name}={quote(value)}: must be True or False")
    return bool(value)


def check_options(options: object, allowed: tuple[str, ...]) -> dict[str, Any]:
    """The options of a reset as a dict.

    Raises:
        ValueError: no mapping, or one with an unknown key; the foreign key ``"options"`` of PettingZoo's
            api_test is left out.
    """
    if not isinstance(options, Mapping):
        raise ValueError(f"options={quote(options)}: must be a dict with keys of {list(allowed)}")
    known = {key: value for key, value in options.items() if key != "options"}
    for key in known:
        if key not in allowed:
            raise ValueError(f"option {quote(key)} is unknown: choose from {list(allowed)}")
    return known
