"""Stand-ins for objects that were read from already, so that nothing is read from them twice."""

from __future__ import annotations

from typing import Any


class _Substitute:
    """Stands for an object, whatever is read from it."""

    def __init__(self, obj: Any, result: Any) -> None:
        object.__setattr__(self, "_fastschema_substitute", (obj, result))

    def __getattribute__(self, name: str) -> Any:
        obj, result = object.__getattribute__(self, "_fastschema_substitute")
        return obj.__class__ if name == "__class__" else type(self)._give(result)

    def __getitem__(self, name: str) -> Any:
        return type(self)._give(object.__getattribute__(self, "_fastschema_substitute")[1])

    @staticmethod
    def _give(result: Any) -> Any:
        raise NotImplementedError


class Holding(_Substitute):
    """Gives the value that was read."""

    @staticmethod
    def _give(result: Any) -> Any:
        return result


class Raising(_Substitute):
    """Raises the exception that reading raised."""

    @staticmethod
    def _give(result: Any) -> Any:
        raise result
