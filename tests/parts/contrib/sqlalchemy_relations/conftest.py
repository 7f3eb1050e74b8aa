"""The database of promises."""

from tests.promises.sqlalchemy_relations.conftest import (
    _restore_what_runs_before_dumps,
    ask,
    engine,
)

__all__ = ["_restore_what_runs_before_dumps", "ask", "engine"]
