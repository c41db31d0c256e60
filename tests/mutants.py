"""Small wrong versions of the rules, each of which the tests must notice: ``python -m tests.mutants``.

Every mutant is a patch of one source file, from ``tests/palace/mutants.txt``, ``tests/detective/mutants.txt``
or ``tests/table_mutants.txt``. It is tried in a copy of the tree, on four parts of the suite, one after
the other: as plain Python, which need not be compiled, the golden hands and then quick tests; compiled, all
tests of the rules, and at last the whole suite, but for what tests programs. It is killed when a test fails,
crashes or hangs or a file cannot be imported; one that survives fails the run. Each part must pass without
any patch, which is tried when it is first needed.
"""

from tests import command

if __name__ == "__main__":
    command.end_at_once()

import itertools
import os
import re
import signal
import subprocess
import sys
import tempfile
import threading
import time
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from concurrent.futures import CancelledError, ThreadPoolExecutor, as_completed
from dataclasses import dataclass
from pathlib import Path
from queue import SimpleQueue

from tests.plain import ROOT

TABLES = ("palace/mutants.txt", "detective/mutants.txt", "table_mutants.txt")


@dataclass(frozen=True)
class Mutant:
    """A wrong version of one source file.

    Attributes:
        name: what is wrong, one of its own.
        file: the file, from the root.
        old: lines that stand in the file exactly once, one after the other.
        new: what takes their place.
        paragraphs: the numbers of those that it breaks, in RULES.md of its game, of Palace for card_table.
    """

    name: str
    file: str
    old: str
    new: str
    paragraphs: tuple[str, ...]

    @property
    def game(self) -> str:
        """The game that is wrong, ``both`` for what both stand on."""
        package = self.file.partition("/")[0]
        return {"palace_env": "palace", "detective_env": "detective"}.get(package, "both")

    def patch(self, source: str) -> str:
        """The text of its file with the error.

        Raises:
            ValueError: the lines to be replaced do not stand there exactly once.
        """
        place = re.compile(f"^{re.escape(self.old)}", re.MULTILINE)
        found = len(place.findall(source))
        if found != 1:
            raise ValueError(f"{self.name}: {self.old!r} is {found} times in {self.file}, must be there once")
        return place.sub(lambda _: self.new, source)


def read_table(text: str) -> list[Mutant]:
    """The mutants of a table: after what it says of itself, a file and its mutants, the next file, and so on.

    Raises:
        ValueError: a line fits nowhere.
    """
    mutants: list[Mutant] = []
    file = ""
    for part in text.split("\n\n")[1:]:
        title, *lines = part.rstrip("\n").split("\n")
        if match := re.fullmatch(r"=== (\S+)", title):
            file = match[1]
            title, *lines = lines or [""]
        match = re.fullmatch(r"# (\w+): ((?:\d+\.\d+ ?)+)", title)
        if title and match is None:
            raise ValueError(f"{title!r}: must be '# ' and a name, ': ' and paragraphs")
        if match:
            mutants.append(_mutant(match[1], file, tuple(match[2].split()), lines))
    return mutants


def _mutant(name: str, file: str, paragraphs: tuple[str, ...], lines: Sequence[str]) -> Mutant:
    if wrong := [line for line in lines if line[:1] not in (" ", "-", "+")]:
        raise ValueError(f"{name}: {wrong[0]!r}: must begin with a blank, - or +")
    old, new = ("".join(line[1:] + "\n" for line in lines if line[0] != other) for other in "+-")
    return Mutant(name, file, old, new, paragraphs)


MUTANTS = {
    mutant.name: mutant
    for table in TABLES
    for mutant in read_table((Path(__file__).parent / table).read_text("utf-8"))
}


@dataclass(frozen=True)
class Stage:
    """A part of the suite that mutants are tried on.

    Attributes:
        name: its name in reports.
        plain: whether the rules run as plain Python, which saves compiling them.
        minutes: how long it may take at most; more is taken for a hang.
        arguments: what pytest is given, by game.
    """

    name: str
    plain: bool
    minutes: float
    arguments: Mapping[str, Sequence[str]]


def _files(*names: str) -> list[str]:
    return [f"tests/test_{name}.py" for name in names]


_CARDS = _files("cards", "hands", "rng")
_PALACE = _files("rules", "view")
_DETECTIVE = _files("detective_rules", "detective_reference")
_BOTH = _files("deal", "text", "truth", "invariants", "differential", "secrecy", "batch", "aec", "history")
_FEW_PLAYS = "tests/test_differential.py::test_a_play_can_be_played_again_by_its_number"
# What takes long as plain Python, by parts of its names.
_LONG = (
    "ascii or uniform or twelve or expert_boards or million or plain_python or at_every_step "
    "or known_classes or different_strengths"
)

# What starts processes, and waits for them, sends signals or looks at times: under load it may fail without a
# mutant. It tests programs, packages and networks; no rule of a game is tested there alone.
_PROGRAMS = _files(
    *("command", "compile", "evaluate", "install", "mutants", "play", "policy", "protocol", "solo", "train")
)

STAGES = (
    Stage(
        "golden hands",
        True,
        5,
        {
            "palace": [*_files("golden"), "-k", "palace"],
            "detective": [*_files("golden"), "-k", "detective"],
            "both": _files("golden"),
        },
    ),
    Stage(
        "quick tests",
        True,
        15,
        {
            "palace": [
                _FEW_PLAYS,
                *_files("text", "truth", "view", "invariants"),
                "-k",
                f"not (detective or {_LONG})",
            ],
            "detective": [
                _FEW_PLAYS,
                *_files("text", "truth", "detective_rules", "invariants"),
                *("-k", f"not (palace or {_LONG})"),
            ],
            "both": [*_CARDS, _FEW_PLAYS, *_files("view", "invariants"), "-k", f"not ({_LONG})"],
        },
    ),
    Stage(
        "compiled tests",
        False,
        30,
        {
            "palace": [*_PALACE, *_BOTH, "-k", "not detective"],
            "detective": [*_DETECTIVE, *_BOTH, "-k", "not palace"],
            "both": [*_CARDS, *_PALACE, *_DETECTIVE, *_BOTH],
        },
    ),
    Stage(
        "whole suite",
        False,
        90,
        {
            game: [*(f"--ignore={file}" for file in _PROGRAMS), "-k", "not memory"]
            for game in ("palace", "detective", "both")
        },
    ),
)


@dataclass(frozen=True)
class Result:
    """What became of a mutant.

    Attributes:
        stage: the stage that it died in, the last one if it survived.
        by: the test that failed, or how else it died; empty if it survived.
        seconds: how long all of it took.
    """

    mutant: Mutant
    stage: Stage
    by: str
    seconds: float


class Laboratory:
    """Copies of the tree in a temporary folder, on which tests are run, some of them at a time."""

    def __init__(self, folder: Path, copies: int, stages: Sequence[Stage]) -> None:
        self._stages = stages
        self._cache = folder / "numba"
        self._copies: SimpleQueue[Path] = SimpleQueue()
        self._running: set[subprocess.Popen[str]] = set()
        self._is_closed = False
        self._lock = threading.Lock()
        self._unpatched: dict[tuple[str, str], threading.Lock | None] = {}
        # No two versions of a file have one time, which Python takes for being the same file.
        self._times = itertools.count(1_000_000_000)
        for number in range(copies):
            self._copies.put(_copy_tree(folder / f"copy{number}"))

    def close(self) -> None:
        """End all tests that are running; whatever is run from now on is cancelled."""
        with self._lock:
            self._is_closed = True
            for process in self._running:
                command.kill(process)

    def try_out(self, mutant: Mutant) -> Result:
        """Try a mutant on one stage after the other until it dies."""
        start = time.perf_counter()
        for stage in self._stages:
            self._check_unpatched(stage, mutant.game)
            by = self._run(stage, mutant.game, mutant)
            if by:
                break
        return Result(mutant, stage, by, time.perf_counter() - start)

    def _check_unpatched(self, stage: Stage, game: str) -> None:
        """Check, once for all, that the tests of a stage pass without a patch.

        Raises:
            RuntimeError: they do not.
        """
        with self._lock:
            lock = self._unpatched.setdefault((stage.name, game), threading.Lock())
        if lock is None:
            return
        with lock:
            if self._unpatched[stage.name, game] is None:
                return
            by = self._run(stage, game)
            if by:
                raise RuntimeError(f"{stage.name}, {game}: without any patch {by}")
            self._unpatched[stage.name, game] = None

    def _run(self, stage: Stage, game: str, mutant: Mutant | None = None) -> str:
        """Run a stage in one of the copies; what failed first, "" if nothing did."""
        copy = self._copies.get()
        try:
            if mutant is None:
                return self._pytest(copy, stage, game)
            file = copy / mutant.file
            source = file.read_text("utf-8")
            try:
                self._write(file, mutant.patch(source))
                return self._pytest(copy, stage, game)
            finally:
                self._write(file, source)
        finally:
            self._copies.put(copy)

    def _write(self, file: Path, source: str) -> None:
        file.write_text(source, "utf-8")
        now = next(self._times)
        os.utime(file, (now, now))

    def _pytest(self, copy: Path, stage: Stage, game: str) -> str:
        options = ["-x", "-q", "-rfE", "--tb=no", "--no-header", "-p", "no:cacheprovider"]
        environment = {**os.environ, "PYTHONPATH": str(copy), "NUMBA_CACHE_DIR": str(self._cache)}
        environment["NUMBA_DISABLE_JIT"] = "1" if stage.plain else "0"
        with self._lock:
            if self._is_closed:
                raise CancelledError
            process = subprocess.Popen(
                [sys.executable, "-m", "pytest", *options, *stage.arguments[game]],
                cwd=copy,
                env=environment,
                stdin=subprocess.DEVNULL,
                stdout=subprocess.PIPE,
                stderr=subprocess.STDOUT,
                text=True,
                start_new_session=True,
            )
            self._running.add(process)
        try:
            said, _ = process.communicate(timeout=60 * stage.minutes)
        except subprocess.TimeoutExpired:
            command.kill(process)
            process.communicate()
            return f"it hangs: more than {stage.minutes:g} minutes"
        finally:
            with self._lock:
                self._running.discard(process)
        if self._is_closed:
            raise CancelledError
        return _what_failed(process.returncode, said)


def _copy_tree(folder: Path) -> Path:
    """Copy all files of the project as they are now, without what git ignores."""
    listed = subprocess.run(
        ["git", "ls-files", "-z", "--cached", "--others", "--exclude-standard"],
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=True,
    )
    for name in filter(None, listed.stdout.split("\0")):
        if (ROOT / name).is_file():
            target = folder / name
            target.parent.mkdir(parents=True, exist_ok=True)
            target.write_bytes((ROOT / name).read_bytes())
    return folder


def _what_failed(code: int, said: str) -> str:
    """The first test, or file, that failed as pytest tells, how it crashed, or "" if all passed.

    Raises:
        RuntimeError: the tests could not be run.
    """
    if code < 0 and -code != signal.SIGKILL:  # which comes from outside, as when memory is short
        return f"it crashes with {signal.Signals(-code).name}"
    if code not in (0, 1, 2):  # 2: a file could not be collected, and with -x that is the end
        raise RuntimeError(f"pytest ended with exit code {code}:\n{said}")
    kinds = "ERROR" if code == 2 else "FAILED|ERROR"
    failed = re.search(rf"^(?:{kinds}) (.*?)(?: - .*)?$", said, re.MULTILINE)
    if (code != 0) != (failed is not None):
        raise RuntimeError(f"pytest ended with exit code {code}, but said:\n{said}")
    return failed[1] if failed else ""


def try_all(mutants: Sequence[Mutant], jobs: int, stages: Sequence[Stage]) -> Iterator[Result]:
    """Try mutants on some stages, so many at a time; the results as they come.

    Raises:
        RuntimeError: tests fail without a patch, or could not be run.
    """
    with tempfile.TemporaryDirectory(prefix="mutants-", ignore_cleanup_errors=True) as folder:
        laboratory = Laboratory(Path(folder), jobs, stages)
        pool = ThreadPoolExecutor(jobs)
        try:
            for future in as_completed([pool.submit(laboratory.try_out, mutant) for mutant in mutants]):
                yield future.result()
        finally:
            laboratory.close()
            pool.shutdown(cancel_futures=True)


def report(results: Iterator[Result], count: int) -> bool:
    """Print each result and the sums; whether all mutants were killed."""
    start = time.perf_counter()
    died: Counter[str] = Counter()
    survivors = []
    for done, result in enumerate(results, 1):
        mutant = result.mutant
        what = f"killed by {result.by}" if result.by else "SURVIVES"
        print(f"{done}/{count} {mutant.file}: {mutant.name}: {what} ({result.seconds:.0f} s)", flush=True)
        if result.by:
            died[result.stage.name] += 1
        else:
            survivors.append(mutant)
    parts = ", ".join(f"{died[stage.name]} by the {stage.name}" for stage in STAGES)
    minutes = (time.perf_counter() - start) / 60
    print(f"{count} mutants in {minutes:.1f} minutes: {died.total()} killed ({parts})")
    for mutant in survivors:
        print(f"survives: {mutant.file}: {mutant.name} (RULES.md {' '.join(mutant.paragraphs)})")
    return not survivors


def main(arguments: Sequence[str] | None = None) -> int:
    """The command line; returns the exit status, 1 if a mutant survives."""
    parser = command.parser("mutants", __doc__)
    parser.add_argument("--only", nargs="+", metavar="NAME", default=list(MUTANTS), help="only these mutants")
    parser.add_argument("--jobs", type=command.at_least(1), default=2, help="mutants tried at a time (2)")
    parser.add_argument("--quick", action="store_true", help="do not try the whole suite on what is left")
    parser.add_argument("--list", action="store_true", help="list the mutants, with what they break")
    given = parser.parse_args(arguments)
    if unknown := [name for name in given.only if name not in MUTANTS]:
        parser.error(f"{unknown[0]!r} is no mutant: see --list")
    mutants = [MUTANTS[name] for name in given.only]
    if given.list:
        for mutant in mutants:
            print(f"{mutant.file}: {mutant.name} (RULES.md {' '.join(mutant.paragraphs)})")
        return 0
    try:
        results = try_all(mutants, given.jobs, STAGES[:-1] if given.quick else STAGES)
        return 0 if report(results, len(mutants)) else 1
    except KeyboardInterrupt:
        print("ended before all mutants were tried", file=sys.stderr)
        return 130


if __name__ == "__main__":
    command.run(main)
