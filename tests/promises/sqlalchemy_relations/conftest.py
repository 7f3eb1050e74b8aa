"""A database with the objects of ``related``."""

import pytest
from sqlalchemy import create_engine
from sqlalchemy.orm import Session
from sqlalchemy.pool import StaticPool

from tests.promises.sqlalchemy_relations.related import Base, fill


@pytest.fixture(scope="module")
def engine():
    engine = create_engine("sqlite://", poolclass=StaticPool)
    Base.metadata.create_all(engine)
    with Session(engine) as session:
        fill(session)
    return engine
