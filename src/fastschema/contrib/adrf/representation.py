"""Represents by serializers of adrf in one step, where nothing in them is asynchronous.

adrf awaits each field of each row, most of them in another thread. What is no coroutine gives the
same value there as in DRF's ``to_representation``, which is run in that thread once, for all rows.
"""

from __future__ import annotations

from collections import OrderedDict
from inspect import getattr_static
from typing import Any, NamedTuple

from adrf import fields, serializers
from adrf.fields import AsyncFieldMixin
from adrf.serializers import BaseSerializer, ListSerializer, ModelSerializer, Serializer
from asgiref.sync import sync_to_async
from django.db.models import Manager, QuerySet

from fastschema.compiler.nodes import UnreadableError
from fastschema.contrib.django.front_end.customization import (
    STOCK_CLASSES,
    STOCK_MODEL_SERIALIZERS,
    is_stock_list,
    is_stock_serializer,
)
from fastschema.contrib.django.front_end.pending import reading_of_pending
from fastschema.contrib.django.front_end.schema_reader import readable_fields
from fastschema.contrib.django.lists.queryset_rows import LazyInstanceList
from fastschema.runtime.patching import Replacements, overridden, stock_method
from fastschema.runtime.switch import is_disabled

_STOCK = stock_method(Serializer, "ato_representation")
_STOCK_LIST = stock_method(ListSerializer, "ato_representation")
_ATTRIBUTE = {"aget_attribute": stock_method(BaseSerializer, "aget_attribute")}
_OF_SERIALIZERS = {"ato_representation": _STOCK}
_OF_LISTS = {"ato_representation": _STOCK_LIST}
_OF_FIELDS = {"ato_representation": stock_method(AsyncFieldMixin, "ato_representation")}


class Nested(NamedTuple):
    """A serializer of adrf in another, the attributes that adrf reads first, and what it nests."""

    names: list[str]
    inner: dict[str, Nested]
    is_many: bool


def nested_of(serializer: Any) -> dict[str, Nested]:
    """Return what is nested in a serializer; raise UnreadableError if any is asynchronous."""
    if not is_stock_serializer(serializer):
        raise UnreadableError("to_representation is overridden")
    if overridden(serializer, _OF_SERIALIZERS) is not None:
        raise UnreadableError("ato_representation is overridden")
    pending = reading_of_pending(serializer)
    nested = {}
    for field in readable_fields(serializer) if pending is None else pending.compiled.fields:
        if isinstance(field, BaseSerializer):
            nested[field.field_name] = _nested(serializer, field)
        else:
            _check(field)
    return nested


def _nested(outer: Any, field: Any) -> Nested:
    name, serializer = field.field_name, getattr(field, "child", field)
    if isinstance(field, ListSerializer) and not _is_adrfs_list(field):
        raise UnreadableError(f"{name} is represented by a list serializer of your own")
    if not isinstance(serializer, Serializer) or overridden(field, _ATTRIBUTE) is not None:
        raise UnreadableError(f"{name} is asynchronous")
    if reading_of_pending(serializer) is None:
        raise UnreadableError(f"code of your own makes the fields of {name}")
    # adrf reads these attributes once more than DRF, and awaits them if they are coroutines.
    model = getattr(getattr(outer, "Meta", None), "model", None)
    are_djangos = [_is_djangos(model, name) for name in field.source_attrs]
    if hasattr(model, "__getattr__") or not all(are_djangos):
        raise UnreadableError(f"{name} is no relation of {type(outer).__name__}'s model")
    return Nested(field.source_attrs, nested_of(serializer), serializer is not field)


def _is_adrfs_list(serializer: ListSerializer) -> bool:
    return is_stock_list(serializer) and overridden(serializer, _OF_LISTS) is None


def _is_djangos(model: Any, attribute: str) -> bool:
    return type(getattr_static(model, attribute, None)).__module__.startswith("django.db.models.")


def _check(field: Any) -> None:
    """Raise ``UnreadableError`` if adrf gets from a field what DRF does not."""
    if hasattr(field, "aget_attribute"):
        raise UnreadableError(f"{field.field_name} is asynchronous")
    if not hasattr(field, "ato_representation"):
        return
    is_plain = isinstance(field, AsyncFieldMixin) and overridden(field, _OF_FIELDS) is None
    if not is_plain:
        raise UnreadableError(f"{field.field_name} is asynchronous")
    # adrf calls the method that comes after its own.
    method = super(AsyncFieldMixin, field).to_representation
    if getattr(field.to_representation, "__func__", None) is not method.__func__:
        raise UnreadableError(f"to_representation of {field.field_name} is not called by adrf")


def why_asynchronous(serializer: Any) -> str | None:
    """Return why adrf represents by a serializer field by field; None if it need not."""
    try:
        nested_of(serializer)
    except UnreadableError as error:
        return str(error)
    return None


def _look(instance: Any, nested: dict[str, Nested]) -> None:
    """Look at related objects as adrf does, which does not let this thread load them."""
    for relation in nested.values():
        if not relation.is_many:
            inner = [getattr(instance, name, None) for name in relation.names]
            if inner and inner[0] is not None:
                _look(inner[0], relation.inner)


def _ordered(represented: Any, nested: dict[str, Nested]) -> Any:
    result = OrderedDict(represented)
    for name, relation in nested.items():
        value = result.get(name)
        if value is not None:
            result[name] = (
                [_ordered(row, relation.inner) for row in value]
                if relation.is_many
                else _ordered(value, relation.inner)
            )
    return result


async def _ato_representation(self: Any, instance: Any) -> Any:
    """``Serializer.ato_representation``, in one step where that is the same."""
    if not _replacements.are_installed or is_disabled():
        return await _STOCK(self, instance)
    try:
        nested = nested_of(self)
    except UnreadableError:
        return await _STOCK(self, instance)
    _look(instance, nested)
    return _ordered(await sync_to_async(self.to_representation)(instance), nested)


async def _list_ato_representation(self: Any, data: Any) -> Any:
    """``ListSerializer.ato_representation``, in one step where that is the same."""
    if not _replacements.are_installed or is_disabled() or not is_stock_list(self):
        return await _STOCK_LIST(self, data)
    rows = data.all() if isinstance(data, Manager) else data
    if isinstance(rows, QuerySet):
        rows = [row async for row in rows]
    if type(rows) not in (list, LazyInstanceList):  # which are read as often as one likes
        return await _STOCK_LIST(self, rows)
    if not rows:
        return []
    try:
        nested = nested_of(self.child)
    except UnreadableError:
        return [await self.child.ato_representation(row) for row in rows]
    if nested:
        _look(rows[0], nested)
    return [_ordered(row, nested) for row in await sync_to_async(self.to_representation)(rows)]


STOCK_CLASSES.update(
    value
    for module in (fields, serializers)
    for value in vars(module).values()
    if isinstance(value, type) and value.__module__ == module.__name__
)
STOCK_MODEL_SERIALIZERS.append(ModelSerializer)
_replacements = Replacements(
    [
        (Serializer, "ato_representation", _STOCK, _ato_representation),
        (ListSerializer, "ato_representation", _STOCK_LIST, _list_ato_representation),
    ]
)
install, uninstall = _replacements.install, _replacements.uninstall
