"""An application in a process of its own, which does what standard input asks for.

    python -m applications.worker NAME stock|fastschema|fill DIRECTORY

Each order is a line of JSON, and so is each answer. With ``fill``, the database is filled instead.
"""

from __future__ import annotations

import cProfile
import gc
import importlib
import importlib.metadata
import json
import logging
import os
import platform
import sys
import time
import traceback
import warnings
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import asdict
from pathlib import Path
from typing import Any

from applications.application import Application, Client, Request
from applications.sampling import sample


class Warned(logging.Handler):
    """Notes the warnings of Python, and what is logged from a warning on.

    To be made when the application has set up its logging, which would take it away.
    """

    def __init__(self) -> None:
        super().__init__(logging.WARNING)
        self.messages: list[str] = []
        warnings.simplefilter("default")
        logging.captureWarnings(True)
        for name in ("py.warnings", "fastschema", "django.request"):
            logging.getLogger(name).addHandler(self)

    def emit(self, record: logging.LogRecord) -> None:
        error = f": {record.exc_info[1]!r}" if record.exc_info else ""
        self.messages.append(f"{record.name}: {record.getMessage()}{error}")


TRIES = 5


class Worker:
    """Answers orders."""

    def __init__(self, application: Application, client: Client, warned: Warned) -> None:
        self._application = application
        self._client = client
        self._warned = warned
        self._requests = application.requests()

    def hello(self) -> dict[str, Any]:
        """Return what runs here, and what can be asked for."""
        packages = (*self._application.packages, "fastschema")
        versions = {each: importlib.metadata.version(each) for each in packages}
        return {
            "title": self._application.title,
            "measures": [each.title for each in self._requests],
            "masked": sorted(self._application.masked),
            "versions": {"Python": platform.python_version(), **versions},
            "requests": [asdict(each) for each in self._requests],
        }

    def answer(self, order: dict[str, Any]) -> dict[str, Any]:
        """Do what an order says."""
        request = self._requests[order["request"]]
        what = {"send": self.send, "count": self.count, "time": self.time, "sample": self.sample}
        return what[order["what"]](request, order)

    def send(self, request: Request, _: dict[str, Any]) -> dict[str, Any]:
        """Send a request once; return the answer and what it took."""
        del self._warned.messages[:]
        with self._application.recorded() as statements:
            answer = self._client.send(request)
        return {
            "status": answer.status,
            "headers": answer.headers,
            "body": answer.body.decode("latin-1"),  # any byte has a letter
            "statements": statements,
            "warnings": self._warned.messages,
        }

    def count(self, request: Request, _: dict[str, Any]) -> dict[str, Any]:
        """Return how many functions a request calls; other processes have no say in that."""
        profiler = cProfile.Profile()
        profiler.runcall(self._client.send, request)
        return {"calls": sum(entry.callcount for entry in profiler.getstats())}

    def time(self, request: Request, order: dict[str, Any]) -> dict[str, Any]:
        """Send a request again and again; return the seconds of processor time that one takes.

        A connection pool may close a connection meanwhile, and what the process behind it took is
        lost. Then the requests are sent once more.
        """
        count, send = order["count"], self._client.send
        for _ in range(TRIES):
            backends = self._application.backends()
            gc.collect()
            server, process = server_time(backends), time.process_time()
            for _ in range(count):
                send(request)
            process = time.process_time() - process
            with suppress(FileNotFoundError):
                database = server_time(backends) - server
                return {"process": process / count, "database": database / count}
        raise RuntimeError(f"connections to the database were closed in each of {TRIES} tries")

    def sample(self, request: Request, order: dict[str, Any]) -> dict[str, Any]:
        """Return where the time of a request goes."""
        found = sample(
            lambda: self._client.send(request), order["samples"], self._application.own_code
        )
        return asdict(found)


def server_time(processes: Sequence[int]) -> float:
    """Return the seconds of processor time that processes have had, to the nanosecond."""
    spent = [Path(f"/proc/{each}/schedstat").read_text().split()[0] for each in processes]
    return sum(map(int, spent)) / 1e9


def serve(worker: Worker, output: Any) -> None:
    """Answer orders until there are no more."""
    print(json.dumps(worker.hello()), file=output, flush=True)
    for line in sys.stdin:
        try:
            answer = worker.answer(json.loads(line))
        except Exception as error:
            reason = f"{type(error).__name__}: {error}"
            answer = {"error": reason, "traceback": traceback.format_exc()}
        print(json.dumps(answer), file=output, flush=True)


def main() -> None:
    """Start an application, fill its database or serve."""
    name, contender, directory = sys.argv[1:]
    del sys.argv[1:]  # FlexMeasures takes "flexmeasures" and a command's name for a command
    # What the application prints must not come between the answers.
    output = os.fdopen(os.dup(1), "w")
    os.dup2(os.open(os.devnull, os.O_WRONLY), 1)
    application: Application = importlib.import_module(f"applications.{name}").APPLICATION
    if contender == "fill":
        application.make_database()
    wsgi = application.start(Path(directory), fast=contender == "fastschema")
    if ("fastschema" in sys.modules) != (contender == "fastschema"):
        raise SystemExit(f"fastschema is imported by stock, or not at all: {contender}")
    if contender == "fill":
        application.fill()
        application.settle_database()
    else:
        serve(Worker(application, Client(application, wsgi), Warned()), output)


if __name__ == "__main__":
    main()
