"""Compiled rules: kept on disk, never stale, and at work where nothing can be kept or compiled.

Most of it is tried in processes of their own, on a small game that is written to a folder of its own.
"""

import json
import os
import pwd
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from card_table import compile as compiling
from card_table.compile import SETTINGS, bind, rule, source_hash
from tests.plain import ROOT

GAME = {
    "toy/__init__.py": "",
    "toy/numbers.py": "FACTOR = 2\n",
    "toy/heavy/__init__.py": "raise AssertionError('imported to find out about its source')\n",
    "toy/heavy/part.py": "",
    "toy/inner.py": """
from card_table.compile import rule
from card_table.machine import count_bits
from toy.numbers import FACTOR

@rule
def scale(x):
    return FACTOR * x

@rule
def negate(x):
    return -x

@rule
def bits(x):
    return count_bits(x)

def seldom():
    import toy.heavy.part
""",
    "toy/outer.py": """
from card_table.compile import rule
from . import inner

@rule
def scale_and_add(x):
    return inner.scale(x) + 1
""",
    "loops.py": """
def total(values):
    result = 0
    for value in values:
        result += turn(value) + extra
    return result

def double(values):
    return 2 * total(values)
""",
    "toy/games.py": """
import loops
from card_table.compile import bind
from toy.inner import negate, scale

scaled = bind(loops.total, "scaled", turn=scale, extra=10)
negated = bind(loops.total, "negated", turn=negate, extra=10)
namesake = bind(loops.total, "scaled", turn=negate, extra=10)
doubled = bind(loops.double, "doubled", total=scaled)
""",
    "elsewhere/numbers.py": "FACTOR = 5\n",
    "alone.py": """
from elsewhere.numbers import FACTOR
from card_table.compile import rule

@rule
def quintuple(x):
    return FACTOR * x
""",
}

# Prints what the rules say, whether they came from the cache, and what Numba and Python were left with.
TRY_IT = """
import json, warnings
with warnings.catch_warnings(record=True) as caught:
    warnings.simplefilter("always")
    import numba
    import numpy as np
    before = numba.config.CACHE_DIR
    import alone
    from card_table.compile import rule
    from toy import games, inner, outer

    @rule
    def typed(x):
        return x + 1

    values = np.array([1, 2, 3])
    results = {
        "outer": outer.scale_and_add(5),
        "scaled": games.scaled(values),
        "negated": games.negated(values),
        "namesake": games.namesake(values),
        "doubled": games.doubled(values),
        "bits": inner.bits(2**52 - 2),
        "alone": alone.quintuple(7),
        "typed": typed(1),
    }
rules = [outer.scale_and_add, games.scaled, games.negated, games.namesake, games.doubled, inner.bits,
         alone.quintuple]
print(json.dumps({
    "results": {name: int(result) for name, result in results.items()},
    "kinds": sorted({type(one).__name__ for one in (*rules, typed)}),
    "found": sum(sum(one.stats.cache_hits.values()) for one in rules if hasattr(one, "stats")),
    "compiled": sum(sum(one.stats.cache_misses.values()) for one in rules if hasattr(one, "stats")),
    "kept": [before, numba.config.CACHE_DIR],
    "warnings": [[type(one.message).__name__, str(one.message)] for one in caught],
}))
"""

RESULTS = {
    "outer": 11,
    "scaled": 42,
    "negated": 24,
    "namesake": 24,
    "doubled": 84,
    "bits": 51,
    "alone": 35,
    "typed": 2,
}
RULES = 7  # all but the typed one

# Edits of the game, each taken back before the next, and the results that they change.
EDITS: list[tuple[str, str, str, dict[str, int]]] = [
    ("toy/inner.py", "FACTOR * x", "FACTOR * x + 100", {"outer": 111, "scaled": 342, "doubled": 684}),
    ("toy/numbers.py", "FACTOR = 2", "FACTOR = 3", {"outer": 16, "scaled": 48, "doubled": 96}),
    ("elsewhere/numbers.py", "5", "6", {"alone": 42}),
    ("toy/games.py", '"negated", turn=negate, extra=10', '"negated", turn=scale, extra=10', {"negated": 42}),
    (
        "toy/games.py",
        '"scaled", turn=scale, extra=10',
        '"scaled", turn=scale, extra=20',
        {"scaled": 72, "doubled": 144},
    ),
]


def run(script: str, path: list[Path], prefix: list[str] | None = None, **variables: str) -> dict[str, Any]:
    """What a script prints, run in a process of its own with these variables alone about caches and Numba."""
    inherited = {
        name: value
        for name, value in os.environ.items()
        if not name.startswith("NUMBA_") and name != "XDG_CACHE_HOME"
    }
    ran = subprocess.run(
        [*(prefix or []), sys.executable, "-B", "-W", "error", "-c", script],
        env={**inherited, "PYTHONPATH": os.pathsep.join(map(str, path)), **variables},
        cwd=path[0],
        capture_output=True,
        text=True,
        check=False,
    )
    assert ran.returncode == 0, ran.stderr
    printed: dict[str, Any] = json.loads(ran.stdout)
    return printed


def files_in(folder: Path) -> dict[Path, int]:
    """All files in a folder, and when each was written last."""
    return {path: path.stat().st_mtime_ns for path in sorted(folder.rglob("*")) if path.is_file()}


def write_game(folder: Path) -> None:
    for name, text in GAME.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, "utf-8")


@pytest.fixture
def public() -> Iterator[Path]:
    """A new folder that every user may read."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        folder.chmod(0o755)
        yield folder


@pytest.fixture
def closed(public: Path) -> Path:
    """A folder that nobody may write to unless root's privileges help."""
    folder = public / "closed"
    folder.mkdir(mode=0o555)
    return folder


def somebody_else(closed: Path) -> list[str]:
    """The beginning of a command line that runs the rest as somebody who has no home and cannot write there.

    For root that is another user, or root without its privileges where no other user may read this Python.
    """
    homeless = ["env", f"HOME={closed}"]
    if os.getuid() != 0:
        return homeless
    if shutil.which("setpriv") is None:
        pytest.skip("root can write anywhere, and there is no setpriv to become somebody else")
    other = ["setpriv", "--reuid=65534", "--regid=65534", "--clear-groups", "env", "-u", "HOME"]
    reach = f"import os, numba; [os.listdir(name) for name in ({str(closed)!r}, {str(ROOT)!r})]"
    tried = subprocess.run([*other, sys.executable, "-c", reach], capture_output=True, check=False)
    return ["setpriv", "--bounding-set=-all", "--inh-caps=-all", *homeless] if tried.returncode else other


# ---- kept, and never stale


def test_a_second_process_compiles_nothing_and_an_edit_anywhere_compiles_anew(tmp_path: Path) -> None:
    game, cache = tmp_path / "game", tmp_path / "cache"
    write_game(game)

    def told() -> dict[str, Any]:
        return run(TRY_IT, [game, ROOT], NUMBA_CACHE_DIR=str(cache))

    first = told()
    assert first["results"] == RESULTS
    assert first["warnings"] == []
    assert first["kinds"] == ["CPUDispatcher"]
    assert first["compiled"] == RULES
    assert first["kept"] == [str(cache), str(cache)]
    files = files_in(cache)
    assert files
    assert not list(game.rglob("*.nb?"))

    second = told()
    assert second["results"] == RESULTS
    assert (second["found"], second["compiled"]) == (RULES, 0)
    assert files_in(cache) == files

    for name, old, new, changed in EDITS:
        assert GAME[name].count(old) == 1
        (game / name).write_text(GAME[name].replace(old, new), "utf-8")
        edited = told()
        assert edited["results"] == {**RESULTS, **changed}, name
        assert edited["compiled"] > 0
        (game / name).write_text(GAME[name], "utf-8")

    assert told() == second


def test_numbas_bounds_check_works_although_code_without_it_has_been_kept(tmp_path: Path) -> None:
    (tmp_path / "third.py").write_text(
        "from card_table.compile import rule\n\n@rule\ndef third(values):\n    return values[2]\n", "utf-8"
    )
    script = """
import json
import numpy as np
from third import third
try:
    told = int(third(np.array([1, 2, 3])[:2]))
except IndexError:
    told = "checked"
print(json.dumps({"told": told, "compiled": len(third.stats.cache_misses)}))
"""
    cache = str(tmp_path / "cache")
    for check, told in (("0", 3), ("1", "checked")):
        found = run(script, [tmp_path, ROOT], NUMBA_CACHE_DIR=cache, NUMBA_BOUNDSCHECK=check)
        assert found == {"told": told, "compiled": 1}


factor: int  # a name that the template leaves open


def _times(x: int) -> int:
    return factor * x  # noqa: F821


def test_a_template_takes_the_constants_that_it_is_bound_to() -> None:
    assert [bind(_times, f"times_{n}", factor=n)(21) for n in (2, 3)] == [42, 63]


def test_the_hash_is_of_all_sources_that_take_part_however_they_are_imported(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    sources = {
        "kennel/__init__.py": "from . import gate\n",
        "kennel/gate.py": "",
        "kennel/dogs/__init__.py": "",
        "kennel/dogs/hound.py": "from ..food import bone\nfrom .tail import WAGS\nimport json.decoder\n",
        "kennel/dogs/tail.py": "WAGS = 2\n",
        "kennel/food/__init__.py": "",
        "kennel/food/bone.py": "import strays\n",
        "kennel/food/water.py": "",
        "strays.py": "",
    }
    for name, text in sources.items():
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text(text, "utf-8")
    monkeypatch.syspath_prepend(tmp_path)

    def told() -> str:
        source_hash.cache_clear()
        return source_hash(("kennel.dogs.hound",))

    first = told()
    for name, takes_part in (
        *(("kennel/dogs/hound.py", True), ("kennel/dogs/tail.py", True), ("kennel/food/bone.py", True)),
        *(("strays.py", True), ("kennel/food/water.py", False), ("kennel/gate.py", False)),
    ):
        (tmp_path / name).write_text(sources[name] + "# edited\n", "utf-8")
        assert (told() != first) == takes_part, name
        (tmp_path / name).write_text(sources[name], "utf-8")
        assert told() == first


# ---- where nothing can be kept or compiled

compiled = pytest.mark.skipif(bool(SETTINGS.DISABLE_JIT), reason="plain Python keeps nothing")


@pytest.fixture
def forgetful() -> Iterator[None]:
    """Where rules can be kept is found out anew, and again after the test."""
    kept: tuple[Callable[[], None], ...] = (
        compiling._writable_folder.cache_clear,
        compiling._warn_once.cache_clear,
    )
    for forget in kept:
        forget()
    yield
    for forget in kept:
        forget()


@pytest.fixture
def homeless(monkeypatch: pytest.MonkeyPatch) -> None:
    """The user has no home folder, and no other folder for caches is named."""

    def nobody(_: int) -> None:
        raise KeyError

    for name in ("NUMBA_CACHE_DIR", "XDG_CACHE_HOME", "HOME"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setattr(pwd, "getpwuid", nobody)


def _double(x: int) -> int:
    return 2 * x


@compiled
@pytest.mark.usefixtures("forgetful")
def test_a_cache_folder_that_is_a_file_is_warned_of_once(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    file = tmp_path / "file"
    file.touch()
    monkeypatch.setenv("NUMBA_CACHE_DIR", str(file))
    with pytest.warns(RuntimeWarning) as caught:
        double = rule(_double)
    assert double(21) == rule(_double)(21) == 42
    (warning,) = caught
    assert str(warning.message) == (
        f"compiled rules cannot be kept in {str(file)!r} (Not a directory), so each process compiles them "
        "again; set NUMBA_CACHE_DIR to a folder that can be written"
    )


@compiled
@pytest.mark.usefixtures("forgetful", "homeless")
def test_without_a_home_rules_are_compiled_and_kept_nowhere() -> None:
    with pytest.warns(RuntimeWarning, match=r"cannot be kept anywhere \(the user has no home folder\)"):
        double = rule(_double)
    assert double(21) == 42


def test_a_cache_that_cannot_be_written_is_warned_of_once_and_done_without(
    public: Path, closed: Path
) -> None:
    write_game(public / "game")
    told = run(TRY_IT, [public / "game", ROOT], somebody_else(closed), NUMBA_CACHE_DIR=str(closed))
    assert told["results"] == RESULTS
    assert told["kinds"] == ["CPUDispatcher"]
    assert told["kept"] == [str(closed), str(closed)]
    [[kind, message]] = told["warnings"]
    assert kind == "RuntimeWarning"
    assert message == (
        f"compiled rules cannot be kept in {str(closed)!r} (Permission denied), so each process compiles "
        "them again; set NUMBA_CACHE_DIR to a folder that can be written"
    )
    assert not files_in(closed)


def test_without_the_compiler_rules_are_plain_functions_and_say_the_same(tmp_path: Path) -> None:
    write_game(tmp_path)
    told = run(TRY_IT, [tmp_path, ROOT], NUMBA_DISABLE_JIT="1", NUMBA_CACHE_DIR=str(tmp_path / "cache"))
    assert told["results"] == RESULTS
    assert told["kinds"] == ["function"]
    assert told["warnings"] == []
    assert not (tmp_path / "cache").exists()


def test_the_cache_is_where_numba_is_told_else_the_users(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("NUMBA_CACHE_DIR", "/somewhere")
    monkeypatch.setenv("XDG_CACHE_HOME", "/caches")
    monkeypatch.setenv("HOME", "/homes/me")
    assert compiling.cache_folder() == Path("/somewhere")
    monkeypatch.setenv("NUMBA_CACHE_DIR", "here")
    assert compiling.cache_folder() == Path.cwd() / "here"
    monkeypatch.delenv("NUMBA_CACHE_DIR")
    assert compiling.cache_folder() == Path("/caches/card_table")
    monkeypatch.setenv("XDG_CACHE_HOME", "relative/is/to/be/ignored")
    assert compiling.cache_folder() == Path("/homes/me/.cache/card_table")
    monkeypatch.delenv("XDG_CACHE_HOME")
    assert compiling.cache_folder() == Path("/homes/me/.cache/card_table")


@pytest.mark.usefixtures("homeless")
def test_a_user_without_a_home_has_no_cache() -> None:
    assert compiling.cache_folder() is None


# ---- the games

games = pytest.mark.parametrize("game", ["palace", "detective"])

# Plays a hand in a batch and one at a table, by the moves of a generator of its own; @ is the game.
PLAY = """
import gc, json, pickle, random, warnings
with warnings.catch_warnings(record=True) as caught:
    warnings.simplefilter("always")
    import numpy as np
    from numba import _helperlib
    from numba.core.dispatcher import Dispatcher
    from @_env import @_v0 as face

    def generators():
        compiled = [_helperlib.rnd_get_np_state_ptr(), _helperlib.rnd_get_py_state_ptr()]
        states = [random.getstate(), np.random.get_state(), *map(_helperlib.rnd_get_state, compiled)]
        return [pickle.dumps(state) for state in states]

    before = generators()
    rng = np.random.default_rng(0)
    batch = face.batch(3, seed=1)
    while not batch.hand_over.any():
        batch.step([rng.choice(np.flatnonzero(mask)) for mask in batch.masks])
    env = face.env(hands=1)
    env.reset(seed=1)
    while not env.terminations[env.agent_selection]:
        env.step(rng.choice(np.flatnonzero(env.observe(env.agent_selection)["action_mask"])))
    after = generators()
rules = [one for one in gc.get_objects() if isinstance(one, Dispatcher)
         and one.py_func.__module__.partition(".")[0] in ("card_table", "@_env")]
print(json.dumps({
    "from": face.__file__,
    "rewards": batch.rewards.tolist(),
    "history": env.histories[0],
    "rules": len(rules),
    "found": sum(sum(one.stats.cache_hits.values()) for one in rules),
    "compiled": sum(sum(one.stats.cache_misses.values()) for one in rules),
    "generators": before == after,
    "warnings": [[type(one.message).__name__, str(one.message)] for one in caught],
}))
"""


@games
def test_a_game_is_compiled_once_and_leaves_all_global_generators_alone(game: str, tmp_path: Path) -> None:
    first = run(PLAY.replace("@", game), [ROOT], NUMBA_CACHE_DIR=str(tmp_path))
    files = files_in(tmp_path)
    assert first["compiled"] >= first["rules"] // 2 > 20
    assert first["generators"]
    assert first["warnings"] == []
    second = run(PLAY.replace("@", game), [ROOT], NUMBA_CACHE_DIR=str(tmp_path))
    assert files_in(tmp_path) == files
    assert second["compiled"] == 0
    assert second["found"] > 5
    same = ("from", "rewards", "history", "generators", "warnings")
    assert [second[key] for key in same] == [first[key] for key in same]


@pytest.fixture
def install(public: Path) -> Path:
    """A copy of the packages that games need, closed as an administrator's installation is."""
    folder = public / "install"
    for package in ("card_table", "palace_env", "detective_env"):
        shutil.copytree(ROOT / package, folder / package, ignore=shutil.ignore_patterns("__pycache__"))
    for path in (folder, *folder.rglob("*")):
        path.chmod(0o555 if path.is_dir() else 0o444)
    return folder


def check_closed_install(told: dict[str, Any], game: str, install: Path) -> None:
    assert Path(told["from"]).parent == install / f"{game}_env"
    [[kind, message]] = told["warnings"]
    assert kind == "RuntimeWarning"
    assert message.startswith("compiled rules cannot be kept in ")
    assert {path.suffix for path in files_in(install)} <= {".py", ".md", ".typed"}


@games
def test_an_installation_that_nobody_can_write_to_works_with_one_warning(
    game: str, install: Path, closed: Path
) -> None:
    script = """
import json, warnings
with warnings.catch_warnings(record=True) as caught:
    warnings.simplefilter("always")
    from card_table.hands import best_hand, name_hand
    from @_env import @_v0 as face
    face.env()
    name = name_hand(best_hand(1 << 51 | 1 << 38))
print(json.dumps({
    "from": face.__file__,
    "name": name,
    "warnings": [[type(one.message).__name__, str(one.message)] for one in caught],
}))
"""
    told = run(script.replace("@", game), [install], somebody_else(closed))
    assert told["name"] == "pair of aces"
    check_closed_install(told, game, install)


@pytest.mark.slow
@games
def test_an_installation_that_nobody_can_write_to_plays(game: str, install: Path, closed: Path) -> None:
    told = run(PLAY.replace("@", game), [install], somebody_else(closed))
    assert told["history"]["game"] == game
    assert told["found"] == 0
    check_closed_install(told, game, install)
