"""One table of any game as a PettingZoo AEC environment."""

import copy
import secrets
from collections.abc import Mapping
from typing import Any

import gymnasium
import numpy as np
import numpy.typing as npt
from gymnasium import spaces
from pettingzoo import AECEnv
from pettingzoo.utils.env import AECIterable

from card_table.game import Game, IllegalMoveError, NotPlayingError, States, check_game, copy_states
from card_table.given import is_whole, quote
from card_table.history import PlayedHand, replay, write_out
from card_table.rng import check_seed

RENDER_MODES = ("human", "ansi")
# What _lay_out makes: the state is enough to fill it again.
_ROWS = (
    *("_shown", "_outcome", "_action", "_observation", "_legal"),
    *("_mask", "_actor", "_payoffs", "_over", "_hand_over"),
)


class TableEnv(AECEnv):  # type: ignore[misc]
    """One table of a game: a batch of one over the game's compiled loops.

    It holds to order and legality itself and needs none of PettingZoo's wrappers. All agents terminate
    together, when the episode is over; a player who is out of a hand is just not asked again in it. Copies of
    any kind and pickle give an independent, identical game at any moment.

    Attributes:
        game: what is played.
        metadata: name, render modes, and that it cannot be stepped in parallel.
        render_mode: ``"human"``, ``"ansi"`` or None.
        possible_agents: ``player_0`` … ``player_{N-1}``, the number being the seat.
        agents: those still to be stepped; [] before the first reset.
        agent_selection: the agent to move, at the end the one to be removed; "" before a reset.
        rewards: what each agent earned by the last step, zero unless it ended a hand; the unit is the game's,
            and they are rounded to float32: ``histories`` give exact amounts.
        terminations: for each agent whether the episode is over.
        truncations: for each agent False.
        infos: for each agent {}.
        observation_spaces: for each agent that of ``observe``: uint8 (D,) and int8 (A,).
        action_spaces: for each agent Discrete(A).
        state_space: that of ``state``.
    """

    def __init__(self, game: Game, render_mode: str | None = None) -> None:
        """Set the table; ``reset`` deals.

        Args:
            game: what is played; never changed.
            render_mode: ``"human"`` prints the table after each move, ``"ansi"`` lets ``render`` return it.

        Raises:
            ValueError: an unknown render mode, or no game.
        """
        check_render_mode(render_mode)
        super().__init__()
        self.game = check_game(game)
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
        self.agents: list[str] = []
        self.agent_selection = ""
        self.rewards: dict[str, float] = {}
        self.terminations: dict[str, bool] = {}
        self.truncations: dict[str, bool] = {}
        self.infos: dict[str, dict[str, Any]] = {}
        self._cumulative_rewards: dict[str, float] = {}
        self._names = tuple(self.possible_agents)
        self._seats = {agent: seat for seat, agent in enumerate(self._names)}
        self._states = copy_states(game.record)
        self._started = False
        self._playing = False
        self._earned = False
        self._lone_hand = False
        self._lay_out()

    def _lay_out(self) -> None:
        """Make the arrays of the compiled loops, and views of their one row."""
        game = self.game
        self._shown = (
            np.zeros((1, game.layout.size), np.uint8),
            np.zeros((1, game.n_actions), np.bool_),
            np.zeros(1, np.int64),
        )
        self._outcome = (
            np.zeros((1, game.players), np.float32),
            np.zeros(1, np.bool_),
            np.zeros(1, np.bool_),
        )
        self._action = np.zeros(1, np.int64)
        self._observation = self._shown[0][0]
        self._legal = self._shown[1][0]
        self._mask = self._legal.view(np.int8)
        self._actor = self._shown[2]
        self._payoffs, self._over, self._hand_over = self._outcome

    @classmethod
    def from_history(
        cls, history: Mapping[str, Any], *games: type[Game], render_mode: str | None = None
    ) -> "TableEnv":
        """A table right after the deal of a history, to take its moves again; the episode is that hand alone.

        Of a match of several hands nothing else is known: text tells no totals, and nobody has won it.

        Args:
            history: a finished hand, see ``histories``.
            *games: the games of which it may be.
            render_mode: see the constructor.

        Raises:
            ValueError: it is no history of a hand played by the rules.
        """
        game, hand = replay(history, *games)
        env = cls(game, render_mode)
        env._lone_hand = True
        game.kernels.show(hand.start, 0, *env._shown)
        env._begin_episode(copy_states(hand.start), list(hand.script))
        env._states["seed"] = secrets.randbits(63)  # of later episodes; a history has none
        env._states["lone"] = game.hands > 1
        return env

    def observation_space(self, agent: str) -> spaces.Dict:
        """An agent's observation space, the same object at each call.

        Raises:
            ValueError: an unknown agent.
        """
        self._seat(agent)
        return self.observation_spaces[agent]

    def action_space(self, agent: str) -> spaces.Discrete:
        """An agent's action space, the same object at each call.

        Raises:
            ValueError: an unknown agent.
        """
        self._seat(agent)
        return self.action_spaces[agent]

    def reset(
        self, seed: int | np.integer[Any] | None = None, options: Mapping[str, Any] | None = None
    ) -> None:
        """Deal the first hand of a new episode.

        Args:
            seed: decides the deals; None goes on with the next deal under the last seed, at first under a
                random one.
            options: what this one reset prescribes, see the game's ``prescribe``.

        Raises:
            ValueError: an invalid seed or option; the game in progress has not changed.
        """
        states = copy_states(self.game.record)
        if seed is not None:
            states["seed"] = check_seed(seed)
        elif self._started:
            states["seed"] = self._states["seed"]
            states["deals"] = self._states["deals"]
        else:
            states["seed"] = secrets.randbits(63)
        kernels = self.game.kernels
        kernels.prepare(states, 0, False)
        reserved, script = (0, []) if options is None else self.game.prescribe(states, options)
        kernels.deal_hand(states, 0, reserved, *self._shown)
        if options is not None:
            try:
                self.game.check_deal(states, options)
            except ValueError:
                kernels.show(self._states, 0, *self._shown)
                raise
        self._lone_hand = False
        self._begin_episode(states, script)

    def _begin_episode(self, states: States, script: list[int]) -> None:
        self._states = states
        self._script = script
        self._hands: list[PlayedHand] = []
        self._written: list[dict[str, Any]] = []
        self.agents = list(self._names)
        self.rewards = dict.fromkeys(self._names, 0.0)
        self._cumulative_rewards = dict.fromkeys(self._names, 0.0)
        self.terminations = dict.fromkeys(self._names, False)
        self.truncations = dict.fromkeys(self._names, False)
        self.infos = {agent: {} for agent in self._names}
        self._started = True
        self._playing = True
        self._earned = False
        self._begin_hand()
        if self.render_mode == "human":
            self.render()

    def _begin_hand(self) -> None:
        self.agent_selection = self._names[self._actor[0]]
        self._hand = PlayedHand(copy_states(self._states), list(self._script), [])

    def step(self, action: int | np.integer[Any] | None) -> None:
        """Take an action of the agent to move; when the episode is over, None removes ``agent_selection``.

        Raises:
            NotPlayingError: before a reset, or when no agent is left.
            IllegalMoveError: no Python or NumPy integer, or not allowed now, see the message; nothing has
                changed.
        """
        if not self._playing:
            self._step_dead(action)
            return
        chosen = self._check_action(action)
        if self._script:
            self.game.feed(self._states, chosen, self._script)
        self._hand.actions.append(chosen)
        self._action[0] = chosen
        self._cumulative_rewards[self.agent_selection] = 0.0
        if self._earned:
            self.rewards = dict.fromkeys(self._names, 0.0)
            self._earned = False
        self.game.kernels.step(self._states, 0, 1, self._action, False, *self._shown, *self._outcome)
        if self._hand_over[0]:
            self._end_hand()
        else:
            self.agent_selection = self._names[self._actor[0]]
        if self.render_mode == "human":
            self.render()

    def _end_hand(self) -> None:
        self._hands.append(self._hand)
        self.rewards = dict(zip(self._names, self._payoffs[0].tolist(), strict=True))
        self._earned = True
        for agent, reward in self.rewards.items():
            self._cumulative_rewards[agent] += reward
        if self._over[0] or self._lone_hand:
            self._playing = False
            self.terminations = dict.fromkeys(self._names, True)
            self.agent_selection = self._names[0]
            return
        if self.render_mode == "human":
            self.render()
        kernels = self.game.kernels
        kernels.prepare(self._states, 0, True)
        kernels.deal_hand(self._states, 0, 0, *self._shown)
        self._script = []
        self._begin_hand()

    def _step_dead(self, action: object) -> None:
        if not self.agents:
            raise self._not_playing("step")
        if action is not None:
            raise IllegalMoveError(
                f"action {quote(action)} of seat {self._seats[self.agent_selection]}: the episode is over, "
                "only None is allowed until all agents are removed"
            )
        gone = self.agents.pop(0)
        for table in (self.terminations, self.truncations, self._cumulative_rewards, self.infos):
            del table[gone]
        self.rewards = dict.fromkeys(self.agents, 0.0)
        if self.agents:
            self.agent_selection = self.agents[0]

    def _check_action(self, action: object) -> int:
        if is_whole(action):
            chosen = int(action)
            if 0 <= chosen < len(self._legal) and self._legal[chosen]:
                return chosen
        raise self._illegal(action)

    def _illegal(self, action: object) -> IllegalMoveError:
        words = self._words()
        named = quote(action)
        if is_whole(action):
            text = self.game.format_move(self._states, int(action))
            named = quote(int(action)) + (f" ({text})" if text else "")
        return IllegalMoveError(
            f"action {named} of seat {self._seats[self.agent_selection]} is not allowed now: choose from "
            + ", ".join(f"{move} ({words[move]})" for move in words)
        )

    def _words(self) -> dict[int, str]:
        """The legal actions in the notation."""
        return {
            action: self.game.format_move(self._states, action)
            for action in np.flatnonzero(self._legal).tolist()
        }

    def last(self, observe: bool = True) -> tuple[Any, float, bool, bool, dict[str, Any]]:
        """Of the agent to move: observation, reward since its last step, terminated, truncated, info.

        Args:
            observe: whether to give the observation, as ``observe`` does, or None in its place.

        Raises:
            NotPlayingError: before a reset, or when no agent is left.
        """
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

    def agent_iter(self, max_iter: int = 2**63) -> AECIterable[str, Any, Any]:
        """The agents to step, one at a time, until all are removed.

        Raises:
            NotPlayingError: before a reset.
        """
        if not self._started:
            raise self._not_playing("agent_iter")
        return super().agent_iter(max_iter)

    def observe(self, agent: str) -> dict[str, npt.NDArray[Any]]:
        """What an agent sees, in fresh arrays.

        Returns:
            ``"observation"``: uint8 (D,), see the game's layout; ``"action_mask"``: int8 (A,), all zero
            unless it is this agent's move.

        Raises:
            NotPlayingError: before a reset.
            ValueError: an unknown agent.
        """
        seat = self._seat(agent)
        if self._playing and agent == self.agent_selection:
            return {"observation": self._observation.copy(), "action_mask": self._mask.copy()}
        self._check_started("observe")
        observation = np.zeros(len(self._observation), np.uint8)
        self.game.kernels.look(self._states, 0, seat, observation)
        return {"observation": observation, "action_mask": np.zeros(len(self._mask), np.int8)}

    def state(self) -> npt.NDArray[np.uint8]:
        """The whole truth, hidden cards and all, as uint8 (state_size,): for privileged critics, not players.

        Raises:
            NotPlayingError: before a reset.
        """
        self._check_started("state")
        out = np.zeros(self.game.state_size, np.uint8)
        self.game.encode_state(self._states, out)
        return out

    def view(self, agent: str) -> States:
        """What an agent may know, as a record in a fresh array (1,), for agents that are given views.

        Raises:
            NotPlayingError: before a reset.
            ValueError: an unknown agent.
        """
        return self._view(agent, "view")

    def view_text(self, agent: str) -> str:
        """What an agent may know, in sentences.

        Raises:
            NotPlayingError: before a reset.
            ValueError: an unknown agent.
        """
        return self.game.view_text(self._view(agent, "view_text"))

    def move_text(self, action: int | np.integer[Any]) -> str:
        """An action of the agent to move in the notation.

        Raises:
            NotPlayingError: before a reset, or when the episode is over.
            IllegalMoveError: as ``step``.
        """
        if not self._playing:
            raise self._not_playing("move_text")
        return self.game.format_move(self._states, self._check_action(action))

    def parse_move(self, text: str) -> int:
        """The action that a text in the notation means for the agent to move.

        Raises:
            NotPlayingError: before a reset, or when the episode is over.
            InvalidMoveError: the text is no move.
            IllegalMoveError: the move is not allowed now.
        """
        if not self._playing:
            raise self._not_playing("parse_move")
        return self.game.parse_move(self._states, text)

    @property
    def histories(self) -> list[dict[str, Any]]:
        """The finished hands of this episode, written out when first asked for; RULES.md shows the form."""
        while self._started and len(self._written) < len(self._hands):
            self._written.append(write_out(self.game, self._hands[len(self._written)]))
        return copy.deepcopy(self._written) if self._started else []

    @property
    def winners(self) -> list[int]:
        """The seats that won the episode or share it, in seat order; [] before its end.

        Also [] after a hand that was played again out of a longer match, see ``from_history``.
        """
        is_known = self._started and not self._playing and not self._states["lone"][0]
        return self.game.winners(self._states) if is_known else []

    def render(self) -> str | None:
        """The view of ``agent_selection``: printed in mode ``human``, returned in mode ``ansi``.

        Raises:
            NotPlayingError: before a reset.
        """
        self._check_started("render")
        if self.render_mode is None:
            gymnasium.logger.warn(
                "render() shows nothing without a render_mode: make the environment with "
                "render_mode='human' or 'ansi'"
            )
            return None
        text = self.view_text(self.agent_selection)
        if self.render_mode == "ansi":
            return text
        print(text)
        return None

    def close(self) -> None:
        """Do nothing: there is nothing to release."""

    def __copy__(self) -> "TableEnv":
        return copy.deepcopy(self)  # two tables that share half of what they hold would spoil each other

    def __getstate__(self) -> dict[str, Any]:
        return {name: value for name, value in self.__dict__.items() if name not in _ROWS}

    def __setstate__(self, state: dict[str, Any]) -> None:
        self.__dict__.update(state)
        self._lay_out()
        if self._started:
            self.game.kernels.show(self._states, 0, *self._shown)

    def _seat(self, agent: object) -> int:
        if isinstance(agent, str) and agent in self._seats:
            return self._seats[agent]
        raise ValueError(f"agent {quote(agent)} is unknown: choose from {list(self._names)}")

    def _view(self, agent: str, asked: str) -> States:
        seat = self._seat(agent)
        self._check_started(asked)
        views = copy_states(self._states)
        self.game.kernels.see(self._states, 0, 1, np.array([seat], np.int64), views)
        return views

    def _check_started(self, asked: str) -> None:
        if not self._started:
            raise self._not_playing(asked)

    def _not_playing(self, asked: str) -> NotPlayingError:
        return NotPlayingError(f"{asked}: no game is in progress, call reset first")


def check_render_mode(render_mode: object) -> None:
    """Check a render mode.

    Raises:
        ValueError: it is neither None nor one of ``RENDER_MODES``.
    """
    if render_mode is not None and not (isinstance(render_mode, str) and render_mode in RENDER_MODES):
        raise ValueError(f"render_mode={quote(render_mode)}: must be None or one of {list(RENDER_MODES)}")


def _observation_space(game: Game) -> spaces.Dict:
    high = game.layout.high
    return spaces.Dict(
        {
            "observation": spaces.Box(np.zeros_like(high), high, high.shape, np.uint8),
            "action_mask": spaces.Box(0, 1, (game.n_actions,), np.int8),
        }
    )
