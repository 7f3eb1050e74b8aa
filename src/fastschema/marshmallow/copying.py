"""Copying the fields of a class for a new schema, in less time.

A schema is often made for a single object, and copies all fields of its class, which takes several
times as long as dumping the object. Here fields are copied attribute by attribute, where ``copy``
would come to the same. Whatever is out of the ordinary is left to stock.
"""

from __future__ import annotations

import copy
from typing import Any

from marshmallow import fields

from fastschema.marshmallow.plain_classes import OWN_WAYS, is_plain
from fastschema.runtime.stock import stock_method
from fastschema.switch import is_disabled

STOCK_DEEPCOPY: Any = stock_method(fields.Field, "__deepcopy__")
_new: Any = object.__new__


def copy_field(field: Any) -> Any:
    """A shallow copy of a field, as ``copy.copy`` makes it."""
    own = field.__dict__
    if type(own) is not dict or not own.keys().isdisjoint(OWN_WAYS):
        return copy.copy(field)
    copied: Any = _new(type(field))
    copied.__dict__ = own.copy()
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
    if is_disabled() or not is_plain(type(self)):
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
    for cls in set(map(type, declared.values())):
        if getattr(cls, "__deepcopy__", None) is not deepcopy_field or not is_plain(cls):
            return None
    copied: dict[str, Any] = {}
    for name, field in declared.items():
        own = field.__dict__
        if type(name) is not str or type(own) is not dict or not own.keys().isdisjoint(OWN_WAYS):
            return None
        copied[name] = new = _new(type(field))
        new.__dict__ = own.copy()
    # A field that has two names is copied once.
    return copied if len(set(map(id, declared.values()))) == len(copied) else None


fast_copy = Copy()
"""What takes the place of the module in marshmallow."""
