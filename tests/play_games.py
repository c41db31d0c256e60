"""Plays games by screen with random keys, and checks all that is shown against the full state.

``python -m tests.play_games 1000`` plays so many games, half of each kind.
"""

from tests import command

if __name__ == "__main__":
    command.end_at_once()

import io
import re
from types import ModuleType, SimpleNamespace
from typing import Any, cast

import numpy as np

import agents
from agents.match import LeaveError, Match
from card_table.cards import NO_CARD, list_cards, parse_card, set_of
from card_table.game import Game, States, copy_states
from card_table.page import HEIGHT, WIDTH, fit
from card_table.screen import Screen
from detective_env import detective_v0
from detective_env import text as detective_text
from palace_env import palace_v0
from palace_env import text as palace_text

TEXTS: dict[str, ModuleType] = {"palace": palace_text, "detective": detective_text}
JUNK = (b"", b"no", b"99", b"0", b"1", b"s", b"bet", b"b 9 9", b"attack 1 8", b"raise to 4", b"\xff\xfe")
COMMANDS = (b"history", b"hi", b"look", b"hint", b"lo")


class Checked(Screen):
    """A screen of no terminal on which cards are looked for that the person may not know.

    Attributes:
        pages: how many pages were shown.
        longest: the lines of the longest one at which a move was asked for.
    """

    def __init__(self, keys: "Keys") -> None:
        super().__init__(inp=cast(Any, keys), out=io.StringIO())
        self.keys = keys
        self.pages = 0
        self.longest = 0
        self.page: list[str] = []

    def show(self, parts: Any) -> None:  # noqa: ANN401 - parts of a page
        """Count a page."""
        self.pages += 1
        self.page = fit(parts, self.height)
        super().show(parts)

    def say(self, lines: Any, style: str = "") -> None:  # noqa: ANN401 - lines
        """Check what is said."""
        shown = list(lines)
        text = "\n".join(shown)
        assert text.isascii(), text
        assert all(len(line) <= WIDTH for line in shown), text
        cards = {parse_card(word) for word in re.findall(r"\b[2-9TJQKA][cdhs]\b", text)}
        secret = self.keys.secret()
        assert not cards & secret, f"seat {self.keys.seat} was shown {cards & secret}:\n{text}"
        super().say(shown, style)

    def ask(self, prompt: str) -> str:
        """Take note of how long a page was at which a move is asked for."""
        self.longest = max(self.longest, len(self.page))
        self.page = []
        return super().ask(prompt)


class Keys:
    """A person who types moves, commands and nonsense at random, and who knows the whole truth."""

    def __init__(self, game: Game, seat: int, seed: int) -> None:
        self.game = game
        self.seat = seat
        self.rng = np.random.default_rng(seed)
        self.truth = copy_states(game.record)
        self.truths: dict[bytes, States] = {}
        self.match: Match | None = None

    def isatty(self) -> bool:
        """They come over a pipe."""
        return False

    def readline(self, size: int) -> bytes:
        """The next line that is typed."""
        assert self.match is not None
        table = self.match.table
        kind = self.rng.random()
        if kind < 0.1:
            return bytes(self.rng.choice(np.array(JUNK, object))) + b"\n"
        if kind < 0.2:
            return bytes(self.rng.choice(np.array(COMMANDS, object))) + b"\n"
        legal = np.flatnonzero(table.observe(table.agent_selection)["action_mask"])
        words = [table.move_text(int(action)) for action in legal]
        stays_in = [word for word in words if word != "fold"]  # that games last a while
        return str(self.rng.choice(stays_in or words)).encode() + b"\n"

    def secret(self) -> set[int]:
        """The cards that the person may not know, in the state of which something is shown."""
        return SECRETS[self.game.name](self.truth, self.seat)

    def remember(self, views: States, truth: States) -> None:
        """Take down what a view is a view of."""
        self.truths[views.tobytes()] = copy_states(truth)

    def watched(self, text: ModuleType) -> ModuleType:
        """A game's sentences; whenever something is told of a view, ``truth`` becomes its state."""

        def told(function: Any) -> Any:  # noqa: ANN401 - any function of a view
            def tell(views: States, *rest: object) -> Any:  # noqa: ANN401 - what it says
                self.truth = self.truths[views.tobytes()]
                return function(views, *rest)

            return tell

        names = ("page", "read_moves", "tell_last", "tell_hand", "tell_chances", "is_out")
        watched = SimpleNamespace(VERBS=text.VERBS, HELP=text.HELP)
        for name in names:
            setattr(watched, name, told(getattr(text, name)))
        return cast(ModuleType, watched)


def palace_secret(truth: States, seat: int) -> set[int]:
    """The cards in places that a seat cannot look into and has not seen them go to."""
    g = truth[0]
    secret = set_of(int(card) for card in g.deck[: g.deck_size]) | int(g.pile)
    for other in range(int(g.players)):
        if other != seat and not int(g.seen[seat]) >> other & 1:
            secret |= int(g.palace[other])
    known = int(g.public_deck) | int(g.private_deck[seat]) | int(g.public_pile) | int(g.private_pile[seat])
    return set(list_cards(secret & ~known))


def detective_secret(truth: States, seat: int) -> set[int]:
    """The cards that a seat does not see, before the scoring and after it."""
    g = truth[0]
    street = int(g.street)
    secret = [*g.burnt, *g.deck[: g.deck_size], *g.board[int(g.street) + 2 if street else 0 :]]
    secret += list(g.thrown[street:].ravel())
    if not g.scored:
        secret += [g.exposed[seat], *(g.private[other] for other in range(int(g.players)) if other != seat)]
    return {int(card) for card in secret if card != NO_CARD}


SECRETS = {"palace": palace_secret, "detective": detective_secret}


def play_game(game: Game, seed: int) -> Checked:
    """Play one match with random keys in a random seat; returns its screen.

    Raises:
        AssertionError: something was shown that the person may not know, or that is not ASCII of 80 columns.
    """
    rng = np.random.default_rng(seed)
    seat = int(rng.integers(game.players))
    keys = Keys(game, seat, seed)
    screen = Checked(keys)
    opponents = [agents.load("random", game)] * (game.players - 1)
    match = Match(game, keys.watched(TEXTS[game.name]), seat, opponents, seed, screen, hints=seed % 3 == 0)
    keys.match = match
    table = match.table
    view = table.view

    def seen(agent: str) -> States:
        views = view(agent)
        keys.remember(views, table._states)
        return views

    def look_at_length(views: States) -> str:
        keys.truth = keys.truths[views.tobytes()]
        return text_at_length(views)

    text_at_length = game.view_text
    object.__setattr__(table, "view", seen)
    object.__setattr__(game, "view_text", look_at_length)
    try:
        match.run()
    except LeaveError:
        raise AssertionError("nobody has left the table") from None
    finally:
        object.__delattr__(game, "view_text")
    return screen


def games_of(number: int) -> Game:
    """A game of either kind, with many forms of its rules."""
    rng = np.random.default_rng(number)
    if number % 2:
        players, chips = int(rng.integers(3, 5)), int(rng.integers(4, 13))
        return detective_v0.GAME(players=players, hands=2, chips=chips, expert=bool(rng.integers(2)))
    return palace_v0.GAME(
        players=int(rng.integers(2, 11)),
        betting=str(rng.choice(["limit", "no-limit"])),
        hands=3,
        stack=int(rng.choice([6, 40, 200])),
        discard_fee=int(rng.integers(2)),
    )


def main() -> int:
    """Play as many games as the command line says, and tell what was looked at; returns the exit status."""
    parser = command.parser("play_games", __doc__)
    parser.add_argument("games", type=command.at_least(1))
    games = parser.parse_args().games
    pages, longest = 0, 0
    for number in range(games):
        screen = play_game(games_of(number), number)
        pages += screen.pages
        longest = max(longest, screen.longest)
    print(f"{games} games, {pages} pages: no card was shown that the seat may not know.")
    print(f"The longest page with a move to make had {longest} lines of {HEIGHT}.")
    return 0


if __name__ == "__main__":
    command.run(main)
