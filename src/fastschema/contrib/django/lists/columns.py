"""Read the fields of a serializer from the columns of a query's rows.

Of the value of a column, a model may make something else: the label of a choice, or the object of a
file.
"""

from __future__ import annotations

import enum
import weakref
from collections.abc import Callable
from typing import Any, NamedTuple

from django.db.models.fields.files import FieldFile, ImageFieldFile
from rest_framework.fields import FileField, empty
from rest_framework.relations import (
    ManyRelatedField,
    PrimaryKeyRelatedField,
    SlugRelatedField,
)
from rest_framework.serializers import ListSerializer

from fastschema.compiler.nodes import FieldNode, NotRowReadableError, Repeatable
from fastschema.contrib.django.front_end.access import column, on_class
from fastschema.contrib.django.front_end.labels import displayed_field, label_of_value
from fastschema.contrib.django.front_end.schema_reader import attributes_read, reads_only_key
from fastschema.contrib.django.lists.row_layout import RowLayout
from fastschema.runtime.bound_program import Dispatch
from fastschema.runtime.derived_node import Place
from fastschema.runtime.patching import stock_method

_TO_KEY = stock_method(PrimaryKeyRelatedField, "to_representation")
_TO_SLUG = stock_method(SlugRelatedField, "to_representation")
_REPRESENT_FILE = stock_method(FileField, "to_representation")
_URL = stock_method(FieldFile, "url")

ModelField = weakref.ReferenceType[Any]
"""A field of a model. Programs are made of it, which live longer than the model."""


class ColumnAccess(enum.Enum):
    """What a field is given of a row."""

    VALUE = "value"
    """The value of a column: ``CharField()`` reads ``obj[2]``."""
    KEY = "key"
    """That of a foreign key, which is all that the field needs: ``PrimaryKeyRelatedField()``."""
    SLUG = "slug"
    """That of a related object, likewise: ``SlugRelatedField("code")``."""
    ADDRESS = "address"
    """The key from which an address is made: ``HyperlinkedRelatedField("city-detail")``."""
    NESTED = "nested"
    """The row in which the columns of a related object are: ``CitySerializer()``."""
    NESTED_LIST = "nested list"
    """The rows of related objects: ``PetSerializer(many=True)``."""
    LABEL = "label"
    """What is shown for the value of a column: ``CharField(source="get_kind_display")`` reads
    ``label_of_row_3(obj[5])``."""
    FILE = "file"
    """The object that an instance makes of the name of a file: ``FileField()``."""
    VALUES = "values"
    """The values of one column of related objects: ``PrimaryKeyRelatedField(many=True)`` reads
    ``[each[0] for each in obj[7]]``."""


TAKES_OBJECT = (ColumnAccess.NESTED, ColumnAccess.SLUG)
"""Where the last relation gives the object that the field takes, or None."""


class NullCheck(NamedTuple):
    """The place of a relation on the way to a value: None stands there if it leads to no object."""

    place: Place
    is_nullable: bool


class FieldColumns(NamedTuple):
    """How one field is read. It holds no model: programs are made of it, and live longer.

    :param place: where its value stands; for ``NESTED``, the row that has the columns
    :param null_checks: one for each relation that leads there
    :param nested: how the fields of a nested serializer are read; for ``VALUES``, how the one value
        of each related object is
    :param model_field: for ``LABEL`` and ``FILE``, what makes something of the value of the column
    """

    access: ColumnAccess
    place: Place
    null_checks: tuple[NullCheck, ...] = ()
    nested: tuple[FieldColumns, ...] = ()
    calls_user_code: bool = False
    model_field: ModelField | None = None


Columns = tuple[FieldColumns, ...]


def columns_of(dispatch: Dispatch, layout: RowLayout) -> Columns:
    """Return how fields are read, or raise NotRowReadableError if one needs more than columns."""
    numbers = range(len(dispatch.program.node.fields))
    return tuple([_field_read(dispatch, number, layout) for number in numbers])


def fields_read(dispatch: Dispatch, layout: RowLayout) -> list[FieldColumns | str]:
    """Return how each field of a serializer is read from rows, or why it is not."""
    fields: list[FieldColumns | str] = []
    for number in range(len(dispatch.program.node.fields)):
        try:
            fields.append(_field_read(dispatch, number, layout))
        except NotRowReadableError as error:
            fields.append(str(error))
    return fields


def calls_user_code(columns: Columns) -> bool:
    return any(field.calls_user_code or calls_user_code(field.nested) for field in columns)


def may_fail(columns: Columns) -> bool:
    """Return whether a field may fail for a row in a way that names the class of the object."""
    return any(
        may_fail(field.nested)
        or any(
            check.is_nullable
            for check in (
                field.null_checks[:-1] if field.access in TAKES_OBJECT else field.null_checks
            )
        )
        for field in columns
    )


def _field_read(dispatch: Dispatch, number: int, layout: RowLayout) -> FieldColumns:
    field = dispatch.bound_schema.exemplar_fields[number]
    node = dispatch.program.node.fields[number]
    path = node.source.path
    if path is None:
        raise NotRowReadableError(f"{node.key} runs code of yours on each object")
    relations, name = attributes_read(field, path)
    if node.kind.nested_slot is not None:
        nested = dispatch.bound_schema.nested_dispatch(number, dispatch.form)
        if nested is None:
            name = type(getattr(field, "child", field)).__name__
            raise NotRowReadableError(f"{name} represents, or chooses its fields, by code of yours")
        columns = _nested(field, nested, relations, layout)
    else:
        columns = _field_columns(field, node, relations, name, layout)
    if computes_default(field):
        columns = columns._replace(calls_user_code=True)
    return columns


def computes_default(field: Any) -> bool:
    return field.default is not empty and callable(field.default)


def _field_columns(
    field: Any, node: FieldNode, relations: list[str], name: str | None, layout: RowLayout
) -> FieldColumns:
    path = node.source.path
    if node.kind.repeatable is Repeatable.ADDRESS:
        return _address(field, node, layout)
    if not path or name is None or (isinstance(field, SlugRelatedField) and node.reason):
        raise NotRowReadableError(f"{node.key} needs the whole object")
    if isinstance(field, ManyRelatedField):
        return _many_related(field, node, relations, name, layout)
    if node.kind.repeatable is Repeatable.KEY:
        if relations:
            raise NotRowReadableError(f"{node.key} reads a key of another object")
        return FieldColumns(ColumnAccess.KEY, (_key(name, layout),))
    null_checks, row, layout = _follow(relations, layout)
    if isinstance(field, SlugRelatedField):
        # Each of them but the last may be None: then reading the next attribute fails.
        if len(null_checks) > 1:
            raise NotRowReadableError(f"{node.key} follows more than one relation")
        return FieldColumns(ColumnAccess.SLUG, (*row, layout.column(name)), null_checks)
    read = _file(field, node, name, layout) if name in layout.files else _value(node, name, layout)
    return read._replace(place=(*row, *read.place), null_checks=null_checks) if relations else read


def _file(field: Any, node: FieldNode, name: str, layout: RowLayout) -> FieldColumns:
    model_field = on_class(layout.model, name).field
    file_class = model_field.attr_class
    is_stock = (
        type(field).to_representation is _REPRESENT_FILE
        and node.reason is None
        and file_class in (FieldFile, ImageFieldFile)
        and file_class.url is _URL
    )
    position = layout.columns[name]
    if not is_stock or position in layout.converted_by_users:
        raise NotRowReadableError(f"{name} is a file, of which more is asked than its address")
    # Its storage may be asked for the address.
    return FieldColumns(
        ColumnAccess.FILE, (position,), calls_user_code=True, model_field=weakref.ref(model_field)
    )


def _value(node: FieldNode, name: str, layout: RowLayout) -> FieldColumns:
    displayed = displayed_field(layout.model, name)
    runs_user_code = node.reason is not None or node.kind.repeatable is Repeatable.NEVER
    position = layout.column(name if displayed is None else displayed.attname)
    is_of_users = position in layout.converted_by_users
    if displayed is None:
        runs_user_code = runs_user_code or is_of_users
        return FieldColumns(ColumnAccess.VALUE, (position,), calls_user_code=runs_user_code)
    if is_of_users:
        raise NotRowReadableError(f"{name} has values of a class that is not Django's")
    return FieldColumns(
        ColumnAccess.LABEL,
        (position,),
        calls_user_code=runs_user_code,
        model_field=weakref.ref(displayed),
    )


def _nested(
    field: Any, dispatch: Dispatch, relations: list[str], layout: RowLayout
) -> FieldColumns:
    if isinstance(field, ListSerializer):
        *more, name = relations or [""]
        null_checks, row, layout = _follow(more, layout)
        collection = layout.collection(name)
        place = (*row, collection.position)
        nested = columns_of(dispatch, collection.layout)
        return FieldColumns(ColumnAccess.NESTED_LIST, place, null_checks, nested)
    null_checks, row, layout = _follow(relations, layout)
    return FieldColumns(ColumnAccess.NESTED, row, null_checks, columns_of(dispatch, layout))


def _many_related(
    field: ManyRelatedField, node: FieldNode, relations: list[str], name: str, layout: RowLayout
) -> FieldColumns:
    is_stock = type(field.child_relation).to_representation in (_TO_KEY, _TO_SLUG)
    if len(relations) > 1 or node.reason is not None or not is_stock:
        raise NotRowReadableError(f"{node.key} needs the related objects")
    collection = layout.collection(relations[0])
    read = FieldColumns(ColumnAccess.VALUE, (collection.layout.column(name),))
    return FieldColumns(ColumnAccess.VALUES, (collection.position,), nested=(read,))


def _address(field: Any, node: FieldNode, layout: RowLayout) -> FieldColumns:
    path = node.source.path
    if not path:
        raise NotRowReadableError(f"{node.key} is a URL that knows its object")
    if not reads_only_key(field) or len(path) > 1:
        raise NotRowReadableError(f"{node.key} needs more than the key of the object")
    # A versioning scheme of users may be asked for it.
    return FieldColumns(ColumnAccess.ADDRESS, (_key(path[0], layout),), calls_user_code=True)


def _key(name: str, layout: RowLayout) -> int:
    attribute = column(layout.model, name)
    if attribute is None:
        raise NotRowReadableError(f"{name} is not a foreign key")
    position = layout.column(attribute)
    if position in layout.converted_by_users:
        raise NotRowReadableError(f"{name} has keys of a class that is not Django's")
    return position


def _follow(
    relations: list[str], layout: RowLayout
) -> tuple[tuple[NullCheck, ...], Place, RowLayout]:
    """Return the checks along some relations, where the row at their end stands, and its layout."""
    null_checks = []
    row: Place = ()
    for name in relations:
        related = layout.related(name)
        layout = related.layout
        if related.position is not None:
            row = (*row, related.position)
        place = (*row, layout.key) if related.position is None else row
        null_checks.append(NullCheck(place, related.is_nullable))
    return tuple(null_checks), row, layout


def value_maker(columns: FieldColumns) -> Callable[[Any], Any]:
    """Return what makes of a column's value a label (``get_FOO_display``), or a file."""
    assert columns.model_field is not None
    model_field: Any = columns.model_field()
    if columns.access is ColumnAccess.FILE:
        return lambda name: model_field.attr_class(None, model_field, name)
    return label_of_value(model_field)
