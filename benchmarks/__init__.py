"""Measurements: what the project's parts do in a second, beside their peers in the same run."""
