"""Puts the figures of ordinary code into the README and into docs/benchmarks.md.

    python benchmarks/ordinary_tables.py

Reads docs/figures/ordinary.json, which `make figures-ordinary` has measured.
"""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

from readme import times

ROOT = Path(__file__).resolve().parent.parent
FIGURES = ROOT / "docs" / "figures" / "ordinary.json"
SECTION = re.compile(r"(<!-- ordinary -->\n).*(<!-- /ordinary -->)", re.DOTALL)
SIZES = (20, 240, 1)
SHOWN = {
    "DRF: the same, a page by a list view with its queries": (
        "DRF, the whole request: nested, many-to-many, methods, with its queries"
    ),
    "DRF: a list view of plain columns with its query": "the whole request: plain columns",
    (
        "DRF: a list view with prefetched tags and comments, with its queries"
    ): "the whole request: columns and two prefetched relations",
    "DRF: an ordinary ModelSerializer: nested, many-to-many, methods": "`.data` of the first",
    "DRF: ModelSerializer, 14 fields": "`ModelSerializer` of 14 plain fields",
    "DRF: two method fields": "the same with two method fields",
    "DRF: get_FOO_display": "four fields, one of them `get_FOO_display`",
    "DRF: many-to-many as primary keys, prefetched": "many-to-many as primary keys, prefetched",
    "DRF: to_representation with super(), 14 fields": (
        "14 fields, `to_representation` calls `super()` and adds a key"
    ),
    "DRF: fields chosen in __init__": "fields chosen in `__init__`",
    "DRF: input: dates, decimals and choices among ten fields": "`is_valid()` of ten fields",
    "DRF: drf-flex-fields: fields named in the query string": "four fields, by drf-flex-fields",
    "marshmallow: a flask-smorest view": "marshmallow, the whole request: a flask-smorest view",
    "marshmallow: module-level schema, flat dictionaries": "a schema of eight plain fields, `dump`",
    "marshmallow: schema made in the view": "15 fields with nested ones, made in the view",
    "marshmallow: hooks and two Methods": "hooks and two `Method` fields",
    "marshmallow: SQLAlchemyAutoSchema, columns": "`SQLAlchemyAutoSchema`, columns",
    "marshmallow: load with validators": "`load` with validators",
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
    lines = ["| times as fast as stock | 20 rows | 240 rows | one row |"]
    lines.append("| --- " + "| ---: " * len(SIZES) + "|")
    by_pattern = ratios(report)
    for name, title in titles.items():
        own = by_pattern[name]
        cells = (f"| {times(own[size])} " if size in own else "| " for size in SIZES)
        lines.append(f"| {title} {''.join(cells)}|")
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
