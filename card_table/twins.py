"""A table's twin, which a seat cannot tell from it: made of a copy, with what is hidden another all along."""

import copy
import io
from collections.abc import Callable, Mapping
from contextlib import redirect_stdout
from dataclasses import replace
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from card_table.aec import TableEnv
from card_table.compile import OK
from card_table.game import Game, States
from card_table.history import PlayedHand, write_out


class Past(NamedTuple):
    """How a table came to be what it is: what it was before, and what was done."""

    before: TableEnv
    move: Callable[[TableEnv], None]


def twin_of(
    env: TableEnv,
    states: States,
    reshuffle: Callable[[States], States],
    retell: Callable[[Mapping[str, Any], States], dict[str, Any]],
    rng: np.random.Generator,
    past: Past | None,
) -> TableEnv:
    """The table at which a record stands in place of the true one, as if it had always been so.

    Args:
        env: the true table.
        states: the record, which some seat cannot tell from the true one.
        reshuffle: makes of a record from before another one that the seat cannot tell from it.
        retell: makes of the history of a hand that is over, and of the record, that of the twin's hand.
        rng: decides in which order the cards that are prescribed come.
        past: what the twin must live through; None to put the record in place just so.
    """
    game = env.game
    start = env if past is None else past.before
    other: dict[str, Any] = {"_states": states}
    if start._started:
        hand, script = start._hand, rng.permutation(start._script).astype(int).tolist()
        other["_hand"] = PlayedHand(reshuffle(hand.start), script, hand.actions)
        other["_script"] = script
    if past is not None:
        other["game"] = _fated(game, states, env)
        if start._playing:
            other["_states"] = reshuffle(start._states)
    twin = copy_of(start, **other)
    if past is not None:
        twin._legal[:] = start._legal  # what may be done can follow from secrets of the one to move
        with redirect_stdout(io.StringIO()):
            past.move(twin)
        twin.game = game
    twin._written = _whole_histories(env)
    if not env._playing:
        twin._written[-1] = retell(twin._written[-1], states)
    return twin


def copy_of(env: TableEnv, **other: Any) -> TableEnv:
    """A table that goes on by itself, with other values of some attributes; what never changes is shared."""
    shared: list[object] = [env.game, env.observation_spaces, env.action_spaces, env.state_space]
    if env._started:
        shared += [*env._hands, *env._written]
    state = copy.deepcopy(env.__getstate__(), {id(value): value for value in shared})
    twin = type(env).__new__(type(env))
    twin.__setstate__({**state, **other})
    return twin


def _fated(game: Game, states: States, env: TableEnv) -> Game:
    """The game in which whatever is done leads to a record, with the results that a table had last."""

    def come(table: States, i: int, *shown: Any) -> None:
        table[i] = states[0]
        game.kernels.show(table, i, *shown)

    def step(
        table: States, lo: int, _hi: int, _actions: object, _restart: object, *rows: npt.NDArray[Any]
    ) -> None:
        come(table, lo, *rows[:3])
        for row, had in zip(rows[3:], (env._payoffs, env._over, env._hand_over), strict=True):
            row[:] = had

    def deal_hand(table: States, i: int, _reserved: int, *shown: Any) -> int:
        come(table, i, *shown)
        return OK

    fated: Any = copy.copy(game)
    fated.kernels = replace(
        game.kernels, step=step, deal_hand=deal_hand, prepare=lambda _table, _i, _again: None
    )
    made: Game = fated
    return made


def _whole_histories(env: TableEnv) -> list[dict[str, Any]]:
    """The histories of the finished hands, whatever the table makes of them."""
    written = env._written[: len(env._hands)]
    return [*written, *(write_out(env.game, hand) for hand in env._hands[len(written) :])]
