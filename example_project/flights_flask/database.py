"""The database, and one session for each request."""

from __future__ import annotations

from pathlib import Path
from urllib.parse import unquote

from flask import Flask, current_app, g
from sqlalchemy import create_engine, make_url
from sqlalchemy.engine import URL
from sqlalchemy.orm import Session

DEFAULT = Path(__file__).resolve().parent.parent / "db.sqlite3"


def database_url(url: str | None) -> URL:
    """The database as SQLAlchemy names it; None: the SQLite database of the Django project."""
    if not url:
        return URL.create("sqlite", database=str(DEFAULT))
    parsed = make_url(url)
    if parsed.drivername in ("postgres", "postgresql", "pgsql"):
        # Django wants the directory of a socket quoted.
        return parsed.set(drivername="postgresql+psycopg", host=unquote(parsed.host or ""))
    return parsed


def connect(app: Flask) -> None:
    """Give an application its engine, and end each request's session with the request."""
    app.extensions["engine"] = create_engine(database_url(app.config["DATABASE_URL"]))
    app.teardown_appcontext(end_session)


def session() -> Session:
    """The session of this request."""
    if "session" not in g:
        g.session = Session(current_app.extensions["engine"])
    opened: Session = g.session
    return opened


def end_session(error: BaseException | None) -> None:
    """Close the session, if there is one."""
    opened = g.pop("session", None)
    if opened is not None:
        opened.close()
