"""The face of Palace Poker: ``env()`` for PettingZoo, ``batch()`` for many games, ``GAME`` for more."""

import inspect
from collections.abc import Mapping
from itertools import pairwise
from typing import Any, ClassVar

import gymnasium
import numpy as np
import numpy.typing as npt
import pettingzoo

from card_table.aec import TableEnv
from card_table.batch import Batch, Kernels, kernels
from card_table.cards import NO_CARD, format_card, parse_card
from card_table.game import Game, States, check_flag, check_options, check_whole
from card_table.given import quote
from card_table.history import check_keys
from palace_env import observation, rules, text, view

MAX_CHIPS = 100_000_000
OPTIONS = ("button", "stacks", "deal")
DEAL = ("banners", "palaces", "draws")
HISTORY_KEYS = (
    *("game", "version", "rules", "hand", "button", "stacks"),
    *("banners", "palaces", "draws", "moves", "net", "end"),
)
ENDS = {
    rules.LAST_STANDING: "last_standing",
    rules.SAME_BANNER: "same_banner",
    rules.SHOWDOWN: "showdown",
    rules.BATTLE_TIE: "battle_tie",
}


class Palace(Game):
    """Palace Poker with its arguments settled."""

    name: ClassVar[str] = "palace"
    dtype: ClassVar[np.dtype[Any]] = rules.STATE
    settled: ClassVar[tuple[str, ...]] = (
        *("players", "small_bet", "big_bet", "ante", "stack", "hands", "bare_raise", "discard_fee"),
        *("forced_duel", "ranks", "palace_cards", "max_soldiers", "max_raises", "no_limit"),
        *("n_sizes", "sizes", "seats", "hand_values", "viewer"),
    )
    kernels: ClassVar[Kernels] = kernels(
        "palace",
        new_match=rules.new_match,
        next_hand=rules.next_hand,
        deal=rules.deal,
        take=rules.take,
        is_match_over=rules.is_match_over,
        rewards=rules.rewards,
        legal_actions=rules.legal_actions,
        observe=observation.observe,
        observe_all=observation.observe_all,
        hide=view.hide,
        fill_in=view.fill_in,
    )

    def __init__(
        self,
        players: int = 4,
        betting: str = "limit",
        small_bet: int = 2,
        big_bet: int | None = None,
        ante: int | None = None,
        stack: int = 200,
        hands: int = 1,
        max_raises: int | None = 3,
        bare_raise: int | None = None,
        sizes: tuple[int, ...] = (1, 2, 4, 8),
        discard_fee: int = 0,
        forced_duel: bool = True,
        seats: int | None = None,
        hand_values: bool = True,
        ranks: int = 13,
        palace_cards: int = 3,
        max_soldiers: int = 5,
    ) -> None:
        """Settle the arguments (RULES.md 11); None stands for the default that follows from the others.

        Args:
            players: N, 2 to 10.
            betting: ``"limit"`` or ``"no-limit"``.
            small_bet: in chips, as all amounts.
            big_bet: at least the small bet; twice the small bet.
            ante: half the small bet, rounded down.
            stack: each player's chips before the first hand.
            hands: of a match, which is one episode.
            max_raises: in one limit battle; None: no cap.
            bare_raise: the limit raise of a player without soldiers; twice the small bet.
            sizes: no-limit extras and raises in big bets, at most 8, strictly increasing.
            discard_fee: what a Discard turn costs.
            forced_duel: whether the last two must fight.
            seats: what the spaces are laid out for, up to 10; the players.
            hand_values: whether observations show what hands are worth.
            ranks: the deck's top so many ranks.
            palace_cards: 1 to 3.
            max_soldiers: 0 to 5.

        Raises:
            ValueError: an argument is out of range; it names the argument, the value and what is allowed.
        """
        self.players = check_whole("players", players, 2, rules.MAX_SEATS)
        if not (isinstance(betting, str) and betting in ("limit", "no-limit")):
            raise ValueError(f"betting={quote(betting)}: must be 'limit' or 'no-limit'")
        small = check_whole("small_bet", small_bet, 1, MAX_CHIPS)
        big = check_whole(
            "big_bet", min(2 * small, MAX_CHIPS) if big_bet is None else big_bet, small, MAX_CHIPS
        )
        ante = check_whole("ante", small // 2 if ante is None else ante, 0, MAX_CHIPS)
        stack = check_whole("stack", stack, 1, MAX_CHIPS)
        self.hands = check_whole("hands", hands, 1, MAX_CHIPS)
        if max_raises is not None:
            max_raises = check_whole("max_raises", max_raises, 0, MAX_CHIPS)
        bare = check_whole(
            "bare_raise", min(2 * small, MAX_CHIPS) if bare_raise is None else bare_raise, 1, MAX_CHIPS
        )
        sizes = _check_sizes(sizes)
        fee = check_whole("discard_fee", discard_fee, 0, MAX_CHIPS)
        forced_duel = check_flag("forced_duel", forced_duel)
        self.seats = check_whole(
            "seats", self.players if seats is None else seats, self.players, rules.MAX_SEATS
        )
        hand_values = check_flag("hand_values", hand_values)
        ranks = check_whole("ranks", ranks, 2, 13)
        palace_cards = check_whole("palace_cards", palace_cards, 1, rules.MAX_PALACE)
        max_soldiers = check_whole("max_soldiers", max_soldiers, 0, 5)
        if 4 * ranks < (1 + palace_cards) * self.players:
            raise ValueError(
                f"ranks={ranks!r}: {4 * ranks} cards are too few, {self.players} players with {palace_cards} "
                f"palace cards and a banner need {(1 + palace_cards) * self.players}"
            )
        self.rules = {
            "players": self.players,
            "betting": betting,
            "small_bet": small,
            "big_bet": big,
            "ante": ante,
            "stack": stack,
            "hands": self.hands,
            "max_raises": max_raises,
            "bare_raise": bare,
            "sizes": list(sizes),
            "discard_fee": fee,
            "forced_duel": forced_duel,
            "ranks": ranks,
            "palace_cards": palace_cards,
            "max_soldiers": max_soldiers,
        }
        self.action_rules = ("betting", "sizes") if betting == "no-limit" else ("betting",)
        self.record = np.zeros(1, rules.STATE)
        for field in (
            "players",
            "small_bet",
            "big_bet",
            "ante",
            "stack",
            "hands",
            "bare_raise",
            "discard_fee",
        ):
            self.record[field] = self.rules[field]
        for field in ("forced_duel", "ranks", "palace_cards", "max_soldiers"):
            self.record[field] = self.rules[field]
        self.record["max_raises"] = -1 if max_raises is None else max_raises
        self.record["no_limit"] = betting == "no-limit"
        self.record["n_sizes"] = len(sizes)
        self.record["sizes"][0, : len(sizes)] = sizes
        self.record["seats"] = self.seats
        self.record["hand_values"] = hand_values
        self.record["actor"] = -1
        self.record["viewer"] = -1
        raises, attacks = (len(sizes) + 1, len(sizes) + 2) if betting == "no-limit" else (1, 1)
        self.n_actions = rules.RAISE + raises + (self.seats - 1) * attacks + 52
        self.layout = observation.layout(self.seats, hand_values)
        self.state_size = observation.state_size(self.seats, hand_values)

    def prescribe(self, states: States, options: Mapping[str, Any]) -> tuple[int, list[int]]:
        """See ``Game.prescribe``; RULES.md 11.2 to 11.4 tell what options may be.

        Those of ``deal["draws"]`` that the first draw deck holds must be distinct and dealt to nobody. A
        later one is drawn if it is in the deck when its buy comes; if not, the stream of the hand decides.
        """
        given = check_options(options, OPTIONS)
        if given.get("stacks") is not None:
            states["stacks"][0, : self.players] = self._check_stacks(given["stacks"])
        stacks = states["stacks"][0, : self.players].tolist()
        if given.get("button") is not None:
            button = check_whole("button", given["button"], 0, self.players - 1)
            if stacks[button] == 0:
                raise ValueError(
                    f"button={button!r}: that seat has no chips, choose from {_seats_with(stacks)}"
                )
            states["button"] = button
        if given.get("deal") is None:
            return 0, []
        return self._prescribe_deal(states, given["deal"], stacks)

    def _check_stacks(self, stacks: object) -> list[int]:
        listed = _check_list("stacks", stacks, self.players)
        most = self.players * MAX_CHIPS  # one player may have won all
        chips = [check_whole(f"stacks[{seat}]", value, 0, most) for seat, value in enumerate(listed)]
        if sum(chips) > most:
            raise ValueError(
                f"stacks={quote(stacks)}: are {sum(chips)} chips, must be {most} at most together"
            )
        if len(_seats_with(chips)) < 2:
            raise ValueError(f"stacks={quote(stacks)}: at least two players must have chips")
        return chips

    def _prescribe_deal(self, states: States, deal: object, stacks: list[int]) -> tuple[int, list[int]]:
        if not isinstance(deal, Mapping):
            raise ValueError(f"deal={quote(deal)}: must be a dict with keys of {list(DEAL)}")
        for key in deal:
            if key not in DEAL:
                raise ValueError(f"deal key {quote(key)} is unknown: choose from {list(DEAL)}")
        dealt_in = _seats_with(stacks)
        used: dict[int, str] = {}
        if deal.get("banners") is not None:
            for seat, card in enumerate(_check_list("deal['banners']", deal["banners"], self.players)):
                name = f"deal['banners'][{seat}]"
                if seat in dealt_in:
                    states["banner"][0, seat] = self._take(name, card, used)
                elif card is not None:
                    raise ValueError(f"{name}={quote(card)}: must be None, that seat has no chips")
        if deal.get("palaces") is not None:
            for seat, cards in enumerate(_check_list("deal['palaces']", deal["palaces"], self.players)):
                name = f"deal['palaces'][{seat}]"
                size = self.rules["palace_cards"] if seat in dealt_in else 0
                for place, card in enumerate(_check_list(name, cards, size)):
                    states["dealt"][0, seat, place] = self._take(f"{name}[{place}]", card, used)
        draws = deal.get("draws")
        if draws is None:
            return 0, []
        in_deck = 4 * self.rules["ranks"] - (1 + self.rules["palace_cards"]) * len(dealt_in)
        script, reserved = [], 0
        for place, card in enumerate(_check_list("deal['draws']", draws, None)):
            name = f"deal['draws'][{place}]"
            if place < in_deck:
                reserved |= 1 << self._take(name, card, used)
            script.append(self._parse_card(name, card))
        return reserved, script

    def _parse_card(self, name: str, text: object) -> int:
        try:
            card = parse_card(text)
        except ValueError as error:
            raise ValueError(f"{name}: {error}") from None
        if card % 13 < 13 - self.rules["ranks"]:
            raise ValueError(
                f"{name}={quote(text)}: the deck holds the top {self.rules['ranks']} ranks alone"
            )
        return card

    def _take(self, name: str, text: object, used: dict[int, str]) -> int:
        card = self._parse_card(name, text)
        if card in used:
            raise ValueError(
                f"{name}={quote(text)}: {used[card]} is that card already, each card is dealt once"
            )
        used[card] = name
        return card

    def check_deal(self, states: States, options: Mapping[str, Any]) -> None:
        """See ``Game.check_deal``: banners of one group have different suits (RULES.md 2)."""
        deal = options.get("deal") or {}
        if states["actor"][0] < 0:
            raise ValueError(
                f"deal={quote(dict(deal))}: leaves some player no banner of a suit new to the group"
            )
        if deal.get("banners") is None:
            return
        suits: dict[int, int] = {}
        button = int(states["button"][0])
        order = [(button + ahead) % self.players for ahead in range(1, self.players + 1)]
        for place, seat in enumerate(seat for seat in order if states["in_hand"][0, seat]):
            if place % 4 == 0:
                suits = {}
            suit = int(states["banner"][0, seat]) // 13
            if suit in suits:
                raise ValueError(
                    f"deal['banners']={quote(list(deal['banners']))}: seats {suits[suit]} and {seat} have "
                    f"one suit, which is not allowed in a group of four in dealing order (button {button})"
                )
            suits[suit] = seat

    def feed(self, states: States, action: int, script: list[int]) -> None:
        """See ``Game.feed``: a buy takes the next card of the script."""
        if action == rules.BUY:
            states["next_draw"] = script.pop(0)

    def format_move(self, states: States, action: int) -> str:
        """See ``Game.format_move``."""
        return text.format_move(states, action)

    def parse_move(self, states: States, text_: str) -> int:
        """See ``Game.parse_move``."""
        return text.parse_move(states, text_)

    def view_text(self, views: States) -> str:
        """See ``Game.view_text``."""
        return text.describe(views)

    def view_data(self, views: States) -> dict[str, Any]:
        """See ``Game.view_data``."""
        return text.view_data(views)

    def begin_history(self, states: States) -> dict[str, Any]:
        """See ``Game.begin_history``."""
        g = states[0]
        seats = range(self.players)
        return {
            "game": self.name,
            "version": 1,
            "rules": {**self.rules, "sizes": list(self.rules["sizes"])},
            "hand": int(g.hand),
            "button": int(g.button),
            "stacks": [int(g.stacks[seat] + g.paid[seat]) for seat in seats],
            "banners": [format_card(int(g.banner[seat])) if g.in_hand[seat] else None for seat in seats],
            "palaces": [
                [format_card(card) for card in g.dealt[seat].tolist() if card != NO_CARD] for seat in seats
            ],
            "draws": [],
            "moves": [],
            "net": [],
            "end": "",
        }

    def note_move(self, history: dict[str, Any], states: States) -> None:
        """See ``Game.note_move``: the card of a buy."""
        g = states[0]
        entry = int(g.log[(int(g.moves) - 1) % rules.LOG])
        if entry & 15 == rules.LOG_BUY:
            history["draws"].append(format_card(entry >> 8 & 63))

    def end_history(self, history: dict[str, Any], states: States) -> None:
        """See ``Game.end_history``."""
        history["net"] = states["net"][0, : self.players].tolist()
        history["end"] = ENDS[int(states["end"][0])]

    def veil_history(self, history: Mapping[str, Any], views: States) -> dict[str, Any]:
        """See ``Game.veil_history``: a palace that the seat has not seen is None (RULES.md 7.4)."""
        seen = (views["dealt"][0, : self.players] != NO_CARD).any(axis=1)
        palaces = [
            cards if is_seen or not cards else None
            for cards, is_seen in zip(history["palaces"], seen.tolist(), strict=True)
        ]
        return {**history, "palaces": palaces}

    @classmethod
    def read_history(cls, history: Mapping[str, Any]) -> tuple["Palace", dict[str, Any]]:
        """See ``Game.read_history``; RULES.md 14.10 shows the form."""
        check_keys("the history", history, HISTORY_KEYS)
        check_keys("rules", history["rules"], Palace().rules)
        for key in ("moves", "stacks", "banners", "palaces", "draws"):
            if not isinstance(history[key], list):
                raise ValueError(f"{key}={quote(history[key])}: must be a list")
        game = cls(**history["rules"])
        return game, {
            "button": check_whole("button", history["button"], 0, game.players - 1),
            "stacks": history["stacks"],
            "deal": {key: history[key] for key in DEAL},
        }

    def winners(self, states: States) -> list[int]:
        """See ``Game.winners``: the highest sum of net."""
        scores = states["score"][0, : self.players].tolist()
        return [seat for seat, score in enumerate(scores) if score == max(scores)]

    def encode_state(self, states: States, out: npt.NDArray[np.uint8]) -> None:
        """See ``Game.encode_state`` and ``observation.observe_all``."""
        self.kernels.tell_all(states, 0, out)


def env(render_mode: str | None = None, **arguments: Any) -> TableEnv:
    """A PettingZoo AEC table.

    Args:
        render_mode: ``"human"`` prints the table after each move, ``"ansi"`` lets ``render`` return it.
        **arguments: those of ``Palace``.

    Raises:
        ValueError: an argument is unknown or out of range.
    """
    return TableEnv(_game(arguments), render_mode=render_mode)


raw_env = env


def batch(size: int, seed: int = 0, threads: int = 1, first: int = 0, **arguments: Any) -> Batch:
    """Thousands of games stepped together, see ``card_table.batch.Batch``.

    Raises:
        ValueError: an argument is unknown or out of range.
    """
    return Batch(_game(arguments), size, seed=seed, threads=threads, first=first)


def _game(arguments: dict[str, Any]) -> Palace:
    known = list(inspect.signature(Palace).parameters)
    for name in arguments:
        if name not in known:
            raise ValueError(f"argument {quote(name)} is unknown: choose from {known}")
    return Palace(**arguments)


def _check_sizes(sizes: object) -> tuple[int, ...]:
    listed = _check_list("sizes", sizes, None)
    if len(listed) > rules.MAX_SIZES:
        raise ValueError(f"sizes={quote(sizes)}: at most {rules.MAX_SIZES} sizes")
    checked = tuple(check_whole(f"sizes[{place}]", size, 1, MAX_CHIPS) for place, size in enumerate(listed))
    if any(later <= size for size, later in pairwise(checked)):
        raise ValueError(f"sizes={quote(sizes)}: must be strictly increasing")
    return checked


def _check_list(name: str, value: object, length: int | None) -> list[Any]:
    if value is None and length == 0:
        return []
    if not isinstance(value, list | tuple | np.ndarray) or (
        isinstance(value, np.ndarray) and value.ndim == 0
    ):
        raise ValueError(
            f"{name}={quote(value)}: must be a list" + ("" if length is None else f" of {length}")
        )
    if length is not None and len(value) != length:
        raise ValueError(f"{name}={quote(value)}: has {len(value)} entries, must have {length}")
    return list(value)


def _seats_with(stacks: list[int]) -> list[int]:
    return [seat for seat, chips in enumerate(stacks) if chips > 0]


GAME = Palace
LAYOUT = Palace().layout
pettingzoo.register("aec", "palace_env/Palace-v0", "palace_env.palace_v0:env")
gymnasium.register("palace_env/Palace-v0", "agents.solo:SoloEnv", kwargs={"game": "palace"})
