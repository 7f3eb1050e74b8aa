"""The queries that a test sends."""

from contextlib import contextmanager

from sqlalchemy import event


@contextmanager
def queries(engine):
    """The statements that the database is sent."""
    sent = []

    def listen(connection, cursor, statement, parameters, context, executemany):
        sent.append((statement, parameters))

    event.listen(engine, "before_cursor_execute", listen)
    try:
        yield sent
    finally:
        event.remove(engine, "before_cursor_execute", listen)
