"""Turn plain functions of one game record into compiled rules, cached on disk by their sources.

Numba checks only a function's own file before it takes machine code from its cache, so that an edited callee
in another file goes unnoticed. Here the name of the cache folder contains a hash of every source file that can
take part in the function, so that any edit leads to another folder.
"""

import ast
import functools
import hashlib
import importlib.util
import os
import sys
import tempfile
import types
import warnings
from collections.abc import Callable
from pathlib import Path
from typing import Any, TypeAlias, TypeVar

import numba
import numba.extending

F = TypeVar("F", bound=Callable[..., Any])

# One game's record: inside compiled code a NumPy record, in plain Python an np.record of the game's dtype.
State: TypeAlias = Any

# What `apply` of a game's rules returns.
OK, OVER, ILLEGAL = 0, 1, -1

_HOME = __name__.partition(".")[0]


def rule(function: F) -> F:
    """Compile a scalar function of game records; with ``NUMBA_DISABLE_JIT=1`` it stays plain Python."""
    return _compiled(function, (function.__module__,))


def bind(template: F, name: str, /, **names: Any) -> F:
    """A compiled copy of a template in which global names stand for one game's functions and constants.

    A compiled function that closes over another misses Numba's disk cache in every process; one that finds it
    among its globals does not. The copy therefore gets globals of its own.

    Args:
        template: a plain function that uses the given names as if they were globals of its module.
        name: the copy's name; one of its own for each game, since the disk cache goes by it.
        **names: what the template's global names stand for.
    """
    bound = types.FunctionType(template.__code__, {**template.__globals__, **names}, name)
    bound.__qualname__ = name
    bound.__module__ = template.__module__
    modules = {value.__module__ for value in names.values() if callable(value)}
    return _compiled(bound, (template.__module__, *sorted(modules)))  # type: ignore[return-value]


if numba.config.DISABLE_JIT:

    def count_bits(number: int) -> int:
        """The number of ones in a whole number that is not negative."""
        return int(number).bit_count()

else:

    @numba.extending.intrinsic
    def count_bits(_context: Any, _number: Any) -> Any:
        """The number of ones in a whole number that is not negative: one machine instruction."""

        def generate(_context: Any, builder: Any, _signature: Any, arguments: Any) -> Any:
            return builder.ctpop(arguments[0])

        return numba.types.int64(numba.types.int64), generate


def cache_folder() -> Path:
    """Where compiled rules are kept: ``NUMBA_CACHE_DIR``, else the user's cache folder."""
    chosen = os.environ.get("NUMBA_CACHE_DIR")
    if chosen:
        return Path(chosen)
    user = os.environ.get("XDG_CACHE_HOME") or os.path.join(os.path.expanduser("~"), ".cache")
    return Path(user) / _HOME


def _compiled(function: Any, modules: tuple[str, ...]) -> Any:
    if numba.config.DISABLE_JIT:
        return function
    folder = cache_folder() / source_hash(modules)
    usual = numba.config.CACHE_DIR
    numba.config.CACHE_DIR = str(folder)  # read by Numba while it decorates
    try:
        cached = _is_writable(folder)
        return numba.njit(cache=cached, nogil=True, error_model="numpy")(function)
    finally:
        numba.config.CACHE_DIR = usual


@functools.cache
def _is_writable(folder: Path) -> bool:
    try:
        folder.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryFile(dir=folder):
            return True
    except OSError as error:
        _warn_once(error.strerror or type(error).__name__)
        return False


@functools.cache
def _warn_once(reason: str) -> None:
    warnings.warn(
        f"compiled rules cannot be kept in {str(cache_folder())!r} ({reason}), so each process compiles them "
        "again; set NUMBA_CACHE_DIR to a folder that can be written",
        RuntimeWarning,
        stacklevel=2,
    )


@functools.cache
def source_hash(modules: tuple[str, ...]) -> str:
    """A hash of the sources of some modules and of all that they import from here or from their own packages."""
    files: dict[str, Path] = {}
    for module in modules:
        _collect(module, files)
    digest = hashlib.sha256()
    for name in sorted(files):
        digest.update(name.encode() + b"\0" + files[name].read_bytes() + b"\0")
    return digest.hexdigest()[:16]


def _collect(module: str, files: dict[str, Path]) -> None:
    path = _source(module)
    if module in files or path is None:
        return
    files[module] = path
    for imported in _imports(module, path):
        if _takes_part(imported, module):
            _collect(imported, files)


def _takes_part(imported: str, importer: str) -> bool:
    """Whether an imported module may hold rules, or constants that rules use."""
    package = imported.partition(".")[0]
    if package in (_HOME, importer.partition(".")[0]):
        return True
    path = _source(imported)
    return path is not None and _HOME.encode() in path.read_bytes()


@functools.cache
def _source(module: str) -> Path | None:
    loaded = sys.modules.get(module)
    spec = getattr(loaded, "__spec__", None)
    origin = getattr(loaded, "__file__", None)
    if origin is None:
        try:
            spec = spec or importlib.util.find_spec(module)
        except (ImportError, AttributeError, ValueError):
            return None
        origin = getattr(spec, "origin", None)
    return Path(origin) if origin and origin.endswith(".py") else None


def _imports(module: str, path: Path) -> list[str]:
    found: list[str] = []
    package = module if path.name == "__init__.py" else module.rpartition(".")[0]
    for node in ast.walk(ast.parse(path.read_bytes())):
        if isinstance(node, ast.Import):
            found += [alias.name for alias in node.names]
        elif isinstance(node, ast.ImportFrom):
            base = node.module or ""
            if node.level:
                parts = package.split(".")
                base = ".".join(parts[: len(parts) - node.level + 1] + ([base] if base else []))
            found += [base, *(f"{base}.{alias.name}" for alias in node.names)]
    return found
