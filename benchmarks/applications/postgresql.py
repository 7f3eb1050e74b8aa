"""Databases of the PostgreSQL server that DATABASE_URL leads to."""

from __future__ import annotations

import os
from typing import Any
from urllib.parse import urlsplit


def is_there() -> bool:
    return bool(os.environ.get("DATABASE_URL"))


def address() -> dict[str, Any]:
    """Where the server is; its host may be the folder of a socket."""
    from psycopg.conninfo import conninfo_to_dict

    return {"user": "", "password": "", "port": "", **conninfo_to_dict(os.environ["DATABASE_URL"])}


def django_url(name: str) -> str:
    return urlsplit(os.environ["DATABASE_URL"])._replace(path=f"/{name}").geturl()


def sqlalchemy_url(name: str, driver: str, application_name: str) -> str:
    """Return where a database is, for SQLAlchemy.

    :param driver: the package that connects to it
    :param application_name: the name by which the server knows the connections
    """
    from sqlalchemy.engine.url import URL

    server = address()
    query = {name: server[name] for name in ("host", "port") if server[name]}
    query["application_name"] = application_name
    user, password = server["user"] or None, server["password"] or None
    url = URL.create(f"postgresql+{driver}", user, password, database=name, query=query)
    return str(url.render_as_string(hide_password=False))


def make_anew(name: str) -> None:
    """Make an empty database, in the place of one of that name if there is one."""
    with connected() as connection:
        connection.execute(f'DROP DATABASE IF EXISTS "{name}" WITH (FORCE)')
        connection.execute(f'CREATE DATABASE "{name}"')


def vacuum(name: str) -> None:
    """Collect the statistics of a database that has been filled, and clear it up."""
    with connected(name) as connection:
        connection.execute("VACUUM ANALYZE")


def connected(name: str | None = None) -> Any:
    """Return a connection to a database, in which each statement is a transaction of its own."""
    import psycopg

    return psycopg.connect(os.environ["DATABASE_URL"], dbname=name, autocommit=True)
