"""Where serializers tell what they do, if a log is open in this context.

Until a log is opened for the first time in a process, nothing is done but to look at ``in_use``.
"""

from __future__ import annotations

from collections.abc import Iterable
from contextvars import ContextVar
from typing import Any

in_use = False
"""Whether a log was ever opened in this process."""

_current: ContextVar[Any] = ContextVar("fastschema_dump_log", default=None)
current_log = _current.get


def open_log(log: Any) -> None:
    """Let serializers tell a ``DumpLog`` what they do, in this thread or task."""
    global in_use
    in_use = True
    _current.set(log)


def stop_logging() -> None:
    _current.set(None)


def log_for(serializer: Any) -> Any:
    """Return the log that is to have a dump by a serializer; None if there is none."""
    log = current_log()
    return log if log is not None and log.begins(serializer) else None


def note_loaded(lookups: Iterable[str]) -> None:
    log = current_log()
    if log is not None:
        log.on_demand += lookups


def log_stream(serializer: Any, *, is_compiled: bool) -> None:
    log = current_log()
    if log is not None:
        log.add_stream(serializer, is_compiled=is_compiled)
