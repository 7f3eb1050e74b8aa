"""A database with a few rows: SQLite, or the PostgreSQL that ``DATABASE_URL`` names."""

import os
from urllib.parse import unquote

import pytest
from sqlalchemy import create_engine, make_url
from sqlalchemy.orm import Session
from sqlalchemy.pool import StaticPool

from tests.promises.sqlalchemy.models import Base, fill


def _engine():
    url = os.environ.get("DATABASE_URL")
    if url is None:
        return create_engine("sqlite://", poolclass=StaticPool)
    parsed = make_url(url)
    host = unquote(parsed.host or "")  # a directory, quoted as Django wants it
    return create_engine(parsed.set(drivername="postgresql+psycopg", host=host))


@pytest.fixture(scope="module")
def engine():
    engine = _engine()
    Base.metadata.drop_all(engine)
    Base.metadata.create_all(engine)
    with Session(engine) as session:
        fill(session)
    yield engine
    engine.dispose()
