"""Turn plain functions of one game record into compiled rules, cached on disk by their sources.

Numba checks only a function's own file before it takes machine code from its cache, so that an edited callee
in another file goes unnoticed. Here the name of the cache folder contains a hash of every source file that
can take part in the function, so that any edit leads to another folder.
"""

import ast
import functools
import hashlib
import importlib.util
import os
import pickle
import sys
import sysconfig
import tempfile
import types
import warnings
from collections.abc import Callable
from importlib.machinery import ModuleSpec, PathFinder
from itertools import accumulate
from pathlib import Path
from typing import Any, TypeAlias, TypeVar, cast

import numba

F = TypeVar("F", bound=Callable[..., Any])

# One game's record: inside compiled code a NumPy record, in plain Python an np.record of the game's dtype.
State: TypeAlias = Any

# What `apply` of a game's rules returns.
OK, OVER, ILLEGAL = 0, 1, -1

_HOME = __name__.partition(".")[0]
_LIBRARY = sysconfig.get_path("stdlib")
SETTINGS: Any = numba.config  # whose attributes come into being at run time

# Of each bound function: the modules that it was made from, and what its names stand for.
_BOUND: dict[object, tuple[set[str], str]] = {}


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
        **names: what the template's global names stand for: functions, or constants that can be pickled.
    """
    bound: Any = types.FunctionType(template.__code__, {**template.__globals__, **names}, name)
    bound.__qualname__ = name
    bound.__module__ = template.__module__
    modules = {template.__module__}
    meaning = ""
    for key, value in sorted(names.items()):
        if callable(value):
            others, inner = _BOUND.get(value, ({value.__module__}, ""))
            modules |= others
            meaning += f"{key} = {value.__module__}.{value.__qualname__} ({inner})\n"
        else:
            meaning += f"{key} = {pickle.dumps(value)!r}\n"
    compiled: F = _compiled(bound, tuple(sorted(modules)), meaning)
    _BOUND[compiled] = modules, meaning
    return compiled


def cache_folder() -> Path | None:
    """Where compiled rules are kept: ``NUMBA_CACHE_DIR``, else in the user's cache; None without a home."""
    chosen = os.environ.get("NUMBA_CACHE_DIR")
    if chosen:
        return Path(chosen).absolute()
    for user in (os.environ.get("XDG_CACHE_HOME", ""), os.path.join(os.path.expanduser("~"), ".cache")):
        if os.path.isabs(user):
            return Path(user) / _HOME
    return None


def _compiled(function: F, modules: tuple[str, ...], meaning: str = "") -> F:
    if SETTINGS.DISABLE_JIT:
        return function
    # What is typed at a prompt has no file to go by, and is compiled in each process.
    folder = _writable_folder(source_hash(modules, meaning)) if _has_file(function) else None
    usual = SETTINGS.CACHE_DIR
    SETTINGS.CACHE_DIR = str(folder or "")  # read by Numba while it decorates
    try:
        return cast(F, numba.njit(cache=folder is not None, nogil=True, error_model="numpy")(function))
    finally:
        SETTINGS.CACHE_DIR = usual


def _has_file(function: Callable[..., Any]) -> bool:
    return os.path.isfile(function.__code__.co_filename)


@functools.cache
def _writable_folder(name: str) -> Path | None:
    """The folder of this name within the cache folder, or None and a warning if it cannot be written."""
    home = cache_folder()
    if home is None:
        _warn_once("anywhere", "the user has no home folder")
        return None
    folder = home / name
    try:
        folder.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryFile(dir=folder):
            return folder
    except OSError as error:
        _warn_once(f"in {str(home)!r}", error.strerror or type(error).__name__)
        return None


@functools.cache
def _warn_once(where: str, reason: str) -> None:
    warnings.warn(
        f"compiled rules cannot be kept {where} ({reason}), so each process compiles them again; "
        "set NUMBA_CACHE_DIR to a folder that can be written",
        RuntimeWarning,
        stacklevel=2,
    )


@functools.cache
def source_hash(modules: tuple[str, ...], more: str = "") -> str:
    """A hash of what machine code depends on.

    Args:
        modules: their sources count, and those of all that they import, but for Python's library and
            installed packages that do not use this one.
        more: counts as well.
    """
    files: dict[str, Path] = {}
    for module in modules:
        _collect(module, files)
    digest = hashlib.sha256(f"{more}\0{SETTINGS.BOUNDSCHECK}\0".encode())
    for name in sorted(files):
        digest.update(name.encode() + b"\0" + files[name].read_bytes() + b"\0")
    return digest.hexdigest()[:16]


def _collect(module: str, files: dict[str, Path]) -> None:
    path = _source(module)
    if module in files or path is None:
        return
    files[module] = path
    for imported in _imports(path, _package(module)):
        if _takes_part(imported, module):
            _collect(imported, files)


def _takes_part(imported: str, importer: str) -> bool:
    """Whether an imported module may hold rules, or constants that rules use."""
    path = _source(imported)
    if path is None:
        return False
    if imported.partition(".")[0] in (_HOME, _package(importer).partition(".")[0]):
        return True
    installed = path.is_relative_to(_LIBRARY) or not {"site-packages", "dist-packages"}.isdisjoint(path.parts)
    return not installed or _HOME.encode() in path.read_bytes()


def _package(module: str) -> str:
    spec = _spec(module)
    return (spec.parent or "") if spec else ""


@functools.cache
def _source(module: str) -> Path | None:
    spec = _spec(module)
    origin = spec.origin if spec else getattr(sys.modules.get(module), "__file__", None)
    return Path(origin) if origin and origin.endswith(".py") and os.path.isfile(origin) else None


@functools.cache
def _spec(module: str) -> ModuleSpec | None:
    """How a module is loaded. Nothing is imported to find out: that might load torch."""
    if module in sys.modules:
        return getattr(sys.modules[module], "__spec__", None)
    parent, _, name = module.rpartition(".")
    if not parent:
        return importlib.util.find_spec(name) if name else None
    above = _spec(parent)
    if above is None or above.submodule_search_locations is None:
        return None
    return PathFinder.find_spec(module, above.submodule_search_locations)


@functools.cache
def _imports(path: Path, package: str) -> list[str]:
    """The modules that a file of a package imports, and the names in them, which may be modules too."""
    found: list[str] = []
    for node in ast.walk(ast.parse(path.read_bytes())):
        if isinstance(node, ast.Import):
            for alias in node.names:
                found += accumulate(alias.name.split("."), "{}.{}".format)  # a, a.b, a.b.c
        elif isinstance(node, ast.ImportFrom):
            base = node.module or ""
            if node.level:
                parts = package.split(".")
                base = ".".join(parts[: len(parts) - node.level + 1] + ([base] if base else []))
            found += [base, *(f"{base}.{alias.name}" for alias in node.names)]
    return found
