"""Detective Poker's scripted agents play legally, as they are described, and by what their seat may know."""

from collections.abc import Iterator
from itertools import permutations
from typing import Any

import numpy as np
import numpy.typing as npt
import pytest

from agents import detective, detective_equity, detective_plan, detective_reading
from agents.arena import duel
from agents.detective_plan import DETECTIVE, EQUITY, HAS_BLUFF, HAS_PLUS
from agents.script import Script
from card_table.batch import Batch
from card_table.cards import N_CARDS, list_cards, parse_card
from card_table.game import States
from card_table.hands import best_hand
from card_table.rng import seed_stream
from detective_env import detective_v0, rules
from palace_env import palace_v0
from tests.plain import said_in_plain_python

SCRIPTS = detective.SPECS
BY_CHANCE = ("random", "equity", "detective")
TABLES: list[dict[str, Any]] = [
    {},
    {"players": 3, "expert": True, "hands": 4},
    {"players": 3, "seats": 4, "expert": True, "ranks": 7, "reward": "win", "chips": 12},
    {"chips": 4, "hand_values": False, "actions": ("bluff",), "ranks": 4, "rounds": 1},
    {"players": 3, "streets": 1, "ranks": 2, "actions": (), "reward": "win", "hands": 2},
    {"streets": 1, "ranks": 2, "chips": 12, "actions": ("blank", "clockwise")},
    {"streets": 3, "expert": True, "ranks": 8, "chips": 5, "actions": ("blank", "+1")},
    {"streets": 2, "ranks": 4, "actions": ("clockwise", "bluff", "+1")},
]


def load(spec: str) -> Script:
    script = detective.script(spec)
    assert script is not None
    return script


def walk(steps: int, size: int = 32, seed: int = 5, **arguments: Any) -> Iterator[Batch]:
    """A batch at each step of a walk in which every script makes some of the moves."""
    batch = detective_v0.batch(size, seed=seed, **arguments)
    rng = np.random.default_rng(seed)
    players = [load(name) for name in ("random", "self", "visible", "equity:5", "detective:5")]
    for _ in range(steps):
        yield batch
        views, actions = batch.views(), np.zeros(size, np.int64)
        mover = rng.integers(len(players), size=size)
        for number, player in enumerate(players):
            rows = np.flatnonzero(mover == number)
            if len(rows):
                actions[rows] = player.act(views[rows], batch.observations[rows], batch.masks[rows], rng)
        batch.step(actions)


def positions(steps: int = 16, **arguments: Any) -> tuple[States, npt.NDArray[Any], npt.NDArray[np.bool_]]:
    """Views, observations and masks from a walk."""
    seen = [(b.views().copy(), b.observations.copy(), b.masks.copy()) for b in walk(steps, **arguments)]
    views, observations, masks = (np.concatenate(arrays) for arrays in zip(*seen, strict=True))
    return views, observations, masks


def dealt(deal: dict[str, Any], moves: list[str], **arguments: Any) -> States:
    """The view of the seat to move after moves of a deal, the dealer being seat 0."""
    env = detective_v0.env(**arguments)
    env.reset(seed=1, options={"dealer": 0, "deal": deal})
    for move in moves:
        env.step(env.parse_move(move))
    game, states = detective_v0.Detective(**arguments), env._states.copy()
    game.kernels.see(states, 0, 1, states["actor"].astype(np.int64), states)
    return states


def choose(spec: str, view: States, **arguments: Any) -> tuple[int, int, int]:
    """The seat named, the chips and the card of a script's bet."""
    game = detective_v0.Detective(**arguments)
    masks = np.ones((1, game.n_actions), np.bool_)
    rules.legal_actions(view[0], masks[0])
    observations = np.zeros((1, game.layout.size), np.uint8)
    action = int(load(spec).act(view, observations, masks, np.random.default_rng(0))[0])
    return rules.board_of(view[0], action), rules.chips_of(action), rules.card_of(action)


def scratch_for(view: np.void, samples: int) -> States:
    scratch = np.zeros(1, detective_reading.SCRATCH)
    scratch["samples"] = samples
    seed_stream(scratch[0], 1, 2, 3)
    detective_plan.plan(view, scratch[0])
    detective_equity.list_unseen(view, scratch[0])
    return scratch


# ---- what they are given and what they give


@pytest.mark.parametrize("arguments", TABLES, ids=str)
def test_every_script_plays_legally_at_every_kind_of_table(arguments: dict[str, Any]) -> None:
    rng = np.random.default_rng(1)
    views, observations, masks = positions(32, size=16, **arguments)
    for name in (*SCRIPTS, "equity:2", "detective:1"):
        actions = load(name).act(views, observations, masks, rng)
        assert actions.dtype == np.int64
        assert masks[np.arange(len(views)), actions].all()


@pytest.mark.parametrize("name", SCRIPTS)
def test_what_a_script_does_follows_from_its_arguments_and_changes_none(name: str) -> None:
    views, observations, masks = positions()
    before = [views.tobytes(), observations.tobytes(), masks.tobytes()]
    script = load(name)
    first = script.act(views, observations, masks, np.random.default_rng(3))
    again = load(name).act(views, observations, masks, np.random.default_rng(3))
    assert (first == again).all()
    assert [views.tobytes(), observations.tobytes(), masks.tobytes()] == before
    one_by_one = np.random.default_rng(3)
    for row in range(200):
        part = slice(row, row + 1)
        assert script.act(views[part], observations[part], masks[part], one_by_one) == first[row]
    other = script.act(views, observations, masks, np.random.default_rng(4))
    assert (first != other).any() == (name in BY_CHANCE)


@pytest.mark.parametrize("name", SCRIPTS)
def test_what_a_seat_cannot_know_changes_no_move(name: str) -> None:
    """Whole games that a seat could be in give it the same view, so that it plays the same."""
    game = detective_v0.Detective()
    views, observations, masks = positions(16, size=8)
    states = views.copy()
    game.kernels.complete(states, 0, len(states), 7)
    assert (states["private"] != views["private"]).any()
    seats = views["actor"].astype(np.int64)
    game.kernels.see(states, 0, len(states), seats, states)
    script = load(name)
    first, again = (
        script.act(seen, observations, masks, np.random.default_rng(3)) for seen in (views, states)
    )
    assert (first == again).all()


def test_a_row_without_a_legal_action_is_refused() -> None:
    views, observations, masks = positions(2)
    masks[7] = False
    for name in SCRIPTS:
        with pytest.raises(ValueError, match="row 7 of masks has no legal action"):
            load(name).act(views, observations, masks, np.random.default_rng(0))


def test_a_mask_that_is_not_that_of_the_view_is_refused() -> None:
    views, observations, masks = positions(1)
    masks[5] = False
    masks[5, 59] = True
    with pytest.raises(ValueError, match="row 5: the mask forbids 0, which the view allows"):
        load("self").act(views, observations, masks, np.random.default_rng(0))


def test_arrays_that_do_not_belong_together_are_refused() -> None:
    views, observations, masks = positions(1, size=8, players=3)
    others, _, wider = positions(1, size=8, players=4)
    mixed = np.concatenate([views[:5], others[5:]])
    palace = palace_v0.batch(8)
    wrong: list[tuple[tuple[Any, Any, Any], str]] = [
        ((views, observations, masks[:4]), r"masks of shape \(4, 45\) and dtype 'bool': must be bool, a row"),
        ((views, observations, masks.view(np.int8)), "masks of .* dtype 'int8': must be bool"),
        ((views, observations, masks[:, :3]), r"masks of shape \(8, 3\): row 0 of views has 45 actions"),
        ((views, observations, wider), r"masks of shape \(8, 60\): row 0 of views has 45 actions"),
        ((mixed, observations, masks), r"masks of shape \(8, 45\): row 5 of views has 60 actions"),
        ((views, None, masks), "observations of type 'NoneType'"),
        (
            (palace.views(), palace.observations, palace.masks),
            r"views of .*: must be records \(n,\) of Detec",
        ),
        ((None, observations, masks), "views of type 'NoneType'"),
    ]
    for name in SCRIPTS:
        for given, message in wrong:
            with pytest.raises(ValueError, match=message):
                load(name).act(*given, np.random.default_rng(0))


@pytest.mark.parametrize("text", ["equity:0", "detective:", "equity:100001", "detective:2.5", "equity:٣"])
def test_a_number_of_samples_that_is_none_is_refused(text: str) -> None:
    with pytest.raises(ValueError, match=f"'{text}': the samples must be a whole number from 1 to 100000"):
        detective.script(text)


def test_a_spec_names_a_script_or_none() -> None:
    assert SCRIPTS == ("random", "self", "visible", "equity", "detective")
    for spec in (*SCRIPTS, "equity:7", "detective:100000"):
        assert load(spec).name == spec
    for spec in ("", "tight", "self:3", "visible:", "random:1"):
        assert detective.script(spec) is None


# ---- what they are


def test_random_takes_every_legal_action() -> None:
    views, observations, masks = positions(1, size=1)
    many = np.zeros(6000, np.int64)
    actions = load("random").act(views[many], observations[many], masks[many], np.random.default_rng(2))
    counts = np.bincount(actions, minlength=masks.shape[1])
    expected = 6000 / masks[0].sum()
    assert (counts[~masks[0]] == 0).all()
    assert (abs(counts[masks[0]] - expected) < 5 * expected**0.5).all()


@pytest.mark.parametrize(
    ("chips", "plan"), [(4, [1, 1, 1, 1]), (6, [1, 1, 2, 2]), (7, [1, 2, 2, 2]), (12, [3, 3, 3, 3])]
)
def test_self_names_itself_with_even_chips_and_plus_one_at_last(chips: int, plan: list[int]) -> None:
    batch = detective_v0.batch(4, players=3, chips=chips)
    for step in range(12):
        views, masks = batch.views(), batch.masks
        actions = load("self").act(views, batch.observations, masks, np.random.default_rng(0))
        for view, action in zip(views, actions, strict=True):
            assert rules.board_of(view, action) == view["actor"]
            assert rules.chips_of(action) == plan[step // 3]
            assert rules.card_of(action) == (rules.PLUS_ONE if step >= 9 else rules.NONE)
        batch.step(actions)


def test_visible_names_the_best_of_what_it_sees() -> None:
    deal = {
        "private": ["Kh", "Qh", "2d", "2s"],
        "exposed": ["3c", "Ah", "Jd", "Qd"],
        "board": ["3d", "4s", "9c"],
    }
    # Seat 1 bets first. It sees Qh of itself, and 3c, Jd, Qd: of equal queens its own come first.
    assert choose("visible", dealt(deal, [])) == (1, 1, rules.NONE)
    # Seat 2 sees 2d of itself, and Qd, 3c, Ah.
    assert choose("visible", dealt(deal, ["bet 1 1"])) == (1, 1, rules.NONE)
    # On the flop seat 2 bets first: seat 0 has a pair.
    flop = dealt(deal, ["bet 1 1", "bet 1 1", "bet 1 1", "bet 1 1"])
    assert choose("visible", flop) == (0, 2, rules.NONE)


# ---- plans


@pytest.mark.parametrize(
    ("left", "cards", "best", "weakest", "expert", "stake"),
    [
        # On the last street: all chips; +1 adds the chance to be right.
        (2, HAS_PLUS | HAS_BLUFF, 0.5, 0.5, False, (1.5, 2, rules.PLUS_ONE)),
        (5, HAS_PLUS, 0.25, 0.0, False, (1.0, 3, rules.PLUS_ONE)),
        (3, HAS_BLUFF, 0.5, 0.75, False, (2.25, 3, rules.BLUFF)),
        (3, HAS_PLUS | HAS_BLUFF, 0.5, 0.75, False, (2.25, 3, rules.BLUFF)),
        (3, 0, 0.5, 0.75, False, (1.5, 3, rules.NONE)),
        # In expert mode +1 brings 1 more or costs 1.
        (2, HAS_PLUS, 0.25, 0.0, True, (0.5, 2, rules.NONE)),
        (2, HAS_PLUS, 0.75, 0.0, True, (2.0, 2, rules.PLUS_ONE)),
    ],
)
def test_the_best_stake_on_the_last_street(
    left: int, cards: int, best: float, weakest: float, expert: bool, stake: tuple[float, int, int]
) -> None:
    record = detective_v0.Detective(expert=expert, chips=12).record
    scratch = np.zeros(1, detective_reading.SCRATCH)
    detective_plan.plan(record[0], scratch[0])
    for whose in (EQUITY, DETECTIVE):
        found = detective_plan.best_stake(record[0], scratch[0], whose, 3, left, cards, best, weakest)
        assert found == stake


def test_a_plan_expects_what_playing_it_brings() -> None:
    """What stands for the flop is the mean over bets that are best by what stands for the turn, and so on."""
    rng = np.random.default_rng(0)
    record = detective_v0.Detective().record
    scratch = np.zeros(1, detective_reading.SCRATCH)
    detective_plan.plan(record[0], scratch[0])
    for whose in (EQUITY, DETECTIVE):
        totals = []
        for _ in range(3000):
            left, cards, total = 6, HAS_PLUS | HAS_BLUFF, 0.0
            for street in (1, 2, 3):
                best, weakest = detective_plan.SURENESS[whose, 1, street, :, rng.integers(8)]
                _, chips, card = detective_plan.best_stake(
                    record[0], scratch[0], whose, street, left, cards, best, weakest
                )
                left -= chips
                cards &= ~{rules.NONE: 0, rules.PLUS_ONE: HAS_PLUS, rules.BLUFF: HAS_BLUFF}[card]
                total += chips * (weakest if card == rules.BLUFF else best)
                total += best if card == rules.PLUS_ONE else 0
            assert left >= 0
            totals.append(total)
        error = np.std(totals) / len(totals) ** 0.5
        assert scratch["worth"][0, whose, 1, 6, 3] == pytest.approx(np.mean(totals), abs=4 * error)


def test_plans_are_made_anew_for_other_rules() -> None:
    records = [detective_v0.Detective(**arguments).record for arguments in TABLES]
    shared = np.zeros(1, detective_reading.SCRATCH)
    for record in [*records, *records]:
        alone = np.zeros(1, detective_reading.SCRATCH)
        detective_plan.plan(record[0], alone[0])
        detective_plan.plan(record[0], shared[0])
        assert (alone["worth"] == shared["worth"]).all()
        left = int(record["chips"][0]) - 1
        assert (alone["worth"][0, :, 1, left, 3] > 0).all() == (record["streets"][0] > 1)


# ---- equity


def test_equity_estimates_what_all_deals_say() -> None:
    arguments = {"players": 3, "ranks": 4, "streets": 2}
    views, _, _ = positions(6, size=1, **arguments)
    for view in views:
        unseen = list_cards(rules.all_cards(view) & ~rules.dealt_cards(view))
        board = rules.board_on(view, int(view["street"]))
        seen = [
            int(p) if seat == view["actor"] else int(e)
            for seat, (p, e) in enumerate(zip(view["private"][:3], view["exposed"][:3], strict=True))
        ]
        best, weakest, n = np.zeros(3), np.zeros(3), 0
        for hidden in permutations(unseen, 3):
            hands = np.array([best_hand(board | 1 << s | 1 << h) for s, h in zip(seen, hidden, strict=True)])
            best += hands == hands.max()
            weakest += hands == hands.min()
            n += 1
        scratch = scratch_for(view, 20000)
        detective_equity.estimate(view, scratch[0])
        assert scratch["best"][0, :3] == pytest.approx(best / n, abs=0.02)
        assert scratch["weakest"][0, :3] == pytest.approx(weakest / n, abs=0.02)


def last_bets(deal: dict[str, Any], **arguments: Any) -> States:
    """The view of the last player to bet in a hand; all bets before were plain ones on oneself."""
    players = arguments.get("players", 4)
    moves = [
        f"bet {(1 + street + turn) % players} {2 if street else 1}"
        for street in range(4)
        for turn in range(players)
    ]
    return dealt(deal, moves[:-1], **arguments)


def test_equity_and_detective_are_sure_where_all_is_on_the_table() -> None:
    # Seat 2 shows the nine that raises the board's straight flush: whatever anyone hides, it is the best.
    deal = {
        "private": ["2c", "2d", "2h", "2s"],
        "exposed": ["3c", "3d", "9h", "3s"],
        "board": ["4h", "5h", "6h", "7h", "8h"],
    }
    for spec in ("equity", "detective"):
        assert choose(spec, last_bets(deal)) == (2, 2, rules.PLUS_ONE)
        assert choose(spec, last_bets(deal, expert=True), expert=True) == (2, 2, rules.PLUS_ONE)
        assert choose(spec, last_bets(deal, actions=()), actions=()) == (2, 2, rules.NONE)


# ---- reading


@pytest.mark.parametrize("arguments", [{}, {"players": 3}, {"expert": True}], ids=str)
def test_detective_sees_the_chances_that_another_sees(arguments: dict[str, Any]) -> None:
    """The chances found without samples, given the true cards, are those of `equity` in the other's place."""
    batch = detective_v0.batch(10, seed=8, **arguments)
    game, players = batch.game, batch.game.players
    rng = np.random.default_rng(0)
    errors = []
    for _ in range(4 * players):
        views = batch.views()
        actor = batch.actors.copy()
        other = (actor + 1 + rng.integers(players - 1, size=10)) % players
        theirs = batch.states.copy()
        game.kernels.see(theirs, 0, 10, other, theirs)
        for row in range(10):
            view, whole, seat = views[row], batch.states[row], int(other[row])
            scratch = scratch_for(view, 1)
            detective_reading.sort_kinds(view, scratch[0], int(view["street"]))
            detective_reading.see_as(view, scratch[0], seat)
            detective_reading.spread_levels(view, scratch[0])
            detective_reading.find_chances(view, scratch[0], seat)
            truth = scratch_for(theirs[row], 4000)
            detective_equity.estimate(theirs[row], truth[0])
            private = scratch["kind_of"][0, whole["private"][seat]]
            exposed = scratch["kind_of"][0, whole["exposed"][actor[row]]]
            for player in range(players):
                role = detective_reading.role_of(view, seat, player)
                errors.append(scratch["right"][0, role, private, exposed] - truth["best"][0, player])
                errors.append(scratch["poor"][0, role, private, exposed] - truth["weakest"][0, player])
        batch.step(load("equity:5").act(views, batch.observations, batch.masks, rng))
    assert np.abs(errors).mean() < 0.03
    assert np.abs(errors).max() < 0.5


def test_who_bets_first_has_nothing_to_read() -> None:
    views, _, _ = positions(1, size=3)
    for view in views:
        plain, read = scratch_for(view, 20000), scratch_for(view, 20000)
        detective_equity.estimate(view, plain[0])
        detective_reading.read_bets(view, read[0])
        detective_reading.weigh(view, read[0])
        assert read["best"][0] == pytest.approx(plain["best"][0], abs=0.02)
        assert read["weakest"][0] == pytest.approx(plain["weakest"][0], abs=0.02)


def test_bets_tell_of_ones_own_exposed_card() -> None:
    # Preflop seats 1 and 2 bet first, and see the ace of seat 3, which only holds a deuce.
    deal = {"private": ["9c", "5d", "6h", "2s"], "exposed": ["8c", "7d", "7h", "As"]}
    silent, told = (dealt(deal, moves) for moves in (["bet 1 1", "bet 2 1"], ["bet 3 3", "bet 3 3"]))
    chances = []
    for view in (silent, told):
        scratch = scratch_for(view[0], 4000)
        detective_reading.read_bets(view[0], scratch[0])
        detective_reading.weigh(view[0], scratch[0])
        chances.append(scratch["best"][0, 3])
    assert chances[0] < 0.15
    assert chances[1] > 0.5
    assert choose("equity", told)[0] != 3
    assert choose("detective", told)[0] == 3


def test_where_no_draw_has_each_card_once_the_bets_are_left_out() -> None:
    """With eight cards and eight dealt the four unseen ones are a permutation, rarely drawn by one try."""
    arguments = {"ranks": 2, "streets": 1}
    views, _, _ = positions(4, size=20, **arguments)
    for view in views:
        scratch = scratch_for(view, 1)
        detective_reading.read_bets(view, scratch[0])
        detective_reading.weigh(view, scratch[0])
        assert set(scratch["best"][0]) <= {0.0, 1.0}
        assert scratch["best"][0].sum() >= 1
    assert len(list_cards(rules.all_cards(views[0]) & ~rules.dealt_cards(views[0]))) == 4


def test_draws_follow_the_weights() -> None:
    view = positions(1, size=1)[0][0]
    scratch = scratch_for(view, 1)
    scratch["n_unseen"] = 5
    weights = np.array([3.0, 0.0, 1.0, 4.0, 0.0])
    up_to = np.zeros(N_CARDS)
    up_to[:5] = np.cumsum(weights)
    drawn = np.bincount([detective_reading.draw(scratch[0], up_to) for _ in range(8000)], minlength=5)
    assert drawn == pytest.approx(weights * 1000, abs=150)
    assert (drawn[weights == 0] == 0).all()


def test_straights_and_flushes_are_told_apart_by_kind() -> None:
    """Any two cards of two kinds make a hand of the strength that stands for these kinds."""
    view = positions(1, size=1)[0][0]
    for cards in (["Ah", "Kh", "4h", "9c", "2d"], ["Ah", "Kc", "4h", "9c", "2d"]):
        view["board"] = [parse_card(card) for card in cards]
        board = sum(1 << int(card) for card in view["board"])
        scratch = scratch_for(view, 1)
        detective_reading.sort_kinds(view, scratch[0], 3)
        kind_of, level = scratch["kind_of"][0], scratch["level"][0]
        rest = [card for card in range(N_CARDS) if not board >> card & 1]
        levels: dict[int, set[int]] = {}
        for one in rest:
            for two in rest:
                if one != two:
                    strength = best_hand(board | 1 << one | 1 << two)
                    levels.setdefault(strength, set()).add(int(level[kind_of[one], kind_of[two]]))
        assert all(len(found) == 1 for found in levels.values())
        in_order = [min(levels[strength]) for strength in sorted(levels)]
        assert in_order == sorted(in_order)
        assert in_order[0] == 0
        assert in_order[-1] == detective_reading.LEVELS - 1


# ---- how well they do


@pytest.mark.parametrize(
    ("better", "worse", "deals", "least"),
    [("visible", "self", 500, 1), ("equity", "visible", 4000, 0.3), ("detective", "equity", 500, 1)],
)
def test_each_beats_the_one_before_both_ways_round(better: str, worse: str, deals: int, least: float) -> None:
    alone = duel("detective", load(better), load(worse), deals, seed=1)
    assert alone.mean > least
    assert alone.mean - alone.error > 0
    among = duel("detective", load(worse), load(better), 500, seed=1)
    assert among.mean < -among.error


@pytest.mark.parametrize("arguments", [{"players": 3}, {"expert": True}, {"reward": "win"}], ids=str)
def test_detective_beats_equity_at_other_tables(arguments: dict[str, Any]) -> None:
    result = duel(detective_v0.Detective(**arguments), load("detective"), load("equity"), 120, seed=1)
    assert result.mean > result.error


def test_figures_tell_points_and_right_bets() -> None:
    game = detective_v0.Detective(players=3, streets=2)
    states = np.repeat(game.record, 2)
    states["bet_points"][0, :2, :3] = [[3, 0, 1], [0, 0, -1]]
    states["hand_points"][0, :3] = [3, 0, 0]
    figures = detective.figures(states)
    assert figures["points"].tolist() == [1.0, 0.0]
    assert figures["right"] == pytest.approx([2 / 6, 0.0])


CHOICES = """
import numpy as np
from tests.test_detective_agents import SCRIPTS, load, positions
views, observations, masks = positions(16, size=1)
rng = np.random.default_rng(6)
for name in (*SCRIPTS[:3], "equity:4", "detective:4"):
    print(load(name).act(views, observations, masks, rng).tolist())
"""


def test_scripts_choose_alike_compiled_and_as_plain_python(capsys: pytest.CaptureFixture[str]) -> None:
    exec(CHOICES, {})
    assert capsys.readouterr().out.strip() == said_in_plain_python(CHOICES)
