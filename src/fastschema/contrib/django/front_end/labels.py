"""Labels of choices: what ``Model.get_FOO_display`` returns, by the choices as they are read once.

Django makes a dictionary of them for each object.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partialmethod
from typing import Any

from django.db.models import Field, Model
from django.db.models.query_utils import DeferredAttribute
from django.utils.encoding import force_str
from django.utils.hashable import make_hashable

from fastschema.contrib.django.front_end.access import on_class
from fastschema.contrib.django.front_end.json_encoding import TRANSLATIONS
from fastschema.runtime.patching import stock_method

_DISPLAY = stock_method(Model, "_get_FIELD_display")
_FLAT = stock_method(Field, "flatchoices")
_VALUES = frozenset([str, int, bool, type(None)])
"""Values of exactly these classes are compared without code of users."""


def displayed_field(model: Any, name: str) -> Any:
    """Return the field whose label a method returns; None if it may be another method."""
    method = on_class(model, name)
    if type(method) is not partialmethod or method.func is not _DISPLAY or method.args:
        return None
    field: Any = method.keywords.get("field")
    is_stock = type(field).flatchoices is _FLAT and type(field.choices) is list
    return field if is_stock and _has_plain_labels(field) else None


def _has_plain_labels(field: Any) -> bool:
    """Return whether finding the label of a value runs no code of users."""
    return all(
        type(value) in _VALUES and (type(label) is str or type(label) in TRANSLATIONS)
        for value, label in field.flatchoices
    )


def label_of_value(model_field: Any) -> Callable[[Any], Any]:
    """Return what gives the label of a value of a model's field, in the active language."""
    labels = dict(model_field.flatchoices)

    def label_of(value: Any) -> Any:
        return force_str(labels.get(make_hashable(value), value), strings_only=True)

    return label_of


def label_of_instance(cls: type, name: str) -> Callable[[Any], Any] | None:
    """Return what gives the label of an instance; None if ``name`` may be another method."""
    model_field = displayed_field(cls, name)
    if model_field is None:
        return None
    column: str = model_field.attname
    if type(on_class(cls, column)) is not DeferredAttribute:
        return None
    label_of = label_of_value(model_field)

    def label_or_method(obj: Any) -> Any:
        attributes = obj.__dict__
        is_plain = column in attributes and name not in attributes
        return label_of(attributes[column]) if is_plain else getattr(obj, name)

    return label_or_method
