"""Puts the figures of long lists into docs/benchmarks.md.

    python benchmarks/long_list_tables.py

Reads the figures in docs/figures, which `make figures` has measured.
"""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

from showing import duration

ROOT = Path(__file__).resolve().parent.parent
SECTION = re.compile(r"(<!-- figures -->\n).*(<!-- /figures -->)", re.DOTALL)
REPORTS = ("flights", "flights_flask", "orders")
FAST = "fastschema"
SHOWN = {
    (
        "request",
        FAST,
    ): "DRF with a database: 20,000 flights, each with four objects",
    ("page", FAST): "DRF with a database: a page of 50 flights",
    ("request.flat", FAST): "DRF with a database: 20,000 flights of twelve plain columns",
    (
        "request.method",
        FAST,
    ): "DRF with a database: 20,000 flights with four objects and a method field",
    ("import", FAST): "DRF with a database: 1,000 flights posted, validated and saved in bulk",
    ("serializer", FAST): "DRF, the serializer alone: `.data` of 20,000 flights",
    ("rendering", FAST): "DRF, serializer and renderer: 20,000 flights",
    ("lazy", FAST): "DRF, list view, rows in memory: 20,000 flights",
    ("planes.lazy", FAST): "DRF, list view, rows in memory: 20,000 planes of nine plain fields",
    ("one", FAST): "DRF, `.data` of one flight",
    ("methods", FAST): "DRF, `.data` of 20,000 rows of `SerializerMethodField`s only",
    ("flask", "one line"): "Flask, 20,000 flights: `jsonify(schema.dump(rows))`, unchanged",
    ("flask", "fs.response"): "Flask, 20,000 flights: `fs.response(schema, rows)`",
    ("flask.request", "one line"): "Flask with SQLAlchemy, 20,000 flights, unchanged",
    (
        "flask.request",
        "statement",
    ): "Flask with SQLAlchemy, 20,000 flights: `fs.response(schema, statement, session=...)`",
    (
        "flask.request.page",
        "statement",
    ): "Flask with SQLAlchemy, a page of 50 flights, by a statement",
    (
        "flask.request.columns",
        "statement",
    ): "Flask with SQLAlchemy, 10,000 flights of twelve plain columns, by a statement",
    ("orders.dumps", FAST): "marshmallow, 10,000 orders of 15 fields: JSON by `plan.dumps`",
    ("orders.text", FAST): "10,000 orders: stock's text by `Schema.dumps`",
    ("orders.dump", FAST): "10,000 orders: dictionaries by `Schema.dump`",
    ("orders.page", FAST): "a page of 50 orders, `Schema.dump`",
    ("orders.one", FAST): "one order, `Schema.dump`",
    ("orders.plan.one", FAST): "one order, `Plan.dump`",
    ("orders.fresh", FAST): "one order, by a schema made for it",
    ("orders.fresh.20", FAST): "20 orders, by a schema made for them",
    ("orders.load", FAST): "10,000 orders loaded by `Schema.load`",
    ("orders.load.wrong", FAST): "10,000 orders loaded, with errors in every second one",
    ("orders.loads", FAST): "10,000 orders loaded from text by `Schema.loads`",
    ("flat.dumps", FAST): "marshmallow, 10,000 flat dictionaries of 8 fields: JSON by `plan.dumps`",
    ("flat.text", FAST): "10,000 flat dictionaries: stock's text by `Schema.dumps`",
    ("flat.dump", FAST): "10,000 flat dictionaries: dictionaries by `Schema.dump`",
    ("flat.load", FAST): "10,000 flat dictionaries loaded by `Schema.load`",
    ("flat.loads", FAST): "10,000 flat dictionaries loaded from text by `Schema.loads`",
    ("custom.dump", FAST): "fields with their own methods, dumped",
    ("custom.load", FAST): "fields with their own methods, loaded",
    ("shapes.dump", FAST): "1,000 polymorphic objects, a fresh schema for each, dumped",
    ("shapes.load", FAST): "1,000 polymorphic objects, a fresh schema for each, loaded",
    ("compile", FAST): "the first dump by a schema of 18 fields",
    ("schemas", FAST): "the first dumps and loads by 200 schemas of 20 fields",
}


def read() -> list[dict[str, Any]]:
    """Return what was measured."""
    directory = ROOT / "docs" / "figures"
    return [json.loads((directory / f"{name}.json").read_text()) for name in REPORTS]


def table(reports: list[dict[str, Any]]) -> str:
    """The figures as a Markdown table, and what they were measured with."""
    figures = {
        (figure["measure"], figure["contender"]): figure
        for report in reports
        for figure in report["figures"]
    }
    lines = ["| measure | stock | fastschema | times |", "| --- | ---: | ---: | ---: |"]
    for (measure, contender), title in SHOWN.items():
        stock, fast = figures[measure, "stock"], figures[measure, contender]
        lines.append(
            f"| {title} | {duration(stock['seconds'])} | {duration(fast['seconds'])} "
            f"| {times(fast['ratio'])} |"
        )
    lines += ["", *streams(reports)]
    first = reports[0]
    versions: dict[str, str] = {}
    for report in reports:
        for contender, installed in report["versions"].items():
            if contender != "stock":
                versions |= installed
    listed = ", ".join(f"{package} {number}" for package, number in versions.items())
    lines += ["", f"Measured on {first['date']} on {first['machine']}, with {listed}."]
    return "\n".join(lines) + "\n"


def times(ratio: float) -> str:
    """How many times as fast; two digits where it is slower."""
    return f"{ratio:.1f}" if ratio >= 0.95 else f"{ratio:.2g}"


def streams(reports: list[dict[str, Any]]) -> list[str]:
    """What came of the downloads, as a Markdown table."""
    [report] = [each for each in reports if "downloads" in each]
    lines = [
        f"| {report['streamed']:,} flights over HTTP | first byte | whole | memory above idle |",
        "| --- | ---: | ---: | ---: |",
    ]
    titles = {
        "stock": "Flask, stock",
        "fs.stream": "`fs.stream(schema, rows)`",
        "statement": "`fs.stream(schema, statement, session=...)`",
    }
    for each in report["downloads"]:
        lines.append(
            f"| {titles[each['contender']]} | {duration(each['first_byte'])} "
            f"| {duration(each['whole'])} | {each['peak']:,.0f} MB |"
        )
    return lines


def main() -> None:
    """Rewrite the section of the page."""
    page = ROOT / "docs" / "benchmarks.md"
    text = page.read_text()
    page.write_text(SECTION.sub(lambda match: match[1] + table(read()) + match[2], text))


if __name__ == "__main__":
    main()
