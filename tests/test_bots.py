"""The policies that ship with the package: they load, are small, and play as their evaluation says."""

import json
from pathlib import Path

import pytest

import agents
from agents.arena import duel

BOTS = Path(agents.__file__).parent / "bots"


@pytest.mark.parametrize("folder", sorted(BOTS.iterdir()), ids=lambda folder: folder.name)
def test_each_bot_is_small_and_complete(folder: Path) -> None:
    names = {file.name for file in folder.iterdir()}
    assert names == {"policy.safetensors", "config.json", "evaluation.json"}
    assert sum(file.stat().st_size for file in folder.iterdir()) < 1_000_000


@pytest.mark.parametrize(
    ("game", "script", "deals"),
    [
        ("palace", "passive", 600),
        ("palace", "tight", 600),
        ("detective", "visible", 60),
        ("detective", "equity", 60),
    ],
)
def test_a_bot_wins_what_its_evaluation_says(game: str, script: str, deals: int) -> None:
    results = json.loads((BOTS / game / "evaluation.json").read_text("utf-8"))["results"]
    (told,) = [result for result in results if result["others"] == script]
    again = duel(game, agents.load("bot", game), agents.load(script, game), deals, told["seed"])
    assert abs(again.mean - told["mean"]) < again.error + told["error"]
    assert again.mean - again.error > 0
