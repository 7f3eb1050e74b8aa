"""Where code of users takes part in making fields, and in dumping and loading.

If none does, all pending schemas of an exemplar share one schema object to dump or load.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator
from types import FunctionType
from typing import Any

from marshmallow import Schema, class_registry, fields
from marshmallow.decorators import (
    POST_DUMP,
    POST_LOAD,
    PRE_DUMP,
    PRE_LOAD,
    VALIDATES,
    VALIDATES_SCHEMA,
)

from fastschema.marshmallow.sqlalchemy import loads_instances
from fastschema.runtime.patching import is_stock, overridden, stock_method
from fastschema.runtime.plain_values import CONTAINERS, has_plain_attributes, is_a, why_lazy

FIELD_CLASSES = frozenset(
    cls
    for cls in vars(fields).values()
    if isinstance(cls, type) and issubclass(cls, fields.Field) and cls.__module__ == fields.__name__
)
"""The classes of fields that marshmallow has."""

_MARSHMALLOW: tuple[type, ...] = (Schema, *FIELD_CLASSES)
STOCK_CLASSES = frozenset(base for cls in _MARSHMALLOW for base in cls.__mro__)
"""The classes of marshmallow whose attributes are taken to stay what they are."""

OPTIONS = frozenset(
    name
    for cls in FIELD_CLASSES
    for base in cls.__mro__[:-1]
    for attribute, value in vars(base).items()
    for name in (value.__code__.co_names if attribute == "__init__" else [attribute])
    if attribute == "__init__" or not hasattr(type(value), "__get__")
    if not attribute.startswith("_abc_")  # which each abstract class has of its own
)
"""What marshmallow's fields set when they are made, and what their classes have besides methods."""

_LOOKED_AT = (
    *("attribute", "data_key", "load_only", "dump_only", "required", "allow_none", "many"),
    *("only", "exclude", "unknown", "as_string", "places", "rounding", "allow_nan", "num_type"),
    *("format", "truthy", "falsy", "strict", "relative", "absolute", "require_tld", "precision"),
    *("exploded", "mapping_type", "field_name", "serialize_method_name", "deserialize_method_name"),
)
"""Options at which stock looks, and generated code does when it is made: they must be plain."""
_OF_CLASSES = (
    *("fields", "exclude", "load_only", "dump_only", "unknown", "many", "ordered"),
    *("dateformat", "datetimeformat", "timeformat", "index_errors"),
)
"""Options of the ``Meta`` of schemas at which stock looks: they must be plain, too."""
_CONTAINERS = CONTAINERS | {Schema.set_class}
"""Of dotted names, stock makes sets of its own for nested fields."""

_OF_NESTED = ("only", "exclude", "load_only", "dump_only", "many", "partial", "unknown")
"""Options of a schema object at which stock looks where a field nests it."""
_SPECIAL_METHODS = frozenset(
    [
        *("__copy__", "__deepcopy__", "__reduce__", "__reduce_ex__", "__getstate__"),
        *("__setstate__", "__getnewargs__", "__getnewargs_ex__", "__new__", "__slots__"),
        *("__getattribute__", "__getattr__", "__setattr__", "__bool__", "__len__", "__class__"),
        "__del__",  # would see schemas that stock does not make
    ]
)
"""What says how an object is copied, what becomes of copies, and what is done with attributes."""

_ATTRIBUTES = frozenset(
    [
        *("parent", "name", "root", "data_key", "attribute", "load_only", "dump_only"),
        *("only", "exclude", "many", "partial", "unknown", "error_messages", "context", "ordered"),
        *("declared_fields", "fields", "load_fields", "dump_fields"),
        *("inner", "key_field", "value_field", "tuple_fields"),
    ]
)
"""Attributes of objects that a class may have properties for."""
_OWN_METHODS = _SPECIAL_METHODS | {"_bind_to_schema"}
"""What a field object may have of its own, and marshmallow or ``copy`` then calls."""
_STOCK_SCHEMA = {
    name: stock_method(Schema, name)
    for name in (
        *("_bind_field", "on_bind_field", "_normalize_nested_options", "set_class"),
        "_init_fields",
    )
}
_STOCK_DICT_CLASS = Schema.dict_class
_STOCK_DEEPCOPY = stock_method(fields.Field, "__deepcopy__")
_STOCK_BINDING = {stock_method(cls, "_bind_to_schema") for cls in FIELD_CLASSES}


def makes_fields_as_stock(cls: Any) -> bool:
    return (
        is_plain_class(cls)
        and why_class_is_lazy(cls) is None
        and all(is_stock(getattr(cls, name), stock) for name, stock in _STOCK_SCHEMA.items())
        and cls.dict_class in (dict, _STOCK_DICT_CLASS)
        and {str}.issuperset(map(type, cls._declared_fields))
        and all(_is_copied_plainly(field, cls) for field in cls._declared_fields.values())
    )


def _is_copied_plainly(field: Any, schema_class: Any, *, is_outermost: bool = True) -> bool:
    cls: Any = type(field)
    if not (
        issubclass(cls, fields.Field)
        and is_plain_class(cls)
        and cls._bind_to_schema in _STOCK_BINDING
        and cls.__deepcopy__ is _STOCK_DEEPCOPY
    ):
        return False
    attributes = vars(field)
    if not _OWN_METHODS.isdisjoint(attributes) or attributes.get("parent") is not None:
        return False
    if why_options_are_lazy(field) is not None:
        return False
    for name in method_names(field):
        method = getattr(schema_class, name, None) if is_outermost else None
        if (
            type(method) is not FunctionType
            and getattr(method, "__self__", None) is not schema_class
        ):
            return False  # a property, say, which runs when the field is bound
    inner = inner_fields(field)
    return all(
        _is_copied_plainly(inner_field, schema_class, is_outermost=False) for inner_field in inner
    )


def method_names(field: Any) -> list[str]:
    attributes = field.__dict__
    names = (attributes.get("serialize_method_name"), attributes.get("deserialize_method_name"))
    return [name for name in names if name]


def why_options_are_lazy(field: Any) -> str | None:
    """Return why we may not look at the options of a field before stock does; None if we may."""
    return why_lazy(field, _LOOKED_AT, _CONTAINERS)


def why_class_is_lazy(cls: Any) -> str | None:
    """Return why we may not look at the ``Meta`` options of a schema class; None if we may."""
    return why_lazy(cls.opts, _OF_CLASSES)


INNER = ("inner", "key_field", "value_field")
"""The attributes of fields that hold another field, which is bound together with them."""


def is_field(value: Any) -> bool:
    return is_a(value, fields.Field)


def inner_fields(field: Any) -> Iterator[Any]:
    """Yield the fields inside of a field: those of a list, a tuple or a mapping.

    A field of users' may keep something else under these names.
    """
    # A class may declare None, too.
    if not is_field(field) or computes_attributes(field):
        return
    attributes = field.__dict__
    for name in INNER:
        if is_field(attributes.get(name)):
            yield attributes[name]
    several = attributes.get("tuple_fields")
    if type(several) is list:
        yield from filter(is_field, several)


def computes_attributes(field: Any) -> bool:
    """Return whether code of users sees when a field is looked at."""
    return not has_plain_attributes(type(field))


def all_fields(declared: Iterable[Any]) -> Iterator[Any]:
    for field in declared:
        yield field
        yield from all_fields(inner_fields(field))


_OF_SEVERAL_VALUES = (fields.List, fields.Tuple, fields.Mapping, fields.Nested)


def is_plain_value(field: Any) -> bool:
    """Return whether a field dumps a value that consists of no others."""
    return not issubclass(type(field), _OF_SEVERAL_VALUES)


def dumps_lists_of_schemas(declared: Iterable[Any]) -> bool:
    return any(
        issubclass(type(part), fields.Nested)
        and not computes_attributes(part)
        and (part is not field or part.__dict__.get("many") is True)
        for field in declared
        for part in all_fields([field])
    )


def own_classes(cls: type, fields: Iterable[Any]) -> Iterator[type]:
    """Yield the classes of users that a schema, its fields, and those inside of them, have."""
    for part in (cls, *map(type, all_fields(fields))):
        yield from (base for base in part.__mro__ if base not in STOCK_CLASSES)


def is_plain_class(cls: Any) -> bool:
    return all(base in STOCK_CLASSES or _is_plain_base(base) for base in cls.__mro__)


def _is_plain_base(base: type) -> bool:
    attributes = base.__dict__
    return attributes.keys().isdisjoint(_SPECIAL_METHODS) and not any(
        hasattr(type(attributes[name]), "__get__") or name.endswith("fields")
        for name in _ATTRIBUTES.intersection(attributes)
    )


_STOCK_JSON = {name: vars(json)[name] for name in ("loads", "_default_decoder")}


def parses_as_stock(schema: Any) -> bool:
    """Return whether a schema parses JSON by the standard library as that is."""
    return schema.opts.render_module is json and _STOCK_JSON.items() <= vars(json).items()


HOOKS = {
    "dump": (PRE_DUMP, POST_DUMP),
    "load": (PRE_LOAD, VALIDATES, VALIDATES_SCHEMA, POST_LOAD),
}
"""The sorts of hooks that take part in dumping and in loading."""
_METHODS = {
    "dump": ("dump", "_serialize", "get_attribute"),
    "load": ("load", "_do_load", "_deserialize", "handle_error", "_invoke_field_validators"),
}
_TAKING_PART = {
    direction: {name: stock_method(Schema, name) for name in names}
    for direction, names in _METHODS.items()
}
_STOCK_INIT = stock_method(Schema, "__init__")
IS_MARSHMALLOW_3 = hasattr(fields.Function, "_call_or_raise")
_SEEING_FIELDS: set[type] = {fields.Method}
"""The classes of marshmallow whose fields call user code that sees a schema, or keep what they have
found for it."""
if IS_MARSHMALLOW_3:  # functions get the schema's context
    _SEEING_FIELDS |= {fields.Function, vars(fields)["Inferred"]}


def has_hooks(schema: Any, direction: str) -> bool:
    """Return whether a schema, an object or a class, has hooks."""
    hooks = schema._hooks
    return bool(hooks) and any(hooks.get(tag) for tag in HOOKS[direction])


_LOAD_METHODS = {
    name: stock_method(Schema, name)
    for name in ("_do_load", "_call_and_store", "_invoke_field_validators", "_deserialize", "load")
}


STOCK_LOAD = _LOAD_METHODS["load"]
_BESIDES_LOAD = {name: method for name, method in _LOAD_METHODS.items() if name != "load"}


def overrides_load(schema: Any, *, besides_load: bool = False) -> str | None:
    """Return why a schema's own code loads instead of stock's, or None."""
    load = type(schema).load
    if besides_load:
        return overridden(schema, _BESIDES_LOAD)
    if load is not STOCK_LOAD and loads_instances(load):
        return overridden(schema, {**_LOAD_METHODS, "load": load})
    return overridden(schema, _LOAD_METHODS)


_PROCESSORS = {
    name: stock_method(Schema, name)
    for name in (
        *("_invoke_dump_processors", "_invoke_load_processors", "_invoke_processors"),
        *("_invoke_schema_validators", "_run_validator"),
    )
}


def overrides_processors(schema: Any) -> bool:
    return overridden(schema, _PROCESSORS) is not None


def hook_names(schema: Any, tag: str) -> list[str]:
    return [name for name, *_ in schema._hooks.get(tag) or ()]


def reads_by_itself(cls: Any, direction: str) -> bool:
    """Return whether generated code calls a method of users of a schema class.

    Hooks, and a ``dump`` or ``load`` that calls ``super()``, are called outside of it.
    """
    stock = _TAKING_PART["dump"]["get_attribute"]
    return direction == "dump" and not is_stock(cls.get_attribute, stock)


def sees_schema(cls: Any, direction: str) -> bool:
    """Return whether a nested schema class has methods of users that take part, besides hooks."""
    methods = _TAKING_PART[direction].items()
    return not all(is_stock(getattr(cls, name), stock) for name, stock in methods)


def unseen_schemas(field: Any, cls: Any, direction: str) -> list[Any] | None:
    """Return the schemas nested in a field, classes and objects of them.

    None if user code that takes part in dumping or loading sees one of them, or a field. Objects
    that are nested deeper count as seen: who knows whether they can be copied.
    """
    objects = [nesting.nested for nesting in nesting_objects(field)]
    schemas = {id(schema): schema for schema in objects}
    are_unseen = all(is_unseen_schema(schema, direction, schemas) for schema in objects)
    if not (are_unseen and _is_unseen(field, cls, direction, schemas)):
        return None
    return list(schemas.values())


def nesting_objects(field: Any) -> Iterator[Any]:
    """Yield those that nest a schema object, of a field and the fields inside of it."""
    for part in all_fields([field]):
        if is_a(part, fields.Nested) and is_a(part.nested, Schema):
            yield part


def _is_unseen(field: Any, cls: Any, direction: str, schemas: dict[int, Any]) -> bool:
    for part in all_fields([field]):
        if type(part) not in FIELD_CLASSES or type(part) in _SEEING_FIELDS:
            return False
        if not _OWN_METHODS.isdisjoint(vars(part)):
            return False
        if is_a(part, fields.Nested) and id(part.nested) not in schemas:
            nested = nested_class(part.nested, cls)
            if nested is None:
                return False
            if id(nested) not in schemas:
                schemas[id(nested)] = nested
                if not is_stock(nested.__init__, _STOCK_INIT):
                    return False
                if not is_unseen_schema(nested, direction, schemas):
                    return False
    return True


def is_unseen_schema(schema: Any, direction: str, schemas: dict[int, Any]) -> bool:
    """Return whether no user code that takes part in dumping or loading sees a schema.

    ``schemas`` are known to be unseen, by their ids; those that are nested in it are added.
    """
    is_class = is_a(schema, type)
    cls: Any = schema if is_class else type(schema)
    attributes = {} if is_class else vars(schema)
    declared = attributes.get("declared_fields", cls._declared_fields)
    return (
        attributes.keys().isdisjoint((*_STOCK_SCHEMA, *_METHODS[direction]))
        and (is_class or why_lazy(schema, _OF_NESTED, _CONTAINERS) is None)
        and not has_hooks(schema, direction)
        and not sees_schema(cls, direction)
        and makes_fields_as_stock(cls)
        and all(_is_unseen(field, cls, direction, schemas) for field in declared.values())
    )


def nested_class(nested: Any, cls: Any) -> Any:
    """Return the class of a nested schema; None if user code gives it, or an object of it."""
    if type(nested) is str:
        if nested == "self" and IS_MARSHMALLOW_3:  # in marshmallow 3
            return cls
        try:
            return class_registry.get_class(nested, all=False)
        except Exception:
            return None  # stock raises it when the nested schema is needed
    return nested if is_a(nested, type) and issubclass(nested, Schema) else None
