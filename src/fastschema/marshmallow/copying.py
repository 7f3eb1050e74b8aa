"""Copying fields, as each new schema does with all of its class: ``copy``'s way, without detours.

A field is copied attribute by attribute. ``copy.copy`` asks its ``__reduce_ex__`` how, and puts the
copy together from the answer; here what the answer would be is looked at instead. Fields that say
in any way how they want to be copied are copied by ``copy``.
"""

from __future__ import annotations

import copy
from abc import ABCMeta
from copyreg import dispatch_table
from operator import attrgetter
from typing import Any

from marshmallow.fields import Field

from fastschema.switch import is_disabled

_METACLASSES = (type, ABCMeta)
_OWN_WAYS = ("__deepcopy__", "__reduce_ex__", "__reduce__", "__getstate__")
"""What ``copy`` looks for on an instance."""

_methods = attrgetter("__getattribute__", "__reduce_ex__", "__reduce__", "__getstate__", "__new__")
_PLAIN_METHODS = _methods(object)
_SIZE_WITHOUT_SLOTS = getattr(Field, "__basicsize__", None)
_new = object.__new__
_set_attribute = object.__setattr__


def deepcopy_field(self: Any, memo: Any) -> Any:
    """``Field.__deepcopy__``: a shallow copy of the field."""
    is_plain = _has_plain_copies(self) and self.__dict__.keys().isdisjoint(_OWN_WAYS)
    return _copied(self) if is_plain and not is_disabled() else copy.copy(self)


class Copy:
    """The module ``copy``, as ``Schema.__init__`` uses it: to copy the fields of its class."""

    def __getattr__(self, name: str) -> Any:
        return getattr(copy, name)

    @staticmethod
    def deepcopy(declared: Any, memo: Any = None) -> Any:
        """``copy.deepcopy``, faster for a dictionary of fields that are copied plainly."""
        if type(declared) is not dict or memo is not None or is_disabled():
            return copy.deepcopy(declared, memo)
        classes = set()
        for name, field in declared.items():
            cls = type(field)
            if cls not in classes:
                deepcopy = getattr(cls, "__deepcopy__", None)  # a class has none
                if deepcopy is not deepcopy_field or not _has_plain_copies(field):
                    break
                classes.add(cls)
            if type(name) is not str or not field.__dict__.keys().isdisjoint(_OWN_WAYS):
                break
        else:
            # A field that has two names is copied once.
            if len({id(field) for field in declared.values()}) == len(declared):
                return {name: _copied(field) for name, field in declared.items()}
        return copy.deepcopy(declared)


def _copied(field: Any) -> Any:
    copied = _new(type(field))
    _set_attribute(copied, "__dict__", field.__dict__.copy())
    return copied


def _has_plain_copies(field: Any) -> bool:
    """Whether copies of such fields are new instances with the same attributes.

    The field is asked, and not its class, for what is not there: that is several times as fast,
    and calls nobody's code where there is no ``__getattr__``.
    """
    cls = type(field)
    return (
        type(cls) in _METACLASSES
        and _methods(cls) == _PLAIN_METHODS
        and getattr(field, "__getattr__", None) is None
        and getattr(field, "__copy__", None) is None
        and getattr(field, "__setstate__", None) is None
        and getattr(field, "__getnewargs__", None) is None
        and getattr(field, "__getnewargs_ex__", None) is None
        and getattr(cls, "__basicsize__", None) == _SIZE_WITHOUT_SLOTS
        and cls not in dispatch_table
    )
