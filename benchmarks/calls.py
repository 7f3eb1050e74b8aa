"""How many functions requests and single objects call, before a change and after it.

    PYTHONPATH=benchmarks python benchmarks/calls.py COMMIT [--more PERCENT]

The installed fastschema is compared with that of a commit, and with stock: in the requests of the
small applications, over the same database, and for the patterns of ``patterns/objects.py``.
cProfile's counts do not depend on the machine, and what is installed beside fastschema is the same
for all. Prints a table; exits with 1 if one calls more than that many per cent more functions.
"""

from __future__ import annotations

import argparse
import io
import os
import subprocess
import sys
import tarfile
import tempfile
from collections.abc import Sequence
from pathlib import Path

from applications.__main__ import command
from applications.tables import SMALL_APPLICATIONS
from harness import tables
from harness.comparing import Process

HERE = Path(__file__).resolve().parent
WARM = 30
"""After so many, everything is compiled."""
TRIES = 3
Counts = list[tuple[str, int, int, int]]
"""Titles, and the calls of stock, before and after."""


def count(contender: Process, measure: str) -> int:
    """Return how many functions a request or an object calls when everything is compiled."""
    contender.ask("digest", measure, runs=WARM)
    # The collection of garbage may call some more.
    return min(contender.ask("calls", measure)["calls"] for _ in range(TRIES))


def counted(
    stock: Sequence[str], fast: Sequence[str], source: Path, measures: Sequence[str] | None = None
) -> Counts:
    """Return the calls of what contenders can measure.

    :param stock: what starts stock
    :param fast: what starts fastschema
    :param source: fastschema before the change
    :param measures: the names of what is measured; None: of all that there is
    """
    path = os.pathsep.join(filter(None, [str(source), os.environ.get("PYTHONPATH")]))
    contenders = [Process("stock", stock), Process("before", fast, {"PYTHONPATH": path})]
    with contenders[0], contenders[1], Process("after", fast) as after:
        contenders.append(after)
        return [
            (measure, *(count(contender, measure) for contender in contenders))
            for measure in measures or after.measures
        ]


def counted_requests(name: str, source: Path) -> Counts:
    """Return the calls of the requests of an application."""
    with tempfile.TemporaryDirectory() as folder:
        directory = Path(folder)
        subprocess.run(command(name, "fill", directory), check=True)
        stock, fast = (command(name, contender, directory) for contender in ("stock", "fastschema"))
        return counted(stock, fast, source)


def counted_objects(source: Path) -> Counts:
    """Return the calls of single objects."""
    worker = [sys.executable, str(HERE / "patterns_worker.py")]
    return counted([*worker, "stock", "objects"], [*worker, "fastschema", "objects"], source)


def source_of(commit: str, directory: str) -> Path:
    """Unpack the sources of a commit; return their folder."""
    archive = subprocess.run(["git", "archive", commit, "src"], check=True, stdout=subprocess.PIPE)
    with tarfile.open(fileobj=io.BytesIO(archive.stdout)) as files:
        files.extractall(directory, filter="data")
    return Path(directory) / "src"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("commit")
    parser.add_argument("--more", type=float, default=3.0, help="per cent that are too many")
    options = parser.parse_args()
    rows, has_more = [["request or object", "stock", "before", "after", "more"]], False
    with tempfile.TemporaryDirectory() as directory:
        source = source_of(options.commit, directory)
        counts = counted_objects(source)
        for name in SMALL_APPLICATIONS:
            counts += counted_requests(name, source)
    for title, stock, before, after in counts:
        more = 100 * (after / before - 1)
        is_more = more > options.more
        has_more |= is_more
        shown = f"{more:+.1f} %{' (too many)' if is_more else ''}"
        rows.append([title, f"{stock:,}", f"{before:,}", f"{after:,}", shown])
    tables.show(rows, "Calls of functions")
    raise SystemExit(int(has_more))


if __name__ == "__main__":
    main()
