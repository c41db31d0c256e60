"""What code says when the same rules run as plain Python, in a process of its own."""

import os
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).parents[1]


def said_in_plain_python(code: str) -> str:
    """What a piece of code prints with ``NUMBA_DISABLE_JIT=1`` and warnings as errors."""
    plain = subprocess.run(
        [sys.executable, "-W", "error", "-c", code],
        env={**os.environ, "NUMBA_DISABLE_JIT": "1"},
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=True,
    )
    return plain.stdout.strip()
