"""One object in, one object out: stock and fastschema beside packages that do the same.

    python benchmarks/single_peers.py [--python PYTHON] [--rounds N] [--results DIR]

drf-oxide and django-fastdrf make the same serializers fast; for django-ninja and
django-modern-rest, the application is written anew. Each contender, stock among them, has an
environment of its own, with the Django and the DRF that all of them support. They take turns, and
what they answer is compared before anything is timed. Prints a table, and writes single-peers.json.
"""

from __future__ import annotations

import argparse
import sys
from pathlib import Path

from rich.console import Console

from contenders import (
    MIN_TIME,
    Comparison,
    Contender,
    Failure,
    Measure,
    compare,
    positive,
)
from environments import Environment, NotInstalledError
from showing import report, table, write

HERE = Path(__file__).resolve().parent
SETTINGS = ("django~=5.2.0", "dj-database-url~=3.0", "django-filter~=26.2")
DRF = (*SETTINGS, "djangorestframework~=3.16.0")
NEEDS = {
    "stock": DRF,
    "fastschema": (*DRF, "orjson~=3.13"),
    "drf-oxide": (*DRF, "drf-oxide==0.1.0"),
    "django-fastdrf": (*DRF, "django-fastdrf[msgspec,orjson]==0.5.0"),
    "django-ninja": (*DRF, "django-ninja==1.7.1", "pydantic[email]==2.14.3"),
    "django-modern-rest": (*DRF, "django-modern-rest[msgspec,pydantic]==0.16.0"),
}
"""By contender, what it is installed with; the models' modules import DRF."""
MEASURES = [
    Measure("post", "POST of ten fields, answered, no database", 1),
    Measure("post.wrong", "the same, three of them wrong", 1),
    Measure("save", "POST that saves an article", 1),
    Measure("patch", "PATCH of one column", 1),
    Measure("get", "GET of an article with its author", 1),
    Measure("valid.plain", "is_valid() of ten plain fields", 1),
    Measure("valid", "is_valid() of ten usual fields", 1),
    Measure("valid.wrong", "the same, three of them wrong", 1),
    Measure("valid.nested", "the same and a nested object", 1),
    Measure("list.plain", "240 objects of ten plain fields", 240),
    Measure("list", "240 objects of ten usual fields", 240),
    Measure("list.wrong", "the same, every second one wrong", 240),
    Measure("list.nested", "240 objects with a nested one", 240),
    Measure("list.nested.wrong", "nested, every second one wrong", 240),
]


def start(python: str, console: Console) -> tuple[list[Contender], list[Failure]]:
    """Install the contenders, and start those that could be installed.

    :raises NotInstalledError: if stock or fastschema cannot be
    """
    started, failures = [], []
    for name, needs in NEEDS.items():
        is_peer = name not in ("stock", "fastschema")
        environment = Environment(
            f"single-{name}", needs, with_fastschema=name == "fastschema", interpreter=python
        )
        with console.status(f"installing {name}"):
            try:
                command = [environment.python(), HERE / "single_worker.py", name]
            except NotInstalledError as error:
                if not is_peer:
                    raise
                failures.append(Failure(None, name, "not installed", str(error)))
            else:
                started.append(Contender(name, command, is_peer=is_peer))
    return started, failures


def main() -> None:
    """Install, compare, print, write."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--python", default=sys.executable, help="what the environments are of")
    parser.add_argument("--rounds", type=positive, default=5)
    parser.add_argument("--min-time", type=float, default=MIN_TIME, metavar="SECONDS")
    parser.add_argument("--results", type=Path, default=HERE / "results", metavar="DIR")
    arguments = parser.parse_args()
    console = Console()
    contenders, failures = start(arguments.python, console)
    how = {"min_time": arguments.min_time, "with_memory": False}
    comparison: Comparison = compare(MEASURES, contenders, arguments.rounds, console, **how)
    comparison.failures += failures
    title = "One object in, one object out, by Django 5.2 and DRF 3.16"
    console.print(table(title, comparison))
    write(arguments.results, "single-peers", report("single-peers", title, comparison))
    console.print(f"The results that have a time are equal. Figures: {arguments.results}")


if __name__ == "__main__":
    main()
