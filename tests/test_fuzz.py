"""Whatever is given as a move, history, argument, option, line or spec is taken or refused in plain words."""

import copy
import dataclasses
import functools
import inspect
import itertools
import json
import re
from collections.abc import Callable, Iterator
from types import ModuleType
from typing import Any

import numpy as np
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

import agents
from agents.arena import duel
from agents.settings import Settings
from agents.solo import SoloEnv
from card_table import history as histories
from card_table import protocol
from card_table.aec import TableEnv
from card_table.batch import Batch
from card_table.cards import parse_card
from card_table.game import IllegalMoveError, InvalidMoveError
from card_table.given import MAX_QUOTED, quote
from detective_env import detective_v0
from palace_env import palace_v0
from tests.test_aec import legal

FACES = {"palace": palace_v0, "detective": detective_v0}
GAMES = (palace_v0.GAME, detective_v0.GAME)
TABLES: list[tuple[ModuleType, dict[str, Any]]] = [
    (palace_v0, {"players": 3, "betting": "no-limit", "stack": 40}),
    (palace_v0, {"players": 4, "ranks": 6, "max_soldiers": 2, "hands": 2, "stack": 12}),
    (palace_v0, {"players": 10, "ante": 2, "stack": 30}),
    (detective_v0, {"players": 4, "hands": 1}),
    (detective_v0, {"players": 3, "seats": 4, "expert": True, "rounds": 1, "actions": ("bluff", "+1")}),
]
LOOKS = range(0, 24, 6)  # the moves after which a table is looked at
N_MOMENTS = len(TABLES) * len(LOOKS)
SHORTEST = 3  # histories of each table
N_HISTORIES = len(TABLES) * SHORTEST
MOST_TOLD = 6000  # characters of a message: what was given, shortened, and all legal moves


class Unshown:
    """Something without a repr."""

    def __repr__(self) -> str:
        raise AttributeError("told to nobody")


def deep(levels: int) -> list[Any]:
    """Lists in lists: more than Python writes out, or reads, when the levels are many."""
    found: list[Any] = []
    for _ in range(levels):
        found = [found]
    return found


# Too much to be quoted, or to be written at all; made when asked for, since pytest shows what it is given.
HUGE: dict[str, Callable[[], Any]] = {
    "a long text": lambda: "x" * 1_000_000,
    "a long text of blanks": lambda: " " * 1_000_000,
    "many digits": lambda: "9" * 1_000_000,
    "a number of many digits": lambda: 10**5000,
    "a negative number of many digits": lambda: -(10**5000),
    "a long list": lambda: list(range(20_000)),
    "a deep list": lambda: deep(5000),
    "a list that is nearly too deep": lambda: deep(900),
    "a long array": lambda: np.zeros(1_000_000),
    "what has no repr": Unshown,
    "a span of time": lambda: np.timedelta64(3, "D"),
    "no number": lambda: float("nan"),
}
huge = pytest.mark.parametrize("value", HUGE.values(), ids=HUGE)

SCALARS = st.one_of(
    st.none(),
    st.booleans(),
    st.integers(-2, 15),
    st.integers(),
    st.floats(),
    st.text(max_size=8),
    st.sampled_from(["Ah", "2c", "10h", "limit", "no-limit", "win", "palace", "+1", "stay", "bet 0 1"]),
)
JSON = st.recursive(
    SCALARS, lambda some: st.lists(some, max_size=5) | st.dictionaries(st.text(max_size=4), some, max_size=3)
)
ANYTHING = st.one_of(
    JSON,
    st.binary(max_size=4),
    st.tuples(SCALARS, SCALARS),
    st.builds(np.int16, st.integers(-5, 20)),
    st.builds(np.float32, st.integers(-5, 20)),
    st.builds(np.array, st.lists(st.integers(-2, 20), max_size=5)),
    st.builds(np.timedelta64, st.integers(0, 5), st.just("s")),
    st.sets(st.integers(0, 3)),
    st.sampled_from([object, int, Ellipsis, 1j]),
)


# What is played for the tests is played when the first of them asks, so that they are collected at once.
@functools.cache
def moments() -> list[TableEnv]:
    """Each table at a few moments of a hand."""
    found = []
    for face, arguments in TABLES:
        env = face.env(**arguments)
        env.reset(seed=4)
        rng = np.random.default_rng(4)
        for step in range(LOOKS.stop):
            if step in LOOKS:
                found.append(copy.deepcopy(env))
            env.step(int(rng.choice(legal(env))))
            if any(env.terminations.values()):
                env.reset()
    assert len(found) == N_MOMENTS
    return found


@functools.cache
def finished() -> list[dict[str, Any]]:
    """The histories of the shortest hands of each table."""
    shortest = []
    for face, arguments in TABLES:
        env = face.env(**arguments)
        found: list[dict[str, Any]] = []
        for seed in range(20):
            env.reset(seed=seed)
            rng = np.random.default_rng(seed)
            while not any(env.terminations.values()):
                env.step(int(rng.choice(legal(env))))
            found += env.histories
        shortest += sorted(found, key=lambda history: len(history["moves"]))[:SHORTEST]
    assert len(shortest) == N_HISTORIES
    return shortest


MOMENTS = st.integers(0, N_MOMENTS - 1)
HISTORIES = st.integers(0, N_HISTORIES - 1)


def tried(call: Callable[..., Any], *given_: Any, **named: Any) -> tuple[Any, str]:
    """What a call returns, and nothing told; or None, and what it is refused with, which must be short."""
    try:
        return call(*given_, **named), ""
    except ValueError as refused:
        kind, told = type(refused), str(refused)
    assert kind in (ValueError, protocol.RefusedError, protocol.LateError)
    assert 0 < len(told) < MOST_TOLD
    return None, told


# ---- what messages quote


@given(JSON)
def test_what_is_short_is_quoted_whole(value: object) -> None:
    told = repr(value)
    assert quote(value) == (told if len(told) <= MAX_QUOTED else f"{told[:300]}... ({len(told)} characters)")


@huge
def test_what_is_huge_is_quoted_shortened(value: Callable[[], Any]) -> None:
    assert len(quote(value())) < 350


def test_what_cannot_be_written_is_quoted_by_its_type() -> None:
    assert quote(10**5000) == "<int that cannot be shown>"
    assert quote(deep(5000)) == "<list that cannot be shown>"
    assert quote(Unshown()) == "<Unshown that cannot be shown>"


# ---- moves


def meaning(env: TableEnv, text: str) -> int | None:
    """The legal action that a text means, told by plain means: words, their case, noughts before numbers."""

    def plain(words: list[str]) -> list[str]:
        found = []
        for word in words:
            card = re.fullmatch("10([cdhs])", word)
            sign, digits = ("+", word[1:]) if word[:1] == "+" else ("", word)
            if digits.isdigit():
                word = sign + (digits.lstrip("0") or "0")
            found.append(f"t{card[1]}" if card else word)
        return found

    stripped = text.strip()
    if not stripped.isascii() or re.search("[\x1c-\x1f]", stripped):  # these divide words for str.split alone
        return None
    words = plain(stripped.lower().split())
    meant = {tuple(plain(env.move_text(action).lower().split())): action for action in legal(env)}
    return meant.get(tuple(words))


def check_move(env: TableEnv, text: str) -> None:
    before = env.state().tobytes()
    action = meaning(env, text)
    if action is None:
        with pytest.raises((InvalidMoveError, IllegalMoveError)) as refused:
            env.parse_move(text)
        assert str(refused.value).startswith(f"{quote(text)} is no")
        assert len(str(refused.value)) < MOST_TOLD
    else:
        assert env.parse_move(text) == action
    assert env.state().tobytes() == before


@given(MOMENTS, st.text() | st.binary().map(lambda data: data.decode("utf-8", "surrogateescape")))
@example(0, "\ud800")
@example(0, "stay\0")
@example(0, "\x1cstay\x1f")
@example(6, "discard \x1cQc")
def test_any_text_is_a_move_or_is_refused(moment: int, text: str) -> None:
    check_move(moments()[moment], text)


SIGNS = st.sampled_from(
    [
        *"0123456789 +-.cdhsTtJjKk\t\n\r\x0b\x0c\x1c\x85\xa0",
        "  ",
        "10",
        "\u0661",
        "\uff13",
        "\u212a",
        "\u017f",
    ]
)


@given(MOMENTS, st.data())
def test_a_move_with_a_few_wrong_signs_is_read_by_its_words_alone(moment: int, data: st.DataObject) -> None:
    env = moments()[moment]
    action = data.draw(st.sampled_from(legal(env)))
    text = env.move_text(action)
    for _ in range(data.draw(st.integers(0, 3))):
        place = data.draw(st.integers(0, len(text)))
        how = data.draw(st.sampled_from(["put", "replace", "drop", "upper", "twice"]))
        if how == "upper":
            text = text[:place] + text[place : place + 2].upper() + text[place + 2 :]
        elif how == "twice":
            text = text[:place] + text[place : place + 2] + text[place:]
        elif how == "drop":
            text = text[:place] + text[place + 1 :]
        else:
            text = text[:place] + data.draw(SIGNS) + text[place + (how == "replace") :]
    check_move(env, text)


@pytest.mark.parametrize(
    "made",
    [
        lambda words: words * 100_000,
        lambda words: words.replace(" ", " " * 1_000_000),
        lambda words: " " * 1_000_000 + words + "\n" * 1_000_000,
        lambda words: words + " " * 1_000_000 + ".",
        lambda words: re.sub(r"(\d)", "0" * 1_000_000 + r"\1", words),
        lambda words: re.sub(r"(\d)", r"\1" + "0" * 1_000_000, words),
        lambda words: words + "9" * 1_000_000,
        lambda words: "attack 1 +" + "9" * 1_000_000,
        lambda words: "discard " + "7" * 1_000_000 + "c",
        lambda words: "bet 1 1" + " blank" * 100_000,
    ],
)
@pytest.mark.parametrize("moment", range(0, N_MOMENTS, 2))
def test_moves_of_a_million_signs_are_read_or_refused_shortly(
    moment: int, made: Callable[[str], str]
) -> None:
    env = moments()[moment]
    for action in (legal(env)[0], legal(env)[-1]):
        check_move(env, made(env.move_text(action)))


@huge
def test_what_is_no_text_is_no_move_and_no_action(value: Callable[[], Any]) -> None:
    for env in moments()[::3]:
        given_ = value()
        if not isinstance(given_, str):
            with pytest.raises(InvalidMoveError) as invalid:
                env.parse_move(given_)
            assert str(invalid.value).startswith(f"{quote(given_)} is no move: write ")
        for ask in (env.step, env.move_text):
            with pytest.raises(IllegalMoveError) as refused:
                ask(given_)
            assert str(refused.value).startswith(f"action {quote(given_)} of seat ")
            assert len(str(refused.value)) < MOST_TOLD


@given(ANYTHING)
def test_anything_is_a_card_or_is_refused(value: object) -> None:
    card, told = tried(parse_card, value)
    if told:
        assert told.startswith(f"{quote(value)} is no card: ")
    else:
        assert isinstance(value, str)
        assert 0 <= card < 52
        assert len(value.strip()) in (2, 3)


# ---- histories


def check_history(given_: Any) -> None:  # noqa: ANN401
    """A history that is taken is one that the rules write, to the letter; any other is refused."""
    found, _ = tried(histories.replay, given_, *GAMES)
    if found:
        written, asked = (json.dumps(one, sort_keys=True) for one in (histories.write_out(*found), given_))
        assert written == asked


def places(part: Any, way: tuple[Any, ...] = ()) -> Iterator[tuple[Any, ...]]:  # noqa: ANN401
    """The ways to all parts of a history."""
    for key in part if isinstance(part, dict) else range(len(part) if isinstance(part, list) else 0):
        yield (*way, key)
        yield from places(part[key], (*way, key))


def change(history: dict[str, Any], way: tuple[Any, ...], how: str, value: Any) -> None:  # noqa: ANN401
    """Change one part of a history."""
    part: Any = history
    for key in way[:-1]:
        part = part[key]
    last = way[-1]
    if how == "drop":
        del part[last]
    elif how == "put" and isinstance(part, dict):
        part[value if isinstance(value, str) else "more"] = value
    elif how == "put":
        part.insert(last, value)
    elif how == "twice" and isinstance(part, list):
        part.insert(last, part[last])
    elif how == "next" and isinstance(part[last], int):
        part[last] += 1
    elif how == "last" and isinstance(part, dict):
        part[last] = part.pop(last)
    else:
        part[last] = value


@given(HISTORIES, st.data())
def test_a_changed_history_is_refused_or_is_another_true_one(number: int, data: st.DataObject) -> None:
    changed = copy.deepcopy(finished()[number])
    for _ in range(data.draw(st.integers(0, 3))):
        ways = list(places(changed))
        if ways:
            way = data.draw(st.sampled_from(ways))
            how = data.draw(st.sampled_from(["set", "drop", "put", "twice", "next", "last"]))
            change(changed, way, how, data.draw(JSON))
    check_history(changed)


@huge
@pytest.mark.parametrize("number", range(0, N_HISTORIES, 3))
def test_huge_values_anywhere_in_a_history_are_refused_shortly(number: int, value: Callable[[], Any]) -> None:
    history = finished()[number]
    for way in places(history):
        if (
            len(way) == 1
            or way[0] == "rules"
            or (way[0] != "moves" and way[-1] == 0)
            or way[:2] == ("moves", 0)
        ):
            changed = copy.deepcopy(history)
            change(changed, way, "set", value())
            with pytest.raises(ValueError, match=r"^.") as refused:
                histories.replay(changed, *GAMES)
            assert type(refused.value) is ValueError
            assert len(str(refused.value)) < MOST_TOLD
    wrong: list[Any] = [value(), [value()], {"game": value()}]
    for given_ in wrong:
        with pytest.raises(ValueError, match=r"^."):
            TableEnv.from_history(given_, *GAMES)


@given(ANYTHING)
def test_anything_is_no_history(value: object) -> None:
    check_history(value)


def read(lines: Any) -> list[dict[str, Any]] | None:  # noqa: ANN401
    """The histories in lines; None if they are refused, which is told shortly and with the line's number."""
    found, told = tried(lambda: list(histories.read(lines, *GAMES)))
    assert not told or re.match(r"line \d+: .", told)
    for history in found or []:
        check_history(history)
    return found  # type: ignore[no-any-return]


@given(st.text() | st.binary().map(lambda data: data.decode("utf-8", "replace")))
@example("\n")
@example('{"game": "palace", "version": 1' + ', "net": []' * 2 + "}")
def test_any_lines_are_histories_or_are_refused(text: str) -> None:
    assert read(text) in (None, [])
    assert read([text]) is None


@given(st.binary())
def test_any_bytes_of_a_file_are_histories_or_are_refused(tmp_path_factory: Any, data: bytes) -> None:  # noqa: ANN401
    file = tmp_path_factory.getbasetemp() / "fuzz.jsonl"
    file.write_bytes(data)
    with file.open(encoding="utf-8") as lines:
        assert read(lines) in (None, [])


@given(HISTORIES, st.data())
def test_a_line_with_a_few_wrong_signs_is_refused_or_is_a_true_history(
    number: int, data: st.DataObject
) -> None:
    history = finished()[number]
    line = histories.write(history)
    assert read(line) == [history]
    for _ in range(data.draw(st.integers(1, 3))):
        place = data.draw(st.integers(0, len(line) - 1))
        cut = data.draw(st.sampled_from([0, 0, 1, 1, 2, 10, 1000]))
        line = (
            line[:place]
            + data.draw(st.sampled_from(["", *'0123456789-.eE+,:[]{}"\\ntf \n']))
            + line[place + cut :]
        )
        line = line or " "
    read(line)


@pytest.mark.parametrize(
    "line",
    [
        "[" * 1_000_000,
        '{"game":' * 1_000_000,
        "9" * 1_000_000,
        '"' + "x" * 1_000_000,
        '{"game": "' + "x" * 1_000_000 + '"}',
        '{"' + "x" * 1_000_000 + '": 1, "game": "palace", "version": 1}',
        '{"x": 1, ' + ", ".join('"x": 1' for _ in range(100_000)) + "}",
        "-Infinity",
        "\ufeff{}",
    ],
    ids=range(9),
)
def test_huge_lines_are_refused_shortly_and_quoted(line: str) -> None:
    with pytest.raises(ValueError, match=r"^line 1: ") as refused:
        list(histories.read([line], *GAMES))
    assert len(str(refused.value)) < 1000


def test_a_line_that_is_no_json_is_quoted() -> None:
    with pytest.raises(ValueError, match=r"^line 1: Expecting ',' delimiter.*: '\[1 2\]'$"):
        list(histories.read(["[1 2]"], *GAMES))
    with pytest.raises(ValueError, match=r"^line 1: Exceeds the limit.*: '7777777.*\(5002 characters\)$"):
        list(histories.read(["7" * 5000], *GAMES))


# ---- arguments and options


def names(game: str) -> list[str]:
    return list(inspect.signature(FACES[game].GAME).parameters)


@given(st.sampled_from([(game, name) for game in FACES for name in names(game)]), ANYTHING)
def test_any_value_of_an_argument_is_taken_or_refused_by_name(
    argument: tuple[str, str], value: object
) -> None:
    game, name = argument
    env, told = tried(FACES[game].env, **{name: value})
    if env is None:
        assert told.startswith((name, "ranks=", "chips=", "hands="))
    else:
        env.reset(seed=1)
        env.step(legal(env)[0])
        json.dumps(env.game.rules)


@huge
@pytest.mark.parametrize("game", FACES)
def test_huge_values_of_arguments_are_refused_shortly(game: str, value: Callable[[], Any]) -> None:
    for name in (*names(game), "render_mode"):
        with pytest.raises(ValueError, match=rf"^{name}(\[0\])?=") as refused:
            FACES[game].env(**{name: value()})
        assert len(str(refused.value)) < 1000
    for name in ("size", "seed", "threads", "first"):
        with pytest.raises(ValueError, match=f"^{name}=") as refused:
            FACES[game].batch(**{"size": 2, name: value()})
        assert len(str(refused.value)) < 1000
    for kind in (TableEnv, lambda game: Batch(game, 2)):
        with pytest.raises(ValueError, match=r"^game=") as refused:
            kind(value())
        assert len(str(refused.value)) < 1000


OPTIONS = {
    "palace": ("button", "stacks", "banners", "palaces", "draws"),
    "detective": ("dealer", "private", "exposed", "board", "thrown"),
}
CARDS = st.sampled_from(["Ah", "Kd", "7c", "2s", "ts", "10S", "9d", "4h", "3c", "Qc", "5s", "8d"])
NEARLY = st.one_of(
    ANYTHING,
    st.lists(CARDS | ANYTHING, min_size=3, max_size=4),
    st.lists(st.lists(CARDS, min_size=3, max_size=3), min_size=3, max_size=4),
    st.lists(st.integers(-1, 300), min_size=3, max_size=4),
)


def options(values: dict[str, Any]) -> dict[str, Any]:
    """The options of a reset, the cards in ``deal``."""
    outside = {key: value for key, value in values.items() if key in ("button", "stacks", "dealer", "deal")}
    deal = {key: value for key, value in values.items() if key not in outside}
    return {"deal": deal, **outside} if deal else outside


@given(st.sampled_from(list(FACES)), st.data())
def test_any_options_are_dealt_or_refused_and_change_nothing(game: str, data: st.DataObject) -> None:
    env = FACES[game].env(players=data.draw(st.sampled_from([3, 4])))
    env.reset(seed=2)
    before = env.state().tobytes(), env.observe(env.agent_selection)["observation"].tobytes()
    wanted = options(
        data.draw(st.dictionaries(st.sampled_from([*OPTIONS[game], "deal"]), NEARLY, max_size=3))
    )
    if data.draw(st.integers(0, 9)) == 0:
        wanted = data.draw(ANYTHING)
    _, told = tried(env.reset, seed=1, options=wanted)
    if told:
        assert told.startswith(("option", "button", "stacks", "deal", "dealer"))
        assert (env.state().tobytes(), env.observe(env.agent_selection)["observation"].tobytes()) == before
    while not any(env.terminations.values()):
        env.step(legal(env)[-1])


@huge
@pytest.mark.parametrize("game", FACES)
def test_huge_options_are_refused_shortly(game: str, value: Callable[[], Any]) -> None:
    env = FACES[game].env(players=3)
    env.reset(seed=2)
    before = env.state().tobytes()
    wrong: list[Any] = [{"deal": value()}, {quote(value()): 1}, {"deal": {quote(value()): 1}}]
    wrong += [options({name: value()}) for name in OPTIONS[game]]
    wrong += [options({name: [value()] * 3}) for name in OPTIONS[game]]
    if not isinstance(value(), dict):
        wrong.append(value())
    for wanted in wrong:
        with pytest.raises(ValueError, match=r"^(option|button|stacks|deal)") as refused:
            env.reset(seed=1, options=wanted)
        assert len(str(refused.value)) < 1000
    with pytest.raises(ValueError, match=r"^seed=") as refused:
        env.reset(seed=value())
    assert len(str(refused.value)) < 1000
    with pytest.raises(ValueError, match=r"^agent .* is unknown: choose from "):
        env.observe(value())
    assert env.state().tobytes() == before


# ---- lines of programs, and specs


def check_answer(line: bytes) -> None:
    env = moments()[0]
    mask = env.observe(env.agent_selection)["action_mask"].astype(bool)
    view = env.view(env.agent_selection)
    try:
        action, told = tried(protocol.answer, env.game, view, mask, 7, line)
    except protocol.QuitError:
        assert json.loads(line) == {"type": "quit"}
        return
    if not told:
        assert json.loads(line)["id"] == 7
        assert env.parse_move(json.loads(line)["move"]) == action


@given(st.binary() | JSON.map(lambda value: json.dumps(value).encode()))
def test_any_line_of_a_program_is_an_answer_or_is_refused(line: bytes) -> None:
    check_answer(line)


@given(
    st.dictionaries(
        st.sampled_from(["type", "id", "move"]) | st.text(max_size=3),
        st.sampled_from(["move", "quit", 7, "stay", "fold", "buy", "attack 1", "attack 2 +4"]) | JSON,
        max_size=4,
    ),
    st.booleans(),
)
@example({"type": "move", "id": 7, "move": "fold"}, False)
def test_messages_that_are_nearly_right_are_answers_or_are_refused(
    message: dict[str, Any], whole: bool
) -> None:
    if whole:
        message = {"type": "move", "id": 7, **message}
    check_answer(json.dumps(message).encode())


@given(
    st.lists(st.binary(max_size=9) | st.sampled_from([b"\n", b"\n\n", b"a" * 40_000]), max_size=12),
    st.lists(st.integers(0, 100_000), max_size=6),
)
def test_lines_are_the_same_in_whatever_pieces_they_come(parts: list[bytes], cuts: list[int]) -> None:
    sent = b"".join(parts)
    lines = protocol.Lines()
    taken = []
    edges = [0, *sorted(cut for cut in cuts if cut < len(sent)), len(sent)]
    for start, end in itertools.pairwise(edges):
        lines.put(sent[start:end])
        while (line := lines.take()) is not None:
            taken.append(line)
    *whole, rest = sent.split(b"\n")
    most = protocol.MAX_LINE + 1
    assert [line[:most] for line in taken] == [line[:most] for line in whole]
    assert lines.rest()[:most] == rest[:most]
    assert len(lines) == 0


@given(
    st.text(max_size=12).filter(lambda spec: not spec.startswith("program"))
    | st.sampled_from(
        ["random", "equity:", "equity:0", "equity:200000", "equity:1e3", "random:3", ".", "a/b", "\0/"]
    )
)
def test_any_spec_is_an_agent_or_is_refused(spec: str) -> None:
    for game in GAMES:
        try:
            agent, told = tried(agents.load, spec, game)
        except FileNotFoundError as missing:
            agent, told = None, str(missing)
        assert repr(spec) in told if agent is None else agent.name == spec


@huge
def test_huge_values_are_refused_shortly_by_agents_too(value: Callable[[], Any]) -> None:
    game, script = palace_v0.GAME(players=3), agents.load("tight", palace_v0.GAME(players=3))
    calls: list[tuple[str, Callable[[], object]]] = [
        ("agent ['\"]/", lambda: agents.load(f"/{quote(value())}" * 20, game)),
        ("['\"]equity:", lambda: agents.load(f"equity:{quote(value())}" * 20, game)),
        ("game ", lambda: agents.load("tight", value())),
        ("others=", lambda: duel(game, script, value(), 2)),
        ("game=", lambda: SoloEnv(value())),
        ("opponents=", lambda: SoloEnv("palace", opponents=[value()])),
        ("['\"]program", lambda: agents.load(f"program@{quote(value())}:" * 20, game)),
    ]
    calls += [
        (f"{field.name}=", functools.partial(Settings, **{field.name: value()}))
        for field in dataclasses.fields(Settings)
    ]
    for beginning, call in calls:
        with pytest.raises((ValueError, FileNotFoundError), match=f"^({beginning})") as refused:
            call()
        assert len(str(refused.value)) < 1000
