"""Two programs and two of our agents play each game at length: ``python -m tests.program_matches 1000``.

Then one of the programs hangs, sends garbage or dies after some moves, each in a match of its own. All hands
must be played, and all that fails must have been forfeited.
"""

from tests import command

if __name__ == "__main__":
    command.end_at_once()

import shlex
import sys
import time

import numpy as np

from agents.program import Program
from agents.serving import Dealer
from agents.spec import Agent, load, settle
from card_table.game import Game
from tests.plain import ROOT

PLAYER = f"program:{shlex.join([sys.executable, str(ROOT / 'examples' / 'player.py')])}"
WELL = 20  # moves that a program makes before it fails
_FAILING = """
import json, os, sys, time
for line in sys.stdin:
    message = json.loads(line)
    if message["type"] == "turn":
        if message["id"] > {well}:
            {failure}
        print(json.dumps(dict(type="move", id=message["id"], move=message["moves"][0])), flush=True)
"""
FAILURES = {
    "silence": "time.sleep(1000)",
    "garbage": "os.write(1, bytes(range(256)) * 100)",
    "death": "sys.exit(1)",
}
OURS = {"palace": ("tight", "equity"), "detective": ("visible", "equity")}


def main() -> int:
    """Play all matches; returns the exit status.

    Raises:
        SystemExit: a match did not go as it should.
    """
    parser = command.parser("program_matches", __doc__)
    parser.add_argument("hands", type=command.at_least(WELL), help="of each match")
    hands = parser.parse_args().hands
    for name in OURS:
        game = settle(name)
        ours = [load(spec, game) for spec in OURS[name]]
        report(game, [Program(PLAYER, game), Program(PLAYER, game), *ours], hands, None)
        for kind, failure in FAILURES.items():
            code = _FAILING.format(well=WELL, failure=failure)
            failing = Program(f"program@1:{shlex.join([sys.executable, '-c', code])}", game)
            report(game, [failing, Program(PLAYER, game), *ours], hands, kind)
    return 0


def report(game: Game, agents: list[Agent], hands: int, kind: str | None) -> None:
    """Play a match, say how it went and end its programs.

    Raises:
        SystemExit: a move was forfeited, or if a kind of failure is named, not all from then on.
    """
    begin = time.monotonic()
    decisions = play(game, agents, hands)
    for program in agents[:2]:
        assert isinstance(program, Program)
        program.close()
        failed = kind if program is agents[0] else None
        expected = {failed: program.decisions - WELL} if failed is not None else {}
        if program.forfeits != expected:
            raise SystemExit(f"{game.name}: forfeited {program.forfeits!r}, expected {expected!r}")
    seconds = time.monotonic() - begin
    told = "well" if kind is None else f"until {kind}"
    print(f"{game.name}: {hands} hands, {decisions} decisions in {seconds:.1f} s; a program played {told}")


def play(game: Game, agents: list[Agent], hands: int) -> int:
    """Play so many hands or a few more, the seats moving on from match to match; returns the decisions."""
    rng = np.random.default_rng(0)
    played = decisions = 0
    seed = 0
    while played < hands:
        match = Dealer(game, seed)
        while True:
            while not match.is_hand_over:
                match.step(match.ask(agents[(match.actor + seed) % len(agents)], rng))
                decisions += 1
            played += 1
            match.history()
            if match.is_over:
                break
            match.go_on()
        seed += 1
    return decisions


if __name__ == "__main__":
    command.run(main)
