"""The points of bets of Detective Poker, credited to the bets that won them."""

import numpy as np
import pytest

from agents.detective_credit import bet_credit
from agents.selfplay import SelfPlay
from agents.settings import Settings
from card_table.batch import Batch
from detective_env.detective_v0 import Detective, batch, env


@pytest.mark.parametrize(
    "game",
    [
        Detective(),
        Detective(players=3),
        Detective(hands=1, seats=4, players=3),
        Detective(expert=True),
        Detective(streets=2, actions=(), ranks=6),
        Detective(streets=1, players=3),
    ],
    ids=lambda game: str(game.rules),
)
def test_it_sums_to_what_each_hand_pays_also_after_the_next_is_dealt(game: Detective) -> None:
    tables, rng = Batch(game, 64, seed=6), np.random.default_rng(2)
    hands = 0
    while hands < 600:
        seats = tables.actors.copy()
        tables.step((rng.random(tables.masks.shape) * tables.masks).argmax(axis=1))
        ended = np.flatnonzero(tables.hand_over)
        hands += len(ended)
        if len(ended):
            credit = bet_credit(tables.states[ended], seats[ended])
            assert credit.shape == (len(ended), game.rules["streets"] * game.players, game.players)
            np.testing.assert_allclose(credit.sum(axis=1), tables.rewards[ended], atol=1e-5)


@pytest.mark.parametrize("players", [3, 4])
@pytest.mark.parametrize("dealer", [0, 2])
def test_each_bets_points_stand_in_its_place_with_its_bettor(players: int, dealer: int) -> None:
    table = env(players=players, hands=1)
    table.reset(seed=3, options={"dealer": dealer})
    bettors, rng = [], np.random.default_rng(1)
    while table.agents and not any(table.terminations.values()):
        bettors.append(table.possible_agents.index(table.agent_selection))
        mask = table.observe(table.agent_selection)["action_mask"]
        table.step(int(rng.choice(np.flatnonzero(mask))))
    view = table.view("player_0")
    credit = bet_credit(view, np.array([bettors[-1]]))[0]
    bets = [(number // players, bettor) for number, bettor in enumerate(bettors)]
    for number, (street, bettor) in enumerate(bets):
        points = int(view["bet_points"][0, street, bettor])
        assert credit[number, bettor] == points
        others = np.delete(credit[number], bettor)
        np.testing.assert_allclose(others, -points / (players - 1), rtol=1e-6)
    assert (credit > 0).any()


def test_a_share_of_the_win_cannot_be_credited() -> None:
    game = Detective(reward="win")
    with pytest.raises(ValueError, match="reward='win': must be 'margin' to credit bets"):
        SelfPlay(game, Settings(games=16, rollout=256))


def test_self_play_learns_from_the_credit_in_units() -> None:
    settings = Settings(games=16, rollout=16 * 32, hidden=16, unit=4.0)
    model = SelfPlay(Detective(), settings, seed=2)
    model.collect()
    decisions = model.decisions
    decisions.credit(settings.games, settings.trace)
    twin, paid = batch(16, seed=2), np.zeros((16, 4))
    for step in range(16):
        twin.step(decisions.actions[step * 16 : (step + 1) * 16])
        paid += twin.rewards
    payoffs = decisions.payoffs[15 * 16 : 16 * 16]
    np.testing.assert_allclose(payoffs.sum(axis=1) * 4, paid, atol=1e-5)
    # The first to bet earns all of it from then on.
    first = decisions.seats[:16]
    np.testing.assert_allclose(decisions.returns[:16] * 4, paid[np.arange(16), first], atol=1e-5)
