"""The policies that ship with the package: they load, are small, and play as their evaluation says."""

import json
from pathlib import Path

import pytest

import agents
from agents.arena import duel
from palace_env.palace_v0 import Palace

BOTS = Path(agents.__file__).parent / "bots"


@pytest.mark.parametrize("folder", sorted(BOTS.iterdir()), ids=lambda folder: folder.name)
def test_each_bot_is_small_and_complete(folder: Path) -> None:
    names = {file.name for file in folder.iterdir()}
    assert names == {"policy.safetensors", "config.json", "evaluation.json"}
    assert sum(file.stat().st_size for file in folder.iterdir()) < 1_000_000


@pytest.mark.parametrize("script", ["passive", "tight"])
def test_the_palace_bot_wins_what_its_evaluation_says(script: str) -> None:
    results = json.loads((BOTS / "palace" / "evaluation.json").read_text("utf-8"))["results"]
    (told,) = [result for result in results if result["others"] == script]
    game = Palace()
    again = duel(game, agents.load("bot"), agents.load(script), 600, told["seed"])
    assert abs(again.mean - told["mean"]) < again.error + told["error"]
    assert again.mean - again.error > 0
