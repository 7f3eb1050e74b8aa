"""Whether reading a value runs code of users: a property, a method."""

from __future__ import annotations

import inspect
from collections.abc import Mapping
from types import FunctionType, MethodType
from typing import Any, NamedTuple

from fastschema.compiler.nodes import ITEM, FieldNode


class UserCode(NamedTuple):
    """What code of users (or stock methods) the value of a field comes from.

    :param why: what it is, in words; "" if there is none
    :param reads: whether it runs when the value is read
    :param converts: whether it runs when the value is converted
    """

    why: str = ""
    reads: bool = False
    converts: bool = False


def of_field(field: FieldNode, cls: type, access: str) -> UserCode:
    """What code of users a field runs for the objects of a class.

    :param access: the way in which they are read
    """
    source, kind = field.source, field.kind
    in_reading = source.user_code
    is_method = False
    if not in_reading and source.path:
        in_reading, is_method = _on_class(cls, source.path[0], access)
    # A front end that calls methods does so when it has read them.
    in_converting = field.reason or kind.user_code
    return UserCode(in_converting or in_reading, bool(in_reading), bool(in_converting) or is_method)


def _on_class(cls: type, name: str, access: str) -> tuple[str, bool]:
    """What code a class has under a name, in words, and whether it is a method."""
    for method in ("__getattribute__", *(["__getitem__"] if access == ITEM else [])):
        if _is_overridden(cls, method):
            return f"{cls.__name__}.{method} is overridden", False
    if access == ITEM and issubclass(cls, Mapping):
        return "", False
    found = _found(cls, name)
    if isinstance(found, (FunctionType, classmethod, staticmethod)):
        return f"{cls.__name__}.{name} is a method", True
    if _is_property(found):
        return f"{cls.__name__}.{name} is a property", False
    return "", False


def _is_overridden(cls: type, method: str) -> bool:
    """Whether a method is written in Python, and not Python's own (for PyPy those are, too)."""
    for base in cls.__mro__:
        if method in base.__dict__:
            return type(base.__dict__[method]) is FunctionType and base.__module__ != "builtins"
    return False


def _is_property(found: object) -> bool:
    """Whether it is a property, a cached one, or one of another library's that is like one."""
    if isinstance(found, property):
        return True
    functions = [inspect.getattr_static(found, name, None) for name in ("fget", "func")]
    return any(isinstance(function, (FunctionType, MethodType)) for function in functions)


def _found(cls: type, name: str) -> Any:
    """What a class has under a name, without asking descriptors."""
    return next((base.__dict__[name] for base in cls.__mro__ if name in base.__dict__), None)
