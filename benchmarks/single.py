"""One object in, one object out: stock and fastschema side by side.

    python benchmarks/single.py [--rounds N] [--results DIR]

Measures some patterns of ``ordinary.py``, in the same way: validation of one object and of lists,
and whole requests to Django REST framework and to Flask. Prints a table, and writes single.json.
"""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import Any

from rich.console import Console
from rich.progress import Progress
from rich.table import Table

from contenders import positive
from ordinary import Outcome, Wanted, measure, report, wanted
from ordinary_pattern import BATCH
from showing import duration, write

HERE = Path(__file__).resolve().parent
SHOWN = {
    "DRF: input: ten plain fields, 1": "`is_valid()` of ten plain fields",
    "DRF: input: ten fields of all usual classes, 1": "ten fields of all usual classes",
    "DRF: input: the same, wrong, 1": "the same, three of them wrong",
    "DRF: input: the same with methods of the serializer, 1": (
        "ten fields, `validate()` and two `validate_<field>()`"
    ),
    "DRF: input: a ModelSerializer of 14 fields, 1": "a `ModelSerializer` of 14 fields",
    "DRF: input: the same with a nested object, 1": "ten fields and a nested object",
    "DRF: input: ten fields of all usual classes, 240": "240 objects of those ten fields",
    "DRF: input: the same, every second one wrong, 240": "the same, every second one wrong",
    "DRF: input: the same with a nested object, 240": "240 objects with a nested one",
    "DRF: input: a nested object, every second one wrong, 240": "the same, every second one wrong",
    "DRF: request: POST of ten fields, answered, no database, 1": (
        "DRF, whole request: POST of ten fields, answered, no database"
    ),
    "DRF: request: POST of ten fields, wrong, no database, 1": "the same, three of them wrong",
    "DRF: request: POST that saves an article, 1": "POST that saves an article",
    "DRF: request: PATCH of one column of an article, 1": "PATCH of one column",
    "DRF: request: GET of an article with its author, 1": "GET of an article with its author",
    "marshmallow: request: POST by flask-smorest, answered, no database, 1": (
        "Flask, whole request: POST by flask-smorest, answered, no database"
    ),
    "marshmallow: request: POST by flask-smorest, wrong, 1": "the same, three fields wrong",
    "marshmallow: request: POST by webargs, answered by jsonify, no database, 1": (
        "POST by webargs, answered by `jsonify(schema.dump(...))`"
    ),
    "marshmallow: request: POST by load(request.get_json()), answered by dump, 1": (
        "POST by `schema.load(request.get_json())`, answered by `schema.dump(...)`"
    ),
    "marshmallow: request: POST by load(request.get_json()), wrong, 1": "the same, wrong",
    "marshmallow: request: GET of an order with its author, 1": "GET of an order with its author",
}
"""The patterns with their numbers of rows, and what the table calls them."""


def chosen(patterns: list[Wanted]) -> list[Wanted]:
    """Those that are shown, each with the numbers of rows that are."""
    found = []
    for each in patterns:
        name = f"{each.front_end}: {each.pattern}"
        if sizes := tuple(size for size in each.sizes if f"{name}, {size}" in SHOWN):
            found.append(Wanted(each.front_end, each.pattern, sizes))
    return found


def lines(single: dict[str, Any]) -> list[tuple[str, str, str, float]]:
    """What is shown of a report: title, both times, and the ratio."""
    figures = {figure["measure"]: figure for figure in single["figures"]}
    return [
        (title, duration(own["stock"]), duration(own["fastschema"]), own["ratio"])
        for name, title in SHOWN.items()
        for own in [figures[name]]
    ]


def main() -> None:
    """Measure, print, write."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--rounds", type=positive, default=5)
    parser.add_argument("--batch", type=float, default=BATCH, help="seconds that one value takes")
    parser.add_argument("--results", type=Path, default=HERE / "results", metavar="DIR")
    arguments = parser.parse_args()
    console, outcome = Console(), Outcome()
    patterns = chosen(wanted(None, outcome))
    with Progress(console=console, transient=True) as progress:
        outcome.rows = measure(patterns, arguments.rounds, arguments.batch, progress)
    single = {**report(outcome), "benchmark": "single"}
    table = Table(title="One object in, one object out", min_width=80)
    table.add_column("measure", overflow="fold")
    for column in ("stock", "fastschema", "times"):
        table.add_column(column, justify="right", no_wrap=True)
    for title, stock, fast, ratio in lines(single):
        table.add_row(title, stock, fast, f"{ratio:.2f}")
    console.print(table)
    write(arguments.results, "single", single)
    console.print(f"The results are equal. Figures: {arguments.results / 'single.json'}")


if __name__ == "__main__":
    main()
