"""What came of a benchmark, as a table, as JSON and as a chart."""

from __future__ import annotations

import json
import os
import platform
from collections.abc import Sequence
from dataclasses import asdict
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from rich.padding import Padding
from rich.table import Table
from rich.text import Text

from contenders import Comparison, Figure, Measure


def table(title: str, measures: Sequence[Measure], comparison: Comparison) -> Table:
    """The figures as a table that fits in 80 columns."""
    result = Table(title=title, caption=versions(comparison), caption_justify="left")
    result.add_column("measure", max_width=32, overflow="fold")
    for column in ("time", "rows/s", "peak MB", "ratio"):
        result.add_column(column, justify="right", no_wrap=True)
    for measure in measures:
        result.add_row(Text(measure.title, style="bold"))
        for figure in comparison.figures:
            if figure.measure == measure.name:
                result.add_row(
                    f"  {figure.contender}",
                    duration(figure.seconds),
                    f"{figure.rows_per_second:,.0f}",
                    f"{figure.peak_megabytes:,.1f}",
                    f"{figure.ratio:.2f}",
                )
        for failure in comparison.failures:
            if failure.measure == measure.name:
                result.add_row(f"  {failure.contender}", failure.outcome)
                result.add_row(Padding(Text(failure.reason, style="dim"), (0, 0, 0, 4)))
        result.add_section()
    return result


def versions(comparison: Comparison) -> str:
    """A line for each contender, of its packages."""
    lines = []
    for contender in comparison.contenders:
        packages = [f"{k} {v}" for k, v in contender.versions.items() if k != "Python"]
        lines.append(f"{contender.name}: {', '.join(packages) or 'did not start'}")
    return "\n".join(lines)


def duration(seconds: float) -> str:
    """A time as people read it."""
    return f"{seconds * 1e3:,.0f} ms" if seconds >= 0.01 else f"{seconds * 1e6:,.0f} us"


def report(benchmark: str, comparison: Comparison) -> dict[str, Any]:
    """The figures with what they depend on."""
    return {
        "benchmark": benchmark,
        "date": datetime.now(UTC).date().isoformat(),
        "machine": f"{platform.system()} {platform.machine()}, {os.cpu_count()} cores",
        "python": f"{platform.python_implementation()} {platform.python_version()}",
        "versions": {each.name: each.versions for each in comparison.contenders},
        "figures": [asdict(figure) for figure in comparison.figures],
        "failures": [asdict(failure) for failure in comparison.failures],
    }


def draw(measures: Sequence[Measure], figures: Sequence[Figure], x_label: str, path: Path) -> None:
    """The figures as a bar chart, one group of bars for each measure."""
    import matplotlib

    matplotlib.use("svg")
    matplotlib.rcParams["svg.hashsalt"] = "fastschema"
    from matplotlib import pyplot

    names = list(dict.fromkeys(figure.contender for figure in figures))
    colors = dict(
        zip(names, ["#b0b7c3", "#0b7a75", "#d98b2b", "#7b5ea7", "#c2506a", "#4a78b5"], strict=False)
    )
    height = 0.8 / len(names)
    size = (8, 0.6 + 0.3 * len(names) * len(measures))
    chart, axes = pyplot.subplots(figsize=size, layout="constrained")
    for offset, name in enumerate(names):
        own = {figure.measure: figure for figure in figures if figure.contender == name}
        drawn = [index for index, measure in enumerate(measures) if measure.name in own]
        values = [own[measures[index].name] for index in drawn]
        bars = axes.barh(
            [index + height * offset for index in drawn],
            [figure.seconds * 1000 for figure in values],
            height=height * 0.95,
            color=colors[name],
            label=name,
        )
        is_first = name == names[0]
        labels = [
            duration(f.seconds) if is_first else f"{duration(f.seconds)}  ({f.ratio:.1f} times)"
            for f in values
        ]
        axes.bar_label(bars, labels, padding=4)
    middle = height * (len(names) - 1) / 2
    ticks = [index + middle for index in range(len(measures))]
    axes.set_yticks(ticks, [measure.title for measure in measures])
    axes.invert_yaxis()
    axes.margins(x=0.3)
    axes.set_xlabel(x_label)
    axes.spines[["top", "right"]].set_visible(False)
    axes.legend(frameon=False, loc="lower left", bbox_to_anchor=(0, 1), ncols=len(names))
    chart.savefig(path, metadata={"Date": None})


def write(directory: Path, name: str, content: dict[str, Any]) -> None:
    """Write figures as JSON."""
    directory.mkdir(parents=True, exist_ok=True)
    (directory / f"{name}.json").write_text(json.dumps(content, indent=2) + "\n")
