"""The scripted agents of Palace Poker by name, and what a finished hand tells of the play."""

from collections.abc import Callable
from typing import Any

import numpy as np
import numpy.typing as npt

from agents.palace_equity import SCRATCH, equity_move
from agents.palace_simple import aggressive_move, passive_move, random_move, tight_move
from card_table import rng as streams
from card_table.compile import State, bind
from card_table.game import States
from card_table.rng import seed_stream
from palace_env.rules import SHOWDOWN, STATE, action_count

SPECS = ("random", "passive", "aggressive", "tight", "equity")
SAMPLES = 30  # of `equity`, unless its spec tells their number
MAX_SAMPLES = 100_000


class Script:
    """A scripted agent, see ``agents.spec.Agent``."""

    def __init__(self, name: str, decide_all: Callable[..., int], samples: int = 0) -> None:
        """Take the compiled loop that decides, and how many samples it takes a decision."""
        self.name = name
        self.samples = samples
        self._decide_all = decide_all

    def act(
        self,
        views: States,
        observations: npt.NDArray[np.uint8],
        masks: npt.NDArray[np.bool_],
        rng: np.random.Generator,
    ) -> npt.NDArray[np.int64]:
        """See ``agents.spec.Agent.act``."""
        _check_rows(views, observations, masks)
        seeds = rng.integers(streams.MAX_SEED, size=len(views), endpoint=True)
        actions = np.zeros(len(views), np.int64)
        scratch = np.zeros(1, SCRATCH)
        scratch["samples"] = self.samples
        masks = np.ascontiguousarray(masks)
        bad = self._decide_all(np.ascontiguousarray(views), masks, seeds, scratch, actions)
        if bad >= 0:
            width = action_count(views[bad])
            if masks.shape[1] != width:
                raise ValueError(f"masks of shape {masks.shape!r}: row {bad} of views has {width} actions")
            if not masks[bad].any():
                raise ValueError(f"row {bad} of masks has no legal action: ask only whoever is to move")
            raise ValueError(f"row {bad}: the mask forbids {int(actions[bad])!r}, which the view allows")
        return actions


def script(spec: str) -> Script | None:
    """The script that a spec names, None if it names none.

    Raises:
        ValueError: the number of samples is not one.
    """
    name, colon, number = spec.partition(":")
    if name == "equity" and colon:
        is_short = number.isascii() and number.isdigit() and len(number) <= len(str(MAX_SAMPLES))
        if not (is_short and 1 <= int(number) <= MAX_SAMPLES):
            raise ValueError(f"{spec!r}: the samples must be a whole number from 1 to {MAX_SAMPLES}")
        return Script(spec, _LOOPS[name], int(number))
    return Script(spec, _LOOPS[spec], SAMPLES) if spec in _LOOPS else None


def figures(states: States) -> dict[str, npt.NDArray[np.float64]]:
    """What finished hands tell of the play.

    Args:
        states: records of hands that are over.

    Returns:
        ``pot``: the pot that was paid out, in small bets; ``showdowns``: 1 where a showdown ended the hand.
    """
    return {
        "pot": states["paid"].sum(axis=1) / states["small_bet"],
        "showdowns": (states["end"] == SHOWDOWN).astype(np.float64),
    }


def _check_rows(views: States, observations: npt.NDArray[np.uint8], masks: npt.NDArray[np.bool_]) -> None:
    """Check what an agent is given, all but whether a mask is as wide as its view's game has actions."""
    if not isinstance(views, np.ndarray) or views.dtype != STATE or views.ndim != 1:
        raise ValueError(f"views of {_form(views)}: must be records (n,) of Palace")
    for name, array, dtype in (("observations", observations, "uint8"), ("masks", masks, "bool")):
        if not isinstance(array, np.ndarray) or array.dtype != dtype or array.shape[:-1] != views.shape:
            raise ValueError(
                f"{name} of {_form(array)}: must be {dtype}, a row for each of {len(views)} views"
            )


def _form(value: object) -> str:
    if isinstance(value, np.ndarray):
        return f"shape {value.shape!r} and dtype {value.dtype.name!r}"
    return f"type {type(value).__name__!r}"


# The rule that the loop below leaves open: (view, mask, scratch) → action.
decide: Callable[[State, Any, State], int]


def _decide_all(
    views: States,
    masks: npt.NDArray[np.bool_],
    seeds: npt.NDArray[np.int64],
    scratch: States,
    actions: npt.NDArray[np.int64],
) -> int:
    """Decide each row; returns the first whose mask is too wide or narrow, or forbids the decision, or -1."""
    for i in range(len(views)):
        if masks.shape[1] != action_count(views[i]) or not masks[i].any():
            return i
        seed_stream(scratch[0], int(seeds[i]), 0, 0)
        actions[i] = decide(views[i], masks[i], scratch[0])  # noqa: F821 - bound below
        if not masks[i, actions[i]]:
            return i
    return -1


_LOOPS = {
    "random": bind(_decide_all, "palace_random_moves", decide=random_move),
    "passive": bind(_decide_all, "palace_passive_moves", decide=passive_move),
    "aggressive": bind(_decide_all, "palace_aggressive_moves", decide=aggressive_move),
    "tight": bind(_decide_all, "palace_tight_moves", decide=tight_move),
    "equity": bind(_decide_all, "palace_equity_moves", decide=equity_move),
}
