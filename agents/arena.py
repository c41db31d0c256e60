"""Duplicate matches: one agent against a table of another, the same deals from every seat, with intervals."""

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from agents.spec import PLAYABLE, Agent, is_agent, settle
from card_table.game import Game, IllegalMoveError, States, check_whole
from card_table.given import quote
from card_table.rng import check_seed

_ROWS = 1024  # games played side by side; part of what a seed stands for
_NORMAL_95 = 1.959964  # standard errors on either side of a 95 % interval


@dataclass(frozen=True)
class Result:
    """How one agent did in every seat of a table whose other seats another agent held.

    Figures are the candidate's rewards a hand: in Palace small bets, in Detective its points less the mean of
    the others'. ``± error`` is a 95 % interval, taken over deals. The deals are the same in each seat, the
    agents' chance moves are drawn anew.

    Attributes:
        candidate: its spec.
        others: the other agent's spec.
        deals: how many deals; with games of several hands, how many games.
        seed: what deals and chance moves come from.
        hands: how many hands were played, all seats together.
        mean: of the deals' means over the seats.
        error: of the mean.
        seat_means: from each seat, the first button or dealer being drawn by the deal.
        seat_errors: of these.
        won: the share of its games that it won, a win that is shared being divided; 1 / players is even.
        won_error: of that.
        decisions: decisions a hand, of all players.
        figures: means over hands of what the game's module in ``agents`` tells, such as Palace's pot.
    """

    candidate: str
    others: str
    deals: int
    seed: int
    hands: int
    mean: float
    error: float
    seat_means: tuple[float, ...]
    seat_errors: tuple[float, ...]
    won: float
    won_error: float
    decisions: float
    figures: dict[str, float]


def duel(
    game: Game | type[Game] | str,
    candidate: Agent,
    others: Agent,
    deals: int,
    seed: int = 0,
    progress: Callable[[int], None] | None = None,
) -> Result:
    """Play deals from every seat of the candidate, all other seats held by the other agent.

    The other way round, one of the others among candidates, is the same call with the agents exchanged.

    Args:
        game: what is played, a game, its class or its name; all hands of a game are one deal here.
        candidate: who changes seats.
        others: who holds all other seats.
        deals: how many, 2 or more; each is played ``game.players`` times.
        seed: deal d is that of game d under this seed, whoever plays.
        progress: called now and then with the number of deals that have been played since the last call.

    Raises:
        ValueError: an argument is out of range, or no game or agent.
        IllegalMoveError: an agent chose an illegal move.
    """
    game = settle(game)
    for name, agent in (("candidate", candidate), ("others", others)):
        if not is_agent(agent):
            raise ValueError(f"{name}={quote(agent)}: must be an agent, such as agents.load('tight')")
    deals = check_whole("deals", deals, 2, 2**31)
    seed = check_seed(seed)
    chunk = max(1, _ROWS // game.players)
    tally = _Tally()
    results = np.zeros((2, deals, game.players))
    for first in range(0, deals, chunk):
        size = min(chunk, deals - first)
        results[:, first : first + size] = _play(game, candidate, others, first, size, seed, tally)
        if progress is not None:
            progress(size)
    (mean, error), (won, won_error) = (_interval(each.mean(axis=1)) for each in results)
    by_seat = [_interval(results[0, :, seat]) for seat in range(game.players)]
    return Result(
        candidate=candidate.name,
        others=others.name,
        deals=deals,
        seed=seed,
        hands=tally.hands,
        mean=mean,
        error=error,
        seat_means=tuple(seat_mean for seat_mean, _ in by_seat),
        seat_errors=tuple(seat_error for _, seat_error in by_seat),
        won=won,
        won_error=won_error,
        decisions=tally.decisions / tally.hands,
        figures={name: total / tally.hands for name, total in tally.figures.items()},
    )


def deals_for(game: Game, hands: int) -> int:
    """How many deals, 2 or more, have so many hands at least if no game ends early."""
    return max(2, -(-hands // game.hands))


class _Tally:
    """What is counted on the way."""

    def __init__(self) -> None:
        self.hands = 0
        self.decisions = 0
        self.figures: dict[str, float] = {}

    def count_hands(self, game: Game, states: States) -> None:
        self.hands += len(states)
        for name, values in PLAYABLE[game.name].figures(states).items():
            self.figures[name] = self.figures.get(name, 0.0) + float(values.sum())


class _Tables:
    """The games of some deals, one for each deal and seat of the candidate; those still going on come first.

    Attributes:
        size: how many go on, and how much of the following arrays counts.
        number: which one each is, deal + deals × seat of the candidate.
        seat: the candidate's.
    """

    def __init__(self, game: Game, first: int, deals: int, seed: int) -> None:
        n = deals * game.players
        self.game = game
        self.size = n
        self.number = np.arange(n)
        self.seat = self.number // deals
        self.states = np.repeat(game.record, n)
        self.observations = np.zeros((n, game.layout.size), np.uint8)
        self.masks = np.zeros((n, game.n_actions), np.bool_)
        self.actors = np.zeros(n, np.int64)
        self.rewards = np.zeros((n, game.players), np.float32)
        self.over = np.zeros(n, np.bool_)
        self.hand_over = np.zeros(n, np.bool_)
        for seat in range(game.players):
            part = slice(seat * deals, (seat + 1) * deals)
            shown = (self.observations[part], self.masks[part], self.actors[part])
            game.kernels.start(self.states[part], 0, deals, seed, first, *shown)

    def act(
        self, agent: Agent, rows: npt.NDArray[np.int64], rng: np.random.Generator
    ) -> npt.NDArray[np.int64]:
        """Ask an agent for the moves in some of the games."""
        views = self.states[rows]
        self.game.kernels.see(views, 0, len(rows), self.actors[rows], views)
        masks = self.masks[rows]
        actions = agent.act(views, self.observations[rows], masks, rng)
        legal = masks[np.arange(len(rows)), actions]
        if not legal.all():
            bad = int(np.argmin(legal))
            allowed = np.flatnonzero(masks[bad]).tolist()
            raise IllegalMoveError(f"agent {agent.name!r} chose {int(actions[bad])!r}: legal are {allowed}")
        return actions

    def step(self, actions: npt.NDArray[np.int64]) -> None:
        """Make a move in every game; a finished hand is left as it is."""
        shown = (self.observations, self.masks, self.actors)
        self.game.kernels.step(
            self.states, 0, self.size, actions, False, *shown, self.rewards, self.over, self.hand_over
        )

    def go_on(self) -> None:
        """Deal the next hand of the matches that have one, and drop those that are over."""
        n = self.size
        for row in np.flatnonzero(self.hand_over[:n] & ~self.over[:n]).tolist():
            self.game.kernels.prepare(self.states, row, True)
            self.game.kernels.deal_hand(self.states, row, 0, self.observations, self.masks, self.actors)
        self.size = n - int(self.over[:n].sum())
        gaps = np.flatnonzero(self.over[: self.size])
        if len(gaps):
            movers = self.size + np.flatnonzero(~self.over[self.size : n])
            for array in (self.states, self.observations, self.masks, self.actors, self.number, self.seat):
                array[gaps] = array[movers]


def _play(
    game: Game, candidate: Agent, others: Agent, first: int, deals: int, seed: int, tally: _Tally
) -> npt.NDArray[np.float64]:
    """Play some deals from number ``first`` on.

    Returns:
        The candidate's mean a hand and its share of the win, (2, deals, N), by deal and seat.
    """
    tables = _Tables(game, first, deals, seed)
    sides = [(agent, np.random.default_rng([seed, first, i])) for i, agent in enumerate((candidate, others))]
    totals = np.zeros(deals * game.players)
    hands = np.zeros(deals * game.players, np.int64)
    won = np.zeros(deals * game.players)
    while tables.size:
        actions = np.zeros(tables.size, np.int64)
        own = tables.actors[: tables.size] == tables.seat[: tables.size]
        for (agent, rng), asked in zip(sides, (own, ~own), strict=True):
            rows = np.flatnonzero(asked)
            if len(rows):
                actions[rows] = tables.act(agent, rows, rng)
        tally.decisions += tables.size
        tables.step(actions)
        ended = np.flatnonzero(tables.hand_over[: tables.size])
        if len(ended):
            tally.count_hands(game, tables.states[ended])
            totals[tables.number[ended]] += tables.rewards[ended, tables.seat[ended]]
            hands[tables.number[ended]] += 1
            for row in ended[tables.over[ended]].tolist():
                winners = game.winners(tables.states[row : row + 1])
                won[tables.number[row]] = (tables.seat[row] in winners) / len(winners)
            tables.go_on()
    return np.stack([totals / hands, won]).reshape(2, game.players, deals).swapaxes(1, 2)


def _interval(values: npt.NDArray[np.float64]) -> tuple[float, float]:
    """The mean, and half the width of its 95 % interval."""
    return float(values.mean()), float(_NORMAL_95 * values.std(ddof=1) / np.sqrt(len(values)))
