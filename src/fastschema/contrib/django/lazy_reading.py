"""Which values of rows can be read a second time without anybody noticing.

A lazy response writes rows as JSON, and turns them into stock's data only if somebody asks. Then
they are read again. That is done only where reading runs no code of users: the columns of model
instances, and the related objects that Django keeps once it has loaded them: those that single
relations lead to, and those that were prefetched; and addresses that are found once for all rows.
The values of all other fields (properties, method fields, fields of users' own) are kept.
"""

from __future__ import annotations

from typing import Any, NamedTuple

from django.db.models import JSONField, Manager
from django.db.models.fields.related_descriptors import (
    ForeignKeyDeferredAttribute,
    ReverseOneToOneDescriptor,
)
from django.db.models.query_utils import DeferredAttribute
from rest_framework.fields import empty
from rest_framework.relations import ManyRelatedField
from rest_framework.serializers import ListSerializer, Serializer

from fastschema.compiler.nodes import FieldNode, ObjectNode, Rereading, UnreadableError
from fastschema.contrib.django.attribute_access import (
    FORWARD,
    MODEL,
    access_of,
    column,
    has_plain_key,
    on_class,
)
from fastschema.contrib.django.class_state import KNOWN_GET_FIELDS, pending
from fastschema.contrib.django.hyperlinks import has_address
from fastschema.contrib.django.rows.fetching import Loaded
from fastschema.contrib.django.rows.reading import slug_of
from fastschema.contrib.django.stock_serializers import is_stock_list, is_stock_serializer
from fastschema.contrib.django.subjects import read_now

_COLUMNS = (DeferredAttribute, ForeignKeyDeferredAttribute)


class ReadOnceError(Exception):
    """Rows that cannot be read a second time, and why."""


def kept_fields(
    fields: list[Any], node: ObjectNode, cls: type, context: Any, loaded: Loaded
) -> frozenset[int]:
    """The numbers of the fields whose values must be kept: to read them may run code of users.

    :param fields: those of a serializer, or fields like them
    :param node: what the serializer reads as
    :param cls: the class of the objects
    :param context: the context of the dump
    :param loaded: what was prefetched for the objects
    :raises ReadOnceError: if objects or nested serializers are none that can be read again
    """
    if not _is_plain_model(cls):
        raise ReadOnceError(f"objects of class {cls.__name__} are no plain model instances")
    if node.dict_class is not None:
        raise ReadOnceError("two fields have one name")
    kept = set()
    objects = _Objects(cls, loaded)
    for number, (field, field_node) in enumerate(zip(fields, node.fields, strict=True)):
        if _is_plain(field, field_node, objects, context, is_own=True):
            continue
        if field_node.kind.link is not None:
            raise ReadOnceError(f"{field_node.key} nests more than columns")
        if field_node.kind.rereading is Rereading.ADDRESS:
            raise ReadOnceError(f"{field_node.key}: addresses are found for each row")
        kept.add(number)
    return frozenset(kept)


class _Objects(NamedTuple):
    """Model instances that a serializer reads.

    :param cls: their class
    :param loaded: what was prefetched for them
    """

    cls: Any
    loaded: Loaded

    def through(self, name: str) -> _Objects | None:
        """The objects of a single relation; None if they may not be the same a second time."""
        model = _related_model(self.cls, name)
        loaded = self.loaded.get(name)
        return None if model is None else _Objects(model, {} if loaded is None else loaded.loaded)


def _is_plain_model(cls: type) -> bool:
    return access_of(cls) == MODEL and not hasattr(cls, "__getattr__")


def _reads_columns(serializer: Any, objects: _Objects, context: Any, *, is_own: bool) -> bool:
    """Whether a nested serializer, and those nested in it, only read columns of a model.

    :param is_own: whether the serializer belongs to somebody, so that it may make its fields
    """
    if not _is_plain_model(objects.cls) or not is_stock_serializer(serializer):
        return False
    known = pending(serializer)
    if known is not None:
        return _are_plain(known.fields, known.program.node, objects, context, is_own=False)
    # A get_fields of users has its time.
    if not is_own or type(serializer).get_fields not in KNOWN_GET_FIELDS:
        return False
    try:
        program, fields = read_now(serializer)
    except UnreadableError:
        return False
    return _are_plain(fields, program.node, objects, context, is_own=True)


def _are_plain(
    fields: list[Any], node: ObjectNode, objects: _Objects, context: Any, *, is_own: bool
) -> bool:
    return all(
        _is_plain(field, field_node, objects, context, is_own=is_own)
        for field, field_node in zip(fields, node.fields, strict=True)
    )


def _is_plain(
    field: Any, node: FieldNode, objects: _Objects, context: Any, *, is_own: bool
) -> bool:
    has_function = field.default is not empty and callable(field.default)
    if node.reason is not None or has_function:
        return False
    *steps, name = field.source_attrs or [None]
    for step in steps:
        related = objects.through(step)
        if related is None:
            return False
        objects = related
    if node.kind.link is not None:
        return _is_plain_nested(field, name, objects, context, is_own=is_own)
    if isinstance(field, ManyRelatedField):
        slug = slug_of(field.child_relation)
        found = None if steps else objects.loaded.get(name)
        return found is not None and slug is not None and _is_column(found.model, slug)
    cls = objects.cls
    rereading = node.kind.rereading
    # Without an address, versioning schemes or converters of users' own may be asked.
    if rereading is Rereading.ADDRESS and not has_address(field, context):
        return False
    if rereading is Rereading.ADDRESS and not (name and field.use_pk_only_optimization()):
        owner = objects if name is None else objects.through(name)
        lookup = field.lookup_field
        return owner is not None and has_plain_key(owner.cls) and _is_column(owner.cls, lookup)
    if rereading in (Rereading.KEY, Rereading.ADDRESS):
        return not steps and column(cls, name) is not None
    if rereading is Rereading.NEVER or name is None:
        return False
    # An attribute that a query has added is no descriptor.
    return on_class(cls, name) is None or _is_column(cls, name)


def _is_plain_nested(
    field: Any, name: str | None, objects: _Objects, context: Any, *, is_own: bool
) -> bool:
    if isinstance(field, Serializer):
        related = objects if name is None else objects.through(name)
        return related is not None and _reads_columns(field, related, context, is_own=is_own)
    found = objects.loaded.get(name) if name is not None else None
    if found is None or not isinstance(field, ListSerializer) or not is_stock_list(field):
        return False
    related = _Objects(found.model, found.loaded)
    return _reads_columns(field.child, related, context, is_own=is_own)


def _is_column(cls: Any, name: str) -> bool:
    """Whether an attribute of a model is the value of a column, as Django has it."""
    if name == "pk":
        return has_plain_key(cls)
    descriptor = on_class(cls, name)
    return type(descriptor) in _COLUMNS and not _is_converted_by_users(descriptor.field)


def _is_converted_by_users(field: Any) -> bool:
    """Whether the values of a column may be objects of users' own."""
    convert = getattr(type(field), "from_db_value", None)
    return convert is not None and convert is not JSONField.from_db_value


def _related_model(cls: type, name: str) -> Any:
    """The model that a single relation leads to, or None where it is none whose objects are kept.

    Without a constraint a key may refer to nothing, and a base manager of the user's may hide what
    it refers to: the database is then asked each time.
    """
    descriptor = on_class(cls, name)
    if type(descriptor) in FORWARD:
        field = descriptor.field
        # Loading a deferred column sets the primary key, and forgets what that refers to.
        if field in field.model._meta.pk_fields or not getattr(field, "db_constraint", False):
            return None
        model = field.remote_field.model
    elif type(descriptor) is ReverseOneToOneDescriptor:
        model = descriptor.related.related_model
    else:
        return None
    return model if type(model._base_manager) is Manager and access_of(model) == MODEL else None
