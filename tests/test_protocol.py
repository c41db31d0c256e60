"""Programs at the table: the messages, a table that serves a program, and a program as an agent."""

import contextlib
import io
import itertools
import json
import os
import re
import shlex
import signal
import subprocess
import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path
from types import ModuleType
from typing import Any

import numpy as np
import pytest

import agents
from agents import program, serving
from agents.arena import duel
from agents.program import Program
from agents.serving import serve
from agents.spec import settle
from card_table import history, protocol
from card_table.cards import NO_CARD, format_card, list_cards
from card_table.game import Game
from detective_env import detective_v0
from docs import conversation
from palace_env import palace_v0
from tests.plain import ROOT

PLAYER = f"program:{shlex.join([sys.executable, str(ROOT / 'examples' / 'player.py')])}"


def python(code: str, seconds: float = 0.3) -> str:
    """The spec of a program that is a piece of Python."""
    return f"program@{seconds}:{shlex.join([sys.executable, '-c', code])}"


class Client(io.BytesIO):
    """Both ends of a program that is served: it says what a function of the last turn tells it to say."""

    def __init__(self, say: Callable[[dict[str, Any]], bytes]) -> None:
        super().__init__()
        self.say = say
        self.heard: list[dict[str, Any]] = []

    def write(self, data: bytes) -> int:  # type: ignore[override]
        """Hear one message."""
        assert data.endswith(b"\n")
        assert data.count(b"\n") == 1
        self.heard.append(json.loads(data.decode("ascii")))
        return len(data)

    def read1(self, size: int | None = -1) -> bytes:
        """Say something."""
        return self.say(next(each for each in reversed(self.heard) if each["type"] == "turn"))

    def of(self, kind: str) -> list[dict[str, Any]]:
        """What was heard of one type."""
        return [message for message in self.heard if message["type"] == kind]


def move(turn: Mapping[str, Any], words: str) -> bytes:
    return protocol.write({"type": "move", "id": turn["id"], "move": words})


def first_move(turn: dict[str, Any]) -> bytes:
    return move(turn, turn["moves"][0])


def chance(seed: int) -> Callable[[dict[str, Any]], bytes]:
    """Says any of the moves."""
    rng = np.random.default_rng(seed)
    return lambda turn: move(turn, turn["moves"][rng.integers(len(turn["moves"]))])


def play(
    game: Game, say: Callable[[dict[str, Any]], bytes], seat: int = 0, seed: int = 0, other: str = "random"
) -> tuple[int, Client]:
    client = Client(say)
    opponents = [agents.load(other, game)] * (game.players - 1)
    return serve(game, opponents, seat, seed, None, client, client), client


# ---- the page


def test_the_conversation_on_the_page_is_what_is_said() -> None:
    page = conversation.PAGE.read_text("utf-8")
    assert conversation.renewed(page) == page, "docs/protocol.md is stale, run: python -m docs.conversation"
    assert page.count('"type": "refused"') == 2


def test_the_page_tells_all_keys(face: ModuleType) -> None:
    page = conversation.PAGE.read_text("utf-8")
    _, client = play(face.GAME(), chance(0))

    def keys(value: object) -> Iterator[str]:
        if isinstance(value, dict):
            yield from value
        for part in value.values() if isinstance(value, dict) else value if isinstance(value, list) else []:
            yield from keys(part)

    for message in client.heard:
        top = {key: value for key, value in message.items() if key not in ("rules", "history")}
        assert {key for key in keys(top) if f"`{key}`" not in page} == set()


# ---- a table that serves a program


def test_a_match_from_hello_to_goodbye(face: ModuleType) -> None:
    game = face.GAME(hands=3)
    code, client = play(game, chance(1), seat=2, seed=5)
    kinds = [message["type"] for message in client.heard]
    assert code == serving.FINISHED
    assert kinds[0] == "hello"
    assert kinds[-1] == "goodbye"
    assert [kind for kind in kinds if kind in ("hand", "result")] == ["hand", "result"] * 3
    assert set(kinds) == {"hello", "hand", "turn", "result", "goodbye"}
    hello = client.heard[0]
    assert (hello["protocol"], hello["game"], hello["rules"]) == (protocol.VERSION, game.name, game.rules)
    assert [turn["id"] for turn in client.of("turn")] == list(range(1, kinds.count("turn") + 1))
    for hand, message in enumerate(client.of("hand")):
        assert (message["hand"], message["seat"], message["view"]["seat"]) == (hand, 2, 2)
    for turn in client.of("turn"):
        assert turn["view"]["actor"] == turn["view"]["seat"] == 2
        assert turn["moves"]
        assert "You are seat 2" in " ".join(turn["text"].split())


def test_deals_are_those_of_the_environment_and_all_follows_from_the_seed(face: ModuleType) -> None:
    game = face.GAME(hands=2)
    first, again, other = (play(game, chance(3), seed=seed)[1].heard for seed in (11, 11, 12))
    assert first == again
    assert first != other
    env = face.env(hands=2)
    env.reset(seed=11)
    assert game.view_data(env.view("player_0")) == first[1]["view"]


def test_results_are_those_of_the_match(face: ModuleType) -> None:
    game = face.GAME(hands=4)
    kept: list[Mapping[str, Any]] = []
    client = Client(chance(2))
    serve(game, [agents.load("random", game)] * 3, 1, 8, kept.append, client, client)
    assert list(history.read("".join(map(history.write, kept)), face.GAME)) == kept
    key, total = ("net", "score") if game.name == "palace" else ("points", "points")
    sums = np.zeros(4, int)
    for whole, result in zip(kept, client.of("result"), strict=True):
        sums += whole[key]
        assert result["history"][key] == whole[key]
        assert result["history"]["moves"] == whole["moves"]
        view = result["view"]
        shown = view["score"] if total == "score" else [seat["points"] for seat in view["seats"]]
        assert shown == sums.tolist()
        assert view["actor"] is None
    winners = client.heard[-1]["winners"]
    assert winners
    assert all(sums[seat] == sums.max() for seat in winners)


BAD = {
    "an empty line": (b"\n", "is no JSON"),
    "letters": (b"stay\n", "is no JSON"),
    "no UTF-8": (b'{"type": "move", "move": "\xff"}\n', "is no UTF-8: invalid start byte at byte 26"),
    "UTF-16": ('{"type": "quit"}\n'.encode("utf-16") + b"\n", "is no UTF-8"),
    "NULs": (b"\0" * 1000 + b"\n", "is no JSON"),
    "100 kB": (b"x" * 100_000 + b"\n", "must have 65536 bytes at most"),
    "100 kB of JSON": (b'{"type": "move", "id": 1, "move": "' + b"x" * 100_000 + b'"}\n', "65536 bytes"),
    "60 kB of a move": (
        b'{"type": "move", "id": 1, "move": "' + b"x" * 60_000 + b'"}\n',
        "has 60000 characters: must be one of the turn's moves",
    ),
    "60 kB of a type": (b'{"type": "' + b"x" * 60_000 + b'"}\n', "is unknown: must be one of"),
    "deep": (b"[" * 60_000 + b"\n", "nested too deeply"),
    "deep and whole": (b"[" * 30_000 + b"]" * 30_000 + b"\n", "nested too deeply"),
    "as deep as is read": (b"[" * 900 + b"]" * 900 + b"\n", ""),
    "half an object": (b'{"type": "move", "id": 1\n', "is no JSON"),
    "two objects": (b'{"type": "quit"}{"type": "quit"}\n', "is no JSON: Extra data"),
    "a list": (b"[]\n", "[] is no message: must be an object"),
    "a large number": (b"1e999\n", "inf is no message"),
    "a long number": (b"1" * 5000 + b"\n", "is no JSON: Exceeds the limit"),
    "no number": (b"NaN\n", "NaN is no number"),
    "no type": (b"{}\n", "type None is unknown: must be one of ['move', 'quit']"),
    "a type that is a list": (b'{"type": ["move"]}\n', "type ['move'] is unknown"),
    "an unknown type": (b'{"type": "bet"}\n', "type 'bet' is unknown"),
    "no id": (
        b'{"type": "move", "move": "stay"}\n',
        "key 'id' is missing: a move has ['type', 'id', 'move']",
    ),
    "no move": (b'{"type": "move", "id": 1}\n', "key 'move' is missing"),
    "a key too many": (b'{"type": "move", "id": 1, "move": "stay", "x": 1}\n', "key 'x' is unknown"),
    "a key twice": (b'{"type": "quit", "type": "quit"}\n', "a key occurs twice"),
    "another id": (b'{"type": "move", "id": 2, "move": "stay"}\n', "id 2 is not that of the decision"),
    "an id that is a bool": (b'{"type": "move", "id": true, "move": "stay"}\n', "id True is not"),
    "an id that is a float": (b'{"type": "move", "id": 1.0, "move": "stay"}\n', "id 1.0 is not"),
    "an infinite id": (b'{"type": "move", "id": -1e999, "move": "stay"}\n', "id -inf is not"),
    "a move that is a number": (b'{"type": "move", "id": 1, "move": 3}\n', "move 3 is no text"),
    "a move that is none": (b'{"type": "move", "id": 1, "move": "dance"}\n', "'dance' is no move: write"),
    "half a character": (b'{"type": "move", "id": 1, "move": "\\ud800"}\n', "is no move: write"),
    "a seat that is none": (b'{"type": "move", "id": 1, "move": "attack 9"}\n', ""),
    "a bet that is none": (b'{"type": "move", "id": 1, "move": "bet 9 99"}\n', ""),
}


@pytest.mark.parametrize(("sent", "told"), BAD.values(), ids=list(BAD))
def test_a_bad_line_is_refused_with_the_reason_and_asked_again(
    face: ModuleType, sent: bytes, told: str
) -> None:
    lines = itertools.chain([sent], itertools.repeat(None))

    def say(turn: dict[str, Any]) -> bytes:
        line = next(lines)
        return first_move(turn) if line is None else line

    code, client = play(face.GAME(hands=1), say)
    assert code == serving.FINISHED
    (refusal, *more) = client.of("refused")
    assert refusal["id"] == 1
    assert told in refusal["reason"]
    assert len(refusal["reason"]) < 2500
    assert len(more) == sent.count(b"\n") - 1  # one has the byte of a line's end inside


def test_a_move_that_the_mask_does_not_offer_is_refused() -> None:
    env = palace_v0.env(players=2)
    env.reset(seed=1)
    mask = env.observe(env.agent_selection)["action_mask"].astype(bool)
    views, line = env.view(env.agent_selection), move({"id": 4}, "fold").rstrip()
    action = protocol.answer(env.game, views, mask, 4, line)
    assert env.move_text(action) == "fold"
    mask[action] = False
    with pytest.raises(protocol.RefusedError, match=r"^'fold' is not allowed now$"):
        protocol.answer(env.game, views, mask, 4, line)


def test_lines_may_come_in_pieces_and_several_at_once() -> None:
    whole = (
        move({"id": 1}, "bet 0 1")
        + move({"id": 2}, "bet 0 1")
        + move({"id": 3}, "bet 0 1").replace(b"\n", b"\r\n")
    )
    pieces = iter([whole[:7], whole[7:90], whole[90:], b'{"type": "quit"}', b""])
    code, client = play(detective_v0.GAME(hands=1), lambda turn: next(pieces))
    assert code == serving.FINISHED
    assert len(client.of("turn")) == 4
    assert client.of("refused") == []
    assert client.heard[-1] == {"type": "goodbye", "reason": "you quit", "winners": []}


def test_the_end_of_input_ends_the_match(face: ModuleType) -> None:
    said = iter([True])
    code, client = play(face.GAME(hands=4), lambda turn: first_move(turn) if next(said, False) else b"")
    assert code == serving.END_OF_INPUT
    assert client.heard[-1] == {"type": "goodbye", "reason": "your input ended", "winners": []}


def test_a_program_that_does_not_listen_ends_the_match(face: ModuleType) -> None:
    read, write = os.pipe()
    os.close(read)
    game = face.GAME()
    with open(write, "wb") as out:
        code = serve(game, [agents.load("random", game)] * 3, 0, 0, None, io.BytesIO(), out)
    assert code == serving.END_OF_INPUT


def test_ctrl_c_says_goodbye(face: ModuleType) -> None:
    def stop(turn: dict[str, Any]) -> bytes:
        raise KeyboardInterrupt

    client = Client(stop)
    game = face.GAME()
    with pytest.raises(KeyboardInterrupt):
        serve(game, [agents.load("random", game)] * 3, 0, 0, None, client, client)
    assert client.heard[-1]["reason"] == "the table was interrupted"


# ---- the command line


def served(*arguments: str, said: bytes = b"") -> tuple[int, list[dict[str, Any]], str]:
    """Run play.py --protocol with all that a program will say."""
    command = [sys.executable, "play.py", *arguments]
    done = subprocess.run(command, input=said, capture_output=True, cwd=ROOT, timeout=120)
    assert b"Traceback" not in done.stderr
    return done.returncode, [json.loads(line) for line in done.stdout.splitlines()], done.stderr.decode()


def test_the_command_on_the_page_has_the_conversation_on_the_page() -> None:
    page = conversation.PAGE.read_text("utf-8")
    (command,) = re.findall(r"`python play.py (palace .* --seed 7)`", page)
    block = re.findall(r"^([<> ]{4})(\{.*\}|buy)$", page, re.MULTILINE)
    said = "".join(line + "\n" for way, line in block if ">" in way)
    told = [json.loads(line) for way, line in block if "<" in way]
    code, heard, complaints = served(*command.split(), said=said.encode())
    assert (code, complaints) == (serving.FINISHED, "")
    assert heard[0]["software"].keys() == told[0]["software"].keys()
    heard[0]["software"] = told[0]["software"]
    assert heard == told


def test_input_that_ends_keeps_the_saved_hands(tmp_path: Path) -> None:
    place = tmp_path / "hands.jsonl"
    arguments = ("detective", "--protocol", "--against", "self", "--seed", "3", "--save", str(place))
    said = b"".join(move({"id": number}, "bet 0 1") for number in range(1, 6))
    code, heard, complaints = served(*arguments, said=said + b"\xff" * 100_000)
    assert (code, complaints) == (serving.END_OF_INPUT, "")
    assert [message["type"] for message in heard[-2:]] == ["refused", "goodbye"]
    assert len(list(history.read(place.read_text("utf-8"), detective_v0.GAME))) == 1


def test_ctrl_c_ends_with_130() -> None:
    command = [sys.executable, "play.py", "palace", "--protocol", "--against", "passive", "--seed", "3"]
    with subprocess.Popen(
        command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE, cwd=ROOT
    ) as running:
        assert running.stdout is not None
        assert running.stderr is not None
        while json.loads(running.stdout.readline())["type"] != "turn":
            pass
        running.send_signal(signal.SIGINT)
        rest = running.stdout.read().splitlines()
        assert running.stderr.read() == b""
        assert running.wait(60) == 130
    assert json.loads(rest[-1])["reason"] == "the table was interrupted"


def test_a_reader_that_goes_away_ends_the_table() -> None:
    command = [sys.executable, "play.py", "palace", "--protocol", "--against", "passive", "--seed", "3"]
    with subprocess.Popen(
        command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE, cwd=ROOT
    ) as running:
        assert running.stdin is not None
        assert running.stdout is not None
        assert running.stderr is not None
        running.stdout.readline()
        running.stdout.close()
        with contextlib.suppress(BrokenPipeError):  # it may have ended before it is told anything
            running.stdin.write(b"x\n" * 9)
            running.stdin.flush()
        assert running.stderr.read() == b""
        assert running.wait(60) == serving.END_OF_INPUT


def test_a_program_plays_a_program() -> None:
    """The table serves one over its own pipes, and starts the others."""
    read, write = os.pipe()
    table = subprocess.Popen(
        [sys.executable, "play.py", "detective", "--protocol", "--against", PLAYER, "visible", PLAYER],
        stdin=read,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        cwd=ROOT,
    )
    player = subprocess.Popen(
        shlex.split(PLAYER.partition(":")[2]), stdin=table.stdout, stdout=write, stderr=subprocess.PIPE
    )
    os.close(read)
    os.close(write)
    for process in (player, table):
        assert process.communicate(timeout=120)[1] == b""
        assert process.returncode == 0


# ---- what a seat may not know


class Witness(serving.Dealer):
    """A table that keeps, from the whole truth, the cards that each seat may have seen in this hand."""

    last: "Witness"

    def __init__(self, game: Game, seed: int) -> None:
        super().__init__(game, seed)
        self.seen = [0] * game.players
        self.look()
        Witness.last = self

    def step(self, action: int) -> None:
        """Make a move, and look."""
        super().step(action)
        self.look()

    def go_on(self) -> None:
        """Deal, forget, and look."""
        super().go_on()
        self.seen = [0] * len(self.seen)
        self.look()

    def look(self) -> None:
        """Note what lies open, and what each seat is shown."""
        g = self.states[0]
        for seat in range(len(self.seen)):
            look = _palace_cards if self.game.name == "palace" else _detective_cards
            for card in look(g, seat, len(self.seen)):
                if card != NO_CARD:
                    self.seen[seat] |= 1 << card


def _palace_cards(g: Any, seat: int, players: int) -> Iterator[int]:  # noqa: ANN401
    for other in range(players):
        yield int(g.banner[other])
        yield from list_cards(int(g.soldiers[other]))
        if other == seat or int(g.seen[seat]) >> other & 1:
            yield from g.dealt[other].tolist()


def _detective_cards(g: Any, seat: int, players: int) -> Iterator[int]:  # noqa: ANN401
    yield from g.board[: (0, 3, 4, 5)[int(g.street)]].tolist()
    yield from g.thrown[: int(g.street)].ravel().tolist()
    for other in range(players):
        if g.scored or other == seat:
            yield int(g.private[other])
        if g.scored or other != seat:
            yield int(g.exposed[other])


def cards_in(message: object) -> set[str]:
    """All cards that stand anywhere in a message, in words too."""
    if isinstance(message, dict):
        return set().union(*map(cards_in, message.values()), *map(cards_in, message))
    if isinstance(message, list):
        return set().union(*map(cards_in, message))
    return set(re.findall(r"\b[2-9TJQKA][cdhs]\b", message)) if isinstance(message, str) else set()


def check_secrets(game: Game, seat: int, seed: int) -> tuple[int, int]:
    """Play a match in which no message may tell what the seat may not know.

    Returns:
        How many messages there were, and how many cards were taken out of histories.
    """
    counts = [0, 0]
    rng = np.random.default_rng(seed)
    whole: list[Mapping[str, Any]] = []

    class Seat(Client):
        def write(self, data: bytes) -> int:  # type: ignore[override]
            """Hear one message, and compare it with the truth."""
            size = super().write(data)
            message = self.heard[-1]
            counts[0] += 1
            if message["type"] in ("hand", "turn", "result"):
                allowed = {format_card(card) for card in list_cards(Witness.last.seen[seat])}
                assert cards_in(message) <= allowed
                assert cards_in(message["view"]) >= _own(Witness.last, seat)
            if message["type"] == "turn" and game.name == "detective":
                others = [bet["card"] for bet in message["view"]["bets"] if bet["seat"] != seat]
                assert set(others) <= {None, "hidden"}
            if message["type"] == "result":
                hidden = cards_in(whole[-1]) - cards_in(message["history"])
                counts[1] += len(hidden)
            return size

    client = Seat(lambda turn: move(turn, turn["moves"][rng.integers(len(turn["moves"]))]))
    names = ("random", "passive", "tight") if game.name == "palace" else ("random", "visible", "self")
    others = [agents.load(names[place % 3], game) for place in range(game.players - 1)]
    assert serve(game, others, seat, seed, whole.append, client, client) == serving.FINISHED
    return counts[0], counts[1]


def _own(table: Witness, seat: int) -> set[str]:
    g = table.states[0]
    cards = g.dealt[seat].tolist() if table.game.name == "palace" else [int(g.private[seat])]
    return {format_card(card) for card in cards if card != NO_CARD}


def secret_games() -> Iterator[tuple[Game, int, int]]:
    """Games without end, their seat and their seed."""
    for seed in itertools.count():
        rng = np.random.default_rng(seed)
        players = int(rng.integers(2, 11))
        betting = ("limit", "no-limit")[seed % 2]
        yield palace_v0.GAME(players=players, betting=betting, hands=2, stack=40), seed % players, seed
        players = 3 + seed % 2
        yield detective_v0.GAME(players=players, expert=bool(seed // 2 % 2), hands=2), seed % players, seed


def test_no_message_tells_what_its_seat_may_not_know(monkeypatch: pytest.MonkeyPatch) -> None:
    check_many_secrets(monkeypatch, 40)


@pytest.mark.slow
def test_no_message_of_1000_games_tells_what_its_seat_may_not_know(monkeypatch: pytest.MonkeyPatch) -> None:
    check_many_secrets(monkeypatch, 1000)


def check_many_secrets(monkeypatch: pytest.MonkeyPatch, games: int) -> None:
    monkeypatch.setattr(serving, "Dealer", Witness)
    counts = [check_secrets(*each) for each in itertools.islice(secret_games(), games)]
    messages, hidden = np.sum(counts, axis=0)
    assert messages > 10 * games
    assert hidden > 2 * games  # so histories had something to hide, and a leak would have been seen


# ---- a program as an agent


def ask(
    agent: Program, game: Game, rounds: int = 1, size: int = 3, seconds: Sequence[float] = ()
) -> list[tuple[Any, np.ndarray[Any, Any], np.ndarray[Any, Any]]]:
    """Have an agent move in some games, in each round in so many seconds; what it was given, and did."""
    face = palace_v0 if game.name == "palace" else detective_v0
    batch = face.batch(size, seed=4)
    rng = np.random.default_rng(0)
    asked = []
    for number in range(rounds):
        agent.seconds = seconds[number] if seconds else agent.seconds
        views, masks = batch.views().copy(), batch.masks.copy()
        actions = agent.act(views, batch.observations, masks, rng)
        assert masks[np.arange(size), actions].all()
        asked.append((views, masks, actions))
        batch.step(actions)
    return asked


def passive(game: Game, views: Any, masks: Any) -> list[str]:  # noqa: ANN401
    """The passive moves."""
    if game.name == "detective":
        return [f"bet {actor} 1" for actor in views["actor"].tolist()]
    observations = np.zeros((len(views), game.layout.size), np.uint8)
    actions = agents.load("passive", game).act(views, observations, masks, np.random.default_rng(0))
    return [game.format_move(views[i : i + 1], action) for i, action in enumerate(actions.tolist())]


def test_the_example_plays_both_games(
    face: ModuleType, capfd: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(program, "GRACE", 60.0)  # a busy machine must not turn its end into one by force
    game = face.GAME()
    agent = agents.load(PLAYER, game)
    assert isinstance(agent, Program)
    result = duel(game, agent, agents.load("random", game), deals=4, seed=3)
    assert result.candidate == PLAYER
    assert agent.decisions > 20
    assert agent.forfeits == {}
    agent.close()
    assert agent._pipes._process.returncode == 0
    assert capfd.readouterr() == ("", "")


def test_a_short_spec_is_told_whole(capfd: pytest.CaptureFixture[str]) -> None:
    game = palace_v0.GAME()
    agent = Program("program:true", game)
    ask(agent, game)
    agent.close()
    assert capfd.readouterr().err.splitlines() == [
        "program:true: it has ended, exit code 0; the passive move is played for it",
        "program:true: forfeited moves: 3 (death 3)",
    ]


def test_the_example_is_about_thirty_lines_of_the_standard_library() -> None:
    code = (ROOT / "examples" / "player.py").read_text("utf-8")
    assert len([line for line in code.splitlines() if line.strip()]) <= 36
    imported = re.findall(r"^(?:from|import) (\w+)", code, re.MULTILINE)
    assert set(imported) <= sys.stdlib_module_names


REPLY = (
    "import json, sys\n"
    "for line in sys.stdin:\n"
    "    m = json.loads(line)\n"
    "    if m['type'] == 'turn':\n"
    "        {}\n"
    "        print(json.dumps(dict(type='move', id=m['id'], move=m['moves'][-1])), flush=True)\n"
)
FAILURES = {
    "hangs": ("import time; time.sleep(1000)", "silence", "no move within 0.3 s"),
    "reads and says nothing": ("import sys; sys.stdin.read()", "silence", "no move within 0.3 s"),
    "ignores the end": (
        "import signal, time; signal.signal(signal.SIGTERM, signal.SIG_IGN); time.sleep(1000)",
        "silence",
        "no move within 0.3 s",
    ),
    "one line without end": (
        "import sys\nwhile True: sys.stdout.write('x' * 9999)",
        "silence",
        "no move within 0.3 s",
    ),
    "garbage": (
        "import os\nwhile True: os.write(1, b'\\xff\\0\\n' * 99)",
        "garbage",
        "no legal move in 10 lines, of the last: the line is no UTF-8",
    ),
    "illegal moves": (
        REPLY.format("m['moves'] = ['dance']").replace("flush", "end='\\n' * 11, flush"),
        "garbage",
        "no legal move in 10 lines",
    ),
    "dies": ("import sys; sys.exit(7)", "death", "it has ended, exit code 7"),
    "is killed": ("import os; os.kill(os.getpid(), 9)", "death", "it has ended by SIGKILL"),
    "closes its output": ("import os, time; os.close(1); time.sleep(1000)", "death", "it has ended"),
    "quits": (
        'import time; print(\'{"type": "quit"}\', flush=True); time.sleep(1000)',
        "quit",
        "it has quit",
    ),
}


@pytest.mark.parametrize(("code", "kind", "told"), FAILURES.values(), ids=list(FAILURES))
def test_a_program_that_fails_forfeits_and_the_match_goes_on(
    code: str, kind: str, told: str, face: ModuleType, capfd: pytest.CaptureFixture[str]
) -> None:
    game: Game = face.GAME()
    # Only silence is waited for; a busy machine must not turn another failure into it.
    agent = Program(python(code, seconds=0.3 if kind == "silence" else 60), game)
    for views, masks, actions in ask(agent, game, rounds=4):
        words = [game.format_move(views[i : i + 1], int(action)) for i, action in enumerate(actions)]
        assert words == passive(game, views, masks)
    assert agent.forfeits == {kind: 12}
    agent.close()
    code_of_exit = agent._pipes._process.returncode
    assert code_of_exit is not None
    if "sleep(1000)" in code:  # nobody waits for that
        assert code_of_exit in (-signal.SIGTERM, -signal.SIGKILL)
    lines = capfd.readouterr().err.splitlines()
    assert all(line.startswith(" ".join(agent.name.split())[:60]) for line in lines)
    assert told in lines[0]
    assert lines[0].endswith("; the passive move is played for it")
    assert lines[-1].endswith(f": forfeited moves: 12 ({kind} 12)")
    assert len(lines) == (3 if kind in ("silence", "garbage") else 2)


def test_a_late_move_is_passed_over_and_the_next_is_in_time() -> None:
    game = detective_v0.GAME()
    late = """{"type": "move", "id": 2, "move": "bet 0 1"}"""
    code = REPLY.format(f"if m['id'] == 2: continue\n        if m['id'] == 3: print('{late}')")
    agent = Program(python(code, seconds=60), game)
    asked = ask(agent, game, rounds=4, size=1, seconds=(60, 1, 60, 60))
    assert agent.forfeits == {"silence": 1}
    last = [int(np.flatnonzero(masks[0])[-1]) for _, masks, _ in asked]
    assert [int(actions[0]) for _, _, actions in asked] == [last[0], 0, *last[2:]]
    agent.close()


def test_failures_now_and_then_do_not_end_a_program() -> None:
    game = detective_v0.GAME()
    wrong = "m['moves'] = ['x'] if m['id'] % 2 else m['moves']"
    agent = Program(python(REPLY.format(wrong).replace("flush", "end='\\n' * 10, flush"), seconds=60), game)
    ask(agent, game, rounds=4)
    assert agent.forfeits == {"garbage": 6}
    agent.close()


def test_a_program_is_ended_with_the_agent(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(program, "GRACE", 60.0)
    game = palace_v0.GAME()
    agent = Program(PLAYER, game)
    process = agent._pipes._process
    assert process.poll() is None
    del agent
    assert process.returncode == 0


def test_a_closed_program_forfeits() -> None:
    game = palace_v0.GAME()
    agent = Program(PLAYER, game)
    agent.close()
    agent.close()
    ask(agent, game)
    assert agent.forfeits == {"closed": 3}


@pytest.mark.parametrize(
    ("spec", "told"),
    [
        ("program:", "names no command"),
        ("program: ", "names no command"),
        ("program:a\0b", "names no command"),
        ("program:'a", "cannot be split into words (No closing quotation)"),
        ("program@:a", "the seconds a move must be a number above 0, 86400 at most"),
        ("program@0:a", "the seconds a move"),
        ("program@nan:a", "the seconds a move"),
        ("program@1e9:a", "the seconds a move"),
        ("program@x:a", "the seconds a move"),
        ("program@3", "must be program:CMD or program@SECONDS:CMD"),
    ],
)
def test_specs_that_are_wrong(spec: str, told: str) -> None:
    with pytest.raises(ValueError, match=re.escape(repr(spec))) as refused:
        agents.load(spec)
    assert told in str(refused.value)


def test_a_program_that_cannot_be_started(tmp_path: Path) -> None:
    with pytest.raises(FileNotFoundError, match="'no-such-program' cannot be started"):
        agents.load("program:no-such-program --fast")
    (tmp_path / "plain").write_text("")
    with pytest.raises(PermissionError, match="cannot be started"):
        agents.load(f"program:{tmp_path / 'plain'}")


def test_views_of_another_table_are_refused() -> None:
    agent = Program(PLAYER, settle("palace"))
    rng = np.random.default_rng(0)
    for batch, told in (
        (detective_v0.batch(2), "must be records (n,) of palace"),
        (palace_v0.batch(2, players=3), "masks of shape"),
        (palace_v0.batch(2, small_bet=4), "'small_bet' is not that of the game"),
    ):
        with pytest.raises(ValueError, match=re.escape(told)):
            agent.act(batch.views(), batch.observations, batch.masks, rng)
    batch = palace_v0.batch(2)
    with pytest.raises(ValueError, match="with a legal action in each row"):
        agent.act(batch.views(), batch.observations, np.zeros_like(batch.masks), rng)
    agent.close()
