"""How many functions requests call, before a change and after it.

    PYTHONPATH=benchmarks python benchmarks/calls.py COMMIT [--more PERCENT]

The installed fastschema is compared with that of a commit, over the same database, in all requests
of the small applications that only read. cProfile's counts do not depend on the machine, and what
is installed beside fastschema is the same for both. Prints a table; exits with 1 if a request calls
more than that many per cent more functions.
"""

from __future__ import annotations

import argparse
import io
import os
import subprocess
import tarfile
import tempfile
from pathlib import Path

from applications.__main__ import command
from applications.tables import SMALL_APPLICATIONS
from harness import tables
from harness.comparing import Process

WARM = 12
"""After so many, everything is compiled."""
TRIES = 3


def count(contender: Process, request: str) -> int:
    """Return how many functions a request calls when everything is compiled."""
    contender.ask("digest", request, runs=WARM)
    # The collection of garbage may call some more.
    return min(contender.ask("calls", request)["calls"] for _ in range(TRIES))


def counted(name: str, source: Path) -> list[tuple[str, int, int]]:
    """Return what requests of an application are called, and the calls of both versions."""
    with tempfile.TemporaryDirectory() as folder:
        directory = Path(folder)
        subprocess.run(command(name, "fill", directory), check=True)
        fast = command(name, "fastschema", directory)
        path = {"PYTHONPATH": os.pathsep.join([str(source), os.environ["PYTHONPATH"]])}
        with Process("before", fast, path) as before, Process("after", fast) as after:
            return [
                (each["title"], count(before, each["title"]), count(after, each["title"]))
                for each in after.hello["requests"]
                if each["method"] == "GET"
            ]


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
    rows, has_more = [["request", "before", "after", "more"]], False
    with tempfile.TemporaryDirectory() as directory:
        source = source_of(options.commit, directory)
        for name in SMALL_APPLICATIONS:
            for title, before, after in counted(name, source):
                more = 100 * (after / before - 1)
                is_more = more > options.more
                has_more |= is_more
                shown = f"{more:+.1f} %{' (too many)' if is_more else ''}"
                rows.append([title, str(before), str(after), shown])
    tables.show(rows, "Calls of functions")
    raise SystemExit(int(has_more))


if __name__ == "__main__":
    main()
