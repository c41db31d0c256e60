"""Tables and batches under calls of any kind in any order: they show what a plain model expects."""

import copy
import pickle
import secrets
from collections.abc import Callable
from types import ModuleType
from typing import Any, ClassVar

import numpy as np
import pytest
from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import (
    RuleBasedStateMachine,
    initialize,
    invariant,
    precondition,
    rule,
    run_state_machine_as_test,
)

from card_table.aec import TableEnv
from card_table.batch import Batch
from card_table.game import IllegalMoveError, InvalidMoveError, NotPlayingError
from card_table.given import is_whole, quote
from detective_env import detective_v0
from palace_env import palace_v0
from tests.invariants import random_arguments
from tests.test_aec import legal, paid, snapshot
from tests.test_conduct import left_in_hand

ORIGINALS = 4  # tables that were copied, kept to see that what happens to their copies does not touch them
NUMBERS = st.integers(0, 2**31 - 1)
SEEDS = st.integers(0, 2**63 - 1)
# What might be taken for an action; much of it is legal at no time.
ANYTHING = st.one_of(
    st.integers(-3, 300),
    st.integers(),
    st.none(),
    st.booleans(),
    st.floats(),
    st.text(max_size=5),
    st.binary(max_size=3),
    st.builds(np.bool_, st.booleans()),
    st.builds(np.float64, st.integers(0, 9)),
    st.builds(np.timedelta64, st.integers(0, 9), st.just("s")),
    st.builds(np.array, st.integers(0, 9)),
    st.sampled_from([2**70, -(2**63), np.uint64(2**64 - 1), [0], (), {}, object, "stay", "0"]),
)
WHOLE = st.sampled_from([int, np.uint8, np.int16, np.int32, np.int64, np.uint64])
BAD_SEEDS = st.sampled_from(
    [-1, 2**63, 2**100, 1.0, "7", True, np.True_, np.timedelta64(1, "s"), [1], object()]
)
STRANGERS = st.sampled_from(["player_10", "player_-1", "Player_0", "", 0, None, ("player_0",), ["player_0"]])
COPIES = st.sampled_from([copy.deepcopy, copy.copy, lambda table: pickle.loads(pickle.dumps(table))])


class _Table(RuleBasedStateMachine):
    """One table, and beside it what is known of it without asking.

    Attributes:
        log: what brought the table here since its last reset with a seed.
        hands: how many hands of this episode are over.
        totals: what the seats have won in them, in the history's unit.
        winners: the seats that have won the episode, none before its end.
        due: for each agent what it earned since its last step.
        rewards: for each agent what the last step paid.
        gone: how many agents are removed.
        prescribed: the options of the last reset.
    """

    face: ClassVar[ModuleType]

    def __init__(self) -> None:
        super().__init__()
        self.originals: list[tuple[TableEnv, Any]] = []
        self.log: list[tuple[str, Any, Any]] = []
        self.started = self.playing = False
        self.hands = self.gone = 0
        self.totals: list[int] = []
        self.winners: list[int] = []
        self.due: dict[str, float] = {}
        self.rewards: dict[str, float] = {}
        self.prescribed: dict[str, Any] = {}

    @initialize(number=NUMBERS, mode=st.sampled_from([None, "ansi"]))
    def set_up(self, number: int, mode: str | None) -> None:
        self.arguments = random_arguments(self.face.GAME.name, np.random.default_rng(number))
        self.env = self.face.env(render_mode=mode, **self.arguments)
        self.names = [f"player_{seat}" for seat in range(self.env.game.players)]

    # ---- calls that are right

    @rule(seed=SEEDS, kind=st.sampled_from([int, np.int64, np.uint64]))
    def reset_with_a_seed(self, seed: int, kind: Callable[[int], Any]) -> None:
        self.check_again()
        self.env.reset(seed=kind(seed))
        self.log = [("reset", seed, None)]
        self.begin({})

    @rule()
    def reset_to_the_next_deal(self) -> None:
        self.env.reset()
        self.log.append(("reset", None, None))
        self.begin({})

    @rule(seed=SEEDS | st.none(), number=NUMBERS, parts=st.integers(0, 5))
    def reset_with_options(self, seed: int | None, number: int, parts: int) -> None:
        options = possible_options(self.face, self.arguments, number, parts)
        kept = copy.deepcopy(options)
        if seed is not None:
            self.check_again()
            self.log = []
        self.env.reset(seed=seed, options=options)
        assert options == kept
        self.log.append(("reset", seed, kept))
        self.begin(kept)

    def begin(self, options: dict[str, Any]) -> None:
        self.started = self.playing = True
        self.hands = self.gone = 0
        self.totals = [0] * len(self.names)
        self.winners = []
        self.due = dict.fromkeys(self.names, 0.0)
        self.rewards = dict.fromkeys(self.names, 0.0)
        self.prescribed = options

    @precondition(lambda self: self.playing)
    @rule(choice=NUMBERS, kind=WHOLE)
    def move(self, choice: int, kind: Callable[[int], Any]) -> None:
        actions = legal(self.env)
        self.take(actions[choice % len(actions)], kind)

    @precondition(lambda self: self.playing)
    @rule(number=NUMBERS, moves=st.integers(1, 60))
    def play_on(self, number: int, moves: int) -> None:
        rng = np.random.default_rng(number)
        for _ in range(moves):
            if self.playing:
                self.take(int(rng.choice(legal(self.env))), int)

    def take(self, action: int, kind: Callable[[int], Any]) -> None:
        env = self.env
        agent = env.agent_selection
        assert env.parse_move(env.move_text(kind(action))) == action
        env.step(kind(action))
        self.log.append(("step", action, None))
        self.due[agent] = 0.0
        self.rewards = dict.fromkeys(self.names, 0.0)
        if len(env.histories) > self.hands:
            self.end_hand()
            self.act_wrongly(-1)  # when what was earned has not been told yet

    def end_hand(self) -> None:
        """A hand is over: what it paid, and whether the episode is over, by its history."""
        game = self.env.game
        history = self.env.histories[-1]
        assert history["hand"] == self.hands
        if self.hands == 0:
            check_prescribed(history, self.prescribed)
        self.hands += 1
        result = history["net" if game.name == "palace" else "points"]
        self.totals = [total + won for total, won in zip(self.totals, result, strict=True)]
        self.playing = self.hands < game.hands
        if game.name == "palace":
            chips = [had + won for had, won in zip(history["stacks"], result, strict=True)]
            self.playing &= sum(map(bool, chips)) > 1
        if not self.playing:
            # Detective breaks ties by the action cards that are left [9.2].
            more = [0] * len(self.names) if game.name == "palace" else left_in_hand(history)
            merit = list(zip(self.totals, more, strict=True))
            self.winners = [seat for seat, reached in enumerate(merit) if reached == max(merit)]
        pay = paid(history)
        if self.arguments.get("reward") == "win":
            shares = [(seat in self.winners) / max(len(self.winners), 1) for seat in range(len(self.names))]
            pay = [0.0 if self.playing else share - 1 / len(shares) for share in shares]
        self.rewards = dict(zip(self.names, pay, strict=True))
        self.due = {agent: due + self.rewards[agent] for agent, due in self.due.items()}

    @precondition(lambda self: self.started and not self.playing and self.gone < len(self.names))
    @rule()
    def leave(self) -> None:
        self.env.step(None)
        self.log.append(("step", None, None))
        self.gone += 1
        self.rewards = dict.fromkeys(self.names[self.gone :], 0.0)

    @precondition(lambda self: self.started)
    @rule(number=NUMBERS, most=st.integers(0, 30))
    def iterate(self, number: int, most: int) -> None:
        rng = np.random.default_rng(number)
        for agent in self.env.agent_iter(most):
            seen, reward, terminated, _, _ = self.env.last()
            assert agent == self.env.agent_selection
            assert reward == pytest.approx(self.due[agent], rel=1e-5, abs=1e-5)
            if terminated:
                self.leave()
            else:
                self.take(int(rng.choice(np.flatnonzero(seen["action_mask"]))), int)

    @rule(duplicate=COPIES)
    def go_on_with_a_copy(self, duplicate: Callable[[TableEnv], TableEnv]) -> None:
        twin = duplicate(self.env)
        assert all_of(twin) == all_of(self.env)
        self.originals = [*self.originals, (self.env, all_of(self.env))][-ORIGINALS:]
        self.env = twin

    @precondition(lambda self: self.originals)
    @rule(number=NUMBERS)
    def go_on_at_an_original(self, number: int) -> None:
        before = all_of(self.env)
        other, seen = self.originals.pop(number % len(self.originals))
        assert all_of(other) == seen
        other.reset(seed=number)
        other.step(legal(other)[number % len(legal(other))])
        assert all_of(self.env) == before

    @precondition(lambda self: self.hands)
    @rule(choice=NUMBERS)
    def play_a_history_again(self, choice: int) -> None:
        history = self.env.histories[choice % self.hands]
        again = TableEnv.from_history(history, self.face.GAME)
        for seat, move in history["moves"]:
            assert again.agent_selection == self.names[seat]
            again.step(again.parse_move(move))
        assert again.histories == [history]

    # ---- calls that are wrong

    @rule(action=ANYTHING)
    def act_wrongly(self, action: Any) -> None:  # noqa: ANN401
        env = self.env
        if self.playing:
            if is_whole(action) and action in legal(env):
                return
            seat = self.names.index(env.agent_selection)
            named = quote(int(action) if is_whole(action) else action)
            for ask in (env.step, env.move_text):
                told = self.refused(IllegalMoveError, ask, action)
                assert told.startswith(f"action {named}")
                assert f" of seat {seat} is not allowed now: choose from " in told
            return
        self.refused(NotPlayingError, env.move_text, action)
        self.refused(NotPlayingError, env.parse_move, "fold")
        if not env.agents:
            self.refused(NotPlayingError, env.last)
            assert "call reset first" in self.refused(NotPlayingError, env.step, action)
        elif action is not None:
            told = self.refused(IllegalMoveError, env.step, action)
            assert told.startswith(
                f"action {quote(action)} of seat {self.gone}: the episode is over, only None"
            )

    @precondition(lambda self: self.playing)
    @rule(text=st.text())
    def write_what_is_no_move(self, text: str) -> None:
        told = self.refused(InvalidMoveError, self.env.parse_move, f"?{text}")
        assert told.startswith(f"{quote(f'?{text}')} is no move: write ")

    @rule(agent=STRANGERS)
    def ask_for_a_stranger(self, agent: Any) -> None:  # noqa: ANN401
        env = self.env
        for ask in (env.observe, env.view, env.view_text, env.observation_space, env.action_space):
            told = self.refused(ValueError, ask, agent)
            assert told == f"agent {agent!r} is unknown: choose from {self.names}"

    @rule(seed=BAD_SEEDS)
    def reset_with_a_bad_seed(self, seed: Any) -> None:  # noqa: ANN401
        assert f"seed={quote(seed)}: " in self.refused(ValueError, self.env.reset, seed)

    @rule(seed=SEEDS | st.none(), choice=NUMBERS)
    def reset_with_bad_options(self, seed: int | None, choice: int) -> None:
        bad = impossible_options(self.env)
        options, named = bad[choice % len(bad)]
        assert named in self.refused(ValueError, self.env.reset, seed, options)

    def refused(self, kind: type[Exception], call: Callable[..., object], *given: object) -> str:
        """What a call is refused with; not one byte of the table changes."""
        before = self.bytes_of(self.env)
        with pytest.raises(kind) as error:
            call(*given)
        assert type(error.value) is kind
        assert self.bytes_of(self.env) == before
        return str(error.value)

    @staticmethod
    def bytes_of(env: TableEnv) -> tuple[bytes, ...]:
        """A table as it is pickled, and what it shows to who is to move."""
        shown = env.observe(env.agent_selection).values() if env.agent_selection else ()
        return pickle.dumps(env), *(array.tobytes() for array in shown)

    # ---- what always holds

    @invariant()
    def nothing_is_shown_before_a_reset(self) -> None:
        if self.started:
            return
        env, first = self.env, self.names[0]
        assert env.possible_agents == self.names
        assert (env.agents, env.agent_selection, env.histories, env.winners) == ([], "", [], [])
        for call in (env.state, env.render, env.last, env.agent_iter):
            self.refused(NotPlayingError, call)
        for ask in (env.observe, env.view, env.view_text):
            self.refused(NotPlayingError, ask, first)

    @invariant()
    def tables_are_those_of_the_agents(self) -> None:
        env, agents = self.env, self.names[self.gone :]
        if not self.started:
            return
        assert env.possible_agents == self.names
        assert env.agents == agents
        assert env.terminations == dict.fromkeys(agents, not self.playing)
        assert env.truncations == dict.fromkeys(agents, False)
        assert env.infos == {agent: {} for agent in agents}
        assert list(env.rewards) == list(self.rewards) == agents
        assert env.rewards == pytest.approx(self.rewards, rel=1e-6, abs=1e-6)
        assert sum(env.rewards.values()) == pytest.approx(0, abs=1e-4)
        cumulative = env._cumulative_rewards
        assert cumulative == pytest.approx({agent: self.due[agent] for agent in agents}, rel=1e-5, abs=1e-5)
        assert len(env.histories) == self.hands

    @invariant()
    def only_who_is_to_move_has_actions(self) -> None:
        env = self.env
        if not self.started:
            return
        told = env.histories
        before = self.bytes_of(env)
        for history in told:
            history.clear()
        for agent in self.names:
            seen = env.observe(agent)
            assert env.observation_space(agent).contains(seen)
            assert seen["action_mask"].any() == (self.playing and agent == env.agent_selection)
            for array in (*seen.values(), env.view(agent).view(np.uint8)):
                array[:] = 1  # it is the caller's own
        truth = env.state()
        assert env.state_space.contains(truth)
        truth[:] = 1
        if self.playing:
            assert all(env.action_space(env.agent_selection).contains(action) for action in legal(env))
        assert env.render_mode is None or env.render() == env.view_text(env.agent_selection)
        assert self.bytes_of(env) == before

    @invariant()
    def last_tells_of_who_is_to_move(self) -> None:
        if not self.env.agents:
            return
        env, agent = self.env, self.env.agent_selection
        seen, reward, terminated, truncated, info = env.last()
        assert self.playing or agent == self.names[self.gone]
        assert all((seen[key] == array).all() for key, array in env.observe(agent).items())
        assert (reward, terminated) == (env._cumulative_rewards[agent], not self.playing)
        assert (truncated, info) == (False, {})
        assert env.last(observe=False)[0] is None

    @invariant()
    def winners_have_the_most(self) -> None:
        assert self.env.winners == self.winners

    def check_again(self) -> None:
        """The calls that were right, made again at a fresh table, lead to the same."""
        fresh = self.face.env(render_mode=self.env.render_mode, **self.arguments)
        for call, given, options in self.log:
            if call == "reset":
                fresh.reset(seed=given, options=options)
            else:
                fresh.step(given)
        assert all_of(fresh) == all_of(self.env)

    def teardown(self) -> None:
        self.check_again()
        for env, seen in self.originals:
            assert all_of(env) == seen


def all_of(env: TableEnv) -> Any:  # noqa: ANN401 - to be compared
    """All that can be seen of a table, dealt or not."""
    return snapshot(env) if env._started else (env.agents, env.agent_selection, env.rewards, env.histories)


def possible_options(face: ModuleType, arguments: dict[str, Any], number: int, parts: int) -> dict[str, Any]:
    """Options that can be dealt: so many parts of a hand that was."""
    env = face.env(**arguments)
    env.reset(seed=number)
    rng = np.random.default_rng(number)
    while not env.histories:
        env.step(int(rng.choice(legal(env))))
    history = env.histories[0]
    first = ("button", "stacks") if face is palace_v0 else ("dealer",)
    deal = ("banners", "palaces", "draws") if face is palace_v0 else ("private", "exposed", "board", "thrown")
    options = {key: history[key] for key in first[:parts]}
    if parts > len(first):
        options["deal"] = {key: history[key] for key in deal[: parts - len(first)]}
    return options


def impossible_options(env: TableEnv) -> list[tuple[Any, str]]:
    """Options that can never be dealt at a table, and what must be named."""
    players = env.game.players
    both: list[tuple[Any, str]] = [
        (3, "options=3"),
        ([], "options=[]"),
        ({"seat": 1}, "option 'seat' is unknown"),
        ({1: 1}, "option 1 is unknown"),
        ({"deal": 7}, "deal=7"),
        ({"deal": {"cards": []}}, "deal key 'cards' is unknown"),
    ]
    if env.game.name == "palace":
        return [
            *both,
            ({"button": players}, f"button={players}"),
            ({"button": -1}, "button=-1"),
            ({"stacks": [9] * (players - 1)}, "stacks=[9"),
            ({"stacks": [0] * players}, "at least two players"),
            ({"stacks": [10**5000] * players}, "stacks[0]=<int"),
            ({"deal": {"banners": [f"{rank}h" for rank in "AKQJT98765"[:players]]}}, "deal['banners']"),
            ({"deal": {"banners": ["Ah"] * players}}, "deal['banners'][1]='Ah'"),
            ({"deal": {"palaces": [["Ah"] * 4] * players}}, "deal['palaces'][0]="),
            ({"deal": {"draws": "Ah"}}, "deal['draws']='Ah'"),
            ({"deal": {"draws": ["1c"]}}, "'1c' is no card"),
        ]
    return [
        *both,
        ({"dealer": players}, f"dealer={players}"),
        ({"dealer": 1.0}, "dealer=1.0"),
        ({"deal": {"private": ["Ah"] * players}}, "deal['private'][1]='Ah'"),
        ({"deal": {"private": ["Ah"]}}, "deal['private']=['Ah']"),
        ({"deal": {"board": ["Ah", "Kh", "Qh", "Jh", "Th", "9h"]}}, "deal['board']="),
        ({"deal": {"exposed": "Ah"}}, "deal['exposed']='Ah'"),
        ({"deal": {"thrown": [["Ah"]] * 9}}, "deal['thrown']="),
    ]


def check_prescribed(history: dict[str, Any], options: dict[str, Any]) -> None:
    """The first hand is dealt as the options wanted it."""
    given = {**options, **options.get("deal", {})}
    for key in set(given) - {"deal", "draws"}:
        assert history[key] == given[key], key
    dealt_in = sum(map(bool, history.get("stacks", ())))
    first_deck = 4 * history["rules"]["ranks"] - dealt_in * (1 + history["rules"].get("palace_cards", 0))
    for wanted, drawn in zip(given.get("draws", [])[:first_deck], history.get("draws", []), strict=False):
        assert drawn == wanted


class _Games(RuleBasedStateMachine):
    """A batch, and beside it a batch of one for each of its games, and a table for the first."""

    face: ClassVar[ModuleType]

    @initialize(number=NUMBERS, size=st.integers(1, 5), seed=SEEDS, threads=st.integers(1, 4))
    def set_up(self, number: int, size: int, seed: int, threads: int) -> None:
        arguments = random_arguments(self.face.GAME.name, np.random.default_rng(number))
        self.batch: Batch = self.face.batch(size, seed=seed, threads=threads, **arguments)
        self.singles = [self.face.batch(1, seed=seed, first=game, **arguments) for game in range(size)]
        self.table: TableEnv = self.face.env(**arguments)
        self.table.reset(seed=seed)
        self.arrays = self.arrays_of(self.batch)
        self.kept: Any = None

    @staticmethod
    def arrays_of(batch: Batch) -> list[np.ndarray]:
        names = ("observations", "masks", "actors", "rewards", "over", "hand_over", "states")
        return [getattr(batch, name) for name in names]

    @rule(number=NUMBERS, steps=st.integers(1, 20), kind=WHOLE, listed=st.booleans())
    def step(self, number: int, steps: int, kind: Callable[[int], Any], listed: bool) -> None:
        rng = np.random.default_rng(number)
        for _ in range(steps):
            chosen = [kind(rng.choice(np.flatnonzero(mask))) for mask in self.batch.masks]
            self.batch.step(chosen if listed else np.array(chosen))
            for action, single in zip(chosen, self.singles, strict=True):
                single.step([action])
            if self.table.terminations[self.table.agent_selection]:
                self.table.reset()
            self.table.step(chosen[0])

    @rule(number=NUMBERS, place=NUMBERS, action=st.integers(-(2**63), 2**63 - 1) | st.integers(-2, 300))
    def step_wrongly_in_one_game(self, number: int, place: int, action: int) -> None:
        rng = np.random.default_rng(number)
        chosen = [int(rng.choice(np.flatnonzero(mask))) for mask in self.batch.masks]
        index = place % len(chosen)
        if 0 <= action < self.batch.masks.shape[1] and self.batch.masks[index, action]:
            return
        chosen[index] = action
        told = self.refused(IllegalMoveError, self.batch.step, chosen)
        seat = self.batch.actors[index]
        assert told.startswith(f"game {index}: action {action} of seat {seat} is illegal: choose from [")

    @rule(wrong=st.sampled_from(["none", "long", "short", "deep", "ragged", "float", "bool", "text", "huge"]))
    def step_with_what_is_no_row_of_actions(self, wrong: str) -> None:
        size = len(self.batch)
        actions: Any = {
            "none": None,
            "long": [0] * (size + 1),
            "short": [0] * (size - 1),
            "deep": [[0]] * size,
            "ragged": [[0], [0, 0]],
            "float": [0.0] * size,
            "bool": [False] * size,
            "text": ["stay"] * size,
            "huge": [10**5000] * size,
        }[wrong]
        told = self.refused(ValueError, self.batch.step, actions)
        assert told.endswith(f"must be {size} whole numbers")

    @rule(seed=SEEDS | st.none())
    def reset(self, seed: int | None) -> None:
        self.batch.reset(seed)
        for single in self.singles:
            single.reset(seed)
        self.table.reset(seed=self.batch.seed)

    @rule(seed=BAD_SEEDS)
    def reset_with_a_bad_seed(self, seed: Any) -> None:  # noqa: ANN401
        assert f"seed={quote(seed)}: " in self.refused(ValueError, self.batch.reset, seed)

    @rule()
    def keep(self) -> None:
        singles = [single.states.copy() for single in self.singles]
        self.kept = self.batch.states.copy(), singles, pickle.dumps(self.table)

    @precondition(lambda self: self.kept is not None)
    @rule()
    def restore(self) -> None:
        states, singles, table = self.kept
        self.batch.restore(states)
        for single, kept in zip(self.singles, singles, strict=True):
            single.restore(kept)
        self.table = pickle.loads(table)

    @rule(duplicate=COPIES, number=NUMBERS)
    def go_on_with_a_copy(self, duplicate: Callable[[Batch], Batch], number: int) -> None:
        original, before = self.batch, [array.tobytes() for array in self.arrays_of(self.batch)]
        self.batch = duplicate(original)
        self.arrays = self.arrays_of(self.batch)
        assert [array.tobytes() for array in self.arrays] == before
        original.reset(number)
        assert [array.tobytes() for array in self.arrays] == before

    @rule(wrong=st.sampled_from(["none", "short", "views", "zeros"]))
    def restore_what_is_no_batch(self, wrong: str) -> None:
        batch = self.batch
        states: Any = {
            "none": None,
            "short": batch.states[:-1].copy(),
            "views": batch.views().copy(),
            "zeros": np.zeros_like(batch.states),
        }[wrong]
        assert self.refused(ValueError, batch.restore, states).startswith("states ")

    def refused(self, kind: type[Exception], call: Callable[..., object], *given: object) -> str:
        """What a call is refused with; not one byte of the batch changes."""
        before = [array.tobytes() for array in self.arrays_of(self.batch)]
        with pytest.raises(kind) as error:
            call(*given)
        assert type(error.value) is kind
        assert [array.tobytes() for array in self.arrays_of(self.batch)] == before
        return str(error.value)

    @invariant()
    def each_game_is_that_of_a_batch_of_one(self) -> None:
        views = self.batch.views()
        for game, single in enumerate(self.singles):
            for array, alone in zip(self.arrays_of(self.batch), self.arrays_of(single), strict=True):
                assert array[game : game + 1].tobytes() == alone.tobytes()
            assert views[game : game + 1].tobytes() == single.views().tobytes()

    @invariant()
    def arrays_stay_the_same_objects(self) -> None:
        assert all(now is then for now, then in zip(self.arrays_of(self.batch), self.arrays, strict=True))

    @invariant()
    def the_first_game_is_that_of_a_table(self) -> None:
        if self.table.terminations[self.table.agent_selection]:
            return  # the batch has begun the next one
        seen = self.table.observe(self.table.agent_selection)
        assert self.table.agent_selection == f"player_{self.batch.actors[0]}"
        assert seen["observation"].tobytes() == self.batch.observations[0].tobytes()
        assert (seen["action_mask"] == self.batch.masks[0]).all()


def kinds(machine: type[RuleBasedStateMachine]) -> pytest.MarkDecorator:
    """The machine for each game in turn."""
    return pytest.mark.parametrize(
        "machine",
        [type(face.GAME.name, (machine,), {"face": face}) for face in (palace_v0, detective_v0)],
        ids=lambda machine: machine.__name__,
    )


@pytest.fixture(autouse=True)
def _seeds_that_nobody_gave_are_the_same_ones(monkeypatch: pytest.MonkeyPatch) -> None:
    """Hypothesis makes a run of calls again to find a shorter one that fails."""
    monkeypatch.setattr(secrets, "randbits", lambda bits: 5)


def run(machine: type[RuleBasedStateMachine]) -> None:
    examples = settings().max_examples // 3
    run_state_machine_as_test(machine, settings=settings(max_examples=examples, stateful_step_count=40))


@kinds(_Table)
def test_a_table_keeps_its_word_whatever_is_called(machine: type[RuleBasedStateMachine]) -> None:
    run(machine)


@kinds(_Games)
def test_a_batch_keeps_its_word_whatever_is_called(machine: type[RuleBasedStateMachine]) -> None:
    run(machine)
