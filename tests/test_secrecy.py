"""Each seat of both games is told what it may know and nothing else; games that tell more are found out."""

from collections.abc import Callable, Iterator, Mapping
from dataclasses import replace
from functools import partial
from typing import Any, ClassVar

import numpy as np
import numpy.typing as npt
import pytest
from pettingzoo.utils.wrappers import BaseWrapper

from card_table.aec import TableEnv
from card_table.cards import format_card
from card_table.game import Game, IllegalMoveError, States
from card_table.secrecy import (
    BlindError,
    Change,
    IncompleteError,
    LeakError,
    Report,
    Secrets,
    channels,
    check,
    play_and_check,
)
from detective_env import detective_v0
from palace_env import palace_v0, rules
from tests import detective_invariants, palace_invariants
from tests.detective.secrets import DetectiveSecrets
from tests.palace.secrets import PalaceSecrets

SECRETS: dict[str, Secrets] = {"palace": PalaceSecrets(), "detective": DetectiveSecrets()}
INVARIANTS = {"palace": palace_invariants, "detective": detective_invariants}
# What is cheap to play and yet has everything in it.
GAMES: dict[str, Game] = {
    "palace": palace_v0.Palace(players=4, hands=2, stack=30),
    "detective": detective_v0.Detective(players=3, hands=2, expert=True),
}
names = pytest.mark.parametrize("name", [*GAMES])

# What a leak does to what a seat is shown: the true game, who looks, and what is written for it.
Leak = Callable[[Any, int, npt.NDArray[Any]], None]


def some_arguments(name: str, seed: int) -> dict[str, Any]:
    """Arguments of a game, and not too many hands."""
    arguments: dict[str, Any] = INVARIANTS[name].random_arguments(np.random.default_rng(seed))
    hands = arguments["hands"]
    return {**arguments, "hands": 2 if hands is None else min(hands, 2)}


@names
@pytest.mark.parametrize("table", range(12))
def test_each_seat_is_told_what_it_may_know_and_nothing_else(name: str, table: int) -> None:
    arguments = some_arguments(name, table)
    make_env = partial(INVARIANTS[name].FACE.env, render_mode="ansi", **arguments)
    report = play_and_check(make_env, SECRETS[name], 1, table)
    assert report.moments > INVARIANTS[name].FACE.GAME(**arguments).players, "at the first moment and later"
    assert report.reshuffled["rng"] == report.moments
    assert report.shown


@names
def test_the_secrets_account_for_every_field(name: str) -> None:
    report = play_and_check(lambda: TableEnv(GAMES[name], "human"), SECRETS[name], 4, 1)
    report.check_complete(SECRETS[name])


@names
def test_the_messages_for_all_actions_can_be_looked_at(name: str) -> None:
    env = TableEnv(GAMES[name])
    env.reset(seed=3)
    assert check(env, SECRETS[name], np.random.default_rng(0), tried=None).moments == env.game.players


def test_prescribed_draws_stay_secret() -> None:
    play_and_check(lambda: TableEnv(GAMES["palace"]), SECRETS["palace"], 3, 2, options=DRAWS)


@pytest.mark.slow
@names
def test_each_seat_of_many_tables_is_told_nothing_else(name: str) -> None:
    report = Report()
    for table in range(100, 250):
        arguments = some_arguments(name, table)
        make_env = partial(INVARIANTS[name].FACE.env, render_mode="ansi", **arguments)
        report += play_and_check(make_env, SECRETS[name], 1, table, every=2, tried=None)
    report.check_complete(SECRETS[name])


@names
def test_a_check_changes_nothing(name: str) -> None:
    checked, alone = TableEnv(GAMES[name], "ansi"), TableEnv(GAMES[name], "ansi")
    rng = np.random.default_rng(0)
    for env in (checked, alone):
        env.reset(seed=3)
    while alone.agents:
        check(checked, SECRETS[name], np.random.default_rng(0))
        for seat in range(alone.game.players):
            assert channels(checked, seat, [0]) == channels(alone, seat, [0])
        assert checked.state().tobytes() == alone.state().tobytes()
        mask = alone.observe(alone.agent_selection)["action_mask"]
        action = int(rng.choice(np.flatnonzero(mask))) if mask.any() else None
        for env in (checked, alone):
            env.step(action)


# ---- games that leak


def mutant(name: str, **replaced: Any) -> Game:
    """The game of a name with something else in place of some of its loops or methods."""
    game = GAMES[name]
    loops = {key: value for key, value in replaced.items() if hasattr(game.kernels, key)}
    methods = {key: value for key, value in replaced.items() if key not in loops}
    kind: Any = type("Mutant", (type(game),), {"kernels": replace(game.kernels, **loops), **methods})
    made: Game = kind(**game.rules)
    return made


def view_keeps(name: str, field: str, only: Callable[[States], npt.NDArray[np.bool_]] | None = None) -> Game:
    """A game whose views keep a field as it is, or only some of its places."""
    real = GAMES[name].kernels.see

    def see(states: States, lo: int, hi: int, seats: npt.NDArray[np.int64], views: States) -> None:
        real(states, lo, hi, seats, views)
        kept = slice(lo, hi)
        if only is None:
            views[field][kept] = states[field][kept]
        else:
            places = only(states[kept])
            views[field][kept][places] = states[field][kept][places]

    return mutant(name, see=see)


def observation_shows(name: str, leak: Leak) -> Game:
    """A game whose observations show something else besides."""
    real = GAMES[name].kernels

    def look(states: States, i: int, seat: int, observation: npt.NDArray[np.uint8]) -> None:
        real.look(states, i, seat, observation)
        leak(states[i], seat, observation)

    return mutant(name, look=look, **_shown(name, 0, leak))


def mask_follows(name: str, leak: Leak) -> Game:
    """A game whose masks follow something else besides."""
    return mutant(name, **_shown(name, 1, leak))


def _shown(name: str, which: int, leak: Leak) -> dict[str, Any]:
    """The loops that show the seat to move something, with a leak in the observations, 0, or the masks, 1."""
    real = GAMES[name].kernels

    def show(states: States, i: int, *shown: npt.NDArray[Any]) -> None:
        real.show(states, i, *shown)
        if states["actor"][i] >= 0:
            leak(states[i], int(states["actor"][i]), shown[which][i])

    def deal_hand(states: States, i: int, reserved: int, *shown: npt.NDArray[Any]) -> int:
        status = real.deal_hand(states, i, reserved, *shown)
        show(states, i, *shown)
        return status

    def step(
        states: States, lo: int, hi: int, actions: object, restart: bool, *rows: npt.NDArray[Any]
    ) -> None:
        real.step(states, lo, hi, actions, restart, *rows)
        for i in range(lo, hi):
            show(states, i, *rows[:3])

    return {"show": show, "deal_hand": deal_hand, "step": step}


def leak_next_strength(g: Any, seat: int, observation: npt.NDArray[np.uint8]) -> None:  # noqa: ANN401
    at = GAMES["palace"].layout.slice_of("decides", 1).start
    observation[at] = int(g.strength[(seat + 1) % int(g.players)]) & 15


def leak_own_exposed(g: Any, seat: int, observation: npt.NDArray[np.uint8]) -> None:  # noqa: ANN401
    observation[GAMES["detective"].layout.slice_of("exposed", 0).start + int(g.exposed[seat])] = 1


def leak_next_card(g: Any, _seat: int, mask: npt.NDArray[np.bool_]) -> None:  # noqa: ANN401
    mask[rules.STAY] &= int(g.deck[0]) % 2 == 0


class InfosTellTheNextCard(TableEnv):
    """Writes a card down when a move is made, and never again."""

    def step(self, action: Any) -> None:  # noqa: ANN401
        """Make a move."""
        super().step(action)
        for info in self.infos.values():
            info["next"] = int(self._states["deck"][0, 0])


class InfosTellTheCardBefore(TableEnv):
    """Writes down what was hidden before the move."""

    def step(self, action: Any) -> None:  # noqa: ANN401
        """Make a move."""
        before = int(self._states["deck"][0, 0])
        super().step(action)
        for info in self.infos.values():
            info["next"] = before


class InfosTellTheScript(TableEnv):
    """Tells what is prescribed for the buys to come."""

    def step(self, action: Any) -> None:  # noqa: ANN401
        """Make a move."""
        super().step(action)
        for info in self.infos.values():
            info["script"] = list(self._script)


class InfosTellTheDeal(TableEnv):
    """Leaks at the reset alone."""

    def reset(self, seed: Any = None, options: Mapping[str, Any] | None = None) -> None:  # noqa: ANN401
        """Deal."""
        super().reset(seed, options)
        self.infos = {agent: {"deck": self._states["deck"].tolist()} for agent in self.agents}


class RenderPrintsTheState(TableEnv):
    """Prints all that a critic may know."""

    def render(self) -> str | None:
        """The view, and all that is hidden."""
        text = super().render()
        return None if text is None else text + str(self.state().tolist())


class HistoriesBeginMidHand(TableEnv):
    """Tells the deal before the hand is over."""

    @property
    def histories(self) -> list[dict[str, Any]]:
        """The hand in progress, too."""
        told = super().histories
        return [*told, self.game.begin_history(self._hand.start)] if self._playing else told


class MasksAreForAll(TableEnv):
    """Tells by others' moves which action cards they have left."""

    def observe(self, agent: str) -> dict[str, npt.NDArray[Any]]:
        """With the mask of the one to move."""
        mask = self._mask.copy()
        return {**super().observe(agent), "action_mask": mask}


class MaskTellsTheNextCard(TableEnv):
    """Allows an action that is not allowed if the next card is of some kind."""

    def observe(self, agent: str) -> dict[str, npt.NDArray[Any]]:
        """With a flag turned."""
        seen = super().observe(agent)
        seen["action_mask"][3] ^= int(self._states["deck"][0, 0]) & 1
        return seen


class RewardsTellWhoIsAhead(TableEnv):
    """Pays by the cards before the hand is over."""

    def step(self, action: Any) -> None:  # noqa: ANN401
        """Make a move."""
        super().step(action)
        self.rewards = {
            agent: float(self._states["strength"][0, self._seats[agent]]) for agent in self.agents
        }


class LastTellsWhoIsAhead(TableEnv):
    """Pays the one to move by the cards."""

    def last(self, observe: bool = True) -> tuple[Any, float, bool, bool, dict[str, Any]]:
        """With another reward."""
        seen, _, *rest = super().last(observe)
        return (seen, float(self._states["private"][0].sum()), *rest)


class WinnersAreToldMidHand(TableEnv):
    """Names a winner by the cards."""

    @property
    def winners(self) -> list[int]:
        """Who has the best cards."""
        return [int(np.argmax(self._states["private"][0]))]


class AgentsAreSorted(TableEnv):
    """Lists the agents by their cards."""

    def step(self, action: Any) -> None:  # noqa: ANN401
        """Make a move."""
        super().step(action)
        self.agents.sort(key=lambda agent: int(self._states["private"][0, self._seats[agent]]))


class TextTellsTheDeck(TableEnv):
    """Makes its text of more than the view."""

    def view_text(self, agent: str) -> str:
        """The view, and the deck."""
        return super().view_text(agent) + str(self._states["deck"].tolist())


def format_buy(self: palace_v0.Palace, states: States, action: int) -> str:
    """Words that name the card to come."""
    words = palace_v0.Palace.format_move(self, states, action)
    return f"buy {format_card(int(states['deck'][0, 0]))}" if action == rules.BUY else words


def parse_and_tell(self: detective_v0.Detective, states: States, text: str) -> int:
    """A message that tells what was hidden."""
    try:
        return detective_v0.Detective.parse_move(self, states, text)
    except IllegalMoveError as error:
        raise IllegalMoveError(f"{error}; and {int(states['burnt'][0, 0])} is burnt") from None


def veil_nothing(_self: Game, history: Mapping[str, Any], _views: States) -> dict[str, Any]:
    return dict(history)


def remembering() -> Game:
    """A game that remembers a true record and tells of it when only a view is shown to it."""
    real = GAMES["detective"].kernels.see
    kept: list[int] = []

    def see(states: States, lo: int, hi: int, seats: npt.NDArray[np.int64], views: States) -> None:
        kept[:] = states["burnt"][lo].tolist()
        real(states, lo, hi, seats, views)

    def view_data(self: detective_v0.Detective, views: States) -> dict[str, Any]:
        return {**detective_v0.Detective.view_data(self, views), "burnt": kept}

    return mutant("detective", see=see, view_data=view_data)


def in_batches(leaky: Game, honest: Game) -> Game:
    """A game that leaks when there are several games at once."""

    def either(key: str) -> Callable[..., Any]:
        alone, many = getattr(honest.kernels, key), getattr(leaky.kernels, key)
        return lambda states, *rest: (alone if len(states) == 1 else many)(states, *rest)

    return mutant(honest.name, **{key: either(key) for key in ("see", "show")})


def keeping(name: str, field: str) -> TableEnv:
    return TableEnv(view_keeps(name, field))


DRAWS = {"deal": {"draws": ["2c", "3d", "4h", "5s", "6c", "7d"]}}
PALACE, DETECTIVE = GAMES["palace"], GAMES["detective"]
# Tables that leak one thing each, and by what channel.
LEAKS: dict[str, tuple[Callable[[], TableEnv], str]] = {
    **{
        f"view keeps {field}, {name}": (partial(keeping, name, field), "view")
        for name, secrets in SECRETS.items()
        for field in secrets.hidden
    },
    "view keeps palaces of those who are out": (
        lambda: TableEnv(view_keeps("palace", "dealt", lambda states: states["in_hand"] == 0)),
        "view",
    ),
    "observation shows another's strength": (
        lambda: TableEnv(observation_shows("palace", leak_next_strength)),
        "observation",
    ),
    "observation shows the own exposed card": (
        lambda: TableEnv(observation_shows("detective", leak_own_exposed)),
        "observation",
    ),
    "mask follows the next card": (lambda: TableEnv(mask_follows("palace", leak_next_card)), "action_mask"),
    "mask is for all": (lambda: MasksAreForAll(DETECTIVE), "action_mask"),
    "words of a buy name the card": (lambda: TableEnv(mutant("palace", format_move=format_buy)), "moves"),
    "message tells a burnt card": (
        lambda: TableEnv(mutant("detective", parse_move=parse_and_tell)),
        "refusals",
    ),
    "infos tell the next card": (lambda: InfosTellTheNextCard(PALACE), "infos"),
    "infos tell the card before": (lambda: InfosTellTheCardBefore(PALACE), "infos"),
    "infos tell prescribed draws": (lambda: InfosTellTheScript(PALACE), "infos"),
    "infos tell the deal": (lambda: InfosTellTheDeal(DETECTIVE), "infos"),
    "render prints the state": (lambda: RenderPrintsTheState(DETECTIVE, "ansi"), "render"),
    "histories begin mid-hand": (lambda: HistoriesBeginMidHand(DETECTIVE), "histories"),
    "histories are not veiled": (
        lambda: TableEnv(mutant("palace", veil_history=veil_nothing)),
        "history",
    ),
    "rewards tell who is ahead": (lambda: RewardsTellWhoIsAhead(PALACE), "rewards"),
    "last tells who is ahead": (lambda: LastTellsWhoIsAhead(DETECTIVE), "last"),
    "winners are told mid-hand": (lambda: WinnersAreToldMidHand(DETECTIVE), "ends"),
    "agents are sorted by cards": (lambda: AgentsAreSorted(DETECTIVE), "agents"),
    "text tells the deck": (lambda: TextTellsTheDeck(PALACE), "view_text"),
    "data is of a game that remembers": (lambda: TableEnv(remembering()), "view_data"),
    "views leak in batches": (
        lambda: TableEnv(in_batches(view_keeps("detective", "burnt"), DETECTIVE)),
        "batch.view",
    ),
    "observations leak in batches": (
        lambda: TableEnv(in_batches(observation_shows("palace", leak_next_strength), PALACE)),
        "batch.observation",
    ),
    "masks leak in batches": (
        lambda: TableEnv(in_batches(mask_follows("palace", leak_next_card), PALACE)),
        "batch.action_mask",
    ),
}


@pytest.mark.parametrize("leak", LEAKS)
def test_a_table_that_leaks_is_told_by_its_channel(leak: str) -> None:
    make_env, channel = LEAKS[leak]
    secrets = SECRETS[make_env().game.name]
    options = DRAWS if leak == "infos tell prescribed draws" else None
    with pytest.raises(LeakError, match=r"^\S+ tells seat \d what it may not know: ") as caught:
        play_and_check(make_env, secrets, 20, 0, options=options)
    # Where only few things can be hidden a twin may have the same by chance, but not all of a batch.
    assert caught.value.channel in (channel, f"batch.{channel}")
    if leak.startswith("view keeps "):
        field = "dealt" if "palaces" in leak else leak.removeprefix("view keeps ").partition(",")[0]
        assert f"the field {field!r} differs" in str(caught.value)


def test_every_channel_has_a_leak() -> None:
    env = TableEnv(DETECTIVE, "ansi")
    env.reset(seed=0)
    told = {*channels(env, env._seats[env.agent_selection])}
    while env.agents:
        mask = env.observe(env.agent_selection)["action_mask"]
        told |= {*channels(env, env._seats[env.agent_selection])}
        env.step(int(np.argmax(mask)) if mask.any() else None)
    leaks = {channel for _, channel in LEAKS.values()}
    assert leaks == told | {"batch.view", "batch.observation", "batch.action_mask"}


# ---- games that keep too much from their players


def without_piece(name: str, piece: str) -> Game:
    """A game whose observations never show a piece."""
    layout = GAMES[name].layout
    if piece in [each.name for each in layout.table_pieces]:
        places = [layout.slice_of(piece)]
    else:
        places = [layout.slice_of(piece, seat) for seat in range(layout.seats)]

    def forget(_g: object, _seat: int, observation: npt.NDArray[np.uint8]) -> None:
        for place in places:
            observation[place] = 0

    return observation_shows(name, forget)


FORGOTTEN = {
    ("palace", "palace"): {"palace"},
    ("palace", "pile"): {"public_pile", "private_pile"},
    ("palace", "deck"): {"public_deck", "private_deck"},
    ("palace", "moves"): {"recent"},
    ("palace", "soldiers"): {"soldiers"},
    ("palace", "banner_rank"): {"banner"},
    ("palace", "banner_suit"): {"banner"},
    ("palace", "stayed"): {"passed"},
    ("palace", "stack"): {"stacks"},
    ("palace", "won"): {"shown"},
    ("palace", "hands_to_go"): {"hand"},
    ("palace", "category"): {"strength", "strength_without"},
    ("detective", "private"): {"private"},
    ("detective", "thrown"): {"thrown"},
    ("detective", "under"): {"bet_card"},
    ("detective", "cards"): {"cards"},
    ("detective", "street"): {"scored"},
    ("detective", "exposed"): {"exposed"},
    ("detective", "points"): {"points"},
    ("detective", "named"): {"bet_board"},
    ("detective", "covers"): {"bet_card"},
    ("detective", "decides"): {"private_strength", "exposed_strength"},
}


@pytest.mark.parametrize(("name", "piece"), FORGOTTEN)
def test_an_observation_that_forgets_something_is_told(name: str, piece: str) -> None:
    game = without_piece(name, piece)
    with pytest.raises(BlindError, match=r"^observation of seat \d is the same when ") as caught:
        play_and_check(lambda: TableEnv(game), SECRETS[name], 20, 0)
    assert caught.value.field in FORGOTTEN[name, piece]


@pytest.mark.parametrize(
    ("name", "field"), [("palace", "log"), ("palace", "net"), ("detective", "bet_points")]
)
def test_a_view_that_forgets_something_is_told(name: str, field: str) -> None:
    real = GAMES[name].kernels.see

    def see(states: States, lo: int, hi: int, seats: npt.NDArray[np.int64], views: States) -> None:
        real(states, lo, hi, seats, views)
        views[field][lo:hi] = 0

    with pytest.raises(BlindError, match=r"^view of seat \d ") as caught:
        play_and_check(lambda: TableEnv(mutant(name, see=see)), SECRETS[name], 1, 0)
    assert caught.value.field == field


# ---- secrets that are not all of them


class Forgetful(PalaceSecrets):
    """Says nothing of the pot."""

    known: ClassVar[Mapping[str, str]] = {
        field: why for field, why in PalaceSecrets.known.items() if field != "pot"
    }


class Mistaken(PalaceSecrets):
    """Speaks of what there is not."""

    derived: ClassVar[Mapping[str, str]] = {**PalaceSecrets.derived, "jokers": "there are none"}


class Doubtful(PalaceSecrets):
    """Says two things of one field."""

    derived: ClassVar[Mapping[str, str]] = {**PalaceSecrets.derived, "rng": "follows from the seed"}


class Lax(PalaceSecrets):
    """Does not say that the pile is hidden."""

    hidden: ClassVar[Mapping[str, str]] = {
        field: why for field, why in PalaceSecrets.hidden.items() if field != "pile"
    }
    derived: ClassVar[Mapping[str, str]] = {**PalaceSecrets.derived, "pile": "of the discards"}


class Idle(PalaceSecrets):
    """Changes nothing."""

    def changes(self, states: States, seat: int, rng: np.random.Generator) -> Iterator[Change]:
        """A change that is none."""
        yield Change.of(states, "pot", int(states["pot"][0]))


@pytest.mark.parametrize(
    ("secrets", "message"),
    [
        (Forgetful(), r"fields of the record neither hidden, known nor derived: \['pot'\]"),
        (Mistaken(), r"no fields of the record: \['jokers'\]"),
        (Doubtful(), r"fields both derived and hidden or known: \['rng'\]"),
        (Lax(), r"fields reshuffled but not declared hidden: \['pile'\]"),
        (Idle(), "a change of 'pot': must be declared known, and change it"),
    ],
)
def test_secrets_that_do_not_account_for_the_record(secrets: Secrets, message: str) -> None:
    with pytest.raises(IncompleteError, match=message):
        play_and_check(lambda: TableEnv(PALACE), secrets, 5, 0)


class InPlace(PalaceSecrets):
    """Shuffles what it is given."""

    def reshuffle(self, states: States, seat: int, rng: np.random.Generator) -> States:
        """The same games."""
        states[:] = super().reshuffle(states, seat, rng)
        return states


class Undeclared(Secrets):
    """Says nothing of any field."""

    reshuffle = PalaceSecrets.reshuffle
    changes = PalaceSecrets.changes


def palace_secrets(**replaced: Any) -> Secrets:
    """Those of Palace with something else in place of a method."""
    made: Secrets = type("Wrong", (PalaceSecrets,), replaced)()
    return made


WRONG: dict[str, tuple[Any, str]] = {
    "in place": (InPlace(), "reshuffle changes the games that it is given, instead of a copy"),
    "gives nothing": (
        palace_secrets(reshuffle=lambda *_: None),
        "reshuffle must give as many games as it is given, not None",
    ),
    "gives fewer": (
        palace_secrets(reshuffle=lambda self, states, *_: states[:0].copy()),
        "reshuffle must give as many games as it is given, not ",
    ),
    "no changes": (palace_secrets(changes=lambda *_: None), "changes must give Changes, not None"),
    "other changes": (palace_secrets(changes=lambda *_: [5]), "changes must give Changes, not 5"),
    "unknown field": (
        palace_secrets(changes=lambda self, states, *_: [Change.of(states, "jokers", 5)]),
        "a change of 'jokers', which is no field of the record",
    ),
    "says nothing": (Undeclared(), "Undeclared.hidden: must tell fields and why each is hidden"),
    "a list": (palace_secrets(known=["pot"]), "Wrong.known: must tell fields and why each is known"),
}


@pytest.mark.parametrize("wrong", WRONG)
def test_secrets_that_are_not_what_they_must_be(wrong: str) -> None:
    secrets, message = WRONG[wrong]
    with pytest.raises(IncompleteError, match=f"^{message}"):
        play_and_check(lambda: TableEnv(PALACE), secrets, 1, 0)


def test_arguments_of_a_check_are_checked() -> None:
    secrets = SECRETS["palace"]
    for name, value in (("episodes", 0), ("every", 0), ("tried", -1), ("episodes", 1.5), ("seed", -1)):
        arguments: dict[str, Any] = {"episodes": 1, "seed": 0, name: value}
        with pytest.raises(ValueError, match=f"^{name}={value}: must be a"):
            play_and_check(lambda: TableEnv(PALACE), secrets, **arguments)
    wrapped: Any = lambda: BaseWrapper(TableEnv(PALACE))  # noqa: E731
    with pytest.raises(ValueError, match=r"^env=.*: must be a TableEnv, without wrappers$"):
        play_and_check(wrapped, secrets, 1, 0)
    of_a_class: Any = PalaceSecrets
    with pytest.raises(ValueError, match=r"^secrets=.*: must be of a class made from Secrets$"):
        play_and_check(lambda: TableEnv(PALACE), of_a_class, 1, 0)


def test_a_leak_by_a_mask_is_told_before_it_is_played_by() -> None:
    for seed in range(6):
        with pytest.raises(LeakError, match=r"^action_mask tells seat"):
            play_and_check(lambda: MaskTellsTheNextCard(PALACE), SECRETS["palace"], 9, seed, every=100)


class Sparing(DetectiveSecrets):
    """Leaves some of it out."""

    def reshuffle(self, states: States, seat: int, rng: np.random.Generator) -> States:
        """All but what is burnt."""
        others = super().reshuffle(states, seat, rng)
        others["burnt"] = states["burnt"]
        return others

    def changes(self, states: States, seat: int, rng: np.random.Generator) -> Iterator[Change]:
        """All but the dealer."""
        return (change for change in super().changes(states, seat, rng) if change.field != "dealer")


def test_a_report_tells_what_was_never_changed() -> None:
    report = play_and_check(lambda: TableEnv(DETECTIVE), Sparing(), 2, 0)
    with pytest.raises(IncompleteError, match=r"^no field is declared hidden, so that there is nothing to"):
        report.check_complete(palace_secrets(hidden={}))
    with pytest.raises(IncompleteError, match=r"hidden were never changed in \d+ moments: \['burnt'\]"):
        report.check_complete(Sparing())
    report.reshuffled["burnt"] = 1
    with pytest.raises(IncompleteError, match=r"known were never changed in \d+ moments: \['dealer'\]"):
        report.check_complete(Sparing())
