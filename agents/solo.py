"""The single-agent view of a table, for Gymnasium: one seat learns, opponents move inside."""

from collections.abc import Mapping, Sequence
from pathlib import Path
from types import ModuleType
from typing import Any, TypeAlias

import gymnasium
import numpy as np
import numpy.typing as npt
from gymnasium import spaces

from agents.spec import Agent, is_agent, load
from card_table.aec import RENDER_MODES, TableEnv, check_render_mode
from card_table.game import NotPlayingError, check_whole
from card_table.given import quote
from detective_env import detective_v0
from palace_env import palace_v0

Observation: TypeAlias = npt.NDArray[np.uint8]

FACES: dict[str, ModuleType] = {"palace": palace_v0, "detective": detective_v0}
MAX_DEALS = 1000  # in search of a hand in which the learner is asked


class LegalMoves(spaces.Discrete):
    """Discrete(A) that, asked for a sample without a mask, draws one of the moves that are legal now.

    What is drawn right after ``seed`` depends on the seed alone until the table moves: it is one of the moves
    with which every episode so far might have begun.
    """

    def __init__(self, n_actions: int) -> None:
        self._legal = np.ones(n_actions, np.int8)
        self._to_begin = np.ones(n_actions, np.int8)
        super().__init__(n_actions)

    def seed(self, seed: int | None = None) -> int:
        """See ``Discrete.seed``."""
        self._legal = self._to_begin
        return super().seed(seed)

    def sample(
        self, mask: npt.NDArray[np.int8] | None = None, probability: npt.NDArray[np.int8] | None = None
    ) -> np.int64:
        """See ``Discrete.sample``: without a mask, one of the moves that are legal now."""
        if mask is None and probability is None and self._legal.any():
            mask = self._legal
        return super().sample(mask, probability)

    def tell(self, legal: npt.NDArray[np.int8], begins: bool) -> None:
        """Take note of the moves that are legal now, int8 (A,), and whether an episode begins."""
        self._legal = legal
        if begins:
            self._to_begin = self._to_begin & legal


class SoloEnv(gymnasium.Env[Observation, np.int64]):
    """One seat of a table, whose other seats agents hold.

    A step is one decision of the learner; it returns when the learner is asked again or the episode is over,
    with all that the learner earned meanwhile. An episode that would end before the learner is asked is dealt
    again, so that each has one step at least. Illegal actions raise ``IllegalMoveError`` and change nothing;
    which are legal is told by ``info["action_mask"]``, int8 (A,), and by ``action_masks()``, the name that
    sb3-contrib's MaskablePPO looks for.

    Attributes:
        table: the table that the hands are played at.
        opponents: the agents at the learner's left, in order.
        seat: the learner's in this episode.
    """

    metadata = {"render_modes": list(RENDER_MODES), "render_fps": 1}  # noqa: RUF012 - as Gymnasium has it
    action_space: LegalMoves

    def __init__(
        self,
        game: str = "palace",
        opponents: str | Path | Agent | list[str | Path | Agent] | tuple[str | Path | Agent, ...] = "equity",
        seat: int | None = None,
        render_mode: str | None = None,
        **arguments: Any,
    ) -> None:
        """Set the table; ``reset`` deals.

        Args:
            game: the game's name.
            opponents: an agent or a spec of one (see ``agents.load``) for all other seats, or a list of them,
                one for each seat from the learner's left.
            seat: where the learner sits; None: each episode draws a seat at random.
            render_mode: ``"human"`` prints what the learner sees after each step, ``"ansi"`` lets ``render``
                return it.
            **arguments: the game's, such as ``players``.

        Raises:
            ValueError: an argument is unknown or out of range.
            FileNotFoundError, ModuleNotFoundError: see ``agents.load``.
        """
        if not isinstance(game, str) or game not in FACES:
            raise ValueError(f"game={quote(game)} is unknown: choose from {list(FACES)}")
        check_render_mode(render_mode)
        self.table: TableEnv = FACES[game].env(**arguments)
        played = self.table.game
        others = played.players - 1
        listed = list(opponents) if isinstance(opponents, list | tuple) else [opponents] * others
        if len(listed) != others or not all(isinstance(one, str | Path) or is_agent(one) for one in listed):
            raise ValueError(
                f"opponents={quote(opponents)}: must be one agent, or a list of {others}, "
                "each an agent or a spec"
            )
        loaded = {spec: load(spec, played) for spec in listed if isinstance(spec, str | Path)}
        self.opponents = [loaded[agent] if isinstance(agent, str | Path) else agent for agent in listed]
        self._fixed = None if seat is None else check_whole("seat", seat, 0, played.players - 1)
        self.seat = self._fixed or 0
        self.render_mode = render_mode
        high = played.layout.high
        self.observation_space = spaces.Box(np.zeros_like(high), high, dtype=np.uint8)
        self.action_space = LegalMoves(played.n_actions)
        self._playing = False
        self._unpaid = 0.0
        self._mask = np.zeros(played.n_actions, np.int8)

    def reset(
        self, *, seed: int | None = None, options: Mapping[str, Any] | None = None
    ) -> tuple[Observation, dict[str, Any]]:
        """Deal, and play on until the learner is asked.

        Args:
            seed: decides deals, seats and the opponents' chance from now on; None goes on with what the last
                seed decides.
            options: what this one reset prescribes of the first hand, as for the table; a seat without chips
                is not drawn for the learner.

        Raises:
            ValueError: an invalid option, or one that keeps the learner from being asked; nothing has
                changed.
        """
        chance: Any = None if self._np_random is None else self._np_random.bit_generator.state
        kept = (self._np_random, self._np_random_seed, self.seat, self._unpaid, self._playing)
        table = self.table.__getstate__()  # a reset makes all of a table anew and leaves these parts alone
        try:
            super().reset(seed=seed)
            return self._deal(options)
        except BaseException:
            self._np_random, self._np_random_seed, self.seat, self._unpaid, self._playing = kept
            if self._np_random is not None:
                self._np_random.bit_generator.state = chance
            self.table.__setstate__(table)
            raise

    def _deal(self, options: Mapping[str, Any] | None) -> tuple[Observation, dict[str, Any]]:
        for deals in range(MAX_DEALS):
            self.table.reset(int(self.np_random.integers(2**63)), options)
            if deals == 0:
                self.seat = self._draw_seat((options or {}).get("stacks"))
            self._unpaid = 0.0
            self._play_on()
            if self._playing:
                return self._tell(begins=True)
        raise ValueError(
            f"options={quote(options)}: seat {self.seat} was not asked once in {MAX_DEALS} deals, "
            "each was over before its turn"
        )

    def _draw_seat(self, stacks: Sequence[int] | None) -> int:
        """The learner's seat, one with chips if stacks are prescribed, which the table has taken."""
        seats = list(range(self.table.game.players)) if stacks is None else np.flatnonzero(stacks).tolist()
        if self._fixed is None:
            return int(seats[self.np_random.integers(len(seats))])
        if self._fixed not in seats:
            raise ValueError(
                f"stacks={quote(stacks)}: seat {self._fixed} is the learner's, it must have chips"
            )
        return self._fixed

    def step(
        self, action: np.int64 | int | npt.NDArray[np.int64]
    ) -> tuple[Observation, float, bool, bool, dict[str, Any]]:
        """Take a decision, and play on until the learner is asked again or the episode is over.

        Returns:
            The observation, what the learner earned, whether the episode is over, False, and the info.

        Raises:
            IllegalMoveError: the action is not legal now; nothing has changed.
            NotPlayingError: there is no episode in progress: call reset.
        """
        if not self._playing:
            raise NotPlayingError("step: no episode is in progress, call reset")
        if isinstance(action, np.ndarray) and action.ndim == 0:
            action = action.item()  # SB3's predict gives arrays without dimensions, Discrete spaces hold them
        self.table.step(action)  # type: ignore[arg-type]
        self._collect()
        self._play_on()
        earned, self._unpaid = self._unpaid, 0.0
        observation, info = self._tell(begins=False)
        return observation, earned, not self._playing, False, info

    def action_masks(self) -> npt.NDArray[np.bool_]:
        """Which actions are legal now, bool (A,), a fresh array; all False when the episode is over."""
        return self._mask.astype(np.bool_)

    def render(self) -> str | None:
        """What the learner sees, in sentences: printed in mode ``human``, returned in mode ``ansi``.

        Raises:
            NotPlayingError: before a reset.
        """
        if not self.table.agents:
            raise NotPlayingError("render: no episode is in progress, call reset first")
        text = self.table.view_text(self._name)
        if self.render_mode == "ansi":
            return text
        if self.render_mode == "human":
            print(text)
        return None

    @property
    def _name(self) -> str:
        return self.table.possible_agents[self.seat]

    def _play_on(self) -> None:
        """Let the opponents move until the learner is asked or the episode is over."""
        table, name = self.table, self._name
        while not table.terminations[name] and table.agent_selection != name:
            mover = table.agent_selection
            seen = table.observe(mover)
            seat = table.possible_agents.index(mover)
            agent = self.opponents[(seat - self.seat - 1) % len(table.possible_agents)]
            masks = seen["action_mask"][None].astype(np.bool_)
            actions = agent.act(table.view(mover), seen["observation"][None], masks, self.np_random)
            table.step(actions[0])
            self._collect()
        self._playing = not table.terminations[name]

    def _collect(self) -> None:
        self._unpaid += self.table.rewards[self._name]

    def _tell(self, begins: bool) -> tuple[Observation, dict[str, Any]]:
        seen = self.table.observe(self._name)
        self._mask = seen["action_mask"]
        self.action_space.tell(self._mask, begins)
        if self.render_mode == "human":
            self.render()
        return seen["observation"], {"action_mask": self._mask.copy()}
