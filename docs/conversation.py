"""Renew the conversation in protocol.md: ``python -m docs.conversation``.

It is played as the command that the page names plays it.
"""

import io
import json
import re
import tomllib
from pathlib import Path

import agents
from agents.serving import serve
from card_table import protocol
from palace_env import palace_v0

PAGE = Path(__file__).with_name("protocol.md")
SEED = 7
# What the player says, in order; the first is no move at all, the second none that is allowed.
SAID = (b"buy\n", ("call",), ("buy",), ("done",), ("call",))
_BLOCK = re.compile(r"(?<=<!-- generated: conversation -->\n```text\n).*?(?=^```$)", re.DOTALL | re.MULTILINE)


class _Player(io.BytesIO):
    """Says one line whenever it is read from, and notes it in the conversation."""

    def __init__(self, told: list[str], said: tuple[bytes | tuple[str], ...]) -> None:
        super().__init__()
        self._told = told
        self._said = list(said)

    def read1(self, size: int | None = -1) -> bytes:
        turns = [json.loads(line[4:]) for line in self._told if '"turn"' in line]
        said = self._said.pop(0)
        if isinstance(said, tuple):
            said = protocol.write({"type": "move", "id": turns[-1]["id"], "move": said[0]})
        self._told.append(f"  > {said.decode('ascii')}")
        return said


class _Told(io.BytesIO):
    """Takes what the table says into the conversation."""

    def __init__(self, told: list[str]) -> None:
        super().__init__()
        self._told = told

    def write(self, data: bytes) -> int:  # type: ignore[override]
        self._told.append(f"<   {data.decode('ascii')}")
        return len(data)


def conversation() -> str:
    """The conversation, a line for each message."""
    told: list[str] = []
    game = palace_v0.GAME(players=2)
    serve(game, [agents.load("passive", game)], 0, SEED, None, _Player(told, SAID), _Told(told))
    # What is installed may be another version than this page is of, or none.
    project = tomllib.loads(PAGE.parent.with_name("pyproject.toml").read_text("utf-8"))["project"]
    hello = json.loads(told[0][4:])
    hello["software"]["version"] = project["version"]
    told[0] = f"<   {protocol.write(hello).decode('ascii')}"
    return "".join(told)


def renewed(page: str) -> str:
    """The page with the conversation as it is now."""
    return _BLOCK.sub(lambda _: conversation(), page)


if __name__ == "__main__":
    PAGE.write_text(renewed(PAGE.read_text("utf-8")), "utf-8")
