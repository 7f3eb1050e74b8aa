"""What takes less time where django-filter makes filters and form after all."""

from __future__ import annotations

import copy
from typing import Any
from weakref import WeakKeyDictionary

from django.db.models import QuerySet
from django.utils import translation
from django.utils.functional import Promise
from django_filters import filters, utils

from fastschema.contrib.django.class_state import StateOfClass
from fastschema.contrib.django.clones import is_copied_by_attributes
from fastschema.runtime.patching import stock_method
from fastschema.switch import is_disabled

STOCK_LABEL_FOR_FILTER = stock_method(utils, "label_for_filter")
STOCK_FILTER_BY_CHOICES = stock_method(filters.MultipleChoiceFilter, "filter")
_MOST_LABELS = 4096


class Labels(StateOfClass):
    """The labels of the filters of a model."""

    __slots__ = ("known",)

    def __init__(self, cls: type) -> None:
        super().__init__(cls)
        self.known: dict[Any, str] = {}
        """By what they are made of."""


def label_for_filter(model: Any, field_name: Any, lookup_expr: Any, exclude: Any = False) -> Any:
    """``django_filters.utils.label_for_filter``, once in each language."""
    are_names = type(field_name) is str and type(lookup_expr) is str
    if not are_names or not isinstance(model, type) or is_disabled():
        return STOCK_LABEL_FOR_FILTER(model, field_name, lookup_expr, exclude)
    known = Labels.of(model).known
    key = field_name, lookup_expr, bool(exclude), translation.get_language()
    label = known.get(key)
    if label is None:
        label = STOCK_LABEL_FOR_FILTER(model, field_name, lookup_expr, exclude)
        fields = utils.get_field_parts(model, field_name) or ()
        if len(known) < _MOST_LABELS and all(
            _depends_on_language(getattr(field, "verbose_name", "")) for field in fields
        ):
            known[key] = label
    return label


def _depends_on_language(name: Any) -> bool:
    """Return whether a text is the same whenever the language is the same."""
    if isinstance(name, Promise):
        function = name.__reduce__()[1][0]
        return function is translation.gettext
    return type(name) is str


def filter_by_choices(self: Any, qs: Any, value: Any) -> Any:
    """``MultipleChoiceFilter.filter``, which need not ask whether no objects are any."""
    if isinstance(value, QuerySet) and _is_nothing(value) and not is_disabled():
        return qs
    return STOCK_FILTER_BY_CHOICES(self, qs, value)


def _is_nothing(queryset: Any) -> bool:
    """Return whether a queryset is known to be empty, as that of ``QuerySet.none()``."""
    cls, query = type(queryset), queryset.query
    return (
        queryset._result_cache is None
        and cls.__bool__ is QuerySet.__bool__
        and cls._fetch_all is QuerySet._fetch_all
        and not query.combinator
        and bool(query.is_empty())
    )


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
