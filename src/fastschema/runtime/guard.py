"""What hangs on schemas and classes, and forgetting all of it."""

from __future__ import annotations

from typing import Any

ATTRIBUTE = "_fastschema"
"""Where what is known of a schema hangs on it: a key of its ``__dict__``."""

CLASS_ATTRIBUTE = "_fastschema_class"
"""The same for a class, of which instances inherit it."""


class State:
    """What hangs on a schema object. Copies and pickles of the schema have none.

    A shallow copy shares it with the schema, which the state must see for itself.
    """

    __slots__ = ()

    def __reduce__(self) -> Any:
        return type(None), ()

    def __deepcopy__(self, memo: Any) -> None:
        return None


class Readings:
    """All that was read since :meth:`forget` was called last."""

    __slots__ = ("current",)

    def __init__(self) -> None:
        self.current = object()
        """Another object after each call of :meth:`forget`."""

    def forget(self) -> None:
        """Read every schema anew."""
        self.current = object()


readings = Readings()
