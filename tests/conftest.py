"""Settings that all tests share."""

from hypothesis import settings

# No deadline: the first example of a test may compile the rules. Derandomized, so that a test which passes
# today passes tomorrow; `pytest --hypothesis-profile=search` looks for new examples instead.
settings.register_profile("steady", deadline=None, derandomize=True)
settings.register_profile("search", deadline=None, max_examples=1000)
settings.load_profile("steady")
