"""Detective Poker in words: moves to and from the notation of RULES.md 13, and a view in sentences."""

import re
import textwrap
from typing import Any

import numpy as np
import numpy.typing as npt

from card_table.cards import NO_CARD, format_card, set_of
from card_table.compile import rule
from card_table.game import IllegalMoveError, InvalidMoveError, States
from card_table.hands import best_hand, name_hand
from detective_env import rules

WIDTH = 80
ACTIONS = ("+1", "clockwise", "bluff", "blank")  # the action cards, in the order of their kinds
STREETS = ("preflop", "flop", "turn", "river")

_MOVE = re.compile(r"bet\s+(\d+)\s+(\d+)(?:\s+(\+1|clockwise|bluff|blank))?", re.ASCII | re.IGNORECASE)
_EFFECTS = {
    rules.PLUS_ONE: "a point more if the bet is right",
    rules.CLOCKWISE: "the bet is on the hand of the player clockwise of the one named",
    rules.BLUFF: "the bet is that the one named has the weakest hand",
    rules.BLANK: "nothing, but the others see a card",
}


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
        raise IllegalMoveError(f"{text!r} is not allowed now, seat {actor} may: {', '.join(legal)}")
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
            f"{text!r} is no move: write bet SEAT CHIPS, or bet SEAT CHIPS CARD with a card of "
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


def _title(g: _View) -> list[str]:
    mode = ", expert mode" if g.expert else ""
    where = "The hand is over." if g.scored else f"The street is the {STREETS[g.last]}."
    if g.last == 0 and not g.scored:
        where = "The street is preflop."
    return _wrap(
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
    lines = _wrap(f"Board: {' '.join(board)}." if board else "Board: no cards yet.")
    thrown = [format_card(int(card)) for card in g.thrown.ravel() if card != NO_CARD]
    if thrown:
        lines += _wrap(f"Thrown out: {' '.join(thrown)}.")
    held = ", ".join(ACTIONS[kind - 1] for kind in _held(g)) or "none"
    return lines + _wrap(f"Action cards in your hand: {held}.")


def _worth(g: _View) -> list[str]:
    """What each player's card that the viewer sees makes with the board."""
    if g.scored:
        return []
    lines = ["What the card of each player that you see makes with the board:"]
    for seat in [g.seat, *_others(g)]:
        card = int(g.private[seat] if seat == g.seat else g.exposed[seat])
        strength = best_hand(_board_on(g, g.last) | 1 << card)
        lines += _wrap(f"  {_who(g, seat)}: {name_hand(strength)}", indent=4)
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
                lines += _wrap(f"  {STREETS[street]:7}  {_bet(g, seat, street)}", indent=11)
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
        lines += _wrap(f"  {name:5}  {meaning}", indent=9)
    return lines


def _held(g: _View) -> list[int]:
    """The kinds of action cards in the viewer's hand."""
    return [kind for kind in range(1, rules.KINDS) if int(g.cards[g.seat]) >> kind & 1]


def _scoring(g: _View) -> list[str]:
    """Who had what on each street, and the points."""
    lines = ["Hands, street by street:"]
    seats = range(int(g.players))
    for street in range(int(g.streets)):
        strengths = [
            best_hand(_board_on(g, street) | 1 << int(g.private[seat]) | 1 << int(g.exposed[seat]))
            for seat in seats
        ]
        for seat in seats:
            marks = [
                word
                for word, extreme in (("best", max(strengths)), ("weakest", min(strengths)))
                if strengths[seat] == extreme
            ]
            mark = f" ({' and '.join(marks)})" if marks else ""
            lines += _wrap(f"  {STREETS[street]:7}  {_who(g, seat)}: {name_hand(strengths[seat])}{mark}", 11)
    lines += _wrap(f"Points of this hand: {_points(g, g.hand_points)}.")
    lines += _wrap(f"Points of the game: {_points(g, g.points)}.")
    if g.leaders:
        names = [_who(g, seat) for seat in seats if g.leaders >> seat & 1]
        lines += _wrap(f"The game is over: {_join(names)} won{' together' if len(names) > 1 else ''}.")
    return lines


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


def _wrap(text: str, indent: int = 0) -> list[str]:
    return textwrap.wrap(text, WIDTH, subsequent_indent=" " * indent, break_on_hyphens=False) or [""]


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
