"""The arguments of tables as command lines take them; free of Numba, to keep programs' help quick."""

from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING, Annotated, ClassVar, Literal

import tyro

if TYPE_CHECKING:
    from card_table.game import Game

EVALUATION_SEED = 2**40  # of the deals that agents are compared on; no training deals from a seed so high


@dataclass(frozen=True)
class Table:
    """The arguments that all games have.

    Attributes:
        game: the game's name.
        unit: what results are counted in.
    """

    game: ClassVar[str]
    unit: ClassVar[str]

    players: int = 4
    """Players at a table."""
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

    def settle(self) -> "Game":
        """The game with these arguments.

        Raises:
            ValueError: an argument is out of range.
        """
        from agents.spec import PLAYABLE

        return PLAYABLE[self.game].game(**asdict(self))


@dataclass(frozen=True)
class PalaceTable(Table):
    """The arguments of a Palace table, see RULES.md 11."""

    game = "palace"
    unit = "small bets a hand"

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
    palace_cards: int = 3
    """Cards of a palace."""
    max_soldiers: int = 5
    """Soldiers at the end of a turn."""


@dataclass(frozen=True)
class DetectiveTable(Table):
    """The arguments of a Detective table, see RULES.md 10.1; it pays the margin after each hand."""

    game = "detective"
    unit = "points margin a hand"

    rounds: int = 2
    """Rounds of a game, of as many hands as there are players."""
    hands: int | None = None
    """Hands of a game; None: all of its rounds."""
    chips: int = 7
    """What each player has to bet in a hand."""
    expert: Annotated[
        bool,
        tyro.conf.arg(
            help="Let a wrong bet with a +1 cost a point, and throw out cards whose rank is on the board.",
            help_behavior_hint="(default: neither)",
        ),
    ] = False
    """Whether a wrong bet with a +1 costs a point, and ranks on the board are thrown out."""
    streets: int = 4
    """How many betting rounds are played."""
    actions: tuple[Literal["+1", "clockwise", "bluff", "blank"], ...] = ("+1", "clockwise", "bluff", "blank")
    """The action cards that each player has."""


TABLES: dict[str, type[Table]] = {table.game: table for table in (PalaceTable, DetectiveTable)}
