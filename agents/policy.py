"""A trained network that plays: its arithmetic without torch, the choice of a legal move, and its two files.

A policy is a folder with two files: ``policy.safetensors``, the network's six arrays as float16, and
``config.json``, what game, layout and actions they are for. Both are plain data, loading runs nothing.
"""

import json
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
from safetensors import SafetensorError
from safetensors.numpy import load, save

from agents.script import check_rng
from card_table.compile import rule
from card_table.game import Game, States
from card_table.given import quote
from card_table.layout import Piece

FORMAT = 1
WEIGHTS_FILE, CONFIG_FILE = "policy.safetensors", "config.json"

Floats = npt.NDArray[np.float32]


@dataclass(frozen=True)
class Weights:
    """A network with two hidden layers of rectified units, float32 arrays in C order.

    Attributes:
        first: (D, H), the layout's largest values already divided out, so that it takes raw observations.
        first_bias: (H,).
        second: (H, H).
        second_bias: (H,).
        last: (H, K), a column for each action and, while it is trained, one more for the value.
        last_bias: (K,).
    """

    first: Floats
    first_bias: Floats
    second: Floats
    second_bias: Floats
    last: Floats
    last_bias: Floats

    def __post_init__(self) -> None:
        if self.last.ndim != 2 or not self.last.size:
            raise ValueError(f"weights 'last' of shape {self.last.shape!r}: must be (H, K), neither 0")
        hidden, outputs = self.last.shape
        shapes = (
            (*self.first.shape[:1], hidden),
            (hidden,),
            (hidden, hidden),
            (hidden,),
            (hidden, outputs),
            (outputs,),
        )
        for (name, array), shape in zip(vars(self).items(), shapes, strict=True):
            if array.shape != shape or array.dtype != np.float32 or not array.flags.c_contiguous:
                raise ValueError(f"weights {name!r}: must be a C-ordered float32 array of shape {shape}")

    def scores(self, observations: npt.NDArray[np.uint8]) -> Floats:
        """What the network says about each observation.

        Args:
            observations: uint8 (n, D).

        Returns:
            float32 (n, K), the same for a row whichever other rows come with it.

        Raises:
            ValueError: observations of another shape or dtype.
        """
        if (
            observations.ndim != 2
            or observations.shape[1] != len(self.first)
            or observations.dtype != np.uint8
        ):
            raise ValueError(
                f"observations of shape {observations.shape!r} and dtype {str(observations.dtype)!r}: "
                f"must be uint8 (n, {len(self.first)})"
            )
        out = np.empty((len(observations), len(self.last_bias)), np.float32)
        _forward(
            np.ascontiguousarray(observations),
            self.first,
            self.first_bias,
            self.second,
            self.second_bias,
            self.last,
            self.last_bias,
            out,
        )
        return out


def choose(
    scores: Floats, masks: npt.NDArray[np.bool_], rng: np.random.Generator | None
) -> tuple[npt.NDArray[np.int64], Floats]:
    """Legal moves by their scores: the one way in which a network's output becomes actions.

    Args:
        scores: float32 (n, A) or wider; what follows the first A columns is not looked at.
        masks: which actions are legal, bool (n, A).
        rng: draws from the softmax over the legal actions; None takes the highest score, the first of equals.

    Returns:
        The actions, int64 (n,), and the logarithms of their chances, float32 (n,); new arrays.

    Raises:
        ValueError: a row has no legal action or a score that is not finite, or the shapes do not fit.
    """
    if (
        masks.ndim != 2
        or masks.dtype != np.bool_
        or len(scores) != len(masks)
        or scores.shape[1] < masks.shape[1]
    ):
        raise ValueError(
            f"masks of shape {masks.shape!r} and dtype {str(masks.dtype)!r}: must be bool (n, A) for scores "
            f"of shape {scores.shape!r}"
        )
    actions = np.empty(len(masks), np.int64)
    logs = np.empty(len(masks), np.float32)
    draws = np.full(len(masks), -1.0, np.float32) if rng is None else rng.random(len(masks), np.float32)
    bad = _choose(scores, masks, draws, actions, logs)
    if bad >= 0:
        if not masks[bad].any():
            raise ValueError(f"row {bad} of the masks has no legal action: each must have one at least")
        raise ValueError(f"row {bad} of the scores is not finite: the network is broken")
    return actions, logs


class Policy:
    """A network as an agent, see ``agents.Agent``: it needs neither torch nor views.

    Attributes:
        name: its spec.
        weights: its network.
        greedy: whether it takes its likeliest move instead of drawing one.
    """

    def __init__(self, weights: Weights, name: str, greedy: bool = False) -> None:
        self.weights = weights
        self.name = name
        self.greedy = greedy

    def act(
        self,
        views: States,
        observations: npt.NDArray[np.uint8],
        masks: npt.NDArray[np.bool_],
        rng: np.random.Generator,
    ) -> npt.NDArray[np.int64]:
        """See ``agents.Agent.act``."""
        check_rng(rng)
        return choose(self.weights.scores(observations), masks, None if self.greedy else rng)[0]


def describe(game: Game) -> dict[str, Any]:
    """What of a game a network depends on, and the rules it was trained under, for ``config.json``."""
    return {
        "game": game.name,
        "rules": game.rules,
        "hand_values": bool(game.record["hand_values"][0]),
        "seats": game.layout.seats,
        "n_actions": game.n_actions,
        "layout": {"table": _pieces(game.layout.table_pieces), "seat": _pieces(game.layout.seat_pieces)},
    }


def pack(weights: Weights, game: Game) -> bytes:
    """The contents of ``policy.safetensors``; the value's column is left out."""
    actions = game.n_actions
    arrays = {
        "first.weight": weights.first.T * game.layout.high[None, :],
        "first.bias": weights.first_bias,
        "second.weight": weights.second.T,
        "second.bias": weights.second_bias,
        "last.weight": weights.last[:, :actions].T,
        "last.bias": weights.last_bias[:actions],
    }
    return save({name: np.ascontiguousarray(array, np.float16) for name, array in arrays.items()})


def unpack(contents: bytes, game: Game) -> Weights:
    """The weights in the contents of ``policy.safetensors``.

    Raises:
        ValueError: they are broken or of another network.
    """
    try:
        arrays = load(contents)
    except (SafetensorError, ValueError, TypeError, KeyError) as error:
        raise ValueError(f"it is no valid safetensors file ({error})") from None
    hidden = max(1, arrays["first.bias"].size) if "first.bias" in arrays else 1
    shapes = {
        "first.weight": (hidden, game.layout.size),
        "first.bias": (hidden,),
        "second.weight": (hidden, hidden),
        "second.bias": (hidden,),
        "last.weight": (game.n_actions, hidden),
        "last.bias": (game.n_actions,),
    }
    if set(arrays) != set(shapes):
        raise ValueError(f"it holds {sorted(arrays)}: must be {sorted(shapes)}")
    for name, shape in shapes.items():
        if arrays[name].shape != shape or arrays[name].dtype != np.float16:
            raise ValueError(
                f"{name!r} is {arrays[name].dtype} {arrays[name].shape}: this game needs float16 {shape}"
            )
        if not np.isfinite(arrays[name]).all():
            raise ValueError(f"{name!r} holds numbers that are not finite")
    floats: dict[str, Floats] = {
        name: np.ascontiguousarray(array.T, np.float32) for name, array in arrays.items()
    }
    floats["first.weight"] /= game.layout.high[:, None]
    return Weights(
        floats["first.weight"],
        floats["first.bias"],
        floats["second.weight"],
        floats["second.bias"],
        floats["last.weight"],
        floats["last.bias"],
    )


def load_policy(folder: str | Path, game: Game, greedy: bool = False) -> Policy:
    """The agent in a folder.

    It plays under other rules than those it was trained with too, if observations and actions are the same.

    Raises:
        FileNotFoundError: the folder lacks a file.
        ValueError: a file is broken, or made for another game, layout or number of actions; it says which.
    """
    folder = Path(folder)
    read_config(folder, game)
    path = folder / WEIGHTS_FILE
    if not path.is_file():
        raise FileNotFoundError(f"{str(path)!r} is missing: a policy has {WEIGHTS_FILE} and {CONFIG_FILE}")
    try:
        weights = unpack(path.read_bytes(), game)
    except ValueError as error:
        raise ValueError(f"{str(path)!r}: {error}") from None
    return Policy(weights, str(folder), greedy)


def read_config(folder: Path, game: Game | None = None) -> dict[str, Any]:
    """The contents of a folder's ``config.json``, checked against a game if one is given.

    Raises:
        FileNotFoundError: there is none.
        ValueError: it is broken or says that the policy is for something else.
    """
    path = folder / CONFIG_FILE
    if not path.is_file():
        raise FileNotFoundError(f"{str(path)!r} is missing: a policy has {WEIGHTS_FILE} and {CONFIG_FILE}")
    try:
        config = json.loads(path.read_bytes())
    except (ValueError, RecursionError) as error:
        raise ValueError(f"{str(path)!r}: it is no valid JSON ({error})") from None
    if not isinstance(config, dict) or not _same(config.get("format"), FORMAT):
        found = config.get("format") if isinstance(config, dict) else config
        raise ValueError(f"{str(path)!r}: format {quote(found)} is unknown: must be {FORMAT}")
    if game is not None:
        difference = _difference(config, describe(game), game.action_rules)
        if difference:
            raise ValueError(f"{str(path)!r}: the policy does not fit the game: {difference}")
    return config


def _difference(config: Mapping[str, Any], expected: Mapping[str, Any], action_rules: tuple[str, ...]) -> str:
    """The first difference that keeps a policy from playing a game, in words; empty if there is none."""
    rules = config.get("rules")
    for own, other, keys in (
        (config, expected, ("game", "seats", "hand_values", "n_actions")),
        (rules if isinstance(rules, dict) else {}, expected["rules"], action_rules),
    ):
        for key in keys:
            if not _same(own.get(key), other[key]):
                told = f"it is for {key}={quote(own.get(key))}, the game has {key}={quote(other[key])}"
                seats = own.get("seats")
                if key == "seats" and isinstance(seats, int) and expected["rules"]["players"] <= seats:
                    told += f": lay its spaces out with seats={seats} (--seats {seats})"
                return told
    layout = config.get("layout")
    for part, pieces in expected["layout"].items():
        found = layout.get(part) if isinstance(layout, dict) else None
        if _same(found, pieces):
            continue
        if not isinstance(found, list):
            return f"layout part {part!r} is {quote(found)}: must be a list"
        for place, piece in enumerate(pieces):
            other = found[place] if place < len(found) else None
            if not _same(other, piece):
                return f"piece {place} of layout part {part!r} is {quote(other)}, the game has {piece!r}"
        return f"layout part {part!r} has {len(found)} pieces, the game has {len(pieces)}"
    return ""


def _same(one: object, other: object) -> bool:
    """Whether two values from JSON are the same, where Python takes 4, 4.0 and True for equal."""
    return json.dumps(one) == json.dumps(other)


def _pieces(pieces: tuple[Piece, ...]) -> list[list[Any]]:
    return [[piece.name, piece.size, piece.high] for piece in pieces]


@rule
def _forward(
    observations: npt.NDArray[np.uint8],
    first: Floats,
    first_bias: Floats,
    second: Floats,
    second_bias: Floats,
    last: Floats,
    last_bias: Floats,
    out: Floats,
) -> None:
    # Nine in ten bytes of an observation and half of the hidden units are 0, so that skipping these beats a
    # dense product; and one row is worked out like a thousand, on one thread.
    units = np.empty(len(first_bias), np.float32)
    more = np.empty(len(second_bias), np.float32)
    for row in range(len(observations)):
        units[:] = first_bias
        _add_layer(units, observations[row], first)
        more[:] = second_bias
        _add_layer(more, units, second)
        out[row] = last_bias
        _add_layer(out[row], more, last)


@rule
def _add_layer(totals: Floats, inputs: npt.NDArray[Any], weights: Floats) -> None:
    """Add the inputs' share to the units of a layer; an input below 0 counts as 0."""
    for source in range(len(inputs)):
        if inputs[source] > 0:
            factor = np.float32(inputs[source])
            for unit in range(len(totals)):
                totals[unit] += factor * weights[source, unit]


@rule
def _choose(
    scores: Floats,
    masks: npt.NDArray[np.bool_],
    draws: Floats,
    actions: npt.NDArray[np.int64],
    logs: Floats,
) -> int:
    """Fill in actions and logs; a draw below 0 takes the best. Returns the first row that cannot, or -1."""
    for row in range(len(masks)):
        best = -1
        for action in range(masks.shape[1]):
            if masks[row, action]:
                if not np.isfinite(scores[row, action]):
                    return row
                if best < 0 or scores[row, action] > scores[row, best]:
                    best = action
        if best < 0:
            return row
        top = scores[row, best]
        total = np.float32(0)
        for action in range(masks.shape[1]):
            if masks[row, action]:
                total += np.exp(scores[row, action] - top)
        chosen = best
        if draws[row] >= 0:
            # Rounding may leave the draw above the sum: then the likeliest move is taken.
            left = draws[row] * total
            for action in range(masks.shape[1]):
                if masks[row, action]:
                    left -= np.exp(scores[row, action] - top)
                    if left < 0:
                        chosen = action
                        break
        actions[row] = chosen
        logs[row] = scores[row, chosen] - top - np.log(total)
    return -1
