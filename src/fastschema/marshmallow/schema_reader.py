"""Read a marshmallow schema, to dump and to load: its description, and the node made from it."""

from __future__ import annotations

import keyword
from collections.abc import Callable
from dataclasses import replace
from functools import lru_cache
from types import FunctionType, MethodType
from typing import Any

from marshmallow import Schema, fields, missing, utils

from fastschema.compiler.kinds import ENGINE_NAMES
from fastschema.compiler.nodes import (
    ATTRIBUTE,
    GENERAL,
    ITEM,
    FieldNode,
    Form,
    LoadFieldNode,
    LoadKind,
    LoadNode,
    ObjectNode,
    Read,
    Slot,
    Source,
    UnreadableError,
    literal,
)
from fastschema.marshmallow import load_fields, validators
from fastschema.marshmallow.bypassed import READS
from fastschema.marshmallow.customization import (
    STOCK_CLASSES,
    all_fields,
    computes_attributes,
)
from fastschema.marshmallow.fields import (
    AS_IT_IS,
    DumpPath,
    describe,
    json_value,
    kind,
    shows_object,
    why_unknown,
)
from fastschema.marshmallow.sqlalchemy import (
    MAPPED,
    are_read_as_stock,
    gets_value_as_stock,
    is_mapped,
    loaded_key,
)
from fastschema.runtime.guard import computes_options
from fastschema.runtime.json_engine import json_number
from fastschema.runtime.patching import overridden, stock_method
from fastschema.runtime.plain_values import is_a
from fastschema.runtime.programs import (
    CACHE_SIZE,
    OWN_METHOD,
    Description,
    DumpProgram,
    LoadProgram,
    dump_program,
    load_program,
    method_of,
    reason_of,
)
from fastschema.runtime.registration import Registered, registered

_STOCK_GET_ATTRIBUTE = stock_method(Schema, "get_attribute")
_STOCK_FIELD_SERIALIZE = stock_method(fields.Field, "serialize")
_STOCK_GET_VALUE = stock_method(fields.Field, "get_value")
_CALLS = {
    "serialize": "serialize({name}, obj, accessor=accessor)",
    "_serialize": "_serialize(None, {name}, obj)",
}
"""The methods of a field that give its value without more, and how they are called."""
_BY_DESERIALIZE = "deserialize"
_DATA_KEY = frozenset(["data_key"])
_OWN_LOAD = LoadKind("the field's own method")
_CALL_AND_STORE = {"_call_and_store": stock_method(Schema, "_call_and_store")}
_LOOKUP_ERRORS = "(KeyError, IndexError, TypeError, AttributeError)"
_DICT_CLASS = Schema.dict_class
_CONSTANT = stock_method(fields.Constant, "_serialize")
_METHOD = stock_method(fields.Method, "_serialize")
_FUNCTION = stock_method(fields.Function, "_serialize")
_CALL_OR_RAISE = (
    stock_method(fields.Function, "_call_or_raise")
    if hasattr(fields.Function, "_call_or_raise")
    else None
)


def describe_dict_class(schema: Any) -> bool:
    """Return whether a schema makes dictionaries and nothing else."""
    if isinstance(_DICT_CLASS, property) and type(schema).dict_class is _DICT_CLASS:
        # marshmallow 3 makes ordered ones of them where a schema asks for that.
        return not schema.ordered
    # What a property gives is asked for each dump.
    return vars(schema).get("dict_class", type(schema).dict_class) is dict


def describe_dump(fields: dict[str, Any], schema: Any) -> Description:
    """All that the code that dumps a schema depends on, as plain hashable values."""
    _check_is_read_as_stock(fields)
    return (
        "marshmallow",
        type(schema).__name__,
        describe_dict_class(schema),
        method_of(schema, "get_attribute") is not _STOCK_GET_ATTRIBUTE or not READS.are_stock(),
        tuple([_describe_field(name, field) for name, field in fields.items()]),
    )


def _check_is_read_as_stock(fields: dict[str, Any]) -> None:
    """Raise ``UnreadableError`` unless attributes of fields are read without code of users."""
    for field in all_fields(fields.values()):
        if computes_attributes(field):
            raise UnreadableError(f"{type(field).__name__} computes its attributes")
        if computes_options(type(field), _DATA_KEY, STOCK_CLASSES) is not None:
            raise UnreadableError(f"{type(field).__name__} computes data_key")


def _checked_key(name: Any, field: Any) -> str:
    """Return the key of a field in the output and the input, if it is a plain ``str``."""
    key: str = name if field.data_key is None else field.data_key
    if type(name) is not str:
        raise UnreadableError("the name of a field is not a plain str")
    if type(key) is not str:
        raise UnreadableError(f"the data_key of {name!a} is not a plain str")
    return key


def _describe_field(name: str, field: Any) -> Description:
    key = _checked_key(name, field)
    reason = _why_not_read(field)
    if reason is not None:
        return (name, key, None, None, ("serialize", reason))
    described = _describe_without_attribute(field)
    if described is not None:
        return (name, key, None, None, described)
    default = field.dump_default
    has_default = None
    if default is not missing:
        has_default = "call" if callable(default) else "value"
    return (name, key, field.attribute, has_default, describe(field))


def _describe_without_attribute(field: Any) -> Description | None:
    if field._CHECK_ATTRIBUTE:
        return None
    method = method_of(field, "_serialize")
    if method is _CONSTANT:
        return (_constant,)
    if method is _METHOD:
        return (_method, field._serialize_method is not None)
    if method is _FUNCTION and method_of(field, "_call_or_raise") is _CALL_OR_RAISE:
        return (_function,)
    if method in registered and registered[method].maker is not None:
        return (_made_of_object, registered[method])
    reason = f"{type(field).__name__} does not read an attribute"
    return ("_serialize", reason)


def _why_not_read(field: Any) -> str | None:
    reason = why_unknown(field)
    if reason is not None:
        return reason
    if method_of(field, "serialize") is not _STOCK_FIELD_SERIALIZE:
        return "serialize is overridden"
    if not field._CHECK_ATTRIBUTE:
        return None
    get_value = method_of(field, "get_value")
    if get_value is not _STOCK_GET_VALUE and not gets_value_as_stock(get_value):
        return "get_value is overridden"
    if field.attribute is not None and type(field.attribute) is not str:
        return "its attribute is not a plain str"
    return None


_TAKEN = Slot("taken", lambda *_: None)
"""Stands for a slot of a field before."""
_NAMES: dict[str, object] = {
    "json_value": json_value,
    "json_number": json_number,
}
"""What templates name of this front end."""


def make_dump_program(description: Description) -> DumpProgram:
    """Return the program for a description: from that alone, so that the cache is right."""
    _, name, is_dict, own_accessor, descriptions = description
    slots = [
        Slot("fields", lambda bound, cls, form: bound.fields),
        Slot("accessor", lambda bound, cls, form: bound.schema.get_attribute),
    ]
    keys = [key for _, key, *_ in descriptions]
    # A key that a late change gave to two fields is set by each that has a value.
    is_display = is_dict and len(set(keys)) == len(keys)
    if not is_display:
        slots.append(Slot("dict_class", lambda bound, cls, form: bound.schema.dict_class))
    nodes = []
    for index, field in enumerate(descriptions):
        field_node, more = _field_node(index, field, own_accessor, len(slots))
        nodes.append(field_node)
        slots += more
    node = ObjectNode(
        name=name,
        fields=tuple(nodes),
        slots=tuple(slots),
        missing=missing,
        access=access_of,
        dict_class=None if is_display else "dict_class",
        names={**_NAMES, **ENGINE_NAMES},
        prepared={MAPPED: ("loaded", "obj.__dict__")},
    )
    return dump_program(node)


@lru_cache(maxsize=CACHE_SIZE)
def _field_node(
    index: int, description: Description, own_accessor: bool, slots_before: int
) -> tuple[FieldNode, list[Slot]]:
    """Return the node of a field, which schemas may share, and the slots that it needs.

    How many slots those have before these tells the names of these apart.
    """
    slots = [_TAKEN] * slots_before
    node = _node_of(index, description, own_accessor, slots)
    return node, slots[slots_before:]


def _node_of(
    index: int, description: Description, own_accessor: bool, slots: list[Slot]
) -> FieldNode:
    name, key, attribute, has_default, kind_description = description
    field = f"fields[{index}]"
    path = DumpPath.of(index, name)
    method = kind_description[0]
    if method in _CALLS:
        reason = kind_description[1]
        expression = f"{field}.{_CALLS[method].format(name=literal(name))}"
        source = Source(name, Read(expression), user_code=reason)
        own_kind = replace(AS_IT_IS, label=f"the field's own {method}")
        return FieldNode(key, source, own_kind, field, reason=reason)
    if method in _WITHOUT_ATTRIBUTE:
        make, *options = kind_description
        source = make(*options, path=path, slots=slots)
        return FieldNode(key, source, AS_IT_IS, field)
    field_kind = kind(kind_description, path, slots)
    source = _source(name if attribute is None else attribute, own_accessor, slots)
    if shows_object(kind_description):
        source = replace(source, path=None)  # more is read than a value
    return FieldNode(
        key,
        source,
        field_kind,
        field,
        default=_default(field, has_default),
        reason=reason_of(kind_description),
    )


def _constant(*, path: DumpPath, **_: Any) -> Source:
    return Source("(constant)", Read(f"{path.expression}.constant"), path=())


def _method(has_method: bool, *, path: DumpPath, slots: list[Slot]) -> Source:
    if not has_method:
        return Source("(no method)", Read("missing"))
    method = f"method_{len(slots)}"

    def resolve(bound: Any, cls: Any = None, form: Any = None) -> Any:
        return path.get(bound.fields)._serialize_method

    slots.append(Slot(method, resolve, resolve))
    return Source("(method)", Read(f"{method}(obj)"), user_code="a method of the schema")


def _function(*, path: DumpPath, slots: list[Slot]) -> Source:
    function = f"function_{len(slots)}"

    def resolve(bound: Any, cls: type, form: Form) -> Any:
        return _one_argument(path.get(bound.fields))

    slots.append(Slot(function, resolve, lambda bound: path.get(bound.fields).serialize_func))
    return Source("(function)", Read(f"{function}(obj)"), user_code="a function")


def _one_argument(field: Any) -> Callable[[Any], Any]:
    """Return the function of a ``Function`` field, as stock calls it.

    marshmallow 3 looks at its signature for each value, to pass it the context if it takes two.
    """
    function: Callable[[Any], Any] = field.serialize_func
    if not hasattr(field, "_call_or_raise"):
        return function
    if is_a(function, FunctionType, MethodType):
        get_func_args: Any = utils.get_func_args  # type: ignore[attr-defined]  # marshmallow 3
        if len(get_func_args(function)) == 1:
            return function
    return lambda obj: field._call_or_raise(function, obj, field.name)


def _made_of_object(registered: Registered, *, path: DumpPath, slots: list[Slot]) -> Source:
    expression = f"{path.maker_slot(registered, slots)}.of_object({path.arguments})"
    return Source("(made)", Read(expression), user_code=registered.label)


_WITHOUT_ATTRIBUTE = (_constant, _method, _function, _made_of_object)


def _default(field: str, has_default: str | None) -> str | None:
    if has_default is None:
        return None
    return f"{field}.dump_default()" if has_default == "call" else f"{field}.dump_default"


def _source(attribute: str, own_accessor: bool, slots: list[Slot]) -> Source:
    """Read as ``marshmallow.utils.get_value`` does; a dotted path goes through that."""
    name = literal(attribute)
    general = Read(f"accessor(obj, {name}, missing)")
    if own_accessor:
        return Source(attribute, general)
    path = tuple(attribute.split("."))
    if len(path) > 1:
        return Source(attribute, general, path=path)
    by_attribute = Read(f"getattr(obj, {name}, missing)")
    if attribute.isascii() and attribute.isidentifier() and not keyword.iskeyword(attribute):
        by_attribute = Read(f"obj.{attribute}", (("AttributeError", "missing"),))
    by_item = Read(f"obj[{name}]", ((_LOOKUP_ERRORS, f"getattr(obj, {name}, missing)"),))
    key = f"loaded_{len(slots)}"

    def find(bound: Any, cls: type, form: Form) -> object:
        return loaded_key(cls, attribute)

    slots.append(Slot(key, find, are_read_as_stock, per_class=True))
    mapped = Read(f"loaded[{key}]", (("KeyError", f"getattr(obj, {name}, missing)"),))
    reads = {ATTRIBUTE: by_attribute, ITEM: by_item, MAPPED: mapped}
    return Source(attribute, general, reads, path)


def access_of(cls: type) -> str:
    """How stock's ``get_value`` ends up reading objects of a class.

    It looks for ``__getitem__`` on each object. That is a matter of the class, but where user code
    could see the look (or where the object is itself a class).
    """
    if cls is dict:
        return ITEM
    has_item = has_hook = False
    for base in cls.__mro__:
        attributes = base.__dict__
        if base is type or (
            base is not object and type(attributes.get("__getattribute__")) is FunctionType
        ):
            return GENERAL
        has_item = has_item or "__getitem__" in attributes
        has_hook = has_hook or "__getattr__" in attributes
    if has_item:
        return ITEM
    if has_hook:
        return GENERAL
    return MAPPED if is_mapped(cls) else ATTRIBUTE


def describe_load(fields: dict[str, Any], schema: Any) -> Description:
    """All that the code that loads by a schema depends on, as plain hashable values."""
    _check_is_read_as_stock(fields)
    reason = overridden(schema, _CALL_AND_STORE)
    if reason is not None:
        raise UnreadableError(reason)
    return (
        "marshmallow load",
        type(schema).__name__,
        describe_dict_class(schema),
        tuple([_describe_load_field(name, field) for name, field in fields.items()]),
    )


def _describe_load_field(name: str, field: Any) -> Description:
    key, attribute = _checked_key(name, field), field.attribute
    if attribute is not None and type(attribute) is not str:
        raise UnreadableError(f"the attribute of {name!a} is not a plain str")
    described = load_fields.describe(field)
    if described[0] != OWN_METHOD:
        checks = load_fields.describe_validators(field, described)
    elif load_fields.why_not_deserialized(field) is None:
        checks = validators.CUSTOM if validators.describe(field) else ()
    else:
        described = (_BY_DESERIALIZE, described[1])
        return (name, key, attribute or name, described, False, "own", ())
    return (
        name,
        key,
        attribute or name,
        described,
        bool(field.allow_none),
        load_fields.describe_missing(field),
        checks,
    )


def make_load_program(description: Description) -> LoadProgram:
    """Return the program for a description: from that alone, so that the cache is right."""
    _, name, is_dict, descriptions = description
    slots: list[Slot] = []
    if not is_dict:
        slots.append(Slot("dict_class", lambda load: load.schema.dict_class))
    nodes = []
    for index, field in enumerate(descriptions):
        field_node, more = _load_field_node(index, field, len(slots))
        nodes.append(field_node)
        slots += more
    node = LoadNode(
        name=name,
        fields=tuple(nodes),
        slots=tuple(slots),
        missing=missing,
        set_value=utils.set_value,
        dict_class=None if is_dict else "dict_class",
    )
    return load_program(node)


@lru_cache(maxsize=CACHE_SIZE)
def _load_field_node(
    index: int, description: Description, slots_before: int
) -> tuple[LoadFieldNode, list[Slot]]:
    slots = [_TAKEN] * slots_before
    node = _load_node_of(index, description, slots)
    return node, slots[slots_before:]


def _load_node_of(index: int, description: Description, slots: list[Slot]) -> LoadFieldNode:
    name, key, target, described, none_stays, when_missing, checks = description
    field = f"fields[{index}]"
    if described[0] == _BY_DESERIALIZE:
        return LoadFieldNode(
            name, key, target, field, _OWN_LOAD, own_default=True, reason=described[1]
        )
    is_custom = checks == validators.CUSTOM
    by_kind = () if is_custom or load_fields.loads_by_itself(described) else checks
    reason = None
    if described[0] == OWN_METHOD:
        field_kind = load_fields.own_method_kind(index, key, is_validated=is_custom)
        reason = described[1]
    else:
        field_kind = load_fields.kind(described, by_kind, load_fields.LoadPath.of(index), slots)
    return LoadFieldNode(
        name,
        key,
        target,
        field,
        field_kind,
        none_stays=none_stays,
        default=f"{field}.load_default" if when_missing == "value" else None,
        own_default=when_missing == "own",
        validated=is_custom and field_kind.load_slot is None and field_kind.call is None,
        reason=reason,
    )
