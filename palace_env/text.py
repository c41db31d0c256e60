"""Palace Poker in words: moves to and from the notation of RULES.md 14, and a view in sentences."""

import re
from collections.abc import Mapping
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from card_table.cards import (
    N_CARDS,
    NO_CARD,
    SUIT_NAMES,
    format_card,
    format_cards,
    parse_card,
    suit_cards,
    suit_of,
)
from card_table.compile import rule
from card_table.game import IllegalMoveError, InvalidMoveError, States, copy_states
from card_table.given import quote
from card_table.hands import best_hand, name_hand
from card_table.page import Part, align, columns, wrap
from palace_env import rules
from palace_env.view import known_deck, known_pile

VERBS = ("stay", "fold", "buy", "call", "done", "raise", "attack", "discard")

HELP = (
    "stay, fold, buy, call, done: the word alone, or its beginning where that is clear.",
    "attack 2: attack seat 2 for your price. attack 2 +8: in no limit, with an extra of 8.",
    "raise 4 or raise by 4: call, and raise by 4 chips beyond the call.",
    "discard 7c 9d: discard these soldiers; discard 7c 9d done also ends the discarding.",
    "A number of the menu stands for its words: 5 is the same as attack 2 if 5 is attack 2, "
    "and 6 7c 9d the same as discard 7c 9d if 6 is discard.",
)

_WORDS = {
    rules.LOG_STAY: "stay",
    rules.LOG_FOLD: "fold",
    rules.LOG_BUY: "buy",
    rules.LOG_DONE: "done",
    rules.LOG_CALL: "call",
}
_MOVE = re.compile(
    r"(stay|fold|buy|done|call)|(raise)\s+(\d+)|(attack)\s+(\d+)(?:\s+\+(\d+))?|(discard)\s+(\w+)",
    re.ASCII | re.IGNORECASE,
)

# What list_moves tells of an action: whether it is legal; its kind, as in the log, or 0 where it has no
# words; the seat attacked or the card discarded; the chips of a raise or an extra; the cost, if it is legal.
LEGAL, KIND, ABOUT, CHIPS, COST = range(5)
_COLUMNS = 5
_MOST_ATTACKS = (rules.MAX_SEATS - 1) * (rules.MAX_SIZES + 2)
_MOST_ACTIONS = rules.RAISE + (rules.MAX_SIZES + 1) + _MOST_ATTACKS + N_CARDS


def format_move(states: States, action: int) -> str:
    """An action of the actor in the notation, whether it is legal now or not; "" if it has no words."""
    return _words(_moves(states)[action]) if 0 <= action < _MOST_ACTIONS else ""


def parse_move(states: States, text: object) -> int:
    """The action of the actor that a text means.

    Raises:
        InvalidMoveError: the text is no move.
        IllegalMoveError: the move is not allowed now.
    """
    canonical = _canonical(text)
    moves = _moves(states)
    legal = {_words(moves[action]): int(action) for action in np.flatnonzero(moves[:, LEGAL])}
    if canonical not in legal:
        actor = int(states["actor"][0])
        raise IllegalMoveError(f"{quote(text)} is not allowed now, seat {actor} may: {', '.join(legal)}")
    return legal[canonical]


def _moves(states: States) -> npt.NDArray[np.int64]:
    moves = np.zeros((_MOST_ACTIONS, _COLUMNS), np.int64)
    list_moves(states, 0, moves)
    return moves


def _words(move: npt.NDArray[np.int64]) -> str:
    kind, about, chips = move[KIND:COST].tolist()
    if kind == rules.LOG_RAISE:
        return f"raise {chips}"
    if kind == rules.LOG_ATTACK:
        return f"attack {about} +{chips}" if chips else f"attack {about}"
    if kind == rules.LOG_DISCARD:
        return f"discard {format_card(about)}"
    return _WORDS.get(kind, "")


@rule
def list_moves(states: States, i: int, moves: npt.NDArray[np.int64]) -> None:
    """Write all actions of the actor of game ``i`` into ``moves``, zeros (A, 5); see the columns' names."""
    g = states[i]
    seat = int(g.actor)
    if seat < 0:
        return
    stack = int(g.stacks[seat])
    attacks = rules.attack_from(g)
    discards = rules.discard_from(g)
    for action in range(rules.action_count(g)):
        move = moves[action]
        move[LEGAL] = rules.is_legal(g, action)
        if action >= discards:
            move[KIND] = rules.LOG_DISCARD
            move[ABOUT] = action - discards
            if g.phase == rules.TURN:
                move[COST] = g.discard_fee
        elif action >= attacks:
            target = rules.target_of(g, action)
            extra = -1
            if target != seat:
                extra = rules.attack_extra(g, seat, target, (action - attacks) % rules.attack_count(g))
            if extra >= 0:
                move[KIND] = rules.LOG_ATTACK
                move[ABOUT] = target
                move[CHIPS] = extra
                move[COST] = min(stack, rules.price(g, seat) + extra)
        elif action >= rules.RAISE:
            amount = 0
            if move[LEGAL]:
                amount = rules.raise_amount(g, seat, action - rules.RAISE)
            elif not g.no_limit:
                amount = int(g.big_bet) if g.soldiers[seat] else int(g.bare_raise)
            if amount > 0:
                move[KIND] = rules.LOG_RAISE
                move[CHIPS] = amount
                move[COST] = rules.call_cost(g, seat) + amount
    moves[rules.STAY, KIND] = rules.LOG_STAY
    moves[rules.FOLD, KIND] = rules.LOG_FOLD
    moves[rules.BUY, KIND] = rules.LOG_BUY
    moves[rules.BUY, COST] = g.small_bet
    moves[rules.DONE, KIND] = rules.LOG_DONE
    moves[rules.CALL, KIND] = rules.LOG_CALL
    moves[rules.CALL, COST] = min(stack, rules.call_cost(g, seat))


def _canonical(text: object) -> str:
    match = _MOVE.fullmatch(text.strip()) if isinstance(text, str) else None
    if match is None or (match[6] is not None and _number(match[6]) == 0):
        raise _invalid(text)
    if match[1]:
        return match[1].lower()
    if match[2]:
        return f"raise {_number(match[3])}"
    if match[4]:
        return f"attack {_number(match[5])}" + (f" +{_number(match[6])}" if match[6] else "")
    try:
        return f"discard {format_card(parse_card(match[8]))}"
    except ValueError:
        raise _invalid(text) from None


def _number(digits: str) -> int:
    """The number in digits; too many digits for any seat or amount of chips give one that is too large."""
    return int(digits.lstrip("0")[:12] or "0")


def _invalid(text: object) -> InvalidMoveError:
    return InvalidMoveError(
        f"{quote(text)} is no move: write stay, fold, buy, call, done, discard CARD, attack SEAT, raise "
        "CHIPS or, in no limit, attack SEAT +CHIPS"
    )


class _View:
    """A view: its fields, and what the rules make of them.

    Attributes:
        seat: whose view it is.
        prices: of each seat, in a battle.
        is_last: whether the hand is over and the last of its match.
        pile: the cards that the seat knows to be in the discard pile, as a set.
        deck: the same of the draw deck.
    """

    def __init__(self, views: States) -> None:
        self.views = views
        sums = np.zeros(rules.MAX_SEATS + 3, np.int64)
        sum_up(views, 0, sums)
        *self.prices, self.pile, self.deck, self.is_last = sums.tolist()
        self.seat = int(self.viewer)

    def __getattr__(self, field: str) -> Any:  # noqa: ANN401 - a number or an array of them
        return self.views[field][0]  # many times faster than by way of the record


@rule
def sum_up(views: States, i: int, sums: npt.NDArray[np.int64]) -> None:
    """Write what ``_View`` tells of view ``i``: prices, pile and deck as known, the last."""
    g = views[i]
    for seat in range(int(g.players)):
        sums[seat] = rules.price(g, seat)
    if g.viewer >= 0:
        sums[rules.MAX_SEATS] = known_pile(g, int(g.viewer))
        sums[rules.MAX_SEATS + 1] = known_deck(g, int(g.viewer))
    sums[rules.MAX_SEATS + 2] = g.phase == rules.ENDED and rules.is_match_over(g)


def describe(views: States) -> str:
    """A view in sentences of plain ASCII, at most 80 characters a line, for its seat to play from.

    It shows what everybody sees and what the seat knows (RULES.md 7), what has happened since the seat's last
    move, and then the moves it has, or who is to move, or how the hand ended.
    """
    g = _View(views)
    lines = [*_title(g), "", *_table(g), "", *_worth(g), *_passes(g), *_known(g), *_news(g), ""]
    if g.phase == rules.ENDED:
        return "\n".join(lines + _outcome(g))
    return "\n".join(lines + (_choices(g) if g.actor == g.seat else _waiting(g)))


class _Item(NamedTuple):
    """An entry of the menu: one move, or several that begin with the same words.

    Attributes:
        words: what its number stands for.
        rest: what must be added, "" if nothing.
        effect: what it costs or does.
    """

    words: str
    rest: str
    effect: str


def page(views: States, alone: bool = False) -> list[Part]:
    """A view in few words, for a person to play from: the table, what has happened, and a menu.

    Args:
        views: array (1,), a view, or all of them in one, see ``unite``.
        alone: whether the hand is looked at by itself: there is no menu, and no word of news or the match.
    """
    g = _View(views)
    parts = [Part(_heading(g)), Part(_rows(g))]
    if g.phase == rules.ENDED:
        news = [] if alone else _news(g)
        return [*parts, Part(news, 1), Part([*_shown(g), *_outcome(g, False, not alone)])]
    if g.seat < 0:
        return parts
    parts += [Part(_own(g)), Part(_passes(g), 1, joined=True), Part(_known(g), 2, joined=True)]
    if alone:
        return parts
    parts.append(Part(_news(g), brief=_news(g, 3)))
    if g.actor != g.seat:
        return [*parts, Part(_waiting(g))]
    items = _menu(g)
    numbers = [f"{number} {item.words} {item.rest}".rstrip() for number, item in enumerate(items, 1)]
    size = max(map(len, numbers))
    full = [
        line
        for text, item in zip(numbers, items, strict=True)
        for line in wrap(f"  {text:{size}}  {item.effect}", size + 4)
    ]
    brief = columns([f"{text}: {_cut(item.effect)}" for text, item in zip(numbers, items, strict=True)])
    return [*parts, Part(wrap(_asked(g))), Part(full, brief=brief, joined=True)]


def read_moves(views: States, text: str) -> list[str]:
    """What a person who is to move has typed, as moves in the notation, to be made one after the other.

    Besides the notation it takes a number of the menu with what follows it, several cards after ``discard``
    and a ``done`` after them, and words such as "raise by 4" and "attack seat 2 with 8 extra".

    Raises:
        InvalidMoveError: it is not clear what move is meant.
        IllegalMoveError: the move is not allowed now.
    """
    g = _View(views)
    words = text.lower().replace(",", " ").split()
    if words and words[0].isdecimal():
        items = _menu(g)
        number = _number(words[0])
        if not 1 <= number <= len(items):
            raise InvalidMoveError(
                f"{quote(words[0])} is no number of the menu: it goes from 1 to {len(items)}"
            )
        item = items[number - 1]
        if item.rest and not words[1:]:
            raise InvalidMoveError(
                f"{quote(words[0])} is {item.words!r}: write {item.rest} after it ({item.effect})"
            )
        words = [*item.words.split(), *words[1:]]
    verb = words[0] if words else ""
    if verb == "discard":
        return _read_discards(g, words[1:])
    if verb == "raise":
        rest = [word for word in words[1:] if word not in ("by", "chip", "chips")]
        if "to" in rest:
            raise InvalidMoveError(f"{quote(text)} is not clear: write by how much, such as raise by 4")
        words = ["raise", *rest]
    elif verb == "attack":
        words = ["attack", *_read_attack(text, words[1:])]
    move = " ".join(words)
    return [format_move(views, parse_move(views, move))]


def _read_discards(g: _View, words: list[str]) -> list[str]:
    own = int(g.soldiers[g.seat])
    named = ", ".join(format_cards(own)) or "none"
    ends = words[-1:] == ["done"]
    cards: list[int] = []
    for word in words[: len(words) - ends]:
        if word == "and":
            continue
        try:
            card = parse_card(word)
        except ValueError as error:
            raise InvalidMoveError(str(error)) from None
        if card in cards:
            raise InvalidMoveError(f"{format_card(card)!r} is there twice: write each card once")
        cards.append(card)
    if not cards:
        raise InvalidMoveError(f"discard: write which of your soldiers: {named}")
    for card in cards:
        parse_move(g.views, f"discard {format_card(card)}")  # raises if it is no soldier, or not the time
    left = own.bit_count() - len(cards)
    if ends and left > g.max_soldiers:
        raise IllegalMoveError(f"done is not allowed with {left} soldiers: {int(g.max_soldiers)} may be kept")
    return [f"discard {format_card(card)}" for card in cards] + ["done"] * (ends and left > 0)


def _read_attack(text: str, words: list[str]) -> list[str]:
    """Seat and extra in the notation."""
    rest = [word for word in words if word not in ("seat", "with", "an", "of", "chip", "chips")]
    if "extra" in rest:
        rest.remove("extra")
        if len(rest) == 2 and rest[1].isdecimal():
            rest[1] = f"+{rest[1]}"
    elif len(rest) == 2 and rest[1].isdecimal():
        raise InvalidMoveError(
            f"{quote(text)} is not clear: write an extra with a plus, attack SEAT +{rest[1]}"
        )
    return rest


def tell_last(views: States) -> str:
    """The last move of the hand as a sentence, "" if there is none or it was the end of discarding."""
    g = _View(views)
    entries = _entries(g)
    return _tell(g, entries, len(entries) - 1) if entries else ""


def tell_hand(views: States) -> list[str]:
    """The moves of the hand in sentences, as far as the view keeps them."""
    g = _View(views)
    entries = _entries(g)
    lost = ["(What was done before is not kept.)"] if len(entries) < g.moves else []
    told = [_tell(g, entries, place) for place in range(len(entries))]
    return wrap(" ".join([*lost, *(sentence for sentence in told if sentence)]) or "Nothing yet.")


def tell_chances(views: States, chances: Mapping[str, npt.NDArray[np.float64]]) -> list[str]:
    """What ``equity`` makes of the hand of the player to move.

    Args:
        views: array (1,), the player's view.
        chances: ``wins``, to win a fight with each seat; ``best``, (1,), to hold the best hand of all.
    """
    g = _View(views)
    suit = suit_of(int(g.banner[g.seat]))
    # With one suit among all banners the hand would be over, so there is a fight to be won.
    fights = [
        f"seat {other} {chances['wins'][other]:.0%}"
        for other in _others_in(g, g.seat)
        if suit_of(int(g.banner[other])) != suit
    ]
    return wrap(
        f"Hint of equity: Your chance to win a fight: {', '.join(fights)}. "
        f"You hold the best hand of all with a chance of {chances['best'][0]:.0%}."
    )


def is_out(views: States) -> bool:
    """Whether the seat of a view has no more say in the hand."""
    g = _View(views)
    return not g.in_hand[g.seat]


def unite(views: States) -> States:
    """All that any seat knows, in one record that belongs to no seat, for looking at a finished game.

    Args:
        views: array (N,), those of all seats at one moment.
    """
    whole = copy_states(views[:1])
    for seat in range(len(views)):
        whole["palace"][0, seat] = views["palace"][seat, seat]
        whole["dealt"][0, seat] = views["dealt"][seat, seat]
    whole["viewer"] = -1
    return whole


def _title(g: _View) -> list[str]:
    hand = f" Hand {int(g.hand) + 1} of {int(g.hands)}." if g.hands > 1 else ""
    return wrap(
        f"Palace Poker, {'no limit' if g.no_limit else 'limit'}: small bet {int(g.small_bet)}, big bet "
        f"{int(g.big_bet)}, ante {int(g.ante)}.{hand} You are seat {g.seat}. Pot {int(g.pot)}. Cards in "
        f"the draw deck {int(g.deck_size)}, in the discard pile {int(g.pile_size)}."
    )


def _table(g: _View) -> list[str]:
    """One row a seat: ``>`` is to move, ``D`` the dealer; a palace that is gone stands in brackets."""
    rows = [("", "seat", "banner", "palace", "price", "in pot", "chips", "soldiers")]
    for seat in range(int(g.players)):
        marks = (">" if seat == g.actor else " ") + ("D" if seat == g.button else " ")
        label = f"{seat} you" if seat == g.seat else f"{seat}"
        paid, chips = str(int(g.paid[seat])), str(int(g.stacks[seat]))
        if g.in_hand[seat]:
            banner, price = format_card(int(g.banner[seat])), str(g.prices[seat])
            soldiers = " ".join(format_cards(int(g.soldiers[seat]))) or "-"
        else:
            banner, price = "out", ""
            soldiers = "" if _was_dealt_in(g, seat) else "(no chips, so no cards)"
        rows.append((marks, label, banner, _palace(g, seat), price, paid, chips, soldiers))
    sizes = [max(len(row[column]) for row in rows) for column in range(7)]
    lines = []
    for row in rows:
        start = " ".join(
            cell.rjust(size) if column >= 4 else cell.ljust(size)
            for column, (cell, size) in enumerate(zip(row, sizes, strict=False))
        )
        lines += wrap(start + "  " + row[7], indent=len(start) + 2)
    return lines


def _palace(g: _View, seat: int) -> str:
    cards = [format_card(int(card)) for card in g.dealt[seat] if card != NO_CARD]
    if g.in_hand[seat]:
        return " ".join(cards or ["##"] * int(g.palace_cards))
    return f"({' '.join(cards)})" if cards else ""


def _worth(g: _View) -> list[str]:
    """The viewer's hand in words, plain and in each battle that could be."""
    seat = g.seat
    if not g.in_hand[seat]:
        return ["You are out of this hand." if _was_dealt_in(g, seat) else "You have no chips, so no cards."]
    cards = _cards(g, seat)
    if g.phase == rules.ENDED:
        return wrap(f"Your hand: {name_hand(best_hand(cards))}.")
    lines = wrap(f"Your hand: {name_hand(best_hand(cards))}. Your price in a battle: {g.prices[seat]}.")
    for other in _others_in(g, seat):
        suit = suit_of(int(g.banner[other]))
        if suit == suit_of(int(g.banner[seat])):
            lines.append(f"  No battle with seat {other}: its banner has the suit of yours.")
        else:
            strength = best_hand(cards & ~suit_cards(suit))
            price = g.prices[other]
            text = f"  Against seat {other} (price {price}), no {SUIT_NAMES[suit]}: {name_hand(strength)}."
            lines += wrap(text, indent=4)
    return lines


def _passes(g: _View) -> list[str]:
    if g.phase == rules.ENDED:
        return []
    verbs = {rules.STAYED: "stayed", rules.DISCARDED: "took a Discard turn"}
    done = [
        f"{_who(g, seat)} {verbs[int(g.passed[seat])]}"
        for seat in range(int(g.players))
        if g.in_hand[seat] and g.passed[seat]
    ]
    if not done:
        return []
    return wrap(
        f"Since the last buy or attack {_join(done)}. Once all in the hand have, there is a showdown."
    )


def _known(g: _View) -> list[str]:
    lines = []
    for place, cards in (("discard pile", g.pile), ("draw deck", g.deck)):
        if cards:
            lines += wrap(f"You know to be in the {place}: {' '.join(format_cards(cards))}.")
    return lines


def _news(g: _View, most: int = 1000) -> list[str]:
    """What was done from the viewer's last move on, as far as the log keeps it and so many lines hold it."""
    moves, entries = int(g.moves), _entries(g)
    own = [place for place, entry in enumerate(entries) if entry >> 4 & 15 == g.seat]
    told = [_tell(g, entries, place) for place in range(own[-1] if own else 0, len(entries))]
    told = [sentence for sentence in told if sentence]
    if not own and len(entries) < moves:
        told.insert(0, f"(What was done before the last {len(entries)} moves is not kept.)")
    lines = wrap(" ".join(told)) if told else []
    while len(lines) > most and len(told) > 1:
        del told[0]
        lines = wrap(" ".join(["(...)", *told]))
    return lines


def _entries(g: _View) -> list[int]:
    """The moves of the log, oldest first."""
    moves = int(g.moves)
    return [int(g.log[place % rules.LOG]) for place in range(max(0, moves - rules.LOG), moves)]


def _tell(g: _View, entries: list[int], place: int) -> str:
    """One move of the log as a sentence, see ``rules.log_move``; "" for the end of discarding."""
    entry = entries[place]
    kind, about, amount = entry & 15, entry >> 8 & 63, entry >> 20
    mover = _who(g, entry >> 4 & 15).capitalize()
    if kind == rules.LOG_DONE:
        return ""
    if kind == rules.LOG_STAY:
        return f"{mover} stayed."
    if kind == rules.LOG_FOLD:
        return f"{mover} folded against {_who(g, about - 1)}." if about else f"{mover} folded."
    if kind == rules.LOG_BUY:
        return f"{mover} bought {format_card(about)}."
    if kind == rules.LOG_DISCARD:
        return f"{mover} discarded {format_card(about)}."
    if kind == rules.LOG_RAISE:
        return f"{mover} called and raised by {amount}."
    if kind == rules.LOG_ATTACK:
        extra = amount - ((entry >> 14 & 15) + 1) * int(g.small_bet)
        return (
            f"{mover} attacked {_who(g, about)} for {amount}{f', {extra} of it extra' if extra > 0 else ''}."
        )
    other = _who(g, entries[place - 1] >> 4 & 15) if place else "the other side"
    fight = {
        rules.CALLER_WON: f"beat {other}",
        rules.CALLER_LOST: f"lost to {other}",
        rules.BOTH_OUT: f"tied with {other}",
    }
    return f"{mover} called for {amount or 'nothing'} and {fight[entry >> 18 & 3]}."


def _waiting(g: _View) -> list[str]:
    actor = int(g.actor)
    doing = {
        rules.TURN: "it is its turn",
        rules.DISCARDING: "it may discard",
        rules.ANSWERING: f"it answers an attack by {_who(g, int(g.opponent))}",
        rules.FACING_RAISE: f"it faces a raise of {int(g.owed)} by {_who(g, int(g.opponent))}",
    }
    return [f"Seat {actor} is to move: {doing[int(g.phase)]}."]


def _choices(g: _View) -> list[str]:
    moves = _moves(g.views)
    legal = [(_words(move), _effect(g, move)) for move in moves[moves[:, LEGAL] > 0]]
    size = max(len(words) for words, _ in legal)
    return [*wrap(_asked(g)), *(f"  {words:{size}}  {effect}".rstrip() for words, effect in legal)]


def _asked(g: _View) -> str:
    """What the viewer is asked."""
    seat = g.seat
    asked = "It is your turn."
    if g.phase == rules.DISCARDING:
        excess = int(g.soldiers[seat]).bit_count() - int(g.max_soldiers)
        must = f"discard {excess} at least" if excess > 0 else "you may discard"
        asked = f"You may keep {int(g.max_soldiers)} soldiers: {must}."
    elif g.phase == rules.ANSWERING:
        extra = f", with an extra of {int(g.owed)} to be matched" if g.owed else ""
        asked = f"Seat {int(g.opponent)} attacks you{extra}."
    elif g.phase == rules.FACING_RAISE:
        asked = f"Seat {int(g.opponent)} raised by {int(g.owed)}."
    if g.phase in (rules.ANSWERING, rules.FACING_RAISE) and not g.no_limit and g.max_raises >= 0:
        asked += f" Raises in this battle: {int(g.raises)} of {int(g.max_raises)} at most."
    return f"{asked} Your moves:"


def _effect(g: _View, move: npt.NDArray[np.int64]) -> str:
    """What a legal move costs, or does where that needs saying."""
    kind, cost, chips = int(move[KIND]), int(move[COST]), int(g.stacks[g.seat])
    if kind == rules.LOG_FOLD:
        beaten = f"seat {int(g.opponent)} captures your soldiers and banner"
        return "leave the hand" if g.phase == rules.TURN else beaten
    if chips == 0 and kind == rules.LOG_CALL:
        return "pay nothing, you have no chips, then fight"
    pay = f"pay {cost}{', all you have' if chips == cost else ''}" if cost else ""
    ends = {rules.LOG_BUY: " and draw a soldier", rules.LOG_CALL: ", then fight"}
    return pay + ends.get(kind, "")


def _outcome(g: _View, with_hands: bool = True, with_match: bool = True) -> list[str]:
    """Who won what and why, the hands of a showdown and the match if they are wanted, and all results."""
    pot = int(sum(g.paid))
    left = [seat for seat in range(int(g.players)) if g.in_hand[seat]]
    names = [_who(g, seat) for seat in left]
    lines = ["The hand is over."]
    if g.end == rules.LAST_STANDING:
        lines += wrap(f"{names[0].capitalize()} stood last and won the pot of {pot}.")
    elif g.end == rules.SAME_BANNER:
        suit = SUIT_NAMES[suit_of(int(g.banner[left[0]]))]
        lines += wrap(f"All who are left have banners of {suit}: {_join(names)} split the pot of {pot}.")
    elif g.end == rules.BATTLE_TIE:
        lines += wrap(f"The last two tied in every way: {_join(names)} split the pot of {pot}.")
    else:
        hands = {seat: best_hand(_cards(g, seat)) for seat in left}
        best = max(hands.values())
        winners = [_who(g, seat) for seat in left if hands[seat] == best]
        verb = "split" if len(winners) > 1 else "won"
        if with_hands:
            lines.append("Showdown:")
            lines += [f"  {_who(g, seat)}: {name_hand(strength)}" for seat, strength in hands.items()]
        else:
            lines = ["The hand is over: all who were left showed their palaces."]
        lines += wrap(f"{_join(winners).capitalize()} {verb} the pot of {pot}.")
    lines += wrap(f"Won and lost: {_signed(g, g.net)}.")
    if g.hands > 1 and with_match and not g.lone:
        lines += wrap(f"In the match so far: {_signed(g, g.score)}.")
        if g.is_last:
            most = max(g.score[: int(g.players)])
            ahead = [_who(g, seat) for seat in range(int(g.players)) if g.score[seat] == most]
            lines += wrap(f"The match is over: {_join(ahead)} won{' together' if len(ahead) > 1 else ''}.")
    return lines


def _heading(g: _View) -> list[str]:
    hand = f", hand {int(g.hand) + 1} of {int(g.hands)}" if g.hands > 1 else ""
    pot = int(sum(g.paid)) if g.phase == rules.ENDED else int(g.pot)
    return wrap(
        f"Palace Poker{hand}. Pot {pot}, draw deck {int(g.deck_size)}, discard pile {int(g.pile_size)}."
    )


def _rows(g: _View) -> list[str]:
    """The table, with what the viewer's hand is against each seat or, if it is out, with palaces."""
    ended = g.phase == rules.ENDED
    fights = g.seat >= 0 and not ended and bool(g.in_hand[g.seat])
    shows = g.seat < 0 or (ended and g.end == rules.SHOWDOWN)
    last = "your hand against it" if fights else "hand" if shows else ""
    rows = [["", "seat", "banner", "palace", "price", "in pot", "chips", "soldiers", last]]
    for seat in range(int(g.players)):
        marks = (">" if seat == g.actor else " ") + ("D" if seat == g.button else " ")
        row = [marks, f"{seat} you" if seat == g.seat else f"{seat}", "out", _palace(g, seat), ""]
        row += [str(int(g.paid[seat])), str(int(g.stacks[seat])), "", ""]
        if g.in_hand[seat]:
            row[2], row[4] = format_card(int(g.banner[seat])), str(g.prices[seat])
            row[7] = " ".join(format_cards(int(g.soldiers[seat]))) or "-"
            if fights:
                row[8] = _against(g, seat)
            elif shows:
                row[8] = _short(best_hand(_cards(g, seat)))
        elif not _was_dealt_in(g, seat):
            row[7] = "no chips"
        rows.append(row)
    kept = [column for column in range(9) if not ((column == 3 and fights) or (column == 4 and ended))]
    flush = [place for place, column in enumerate(kept) if column in (4, 5, 6)]
    return align([[row[column] for column in kept] for row in rows], flush)


def _against(g: _View, other: int) -> str:
    """The viewer's hand in a battle with another in few words."""
    suit = suit_of(int(g.banner[other]))
    if other == g.seat:
        return ""
    if suit == suit_of(int(g.banner[g.seat])):
        return "no battle: your suit"
    return _short(best_hand(_cards(g, g.seat) & ~suit_cards(suit)))


def _short(strength: int) -> str:
    """A strength in few words: without its kickers."""
    name = re.sub(r", [a-z ]+ kickers?$|^full house, |^two pair, ", "", name_hand(strength))
    return re.sub(r"^(flush,|high card) (\w+).*", r"\1 \2", name)


def _own(g: _View) -> list[str]:
    if not g.in_hand[g.seat]:
        return _worth(g)
    hand = name_hand(best_hand(_cards(g, g.seat)))
    return wrap(f"Your palace {_palace(g, g.seat)}: {hand}. Your price: {g.prices[g.seat]}.")


def _cut(effect: str) -> str:
    """An effect in fewer words."""
    for words, fewer in ((", or more:", ";"), (", all you have", " (all)"), ("one or more of ", "")):
        effect = effect.replace(words, fewer)
    return effect


def _menu(g: _View) -> list[_Item]:
    """The moves of the viewer; those of one kind, or on one seat, are one entry."""
    legal = _moves(g.views)
    legal = legal[legal[:, LEGAL] > 0]
    groups: dict[tuple[int, int], list[npt.NDArray[np.int64]]] = {}
    for move in legal:
        about = int(move[ABOUT]) if move[KIND] == rules.LOG_ATTACK else 0
        groups.setdefault((int(move[KIND]), about), []).append(move)
    return [_item(g, kind, moves) for (kind, _), moves in groups.items()]


def _item(g: _View, kind: int, moves: list[npt.NDArray[np.int64]]) -> _Item:
    first = moves[0]
    if kind == rules.LOG_DISCARD:
        cards = " ".join(format_card(int(move[ABOUT])) for move in moves)
        fee = f", pay {int(first[COST])}" if first[COST] else ""
        return _Item("discard", "CARD", f"one or more of {cards}{fee}")
    if kind == rules.LOG_RAISE and len(moves) > 1:
        amounts = " ".join(str(int(move[CHIPS])) for move in moves)
        return _Item("raise", "CHIPS", f"{amounts}, besides {int(first[COST] - first[CHIPS])} for the call")
    effect = _effect(g, first)
    if kind == rules.LOG_ATTACK and len(moves) > 1:
        effect += f", or more: {' '.join(f'+{int(move[CHIPS])}' for move in moves[1:])}"
    if not effect:
        effect = "keep the rest" if kind == rules.LOG_DONE else "pay nothing"
    return _Item(_words(first), "", effect)


def _shown(g: _View) -> list[str]:
    """Who has been shown whose palace by somebody who is out, or by anybody if there was no showdown."""
    pairs = []
    for owner in range(int(g.players)):
        if g.end == rules.SHOWDOWN and g.in_hand[owner]:
            continue
        viewers = [seat for seat in range(int(g.players)) if seat != owner and int(g.seen[seat]) >> owner & 1]
        if viewers:
            pairs.append(f"{_who(g, owner)} to {_join([_who(g, seat) for seat in viewers])}")
    if pairs:
        return wrap(f"Palaces shown in battles: {'; '.join(pairs)}.")
    return [] if g.end == rules.SHOWDOWN else ["No palace was shown."]


def _signed(g: _View, amounts: npt.NDArray[np.int32]) -> str:
    seats = [seat for seat in range(int(g.players)) if _was_dealt_in(g, seat) or amounts[seat]]
    return ", ".join(f"{_who(g, seat)} {int(amounts[seat]):+d}" for seat in seats)


def _was_dealt_in(g: _View, seat: int) -> bool:
    return bool(int(g.paid[seat]) + int(g.stacks[seat]) > 0)


def _others_in(g: _View, seat: int) -> list[int]:
    """The others in the hand, from the left."""
    ahead = [(seat + step) % int(g.players) for step in range(1, int(g.players))]
    return [other for other in ahead if g.in_hand[other]]


def _cards(g: _View, seat: int) -> int:
    """All cards of a player in the hand whose palace the viewer knows."""
    return int(g.soldiers[seat]) | 1 << int(g.banner[seat]) | int(g.palace[seat])


def _who(g: _View, seat: int) -> str:
    return "you" if seat == g.seat else f"seat {seat}"


def _join(names: list[str]) -> str:
    return names[0] if len(names) == 1 else f"{', '.join(names[:-1])} and {names[-1]}"


# What the actor is asked, and what a call came to, as programs are told.
PHASES = ("turn", "discarding", "answering", "raised", "over")
_FIGHTS = {rules.CALLER_WON: "won", rules.CALLER_LOST: "lost", rules.BOTH_OUT: "tied"}


def view_data(states: States) -> dict[str, Any]:
    """A view as data that JSON can hold, for programs: what ``describe`` tells, ``None`` where it hides.

    Returns:
        Seats, chips and counts are ints, cards text such as ``"Ah"``, moves the notation, with what came of
        them; docs/protocol.md explains every key.
    """
    g = _View(states)
    seats = range(int(g.players))
    is_over = g.phase == rules.ENDED
    return {
        "game": "palace",
        "seat": g.seat,
        "players": int(g.players),
        "hand": int(g.hand),
        "hands": int(g.hands),
        "phase": PHASES[int(g.phase)],
        "actor": int(g.actor) if g.actor >= 0 else None,
        "opponent": int(g.opponent) if g.opponent >= 0 else None,
        "owed": int(g.owed),
        "raises": int(g.raises),
        "button": int(g.button),
        "pot": int(g.pot),
        "deck": int(g.deck_size),
        "pile": int(g.pile_size),
        "known_in_deck": format_cards(g.deck),
        "known_in_pile": format_cards(g.pile),
        "seats": [_seat_data(g, seat) for seat in seats],
        "moves": _moves_data(g),
        "net": [int(g.net[seat]) for seat in seats] if is_over else None,
        "score": [int(g.score[seat]) for seat in seats],
    }


def _seat_data(g: _View, seat: int) -> dict[str, Any]:
    palace = [format_card(int(card)) for card in g.dealt[seat] if card != NO_CARD]
    is_in = bool(g.in_hand[seat])
    return {
        "in_hand": is_in,
        "banner": format_card(int(g.banner[seat])) if is_in else None,
        "palace": palace or None,
        "soldiers": format_cards(int(g.soldiers[seat])),
        "price": g.prices[seat] if is_in else None,
        "paid": int(g.paid[seat]),
        "chips": int(g.stacks[seat]),
        "passed": (None, "stay", "discard")[int(g.passed[seat])],
    }


def _moves_data(g: _View) -> list[dict[str, Any]]:
    """The moves that the log keeps, oldest first, see ``rules.log_move``."""
    told = []
    for place in range(max(0, int(g.moves) - rules.LOG), int(g.moves)):
        entry = int(g.log[place % rules.LOG])
        kind, about, amount = entry & 15, entry >> 8 & 63, entry >> 20
        move: dict[str, Any] = {"seat": entry >> 4 & 15, "move": _WORDS.get(kind, "")}
        if kind == rules.LOG_DISCARD:
            move["move"] = f"discard {format_card(about)}"
        elif kind == rules.LOG_RAISE:
            move["move"] = f"raise {amount}"
        elif kind == rules.LOG_BUY:
            move["card"] = format_card(about)
        elif kind == rules.LOG_ATTACK:
            extra = amount - ((entry >> 14 & 15) + 1) * int(g.small_bet)
            move["move"] = f"attack {about}" + (f" +{extra}" if extra > 0 else "")
            move["paid"] = amount
        elif kind == rules.LOG_CALL:
            move["paid"] = amount
            move["fight"] = _FIGHTS[entry >> 18 & 3]
        told.append(move)
    return told
