"""Thousands of games stepped together, in arrays that the batch owns.

The loops below are templates: the names of rules that they use stand for one game's functions once
``kernels`` has bound them.
"""

import copy
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from itertools import pairwise
from typing import Any, TypeAlias

import numpy as np
import numpy.typing as npt

from card_table.compile import OVER, State, bind
from card_table.game import Game, IllegalMoveError, States, check_game, check_whole
from card_table.given import quote
from card_table.machine import fetch_row, row_of
from card_table.rng import check_seed

Bytes: TypeAlias = npt.NDArray[np.uint8]
Flags: TypeAlias = npt.NDArray[np.bool_]
Numbers: TypeAlias = npt.NDArray[np.int64]
Floats: TypeAlias = npt.NDArray[np.float32]

AHEAD = 2  # how many games on memory is fetched while one is stepped
MAX_SIZE = 2**24
MAX_THREADS = 1024
# What a copy is made of: all else follows from it.
_KEPT = ("game", "size", "threads", "seed", "first", "states", "rewards", "over", "hand_over")

# The names of rules that the templates leave open; nothing here gives them a value.
# ruff: noqa: F821
new_match: Callable[[State], None]
next_hand: Callable[[State], None]
deal: Callable[[State, int], int]
take: Callable[[State, int], int]
is_match_over: Callable[[State], bool]
rewards: Callable[[State, Floats], None]
legal_actions: Callable[[State, Flags], None]
observe: Callable[[State, int, Bytes], None]
observe_all: Callable[[State, Bytes], None]
hide: Callable[[State, int], None]
fill_in: Callable[[State, int, int], None]


def _show(states: States, i: int, observations: Bytes, masks: Flags, actors: Numbers) -> None:
    actors[i] = states[i].actor
    legal_actions(states[i], row_of(masks, i))
    if actors[i] >= 0:
        observe(states[i], int(actors[i]), row_of(observations, i))


def _prepare(states: States, i: int, again: bool) -> None:
    if again:
        next_hand(states[i])
    else:
        new_match(states[i])


def _deal_hand(
    states: States, i: int, reserved: int, observations: Bytes, masks: Flags, actors: Numbers
) -> int:
    status = deal(states[i], reserved)
    show(states, i, observations, masks, actors)
    return status


def _start(
    states: States,
    lo: int,
    hi: int,
    seed: int,
    first: int,
    observations: Bytes,
    masks: Flags,
    actors: Numbers,
) -> None:
    for i in range(lo, hi):
        g = states[i]
        g.seed = seed
        g.game = first + i
        g.deals = 0
        new_match(g)
        deal(g, 0)
        show(states, i, observations, masks, actors)


def _first_illegal(masks: Flags, lo: int, hi: int, actions: Numbers) -> int:
    for i in range(lo, hi):
        if not 0 <= actions[i] < masks.shape[1] or not masks[i, actions[i]]:
            return i
    return -1


def _step(
    states: States,
    lo: int,
    hi: int,
    actions: Numbers,
    restart: bool,
    observations: Bytes,
    masks: Flags,
    actors: Numbers,
    payoffs: Floats,
    over: Flags,
    hand_over: Flags,
) -> None:
    for i in range(lo, hi):
        # Thousands of games do not fit into a core's own cache.
        if i + AHEAD < hi:
            fetch_row(states, i + AHEAD)
        g = states[i]
        over[i] = False
        hand_over[i] = False
        for seat in range(payoffs.shape[1]):
            payoffs[i, seat] = 0
        if take(g, int(actions[i])) == OVER:
            hand_over[i] = True
            over[i] = is_match_over(g)
            rewards(g, row_of(payoffs, i))
            if restart:
                if over[i]:
                    new_match(g)
                else:
                    next_hand(g)
                deal(g, 0)
        fetch_row(observations, i)
        legal_actions(g, row_of(masks, i))
        actors[i] = g.actor
        if g.actor >= 0:
            observe(g, int(g.actor), row_of(observations, i))


def _see(states: States, lo: int, hi: int, seats: Numbers, views: States) -> None:
    for i in range(lo, hi):
        views[i] = states[i]
        hide(views[i], int(seats[i]))


def _look(states: States, i: int, seat: int, observation: Bytes) -> None:
    observe(states[i], seat, observation)


def _tell_all(states: States, i: int, out: Bytes) -> None:
    observe_all(states[i], out)


def _complete(views: States, lo: int, hi: int, seed: int) -> None:
    for i in range(lo, hi):
        fill_in(views[i], seed, i)


show: Callable[[States, int, Bytes, Flags, Numbers], None]


@dataclass(frozen=True)
class Kernels:
    """One game's compiled loops over arrays of its records; they take arrays and indices, never a record.

    Attributes:
        show: (states, i, observations, masks, actors) writes what the seat to move sees and may do.
        prepare: (states, i, again) sets up the match, or again the next hand of it, before a deal.
        deal_hand: (states, i, reserved, observations, masks, actors) → OK or ILLEGAL.
        start: (states, lo, hi, seed, first, observations, masks, actors) starts games anew.
        first_illegal: (masks, lo, hi, actions) → the first game whose action is illegal, or -1.
        step: (states, lo, hi, actions, restart, observations, masks, actors, rewards, over, hand_over); an
            illegal action, or one after the end of a game, is not refused here and spoils the record.
        see: (states, lo, hi, seats, views) writes the view of one seat of each game.
        look: (states, i, seat, observation) writes what a seat sees.
        tell_all: (states, i, out) writes the whole truth.
        complete: (views, lo, hi, seed) fills views in at random, in place.
    """

    show: Callable[..., None]
    prepare: Callable[..., None]
    deal_hand: Callable[..., int]
    start: Callable[..., None]
    first_illegal: Callable[..., int]
    step: Callable[..., None]
    see: Callable[..., None]
    look: Callable[..., None]
    tell_all: Callable[..., None]
    complete: Callable[..., None]


def kernels(name: str, **rules: Callable[..., Any]) -> Kernels:
    """Bind the loops to a game.

    Args:
        name: the game's name.
        **rules: its functions new_match, next_hand, deal, take, is_match_over, rewards, legal_actions,
            observe, observe_all, hide and fill_in.
    """
    shown = bind(_show, f"{name}_show", **rules)

    def loop(template: Callable[..., Any]) -> Callable[..., Any]:
        return bind(template, name + template.__name__, show=shown, **rules)

    return Kernels(
        show=shown,
        prepare=loop(_prepare),
        deal_hand=loop(_deal_hand),
        start=loop(_start),
        first_illegal=loop(_first_illegal),
        step=loop(_step),
        see=loop(_see),
        look=loop(_look),
        tell_all=loop(_tell_all),
        complete=loop(_complete),
    )


class Batch:
    """B games of one kind stepped together; a finished one restarts at once.

    All arrays below belong to the batch and are overwritten by the next step or reset. Copies of any kind and
    pickle give an independent batch of the same games at any moment.

    Attributes:
        observations: what the seat to move sees in each game, uint8 (B, D).
        masks: which actions it may take, bool (B, A), read-only.
        actors: the seat to move, int64 (B,), read-only.
        rewards: what each player earned by the last step, rounded to float32 (B, N).
        over: whether the last step ended the game's episode, bool (B,); all else is then the new game's.
        hand_over: whether the last step ended a hand, bool (B,).
        states: the records of the games, the whole truth.
    """

    def __init__(self, game: Game, size: int, seed: int = 0, threads: int = 1, first: int = 0) -> None:
        """Deal the first hands.

        Args:
            game: what is played.
            size: B, the number of games, at most 2**24.
            seed: game i draws hand k from the stream (seed, first + i, k).
            threads: over how many threads, at most 1,024, a step is spread; they pay from about 1,024 games
                on.
            first: the number of the first game.

        Raises:
            ValueError: an argument is out of range.
        """
        self.game = check_game(game)
        self.size = check_whole("size", size, 1, MAX_SIZE)
        self.threads = min(check_whole("threads", threads, 1, MAX_THREADS), self.size)
        self.seed = check_seed(seed)
        self.first = check_seed(first, "first")
        self._lay_out()
        self.reset()

    def _lay_out(self) -> None:
        game = self.game
        self.states = np.repeat(game.record, self.size)
        self.observations = np.zeros((self.size, game.layout.size), np.uint8)
        self._masks = np.zeros((self.size, game.n_actions), np.bool_)
        self.masks = self._masks.view()
        self.masks.flags.writeable = False  # steps are checked against them
        self._actors = np.zeros(self.size, np.int64)
        self.actors = self._actors.view()
        self.actors.flags.writeable = False  # views are those of these seats
        self.rewards = np.zeros((self.size, game.players), np.float32)
        self.over = np.zeros(self.size, np.bool_)
        self.hand_over = np.zeros(self.size, np.bool_)
        self._views: npt.NDArray[Any] | None = None
        self._pool = ThreadPoolExecutor(self.threads) if self.threads > 1 else None
        edges = np.linspace(0, self.size, self.threads + 1).astype(int).tolist()
        self._chunks = list(pairwise(edges))

    def __copy__(self) -> "Batch":
        return copy.deepcopy(self)  # two batches that share half of what they hold would spoil each other

    def __getstate__(self) -> dict[str, Any]:
        return {name: self.__dict__[name] for name in _KEPT}

    def __setstate__(self, kept: dict[str, Any]) -> None:
        self.__dict__.update(kept)
        self._lay_out()
        self.restore(kept["states"])
        self.rewards[:] = kept["rewards"]
        self.over[:] = kept["over"]
        self.hand_over[:] = kept["hand_over"]

    def __len__(self) -> int:
        """B, the number of games."""
        return self.size

    def reset(self, seed: int | None = None) -> None:
        """Start all games anew, from the same seed unless another is given.

        Raises:
            ValueError: an invalid seed; nothing has changed.
        """
        if seed is not None:
            self.seed = check_seed(seed)
        self.rewards[:] = 0
        self.over[:] = False
        self.hand_over[:] = False
        start = self.game.kernels.start
        arrays = (self.observations, self._masks, self._actors)
        self._spread(lambda lo, hi: start(self.states, lo, hi, self.seed, self.first, *arrays))

    def restore(self, states: States) -> None:
        """Go on from records that ``states`` once held.

        Args:
            states: a copy of them, records (B,) of the game's dtype, from a batch with the same arguments;
                what else they say is not checked.

        Raises:
            ValueError: no array of B records of the game's dtype, or records of views or of a game with other
                arguments; nothing has changed.
        """
        self._check_states(states)
        self.states[:] = states
        self.rewards[:] = 0
        self.over[:] = False
        self.hand_over[:] = False
        for i in range(self.size):
            self.game.kernels.show(self.states, i, self.observations, self._masks, self._actors)

    def _check_states(self, states: object) -> None:
        wanted = f"must be an array of {self.size} records of {self.game.name!r}, a copy of a batch's states"
        if not isinstance(states, np.ndarray):
            raise ValueError(f"states of type {type(states).__name__!r}: {wanted}")
        if states.dtype != self.states.dtype:
            raise ValueError(f"states of dtype {states.dtype.name!r}: {wanted}")
        if states.shape != self.states.shape:
            raise ValueError(f"states of shape {states.shape!r}: {wanted}")
        for field in self.game.settled:
            own = self.game.record[field][0]
            alike = (states[field] == own).reshape(self.size, -1).all(axis=1)
            if not alike.all():
                other = states[field][np.argmin(alike)].tolist()
                raise ValueError(f"states with {field}={other!r}: must be {own.tolist()!r} as in this batch")

    def step(self, actions: npt.ArrayLike) -> None:
        """Take one action in each game.

        Args:
            actions: whole numbers (B,), of the seat to move in each game.

        Raises:
            ValueError: not B whole numbers.
            IllegalMoveError: an action is illegal, naming the first such game; no game has moved.
        """
        try:
            given = np.asarray(actions)
        except ValueError:
            raise ValueError(f"actions={quote(actions)}: must be {self.size} whole numbers") from None
        if given.shape != (self.size,) or given.dtype.kind not in "iu":
            raise ValueError(
                f"actions of shape {given.shape!r} and dtype {given.dtype.name!r}: "
                f"must be {self.size} whole numbers"
            )
        chosen = given.astype(np.int64, copy=False)
        kernels = self.game.kernels
        bad = kernels.first_illegal(self._masks, 0, self.size, chosen)
        if bad >= 0:
            self._refuse(bad, int(given[bad]))
        arrays = (self.observations, self._masks, self._actors, self.rewards, self.over, self.hand_over)
        self._spread(lambda lo, hi: kernels.step(self.states, lo, hi, chosen, True, *arrays))

    def views(self) -> npt.NDArray[Any]:
        """What the seat to move knows in each game: records (B,) of the game's dtype, all else hidden."""
        if self._views is None:
            self._views = np.zeros_like(self.states)
        views = self._views
        see = self.game.kernels.see
        self._spread(lambda lo, hi: see(self.states, lo, hi, self._actors, views))
        return views

    def _spread(self, work: Callable[[int, int], None]) -> None:
        if self._pool is None:
            work(0, self.size)
            return
        for job in [self._pool.submit(work, lo, hi) for lo, hi in self._chunks]:
            job.result()

    def _refuse(self, index: int, action: int) -> None:
        legal = np.flatnonzero(self.masks[index]).tolist()
        raise IllegalMoveError(
            f"game {index}: action {action!r} of seat {int(self.actors[index])} is illegal: "
            f"choose from {legal}"
        )
