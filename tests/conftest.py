"""Settings and fixtures that all tests share."""

from types import ModuleType

import pytest
from hypothesis import settings

from detective_env import detective_v0
from palace_env import palace_v0

# No deadline: the first example of a test may compile the rules. Derandomized, so that a test which passes
# today passes tomorrow; `pytest --hypothesis-profile=search` looks for new examples instead.
settings.register_profile("steady", deadline=None, derandomize=True)
settings.register_profile("search", deadline=None, max_examples=1000)
settings.load_profile("steady")


@pytest.fixture(params=[palace_v0, detective_v0], ids=lambda face: face.GAME.name)
def face(request: pytest.FixtureRequest) -> ModuleType:
    """The face of each game in turn, for what holds of any game."""
    face: ModuleType = request.param
    return face
