"""Very many random hands of each game, and whether they take ever more memory: ``python -m tests.soak``.

``--hands 1000000`` plays so many of each game, or of one: ``--game palace``. They are played in rounds. In
each round every kind of table has a new batch, in which chips, cards and payoffs are checked on the way, and
a new single table for one hand in fifty, whose episodes are copied, pickled, told in words and written as
histories that are read again. After each round the memory is measured. Of these figures the median of the
last fifth may exceed that of the fifth after the first, the warm-up, by 2 MiB; else the run fails.
"""

from tests import command

if __name__ == "__main__":
    command.end_at_once()

import copy
import gc
import os
import pickle
import statistics
import time
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from types import ModuleType
from typing import Any

import numpy as np

import agents
from card_table import history as histories
from card_table.aec import TableEnv
from tests import detective_invariants, palace_invariants

BOUND = 2 * 2**20  # bytes
ROUNDS = 25
SIZE = 128
AT_TABLES = 50  # one hand in so many
CHECKED = 16  # steps of a batch from one check of its states to the next
COPIES: dict[str, Callable[[TableEnv], TableEnv]] = {
    "copied": copy.deepcopy,
    "pickled": lambda env: pickle.loads(pickle.dumps(env)),
}

KINDS: dict[str, tuple[ModuleType, list[dict[str, Any]]]] = {
    "palace": (
        palace_invariants,
        [
            {"players": 4},
            {"players": 10, "betting": "no-limit", "hands": 5, "stack": 60},
            {"players": 2, "ranks": 5, "hands": 20, "stack": 30, "threads": 2},
        ],
    ),
    "detective": (
        detective_invariants,
        [
            {"players": 4},
            {"players": 3, "expert": True, "rounds": 1, "reward": "win"},
            {"players": 4, "streets": 2, "hands": 1, "threads": 2},
        ],
    ),
}


@dataclass
class Soak:
    """What a run came to.

    Attributes:
        hands: played in batches and at tables.
        moves: made in them.
        tables: how many were copied and how many pickled.
        memory: bytes in use after each round.
    """

    hands: int = 0
    moves: int = 0
    tables: Counter[str] = field(default_factory=Counter)
    memory: list[int] = field(default_factory=list)

    @property
    def growth(self) -> int:
        """By how many bytes the memory has grown since the warm-up."""
        fifth = ROUNDS // 5
        return int(
            statistics.median(self.memory[-fifth:]) - statistics.median(self.memory[fifth : 2 * fifth])
        )


def run(game: str, hands: int, seed: int = 0) -> Soak:
    """Play at least so many hands of a game.

    Raises:
        AssertionError: chips, cards, payoffs, copies or histories are not as they must be.
    """
    of, kinds = KINDS[game]
    share = -(-hands // (ROUNDS * len(kinds)))
    found = Soak()
    for number in range(ROUNDS):
        for kind in kinds:
            arguments = {key: value for key, value in kind.items() if key != "threads"}
            begin = (seed * ROUNDS + number) * 1000
            at_tables = max(share // AT_TABLES, 1)
            for played, moves in (
                play_batch(of, arguments, share - at_tables, begin, kind.get("threads", 1)),
                play_tables(of.FACE, arguments, at_tables, begin, found.tables),
            ):
                found.hands += played
                found.moves += moves
        gc.collect()
        found.memory.append(resident())
    return found


def play_batch(
    of: ModuleType, arguments: dict[str, Any], hands: int, seed: int, threads: int
) -> tuple[int, int]:
    """Play at least so many hands in a batch; the hands and moves."""
    batch = of.FACE.batch(SIZE, seed=seed, threads=threads, **arguments)
    agent = agents.load("random", batch.game)
    rng = np.random.default_rng(seed)
    played = steps = 0
    while played < hands:
        batch.step(agent.act(batch.views(), batch.observations, batch.masks, rng))
        assert np.abs(batch.rewards.sum(axis=1)).max() < 1e-3, "payoffs sum to zero"
        played += int(batch.hand_over.sum())
        steps += 1
        if steps % CHECKED == 0:
            of.check_states(batch.states, batch.game)
    return played, steps * SIZE


def play_tables(
    face: ModuleType, arguments: dict[str, Any], hands: int, seed: int, tables: Counter[str]
) -> tuple[int, int]:
    """Play at least so many hands at a table; the hands and moves.

    After each episode the table is replaced by a copy of itself, made in both ways by turns and counted.
    """
    env = face.env(render_mode="ansi", **arguments)
    rng = np.random.default_rng(seed)
    played = moves = 0
    while played < hands:
        env.reset(seed=seed + played)
        for agent in env.agent_iter():
            seen, _, terminated, _, _ = env.last()
            if terminated:
                env.step(None)
                continue
            env.step(rng.choice(np.flatnonzero(seen["action_mask"])))
            assert abs(sum(env.rewards.values())) < 1e-3, "payoffs sum to zero"
            moves += 1
            if moves % 20 == 0:
                env.render(), env.state(), env.view(agent)
        way = list(COPIES)[tables.total() % 2]
        tables[way] += 1
        twin = COPIES[way](env)
        before, env = env.histories, twin
        assert env.histories == before, "a copy has played the same"
        written = "".join(map(histories.write, before))
        assert list(histories.read(written, face.GAME)) == before, "what is written can be read"
        played += len(before)
    return played, moves


def resident() -> int:
    """The bytes of memory that this process has filled, without the pages of files, which come and go."""
    fields = [int(pages) for pages in Path("/proc/self/statm").read_text("ascii").split()]
    return (fields[1] - fields[2]) * os.sysconf("SC_PAGE_SIZE")


def main(arguments: Sequence[str] | None = None) -> int:
    """The command line; returns the exit status, 1 where something is not as it must be."""
    parser = command.parser("soak", __doc__)
    parser.add_argument(
        "--hands", type=command.at_least(1), default=1_000_000, help="hands of each game (1000000)"
    )
    parser.add_argument("--game", choices=[*KINDS, "both"], default="both")
    parser.add_argument("--seed", type=command.at_least(0), default=0, help="other hands (0)")
    asked = parser.parse_args(arguments)
    failed = False
    for game in KINDS if asked.game == "both" else [asked.game]:
        start = time.perf_counter()
        try:
            found = run(game, asked.hands, asked.seed)
        except AssertionError as error:
            print(f"{game}: {error}")
            failed = True
            continue
        copies = ", ".join(f"{found.tables[way]:,} {way}" for way in COPIES)
        first, last = found.memory[ROUNDS // 5], found.memory[-1]
        print(
            f"{game}: {found.hands:,} hands, {found.moves:,} moves, tables {copies}, "
            f"{time.perf_counter() - start:.0f} s; "
            f"{first / 2**20:.1f} MiB after the warm-up, {last / 2**20:.1f} MiB at the end, "
            f"grown by {found.growth / 2**10:+.0f} KiB (at most {BOUND // 2**10} KiB)",
            flush=True,
        )
        failed |= found.growth > BOUND
    return int(failed)


if __name__ == "__main__":
    command.run(main)
