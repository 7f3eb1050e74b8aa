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

from fastschema.class_versions import Findings
from fastschema.switch import is_disabled

_METACLASSES = (type, ABCMeta)

_METHOD_NAMES = ("__getattribute__", "__new__", "__reduce_ex__", "__reduce__", "__getstate__")
_methods = attrgetter(*_METHOD_NAMES)
_PLAIN_METHODS = _methods(object)
_SIZE_WITHOUT_SLOTS = getattr(Field, "__basicsize__", None)
_new: Any = object.__new__
_set: Any = object.__setattr__  # copies are made without writing to them


def deepcopy_field(self: Any, memo: Any) -> Any:
    """``Field.__deepcopy__``: a shallow copy of the field."""
    cls = type(self)
    if (
        is_disabled()
        or not _plain_copies.of(self)
        or cls in dispatch_table
        or has_own_way(self.__dict__)
    ):
        return copy.copy(self)
    copied: Any = _new(cls)
    _set(copied, "__dict__", self.__dict__.copy())
    return copied


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
            if not _plain_deep_copies.of(field) or cls in dispatch_table:
                return None
            classes.add(cls)
        own = field.__dict__
        if type(name) is not str or has_own_way(own):
            return None
        copied[name] = copy_of_field = _new(cls)
        _set(copy_of_field, "__dict__", own.copy())
    # A field that has two names is copied once.
    return copied if len({*map(id, declared.values())}) == len(copied) else None


def has_own_way(attributes: dict[str, Any]) -> bool:
    """Whether a field has attributes of its own for ``copy``, or keeps them in an unusual way."""
    return (
        type(attributes) is not dict
        or "__deepcopy__" in attributes
        or "__reduce_ex__" in attributes
        or "__reduce__" in attributes
        or "__getstate__" in attributes
        or "__getnewargs__" in attributes
        or "__getnewargs_ex__" in attributes
    )


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
        and getattr(field, "__del__", None) is None  # would see copies that are not used
        and getattr(cls, "__basicsize__", None) == _SIZE_WITHOUT_SLOTS
    )


def has_plain_deep_copies(field: Any) -> bool:
    """Whether copies of such fields, deep or not, are new instances with the same attributes."""
    deepcopy = getattr(type(field), "__deepcopy__", None)  # a class has none
    return deepcopy is deepcopy_field and _has_plain_copies(field)


NAMES = (
    *_METHOD_NAMES,
    "__getattr__",
    "__deepcopy__",
    "__copy__",
    "__setstate__",
    "__getnewargs__",
    "__getnewargs_ex__",
    "__del__",
    "__basicsize__",
)
_plain_copies = Findings(_has_plain_copies, NAMES)
_plain_deep_copies = Findings(has_plain_deep_copies, NAMES)

fast_copy = Copy()
"""What takes the place of the module in marshmallow."""
COPIED_BY = (copy, fast_copy)
"""What may be that module, so that new schemas copy fields as seen here."""
