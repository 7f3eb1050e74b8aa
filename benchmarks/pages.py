"""Puts what was measured, in docs/figures, into the README and the documentation.

PYTHONPATH=benchmarks python benchmarks/pages.py
"""

from __future__ import annotations

import statistics
from collections.abc import Callable, Sequence
from typing import Any

import parts
import run
from applications.tables import (
    APPLICATIONS,
    POSTGRESQL,
    SMALL_APPLICATIONS,
    readme,
    sections,
    small_table,
)
from harness import tables
from harness.tables import FIGURES, contenders_table, markdown, milliseconds, read, times

PACKAGES = (
    *("stock", "fastschema", "stock 3.26", "althaia", "marshmallow-core"),
    *("deepfriedmarshmallow", "pulse-marshmallow"),
)
REFERENCES = ("stock", "fastschema", "pydantic", "msgspec", "by hand", "orjson only")


def small() -> str:
    """The README's table with SQLite beside PostgreSQL, and what orjson alone gives."""
    rows = small_table([POSTGRESQL, ""])
    rows[0][0] += ": PostgreSQL / SQLite"
    return f"{markdown(rows)}\n\n{orjson_alone()}"


def orjson_alone() -> str:
    """A sentence on stock with a renderer that calls orjson, as ratios of the shop's pages."""
    gains: dict[int, list[float]] = {20: [], 240: []}
    for ending in (POSTGRESQL, ""):
        for figure in read(f"application-shop{ending}")["figures"]:
            if figure["contender"] == "orjson" and figure["rows"] in gains:
                gains[figure["rows"]].append(figure["ratio"])
    short, long = (times(statistics.median(own)) for own in gains.values())
    return (
        f"Of this, orjson alone gives {short} for the shop's pages of 20, and {long} for those of "
        "240 (the median of its lists): stock with a renderer that calls orjson, and nothing else."
    )


def small_requests() -> str:
    return sections(
        [f"{name}{ending}" for ending in (POSTGRESQL, "") for name in SMALL_APPLICATIONS]
    )


def comparisons(*names: str) -> str:
    reports = [read(name) for name in names]
    shown = [f"{each['title']}:\n\n{markdown(contenders_table(each))}" for each in reports]
    return "\n\n".join([*shown, tables.versions(*reports)])


def single() -> str:
    return markdown(contenders_table(read("single"))) + "\n\n" + tables.versions(read("single"))


def relations() -> str:
    reports = [read(name) for name in ("relations", f"relations{POSTGRESQL}")]
    one = ("stock, ms", "fastschema, ms", "times")
    rows = [["", "queries", *(f"{db}: {each}" for db in ("SQLite", "PostgreSQL") for each in one)]]
    compared = [tables.by_measure(each) for each in reports]
    for name, title in reports[0]["measures"].items():
        cells = [
            cell
            for own in compared
            for stock, fast in [(own[name]["stock"], own[name]["fastschema"])]
            for cell in (
                *(milliseconds(each["seconds"]) for each in (stock, fast)),
                times(fast["ratio"]),
            )
        ]
        asked = " / ".join(map(str, reports[0]["queries"][name]))
        rows.append([title.removeprefix("relations: "), asked, *cells])
    return f"{markdown(rows)}\n\n{tables.versions(reports[0])}"


def plugins() -> str:
    report = read("plugins")
    titles = {name: title.removeprefix("plugins: ") for name, title in report["measures"].items()}
    shown = contenders_table({**report, "measures": titles})
    return f"{markdown(shown)}\n\n{tables.versions(report)}"


def patterns() -> str:
    report = read("ordinary")
    return f"{markdown(run.ratios(report))}\n\n{tables.versions(report)}"


def beside(report: dict[str, Any], contenders: Sequence[str] = ()) -> str:
    """A report with peers: ratios, why some have none, and what they consisted of."""
    chosen = contenders or list(report["versions"])
    consist = []
    for contender in chosen:
        packages = report["versions"].get(contender, {}).items()
        if listed := [f"{name} {number}" for name, number in packages if name != "Python"]:
            consist.append(f"{contender}: {', '.join(listed)}")
    measured = f"Measured on {report['date']} on {report['machine']}. {'; '.join(consist)}."
    shown = markdown(contenders_table(report, chosen))
    return "\n\n".join(filter(None, [shown, tables.reasons(report, chosen), measured]))


PAPER = {
    "2.3 MiB": {"load": 7.2, "dump": 4.2},
    "20.6 MiB": {"load": 12.1, "dump": 2.2},
    "140.8 MiB": {"load": 4.7, "dump": 3.0},
}
"""The figures of the paper about Extra-P."""


def extrap() -> str:
    report = read("extrap")
    heading, *rows = contenders_table(report)
    papers = (PAPER[size][what] for size, what in (row[0].split(", ") for row in rows))
    beside = [[*row, str(figure)] for row, figure in zip(rows, papers, strict=True)]
    return f"{markdown([[*heading, 'the paper'], *beside])}\n\n{tables.versions(report)}"


def draw() -> None:
    from harness.chart import draw_parts

    draw_parts(read("flights"), FIGURES / "flights-parts.svg")


SHOWN: dict[tuple[str, str], Callable[[], str]] = {
    ("README.md", "small-applications"): readme,
    ("docs/benchmarks.md", "small"): small,
    ("docs/benchmarks.md", "single"): single,
    ("docs/benchmarks.md", "relations"): relations,
    ("docs/benchmarks.md", "plugins"): plugins,
    ("docs/benchmarks.md", "figures"): lambda: comparisons("flights", "flights_flask", "orders"),
    ("docs/benchmarks-applications.md", "small-applications"): small_requests,
    ("docs/benchmarks-applications.md", "applications"): lambda: sections(list(APPLICATIONS)),
    ("docs/benchmarks-ordinary.md", "ordinary"): patterns,
    ("docs/benchmarks-parts.md", "parts"): lambda: parts.shown(
        [read("parts-sqlite"), read("parts-postgresql")]
    ),
    ("docs/benchmarks-peers.md", "packages"): lambda: beside(read("marshmallow"), PACKAGES),
    ("docs/benchmarks-peers.md", "references"): lambda: beside(read("marshmallow"), REFERENCES),
    ("docs/benchmarks-peers.md", "drf"): lambda: beside(read("drf")),
    ("docs/benchmarks-peers.md", "flask"): lambda: beside(read("flask")),
    ("docs/benchmarks-peers.md", "single-peers"): lambda: beside(read("single-peers")),
    ("docs/benchmarks-extrap.md", "extrap"): extrap,
}
"""By page and mark, what is shown there."""


def main() -> None:
    for (page, mark), shown in SHOWN.items():
        tables.rewrite(page, mark, shown())
    draw()


if __name__ == "__main__":
    main()
