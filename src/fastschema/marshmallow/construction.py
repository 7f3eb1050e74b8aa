"""How a schema is made: its fields are bound, by marshmallow alone or with code of the user's."""

from __future__ import annotations

import sys
from collections import OrderedDict
from typing import Any

from marshmallow import Schema, fields

from fastschema.marshmallow.copying import STOCK_DEEPCOPY, deepcopy_field
from fastschema.marshmallow.plain_classes import FIELD_CLASSES, is_plain
from fastschema.runtime.stock import stock_method

_STOCK_BIND_FIELD = stock_method(Schema, "_bind_field")
_STOCK_ON_BIND_FIELD = stock_method(Schema, "on_bind_field")
_KNOWN_BINDING = {stock_method(cls, "_bind_to_schema") for cls in FIELD_CLASSES}
_Inferred = getattr(fields, "Inferred", None)  # of marshmallow 3
_IS_PYPY = sys.implementation.name == "pypy"  # where stock's own code takes no longer
_STOCK_SET_CLASS = Schema.set_class
_STOCK_BIND_TO_SCHEMA = stock_method(fields.Field, "_bind_to_schema")


def bind_fields(schema: Any) -> bool:
    """Do what ``Schema._init_fields`` does for a new schema that has all fields of its class.

    :param schema: the schema, whose ``declared_fields`` are copies that are not bound yet
    :returns: False if stock must, as names were chosen, users' code takes part, or two fields have
        one name; what is bound by then is bound as by stock, which may do it again
    """
    if _IS_PYPY or not _binds_as_stock(schema) or not _has_all_fields(schema):
        return False
    make = schema.dict_class
    if make not in (dict, OrderedDict):  # others see how they are filled
        return False
    declared = schema.declared_fields
    classes: set[Any] = set(map(type, declared.values()))
    for cls in classes:
        if not is_plain(cls) or cls._bind_to_schema not in _KNOWN_BINDING:
            return False
    simple = {cls for cls in classes if cls._bind_to_schema is _STOCK_BIND_TO_SCHEMA}
    by_name, load_fields, dump_fields = make(), make(), make()
    load_only, dump_only = schema.load_only, schema.dump_only
    keys, attributes = set(), set()
    for name, field in declared.items():
        own = field.__dict__
        if "_bind_to_schema" in own or name in load_only or name in dump_only:
            return False
        if (
            type(field) in simple
            and own.get("parent", schema) is None
            and own.get("name", name) is None
            and own.get("root", schema) is None
        ):
            own["parent"] = own["root"] = schema
            own["name"] = name
        else:
            field._bind_to_schema(name, schema)
        by_name[name] = field
        if not field.dump_only:
            load_fields[name] = field
            attributes.add(field.attribute or name)
        if not field.load_only:
            dump_fields[name] = field
            key = field.data_key
            keys.add(name if key is None else key)
    if len(keys) != len(dump_fields) or len(attributes) != len(load_fields):
        return False
    schema.fields, schema.dump_fields, schema.load_fields = by_name, dump_fields, load_fields
    return True


def _has_all_fields(schema: Any) -> bool:
    """Whether nobody chose among the fields of a schema."""
    options = schema.opts
    return (
        schema.only is None
        and not schema.exclude
        and not options.fields
        and not getattr(options, "additional", None)  # of marshmallow 3
        and type(schema).set_class is _STOCK_SET_CLASS
    )


def _binds_as_stock(schema: Any) -> bool:
    """Whether a schema binds its fields by marshmallow's methods, and nobody sees it."""
    cls = type(schema)
    if not is_plain(cls):
        return False
    own = schema.__dict__
    return (
        cls._bind_field is _STOCK_BIND_FIELD
        and cls.on_bind_field is _STOCK_ON_BIND_FIELD
        and "_bind_field" not in own
        and "on_bind_field" not in own
    )


def is_made_plainly(schema: Any) -> bool:
    """Whether the fields of a new schema are those that its class declares, and nothing else.

    Fields with ways of their own to be copied or bound may differ from schema to schema.
    """
    if not _binds_as_stock(schema):
        return False
    declared = type(schema)._declared_fields
    classes = set()
    for name, field in schema.fields.items():
        field_class = type(field)
        expected = declared.get(name, field if field_class is _Inferred else None)
        if type(expected) is not field_class:
            return False
        classes.add(field_class)
    return all(map(_is_bound_plainly, classes))


def _is_bound_plainly(cls: Any) -> bool:
    """Whether fields of a class are copied and bound by marshmallow alone."""
    return (
        getattr(cls, "_bind_to_schema", None) in _KNOWN_BINDING
        and cls.__deepcopy__ in (deepcopy_field, STOCK_DEEPCOPY)
        and is_plain(cls)
    )
