"""Measure the environments against PettingZoo's Texas hold'em: ``python -m benchmarks.environments``.

A table is played in the usual AEC loop, the same code for every environment: look, choose a legal action at
random with NumPy, step. A batch is stepped with random legal actions too, chosen outside the timed part.
All of it runs on one thread; the contenders take turns, and the best run of each counts.
"""

import importlib.metadata
import os
import platform
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from dataclasses import dataclass
from types import ModuleType
from typing import Annotated, Any

import numpy as np
import numpy.typing as npt
import pettingzoo
import tyro

from card_table.compile import rule
from detective_env import detective_v0
from palace_env import palace_v0

PEER = "PettingZoo texas_holdem_v4"
# Each game's face and the players of its tables. The peer seats two; a batch has games of four.
GAMES = ((palace_v0, (2, 4)), (detective_v0, (3, 4)))
# Steps before a batch is measured: games that have just begun are all alike, and quicker.
OPENING = 200
FIRST_OBSERVATION = """
from {face.__name__} import env as make
env = make()
env.reset(seed=0)
env.last()
"""


@dataclass(frozen=True)
class Contender:
    """One environment: ``run`` plays for so many seconds and returns decisions a second."""

    name: str
    stepped: str
    run: Callable[[float], float]


def main(
    seconds: Annotated[float, tyro.conf.arg(help="of each run")] = 1.0,
    repeats: Annotated[int, tyro.conf.arg(help="runs of each environment, of which the best counts")] = 5,
    batch: Annotated[int, tyro.conf.arg(help="games in the batch")] = 4096,
    start: Annotated[bool, tyro.conf.arg(help="measure the time to a first observation as well")] = True,
) -> None:
    """Print decisions a second, one thread, with ratios to PettingZoo's Texas hold'em."""
    if seconds <= 0 or repeats < 1 or batch < 1:
        raise SystemExit(f"seconds={seconds!r}, repeats={repeats!r} and batch={batch!r} must be above 0")
    contenders = [
        *peers(),
        *(table(face, players) for face, sizes in GAMES for players in sizes),
        *(batches(face, batch) for face, _ in GAMES),
    ]
    print(
        f"Random legal moves, best of {repeats} runs of {seconds:g} s, one thread; "
        f"Python {platform.python_version()}, numba {importlib.metadata.version('numba')}, "
        f"pettingzoo {importlib.metadata.version('pettingzoo')}"
    )
    print_table(contenders, measure(contenders, seconds, repeats))
    if contenders[0].name != PEER:
        print(
            f"{PEER} needs rlcard and pygame-ce, so it was not measured; "
            "pip install -c constraints.txt '.[bench]' installs them"
        )
    if start:
        print_start()


def peers() -> list[Contender]:
    """PettingZoo's Texas hold'em, if what it needs is installed."""
    try:
        env = pettingzoo.make("aec", "classic/texas_holdem-v4")
    except ModuleNotFoundError:
        return []
    return [Contender(PEER, "AEC loop", lambda seconds: play(env, seconds))]


def table(face: ModuleType, players: int) -> Contender:
    """A table of a game."""
    env = face.env(players=players)
    return Contender(_name(face, players), "AEC loop", lambda seconds: play(env, seconds))


def _name(face: ModuleType, players: int) -> str:
    return f"{face.GAME.__name__}, {players} players"


def play(env: Any, seconds: float) -> float:  # noqa: ANN401 - any AEC environment with a mask in its observation
    """Decisions a second in an AEC loop, resets and dead steps included."""
    rng = np.random.default_rng(0)
    decisions = 0
    env.reset(seed=0)
    begin = time.perf_counter()
    while True:
        for _ in env.agent_iter():
            observation, _, terminated, truncated, _ = env.last()
            if terminated or truncated:
                env.step(None)
                continue
            legal = np.flatnonzero(observation["action_mask"])
            env.step(legal[rng.integers(len(legal))])
            decisions += 1
        elapsed = time.perf_counter() - begin
        if elapsed >= seconds:
            return decisions / elapsed
        env.reset()


def batches(face: ModuleType, size: int) -> Contender:
    """A batch of games of four: observations, masks and rewards, finished games restarted."""
    batch = face.batch(size, players=4, seed=0)
    rng = np.random.default_rng(0)
    actions = np.zeros(size, np.int64)

    def step() -> float:
        choose(batch.masks, rng.random(size), actions)
        begin = time.perf_counter()
        batch.step(actions)
        return time.perf_counter() - begin

    def run(seconds: float) -> float:
        spent, steps = 0.0, 0
        while spent < seconds:
            spent += step()
            steps += 1
        return steps * size / spent

    for _ in range(OPENING):
        step()
    return Contender(_name(face, 4), f"batch of {size:,}", run)


@rule
def choose(
    masks: npt.NDArray[np.bool_], draws: npt.NDArray[np.float64], actions: npt.NDArray[np.int64]
) -> None:
    """Choose a legal action for each row of masks, uniformly by a draw from 0 to 1."""
    for i in range(len(actions)):
        legal = 0
        for action in range(masks.shape[1]):
            legal += masks[i, action]
        skip = int(draws[i] * legal)
        for action in range(masks.shape[1]):
            if masks[i, action]:
                if skip == 0:
                    actions[i] = action
                    break
                skip -= 1


def measure(contenders: list[Contender], seconds: float, repeats: int) -> list[float]:
    """Decisions a second of each contender in its best run, after one that does not count."""
    for contender in contenders:
        contender.run(seconds / 10)
    best = [0.0] * len(contenders)
    for _ in range(repeats):
        for place, contender in enumerate(contenders):
            best[place] = max(best[place], contender.run(seconds))
    return best


def print_table(contenders: list[Contender], speeds: list[float]) -> None:
    """One line a contender: its speed, and how many times the peer's speed that is."""
    peer = speeds[0] if contenders[0].name == PEER else None
    print(f"{'environment':28}{'stepped':18}{'decisions/s':>14}" + (f"{'× ' + PEER:>30}" if peer else ""))
    for contender, speed in zip(contenders, speeds, strict=True):
        ratio = f"{speed / peer:30.1f}" if peer else ""
        print(f"{contender.name:28}{contender.stepped:18}{speed:14,.0f}{ratio}")


def print_start() -> None:
    """For each game the time from Python to a first observation, with an empty cache and with a full one."""
    for face, _ in GAMES:
        script = FIRST_OBSERVATION.format(face=face)
        with tempfile.TemporaryDirectory() as folder:
            environment = {**os.environ, "NUMBA_CACHE_DIR": folder}
            for state in ("an empty", "a full"):
                begin = time.perf_counter()
                subprocess.run([sys.executable, "-c", script], env=environment, check=True)
                seconds = time.perf_counter() - begin
                name = face.GAME.__name__
                print(f"{name}: {seconds:.1f} s from python to a first observation, {state} cache")


if __name__ == "__main__":
    tyro.cli(main)
