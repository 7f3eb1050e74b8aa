"""Read the fields of a serializer from the columns of a query's rows.

Of the value of a column, a model may make something else: the label of a choice, or the object of a
file.
"""

from __future__ import annotations

import enum
import weakref
from collections.abc import Callable, Iterator, Sequence
from functools import partialmethod
from typing import Any, NamedTuple

from django.db.models import Field, Model, QuerySet
from django.db.models.constants import LOOKUP_SEP
from django.db.models.fields.files import FieldFile, ImageFieldFile
from django.utils.encoding import force_str
from django.utils.hashable import make_hashable
from rest_framework.fields import FileField, empty
from rest_framework.relations import (
    ManyRelatedField,
    PrimaryKeyRelatedField,
    RelatedField,
    SlugRelatedField,
)
from rest_framework.serializers import ListSerializer, Serializer

from fastschema.compiler.nodes import FieldNode, NotRowReadableError, ObjectNode, Rereading
from fastschema.contrib.django.front_end.access import column, on_class
from fastschema.contrib.django.front_end.bound_serializer import read_now
from fastschema.contrib.django.front_end.class_state import state_of_pending
from fastschema.contrib.django.front_end.customization import is_stock_list, is_stock_serializer
from fastschema.contrib.django.front_end.json_encoding import TRANSLATIONS
from fastschema.contrib.django.internals.queries import may_select_less, selecting
from fastschema.contrib.django.lists.row_layout import RowLayout
from fastschema.runtime.derived_node import Place
from fastschema.runtime.patching import stock_method

_TO_KEY = stock_method(PrimaryKeyRelatedField, "to_representation")
_TO_SLUG = stock_method(SlugRelatedField, "to_representation")
_DISPLAY = stock_method(Model, "_get_FIELD_display")
_FLAT = stock_method(Field, "flatchoices")
_REPRESENT_FILE = stock_method(FileField, "to_representation")
_URL = stock_method(FieldFile, "url")
_VALUES = frozenset([str, int, bool, type(None)])
"""Values of exactly these classes are compared without code of users."""

Label = str | tuple[Callable[..., str], tuple[Any, ...]]
"""A label, or the function that translates it, with what that is given."""
Labels = tuple[tuple[Any, Label], ...]
"""Values and their labels. Programs are made of them, for whatever language."""
FileColumn = weakref.ReferenceType[Any]
"""A model's field for files. Programs are made of it, which live longer than the model."""


class ColumnAccess(enum.Enum):
    """What a field is given of a row."""

    VALUE = "value"
    """The value of a column."""
    KEY = "key"
    """The value of a foreign key's column, for a field that takes no object."""
    SLUG = "slug"
    """The value of a related object's column, likewise."""
    ADDRESS = "address"
    """The key from which the address of an object is made."""
    NESTED = "nested"
    """The columns of a related object."""
    NESTED_LIST = "nested list"
    """The rows of related objects."""
    LABEL = "label"
    """What is shown for the value of a column."""
    FILE = "file"
    """The name of a file, of which an instance makes an object."""
    VALUES = "values"
    """The values of one column of related objects."""


TAKES_OBJECT = (ColumnAccess.NESTED, ColumnAccess.SLUG)
"""Where the last relation gives the object that the field takes, or None."""


class RelationStep(NamedTuple):
    """A relation that leads to a value.

    :param place: where None stands if there is no related object: its primary key, or its row
    :param is_nullable: see :class:`fastschema.contrib.django.lists.row_layout.Relation`
    """

    place: Place
    is_nullable: bool


class FieldColumns(NamedTuple):
    """How one field is read. It holds no model: programs are made of it, and live longer.

    :param access: what the field is given
    :param place: where that stands; for ``NESTED``, where the row stands that has the columns
    :param steps: the relations that lead there
    :param nested: how the fields of a nested serializer are read; for ``VALUES``, how the one value
        of each related object is
    :param labels: for ``LABEL``, all there are
    :param calls_user_code: whether code of users makes something of the value
    :param file: for ``FILE``, what makes the object
    """

    access: ColumnAccess
    place: Place
    steps: tuple[RelationStep, ...] = ()
    nested: tuple[FieldColumns, ...] = ()
    labels: Labels = ()
    calls_user_code: bool = False
    file: FileColumn | None = None


Columns = tuple[FieldColumns, ...]


def columns_of(fields: list[Any], node: ObjectNode, layout: RowLayout) -> Columns:
    """Return how the fields of a serializer are read from rows.

    :param fields: those of a serializer, or fields like them
    :param node: that of the serializer's program
    :param layout: what stands where in the rows
    :raises NotRowReadableError: if a field needs more than the columns of a row
    """
    pairs = zip(fields, node.fields, strict=True)
    return tuple([field_columns(field, field_node, layout) for field, field_node in pairs])


def calls_user_code(columns: Columns) -> bool:
    """Return whether code of users makes something of the values of rows."""
    return any(each.calls_user_code or calls_user_code(each.nested) for each in columns)


def check_errors(columns: Columns) -> None:
    """Check that no field fails for a row in a way that names the class of the object.

    :raises NotRowReadableError: if one may
    """
    for each in columns:
        check_errors(each.nested)
        steps = each.steps[:-1] if each.access in TAKES_OBJECT else each.steps
        if any(step.is_nullable for step in steps):
            raise NotRowReadableError("a source follows a relation that may be null")


def field_columns(field: Any, node: FieldNode, layout: RowLayout) -> FieldColumns:
    """Return how one field is read; the parameters are those of :func:`columns_of`."""
    columns = _field_columns(field, node, layout)
    if field.default is not empty and callable(field.default):
        columns = columns._replace(calls_user_code=True)
    return columns


def attributes_read(field: Any, path: Sequence[str]) -> tuple[list[str], str | None]:
    """Return the relations that a field follows, and the attribute that it reads at their end.

    The latter is None if the field is given the object itself.

    :param path: the attributes of its source
    """
    if isinstance(field, Serializer | ListSerializer):
        return list(path), None
    related = field.child_relation if isinstance(field, ManyRelatedField) else field
    if isinstance(related, SlugRelatedField):
        *more, name = related.slug_field.split(LOOKUP_SEP)
        return [*path, *more], name
    if related is not field:
        return list(path), "pk" if isinstance(related, PrimaryKeyRelatedField) else None
    if path and (not isinstance(field, RelatedField) or field.use_pk_only_optimization()):
        return list(path[:-1]), path[-1]
    return list(path), None


def _field_columns(field: Any, node: FieldNode, layout: RowLayout) -> FieldColumns:
    path = node.source.path
    if path is None:
        raise NotRowReadableError(f"{node.key} runs code of yours on each object")
    if node.kind.rereading is Rereading.ADDRESS:
        return _address(field, node, path, layout)
    relations, name = attributes_read(field, path)
    if node.kind.link is not None:
        return _nested(field, relations, layout)
    if not path or name is None or (isinstance(field, SlugRelatedField) and node.reason):
        raise NotRowReadableError(f"{node.key} needs the whole object")
    if isinstance(field, ManyRelatedField):
        return _many_related(field, node, relations, name, layout)
    if node.kind.rereading is Rereading.KEY:
        if relations:
            raise NotRowReadableError(f"{node.key} reads a key of another object")
        return FieldColumns(ColumnAccess.KEY, (_key(name, layout),))
    steps, row, layout = _follow(relations, layout)
    if isinstance(field, SlugRelatedField):
        # Each of them but the last may be None: then reading the next attribute fails.
        if len(steps) > 1:
            raise NotRowReadableError(f"{node.key} follows more than one relation")
        return FieldColumns(ColumnAccess.SLUG, (*row, layout.column(name)), steps)
    read = _file(field, node, name, layout) if name in layout.files else _value(node, name, layout)
    return read._replace(place=(*row, *read.place), steps=steps) if relations else read


def _file(field: Any, node: FieldNode, name: str, layout: RowLayout) -> FieldColumns:
    file = file_column(field, node, layout.model, name)
    position = layout.columns[name]
    if file is None or position in layout.of_users():
        raise NotRowReadableError(f"{name} is a file, of which more is asked than its address")
    # Its storage may be asked for the address.
    return FieldColumns(ColumnAccess.FILE, (position,), calls_user_code=True, file=file)


def _value(node: FieldNode, name: str, layout: RowLayout) -> FieldColumns:
    """Return how the value of a column is read, or its label."""
    displayed = displayed_field(layout.model, name)
    is_own = node.reason is not None or node.kind.rereading is Rereading.NEVER
    position = layout.column(name if displayed is None else displayed.attname)
    is_of_users = position in layout.of_users()
    if displayed is None:
        code = is_own or is_of_users
        return FieldColumns(ColumnAccess.VALUE, (position,), calls_user_code=code)
    if is_of_users:
        raise NotRowReadableError(f"{name} has values of a class that is not Django's")
    labels = labels_of(layout.model, name)
    return FieldColumns(ColumnAccess.LABEL, (position,), labels=labels, calls_user_code=is_own)


def _nested(field: Any, relations: list[str], layout: RowLayout) -> FieldColumns:
    if isinstance(field, ListSerializer):
        *more, name = relations or [""]
        steps, row, layout = _follow(more, layout)
        collection = layout.collection(name)
        if not is_stock_list(field):
            raise NotRowReadableError(f"{field.field_name} has a list serializer of your own")
        place = (*row, collection.position)
        nested = _serializer(field.child, collection.layout)
        return FieldColumns(ColumnAccess.NESTED_LIST, place, steps, nested)
    steps, row, layout = _follow(relations, layout)
    return FieldColumns(ColumnAccess.NESTED, row, steps, _serializer(field, layout))


def _serializer(serializer: Any, layout: RowLayout) -> Columns:
    if not isinstance(serializer, Serializer) or not is_stock_serializer(serializer):
        raise NotRowReadableError(f"{type(serializer).__name__} overrides to_representation")
    known = state_of_pending(serializer)
    if known is not None:
        return columns_of(known.fields, known.program.node, layout)
    program, fields = read_now(serializer)
    return columns_of(fields, program.node, layout)


def _many_related(
    field: ManyRelatedField, node: FieldNode, relations: list[str], name: str, layout: RowLayout
) -> FieldColumns:
    """Return how the keys or slugs of related objects are read."""
    is_stock = type(field.child_relation).to_representation in (_TO_KEY, _TO_SLUG)
    if len(relations) > 1 or node.reason is not None or not is_stock:
        raise NotRowReadableError(f"{node.key} needs the related objects")
    collection = layout.collection(relations[0])
    read = FieldColumns(ColumnAccess.VALUE, (collection.layout.column(name),))
    return FieldColumns(ColumnAccess.VALUES, (collection.position,), nested=(read,))


def _address(field: Any, node: FieldNode, path: tuple[str, ...], layout: RowLayout) -> FieldColumns:
    if not path:
        raise NotRowReadableError(f"{node.key} is a URL that knows its object")
    if not field.use_pk_only_optimization() or len(path) > 1:
        raise NotRowReadableError(f"{node.key} needs more than the key of the object")
    # A versioning scheme of users may be asked for it.
    return FieldColumns(ColumnAccess.ADDRESS, (_key(path[0], layout),), calls_user_code=True)


def _key(name: str, layout: RowLayout) -> int:
    """Return the position of the column of a foreign key."""
    attribute = column(layout.model, name)
    if attribute is None:
        raise NotRowReadableError(f"{name} is not a foreign key")
    position = layout.column(attribute)
    if position in layout.of_users():
        raise NotRowReadableError(f"{name} has keys of a class that is not Django's")
    return position


def _follow(
    relations: list[str], layout: RowLayout
) -> tuple[tuple[RelationStep, ...], Place, RowLayout]:
    """Return the steps along some relations, where the row at their end stands, and its layout."""
    steps = []
    row: Place = ()
    for name in relations:
        relation = layout.relation(name)
        layout = relation.layout
        if relation.position is not None:
            row = (*row, relation.position)
        place = (*row, layout.key) if relation.position is None else row
        steps.append(RelationStep(place, relation.is_nullable))
    return tuple(steps), row, layout


# What a model makes of the value of a column


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


# Queries for fewer columns


def narrowed(queryset: QuerySet[Any], columns: Columns, layout: RowLayout) -> QuerySet[Any]:
    """Return a queryset that selects only what is read of its rows, keys, and what joins need.

    :param columns: how a serializer reads the rows that the queryset selects now
    :param layout: what stands where in them
    :returns: the queryset itself if its rows are others with fewer columns
    """
    if not may_select_less(queryset):
        return queryset
    return selecting(queryset, list(_names(layout, set(_positions(columns)))))


def _positions(columns: Columns) -> Iterator[int]:
    for each in columns:
        yield from each.place
        yield from _positions(each.nested)


def _names(layout: RowLayout, positions: set[int], path: str = "") -> Iterator[str]:
    """Yield the columns at some positions, by the names that ``only()`` takes."""
    joins = [field for field, _ in layout.relations]
    for field in layout.model._meta.concrete_fields:
        position = layout.columns.get(field.attname)
        if position is not None and (
            position in positions or position == layout.key or field in joins
        ):
            yield f"{path}{field.name}"
    for (field, is_reverse), relation in layout.relations.items():
        name = field.remote_field.name if is_reverse else field.name
        if is_reverse:
            yield f"{path}{name}__{field.name}"
        yield from _names(relation.layout, positions, f"{path}{name}__")
