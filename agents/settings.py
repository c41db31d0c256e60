"""What self-play training can be told, with its defaults; free of torch, to keep programs' help quick."""

from dataclasses import dataclass, fields
from typing import Annotated

import tyro

_RANGES = {  # both ends allowed; beyond them, numbers overflow or memory ends
    "games": (1, 2**16),
    "rollout": (1, 2**22),
    "batch": (1, 2**22),
    "epochs": (1, 1000),
    "hidden": (1, 8192),
    "learning_rate": (1e-9, 1.0),
    "final_learning_rate": (0.0, 1.0),
    "entropy": (0.0, 1000.0),
    "final_entropy": (0.0, 1000.0),
    "clip": (1e-6, 1.0),
    "max_change": (1e-9, 1e9),
    "trace": (0.0, 1.0),
    "value_weight": (0.0, 1000.0),
    "max_gradient": (1e-6, 1e9),
    "unit": (1e-3, 1e9),
}


@dataclass(frozen=True)
class Settings:
    """How a network is trained. Schedules run in a straight line from the start of a training to its end."""

    games: int = 256
    """Games played side by side."""
    rollout: int = 16384
    """Decisions that are played between two updates of the network; a whole number for each game."""
    batch: int = 2048
    """Decisions in one gradient step."""
    epochs: int = 2
    """How often each decision is learned from."""
    hidden: int = 256
    """Units in each of the two hidden layers."""
    learning_rate: float = 2e-3
    """Adam's step size at the start."""
    final_learning_rate: float = 2e-4
    """Adam's step size at the end."""
    entropy: float = 0.05
    """Weight of the policy's entropy in the loss at the start, against normalised advantages."""
    final_entropy: float = 0.02
    """The same at the end; much less and a policy forgets what it seldom does."""
    clip: float = 0.2
    """PPO's bound on how far an update may move the chance of a move."""
    max_change: float = 0.03
    """An update ends early once it has moved the policy further than this, as mean KL divergence."""
    trace: float = 0.95
    """GAE's λ, along each seat's own decisions of a hand."""
    value_weight: float = 0.5
    """Weight of the value's error in the loss."""
    max_gradient: float = 0.5
    """Longer gradients are cut to this length."""
    unit: float = 8.0
    """What counts as a return of 1, in small bets (Detective: points): it brings most within ±1."""
    bfloat16: Annotated[
        bool,
        tyro.conf.arg(
            help="Multiply matrices in float32 where training would in bfloat16; processors without bfloat16 "
            "are faster so.",
            help_behavior_hint="(default: bfloat16)",
        ),
    ] = True
    """Whether training multiplies matrices in bfloat16; processors without it are faster without."""

    def __post_init__(self) -> None:
        for field in fields(self):
            name, value = field.name, getattr(self, field.name)
            if name not in _RANGES:
                if not isinstance(value, bool):
                    raise _refusal(name, value, "True or False")
                continue
            low, high = _RANGES[name]
            kind, kinds = ("whole number", int) if isinstance(field.default, int) else ("number", int | float)
            if isinstance(value, bool) or not isinstance(value, kinds) or not low <= value <= high:
                raise _refusal(name, value, f"a {kind} from {low} to {high}")
        if self.rollout % self.games:
            raise _refusal("rollout", self.rollout, f"a multiple of games={self.games!r}")


def _refusal(name: str, value: object, allowed: str) -> ValueError:
    from card_table.given import quote  # it imports NumPy, which programs' help goes without

    return ValueError(f"{name}={quote(value)}: must be {allowed}")


# What each game is learned with unless other settings are given.
SETTINGS = {
    "palace": Settings(),
    "detective": Settings(
        rollout=12288,  # whole hands, of 16 decisions with four players or 12 with three
        learning_rate=1.5e-3,
        final_learning_rate=1e-4,
        final_entropy=0.01,
        unit=4.0,
    ),
}
