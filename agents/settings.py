"""What self-play training can be told, with its defaults; free of torch, to keep programs' help quick."""

from dataclasses import dataclass, fields


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
    """What counts as a return of 1, in small bets: it brings most results of a hand within ±1."""
    bfloat16: bool = True
    """Whether training multiplies matrices in bfloat16; processors without it are faster without."""

    def __post_init__(self) -> None:
        for field in fields(self):
            value = getattr(self, field.name)
            if field.type is bool:
                continue
            low = (
                0.0
                if field.name in ("final_entropy", "entropy", "final_learning_rate", "trace", "value_weight")
                else None
            )
            if not (value >= low if low is not None else value > 0):
                raise ValueError(
                    f"{field.name}={value!r}: must be {'at least 0' if low is not None else 'above 0'}"
                )
        if self.trace > 1:
            raise ValueError(f"trace={self.trace!r}: must be from 0 to 1")
        if self.rollout % self.games:
            raise ValueError(f"rollout={self.rollout!r}: must be a multiple of games={self.games!r}")
