"""How the programs end: a failure is told in one line, and Ctrl-C is no traceback."""

import contextlib
import os
import signal
import sys
from collections.abc import Callable, Iterator
from types import FrameType


@contextlib.contextmanager
def complaints(program: str) -> Iterator[None]:
    """Turn bad input and whatever else fails on the way into one line on stderr and exit code 2; Ctrl-C: 130.

    Args:
        program: the file's name, which the line begins with.
    """
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


@contextlib.contextmanager
def on_interrupt(handler: Callable[[int, FrameType | None], None]) -> Iterator[None]:
    """Within this, Ctrl-C calls a function."""
    usual = signal.signal(signal.SIGINT, handler)
    try:
        yield
    finally:
        signal.signal(signal.SIGINT, usual)
