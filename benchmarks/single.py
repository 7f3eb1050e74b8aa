"""One object in, one object out: stock and fastschema, or beside packages that do the same.

    python benchmarks/single.py [--peers PYTHON] [--rounds N] [--results DIR]

Measures some of the patterns: validation of one object and of lists, and whole requests to Django
REST framework and to Flask. With ``--peers``, only those of Django REST framework: each contender,
stock among them, has an environment of its own, of that Python, with the newest DRF that all of
them support. Writes single.json, or single-peers.json.
"""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from pathlib import Path

import ordinary
import peers
from harness import tables
from harness.comparing import Measure, compare

MODULES = ("requests", "serializers")
DRF = (
    "POST of ten fields, answered, no database, 1",
    "POST of ten fields, three wrong, no database, 1",
    "POST that saves an object, 1",
    "PATCH of one column, 1",
    "GET of an article with its author, 1",
    "input: ten plain fields, 1",
    "input: ten fields of all usual classes, 1",
    "input: the same, wrong, 1",
    "input: ten fields and methods of the serializer, 1",
    "input: ten fields and a nested object, 1",
    "input: ten plain fields, 240",
    "input: ten fields of all usual classes, 240",
    "input: the same, every second one wrong, 240",
    "input: ten fields and a nested object, 240",
)
FLASK = (
    "POST by flask-smorest, answered, 1",
    "POST by flask-smorest, three fields wrong, 1",
    "POST by webargs, answered by jsonify, 1",
    "POST of a form, answered, 1",
    "POST of a form, three fields wrong, 1",
    "one object, 1",
)
"""Patterns with their numbers of rows."""


def measures(front_end: str, patterns: Sequence[str]) -> list[Measure]:
    split = [each.rpartition(", ") for each in patterns]
    return [
        Measure(f"{front_end}: {name}, {rows}", f"{front_end}: {name}, {rows} rows", int(rows))
        if rows != "1"
        else Measure(f"{front_end}: {name}, 1", f"{front_end}: {name}")
        for name, _, rows in split
    ]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--peers", metavar="PYTHON", help="beside others, in environments of it")
    parser.add_argument("--rounds", type=int, default=7)
    parser.add_argument("--results", type=Path, default=tables.RESULTS, metavar="DIR")
    arguments = parser.parse_args()
    how = {"rounds": arguments.rounds, "batch": 0.02}
    chosen = measures("DRF", DRF)
    if arguments.peers:
        contenders, failures = peers.start(peers.single(arguments.peers), *MODULES)
        comparison = compare(chosen, contenders, **how)
        comparison.failures += failures
        name, title = "single-peers", "One object in, one object out, by Django 5.2 and DRF 3.16"
    else:
        chosen += measures("marshmallow", FLASK)
        comparison = compare(chosen, ordinary.contenders([*MODULES, "flask_requests"]), **how)
        name, title = "single", "One object in, one object out"
    report = tables.report(name, title, comparison)
    tables.show(tables.contenders_table(report), title)
    tables.write(arguments.results, report)


if __name__ == "__main__":
    main()
