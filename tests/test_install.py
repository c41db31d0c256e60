"""What an installation must bring: the games play without torch, data files come along, versions are pinned.

`.ci/run` also runs this file as a script, in an environment that has the bare core alone.
"""

import importlib.metadata
import importlib.resources
import importlib.util
import subprocess
import sys
import tomllib
from pathlib import Path
from typing import Any

import numpy as np

ROOT = Path(__file__).parents[1]
ONLY_FOR_TRAINING = ("torch", "stable_baselines3", "sb3_contrib", "safetensors", "tensorboard", "matplotlib")


def test_the_games_play_where_torch_and_the_training_packages_cannot_be_imported() -> None:
    blocked = f"import runpy, sys; sys.modules.update(dict.fromkeys({ONLY_FOR_TRAINING!r})); "
    script = f"runpy.run_path({str(Path(__file__))!r}, run_name='__main__')"
    ran = subprocess.run(
        [sys.executable, "-W", "error", "-c", blocked + script],
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=False,
    )
    assert ran.returncode == 0, ran.stderr
    assert ran.stdout.count("played without torch") == 2


def test_every_package_is_installed_linted_and_typed() -> None:
    settings = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["tool"]
    packages = {path.parent.name for path in ROOT.glob("*/__init__.py")} - {"benchmarks"}
    assert packages <= set(settings["setuptools"]["packages"]["find"]["include"])
    assert packages == set(settings["importlinter"]["root_packages"])
    assert packages == {path.parent.name for path in ROOT.glob("*/py.typed")}


def test_whatever_the_requirements_bring_in_is_pinned_within_the_declared_range() -> None:
    from packaging.requirements import Requirement
    from packaging.utils import canonicalize_name

    pins = {}
    for line in (ROOT / "constraints.txt").read_text("utf-8").splitlines():
        if not line.startswith("#"):
            name, version = line.split("==")
            pins[canonicalize_name(name)] = version
    project = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]
    extras = project["optional-dependencies"].values()
    waiting = [Requirement(text) for group in (project["dependencies"], *extras) for text in group]
    seen = {"palace-detective"}
    while waiting:
        requirement = waiting.pop()
        name = canonicalize_name(requirement.name)
        if name == "palace-detective" or (
            requirement.marker and not requirement.marker.evaluate({"extra": ""})
        ):
            continue
        assert name in pins, f"{requirement.name!r} is required and not in constraints.txt"
        assert requirement.specifier.contains(pins[name]), f"{requirement} excludes {pins[name]!r}"
        if name not in seen:
            seen.add(name)
            waiting += map(Requirement, importlib.metadata.requires(name) or [])
    assert len(seen) > len(project["dependencies"])


def play_without_torch() -> None:
    """Play a hand of each game on one table and some steps of a batch.

    Raises:
        AssertionError: a training package can be imported, a data file is missing, or rewards do not
            sum to zero.
    """
    present = [name for name in ONLY_FOR_TRAINING if importlib.util.find_spec(name)]
    assert not present, f"{present} can be imported, so this proves nothing"

    import agents
    from detective_env import detective_v0
    from palace_env import palace_v0

    for package in ("card_table", "palace_env", "detective_env", "agents"):
        assert importlib.resources.files(package).joinpath("py.typed").is_file()
    rng = np.random.default_rng(1)
    for face, result, arguments in ((palace_v0, "net", {}), (detective_v0, "points", {"hands": 1})):
        game = face.GAME
        rules = importlib.resources.files(f"{game.name}_env").joinpath("RULES.md").read_text("utf-8")
        assert rules.startswith(f"# {game.__name__} Poker: the rules")
        told = play_a_hand(face.env(players=4, **arguments), rng)[result]
        batch = face.batch(8, players=4, seed=0)
        bot = agents.load("random", game)
        for _ in range(50):
            batch.step(bot.act(batch.views(), batch.observations, batch.masks, rng))
            assert np.allclose(batch.rewards.sum(axis=1), 0, atol=1e-5)
        print(f"a hand of {game.__name__} played without torch, {result} {told}")


def play_a_hand(env: Any, rng: np.random.Generator) -> dict[str, Any]:  # noqa: ANN401 - no game is imported here
    """Play a hand at random; its history.

    Raises:
        AssertionError: rewards do not sum to zero, or there is no history.
    """
    env.reset(seed=7)
    earned = dict.fromkeys(env.possible_agents, 0.0)
    for agent in env.agent_iter():
        observation, reward, termination, truncation, _ = env.last()
        if termination or truncation:
            earned[agent] += reward
            env.step(None)
        else:
            env.step(rng.choice(np.flatnonzero(observation["action_mask"])))
    assert abs(sum(earned.values())) < 1e-5
    history: dict[str, Any]
    (history,) = env.histories
    return history


if __name__ == "__main__":
    play_without_torch()
