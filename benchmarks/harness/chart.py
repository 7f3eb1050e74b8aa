"""The README's chart: where the time of a request goes."""

from __future__ import annotations

from collections.abc import Collection
from pathlib import Path
from typing import Any

import matplotlib

from applications import sampling
from harness.tables import duration

COLORS = ("#12355b", "#2f6db0", "#6fa8dc", "#b3d1ee", "#d5dee8")
"""Blues, as in the race of the example project."""
CONTENDERS = ("stock", "fastschema")
WHOLE = "whole request, each with four objects"
PARTS = {
    "database": (sampling.QUERIES, sampling.PREFETCHING),
    "instances": (sampling.INSTANCES,),
    "serialization": (
        *(sampling.FIELDS, sampling.STOCK, sampling.USER, sampling.GENERATED),
        sampling.BOOKKEEPING,
    ),
    "rendering": (sampling.JSON,),
}
"""By name, the categories of samples that it has."""


def draw_parts(report: dict[str, Any], path: Path) -> None:
    """Draw a stacked bar for each contender, for a long list and for a page."""
    matplotlib.use("svg")
    matplotlib.rcParams["svg.hashsalt"] = "fastschema"  # the same figure makes the same file
    from matplotlib import pyplot

    sizes = sorted({each["rows"] for each in report["figures"] if WHOLE in each["measure"]})[::-1]
    how = {"figsize": (8, 0.6 + 1.5 * len(sizes)), "layout": "constrained", "squeeze": False}
    chart, grid = pyplot.subplots(len(sizes), **how)
    for rows, title, axes in zip(
        sizes,
        (f"a list of {sizes[0]:,} flights", f"a page of {sizes[-1]}"),
        grid[:, 0],
        strict=True,
    ):
        starts = [0.0] * len(CONTENDERS)
        for color, (part, found) in zip(COLORS, parts_of(report, rows).items(), strict=True):
            axes.barh(CONTENDERS, found, left=starts, color=color, label=part, height=0.6)
            starts = [start + value for start, value in zip(starts, found, strict=True)]
        stock, fast = starts
        labels = [duration(stock / 1000), f"{duration(fast / 1000)}  ({stock / fast:.1f} times)"]
        axes.bar_label(axes.containers[-1], labels, padding=4)
        axes.margins(x=0.2)
        axes.invert_yaxis()
        whole = f"Where the time goes: {title}, the whole request"
        axes.set_title(whole, fontsize="medium", loc="left")
        axes.spines[["top", "right"]].set_visible(False)
    axes.set_xlabel("milliseconds; less is better")
    handles, labels = axes.get_legend_handles_labels()
    place = {"loc": "outside lower center", "ncols": len(COLORS)}
    chart.legend(handles, labels, frameon=False, **place)
    chart.savefig(path, metadata={"Date": None})


def parts_of(report: dict[str, Any], rows: int) -> dict[str, list[float]]:
    """The milliseconds of each part of a request, by contender; what is left is a part, too."""
    wholes = [
        each for each in report["figures"] if WHOLE in each["measure"] and each["rows"] == rows
    ]

    def spent(categories: Collection[str]) -> list[float]:
        return [
            sum(whole["sample"]["parts"].get(each, 0) for each in categories)
            * whole["seconds"]
            * 1000
            for whole in wholes
        ]

    parts = {part: spent(categories) for part, categories in PARTS.items()}
    known = {each for categories in PARTS.values() for each in categories}
    return {**parts, "all else": spent({*sampling.CATEGORIES} - known)}
