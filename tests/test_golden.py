"""The golden hands of both games, written by hand from each RULES.md, play as they say.

A file of ``tests/golden/GAME`` holds a ``title``, the paragraphs it ``proves``, a finished hand as a
``history`` (the seed deals a card that is ``?`` there), and claims that hold ``after`` so many of its moves:
all moves ``offered``, moves ``refused``, parts of the ``state``, what a seat has ``seen``, and the cards that
it has ``known`` to lie in pile and deck. Hands played ``later``, dealt by the seed, have a dealer and moves.
At the end stand the ``winners``, and the ``rewards`` by form, hand and seat.
"""

import copy
import json
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
import pytest

from card_table.aec import TableEnv
from card_table.cards import format_card, list_cards, parse_card
from card_table.game import IllegalMoveError
from detective_env import detective_v0
from palace_env import palace_v0, view

Golden = dict[str, Any]
GAMES = {"palace": palace_v0, "detective": detective_v0}
FOLDER = Path(__file__).parent / "golden"
FILES = sorted(FOLDER.glob("*/*.json"))
RULES = {
    "palace": Path(palace_v0.__file__).with_name("RULES.md").read_text("utf-8"),
    "detective": Path(detective_v0.__file__).with_name("RULES.md").read_text("utf-8"),
}
CLAIMS = {"offered", "refused", "state", "seen", "known"}
KEYS = {"title", "proves", "history", "later", "winners", "rewards"} | CLAIMS
ACTION_CARDS = ("none", "+1", "clockwise", "bluff", "blank", "?")


@pytest.mark.parametrize("file", FILES, ids=lambda file: f"{file.parent.name}-{file.stem}")
def test_golden_hand(file: Path) -> None:
    golden = json.loads(file.read_text("utf-8"))
    assert golden.keys() <= KEYS
    env, rewards = play(golden)
    history = with_cards_of_the_seed(golden["history"], env.histories[0])
    assert env.histories[0] == history
    assert json.dumps(env.histories[0]) == json.dumps(history)  # the keys' order, too
    assert rewards[0] == pytest.approx(RESULTS[history["game"]](history))
    if "winners" in golden:
        assert env.winners == golden["winners"]
    for form, by_hand in golden.get("rewards", {}).items():
        _, rewards = play(golden, reward=form)
        assert rewards == [pytest.approx(expected) for expected in by_hand], form


def play(golden: Golden, **arguments: Any) -> tuple[TableEnv, list[list[float]]]:
    """The table when all has been played and every claim held, and the rewards by hand and seat."""
    history = golden["history"]
    env = table(golden, arguments)
    moves = history["moves"]
    claims = [(claim, kind) for kind in CLAIMS for claim in golden.get(kind, [])]
    assert all(0 <= claim["after"] <= len(moves) for claim, _ in claims)
    for made in range(len(moves) + 1):
        for claim, kind in claims:
            if claim["after"] == made:
                CHECKS[kind](env, claim, history)
        if made < len(moves):
            take(env, *moves[made])
    rewards = [[env.rewards[agent] for agent in env.possible_agents]]
    for place, later in enumerate(golden.get("later", []), start=1):
        for seat, text in later["moves"]:
            take(env, seat, text)
        assert env.histories[place]["dealer"] == later["dealer"]
        rewards.append([env.rewards[agent] for agent in env.possible_agents])
    assert all(env.terminations.values())
    assert len(env.histories) == len(rewards)
    return env, rewards


def take(env: TableEnv, seat: int, text: str) -> None:
    assert env.agent_selection == f"player_{seat}", text
    action = env.parse_move(text)
    assert env.move_text(action) == text
    env.step(action)


def table(golden: Golden, arguments: Golden) -> TableEnv:
    """A table where the hand has been dealt; one of a longer match stands alone, unless later ones follow."""
    history = golden["history"]
    game = GAMES[history["game"]]
    if history["rules"]["hands"] != 1 and "later" not in golden:
        return TableEnv.from_history(history, game.GAME)
    env: TableEnv = game.env(**history["rules"], **arguments)
    deal = {key: history[key] for key in game.DEAL if "?" not in history[key][:1]}
    if "?" in deal.get("board", []):
        deal["board"] = deal["board"][: deal["board"].index("?")]
    options = {key: history[key] for key in game.OPTIONS if key != "deal"}
    env.reset(seed=0, options={**options, "deal": deal})
    return env


def with_cards_of_the_seed(history: Golden, played: Golden) -> Golden:
    """A history whose unknown cards are those that were dealt."""
    known = copy.deepcopy(history)
    for key in {"private", "exposed", "board"} & history.keys():
        for place, card in enumerate(history[key]):
            if card == "?":
                known[key][place] = played[key][place]
    return known


def palace_result(history: Golden) -> list[float]:
    return [net / history["rules"]["small_bet"] for net in history["net"]]


def detective_result(history: Golden) -> list[float]:
    points = history["points"]
    return [own - (sum(points) - own) / (len(points) - 1) for own in points]


RESULTS: dict[str, Callable[[Golden], list[float]]] = {
    "palace": palace_result,
    "detective": detective_result,
}


def check_offered(env: TableEnv, claim: Golden, history: Golden) -> None:
    expected = claim["moves"] if "moves" in claim else bets(claim, history["rules"]["players"])
    mask = env.observe(env.agent_selection)["action_mask"]
    assert sorted(env.move_text(action) for action in np.flatnonzero(mask)) == sorted(expected), claim


def bets(claim: Golden, players: int) -> list[str]:
    """Every seat with each number of chips, without a card and with each of these cards."""
    under = ["", *(f" {card}" for card in claim["cards"])]
    return [
        f"bet {seat} {chips}{card}" for seat in range(players) for chips in claim["chips"] for card in under
    ]


def check_refused(env: TableEnv, claim: Golden, history: Golden) -> None:
    before = env.state().tobytes()
    with pytest.raises(IllegalMoveError):
        env.parse_move(claim["move"])
    assert env.state().tobytes() == before


def check_state(env: TableEnv, claim: Golden, history: Golden) -> None:
    g = env.view("player_0")[0]
    found = STATES[history["game"]](g, len(env.possible_agents))
    asked = claim.keys() - {"after"}
    assert asked <= found.keys()
    expected = {key: claim[key] for key in asked}
    if "soldiers" in expected:
        expected["soldiers"] = [sorted(cards, key=parse_card) for cards in claim["soldiers"]]
    assert {key: found[key] for key in asked} == expected, claim


def palace_state(g: np.record, players: int) -> Golden:
    return {
        "actor": int(g.actor),
        "pot": int(g.pot),
        "stacks": g.stacks[:players].tolist(),
        "soldiers": [
            [format_card(card) for card in list_cards(int(cards))] for cards in g.soldiers[:players]
        ],
        "in_hand": [seat for seat in range(players) if g.in_hand[seat]],
    }


def detective_state(g: np.record, players: int) -> Golden:
    return {
        "actor": int(g.actor),
        "dealer": int(g.dealer),
        "chips": g.chips_left[:players].tolist(),
        "cards": g.n_cards[:players].tolist(),
        "board": cards_of(g.board),
        "thrown": [cards_of(street) for street in g.thrown[: int(g.street)]],
        "points": g.points[:players].tolist(),
    }


STATES: dict[str, Callable[[np.record, int], Golden]] = {"palace": palace_state, "detective": detective_state}


def cards_of(cards: npt.NDArray[np.int8]) -> list[str]:
    return [format_card(card) for card in cards.tolist() if card >= 0]


def check_seen(env: TableEnv, claim: Golden, history: Golden) -> None:
    g = env.view(f"player_{claim['seat']}")[0]
    if history["game"] == "palace":
        assert (g.dealt[claim["palace_of"], 0] >= 0) == claim["value"], claim
        return
    players = history["rules"]["players"]
    for key in ("private", "exposed"):
        expected = [card if seat in claim[key] else "?" for seat, card in enumerate(history[key])]
        found = ["?" if card < 0 else format_card(card) for card in g[key][:players].tolist()]
        assert found == expected, (key, claim)
    under = [[ACTION_CARDS[card] for card in street] for street in g.bet_card[:, :players].tolist()]
    assert under[: len(claim["under"])] == claim["under"], claim
    assert all(card == "none" for street in under[len(claim["under"]) :] for card in street), claim
    assert cards_of(g.burnt) == cards_of(g.deck) == [], claim


def check_known(env: TableEnv, claim: Golden, history: Golden) -> None:
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


@pytest.mark.parametrize("game", GAMES)
def test_every_paragraph_that_a_hand_can_show_is_proved_by_one(game: str) -> None:
    testable = set(re.findall(r"^\*\*(\d+\.\d+) ✓\*\*", RULES[game], re.MULTILINE))
    paragraphs = set(re.findall(r"^\*\*(\d+\.\d+)(?: ✓)?\*\*", RULES[game], re.MULTILINE))
    files = [file for file in FILES if file.parent.name == game]
    cited = {paragraph for file in files for paragraph in json.loads(file.read_text("utf-8"))["proves"]}
    assert len(testable) > 50
    assert testable <= cited
    assert cited <= paragraphs
