"""Reading a DRF serializer: its description, and the node made from it."""

from __future__ import annotations

import functools
import inspect
import keyword
from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from django.core.exceptions import ObjectDoesNotExist
from django.db.models import Model
from django.db.models.fields.related_descriptors import (
    ForwardManyToOneDescriptor,
    ForwardOneToOneDescriptor,
)
from rest_framework import fields, relations, serializers
from rest_framework.utils.serializer_helpers import BindingDict

from fastschema.cache import programs
from fastschema.contrib.django.encoding import json_value, missing
from fastschema.contrib.django.kinds import (
    OWN_METHOD,
    Description,
    FieldPath,
    describe,
    kind,
)
from fastschema.nodes import (
    ATTRIBUTE,
    GENERAL,
    ITEM,
    Conversion,
    FieldNode,
    Kind,
    ObjectNode,
    Read,
    Slot,
    Source,
    UnreadableError,
    literal,
)
from fastschema.program import Program
from fastschema.recognition import Facts, Look, Recognizer

MODEL = "model"
"""The access to model instances: by attribute, and past the descriptors of loaded relations."""
_BY_STOCK = "stock"
_GET_ATTRIBUTE = fields.Field.get_attribute
_RELATED_GET_ATTRIBUTE = relations.RelatedField.get_attribute
_PK_ONLY = relations.PrimaryKeyRelatedField.use_pk_only_optimization
_READABLE_FIELDS = serializers.Serializer._readable_fields


def readable_fields(serializer: Any) -> list[Any]:
    """The fields that ``Serializer.to_representation`` goes through."""
    fields = serializer.fields
    # Its own mapping is read by methods written in Python.
    mapping = fields.fields if type(fields) is BindingDict else fields
    return [field for field in mapping.values() if not field.write_only]


_recognizer = Recognizer()


def read(serializer: Any, serializer_fields: list[Any]) -> Program:
    """The program for a serializer.

    The slots of its node resolve from a :class:`fastschema.contrib.django.dumping.Subject`.

    :param serializer_fields: its :func:`readable_fields`
    :raises UnreadableError: if the serializer cannot be compiled
    """
    program = _recognizer.recognize(serializer, serializer_fields)
    if program is not None:
        programs.used(program)
        return program
    facts = _recognizer.facts(serializer)
    description = describe_serializer(serializer, serializer_fields, facts)
    try:
        program = programs.get(description, lambda: make_node(description))
    except TypeError as error:
        raise UnreadableError(f"the serializer cannot be read: {error}") from error
    _recognizer.learn(serializer, serializer_fields, facts, program)
    return program


def describe_serializer(serializer: Any, serializer_fields: list[Any], facts: Facts) -> Description:
    """All that the generated code depends on, as plain hashable values.

    :raises UnreadableError: if the serializer cannot be compiled
    """
    look = Look.at_schema(serializer, facts)
    if look.on_class("_readable_fields") is not _READABLE_FIELDS:
        raise UnreadableError("_readable_fields is overridden")
    return (
        "rest_framework",
        type(serializer).__name__,
        tuple(
            [
                _describe_field(Look(field, f"field_{index}", facts))
                for index, field in enumerate(serializer_fields)
            ]
        ),
    )


def _describe_field(look: Look) -> Description:
    name = look.get("field_name")
    if type(name) is not str:
        raise UnreadableError(f"the name of field {name!r} is not a plain str")
    get_attribute = look.method("get_attribute")
    if get_attribute is None:
        return (name, None, (_BY_STOCK, "get_attribute is set on the field object"))
    described = describe(look)
    source_attrs = (*look.target.source_attrs,)
    look.facts.add(f"(*{look.path}.source_attrs,) == {look.facts.name(source_attrs)}")
    if get_attribute is _GET_ATTRIBUTE:
        if described != ("primary key",):
            return (name, source_attrs, described)
    elif get_attribute is _RELATED_GET_ATTRIBUTE:
        pk_only = look.method("use_pk_only_optimization") is _PK_ONLY
        if described == ("primary key",) and len(source_attrs) == 1 and pk_only:
            return (name, source_attrs, described)
        if described[0] == OWN_METHOD:
            return (name, None, (_BY_STOCK, described[1]))
        return (name, None, (_BY_STOCK, "only a primary key of a simple source is compiled"))
    where = getattr(get_attribute, "__qualname__", "its get_attribute")
    return (name, None, (_BY_STOCK, f"{where} is not one that fastschema knows"))


def make_node(description: Description) -> ObjectNode:
    """The node for a description: from the description alone, so that the cache is right."""
    _, name, descriptions = description
    slots = [Slot("fields", lambda subject, cls, form: subject.fields)]
    names = [field_name for field_name, *_ in descriptions]
    # A name that a late change gave to two fields is set by each that has a value.
    is_display = len(set(names)) == len(names)
    if not is_display:
        slots.append(Slot("dict_class", lambda subject, cls, form: dict))
    nodes = [_field_node(index, field, slots) for index, field in enumerate(descriptions)]
    return ObjectNode(
        name=name,
        fields=tuple(nodes),
        slots=tuple(slots),
        missing=missing,
        access=access_of,
        dict_class=None if is_display else "dict_class",
        names={
            "ObjectDoesNotExist": ObjectDoesNotExist,
            "SkipField": fields.SkipField,
            "read": _read,
            "read_path": _read_path,
            "represent": _represent,
            "represent_field": _represent_field,
            "settle": _settle,
            "unreadable": _unreadable,
        },
    )


def _field_node(index: int, description: Description, slots: list[Slot]) -> FieldNode:
    name, source_attrs, kind_description = description
    field = f"fields[{index}]"
    reason = kind_description[1] if kind_description[0] in (_BY_STOCK, OWN_METHOD) else None
    if kind_description[0] == _BY_STOCK:
        source = Source(name, Read(f"represent_field({field}, obj)"))
        return FieldNode(
            name, source, _represented("the field's own methods"), field, reason=reason
        )
    if kind_description == ("primary key",):
        return _primary_key_node(index, name, source_attrs[0], slots)
    relation = None
    if kind_description == ("nested",) and len(source_attrs) == 1:
        relation = f"relation_{len(slots)}"
        slots.append(Slot(relation, lambda subject, cls, form: _relation(cls, source_attrs[0])))
    source = _source(field, source_attrs, relation)
    settled = len(source_attrs) != 1
    otherwise = (
        "{field}.to_representation({value})" if settled else "represent({field}, {value}, obj)"
    )
    field_kind = kind(kind_description, FieldPath(field, index, otherwise), slots)
    if settled:
        field_kind = replace(field_kind, may_skip=False)
    return FieldNode(
        name,
        source,
        field_kind,
        field,
        settle=None if settled else _settling(relation),
        never_missing=not source_attrs,
        reason=reason,
    )


def _settling(relation: str | None) -> tuple[str, str]:
    """When a nested value may be a method to be called, and what then becomes of it.

    The value of a model's relation never is one.
    """
    condition = "callable({value})"
    if relation is not None:
        condition = f"{relation} is None and {condition}"
    return condition, "settle({field}, {value}, obj)"


def _represented(label: str) -> Kind:
    """The kind of a value that stock has represented already."""
    return Kind(
        label,
        faithful=Conversion(),
        json=Conversion("str", None, "json_value({value})"),
        names={"json_value": json_value},
    )


def _primary_key_node(index: int, name: str, source: str, slots: list[Slot]) -> FieldNode:
    """The value of the foreign key's own column, where the model's own method would give it."""
    field = f"fields[{index}]"
    column = f"column_{len(slots)}"
    slots.append(Slot(column, lambda subject, cls, form: _column(cls, source)))
    expression = f"represent_field({field}, obj) if {column} is None else getattr(obj, {column})"
    # What represent_field gives is finished.
    key = f"{{value}} if {column} is None else represent_key({{field}}, {{value}}, obj)"
    return FieldNode(
        name,
        Source(source, Read(expression)),
        Kind(
            "primary key",
            faithful=Conversion("int", None, key),
            json=Conversion("int", None, f"json_value({key})"),
            names={"json_value": json_value, "represent_key": _represent_key},
            may_skip=True,
        ),
        field,
    )


def _column(cls: type, source: str) -> str | None:
    """The attribute that ``Model.serializable_value`` reads for a foreign key of a model."""
    model: Any = cls
    if access_of(cls) != MODEL or model.serializable_value is not Model.serializable_value:
        return None
    for field in model._meta.concrete_fields:
        if field.name == source:
            name: str = field.attname
            return name
    return None


def _represent_key(field: Any, value: Any, obj: Any) -> Any:
    """The key in a foreign key's column; stock takes the columns that hold no plain key."""
    if not (callable(value) or hasattr(value, "pk")):
        return value
    return _represent_field(field, obj)


def _source(field: str, source_attrs: tuple[Any, ...], relation: str | None) -> Source:
    """Reads as ``rest_framework.fields.get_attribute`` does.

    :param relation: the slot that holds the name under which a model keeps the related object
    """
    label = ".".join(map(str, source_attrs)) or "*"
    if not source_attrs:
        return Source(label, Read("obj"))
    if len(source_attrs) > 1:
        return Source(label, Read(f"read_path({field}, obj)"))
    attribute = source_attrs[0]
    name = literal(attribute)
    handlers = (
        ("ObjectDoesNotExist", "None"),
        ("SkipField", "missing"),
        ("(KeyError, AttributeError) as error", f"unreadable({field}, obj, error)"),
    )
    by_attribute = f"getattr(obj, {name})"
    if attribute.isascii() and attribute.isidentifier() and not keyword.iskeyword(attribute):
        by_attribute = f"obj.{attribute}"
    reads = {ATTRIBUTE: Read(by_attribute, handlers), ITEM: Read(f"obj[{name}]", handlers)}
    reads[MODEL] = reads[ATTRIBUTE]
    if relation is not None:
        # The related object where it is loaded, past the descriptor.
        cached = f"text if (text := obj._state.fields_cache.get({relation})) is not None"
        reads[MODEL] = Read(f"{cached} else {by_attribute}", handlers)
    return Source(label, Read(f"read(obj, {name})", handlers), reads)


def _relation(cls: type, source: str) -> str | None:
    """Under which name a model instance keeps the object that a foreign key of it refers to."""
    for base in cls.__mro__:
        descriptor = base.__dict__.get(source)
        if descriptor is not None:
            is_forward = type(descriptor) in (ForwardManyToOneDescriptor, ForwardOneToOneDescriptor)
            return descriptor.field.cache_name if is_forward else None
    return None


def access_of(cls: type) -> str:
    """How ``rest_framework.fields.get_attribute`` reads objects of a class.

    Objects that claim another ``__class__`` (lazy ones) are asked one by one.
    """
    for base in cls.__mro__[:-1]:
        if "__class__" in base.__dict__ or "__getattribute__" in base.__dict__:
            return GENERAL
    if issubclass(cls, Mapping):
        return ITEM
    return MODEL if issubclass(cls, Model) else ATTRIBUTE


def _read(obj: Any, name: str) -> Any:
    return obj[name] if isinstance(obj, Mapping) else getattr(obj, name)


def _read_path(field: Any, obj: Any) -> Any:
    """A source of several attributes, by the field's own ``get_attribute``."""
    try:
        return field.get_attribute(obj)
    except fields.SkipField:
        return missing


def _represent_field(field: Any, obj: Any) -> Any:
    """One field as ``Serializer.to_representation`` treats it."""
    try:
        attribute = field.get_attribute(obj)
    except fields.SkipField:
        return missing
    found = attribute.pk if isinstance(attribute, relations.PKOnlyObject) else attribute
    return None if found is None else field.to_representation(attribute)


def _represent(field: Any, value: Any, obj: Any) -> Any:
    """A value as it was read: called if stock would call it, then represented."""
    value = _settle(field, value, obj)
    if value is None or value is missing:
        return value
    return field.to_representation(value)


def _settle(field: Any, value: Any, obj: Any) -> Any:
    """A value as it was read: called if stock would call it.

    Stock's own ``get_attribute`` decides and calls, so that its errors and its treatment of them
    are its own; it finds the value that was read in place of the object.
    """
    if not (inspect.isroutine(value) or isinstance(value, functools.partial)):
        return value
    try:
        return field.get_attribute(_Holding(obj, value))
    except fields.SkipField:
        return missing


def _unreadable(field: Any, obj: Any, error: Exception) -> Any:
    """What stock does with an object whose attribute cannot be read."""
    try:
        return field.get_attribute(_Raising(obj, error))
    except fields.SkipField:
        return missing


class _Substitute:
    """Stands for an object that was read from already: nothing is read from it twice."""

    def __init__(self, obj: Any, result: Any) -> None:
        object.__setattr__(self, "_fastschema_substitute", (obj, result))

    def __getattribute__(self, name: str) -> Any:
        obj, result = object.__getattribute__(self, "_fastschema_substitute")
        return obj.__class__ if name == "__class__" else type(self)._give(result)

    def __getitem__(self, name: str) -> Any:
        return type(self)._give(object.__getattribute__(self, "_fastschema_substitute")[1])

    @staticmethod
    def _give(result: Any) -> Any:
        raise NotImplementedError


class _Holding(_Substitute):
    """Gives the value that was read."""

    @staticmethod
    def _give(result: Any) -> Any:
        return result


class _Raising(_Substitute):
    """Raises the exception that reading raised."""

    @staticmethod
    def _give(result: Any) -> Any:
        raise result
