"""A training run's folder: what lies in it, how a run is begun and gone on with, and how files are written.

``config.json`` holds the run's arguments and what a policy needs to know, ``checkpoint.safetensors`` the
training as it stood, ``policy.safetensors`` the network to play with, ``evaluation.json`` the results that a
finished run ends with, ``curve.png`` and ``tensorboard/`` what there is to look at. All of it is plain data.
``.lock`` is locked by the process that trains.
"""

import contextlib
import fcntl
import fnmatch
import importlib.metadata
import json
import os
import platform
import shutil
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy.typing as npt
from safetensors import SafetensorError, safe_open
from safetensors.numpy import save

from agents.policy import CONFIG_FILE, WEIGHTS_FILE, read_config

CHECKPOINT_FILE = "checkpoint.safetensors"
EVALUATION_FILE = "evaluation.json"
CURVE_FILE = "curve.png"
LOGS = "tensorboard"
LOCK_FILE = ".lock"
PACKAGES = ("palace-detective", "numpy", "numba", "torch", "stable-baselines3", "sb3-contrib")
_NAMES = (CONFIG_FILE, WEIGHTS_FILE, CHECKPOINT_FILE, EVALUATION_FILE, CURVE_FILE, LOGS)
_LATER_EVALUATIONS = "evaluation-*.json"  # what evaluate.py leaves


class Run:
    """A run in its folder, which no other process trains in meanwhile.

    Attributes:
        folder: where.
        config: the contents of its ``config.json``.
    """

    def __init__(self, folder: Path, config: dict[str, Any], lock: int) -> None:
        self.folder = folder
        self.config = config
        self._lock = lock

    def release(self) -> None:
        """Let others train in the folder; nothing may be written any more. The process's end does it too."""
        os.close(self._lock)

    def write(self, name: str, contents: bytes) -> None:
        """Write a file at once: whoever looks sees the old contents or the new."""
        passing = self.folder / f".{name}.tmp"
        with open(passing, "wb") as file:
            file.write(contents)
            file.flush()
            os.fsync(file.fileno())
        os.replace(passing, self.folder / name)

    def write_json(self, name: str, contents: Mapping[str, Any]) -> None:
        """Write a JSON file at once."""
        self.write(name, _json(contents))

    def save_checkpoint(self, arrays: Mapping[str, npt.NDArray[Any]], state: Mapping[str, Any]) -> None:
        """Keep the training as it stands.

        Args:
            arrays: by name, in C order.
            state: what fits into JSON.
        """
        self.write(CHECKPOINT_FILE, save(dict(arrays), metadata={"state": json.dumps(state)}))

    def load_checkpoint(self) -> tuple[dict[str, npt.NDArray[Any]], dict[str, Any]] | None:
        """What ``save_checkpoint`` kept last; None if that was never.

        Raises:
            ValueError: the file is broken.
        """
        path = self.folder / CHECKPOINT_FILE
        if not os.path.lexists(path):
            return None
        if not path.is_file():
            raise ValueError(f"{str(path)!r} is no valid checkpoint (it is no file)")
        try:
            with safe_open(path, framework="numpy") as file:
                arrays = {name: file.get_tensor(name) for name in file.keys()}  # noqa: SIM118 - no mapping
                state = json.loads(file.metadata()["state"])
        except (SafetensorError, ValueError, TypeError, KeyError, RecursionError) as error:
            raise ValueError(f"{str(path)!r} is no valid checkpoint ({error})") from None
        return arrays, state


def start(folder: Path, config: dict[str, Any], overwrite: bool = False) -> Run:
    """Begin a run in a new or empty folder.

    Args:
        folder: where; it is made with its parents.
        config: what becomes of ``config.json``.
        overwrite: whether an earlier run may be deleted; nothing else ever is.

    Raises:
        ValueError: see ``check_free``, or the config does not fit into JSON: then nothing is deleted.
        OSError: the folder cannot be written, or somebody trains in it.
    """
    check_free(folder, overwrite)
    contents = _json(config)
    folder.mkdir(parents=True, exist_ok=True)
    run = Run(folder, config, _lock(folder))
    # The config comes last, since it marks the folder as a run's.
    for name in sorted(_contents(folder), key=lambda name: name == CONFIG_FILE):
        path = folder / name
        if path.is_dir() and not path.is_symlink():
            shutil.rmtree(path)
        else:
            path.unlink()
    run.write(CONFIG_FILE, contents)
    return run


def check_free(folder: Path, overwrite: bool = False) -> None:
    """Check that a run may begin in a folder.

    Raises:
        ValueError: there is something else in it, or an earlier run that may not be deleted.
    """
    found = _contents(folder)
    if not found:
        return
    foreign = [
        name for name in found if name not in _NAMES and not fnmatch.fnmatchcase(name, _LATER_EVALUATIONS)
    ]
    if foreign or CONFIG_FILE not in found:
        raise ValueError(
            f"{str(folder)!r} is no run's folder, it holds {(foreign or found)[:3]}: choose another"
        )
    if overwrite:
        return
    if EVALUATION_FILE in found:
        raise ValueError(f"{str(folder)!r} holds a finished run: choose another, or --overwrite it")
    raise ValueError(f"{str(folder)!r} holds an unfinished run: --resume it, or --overwrite it")


def resume(folder: Path) -> Run:
    """The unfinished run in a folder.

    Raises:
        ValueError: there is none, it is finished, or its ``config.json`` is broken.
        OSError: the folder cannot be written, or somebody trains in it.
    """
    found = _contents(folder)
    if CONFIG_FILE not in found:
        raise ValueError(f"{str(folder)!r} holds no run to resume")
    if EVALUATION_FILE in found:
        raise ValueError(f"{str(folder)!r} holds a finished run: there is nothing to resume")
    if WEIGHTS_FILE in found and CHECKPOINT_FILE not in found:
        raise ValueError(
            f"{str(folder)!r} holds a policy but no {CHECKPOINT_FILE} to go on from: choose another folder, "
            "or --overwrite it"
        )
    return Run(folder, read_config(folder), _lock(folder))


def versions() -> dict[str, str]:
    """What is installed of all that a result depends on."""
    found = {"python": platform.python_version()}
    for package in PACKAGES:
        with contextlib.suppress(importlib.metadata.PackageNotFoundError):
            found[package] = importlib.metadata.version(package)
    return found


def _json(contents: Mapping[str, Any]) -> bytes:
    return (json.dumps(contents, indent=1, allow_nan=False) + "\n").encode()


def _lock(folder: Path) -> int:
    """Keep other processes from training in a folder, as long as the descriptor that is returned is open."""
    lock = os.open(folder / LOCK_FILE, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o666)
    try:
        fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        os.close(lock)
        raise BlockingIOError(f"{str(folder)!r}: another training runs in it, choose another") from None
    return lock


def _contents(folder: Path) -> list[str]:
    """The names in a folder, its lock and half-written files left out; empty if there is no such folder."""
    if not folder.exists():
        return []
    if not folder.is_dir():
        raise ValueError(f"{str(folder)!r} is a file: a run needs a folder")
    passing = {LOCK_FILE, *(f".{name}.tmp" for name in _NAMES)}
    return sorted(
        path.name
        for path in folder.iterdir()
        if path.name not in passing and not fnmatch.fnmatchcase(path.name, ".evaluation-*.tmp")
    )
