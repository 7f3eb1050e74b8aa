"""Figures as tables, in the terminal and in the documentation, and as JSON."""

from __future__ import annotations

import json
import os
import platform
import re
from collections.abc import Iterable, Sequence
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from rich.console import Console
from rich.table import Table

from harness.comparing import Comparison

ROOT = Path(__file__).resolve().parents[2]
FIGURES = ROOT / "docs" / "figures"
RESULTS = ROOT / "benchmarks" / "results"
MUCH = 0.2
"""Times that spread more than this say little."""

Rows = list[list[str]]
"""A table: a row of headings, then the others; the first column is text, the rest are numbers."""


def duration(seconds: float) -> str:
    return f"{seconds * 1e3:,.0f} ms" if seconds >= 0.01 else f"{seconds * 1e6:,.0f} µs"


def milliseconds(seconds: float) -> str:
    return f"{seconds * 1e3:,.1f}" if seconds < 0.1 else f"{seconds * 1e3:,.0f}"


def times(ratio: float) -> str:
    """How many times as fast; two digits where it is slower."""
    return f"{ratio:.1f}" if ratio >= 0.95 else f"{ratio:.2g}"


def measured_with() -> dict[str, str]:
    return {
        "date": datetime.now(UTC).date().isoformat(),
        "machine": f"{platform.system()} {platform.machine()}, {os.cpu_count()} cores",
    }


def report(benchmark: str, title: str, comparison: Comparison) -> dict[str, Any]:
    return {
        "benchmark": benchmark,
        "title": title,
        **measured_with(),
        "versions": {each.name: each.versions for each in comparison.contenders},
        "measures": {each.name: each.title for each in comparison.measures},
        "figures": comparison.figures(),
        "failures": comparison.failures,
    }


def by_measure(report: dict[str, Any]) -> dict[str, dict[str, dict[str, Any]]]:
    found: dict[str, dict[str, dict[str, Any]]] = {}
    for figure in report["figures"]:
        found.setdefault(figure["measure"], {})[figure["contender"]] = figure
    return found


def contenders_table(report: dict[str, Any], contenders: Sequence[str] = ()) -> Rows:
    """Stock's time, and the ratio of each other contender.

    What only two of many can do is left out, and so is what has no title.

    :param contenders: which; none: all that are in the report
    """
    first, *others = contenders or list(report["versions"])
    outcomes = {
        (measure, each["contender"]): each["outcome"]
        for each in report.get("failures", ())
        for measure in ([each["measure"]] if each["measure"] else report["measures"])
    }
    rows = [["", first, *others]]
    compared = by_measure(report)
    for measure, title in report["measures"].items():
        figures = compared.get(measure, {})
        if first not in figures:
            continue
        stock = figures[first]
        cells = [
            cell(figures[each], stock) if each in figures else outcomes.get((measure, each), "")
            for each in others
        ]
        if len(others) == 1 or any(cells[1:]):
            rows.append([with_size(title, stock["rows"]), duration(stock["seconds"]), *cells])
    return rows


def with_size(title: str, rows: int) -> str:
    """A title that says how many rows there are, unless it does, or there is one."""
    return title if rows == 1 or f"{rows:,}" in title else f"{title}, {rows:,} rows"


def cell(figure: dict[str, Any], stock: dict[str, Any]) -> str:
    """A ratio, and whether the times that it is made of spread much."""
    is_unsteady = max(figure["spread"], stock["spread"]) > MUCH
    return f"{'~' * is_unsteady}{times(figure['ratio'])}"


def sizes_table(title: str, ratios: Iterable[tuple[str, int, str]], first: int = 20) -> Rows:
    """A row for each name and a column for each number of rows.

    :param ratios: what is in a row, in a column, and there
    :param first: the size of the column that comes first
    """
    cells: dict[str, dict[int, str]] = {}
    for name, size, shown in ratios:
        cells.setdefault(name, {})[size] = shown
    sizes = sorted({size for own in cells.values() for size in own}, key=lambda n: (n < first, n))
    heading = [title, *("one row" if size == 1 else f"{size:,} rows" for size in sizes)]
    return [
        heading,
        *([name, *(own.get(size, "") for size in sizes)] for name, own in cells.items()),
    ]


def reasons(report: dict[str, Any], contenders: Sequence[str] = ()) -> str:
    lines = []
    for each in report.get("failures", ()):
        if not contenders or each["contender"] in contenders:
            what = report["measures"].get(each["measure"], "all")
            reason = each["reason"].replace("`", "'")
            lines.append(f"- {each['contender']}, {what}: {each['outcome']}: `{reason}`")
    return "\n".join(lines)


def markdown(rows: Rows) -> str:
    heading, *others = rows
    rule = ["---", *["---:"] * (len(heading) - 1)]
    lines = [f"| {' | '.join(row)} |" for row in [heading, rule, *others]]
    return re.sub(r" {2,}(?=\|)", " ", "\n".join(lines))


def show(rows: Rows, title: str) -> None:
    heading, *others = rows
    table = Table(title=title)
    for number, name in enumerate(heading):
        how: Any = {"justify": "right"} if number else {"min_width": 36}
        table.add_column(name, overflow="fold", **how)
    for row in others:
        table.add_row(*row)
    console = Console()
    (console if console.is_terminal else Console(width=140)).print(table)


def versions(*reports: dict[str, Any]) -> str:
    packages: dict[str, str] = {}
    for each in reports:
        found = each["versions"]
        is_by_contender = all(isinstance(value, dict) for value in found.values())
        for own in found.values() if is_by_contender else [found]:
            packages |= own
    listed = ", ".join(f"{name} {number}" for name, number in packages.items())
    return f"Measured on {reports[0]['date']} on {reports[0]['machine']}, with {listed}."


def write(directory: Path, content: dict[str, Any]) -> None:
    directory.mkdir(parents=True, exist_ok=True)
    path = directory / f"{content['benchmark']}.json"
    path.write_text(json.dumps(content, indent=1) + "\n")
    print(f"Figures: {path}")


def read(benchmark: str, directory: Path = FIGURES) -> Any:
    """The figures of a benchmark; None if it was not run."""
    path = directory / f"{benchmark}.json"
    return json.loads(path.read_text()) if path.exists() else None


def rewrite(page: str, mark: str, shown: str) -> None:
    path = ROOT / page
    section = re.compile(rf"(<!-- {mark} -->\n).*(<!-- /{mark} -->)", re.DOTALL)
    text, number = section.subn(
        lambda match: f"{match[1]}\n{shown}\n\n{match[2]}", path.read_text()
    )
    if number != 1:
        raise LookupError(f"{page} has no place for {mark}")
    path.write_text(text)
