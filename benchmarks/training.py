"""Measure self-play training against the usual technique: ``python -m benchmarks.training``.

The usual technique is that of PettingZoo's tutorial on action masks, in code of our own: one MaskablePPO with
its default arguments, to which a PettingZoo table is shown as if every move were one player's. The table is
texas_holdem_v4. Ours is ``agents.selfplay`` on Palace Poker with four players. A decision counts when it has
been played and learned from. Both take turns on one thread, and the best round of each counts.
"""

import importlib.metadata
import platform
import time
from collections.abc import Callable
from typing import Annotated, Any

import gymnasium
import numpy as np
import numpy.typing as npt
import pettingzoo
import torch
import tyro
from pettingzoo.utils import BaseWrapper
from sb3_contrib import MaskablePPO
from sb3_contrib.common.wrappers import ActionMasker

from agents.selfplay import SelfPlay
from palace_env.palace_v0 import Palace

LEAST = 12.0  # times the usual technique


class OneByOne(BaseWrapper, gymnasium.Env[Any, Any]):  # type: ignore[misc]
    """A PettingZoo table as the tutorial shows it to a single-agent learner: each move is the learner's."""

    def __init__(self, env: pettingzoo.AECEnv) -> None:
        super().__init__(env)
        agent = env.possible_agents[0]
        self.observation_space = env.observation_space(agent)["observation"]
        self.action_space = env.action_space(agent)

    def reset(
        self, seed: int | None = None, options: dict[str, Any] | None = None
    ) -> tuple[Any, dict[str, Any]]:
        """Deal; what the first to move sees."""
        self.env.reset(seed=seed, options=options)
        return self.observe(self.agent_selection), {}

    def step(self, action: int) -> tuple[Any, float, bool, bool, dict[str, Any]]:
        """Move; what the next to move sees, and what the mover has earned."""
        mover = self.agent_selection
        super().step(int(action))
        earned = float(self._cumulative_rewards[mover])
        return (
            self.observe(self.agent_selection),
            earned,
            self.terminations[mover],
            self.truncations[mover],
            {},
        )

    def observe(self, agent: str) -> npt.NDArray[np.float32]:
        """What an agent sees, without the mask."""
        seen: npt.NDArray[np.float32] = super().observe(agent)["observation"]
        return seen

    def action_mask(self) -> npt.NDArray[np.int8]:
        """The legal moves of the agent to move."""
        mask: npt.NDArray[np.int8] = super().observe(self.agent_selection)["action_mask"]
        return mask


def main(
    rounds: Annotated[int, tyro.conf.arg(help="rounds of each, of which the best counts")] = 4,
) -> None:
    """Print decisions a second, played and learned from, and their ratio; exits with 1 if it is too small."""
    if rounds < 1:
        raise SystemExit(f"rounds={rounds!r} must be at least 1")
    torch.set_num_threads(1)
    contenders = {"the usual technique": usual(), "agents.selfplay": ours()}
    speeds = dict.fromkeys(contenders, 0.0)
    for _ in range(rounds):
        for name, run in contenders.items():
            start = time.perf_counter()
            decisions = run()
            speeds[name] = max(speeds[name], decisions / (time.perf_counter() - start))
    slow, fast = speeds.values()
    versions = ", ".join(f"{name} {importlib.metadata.version(name)}" for name in ("torch", "sb3-contrib"))
    print(f"Decisions a second, played and learned from; best of {rounds} rounds, one thread;")
    print(f"Python {platform.python_version()}, {versions}")
    for name, speed in speeds.items():
        print(f"{name:20}{speed:10,.0f}{speed / slow:8.1f} ×")
    if fast < LEAST * slow:
        raise SystemExit(f"less than {LEAST:.0f} times the usual technique")


def usual() -> Callable[[], int]:
    """A round of the tutorial's technique: how many decisions it learned from."""
    from pettingzoo.classic import texas_holdem_v4

    env = OneByOne(texas_holdem_v4.env())
    masked = ActionMasker(env, lambda _: env.action_mask())
    model = MaskablePPO("MlpPolicy", masked, seed=1, device="cpu")

    def run() -> int:
        before = model.num_timesteps
        model.learn(model.n_steps, reset_num_timesteps=False)
        return model.num_timesteps - before

    return run


def ours() -> Callable[[], int]:
    """A round of our self-play, four rollouts with its default settings."""
    model = SelfPlay(Palace(), seed=1)
    model.iterate(0)  # compiles

    def run() -> int:
        before = model.num_timesteps
        for _ in range(4):
            model.iterate(0)
        return model.num_timesteps - before

    return run


if __name__ == "__main__":
    tyro.cli(main)
