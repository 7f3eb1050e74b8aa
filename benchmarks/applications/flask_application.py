"""Applications that use Flask, marshmallow and Flask-SQLAlchemy, over PostgreSQL."""

from __future__ import annotations

import abc
import importlib
import os
from collections.abc import Iterator
from contextlib import AbstractContextManager, contextmanager
from pathlib import Path
from typing import Any, ClassVar
from wsgiref.types import WSGIApplication

from applications.application import Application
from applications.postgresql import sqlalchemy_url
from harness.queries import sqlalchemy_statements


class FlaskApplication(Application):
    """One that Flask runs.

    :cvar factory: the module and the name of the function that makes it
    :cvar driver: the package that connects it to PostgreSQL
    :ivar app: the Flask object
    :ivar db: the SQLAlchemy object of its extension
    """

    factory: ClassVar[tuple[str, str]]
    driver: ClassVar[str] = "psycopg2"
    app: Any
    db: Any

    @abc.abstractmethod
    def create(self, directory: Path) -> tuple[Any, Any]:
        """Return the application and its database."""

    def start(self, directory: Path, *, fast: bool) -> WSGIApplication:
        self.app, self.db = self.create(directory)
        if fast:
            from fastschema.contrib.flask import FastSchema

            loads = os.environ.get("LOAD_RELATIONS", "")
            self.app.config["FASTSCHEMA_LOAD_RELATIONS"] = loads if loads == "all" else bool(loads)
            FastSchema(self.app)
        wsgi: WSGIApplication = self.app.wsgi_app
        return wsgi

    def database_url(self) -> str:
        """Return where its database is; the server knows the connections by their name."""
        return sqlalchemy_url(self.database, self.driver, connection_name())

    def settings_file(self, directory: Path, ending: str, **settings: Any) -> str:
        """Write a file of settings, which are constants of Python; return where it is."""
        path = directory / f"{connection_name()}{ending}"
        path.write_text("".join(f"{name} = {value!r}\n" for name, value in settings.items()))
        return str(path)

    @contextmanager
    def rolled_back(self) -> Iterator[None]:
        with self.app.app_context():
            engines = self.db.engines
        engine = engines[None]
        with engine.connect() as connection, connection.begin() as transaction:
            # Sessions join the transaction of a connection that stands for the engine, also when
            # the application commits. Flask-AppBuilder asks what they are bound to for its name.
            connection.name = engine.name
            engines[None] = connection
            try:
                yield
            finally:
                engines[None] = engine
                transaction.rollback()

    def recorded(self) -> AbstractContextManager[list[str]]:
        return sqlalchemy_statements()

    def backends(self) -> list[int]:
        with self.app.app_context():
            return backends_of(self.db.session)

    def test_plugins(self, directory: Path, fast: bool) -> list[Any]:
        self.make_database()
        return [WithFastSchema(*self.factory)] if fast else []


def connection_name() -> str:
    """What the database server calls the connections of this process."""
    return f"benchmark-{os.getpid()}"


def backends_of(session: Any) -> list[int]:
    """Return the processes of the server that serve this process.

    :param session: a scoped session, which is removed
    """
    from sqlalchemy import text

    query = text("SELECT pid FROM pg_stat_activity WHERE application_name = :name")
    rows = session.execute(query, {"name": connection_name()}).all()
    session.remove()
    return [pid for (pid,) in rows]


class WithFastSchema:
    """A plugin of pytest that adds fastschema to each application that a function makes."""

    def __init__(self, module: str, function: str) -> None:
        place = importlib.import_module(module)
        create = getattr(place, function)

        def create_with_fastschema(*arguments: Any, **options: Any) -> Any:
            from fastschema.contrib.flask import FastSchema

            app = create(*arguments, **options)
            FastSchema(app)
            return app

        setattr(place, function, create_with_fastschema)
