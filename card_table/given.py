"""What users give: whole numbers told from all else, and any value as a message repeats it."""

from typing import Any, TypeGuard

import numpy as np

MAX_QUOTED = 300

_WHOLE, _NOT_WHOLE = (int, np.integer), (bool, np.timedelta64)


def is_whole(value: object) -> TypeGuard[int | np.integer[Any]]:
    """Whether a value is a Python or NumPy integer: no bool, and none of the spans of time that NumPy has."""
    return isinstance(value, _WHOLE) and not isinstance(value, _NOT_WHOLE)


def quote(value: object) -> str:
    """A value as ``repr`` has it, at most its first 300 characters.

    Of a value that has none, such as a number of too many digits or a list in lists without end, the type.
    """
    try:
        told = repr(value)
    except Exception:
        return f"<{type(value).__name__} that cannot be shown>"
    return told if len(told) <= MAX_QUOTED else f"{told[:MAX_QUOTED]}... ({len(told)} characters)"
