"""An application in a process of its own.

    python -m applications.worker NAME stock|orjson|fastschema|fill DIRECTORY [--tests]

With ``fill``, the database is filled; the others serve. With ``--tests``, the application's own
tests run; how they ended is written to DIRECTORY, as JSON, by their names.
"""

from __future__ import annotations

import importlib
import json
import logging
import os
import re
import sys
from collections.abc import Collection
from dataclasses import asdict
from pathlib import Path
from typing import Any

from applications.application import WITH_ORJSON, Answer, Application, Client
from applications.own_tests import run
from applications.sampling import sample
from harness.measuring import Contender, installed, serve

UNSTEADY = ("x-request-id", "x-page-generated", "date", "set-cookie")
"""Headers that differ each time."""
WRITTEN = ("content-length", "etag", "location")
"""Those that differ where the body is compared without some of its values."""


class Warned(logging.Handler):
    """Notes what fastschema and Django log from a warning on.

    To be made when the application has set up its logging, which would take it away.
    """

    def __init__(self) -> None:
        super().__init__(logging.WARNING)
        self.messages: list[str] = []
        for name in ("fastschema", "django.request"):
            logging.getLogger(name).addHandler(self)

    def emit(self, record: logging.LogRecord) -> None:
        error = f": {record.exc_info[1]!r}" if record.exc_info else ""
        self.messages.append(f"{record.name}: {record.getMessage()}{error}")


class Served(Contender):
    """An application; its measures are the titles of its requests.

    What contenders must agree on is the answer, the queries, and what was logged.
    """

    def __init__(self, name: str, application: Application, client: Client) -> None:
        self._application = application
        self._client = client
        self._warned = Warned()
        self._requests = {each.title: each for each in application.requests()}
        self._request: Any = None
        super().__init__(
            name,
            self._requests,
            self._prepared,
            installed(*application.packages, "fastschema"),
            backends=application.backends,
        )

    def hello(self) -> dict[str, Any]:
        requests = [asdict(each) for each in self._requests.values()]
        about = {"title": self._application.title, "contenders": self._application.contenders}
        return {**super().hello(), **about, "requests": requests}

    def _prepared(self, measure: str) -> Any:
        self._request = self._requests[measure]
        return lambda: self._client.send(self._request)

    def _answer(self) -> tuple[Answer, list[str]]:
        del self._warned.messages[:]
        with self._application.recorded() as statements:
            answer = self._client.send(self._request)
        if answer.status >= 400:
            raise RuntimeError(f"{answer.status}: {answer.body[:300]!r} {self._warned.messages}")
        return answer, list(statements)

    def _observed(self) -> str:
        answer, statements = self._answer()
        masked = () if self._request.is_safe else self._application.masked
        left_out = (*UNSTEADY, *(WRITTEN if masked else ()))
        headers = sorted((name.lower(), value) for name, value in answer.headers)
        observed = {
            "status": answer.status,
            "headers": [each for each in headers if each[0] not in left_out],
            "body": body(answer.body, masked),
            "logged": self._warned.messages,
        }
        if "LOAD_RELATIONS" not in os.environ:
            observed["queries"] = sorted(map(steady, statements))
        return json.dumps(observed)

    def _facts(self) -> dict[str, Any]:
        """How many queries a request takes, and how many rows are in its answer."""
        answer, statements = self._answer()
        return {"queries": len(statements), "rows": rows_of(answer.body)}

    def _sample(self, count: int) -> dict[str, Any]:
        return {"parts": sample(self._run, count, self._application.own_code)}


def body(content: bytes, masked: Collection[str]) -> Any:
    """A body as it is; what differs each time is left out of JSON."""
    if masked:
        try:
            return without(json.loads(content), masked)
        except ValueError:
            pass
    return content.decode("latin-1")  # any byte has a letter


def without(value: Any, masked: Collection[str]) -> Any:
    if isinstance(value, dict):
        return {
            key: "..." if key in masked else without(each, masked) for key, each in value.items()
        }
    if isinstance(value, list):
        return [without(each, masked) for each in value]
    return value


def steady(statement: str) -> str:
    """The words of a statement, sorted, without what differs each time.

    That is comments and the names of savepoints, and the order in which SQLAlchemy 1.4 (Superset)
    names the columns of a subquery.
    """
    words = re.sub(r'/\*.*?\*/|"s\d+_x\d+"', "", statement).replace(",", " ").split()
    return " ".join(sorted(words))


def rows_of(content: bytes) -> int | None:
    """How many rows a list in JSON has, as it is or as a page; None if it is no list."""
    try:
        value = json.loads(content)
    except ValueError:
        return None
    if isinstance(value, dict):
        value = next((value[key] for key in ("results", "data", "result") if key in value), None)
    return len(value) if isinstance(value, list) else None


def main() -> None:
    name, contender, directory, *tests = sys.argv[1:]
    del sys.argv[1:]  # FlexMeasures takes "flexmeasures" and a command's name for a command
    application: Application = importlib.import_module(f"applications.{name}").APPLICATION
    is_fast, folder = contender == "fastschema", Path(directory)
    if tests:
        outcomes = run(application, folder, fast=is_fast)
        (folder / f"{contender}.json").write_text(json.dumps(outcomes))
        return
    # What the application prints must not come between the answers.
    output = os.fdopen(os.dup(1), "w")
    os.dup2(os.open(os.devnull, os.O_WRONLY), 1)
    if contender == "fill":
        application.make_database()
    if contender == "orjson":
        os.environ[WITH_ORJSON] = "1"
    wsgi = application.start(folder, fast=is_fast)
    if ("fastschema" in sys.modules) != is_fast:
        raise SystemExit(f"fastschema is imported by stock, or not at all: {contender}")
    if contender == "fill":
        application.fill()
        application.settle_database()
    else:
        serve(Served(contender, application, Client(application, wsgi)), output)


if __name__ == "__main__":
    main()
