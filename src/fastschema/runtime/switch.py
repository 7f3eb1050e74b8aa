"""Switch fastschema off, for a process or inside a ``with`` statement."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from typing import Any

VARIABLE = "FASTSCHEMA_DISABLED"


def is_yes(text: str) -> bool:
    """Return whether the text of a setting means yes; only "", 0, false, no and off mean no."""
    return text.strip().lower() not in ("", "0", "false", "no", "off")


_IS_DISABLED_AT_START = is_yes(os.environ.get(VARIABLE, ""))
_disabled = ContextVar("fastschema_disabled", default=_IS_DISABLED_AT_START)
is_disabled = _disabled.get


@contextmanager
def disabled() -> Iterator[None]:
    """Run stock inside the ``with`` statement, in this thread or task only.

    The environment variable ``FASTSCHEMA_DISABLED=1``, read when fastschema is imported, does the
    same for a whole process.
    """
    with _switched(is_on=False):
        yield


def call_disabled(function: Callable[..., Any], /, *args: Any, **options: Any) -> Any:
    """Return what a function returns that is called with :func:`disabled` around it."""
    token = _disabled.set(True)
    try:
        return function(*args, **options)
    finally:
        _disabled.reset(token)


@contextmanager
def enabled() -> Iterator[None]:
    """Run fastschema inside the ``with`` statement, in this thread or task only.

    It does so where ``FASTSCHEMA_DISABLED`` or a :func:`disabled` around it says otherwise, too.
    What is not installed stays as it is.
    """
    with _switched(is_on=True):
        yield


@contextmanager
def _switched(*, is_on: bool) -> Iterator[None]:
    token = _disabled.set(not is_on)
    try:
        yield
    finally:
        _disabled.reset(token)
