"""What plays at the tables: scripted agents, trained policies, and how they are trained and compared."""

from agents.spec import Agent, load

__all__ = ["Agent", "load"]
