"""Whether rows can be read a second time without anybody noticing.

A lazy response writes rows as JSON, and turns them into stock's data only if somebody asks. Then
they are read again. That is done only where reading runs no code of users: the columns of model
instances and the related objects that foreign keys refer to, which Django keeps once it has loaded
them; and addresses that are found once for all rows. Properties, method fields, managers, files and
fields of users' own are read once, as ever.
"""

from __future__ import annotations

from typing import Any

from django.db.models import Model
from django.db.models.fields.related_descriptors import (
    ForeignKeyDeferredAttribute,
    ForwardManyToOneDescriptor,
    ForwardOneToOneDescriptor,
)
from django.db.models.query_utils import DeferredAttribute
from rest_framework.fields import empty
from rest_framework.serializers import Serializer

from fastschema.contrib.django.blueprints import blueprint_of
from fastschema.contrib.django.conversions import PLAIN_KINDS
from fastschema.contrib.django.dumping import is_stock_serializer
from fastschema.contrib.django.hyperlinks import has_address
from fastschema.contrib.django.reader import read, readable_fields
from fastschema.contrib.django.reading import MODEL, access_of, column
from fastschema.nodes import FieldNode, UnreadableError

_COLUMNS = (DeferredAttribute, ForeignKeyDeferredAttribute)
_FOREIGN_KEYS = (ForwardManyToOneDescriptor, ForwardOneToOneDescriptor)


def can_be_read_again(serializer: Any, cls: type, context: Any) -> bool:
    """Whether a serializer, and those nested in it, only read columns of a model.

    :param cls: the class of the objects
    :param context: the context of the dump
    """
    fields = blueprint_of(serializer)
    is_blueprint = fields is not None
    if fields is None:
        fields = readable_fields(serializer)
    return _reads_columns(serializer, fields, is_blueprint, cls, context)


def _reads_columns(
    serializer: Any, fields: list[Any], is_blueprint: bool, cls: type, context: Any
) -> bool:
    if access_of(cls) != MODEL or hasattr(cls, "__getattr__"):
        return False
    if not is_stock_serializer(serializer):
        return False
    try:
        program = read(serializer, fields)
    except UnreadableError:
        return False
    return all(
        _is_plain(field, node, is_blueprint, cls, context)
        for field, node in zip(fields, program.node.fields, strict=True)
    )


def _nested_reads_columns(serializer: Any, is_blueprint: bool, cls: type, context: Any) -> bool:
    fields = blueprint_of(serializer)
    if fields is not None:
        return _reads_columns(serializer, fields, True, cls, context)
    # Only a serializer of somebody's own makes fields.
    if is_blueprint:
        return False
    return _reads_columns(serializer, readable_fields(serializer), False, cls, context)


def _is_plain(field: Any, node: FieldNode, is_blueprint: bool, cls: Any, context: Any) -> bool:
    has_function = field.default is not empty and callable(field.default)
    if node.reason is not None or has_function:
        return False
    *steps, name = field.source_attrs or [None]
    for step in steps:
        related = _related_model(cls, step)
        if related is None:
            return False
        cls = related
    label = node.kind.label
    if label == "nested serializer":
        if not isinstance(field, Serializer):
            return False
        if name is not None:
            related = _related_model(cls, name)
            if related is None:
                return False
            cls = related
        return _nested_reads_columns(field, is_blueprint, cls, context)
    # Without an address, versioning schemes or converters of users' own may be asked.
    if label == "hyperlink" and not has_address(field, context):
        return False
    if label == "hyperlink" and name is None:
        return cls.pk is Model.pk and cls._get_pk_val is Model._get_pk_val
    if label in ("primary key", "hyperlink"):
        return not steps and column(cls, name) is not None
    if label not in PLAIN_KINDS or name is None:
        return False
    descriptor = _on_class(cls, name)
    # An attribute that a query has added is no descriptor.
    return descriptor is None or type(descriptor) in _COLUMNS


def _related_model(cls: type, name: str) -> Any:
    """The model that a foreign key refers to, or None where it is none whose objects are kept.

    Without a constraint the key may refer to nothing, which the database is asked each time.
    """
    descriptor = _on_class(cls, name)
    if type(descriptor) not in _FOREIGN_KEYS:
        return None
    field = descriptor.field
    return field.remote_field.model if getattr(field, "db_constraint", False) else None


def _on_class(cls: type, name: str) -> Any:
    """What a class has under a name, as it is."""
    for base in cls.__mro__:
        if name in base.__dict__:
            return base.__dict__[name]
    return None
