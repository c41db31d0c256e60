"""Palace Poker in slow plain Python, written from its RULES.md alone.

Numbers in comments are paragraphs of RULES.md. Cards are texts such as ``"Ah"``, moves are in the notation of
section 14, seats are numbers, chips are ints. Nothing of the project is imported. What the cards decide by
chance comes from outside.
"""

import copy
import random
from collections import Counter
from collections.abc import Iterable, Sequence
from typing import Any

RANKS = "23456789TJQKA"
SUITS = "cdhs"

# Categories of made hands, worst first (8.1).
HIGH_CARD, PAIR, TWO_PAIR, TRIPS, STRAIGHT, FLUSH, FULL_HOUSE, QUADS, STRAIGHT_FLUSH = range(9)

Strength = tuple[int, tuple[int, ...]]


def full_rules(**arguments: Any) -> dict[str, Any]:
    """All arguments of section 11, defaults filled in, in the order of a history's ``rules`` (14.11)."""
    small_bet = arguments.get("small_bet", 2)
    defaults: dict[str, Any] = {
        "players": 4,
        "betting": "limit",
        "small_bet": small_bet,
        "big_bet": 2 * small_bet,
        "ante": small_bet // 2,
        "stack": 200,
        "hands": 1,
        "max_raises": 3,
        "bare_raise": 2 * small_bet,
        "sizes": [1, 2, 4, 8],
        "discard_fee": 0,
        "forced_duel": True,
        "ranks": 13,
        "palace_cards": 3,
        "max_soldiers": 5,
    }
    unset = {"big_bet", "ante", "bare_raise"}  # None stands for the default
    for name, value in arguments.items():
        if not (value is None and name in unset):
            defaults[name] = list(value) if name == "sizes" else value
    return defaults


def whole_deck(ranks: int) -> list[str]:
    """The cards of the deck's top so many ranks (13.1)."""
    return [rank + suit for suit in SUITS for rank in RANKS[13 - ranks :]]


def left_of(seat: int, players: int) -> list[int]:
    """All seats from that seat's left round to the seat itself (1.4)."""
    return [(seat + step) % players for step in range(1, players + 1)]


def next_button(button: int, stacks: Sequence[int], counts: Counter[str]) -> int:
    """The seat that deals the next hand."""
    counts["2.2"] += 1
    for seat in left_of(button, len(stacks)):
        if stacks[seat] > 0:
            return seat
        counts["10.4"] += 1
    raise ValueError(f"stacks {stacks!r}: somebody must have chips")


def match_is_over(
    rules: dict[str, Any], hands_played: int, stacks: Sequence[int], counts: Counter[str]
) -> bool:
    """Whether no further hand is dealt."""
    if hands_played == rules["hands"]:
        counts["10.1"] += 1
        return True
    if sum(stack > 0 for stack in stacks) == 1:
        counts["10.6"] += 1
        return True
    return False


def banner_groups(rules: dict[str, Any], button: int, stacks: Sequence[int]) -> list[list[int]]:
    """The dealt seats by banner groups, in dealing order (2.4, 10.3)."""
    dealt = [seat for seat in left_of(button, rules["players"]) if stacks[seat] > 0]
    return [group for group in (dealt[:4], dealt[4:8], dealt[8:]) if group]


def deal(
    rules: dict[str, Any], button: int, stacks: Sequence[int], rng: random.Random
) -> tuple[list[str | None], list[list[str]], list[str]]:
    """Banners and palaces by seat, and the draw deck from the top, as 2.4 to 2.6 deal them."""
    players = rules["players"]
    banners: list[str | None] = [None] * players
    deck = whole_deck(rules["ranks"])
    rng.shuffle(deck)
    aside: list[str] = []
    groups = banner_groups(rules, button, stacks)
    for group in groups:
        shown: set[str] = set()
        for seat in group:
            while banners[seat] is None:
                if not deck:  # 2.5
                    deck, aside = aside, []
                    rng.shuffle(deck)
                card = deck.pop(0)
                if card[1] in shown:
                    aside.append(card)
                else:
                    banners[seat] = card
                    shown.add(card[1])
    deck += aside
    rng.shuffle(deck)  # 2.6
    palaces: list[list[str]] = [[] for _ in range(players)]
    for _ in range(rules["palace_cards"]):
        for group in groups:
            for seat in group:
                palaces[seat].append(deck.pop(0))
    return banners, palaces, deck


def strength(cards: Iterable[str]) -> Strength:
    """The best hand of at most five of the cards: its category, and its deciding ranks, 2 … 14, in order.

    Section 8: tuples compare as the hands do, for a tuple that ends early is the lower one.
    """
    held = list(cards)
    values = [RANKS.index(card[0]) + 2 for card in held]
    by_suit = {suit: {RANKS.index(card[0]) + 2 for card in held if card[1] == suit} for suit in SUITS}
    flushes = [ranks for ranks in by_suit.values() if len(ranks) >= 5]  # 8.3
    straight_flush = max([_straight(ranks) for ranks in flushes], default=0)
    if straight_flush:
        return STRAIGHT_FLUSH, (straight_flush,)
    times = Counter(values)
    groups = sorted(times, key=lambda value: (times[value], value), reverse=True)
    first = groups[0]
    others = sorted(set(values) - {first}, reverse=True)
    if times[first] == 4:
        return QUADS, (first, *others[:1])
    if times[first] == 3 and len(groups) > 1 and times[groups[1]] >= 2:
        return FULL_HOUSE, (first, max(value for value in others if times[value] >= 2))
    if flushes:
        return FLUSH, max(tuple(sorted(ranks, reverse=True)[:5]) for ranks in flushes)
    straight = _straight(set(values))
    if straight:
        return STRAIGHT, (straight,)
    if times[first] == 3:
        return TRIPS, (first, *others[:2])
    if times[first] == 2 and len(groups) > 1 and times[groups[1]] == 2:
        second = groups[1]
        return TWO_PAIR, (first, second, *[value for value in others if value != second][:1])
    if times[first] == 2:
        return PAIR, (first, *others[:3])
    return HIGH_CARD, (first, *others[:4])


def _straight(values: set[int]) -> int:
    """The top of the highest straight among the values, or 0; the ace may also be low (8.4)."""
    for top in range(14, 5, -1):
        if {top, top - 1, top - 2, top - 3, top - 4} <= values:
            return top
    return 5 if {14, 2, 3, 4, 5} <= values else 0


class Hand:
    """One hand: the truth, the moves of whoever is to move, and what each seat may know."""

    def __init__(
        self,
        rules: dict[str, Any],
        button: int,
        stacks: Sequence[int],
        banners: Sequence[str | None],
        palaces: Sequence[Sequence[str]],
        draws: Sequence[str] = (),
        counts: Counter[str] | None = None,
    ) -> None:
        """Deal a hand and take the antes.

        Args:
            rules: all arguments, as ``full_rules`` gives them.
            button: the dealer's seat.
            stacks: chips by seat before the antes; 0 leaves a seat out.
            banners: a card by seat, None for a seat left out.
            palaces: cards by seat, empty for a seat left out.
            draws: the cards that are bought, in order; may stop early (11.4).
            counts: where each applied paragraph is counted.
        """
        players = rules["players"]
        self.rules = rules
        self.counts: Counter[str] = Counter() if counts is None else counts
        self.button = button
        self.stacks_before = list(stacks)
        self.stacks = list(stacks)
        self.dealt_banners = list(banners)
        self.dealt_palaces = [list(palace) for palace in palaces]
        self.banners = list(banners)
        self.palaces = [list(palace) for palace in palaces]
        self.soldiers: list[list[str]] = [[] for _ in range(players)]
        self.in_hand = [stack > 0 for stack in stacks]
        self.draws = list(draws)
        dealt = {card for card in banners if card} | {card for palace in palaces for card in palace}
        self.deck = [card for card in whole_deck(rules["ranks"]) if card not in dealt]  # in no order
        self.pile: list[str] = []
        self.bought: list[str] = []
        self.pot = 0
        self.paid = [0] * players
        self.passed: dict[int, str] = {}  # what each did since the last buy or attack (9.4)
        self.moves_made: list[tuple[int, str]] = []
        self.log: list[dict[str, Any]] = []  # the moves with what they meant
        words = ("buy", "discard", "attack", "call", "raise", "win")
        self.done_by_seat = [dict.fromkeys(words, 0) for _ in range(players)]
        self.end: str | None = None
        self.net = [0] * players
        self.winners: list[int] = []

        self.knows_palace_of = [{seat} for seat in range(players)]  # by seat, whose palaces it has seen
        self.knows_in_pile: list[set[str]] = [set() for _ in range(players)]
        self.knows_in_deck: list[set[str]] = [set() for _ in range(players)]

        self.attacker = self.defender = -1
        self.extra = 0
        self.raise_owed = 0
        self.raises = 0
        self._offered: list[str] | None = None

        for seat in range(players):
            if stacks[seat] == 0:  # 10.3
                self.count("10.3")
                continue
            if stacks[seat] < rules["ante"]:
                self.count("10.2")
            self.pay(seat, min(rules["ante"], stacks[seat]))  # 2.3, 10.2
        self.count("2.3")
        self.count("13.1", rules["ranks"] < 13)
        self.count("13.2", rules["palace_cards"] < 3)
        self.phase = "turn"
        self.turn = self.mover = next(seat for seat in left_of(button, players) if self.in_hand[seat])  # 3.1

    def copy(self) -> "Hand":
        """An independent hand at the same point, which counts nothing for this one."""
        return copy.deepcopy(self)

    def count(self, paragraph: str, applies: bool = True) -> None:
        """Note that a paragraph was applied."""
        if applies:
            self.counts[paragraph] += 1

    def seats_in_hand(self) -> list[int]:
        """Those in the hand, from the button's left."""
        return [seat for seat in left_of(self.button, self.rules["players"]) if self.in_hand[seat]]

    def suit(self, seat: int) -> str:
        """The suit of a seat's banner."""
        banner = self.banners[seat]
        assert banner is not None, f"seat {seat!r} must have a banner"
        return banner[1]

    def cards_of(self, seat: int) -> list[str]:
        """Palace, soldiers and banner of a seat that is in the hand."""
        banner = self.banners[seat]
        return self.palaces[seat] + self.soldiers[seat] + ([banner] if banner else [])

    def cards_against(self, seat: int, opponent: int) -> list[str]:
        """The cards that count for a seat in a fight with that opponent (5.2)."""
        return [card for card in self.cards_of(seat) if card[1] != self.suit(opponent)]

    def opponent(self, seat: int) -> int:
        """The other side of a seat's battle."""
        return self.attacker if seat == self.defender else self.defender

    def price(self, seat: int) -> int:
        """What a battle costs a seat (4.1)."""
        return (len(self.soldiers[seat]) + 1) * int(self.rules["small_bet"])

    def pay(self, seat: int, chips: int) -> None:
        """Move chips of a seat to the pot; a negative number goes back."""
        self.stacks[seat] -= chips
        self.paid[seat] += chips
        self.pot += chips

    # What may be done.

    def moves(self) -> list[str]:
        """The legal moves of ``mover`` in notation, none after the end."""
        if self._offered is None:
            if self.end is not None:
                self._offered = []
            elif self.phase == "turn":
                self._offered = self._turn_moves()
            elif self.phase in ("discards", "discard turn"):
                self._offered = self._discards()
            else:
                self._offered = ["fold", "call"] + [f"raise {chips}" for chips in self._raises()]
        return self._offered

    def _turn_moves(self) -> list[str]:
        seat, rules = self.mover, self.rules
        targets = [  # 3.9
            other
            for other in range(rules["players"])
            if self.in_hand[other] and other != seat and self.suit(other) != self.suit(seat)
        ]
        can_attack = bool(targets) and self.stacks[seat] > 0
        self.count("4.15", bool(targets) and not can_attack)
        moves = ["fold"]  # 3.12
        if rules["forced_duel"] and sum(self.in_hand) == 2 and can_attack:  # 3.11
            self.count("3.11")
        else:
            moves.append("stay")
        if self.can_buy(seat):
            moves.append("buy")
        if self.stacks[seat] >= rules["discard_fee"]:
            moves += [f"discard {card}" for card in self.soldiers[seat]]  # 3.7
        else:
            self.count("3.8", bool(self.soldiers[seat]))
        if can_attack:
            for other in targets:
                moves.append(f"attack {other}")
                moves += [f"attack {other} +{extra}" for extra in self._extras(seat, other)]
        self.count("3.2")
        return moves

    def can_buy(self, seat: int) -> bool:
        """Whether 3.5 and 13.3 let a seat buy on its turn."""
        if self.rules["max_soldiers"] == 0:
            self.count("13.3")
            return False
        can = bool(self.deck or self.pile) and self.stacks[seat] >= self.rules["small_bet"]
        self.count("3.5", not can)
        return can

    def _extras(self, seat: int, other: int) -> list[int]:
        if self.rules["betting"] == "limit":
            return []  # 4.3
        beyond = self.stacks[seat] - self.price(seat)
        can_match = self.stacks[other] - self.price(other)
        self.count("4.21", beyond > can_match)
        return self._sizes(min(beyond, can_match))  # 14.9

    def _sizes(self, top: int) -> list[int]:
        """No-limit sizes up to the top (14.8)."""
        if top <= 0:
            return []
        self.count("14.8")
        self.count("14.9")
        return [k * self.rules["big_bet"] for k in self.rules["sizes"] if k * self.rules["big_bet"] < top] + [
            top
        ]

    def _discards(self) -> list[str]:
        seat = self.mover
        moves = [f"discard {card}" for card in self.soldiers[seat]]
        if len(self.soldiers[seat]) <= self.rules["max_soldiers"]:
            moves.append("done")
        else:
            self.count("14.7")
            self.count("3.4", self.moves_made[-1][1] == "buy")
            self.count("13.3", self.rules["max_soldiers"] < 5)
        return moves

    def full_call(self) -> int:
        """What a call costs the mover who has enough (4.6, 4.11)."""
        if self.phase == "attacked":
            return self.price(self.mover) + self.extra
        return self.raise_owed

    def _raises(self) -> list[int]:
        seat, rules = self.mover, self.rules
        other = self.opponent(seat)
        beyond = self.stacks[seat] - self.full_call()
        if rules["betting"] == "limit":
            if rules["max_raises"] is not None and self.raises >= rules["max_raises"]:  # 4.13
                self.count("4.13")
                return []
            if self.stacks[other] == 0:  # 4.19
                self.count("4.19")
                return []
            chips = rules["big_bet"] if self.soldiers[seat] else rules["bare_raise"]  # 4.7, 4.8
            if beyond < chips:  # 4.18
                self.count("4.18")
                return []
            return [chips]
        can_match = self.stacks[other]
        if can_match == 0:
            self.count("4.21")
            return []
        if beyond < rules["big_bet"]:
            self.count("4.22", beyond > 0)
            return []
        self.count("4.21", beyond > can_match)
        self.count("4.22", can_match < rules["big_bet"])
        self.count("4.14", rules["max_raises"] is not None and self.raises >= rules["max_raises"])
        return self._sizes(min(beyond, can_match))

    # What a move does.

    def prescribed_draw(self) -> str | None:
        """The card that a buy draws now, None where the seed decides (11.4)."""
        number = len(self.bought)
        there = self.deck or self.pile  # 3.6
        return self.draws[number] if number < len(self.draws) and self.draws[number] in there else None

    def apply(self, move: str, drawn: str | None = None) -> None:
        """Make a legal move.

        Args:
            move: one of ``moves()``.
            drawn: the card that a buy draws, where no prescribed draw tells it.

        Raises:
            ValueError: an illegal move, or a drawn card that is not in the draw deck.
        """
        if move not in self.moves():
            raise ValueError(f"move {move!r}: must be one of {self.moves()!r}")
        seat = self.mover
        word, *rest = move.split()
        self._offered = None
        self.count("14.3")
        self.moves_made.append((seat, move))
        entry: dict[str, Any] = {"seat": seat, "word": word, "target": None, "card": None, "chips": 0}
        self.log.append(entry)
        if self.phase == "turn":
            self.count("3.1")
            if word == "stay":
                self.count("3.10")
                self.passed[seat] = "stay"
                self._end_turn()
            elif word == "fold":
                self._fold(seat)
            elif word == "buy":
                entry["card"] = self._buy(seat, drawn)
            elif word == "discard":
                entry["card"] = rest[0]
                self._begin_discard_turn(seat, rest[0])
            else:
                entry["target"] = int(rest[0])
                before = self.paid[seat]
                self._attack(seat, int(rest[0]), int(rest[1]) if len(rest) > 1 else 0)
                entry["chips"] = self.paid[seat] - before
        elif self.phase in ("discards", "discard turn"):
            if word == "discard":
                entry["card"] = rest[0]
                self._discard(seat, rest[0])
            else:
                self._end_turn()
        else:
            if word == "fold":
                self._fold_in_battle(seat)
            elif word == "call":
                entry["chips"] = min(self.full_call(), self.stacks[seat])
                self._call(seat)
            else:
                entry["chips"] = int(rest[0])
                self._raise(seat, entry["chips"])

    def _fold(self, seat: int) -> None:
        self.count("3.12")
        self._leave(seat)
        self.count("9.7", bool(self.passed))
        self._end_turn()

    def _leave(self, seat: int) -> None:
        """Take a seat out of the hand, with all its cards to the pile (3.12, 5.4)."""
        self.in_hand[seat] = False
        self.passed.pop(seat, None)
        self._palace_to_pile(seat)
        banner = self.banners[seat]
        assert banner is not None
        for card in [*self.soldiers[seat], banner]:
            self._to_pile(card, range(self.rules["players"]))
        self.soldiers[seat] = []
        self.banners[seat] = None

    def _palace_to_pile(self, seat: int) -> None:
        who = [other for other in range(self.rules["players"]) if seat in self.knows_palace_of[other]]
        for card in self.palaces[seat]:
            self._to_pile(card, who)
        self.palaces[seat] = []

    def _to_pile(self, card: str, who: Iterable[int]) -> None:
        """Lay a card on the pile; those who see which one it is, know it to be there (7.5)."""
        self.pile.append(card)
        self.count("7.5")
        for seat in who:
            self.knows_in_pile[seat].add(card)

    def _buy(self, seat: int, drawn: str | None) -> str:
        self.count("3.3")
        self.pay(seat, self.rules["small_bet"])
        card = self.prescribed_draw() or drawn
        self.count("11.4", len(self.bought) < len(self.draws))
        if not self.deck:  # 3.6
            self.count("3.6")
            self.deck, self.pile = self.pile, []
            for other in range(self.rules["players"]):  # 7.6
                self.knows_in_deck[other] |= self.knows_in_pile[other]
                self.knows_in_pile[other] = set()
        if card is None or card not in self.deck:
            raise ValueError(f"drawn card {card!r}: must be one of the draw deck, {self.deck!r}")
        self.deck.remove(card)
        self.bought.append(card)
        for other in range(self.rules["players"]):
            self.count("7.6", card in self.knows_in_deck[other])
            self.knows_in_deck[other].discard(card)
        self.soldiers[seat].append(card)  # 7.1
        self.passed = {}
        self.done_by_seat[seat]["buy"] += 1
        self.phase = "discards"  # 14.4
        self.count("14.4")
        return card

    def _begin_discard_turn(self, seat: int, card: str) -> None:
        self.count("3.7")
        if self.rules["discard_fee"]:
            self.count("3.8")
            self.pay(seat, self.rules["discard_fee"])  # 3.8
        self.phase = "discard turn"
        self.count("14.5")
        self._discard(seat, card)

    def _discard(self, seat: int, card: str) -> None:
        self.soldiers[seat].remove(card)
        self._to_pile(card, range(self.rules["players"]))
        self.count("7.1")
        self.count("9.6", self.phase == "discards")
        self.done_by_seat[seat]["discard"] += 1
        if not self.soldiers[seat]:  # 14.6
            self.count("14.6")
            self._end_turn()

    def _attack(self, seat: int, target: int, extra: int) -> None:
        self.count("3.9")
        self.count("4.1")
        self.count("4.2")
        self.count("4.3", self.rules["betting"] == "limit")
        self.count("4.4", extra > 0)
        self.count("4.16", self.stacks[seat] < self.price(seat))
        self.pay(seat, min(self.price(seat) + extra, self.stacks[seat]))  # 4.3, 4.4, 4.16
        self.passed = {}
        self.done_by_seat[seat]["attack"] += 1
        self.attacker, self.defender = seat, target
        self.extra, self.raise_owed, self.raises = extra, 0, 0
        self.phase, self.mover = "attacked", target

    def _fold_in_battle(self, seat: int) -> None:
        winner = self.opponent(seat)
        if self.phase == "attacked":
            self.count("4.5")
            self.pay(winner, -self.extra)
        else:
            self.count("4.10")
            self.pay(winner, -self.raise_owed)
        self._decided(winner, seat)

    def _call(self, seat: int) -> None:
        cost = self.full_call()
        paid = min(cost, self.stacks[seat])
        self.count("4.17", self.stacks[seat] == 0)
        if self.phase == "attacked":
            self.count("4.6")
            self.count("4.16", paid < cost)
        else:
            self.count("4.11")
            raiser = self.opponent(seat)
            self.count("4.20", paid < cost)
            self.pay(raiser, paid - cost)  # 4.20
        self.pay(seat, paid)
        self.done_by_seat[seat]["call"] += 1
        self._fight(caller=seat, other=self.opponent(seat))

    def _raise(self, seat: int, chips: int) -> None:
        self.count("4.12" if self.phase == "raised" else "4.7")
        self.count("4.8", self.rules["betting"] == "limit" and not self.soldiers[seat])
        self.count("4.9", self.rules["betting"] != "limit")
        self.pay(seat, self.full_call() + chips)
        self.raises += 1
        self.raise_owed = chips
        self.done_by_seat[seat]["raise"] += 1
        self.phase = "raised"
        self.mover = self.opponent(seat)

    # The fight, and who is beaten.

    def _fight(self, caller: int, other: int) -> None:
        self.count("5.1")
        self.count("5.2")
        self.count("7.2")
        self.count("7.4", sum(self.in_hand) > 2)
        self.knows_palace_of[caller].add(other)  # 7.2
        own = {
            caller: self._ranked(self.cards_against(caller, other)),
            other: self._ranked(self.cards_against(other, caller)),
        }
        if own[caller] == own[other]:  # 5.3
            self.count("5.3")
            for seat in (caller, other):
                suited = sum(card[1] == self.suit(seat) for card in self.cards_of(seat))
                own[seat] = (suited, ())
        if own[caller] == own[other]:
            self.count("5.4")
            self.count("7.3")
            self.knows_palace_of[other].add(caller)  # 7.3
            if sum(self.in_hand) == 2:  # 5.5
                self.count("5.5")
                self._finish("battle_tie", self.seats_in_hand())
                return
            self._leave(caller)
            self._leave(other)
            self._end_turn()
            return
        if own[caller] > own[other]:
            self.count("7.3")
            self.knows_palace_of[other].add(caller)  # 7.3
            self._decided(caller, other)
        else:
            self._decided(other, caller)

    def _decided(self, winner: int, beaten: int) -> None:
        """Section 6."""
        self.count("6.1")
        self.done_by_seat[winner]["win"] += 1
        banner = self.banners[beaten]
        assert banner is not None
        self.in_hand[beaten] = False
        self._palace_to_pile(beaten)
        self.soldiers[winner] += [*self.soldiers[beaten], banner]  # 6.1
        self.soldiers[beaten] = []
        self.banners[beaten] = None
        if self._ends_with_those_left():  # 6.2
            self.count("6.2")
            return
        self.count("6.3")
        self.count("14.4")
        self.phase, self.mover = "discards", winner

    # How turns and hands end.

    def _end_turn(self) -> None:
        self.count("9.1")
        if self.phase == "discard turn":
            self.passed[self.turn] = "discard"  # 9.4
        if self._ends_with_those_left():
            return
        if all(seat in self.passed for seat in self.seats_in_hand()):  # 9.4
            self.count("9.4")
            self._showdown()
            return
        self.count("6.4", self.attacker == self.turn)
        self.phase = "turn"
        self.attacker = self.defender = -1
        self.extra = self.raise_owed = self.raises = 0
        self.turn = next(seat for seat in left_of(self.turn, self.rules["players"]) if self.in_hand[seat])
        self.mover = self.turn  # 6.4

    def _ends_with_those_left(self) -> bool:
        seats = self.seats_in_hand()
        if len(seats) == 1:  # 9.2
            self.count("9.2")
            self.count("7.4")
            self._finish("last_standing", seats)
            return True
        if len({self.suit(seat) for seat in seats}) == 1:  # 9.3
            self.count("9.3")
            self.count("7.4")
            self._finish("same_banner", seats)
            return True
        return False

    def _showdown(self) -> None:
        self.count("9.5")
        hands = {seat: self._ranked(self.cards_of(seat)) for seat in self.seats_in_hand()}
        best = max(hands.values())
        for seat in self.seats_in_hand():
            for other in range(self.rules["players"]):
                self.knows_palace_of[other].add(seat)
        self._finish("showdown", [seat for seat, hand in hands.items() if hand == best])

    def _ranked(self, cards: list[str]) -> Strength:
        """The strength of a hand that is compared; counts what of section 8 it takes."""
        made = strength(cards)
        if len(cards) < 5:
            self.count("8.2")
            ranks = sorted(RANKS.index(card[0]) for card in cards)
            row = len(cards) > 2 and ranks == list(range(ranks[0], ranks[0] + len(ranks)))
            self.count("8.3", row or (len(cards) > 2 and len({card[1] for card in cards}) == 1))
        else:
            self.count("8.1")
        self.count("8.4", made[0] in (STRAIGHT, STRAIGHT_FLUSH) and made[1] == (5,))
        return made

    def _finish(self, end: str, winners: list[int]) -> None:
        """Pay the pot to the winners, who are in order from the button's left."""
        share, odd = divmod(self.pot, len(winners))
        self.count("9.8", odd > 0)
        self.count(
            "4.23", any(self.paid[seat] < max(self.paid) and self.stacks[seat] == 0 for seat in winners)
        )
        for place, seat in enumerate(winners):
            self.net[seat] = share + (place < odd)  # 9.8
        for seat in range(self.rules["players"]):
            self.stacks[seat] += self.net[seat]
            self.net[seat] -= self.paid[seat]  # 9.9
        self.count("9.9")
        self.count("14.11")
        self.pot = 0
        self.end = end
        self.winners = sorted(winners)

    def history(self, number: int) -> dict[str, Any]:
        """The finished hand as 14.10 and 14.11 have it.

        Args:
            number: the hand's in its match, from 0.
        """
        return {
            "game": "palace",
            "version": 1,
            "rules": self.rules,
            "hand": number,
            "button": self.button,
            "stacks": self.stacks_before,
            "banners": self.dealt_banners,
            "palaces": self.dealt_palaces,
            "draws": self.bought,
            "moves": [[seat, move] for seat, move in self.moves_made],
            "net": self.net,
            "end": self.end,
        }
