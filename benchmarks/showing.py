"""What came of a benchmark, as a table, as JSON and as a chart."""

from __future__ import annotations

import json
import os
import platform
from collections.abc import Collection, Mapping, Sequence
from dataclasses import asdict
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pyperf
from rich.padding import Padding
from rich.table import Table
from rich.text import Text

from contenders import Comparison, Figure, Measure


def table(title: str, comparison: Comparison) -> Table:
    """The figures as a table that fits in 80 columns."""
    result = Table(title=title, caption=versions(comparison), caption_justify="left")
    result.add_column("measure", max_width=32, overflow="fold")
    with_memory = any(figure.peak_megabytes is not None for figure in comparison.figures)
    for column in ("time", "rows/s", *(["peak MB"] if with_memory else []), "ratio"):
        result.add_column(column, justify="right", no_wrap=True)
    for measure in comparison.measures:
        result.add_row(Text(measure.title, style="bold"))
        for figure in comparison.figures:
            if figure.measure == measure.name:
                result.add_row(
                    f"  {figure.contender}",
                    duration(figure.seconds),
                    f"{figure.rows_per_second:,.0f}",
                    *([f"{figure.peak_megabytes:,.1f}"] if with_memory else []),
                    f"{figure.ratio:.2f}",
                )
        add_failures(result, comparison, measure.name)
        result.add_section()
    add_failures(result, comparison, None)
    return result


def add_failures(result: Table, comparison: Comparison, measure: str | None) -> None:
    """Add the peers that have no figure for a measure, or for all of them."""
    for failure in comparison.failures:
        if failure.measure == measure:
            result.add_row(f"  {failure.contender}", failure.outcome)
            result.add_row(Padding(Text(failure.reason, style="dim"), (0, 0, 0, 4)))


def versions(comparison: Comparison) -> str:
    """A line for each contender, of its packages."""
    lines = []
    for contender in comparison.contenders:
        packages = [f"{k} {v}" for k, v in contender.versions.items() if k != "Python"]
        lines.append(f"{contender.name}: {', '.join(packages) or 'did not start'}")
    return "\n".join(lines)


def duration(seconds: float) -> str:
    """A time as people read it."""
    return f"{seconds * 1e3:,.0f} ms" if seconds >= 0.01 else f"{seconds * 1e6:,.0f} µs"


def measured_with() -> dict[str, str]:
    """When and on what this is measured."""
    return {
        "date": datetime.now(UTC).date().isoformat(),
        "machine": f"{platform.system()} {platform.machine()}, {os.cpu_count()} cores",
        "python": f"{platform.python_implementation()} {platform.python_version()}",
    }


def report(benchmark: str, title: str, comparison: Comparison) -> dict[str, Any]:
    """The figures with what they depend on."""
    return {
        "benchmark": benchmark,
        "title": title,
        **measured_with(),
        "versions": {each.name: each.versions for each in comparison.contenders},
        "measures": {each.name: each.title for each in comparison.measures},
        "figures": [asdict(figure) for figure in comparison.figures],
        "failures": [asdict(failure) for failure in comparison.failures],
    }


COLORS = {
    "stock": "#b0b7c3",
    "stock 3.26": "#7d8594",
    "fastschema": "#0b7a75",
    "one line": "#0b7a75",
    "fs.response": "#3fa39d",
    "fs.stream": "#86c9c4",
    "statement": "#05514e",
    "by hand": "#d98b2b",
    "orjson only": "#8c6d46",
}
"""The same color for a contender in every chart; those that are not here share the next."""
OTHER_COLORS = ("#7b5ea7", "#c2506a", "#a8b545", "#5f9e52", "#c9a227", "#a0527a", "#3f3f46")
PART_COLORS = ("#12355b", "#2f6db0", "#6fa8dc", "#b3d1ee", "#d5dee8")
"""For the parts of a request: blues, as in the race of the example project."""
OTHERS = (
    *("althaia", "marshmallow-core", "deepfriedmarshmallow", "pulse-marshmallow"),
    *("pydantic", "msgspec", "mashumaro", "cattrs", "apischema"),
    *("drf-orjson-renderer", "drf-accelerator", "drf-fastserializers", "serpy", "django-ninja"),
    "flask-orjson",
)


def color_of(contender: str) -> str:
    """The color of a contender, in all charts."""
    if contender in COLORS:
        return COLORS[contender]
    return OTHER_COLORS[OTHERS.index(contender) % len(OTHER_COLORS)]


def canvas() -> Any:
    """What draws: pyplot, which writes the same file for the same figures."""
    import matplotlib

    matplotlib.use("svg")
    matplotlib.rcParams["svg.hashsalt"] = "fastschema"
    from matplotlib import pyplot

    return pyplot


def draw(
    comparison: Comparison,
    title: str,
    path: Path,
    *,
    measures: Collection[str] | None = None,
    contenders: Collection[str] | None = None,
) -> None:
    """The figures as a bar chart, one group of bars for each measure, each as a share of stock.

    Milliseconds and ratios are written beside the bars.

    :param measures: which ones; None: all
    :param contenders: which ones; None: all
    """
    pyplot = canvas()
    shown = [each for each in comparison.measures if measures is None or each.name in measures]
    figures = [
        figure
        for figure in comparison.figures
        if (contenders is None or figure.contender in contenders)
        and any(figure.measure == measure.name for measure in shown)
    ]
    bars_of(pyplot, shown, figures, title, path)


def bars_of(
    pyplot: Any, measures: Sequence[Measure], figures: Sequence[Figure], title: str, path: Path
) -> None:
    """Draw these bars."""
    names = list(dict.fromkeys(figure.contender for figure in figures))
    height = 0.8 / len(names)
    size = (8, 0.9 + 0.3 * len(names) * len(measures))
    whole = {figure.measure: figure.seconds for figure in reversed(figures)}  # of the first: stock
    chart, axes = pyplot.subplots(figsize=size, layout="constrained")
    for offset, name in enumerate(names):
        own = {figure.measure: figure for figure in figures if figure.contender == name}
        drawn = [index for index, measure in enumerate(measures) if measure.name in own]
        values = [own[measures[index].name] for index in drawn]
        bars = axes.barh(
            [index + height * offset for index in drawn],
            [figure.seconds / whole[figure.measure] for figure in values],
            height=height * 0.95,
            color=color_of(name),
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
    chart.suptitle(title, fontsize="medium", x=0.01, horizontalalignment="left")
    axes.set_xticks([])
    axes.set_xlabel(f"time beside {names[0]}'s; less is better")
    axes.spines[["top", "right", "bottom"]].set_visible(False)
    chart.legend(frameon=False, loc="outside lower left", ncols=min(4, len(names)))
    chart.savefig(path, metadata={"Date": None})


def draw_parts(comparison: Comparison, requests: Mapping[str, str], path: Path) -> None:
    """Where the time of whole requests goes: for each, a stacked bar for each contender.

    :param requests: the titles of the requests, by what the names of their measures end in; the
        measures are those of ``flights_parts`` and ``request``
    """
    pyplot = canvas()
    seconds = {(each.contender, each.measure): each.seconds for each in comparison.figures}
    names = [name for name in COMPARED if (name, "parts.rendering") in seconds]
    size = (8, 0.6 + 1.5 * len(requests))
    chart, grid = pyplot.subplots(len(requests), figsize=size, layout="constrained", squeeze=False)
    for (ending, title), axes in zip(requests.items(), grid[:, 0], strict=True):
        starts = [0.0] * len(names)
        parts = parts_of(seconds, names, ending)
        for color, (part, found) in zip(PART_COLORS, parts.items(), strict=True):
            axes.barh(names, found, left=starts, color=color, label=part, height=0.6)
            starts = [start + value for start, value in zip(starts, found, strict=True)]
        first, *others = starts
        labels = [f"{duration(end / 1000)}  ({first / end:.1f} times)" for end in others]
        axes.bar_label(axes.containers[-1], [duration(first / 1000), *labels], padding=4)
        axes.margins(x=0.2)
        axes.invert_yaxis()
        axes.set_title(f"Where the time goes: {title}", fontsize="medium", loc="left")
        axes.spines[["top", "right"]].set_visible(False)
    axes.set_xlabel("milliseconds; less is better")
    handles, labels = axes.get_legend_handles_labels()
    place = {"loc": "outside lower center", "ncols": len(PART_COLORS)}
    chart.legend(handles, labels, frameon=False, **place)
    chart.savefig(path, metadata={"Date": None})


COMPARED = ("stock", "fastschema")


def parts_of(
    seconds: Mapping[tuple[str, str], float], names: Sequence[str], ending: str = ""
) -> dict[str, list[float]]:
    """The milliseconds of each part of a request, by contender.

    What is left of the request is a part, too. Parts are measured alone, so that it may be nothing.

    :param ending: what the names of the measures end in
    """

    def of(measure: str) -> list[float]:
        return [seconds[name, measure + ending] * 1000 for name in names]

    database = of("parts.database")
    read = of("parts.instances")
    parts = {
        "database": database,
        "instances": [max(0, both - one) for both, one in zip(read, database, strict=True)],
        "serialization": of("parts.serialization"),
        "rendering": of("parts.rendering"),
    }
    spent = [sum(values) for values in zip(*parts.values(), strict=True)]
    rest = [max(0, all_ - some) for all_, some in zip(of("request"), spent, strict=True)]
    return {**parts, "all else": rest}


def draw_growth(comparison: Comparison, prefix: str, title: str, path: Path) -> None:
    """Time and memory of the measures ``PREFIX.SIZE`` as curves over the size."""
    pyplot = canvas()
    chart, panels = pyplot.subplots(1, 2, figsize=(8, 3), layout="constrained")
    chart.suptitle(title, fontsize="medium")
    for contender in comparison.contenders:
        own = [
            figure
            for figure in comparison.figures
            if figure.contender == contender.name and figure.measure.startswith(f"{prefix}.")
        ]
        sizes = [int(figure.measure.rpartition(".")[2]) for figure in own]
        style = {"color": color_of(contender.name), "marker": "o", "label": contender.name}
        panels[0].plot(sizes, [figure.seconds * 1000 for figure in own], **style)
        panels[1].plot(sizes, [figure.peak_megabytes for figure in own], **style)
    for panel, label in zip(panels, ("milliseconds", "MB at the peak"), strict=True):
        panel.set(xscale="log", yscale="log", ylabel=label)
        panel.spines[["top", "right"]].set_visible(False)
        panel.set_xlabel("fields" if prefix in ("fields", "compile") else "rows")
    panels[0].legend(frameon=False)
    chart.savefig(path, metadata={"Date": None})


def write_timings(comparison: Comparison, directory: Path) -> None:
    """Write what pyperf has measured, a file for each contender, for pyperf's own commands."""
    directory.mkdir(parents=True, exist_ok=True)
    for contender, timings in comparison.timings.items():
        path = directory / f"{contender.replace(' ', '-')}.json"
        pyperf.BenchmarkSuite(timings).dump(str(path), replace=True)


def write(directory: Path, name: str, content: dict[str, Any]) -> None:
    """Write figures as JSON."""
    directory.mkdir(parents=True, exist_ok=True)
    (directory / f"{name}.json").write_text(json.dumps(content, indent=2) + "\n")
