"""Puts the measured figures into the README.

    python benchmarks/readme.py

Reads docs/figures/flights.json and orders.json, which `make figures` has measured.
"""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

from showing import duration

ROOT = Path(__file__).resolve().parent.parent
SECTION = re.compile(r"(<!-- figures -->\n).*(<!-- /figures -->)", re.DOTALL)
SHOWN = {
    "serializer": "DRF, 20,000 flights with four nested objects each: `.data`",
    "rendering": "the same and JSON",
    "request": "the whole request, database included",
    "orders.dumps": "marshmallow, 10,000 objects of 15 fields: JSON by `plan.dumps`",
    "orders.dump": "the same to dictionaries, `Schema.dump`",
    "orders.page": "a page of 50 of them",
    "orders.one": "one of them",
    "flat.dumps": "marshmallow, 10,000 flat dictionaries of 8 fields: JSON",
}


def table(reports: list[dict[str, Any]]) -> str:
    """The figures as a Markdown table, and what they were measured with."""
    figures = {
        (figure["measure"], figure["contender"]): figure
        for report in reports
        for figure in report["figures"]
    }
    lines = ["| measure | stock | fastschema | times |", "| --- | ---: | ---: | ---: |"]
    for measure, title in SHOWN.items():
        stock, fast = figures[measure, "stock"], figures[measure, "fastschema"]
        lines.append(
            f"| {title} | {duration(stock['seconds'])} | {duration(fast['seconds'])} "
            f"| {fast['ratio']:.1f} |"
        )
    first = reports[0]
    versions = {**reports[0]["versions"]["fastschema"], **reports[1]["versions"]["fastschema"]}
    listed = ", ".join(f"{package} {number}" for package, number in versions.items())
    lines += ["", f"Measured on {first['date']} on {first['machine']}, with {listed}."]
    return "\n".join(lines) + "\n"


def main() -> None:
    """Rewrite the section of the README."""
    directory = ROOT / "docs" / "figures"
    reports = [
        json.loads((directory / f"{name}.json").read_text()) for name in ("flights", "orders")
    ]
    readme = ROOT / "README.md"
    text = readme.read_text()
    readme.write_text(SECTION.sub(lambda match: match[1] + table(reports) + match[2], text))


if __name__ == "__main__":
    main()
