"""Random hands of each game over all player counts and options, with every invariant checked at every step.

Run ``python -m tests.invariants 100000`` for that many hands of each game, or name one: ``--game palace``.
"""

from tests import command

if __name__ == "__main__":
    command.end_at_once()

import sys
from collections.abc import Callable
from dataclasses import dataclass
from types import ModuleType
from typing import Any

import numpy as np
import numpy.typing as npt

from card_table import history as histories
from card_table.batch import Batch
from card_table.compile import ILLEGAL, OK, OVER, SETTINGS, State, bind, rule
from card_table.game import States, copy_states
from card_table.history import PlayedHand
from tests import detective_invariants, palace_invariants

TABLES = 4 if SETTINGS.DISABLE_JIT else 64  # plain Python takes hundreds of times as long
VIEWS_EVERY = 8  # steps

# The names of rules that the templates leave open; nothing here gives them a value.
# ruff: noqa: F821
is_legal: Callable[[State, int], bool]
action_count: Callable[[State], int]
apply: Callable[[State, int], int]


def _first_disagreement(states: States, masks: npt.NDArray[np.bool_]) -> int:
    """The first game in which is_legal and the mask differ for some action, in or out of range, or -1."""
    for i in range(len(states)):
        count = masks.shape[1]
        if action_count(states[i]) != count:
            return i
        for action in range(-3, count + 3):
            if is_legal(states[i], action) != (0 <= action < count and masks[i, action]):
                return i
    return -1


def _apply_all(states: States, actions: npt.NDArray[np.int64], statuses: npt.NDArray[np.int64]) -> None:
    for i in range(len(states)):
        statuses[i] = apply(states[i], actions[i])


@rule
def _choose(
    masks: npt.NDArray[np.bool_], draws: npt.NDArray[np.float64], actions: npt.NDArray[np.int64]
) -> None:
    for i in range(len(actions)):
        wanted = int(draws[i] * np.sum(masks[i]))
        for action in range(masks.shape[1]):
            if masks[i, action]:
                if wanted == 0:
                    actions[i] = action
                    break
                wanted -= 1


@dataclass(frozen=True)
class Checks:
    """One game: the module of what must hold of it alone, and the loops over its rules."""

    of: ModuleType
    first_disagreement: Callable[..., int]
    apply_all: Callable[..., None]


def _checks(of: ModuleType) -> Checks:
    name = of.FACE.GAME.name
    rules = {"is_legal": of.RULES.is_legal, "action_count": of.RULES.action_count, "apply": of.RULES.apply}
    return Checks(
        of,
        bind(_first_disagreement, f"{name}_first_disagreement", **rules),
        bind(_apply_all, f"{name}_apply_all", **rules),
    )


GAMES = {"palace": _checks(palace_invariants), "detective": _checks(detective_invariants)}


def random_arguments(name: str, rng: np.random.Generator) -> dict[str, Any]:
    """Arguments of a game by its name: any player count, every option and knob."""
    arguments: dict[str, Any] = GAMES[name].of.random_arguments(rng)
    return arguments


def play_and_check(name: str, arguments: dict[str, Any], hands: int, seed: int) -> tuple[int, int]:
    """Play at least so many random hands of a game under some arguments; the hands and moves played."""
    checks = GAMES[name]
    rng = np.random.default_rng(seed)
    batch: Batch = checks.of.FACE.batch(TABLES, seed=seed, **arguments)
    game = batch.game
    actions = np.zeros(TABLES, np.int64)
    followed = PlayedHand(copy_states(batch.states[:1]), [], [])
    played = steps = 0
    while played < hands:
        assert batch.masks.any(1).all(), "there is always a legal move"
        assert (batch.observations <= game.layout.high).all(), "observations keep to their bounds"
        checks.of.check_states(batch.states, game)
        wrong = checks.first_disagreement(batch.states, batch.masks)
        assert wrong < 0, f"mask and is_legal differ in game {wrong}"
        check_refusals(checks, batch, rng)
        if steps % VIEWS_EVERY == 0:
            check_views(checks, batch, rng)
        _choose(batch.masks, rng.random(TABLES), actions)
        before = copy_states(batch.states)
        batch.step(actions)
        steps += 1
        assert np.abs(batch.rewards.sum(1)).max() < 1e-3, "payoffs sum to zero"
        assert not batch.rewards[~batch.hand_over].any(), "nothing is earned before the end"
        assert (batch.hand_over | ~batch.over).all()
        check_moves(checks, before, actions, batch)
        checks.of.check_results(before, actions, batch)
        followed.actions.append(int(actions[0]))
        if batch.hand_over[0]:
            check_history(checks, batch, followed)
            followed = PlayedHand(copy_states(batch.states[:1]), [], [])
        played += int(batch.hand_over.sum())
        assert steps < 20_000 + 400 * hands, "hands end"
    return played, steps * TABLES


def check_refusals(checks: Checks, batch: Batch, rng: np.random.Generator) -> None:
    """Check that random actions which are illegal now change nothing."""
    count = batch.masks.shape[1]
    tried = rng.integers(-2, count + 2, TABLES)
    inside = (tried >= 0) & (tried < count)
    legal = inside & batch.masks[np.arange(TABLES), np.where(inside, tried, 0)]
    before = batch.states[~legal]
    after = before.copy()
    statuses = np.zeros(len(after), np.int64)
    checks.apply_all(after, tried[~legal], statuses)
    assert (statuses == ILLEGAL).all()
    assert before.tobytes() == after.tobytes(), "a refused action changes nothing"


def check_moves(checks: Checks, before: States, actions: npt.NDArray[np.int64], batch: Batch) -> None:
    """Check that each rule by itself makes of a legal move what the batch has made of it."""
    statuses = np.zeros(len(before), np.int64)
    after = copy_states(before)
    checks.apply_all(after, actions, statuses)
    assert (statuses == np.where(batch.hand_over, OVER, OK)).all()
    assert after[~batch.hand_over].tobytes() == batch.states[~batch.hand_over].tobytes()


def check_views(checks: Checks, batch: Batch, rng: np.random.Generator) -> None:
    """Check that a seat's view, filled in at random, is a whole game which that seat cannot tell apart."""
    kernels = batch.game.kernels
    seats = rng.integers(batch.game.players, size=TABLES)
    views, again = copy_states(batch.states), copy_states(batch.states)
    kernels.see(batch.states, 0, TABLES, seats, views)
    filled = copy_states(views)
    kernels.complete(filled, 0, TABLES, int(rng.integers(2**31)))
    checks.of.check_states(filled, batch.game)
    kernels.see(filled, 0, TABLES, seats, again)
    assert views.tobytes() == again.tobytes(), "the seat cannot tell it from the game"
    seen, told = np.zeros((2, TABLES, batch.game.layout.size), np.uint8)
    for i in range(TABLES):
        for states in (batch.states, filled):
            kernels.look(states, i, int(seats[i]), seen[i])
            kernels.look(views, i, int(seats[i]), told[i])
            assert seen[i].tobytes() == told[i].tobytes(), "a view is enough for the observation"


def check_history(checks: Checks, batch: Batch, hand: PlayedHand) -> None:
    """Check that a finished hand of the first game can be written, read and played again."""
    history = histories.write_out(batch.game, hand)
    assert list(histories.read(histories.write(history), type(batch.game))) == [history]
    checks.of.check_history(history, batch.game, batch.rewards[0])


def main() -> int:
    """Play as many hands as asked for; returns the exit status."""
    parser = command.parser("invariants", __doc__)
    parser.add_argument("hands", type=command.at_least(1), nargs="?", default=100_000)
    parser.add_argument("--seed", type=command.at_least(0), default=0)
    parser.add_argument("--game", choices=[*GAMES, "both"], default="both")
    asked = parser.parse_args()
    for name in GAMES if asked.game == "both" else (asked.game,):
        play_tables(name, asked.hands, asked.seed)
    return 0


def play_tables(name: str, hands: int, seed: int) -> None:
    """Play so many hands of a game at ever new tables, and print how far that is."""
    rng = np.random.default_rng(seed)
    played = moves = tables = 0
    while played < hands:
        arguments = random_arguments(name, rng)
        try:
            more, steps = play_and_check(name, arguments, min(250, hands - played), int(rng.integers(2**31)))
        except AssertionError:
            print(f"{name} failed with {arguments}", file=sys.stderr)
            raise
        played += more
        moves += steps
        tables += 1
        if tables % 20 == 0:
            print(f"{name}: {played} hands, {moves} moves, {tables} tables", flush=True)
    print(f"{name}: {played} hands, {moves} moves, {tables} tables: every invariant held")


if __name__ == "__main__":
    command.run(main)
