"""One table of any game as a PettingZoo AEC environment."""

import secrets
from collections.abc import Mapping
from typing import Any

import gymnasium
import numpy as np
import numpy.typing as npt
from gymnasium import spaces
from pettingzoo import AECEnv
from pettingzoo.utils.env import AECIterable

from card_table.game import Game, IllegalMoveError, NotPlayingError, States
from card_table.history import PlayedHand, write_out
from card_table.rng import check_seed

RENDER_MODES = ("human", "ansi")


class TableEnv(AECEnv):  # type: ignore[type-arg,misc]
    """One table of a game: a batch of one over the game's compiled loops.

    It enforces order and legality itself, see ``step``. All agents terminate together when the episode is over.

    Attributes:
        game: what is played.
        possible_agents: ``player_0`` … ``player_{N-1}``, the number being the seat.
        agents: those still to be stepped, [] before the first reset.
        agent_selection: the agent whose move it is.
        rewards: what each agent earned by the last step: zero unless it ended a hand.
        terminations: whether the episode is over.
        truncations: always False.
        infos: always {}.
        state_space: of ``state``.
    """

    def __init__(self, game: Game, render_mode: str | None = None) -> None:
        """Set the table; ``reset`` deals.

        Raises:
            ValueError: an unknown render mode.
        """
        if render_mode is not None and render_mode not in RENDER_MODES:
            raise ValueError(f"render_mode={render_mode!r}: must be None or one of {list(RENDER_MODES)}")
        self.game = game
        self.metadata = {
            "name": f"{game.name}_v0",
            "render_modes": list(RENDER_MODES),
            "is_parallelizable": False,
        }
        self.render_mode = render_mode
        self.possible_agents = game.seat_names
        self.observation_spaces = {agent: _observation_space(game) for agent in self.possible_agents}
        self.action_spaces = {agent: spaces.Discrete(game.n_actions) for agent in self.possible_agents}
        self.state_space = spaces.Box(0, 255, (game.state_size,), np.uint8)
        self._seats = {agent: seat for seat, agent in enumerate(self.possible_agents)}
        self._names = list(self.possible_agents)
        self.agents: list[str] = []
        self.rewards: dict[str, float] = {}
        self.terminations: dict[str, bool] = {}
        self.truncations: dict[str, bool] = {}
        self.infos: dict[str, dict[str, Any]] = {}
        self._cumulative_rewards: dict[str, float] = {}
        self._started = False
        self._playing = False
        self._earned = False
        self._states = game.record.copy()
        self._script: list[int] = []
        self._hands: list[PlayedHand] = []
        self._written: list[dict[str, Any]] = []
        self._lay_out()

    def _lay_out(self) -> None:
        game = self.game
        self._observations = np.zeros((1, game.layout.size), np.uint8)
        self._masks = np.zeros((1, game.n_actions), np.bool_)
        self._actors = np.zeros(1, np.int64)
        self._actions = np.zeros(1, np.int64)
        self._payoffs = np.zeros((1, game.players), np.float32)
        self._over = np.zeros(1, np.bool_)
        self._hand_over = np.zeros(1, np.bool_)
        self._seen = self._observations[0]
        self._legal = self._masks[0]
        self._legal_bytes = self._legal.view(np.int8)

    def observation_space(self, agent: str) -> spaces.Space[Any]:
        """An agent's observation space, the same object at each call."""
        self._seat(agent)
        return self.observation_spaces[agent]

    def action_space(self, agent: str) -> spaces.Space[Any]:
        """An agent's action space, the same object at each call."""
        self._seat(agent)
        return self.action_spaces[agent]

    def reset(self, seed: int | None = None, options: Mapping[str, Any] | None = None) -> None:
        """Deal a new episode."""
        states = self.game.record.copy()
        if seed is not None:
            states["seed"] = check_seed(seed)
        elif self._started:
            states["seed"] = self._states["seed"]
            states["deals"] = self._states["deals"]
        else:
            states["seed"] = secrets.randbits(63)
        given = {} if options is None else options
        kernels = self.game.kernels
        kernels.prepare(states, 0, False)
        reserved, script = self.game.prescribe(states, given)
        before = (self._observations, self._masks, self._actors)
        shown = tuple(np.zeros_like(array) for array in before)
        kernels.deal_hand(states, 0, reserved, *shown)
        self.game.check_deal(states, given)
        for array, new in zip(before, shown, strict=True):
            array[:] = new
        self._states = states
        self._script = script
        self._hands = []
        self._written = []
        self.agents = list(self.possible_agents)
        self.rewards = dict.fromkeys(self.agents, 0.0)
        self._cumulative_rewards = dict.fromkeys(self.agents, 0.0)
        self.terminations = dict.fromkeys(self.agents, False)
        self.truncations = dict.fromkeys(self.agents, False)
        self.infos = {agent: {} for agent in self.agents}
        self._started = True
        self._playing = True
        self._earned = False
        self._begin_hand()

    def _begin_hand(self) -> None:
        self._start = self._states.copy()
        self._start_script = list(self._script)
        self._taken: list[int] = []
        self.agent_selection = self._names[self._actors[0]]

    def step(self, action: int | None) -> None:
        """Take an action of the agent to move."""
        if not self._playing:
            self._step_dead(action)
            return
        chosen = self._check_action(action)
        if self._script:
            self.game.feed(self._states, chosen, self._script)
        self._actions[0] = chosen
        self._taken.append(chosen)
        self._cumulative_rewards[self.agent_selection] = 0.0
        if self._earned:
            self._earned = False
            self.rewards = dict.fromkeys(self.agents, 0.0)
        self.game.kernels.step(
            self._states,
            0,
            1,
            self._actions,
            False,
            self._observations,
            self._masks,
            self._actors,
            self._payoffs,
            self._over,
            self._hand_over,
        )
        if self._hand_over[0]:
            self._end_hand()
        else:
            self.agent_selection = self._names[self._actors[0]]

    def _end_hand(self) -> None:
        self._earned = True
        self._hands.append(PlayedHand(self._start, self._start_script, self._taken))
        for agent, payoff in zip(self._names, self._payoffs[0].tolist(), strict=True):
            self.rewards[agent] = payoff
            self._cumulative_rewards[agent] += payoff
        if self._over[0]:
            self._playing = False
            self.terminations = dict.fromkeys(self.agents, True)
            self.agent_selection = self.agents[0]
            return
        kernels = self.game.kernels
        kernels.prepare(self._states, 0, True)
        kernels.deal_hand(self._states, 0, 0, self._observations, self._masks, self._actors)
        self._script = []
        self._begin_hand()

    def _step_dead(self, action: object) -> None:
        if not self.agents:
            raise self._not_playing("step")
        if action is not None:
            raise IllegalMoveError(
                f"action {action!r} of {self.agent_selection}: the game is over, only None is taken"
            )
        gone = self.agents.pop(0)
        for table in (
            self.rewards,
            self._cumulative_rewards,
            self.terminations,
            self.truncations,
            self.infos,
        ):
            del table[gone]
        for agent in self.agents:
            self.rewards[agent] = 0.0
        if self.agents:
            self.agent_selection = self.agents[0]

    def _check_action(self, action: object) -> int:
        if isinstance(action, int | np.integer) and not isinstance(action, bool):
            chosen = int(action)
            if 0 <= chosen < self.game.n_actions and self._legal[chosen]:
                return chosen
        raise self._illegal(action)

    def _illegal(self, action: object) -> IllegalMoveError:
        words = ""
        if isinstance(action, int | np.integer) and not isinstance(action, bool):
            words = self.game.format_move(self._states, int(action))
        legal = [self.game.format_move(self._states, int(move)) for move in np.flatnonzero(self._legal)]
        named = f"{action!r} ({words})" if words else repr(action)
        return IllegalMoveError(
            f"action {named} of seat {int(self._actors[0])} is not allowed now: choose from {', '.join(legal)}"
        )

    def last(self, observe: bool = True) -> tuple[Any, float, bool, bool, dict[str, Any]]:
        """What the agent to move observes, earned since its last move, and whether the episode is over."""
        if not self.agents:
            raise self._not_playing("last")
        agent = self.agent_selection
        return (
            self.observe(agent) if observe else None,
            self._cumulative_rewards[agent],
            self.terminations[agent],
            self.truncations[agent],
            self.infos[agent],
        )

    def agent_iter(self, max_iter: int = 2**63) -> AECIterable:
        """The agents whose move it is, one at a time, to the end of the episode."""
        if not self._started:
            raise self._not_playing("agent_iter")
        return super().agent_iter(max_iter)

    def observe(self, agent: str) -> dict[str, npt.NDArray[Any]]:
        """What an agent sees, in fresh arrays."""
        seat = self._seat(agent)
        if not self._started:
            raise self._not_playing("observe")
        if self._playing and agent == self.agent_selection:
            return {"observation": self._seen.copy(), "action_mask": self._legal_bytes.copy()}
        observation = np.zeros(self.game.layout.size, np.uint8)
        self.game.kernels.look(self._states, 0, seat, observation)
        return {"observation": observation, "action_mask": np.zeros(self.game.n_actions, np.int8)}

    def state(self) -> npt.NDArray[np.uint8]:
        """The whole truth as uint8 (state_size,)."""
        if not self._started:
            raise self._not_playing("state")
        out = np.zeros(self.game.state_size, np.uint8)
        self.game.encode_state(self._states, out)
        return out

    def move_text(self, action: int) -> str:
        """A legal action of the agent to move in the notation."""
        if not self._playing:
            raise self._not_playing("move_text")
        return self.game.format_move(self._states, self._check_action(action))

    def parse_move(self, text: str) -> int:
        """The action of the agent to move that a text means."""
        if not self._playing:
            raise self._not_playing("parse_move")
        return self.game.parse_move(self._states, text)

    def view_text(self, agent: str) -> str:
        """What an agent may know, in sentences."""
        seat = self._seat(agent)
        if not self._started:
            raise self._not_playing("view_text")
        return self.game.view_text(self._view(seat))

    def _view(self, seat: int) -> States:
        views = np.zeros_like(self._states)
        self.game.kernels.see(self._states, 0, 1, np.array([seat], np.int64), views)
        return views

    @property
    def histories(self) -> list[dict[str, Any]]:
        """The finished hands of this episode."""
        while len(self._written) < len(self._hands):
            self._written.append(write_out(self.game, self._hands[len(self._written)]))
        return list(self._written)

    @property
    def winners(self) -> list[int]:
        """The seats that won or share it, [] before the end."""
        return self.game.winners(self._states) if self._started and not self._playing else []

    def render(self) -> str | None:
        """The view of the seat to move: printed in mode ``human``, returned in mode ``ansi``."""
        if self.render_mode is None:
            gymnasium.logger.warn("render() does nothing without a render_mode: choose 'human' or 'ansi'")
            return None
        text = self.view_text(self.agent_selection)
        if self.render_mode == "human":
            print(text)
            return None
        return text

    def close(self) -> None:
        """Nothing to close."""

    def _seat(self, agent: str) -> int:
        try:
            return self._seats[agent]
        except (KeyError, TypeError):
            raise ValueError(f"agent {agent!r} is unknown: choose from {self._names}") from None

    def _not_playing(self, what: str) -> NotPlayingError:
        return NotPlayingError(f"{what} needs a game in progress: call reset first")


def _observation_space(game: Game) -> spaces.Dict:
    return spaces.Dict(
        {
            "observation": spaces.Box(np.zeros_like(game.layout.high), game.layout.high, dtype=np.uint8),
            "action_mask": spaces.Box(0, 1, (game.n_actions,), np.int8),
        }
    )
