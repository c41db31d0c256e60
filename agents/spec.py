"""What an agent is, and the agent that a spec names."""

import inspect
import os
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Protocol, TypeGuard

import numpy as np
import numpy.typing as npt

from agents import detective, palace
from agents.detective_credit import bet_credit
from card_table.game import Game, States
from card_table.given import quote
from detective_env import detective_v0
from palace_env import palace_v0

POLICY_FILES = ("policy.safetensors", "config.json")
_BOTS = Path(__file__).parent / "bots"


class Agent(Protocol):
    """What plays: it takes the decisions of any number of games of one kind at once.

    Attributes:
        name: its spec.
    """

    name: str

    def act(
        self,
        views: States,
        observations: npt.NDArray[np.uint8],
        masks: npt.NDArray[np.bool_],
        rng: np.random.Generator,
    ) -> npt.NDArray[np.int64]:
        """One legal action for each game; what is chosen follows from the arguments alone.

        Args:
            views: what the seat to move knows, records (n,) of the game's dtype.
            observations: the same encoded, uint8 (n, D).
            masks: which actions are legal, bool (n, A).
            rng: where chance comes from; it moves on.

        Returns:
            The actions, int64 (n,), a new array.

        Raises:
            ValueError: a row of ``masks`` has no legal action, or the arrays do not belong together.
        """


@dataclass(frozen=True)
class Playable:
    """What ``agents`` has of one game.

    Attributes:
        game: its class.
        specs: the specs of its scripts.
        script: the script that a spec names, or None.
        passive: whose move is played for a program that forfeits one, see ``agents.program``.
        figures: what finished hands tell of the play, each an array (n,), from the records (n,) of the games.
        credit: what the last T decisions of finished hands brought each seat, in order, float32 (n, T, N),
            which sums to the rewards; from the games' records (n,), whose next hand may have been dealt,
            and the seats (n,) that took the last decision. None: that decision is what brought all.
    """

    game: type[Game]
    specs: tuple[str, ...]
    script: Callable[[str], Agent | None]
    passive: Agent
    figures: Callable[[States], dict[str, npt.NDArray[np.float64]]]
    credit: Callable[[States, npt.NDArray[np.integer]], npt.NDArray[np.float32]] | None = None


PLAYABLE = {
    "palace": Playable(palace_v0.GAME, palace.SPECS, palace.script, palace.PASSIVE, palace.figures),
    "detective": Playable(
        detective_v0.GAME,
        detective.SPECS,
        detective.script,
        detective.PASSIVE,
        detective.figures,
        bet_credit,
    ),
}


def load(spec: str | Path, game: Game | type[Game] | str | None = None) -> Agent:
    """The agent that a spec names.

    Args:
        spec: a script of the game (for Palace ``random``, ``passive``, ``aggressive``, ``tight``, ``equity``;
            for Detective ``random``, ``self``, ``visible``, ``equity``, ``detective``; ``equity:200`` takes
            200 samples a decision), ``bot`` for the policy that is shipped, a training run's folder, or
            ``program:CMD`` for an outside program, see ``agents.program``.
        game: what it is to play: a game, its class or its name; Palace with default arguments if None.

    Raises:
        ValueError: an unknown spec or game, or a policy that does not fit the game.
        FileNotFoundError: the folder, or a file that it must have, is missing.
        OSError: the program cannot be started.
        ModuleNotFoundError: a policy needs a package that is not installed.
    """
    settled = settle(game)
    playable = PLAYABLE[settled.name]
    text = str(spec)
    script = playable.script(text)
    if script is not None:
        return script
    if text.startswith(("program:", "program@")):
        from agents.program import Program

        return Program(text, settled)
    if text == "bot":
        return _load_policy(_BOTS / settled.name, text, settled)
    if text and (any(sign in text for sign in "/\\.") or os.path.isdir(text)):
        return _load_policy(Path(text), text, settled)
    raise ValueError(
        f"{quote(text)} is no agent of {settled.name}: choose from {[*playable.specs, 'bot']}, or give the "
        "folder of a training run or program:CMD"
    )


def settle(game: Game | type[Game] | str | None) -> Game:
    """The game that is meant: by its class or name with default arguments, by None Palace.

    Raises:
        ValueError: no game, or one that no agent plays.
    """
    if game is None:
        return palace_v0.GAME()
    if isinstance(game, str) and game in PLAYABLE:
        return PLAYABLE[game].game()
    if isinstance(game, type) and issubclass(game, Game) and not inspect.isabstract(game):
        game = game()
    if not isinstance(game, Game) or game.name not in PLAYABLE:
        raise ValueError(
            f"game {quote(game)} is unknown: choose from {list(PLAYABLE)}, or give a game such as "
            "palace_v0.GAME"
        )
    return game


def is_agent(value: object) -> TypeGuard[Agent]:
    """Whether a value is an agent, not a spec or a class of agents."""
    is_named = isinstance(getattr(value, "name", None), str)
    return is_named and callable(getattr(value, "act", None)) and not isinstance(value, type)


def _load_policy(folder: Path, spec: str, game: Game) -> Agent:
    if not os.path.isdir(folder):  # unlike Path.is_dir, it takes names that are too long
        raise FileNotFoundError(f"agent {quote(spec)}: there is no folder {quote(str(folder))}")
    for name in POLICY_FILES:
        if not (folder / name).is_file():
            raise FileNotFoundError(f"agent {quote(spec)}: the folder {quote(str(folder))} has no {name}")
    try:
        from agents.policy import load_policy
    except ModuleNotFoundError as error:
        if (error.name or "").startswith("agents"):
            raise
        raise ModuleNotFoundError(
            f"agent {quote(spec)} needs the package {error.name!r}: install palace-detective[train]",
            name=error.name,
        ) from error
    agent: Agent = load_policy(folder, game)
    agent.name = spec
    return agent
