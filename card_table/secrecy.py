"""Proof that a table tells each seat all that it may know and nothing else, for any game.

What a seat may know is written down in ``Secrets``, from the game's rules and without the code under test. It
reshuffles all that a seat cannot know. A seat that could tell the table with those cards, its twin, from the
true one by anything that it gets has been told a secret. It also changes, one by one, what a seat does know,
which must show in what the seat sees. Each field of the game's record must be accounted for, so that a field
which somebody adds and forgets is found.

The proof is as good as the ``Secrets``; every episode that is played adds to it::

    class HighCardSecrets(Secrets):
        hidden = {"deck": "nobody sees it", "cards": "each sees the own card", "rng": "nobody knows it"}
        known = {"cards": "one's own", "pot": "lies on the table"}
        derived = {"actor": "follows from the pot"}

        def reshuffle(self, states, seat, rng):
            others = states.copy()
            for g in others:
                own = g.cards[seat]
                unseen = rng.permutation([*np.delete(g.cards, seat), *g.deck])
                g.cards, g.deck = np.insert(unseen[: len(g.cards) - 1], seat, own), unseen[len(g.cards) - 1 :]
                g.rng = rng.integers(0, 2**32, 4)
            return others

        def changes(self, states, seat, rng):
            yield Change.of(states, "cards", states["cards"][0, seat] + 1, seat)
            yield Change.of(states, "pot", states["pot"][0] + 1)

    report = play_and_check(lambda: TableEnv(HighCard()), HighCardSecrets(), episodes=100, seed=0)
    report.check_complete(HighCardSecrets())

The files ``secrets.py`` among the tests are those of whole games. A table's constant attributes, such as
``possible_agents`` and its spaces, are taken for what they are and not looked at.
"""

import io
from abc import ABC, abstractmethod
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import redirect_stdout
from dataclasses import dataclass, field
from typing import Any, ClassVar, NamedTuple

import numpy as np
import numpy.typing as npt

from card_table.aec import TableEnv
from card_table.batch import Batch
from card_table.game import Game, States, check_whole, copy_states
from card_table.given import quote
from card_table.rng import check_seed
from card_table.twins import Past, copy_of, twin_of

TWINS = 4  # games in the batch that is checked
_NO_MOVES = ("", "?", "9999999999")


class LeakError(AssertionError):
    """A seat was told what it may not know.

    Attributes:
        seat: who was told.
        channel: by what, see ``channels``.
    """

    def __init__(self, seat: int, channel: str, difference: str) -> None:
        super().__init__(f"{channel} tells seat {seat} what it may not know: {difference}")
        self.seat = seat
        self.channel = channel


class BlindError(AssertionError):
    """A seat is not told what it may know.

    Attributes:
        seat: who is not told.
        field: of what.
        channel: by what, ``"view"`` or ``"observation"``.
    """

    def __init__(self, seat: int, field: str, channel: str) -> None:
        super().__init__(f"{channel} of seat {seat} is the same when {field!r}, which it knows, is another")
        self.seat = seat
        self.field = field
        self.channel = channel


class IncompleteError(AssertionError):
    """The secrets of a game are not what they must be, or do not account for its record."""


class Change(NamedTuple):
    """Something else that a seat knows.

    Attributes:
        field: the field of the record that was changed; others may follow from it.
        states: array (1,), the record with the change.
        is_observed: whether it must show in the observation too, not only in the view: whether it can matter
            to what the seat does.
    """

    field: str
    states: States
    is_observed: bool = True

    @classmethod
    def of(cls, states: States, field: str, value: int, *at: int, is_observed: bool = True) -> "Change":
        """The change of one number: ``field`` at a place, or as a whole, to another value.

        Raises:
            IncompleteError: the record has no such field.
        """
        if field not in (states.dtype.names or ()):
            raise IncompleteError(f"a change of {quote(field)}, which is no field of the record")
        changed = copy_states(states)
        changed[field][(0, *at)] = value
        return cls(field, changed, is_observed)


class Secrets(ABC):
    """What each seat of a game may know and what not, from its rules alone.

    Attributes:
        hidden: the fields of the record of which a seat may not know all, and why.
        known: those of which it knows something that ``changes`` changes, and why. Many are hidden, too.
        derived: those that are neither, and from what they follow, or why they are always the same; the
            game's ``settled`` ones need not be named.
    """

    hidden: ClassVar[Mapping[str, str]]
    known: ClassVar[Mapping[str, str]]
    derived: ClassVar[Mapping[str, str]] = {}

    @abstractmethod
    def reshuffle(self, states: States, seat: int, rng: np.random.Generator) -> States:
        """Other games that are the same as far as a seat can tell, with all else as different as can be.

        Args:
            states: games (B,) at any moment, also at a hand's end; they are not changed.
            seat: who cannot tell.
            rng: decides the other games.
        """

    @abstractmethod
    def changes(self, states: States, seat: int, rng: np.random.Generator) -> Iterator[Change]:
        """The same game (1,) with each thing that a seat knows changed in turn, as far as there is any."""

    def retell(self, history: Mapping[str, Any], states: States) -> dict[str, Any]:
        """The whole history of a finished hand, had it been that of a game that ``reshuffle`` gave.

        Args:
            history: of the hand as it was.
            states: the reshuffled game (1,), at the hand's end.
        """
        return dict(history)


@dataclass
class Report:
    """What was checked.

    Attributes:
        moments: how often a seat was looked at.
        reshuffled: how often each field was another in its twin.
        shown: how often a change of each field was seen to show.
    """

    moments: int = 0
    reshuffled: Counter[str] = field(default_factory=Counter)
    shown: Counter[str] = field(default_factory=Counter)

    def __add__(self, other: "Report") -> "Report":
        return Report(
            self.moments + other.moments, self.reshuffled + other.reshuffled, self.shown + other.shown
        )

    def check_complete(self, secrets: Secrets) -> None:
        """Check that all that is declared as hidden was reshuffled, and all that is known was changed.

        Raises:
            IncompleteError: some of it never was, or nothing is declared so.
        """
        for kind, declared, done in (
            ("hidden", secrets.hidden, self.reshuffled),
            ("known", secrets.known, self.shown),
        ):
            if not declared:
                raise IncompleteError(f"no field is declared {kind}, so that there is nothing to prove")
            never = [name for name in declared if not done[name]]
            if never:
                raise IncompleteError(
                    f"fields declared {kind} were never changed in {self.moments} moments: {never}"
                )


def play_and_check(
    make_env: Callable[[], TableEnv],
    secrets: Secrets,
    episodes: int,
    seed: int,
    every: int = 4,
    tried: int | None = 8,
    options: Mapping[str, Any] | None = None,
) -> Report:
    """Play random episodes, and check what each seat is told on the way.

    This tells what is wrong; ``check_complete`` of the report then tells whether all has been tried. The
    twins live through the last move themselves, so that what a table keeps of it is checked too. The first
    moment of an episode and the ends of hands are always checked.

    Args:
        make_env: makes the table, without wrappers, which is reset here.
        secrets: of its game.
        episodes: how many, at least 1.
        seed: decides the play and what is checked.
        every: of so many other moments one is checked, at least 1.
        tried: see ``check``.
        options: of each reset.

    Raises:
        LeakError: a seat was told what it may not know.
        BlindError: a seat is not told what it may know.
        IncompleteError: the secrets do not account for the record.
        ValueError: an argument is out of range.
    """
    check_whole("episodes", episodes, 1, 2**31)
    check_whole("every", every, 1, 2**31)
    rng = np.random.default_rng(check_seed(seed))
    env = make_env()
    _check_table(env)
    report = Report()
    for _ in range(episodes):
        move: Callable[[TableEnv], None] = _Reset(int(rng.integers(2**31)), options)
        while True:
            before = copy_of(env)
            move(env)
            if env._playing and env._earned:  # the next hand is dealt already
                lone = copy_of(before, _lone_hand=True)
                move(lone)
                report += check(lone, secrets, rng, tried)
            is_end = before._started and before._playing and not env._playing
            if is_end or isinstance(move, _Reset) or rng.integers(every) == 0:
                report += _check(env, secrets, rng, tried, Past(before, move))
            if not env.agents:
                break
            move = _Step(_random_action(env, rng))
    return report


def check(env: TableEnv, secrets: Secrets, rng: np.random.Generator, tried: int | None = 8) -> Report:
    """Check what each seat of a table is told at this moment, by the table and by a batch.

    Args:
        env: a table after its first reset, at any moment; it is not changed.
        secrets: of its game.
        rng: decides the reshuffles and changes.
        tried: of how many random actions the messages are looked at, if they are not allowed; None: of all.

    Raises:
        LeakError: a seat is told what it may not know.
        BlindError: a seat is not told what it may know.
        IncompleteError: the secrets do not account for the record.
        ValueError: an argument is out of range.
    """
    return _check(env, secrets, rng, tried, None)


def channels(env: TableEnv, seat: int, tried: Iterable[int] | None = None) -> dict[str, bytes]:
    """All that a seat gets from a table at this moment.

    Args:
        env: the table, after its first reset.
        seat: whose.
        tried: the actions whose messages are looked at, if they are not allowed; None: all.

    Returns:
        By channel what is told: ``view``, ``observation`` and ``action_mask``, the texts and data that are
        made of the view, ``rewards``, ``infos``, ``ends``, ``agents`` and ``histories``. Of the one to move,
        or to be removed, also ``last`` and, if the table renders, ``render``; of the one to move also
        ``moves``, the legal ones in words and what is read from these, and ``refusals``, the messages for all
        else. At the end of an episode also ``history``, what the seat may know of the last hand.
    """
    agent = env.possible_agents[seat]
    view, seen, histories = env.view(agent), env.observe(agent), env.histories
    told: dict[str, Any] = {
        "view": view,
        "observation": seen["observation"],
        "action_mask": seen["action_mask"],
        "view_text": env.view_text(agent),
        "view_data": env.game.view_data(view),
        "rewards": env.rewards,
        "infos": env.infos.get(agent),
        "ends": (env.terminations, env.truncations, env.winners),
        "agents": (env.agents, env.agent_selection),
    }
    if agent == env.agent_selection:
        if env.agents:
            told["last"] = env.last()
        if env.render_mode is not None:
            told["render"] = _rendered(env)
        if env._playing:
            told["moves"] = _moves(env, env._legal)
            told["refusals"] = _refusals(env, env._legal, tried)
    if env._playing:
        told["histories"] = histories
    else:
        # The last history tells all, for those who study the game; what a seat may know of it is veiled.
        told["histories"] = histories[:-1]
        told["history"] = env.game.veil_history(histories[-1], view)
    return {channel: _bytes(value) for channel, value in told.items()}


def _rendered(env: TableEnv) -> str:
    """What a table prints or gives when it is rendered."""
    with redirect_stdout(io.StringIO()) as printed:
        text = env.render()
    return f"{text}{printed.getvalue()}"


def _moves(env: TableEnv, mask: npt.NDArray[np.bool_]) -> list[tuple[int, str, str]]:
    moves = []
    for action in np.flatnonzero(mask).tolist():
        words = env.move_text(action)
        moves.append((action, words, _said(env.parse_move, words)))
    return moves


def _refusals(env: TableEnv, mask: npt.NDArray[np.bool_], tried: Iterable[int] | None) -> list[str]:
    """The messages for actions that are not allowed, and for their words and other texts."""
    said = [_said(env.parse_move, text) for text in _NO_MOVES]
    for action in range(-1, len(mask) + 1) if tried is None else tried:
        if not (0 <= action < len(mask) and mask[action]):
            said += [_said(env.step, action), _said(env.move_text, action)]
            words = env.game.format_move(env._states, action)
            said += [words, _said(env.parse_move, words)]
    return said


def _said(ask: Callable[[Any], object], about: object) -> str:
    """What comes of asking, an answer or a message."""
    try:
        return repr(ask(about))
    except ValueError as error:
        return f"{type(error).__name__}: {error}"


def _bytes(value: object) -> bytes:
    if isinstance(value, np.ndarray):
        return value.tobytes()
    if isinstance(value, Mapping):
        return b"{%s}" % b", ".join(_bytes(key) + b": " + _bytes(value[key]) for key in value)
    if isinstance(value, list | tuple):
        return b"[%s]" % b", ".join(map(_bytes, value))
    return value.encode() if isinstance(value, str) else repr(value).encode()


@dataclass(frozen=True)
class _Reset:
    """A reset to be lived through."""

    seed: int
    options: Mapping[str, Any] | None

    def __call__(self, env: TableEnv) -> None:
        env.reset(seed=self.seed, options=self.options)


@dataclass(frozen=True)
class _Step:
    """A step to be lived through."""

    action: int | None

    def __call__(self, env: TableEnv) -> None:
        env.step(self.action)


def _random_action(env: TableEnv, rng: np.random.Generator) -> int | None:
    return int(rng.choice(np.flatnonzero(env._legal))) if env._playing else None


def _check(
    env: TableEnv, secrets: Secrets, rng: np.random.Generator, tried: int | None, past: Past | None
) -> Report:
    _check_table(env)
    if tried is not None:
        check_whole("tried", tried, 0, 2**31)
    _check_declared(env.game, secrets)
    actions = None if tried is None else (rng.choice(env.game.n_actions + 2, tried) - 1).tolist()
    seats = range(env.game.players)
    return sum((_check_seat(env, secrets, seat, rng, actions, past) for seat in seats), Report())


def _check_seat(
    env: TableEnv,
    secrets: Secrets,
    seat: int,
    rng: np.random.Generator,
    tried: list[int] | None,
    past: Past | None,
) -> Report:
    def reshuffle(states: States) -> States:
        return _reshuffle(secrets, states, seat, rng)

    truth = channels(env, seat, tried)
    states = reshuffle(env._states)
    reshuffled = _reshuffled(env._states, states, secrets)
    twin = twin_of(env, states, reshuffle, secrets.retell, rng, past)
    _compare(env.game, seat, truth, channels(twin, seat, tried))
    shown = _check_changes(env, secrets, seat, rng)
    if env._playing and env.possible_agents[seat] == env.agent_selection:
        _check_batch(env, secrets, seat, rng)
    return Report(1, Counter(reshuffled), Counter(shown))


def _check_table(env: object) -> None:
    if not isinstance(env, TableEnv):
        raise ValueError(f"env={quote(env)}: must be a TableEnv, without wrappers")


def _check_declared(game: Game, secrets: Secrets) -> None:
    if not isinstance(secrets, Secrets):
        raise ValueError(f"secrets={quote(secrets)}: must be of a class made from Secrets")
    for name in ("hidden", "known", "derived"):
        if not isinstance(getattr(secrets, name, None), Mapping):
            raise IncompleteError(f"{type(secrets).__name__}.{name}: must tell fields and why each is {name}")
    fields = game.dtype.names or ()
    declared = {*secrets.hidden, *secrets.known, *secrets.derived}
    missing = [name for name in fields if name not in declared and name not in game.settled]
    if missing:
        raise IncompleteError(f"fields of the record neither hidden, known nor derived: {missing}")
    unknown = sorted(declared.difference(fields))
    if unknown:
        raise IncompleteError(f"no fields of the record: {unknown}")
    twice = sorted({*secrets.derived} & {*secrets.hidden, *secrets.known})
    if twice:
        raise IncompleteError(f"fields both derived and hidden or known: {twice}")


def _reshuffle(secrets: Secrets, states: States, seat: int, rng: np.random.Generator) -> States:
    given = states.tobytes()
    others: object = secrets.reshuffle(states, seat, rng)
    if states.tobytes() != given:
        raise IncompleteError("reshuffle changes the games that it is given, instead of a copy")
    if not isinstance(others, np.ndarray) or (others.dtype, others.shape) != (states.dtype, states.shape):
        raise IncompleteError(f"reshuffle must give as many games as it is given, not {quote(others)}")
    return others


def _reshuffled(states: States, others: States, secrets: Secrets) -> list[str]:
    changed = _changed(states, others)
    wrong = [name for name in changed if name not in secrets.hidden]
    if wrong:
        raise IncompleteError(f"fields reshuffled but not declared hidden: {wrong}")
    return changed


def _changed(states: States, others: States) -> list[str]:
    return [name for name in states.dtype.names or () if states[name].tobytes() != others[name].tobytes()]


def _compare(game: Game, seat: int, truth: Mapping[str, bytes], told: Mapping[str, bytes]) -> None:
    for channel in {**truth, **told}:
        one, other = truth.get(channel, b""), told.get(channel, b"")
        if one != other:
            raise LeakError(seat, channel, _difference(game, channel, one, other))


def _difference(game: Game, channel: str, one: bytes, other: bytes) -> str:
    """The first difference between what is told, in a place that the reader can find."""
    at = next((at for at, (a, b) in enumerate(zip(one, other, strict=False)) if a != b), 0)
    if channel.endswith("view"):
        at %= game.dtype.itemsize
        return f"the field {_field_at(game, at)!r} differs from that of a twin, byte {at}"
    if channel.endswith("observation"):
        at %= game.layout.size
        return f"the piece {_piece_at(game, at)!r} differs from that of a twin, byte {at}"
    if channel.endswith("mask"):
        return f"byte {at} is {one[at]} and for a twin {other[at]}"
    near = slice(max(at - 30, 0), at + 50)
    return f"{one[near].decode(errors='replace')!r} and to a twin {other[near].decode(errors='replace')!r}"


def _field_at(game: Game, at: int) -> str:
    fields: Mapping[str, tuple[Any, ...]] = game.dtype.fields or {}
    return max((offset, name) for name, (_, offset, *_) in fields.items() if offset <= at)[1]


def _piece_at(game: Game, at: int) -> str:
    layout = game.layout
    pieces = [*layout.table_pieces, *layout.seat_pieces * layout.seats]
    ends = np.cumsum([piece.size for piece in pieces])
    return pieces[int(np.searchsorted(ends, at, side="right"))].name


def _check_changes(env: TableEnv, secrets: Secrets, seat: int, rng: np.random.Generator) -> list[str]:
    """Check that what a seat knows shows; the fields that were changed."""
    game, states = env.game, env._states
    view, observation = _see(game, states, seat), _look(game, states, seat)
    names = []
    changes: object = secrets.changes(states, seat, rng)
    if not isinstance(changes, Iterable):
        raise IncompleteError(f"changes must give Changes, not {quote(changes)}")
    for change in changes:
        if not isinstance(change, Change):
            raise IncompleteError(f"changes must give Changes, not {quote(change)}")
        name, changed, is_observed = change
        if name not in secrets.known or name not in _changed(states, changed):
            raise IncompleteError(f"a change of {name!r}: must be declared known, and change it")
        if _see(game, changed, seat) == view:
            raise BlindError(seat, name, "view")
        if is_observed and _look(game, changed, seat) == observation:
            raise BlindError(seat, name, "observation")
        names.append(name)
    return names


def _see(game: Game, states: States, seat: int) -> bytes:
    views = copy_states(states)
    game.kernels.see(states, 0, 1, np.array([seat]), views)
    return views.tobytes()


def _look(game: Game, states: States, seat: int) -> bytes:
    out = np.zeros(game.layout.size, np.uint8)
    game.kernels.look(states, 0, seat, out)
    return out.tobytes()


def _check_batch(env: TableEnv, secrets: Secrets, seat: int, rng: np.random.Generator) -> None:
    """Check that the one to move gets the same from a batch of twins as from one of the true game."""
    states = np.repeat(env._states, TWINS)
    batch = Batch(env.game, TWINS)
    truth, told = (_batch_channels(batch, each) for each in (states, _reshuffle(secrets, states, seat, rng)))
    _compare(env.game, seat, truth, told)


def _batch_channels(batch: Batch, states: States) -> dict[str, bytes]:
    batch.restore(states)
    arrays = {
        "batch.view": batch.views(),
        "batch.observation": batch.observations,
        "batch.action_mask": batch.masks,
    }
    return {channel: array.tobytes() for channel, array in arrays.items()}
