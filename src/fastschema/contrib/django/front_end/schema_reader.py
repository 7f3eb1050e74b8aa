"""Reading a DRF serializer: its description, and the node made from it."""

from __future__ import annotations

import keyword
import uuid
from collections.abc import Callable, Sequence
from types import NoneType
from typing import Any

from django.core.exceptions import ObjectDoesNotExist
from django.db.models.constants import LOOKUP_SEP
from rest_framework import fields, relations
from rest_framework.fields import Field
from rest_framework.serializers import ListSerializer, Serializer
from rest_framework.utils.serializer_helpers import BindingDict

from fastschema.compiler.kinds import ENGINE_NAMES, STRING, by_class, unchanged
from fastschema.compiler.nodes import (
    ATTRIBUTE,
    ITEM,
    PLAIN,
    Conversion,
    FieldNode,
    Form,
    Kind,
    ObjectNode,
    Read,
    Repeatable,
    Slot,
    Source,
    UnreadableError,
    literal,
)
from fastschema.contrib.django.front_end import access
from fastschema.contrib.django.front_end.access import (
    MODEL,
    AccessCache,
    SerializerPath,
    access_of,
    column,
    prefetched,
    represent_field,
    represent_key,
)
from fastschema.contrib.django.front_end.bypassed import are_linked_as_stock, are_read_as_stock
from fastschema.contrib.django.front_end.customization import STOCK_CLASSES, why_fields_are_own
from fastschema.contrib.django.front_end.fields import (
    describe,
    inner_fields,
    kind,
    many_related,
    model_field,
    why_unknown,
)
from fastschema.contrib.django.front_end.fields_relations import (
    hyperlink,
    nested_list,
    own_hyperlink,
    primary_key,
)
from fastschema.contrib.django.front_end.hyperlinks import link_from_relation
from fastschema.contrib.django.front_end.json_encoding import json_number, json_value, missing
from fastschema.contrib.django.front_end.labels import label_of_instance
from fastschema.runtime.patching import stock_method
from fastschema.runtime.plain_values import has_plain_attributes, is_a, why_lazy
from fastschema.runtime.programs import (
    OWN_METHOD,
    Description,
    DumpProgram,
    dump_program,
    method_of,
    programs,
    reason_of,
)

_BY_STOCK = "stock"
_GET_ATTRIBUTE = stock_method(fields.Field, "get_attribute")
_MODEL_FIELD_GET_ATTRIBUTE = stock_method(fields.ModelField, "get_attribute")
_RELATED_GET_ATTRIBUTE = stock_method(relations.RelatedField, "get_attribute")
_MANY_GET_ATTRIBUTE = stock_method(relations.ManyRelatedField, "get_attribute")
_OBJECT_ITSELF = (
    stock_method(relations.RelatedField, "use_pk_only_optimization"),
    stock_method(relations.HyperlinkedIdentityField, "use_pk_only_optimization"),
)
_KEY_ONLY = stock_method(relations.PrimaryKeyRelatedField, "use_pk_only_optimization")
_KEY_ONLY_IF_LOOKED_UP = stock_method(relations.HyperlinkedRelatedField, "use_pk_only_optimization")
_PLAIN_KEYS = (str, uuid.UUID)
_KEY_ONLY_KIND = "key only"
_OF_OBJECTS = (primary_key, hyperlink, own_hyperlink, model_field, many_related)
"""Kinds of fields that have a ``get_attribute`` of their own."""
_CALLING = "is_method($value)", "call_if_callable($field, $value, obj)"
"""When a value is a method to be called, and what then becomes of it."""

_FUNCTIONS = (
    *(access.read, access.read_many, access.read_path, access.read_prefetched),
    *(access.represent, access.represent_field, access.call_if_callable, access.is_method),
    *(access.unreadable, json_value, json_number),
)
NAMES: dict[str, object] = {
    **ENGINE_NAMES,
    **{function.__name__: function for function in _FUNCTIONS},
    "ObjectDoesNotExist": ObjectDoesNotExist,
    "PKOnlyObject": relations.PKOnlyObject,
    "SkipField": fields.SkipField,
    "BuiltinSignatureError": fields.BuiltinSignatureError,
}
"""What generated code names."""


def field_mapping(serializer: Any) -> Any:
    """Return the fields of a serializer by name, made if there are none yet."""
    fields = serializer.fields
    # A BindingDict reads its mapping by methods written in Python.
    return fields.fields if type(fields) is BindingDict else fields


def all_fields(serializer: Any) -> list[Any]:
    """Return all fields; raise UnreadableError if code of users would see that we look at one."""
    check_is_read_as_stock(serializer)
    fields = list(field_mapping(serializer).values())
    for field in fields:
        check_is_read_as_stock(field)
    return fields


_ASKED = ("field_name", "read_only", "write_only")
_USUAL = frozenset([str, bool, NoneType])


def check_is_read_as_stock(field: Any) -> None:
    """Raise UnreadableError if reading attributes of a field, or of inner ones, runs its code."""
    cls: Any = type(field)
    if cls not in STOCK_CLASSES and not (issubclass(cls, Field) and has_plain_attributes(cls)):
        raise UnreadableError(f"{cls.__name__} computes its attributes")
    for name in inner_fields(field):
        check_is_read_as_stock(getattr(field, name))
    if not _USUAL.issuperset(map(type, map(vars(field).get, _ASKED))):
        reason = why_lazy(field, _ASKED)
        if reason is not None:
            raise UnreadableError(reason)


def readable_fields(serializer: Any) -> list[Any]:
    """Return the fields that stock dumps; raise UnreadableError if code of users chooses them."""
    reason = why_fields_are_own(type(serializer))
    if reason is not None:
        raise UnreadableError(reason)
    fields = all_fields(serializer)
    for field in fields:
        if type(field) not in STOCK_CLASSES and hasattr(type(field), "write_only"):
            raise UnreadableError(f"{type(field).__name__} computes write_only")
    return [field for field in fields if not field.write_only]


def read(serializer: Any, serializer_fields: list[Any]) -> DumpProgram:
    """Return the program for a serializer; raise UnreadableError if it cannot be compiled."""
    try:
        description = describe_serializer(serializer, serializer_fields)
        return programs.get(description, lambda: dump_program(make_node(description)))
    except UnreadableError:
        raise
    except Exception as error:
        raise UnreadableError(f"it cannot be read: {error}") from error


def describe_serializer(serializer: Any, serializer_fields: list[Any]) -> Description:
    """Return all that the generated code depends on, as plain hashable values."""
    if any(field.parent is not serializer for field in serializer_fields):
        raise UnreadableError("its fields belong to another serializer")
    if len({field.field_name for field in serializer_fields}) < len(serializer_fields):
        raise UnreadableError("two of its fields have the same name")
    return (
        "rest_framework",
        type(serializer).__name__,
        tuple(map(_describe_field, serializer_fields)),
    )


def _describe_field(field: Any) -> Description:
    name = field.field_name
    if type(name) is not str:
        raise UnreadableError("the name of a field is not a plain str")
    reason = why_unknown(field)
    if reason is not None:
        return (name, None, (_BY_STOCK, reason))
    get_attribute = method_of(field, "get_attribute")
    if get_attribute is None:
        return (name, None, (_BY_STOCK, "get_attribute is set on the field object"))
    described = describe(field)
    source_attrs = tuple(field.source_attrs)
    maker = described[0]
    if get_attribute is _GET_ATTRIBUTE:
        if maker not in _OF_OBJECTS:
            return (name, source_attrs, described)
    elif get_attribute is _RELATED_GET_ATTRIBUTE:
        return _describe_relation(field, name, source_attrs, described)
    elif get_attribute is _MANY_GET_ATTRIBUTE and maker is many_related:
        return (name, source_attrs, described)
    elif get_attribute is _MODEL_FIELD_GET_ATTRIBUTE and maker is model_field:
        return (name, (), described)
    where = getattr(get_attribute, "__qualname__", "its get_attribute")
    return (name, None, (_BY_STOCK, f"fastschema cannot compile {where}"))


def _describe_relation(
    field: Any, name: str, source_attrs: tuple[Any, ...], described: Description
) -> Description:
    """Return a field that reads as ``RelatedField`` does: a related object, or only its key."""
    is_key_only = bool(source_attrs) and reads_only_key(field)
    if is_key_only is None:
        return (name, None, (_BY_STOCK, "use_pk_only_optimization is overridden"))
    if not is_key_only:
        return (name, source_attrs, described)
    if described[0] == OWN_METHOD:
        return (name, None, (_BY_STOCK, described[1]))
    if described[0] is own_hyperlink:
        return (name, None, (_BY_STOCK, "get_url is overridden"))
    if len(source_attrs) > 1:
        return (name, None, (_BY_STOCK, "a key of a dotted source is not compiled"))
    return (name, source_attrs, (_KEY_ONLY_KIND, *described))


def reads_only_key(field: Any) -> bool | None:
    """Return whether a related field reads only its object's key; None if code of users says so."""
    method = method_of(field, "use_pk_only_optimization")
    if method in _OBJECT_ITSELF:
        return False
    if method is _KEY_ONLY_IF_LOOKED_UP:
        lookup_field = field.lookup_field
        return type(lookup_field) is str and lookup_field == "pk"
    return True if method is _KEY_ONLY else None


def make_node(description: Description) -> ObjectNode:
    """Return the node for a description: from the description alone, so that the cache is right."""
    _, name, descriptions = description
    slots = [Slot("fields", lambda bound, cls, form: bound.fields)]
    nodes = [_field_node(index, field, slots) for index, field in enumerate(descriptions)]
    return ObjectNode(
        name=name,
        fields=tuple(nodes),
        slots=tuple(slots),
        missing=missing,
        access=access_of,
        names=NAMES,
    )


def _field_node(index: int, description: Description, slots: list[Slot]) -> FieldNode:
    name, source_attrs, kind_description = description
    field = f"fields[{index}]"
    reason = _reason(kind_description)
    maker = kind_description[0]
    if maker == _BY_STOCK:
        source = Source(name, Read(f"represent_field({field}, obj)"), user_code=kind_description[1])
        return FieldNode(
            name, source, unchanged("the field's own methods", STRING), field, reason=reason
        )
    if maker == _KEY_ONLY_KIND:
        make = _key_link_node if kind_description[1] is hyperlink else _primary_key_node
        return make(index, name, source_attrs[0], slots)
    many = None
    if maker is nested_list and len(source_attrs) == 1:
        many = _class_slot(slots, "prefetched", lambda cls: prefetched(cls, source_attrs[0]))
    if maker is many_related:
        source = _many_source(index, source_attrs, slots)
    else:
        source = _source(field, source_attrs, many, slots)
    is_called = len(source_attrs) != 1 or maker is many_related
    field_kind = kind(kind_description, SerializerPath.of(index, is_called), slots)
    return FieldNode(
        name,
        source,
        field_kind,
        field,
        call_if_callable=None if is_called else _CALLING,
        never_missing=not source_attrs,
        reason=reason,
    )


def _class_slot(slots: list[Slot], name: str, resolve: Callable[[type], Any]) -> str:
    """Return a new slot for what the class of objects alone decides, and how Django reads them."""
    slot = f"{name}_{len(slots)}"
    slots.append(
        Slot(slot, lambda bound, cls, form: resolve(cls), are_read_as_stock, per_class=True)
    )
    return slot


def _reason(description: Description) -> str | None:
    """Return why a field runs as stock, or calls the own method of a field inside of it."""
    name, *options = description
    return str(options[0]) if name == _BY_STOCK else reason_of(description)


def _primary_key_node(index: int, name: str, source: str, slots: list[Slot]) -> FieldNode:
    """Return the value of the foreign key's column, where the model's own method would give it."""
    field = f"fields[{index}]"
    slot = _class_slot(slots, "column", lambda cls: column(cls, source))
    expression = f"represent_field({field}, obj) if {slot} is None else getattr(obj, {slot})"
    # What represent_field gives is finished.
    is_finished = f"{slot} is None or type($value) in plain_keys"
    key = f"$value if {is_finished} else represent_key($field, $value, obj)"
    names = {"plain_keys": _PLAIN_KEYS, "represent_key": represent_key}
    return FieldNode(
        name,
        Source(source, Read(expression), path=(source,)),
        by_class("primary key", "int", None, key, PLAIN, names=names, repeatable=Repeatable.KEY),
        field,
    )


def _key_link_node(index: int, name: str, source: str, slots: list[Slot]) -> FieldNode:
    link = f"link_{len(slots)}"

    def resolve(bound: Any, cls: type, form: Form) -> Any:
        def by_stock(obj: Any) -> Any:
            return represent_field(bound.fields[index], obj)

        field = bound.exemplar_fields[index]
        return link_from_relation(field, bound, by_stock, form, column(cls, source))

    slots.append(Slot(link, resolve, are_linked_as_stock, per_class=True))
    return FieldNode(
        name,
        Source(source, Read(f"{link}(obj)"), path=(source,)),
        Kind("hyperlink", python=Conversion(), json=Conversion(), repeatable=Repeatable.ADDRESS),
        f"fields[{index}]",
    )


def _many_source(index: int, source_attrs: tuple[Any, ...], slots: list[Slot]) -> Source:
    """Read as ``ManyRelatedField.get_attribute`` does."""
    cache = _class_slot(slots, "access", lambda cls: AccessCache())
    names = "".join(f"{literal(name)}, " for name in source_attrs)
    many = "None"
    if len(source_attrs) == 1:
        many = _class_slot(slots, "prefetched", lambda cls: prefetched(cls, source_attrs[0]))
    expression = f"read_many(fields, {index}, obj, ({names}), {cache}, {many})"
    read = Read(expression, (("SkipField", "missing"),))
    return Source(".".join(source_attrs), read, path=source_attrs)


def _source(
    field: str,
    source_attrs: tuple[Any, ...],
    many: str | None,
    slots: list[Slot],
) -> Source:
    """Read as ``rest_framework.fields.get_attribute`` does."""
    label = ".".join(map(str, source_attrs)) or "*"
    if not source_attrs:
        return Source(label, Read("obj"), path=())
    skipped = ("SkipField", "missing")
    if len(source_attrs) > 1:
        cache = _class_slot(slots, "access", lambda cls: AccessCache())
        names = ", ".join(map(literal, source_attrs))
        errors = "(KeyError, AttributeError, BuiltinSignatureError) as error"
        handlers = (skipped, (errors, f"unreadable({field}, obj, error)"))
        read_all = Read(f"read_path(obj, ({names}), {cache})", handlers)
        return Source(label, read_all, path=source_attrs)
    attribute = source_attrs[0]
    name = literal(attribute)
    unreadable = ("(KeyError, AttributeError) as error", f"unreadable({field}, obj, error)")
    either = (("ObjectDoesNotExist", "None"), skipped, unreadable)
    by_attribute = f"getattr(obj, {name})"
    if attribute.isascii() and attribute.isidentifier() and not keyword.iskeyword(attribute):
        by_attribute = f"obj.{attribute}"
    reads = {ATTRIBUTE: Read(by_attribute, either), ITEM: Read(f"obj[{name}]", either)}
    reads[MODEL] = reads[ATTRIBUTE]
    if many is not None:
        is_prefetched = f"{many} is not None and (text := read_prefetched(obj, {many})) is not None"
        reads[MODEL] = Read(f"text if {is_prefetched} else {by_attribute}", either)
    if attribute.startswith("get_") and attribute.endswith("_display"):
        shown = _class_slot(slots, "label", lambda cls: label_of_instance(cls, attribute))
        reads[MODEL] = Read(f"{by_attribute} if {shown} is None else {shown}(obj)", either)
    return Source(label, Read(f"read(obj, {name})", either), reads, source_attrs)


def attributes_read(field: Any, path: Sequence[str]) -> tuple[list[str], str | None]:
    """Return the relations a field follows, and the attribute at their end (None: the object)."""
    if is_a(field, ListSerializer, Serializer):
        return list(path), None
    related = field.child_relation if is_a(field, relations.ManyRelatedField) else field
    if is_a(related, relations.SlugRelatedField):
        *more, name = related.slug_field.split(LOOKUP_SEP)
        return [*path, *more], name
    if related is not field:
        return list(path), "pk" if is_a(related, relations.PrimaryKeyRelatedField) else None
    if path and (not is_a(field, relations.RelatedField) or reads_only_key(field) is not False):
        return list(path[:-1]), path[-1]
    return list(path), None
