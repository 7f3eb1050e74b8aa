"""Puts the figures of single objects into docs/benchmarks.md.

    python benchmarks/single_tables.py

Reads single.json and single-peers.json in docs/figures, which `make figures` and `make bench-peers`
have measured.
"""

from __future__ import annotations

import re
from typing import Any

import page
from long_list_tables import times
from single import lines


def single_table(report: dict[str, Any]) -> str:
    """Stock and fastschema as a Markdown table."""
    rows = ["| measure | stock | fastschema | times |", "| --- | ---: | ---: | ---: |"]
    for title, stock, fast, ratio in lines(report):
        rows.append(f"| {title} | {stock} | {fast} | {times(ratio)} |")
    versions = ", ".join(f"{package} {number}" for package, number in report["versions"].items())
    return "\n".join(
        [*rows, "", f"Measured on {report['date']} on {report['machine']}, with {versions}."]
    )


def peers_table(report: dict[str, Any]) -> str:
    """All contenders as a Markdown table."""
    shown = [*report["versions"], *(each["contender"] for each in report["failures"])]
    contenders = list(dict.fromkeys(shown))
    python = report["versions"]["stock"]["Python"]
    return "\n\n".join(
        [
            page.table(report, contenders),
            *page.reasons(report, contenders),
            f"Measured on {report['date']} on {report['machine']}, with Python {python}. "
            + page.versions(report, contenders),
        ]
    )


def tables() -> dict[str, str]:
    """By section of the page, the table that it shows."""
    return {
        "single": single_table(page.read(page.FIGURES, "single")),
        "single-peers": peers_table(page.read(page.FIGURES, "single-peers")),
    }


def main() -> None:
    """Rewrite the sections of the page."""
    text = page.PAGE.read_text()
    for name, shown in tables().items():
        section = re.compile(rf"(<!-- {name} -->\n).*(<!-- /{name} -->)", re.DOTALL)
        text = section.sub(lambda match, own=shown: f"{match[1]}\n{own}\n\n{match[2]}", text)
    page.PAGE.write_text(text)


if __name__ == "__main__":
    main()
