"""Detective Poker written again from RULES.md alone, in slow plain Python: what the product is compared with.

Cards and moves are strings in the notation (13.1, 13.3), players are seat numbers. The numbers in the
comments are paragraphs of RULES.md; wherever one of them makes a difference, ``count`` is called with it.
"""

import itertools
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass
from fractions import Fraction
from functools import lru_cache
from typing import Any

RANKS = "23456789TJQKA"
SUITS = "cdhs"
ACTION_CARDS = ("+1", "clockwise", "bluff", "blank")
CATEGORIES = (
    "high card", "pair", "two pair", "three of a kind", "straight", "flush", "full house", "four of a kind",
    "straight flush",
)  # fmt: skip
BOARD_CARDS = (0, 3, 4, 5)  # on the common board, by street (3.4)

Count = Callable[[str], None]
Strength = tuple[int, tuple[int, ...]]


@dataclass(frozen=True)
class Rules:
    """The arguments of section 10."""

    players: int = 4
    rounds: int = 2
    hands: int | None = None
    chips: int = 7
    expert: bool = False
    reward: str = "margin"
    ranks: int = 13
    streets: int = 4
    actions: tuple[str, ...] = ACTION_CARDS

    def allowed(self) -> bool:
        """Whether these arguments may be played (10.1, 12.4, 12.5)."""
        if not (
            self.players in (3, 4)
            and 1 <= self.rounds <= 1_000_000
            and (self.hands is None or 1 <= self.hands <= self.rounds * self.players)
            and 1 <= self.streets <= 4
            and self.streets <= self.chips <= 12
            and self.reward in ("margin", "win")
            and 2 <= self.ranks <= 13
            and len(set(self.actions)) == len(self.actions)
            and set(self.actions) <= set(ACTION_CARDS)
        ):
            return False
        burnt = self.streets - 1
        if 4 * self.ranks < 2 * self.players + self.board_cards + burnt:  # 12.4
            return False
        needed = self.board_cards + (2 * self.players + burnt) // 4
        return not self.expert or self.ranks >= needed  # 12.5

    @property
    def board_cards(self) -> int:
        """How many cards the common board has at the end (3.4, 12.2)."""
        return BOARD_CARDS[self.streets - 1]

    @property
    def hands_of_game(self) -> int:
        """How many hands a game has (2.1)."""
        return self.rounds * self.players if self.hands is None else self.hands

    def deck(self) -> list[str]:
        """All cards (1.3, 12.1)."""
        return [rank + suit for suit in SUITS for rank in RANKS[13 - self.ranks :]]

    def written(self) -> dict[str, Any]:
        """``rules`` of a history (13.5)."""
        return {
            "players": self.players, "rounds": self.rounds, "hands": self.hands, "chips": self.chips,
            "expert": self.expert, "ranks": self.ranks, "streets": self.streets,
            "actions": [card for card in ACTION_CARDS if card in self.actions],
        }  # fmt: skip


def deal_from(rules: Rules, stack: list[str], count: Count) -> dict[str, Any]:
    """Deal a hand from a stack of cards, the top one first, as a whole ``deal`` option (10.4)."""
    stack = list(stack)
    deal: dict[str, Any] = {
        "private": [stack.pop(0) for _ in range(rules.players)],  # 3.1
        "exposed": [stack.pop(0) for _ in range(rules.players)],
        "board": [],
        "thrown": [],
    }
    for street in range(1, rules.streets):
        stack.pop(0)  # 3.4: burnt
        thrown: list[str] = []
        while len(deal["board"]) < BOARD_CARDS[street]:
            card = stack.pop(0)
            if rules.expert and card[0] in {other[0] for other in deal["board"]}:
                thrown.append(card)  # 7.2
                count("7.2 on the flop" if street == 1 else "7.2 on the turn or river")
                if len(thrown) == 2:
                    count("7.2 twice on a street")
            else:
                deal["board"].append(card)
        deal["thrown"].append(thrown)
    return deal


def deal_refused(rules: Rules, deal: dict[str, Any]) -> str | None:
    """The paragraph against which a ``deal`` option is, all or some of a deal; None when it is allowed."""
    if not set(deal) <= {"private", "exposed", "board", "thrown"}:
        return "10.4"
    for key in ("private", "exposed"):
        if key in deal and len(deal[key]) != rules.players:
            return "10.4"
    board, thrown = deal.get("board", []), deal.get("thrown", [[]] * (rules.streets - 1))
    if len(board) > rules.board_cards:
        return "10.4"
    if len(thrown) != rules.streets - 1:
        return "10.5"
    given = [*deal.get("private", []), *deal.get("exposed", []), *board, *itertools.chain(*thrown)]
    if len(set(given)) < len(given):
        return "10.4"
    if not set(given) <= set(rules.deck()):
        return "12.1"
    for street, cards in enumerate(thrown, start=1):
        if cards and not (rules.expert and len(board) >= BOARD_CARDS[street]):
            return "10.5"
        before = board[: BOARD_CARDS[street] - 1]
        if not {card[0] for card in cards} <= {card[0] for card in before}:
            return "10.6"
    if rules.expert and len({card[0] for card in board}) < len(board):
        return "10.6"
    return None


def check_dealt(rules: Rules, asked: dict[str, Any], dealt: dict[str, Any], count: Count) -> None:
    """Check that a whole deal is one that the rules can deal, and has what was asked for.

    Raises:
        AssertionError: it is not.
    """
    broken = deal_refused(rules, dealt)
    assert broken is None, f"dealt against {broken}"
    assert len(dealt["board"]) == rules.board_cards
    board = asked.get("board", [])
    for key in asked.keys() - {"board", "thrown"}:
        assert dealt[key] == asked[key], f"{key} is not as asked for"
        count(f"10.4 {key}")
    if board:
        assert dealt["board"][: len(board)] == board, "board is not as asked for"
        count("10.4 board" if len(board) == rules.board_cards else "10.4 board that stops early")
        if len(board) in (1, 2):
            count("10.4 board that stops within the flop")
    for street in range(1, rules.streets):
        if len(board) >= BOARD_CARDS[street]:  # 10.5
            listed = asked["thrown"][street - 1] if "thrown" in asked else []
            assert dealt["thrown"][street - 1] == listed, "thrown is not as asked for"
            if rules.expert:
                count("10.5 thrown out as listed" if listed else "10.5 none listed, none thrown out")


@lru_cache(maxsize=1 << 16)
def strength(cards: frozenset[str]) -> Strength:
    """What the best hand of at most five of some cards is worth: more is better (5.1, section 6)."""
    size = min(5, len(cards))
    return max(_made_hand(chosen) for chosen in itertools.combinations(cards, size))


def _made_hand(cards: tuple[str, ...]) -> Strength:
    """Category and deciding ranks of at most five cards; ranks are 0, a deuce, to 12, an ace."""
    ranks = [RANKS.index(card[0]) for card in cards]
    groups = sorted(((number, rank) for rank, number in Counter(ranks).items()), reverse=True)
    numbers = [number for number, _ in groups]
    by_rank = tuple(rank for _, rank in groups)  # the largest groups first, then the highest ranks
    flush = len(cards) == 5 and len({card[1] for card in cards}) == 1  # 6.2: two cards are none
    top = None
    if len(groups) == 5:
        if by_rank[0] - by_rank[4] == 4:
            top = by_rank[0]
        elif by_rank == (12, 3, 2, 1, 0):
            top = 3  # 6.3: 5-4-3-2-A, counted as its five
    if top is not None:
        return CATEGORIES.index("straight flush" if flush else "straight"), (top,)
    if flush:
        return CATEGORIES.index("flush"), by_rank
    if numbers[0] == 4:
        return CATEGORIES.index("four of a kind"), by_rank
    if numbers[:2] == [3, 2]:
        return CATEGORIES.index("full house"), by_rank
    if numbers[0] == 3:
        return CATEGORIES.index("three of a kind"), by_rank
    if numbers[:2] == [2, 2]:
        return CATEGORIES.index("two pair"), by_rank
    return CATEGORIES.index("pair" if numbers[0] == 2 else "high card"), by_rank


@dataclass
class Bet:
    """One bet; ``card`` is the action card under it, or None."""

    street: int
    player: int
    named: int
    chips: int
    card: str | None


class Hand:
    """One hand, from its deal to its scoring."""

    def __init__(self, rules: Rules, dealer: int, deal: dict[str, Any], count: Count) -> None:
        self.rules, self.dealer, self.deal, self.count = rules, dealer, deal, count
        self.seats = range(rules.players)
        self.chips = [rules.chips for _ in self.seats]  # 3.2
        self.cards = [[card for card in ACTION_CARDS if card in rules.actions] for _ in self.seats]  # 3.3
        self.bets: list[Bet] = []
        self.moves_made: list[list[Any]] = []
        for paragraph in ("3.1", "3.2", "3.3"):
            count(paragraph)
        if len(rules.actions) < 4:
            count("12.3 no cards" if not rules.actions else "12.3 some of the cards")
        if rules.ranks < 13:
            count("12.1")
        if rules.streets < 4:
            count("12.2")

    @property
    def over(self) -> bool:
        """Whether the last bet of the last street is made (3.7)."""
        return len(self.bets) == self.rules.streets * self.rules.players  # 3.5, 12.2

    @property
    def street(self) -> int:
        """The street that is played; once the hand is over, the last one."""
        return min(len(self.bets) // self.rules.players, self.rules.streets - 1)

    @property
    def to_move(self) -> int | None:
        """Whose turn it is; None when the hand is over."""
        if self.over:
            return None
        first = self.dealer + 1 + self.street  # 3.6
        return (first + len(self.bets) % self.rules.players) % self.rules.players  # 3.5

    def board(self, street: int) -> list[str]:
        """The common board as it is on a street (3.4)."""
        cards: list[str] = self.deal["board"][: BOARD_CARDS[street]]
        return cards

    def moves(self) -> set[str]:
        """All legal moves of the player to move (section 4)."""
        player = self.to_move
        assert player is not None
        to_come = self.rules.streets - 1 - self.street
        room = self.chips[player] - to_come  # 4.4
        sizes = [chips for chips in (1, 2, 3) if chips <= room]  # 4.3
        if room < 3:
            self.count(
                "4.4 no room for 3 chips" if to_come else "4.4 no chips left for 3, on the last street"
            )
        elif not to_come:
            self.count("4.4 room for 3 chips on the last street")
        if len(self.cards[player]) < len(self.rules.actions):
            self.count("4.7")
        under = ["", *(f" {card}" for card in self.cards[player])]  # 4.6, 4.7
        return {
            f"bet {named} {chips}{card}" for named in self.seats for chips in sizes for card in under
        }  # 4.2

    def play(self, move: str) -> None:
        """Make a legal move of the player to move."""
        player, street = self.to_move, self.street
        assert player is not None
        assert move in self.moves(), f"{move!r} is not legal"
        _, named, chips, *card = move.split()
        bet = Bet(street, player, int(named), int(chips), card[0] if card else None)
        self.count("3.5")
        self.count(f"3.6 street {street}, {self.rules.players} players")
        self.count("4.1")
        self.count("4.2 oneself" if bet.named == player else "4.2 another")
        self.count(f"4.3 {bet.chips} chips")
        self.count("4.6 a card" if bet.card else "4.6 no card")
        self.count("13.3 with a card" if bet.card else "13.3 without a card")
        self.chips[player] -= bet.chips
        if bet.card:
            self.cards[player].remove(bet.card)
        self.bets.append(bet)
        self.moves_made.append([player, move])
        if not self.over and self.street > street:
            self.count(f"3.4 {('flop', 'turn', 'river')[street]}")
            if self.deal["thrown"][street]:
                self.count("7.3")
        if self.over:
            self.count("3.7")
            self._count_chips()

    def _count_chips(self) -> None:
        for player in self.seats:
            threes = sum(bet.chips == 3 for bet in self.bets if bet.player == player)
            if self.chips[player]:
                self.count("4.5")
            if self.rules.streets == 4:
                if self.rules.chips == 4:
                    self.count("10.2 all bets of 1 with 4 chips")
                if self.rules.chips == 7 and threes == 1:
                    self.count("4.4 one bet of 3 with 7 chips")
                if self.rules.chips >= 8 and threes == 2:
                    self.count("10.2 two bets of 3 from 8 chips on")
                if self.rules.chips == 12 and threes == 4:
                    self.count("10.2 four bets of 3 with 12 chips")

    def strengths(self, street: int) -> list[Strength]:
        """What each player's hand of a street is worth (5.1)."""
        own = zip(self.deal["private"], self.deal["exposed"], strict=True)
        return [strength(frozenset({private, exposed, *self.board(street)})) for private, exposed in own]

    def points(self) -> list[int]:
        """The points of each player, when the hand is over (5.4 to 5.10, 7.1)."""
        assert self.over
        strengths = [self.strengths(street) for street in range(self.rules.streets)]
        for street in range(self.rules.streets):
            self._count_strengths(street, strengths[street])
        points = [0 for _ in self.seats]
        for bet in self.bets:
            points[bet.player] += self._points_of(bet, strengths[bet.street])  # 5.10
        self.count("5.10")
        if min(points) < 0:
            self.count("7.1 points of a hand below zero")
        return points

    def _points_of(self, bet: Bet, strengths: list[Strength]) -> int:
        meant = bet.named
        wanted = max(strengths)  # 5.2: those that tie for it all have it
        if bet.card == "clockwise":
            meant = (bet.named + 1) % self.rules.players  # 5.7
        if bet.card == "bluff":
            wanted = min(strengths)  # 5.3, 5.8
        right = strengths[meant] == wanted
        verdict = "right" if right else "wrong"
        self.count(f"5.4 {bet.card or 'none'} {verdict}")
        if right and strengths.count(wanted) > 1:
            self.count("5.3 a tie for the weakest" if bet.card == "bluff" else "5.2 a tie for the best")
        if bet.card == "clockwise":
            if (strengths[bet.named] == wanted) != right:
                self.count(f"5.7 the named player's own hand would be {'wrong' if right else 'right'}")
            if right and meant == 0:
                self.count("5.7 past the highest seat")
            if right and meant == bet.player:
                self.count("5.7 the player who bets")
        if bet.card == "bluff" and right:
            self.count("5.8 oneself" if meant == bet.player else "5.8 another")
        if bet.card in ("blank", None):
            self.count("5.5 Blank" if bet.card else "5.5 no card")
        if right and bet.card == "+1":
            self.count(f"5.6 with {bet.chips} chips")
            return bet.chips + 1  # 5.6
        if right:
            return bet.chips  # 5.4
        if bet.card == "+1" and self.rules.expert:
            self.count(f"7.1 with {bet.chips} chips")
            return -1  # 7.1
        self.count("5.9")
        return 0  # 5.9

    def _count_strengths(self, street: int, strengths: list[Strength]) -> None:
        self.count(f"5.1 street {street}")
        best, top = max(strengths)
        if street == 0:
            self.count("6.2 a pair" if best else "6.2 no pair")
            if not best and sum(kind == best and ranks[0] == top[0] for kind, ranks in strengths) > 1:
                self.count("6.2 the lower card")
            return
        self.count(f"6.1 {CATEGORIES[best]}")
        same = [ranks for kind, ranks in strengths if kind == best]
        if len(set(same)) > 1:
            self.count("6.1 the same kind, other ranks")
        if (CATEGORIES.index("straight"), (3,)) in strengths:
            self.count("6.3")
            if any(kind == CATEGORIES.index("straight") and ranks > (3,) for kind, ranks in strengths):
                self.count("6.3 the lowest straight")
        if self.rules.expert and self.deal["thrown"][street - 1]:
            self.count("7.3 belongs to nobody's hand")
        lowest = RANKS[13 - self.rules.ranks :][:4]
        for own in zip(self.deal["private"], self.deal["exposed"], strict=True):
            held = {card[0] for card in (*own, *self.board(street))}
            if self.rules.ranks < 13 and len(lowest) == 4 and {"A", *lowest} <= held:
                self.count("12.1 an ace next to no two")


class Game:
    """A game: hands one after the other, their points, the rewards and the end."""

    def __init__(self, rules: Rules, dealer: int, count: Count) -> None:
        self.rules, self.count = rules, count
        self.first_dealer = dealer  # 2.2, or the option of 10.3
        self.number = -1
        self.points = [0 for _ in range(rules.players)]
        self.hand: Hand

    def deal(self, deal: dict[str, Any]) -> Hand:
        """Begin the next hand with a whole deal."""
        assert not self.over
        self.number += 1
        if self.number:
            self.count("2.3")  # 2.4: nothing but the points goes on
        self.hand = Hand(self.rules, (self.first_dealer + self.number) % self.rules.players, deal, self.count)
        return self.hand

    @property
    def hands_to_go(self) -> int:
        """How many hands come after this one."""
        return self.rules.hands_of_game - 1 - self.number

    @property
    def over(self) -> bool:
        """Whether the last hand is over (2.1)."""
        return self.number >= 0 and self.hands_to_go == 0 and self.hand.over

    def score(self) -> tuple[list[Fraction], dict[str, Any]]:
        """Score the hand, which is over: each player's reward (9.4, 9.5) and the history (13.4, 13.5)."""
        rules, seats, points = self.rules, range(self.rules.players), self.hand.points()
        self.points = [self.points[seat] + points[seat] for seat in seats]
        self.count("13.5")
        if rules.reward == "margin":
            self.count("9.4")
            rewards = [points[i] - Fraction(sum(points) - points[i], rules.players - 1) for i in seats]
        elif not self.over:
            self.count("9.5 before the last hand")
            rewards = [Fraction(0) for _ in seats]
        else:
            self.count("9.5 after the last hand")
            won = self.winners()
            share = Fraction(1, len(won))
            rewards = [(share if seat in won else 0) - Fraction(1, rules.players) for seat in seats]
        if self.over:
            self.count("2.1" if rules.hands is None else "2.1 cut by hands")
            if min(self.points) < 0:
                self.count("7.1 points of a game below zero")
            self._count_end()
        history = {
            "game": "detective", "version": 1, "rules": rules.written(), "hand": self.number,
            "dealer": self.hand.dealer, **self.hand.deal, "moves": self.hand.moves_made, "points": points,
        }  # fmt: skip
        return rewards, history

    def winners(self) -> list[int]:
        """The seats that win the game or share it; none before its end (9.1 to 9.3)."""
        if not self.over:
            return []
        most = self._those_with_most(list(range(self.rules.players)), self.points)  # 9.1
        return self._those_with_most(most, [len(cards) for cards in self.hand.cards])  # 9.2, 9.3

    @staticmethod
    def _those_with_most(seats: list[int], amounts: list[int]) -> list[int]:
        return [seat for seat in seats if amounts[seat] == max(amounts[other] for other in seats)]

    def _count_end(self) -> None:
        level = self.points.count(max(self.points))
        self.count("9.1" if level == 1 else "9.2" if len(self.winners()) < level else "9.3")
        if level > 1 and not self.rules.actions:
            self.count("12.3 no cards decide a tie")

    def known(self, seat: int) -> dict[str, Any]:
        """What a seat may know (section 8): None is a hidden card, "?" a hidden card under a bet."""
        hand, seats = self.hand, range(self.rules.players)
        street = hand.street
        self._count_known(seat)
        return {
            "seat": seat,
            "dealer": hand.dealer,
            "hand": self.number,
            "hands_to_go": self.hands_to_go,
            "street": None if hand.over else street,
            "to_move": hand.to_move,
            "private": [
                card if i == seat or hand.over else None for i, card in enumerate(hand.deal["private"])
            ],
            "exposed": [
                card if i != seat or hand.over else None for i, card in enumerate(hand.deal["exposed"])
            ],
            "board": hand.board(street),
            "thrown": list(itertools.chain(*hand.deal["thrown"][:street])),  # 8.3
            "bets": [  # 8.4, 8.5
                (bet.street, bet.player, bet.named, bet.chips, self._under(bet, seat)) for bet in hand.bets
            ],
            "chips": list(hand.chips),
            "n_cards": [len(cards) for cards in hand.cards],
            "cards": list(hand.cards[seat]),
            "points": [self.points[i] for i in seats],  # 8.7
        }

    def _count_known(self, seat: int) -> None:
        if self.hand.over:
            self.count("8.6")
            return
        self.count("8.1")
        self.count("8.2")
        if self.hand.street:
            self.count("8.3 the board")
            if any(self.hand.deal["thrown"][: self.hand.street]):
                self.count("8.3 cards thrown out")
        if self.hand.bets:
            self.count("8.4")
        if any(self._under(bet, seat) == "?" for bet in self.hand.bets):
            self.count("8.5 others do not know")
        if any(bet.player == seat and bet.card for bet in self.hand.bets):
            self.count("8.5 the player knows")

    def _under(self, bet: Bet, seat: int) -> str | None:
        hidden = bet.card is not None and bet.player != seat and not self.hand.over
        return "?" if hidden else bet.card
