"""Random matches of Palace Poker, played by product and reference at once and compared at every step."""

import random
import re
from collections import Counter
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from card_table.aec import TableEnv
from card_table.layout import Piece
from palace_env import palace_v0
from tests.palace import reference
from tests.palace.reference import RANKS, SUITS, Hand

RULES = Path(palace_v0.__file__).with_name("RULES.md")
# The paragraphs that a played hand can show, and what only a match or the dealing of cards can.
BESIDES = ["2.2", "9.10", "10.1", "10.4", "10.6", "11.4", "14.2"]
PARAGRAPHS: Sequence[str] = sorted(
    [*re.findall(r"^\*\*(\d+\.\d+) ✓\*\*", RULES.read_text("utf-8"), re.MULTILINE), *BESIDES],
    key=lambda number: [int(part) for part in number.split(".")],
)

# So many decisions, on average, between two comparisons of what takes long.
ALL_SEATS_EVERY = 16
VALUES_EVERY = 8
TEXT_EVERY = 100
ENDS_EVERY = 20  # matches
PHASES = ["turn", "discards", "attacked", "raised"]
KINDS = ["stay", "fold", "buy", "done", "call", "raise", "attack", "discard"]
COUNTED = ["buy", "discard", "attack", "call", "raise", "win"]
LOG = 12  # moves


def play(rng: random.Random, counts: Counter[str]) -> None:
    """Play one match, of a single hand most times, with random arguments, options and habits of play.

    Raises:
        AssertionError: a difference, with all that the match needs to be played again.
    """
    arguments = random_arguments(rng)
    rules = reference.full_rules(**{k: v for k, v in arguments.items() if k not in ("seats", "hand_values")})
    options = random_options(rng, rules)
    seed = rng.randrange(2**32)
    env = palace_v0.env(**arguments)
    env.reset(seed=seed, options=options or None)
    moves: list[str] = []
    try:
        _match(rng, counts, env, rules, options, moves)
    except (AssertionError, ValueError) as difference:
        raise AssertionError(
            f"arguments {arguments!r}\nseed {seed!r}\noptions {options!r}\nmoves {moves!r}\n"
            f"{type(difference).__name__}: {difference}"
        ) from difference


def random_arguments(rng: random.Random) -> dict[str, Any]:
    """Arguments of an environment, over all that sections 11 and 13 allow, most left as they are."""
    given: dict[str, Any] = {"players": rng.choice([2, 2, 3, 3, 4, 5, 6, 6, 7, 8, 9, 10])}
    if rng.random() < 0.5:
        given["betting"] = rng.choice(["limit", "no-limit"])
    if rng.random() < 0.5:
        given["small_bet"] = rng.randint(1, 5)
        if rng.random() < 0.7:
            given["big_bet"] = rng.choice([None, given["small_bet"] + rng.randint(0, 12)])
        if rng.random() < 0.7:
            given["ante"] = rng.choice([None, 0, 1, rng.randint(0, 12)])
    if rng.random() < 0.4:
        given["stack"] = rng.choice([1, 5, 10, 20, 40, 80, 400])
    if rng.random() < 0.2:
        given["hands"] = rng.randint(2, 4)
    if rng.random() < 0.3:
        given["max_raises"] = rng.choice([None, 0, 1, 2, 5])
    if rng.random() < 0.3:
        given["bare_raise"] = rng.choice([None, 1, 3, 9])
    if rng.random() < 0.3:
        given["sizes"] = sorted(rng.sample(range(1, 20), rng.randint(0, 5)))
    if rng.random() < 0.2:
        given["discard_fee"] = rng.randint(1, 4)
    if rng.random() < 0.15:
        given["forced_duel"] = False
    if rng.random() < 0.3:
        given["palace_cards"] = rng.randint(1, 3)
    if rng.random() < 0.3:
        fewest = max(2, -(-(1 + given.get("palace_cards", 3)) * given["players"] // 4))
        given["ranks"] = rng.choice([fewest, rng.randint(fewest, 13)])
    if rng.random() < 0.2:
        given["max_soldiers"] = rng.randint(0, 5)
    if rng.random() < 0.2:
        given["seats"] = rng.randint(given["players"], 10)
    if rng.random() < 0.1:
        given["hand_values"] = False
    return given


def random_options(rng: random.Random, rules: dict[str, Any]) -> dict[str, Any]:
    """Options of a reset: the whole deal most times, else none or a part of it."""
    players = rules["players"]
    options: dict[str, Any] = {}
    if rng.random() < 0.35:
        most = rng.choice([1, 5, 25, 100, 300])
        stacks = [rng.choice([0, rng.randint(1, most), rng.randint(1, most), most]) for _ in range(players)]
        for seat in rng.sample(range(players), 2):
            stacks[seat] = stacks[seat] or most
        options["stacks"] = stacks
    stacks = options.get("stacks", [rules["stack"]] * players)
    if rng.random() < 0.1:
        return options
    button = rng.choice([seat for seat in range(players) if stacks[seat]])
    options["button"] = button
    banners, palaces, draws = reference.deal(rules, button, stacks, rng)
    whole = {"banners": banners, "palaces": palaces, "draws": draws}
    chance = rng.random()
    if chance < 0.3:  # on past a reshuffle
        whole["draws"] = draws + rng.choices(reference.whole_deck(rules["ranks"]), k=rng.randint(1, 20))
    elif chance < 0.4:
        whole["draws"] = draws[: rng.randint(0, len(draws))]
    if rng.random() < 0.1:
        for key in rng.sample(sorted(whole), rng.randint(1, 3)):
            del whole[key]
    if whole:
        options["deal"] = whole
    return options


def _match(
    rng: random.Random,
    counts: Counter[str],
    env: TableEnv,
    rules: dict[str, Any],
    options: dict[str, Any],
    moves: list[str],
) -> None:
    players = rules["players"]
    weights = {kind: rng.choice([0.03, 0.3, 1.0, 1.0, 4.0]) for kind in KINDS}
    weights["fold"] = rng.choice([0.0, 0.03, 0.03, 0.3, 1.0])
    stacks = options.get("stacks", [rules["stack"]] * players)
    totals = [0] * players
    button = options.get("button")
    number = 0
    while True:
        deal = options.get("deal", {}) if number == 0 else {}
        hand = _dealt(env, rules, stacks, button, deal, counts)
        _hand(rng, counts, env, hand, number, weights, moves)
        _same("net in history", env.histories[number]["net"], hand.net)
        _same("stacks after", sum(hand.stacks), sum(hand.stacks_before))
        _same_history(env.histories[number], hand.history(number), shuffled="palaces" not in deal)
        counts["9.10"] += 1
        for seat in range(players):
            reward = np.float32(hand.net[seat]) / np.float32(rules["small_bet"])
            _same(f"reward of seat {seat}", np.float32(env.rewards[f"player_{seat}"]), reward)
            totals[seat] += hand.net[seat]
        number += 1
        stacks = hand.stacks
        over = reference.match_is_over(rules, number, stacks, counts)
        _same("match over", all(env.terminations.values()), over)
        _same("hands played", len(env.histories), number)
        if over:
            break
        button = reference.next_button(hand.button, stacks, counts)
    if rng.random() * ENDS_EVERY < 1:
        seat = rng.randrange(players)
        _same_text(hand, seat, env.view_text(f"player_{seat}"))
    _same("winners", env.winners, [seat for seat in range(players) if totals[seat] == max(totals)])


def _dealt(
    env: TableEnv,
    rules: dict[str, Any],
    stacks: Sequence[int],
    button: int | None,
    deal: dict[str, Any],
    counts: Counter[str],
) -> Hand:
    """The reference's hand; what the options leave to the seed is taken from the observations."""
    layout = env.game.layout
    players = rules["players"]
    seen = [env.observe(f"player_{seat}")["observation"] for seat in range(players)]
    banners: list[str | None] = [None] * players
    for seat in range(players):
        suit = seen[seat][layout.slice_of("banner_suit", 0)]
        rank = seen[seat][layout.slice_of("banner_rank", 0)]
        if suit.any():
            banners[seat] = RANKS[int(rank.argmax())] + SUITS[int(suit.argmax())]
    palaces = [
        [_card(int(i)) for i in np.flatnonzero(seen[seat][layout.slice_of("palace")])]
        for seat in range(players)
    ]
    buttons = [seat for seat in range(players) if seen[0][layout.slice_of("button", seat)].any()]
    _same("number of buttons", len(buttons), 1)
    _same("button", buttons[0], buttons[0] if button is None else button)
    assert stacks[buttons[0]] > 0, f"button {buttons[0]!r} must have chips, stacks {stacks!r}"
    for group in reference.banner_groups(rules, buttons[0], stacks):
        suits = {banner[1] for seat in group if (banner := banners[seat])}
        assert len(suits) == len(group), f"banners {banners!r}: group {group!r} must have different suits"
    counts["2.4"] += "banners" not in deal
    counts["2.6"] += "palaces" not in deal
    if "banners" in deal:
        _same("banners", banners, deal["banners"])
    if "palaces" in deal:
        _same("palaces", [set(palace) for palace in palaces], [set(palace) for palace in deal["palaces"]])
        palaces = deal["palaces"]
    dealt = [card for palace in palaces for card in palace] + [card for card in banners if card]
    whole = rules["palace_cards"] + 1
    _same("cards dealt", len(set(dealt)), whole * sum(stack > 0 for stack in stacks))
    assert set(dealt) <= set(reference.whole_deck(rules["ranks"])), f"{dealt!r} must be in the deck"
    return Hand(rules, buttons[0], stacks, banners, palaces, deal.get("draws", ()), counts)


def _hand(
    rng: random.Random,
    counts: Counter[str],
    env: TableEnv,
    hand: Hand,
    number: int,
    weights: dict[str, float],
    moves: list[str],
) -> None:
    players = hand.rules["players"]
    while hand.end is None:
        agent = f"player_{hand.mover}"
        _same("mover", env.agent_selection, agent)
        observed = env.observe(agent)
        offered = [env.move_text(int(action)) for action in np.flatnonzero(observed["action_mask"])]
        _same("moves offered", sorted(offered), sorted(hand.moves()))
        with_values = rng.random() * VALUES_EVERY < 1
        _same_observation(env, hand, hand.mover, number, observed["observation"], with_values)
        if rng.random() * ALL_SEATS_EVERY < 1:
            for seat in range(players):
                other = env.observe(f"player_{seat}")
                _same_observation(env, hand, seat, number, other["observation"], with_values)
                assert seat == hand.mover or not other["action_mask"].any(), (
                    f"seat {seat!r} must not be asked"
                )
        if rng.random() * TEXT_EVERY < 1:
            seat = rng.randrange(players)
            _same_text(hand, seat, env.view_text(f"player_{seat}"))
        move = _choose(rng, sorted(hand.moves()), weights)
        moves.append(move)
        written = move
        if rng.random() < 0.05:
            written = "  ".join(move.replace("T", "10").split()).upper()
            counts["14.2"] += 1
        drawn = None
        told = hand.prescribed_draw() if move == "buy" else None
        if move == "buy" and told is None:
            before = set(hand.soldiers[hand.mover])
            env.step(env.parse_move(written))
            shown = env.observe(agent)["observation"][env.game.layout.slice_of("soldiers", 0)]
            (drawn,) = {_card(int(i)) for i in np.flatnonzero(shown)} - before
        else:
            env.step(env.parse_move(written))
        hand.apply(move, drawn)


def _choose(rng: random.Random, moves: Sequence[str], weights: dict[str, float]) -> str:
    """A kind of move by weight, then any of that kind."""
    kinds = sorted({move.split()[0] for move in moves})
    by_kind = [weights[kind] for kind in kinds]
    kind = rng.choices(kinds, by_kind)[0] if sum(by_kind) else rng.choice(kinds)
    return rng.choice([move for move in moves if move.split()[0] == kind])


def _card(number: int) -> str:
    return RANKS[number % 13] + SUITS[number // 13]


def _same(what: str, product: object, expected: object) -> None:
    assert product == expected, f"{what}: the product has {product!r}, the reference {expected!r}"


def _same_history(product: dict[str, Any], expected: dict[str, Any], shuffled: bool) -> None:
    """Compare histories; palaces that the seed dealt without their order."""
    _same("keys of the history", list(product), list(expected))
    _same("keys of the rules", list(product["rules"]), list(expected["rules"]))
    for key, value in expected.items():
        if key == "palaces" and shuffled:
            _same(key, [sorted(cards) for cards in product[key]], [sorted(cards) for cards in value])
        else:
            _same(f"{key} in history", product[key], value)


def _same_text(hand: Hand, seat: int, text: str) -> None:
    """Compare the table of ``view_text``: banners, palaces as that seat may see them, chips, soldiers."""
    rows = re.findall(r"^[> ][D ] *(\d+) (?:you)? +(.*)$", text.split("\n\n")[1], re.MULTILINE)
    _same("rows of view_text", [int(row) for row, _ in rows], list(range(hand.rules["players"])))
    for other, (_, words) in enumerate(rows):
        dealt = hand.dealt_palaces[other]
        chips = [str(hand.paid[other]), str(hand.stacks[other])]
        if hand.in_hand[other]:
            palace = sorted(dealt) if other in hand.knows_palace_of[seat] else ["##"] * len(dealt)
            soldiers = sorted(hand.soldiers[other]) or ["-"]
            expected = [str(hand.banners[other]), *palace, str(hand.price(other)), *chips, *soldiers]
        elif hand.stacks_before[other] == 0:
            expected = ["out", *chips, "(no", "chips,", "so", "no", "cards)"]
        else:
            expected = ["out", *(sorted(dealt) if other in hand.knows_palace_of[seat] else []), *chips]
        # Cards in any order: what stands where is the observation's to prove.
        found = [word.strip("()") for word in words.split()] if hand.stacks_before[other] else words.split()
        _same(f"row {other} of view_text for seat {seat}", sorted(found), sorted(expected))


# The observation, by the table in docs/palace.md.


def _same_observation(
    env: TableEnv, hand: Hand, seat: int, number: int, product: npt.NDArray[np.uint8], values: bool
) -> None:
    layout = env.game.layout
    values = values and any(piece.name == "category" for piece in layout.seat_pieces)
    raw = product.tobytes()
    what = f"observation of seat {seat}"
    end = layout.table_size
    _same_pieces(what, layout.table_pieces, raw[:end], _expected_table(hand, seat, number))
    for step in range(hand.rules["players"]):
        other = (seat + step) % hand.rules["players"]
        start, end = end, end + layout.seat_size
        block = _expected_seat(hand, other)
        if values:  # they come last
            block += _expected_values(hand, seat, other)
        _same_pieces(f"{what}, seat {other}", layout.seat_pieces, raw[start : start + len(block)], block)
        assert not values or len(block) == layout.seat_size, f"{what}: {len(block)!r} bytes a seat"
    assert not any(raw[end:]), f"{what}: the seats of nobody must be 0"


def _same_pieces(what: str, pieces: Sequence[Piece], product: bytes, expected: bytes) -> None:
    if product == expected:
        return
    start = 0
    for piece in pieces:
        end = start + piece.size
        _same(f"{what}, {piece.name}", [*product[start:end]], [*expected[start:end]])
        start = end


def _bits(cards: Iterable[str]) -> bytes:
    bits = bytearray(52)
    for card in cards:
        bits[13 * SUITS.index(card[1]) + RANKS.index(card[0])] = 1
    return bytes(bits)


def _expected_table(hand: Hand, seat: int, number: int) -> bytes:
    """The pieces that a table has once."""
    small_bet, players = hand.rules["small_bet"], hand.rules["players"]
    phase = "discards" if hand.phase == "discard turn" else hand.phase
    battle = phase in ("attacked", "raised")
    owed = hand.extra if phase == "attacked" else hand.raise_owed if phase == "raised" else 0
    excess = len(hand.soldiers[hand.mover]) - hand.rules["max_soldiers"] if phase == "discards" else 0
    log = bytearray(13 * LOG)
    for at, move in enumerate(reversed(hand.log[-LOG:])):
        target, card = move["target"], move["card"]
        log[13 * at + KINDS.index(move["word"])] = 1
        log[13 * at + 8] = (move["seat"] - seat) % players + 1
        log[13 * at + 9] = 0 if target is None else (target - seat) % players + 1
        log[13 * at + 10] = min(move["chips"] // small_bet, 255)
        if card:
            log[13 * at + 11] = RANKS.index(card[0]) + 1
            log[13 * at + 12] = SUITS.index(card[1]) + 1
    return b"".join(
        [
            _bits(hand.palaces[seat]),
            _bits(hand.knows_in_pile[seat]),
            _bits(hand.knows_in_deck[seat]),
            bytes(phase == name for name in PHASES),
            bytes(
                [
                    min(hand.pot // small_bet, 255),
                    len(hand.deck),
                    len(hand.pile),
                    min(hand.raises, 255) if battle else 0,
                    min(owed // small_bet, 255),
                    min(hand.full_call() // small_bet, 255) if battle else 0,
                    max(excess, 0),
                    min(hand.rules["hands"] - number - 1, 255),
                ]
            ),
            log,
        ]
    )


def _expected_seat(hand: Hand, other: int) -> bytes:
    """The pieces of one seat but for the values of hands."""
    small_bet = hand.rules["small_bet"]
    inside, banner, tally = hand.in_hand[other], hand.banners[other], hand.done_by_seat[other]
    suit, rank = bytearray(4), bytearray(13)
    if banner:
        suit[SUITS.index(banner[1])] = 1
        rank[RANKS.index(banner[0])] = 1
    passed = hand.passed.get(other)
    rest = bytes(
        [
            inside,
            other == hand.button,
            other == hand.turn,
            hand.phase in ("attacked", "raised") and other in (hand.attacker, hand.defender),
            passed == "stay",
            passed == "discard",
            min(hand.stacks[other] // small_bet, 255),
            len(hand.soldiers[other]) + 1 if inside else 0,  # the price
            min(hand.paid[other] // small_bet, 255),
            *[min(tally[word], 127) for word in COUNTED],
        ]
    )
    return _bits(hand.soldiers[other]) + suit + rank + rest


def _expected_values(hand: Hand, seat: int, other: int) -> bytes:
    """The pieces of one seat that tell what hands are worth, 0 where there can be no fight."""
    own: list[str] = []
    shown: list[str] = []
    if hand.in_hand[seat] and other == seat:
        own = hand.cards_of(seat)
    elif hand.in_hand[seat] and hand.in_hand[other] and hand.suit(seat) != hand.suit(other):
        own = hand.cards_against(seat, other)
        hidden = hand.palaces[other]
        shown = [card for card in hand.cards_against(other, seat) if card not in hidden]
    return _made(own) + _made(shown)


def _made(cards: Sequence[str]) -> bytes:
    """A hand's category, one-hot, and its deciding ranks, 1 … 13; no cards are all 0."""
    if not cards:
        return bytes(14)
    category, ranks = reference.strength(cards)
    one_hot = bytes(category == i for i in range(9))
    return one_hot + bytes(rank - 1 for rank in ranks).ljust(5, b"\0")
