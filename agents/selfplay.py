"""Self-play: one network plays every seat of many tables and learns from every seat's decisions.

It is PPO as in sb3-contrib's MaskablePPO, with returns that belong to seats. Players take turns, so the
decisions of each seat are strung together apart from the others', and what a decision brings a seat, its own
or another's, is credited to the last decision that the seat had taken by then. In some games a hand's end
tells which decision brought what; in the others all of it counts as brought by the decision that ended the
hand, and goes to each seat's last one, even if it was beaten long before the end. Hands are learned from when
they are over and never cut: those that go on at the end of a rollout wait, whole, for the next.
"""

from collections.abc import Mapping
from concurrent.futures import ThreadPoolExecutor
from typing import Any, Self

import numpy as np
import numpy.typing as npt
import torch
from gymnasium import spaces
from sb3_contrib import MaskablePPO
from sb3_contrib.common.maskable.policies import MaskableActorCriticPolicy
from stable_baselines3.common.logger import Logger
from stable_baselines3.common.torch_layers import BaseFeaturesExtractor
from torch import nn
from torch.nn import functional

from agents.policy import Weights, choose
from agents.settings import SETTINGS, Settings
from agents.spec import PLAYABLE
from card_table.batch import Batch
from card_table.compile import rule
from card_table.game import Game

_ILLEGAL = -1e8  # the score of an illegal move
_PARTS = 2  # of every gradient step, whatever the threads, which therefore do not change the result


class Trunk(BaseFeaturesExtractor):
    """Two hidden layers of rectified units, shared by policy and value, over observations scaled to 0 … 1."""

    scale: torch.Tensor

    def __init__(self, observation_space: spaces.Box, hidden: int) -> None:
        super().__init__(observation_space, hidden)
        self.first = nn.Linear(observation_space.shape[0], hidden)
        self.second = nn.Linear(hidden, hidden)
        self.register_buffer("scale", torch.from_numpy(1 / observation_space.high.astype(np.float32)))

    def forward(self, observations: torch.Tensor) -> torch.Tensor:
        """The units (n, hidden) that raw observations (n, D), of any dtype, lead to."""
        # Scaling the weights instead of the observations gives the same for less work.
        whole = observations.to(torch.bfloat16 if torch.is_autocast_enabled("cpu") else torch.float32)
        units = functional.relu(functional.linear(whole, self.first.weight * self.scale, self.first.bias))
        return functional.relu(self.second(units))


class Decisions:
    """Decisions in the order in which they were taken, in arrays that grow as needed.

    Attributes:
        size: how many there are; the rows of the arrays beyond it are room.
        observations: what the seat to move saw, uint8 (C, D).
        masks: what it might do, bool (C, A).
        actions: what it did, int64 (C,).
        logs: the logarithm of that action's chance then, float32 (C,).
        values: the return that was expected then, float32 (C,).
        games: the game's row in the batch, int32 (C,).
        seats: the seat, int32 (C,).
        ended: whether this decision ended the hand, bool (C,).
        payoffs: where it ended the hand, what the last T decisions of the hand, up to and with this one,
            brought each seat, as parts of a return, float32 (C, T, N).
        complete: whether the hand is over, bool (C,); see ``credit``, as for the next two.
        advantages: float32 (C,).
        returns: float32 (C,).
    """

    def __init__(self, game: Game, room: int, told: int = 1) -> None:
        """Make room for so many decisions; ``told`` is T, of how many it is told what they brought."""
        self.size = 0
        self.observations = np.empty((room, game.layout.size), np.uint8)
        self.masks = np.empty((room, game.n_actions), np.bool_)
        self.actions = np.empty(room, np.int64)
        self.logs = np.empty(room, np.float32)
        self.values = np.empty(room, np.float32)
        self.games = np.empty(room, np.int32)
        self.seats = np.empty(room, np.int32)
        self.ended = np.empty(room, np.bool_)
        self.payoffs = np.empty((room, told, game.players), np.float32)
        self.complete = np.empty(room, np.bool_)
        self.advantages = np.empty(room, np.float32)
        self.returns = np.empty(room, np.float32)

    def arrays(self) -> dict[str, npt.NDArray[Any]]:
        """The arrays by name."""
        return {name: value for name, value in vars(self).items() if isinstance(value, np.ndarray)}

    def extend(self, count: int) -> slice:
        """Room for more decisions: the rows that they take."""
        rows = slice(self.size, self.size + count)
        if rows.stop > len(self.actions):
            for name, array in self.arrays().items():
                setattr(self, name, np.concatenate([array, np.empty_like(array)]))
        self.size = rows.stop
        return rows

    def credit(self, games: int, trace: float) -> None:
        """Tell which decisions belong to finished hands, and work out their advantages and returns.

        A decision's return is what its seat earned from it on until the hand ended; advantages are GAE,
        without discount, along the seat's own decisions of the hand.

        Args:
            games: how many there are.
            trace: GAE's λ.
        """
        rows = slice(self.size)
        _credit(
            self.games[rows],
            self.seats[rows],
            self.values[rows],
            self.ended[rows],
            self.payoffs[rows],
            np.float32(trace),
            np.full(games, -1),
            np.zeros(games, np.int64),
            np.zeros((4, games, self.payoffs.shape[2]), np.float32),
            self.complete[rows],
            self.advantages[rows],
            self.returns[rows],
        )

    def drop_complete(self) -> None:
        """Forget the decisions of finished hands; the others keep their order."""
        kept = np.flatnonzero(~self.complete[: self.size])
        for array in self.arrays().values():
            array[: len(kept)] = array[kept]
        self.size = len(kept)


class SelfPlay(MaskablePPO):
    """MaskablePPO that deals its own tables and learns from every seat.

    Of its parent it uses the policy class, schedules and logger. Play and update are its own, ``iterate`` is
    one round of them; it has no environment, takes no callbacks and is kept by ``snapshot``, not by ``save``.

    Attributes:
        game: what is played.
        settings: how it learns.
        tables: the games.
        decisions: those of unfinished hands, and during an update those that are learned from.
        rng: where all chance after the network's first weights comes from, deals apart.
        iterations: updates so far.
        hands: hands learned from so far.

    Two threads of Python's may share the learning: each does half of every gradient step, and they wait for
    each other once in it. Threads of torch's own do so in every operation, and lose more by it than they gain
    when the machine is busy.
    """

    policy: MaskableActorCriticPolicy

    def __init__(self, game: Game, settings: Settings | None = None, seed: int = 0, threads: int = 1) -> None:
        """Deal the first hands and make the network.

        Args:
            game: what is played.
            settings: how to learn; None: the game's defaults.
            seed: where all chance comes from.
            threads: 1, or more for two; the result is the same. Torch itself should have a single one, by
                ``torch.set_num_threads(1)``.

        Raises:
            ValueError: the game pays in a way that cannot be credited to decisions.
        """
        self.game = game
        self.settings = chosen = settings or SETTINGS[game.name]
        self.tables = Batch(game, chosen.games, seed=seed)
        self._credit = PLAYABLE[game.name].credit
        told = self._brought(np.zeros(1, np.int64), np.zeros(1, np.int64)).shape[1]
        self.decisions = Decisions(game, chosen.rollout + 16 * chosen.games, told)
        self.rng = np.random.default_rng([seed, 1])
        self.iterations = 0
        self.hands = 0
        self._pool = (
            ThreadPoolExecutor(_PARTS, initializer=torch.set_num_threads, initargs=(1,))
            if threads > 1
            else None
        )
        super().__init__(
            MaskableActorCriticPolicy,
            None,  # type: ignore[arg-type]
            learning_rate=lambda left: _between(chosen.final_learning_rate, chosen.learning_rate, left),
            n_steps=chosen.rollout // chosen.games,
            batch_size=chosen.batch,
            n_epochs=chosen.epochs,
            gamma=1.0,
            gae_lambda=chosen.trace,
            clip_range=chosen.clip,
            ent_coef=chosen.entropy,
            vf_coef=chosen.value_weight,
            max_grad_norm=chosen.max_gradient,
            policy_kwargs={
                "net_arch": {"pi": [], "vf": []},
                "features_extractor_class": Trunk,
                "features_extractor_kwargs": {"hidden": chosen.hidden},
                "optimizer_kwargs": {"eps": 1e-5, "fused": True},
            },
            seed=seed,
            device="cpu",
            _init_setup_model=False,
        )
        self.n_envs = chosen.games
        self.observation_space = spaces.Box(np.zeros_like(game.layout.high), game.layout.high, dtype=np.uint8)
        self.action_space = spaces.Discrete(game.n_actions)
        self.set_logger(Logger(None, []))
        self._setup_model()

    def _setup_model(self) -> None:
        self._setup_lr_schedule()
        self.set_random_seed(self.seed)
        self.policy = MaskableActorCriticPolicy(
            self.observation_space, self.action_space, self.lr_schedule, **self.policy_kwargs
        )

    def iterate(self, progress: float) -> dict[str, float]:
        """Play one rollout and learn from it.

        Args:
            progress: how much of the training is behind, 0 to 1, for the schedules.

        Returns:
            Figures about it, by name.
        """
        self._current_progress_remaining = left = 1 - min(max(progress, 0.0), 1.0)
        self.ent_coef = _between(self.settings.final_entropy, self.settings.entropy, left)
        self.collect()
        decisions = self.decisions
        decisions.credit(self.tables.size, self.settings.trace)
        rows = np.flatnonzero(decisions.complete[: decisions.size])
        ended = int(decisions.ended[: decisions.size].sum())
        figures = {}
        if ended:
            figures["decisions a hand"] = len(rows) / ended
            figures["value fit"] = _fit(decisions.returns[rows], decisions.values[rows])
            figures.update(self.update(rows))
        decisions.drop_complete()
        self.iterations += 1
        self.hands += ended
        return figures

    def learn(self, total_timesteps: int) -> Self:  # type: ignore[override]
        """Train for at least so many decisions more."""
        start = self.num_timesteps
        while self.num_timesteps < start + total_timesteps:
            self.iterate((self.num_timesteps - start) / total_timesteps)
        return self

    def collect(self) -> None:
        """Play ``n_steps`` decisions of every game."""
        tables, decisions, weights = self.tables, self.decisions, self.weights()
        games = np.arange(tables.size)
        for _ in range(self.n_steps):
            rows = decisions.extend(tables.size)
            decisions.observations[rows] = tables.observations
            decisions.masks[rows] = tables.masks
            scores = weights.scores(tables.observations)
            actions, logs = choose(scores, decisions.masks[rows], self.rng)
            decisions.actions[rows] = actions
            decisions.logs[rows] = logs
            decisions.values[rows] = scores[:, -1]
            decisions.games[rows] = games
            decisions.seats[rows] = tables.actors
            tables.step(actions)
            decisions.ended[rows] = tables.hand_over
            ended = np.flatnonzero(tables.hand_over)
            if len(ended):
                decisions.payoffs[rows.start + ended] = self._brought(ended, decisions.seats[rows][ended])
        self.num_timesteps += tables.size * self.n_steps

    def _brought(
        self, games: npt.NDArray[np.int64], seats: npt.NDArray[np.integer]
    ) -> npt.NDArray[np.float32]:
        """What the last decisions of hands that just ended brought each seat, as parts of a return.

        Args:
            games: rows of the games, (n,).
            seats: who took the last decision, (n,).

        Returns:
            float32 (n, T, N).
        """
        unit = np.float32(self.settings.unit)
        if self._credit is None:
            return self.tables.rewards[games, None] / unit
        return self._credit(self.tables.states[games], seats) / unit

    def update(self, rows: npt.NDArray[np.int64]) -> dict[str, float]:
        """Learn from some of the decisions, whose advantages it normalises.

        Args:
            rows: which ones, (n,).

        Returns:
            Means over the gradient steps, by name.
        """
        self._update_learning_rate(self.policy.optimizer)
        self.policy.set_training_mode(True)
        decisions, chosen = self.decisions, self.settings
        advantages = decisions.advantages[rows]
        decisions.advantages[rows] = (advantages - advantages.mean()) / (advantages.std() + 1e-8)
        columns = [
            torch.from_numpy(array)
            for array in (
                decisions.observations,
                decisions.masks,
                decisions.actions,
                decisions.logs,
                decisions.advantages,
                decisions.returns,
            )
        ]
        parameters = list(self.policy.parameters())
        size = min(chosen.batch, len(rows))
        figures: list[torch.Tensor] = []
        each = map if self._pool is None else self._pool.map

        def learn(part: torch.Tensor) -> tuple[tuple[torch.Tensor, ...], torch.Tensor]:
            loss, told = self.loss(*(column.index_select(0, part) for column in columns))
            share = len(part) / size
            return torch.autograd.grad(loss * share, parameters), told * share

        steps = len(rows) // size
        for step in range(chosen.epochs * steps):
            if step % steps == 0:
                order = torch.from_numpy(self.rng.permutation(rows))
                self._n_updates += 1
            # What is left over is too little for a step of its own; it is other decisions in the next epoch.
            start = step % steps * size
            learned = list(each(learn, order[start : start + size].chunk(_PARTS)))
            for parameter, gradients in zip(
                parameters, zip(*(gradients for gradients, _ in learned), strict=True), strict=True
            ):
                parameter.grad = torch.stack(gradients).sum(0)
            nn.utils.clip_grad_norm_(parameters, chosen.max_gradient, foreach=True)
            self.policy.optimizer.step()
            figures.append(torch.stack([told for _, told in learned]).sum(0))
            if float(figures[-1][3]) > chosen.max_change:
                break
        means = torch.stack(figures).mean(0).tolist()
        return dict(zip(("policy loss", "value loss", "entropy", "KL", "clipped"), means, strict=True))

    def loss(
        self,
        observations: torch.Tensor,
        masks: torch.Tensor,
        actions: torch.Tensor,
        logs: torch.Tensor,
        advantages: torch.Tensor,
        returns: torch.Tensor,
    ) -> tuple[torch.Tensor, torch.Tensor]:
        """PPO's loss over some decisions, and its parts for the record: see ``update``."""
        with torch.autocast("cpu", torch.bfloat16, enabled=self.settings.bfloat16):
            units = self.policy.features_extractor(observations)
            scores, values = self.policy.action_net(units).float(), self.policy.value_net(units).float()
        all_logs = functional.log_softmax(scores.masked_fill(~masks, _ILLEGAL), -1)
        entropy = -(all_logs.exp() * all_logs).masked_fill(~masks, 0).sum(-1).mean()
        change = all_logs.gather(1, actions[:, None]).squeeze(1) - logs
        ratio = change.exp()
        clip = self.settings.clip
        policy_loss = -torch.min(advantages * ratio, advantages * ratio.clamp(1 - clip, 1 + clip)).mean()
        # The squared error, but linear beyond 1: a few hands with huge pots would outweigh all others.
        value_loss = 2 * functional.smooth_l1_loss(values.squeeze(1), returns)
        loss = policy_loss - self.ent_coef * entropy + self.settings.value_weight * value_loss
        with torch.no_grad():
            told = torch.stack(
                [
                    policy_loss,
                    value_loss,
                    entropy,
                    (ratio - 1 - change).mean(),
                    ((ratio - 1).abs() > clip).float().mean(),
                ]
            )
        return loss, told

    def weights(self) -> Weights:
        """The network as it is now, the value in the last column."""
        trunk = self.policy.features_extractor
        assert isinstance(trunk, Trunk)
        weights = {name: parameter.detach().numpy() for name, parameter in self.policy.named_parameters()}
        return Weights(
            np.ascontiguousarray(weights["features_extractor.first.weight"].T * trunk.scale.numpy()[:, None]),
            weights["features_extractor.first.bias"].copy(),
            np.ascontiguousarray(weights["features_extractor.second.weight"].T),
            weights["features_extractor.second.bias"].copy(),
            np.ascontiguousarray(
                np.concatenate([weights["action_net.weight"], weights["value_net.weight"]]).T
            ),
            np.concatenate([weights["action_net.bias"], weights["value_net.bias"]]),
        )

    def snapshot(self) -> tuple[dict[str, npt.NDArray[Any]], dict[str, Any]]:
        """All that going on needs: arrays by name, and what fits into JSON."""
        tables = self.tables
        arrays: dict[str, npt.NDArray[Any]] = {
            "states": tables.states.view(np.uint8).reshape(tables.size, -1),
        }
        for name, array in self.decisions.arrays().items():
            arrays["decisions." + name] = array[: self.decisions.size]
        for name, parameter in self.policy.named_parameters():
            arrays["network." + name] = parameter.detach().numpy()
            for key, value in self.policy.optimizer.state[parameter].items():
                arrays[f"optimizer.{key}.{name}"] = value.numpy()
        state = {
            "rng": self.rng.bit_generator.state,
            "decisions": self.num_timesteps,
            "iterations": self.iterations,
            "hands": self.hands,
        }
        return {name: array.copy() for name, array in arrays.items()}, state

    def restore(self, arrays: Mapping[str, npt.NDArray[Any]], state: Mapping[str, Any]) -> None:
        """Go back to a snapshot of the same game, settings and seed.

        Raises:
            ValueError: it is not one; this object may not be used any further.
        """
        tables, decisions = self.tables, self.decisions
        size = len(arrays["decisions.actions"])
        decisions.size = 0
        decisions.extend(size)
        states = tables.states.copy()
        _put(states.view(np.uint8).reshape(tables.size, -1), arrays, "states")
        tables.restore(states)
        for name, array in decisions.arrays().items():
            _put(array[:size], arrays, "decisions." + name)
        optimizer = self.policy.optimizer
        for name, parameter in self.policy.named_parameters():
            _put(parameter.detach().numpy(), arrays, "network." + name)
            if f"optimizer.step.{name}" not in arrays:
                continue
            optimizer.state[parameter] = moments = {
                "step": torch.zeros(()),
                "exp_avg": torch.zeros_like(parameter),
                "exp_avg_sq": torch.zeros_like(parameter),
            }
            for key, value in moments.items():
                _put(value.numpy(), arrays, f"optimizer.{key}.{name}")
        self.rng.bit_generator.state = state["rng"]
        self.num_timesteps = state["decisions"]
        self.iterations = state["iterations"]
        self.hands = state["hands"]


def _between(end: float, start: float, left: float) -> float:
    return end + left * (start - end)


def _fit(returns: npt.NDArray[np.float32], values: npt.NDArray[np.float32]) -> float:
    """The share of the returns' variance that the values explain; 0 if there is none."""
    variance = float(np.var(returns))
    return 1 - float(np.var(returns - values)) / variance if variance else 0.0


def _put(target: npt.NDArray[Any], arrays: Mapping[str, npt.NDArray[Any]], name: str) -> None:
    found = arrays.get(name)
    if found is None or found.shape != target.shape or found.dtype != target.dtype:
        told = "missing" if found is None else f"{found.dtype} {found.shape}"
        raise ValueError(f"array {name!r} is {told}: must be {target.dtype} {target.shape}")
    target[...] = found


@rule
def _credit(
    games: npt.NDArray[np.int32],
    seats: npt.NDArray[np.int32],
    values: npt.NDArray[np.float32],
    ended: npt.NDArray[np.bool_],
    payoffs: npt.NDArray[np.float32],
    trace: np.float32,
    last: npt.NDArray[np.int64],
    told: npt.NDArray[np.int64],
    carried: npt.NDArray[np.float32],
    complete: npt.NDArray[np.bool_],
    advantages: npt.NDArray[np.float32],
    returns: npt.NDArray[np.float32],
) -> None:
    """Go back through the decisions.

    Of later ones tell ``last`` (G,), the row that ended the game's hand or -1, ``told`` (G,), how many more
    decisions it says what they brought, and ``carried`` (4, G, N): what each seat earned after the decision
    looked at, the part of it that is credited to none of its decisions yet, and the value and the advantage
    of its next one.
    """
    earned, pending, next_value, next_advantage = carried[0], carried[1], carried[2], carried[3]
    for row in range(len(games) - 1, -1, -1):
        game, seat = games[row], seats[row]
        if ended[row]:
            last[game] = row
            told[game] = payoffs.shape[1]
            carried[:, game] = 0
        complete[row] = last[game] >= 0
        if not complete[row]:
            continue
        if told[game] > 0:
            told[game] -= 1
            for other in range(payoffs.shape[2]):
                brought = payoffs[last[game], told[game], other]
                earned[game, other] += brought
                pending[game, other] += brought
        after = pending[game, seat] + next_value[game, seat]
        advantage = after - values[row] + trace * next_advantage[game, seat]
        advantages[row] = advantage
        returns[row] = earned[game, seat]
        pending[game, seat] = 0
        next_value[game, seat] = values[row]
        next_advantage[game, seat] = advantage
