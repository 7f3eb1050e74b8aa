"""Whole requests of an application, by stock and with the lines of fastschema's README.

    PYTHONPATH=benchmarks python -m applications NAME [--only WORD] [--turns N]
        [--load-relations] [--results DIR]
    PYTHONPATH=benchmarks python -m applications NAME --tests

Stock and fastschema are a process each, over the same database, and take turns. Their answers
(status, headers, body) and their queries are compared before anything is timed, and
once more afterwards, when everything is compiled. Counts seconds of processor time, of the process
and of the database server. Prints tables, and writes application-NAME.json.

With ``--load-relations``, fastschema takes part with each value of ``LOAD_RELATIONS``, and other
queries than stock's are no difference. Writes application-NAME-load-relations.json.

With ``--tests``, the application's own tests run instead, both ways; their outcomes are compared.

Exits with 1 if an answer, a query or an outcome differs, or something new is logged.
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Any

from applications.own_tests import differences, summary
from applications.postgresql import is_there
from applications.tables import (
    APPLICATIONS,
    LOADING,
    POSTGRESQL,
    SETTINGS,
    SMALL_APPLICATIONS,
    TESTED,
    loading_rows,
    request_rows,
    sample_rows,
)
from harness import tables
from harness.comparing import Measure, Process, compare

HERE = Path(__file__).resolve().parent
ENVIRONMENTS = HERE.parent.parent / ".venv" / "applications"


def command(name: str, what: str, directory: Path) -> list[str]:
    is_small = name in SMALL_APPLICATIONS
    python = sys.executable if is_small else ENVIRONMENTS / name / "bin" / "python"
    return [str(python), "-m", "applications.worker", name, what, str(directory)]


def contenders_of(name: str, directory: Path, *, loading: bool) -> list[Process]:
    """Stock and, when it is ready, all that are compared with it.

    :raises SystemExit: if stock does not start
    """
    stock = Process("stock", command(name, "stock", directory))
    if not stock.hello:
        raise SystemExit(f"{name} does not start")
    if loading:
        fast = command(name, "fastschema", directory)
        others = [
            Process(each, fast, {"LOAD_RELATIONS": value}, is_peer=True)
            for each, value in SETTINGS.items()
        ]
    else:
        others = [
            Process(each, command(name, each, directory), is_peer=True)
            for each in stock.hello["contenders"]
        ]
    return [stock, *others]


def measure(
    name: str, only: str, samples: int, directory: Path, *, loading: bool, **how: Any
) -> dict[str, Any]:
    """Fill the database, compare, measure; return the report.

    :param only: requests whose titles contain it
    :param samples: how many, of requests that are sampled
    :param loading: compare the values of LOAD_RELATIONS
    :raises SystemExit: if a contender does not start or cannot answer
    """
    if subprocess.run(command(name, "fill", directory), check=False).returncode:
        raise SystemExit(f"the database of {name} cannot be filled")
    contenders = contenders_of(name, directory, loading=loading)
    hello = contenders[0].hello
    requests = {
        each["title"]: each for each in hello["requests"] if only.lower() in each["title"].lower()
    }
    measures = [Measure(title, title, 0) for title in requests]
    comparison = compare(measures, contenders, keep=True, **how)
    title = hello["title"]
    if name in SMALL_APPLICATIONS:
        title += f", over {'PostgreSQL' if is_there() else 'SQLite'}"
        name += POSTGRESQL if is_there() else ""
    name += LOADING if loading else ""
    report = tables.report(f"application-{name}", title, comparison)
    by_name = {each.name: each for each in contenders}
    for figure in report["figures"]:
        contender, request = by_name[figure["contender"]], figure["measure"]
        figure |= contender.ask("facts", request) | contender.ask("calls", request)
        if requests[request]["sampled"] and contender.name != "orjson" and not loading:
            figure["sample"] = contender.ask("sample", request, count=samples)
    for contender in by_name.values():
        contender.__exit__()
    return {**report, "versions": contenders[-1].versions}


def show(report: dict[str, Any], *, loading: bool) -> None:
    title = f"{report['title']}: milliseconds of processor time, and times as fast as stock"
    tables.show(loading_rows(report) if loading else request_rows(report), title)
    if len(samples := sample_rows(report)) > 1:
        tables.show(samples, "where the time goes")
    print(tables.reasons(report))


def compare_tests(name: str, directory: Path) -> bool:
    """Run an application's own tests both ways; print and return whether they end differently."""
    outcomes = {}
    for each in ("stock", "fastschema"):
        log = directory / f"{each}.log"
        with log.open("w") as output:
            run = [*command(name, each, directory), "--tests"]
            finished = subprocess.run(run, stdout=output, stderr=output, check=False)
        written = directory / f"{each}.json"
        if finished.returncode or not written.exists():
            raise SystemExit(f"{log.read_text()[-3000:]}\nthe tests of {name} cannot be run")
        outcomes[each] = json.loads(written.read_text())
        print(f"{name}'s own tests, {each}: {summary(outcomes[each])}")
    found = differences(outcomes["stock"], outcomes["fastschema"])
    print(*found, sep="\n")
    return bool(found)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("name", choices=(*APPLICATIONS, *SMALL_APPLICATIONS))
    parser.add_argument("--tests", action="store_true", help="run its own tests both ways")
    parser.add_argument(
        "--load-relations", action="store_true", help="compare the values of LOAD_RELATIONS"
    )
    parser.add_argument("--only", default="", metavar="WORD", help="requests that contain it")
    parser.add_argument("--turns", type=int, default=9)
    parser.add_argument("--seconds", type=float, default=0.15, help="that a turn takes")
    parser.add_argument("--samples", type=int, default=1500)
    parser.add_argument("--results", type=Path, default=tables.RESULTS, metavar="DIR")
    arguments = parser.parse_args()
    name = arguments.name
    if arguments.tests and name not in TESTED:
        print(f"SKIPPED: the package of {name} has no tests")
        return
    os.environ["PYTHONHASHSEED"] = "0"  # Superset answers with sets
    if loading := arguments.load_relations:
        os.environ["LOAD_RELATIONS"] = ""  # queries are not compared
    with tempfile.TemporaryDirectory() as directory:
        if arguments.tests:
            sys.exit(compare_tests(name, Path(directory)))
        how = {"rounds": arguments.turns, "batch": arguments.seconds}
        chosen = (name, arguments.only, arguments.samples, Path(directory))
        report = measure(*chosen, loading=loading, **how)
    show(report, loading=loading)
    tables.write(arguments.results, report)
    if report["failures"]:
        sys.exit(1)


if __name__ == "__main__":
    main()
