"""What each fast path gives in whole requests: with all of them, without one, and stock.

    python benchmarks/parts.py [--only WORD] [--seconds S] [--most-rows N] [--results DIR]

Each part is switched off by a patch (``parts_patches.py``), in the requests in which it takes part
(``parts_drf.py``, ``parts_flask.py``). All ways to answer a request take turns in one process; the
answers are compared before anything is timed. The fastest run of a turn counts, in seconds of
processor time, the database server's included; of the ratios to fastschema in the same turn, the
median. SQLite in memory; with DATABASE_URL (see .ci/with-postgresql) a PostgreSQL server. Prints
tables, and writes parts-sqlite.json or parts-postgresql.json.
"""

from __future__ import annotations

import argparse
import os
from dataclasses import asdict
from pathlib import Path
from typing import Any

from rich.console import Console
from rich.progress import track

from contenders import positive
from ordinary import FRONT_ENDS, HERE, ask
from parts_tables import tables
from parts_worker import Row
from showing import measured_with, write


def requests(only: str | None) -> tuple[list[tuple[str, str]], dict[str, str]]:
    """Front ends and names of the requests that contain a word (None: all), and versions.

    :raises SystemExit: if there are none
    """
    found, versions = [], {}
    for front_end in FRONT_ENDS:
        [listed] = ask("parts_worker.py", front_end)
        versions |= listed["versions"]
        found += [(front_end, name) for name in listed["requests"]]
    found = [each for each in found if only is None or only.lower() in ": ".join(each).lower()]
    if not found:
        raise SystemExit(f"no request has {only!r} in its name")
    return found, versions


def report(rows: list[Row], database: str, versions: dict[str, str]) -> dict[str, Any]:
    """All figures with what they depend on, in the form of the other benchmarks."""
    figures = [
        {
            "measure": f"{row.front_end}: {row.request}, {row.rows}",
            "contender": "fastschema",
            **asdict(row),
        }
        for row in rows
    ]
    about = {"benchmark": "parts", "database": database, **measured_with()}
    return {**about, "versions": versions, "figures": figures}


def main() -> None:
    """Measure, print, write."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--only", metavar="WORD", help="requests whose names contain it")
    parser.add_argument(
        "--seconds", type=float, default=0.3, help="for each way to answer a request, about"
    )
    parser.add_argument("--most-rows", type=positive, default=20_000, metavar="N")
    parser.add_argument("--results", type=Path, default=HERE / "results", metavar="DIR")
    arguments = parser.parse_args()
    is_postgresql = os.environ.get("DATABASE_URL", "").startswith("postgres")
    chosen, versions = requests(arguments.only)
    rows: list[Row] = []
    for request in track(chosen, "measuring", console=Console(stderr=True), transient=True):
        order = (*request, arguments.seconds, arguments.most_rows)
        rows += [Row(**line) for line in ask("parts_worker.py", *order)]
    found = report(rows, "PostgreSQL" if is_postgresql else "SQLite", versions)
    name = f"parts-{found['database'].lower()}"
    write(arguments.results, name, found)
    print(tables([found]))
    print(f"The answers are equal. Figures: {arguments.results / name}.json")


if __name__ == "__main__":
    main()
