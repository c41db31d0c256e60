"""Detective Poker in words: moves to and from the notation of RULES.md 13, and a view in sentences."""

import re
from collections.abc import Iterator, Mapping
from typing import Any

import numpy as np
import numpy.typing as npt

from card_table.cards import NO_CARD, format_card, set_of
from card_table.compile import rule
from card_table.game import IllegalMoveError, InvalidMoveError, States, copy_states
from card_table.given import quote
from card_table.hands import best_hand, name_hand
from card_table.page import Part, align, wrap
from detective_env import rules

VERBS = ("bet",)
ACTIONS = ("+1", "clockwise", "bluff", "blank")  # the action cards, in the order of their kinds
STREETS = ("preflop", "flop", "turn", "river")

_MOVE = re.compile(r"bet\s+(\d+)\s+(\d+)(?:\s+(\+1|clockwise|bluff|blank))?", re.ASCII | re.IGNORECASE)
_FILLERS = ("seat", "chip", "chips", "with", "under", "it", "a", "and")
_EFFECTS = {
    rules.PLUS_ONE: "a point more if the bet is right",
    rules.CLOCKWISE: "the bet is on the hand of the player clockwise of the one named",
    rules.BLUFF: "the bet is that the one named has the weakest hand",
    rules.BLANK: "nothing, but the others see a card",
}

HELP = (
    "bet 2 3: 3 chips on seat 2, which you think has the best hand now. The word bet may be left out.",
    "bet 2 3 bluff, or 2 3 bluff: the same with an action card under it, whose name may be cut short.",
    "bet 3 on seat 2, bet 1 on me: the chips first, with the word on.",
    *(f"{ACTIONS[kind - 1]}: {effect}." for kind, effect in _EFFECTS.items()),
)


def format_move(states: States, action: int) -> str:
    """An action of the actor in the notation, whether it is legal now or not; "" if it has no words."""
    actor, players = int(states["actor"][0]), int(states["players"][0])
    if actor < 0 or not 0 <= action < players * rules.BETS:
        return ""
    board = (actor + action // rules.BETS) % players
    card = int(rules.card_of(action))
    return _words(board, int(rules.chips_of(action)), ACTIONS[card - 1] if card else "")


def parse_move(states: States, text: object) -> int:
    """The action of the actor that a text means.

    Raises:
        InvalidMoveError: the text is no move.
        IllegalMoveError: the move is not allowed now.
    """
    canonical = _canonical(text)
    legal = {format_move(states, action): action for action in _legal(states)}
    if canonical not in legal:
        actor = int(states["actor"][0])
        raise IllegalMoveError(f"{quote(text)} is not allowed now, seat {actor} may: {', '.join(legal)}")
    return legal[canonical]


def _legal(states: States) -> list[int]:
    mask = np.zeros(int(states["seats"][0]) * rules.BETS, np.bool_)
    list_moves(states, 0, mask)
    return [int(action) for action in np.flatnonzero(mask)]


@rule
def list_moves(states: States, i: int, mask: npt.NDArray[np.bool_]) -> None:
    """Write which actions the actor of game ``i`` may take into ``mask``, bool (A,)."""
    rules.legal_actions(states[i], mask)


def _words(board: int, chips: int, card: str) -> str:
    return f"bet {board} {chips} {card}".rstrip()


def _canonical(text: object) -> str:
    match = _MOVE.fullmatch(text.strip()) if isinstance(text, str) else None
    if match is None:
        raise InvalidMoveError(
            f"{quote(text)} is no move: write bet SEAT CHIPS, or bet SEAT CHIPS CARD with a card of "
            f"{', '.join(ACTIONS)}"
        )
    return _words(_number(match[1]), _number(match[2]), (match[3] or "").lower())


def _number(digits: str) -> int:
    """The number in digits; too many digits for any seat or number of chips give one that is too large."""
    return int(digits.lstrip("0")[:12] or "0")


class _View:
    """A view: its fields, and what the rules make of them.

    Attributes:
        seat: whose view it is.
        most: the chips that the actor may bet at most.
        leaders: who wins the game if it is over, as a set of seats, else 0.
        last: the last street of which the board lies open.
    """

    def __init__(self, views: States) -> None:
        self.views = views
        sums = np.zeros(2, np.int64)
        sum_up(views, 0, sums)
        self.most, self.leaders = sums.tolist()
        self.seat = int(self.viewer)
        self.last = int(self.street)

    def __getattr__(self, field: str) -> Any:  # noqa: ANN401 - a number or an array of them
        return self.views[field][0]  # many times faster than by way of the record


@rule
def sum_up(views: States, i: int, sums: npt.NDArray[np.int64]) -> None:
    """Write the most chips that the actor of view ``i`` may bet, then who wins the game if it is over."""
    g = views[i]
    if g.actor >= 0:
        sums[0] = rules.most_chips(g, int(g.actor))
    elif rules.is_match_over(g):
        sums[1] = rules.winners(g)


def describe(views: States) -> str:
    """A view in sentences of plain ASCII, at most 80 characters a line, for its seat to play from.

    It shows what everybody sees and what the seat knows (RULES.md 8), all bets of the hand, and then the
    moves that the seat has, or who is to move, or how the hand was scored.
    """
    g = _View(views)
    lines = [*_title(g), "", *_table(g), "", *_cards(g), *_worth(g), "", *_bets(g)]
    if g.scored:
        return "\n".join([*lines, "", *_scoring(g)])
    return "\n".join([*lines, *(_choices(g) if g.actor == g.seat else _waiting(g))])


def page(views: States, alone: bool = False) -> list[Part]:
    """A view in few words, for a person to play from: the table, the bets, what has happened, and the choice.

    Args:
        views: array (1,), a view, or all of them in one, see ``unite``.
        alone: whether the hand is looked at by itself: there is no choice, and no word of news or the game.
    """
    g = _View(views)
    if g.scored:
        return [Part(_heading(g)), Part(_all_cards(g)), *_scores(g), Part(_totals(g, not alone))]
    parts = [Part(_heading(g)), Part(_rows(g)), Part(_board(g), joined=True), Part(_bets_by_street(g))]
    if g.seat < 0 or alone:
        return parts
    parts.append(Part(_news(g), brief=_news(g, 3)))
    return [*parts, Part(_asked(g) if g.actor == g.seat else _waiting(g)[1:])]


def read_moves(views: States, text: str) -> list[str]:
    """What a person who is to bet has typed, as a list of one move in the notation.

    Besides the notation it takes ``2 3 bluff`` and "bet 3 chips on seat 2 with a bluff", the start of an
    action card's name, and ``me`` for the own seat.

    Raises:
        InvalidMoveError: it is not clear what bet is meant.
        IllegalMoveError: the bet is not allowed now.
    """
    words = text.lower().replace(",", " ").split()
    if words[:1] == ["bet"]:
        del words[0]
    own = str(int(views["viewer"][0]))
    words = [own if word in ("me", "myself", "yourself") else word for word in words]
    words = [
        word for word in words if word not in ("seat", "chip", "chips", "with", "under", "it", "a", "and")
    ]
    if "on" in words:
        place = words.index("on")
        words = [*words[place + 1 : place + 2], *words[:place], *words[place + 2 :]]
    if len(words) == 3 and words[2] not in ACTIONS:
        found = [card for card in ACTIONS if card.startswith(words[2])]
        if len(found) != 1:
            means = f"could be {' or '.join(found)}" if found else f"is none of {', '.join(ACTIONS)}"
            raise InvalidMoveError(f"{quote(text)} is not clear: the card {quote(words[2])} {means}")
        words[2] = found[0]
    if len(words) not in (2, 3) or not (words[0].isdecimal() and words[1].isdecimal()):
        raise InvalidMoveError(
            f"{quote(text)} is no bet: write SEAT CHIPS, such as 2 3, and a card if you like, such as "
            "2 3 bluff"
        )
    move = " ".join(["bet", *words])
    legal = [format_move(views, action) for action in _legal(views)]
    if _canonical(move) not in legal:
        raise IllegalMoveError(f"{quote(move)} is not allowed now. {_limits(_View(views))}")
    return [_canonical(move)]


def tell_last(views: States) -> str:
    """The last bet of the hand as a sentence, "" if there is none."""
    g = _View(views)
    bets = list(_places(g))
    return _tell(g, *bets[-1]) if bets else ""


def tell_hand(views: States) -> list[str]:
    """The bets of the hand in sentences."""
    g = _View(views)
    return wrap(" ".join(_tell(g, *place) for place in _places(g)) or "No bets yet.")


def tell_chances(views: States, chances: Mapping[str, npt.NDArray[np.float64]]) -> list[str]:
    """What ``equity`` makes of the cards that the player to bet sees.

    Args:
        views: array (1,), the player's view.
        chances: ``best``, of each seat to have or share the best hand of the street; ``weakest``, the same.
    """
    g = _View(views)
    told = [
        f"{what} {', '.join(f'{_who(g, seat)} {chances[key][seat]:.0%}' for seat in [g.seat, *_others(g)])}"
        for what, key in (("best hand", "best"), ("weakest", "weakest"))
    ]
    return wrap(f"Hint of equity, by the cards alone: {'; '.join(told)}.")


def is_out(views: States) -> bool:
    """Whether the seat of a view has no more say in the hand: with the last bet it is over for all."""
    return bool(views["scored"][0])


def unite(views: States) -> States:
    """All that any seat knows, in one record that belongs to no seat, for looking at a finished game.

    Args:
        views: array (N,), those of all seats at one moment.
    """
    whole = copy_states(views[:1])
    for seat in range(len(views)):
        whole["private"][0, seat] = views["private"][seat, seat]
        whole["exposed"][0, seat] = views["exposed"][(seat + 1) % len(views), seat]
        whole["cards"][0, seat] = views["cards"][seat, seat]
        whole["bet_card"][0, :, seat] = views["bet_card"][seat, :, seat]
    whole["viewer"] = -1
    return whole


def _title(g: _View) -> list[str]:
    mode = ", expert mode" if g.expert else ""
    where = "The hand is over." if g.scored else f"The street is the {STREETS[g.last]}."
    if g.last == 0 and not g.scored:
        where = "The street is preflop."
    return wrap(
        f"Detective Poker{mode}. Hand {int(g.hand) + 1} of {int(g.hands)}. {where} "
        f"You are seat {g.seat}, the dealer is {_who(g, int(g.dealer))}."
    )


def _table(g: _View) -> list[str]:
    """One row a seat: ``>`` is to bet, ``D`` the dealer; ``##`` is a card that the viewer does not see."""
    rows: list[tuple[str, ...]] = [("", "seat", "exposed", "private", "chips", "action cards", "points")]
    for seat in range(int(g.players)):
        marks = (">" if seat == g.actor else " ") + ("D" if seat == g.dealer else " ")
        label = f"{seat} you" if seat == g.seat else f"{seat}"
        numbers = (g.chips_left[seat], g.n_cards[seat], g.points[seat])
        cards = (_card(int(g.exposed[seat])), _card(int(g.private[seat])))
        rows.append((marks, label, *cards, *(str(int(number)) for number in numbers)))
    sizes = [max(len(row[column]) for row in rows) for column in range(7)]
    return [
        " ".join(
            cell.rjust(size) if column >= 4 else cell.ljust(size)
            for column, (cell, size) in enumerate(zip(row, sizes, strict=True))
        ).rstrip()
        for row in rows
    ]


def _card(card: int) -> str:
    return "##" if card == NO_CARD else format_card(card)


def _cards(g: _View) -> list[str]:
    """The board, what was thrown out, and the action cards in the viewer's hand."""
    board = [format_card(int(card)) for card in g.board if card != NO_CARD]
    lines = wrap(f"Board: {' '.join(board)}." if board else "Board: no cards yet.")
    thrown = [format_card(int(card)) for card in g.thrown.ravel() if card != NO_CARD]
    if thrown:
        lines += wrap(f"Thrown out: {' '.join(thrown)}.")
    held = ", ".join(ACTIONS[kind - 1] for kind in _held(g)) or "none"
    return lines + wrap(f"Action cards in your hand: {held}.")


def _worth(g: _View) -> list[str]:
    """What each player's card that the viewer sees makes with the board."""
    if g.scored:
        return []
    lines = ["What the card of each player that you see makes with the board:"]
    for seat in [g.seat, *_others(g)]:
        card = int(g.private[seat] if seat == g.seat else g.exposed[seat])
        strength = best_hand(_board_on(g, g.last) | 1 << card)
        lines += wrap(f"  {_who(g, seat)}: {name_hand(strength)}", indent=4)
    return lines


def _bets(g: _View) -> list[str]:
    """All bets of the hand, street by street, in order, with what brought points once it is scored."""
    if not (g.bet_board >= 0).any():
        return ["No bets yet in this hand."]
    lines = ["Bets in this hand, in order:"]
    for street in range(g.last + 1):
        seats = [(int(g.dealer) + 1 + street + ahead) % int(g.players) for ahead in range(int(g.players))]
        for seat in seats:
            if g.bet_board[street, seat] >= 0:
                lines += wrap(f"  {STREETS[street]:7}  {_bet(g, seat, street)}", indent=11)
    return lines


def _bet(g: _View, seat: int, street: int) -> str:
    chips, card = int(g.bet_chips[street, seat]), int(g.bet_card[street, seat])
    board = int(g.bet_board[street, seat])
    on = ("yourself" if seat == g.seat else "itself") if board == seat else _who(g, board)
    text = f"{_who(g, seat)}: {_count(chips, 'chip')} on {on}"
    if card == rules.FACE_DOWN:
        text += ", a card under it"
    elif card != rules.NONE:
        text += f", {ACTIONS[card - 1]} under it"
    if g.scored:
        points = int(g.bet_points[street, seat])
        text += f" - {'right' if points > 0 else 'wrong'}, {_count(points, 'point')}"
    return text


def _count(number: int, name: str) -> str:
    return f"{number} {name}{'' if abs(number) == 1 else 's'}"


def _waiting(g: _View) -> list[str]:
    return ["", f"Seat {int(g.actor)} is to bet."]


def _choices(g: _View) -> list[str]:
    """What every part of a bet may be."""
    to_come = int(g.streets) - 1 - g.last
    keep = f", as each street to come needs one ({to_come})" if to_come else ""
    chips = f"1 to {g.most}" if g.most > 1 else "1"
    parts = [
        ("SEAT", f"0 to {int(g.players) - 1}: who has the best hand now, of both cards; yours is {g.seat}"),
        ("CHIPS", f"{chips}, of your {int(g.chips_left[g.seat])}{keep}; a right bet brings as many points"),
    ]
    for kind in _held(g):
        costs = ", a point lost if it is wrong" if kind == rules.PLUS_ONE and g.expert else ""
        name = "CARD" if len(parts) == 2 else ""
        parts.append((name, f"{ACTIONS[kind - 1]}: {_EFFECTS[kind]}{costs}"))
    lines = ["", f"It is your bet. Your moves: bet SEAT CHIPS{' or bet SEAT CHIPS CARD' if _held(g) else ''}"]
    for name, meaning in parts:
        lines += wrap(f"  {name:5}  {meaning}", indent=9)
    return lines


def _held(g: _View) -> list[int]:
    """The kinds of action cards in the viewer's hand."""
    return [kind for kind in range(1, rules.KINDS) if int(g.cards[g.seat]) >> kind & 1]


def _heading(g: _View) -> list[str]:
    mode = ", expert mode" if g.expert else ""
    street = "" if g.scored else f", {STREETS[g.last]}"
    you = f"You are seat {g.seat}. " if g.seat >= 0 else ""
    return wrap(
        f"Detective Poker{mode}, hand {int(g.hand) + 1} of {int(g.hands)}{street}. {you}"
        f"The dealer is {_who(g, int(g.dealer))}."
    )


def _rows(g: _View) -> list[str]:
    """The cards of the table; ``##`` is one that the viewer does not see."""
    last = "with the board, the card you see makes" if g.seat >= 0 else "hand"
    rows = [["", "seat", "exposed", "private", last]]
    for seat in range(int(g.players)):
        exposed, private = int(g.exposed[seat]), int(g.private[seat])
        cards = {card for card in (exposed, private) if card != NO_CARD}
        hand = name_hand(best_hand(_board_on(g, g.last) | set_of(cards)))
        rows.append([_marks(g, seat), _label(g, seat), _card(exposed), _card(private), hand])
    return align(rows)


def _marks(g: _View, seat: int) -> str:
    return (">" if seat == g.actor else " ") + ("D" if seat == g.dealer else " ")


def _label(g: _View, seat: int) -> str:
    return f"{seat} you" if seat == g.seat else f"{seat}"


def _board(g: _View) -> list[str]:
    board = [format_card(int(card)) for card in g.board[: rules.board_size(g.last)]]
    thrown = [format_card(int(card)) for card in g.thrown.ravel() if card != NO_CARD]
    out = f" Thrown out: {' '.join(thrown)}." if thrown else ""
    return wrap(f"   Board: {' '.join(board) or 'no cards yet'}.{out}")


def _bets_by_street(g: _View) -> list[str]:
    """Points, chips and action cards left, and all bets, ``##`` being a card under one that is not seen."""
    streets = range(int(g.streets))
    rows = [["", "seat", "points", "chips", "cards", *(STREETS[street] for street in streets)]]
    for seat in range(int(g.players)):
        numbers = (g.points[seat], g.chips_left[seat], g.n_cards[seat])
        bets = [_bet_in_short(g, seat, street) for street in streets]
        rows.append([_marks(g, seat), _label(g, seat), *(str(int(number)) for number in numbers), *bets])
    return align(rows, (2, 3, 4))


def _bet_in_short(g: _View, seat: int, street: int) -> str:
    if g.bet_board[street, seat] < 0:
        return ""
    card = int(g.bet_card[street, seat])
    under = "##" if card == rules.FACE_DOWN else "" if card == rules.NONE else ACTIONS[card - 1]
    return f"{int(g.bet_chips[street, seat])} on {int(g.bet_board[street, seat])} {under}".rstrip()


def _places(g: _View) -> Iterator[tuple[int, int]]:
    """Street and seat of all bets, in the order made."""
    for street in range(int(g.streets)):
        for ahead in range(int(g.players)):
            seat = (int(g.dealer) + 1 + street + ahead) % int(g.players)
            if g.bet_board[street, seat] >= 0:
                yield street, seat


def _tell(g: _View, street: int, seat: int) -> str:
    """A bet as a sentence, with the street before its first one."""
    chips, card = int(g.bet_chips[street, seat]), int(g.bet_card[street, seat])
    board = int(g.bet_board[street, seat])
    on = ("yourself" if seat == g.seat else "itself") if board == seat else _who(g, board)
    under = ""
    if card != rules.NONE:
        under = " with a card under it" if card == rules.FACE_DOWN else f" with {ACTIONS[card - 1]} under it"
    opens = seat == (int(g.dealer) + 1 + street) % int(g.players)
    start = f"{_dealt(g, street)} " if opens and street else ""
    return f"{start}{_who(g, seat).capitalize()} bet {_count(chips, 'chip')} on {on}{under}."


def _dealt(g: _View, street: int) -> str:
    """The cards that a street brought."""
    cards = g.board[rules.board_size(street - 1) : rules.board_size(street)]
    return f"The {STREETS[street]} was {' '.join(format_card(int(card)) for card in cards)}."


def _news(g: _View, most: int = 1000) -> list[str]:
    """What has happened since the viewer's last bet, the last of it that so many lines hold."""
    bets = list(_places(g))
    own = [place for place, (_, seat) in enumerate(bets) if seat == g.seat]
    told = [_tell(g, *bet) for bet in bets[own[-1] if own else 0 :]]
    if g.last and g.actor == (int(g.dealer) + 1 + g.last) % int(g.players):
        told.append(_dealt(g, g.last))
    lines = wrap(" ".join(told)) if told else []
    while len(lines) > most and len(told) > 1:
        del told[0]
        lines = wrap(" ".join(["(...)", *told]))
    return lines


def _asked(g: _View) -> list[str]:
    example = f"{_others(g)[0]} 1"
    held = _held(g)
    card = f", and an action card if you like: {example} {ACTIONS[held[0] - 1]}" if held else ""
    return wrap(f"Your bet: the seat that has the best hand now and chips, such as {example}{card}.") + wrap(
        _limits(g)
    )


def _limits(g: _View) -> str:
    """What the parts of a bet may be."""
    to_come = int(g.streets) - 1 - g.last
    keep = f", {to_come} for later streets" if to_come else ""
    chips = f"1 to {g.most}" if g.most > 1 else "1"
    cards = ", ".join(ACTIONS[kind - 1] for kind in _held(g)) or "none left"
    return (
        f"Seats: 0 to {int(g.players) - 1}, yours is {g.seat}. Chips: {chips} of your "
        f"{int(g.chips_left[g.seat])}{keep}. Action cards: {cards}."
    )


def _all_cards(g: _View) -> list[str]:
    """The cards of all seats, and the board."""
    hands = [
        f"{_who(g, seat)} {_card(int(g.private[seat]))} {_card(int(g.exposed[seat]))}"
        for seat in range(int(g.players))
    ]
    return wrap(f"Private and exposed cards: {', '.join(hands)}.") + [line.strip() for line in _board(g)]


def _scores(g: _View) -> Iterator[Part]:
    """The scoring, street by street, bet by bet."""
    for street in range(int(g.streets)):
        strengths = _strengths(g, street)
        told = []
        for word, extreme in (("best", max(strengths)), ("weakest", min(strengths))):
            names = [_who(g, seat) for seat, strength in enumerate(strengths) if strength == extreme]
            told.append(f"{word} {_join(names)}, {name_hand(extreme)}")
        bets = [_scored_bet(g, street, seat) for at, seat in _places(g) if at == street]
        head = wrap(f"{STREETS[street].capitalize()}: {'; '.join(told)}.")
        yield Part([*head, *("  " + line for line in _short_wrap(" ".join(bets)))])


def _short_wrap(text: str) -> list[str]:
    """The lines of a paragraph that is to be indented."""
    return [line[2:] for line in wrap("  " + text, 2)]


def _scored_bet(g: _View, street: int, seat: int) -> str:
    points = int(g.bet_points[street, seat])
    board = int(g.bet_board[street, seat])
    on = ("yourself" if seat == g.seat else "itself") if board == seat else _who(g, board)
    card = int(g.bet_card[street, seat])
    under = f" with {ACTIONS[card - 1]}" if card != rules.NONE else ""
    right = "right" if points > 0 else "wrong"
    return (
        f"{_who(g, seat).capitalize()}: {int(g.bet_chips[street, seat])} on {on}{under}, {right}, "
        f"{_count(points, 'point')}."
    )


def _strengths(g: _View, street: int) -> list[int]:
    """The strength of each seat's hand on a street."""
    return [
        int(best_hand(_board_on(g, street) | 1 << int(g.private[seat]) | 1 << int(g.exposed[seat])))
        for seat in range(int(g.players))
    ]


def _totals(g: _View, with_game: bool = True) -> list[str]:
    """The points of the hand and, if they are wanted, those of the game and who won it."""
    lines = wrap(f"Points of this hand: {_points(g, g.hand_points)}.")
    if not with_game or g.lone:
        return lines
    lines += wrap(f"Points of the game: {_points(g, g.points)}.")
    if g.leaders:
        names = [_who(g, seat) for seat in range(int(g.players)) if g.leaders >> seat & 1]
        lines += wrap(f"The game is over: {_join(names)} won{' together' if len(names) > 1 else ''}.")
    return lines


def _scoring(g: _View) -> list[str]:
    """Who had what on each street, and the points."""
    lines = ["Hands, street by street:"]
    seats = range(int(g.players))
    for street in range(int(g.streets)):
        strengths = _strengths(g, street)
        for seat in seats:
            marks = [
                word
                for word, extreme in (("best", max(strengths)), ("weakest", min(strengths)))
                if strengths[seat] == extreme
            ]
            mark = f" ({' and '.join(marks)})" if marks else ""
            lines += wrap(f"  {STREETS[street]:7}  {_who(g, seat)}: {name_hand(strengths[seat])}{mark}", 11)
    return lines + _totals(g)


def _points(g: _View, points: npt.NDArray[Any]) -> str:
    return ", ".join(f"{_who(g, seat)} {int(points[seat])}" for seat in range(int(g.players)))


def _board_on(g: _View, street: int) -> int:
    return set_of(g.board[: rules.board_size(street)].tolist())


def _others(g: _View) -> list[int]:
    """The other seats, clockwise."""
    return [(g.seat + ahead) % int(g.players) for ahead in range(1, int(g.players))]


def _who(g: _View, seat: int) -> str:
    return "you" if seat == g.seat else f"seat {seat}"


def _join(names: list[str]) -> str:
    return names[0] if len(names) == 1 else f"{', '.join(names[:-1])} and {names[-1]}"


def view_data(states: States) -> dict[str, Any]:
    """A view as data that JSON can hold, for programs: what ``describe`` tells, ``None`` where it hides.

    Returns:
        Seats, chips and points are ints, cards text such as ``"Ah"``, action cards as in the notation;
        docs/protocol.md explains every key.
    """
    g = _View(states)
    seats = range(int(g.players))
    return {
        "game": "detective",
        "seat": g.seat,
        "players": int(g.players),
        "hand": int(g.hand),
        "hands": int(g.hands),
        "street": STREETS[g.last],
        "over": bool(g.scored),
        "actor": int(g.actor) if g.actor >= 0 else None,
        "dealer": int(g.dealer),
        "board": [format_card(int(card)) for card in g.board if card != NO_CARD],
        "thrown": [format_card(int(card)) for card in g.thrown.ravel() if card != NO_CARD],
        "most_chips": g.most if g.actor >= 0 else None,
        "action_cards": [ACTIONS[kind - 1] for kind in _held(g)],
        "seats": [
            {
                "private": None if g.private[seat] == NO_CARD else format_card(int(g.private[seat])),
                "exposed": None if g.exposed[seat] == NO_CARD else format_card(int(g.exposed[seat])),
                "chips": int(g.chips_left[seat]),
                "action_cards": int(g.n_cards[seat]),
                "points": int(g.points[seat]),
            }
            for seat in seats
        ],
        "bets": _bets_data(g),
        "hand_points": [int(g.hand_points[seat]) for seat in seats] if g.scored else None,
    }


def _bets_data(g: _View) -> list[dict[str, Any]]:
    """All bets of the hand, in order; what lies under one is ``"hidden"`` to those who do not know it."""
    told = []
    for street in range(g.last + 1):
        for ahead in range(int(g.players)):
            seat = (int(g.dealer) + 1 + street + ahead) % int(g.players)
            if g.bet_board[street, seat] < 0:
                continue
            card = int(g.bet_card[street, seat])
            under = "hidden" if card == rules.FACE_DOWN else ACTIONS[card - 1] if card else None
            told.append(
                {
                    "street": STREETS[street],
                    "seat": seat,
                    "board": int(g.bet_board[street, seat]),
                    "chips": int(g.bet_chips[street, seat]),
                    "card": under,
                    "points": int(g.bet_points[street, seat]) if g.scored else None,
                }
            )
    return told
