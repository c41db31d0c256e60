"""Palace Poker in words: moves to and from the notation of RULES.md 14, and a view in sentences."""

import re

import numpy as np

from card_table.cards import format_card, parse_card
from card_table.compile import State
from card_table.game import IllegalMoveError, InvalidMoveError
from palace_env import rules

_WORDS = {rules.STAY: "stay", rules.FOLD: "fold", rules.BUY: "buy", rules.DONE: "done", rules.CALL: "call"}
_MOVE = re.compile(
    r"(stay|fold|buy|done|call)|(raise)\s+(\d+)|(attack)\s+(\d+)(?:\s+\+(\d+))?|(discard)\s+(\S+)",
    re.ASCII | re.IGNORECASE,
)
_MANY = 10**12  # more than any amount of chips or any seat


def format_move(g: State, action: int) -> str:
    """An action of the actor in the notation, whether it is legal now or not; "" if it has no words."""
    if action in _WORDS:
        return _WORDS[action]
    attacks, discards = rules.attack_from(g), rules.discard_from(g)
    if rules.RAISE <= action < attacks:
        amount = _raise_amount(g, action - rules.RAISE)
        return f"raise {amount}" if amount > 0 else ""
    if attacks <= action < discards:
        target = rules.target_of(g, action)
        if target >= g.players:
            return ""
        extra = rules.attack_extra(g, int(g.actor), target, (action - attacks) % rules.attack_count(g))
        return f"attack {target}" + (f" +{extra}" if extra > 0 else "") if extra >= 0 else ""
    if discards <= action < rules.action_count(g):
        return f"discard {format_card(action - discards)}"
    return ""


def parse_move(g: State, text: object) -> int:
    """The action of the actor that a text means.

    Raises:
        InvalidMoveError: the text is no move.
        IllegalMoveError: the move is not allowed now.
    """
    canonical = _canonical(text)
    legal = {format_move(g, action): action for action in legal_actions(g)}
    if canonical not in legal:
        raise IllegalMoveError(f"{text!r} is not allowed now, seat {int(g.actor)} may: {', '.join(legal)}")
    return legal[canonical]


def legal_actions(g: State) -> list[int]:
    """The actions that the actor may take."""
    mask = np.zeros(rules.action_count(g), np.bool_)
    rules.legal_actions(g, mask)
    return [int(action) for action in np.flatnonzero(mask)]


def _raise_amount(g: State, size: int) -> int:
    """What a raise adds beyond the call; in limit also where no raise is allowed."""
    if g.opponent >= 0:
        amount = rules.raise_amount(g, int(g.actor), size)
        if amount > 0 or g.no_limit:
            return amount
    if g.no_limit:
        return 0
    return int(g.big_bet) if g.soldiers[g.actor] else int(g.bare_raise)


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
    return int(digits) if len(digits) <= 12 else min(int(digits.lstrip("0")[:13] or "0"), _MANY)


def _invalid(text: object) -> InvalidMoveError:
    return InvalidMoveError(
        f"{text!r} is no move: write stay, fold, buy, call, done, attack SEAT, attack SEAT +CHIPS (no limit), "
        "raise CHIPS or discard CARD"
    )


def describe(g: State) -> str:
    """A view in sentences, for a person to play from."""
    return f"seat {int(g.viewer)}: pot {int(g.pot)}"
