"""Detective Poker beside its reference: one random game, compared at every decision.

The product is used by its public names alone. What a seat may know according to the reference is written out
as the observation that docs/detective.md describes, and compared with what the product's text says.
"""

import copy
import json
import random
import re
from collections import Counter
from collections.abc import Callable
from dataclasses import asdict
from typing import Any

import numpy as np
import numpy.typing as npt

from card_table.aec import TableEnv
from detective_env import detective_v0
from tests.detective import reference
from tests.detective.reference import ACTION_CARDS, BOARD_CARDS, RANKS, SUITS, Game, Hand, Rules
from tests.detective.told import observation, only, pieces_that_differ, read_text

# Every paragraph of RULES.md that a played hand can show, and of many what must not be missing of it.
PARAGRAPHS = (
    "2.1", "2.1 cut by hands", "2.3",
    "3.1", "3.2", "3.3", "3.4 flop", "3.4 turn", "3.4 river", "3.5",
    *(f"3.6 street {street}, {players} players" for players in (3, 4) for street in range(4)), "3.7",
    "4.1", "4.1 refused", "4.2 oneself", "4.2 another", "4.3 1 chips", "4.3 2 chips", "4.3 3 chips",
    "4.4 no room for 3 chips", "4.4 no chips left for 3, on the last street",
    "4.4 room for 3 chips on the last street", "4.4 one bet of 3 with 7 chips",
    "4.5", "4.6 a card", "4.6 no card", "4.7",
    *(f"5.1 street {street}" for street in range(4)), "5.2 a tie for the best", "5.3 a tie for the weakest",
    *(f"5.4 {card} {verdict}" for card in ("none", *ACTION_CARDS) for verdict in ("right", "wrong")),
    "5.5 no card", "5.5 Blank", "5.6 with 1 chips", "5.6 with 2 chips", "5.6 with 3 chips",
    "5.7 the named player's own hand would be right", "5.7 the named player's own hand would be wrong",
    "5.7 past the highest seat", "5.7 the player who bets", "5.8 oneself", "5.8 another", "5.9", "5.10",
    *(f"6.1 {category}" for category in reference.CATEGORIES), "6.1 the same kind, other ranks",
    "6.2 a pair", "6.2 no pair", "6.2 the lower card", "6.3", "6.3 the lowest straight",
    "7.1 with 1 chips", "7.1 with 2 chips", "7.1 with 3 chips",
    "7.1 points of a hand below zero", "7.1 points of a game below zero",
    "7.2 on the flop", "7.2 on the turn or river", "7.2 twice on a street", "7.3",
    "7.3 belongs to nobody's hand",
    "8.1", "8.2", "8.3 the board", "8.3 cards thrown out", "8.4", "8.5 others do not know",
    "8.5 the player knows", "8.6",
    "9.1", "9.2", "9.3", "9.4", "9.5 before the last hand", "9.5 after the last hand",
    "10.2 all bets of 1 with 4 chips", "10.2 two bets of 3 from 8 chips on",
    "10.2 four bets of 3 with 12 chips",
    "10.4 private", "10.4 exposed", "10.4 board", "10.4 board that stops early",
    "10.4 board that stops within the flop", "10.4 refused",
    "10.5 thrown out as listed", "10.5 none listed, none thrown out", "10.5 refused", "10.6 refused",
    "12.1", "12.1 an ace next to no two", "12.2", "12.3 no cards", "12.3 some of the cards",
    "12.3 no cards decide a tie", "13.3 with a card", "13.3 without a card", "13.5",
)  # fmt: skip


def play(rng: random.Random, counts: Counter[str]) -> None:
    """Play one random game, or the first hands of one, with product and reference.

    Args:
        rng: decides arguments, options, deal and moves.
        counts: is increased by how often the reference applied each paragraph.

    Raises:
        AssertionError: they differ; tells arguments, options, moves and the difference.
    """
    rules, layout = random_rules(rng), {"seats": rng.choice((None, 4)), "hand_values": rng.random() < 0.8}
    play_ = _Play(rng, counts, rules, layout)
    try:
        play_.run()
    except Exception as difference:  # the product refuses what the rules allow, or breaks
        raise AssertionError(f"{play_.story()}\n{difference!r}") from difference


class _Play:
    """One game with both: the product's table, the reference's game, and how to play."""

    def __init__(
        self, rng: random.Random, counts: Counter[str], rules: Rules, layout: dict[str, Any]
    ) -> None:
        self.rng, self.counts, self.rules = rng, counts, rules
        self.arguments = {**asdict(rules), **layout}
        self.options: dict[str, Any] = {}
        self.seed = rng.randrange(2**32)
        self.hands = rng.choice((1, 1, 2, min(rules.hands_of_game, 8)))
        self.style = rng.choice(tuple(STYLES))
        self.env: TableEnv
        self.game: Game

    def story(self) -> str:
        """What was played, to play it again."""
        lines = [f"env({self.arguments})", f"reset(seed={self.seed}, options={self.options})"]
        if hasattr(self, "game") and hasattr(self.game, "hand"):
            hand = self.game.hand
            lines += [f"hand {self.game.number} of deal {hand.deal}", f"moves {hand.moves_made}"]
        return "\n".join(lines)

    def run(self) -> None:
        """Play and compare."""
        if not self.rules.allowed():
            self._check_refused("10.1", lambda: detective_v0.env(**self.arguments))
            return
        self.env = detective_v0.env(**self.arguments)
        if not self._reset():
            return
        first = self.env.view_text("player_0")
        dealer = int(only(re.findall(r"^.D *(\d)", first, re.MULTILINE)))
        assert self.options.get("dealer", dealer) == dealer, "the dealer is not as asked for"
        self.game = Game(self.rules, dealer, self._count)
        asked = self.options.get("deal", {})
        for _ in range(min(self.hands, self.rules.hands_of_game)):
            deal = asked if len(asked.get("board", [])) == self.rules.board_cards else {}
            if set(deal) != {"private", "exposed", "board", "thrown"}:
                deal = self._whole_deal()
            reference.check_dealt(self.rules, asked, deal, self._count)
            self._play_hand(self.game.deal(deal))
            asked = {}
        if self.game.over:
            for seat in range(self.rules.players):
                self._compare_seat(seat, text=self.rng.random() < 0.25)

    def _count(self, what: str) -> None:
        self.counts[what] += 1

    def _reset(self) -> bool:
        """Begin with a random deal, or all or some of one; whether it is allowed."""
        rng, rules = self.rng, self.rules
        if rng.random() < 0.7:
            self.options["dealer"] = rng.randrange(rules.players)
        if rng.random() < 0.85:
            deal = reference.deal_from(rules, random_stack(rng, rules), self._count)
            if rng.random() < 0.3:
                deal = _some_of(deal, rng)
            if rng.random() < 0.06:
                deal = _spoiled(deal, rng, rules)
            self.options["deal"] = deal
            broken = reference.deal_refused(rules, deal)
            if broken:
                self._check_refused(broken, lambda: self.env.reset(seed=self.seed, options=self.options))
                return False
        self.env.reset(seed=self.seed, options=copy.deepcopy(self.options))
        return True

    def _check_refused(self, paragraph: str, act: Callable[[], object]) -> None:
        try:
            act()
        except ValueError:
            self._count(f"{paragraph} refused")
            return
        raise AssertionError(f"what is against {paragraph} is taken")

    def _whole_deal(self) -> dict[str, Any]:
        """The deal of the hand that begins, from the history of a copy that is played to its end."""
        played = copy.deepcopy(self.env)
        hands = len(played.histories)
        while len(played.histories) == hands:
            played.step(int(played.observe(played.agent_selection)["action_mask"].argmax()))
        history = played.histories[-1]
        return {key: history[key] for key in ("private", "exposed", "board", "thrown")}

    def _play_hand(self, hand: Hand) -> None:
        env, rng = self.env, self.rng
        while not hand.over:
            mover = hand.to_move
            assert mover is not None
            assert env.agent_selection == f"player_{mover}", f"{env.agent_selection} is to move, not {mover}"
            offered = [env.move_text(action) for action in np.flatnonzero(self._compare_seat(mover))]
            assert sorted(offered) == sorted(hand.moves()), f"offered {offered}, legal {hand.moves()}"
            if rng.random() < 0.5:
                self._try_illegal(offered)
            other = (mover + rng.randrange(1, self.rules.players)) % self.rules.players
            assert rng.random() < 0.5 or not self._compare_seat(other).any(), "moves are offered out of turn"
            move = STYLES[self.style](rng, sorted(offered), self.rules)
            env.step(env.parse_move(_loosely(move, rng)))
            hand.play(move)
            if not hand.over:
                assert not any(env.rewards.values()), f"rewards within a hand: {env.rewards}"
        self._compare_end()

    def _try_illegal(self, legal: list[str]) -> None:
        """Check that a random bet that is not legal is refused."""
        rng = self.rng
        words = ["bet", str(rng.randrange(6)), str(rng.randrange(5)), *rng.sample(("", *ACTION_CARDS), 1)]
        move = rng.choice((" ".join(words).strip(), " ".join(words).strip(), "pass"))
        if move not in legal:
            self._check_refused("4.1", lambda: self.env.parse_move(move))

    def _compare_end(self) -> None:
        rewards, history = self.game.score()
        env, seats = self.env, range(self.rules.players)
        assert json.dumps(env.histories[-1]) == json.dumps(history), f"{env.histories[-1]}, not {history}"
        assert len(env.histories) == self.game.number + 1
        given = [env.rewards[f"player_{seat}"] for seat in seats]
        assert np.allclose(given, [float(reward) for reward in rewards], rtol=1e-6, atol=1e-6), (
            f"rewards {given}, not {rewards}"
        )
        ended = [env.terminations[f"player_{seat}"] for seat in seats]
        assert ended == [self.game.over] * len(seats), f"terminated {ended}, game over {self.game.over}"
        assert env.winners == self.game.winners(), f"winners {env.winners}, not {self.game.winners()}"

    def _compare_seat(self, seat: int, text: bool = False) -> npt.NDArray[np.int8]:
        """Compare what a seat is told with what it may know; its action mask."""
        known = self.game.known(seat)
        seen = self.env.observe(f"player_{seat}")
        layout = self.env.game.layout
        wanted = observation(known, self.rules, layout, self.arguments["hand_values"])
        if seen["observation"].tobytes() != wanted.tobytes():
            wrong = pieces_that_differ(layout, seen["observation"], wanted)
            raise AssertionError(f"observation of seat {seat}: {wrong}; it may know {known}")
        if text or self.rng.random() < 0.02:
            shown = self.env.view_text(f"player_{seat}")
            told = read_text(shown)
            misread = {key: (told[key], known[key]) for key in told if told[key] != known[key]}
            assert not misread, f"text, known: {misread}\n{shown}"
        mask: npt.NDArray[np.int8] = seen["action_mask"]
        return mask


def random_rules(rng: random.Random) -> Rules:
    """Random arguments, not all of them allowed; one in two has the whole deck, all streets and cards."""
    players, streets, expert = rng.choice((3, 4)), 4, rng.random() < 0.5
    ranks = 13
    actions: tuple[str, ...] = ACTION_CARDS
    if rng.random() < 0.5:
        streets = rng.choice((1, 2, 3, 4, 4, 4, 4))
        ranks = rng.choice((2, 3, 4, 5, 6, 7, 8, 9, 9, 9, 10, 11, 12, 13))
        actions = tuple(rng.sample(ACTION_CARDS, rng.choice((0, 0, 1, 2, 3, 4))))
    rounds = rng.choice((1, 1, 1, 2, 100))
    hands = rng.choice((None, 1, 1, 1, 1, 2, rng.randint(1, rounds * players)))
    chips = rng.choice((7, 7, streets, 8, 12, rng.randint(3, 12)))
    reward = rng.choice(("margin", "win"))
    return Rules(players, rounds, hands, chips, expert, reward, ranks, streets, actions)


def random_stack(rng: random.Random, rules: Rules) -> list[str]:
    """The deck shuffled, mostly so that good hands, ties and thrown-out cards are likely."""
    suits, ranks = rng.sample(SUITS, 2), rng.sample(RANKS, 4)
    low = rng.choice(("A2345", "A23456", "A23456", "A" + RANKS[13 - rules.ranks :][:4]))
    window = RANKS[(start := rng.randrange(9)) : start + 5]
    wishes: tuple[Callable[[str], bool], ...] = (
        lambda _: False,
        lambda card: card[1] == suits[0],
        lambda card: card[1] in suits,
        lambda card: card[0] in ranks,
        lambda card: card[0] in ranks[:2],
        lambda card: card[0] in window,
        lambda card: card[0] in low,
        lambda card: card[0] in low,
        lambda card: card[0] in window and card[1] == suits[0],
        lambda card: card[0] in window and card[1] in suits,
    )
    wished = rng.choice(wishes)
    strongly = rng.choice((0.3, 0.6, 0.9))
    return sorted(rules.deck(), key=lambda card: rng.random() - strongly * wished(card))


def _some_of(deal: dict[str, Any], rng: random.Random) -> dict[str, Any]:
    """A deal with some left out, such that it may still be asked for."""
    some = {key: deal[key] for key in deal if rng.random() < 0.7}
    if "board" not in some:
        some.pop("thrown", None)
    elif rng.random() < 0.5:
        some["board"] = some["board"][: rng.randint(0, len(some["board"]))]
    if "thrown" in some:
        length = len(some["board"])
        some["thrown"] = [
            cards if length >= BOARD_CARDS[street] else []
            for street, cards in enumerate(some["thrown"], start=1)
        ]
    return some


def _spoiled(deal: dict[str, Any], rng: random.Random, rules: Rules) -> dict[str, Any]:
    """A deal with one random change, mostly one that makes it impossible."""
    deal = copy.deepcopy(deal)
    lists = [deal[key] for key in ("private", "exposed", "board") if key in deal] + deal.get("thrown", [])
    if not lists:
        return deal
    cards: list[str] = rng.choice(lists + deal.get("thrown", []) * 2)
    match rng.randrange(7):
        case 0 if cards:
            cards.pop()
        case 1 if cards:
            cards[rng.randrange(len(cards))] = rng.choice(RANKS) + rng.choice(SUITS)
        case 2 if cards:
            rng.shuffle(cards)
        case 3 if "thrown" in deal:
            rng.choice((deal["thrown"].append([]), deal.get("board", []).clear()))
        case 4 if len(deal.get("board", [])) > 1:
            deal["board"][-1] = deal["board"][0][0] + rng.choice(SUITS)
        case 5 if deal.get("board") and deal.get("thrown"):
            rank = rng.choice(deal["board"])[0]
            rng.choice(deal["thrown"]).append(rank + rng.choice(SUITS))
        case _:
            cards.append(rng.choice(rules.deck()))
    return deal


def _any_move(rng: random.Random, moves: list[str], rules: Rules) -> str:
    return rng.choice(moves)


def _dear_bet(rng: random.Random, moves: list[str], rules: Rules) -> str:
    most = max(move.split()[2] for move in moves)
    return rng.choice([move for move in moves if move.split()[2] == most])


def _cheap_bet(rng: random.Random, moves: list[str], rules: Rules) -> str:
    return rng.choice([move for move in moves if move.split()[2] == "1"])


def _card_if_any(rng: random.Random, moves: list[str], rules: Rules) -> str:
    return rng.choice([move for move in moves if len(move.split()) == 4] or moves)


def _alike(rng: random.Random, moves: list[str], rules: Rules) -> str:
    """All the same bet, so that points tie."""
    return moves[0] if rng.random() < 0.8 else rng.choice(moves)


def _now_or_later(rng: random.Random, moves: list[str], rules: Rules) -> str:
    """One chip now and then, so that dear bets are left for the last street."""
    return (_cheap_bet if rng.random() < 0.7 else _dear_bet)(rng, moves, rules)


STYLES = {
    "any": _any_move, "dear": _dear_bet, "cheap": _cheap_bet, "cards": _card_if_any, "alike": _alike,
    "late": _now_or_later,
}  # fmt: skip


def _loosely(move: str, rng: random.Random) -> str:
    """A move in upper or lower case, with surplus blanks now and then (13.2)."""
    if rng.random() < 0.9:
        return move
    return rng.choice((move.upper(), move.title(), "  " + move.replace(" ", "   ") + " "))
