"""The golden hands, written by hand from RULES.md, play as they say.

A file of ``tests/golden/palace`` holds a ``title``, the paragraphs it ``proves``, a finished hand as a
``history``, and claims that hold ``after`` so many of its moves: all moves ``offered``, moves ``refused``,
parts of the ``state``, whose palace a seat has ``seen``, and the cards that it has ``known`` to lie in pile
and deck.
"""

import json
import re
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import palace_env
from card_table.aec import TableEnv
from card_table.cards import format_card, list_cards, parse_card
from card_table.game import IllegalMoveError
from palace_env import palace_v0, view

FOLDER = Path(__file__).parent / "golden" / "palace"
FILES = sorted(FOLDER.glob("*.json"))
RULES = (Path(palace_env.__file__).parent / "RULES.md").read_text("utf-8")
CLAIMS = {"offered", "refused", "state", "seen", "known"}
STATE_KEYS = {"actor", "pot", "stacks", "soldiers", "in_hand"}


@pytest.mark.parametrize("file", FILES, ids=lambda file: file.stem)
def test_golden_hand(file: Path) -> None:
    golden = json.loads(file.read_text("utf-8"))
    assert golden.keys() <= {"title", "proves", "history"} | CLAIMS
    history = golden["history"]
    env = table(history)
    moves = history["moves"]
    claims = [(claim, kind) for kind in CLAIMS for claim in golden.get(kind, [])]
    assert all(0 <= claim["after"] <= len(moves) for claim, _ in claims)
    for made in range(len(moves) + 1):
        for claim, kind in claims:
            if claim["after"] == made:
                CHECKS[kind](env, claim)
        if made < len(moves):
            seat, text = moves[made]
            assert env.agent_selection == f"player_{seat}", f"before move {made}"
            action = env.parse_move(text)
            assert env.move_text(action) == text
            env.step(action)
    assert all(env.terminations.values())
    assert env.histories == [history]
    assert json.dumps(env.histories[0]) == json.dumps(history)  # the keys' order, too
    nets = [env.rewards[agent] * history["rules"]["small_bet"] for agent in env.possible_agents]
    assert nets == pytest.approx(history["net"])


def table(history: dict[str, Any]) -> TableEnv:
    """A table where the hand has been dealt; one of a longer match stands alone."""
    if history["rules"]["hands"] > 1:
        return TableEnv.from_history(history, palace_v0.GAME)
    env = palace_v0.env(**history["rules"])
    deal = {key: history[key] for key in ("banners", "palaces", "draws")}
    env.reset(seed=0, options={"button": history["button"], "stacks": history["stacks"], "deal": deal})
    return env


def check_offered(env: TableEnv, claim: dict[str, Any]) -> None:
    mask = env.observe(env.agent_selection)["action_mask"]
    assert sorted(env.move_text(action) for action in np.flatnonzero(mask)) == sorted(claim["moves"]), claim


def check_refused(env: TableEnv, claim: dict[str, Any]) -> None:
    before = env.state().tobytes()
    with pytest.raises(IllegalMoveError):
        env.parse_move(claim["move"])
    assert env.state().tobytes() == before


def check_state(env: TableEnv, claim: dict[str, Any]) -> None:
    g = env.view("player_0")[0]
    players = len(env.possible_agents)
    seats = [seat for seat in range(players) if g.in_hand[seat]]
    found = {
        "actor": int(g.actor),
        "pot": int(g.pot),
        "stacks": g.stacks[:players].tolist(),
        "soldiers": [list_cards(int(cards)) for cards in g.soldiers[:players]],
        "in_hand": seats,
    }
    asked = claim.keys() - {"after"}
    assert asked <= STATE_KEYS
    expected = {key: claim[key] for key in asked}
    if "soldiers" in expected:
        expected["soldiers"] = [sorted(map(parse_card, cards)) for cards in claim["soldiers"]]
    assert {key: found[key] for key in asked} == expected, claim


def check_seen(env: TableEnv, claim: dict[str, Any]) -> None:
    record = env.view(f"player_{claim['seat']}")
    assert (record["dealt"][0, claim["palace_of"], 0] >= 0) == claim["value"], claim


def check_known(env: TableEnv, claim: dict[str, Any]) -> None:
    seat = claim["seat"]
    g = env.view(f"player_{seat}")[0]
    for place, cards in (("pile", view.known_pile(g, seat)), ("deck", view.known_deck(g, seat))):
        found = {format_card(card) for card in list_cards(int(cards))}
        assert found == set(claim[place]), (place, claim)


CHECKS = {
    "offered": check_offered,
    "refused": check_refused,
    "state": check_state,
    "seen": check_seen,
    "known": check_known,
}


def test_every_paragraph_that_a_hand_can_show_is_proved_by_one() -> None:
    testable = set(re.findall(r"^\*\*(\d+\.\d+) ✓\*\*", RULES, re.MULTILINE))
    paragraphs = set(re.findall(r"^\*\*(\d+\.\d+)(?: ✓)?\*\*", RULES, re.MULTILINE))
    cited = {paragraph for file in FILES for paragraph in json.loads(file.read_text("utf-8"))["proves"]}
    assert len(testable) > 50
    assert testable <= cited
    assert cited <= paragraphs
