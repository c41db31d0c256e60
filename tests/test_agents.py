"""Scripted agents play legally and as they are described; duels count what the games pay."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
import pytest

import agents
from agents import palace, spec
from agents.arena import duel
from agents.palace_equity import SCRATCH, deal_hand, draw, estimate, fight, list_unseen
from card_table.batch import Batch
from card_table.cards import list_cards, parse_card, set_of, suit_cards
from card_table.game import Game, IllegalMoveError, States
from card_table.hands import TWO_PAIR, best_hand
from card_table.rng import seed_stream
from palace_env import palace_v0, rules
from palace_env import view as view_of
from tests.plain import said_by

SCRIPTS = palace.SPECS
TABLES: list[dict[str, Any]] = [
    {},
    {"players": 2, "ante": 4},
    {"players": 3, "betting": "no-limit"},
    {"players": 10},
    {"players": 10, "betting": "no-limit", "stack": 20},
    {"players": 6, "seats": 9, "max_raises": None, "max_soldiers": 0},
    {"players": 4, "ranks": 5, "palace_cards": 1, "max_soldiers": 2, "hands": 6, "stack": 12},
    {"players": 5, "betting": "no-limit", "sizes": (), "hands": 9, "stack": 30, "ante": 4, "seats": 7},
    {"players": 2, "forced_duel": False, "discard_fee": 3, "stack": 15},
    {"players": 2, "hands": 9, "stack": 9, "small_bet": 3, "ante": 0, "max_raises": 0},
    {"players": 3, "small_bet": 7, "big_bet": 11, "bare_raise": 1, "hand_values": False},
]


def walk(steps: int, size: int = 64, seed: int = 5, **arguments: Any) -> Iterator[Batch]:
    """A batch at each step of a walk in which every script makes some of the moves."""
    batch = palace_v0.batch(size, seed=seed, **arguments)
    rng = np.random.default_rng(seed)
    players = [agents.load(name) for name in ("random", "passive", "aggressive", "tight", "equity:5")]
    for _ in range(steps):
        yield batch
        views, actions = batch.views(), np.zeros(size, np.int64)
        mover = rng.integers(len(players), size=size)
        for number, player in enumerate(players):
            rows = np.flatnonzero(mover == number)
            if len(rows):
                actions[rows] = player.act(views[rows], batch.observations[rows], batch.masks[rows], rng)
        batch.step(actions)


def positions(steps: int = 25, **arguments: Any) -> tuple[States, npt.NDArray[Any], npt.NDArray[np.bool_]]:
    """Views, observations and masks from a walk."""
    seen = [(b.views().copy(), b.observations.copy(), b.masks.copy()) for b in walk(steps, **arguments)]
    views, observations, masks = (np.concatenate(arrays) for arrays in zip(*seen, strict=True))
    return views, observations, masks


@pytest.mark.parametrize("arguments", TABLES, ids=str)
def test_every_script_plays_legally_at_every_kind_of_table(arguments: dict[str, Any]) -> None:
    rng = np.random.default_rng(1)
    views, observations, masks = positions(60, size=32, **arguments)
    phases = set(views["phase"].tolist())
    assert {rules.TURN, rules.ANSWERING} <= phases
    for name in (*SCRIPTS, "equity:2"):
        actions = agents.load(name).act(views, observations, masks, rng)
        assert actions.dtype == np.int64
        assert masks[np.arange(len(views)), actions].all()


@pytest.mark.parametrize("name", SCRIPTS)
def test_what_a_script_does_follows_from_its_arguments_and_changes_none(name: str) -> None:
    views, observations, masks = positions()
    before = [views.tobytes(), observations.tobytes(), masks.tobytes()]
    script = agents.load(name)
    first = script.act(views, observations, masks, np.random.default_rng(3))
    again = agents.load(name).act(views, observations, masks, np.random.default_rng(3))
    assert (first == again).all()
    assert [views.tobytes(), observations.tobytes(), masks.tobytes()] == before
    one_by_one = np.random.default_rng(3)
    for row in range(200):
        part = slice(row, row + 1)
        assert script.act(views[part], observations[part], masks[part], one_by_one) == first[row]
    other = script.act(views, observations, masks, np.random.default_rng(4))
    assert (first != other).any() == (name in ("random", "equity"))


def test_a_row_without_a_legal_action_is_refused() -> None:
    views, observations, masks = positions(2)
    masks[7] = False
    for name in SCRIPTS:
        with pytest.raises(ValueError, match="row 7 of masks has no legal action"):
            agents.load(name).act(views, observations, masks, np.random.default_rng(0))


def test_a_mask_that_is_not_that_of_the_view_is_refused() -> None:
    views, observations, masks = positions(1)
    masks[5] = False
    masks[5, rules.CALL] = True
    with pytest.raises(ValueError, match=f"row 5: the mask forbids {rules.STAY}"):
        agents.load("passive").act(views, observations, masks, np.random.default_rng(0))


def test_arrays_that_do_not_belong_together_are_refused() -> None:
    views, observations, masks = positions(1, size=8, players=3)
    _, _, wider = positions(1, size=8, players=4)
    others, _, _ = positions(1, size=8, players=4)
    mixed = np.concatenate([views[:5], others[5:]])
    truth = views.copy()
    truth["viewer"][3] = -1
    wrong: list[tuple[tuple[Any, Any, Any], str]] = [
        (
            (views, observations, masks[:4]),
            r"masks of shape \(4, 60\) and dtype 'bool': must be bool, a row for",
        ),
        ((views, observations, masks[:1]), r"masks of shape \(1, 60\)"),
        ((views, observations, masks[0]), r"masks of shape \(60,\)"),
        ((views, observations, masks.view(np.int8)), "masks of .* dtype 'int8': must be bool"),
        ((views, observations, masks.tolist()), "masks of type 'list'"),
        ((views, observations, masks[:, :3]), r"masks of shape \(8, 3\): row 0 of views has 60 actions"),
        ((views, observations, wider), r"masks of shape \(8, 61\): row 0 of views has 60 actions"),
        ((mixed, observations, masks), r"masks of shape \(8, 60\): row 5 of views has 61 actions"),
        ((np.zeros_like(views), observations, masks), r"row 0 of views has \d+ actions"),
        ((views[:5], observations, masks), "observations of .* must be uint8, a row for each of 5 views"),
        ((views, observations[:4], masks), "observations of shape"),
        ((views, observations.astype(float), masks), "observations of .* dtype 'float64'"),
        ((views, None, masks), "observations of type 'NoneType'"),
        (
            (views[:, None], observations, masks),
            r"views of shape \(8, 1\) and dtype 'record\d+': must be records",
        ),
        ((np.zeros(8), observations, masks), "views of shape .* dtype 'float64'"),
        ((None, observations, masks), "views of type 'NoneType'"),
        ((truth, observations, masks), "row 3 of views is the whole truth about a game"),
    ]
    for name in SCRIPTS:
        for given, message in wrong:
            with pytest.raises(ValueError, match=message):
                agents.load(name).act(*given, np.random.default_rng(0))
    for name in (*SCRIPTS, "bot"):
        for rng in (None, 5, np.random.RandomState(0)):
            with pytest.raises(ValueError, match=r"rng of type .*: must be a numpy.random.Generator"):
                agents.load(name).act(views, observations, masks, rng)  # type: ignore[arg-type]


# ---- specs


def test_load_takes_a_game_its_class_or_its_name() -> None:
    for game in (None, "palace", palace_v0.GAME, palace_v0.Palace(players=7)):
        assert agents.load("equity:200", game).name == "equity:200"


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("nobody", r"'nobody' is no agent of palace: choose from \['random', .*'equity', 'bot'\]"),
        ("", "'' is no agent of palace"),
        ("x" * 5000, r"'x{299}\.\.\. \(5002 characters\) is no agent of palace"),
        ("tight:3", "'tight:3' is no agent"),
        ("equity:", "'equity:': the samples must be a whole number from 1 to 100000"),
        ("equity:0", "'equity:0': the samples"),
        ("equity:100001", "the samples"),
        ("equity:2.5", "the samples"),
        ("equity:" + "1" * 5000, r"'equity:1{292}\.\.\. \(5009 characters\): the samples"),
        ("equity:٣", "the samples"),
    ],
)
def test_a_spec_that_names_no_agent_is_refused(text: str, told: str) -> None:
    with pytest.raises(ValueError, match=told):
        agents.load(text)


@pytest.mark.parametrize(
    "game", ["bridge", 5, [], palace_v0, dict, Game, palace_v0.LAYOUT], ids=lambda game: repr(game)[:30]
)
def test_an_unknown_game_is_refused(game: Any) -> None:  # noqa: ANN401
    with pytest.raises(ValueError, match=r"game .* is unknown: choose from \['palace', 'detective'\]"):
        agents.load("tight", game)
    with pytest.raises(ValueError, match=r"game .* is unknown"):
        duel(game, agents.load("tight"), agents.load("tight"), 10)


def test_a_folder_must_be_there_and_hold_a_policy(tmp_path: Path) -> None:
    with pytest.raises(FileNotFoundError, match=r"agent 'runs/none': there is no folder 'runs/none'"):
        agents.load("runs/none")
    with pytest.raises(FileNotFoundError, match=r"agent 'runs/x+\.\.\. \(5007 characters\): there is no"):
        agents.load("runs/" + "x" * 5000)
    for name in spec.POLICY_FILES:
        with pytest.raises(FileNotFoundError, match=f"has no {name}"):
            agents.load(tmp_path)
        (tmp_path / name).write_bytes(b"")


# ---- what the scripts are


def test_random_takes_every_legal_action() -> None:
    views, observations, masks = positions(20, size=8)
    row = int(np.argmax(masks.sum(axis=1)))
    many = np.repeat(np.arange(len(views))[row], 4000)
    actions = agents.load("random").act(
        views[many], observations[many], masks[many], np.random.default_rng(2)
    )
    counts = np.bincount(actions, minlength=masks.shape[1])
    expected = 4000 / masks[row].sum()
    assert (counts[~masks[row]] == 0).all()
    assert (abs(counts[masks[row]] - expected) < 5 * expected**0.5).all()


def test_passive_stays_and_calls_whenever_it_may() -> None:
    views, observations, masks = positions(40)
    actions = agents.load("passive").act(views, observations, masks, np.random.default_rng(0))
    assert (actions[masks[:, rules.STAY]] == rules.STAY).all()
    assert (actions[masks[:, rules.CALL]] == rules.CALL).all()
    must_fight = (views["phase"] == rules.TURN) & ~masks[:, rules.STAY]
    assert must_fight.any()
    assert masks[must_fight, rules.RAISE + 1 :][:, :3].any(axis=1).all()
    assert (actions[must_fight] > rules.RAISE).all()


@pytest.mark.parametrize("betting", ["limit", "no-limit"])
def test_aggressive_bets_all_it_may(betting: str) -> None:
    views, observations, masks = positions(60, betting=betting)
    actions = agents.load("aggressive").act(views, observations, masks, np.random.default_rng(0))
    g = palace_v0.Palace(betting=betting).record[0]
    first, last = rules.attack_from(g), rules.discard_from(g)
    may_attack = masks[:, first:last].any(axis=1)
    assert may_attack.any()
    assert ((actions[may_attack] >= first) & (actions[may_attack] < last)).all()
    may_raise = masks[:, rules.RAISE : first].any(axis=1)
    assert may_raise.any()
    tops = first - 1 - masks[may_raise, rules.RAISE : first][:, ::-1].argmax(axis=1)
    assert (actions[may_raise] == tops).all()


def test_tight_folds_without_a_pair_and_attacks_with_two() -> None:
    views, observations, masks = positions(60)
    actions = agents.load("tight").act(views, observations, masks, np.random.default_rng(0))
    first = rules.attack_from(palace_v0.Palace().record[0])
    folded = attacked = 0
    for view, action in zip(views, actions, strict=True):
        seat = int(view["actor"])
        own = int(view["palace"][seat]) | int(view["soldiers"][seat]) | 1 << int(view["banner"][seat])
        if view["phase"] in (rules.ANSWERING, rules.FACING_RAISE):
            suit = int(view["banner"][view["opponent"]]) // 13
            has_pair = best_hand(own & ~suit_cards(suit)) >> 20 > 0
            assert (action == rules.FOLD) != has_pair
            folded += action == rules.FOLD
        elif view["phase"] == rules.TURN and view["left"] > 2 and first <= action < first + 3:
            target = (seat + 1 + action - first) % 4
            suit = int(view["banner"][target]) // 13
            assert best_hand(own & ~suit_cards(suit)) >> 20 >= TWO_PAIR
            attacked += 1
    assert folded > 20
    assert attacked > 20


@pytest.mark.parametrize("arguments", [{}, {"players": 8}, {"ranks": 6, "players": 3}], ids=str)
def test_equity_estimates_what_completed_views_say(arguments: dict[str, Any]) -> None:
    game = palace_v0.Palace(**arguments)
    views, _, _ = positions(70, size=16, **arguments)
    views = views[(views["phase"] == rules.TURN) & (views["moves"] >= 8)][::5][:6]
    assert len(views) == 6
    completions = 2000
    scratch = np.zeros(1, SCRATCH)
    seed_stream(scratch[0], 1, 2, 3)
    scratch["samples"] = 8 * completions
    for view in views:
        estimate(view, scratch[0])
        states = np.repeat(np.array([view]), completions)
        game.kernels.complete(states, 0, completions, 11)
        wins, later, best = by_completion(states, int(view["actor"]))
        assert scratch["best"][0, 0] == pytest.approx(best, abs=0.05)
        for other, chance in wins.items():
            assert scratch["wins"][0, other] == pytest.approx(chance, abs=0.05)
            assert scratch["later"][0, other] ** 0.5 == pytest.approx(later[other], abs=0.05)


def by_completion(states: States, seat: int) -> tuple[dict[int, float], dict[int, float], float]:
    """Mean results over whole games: of fights by opponent, of a showdown after each, of one at once."""
    g = states[0]
    others = [other for other in range(int(g.players)) if other != seat and g.in_hand[other]]
    wins, later = dict.fromkeys(others, 0.0), dict.fromkeys(others, 0.0)
    best = 0.0

    def sign(one: int, other: int) -> float:
        return (one > other) + 0.5 * (one == other)

    for state in states:
        palaces = state["palace"].tolist()
        shown = [
            int(s) | 1 << int(b) if b >= 0 else 0
            for s, b in zip(state["soldiers"], state["banner"], strict=True)
        ]
        cards = [palace | face_up for palace, face_up in zip(palaces, shown, strict=True)]
        suits = [suit_cards(int(banner) // 13) for banner in state["banner"]]
        plain = {other: best_hand(cards[other]) for other in others}
        best += sign(best_hand(cards[seat]), max(plain.values()))
        for other in others:
            ours, theirs = cards[seat] & ~suits[other], cards[other] & ~suits[seat]
            if best_hand(ours) != best_hand(theirs):
                wins[other] += sign(best_hand(ours), best_hand(theirs))
            else:
                wins[other] += sign(
                    (cards[seat] & suits[seat]).bit_count(), (cards[other] & suits[other]).bit_count()
                )
            rest = max((plain[third] for third in others if third != other), default=0)
            later[other] += sign(best_hand(cards[seat] | shown[other]), rest)
    n = len(states)
    return {o: w / n for o, w in wins.items()}, {o: w / n for o, w in later.items()}, best / n


def test_equity_draws_each_unseen_card_once_and_deals_none_that_is_known() -> None:
    views, _, _ = positions(1, size=1, players=2, ranks=4)
    view, seat = views[0], int(views[0]["actor"])
    in_deck = set_of(list_cards(view_of.unknown_cards(view, seat))[::4])
    view["public_deck"] = in_deck
    unknown = view_of.unknown_cards(view, seat)
    assert (unknown.bit_count(), in_deck.bit_count()) == (8, 3)
    scratch = np.zeros(1, SCRATCH)
    seed_stream(scratch[0], 1, 2, 3)
    list_unseen(view, scratch[0])
    for _ in range(50):
        scratch["unknown_taken"] = scratch["deck_taken"] = 0
        dealt = deal_hand(view, scratch[0], 1 - seat)
        palace_cards = dealt & ~int(view["soldiers"][1 - seat]) & ~(1 << int(view["banner"][1 - seat]))
        assert palace_cards.bit_count() == 3
        assert palace_cards & ~unknown == 0
        left = (unknown | in_deck) & ~palace_cards
        drawn = [draw(scratch[0]) for _ in range(left.bit_count())]
        assert sum(drawn) == left
        assert all(card.bit_count() == 1 for card in drawn)
        assert draw(scratch[0]) == 0


@pytest.mark.parametrize(
    ("own", "hand", "result"),
    [
        (["Kh", "2c", "2d"], ["Qs", "3c", "3d"], 0.0),
        (["Kh", "2c", "2d", "Ks"], ["Qs", "3c", "3d"], 0.0),  # the king of spades does not count
        (["Kh", "3c", "3d"], ["Qs", "3c", "3d", "Qh"], 1.0),  # nor does the queen of hearts
        (
            ["Kh", "3h", "3d", "4c"],
            ["Ks", "3s", "3c", "4s"],
            0.0,
        ),  # equal, and two hearts against three spades
        (["Kh", "3h", "3d", "4h"], ["Ks", "3s", "3c", "4d"], 1.0),
        (["Kh", "3h", "3d", "4c"], ["Ks", "3s", "3c", "4d"], 0.5),
    ],
)
def test_equity_knows_how_a_fight_goes(own: list[str], hand: list[str], result: float) -> None:
    record = palace_v0.Palace(players=2).record.copy()
    record["banner"][0, :2] = parse_card(own[0]), parse_card(hand[0])
    mine, theirs = (set_of(parse_card(card) for card in cards) for cards in (own, hand))
    strength = best_hand(mine & ~suit_cards(3))
    assert fight(record[0], 0, mine, strength, 1, theirs) == result


def test_equity_gives_up_soldiers_that_no_hand_misses() -> None:
    game = palace_v0.Palace(players=2)
    states = game.record.copy()
    game.kernels.prepare(states, 0, False)
    deal = {
        "banners": ["Kh", "Qs"],
        "palaces": [["Ac", "Ad", "Ah"], ["2c", "5d", "9h"]],
        "draws": ["As", "3c", "7d", "2d"],
    }
    _, script = game.prescribe(states, {"button": 1, "deal": deal})
    arrays = (
        np.zeros((1, game.layout.size), np.uint8),
        np.zeros((1, game.n_actions), np.bool_),
        np.zeros(1, np.int64),
    )
    reserved = sum(1 << card for card in (51, 1, 18, 13))
    game.kernels.deal_hand(states, 0, reserved, *arrays)
    equity, rng = agents.load("equity"), np.random.default_rng(0)

    def play(action: int) -> int:
        """Make a move, then tell what equity does next."""
        game.feed(states, action, script)
        step = (np.zeros((1, 2), np.float32), np.zeros(1, np.bool_), np.zeros(1, np.bool_))
        game.kernels.step(states, 0, 1, np.array([action]), False, *arrays, *step)
        views = states.copy()
        game.kernels.see(views, 0, 1, arrays[2], views)
        return int(equity.act(views, arrays[0], arrays[1], rng)[0])

    discards = rules.discard_from(states[0])
    # Against spades the new ace does not count, in a showdown it makes four of a kind: it is kept.
    assert play(rules.BUY) == rules.DONE
    play(rules.DONE)
    play(rules.BUY)
    play(rules.DONE)
    # Four aces and the king, against spades three aces, the king and now the seven: it is kept as well.
    assert play(rules.BUY) == rules.DONE
    play(rules.DONE)
    play(discards + 1)
    # A deuce makes no hand better.
    assert play(rules.BUY) == discards + 13


@pytest.mark.parametrize("arguments", [{}, {"ante": 4}], ids=str)
@pytest.mark.parametrize("other", [name for name in SCRIPTS if name != "equity"])
def test_equity_beats_the_other_scripts_both_ways_round(other: str, arguments: dict[str, Any]) -> None:
    game = palace_v0.Palace(**arguments)
    equity, script = agents.load("equity"), agents.load(other)
    alone = duel(game, equity, script, 250, seed=1)
    assert alone.mean > alone.error
    among = duel(game, script, equity, 250, seed=1)
    assert among.mean < -among.error


CHOICES = """
import agents, numpy as np
from tests.test_agents import positions
views, observations, masks = positions(12, size=2)
rng = np.random.default_rng(6)
for name in ("random", "passive", "aggressive", "tight", "equity:4"):
    print(agents.load(name).act(views, observations, masks, rng).tolist())
"""


def test_scripts_choose_alike_compiled_and_as_plain_python() -> None:
    told = [said_by(CHOICES, NUMBA_DISABLE_JIT=disabled) for disabled in ("0", "1")]
    assert told[0] == told[1]
    assert len(told[0]) > 200


# ---- duels


class Scripted:
    """An agent that plays as another and keeps what it saw."""

    def __init__(self, name: str) -> None:
        self.name = name
        self.inner = agents.load(name)
        self.views: list[States] = []

    def act(
        self,
        views: States,
        observations: npt.NDArray[np.uint8],
        masks: npt.NDArray[np.bool_],
        rng: np.random.Generator,
    ) -> npt.NDArray[np.int64]:
        """See ``agents.Agent.act``."""
        self.views.append(views.copy())
        return self.inner.act(views, observations, masks, rng)


@pytest.mark.parametrize(
    "arguments", [{}, {"players": 3, "hands": 5, "stack": 20, "betting": "no-limit"}], ids=str
)
def test_an_agent_without_chance_ties_with_itself_exactly(arguments: dict[str, Any]) -> None:
    game = palace_v0.Palace(**arguments)
    result = duel(game, agents.load("tight"), agents.load("tight"), 300)
    assert result.mean == pytest.approx(0, abs=1e-12)
    assert result.error == pytest.approx(0, abs=1e-12)
    assert sum(result.seat_means) == pytest.approx(0, abs=1e-9)
    assert max(result.seat_errors) > 0.1


def test_an_agent_with_chance_ties_with_itself_within_the_interval() -> None:
    result = duel(palace_v0.Palace(), agents.load("random"), agents.load("random"), 600, seed=2)
    assert abs(result.mean) < 1.5 * result.error


def test_a_duel_plays_the_games_of_its_seed_and_counts_what_they_pay() -> None:
    """All stay, so each seat earns what a batch of the same games pays it."""
    game = palace_v0.Palace(players=3)
    batch = Batch(game, 500, seed=9)
    for _ in range(3):
        batch.step(np.full(500, rules.STAY))
    assert batch.over.all()
    result = duel(game, agents.load("passive"), agents.load("passive"), 500, seed=9)
    assert result.seat_means == pytest.approx(batch.rewards.mean(axis=0))
    assert result.seat_errors == pytest.approx(
        1.959964 * batch.rewards.std(axis=0, ddof=1) / 500**0.5, rel=1e-5
    )
    assert (result.deals, result.hands, result.decisions) == (500, 1500, 3.0)
    assert result.figures == {"pot": 1.5, "showdowns": 1.0}


def test_each_seat_gets_the_deals_that_the_others_got() -> None:
    candidate = Scripted("passive")
    duel(palace_v0.Palace(), candidate, agents.load("passive"), 200, seed=3)
    first = np.concatenate([views[views["moves"] < 4] for views in candidate.views])
    assert len(first) == 800
    dealt = {(view["banner"].tobytes(), int(view["button"])) for view in first}
    assert len(dealt) == 200
    assert {int(view["actor"]) for view in first} == {0, 1, 2, 3}


def test_a_match_counts_all_its_hands() -> None:
    game = palace_v0.Palace(players=2, hands=6, stack=10)
    aggressive, passive = agents.load("aggressive"), agents.load("passive")
    result = duel(game, aggressive, passive, 100, seed=4)
    assert 200 < result.hands < 1200
    # With two players, what one wins the other loses.
    reverse = duel(game, passive, aggressive, 100, seed=4)
    assert reverse.hands == result.hands
    assert reverse.mean == pytest.approx(-result.mean)
    assert reverse.seat_means == pytest.approx([-mean for mean in result.seat_means[::-1]])


def test_a_duel_follows_from_its_seed_and_tells_how_far_it_is() -> None:
    game = palace_v0.Palace()
    random, equity = agents.load("random"), agents.load("equity:3")
    told: list[int] = []
    result = duel(game, random, equity, 400, seed=5, progress=told.append)
    assert sum(told) == 400
    assert len(told) > 1
    assert duel(game, random, equity, 400, seed=5) == result
    assert duel(game, random, equity, 400, seed=6).mean != result.mean


def test_a_duel_takes_a_game_its_class_or_its_name_and_agents_alone() -> None:
    tight: Any = agents.load("tight")
    results = [duel(game, tight, tight, 10) for game in ("palace", palace_v0.GAME, palace_v0.GAME())]
    assert results[0] == results[1] == results[2]
    strangers: list[Any] = ["tight", None, type(tight), 5]
    for stranger in strangers:
        with pytest.raises(ValueError, match=r"candidate=.*: must be an agent"):
            duel("palace", stranger, tight, 10)
        with pytest.raises(ValueError, match=r"others=.*: must be an agent"):
            duel("palace", tight, stranger, 10)


def test_an_illegal_choice_is_refused() -> None:
    class Cheat(Scripted):
        def act(self, *arguments: Any) -> npt.NDArray[np.int64]:
            """Discard outside a discard."""
            return np.full(len(arguments[0]), rules.DONE, np.int64)

    with pytest.raises(IllegalMoveError, match=r"agent 'tight' chose 3: legal are \[0, 1, 2"):
        duel(palace_v0.Palace(), Cheat("tight"), agents.load("tight"), 10)


@pytest.mark.parametrize(("argument", "value"), [("deals", 1), ("deals", 2.5), ("seed", -1)])
def test_bad_arguments_of_a_duel_are_refused(argument: str, value: object) -> None:
    tight = agents.load("tight")
    with pytest.raises(ValueError, match=f"{argument}={value!r}: must be"):
        duel(palace_v0.Palace(), tight, tight, **{"deals": 10, argument: value})  # type: ignore[arg-type]
