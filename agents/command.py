"""How programs begin and end: the command line, a failure told in one line, Ctrl-C without a traceback."""

import contextlib
import inspect
import os
import signal
import sys
from collections.abc import Callable, Iterator, Mapping
from functools import reduce
from operator import or_
from types import FrameType
from typing import Annotated, Any, TypeVar

import tyro
from rich.console import Console

Args = TypeVar("Args")


def parse(games: Mapping[str, Args]) -> Args:
    """The command line's arguments: first the game, then the options that it has.

    Args:
        games: by the game's name, the arguments where no option is given; all of one class, whose docstring
            is the help.
    """
    told = inspect.getdoc(next(iter(games.values())))
    kinds: Any = [
        Annotated[
            type(usual),
            tyro.conf.subcommand(game, default=usual, description=f"{game.capitalize()} Poker. {told}"),
        ]
        for game, usual in games.items()
    ]
    parsed: Args = tyro.cli(reduce(or_, kinds), description=told, config=(tyro.conf.FlagCreatePairsOff,))
    return parsed


def screen() -> Console:
    """Where results are printed: the terminal, or what is wide enough for any table."""
    console = Console()
    return console if console.is_terminal else Console(width=250)


@contextlib.contextmanager
def complaints(program: str) -> Iterator[None]:
    """Turn bad input and whatever else fails on the way into one line on stderr and exit code 2; Ctrl-C: 130.

    What tells the program to end (SIGTERM) lets it end what it has started, and then exit with 143.

    Args:
        program: the file's name, which the line begins with.
    """
    # A stream that was closed before the start is as one that leads nowhere.
    for name, mode in (("stdin", "r"), ("stdout", "w"), ("stderr", "w")):
        if getattr(sys, name) is None:
            setattr(sys, name, open(os.devnull, mode))  # noqa: SIM115 - until the program ends
    usual = signal.signal(signal.SIGTERM, lambda _number, _frame: sys.exit(143))
    try:
        try:
            yield
        finally:
            print(end="", flush=True)  # a full disk is found out here and not at Python's end
    except (ValueError, OSError, ModuleNotFoundError, MemoryError, RuntimeError) as error:
        lines = str(error).splitlines() or [type(error).__name__]
        told = f"there is not enough memory ({lines[0]})" if isinstance(error, MemoryError) else lines[0]
        print(f"{program}: {told}", file=sys.stderr)
        try:
            print(end="", flush=True)
        except OSError:
            # What could not be written is dropped, or Python would try once more at its end.
            os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        sys.exit(2)
    except KeyboardInterrupt:
        sys.exit(130)
    finally:
        signal.signal(signal.SIGTERM, usual)


@contextlib.contextmanager
def on_interrupt(handler: Callable[[int, FrameType | None], None]) -> Iterator[None]:
    """Within this, Ctrl-C calls a function."""
    usual = signal.signal(signal.SIGINT, handler)
    try:
        yield
    finally:
        signal.signal(signal.SIGINT, usual)


@contextlib.contextmanager
def held() -> Iterator[None]:
    """Within this, Ctrl-C waits for the end, so that no file is left half written; for the main thread."""
    pressed: list[int] = []
    with on_interrupt(lambda number, _frame: pressed.append(number)):
        yield
    if pressed:
        signal.raise_signal(signal.SIGINT)
