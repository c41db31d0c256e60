"""A person's screen and keyboard: pages on a terminal or over a pipe, the prompt, paging through a replay."""

import contextlib
import os
import re
import sys
from collections.abc import Callable, Iterable, Sequence
from typing import BinaryIO, TextIO

from rich.console import Console
from rich.text import Text

from card_table.page import HEIGHT, Part, fit, wrap

MAX_LINE = 200  # characters that may be typed; no move is nearly as long
_CHUNK = 65_536
_CARD = re.compile(r"\b([2-9TJQKA])([cdhs])\b")
_SYMBOLS = {"c": "♣", "d": "♦", "h": "♥", "s": "♠"}
_LETTERS = str.maketrans({symbol: letter for letter, symbol in _SYMBOLS.items()})
_PLAIN = str.maketrans({"×": "x", "…": "...", "−": "-", "≥": ">=", "⌊": "floor(", "⌋": ")"})
_RULE = re.compile(r"\*\*(\d+\.\d+)[^*]*\*\*")
_SECTION = re.compile(r"## (\d+) (.*)")

PAGING = "Enter or n: forwards, b: back, a number: that move, q: quit"


class LineError(ValueError):
    """A line that nobody could mean; the message says why."""


class Screen:
    """Where a person reads and types: colours and suit symbols on a terminal, else plain ASCII.

    Attributes:
        is_terminal: whether what is typed and what is shown are at one terminal.
        is_plain: whether all is shown in ASCII, without colours and one below the other.
    """

    def __init__(self, plain: bool = False, inp: BinaryIO | None = None, out: TextIO | None = None) -> None:
        """Take hold of a keyboard and a screen; standard input and output unless others are given."""
        self._inp = sys.stdin.buffer if inp is None else inp
        self._out = sys.stdout if out is None else out
        shows = self._out.isatty()
        self.is_terminal = shows and self._inp.isatty()
        self.is_plain = plain or not shows or os.environ.get("TERM") == "dumb" or not _has_symbols(self._out)
        self._is_blank = True
        self._console = Console(file=self._out, highlight=False) if not self.is_plain else None
        if inp is None and out is None and self.is_terminal:
            with contextlib.suppress(ImportError):
                import readline  # noqa: F401 - lets a person edit what is typed, and go back to earlier lines

    @property
    def height(self) -> int:
        """The lines of a page."""
        return max(HEIGHT, self._console.height - 1) if self._console else HEIGHT

    def show(self, parts: Iterable[Part]) -> None:
        """Show a page in place of the one before."""
        lines = fit(parts, self.height)
        if self._console and not self._is_blank:
            self._console.clear()
        else:
            lines.insert(0, "")
        self._is_blank = False
        self.say(lines)

    def say(self, lines: Iterable[str], style: str = "") -> None:
        """Show lines below what is there; cards among them get their symbols."""
        if self._console:
            for line in lines:
                self._console.print(_with_symbols(line, style), soft_wrap=True)
        else:
            for line in lines:
                self._out.write(_in_ascii(line) + "\n")
        self._out.flush()

    def complain(self, text: str) -> None:
        """Say what was wrong with what was typed."""
        self.say(wrap(text if self._console else _in_ascii(text)), "yellow")

    def ask(self, prompt: str) -> str:
        """What is typed, without its end and blanks around it; symbols of suits as letters.

        Raises:
            LineError: it is too long, or no text.
            EOFError: there is no more.
        """
        if self.is_terminal and self._inp is sys.stdin.buffer and self._out is sys.stdout:
            try:
                line = input(prompt)
            except UnicodeDecodeError:
                raise LineError("That is no text in UTF-8.") from None
            return _checked(line)
        self._out.write(_in_ascii(prompt))
        self._out.flush()
        raw = self._read_line()
        if not self.is_terminal:
            self._out.write("\n")  # nobody has pressed Enter
        try:
            return _checked(raw.decode())
        except UnicodeDecodeError:
            raise LineError("That is no text in UTF-8.") from None

    def _read_line(self) -> bytes:
        """The next line; of one that is too long the beginning."""
        line = self._inp.readline(_CHUNK)
        if not line:
            raise EOFError
        more = line
        while len(more) == _CHUNK and not more.endswith(b"\n"):
            more = self._inp.readline(_CHUNK)
        return line

    def page_through(self, count: int, page: Callable[[int], Sequence[Part]]) -> None:
        """Let a person go forwards and back through pages until they quit.

        Args:
            count: how many there are.
            page: makes the page of a number from 0.

        Raises:
            EOFError: there is no more input.
        """
        place = 0
        self.show(page(place))
        while True:
            try:
                place = _turned(self.ask(f"{PAGING}: ").lower(), place, count)
            except LineError as error:
                self.complain(str(error))
                continue
            if place < 0:
                return
            self.show(page(place))


def complete(word: str, words: Sequence[str]) -> str:
    """The one of some words that a word is the beginning of.

    Raises:
        LineError: it is the beginning of none or of several.
    """
    if word in words:
        return word
    found = [each for each in words if each.startswith(word)]
    if len(found) == 1:
        return found[0]
    if found:
        raise LineError(f"{word!r} could be {' or '.join(found)}: write one letter more, at least.")
    raise LineError(f"{word!r} is no move and no command: write one of {', '.join(words)}.")


def rules_of(markdown: str, wanted: str) -> list[str]:
    """Paragraphs of rules as lines.

    Args:
        markdown: the whole rules, with sections "## 4 Name" and paragraphs that begin with "**4.3**".
        wanted: the number of a section or a paragraph; "" for the sections' names.

    Raises:
        LineError: there is none of that number.
    """
    sections: dict[str, str] = {}
    found: list[str] = []
    number = ""
    for block in re.split(r"\n\s*\n", markdown):
        section, rule = _SECTION.match(block), _RULE.match(block)
        if section:
            number = section[1]
            sections[number] = section[2]
        elif rule:
            number = rule[1]
        if wanted and (number == wanted or number.startswith(f"{wanted}.")):
            found += _plain(block)
    if not wanted:
        return [f"{number:>2} {name}" for number, name in sections.items()]
    if not found:
        raise LineError(f"There is no paragraph {wanted!r}: rules lists the sections, rules 1 shows one.")
    return found


def _plain(block: str) -> list[str]:
    """A block of Markdown as lines."""
    lines = []
    if block.startswith("|"):
        for row in block.splitlines():
            cells = [cell.strip("| ") for cell in row.replace("*", "").replace("`", "").split(" |")]
            if not set("".join(cells)) <= set("-| "):
                lines += wrap("  " + " - ".join(cell for cell in cells if cell), 4)
    elif block.startswith("```"):
        lines += block.splitlines()[1:-1]
    else:
        for item in re.split(r"\n(?=- )", block):
            text = re.sub(r"\*|`|^## |(?<=\d) ✓", "", " ".join(item.split()))
            lines += wrap(text, 2 if item.startswith("- ") else 0)
    return lines


def _turned(typed: str, place: int, count: int) -> int:
    """The page to show next, -1 to quit."""
    if typed in ("", "n", "next", "forwards", "+"):
        if place + 1 == count:
            raise LineError("That was the last move.")
        return place + 1
    if typed in ("b", "back", "-"):
        if place == 0:
            raise LineError("This is the deal, nothing was before it.")
        return place - 1
    if typed in ("q", "quit"):
        return -1
    if typed.isdecimal() and int(typed) < count:
        return int(typed)
    raise LineError(f"{typed!r} is none of these, or no number from 0 to {count - 1}.")


def _checked(line: str) -> str:
    text = line.strip().translate(_LETTERS)
    if len(text) > MAX_LINE:
        raise LineError(f"{text[:20]!r}... is too long: a line has {MAX_LINE} characters at most.")
    return text


def _in_ascii(text: str) -> str:
    return text.translate(_PLAIN).encode("ascii", "backslashreplace").decode()


def _has_symbols(out: TextIO) -> bool:
    try:
        "".join(_SYMBOLS.values()).encode(getattr(out, "encoding", None) or "ascii")
    except UnicodeEncodeError:
        return False
    return True


def _with_symbols(line: str, style: str) -> Text:
    text = Text(style="bold" if line.startswith(">") else style)
    end = 0
    for match in _CARD.finditer(line):
        text.append(line[end : match.start()])
        colour = "bold red" if match[2] in "dh" else "bold"
        text.append(match[1] + _SYMBOLS[match[2]], colour)
        end = match.end()
    text.append(line[end:])
    return text
