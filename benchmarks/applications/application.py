"""What the benchmark asks of an application."""

from __future__ import annotations

import abc
import io
import json
from contextlib import AbstractContextManager
from dataclasses import dataclass
from pathlib import Path
from typing import Any, ClassVar
from wsgiref.types import WSGIApplication
from wsgiref.util import setup_testing_defaults

from applications.postgresql import make_anew, vacuum

SAFE = ("GET", "HEAD", "OPTIONS")
WITH_ORJSON = "WITH_ORJSON"
"""The environment variable that has stock write JSON by orjson."""


@dataclass(frozen=True)
class Request:
    """A request that is measured.

    :param title: what it is called in the tables
    :param path: with the query string
    :param body: what is sent as JSON
    :param sampled: whether to show where its time goes, too
    """

    title: str
    path: str
    method: str = "GET"
    body: Any = None
    sampled: bool = False

    @property
    def is_safe(self) -> bool:
        return self.method in SAFE

    def environ(self) -> dict[str, Any]:
        path, _, query = self.path.partition("?")
        content = b"" if self.body is None else json.dumps(self.body).encode()
        environ: dict[str, Any] = {
            "REQUEST_METHOD": self.method,
            "PATH_INFO": path,
            "QUERY_STRING": query,
            "REMOTE_ADDR": "127.0.0.1",
            "HTTP_HOST": "localhost",
            "HTTP_ACCEPT": "application/json",
            "CONTENT_LENGTH": str(len(content)),
            "wsgi.input": io.BytesIO(content),
        }
        if self.body is not None:
            environ["CONTENT_TYPE"] = "application/json"
        setup_testing_defaults(environ)
        return environ


@dataclass(frozen=True)
class Answer:
    """What came of a request."""

    status: int
    headers: tuple[tuple[str, str], ...]
    body: bytes


class Application(abc.ABC):
    """An application in this process, over a database that is filled already.

    :cvar title: its name
    :cvar packages: what to show the versions of
    :cvar own_code: where the names of its modules' files begin, relative to ``site-packages``
    :cvar masked: keys of JSON whose values differ each time that something is written
    :cvar database: its database in PostgreSQL; empty: it has a file in its folder
    :cvar tests: the packages and modules of its own tests that concern its API
    :cvar contenders: who is compared with stock
    """

    title: ClassVar[str]
    packages: ClassVar[tuple[str, ...]]
    own_code: ClassVar[tuple[str, ...]]
    masked: ClassVar[frozenset[str]] = frozenset()
    database: ClassVar[str] = ""
    tests: ClassVar[tuple[str, ...]] = ()
    contenders: ClassVar[tuple[str, ...]] = ("fastschema",)

    def make_database(self) -> None:
        """Make its database anew, empty."""
        if self.database:
            make_anew(self.database)

    def settle_database(self) -> None:
        """Let the database server do now what it would do while requests are measured."""
        if self.database:
            vacuum(self.database)

    @abc.abstractmethod
    def start(self, directory: Path, *, fast: bool) -> WSGIApplication:
        """Import the application and make it ready.

        :param directory: for its files
        :param fast: add the lines of fastschema's README
        """

    @abc.abstractmethod
    def fill(self) -> None:
        """Make the tables and fill them through the application's models."""

    @abc.abstractmethod
    def requests(self) -> list[Request]:
        """Return what is measured."""

    def credentials(self) -> dict[str, str]:
        """Return what each request's environ has of the user who sends it."""
        return {}

    @abc.abstractmethod
    def rolled_back(self) -> AbstractContextManager[None]:
        """Return a context manager that undoes what is written to the database inside of it."""

    @abc.abstractmethod
    def recorded(self) -> AbstractContextManager[list[str]]:
        """Return a context manager that yields a list of the SQL executed inside of it."""

    @abc.abstractmethod
    def backends(self) -> list[int]:
        """Return the processes of the database server that serve this process."""

    def test_plugins(self, directory: Path, fast: bool) -> list[Any]:
        """Prepare its own tests; return plugins of pytest.

        :param fast: add the lines of fastschema's README
        """
        raise NotImplementedError(f"{self.title} has no tests of its own")


class Client:
    """Sends requests to an application, as a WSGI server would."""

    def __init__(self, application: Application, wsgi: WSGIApplication) -> None:
        self._application = application
        self._wsgi = wsgi
        self._credentials = application.credentials()

    def send(self, request: Request) -> Answer:
        """Return the answer. What a request wrote to the database is undone."""
        if request.is_safe:
            return self._answer(request)
        with self._application.rolled_back():
            return self._answer(request)

    def _answer(self, request: Request) -> Answer:
        started: list[Any] = []
        environ = {**request.environ(), **self._credentials}
        # The application gets no write() from it, which WSGI has for old ones.
        parts = self._wsgi(environ, lambda *how: started.append(how))
        try:
            body = b"".join(parts)
        finally:
            if close := getattr(parts, "close", None):
                close()
        status, headers = started[-1][:2]
        return Answer(int(status.split()[0]), tuple(headers), body)
