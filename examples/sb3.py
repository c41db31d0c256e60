"""Train stock MaskablePPO on one seat of Palace Poker, scripts in the others: ``python examples/sb3.py``.

Always pass the masks to ``predict``: without them MaskablePPO may choose illegal moves, which raise here.
"""

import sys
from dataclasses import dataclass
from typing import Any, Literal

import gymnasium
import torch
import tyro
from sb3_contrib import MaskablePPO
from stable_baselines3.common.env_util import make_vec_env
from stable_baselines3.common.vec_env import DummyVecEnv, SubprocVecEnv


@dataclass(frozen=True)
class Args:
    """Train one seat, then let it play."""

    vec: Literal["dummy", "subproc"] = "dummy"
    """Environments in this process, or in one process each."""
    envs: int = 4
    """Environments side by side."""
    steps: int = 20_000
    """The learner's decisions."""
    hands: int = 200
    """Hands that it plays in the end."""
    opponents: str = "tight"
    """Who sits in the other seats."""


def make_env(opponents: str) -> gymnasium.Env[Any, Any]:
    """One table; the name before the colon is imported, which registers the environment."""
    return gymnasium.make("palace_env.palace_v0:palace_env/Palace-v0", players=4, opponents=opponents)


def main() -> None:
    """Parse the command line, train, play; exits with 2 on bad input."""
    args = tyro.cli(Args)
    try:
        check(args)
    except (ValueError, OSError, ModuleNotFoundError) as error:
        print(f"sb3.py: {error}", file=sys.stderr)
        sys.exit(2)
    train_and_play(args)


def check(args: Args) -> None:
    """Find out before the training whether the arguments will do.

    Raises:
        ValueError: a number is too small, or the opponents are unknown.
        OSError: the opponents' files are missing or cannot be read.
        ModuleNotFoundError: the opponents need a package that is not installed.
    """
    for name, number in (("envs", args.envs), ("steps", args.steps), ("hands", args.hands)):
        if number < 1:
            raise ValueError(f"--{name} {number}: must be at least 1")
    make_env(args.opponents).close()


def train_and_play(args: Args) -> None:
    """Train one seat, and print how it does."""
    torch.set_num_threads(1)  # more are slower for so small a network
    kind = DummyVecEnv if args.vec == "dummy" else SubprocVecEnv
    vec_env = make_vec_env(make_env, args.envs, 1, env_kwargs={"opponents": args.opponents}, vec_env_cls=kind)
    model = MaskablePPO("MlpPolicy", vec_env, n_steps=512, batch_size=256, gamma=1.0, seed=1, device="cpu")
    model.learn(args.steps)
    vec_env.close()

    env = make_env(args.opponents)
    earned = 0.0
    for hand in range(args.hands):
        observation, info = env.reset(seed=hand)
        over = False
        while not over:
            action, _ = model.predict(observation, action_masks=info["action_mask"])
            observation, reward, over, _, info = env.step(action)
            earned += float(reward)
    print(f"{earned / args.hands:+.2f} small bets a hand against {args.opponents} in {args.hands} hands")


if __name__ == "__main__":
    main()
