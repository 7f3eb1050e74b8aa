"""What a model makes of the value of a column: the label of a choice, and the object of a file."""

from __future__ import annotations

import weakref
from collections.abc import Callable
from functools import partialmethod
from typing import Any

from django.db.models import Field, Model
from django.db.models.fields.files import FieldFile, ImageFieldFile
from django.utils.encoding import force_str
from django.utils.hashable import make_hashable
from rest_framework import fields

from fastschema.compiler.nodes import FieldNode
from fastschema.contrib.django.front_end.access import on_class
from fastschema.contrib.django.front_end.json_encoding import TRANSLATIONS
from fastschema.runtime.patching import stock_method

_DISPLAY = stock_method(Model, "_get_FIELD_display")
_FLAT = stock_method(Field, "flatchoices")
_REPRESENT_FILE = stock_method(fields.FileField, "to_representation")
_URL = stock_method(FieldFile, "url")
_VALUES = frozenset([str, int, bool, type(None)])
"""Values of exactly these classes are compared without code of users."""

Label = str | tuple[Callable[..., str], tuple[Any, ...]]
"""A label, or the function that translates it, with what that is given."""
Labels = tuple[tuple[Any, Label], ...]
"""Values and their labels. Programs are made of them, for whatever language."""


def displayed_field(model: Any, name: str) -> Any:
    """Return the field whose label a method of a model returns; None if it may be another method.

    :param name: the name of the method
    """
    method = on_class(model, name)
    if type(method) is not partialmethod or method.func is not _DISPLAY or method.args:
        return None
    field: Any = method.keywords.get("field")
    is_stock = type(field).flatchoices is _FLAT and type(field.choices) is list
    return field if is_stock and _labels(field) is not None else None


def labels_of(model: Any, name: str) -> Labels:
    """Return the labels that a method for which there is a :func:`displayed_field` may return."""
    labels = _labels(displayed_field(model, name))
    assert labels is not None
    return labels


def _labels(field: Any) -> Labels | None:
    labels: list[tuple[Any, Label]] = []
    for value, label in field.flatchoices:
        if type(value) not in _VALUES:
            return None
        if type(label) in TRANSLATIONS:
            # As it is pickled: its function and what that is given.
            _, (translate, arguments, options, *_) = label.__reduce__()
            if options:
                return None
            labels.append((value, (translate, arguments)))
        elif type(label) is str:
            labels.append((value, label))
        else:
            return None
    return tuple(labels)


def label_finder(labels: Labels) -> Callable[[Any], Any]:
    """Return what finds the label of a value, in the language that is active then."""
    known = dict(labels)

    def label_of(value: Any) -> Any:
        label = known.get(make_hashable(value), value)
        if type(label) is tuple:
            translate, arguments = label
            return translate(*arguments)
        return force_str(label, strings_only=True)

    return label_of


FileColumn = weakref.ReferenceType[Any]
"""A model's field for files. Programs are made of it, which live longer than the model."""


def file_column(field: Any, node: FieldNode, model: Any, name: str) -> FileColumn | None:
    """Return the model's field if all that is asked of its files are their names and addresses.

    :param field: the serializer's field
    :param name: the attribute of the model, which gives files
    """
    if type(field).to_representation is not _REPRESENT_FILE or node.reason is not None:
        return None
    model_field: Any = on_class(model, name)
    model_field = model_field.field
    made = model_field.attr_class
    is_stock = made in (FieldFile, ImageFieldFile) and made.url is _URL
    return weakref.ref(model_field) if is_stock else None


def file_maker(column: FileColumn) -> Callable[[Any], Any]:
    """Return what makes a file of its name, as instances do: one that knows no instance."""
    model_field: Any = column()
    return lambda name: model_field.attr_class(None, model_field, name)
