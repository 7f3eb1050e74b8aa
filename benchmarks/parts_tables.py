"""Tables of what each fast path gives, and docs/benchmarks.md's.

    python benchmarks/parts_tables.py

Reads docs/figures/parts-sqlite.json and parts-postgresql.json, which `make figures-parts` has
measured.
"""

from __future__ import annotations

import json
import re
from collections.abc import Sequence
from typing import Any

from long_list_tables import ROOT, times

PAGE = ROOT / "docs" / "benchmarks.md"
SECTION = re.compile(r"(<!-- parts -->\n).*(<!-- /parts -->)", re.DOTALL)
DATABASES = ("sqlite", "postgresql")
GOES = 1.05
"""A part that gives less everywhere goes."""

Cells = dict[str, dict[int, list[float]]]
"""By the first column, and by the number of rows, a figure for each database."""


def read() -> list[dict[str, Any]]:
    """What was measured, by database."""
    paths = [ROOT / "docs" / "figures" / f"parts-{each}.json" for each in DATABASES]
    return [json.loads(path.read_text()) for path in paths]


def tables(reports: Sequence[dict[str, Any]]) -> str:
    """Both tables in Markdown, with a figure for each report in a cell."""
    whole: Cells = {}
    parts: Cells = {}
    for report in reports:
        most: dict[tuple[str, int], float] = {}
        for figure in report["figures"]:
            size, name = figure["rows"], f"{figure['front_end']}: {figure['request']}"
            whole.setdefault(name, {}).setdefault(size, []).append(figure["ratio"])
            for part, gain in figure["without"].items():
                key = f"{figure['front_end']}: {part}", size
                most[key] = max(gain, most.get(key, 0.0))
        for (name, size), gain in most.items():
            parts.setdefault(name, {}).setdefault(size, []).append(gain)
    shown = {(f"{name} (goes)" if _goes(cells) else name): cells for name, cells in parts.items()}
    databases = " / ".join(report["database"] for report in reports)
    lines = [
        *table(f"whole requests, times stock: {databases}", whole, times),
        "",
        *table(f"time without, in times of that with all: {databases}", shown, "{:.2f}".format),
    ]
    first = reports[0]
    versions = ", ".join(f"{name} {number}" for name, number in first["versions"].items())
    lines += ["", f"Measured on {first['date']} on {first['machine']}, with {versions}."]
    return "\n".join(lines) + "\n"


def _goes(cells: dict[int, list[float]]) -> bool:
    return all(gain < GOES for gains in cells.values() for gain in gains)


def table(title: str, rows: Cells, spelled: Any) -> list[str]:
    """The lines of a table with a column for each number of rows."""
    sizes = sorted({size for cells in rows.values() for size in cells})
    lines = [f"| {title} |" + "".join(f" {size:,} |" for size in sizes)]
    lines.append("| --- |" + " ---: |" * len(sizes))
    for name, cells in rows.items():
        shown = [" / ".join(map(spelled, cells.get(size, ()))) for size in sizes]
        lines.append(f"| {name} |" + "".join(f" {each} |" if each else " |" for each in shown))
    return lines


def main() -> None:
    """Rewrite the section of the page."""
    own, text = tables(read()), PAGE.read_text()
    PAGE.write_text(SECTION.sub(lambda match: match[1] + own + match[2], text))


if __name__ == "__main__":
    main()
