"""Classes of schemas and fields whose objects marshmallow alone makes, copies and reads."""

from __future__ import annotations

from abc import ABCMeta
from copyreg import dispatch_table
from typing import Any

from marshmallow import Schema, fields

FIELD_CLASSES = {
    cls
    for cls in vars(fields).values()
    if isinstance(cls, type) and issubclass(cls, fields.Field) and cls.__module__ == fields.__name__
}
"""The classes of fields that marshmallow has."""

OWN_WAYS = frozenset(
    [
        "__copy__",
        "__deepcopy__",
        "__del__",  # would see copies that are not used
        "__getattr__",
        "__getattribute__",
        "__getnewargs__",
        "__getnewargs_ex__",
        "__getstate__",
        "__new__",
        "__reduce__",
        "__reduce_ex__",
        "__setattr__",
        "__setstate__",
        "__slots__",
    ]
)
"""What says how an object is copied, what becomes of copies, and what is done with attributes."""

_ATTRIBUTES = frozenset(
    [
        *("parent", "name", "root", "data_key", "attribute", "declared_fields", "only", "exclude"),
        *("load_only", "dump_only", "fields", "load_fields", "dump_fields"),
    ]
)
"""Attributes of objects that a class may have properties for."""
_LOOKED_FOR = OWN_WAYS | _ATTRIBUTES
_get_class_attribute: Any = type.__getattribute__
_set_attribute: Any = object.__setattr__
_METACLASSES = (type, ABCMeta, type(Schema))
_STOCK_CLASSES: set[type] = {Schema, *FIELD_CLASSES}
_KNOWN_CLASSES = frozenset(base for cls in _STOCK_CLASSES for base in cls.__mro__)


def is_plain(cls: Any) -> bool:
    """Whether a class leaves its objects to marshmallow."""
    metaclass = type(cls)
    if (
        not (metaclass in _METACLASSES or _is_plain_metaclass(metaclass))
        or cls in dispatch_table
        or cls.__setattr__ is not _set_attribute
    ):
        return False
    for base in cls.__mro__:
        if base not in _KNOWN_CLASSES and not _is_plain_base(base):
            return False
    return True


def _is_plain_metaclass(metaclass: Any) -> bool:
    """Whether a metaclass of schemas looks up the attributes of its classes as ``type`` does."""
    return (
        issubclass(metaclass, type(Schema))
        and metaclass.__getattribute__ is _get_class_attribute
        and not hasattr(metaclass, "__getattr__")
    )


def _is_plain_base(base: type) -> bool:
    own = base.__dict__
    if own.keys().isdisjoint(_LOOKED_FOR):
        return True
    return own.keys().isdisjoint(OWN_WAYS) and not any(
        hasattr(type(own[name]), "__get__") for name in _ATTRIBUTES.intersection(own)
    )
