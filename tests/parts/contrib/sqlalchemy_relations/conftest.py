"""The database of promises."""

from tests.promises.sqlalchemy_relations.conftest import engine

__all__ = ["engine"]
