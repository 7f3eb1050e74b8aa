"""The database of promises."""

from tests.promises.sqlalchemy.conftest import engine

__all__ = ["engine"]
