"""The README's chart: where the time of a request goes."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import matplotlib

from harness.tables import duration

COLORS = ("#12355b", "#2f6db0", "#6fa8dc", "#b3d1ee", "#d5dee8")
"""Blues, as in the race of the example project."""
CONTENDERS = ("stock", "fastschema")
WHOLE = "whole request, each with four objects"


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
    """The milliseconds of each part of a request, by contender.

    What is left of the request is a part, too. Parts are measured alone, so that it may be nothing.
    """
    seconds = {(each["contender"], each["measure"]): each["seconds"] for each in report["figures"]}

    def of(measure: str) -> list[float]:
        return [seconds[name, f"flights: {measure}, {rows}"] * 1000 for name in CONTENDERS]

    database, read = of("part: database"), of("part: instances")
    parts = {
        "database": database,
        "instances": [max(0, both - one) for both, one in zip(read, database, strict=True)],
        "serialization": of("part: serialization"),
        "rendering": of("part: rendering"),
    }
    spent = [sum(values) for values in zip(*parts.values(), strict=True)]
    rest = [max(0, whole - some) for whole, some in zip(of(WHOLE), spent, strict=True)]
    return {**parts, "all else": rest}
