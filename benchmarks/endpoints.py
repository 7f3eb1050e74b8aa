"""The flights endpoints under load: throughput and latency, stock and fastschema.

    python benchmarks/endpoints.py [--flights N] [--seconds N] [--rounds N] [--results DIR]

gunicorn with two worker processes; Locust, on the same machine, has a few visitors that ask again
as soon as they have an answer. The contenders take turns, and their answers are compared first.
Prints a table, and writes endpoints.json and endpoints.svg.
"""

from __future__ import annotations

import argparse
import csv
import http.client
import os
import subprocess
import tempfile
from collections.abc import Callable, Sequence
from contextlib import ExitStack
from dataclasses import asdict, dataclass
from functools import partial
from pathlib import Path
from statistics import median
from typing import Any

from rich.console import Console
from rich.progress import Progress
from rich.table import Table

from contenders import positive
from database import PROJECT, load
from environments import Environment, NotInstalledError
from http_download import FLASK, Server
from showing import canvas, color_of, duration, measured_with, write
from worker import installed

HERE = Path(__file__).resolve().parent
LOCUST = Environment("locust", ("locust==2.47.0",))
WORKERS, VISITORS = 2, 4
DJANGO = "config.wsgi:application"
PACKAGES = ("fastschema", "django", "djangorestframework", "flask", "marshmallow", "sqlalchemy")
PACKAGES += ("orjson", "gunicorn")


@dataclass(frozen=True)
class Endpoint:
    """An address of the example project.

    :param application: the one that answers, as gunicorn names it
    """

    name: str
    title: str
    application: str
    path: str


@dataclass(frozen=True)
class Load:
    """What one contender did under load, in the best of the rounds.

    :param p50: the seconds that half of the requests took at most
    :param p99: the seconds that 99 of 100 requests took at most
    :param spread: how far the median throughput of the rounds is below that, as a part of it
    :param ratio: requests a second, divided by stock's
    """

    measure: str
    contender: str
    requests_per_second: float
    p50: float
    p99: float
    spread: float
    ratio: float


def endpoints(count: int) -> list[Endpoint]:
    """The addresses that are visited; the large answers have so many flights."""
    return [
        Endpoint("drf.page", "DRF, a page of 50", DJANGO, "/api/flights/"),
        Endpoint(
            "drf.bulk", f"DRF, {count:,} flights", DJANGO, f"/api/flights/bulk/?limit={count}"
        ),
        Endpoint("flask.few", "Flask, 50 flights", FLASK, "/flights?limit=50"),
        Endpoint("flask.bulk", f"Flask, {count:,} flights", FLASK, f"/flights?limit={count}"),
    ]


def visit(locust: Path, port: int, path: str, seconds: int) -> dict[str, float]:
    """Let the visitors ask for a path, for so many seconds.

    :raises SystemExit: if a request fails
    """
    with tempfile.TemporaryDirectory() as directory:
        command = [locust, "-m", "locust", "--headless", "--locustfile", HERE / "visitors.py"]
        command += ["--host", f"http://127.0.0.1:{port}", "--csv", f"{directory}/visits"]
        command += ["--users", str(VISITORS), "--spawn-rate", str(VISITORS)]
        command += ["--run-time", f"{seconds}s", "--only-summary", "--loglevel", "ERROR"]
        finished = subprocess.run(
            command,
            env={**os.environ, "VISITED": path},
            capture_output=True,
            text=True,
            check=False,
        )
        if finished.returncode:
            raise SystemExit(f"{path} under load:\n{finished.stdout}{finished.stderr}")
        with open(f"{directory}/visits_stats.csv") as file:
            total = list(csv.DictReader(file))[-1]
    if total["Request Count"] == "0":
        raise SystemExit(f"{path} was not answered within {seconds} s under load")
    return {
        "requests_per_second": float(total["Requests/s"]),
        "p50": float(total["50%"]) / 1000,
        "p99": float(total["99%"]) / 1000,
    }


def body(server: Server, path: str) -> bytes:
    """An answer, without the port in its links."""
    connection = http.client.HTTPConnection("127.0.0.1", server.port, timeout=60)
    connection.request("GET", path)
    return connection.getresponse().read().replace(f":{server.port}/".encode(), b"/")


def visited(
    endpoint: Endpoint, seconds: int, rounds: int, locust: Path, advance: Callable[[], None]
) -> list[Load]:
    """What stock and fastschema did at one address.

    :param advance: called after each visit
    :raises SystemExit: if they answer differently
    """
    seen: dict[str, list[dict[str, float]]] = {"stock": [], "fastschema": []}
    with ExitStack() as stack:
        servers = [
            stack.enter_context(
                Server(
                    contender,
                    {"FASTSCHEMA": switch, "DEBUG": "0"},
                    PROJECT,
                    application=endpoint.application,
                    workers=WORKERS,
                    small=(endpoint.path,) * WORKERS * 2,
                )
            )
            for contender, switch in (("stock", "0"), ("fastschema", "1"))
        ]
        if len({body(server, endpoint.path) for server in servers}) > 1:
            raise SystemExit(f"{endpoint.path}: fastschema differs from stock")
        for _ in range(rounds):
            for server in servers:
                seen[server.contender].append(visit(locust, server.port, endpoint.path, seconds))
                advance()
    return [
        of_rounds(endpoint.name, contender, rounds_seen, seen["stock"])
        for contender, rounds_seen in seen.items()
    ]


def of_rounds(
    name: str, contender: str, seen: list[dict[str, float]], stock: list[dict[str, float]]
) -> Load:
    """The best of the rounds, beside stock's best."""
    throughputs = [each["requests_per_second"] for each in seen]
    best = max(seen, key=lambda each: each["requests_per_second"])
    reference = max(each["requests_per_second"] for each in stock)
    return Load(
        name,
        contender,
        **best,
        spread=1 - median(throughputs) / max(throughputs),
        ratio=best["requests_per_second"] / reference,
    )


def run(count: int, seconds: int, rounds: int, console: Console) -> list[Load]:
    """Fill the database, install Locust, and visit all addresses."""
    load(count, console)
    try:
        locust = LOCUST.python()
    except NotInstalledError as error:
        raise SystemExit(f"Locust, which makes the load, cannot be installed: {error}") from None
    found: list[Load] = []
    with Progress(console=console, transient=True) as progress:
        task = progress.add_task("under load", total=len(endpoints(count)) * rounds * 2)
        for endpoint in endpoints(count):
            progress.update(task, description=f"under load: {endpoint.title}")
            found += visited(endpoint, seconds, rounds, locust, partial(progress.advance, task))
    return found


def show(loads: Sequence[Load], count: int, results: Path, console: Console) -> None:
    """Print the table, write JSON and the chart."""
    title = f"Under load: gunicorn, {WORKERS} workers, {VISITORS} visitors"
    shown = Table(title=title)
    for column in ("endpoint", "requests/s", "p50", "p99", "ratio"):
        shown.add_column(column, justify="left" if column == "endpoint" else "right")
    titles = {each.name: each.title for each in endpoints(count)}
    for each in loads:
        shown.add_row(
            f"{titles[each.measure]}: {each.contender}",
            f"{each.requests_per_second:,.1f}",
            duration(each.p50),
            duration(each.p99),
            f"{each.ratio:.2f}",
        )
    console.print(shown)
    content = {"benchmark": "endpoints", "title": title, **measured_with(), "measures": titles}
    content["versions"] = {"both": installed(*PACKAGES)}
    write(results, "endpoints", {**content, "figures": [asdict(each) for each in loads]})
    draw(loads, title, titles, results / "endpoints.svg")


def draw(loads: Sequence[Load], title: str, titles: dict[str, str], path: Path) -> None:
    """Throughput and p99 as bars."""
    pyplot = canvas()
    chart, panels = pyplot.subplots(1, 2, figsize=(8, 3.5), sharey=True, layout="constrained")
    chart.suptitle(title, fontsize="medium")
    for offset, contender in enumerate(("stock", "fastschema")):
        own = [each for each in loads if each.contender == contender]
        places = [index + 0.4 * offset for index in range(len(own))]
        style: dict[str, Any] = {"height": 0.36, "color": color_of(contender), "label": contender}
        bars = panels[0].barh(places, [each.requests_per_second for each in own], **style)
        panels[0].bar_label(bars, fmt="{:,.0f}", padding=3)
        bars = panels[1].barh(places, [each.p99 * 1000 for each in own], **style)
        panels[1].bar_label(bars, [duration(each.p99) for each in own], padding=3)
    panels[0].set_yticks([index + 0.2 for index in range(len(titles))], titles.values())
    panels[0].invert_yaxis()
    for panel, label in zip(panels, ("requests a second", "p99 in milliseconds"), strict=True):
        panel.set_xlabel(label)
        panel.margins(x=0.25)
        panel.spines[["top", "right"]].set_visible(False)
    panels[0].legend(frameon=False, loc="lower left", bbox_to_anchor=(0, 1), ncols=2)
    chart.savefig(path, metadata={"Date": None})


def main() -> None:
    """Load, visit, print, write."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--flights", type=positive, default=1000)
    parser.add_argument("--seconds", type=positive, default=10)
    parser.add_argument("--rounds", type=positive, default=3)
    parser.add_argument("--results", type=Path, default=HERE / "results", metavar="DIR")
    arguments = parser.parse_args()
    console, count = Console(), arguments.flights
    loads = run(count, arguments.seconds, arguments.rounds, console)
    show(loads, count, arguments.results, console)


if __name__ == "__main__":
    main()
