"""How many functions requests and single objects call, and whether it were fewer before.

    PYTHONPATH=benchmarks python benchmarks/calls.py [--before COMMIT | --update] [--more PERCENT]

Counts the calls of stock and of the installed fastschema, by cProfile: in the requests of the small
applications, over SQLite, and for the patterns of ``patterns/objects.py``. Prints a table beside
the counts in ``calls.json``, or those of a commit; exits with 1 if fastschema calls that many per
cent more functions than there. ``--update`` writes the file.

The counts do not depend on the machine, but on the versions of Python and the frameworks. Where
stock's count is another one than before, the versions are others, and nothing is said of that row.
"""

from __future__ import annotations

import argparse
import io
import json
import os
import subprocess
import sys
import tarfile
import tempfile
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

from applications.__main__ import command
from applications.tables import SMALL_APPLICATIONS
from harness import tables
from harness.comparing import Process

HERE = Path(__file__).resolve().parent
COUNTS = HERE / "calls.json"
WARM = 30
"""After so many, everything is compiled."""
TRIES = 3
CONTENDERS = ("stock", "fastschema")
Counts = dict[str, dict[str, Any]]
"""By contender, the calls by the title of what is counted; besides, "versions"."""


def count(contender: Process, measure: str) -> int:
    """Return how many functions a request or an object calls when everything is compiled."""
    contender.ask("digest", measure, runs=WARM)
    # The collection of garbage may call some more.
    return min(contender.ask("calls", measure)["calls"] for _ in range(TRIES))


def count_into(counts: Counts, worker: Callable[[str], list[str]], source: Path | None) -> None:
    """Count whatever a worker can measure, by stock and by fastschema.

    :param worker: from the name of a contender to what starts it
    :param source: the sources of fastschema; None: those that are installed
    """
    path = os.pathsep.join(map(str, filter(None, [source, os.environ.get("PYTHONPATH")])))
    # Sets of texts have the same order everywhere.
    environment = {"PYTHONPATH": path, "PYTHONHASHSEED": "0", "DATABASE_URL": ""}
    for name in CONTENDERS:
        with Process(name, worker(name), environment) as contender:
            measures = contender.measures or []
            counts[name] |= {measure: count(contender, measure) for measure in measures}
            counts["versions"] |= contender.versions


def count_all(source: Path | None = None) -> Counts:
    """Count the calls of single objects, and of the requests of the small applications."""
    counts: Counts = {"versions": {}, **{name: {} for name in CONTENDERS}}
    objects = [sys.executable, str(HERE / "worker.py")]
    count_into(counts, lambda name: [*objects, name, "objects"], source)
    for application in SMALL_APPLICATIONS:
        with tempfile.TemporaryDirectory() as folder:
            directory = Path(folder)
            fill = command(application, "fill", directory)
            subprocess.run(fill, env={**os.environ, "DATABASE_URL": ""}, check=True)
            count_into(counts, partial(command, application, directory=directory), source)
    del counts["versions"]["fastschema"]
    return counts


def counts_of(commit: str) -> Counts:
    """Count with the sources of a commit."""
    archive = subprocess.run(["git", "archive", commit, "src"], check=True, stdout=subprocess.PIPE)
    with tempfile.TemporaryDirectory() as directory:
        with tarfile.open(fileobj=io.BytesIO(archive.stdout)) as files:
            files.extractall(directory, filter="data")
        return count_all(Path(directory) / "src")


def compared(before: Counts, now: Counts, most: float) -> tuple[tables.Rows, list[str]]:
    """Return a table, and what is wrong.

    :param most: the per cent that may be more
    """
    rows = [["request or object", "stock", "before", "now", "more"]]
    wrong = []
    for title, stock in now["stock"].items():
        old, new = before["fastschema"].get(title), now["fastschema"][title]
        if old is None:
            shown = "new"
        elif stock != before["stock"][title]:
            shown = "?"
        else:
            shown = f"{100 * (new / old - 1):+.1f} %"
            if new > old * (1 + most / 100):
                wrong.append(f"{title}: {old:,} calls became {new:,}")
        rows.append([title, f"{stock:,}", "" if old is None else f"{old:,}", f"{new:,}", shown])
    if before["stock"].keys() != now["stock"].keys():
        wrong.append("other rows than before: make calls UPDATE=1 writes them")
    return rows, wrong


def not_compared(before: Counts, now: Counts) -> str:
    """Say which rows are not compared, and why; nothing if all are."""
    both = before["stock"].keys() & now["stock"].keys()
    others = [title for title in both if before["stock"][title] != now["stock"][title]]
    if not others:
        return ""
    versions = [
        f"{name} {before['versions'].get(name)} before, {now['versions'].get(name)} now"
        for name in {**before["versions"], **now["versions"]}
        if before["versions"].get(name) != now["versions"].get(name)
    ]
    return (
        f"SKIPPED: {len(others)} of {len(both)} rows (?), in which stock calls more or fewer "
        f"functions than before. Versions that differ: {'; '.join(versions) or 'none'}"
    )


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    choice = parser.add_mutually_exclusive_group()
    choice.add_argument("--before", metavar="COMMIT", help="compare with it, not with calls.json")
    choice.add_argument("--update", action="store_true", help="write calls.json")
    parser.add_argument("--more", type=float, default=3.0, help="per cent that are too many")
    options = parser.parse_args()
    before = counts_of(options.before) if options.before else json.loads(COUNTS.read_text())
    now = count_all()
    rows, wrong = compared(before, now, options.more)
    tables.show(rows, "Calls of functions")
    if skipped := not_compared(before, now):
        print(skipped)
    if options.update:
        COUNTS.write_text(json.dumps(now, indent=2) + "\n")
    elif wrong:
        raise SystemExit("\n".join(wrong))


if __name__ == "__main__":
    main()
