"""How the programs among the tests begin and end: arguments, Ctrl-C, SIGTERM, and what they have started."""

import argparse
import contextlib
import os
import signal
import subprocess
import sys
from collections.abc import Callable
from typing import NoReturn


def end_at_once() -> None:
    """From now on, while packages load, Ctrl-C ends the program without a word."""
    signal.signal(signal.SIGINT, lambda _number, _frame: os._exit(130))


def parser(name: str, told: str | None) -> argparse.ArgumentParser:
    """The command line of ``python -m tests.<name>``; ``told`` is the help."""
    return argparse.ArgumentParser(prog=f"python -m tests.{name}", description=told)


def at_least(least: int) -> Callable[[str], int]:
    """The kind of an argument that is a whole number, this or a higher one."""

    def whole(text: str) -> int:
        if not (text.isascii() and text.isdigit() and len(text) < 20 and int(text) >= least):
            raise argparse.ArgumentTypeError(f"{text!r}: must be a whole number, at least {least}")
        return int(text)

    return whole


def run(main: Callable[[], int]) -> NoReturn:
    """Run a program to its exit, with the status that it returns; after Ctrl-C 130, after SIGTERM 143.

    Both let it end what it has started. They do so too where it was begun in the background of a script,
    which ignores Ctrl-C until a program says otherwise.
    """
    signal.signal(signal.SIGTERM, lambda _number, _frame: sys.exit(143))
    try:
        signal.signal(signal.SIGINT, signal.default_int_handler)
        status = main()
    except KeyboardInterrupt:
        status = 130
    finally:
        signal.signal(signal.SIGINT, signal.SIG_IGN)  # there is nothing left to stop
    sys.exit(status)


def kill(process: "subprocess.Popen[str]") -> None:
    """End a process that leads a session of its own, and all that it has started."""
    with contextlib.suppress(ProcessLookupError):
        os.killpg(process.pid, signal.SIGKILL)
