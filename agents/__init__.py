"""What plays at the tables: scripted agents, trained policies, and how they are trained and compared."""

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from agents.spec import Agent, load

__all__ = ["Agent", "load"]


def __getattr__(name: str) -> Any:  # noqa: ANN401 - what a module holds is of any type
    # Programs take their arguments' defaults from this package; their help need not wait for the games.
    if name in __all__:
        from agents import spec

        return getattr(spec, name)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
