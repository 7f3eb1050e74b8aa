"""The database of promises."""

from tests.promises.sqlalchemy_relations.conftest import _tell_nobody_afterwards, ask, engine

__all__ = ["_tell_nobody_afterwards", "ask", "engine"]
