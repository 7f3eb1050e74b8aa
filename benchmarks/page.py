"""Puts what was measured beside all peers into the documentation, as Markdown tables.

    python benchmarks/page.py

Reads the figures in docs/figures, which ``make bench-peers`` has measured.
"""

from __future__ import annotations

import json
import re
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import orders
from showing import duration

ROOT = Path(__file__).resolve().parent.parent
FIGURES, PAGE = ROOT / "docs" / "figures", ROOT / "docs" / "benchmarks.md"
SECTION = re.compile(r"(<!-- peers -->\n).*(<!-- /peers -->)", re.DOTALL)
SECTIONS: dict[str, list[tuple[str, Sequence[str] | None]]] = {
    "marshmallow": [
        ("Packages that make marshmallow fast, and marshmallow 3.26", orders.MARSHMALLOW),
        ("Other ways to the same JSON, without marshmallow", orders.REFERENCES),
    ],
    "drf": [("Django REST framework", None)],
    "flask": [("Flask", None)],
}
"""By report: its tables, each with a title and its contenders (None: all)."""
MUCH = 0.2
"""Times that spread more than this say little."""
CHARTS = {
    "Packages that make marshmallow fast, and marshmallow 3.26": ["marshmallow"],
    "Other ways to the same JSON, without marshmallow": ["references"],
    "Django REST framework": ["drf"],
    "Flask": ["flask"],
}
GROWTH_CHARTS = ("growth-rows", "growth-first", "growth-fields", "growth-compile")


def read(directory: Path, name: str) -> dict[str, Any]:
    """A report."""
    content: dict[str, Any] = json.loads((directory / f"{name}.json").read_text())
    return content


def markdown(directory: Path) -> str:
    """All figures in a directory as Markdown."""
    about = read(directory, "peers")
    parts = [
        f"Measured on {about['date']} on {about['machine']} with {about['python']}; the "
        f"{about['profile']} profile took {about['minutes']} minutes. Except in the column of "
        "stock's times, numbers are the speedup over stock. With a ~, the "
        f"median of its rounds, or of stock's, is more than {MUCH:.0%} above the best of them, by "
        "which they are compared: the machine had other things to do.",
    ]
    for name, tables in SECTIONS.items():
        report = read(directory, name)
        for title, contenders in tables:
            shown = contenders or list(report["versions"])
            parts += [f"### {title}", f"{report['title']}.", table(report, shown)]
            parts += reasons(report, shown)
            parts += [f"![{title}](figures/{chart}.svg)" for chart in CHARTS[title]]
            parts.append(versions(report, shown))
    report = read(directory, "growth")
    parts += ["### Growth", "Time, and memory at the peak.", growth_table(report)]
    parts += [f"![Growth](figures/{chart}.svg)" for chart in GROWTH_CHARTS]
    parts.append(versions(report, list(report["versions"])))
    report = read(directory, "endpoints")
    parts += ["### Endpoints under load", f"{report['title']}.", load_table(report)]
    parts += ["![Endpoints under load](figures/endpoints.svg)"]
    parts.append(versions(report, list(report["versions"])))
    return "\n\n".join(parts) + "\n"


def table(report: dict[str, Any], contenders: Sequence[str]) -> str:
    """A row for each measure, except those that none but the first two contenders take part in."""
    figures = {(each["measure"], each["contender"]): each for each in report["figures"]}
    outcomes = {
        (measure, each["contender"]): each["outcome"]
        for each in report["failures"]
        for measure in ([each["measure"]] if each["measure"] else report["measures"])
    }
    first, *others = contenders
    lines = [
        f"| | {first} | {' | '.join(others)} |",
        f"| --- | ---: |{' ---: |' * len(others)}",
    ]
    for measure, title in report["measures"].items():
        found = [figures.get((measure, contender)) for contender in others]
        stock_figure = figures[measure, first]
        cells = [
            cell(figure, stock_figure) if figure else outcomes.get((measure, contender), "")
            for contender, figure in zip(others, found, strict=True)
        ]
        if not any(cells[1:] or cells):
            continue
        lines.append(f"| {title} | {duration(stock_figure['seconds'])} | {' | '.join(cells)} |")
    return "\n".join(lines)


def growth_table(report: dict[str, Any]) -> str:
    """Times, and memory at the peak, of stock and fastschema."""
    lines = [
        "| | stock | fastschema | times | stock | fastschema |",
        "| --- | ---: | ---: | ---: | ---: | ---: |",
    ]
    figures = {(each["measure"], each["contender"]): each for each in report["figures"]}
    for measure, title in report["measures"].items():
        stock, fast = figures[measure, "stock"], figures[measure, "fastschema"]
        times = f"{duration(stock['seconds'])} | {duration(fast['seconds'])} | {cell(fast, stock)}"
        memory = " | ".join(f"{each['peak_megabytes']:.1f} MB" for each in (stock, fast))
        lines.append(f"| {title} | {times} | {memory} |")
    return "\n".join(lines)


def cell(figure: dict[str, Any], stock: dict[str, Any]) -> str:
    """A ratio, and whether the times that it is made of spread much."""
    ratio = figure["ratio"]
    shown = f"{ratio:.1f}" if ratio >= 0.95 else f"{ratio:.2g}"
    return f"~{shown}" if max(figure["spread"], stock["spread"]) > MUCH else shown


def reasons(report: dict[str, Any], contenders: Sequence[str]) -> list[str]:
    """Why contenders have no figures, as a list."""
    lines = []
    for each in report["failures"]:
        if each["contender"] in contenders:
            what = report["measures"].get(each["measure"], "all")
            reason = each["reason"].splitlines()[0].replace("`", "'")
            lines.append(f"- {each['contender']}, {what}: {each['outcome']}: `{reason}`")
    return ["\n".join(lines)] if lines else []


def versions(report: dict[str, Any], contenders: Sequence[str]) -> str:
    """What the contenders consisted of."""
    found = []
    for contender in contenders:
        packages = report["versions"].get(contender, {})
        listed = [f"{name} {number}" for name, number in packages.items() if name != "Python"]
        if listed:
            found.append(f"{contender}: {', '.join(listed)}")
    return f"Versions: {'; '.join(found)}."


def load_table(report: dict[str, Any]) -> str:
    """What endpoints did under load."""
    lines = [
        "| | contender | requests a second | p50 | p99 | times |",
        "| --- | --- | ---: | ---: | ---: | ---: |",
    ]
    for each in report["figures"]:
        lines.append(
            f"| {report['measures'][each['measure']]} | {each['contender']} "
            f"| {each['requests_per_second']:,.1f} | {duration(each['p50'])} "
            f"| {duration(each['p99'])} | {each['ratio']:.1f} |"
        )
    return "\n".join(lines)


def main() -> None:
    """Rewrite the section of the page."""
    shown = markdown(FIGURES)
    text = PAGE.read_text()
    PAGE.write_text(SECTION.sub(lambda match: f"{match[1]}\n{shown}\n{match[2]}", text))


if __name__ == "__main__":
    main()
