"""The same statement through stock and through a plan, compared in all that users can see."""

from dataclasses import dataclass
from typing import Any

from sqlalchemy.orm import Session

import fastschema
from tests.instruments.core import standard_dumps
from tests.promises.sqlalchemy.models import Loud
from tests.promises.sqlalchemy.queries import queries

WITHOUT_OBJECTS = "The rows are read without making objects."


@dataclass
class Outcome:
    """What came of a dump.

    :param result: its bytes, or the class and the message of its exception
    :param queries: what the database was asked, with the parameters
    :param written: how often values of users were written
    """

    result: Any
    queries: list[Any]
    written: int


def outcome(engine, dump, session_class=Session):
    """What a function of a session comes to."""
    Loud.written = 0
    with queries(engine) as sent, session_class(engine) as session:
        try:
            result = dump(session)
        except Exception as error:
            result = (type(error), str(error))
    return Outcome(result, sent, Loud.written)


def stock_text(schema, statement, session):
    """What stock writes for the objects that a statement selects."""
    with fastschema.disabled():
        objects = session.scalars(statement).unique().all()
        return standard_dumps(schema.dump(objects, many=True))


def assert_same(engine, make_schema, statement, session_class=Session, *, compare_stream=True):
    """Dump what a statement selects both ways, and in chunks; return the outcome."""
    stock = outcome(engine, lambda s: stock_text(make_schema(), statement, s), session_class)
    plan = fastschema.compile(make_schema())
    fast = outcome(engine, lambda s: plan.dumps_select(statement, s), session_class)
    assert fast == stock
    if compare_stream:
        streamed = outcome(
            engine, lambda s: b"".join(plan.stream_select(statement, s, 5)), session_class
        )
        assert streamed.result == stock.result
    return stock


def note(engine, schema, statement):
    """What a plan says of a statement's rows."""
    with Session(engine) as session:
        return fastschema.compile(schema).explain_select(statement, session).notes[-1]


def is_without_objects(engine, schema, statement):
    """Whether the rows of a statement are read without making objects."""
    return note(engine, schema, statement) == WITHOUT_OBJECTS
