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
    ): "DRF, whole request with database: 20,000 flights, four objects in each",
    ("page", FAST): "a page of 50 of them",
    ("request.flat", FAST): "20,000 flights of twelve plain columns",
    ("request.method", FAST): "20,000 flights, four objects and a method field in each",
    ("import", FAST): "1,000 flights posted, validated and saved in bulk",
    ("serializer", FAST): "the serializer alone, of the first: `.data`",
    ("rendering", FAST): "the same and JSON",
    ("lazy", FAST): "the same by a list view, rows in memory",
    ("planes.lazy", FAST): "20,000 planes of nine plain fields, likewise",
    ("one", FAST): "one flight, `.data`",
    ("methods", FAST): "20,000 rows of `SerializerMethodField`s only, `.data`",
    ("flask", "one line"): "Flask, the same flights: `jsonify(schema.dump(rows))`, unchanged",
    ("flask", "fs.response"): "`fs.response(schema, rows)` in its place",
    ("flask.request", "one line"): "Flask, whole request with SQLAlchemy, unchanged",
    ("flask.request", "statement"): "`fs.response(schema, statement, session=...)` in its place",
    ("flask.request.page", "statement"): "a page of 50 of them",
    ("flask.request.columns", "statement"): "10,000 flights of twelve plain columns",
    ("orders.dumps", FAST): "marshmallow, 10,000 objects of 15 fields: JSON by `plan.dumps`",
    ("orders.text", FAST): "the same text as stock's, `Schema.dumps`",
    ("orders.dump", FAST): "the same to dictionaries, `Schema.dump`",
    ("orders.page", FAST): "a page of 50 of them",
    ("orders.one", FAST): "one of them",
    ("orders.plan.one", FAST): "one of them, by a plan made once",
    ("orders.fresh", FAST): "one of them, by a schema made for it",
    ("orders.fresh.20", FAST): "20 of them, by a schema made for them",
    ("orders.load", FAST): "the same loaded, `Schema.load`",
    ("orders.load.wrong", FAST): "the same with errors in every second one",
    ("orders.loads", FAST): "the same from text, `Schema.loads`",
    ("flat.dumps", FAST): "marshmallow, 10,000 flat dictionaries of 8 fields: JSON",
    ("flat.text", FAST): "the same text as stock's, `Schema.dumps`",
    ("flat.dump", FAST): "the same to dictionaries",
    ("flat.load", FAST): "the same loaded",
    ("flat.loads", FAST): "the same from text, `Schema.loads`",
    ("custom.dump", FAST): "fields with methods of their own, dumped",
    ("custom.load", FAST): "the same loaded",
    ("shapes.dump", FAST): "1,000 polymorphic objects, a fresh schema for each, dumped",
    ("shapes.load", FAST): "the same loaded",
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
