"""Pictures of runs and ledgers. matplotlib has to be installed, and is imported by `plot` alone."""
from __future__ import annotations

import importlib
from collections.abc import Iterable, Mapping
from typing import Any

from . import errors

_MOST_BARS = 60
_LEAST_AND_MOST = 1000.0  # a ratio of charges from which their axis is logarithmic


def _axes(ax: Any, **size: Any) -> Any:
    if ax is not None:
        return ax
    try:
        pyplot: Any = importlib.import_module("matplotlib.pyplot")
    except ImportError as problem:
        raise errors.NotFound("plot: matplotlib is not installed: pip install matplotlib") from problem
    return pyplot.subplots(layout="constrained", **size)[1]


def _series(history: Iterable[Mapping[str, Any]], name: str) -> dict[str, dict[int, list[float]]]:
    """Values by stage and epoch, of all seeds."""
    found: dict[str, dict[int, list[float]]] = {}
    for record in history:
        if record.get(name) is not None:
            found.setdefault(str(record["stage"]), {}).setdefault(int(record["epoch"]), []).append(float(record[name]))
    return found


def run(history: Iterable[Mapping[str, Any]], statement: Mapping[str, Any], ax: Any) -> Any:
    """Validation by epoch, or loss where nothing was validated; a line a stage, seeds as a band."""
    records = list(history)
    measure = "validation" if any(record.get("validation") is not None for record in records) else "loss"
    ax = _axes(ax)
    for stage, points in _series(records, measure).items():
        epochs = sorted(points)
        rows = [points[epoch] for epoch in epochs]
        line, = ax.plot(epochs, [sum(row) / len(row) for row in rows], label=stage)
        if max(map(len, rows)) > 1:
            ax.fill_between(epochs, list(map(min, rows)), list(map(max, rows)), color=line.get_color(), alpha=0.2)
    ax.set_xlabel("epoch")
    ax.set_ylabel(measure)
    ax.set_title(str((statement.get("verdicts") or [{}])[0].get("text", "")), fontsize="small", wrap=True)
    if ax.get_legend_handles_labels()[0]:
        ax.legend()
    return ax


def ledger(charges: list[dict[str, Any]], spent: Mapping[str, Any], adjacency: str, ax: Any) -> Any:
    """A bar a charge, oldest first; lines at what they are together, and at the budget."""
    every = [charge for charge in charges if charge["adjacency"] == adjacency]
    mine = every[-_MOST_BARS:]
    ax = _axes(ax)
    heights = [charge["epsilon"] for charge in mine]
    ax.bar(range(1, len(mine) + 1), heights, color="#0969da", label="each charge, by itself")
    if not spent["unprotected"]:
        ax.axhline(spent["epsilon"], color="#1a7f37", label=f"together: epsilon {spent['epsilon']:.4g}")
    if spent["budget"] is not None:
        ax.axhline(spent["budget"]["epsilon"], color="#cf222e", linestyle="--",
                   label=f"budget: epsilon {spent['budget']['epsilon']:.4g}")
    positive = [height for height in heights if height > 0]
    if positive and max(positive) > _LEAST_AND_MOST * min(positive):
        ax.set_yscale("log")
    ax.set_xlabel(f"last {len(mine)} of {len(every)} charges" if len(mine) < len(every) else "charges, oldest first")
    ax.set_ylabel(f"epsilon at {adjacency} level")
    if spent["unprotected"]:
        ax.set_title(f"{spent['unprotected']} charges or runs protect nothing at this level", fontsize="small")
    ax.legend()
    return ax
