"""The README's chart: where the time of a request goes."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import matplotlib

from harness.tables import duration

COLORS = ("#12355b", "#2f6db0", "#6fa8dc", "#b3d1ee", "#d5dee8")
"""Blues, as in the race of the example project."""
CONTENDERS = ("stock", "fastschema")


def draw_parts(report: dict[str, Any], requests: Mapping[str, str], path: Path) -> None:
    """Draw a stacked bar for each contender, and for each request.

    :param requests: their titles, by what the names of their measures end in
    """
    matplotlib.use("svg")
    matplotlib.rcParams["svg.hashsalt"] = "fastschema"  # the same figure makes the same file
    from matplotlib import pyplot

    size = (8, 0.6 + 1.5 * len(requests))
    chart, grid = pyplot.subplots(len(requests), figsize=size, layout="constrained", squeeze=False)
    for (ending, title), axes in zip(requests.items(), grid[:, 0], strict=True):
        starts = [0.0] * len(CONTENDERS)
        for color, (part, found) in zip(COLORS, parts_of(report, ending).items(), strict=True):
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


def parts_of(report: dict[str, Any], ending: str) -> dict[str, list[float]]:
    """The milliseconds of each part of a request, by contender.

    What is left of the request is a part, too. Parts are measured alone, so that it may be nothing.
    """
    seconds = {(each["contender"], each["measure"]): each["seconds"] for each in report["figures"]}

    def of(measure: str) -> list[float]:
        return [seconds[name, measure + ending] * 1000 for name in CONTENDERS]

    database, read = of("parts.database"), of("parts.instances")
    parts = {
        "database": database,
        "instances": [max(0, both - one) for both, one in zip(read, database, strict=True)],
        "serialization": of("parts.serialization"),
        "rendering": of("parts.rendering"),
    }
    spent = [sum(values) for values in zip(*parts.values(), strict=True)]
    rest = [max(0, whole - some) for whole, some in zip(of("request"), spent, strict=True)]
    return {**parts, "all else": rest}
