"""The picture of a training: how its policy did against each script as it learned."""

import io
from collections.abc import Mapping, Sequence
from typing import Any


def draw(points: Sequence[Mapping[str, Any]], title: str, unit: str) -> bytes:
    """A PNG of results over decisions.

    Args:
        points: each with ``decisions`` and ``results``, a mean and the half width of its interval by script.
        title: what stands above.
        unit: what the results are counted in.
    """
    from matplotlib.figure import Figure

    figure = Figure(figsize=(8, 5), layout="constrained")
    axes = figure.add_subplot()
    for spec in points[0]["results"]:
        decisions = [point["decisions"] / 1e6 for point in points]
        means = [point["results"][spec][0] for point in points]
        errors = [point["results"][spec][1] for point in points]
        axes.errorbar(decisions, means, errors, capsize=2, label=f"one policy among {spec}")
    axes.axhline(0, color="black", linewidth=0.8)
    axes.set_xlabel("decisions, millions")
    axes.set_ylabel(f"{unit}, with 95 % intervals")
    axes.set_title(title)
    axes.grid(alpha=0.3)
    axes.legend()
    contents = io.BytesIO()
    figure.savefig(contents, format="png", dpi=120)
    return contents.getvalue()
