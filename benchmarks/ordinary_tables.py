"""Puts the figures of ordinary code into docs/benchmarks.md.

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
PAGE = ROOT / "docs" / "benchmarks.md"
SECTION = re.compile(r"(<!-- ordinary -->\n).*(<!-- /ordinary -->)", re.DOTALL)
SIZES = (20, 240, 1)


def ratios(report: dict[str, Any]) -> dict[str, dict[int, float]]:
    """By pattern and number of rows, how many times as fast as stock fastschema is."""
    result: dict[str, dict[int, float]] = {}
    for figure in report["figures"]:
        name = f"{figure['front_end']}: {figure['pattern']}"
        result.setdefault(name, {})[figure["rows"]] = figure["ratio"]
    return result


def table(report: dict[str, Any]) -> str:
    """The ratios of all patterns as a Markdown table."""
    lines = ["| speedup over stock | 20 rows | 240 rows | one row |"]
    lines.append("| --- " + "| ---: " * len(SIZES) + "|")
    for name, own in ratios(report).items():
        cells = {size: times(own[size]) for size in SIZES if size in own}
        if not cells:  # it was measured with another number of rows
            size, ratio = min(own.items())
            cells = {SIZES[0]: f"{times(ratio)} ({size} rows)"}
        shown = (f"| {cells[size]} " if size in cells else "| " for size in SIZES)
        lines.append(f"| {name} {''.join(shown)}|")
    versions = ", ".join(f"{package} {number}" for package, number in report["versions"].items())
    lines += ["", f"Measured on {report['date']} on {report['machine']}, with {versions}."]
    return "\n".join(lines) + "\n"


def read() -> dict[str, Any]:
    """What was measured."""
    report: dict[str, Any] = json.loads(FIGURES.read_text())
    return report


def main() -> None:
    """Rewrite the section of the page."""
    shown, text = table(read()), PAGE.read_text()
    PAGE.write_text(SECTION.sub(lambda match: match[1] + shown + match[2], text))


if __name__ == "__main__":
    main()
