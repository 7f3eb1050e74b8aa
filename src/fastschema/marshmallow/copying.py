"""Copying the fields of a class for a new schema, in less time.

A schema is often made for a single object, and copies all fields of its class, which takes several
times as long as dumping the object. Here fields are copied attribute by attribute, where ``copy``
would come to the same. Whatever is out of the ordinary is left to stock.
"""

from __future__ import annotations

import copy
from abc import ABCMeta
from copyreg import dispatch_table
from typing import Any

from marshmallow import fields

from fastschema.runtime.stock import stock_method
from fastschema.switch import is_disabled

STOCK_DEEPCOPY: Any = stock_method(fields.Field, "__deepcopy__")
FIELD_CLASSES = {
    cls
    for cls in vars(fields).values()
    if isinstance(cls, type) and issubclass(cls, fields.Field) and cls.__module__ == fields.__name__
}
"""The classes of fields that marshmallow has."""
_METACLASSES = (type, ABCMeta)
_new: Any = object.__new__
_OWN_WAYS = frozenset(
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
        "__setstate__",
        "__slots__",
    ]
)
"""What says how an object is to be copied, or what becomes of copies."""
_PLAIN_CLASSES = frozenset(base for cls in FIELD_CLASSES for base in cls.__mro__)


def has_plain_copies(cls: Any) -> bool:
    """Whether copies of a class's instances are new ones with the same attributes."""
    if type(cls) not in _METACLASSES or cls in dispatch_table:
        return False
    for base in cls.__mro__:
        if base not in _PLAIN_CLASSES and not base.__dict__.keys().isdisjoint(_OWN_WAYS):
            return False
    return True


def copy_field(field: Any) -> Any:
    """A shallow copy of a field, as ``copy.copy`` makes it."""
    own = field.__dict__
    if type(own) is not dict or not own.keys().isdisjoint(_OWN_WAYS):
        return copy.copy(field)
    copied: Any = _new(type(field))
    # Attributes are read faster than those of a dictionary that is put in the place of its own.
    copied.__dict__.update(own)
    return copied


_LISTS = ("tuple_fields", "validators")
"""The attributes of fields that are lists of what they are made of."""


def frozen_copy(field: Any) -> Any:
    """A copy of a field, and of the fields inside of it, that later changes to those pass by."""
    copied = copy_field(field)
    own = copied.__dict__
    for name, value in own.items():
        if isinstance(value, fields.Field) and name != "parent":
            own[name] = frozen_copy(value)
        elif name in _LISTS and type(value) is list:
            own[name] = [
                frozen_copy(each) if isinstance(each, fields.Field) else each for each in value
            ]
    return copied


def deepcopy_field(self: Any, memo: Any) -> Any:
    """``Field.__deepcopy__``: a shallow copy of the field."""
    if is_disabled() or not has_plain_copies(type(self)):
        return copy.copy(self)
    return copy_field(self)


class Copy:
    """The module ``copy``, as ``Schema.__init__`` uses it: to copy the fields of its class."""

    def __getattr__(self, name: str) -> Any:
        return getattr(copy, name)

    @staticmethod
    def deepcopy(declared: Any, memo: Any = None) -> Any:
        """``copy.deepcopy``, faster for a dictionary of fields that are copied plainly."""
        if type(declared) is dict and memo is None and not is_disabled():
            copied = _copied_fields(declared)
            if copied is not None:
                return copied
        return copy.deepcopy(declared, memo)


def _copied_fields(declared: dict[Any, Any]) -> dict[str, Any] | None:
    """The fields copied plainly; None if that is not how all of them are copied."""
    copied: dict[str, Any] = {}
    classes: set[type] = set()
    for name, field in declared.items():
        cls = type(field)
        if cls not in classes:
            if getattr(cls, "__deepcopy__", None) is not deepcopy_field:
                return None
            if not has_plain_copies(cls):
                return None
            classes.add(cls)
        own = field.__dict__
        if type(name) is not str or type(own) is not dict or not own.keys().isdisjoint(_OWN_WAYS):
            return None
        copied[name] = copy_field(field)
    # A field that has two names is copied once.
    return copied if len(set(map(id, declared.values()))) == len(copied) else None


fast_copy = Copy()
"""What takes the place of the module in marshmallow."""
