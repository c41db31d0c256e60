"""Train a policy by self-play: ``python train.py palace`` takes ten minutes from start to results."""

import os
import signal

if __name__ == "__main__":  # while packages load, Ctrl-C ends the program without a word
    signal.signal(signal.SIGINT, lambda number, frame: os._exit(130))

import contextlib
import importlib
import shlex
import sys
import threading
import time
from collections import deque
from collections.abc import Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import asdict, dataclass, field, fields
from pathlib import Path
from types import FrameType
from typing import TYPE_CHECKING, Annotated, Any, NoReturn

import tyro
from rich.console import Console
from rich.live import Live
from rich.progress import BarColumn, Progress, TextColumn, TimeRemainingColumn
from rich.table import Table as Grid

from agents.command import complaints, held, on_interrupt, parse, screen
from agents.settings import SETTINGS, Settings
from agents.tables import EVALUATION_SEED, TABLES, PalaceTable, Table

if TYPE_CHECKING:
    from agents import Agent
    from agents.arena import Result
    from agents.policy import Policy
    from agents.runs import Run
    from agents.selfplay import SelfPlay
    from card_table.game import Game

STARTED = time.monotonic()
SLOWER = 1.4  # than it has been the machine may become before a deadline is missed
EVALUATION_SHARE = 0.2  # of the minutes that the last evaluation may take
CURVE_POINTS = 12
CURVE_HANDS = 128  # of each point, from every seat
EVALUATION_HANDS = 4000  # of the last evaluation, unless its deals are told
CHECKPOINT_EVERY = 60.0  # seconds
LINE_EVERY = 10.0  # seconds, where there is no terminal to draw on
OF_THIS_CALL = ("out", "resume", "overwrite", "threads")  # arguments that a run does not keep


@dataclass(frozen=True)
class Args:
    """Train a policy by self-play: one network plays every seat and learns from every seat.

    The run's folder gets checkpoints on the way, and policy.safetensors and config.json to play with; a
    finished run has evaluation.json and curve.png too. Ctrl-C keeps what has been learned, --resume goes on.
    """

    table: Annotated[Table, tyro.conf.arg(name="")] = field(default_factory=PalaceTable)
    """What is played, in detail."""
    minutes: float = 10.0
    """Wall-clock time of the whole run, the evaluation at its end included."""
    steps: int | None = None
    """Train for so many decisions instead, rounded up to whole rollouts; the seed then settles the result."""
    seed: int = 1
    """Where all chance comes from; the evaluation's deals have a seed of their own."""
    out: Path | None = None
    """The run's folder; None: runs/<game>-<players>p-seed<seed>."""
    resume: bool = False
    """Go on with the run in the folder, with its arguments."""
    overwrite: bool = False
    """Delete an earlier run in the folder."""
    threads: int = 2
    """Threads that share the learning and the evaluation, 1 or 2; the result is the same."""
    evaluation_deals: int | None = None
    """Deals of the last evaluation against each script, either way round, a whole game being one; None: 4,000
    hands' worth, fewer where time is short."""
    settings: Annotated[Settings, tyro.conf.arg(name="")] = field(default_factory=Settings)
    """How it learns."""

    @property
    def game(self) -> str:
        """The game's name."""
        return self.table.game


GAMES = {name: Args(table=table(), settings=SETTINGS[name]) for name, table in TABLES.items()}


def main() -> None:
    """Parse the command line, train, evaluate; exits with 2 on bad input and with 130 on Ctrl-C."""
    training = None
    with complaints("train.py"):
        try:
            training = prepare(parse(GAMES), sys.argv[1:])
            with on_interrupt(training.interrupt.note):
                try:
                    try:
                        train(training)
                        finish(training)
                    except KeyboardInterrupt:
                        training.interrupt.stop()
                except KeyboardInterrupt:
                    name, folder = training.args.game, shlex.quote(training.place)
                    print(f"Stopped; to go on: python train.py {name} --resume --out {folder}", flush=True)
                    sys.exit(130)
        except ModuleNotFoundError as error:
            package = (error.name or "").partition(".")[0]
            raise ModuleNotFoundError(
                f"training needs the package {package!r}: install palace-detective[train]"
            ) from None
        finally:
            if training is not None:
                training.run.release()


class Interrupt:
    """Ctrl-C: the first lets the training stop where it can be gone on with, the second stops it at once."""

    def __init__(self) -> None:
        self.pressed = False

    def note(self, number: int, frame: FrameType | None) -> None:
        """Handle the signal.

        Raises:
            KeyboardInterrupt: it is the second.
        """
        if self.pressed:
            self.stop()
        self.pressed = True
        with contextlib.suppress(OSError):  # past Python's stream, which may be writing just now
            os.write(1, b"\nStopping as soon as all can be kept; Ctrl-C once more stops at once.\n")

    def stop(self) -> NoReturn:
        """End the training, which no further Ctrl-C disturbs; for the main thread.

        Raises:
            KeyboardInterrupt: always.
        """
        signal.signal(signal.SIGINT, signal.SIG_IGN)
        raise KeyboardInterrupt


@dataclass
class Training:
    """A training under way.

    Attributes:
        args: the run's arguments.
        seconds_before: how long it had taken when this process started.
        curve: results against the scripts on the way.
        costs: seconds that a deal against each script takes.
    """

    args: Args
    game: "Game"
    model: "SelfPlay"
    run: "Run"
    interrupt: Interrupt
    seconds_before: float = 0.0
    curve: list[dict[str, Any]] = field(default_factory=list)
    costs: dict[str, float] = field(default_factory=dict)

    @property
    def place(self) -> str:
        """The run's folder."""
        return str(self.run.folder)

    @property
    def seconds(self) -> float:
        """How long it has taken up to now."""
        return self.seconds_before + time.monotonic() - STARTED

    @property
    def reserve(self) -> float:
        """Seconds to be left for the last evaluation."""
        limit = EVALUATION_SHARE * 60 * self.args.minutes
        if not self.costs:
            return limit
        return min(SLOWER * self.evaluation_cost * self.evaluation_deals + 20, limit)

    @property
    def evaluation_deals(self) -> int:
        """Deals of each duel of the last evaluation, if there is time for them."""
        from agents.arena import deals_for

        deals = self.args.evaluation_deals
        return deals_for(self.game, EVALUATION_HANDS) if deals is None else deals

    @property
    def evaluation_cost(self) -> float:
        """Seconds that a deal against each script takes, both ways round."""
        return 2.2 * sum(self.costs.values()) / self.args.threads

    @property
    def progress(self) -> float:
        """How much of the training is behind, 1 at its end."""
        if self.args.steps is not None:
            return self.model.num_timesteps / self.args.steps
        return self.seconds / (60 * self.args.minutes - self.reserve)

    def policy(self) -> "Policy":
        """The agent as it would be shipped now."""
        from agents.policy import Policy, pack, unpack

        return Policy(unpack(pack(self.model.weights(), self.game), self.game), self.place)

    def save(self) -> None:
        """Keep all that going on needs, and the policy to play with."""
        from agents.policy import WEIGHTS_FILE, pack

        arrays, state = self.model.snapshot()
        past = {"seconds": self.seconds, "curve": self.curve, "costs": self.costs}
        with held():
            self.run.save_checkpoint(arrays, {"model": state, **past})
            self.run.write(WEIGHTS_FILE, pack(self.model.weights(), self.game))


def prepare(args: Args, words: Sequence[str]) -> Training:
    """Check the arguments, make the tables and the network, and the run's folder or what lies in it.

    Args:
        args: the arguments.
        words: the command line that they were parsed from.

    Raises:
        ValueError: an argument or the folder is not as it must be.
        OSError: the folder cannot be written.
        ModuleNotFoundError: a package is missing that only training needs.
    """
    from agents import runs
    from agents.policy import FORMAT, describe

    check(args)
    folder = args.out or Path("runs", f"{args.game}-{args.table.players}p-seed{args.seed}")
    run = None
    if args.resume:
        run = runs.resume(folder)
        args = stored_args(args, words, run)
    else:
        runs.check_free(folder, args.overwrite)
    game = args.table.settle()

    import torch

    for name in ("matplotlib.figure", "torch.utils.tensorboard"):
        importlib.import_module(name)  # only needed later; if it is missing, that should be told now

    from agents.selfplay import SelfPlay

    torch.set_num_threads(1)
    model = SelfPlay(game, args.settings, args.seed, args.threads)
    if run is None:
        config = {"format": FORMAT, **describe(game), "arguments": kept(args), "versions": runs.versions()}
        return Training(args, game, model, runs.start(folder, config, args.overwrite), Interrupt())
    training = Training(args, game, model, run, Interrupt())
    checkpoint = run.load_checkpoint()
    if checkpoint is not None:
        arrays, state = checkpoint
        try:
            model.restore(arrays, state["model"])
            training.seconds_before = float(state["seconds"])
            training.curve, training.costs = list(state["curve"]), dict(state["costs"])
        except (ValueError, TypeError, KeyError) as error:
            raise ValueError(f"{training.place!r}: its checkpoint is of another run ({error})") from None
    return training


def check(args: Args) -> None:
    """Check the arguments that nothing else checks.

    Raises:
        ValueError: one is out of range.
    """
    from card_table.game import check_whole
    from card_table.given import quote

    if type(args.minutes) not in (int, float) or not 0 < args.minutes <= 10_000:
        raise ValueError(f"minutes={quote(args.minutes)}: must be above 0 and at most 10000")
    if args.steps is not None:
        check_whole("steps", args.steps, 1, 2**53)
    check_whole("seed", args.seed, 0, 2**32 - 1)
    check_whole("threads", args.threads, 1, 2)
    if args.evaluation_deals is not None:
        check_whole("evaluation_deals", args.evaluation_deals, 2, 10_000_000)
    if args.resume and args.overwrite:
        raise ValueError("--resume and --overwrite: choose one of them")


def kept(args: Args) -> dict[str, Any]:
    """The arguments that a run keeps, as they go into JSON."""
    found = {name: value for name, value in asdict(args).items() if name not in OF_THIS_CALL}
    table, learning = found.pop("table"), found.pop("settings")
    plain = {name: list(value) if isinstance(value, tuple) else value for name, value in table.items()}
    return {"game": args.game, **found, **plain, **learning}


def stored_args(args: Args, words: Sequence[str], run: "Run") -> Args:
    """The arguments of a run that is gone on with.

    Args:
        args: those of this call.
        words: the command line, which tells what was given and what is a default.
        run: the run.

    Raises:
        ValueError: an argument was given that differs from the run's, or one of the run's is invalid.
    """
    from card_table.given import quote

    stored = run.config.get("arguments")
    called = kept(args)
    game = stored.get("game") if isinstance(stored, dict) else None
    if game is not None and game != args.game:
        raise ValueError(f"{str(run.folder)!r}: it is a run of {quote(game)}, not of {args.game!r}")
    if not isinstance(stored, dict) or set(stored) != set(called):
        raise ValueError(
            f"{str(run.folder)!r}: its config.json has other arguments than this version, start it anew"
        )
    given = {word.partition("=")[0].replace("_", "-") for word in words}
    for name, value in called.items():
        option = ("--no-" if value is False else "--") + name.replace("_", "-")
        if option in given and value != stored[name]:
            told = option if isinstance(value, bool) else f"{option} {quote(value)}"
            raise ValueError(f"{told}: the run has {quote(stored[name])}, leave the option out to resume it")
    try:
        table = {part.name: stored[part.name] for part in fields(args.table)}
        lists = {name: tuple(value) for name, value in table.items() if isinstance(value, list)}
        own = {part.name for part in fields(Args)}
        plain = {name: value for name, value in stored.items() if name in own}
        here = {name: getattr(args, name) for name in OF_THIS_CALL}
        settings = Settings(**{part.name: stored[part.name] for part in fields(Settings)})
        found = Args(**{**plain, **here}, table=type(args.table)(**{**table, **lists}), settings=settings)
        check(found)
        found.table.settle()
    except ValueError as error:
        raise ValueError(f"{str(run.folder)!r}: its config.json is broken: {error}") from None
    return found


def train(training: Training) -> None:
    """Learn until the budget is used up.

    Raises:
        KeyboardInterrupt: Ctrl-C was pressed; what has been learned is kept.
    """
    from stable_baselines3.common.logger import configure

    from agents.runs import LOGS

    console, model, args = Console(), training.model, training.args
    model.set_logger(configure(str(training.run.folder / LOGS), ["tensorboard"]))
    points = CURVE_POINTS if args.steps is not None else min(CURVE_POINTS, 2 + int(args.minutes))
    recent = deque([(time.monotonic(), model.num_timesteps, model.hands)], maxlen=50)
    saved = time.monotonic()
    shown = -LINE_EVERY
    live = Live(console=console, refresh_per_second=4) if console.is_terminal else None
    with live or contextlib.nullcontext():
        while not training.interrupt.pressed and (training.progress < 1 or not training.curve):
            figures = model.iterate(training.progress)
            if len(training.curve) < points and len(training.curve) <= points * training.progress:
                measure(training)
            now = time.monotonic()
            recent.append((now, model.num_timesteps, model.hands))
            for place, name in ((1, "decisions/s"), (2, "hands/s")):
                figures[name] = (recent[-1][place] - recent[0][place]) / (recent[-1][0] - recent[0][0])
            figures.update(training.curve[-1]["figures"])
            for name, value in figures.items():
                model.logger.record("selfplay/" + name.replace(" ", "_"), value)
            model.logger.dump(model.num_timesteps)
            if live is not None:
                live.update(status(training, figures))
            elif now - shown >= LINE_EVERY:
                shown = now
                print(line(training, figures), flush=True)
            if now - saved >= CHECKPOINT_EVERY:
                saved = now
                training.save()
    with held():
        model.logger.close()
        training.save()
    if training.interrupt.pressed:
        training.interrupt.stop()


def measure(training: Training) -> None:
    """Add a point to the curve: short duels against the scripts, and how hands go in self-play."""
    import agents
    from agents.arena import deals_for, duel
    from agents.spec import PLAYABLE

    policy, results = training.policy(), {}
    deals = deals_for(training.game, CURVE_HANDS)
    for spec in PLAYABLE[training.game.name].specs:
        start = time.monotonic()
        script = agents.load(spec, training.game)
        result = duel(training.game, policy, script, deals, EVALUATION_SEED + 1)
        training.costs[spec] = (time.monotonic() - start) / deals
        results[spec] = [result.mean, result.error]
        training.model.logger.record("against/" + spec, result.mean)
    alike = duel(training.game, policy, policy, deals, EVALUATION_SEED + 1)
    training.curve.append(
        {
            "decisions": training.model.num_timesteps,
            "seconds": training.seconds,
            "figures": alike.figures,
            "results": results,
        }
    )


def told(training: Training, figures: dict[str, float]) -> dict[str, str]:
    """What is shown on the way, by name."""
    model, args = training.model, training.args
    if args.steps is None:
        left = f"{max(60 * args.minutes - training.seconds, 0):.0f} s"
    else:
        left = f"{max(args.steps - model.num_timesteps, 0):,} decisions"
    shown = {"time": f"{training.seconds:.0f} s", "left": left, "decisions": f"{model.num_timesteps:,}"}
    for name, value in figures.items():
        shown[name] = f"{value:,.0f}" if name.endswith("/s") else f"{value:.3g}"
    for spec, (mean, error) in training.curve[-1]["results"].items():
        shown[f"against {spec}"] = f"{mean:+.2f} ± {error:.2f}"
    return shown


def line(training: Training, figures: dict[str, float]) -> str:
    """The state of the training in one line."""
    return " · ".join(f"{name} {value}" for name, value in told(training, figures).items())


def status(training: Training, figures: dict[str, float]) -> Grid:
    """The state of the training as a table."""
    grid = Grid(title=f"Training {training.place}", show_header=False)
    for name, value in told(training, figures).items():
        grid.add_row(name, value)
    return grid


def finish(training: Training) -> None:
    """Evaluate the policy against every script, both ways round, and write and print the results.

    Raises:
        KeyboardInterrupt: Ctrl-C was pressed.
    """
    import agents
    from agents import runs
    from agents.arena import duel
    from agents.curve import draw
    from agents.spec import PLAYABLE

    game, policy, console = training.game, training.policy(), screen()
    unit = training.args.table.unit
    specs, deals = PLAYABLE[game.name].specs, deals_in_time(training)
    columns = (TextColumn("Evaluating"), BarColumn(), TimeRemainingColumn())
    with (
        Progress(*columns, console=console, transient=True, disable=not console.is_terminal) as bars,
        ThreadPoolExecutor(training.args.threads) as pool,
    ):
        task = bars.add_task("", total=2 * deals * len(specs))

        def advance(count: int) -> None:
            if training.interrupt.pressed:
                raise KeyboardInterrupt
            bars.advance(task, count)

        def play(candidate: "Agent", others: "Agent") -> "Future[Result]":
            return pool.submit(duel, game, candidate, others, deals, EVALUATION_SEED, advance)

        scripts = {spec: agents.load(spec, game) for spec in specs}
        played = {spec: (play(policy, script), play(script, policy)) for spec, script in scripts.items()}
        pairs = {spec: (one.result(), other.result()) for spec, (one, other) in played.items()}
    final = {spec: [one.mean, one.error] for spec, (one, _) in pairs.items()}
    last = {"decisions": training.model.num_timesteps, "seconds": training.seconds, "results": final}
    curve = draw([*training.curve, last], training.place, unit)
    contents = {
        "command": shlex.join(["python", *sys.argv]),
        "seed": EVALUATION_SEED,
        "deals": deals,
        "decisions": training.model.num_timesteps,
        "hands": training.model.hands,
        "seconds": training.seconds,
        "versions": runs.versions(),
        "results": [asdict(result) for pair in pairs.values() for result in pair],
    }
    with held():
        training.run.write(runs.CURVE_FILE, curve)
        training.run.write_json(runs.EVALUATION_FILE, contents)
    console.print(results_grid(f"{training.place}: {unit} over {deals:,} deals", game, pairs))
    console.print(
        f"{training.model.num_timesteps:,} decisions in {training.seconds:.0f} s, kept in {training.place}"
    )


def results_grid(title: str, game: "Game", pairs: "dict[str, tuple[Result, Result]]") -> Grid:
    """A row for each script, both ways round; where games have several hands, with the share of them won."""
    wins = game.hands > 1
    grid = Grid(title=f"{title} in every seat, with 95 % intervals")
    headings = ["script", "policy among scripts", "script among policies", "decisions a hand"]
    for place in (3, 2) if wins else ():
        headings.insert(place, "games won")
    for heading in headings:
        grid.add_column(heading, justify="left" if heading == "script" else "right")
    for spec, both in pairs.items():
        cells = [spec]
        for result in both:
            cells.append(f"{result.mean:+.3f} ± {result.error:.3f}")
            if wins:
                cells.append(f"{result.won:.1%} ± {result.won_error:.1%}")
        grid.add_row(*cells, f"{both[0].decisions:.1f}")
    return grid


def deals_in_time(training: Training) -> int:
    """How many deals each duel of the last evaluation gets."""
    deals = training.evaluation_deals
    if training.args.steps is None and training.costs:
        left = max(60 * training.args.minutes - training.seconds, 0.5 * training.reserve) - 3
        deals = min(deals, int(left / (SLOWER * training.evaluation_cost)))
    return max(deals, 2)


if __name__ == "__main__":
    threading.excepthook = lambda failure: None  # what a thread of TensorBoard's meets, the main one tells
    try:
        main()
    finally:
        signal.signal(signal.SIGINT, signal.SIG_IGN)  # there is nothing left to stop
