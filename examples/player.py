"""A player of both games by the line protocol of docs/protocol.md, with the standard library alone.

Let it play with ``python evaluate.py palace 'program:python examples/player.py' equity``.
"""

import json
import random
import sys
from typing import Any


def choose(view: dict[str, Any], moves: list[str]) -> str:
    """A legal move: in Palace mostly cheap ones, in Detective the seat whose exposed card is highest."""
    if view["game"] == "palace":
        calm = [move for move in moves if move in ("stay", "buy", "call", "done")]
        return random.choice(calm or moves)
    ranks = "23456789TJQKA"
    seats = view["seats"]
    cards = [seats[seat]["exposed"] or seats[seat]["private"] for seat in range(view["players"])]
    best = max(range(view["players"]), key=lambda seat: ranks.index(cards[seat][0]))
    return f"bet {best} {view['most_chips']}"


for line in sys.stdin:
    message = json.loads(line)
    if message["type"] == "turn":
        move = choose(message["view"], message["moves"])
        print(json.dumps({"type": "move", "id": message["id"], "move": move}), flush=True)
    elif message["type"] == "refused":
        sys.exit(message["reason"])
    elif message["type"] == "goodbye":
        break
