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
import subprocess
import tarfile
import tempfile
from contextlib import ExitStack
from itertools import chain
from pathlib import Path
from typing import Any

from rich.console import Console
from rich.table import Table

from applications.tables import SMALL_APPLICATIONS
from applications.turns import command
from contenders import Contender

WARM = 12
"""After so many, everything is compiled."""
TRIES = 3


def count(contender: Contender, number: int) -> int:
    """Return how many functions a request calls when everything is compiled."""
    for _ in range(WARM):
        contender.ask({"request": number, "what": "send"})
    # The collection of garbage may call some more.
    counts = [contender.ask({"request": number, "what": "count"}) for _ in range(TRIES)]
    return min(each["calls"] for each in counts)


def counted(name: str, source: Path) -> list[tuple[str, int, int]]:
    """Return what requests of an application are called, and the calls of both versions."""
    with ExitStack() as stack:
        directory = Path(stack.enter_context(tempfile.TemporaryDirectory()))
        subprocess.run(command(name, "fill", directory), check=True)
        before, after = (
            stack.enter_context(Contender(each, command(name, "fastschema", directory), more))
            for each, more in (("before", {"PYTHONPATH": f"{source}:benchmarks"}), ("after", {}))
        )
        requests: list[dict[str, Any]] = after.hello["requests"]
        numbers = [number for number, each in enumerate(requests) if each["method"] == "GET"]
        return [
            (requests[number]["title"], count(before, number), count(after, number))
            for number in numbers
        ]


def source_of(commit: str, directory: str) -> Path:
    """Unpack the sources of a commit; return their folder."""
    archive = subprocess.run(["git", "archive", commit, "src"], check=True, stdout=subprocess.PIPE)
    with tarfile.open(fileobj=io.BytesIO(archive.stdout)) as files:
        files.extractall(directory, filter="data")
    return Path(directory) / "src"


def main() -> None:
    """Count, print, and judge."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("commit")
    parser.add_argument("--more", type=float, default=3.0, help="per cent that are too many")
    options = parser.parse_args()
    table = Table("request", "before", "after", "more", title="Calls of functions")
    has_more = False
    with tempfile.TemporaryDirectory() as directory:
        source = source_of(options.commit, directory)
        for title, before, after in chain(*(counted(name, source) for name in SMALL_APPLICATIONS)):
            more = 100 * (after / before - 1)
            has_more |= more > options.more
            mark = " (too many)" if more > options.more else ""
            table.add_row(title, str(before), str(after), f"{more:+.1f} %{mark}")
    Console().print(table)
    raise SystemExit(int(has_more))


if __name__ == "__main__":
    main()
