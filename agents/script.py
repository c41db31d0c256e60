"""What the scripted agents of all games share: their specs, what they are given checked, the loop over rows.

A script is one compiled function from a view to a move; see ``agents.palace`` for a game's.
"""

from collections.abc import Callable, Mapping
from typing import Any

import numpy as np
import numpy.typing as npt

from card_table import rng as streams
from card_table.compile import State, bind, rule
from card_table.game import States
from card_table.given import quote
from card_table.rng import random_below, seed_stream

MAX_SAMPLES = 100_000


class Scripts:
    """The scripted agents of one game.

    Attributes:
        names: what they are called, in order.
    """

    def __init__(
        self,
        game: str,
        dtype: np.dtype[Any],
        scratch: np.dtype[Any],
        action_count: Callable[[State], int],
        moves: Mapping[str, Callable[[State, npt.NDArray[np.bool_], State], int]],
        samples: Mapping[str, int],
    ) -> None:
        """Compile their loops.

        Args:
            game: its name.
            dtype: that of its records.
            scratch: that of the record on which a decision may write. It has ``samples``, how many to take a
                decision, then ``card_table.rng.FIELD``, all else being zeros at first and as the rows before
                left it later; so nothing that a decision depends on may be read before it is written.
            action_count: the rule that tells the number of actions.
            moves: by name, the compiled rule (view, mask, scratch) → action, the mask telling what is legal.
            samples: for those that can be told how many to take, their number unless told.
        """
        self.names = tuple(moves)
        self.dtype = dtype
        self.scratch = scratch
        self.action_count = action_count
        self.game = game
        self._samples = dict(samples)
        self._loops = {
            name: bind(_decide_all, f"{game}_{name}_moves", decide=move, action_count=action_count)
            for name, move in moves.items()
        }

    def script(self, spec: str) -> "Script | None":
        """The script that a spec names, None if it names none.

        Raises:
            ValueError: the number of samples is not one.
        """
        name, colon, number = spec.partition(":")
        if name not in self._loops or (colon and name not in self._samples):
            return None
        if not colon:
            return self.pick(name)
        is_short = number.isascii() and number.isdigit() and len(number) <= len(str(MAX_SAMPLES))
        if not (is_short and 1 <= int(number) <= MAX_SAMPLES):
            raise ValueError(f"{quote(spec)}: the samples must be a whole number from 1 to {MAX_SAMPLES}")
        return Script(spec, self, self._loops[name], int(number))

    def pick(self, name: str) -> "Script":
        """The script of a name that there is, with the samples that it takes unless told."""
        return Script(name, self, self._loops[name], self._samples.get(name, 0))


class Script:
    """A scripted agent, see ``agents.spec.Agent``."""

    def __init__(self, name: str, scripts: Scripts, decide_all: Callable[..., int], samples: int) -> None:
        """Take the compiled loop that decides, and how many samples it takes a decision."""
        self.name = name
        self.samples = samples
        self._scripts = scripts
        self._decide_all = decide_all

    def act(
        self,
        views: States,
        observations: npt.NDArray[np.uint8],
        masks: npt.NDArray[np.bool_],
        rng: np.random.Generator,
    ) -> npt.NDArray[np.int64]:
        """See ``agents.spec.Agent.act``."""
        _check_rows(self._scripts, views, observations, masks)
        check_rng(rng)
        seeds = rng.integers(streams.MAX_SEED, size=len(views), endpoint=True)
        actions = np.zeros(len(views), np.int64)
        scratch = np.zeros(1, self._scripts.scratch)
        scratch["samples"] = self.samples
        masks = np.ascontiguousarray(masks)
        bad = self._decide_all(np.ascontiguousarray(views), masks, seeds, scratch, actions)
        if bad >= 0:
            width = self._scripts.action_count(views[bad])
            if masks.shape[1] != width:
                raise ValueError(f"masks of shape {masks.shape!r}: row {bad} of views has {width} actions")
            if not masks[bad].any():
                raise ValueError(f"row {bad} of masks has no legal action: ask only whoever is to move")
            raise ValueError(f"row {bad}: the mask forbids {int(actions[bad])!r}, which the view allows")
        return actions


@rule
def random_move(g: State, mask: npt.NDArray[np.bool_], scratch: State) -> int:
    """Any legal action, each as likely as the others."""
    legal = 0
    for action in range(len(mask)):
        if mask[action]:
            legal += 1
    skip = random_below(scratch, legal)
    for action in range(len(mask)):
        if mask[action]:
            if skip == 0:
                return action
            skip -= 1
    return -1


def check_rng(rng: object) -> None:
    """Check where an agent is to take chance from.

    Raises:
        ValueError: it is no NumPy generator.
    """
    if not isinstance(rng, np.random.Generator):
        raise ValueError(f"rng of type {type(rng).__name__!r}: must be a numpy.random.Generator")


def _check_rows(
    scripts: Scripts, views: States, observations: npt.NDArray[np.uint8], masks: npt.NDArray[np.bool_]
) -> None:
    """Check what an agent is given, all but whether a mask is as wide as its view's game has actions."""
    if not isinstance(views, np.ndarray) or views.dtype != scripts.dtype or views.ndim != 1:
        raise ValueError(f"views of {_form(views)}: must be records (n,) of {scripts.game.capitalize()}")
    if (views["viewer"] < 0).any():
        row = int(np.argmax(views["viewer"] < 0))
        raise ValueError(f"row {row} of views is the whole truth about a game: give what views() returns")
    for name, array, dtype in (("observations", observations, "uint8"), ("masks", masks, "bool")):
        if not isinstance(array, np.ndarray) or array.dtype != dtype or array.shape[:-1] != views.shape:
            raise ValueError(
                f"{name} of {_form(array)}: must be {dtype}, a row for each of {len(views)} views"
            )


def _form(value: object) -> str:
    if isinstance(value, np.ndarray):
        return f"shape {value.shape!r} and dtype {value.dtype.name!r}"
    return f"type {type(value).__name__!r}"


# The rules that the loop below leaves open; nothing here gives them a value.
# ruff: noqa: F821
action_count: Callable[[State], int]
decide: Callable[[State, npt.NDArray[np.bool_], State], int]


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
        actions[i] = decide(views[i], masks[i], scratch[0])
        if not masks[i, actions[i]]:
            return i
    return -1
