"""The face of Detective Poker: ``env()`` for PettingZoo, ``batch()`` for many games, ``GAME`` for more."""

import inspect
from collections.abc import Mapping
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
from detective_env import observation, rules, text, view

MAX_ROUNDS = 1_000_000
MAX_CHIPS = 12
REWARDS = ("margin", "win")
OPTIONS = ("dealer", "deal")
DEAL = ("private", "exposed", "board", "thrown")
HISTORY_KEYS = ("game", "version", "rules", "hand", "dealer", *DEAL, "moves", "points")


class Detective(Game):
    """Detective Poker with its arguments settled."""

    name: ClassVar[str] = "detective"
    dtype: ClassVar[np.dtype[Any]] = rules.STATE
    settled: ClassVar[tuple[str, ...]] = (
        *("players", "hands", "chips", "expert", "win_reward", "seats", "hand_values"),
        *("ranks", "streets", "actions", "viewer"),
    )
    kernels: ClassVar[Kernels] = kernels(
        "detective",
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
        rounds: int = 2,
        hands: int | None = None,
        chips: int = 7,
        expert: bool = False,
        reward: str = "margin",
        seats: int | None = None,
        hand_values: bool = True,
        ranks: int = 13,
        streets: int = 4,
        actions: tuple[str, ...] = text.ACTIONS,
    ) -> None:
        """Settle the arguments, which RULES.md 10.1 explains.

        Args:
            players: 3 or 4.
            rounds: rounds of a game, of as many hands as there are players.
            hands: hands of a game; None means all of its rounds.
            chips: what each player has to bet in a hand.
            expert: whether a wrong bet with a +1 costs a point, and ranks on the board are thrown out.
            reward: ``"margin"`` pays points less the mean of the others' after each hand, ``"win"`` the
                share of the win less 1 / players after the last.
            seats: how many seats the spaces are laid out for; None means as many as players.
            hand_values: whether observations show what hands are worth.
            ranks: the deck's top so many ranks.
            streets: 1 to 4, how many are played.
            actions: which action cards a player has.

        Raises:
            ValueError: an argument is out of range; it names the argument, the value and what is allowed.
        """
        self.players = check_whole("players", players, 3, rules.MAX_SEATS)
        rounds = check_whole("rounds", rounds, 1, MAX_ROUNDS)
        if hands is not None:
            hands = check_whole("hands", hands, 1, rounds * self.players)
        self.hands = rounds * self.players if hands is None else hands
        streets = check_whole("streets", streets, 1, rules.STREETS)
        chips = check_whole("chips", chips, streets, MAX_CHIPS)
        expert = check_flag("expert", expert)
        if not (isinstance(reward, str) and reward in REWARDS):
            raise ValueError(f"reward={quote(reward)}: must be 'margin' or 'win'")
        self.seats = check_whole(
            "seats", self.players if seats is None else seats, self.players, rules.MAX_SEATS
        )
        hand_values = check_flag("hand_values", hand_values)
        ranks = _check_ranks(ranks, self.players, streets, expert)
        actions = _check_actions(actions)
        self.rules = {
            "players": self.players,
            "rounds": rounds,
            "hands": hands,
            "chips": chips,
            "expert": expert,
            "ranks": ranks,
            "streets": streets,
            "actions": list(actions),
        }
        self.action_rules = ()
        self.record = np.zeros(1, rules.STATE)
        for field in ("players", "chips", "expert", "ranks", "streets"):
            self.record[field] = self.rules[field]
        self.record["hands"] = self.hands
        self.record["actions"] = sum(2 << text.ACTIONS.index(card) for card in actions)
        self.record["win_reward"] = reward == "win"
        self.record["seats"] = self.seats
        self.record["hand_values"] = hand_values
        self.record["actor"] = -1
        self.record["viewer"] = -1
        self.n_actions = self.seats * rules.BETS
        self.layout = observation.layout(self.seats, hand_values)
        self.state_size = observation.state_size(self.seats, hand_values)

    def prescribe(self, states: States, options: Mapping[str, Any]) -> tuple[int, list[int]]:
        """See ``Game.prescribe``; RULES.md 10.3 to 10.6 tell what options may be."""
        given = check_options(options, OPTIONS)
        if given.get("dealer") is not None:
            states["dealer"] = check_whole("dealer", given["dealer"], 0, self.players - 1)
        if given.get("deal") is not None:
            self._prescribe_deal(states, given["deal"])
        return 0, []

    def _prescribe_deal(self, states: States, deal: object) -> None:
        if not isinstance(deal, Mapping):
            raise ValueError(f"deal={quote(deal)}: must be a dict with keys of {list(DEAL)}")
        for key in deal:
            if key not in DEAL:
                raise ValueError(f"deal key {quote(key)} is unknown: choose from {list(DEAL)}")
        used: dict[int, str] = {}
        for key in ("private", "exposed"):
            if deal.get(key) is not None:
                cards = _check_list(f"deal[{key!r}]", deal[key], self.players)
                for seat, card in enumerate(cards):
                    states[key][0, seat] = self._take(f"deal[{key!r}][{seat}]", card, used)
        board = self._prescribe_board(states, deal.get("board"), used)
        if deal.get("thrown") is not None:
            self._prescribe_thrown(states, deal["thrown"], board, used)

    def _prescribe_board(self, states: States, given: object, used: dict[int, str]) -> list[int]:
        """Write the board cards that are given into the game, and return them."""
        if given is None:
            return []
        listed = _check_list("deal['board']", given, None)
        most = rules.board_size(self.rules["streets"] - 1)
        if len(listed) > most:
            raise ValueError(
                f"deal['board']={quote(given)}: has {len(listed)} cards, must have {most} at most"
            )
        board: list[int] = []
        for place, text_ in enumerate(listed):
            name = f"deal['board'][{place}]"
            card = self._take(name, text_, used)
            if self.rules["expert"] and card % 13 in [other % 13 for other in board]:
                raise ValueError(
                    f"{name}={quote(text_)}: its rank is on the board already, which is not allowed "
                    "in expert mode"
                )
            states["board"][0, place] = card
            board.append(card)
        return board

    def _prescribe_thrown(
        self, states: States, given: object, board: list[int], used: dict[int, str]
    ) -> None:
        by_street = _check_list("deal['thrown']", given, self.rules["streets"] - 1)
        for place, cards in enumerate(by_street):
            name = f"deal['thrown'][{place}]"
            listed = _check_list(name, cards, None)
            if listed and not self.rules["expert"]:
                raise ValueError(f"{name}={quote(cards)}: must be empty, only expert mode throws cards out")
            size = rules.board_size(place + 1)
            if listed and len(board) < size:
                raise ValueError(
                    f"{name}={quote(cards)}: must be empty unless deal['board'] gives {size} cards"
                )
            ranks = [card % 13 for card in board[: size - 1]]
            for nth, text_ in enumerate(listed):
                card = self._take(f"{name}[{nth}]", text_, used)
                if card % 13 not in ranks:
                    before = " ".join(format_card(other) for other in board[: size - 1])
                    raise ValueError(
                        f"{name}[{nth}]={quote(text_)}: must have the rank of a card that is on the board "
                        f"before the street's last one: {before}"
                    )
                states["thrown"][0, place, nth] = card

    def _parse_card(self, name: str, text_: object) -> int:
        try:
            card = parse_card(text_)
        except ValueError as error:
            raise ValueError(f"{name}: {error}") from None
        if card % 13 < 13 - self.rules["ranks"]:
            raise ValueError(
                f"{name}={quote(text_)}: the deck holds the top {self.rules['ranks']} ranks alone"
            )
        return card

    def _take(self, name: str, text_: object, used: dict[int, str]) -> int:
        card = self._parse_card(name, text_)
        if card in used:
            raise ValueError(
                f"{name}={quote(text_)}: {used[card]} is that card already, each card is dealt once"
            )
        used[card] = name
        return card

    def check_deal(self, states: States, options: Mapping[str, Any]) -> None:
        """See ``Game.check_deal``: whatever ``prescribe`` takes can be dealt."""

    def feed(self, states: States, action: int, script: list[int]) -> None:
        """See ``Game.feed``: nothing is prescribed beyond the deal."""

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
        streets = self.rules["streets"]
        return {
            "game": self.name,
            "version": 1,
            "rules": {**self.rules, "actions": list(self.rules["actions"])},
            "hand": int(g.hand),
            "dealer": int(g.dealer),
            "private": _format(g.private),
            "exposed": _format(g.exposed),
            "board": _format(g.board),
            "thrown": [_format(g.thrown[place]) for place in range(streets - 1)],
            "moves": [],
            "points": [],
        }

    def note_move(self, history: dict[str, Any], states: States) -> None:
        """See ``Game.note_move``: all is in the move itself."""

    def end_history(self, history: dict[str, Any], states: States) -> None:
        """See ``Game.end_history``."""
        history["points"] = states["hand_points"][0, : self.players].tolist()

    def veil_history(self, history: Mapping[str, Any], views: States) -> dict[str, Any]:
        """See ``Game.veil_history``: at the end all is turned up (RULES.md 8)."""
        return dict(history)

    @classmethod
    def read_history(cls, history: Mapping[str, Any]) -> tuple["Detective", dict[str, Any]]:
        """See ``Game.read_history``; RULES.md 13.4 shows the form."""
        check_keys("the history", history, HISTORY_KEYS)
        check_keys("rules", history["rules"], Detective().rules)
        for key in ("moves", *DEAL):
            if not isinstance(history[key], list):
                raise ValueError(f"{key}={quote(history[key])}: must be a list")
        game = cls(**history["rules"])
        return game, {
            "dealer": check_whole("dealer", history["dealer"], 0, game.players - 1),
            "deal": {key: history[key] for key in DEAL},
        }

    def winners(self, states: States) -> list[int]:
        """See ``Game.winners``: the most points, then the most action cards in hand (RULES.md 9)."""
        leaders = int(rules.winners(states[0]))
        return [seat for seat in range(self.players) if leaders >> seat & 1]

    def encode_state(self, states: States, out: npt.NDArray[np.uint8]) -> None:
        """See ``Game.encode_state`` and ``observation.observe_all``."""
        self.kernels.tell_all(states, 0, out)


def env(render_mode: str | None = None, **arguments: Any) -> TableEnv:
    """A PettingZoo AEC table.

    Args:
        render_mode: ``"human"`` prints the table after each move, ``"ansi"`` lets ``render`` return it.
        **arguments: those of ``Detective``.

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


def _game(arguments: dict[str, Any]) -> Detective:
    known = list(inspect.signature(Detective).parameters)
    for name in arguments:
        if name not in known:
            raise ValueError(f"argument {quote(name)} is unknown: choose from {known}")
    return Detective(**arguments)


def _check_ranks(ranks: object, players: int, streets: int, expert: bool) -> int:
    """The number of ranks, checked to make a deck that is large enough (RULES.md 12.4, 12.5)."""
    checked = check_whole("ranks", ranks, 2, 13)
    board, burnt = int(rules.board_size(streets - 1)), streets - 1
    needed = 2 * players + board + burnt
    if 4 * checked < needed:
        raise ValueError(
            f"ranks={ranks!r}: {4 * checked} cards are too few, {players} players and {streets} streets need "
            f"{needed}"
        )
    least = board + (2 * players + burnt) // 4
    if expert and checked < least:
        raise ValueError(
            f"ranks={ranks!r}: must be {least} at least in expert mode with {players} players and {streets} "
            "streets, so that a board without pairs can always be dealt"
        )
    return checked


def _check_actions(actions: object) -> tuple[str, ...]:
    listed = _check_list("actions", actions, None)
    for place, card in enumerate(listed):
        if not isinstance(card, str) or card not in text.ACTIONS:
            raise ValueError(f"actions[{place}]={quote(card)}: choose from {list(text.ACTIONS)}")
        if card in listed[:place]:
            raise ValueError(
                f"actions={quote(actions)}: has {card!r} twice, a player has one of each at most"
            )
    return tuple(card for card in text.ACTIONS if card in listed)


def _check_list(name: str, value: object, length: int | None) -> list[Any]:
    if not isinstance(value, list | tuple | np.ndarray) or (
        isinstance(value, np.ndarray) and value.ndim == 0
    ):
        raise ValueError(
            f"{name}={quote(value)}: must be a list" + ("" if length is None else f" of {length}")
        )
    if length is not None and len(value) != length:
        raise ValueError(f"{name}={quote(value)}: has {len(value)} entries, must have {length}")
    return list(value)


def _format(cards: npt.NDArray[np.int8]) -> list[str]:
    return [format_card(card) for card in cards.tolist() if card != NO_CARD]


GAME = Detective
LAYOUT = Detective().layout
pettingzoo.register("aec", "detective_env/Detective-v0", "detective_env.detective_v0:env")
gymnasium.register("detective_env/Detective-v0", "agents.solo:SoloEnv", kwargs={"game": "detective"})
