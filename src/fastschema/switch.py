"""The kill switch: everything runs stock, so that a user can always check."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar

VARIABLE = "FASTSCHEMA_DISABLED"


def _from_environment() -> bool:
    return os.environ.get(VARIABLE, "").strip().lower() not in ("", "0", "false", "no", "off")


_DISABLED_AT_START = _from_environment()
_disabled = ContextVar("fastschema_disabled", default=_DISABLED_AT_START)
is_disabled = _disabled.get


@contextmanager
def disabled() -> Iterator[None]:
    """Run stock inside the ``with`` statement, in this thread or task only.

    The environment variable ``FASTSCHEMA_DISABLED=1``, read when fastschema is imported, does the
    same for a whole process.
    """
    token = _disabled.set(True)
    try:
        yield
    finally:
        _disabled.reset(token)
