"""What code says in a process of its own, where the same rules can run as plain Python."""

import os
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).parents[1]


def said_by(code: str, **variables: str) -> str:
    """What a piece of code prints with warnings as errors and with these variables of the environment.

    Raises:
        AssertionError: it fails; tells what it says on stderr.
    """
    done = subprocess.run(
        [sys.executable, "-W", "error", "-c", code],
        env={**os.environ, **variables},
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, f"exit code {done.returncode}:\n{done.stderr}"
    return done.stdout.strip()


def said_in_plain_python(code: str) -> str:
    """The same with ``NUMBA_DISABLE_JIT=1``."""
    return said_by(code, NUMBA_DISABLE_JIT="1")
