"""Whole requests of an application, by stock and with the lines of fastschema's README.

    PYTHONPATH=benchmarks python -m applications NAME [--only WORD] [--turns N]
        [--load-relations] [--results DIR]
    PYTHONPATH=benchmarks python -m applications NAME --tests

Stock and fastschema are a process each, over the same database, and take turns. Their answers
(status, headers, body) and their queries are compared before anything is timed, and
once more afterwards, when everything is compiled. Counts seconds of processor time, of the process
and of the database server. Prints tables, and writes application-NAME.json.

With ``--load-relations``, fastschema loads missing relations (Django): fewer queries than stock's
are no difference. The figures are in application-NAME-load-relations.json.

With ``--tests``, the application's own tests run instead, both ways; their outcomes are compared.

Exits with 1 if an answer, a query or an outcome differs, or a warning is new.
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
import tempfile
from contextlib import ExitStack
from pathlib import Path
from typing import Any

from rich.console import Console
from rich.progress import Progress

from applications.own_tests import differences, summary
from applications.postgresql import is_there
from applications.tables import (
    APPLICATIONS,
    LOADING,
    POSTGRESQL,
    SMALL_APPLICATIONS,
    request_rows,
    sample_rows,
    shown,
)
from applications.turns import CONTENDERS, SLOWER, Effort, Measured, Pair, command
from contenders import Contender, ContenderError, positive
from showing import measured_with, write

HERE = Path(__file__).resolve().parent


def measure(
    name: str, only: str, effort: Effort, directory: Path, *, loads_relations: bool
) -> dict[str, Any]:
    """Fill the database, compare, measure; return the report.

    :param only: requests whose titles contain it
    :param loads_relations: whether fastschema loads missing relations
    :raises SystemExit: if a contender does not start or cannot answer
    """
    if subprocess.run(command(name, "fill", directory), check=False).returncode:
        raise SystemExit(f"the database of {name} cannot be filled")
    with ExitStack() as stack, Progress(transient=True) as progress:
        contenders = {
            each: stack.enter_context(Contender(each, command(name, each, directory)))
            for each in CONTENDERS
        }
        hello = contenders["fastschema"].hello
        if not (hello and contenders["stock"].hello):
            raise SystemExit(f"{name} does not start")
        pair = Pair(contenders, hello, may_ask_less=loads_relations)
        wanted = [
            (number, request)
            for number, request in enumerate(hello["requests"])
            if only.lower() in request["title"].lower()
        ]
        task = progress.add_task(hello["title"], total=len(wanted))
        results = []
        for number, request in wanted:
            try:
                results.append(pair.measure(number, request, effort))
            except ContenderError as error:
                raise SystemExit(f"{error.details}{request['title']}: {error}") from None
            progress.advance(task)
    if name in SMALL_APPLICATIONS:
        hello["title"] += f", over {'PostgreSQL' if is_there() else 'SQLite'}"
        name += POSTGRESQL if is_there() else ""
    return report(f"{name}{LOADING if loads_relations else ''}", hello, results)


def report(name: str, hello: dict[str, Any], results: list[Measured]) -> dict[str, Any]:
    """Return all figures with what they depend on, in the form of the other benchmarks."""
    return {
        "benchmark": f"application-{name}",
        "title": hello["title"],
        **measured_with(),
        "versions": hello["versions"],
        "figures": [figure for each in results for figure in each.figures()],
        "defects": [f"{each.title}: {defect}" for each in results for defect in each.defects],
    }


def show(content: dict[str, Any], console: Console) -> None:
    """Print what was measured."""
    title = f"{content['title']}: milliseconds of processor time, and times as fast as stock"
    console.print(shown(request_rows(content), title))
    if len(samples := sample_rows(content)) > 1:
        console.print(shown(samples, "where the time goes"))
    for figure in content["figures"]:
        if figure["ratio"] < SLOWER:
            console.print(f"slower than stock: {figure['measure']}, {figure['ratio']:.2f}")
    for defect in content["defects"]:
        console.print(f"not as stock: {defect}", markup=False)


def compare_tests(name: str, directory: Path, console: Console) -> bool:
    """Run an application's own tests both ways; print and return whether they end differently."""
    python = command(name, "", directory)[0]
    outcomes = {}
    for each in CONTENDERS:
        log = directory / f"{each}.log"
        with log.open("w") as output:
            run = [python, "-m", "applications.own_tests", name, each, str(directory)]
            finished = subprocess.run(run, stdout=output, stderr=output, check=False)
        written = directory / f"{each}.json"
        if finished.returncode or not written.exists():
            raise SystemExit(f"{log.read_text()[-3000:]}\nthe tests of {name} cannot be run")
        outcomes[each] = json.loads(written.read_text())
        console.print(f"{name}'s own tests, {each}: {summary(outcomes[each])}")
    found = differences(outcomes["stock"], outcomes["fastschema"])
    for line in found:
        console.print(line, markup=False)
    return bool(found)


def main() -> None:
    """Measure, or compare the outcomes of tests."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("name", choices=(*APPLICATIONS, *SMALL_APPLICATIONS))
    parser.add_argument("--tests", action="store_true", help="run its own tests both ways")
    parser.add_argument("--load-relations", action="store_true", help="load missing relations")
    parser.add_argument("--only", default="", metavar="WORD", help="requests that contain it")
    parser.add_argument("--turns", type=positive, default=9)
    parser.add_argument("--seconds", type=float, default=0.15, help="that a turn of stock takes")
    parser.add_argument("--samples", type=positive, default=1500)
    parser.add_argument("--results", type=Path, default=HERE.parent / "results", metavar="DIR")
    arguments = parser.parse_args()
    if arguments.tests and arguments.name in SMALL_APPLICATIONS:
        parser.error(f"{arguments.name} has no tests of its own")
    if arguments.load_relations:
        os.environ["LOAD_RELATIONS"] = "1"
    console = Console(width=None if sys.stdout.isatty() else 140)
    folders = [str(HERE.parent), *filter(None, [os.environ.get("PYTHONPATH")])]
    os.environ["PYTHONPATH"] = os.pathsep.join(folders)
    with tempfile.TemporaryDirectory() as directory:
        if arguments.tests:
            sys.exit(compare_tests(arguments.name, Path(directory), console))
        effort = Effort(arguments.turns, arguments.seconds, arguments.samples)
        content = measure(
            *(arguments.name, arguments.only, effort, Path(directory)),
            loads_relations=arguments.load_relations,
        )
    show(content, console)
    file = content["benchmark"]
    write(arguments.results, file, content)
    console.print(f"Figures: {arguments.results / file}.json")
    if content["defects"]:
        sys.exit(1)


if __name__ == "__main__":
    main()
