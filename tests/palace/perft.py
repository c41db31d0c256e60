"""Counts how many sequences of moves there are from fixed deals, by the product and by the reference.

Run ``python -m tests.palace.perft`` to count all of ``perft.json`` with both; it prints each depth and fails
where the three numbers are not the same. ``sequences`` there holds the number of sequences of 1, 2, 3 …
moves; a hand that is over has none that go on.
"""

from tests import command

if __name__ == "__main__":
    command.end_at_once()

import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np

from palace_env import palace_v0
from tests.palace.reference import Hand, full_rules

CASES: list[dict[str, Any]] = json.loads(Path(__file__).with_name("perft.json").read_text("utf-8"))


def by_product(case: dict[str, Any], depth: int) -> list[int]:
    """The number of sequences of 1 … depth moves, by the environment's action masks."""
    env = palace_v0.env(**case["arguments"])

    def actions_after(path: Sequence[int]) -> list[int]:
        env.reset(seed=0, options=case["options"])
        for action in path:
            env.step(action)
        if all(env.terminations.values()):
            return []
        mask = env.observe(env.agent_selection)["action_mask"]
        return [int(action) for action in np.flatnonzero(mask)]

    found = [0] * depth
    stack: list[tuple[int, ...]] = [()]
    while stack:
        path = stack.pop()
        actions = actions_after(path)
        found[len(path)] += len(actions)
        if len(path) + 1 < depth:
            stack += [(*path, action) for action in actions]
    return found


def by_reference(case: dict[str, Any], depth: int) -> list[int]:
    """The number of sequences of 1 … depth moves, by the reference."""
    rules, options = full_rules(**case["arguments"]), case["options"]
    stacks = options.get("stacks", [rules["stack"]] * rules["players"])

    def moves_after(path: Sequence[str]) -> list[str]:
        deal = options["deal"]
        hand = Hand(rules, options["button"], stacks, deal["banners"], deal["palaces"], deal["draws"])
        for move in path:
            hand.apply(move)
        return hand.moves()

    found = [0] * depth
    stack: list[tuple[str, ...]] = [()]
    while stack:
        path = stack.pop()
        moves = moves_after(path)
        found[len(path)] += len(moves)
        if len(path) + 1 < depth:
            stack += [(*path, move) for move in moves]
    return found


def main() -> int:
    """Count all cases; returns the exit status."""
    command.parser("palace.perft", __doc__).parse_args()
    failed = False
    for case in CASES:
        depth = len(case["sequences"])
        product, reference = by_product(case, depth), by_reference(case, depth)
        same = product == reference == case["sequences"]
        failed |= not same
        print(f"{case['name']}: {product}" + ("" if same else f" but {reference} and {case['sequences']}"))
    return int(failed)


if __name__ == "__main__":
    command.run(main)
