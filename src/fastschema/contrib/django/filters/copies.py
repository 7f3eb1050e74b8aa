"""Copies of filters: what ``copy.deepcopy`` makes, in less time."""

from __future__ import annotations

import copy
from typing import Any
from weakref import WeakKeyDictionary

from fastschema.contrib.django.clones import is_copied_by_attributes

_ATOMIC = (str, bool, int, type(None), type)
_Memo = dict[int, Any]
_known: WeakKeyDictionary[type, bool] = WeakKeyDictionary()
"""By class of filters: whether a copy has copies of the attributes, and no more."""


class Copied(dict[str, Any]):
    """Filters that are about to be copied by ``copy.deepcopy``.

    :param base: them
    """

    def __init__(self, base: Any) -> None:
        super().__init__(base)
        self._base = base

    def __deepcopy__(self, memo: _Memo) -> Any:
        return copied_filters(self._base, memo)


def copied_filters(base: Any, memo: _Memo) -> Any:
    """Return what ``copy.deepcopy`` does of a dictionary of filters."""
    made = copy.copy(base)
    for name, filter_ in base.items():
        is_plain = id(filter_) not in memo and _is_copied_by_attributes(type(filter_))
        made[name] = (copied_filter if is_plain else copy.deepcopy)(filter_, memo)
    return made


def copied_filter(filter_: Any, memo: _Memo) -> Any:
    """Return a filter with copies of its attributes."""
    memo[id(filter_)] = made = object.__new__(type(filter_))
    attributes = dict(vars(filter_))
    extra = attributes.get("extra")
    if type(extra) is dict and id(extra) not in memo:
        memo[id(extra)] = _copied_values(extra, memo)
    vars(made).update(_copied_values(attributes, memo))
    return made


def _copied_values(values: dict[str, Any], memo: _Memo) -> dict[str, Any]:
    return {
        name: value if type(value) in _ATOMIC else copy.deepcopy(value, memo)
        for name, value in values.items()
    }


def _is_copied_by_attributes(cls: Any) -> bool:
    if cls not in _known:
        _known[cls] = cls.__new__ is object.__new__ and is_copied_by_attributes(cls)
    return _known[cls]
