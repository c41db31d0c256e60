"""The arguments of a table as command lines take them; free of Numba, to keep programs' help quick."""

from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING, Annotated, Literal

import tyro

if TYPE_CHECKING:
    from palace_env.palace_v0 import Palace

EVALUATION_SEED = 2**40  # of the deals that agents are compared on; no training deals from a seed so high


@dataclass(frozen=True)
class PalaceTable:
    """The arguments of a Palace table, see RULES.md 11."""

    players: int = 4
    """Players at a table."""
    betting: Literal["limit", "no-limit"] = "limit"
    """How bets are limited."""
    small_bet: int = 2
    """In chips, as all amounts."""
    big_bet: int | None = None
    """None: twice the small bet."""
    ante: int | None = None
    """None: half the small bet."""
    stack: int = 200
    """Chips of each player before the first hand."""
    hands: int = 1
    """Hands of a match, in which stacks are carried over."""
    max_raises: int | None = 3
    """Raises in one limit battle; None: no cap."""
    bare_raise: int | None = None
    """The limit raise of a player without soldiers; None: twice the small bet."""
    sizes: tuple[int, ...] = (1, 2, 4, 8)
    """No-limit extras and raises, in big bets."""
    discard_fee: int = 0
    """What a Discard turn costs."""
    forced_duel: Annotated[
        bool,
        tyro.conf.arg(
            help="Let the last two stay instead of fighting.", help_behavior_hint="(default: they must fight)"
        ),
    ] = True
    """Whether the last two must fight."""
    seats: int | None = None
    """Seats that networks are laid out for; None: the players."""
    hand_values: Annotated[
        bool,
        tyro.conf.arg(
            help="Leave out of observations what hands are worth.", help_behavior_hint="(default: shown)"
        ),
    ] = True
    """Whether observations show what hands are worth."""
    ranks: int = 13
    """The deck's top so many ranks."""
    palace_cards: int = 3
    """Cards of a palace."""
    max_soldiers: int = 5
    """Soldiers at the end of a turn."""

    def settle(self) -> "Palace":
        """The game with these arguments.

        Raises:
            ValueError: an argument is out of range.
        """
        from palace_env.palace_v0 import Palace

        return Palace(**asdict(self))
