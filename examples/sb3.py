"""Train stock MaskablePPO on one seat of a table, scripts in the others: ``python examples/sb3.py``.

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

    game: Literal["palace", "detective"] = "palace"
    """What is played."""
    vec: Literal["dummy", "subproc"] = "dummy"
    """Environments in this process, or in one process each."""
    envs: int = 4
    """Environments side by side."""
    steps: int = 20_000
    """The learner's decisions."""
    hands: int = 200
    """Hands that it plays in the end."""
    opponents: str = "equity"
    """Who sits in the other seats."""


def make_env(game: str, opponents: str) -> gymnasium.Env[Any, Any]:
    """One table, an episode a hand; what stands before the colon is imported, which registers the name."""
    name = f"{game}_env.{game}_v0:{game}_env/{game.capitalize()}-v0"
    return gymnasium.make(name, players=4, hands=1, opponents=opponents)


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
        ValueError: a number is out of range, or the opponents are unknown.
        OSError: the opponents' files are missing or cannot be read.
        ModuleNotFoundError: the opponents need a package that is not installed.
    """
    for name, number, most in (
        ("envs", args.envs, 1000),
        ("steps", args.steps, 10**9),
        ("hands", args.hands, 10**7),
    ):
        if not 1 <= number <= most:
            raise ValueError(f"--{name} {number}: must be from 1 to {most}")
    make_env(args.game, args.opponents).close()


def train_and_play(args: Args) -> None:
    """Train one seat, and print how it does."""
    torch.set_num_threads(1)  # more are slower for so small a network
    kind = DummyVecEnv if args.vec == "dummy" else SubprocVecEnv
    table = {"game": args.game, "opponents": args.opponents}
    vec_env = make_vec_env(make_env, args.envs, 1, env_kwargs=table, vec_env_cls=kind)
    model = MaskablePPO("MlpPolicy", vec_env, n_steps=512, batch_size=256, gamma=1.0, seed=1, device="cpu")
    model.learn(args.steps)
    vec_env.close()

    env = make_env(**table)
    earned = 0.0
    for hand in range(args.hands):
        observation, info = env.reset(seed=hand)
        over = False
        while not over:
            action, _ = model.predict(observation, action_masks=info["action_mask"])
            observation, reward, over, _, info = env.step(action)
            earned += float(reward)
    unit = {"palace": "small bets", "detective": "points margin"}[args.game]
    print(f"{earned / args.hands:+.2f} {unit} a hand against {args.opponents} in {args.hands} hands")


if __name__ == "__main__":
    try:
        main()
    except KeyboardInterrupt:
        raise SystemExit(130) from None
