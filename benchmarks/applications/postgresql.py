"""Databases of the PostgreSQL server that DATABASE_URL leads to."""

from __future__ import annotations

import os
from dataclasses import dataclass
from typing import Any
from urllib.parse import quote, unquote, urlencode, urlsplit


@dataclass(frozen=True)
class Address:
    """What a client needs to know of a server.

    :param host: a name, or the folder of its socket
    """

    host: str
    port: int | None
    user: str
    password: str
    database: str


def address(url: str | None = None) -> Address:
    parts = urlsplit(url or os.environ["DATABASE_URL"])
    host = parts.netloc.rpartition("@")[2].partition(":")[0]
    return Address(
        unquote(host),
        parts.port,
        unquote(parts.username or ""),
        unquote(parts.password or ""),
        parts.path.removeprefix("/"),
    )


def is_there() -> bool:
    return bool(os.environ.get("DATABASE_URL"))


def django_url(name: str) -> str:
    return urlsplit(os.environ["DATABASE_URL"])._replace(path=f"/{name}").geturl()


def sqlalchemy_url(name: str, driver: str, application_name: str) -> str:
    """Return where a database is, for SQLAlchemy.

    :param driver: the package that connects to it
    :param application_name: the name by which the server knows the connections
    """
    server = address()
    query = {"host": server.host, "application_name": application_name}
    if server.port:
        query["port"] = str(server.port)
    user = ":".join(quote(each) for each in (server.user, server.password) if each)
    return f"postgresql+{driver}://{user}@/{name}?{urlencode(query)}"


def make_anew(name: str) -> None:
    """Make an empty database, in the place of one of that name if there is one."""
    with connected(address().database) as connection:
        connection.execute(f'DROP DATABASE IF EXISTS "{name}" WITH (FORCE)')
        connection.execute(f'CREATE DATABASE "{name}"')


def vacuum(name: str) -> None:
    """Collect the statistics of a database that has been filled, and clear it up."""
    with connected(name) as connection:
        connection.execute("VACUUM ANALYZE")


def connected(name: str) -> Any:
    """Return a connection to a database, in which each statement is a transaction of its own."""
    import psycopg

    server = address()
    how: dict[str, Any] = {"host": server.host, "user": server.user, "dbname": name}
    if server.port:
        how["port"] = server.port
    if server.password:
        how["password"] = server.password
    return psycopg.connect(**how, autocommit=True)
