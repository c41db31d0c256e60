"""Tables and batches in company: threads, other games, other processes, long matches change no game."""

import hashlib
import multiprocessing
import pickle
import re
import subprocess
import sys
import threading
from collections.abc import Callable, Iterator
from concurrent.futures import ProcessPoolExecutor
from pathlib import Path
from types import ModuleType
from typing import Any

import numpy as np
import pytest

from card_table.aec import TableEnv
from card_table.batch import Batch
from card_table.game import NotPlayingError
from detective_env import detective_v0
from palace_env import palace_v0
from tests import soak
from tests.plain import ROOT, said_by, said_in_plain_python
from tests.test_aec import legal, play_on, snapshot
from tests.test_batch import BOTH, tables, trajectory

# ---- threads


@tables
def test_any_number_of_threads_plays_the_same_games(face: ModuleType, arguments: dict[str, Any]) -> None:
    def played(threads: int) -> list[str]:
        batch = face.batch(23, seed=3, threads=threads, **arguments)
        found = [trajectory(batch, 25, 1)]
        kept = batch.states.copy()
        batch.reset(seed=8)
        found.append(trajectory(batch, 25, 2))
        batch.restore(kept)
        found.append(trajectory(batch, 25, 3))
        batch.reset()
        return [*found, trajectory(batch, 25, 4)]

    serial = played(1)
    assert len(set(serial)) == 4
    for threads in (2, 3, 23):
        assert played(threads) == serial


# ---- hands of one match


def test_cards_that_were_prescribed_and_not_drawn_are_forgotten_with_their_hand() -> None:
    bought = []
    for draws in (["Ts", "9s"], []):
        env = palace_v0.env(players=2, hands=2)
        env.reset(seed=7, options={"button": 0, "deal": {"draws": draws}})
        for move in ("fold", "buy", "done", "buy", "done", "fold"):
            env.step(env.parse_move(move))
        bought.append(env.histories[1]["draws"])
    assert bought[0] == bought[1] != ["Ts", "9s"]


# ---- several at once


def walk(face: ModuleType, arguments: dict[str, Any], seed: int) -> Iterator[str]:
    """A table on a random walk, all that it shows of every tenth step."""
    env = face.env(**arguments)
    env.reset(seed=seed)
    rng = np.random.default_rng(seed)
    for step in range(150):
        if any(env.terminations.values()):
            env.reset()
        play_on(env, rng, 1)
        yield str(snapshot(env)) if step % 10 == 0 else env.agent_selection


def walk_batch(face: ModuleType, arguments: dict[str, Any], seed: int) -> Iterator[str]:
    """A batch on a random walk, all that it shows."""
    batch = face.batch(9, seed=seed, threads=1 + seed % 3, **arguments)
    for step in range(150):
        yield trajectory(batch, 1, step)


WALKS: list[Callable[[], Iterator[str]]] = [
    lambda walked=walked, face=face, arguments=arguments, seed=seed: walked(face, arguments, seed)  # type: ignore[misc]
    for seed, (face, arguments) in enumerate(BOTH)
    for walked in (walk, walk_batch)
]


@pytest.fixture(scope="module")
def alone() -> list[str]:
    """What each walk shows when nothing else is played meanwhile."""
    return [digest(list(begin())) for begin in WALKS]


def digest(shown: list[str]) -> str:
    return hashlib.sha256("\n".join(shown).encode()).hexdigest()


def test_tables_and_batches_that_take_turns_do_not_touch_each_other(alone: list[str]) -> None:
    walks = [begin() for begin in WALKS]
    shown: list[list[str]] = [[] for _ in walks]
    rng = np.random.default_rng(0)
    left = list(range(len(walks)))
    while left:
        which = int(rng.choice(left))
        step = next(walks[which], None)
        if step is None:
            left.remove(which)
        else:
            shown[which].append(step)
    assert [digest(steps) for steps in shown] == alone


def test_tables_and_batches_in_threads_of_their_own_do_not_touch_each_other(alone: list[str]) -> None:
    shown: list[list[str]] = [[] for _ in WALKS]

    def play(which: int) -> None:
        shown[which] += WALKS[which]()

    threads = [threading.Thread(target=play, args=(which,)) for which in range(len(WALKS))]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert [digest(steps) for steps in shown] == alone


GENERATORS = """
import pickle, random, sys
import numpy as np
import torch
import agents
from agents.arena import duel
from agents.solo import SoloEnv
from palace_env import palace_v0
from detective_env import detective_v0
from tests.test_aec import play_on

random.seed(1), np.random.seed(2), torch.manual_seed(3)

def generators():
    states = random.getstate(), np.random.get_state(), torch.get_rng_state().numpy().tobytes()
    return pickle.dumps(states)

before = generators()
for face in (palace_v0, detective_v0):
    game = face.GAME()
    for spec in (*agents.spec.PLAYABLE[game.name].specs, "bot"):
        agent = agents.load(spec, game)
        batch = face.batch(64, seed=1, threads=2)
        for _ in range(5):
            batch.step(agent.act(batch.views(), batch.observations, batch.masks, np.random.default_rng(0)))
        batch.reset()
    env = face.env(render_mode="ansi")
    env.reset()
    play_on(env, np.random.default_rng(0))
    env.render(), env.histories, env.state(), pickle.loads(pickle.dumps(env)).reset()
    solo = SoloEnv(game.name)
    solo.reset(seed=1)
    duel(game, agents.load("random", game), agents.load("bot", game), deals=2, seed=1)
print(before == generators())
"""


def test_global_generators_are_left_alone_by_tables_batches_and_agents() -> None:
    assert said_by(GENERATORS) == "True"


# ---- other processes


def play_to_the_end(env: TableEnv) -> str:
    """Random moves until the episode is over, the next one too; a digest of all that is shown on the way."""
    rng = np.random.default_rng(5)
    shown = [str(snapshot(env))]
    for _ in range(2):
        while not any(env.terminations.values()):
            play_on(env, rng, 5)
            shown.append(str(snapshot(env)))
        env.reset()
    return digest(shown)


def midway(face: ModuleType, arguments: dict[str, Any]) -> TableEnv:
    """A table in the midst of a hand, a script of cards to be drawn with it."""
    env: TableEnv = face.env(**arguments)
    env.reset(seed=17)
    play_on(env, np.random.default_rng(2), 7)
    if any(env.terminations.values()):
        env.reset()
    if face is palace_v0:
        deck = env.game.rules["ranks"]
        env.reset(options={"deal": {"draws": ["As", "Ks"][: deck - 2]}})
    play_on(env, np.random.default_rng(3), 2)
    return env


def sent(env: TableEnv) -> tuple[str, bytes]:
    """The digest of a table played to its end, and the table as it was sent and as it came to be."""
    return play_to_the_end(env), pickle.dumps(env)


def test_tables_sent_to_a_fresh_process_go_on_as_here() -> None:
    context = multiprocessing.get_context("spawn")
    with ProcessPoolExecutor(1, mp_context=context) as pool:
        for face, arguments in BOTH:
            env = midway(face, arguments)
            here = pickle.loads(pickle.dumps(env))
            there, came_back = pool.submit(sent, env).result()
            assert there == play_to_the_end(here)
            assert snapshot(pickle.loads(came_back)) == snapshot(here)


IN_PLAIN_PYTHON = """
import pickle
from pathlib import Path
from tests.test_conduct import BOTH, midway, play_to_the_end
for env in pickle.loads(Path({here!r}).read_bytes()):
    print(play_to_the_end(env))
Path({there!r}).write_bytes(pickle.dumps([midway(face, arguments) for face, arguments in BOTH]))
"""


def test_tables_go_between_compiled_and_plain_python(tmp_path: Path) -> None:
    mine = [midway(face, arguments) for face, arguments in BOTH]
    here, there = tmp_path / "here", tmp_path / "there"
    here.write_bytes(pickle.dumps(mine))
    said = said_in_plain_python(IN_PLAIN_PYTHON.format(here=str(here), there=str(there))).split()
    theirs = pickle.loads(there.read_bytes())
    assert [snapshot(env) for env in theirs] == [snapshot(env) for env in mine]
    assert said == [play_to_the_end(env) for env in mine] == [play_to_the_end(env) for env in theirs]


def batch_digest(batch: Batch) -> str:
    return trajectory(batch, 40, 6)


def test_batches_sent_to_a_fresh_process_go_on_as_here() -> None:
    context = multiprocessing.get_context("spawn")
    with ProcessPoolExecutor(1, mp_context=context) as pool:
        for face, arguments in BOTH:
            batch = face.batch(7, seed=3, threads=2, **arguments)
            trajectory(batch, 9, 1)
            assert pool.submit(batch_digest, batch).result() == trajectory(batch, 40, 6)


# ---- long matches


def play_match(face: ModuleType, seed: int, **arguments: Any) -> TableEnv:
    env: TableEnv = face.env(**arguments)
    env.reset(seed=seed)
    rng = np.random.default_rng(seed)
    while not any(env.terminations.values()):
        actions = legal(env)
        env.step(actions[rng.integers(len(actions))])
    with pytest.raises(NotPlayingError):
        env.move_text(0)
    return env


@pytest.mark.parametrize(
    "arguments",
    [
        {"players": 2, "stack": 50},
        {"players": 6, "betting": "no-limit", "stack": 60, "ante": 2},
        {"players": 10, "betting": "no-limit", "stack": 30, "small_bet": 3},
    ],
    ids=str,
)
def test_a_match_without_end_ends_when_one_player_holds_all_chips(arguments: dict[str, Any]) -> None:
    players, total = arguments["players"], arguments["players"] * arguments["stack"]
    winners = set()
    for seed in range(3):
        env = play_match(palace_v0, seed, hands=100_000_000, **arguments)
        chips = [arguments["stack"]] * players
        for number, history in enumerate(env.histories):
            assert history["hand"] == number
            assert history["stacks"] == chips
            assert sum(map(bool, chips)) >= 2
            chips = [had + won for had, won in zip(chips, history["net"], strict=True)]
            assert min(chips) >= 0
            assert sum(chips) == total
        assert sorted(chips) == [0] * (players - 1) + [total]
        assert env.winners == [chips.index(total)]
        winners |= set(env.winners)
        buttons = [history["button"] for history in env.histories]
        assert all(history["stacks"][button] for history, button in zip(env.histories, buttons, strict=True))
    assert len(winners) > 1


def test_a_match_of_a_thousand_hands_ends_with_the_last_of_them() -> None:
    env = play_match(palace_v0, 4, players=3, hands=1000, stack=100_000, betting="limit")
    nets = np.array([history["net"] for history in env.histories])
    assert len(nets) == 1000
    assert not nets.sum(axis=1).any()
    totals = nets.sum(axis=0)
    assert env.winners == np.flatnonzero(totals == totals.max()).tolist()
    assert env.view("player_0")["score"][0, :3].tolist() == totals.tolist()
    again = TableEnv.from_history(env.histories[-1], palace_v0.GAME)
    assert again.view("player_1")["stacks"].sum() + again.view("player_1")["pot"][0] == 300_000


def left_in_hand(history: dict[str, Any]) -> list[int]:
    """The action cards that each player has left after a hand."""
    left = [len(history["rules"]["actions"])] * history["rules"]["players"]
    for seat, move in history["moves"]:
        left[seat] -= len(move.split()) == 4
    return left


@pytest.mark.parametrize(
    "arguments",
    [
        {"players": 4, "rounds": 250},
        {"players": 3, "rounds": 100, "expert": True},
        {"players": 4, "rounds": 1, "chips": 4},
        {"players": 3, "hands": 1, "streets": 1, "chips": 1, "actions": ("bluff",)},
    ],
    ids=str,
)
def test_whole_games_are_won_by_points_then_by_action_cards(arguments: dict[str, Any]) -> None:
    shared = 0
    for seed in range(1 if arguments.get("rounds", 0) >= 100 else 60):
        env = play_match(detective_v0, seed, **arguments)
        told = env.histories
        players = arguments["players"]
        assert len(told) == arguments.get("hands", arguments.get("rounds", 0) * players)
        dealers = [history["dealer"] for history in told]
        assert dealers == [(dealers[0] + hand) % players for hand in range(len(told))]
        totals = np.sum([history["points"] for history in told], axis=0)
        merit = list(zip(totals.tolist(), left_in_hand(told[-1]), strict=True))
        assert env.winners == [seat for seat in range(players) if merit[seat] == max(merit)]
        shared += len(env.winners) < sum(points == totals.max() for points in totals)
    assert shared or arguments.get("rounds", 0) > 1, "ties were broken"


# ---- memory


def test_twenty_thousand_hands_take_no_more_memory() -> None:
    run = subprocess.run(
        [sys.executable, "-m", "tests.soak", "--hands", "20000"], cwd=ROOT, capture_output=True, text=True
    )
    assert run.returncode == 0, run.stdout + run.stderr
    line = r"^(\w+): ([\d,]+) hands, .*, tables (\d+) copied, (\d+) pickled, .* grown by \S+ KiB"
    found = re.findall(line, run.stdout, re.MULTILINE)
    assert [game for game, *_ in found] == ["palace", "detective"]
    assert all(int(hands.replace(",", "")) >= 20_000 for _, hands, *_ in found)
    assert all(int(number) > 30 for *_, copied, pickled in found for number in (copied, pickled))


@pytest.mark.slow
@pytest.mark.parametrize("game", ["palace", "detective"])
def test_a_million_hands_take_no_more_memory(game: str) -> None:
    command = [sys.executable, "-m", "tests.soak", "--hands", "1000000", "--game", game]
    run = subprocess.run(command, cwd=ROOT, capture_output=True, text=True)
    assert run.returncode == 0, run.stdout + run.stderr


LEAKING = """
import sys
from card_table.aec import TableEnv
from tests import soak
reset, kept = TableEnv.reset, []

def leaking_reset(env, **given):
    kept.append(b"x" * 200_000)
    reset(env, **given)

TableEnv.reset = leaking_reset
print(soak.main(["--hands", "3000", "--game", "palace"]))
"""


def test_memory_that_is_kept_is_found_out() -> None:
    *told, status = said_by(LEAKING).splitlines()
    assert status == "1"
    assert int(re.findall(r"grown by \+(\d+) KiB", told[0])[0]) > 3000


def test_hands_that_are_not_played_right_fail_the_soak(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(TableEnv, "__getstate__", lambda env: {**vars(env), "_hands": []})
    assert soak.main(["--hands", "4000", "--game", "detective"]) == 1
    assert capsys.readouterr().out == "detective: a copy has played the same\n"
