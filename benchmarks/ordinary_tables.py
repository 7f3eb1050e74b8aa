"""Puts the figures of ordinary code into the README and into docs/benchmarks.md.

    python benchmarks/ordinary_tables.py

Reads docs/figures/ordinary.json, which `make figures-ordinary` has measured.
"""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

from long_list_tables import times

ROOT = Path(__file__).resolve().parent.parent
FIGURES = ROOT / "docs" / "figures" / "ordinary.json"
SECTION = re.compile(r"(<!-- ordinary -->\n).*(<!-- /ordinary -->)", re.DOTALL)
SIZES = (20, 240, 1)
SHOWN = {
    "DRF: a list view of plain columns with its query": "DRF, a list of plain columns",
    "DRF: the same, a page by a list view with its queries": (
        "a list of nested and many-to-many objects, with methods"
    ),
    "DRF: a page of a ModelViewSet with filterset_fields, no parameter": (
        "a list with filters of django-filter, none of them given"
    ),
    "DRF: request: GET of an article with its author": "one object with a nested one",
    "DRF: request: POST that saves an article": "POST of an object that is saved",
    "marshmallow: a Flask view of SQLAlchemy objects with four relations, with its query": (
        "Flask, a list of SQLAlchemy objects with four relations"
    ),
    "marshmallow: a flask-smorest view": "a view of flask-smorest, no database",
}
"""The patterns that the README shows, and what it calls them."""


def ratios(report: dict[str, Any]) -> dict[str, dict[int, float]]:
    """By pattern and number of rows, how many times as fast as stock fastschema is."""
    result: dict[str, dict[int, float]] = {}
    for figure in report["figures"]:
        name = f"{figure['front_end']}: {figure['pattern']}"
        result.setdefault(name, {})[figure["rows"]] = figure["ratio"]
    return result


def table(report: dict[str, Any], titles: dict[str, str]) -> str:
    """The ratios of some patterns as a Markdown table.

    :param titles: what the patterns are called
    """
    lines = ["| speedup over stock | 20 rows | 240 rows | one row |"]
    lines.append("| --- " + "| ---: " * len(SIZES) + "|")
    by_pattern = ratios(report)
    for name, title in titles.items():
        own = by_pattern[name]
        cells = {size: times(own[size]) for size in SIZES if size in own}
        if not cells:  # it was measured with another number of rows
            size, ratio = min(own.items())
            cells = {SIZES[0]: f"{times(ratio)} ({size} rows)"}
        shown = (f"| {cells[size]} " if size in cells else "| " for size in SIZES)
        lines.append(f"| {title} {''.join(shown)}|")
    versions = ", ".join(f"{package} {number}" for package, number in report["versions"].items())
    lines += ["", f"Measured on {report['date']} on {report['machine']}, with {versions}."]
    return "\n".join(lines) + "\n"


def read() -> dict[str, Any]:
    """What was measured."""
    report: dict[str, Any] = json.loads(FIGURES.read_text())
    return report


def tables() -> dict[str, str]:
    """By page, the table that it shows."""
    report = read()
    every = {name: name for name in ratios(report)}
    return {"README.md": table(report, SHOWN), "docs/benchmarks.md": table(report, every)}


def main() -> None:
    """Rewrite the sections."""
    for name, shown in tables().items():
        page = ROOT / name
        text = page.read_text()
        page.write_text(SECTION.sub(lambda match, own=shown: match[1] + own + match[2], text))


if __name__ == "__main__":
    main()
