"""Read values as DRF does: attributes, relations and methods of objects, and options of fields."""

from __future__ import annotations

import functools
import inspect
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import partial
from operator import attrgetter
from types import FunctionType, MethodType
from typing import Any

from django.core.exceptions import ObjectDoesNotExist
from django.db.models import Model
from django.db.models.fields.related_descriptors import (
    ForwardManyToOneDescriptor,
    ForwardOneToOneDescriptor,
    ManyToManyDescriptor,
    ReverseManyToOneDescriptor,
)
from django.db.models.manager import BaseManager
from rest_framework import fields, relations
from rest_framework.settings import api_settings

from fastschema.compiler.kinds import FieldPath, new_slot
from fastschema.compiler.nodes import ATTRIBUTE, GENERAL, ITEM, Slot
from fastschema.contrib.django.front_end.bypassed import are_read_as_stock
from fastschema.contrib.django.front_end.json_encoding import missing
from fastschema.runtime.patching import stock_method

MODEL = "model"
"""The access to model instances: by attribute, and past the managers of prefetched relations."""
PREFETCHED = "_prefetched_objects_cache"
"""The attribute of a model instance in which Django keeps prefetched objects."""
FORWARD = (ForwardManyToOneDescriptor, ForwardOneToOneDescriptor)
"""What a model has in the place of its foreign keys."""
_PK, _GET_PK = stock_method(Model, "pk"), stock_method(Model, "_get_pk_val")


def on_class(cls: type, name: str) -> Any:
    """Return what a class has under a name, as it is; None if it has nothing."""
    for base in cls.__mro__:
        if name in base.__dict__:
            return base.__dict__[name]
    return None


def column(cls: type, source: str) -> str | None:
    """Return the attribute that ``Model.serializable_value`` reads for a foreign key of a model."""
    model: Any = cls
    if access_of(cls) != MODEL or not are_read_as_stock():
        return None
    if model.serializable_value is not Model.serializable_value:
        return None
    for field in model._meta.concrete_fields:
        if field.name == source:
            name: str = field.attname
            return name
    return None


def prefetched(cls: type, source: str) -> str | None:
    """Return where a model keeps prefetched objects; None if users have a say in ``all()``."""
    relation = relation_to_many(cls, source)
    return None if relation is None else relation[0]


def relation_to_many(cls: type, source: str) -> tuple[str, Any] | None:
    """Return what :func:`prefetched` returns, and the foreign key that refers to the model."""
    model: Any = cls
    descriptor = on_class(cls, source)
    if access_of(cls) != MODEL or not has_plain_key(model) or not are_read_as_stock():
        return None
    if type(descriptor) is ManyToManyDescriptor:
        field, is_reverse = descriptor.rel.field, descriptor.reverse
        name = field.related_query_name() if is_reverse else field.name
        column = field.m2m_reverse_field_name() if is_reverse else field.m2m_field_name()
        key = descriptor.through._meta.get_field(column)
    elif type(descriptor) is ReverseManyToOneDescriptor:
        key = descriptor.field
        name = key.remote_field.cache_name
    else:
        return None
    # With other keys, the manager asks whether their values are there.
    is_by_key = all(target.primary_key for target in key.foreign_related_fields)
    is_stock = is_by_key and _is_stock_manager(descriptor.related_manager_cls)
    return (name, key) if is_stock else None


def has_plain_key(model: Any) -> bool:
    """Return whether ``pk`` of a model's instances is the value of one column, as Django has it."""
    # A key of several columns cannot be asked for on the class.
    return on_class(model, "pk") is _PK and model._get_pk_val is _GET_PK


def _is_stock_manager(manager: Any) -> bool:
    """Return whether making a related manager, and asking it for all, runs no code of users."""
    base = manager.__mro__[1]
    return (
        base.__init__ is BaseManager.__init__
        and base.__new__ is BaseManager.__new__
        and base.__getattribute__ is object.__getattribute__
        and base.__setattr__ is object.__setattr__
        and manager.all is BaseManager.all
        and manager.get_queryset is stock_method(manager, "get_queryset")
    )


def access_of(cls: type) -> str:
    """Return how ``get_attribute`` reads objects of a class; lazy ones are asked one by one."""
    for base in cls.__mro__[:-1]:
        attributes = base.__dict__
        # That of dict is that of object.
        if "__class__" in attributes or ("__getattribute__" in attributes and base is not dict):
            return GENERAL
    if issubclass(cls, Mapping):
        return ITEM
    return MODEL if issubclass(cls, Model) else ATTRIBUTE


def read(obj: Any, name: str) -> Any:
    return obj[name] if isinstance(obj, Mapping) else getattr(obj, name)


def rows(data: Any) -> Any:
    """Return what stock iterates over: the rows, or all rows of a manager."""
    return data.all() if isinstance(data, BaseManager) else data


_MOST_CLASSES = 8


class AccessCache(dict[type, str]):
    """How objects of a few classes are read: :func:`access_of`, once for each class."""

    def __missing__(self, cls: type) -> str:
        if len(self) >= _MOST_CLASSES:
            self.clear()
        access = self[cls] = access_of(cls)
        return access


def read_path(obj: Any, names: tuple[str, ...], accesses: AccessCache) -> Any:
    """Return what several attributes or items lead to, each called if stock would call it."""
    for name in names:
        access = accesses[type(obj)]
        try:
            if access is ITEM or (access is GENERAL and isinstance(obj, Mapping)):
                value = obj[name]
            else:
                value = getattr(obj, name)
        except ObjectDoesNotExist:
            return None
        if callable(value):
            by_stock = partial(_get_one, obj, name)
            value = called(value, by_stock) if is_method(value) else by_stock(value)
        obj = value
    return obj


def read_prefetched(obj: Any, name: str) -> Any:
    """Return the related objects of a model instance that were prefetched, or None."""
    objects = obj.__dict__.get(PREFETCHED)
    if not isinstance(objects, dict) or obj.pk is None:
        return None
    related = objects.get(name)
    return None if isinstance(related, BaseManager) else related


def _get_one(obj: Any, name: str, found: Any) -> Any:
    """Return what DRF makes of a value that it finds in an object."""
    return fields.get_attribute(_Substitute(obj, lambda: found), (name,))


def read_many(
    serializer_fields: Any,
    index: int,
    obj: Any,
    names: tuple[str, ...],
    accesses: AccessCache,
    prefetched_name: str | None,
) -> Any:
    """Return the related objects of a ``ManyRelatedField``, or raise ``SkipField``."""
    if prefetched_name is not None:
        related = read_prefetched(obj, prefetched_name)
        if related is not None:
            return related
    if hasattr(obj, "pk") and obj.pk is None:
        return []
    try:
        relationship = read_path(obj, names, accesses)
    except (KeyError, AttributeError) as error:
        # The same as in ManyRelatedField.get_attribute follows, and nothing is read from it.
        substitute = _Substitute(obj, _raising(error))
        return fields.Field.get_attribute(serializer_fields[index], substitute)
    return relationship.all() if hasattr(relationship, "all") else relationship


def represent_field(field: Any, obj: Any) -> Any:
    """Return what ``Serializer.to_representation`` makes of one field."""
    try:
        attribute = field.get_attribute(obj)
    except fields.SkipField:
        return missing
    value = attribute.pk if isinstance(attribute, relations.PKOnlyObject) else attribute
    return None if value is None else field.to_representation(attribute)


def represent(field: Any, value: Any, obj: Any) -> Any:
    """Return a value as it was read: called if stock would call it, then represented."""
    value = call_if_callable(field, value, obj)
    if value is None or value is missing:
        return value
    if isinstance(value, relations.PKOnlyObject) and value.pk is None:
        return None
    return field.to_representation(value)


def unreadable(field: Any, obj: Any, error: Exception) -> Any:
    """Return what stock does with an object whose attribute cannot be read."""
    try:
        return field.get_attribute(_Substitute(obj, _raising(error)))
    except fields.SkipField:
        return missing


def represent_key(field: Any, value: Any, obj: Any) -> Any:
    """Return the key in a foreign key's column; stock takes the columns that hold no plain key."""
    if not (callable(value) or hasattr(value, "pk")):
        return value
    return represent_field(field, obj)


_GET_DISPLAY = stock_method(Model, "_get_FIELD_display")
_OTHER_SIGNATURE = frozenset(
    ["__wrapped__", "__signature__", "_partialmethod", "__partialmethod__"]
)
"""Attributes of functions whose signature is not what their code says."""


def is_method(value: Any) -> bool:
    """Return whether a value that was read is what stock may call."""
    # The questions of DRF's is_simple_callable: a proxy is asked for its class as often.
    return callable(value) and (
        inspect.isbuiltin(value)
        or inspect.isfunction(value)
        or inspect.ismethod(value)
        or isinstance(value, functools.partial)
    )


def call_if_callable(field: Any, value: Any, obj: Any) -> Any:
    """Return a value as it was read: called if stock would call it.

    Out of the ordinary, stock's own ``get_attribute`` decides and calls, so that its errors are its
    own; it finds the value that was read in place of the object.
    """
    if not is_method(value):
        return value
    try:
        return called(value, lambda found: field.get_attribute(_Substitute(obj, lambda: found)))
    except fields.SkipField:
        return missing


def called(value: Any, by_stock: Callable[[Any], Any]) -> Any:
    """Return a value, or what it gives where stock would call it; ``by_stock`` asks stock."""
    if not needs_no_arguments(value):
        return by_stock(value)
    try:
        return value()
    except (AttributeError, KeyError) as error:
        return by_stock(_raising(error))


def needs_no_arguments(value: Any) -> bool:
    """Return whether it shows at once that DRF calls a value; where it does not, DRF must tell.

    DRF makes an ``inspect.Signature`` of each value, which takes longer than most methods do.
    """
    if type(value) is functools.partial:  # Model.get_status_display, say
        is_display = getattr(value.func, "__func__", None) is _GET_DISPLAY
        return is_display and not value.args and value.keywords.keys() == {"field"}
    if type(value) is not MethodType or type(value.__func__) is not FunctionType:
        return False
    function = value.__func__
    code = function.__code__
    has_arguments = code.co_argcount != 1 or code.co_kwonlyargcount
    return not has_arguments and _OTHER_SIGNATURE.isdisjoint(function.__dict__)


class _Substitute:
    """Stands for an object from which an attribute was read: it is not read again."""

    def __init__(self, obj: Any, give: Callable[[], Any]) -> None:
        object.__setattr__(self, "_fastschema_substitute", (obj, give))

    def __getattribute__(self, name: str) -> Any:
        obj, give = object.__getattribute__(self, "_fastschema_substitute")
        return obj.__class__ if name == "__class__" else give()

    def __getitem__(self, name: str) -> Any:
        return object.__getattribute__(self, "_fastschema_substitute")[1]()


def _raising(error: Exception) -> Callable[[], Any]:
    def give() -> Any:
        raise error

    return give


@dataclass(frozen=True, slots=True)
class SerializerPath(FieldPath):
    """Where a field is found, and what stock does with its value before it is represented.

    :param is_called: whether stock would no longer call a value that is a method
    :param is_own: whether it is a field of the serializer, or one inside of such a field
    """

    is_called: bool = True
    is_own: bool = False

    @classmethod
    def of(cls, index: int, is_called: bool) -> SerializerPath:
        return cls(f"fields[{index}]", lambda fields: fields[index], is_called, is_own=True)

    def inside(self, attribute: str) -> SerializerPath:
        """Return the path to the field that this one keeps in an attribute."""
        inner = FieldPath.within(self, f".{attribute}", attrgetter(attribute))
        return SerializerPath(inner.expression, inner.get)

    @property
    def own_method(self) -> str:
        """A template: the field's own ``to_representation``."""
        if self.is_called:
            return "$field.to_representation($value)"
        return "represent($field, $value, obj)"

    def by_maker(self, registered: Any, slots: list[Slot]) -> str:
        make = new_slot(slots, "by_maker", lambda bound, cls, form: bound.maker_method(registered))
        return f"{make}($field, $value)"

    def called(self, template: str) -> str:
        """Return a template for any value, but for those that stock calls or looks into."""
        if self.is_called:
            return template
        # As stock: a lazy object is evaluated now, and not when the result is read.
        is_stock = "callable($value) or isinstance($value, PKOnlyObject)"
        return f"{self.own_method} if {is_stock} else {template}"


def option(field: Any, attribute: str, setting: str) -> Any:
    """Return an option of a field, or the setting that stands in for it."""
    is_given = hasattr(field, attribute)
    return getattr(field, attribute) if is_given else getattr(api_settings, setting)


def option_slot(
    slots: list[Slot],
    name: str,
    path: FieldPath,
    get: Callable[[Any], Any],
    ambient: Callable[[Any], object] | None = None,
) -> str:
    """Return the name of a new slot for what a function gives of the options of a field.

    :param ambient: what the value depends on; None: on what the function gives
    """

    def resolve(bound: Any, cls: Any = None, form: Any = None) -> Any:
        return get(path.get(bound.exemplar_fields))

    return new_slot(slots, name, resolve, ambient or resolve)
