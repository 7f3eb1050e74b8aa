"""Puts the figures of real applications into docs/benchmarks.md.

    PYTHONPATH=benchmarks python -m applications.tables

Reads the reports in docs/figures, which ``make figures-applications`` has measured.
"""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

from rich.table import Table

from applications.sampling import CATEGORIES, DATABASE

ROOT = Path(__file__).resolve().parents[2]
FIGURES, PAGE = ROOT / "docs" / "figures", ROOT / "docs" / "benchmarks.md"
SECTION = re.compile(r"(<!-- applications -->\n).*(<!-- /applications -->)", re.DOTALL)
APPLICATIONS = ("netbox", "ara", "flexmeasures")
"""In the order of the page."""
SMALL_APPLICATIONS = ("shop", "library")
"""Those in this repository, which run in the environment of the benchmarks."""
POSTGRESQL = "-postgresql"
"""Ends the names of figures of small applications over PostgreSQL."""
LOADING = "-load-relations"
"""Ends the names of figures for which fastschema loaded missing relations."""

Rows = list[list[str]]
"""A table: a row of headings, then the others; the first column is text, the rest are numbers."""


def request_rows(report: dict[str, Any]) -> Rows:
    """Return how long each request takes, in milliseconds."""
    heading = ["request", "rows", "queries", "stock", "fastschema", "of it database"]
    result = [[*heading, "times", "median", "calls"]]
    for stock, fast in pairs(report):
        result.append(
            [
                fast["measure"],
                "" if fast["rows"] is None else f"{fast['rows']:,}",
                queries(stock["queries"], fast["queries"]),
                milliseconds(stock["seconds"]),
                milliseconds(fast["seconds"]),
                milliseconds(fast["database"]) if fast["database"] else "",
                f"{fast['ratio']:.2f}",
                f"{fast['median_ratio']:.2f}",
                f"{stock['calls'] / fast['calls']:.2f}",
            ]
        )
    return result


def sample_rows(report: dict[str, Any]) -> Rows:
    """Return where the time of the requests that were sampled goes: stock / fastschema."""
    shown = [pair for pair in pairs(report) if pair[0]["sample"]]
    result = [["stock / fastschema, ms", *(fast["measure"] for _, fast in shown)]]
    times = [[spent(figure) for figure in pair] for pair in shown]
    for name in (*CATEGORIES, DATABASE):
        cells = [[each[name] for each in pair] for pair in times]
        if any(value >= 0.00005 for pair in cells for value in pair):
            result.append([name, *(" / ".join(map(milliseconds, pair)) for pair in cells)])
    return result


def spent(figure: dict[str, Any]) -> dict[str, float]:
    """Return the seconds of a request by category."""
    process = figure["seconds"] - figure["database"]
    parts = {name: part * process for name, part in figure["sample"]["parts"].items()}
    return {**parts, DATABASE: figure["database"]}


def pairs(report: dict[str, Any]) -> list[tuple[dict[str, Any], dict[str, Any]]]:
    """Return the figures of stock and of fastschema for each request."""
    by_contender: dict[str, list[dict[str, Any]]] = {"stock": [], "fastschema": []}
    for figure in report["figures"]:
        by_contender[figure["contender"]].append(figure)
    return list(zip(by_contender["stock"], by_contender["fastschema"], strict=True))


def queries(stock: int, fast: int) -> str:
    """Return how many queries a request takes as a table shows it."""
    return str(fast) if stock == fast else f"{stock} / {fast}"


def milliseconds(seconds: float) -> str:
    """Return a time as a table shows it."""
    return f"{seconds * 1e3:,.1f}" if seconds < 0.1 else f"{seconds * 1e3:,.0f}"


def markdown(rows: Rows) -> str:
    """Return a table as Markdown."""
    heading, *others = rows
    rule = ["---", *["---:"] * (len(heading) - 1)]
    return "\n".join(f"| {' | '.join(row)} |" for row in [heading, rule, *others])


def shown(rows: Rows, title: str) -> Table:
    """Return a table for the terminal."""
    heading, *others = rows
    result = Table(title=title)
    for number, name in enumerate(heading):
        result.add_column(name, justify="right" if number else "left", overflow="fold")
    for row in others:
        result.add_row(*row)
    return result


def section(report: dict[str, Any], loading: dict[str, Any] | None) -> str:
    """Return what the page says of an application.

    :param loading: the report of its requests with missing relations loaded, if there is one
    """
    versions = ", ".join(f"{package} {number}" for package, number in report["versions"].items())
    parts = [f"### {report['title']}", markdown(request_rows(report))]
    defects = list(report["defects"])
    if loading is not None:
        saving = [pair for pair in pairs(loading) if pair[0]["queries"] > pair[1]["queries"]]
        rows = request_rows({"figures": [figure for pair in saving for figure in pair]})
        parts += ["The requests that take fewer queries with `LOAD_RELATIONS`:", markdown(rows)]
        defects += loading["defects"]
    if len(samples := sample_rows(report)) > 1:
        parts += ["Where the time goes:", markdown(samples)]
    if defects:
        parts.append("\n".join(f"- {each}" for each in defects))
    parts.append(f"Measured on {report['date']} on {report['machine']}, with {versions}.")
    return "\n\n".join(parts)


def page() -> str:
    """Return what the page shows, between its marks."""
    reports = [(found(name), found(f"{name}{LOADING}")) for name in APPLICATIONS]
    return "".join(f"\n{section(*each)}\n" for each in reports if each[0] is not None)


def found(name: str) -> Any:
    """Return a report by the application's name; None if there is none."""
    path = FIGURES / f"application-{name}.json"
    return json.loads(path.read_text()) if path.exists() else None


def main() -> None:
    """Rewrite the section of the page."""
    text = page()
    before = PAGE.read_text()
    PAGE.write_text(SECTION.sub(lambda match: f"{match[1]}{text}{match[2]}", before))


if __name__ == "__main__":
    main()
