"""All flights of the example project streamed to a client: the server's memory, and the time.

    python benchmarks/streaming.py [--flights N] [--results DIR]

Starts gunicorn and uvicorn, one process each, and asks them over HTTP. Prints a table, and writes
streaming.json.
"""

from __future__ import annotations

import argparse
import http.client
import os
import socket
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import closing, contextmanager
from dataclasses import asdict, dataclass
from pathlib import Path
from urllib.parse import urlencode

import psutil
from rich.console import Console
from rich.table import Table

from contenders import positive
from database import ALL_FLIGHTS, PROJECT, load
from memory import Watch
from showing import duration, write
from worker import installed

HERE = Path(__file__).resolve().parent

PACKAGES = ("fastschema", "django", "djangorestframework", "orjson", "gunicorn", "uvicorn")
COMPARED = 1000
"""How many flights are compared with the answer that is not streamed, byte for byte."""
SERVERS = {
    "gunicorn (WSGI)": [
        "gunicorn",
        "--log-level",
        "warning",
        "--timeout",
        "600",
        "--bind",
        "fd://{fd}",
        "{app}:wsgi",
    ],
    "uvicorn (ASGI)": ["uvicorn", "--log-level", "warning", "--fd", "{fd}", "{app}:asgi"],
}


@dataclass(frozen=True)
class Streamed:
    """What came of one server.

    :param server: its name
    :param flights: how many were received
    :param bytes: the size of the answer
    :param first_byte: seconds until it began
    :param seconds: seconds until it ended
    :param idle: the server's memory before, in bytes, after a request for one flight
    :param above_idle: how much more it was at the peak
    """

    server: str
    flights: int
    bytes: int
    first_byte: float
    seconds: float
    idle: int
    above_idle: int


class Server:
    """A server that listens on a port of its own.

    :param pid: its process
    """

    def __init__(self, address: tuple[str, int], pid: int) -> None:
        self._address = address
        self._process = psutil.Process(pid)

    def ask(self, path: str, **query: object) -> http.client.HTTPResponse:
        """The response to a request, its body not yet read.

        :raises SystemExit: if its status is not 200
        """
        client = http.client.HTTPConnection(*self._address, timeout=600)
        client.request("GET", f"{path}?{urlencode(query)}", headers={"Connection": "close"})
        response = client.getresponse()
        if response.status != 200:
            raise SystemExit(f"{path} answered {response.status}: {response.read(500)!r}")
        return response

    def watch(self) -> Watch:
        """A watch on the memory of the process that answers: gunicorn's worker, or uvicorn."""
        [answering] = self._process.children() or [self._process]
        return Watch(answering)


@contextmanager
def running(command: list[str]) -> Iterator[Server]:
    """A server while it runs; it inherits a socket that listens already."""
    with closing(socket.create_server(("127.0.0.1", 0))) as listening:
        fd, address = listening.fileno(), listening.getsockname()
        process = subprocess.Popen(
            [
                sys.executable,
                "-m",
                *(each.format(fd=fd, app="streaming_server") for each in command),
            ],
            cwd=PROJECT,
            env={**os.environ, "PYTHONPATH": str(HERE), "DEBUG": "0", "FASTSCHEMA": "1"},
            pass_fds=[fd],
        )
    # The server alone has the socket now: if it ends, requests fail and do not wait for ever.
    try:
        yield Server(address, process.pid)
    finally:
        process.terminate()
        process.wait(30)


def check(server: Server, count: int) -> None:
    """Make sure that the first flights are those of the answer that is not streamed.

    :raises SystemExit: if they are not
    """
    limit = min(count, COMPARED)
    whole = server.ask("/api/flights/bulk/", limit=limit).read()
    if server.ask("/streamed/", limit=limit).read() != whole:
        raise SystemExit("the streamed answer is not that of the bulk endpoint")


def measure(name: str, server: Server, count: int) -> Streamed:
    """Stream flights, and see what it takes.

    :raises SystemExit: if not all of them arrive
    """
    server.ask("/streamed/", limit=1).read()
    with server.watch() as watch:
        start = time.perf_counter()
        response = server.ask("/streamed/", limit=count)
        first = response.read(1)
        first_byte = time.perf_counter() - start
        size, found, end = len(first), 0, first
        while block := response.read(1 << 20):
            size += len(block)
            # Each flight has one, and no more than that many bytes of it are in the block before.
            found += (end + block).count(b'"destination_code":')
            end = block[-len('"destination_code":') + 1 :]
        seconds = time.perf_counter() - start
    if found != count or not end.endswith(b"]"):
        raise SystemExit(f"{name} sent {found:,} flights, not {count:,}")
    return Streamed(name, found, size, first_byte, seconds, watch.idle, watch.peak)


def table(results: list[Streamed]) -> Table:
    """The figures as a table that fits in 80 columns."""
    title = f"{results[0].flights:,} flights streamed, {results[0].bytes / 1e6:,.0f} MB of JSON"
    shown = Table(title=title)
    for column in ("server", "first byte", "all", "flights/s", "idle MB", "peak above idle MB"):
        shown.add_column(column, justify="left" if column == "server" else "right")
    for each in results:
        shown.add_row(
            each.server,
            duration(each.first_byte),
            f"{each.seconds:,.1f} s",
            f"{each.flights / each.seconds:,.0f}",
            f"{each.idle / 1e6:,.1f}",
            f"{each.above_idle / 1e6:,.1f}",
        )
    return shown


def main() -> None:
    """Load, stream, print, write."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--flights", type=positive, default=ALL_FLIGHTS)
    parser.add_argument("--results", type=Path, default=HERE / "results", metavar="DIR")
    arguments = parser.parse_args()
    console = Console()
    load(arguments.flights, console)
    results = []
    for name, command in SERVERS.items():
        with running(command) as server:
            check(server, arguments.flights)
        with running(command) as server:  # anew: the check has made the memory larger
            results.append(measure(name, server, arguments.flights))
    console.print(table(results))
    versions = installed(*PACKAGES)
    content = {"versions": versions, "figures": [asdict(each) for each in results]}
    write(arguments.results, "streaming", content)
    console.print(f"Figures: {arguments.results / 'streaming.json'}")


if __name__ == "__main__":
    main()
