"""Binding the fields of a new schema: what ``Schema._init_fields`` does, without its ordered sets.

A schema is often made for a single object, and takes longer to make than the object to dump.
"""

from __future__ import annotations

from inspect import signature
from types import SimpleNamespace
from typing import Any

import marshmallow.schema
from marshmallow import Schema, fields, missing
from marshmallow.orderedset import OrderedSet

from fastschema.marshmallow.noticing import set_attribute
from fastschema.switch import is_disabled


def _stock(name: str) -> Any:
    """A method of ``Schema``; None, which no class has, if somebody put their own in its place."""
    method = getattr(Schema, name)
    return method if getattr(method, "__globals__", None) is vars(marshmallow.schema) else None


_STOCK_INIT_FIELDS: Any = Schema._init_fields
_STOCK_BIND_FIELD = _stock("_bind_field")
_STOCK_ON_BIND_FIELD = _stock("on_bind_field")
_STOCK_BIND_TO_SCHEMA: Any = fields.Field._bind_to_schema
_STOCK_DICT_CLASS = Schema.dict_class  # in marshmallow 3 a property
_TYPE_GET_ATTRIBUTE: Any = type.__getattribute__
_PLAIN_SETTERS: tuple[Any, ...] = (set_attribute, object.__setattr__)
_Inferred = getattr(fields, "Inferred", None)  # of marshmallow 3
_REFUSES_CLASSES = _Inferred is not None  # marshmallow 4 does so when a schema class is made


def init_fields(self: Any) -> None:
    """``Schema._init_fields``: bind the schema's fields, sort out which are for what.

    :raises ValueError: as stock, for names that no field has and for keys that two fields have
    """
    names = _names(self)
    if names is None:
        _STOCK_INIT_FIELDS(self)
        return
    bound = _bound_fields(self, names)
    load_fields, dump_fields = {}, {}
    for name, field in bound.items():
        if not field.dump_only:
            load_fields[name] = field
        if not field.load_only:
            dump_fields[name] = field
    keys = [
        field.data_key if field.data_key is not None else name
        for name, field in dump_fields.items()
    ]
    if len({*keys}) != len(keys):
        _refuse([{"data_key": key, "dump_only": True} for key in keys])
    attributes = [field.attribute or name for name, field in load_fields.items()]
    if len({*attributes}) != len(attributes):
        _refuse([{"attribute": attribute, "load_only": True} for attribute in attributes])
    self.fields = bound
    self.dump_fields = dump_fields
    self.load_fields = load_fields


def _names(schema: Any) -> list[Any] | None:
    """The names of the schema's fields, in order; None where stock must tell."""
    cls: Any = type(schema)
    if (
        type(cls).__getattribute__ is not _TYPE_GET_ATTRIBUTE
        or cls.__getattribute__ is not object.__getattribute__
    ):
        return None
    own = schema.__dict__
    has_stock_property = cls.dict_class is _STOCK_DICT_CLASS and "ordered" in own
    if (
        "declared_fields" not in own  # but a property
        or "only" not in own
        or "exclude" not in own
        or cls.set_class is not OrderedSet
        or (cls.dict_class is not dict and not has_stock_property)
        or "set_class" in own
        or "dict_class" in own
        or fields.Field.__setattr__ not in _PLAIN_SETTERS
    ):
        return None
    opts, declared, only, exclude = schema.opts, schema.declared_fields, schema.only, schema.exclude
    if (
        schema.dict_class is not dict
        or opts.fields
        or getattr(opts, "additional", ())  # of marshmallow 3
        or type(declared) is not dict
        or (only is not None and type(only) is not OrderedSet)
        or type(exclude) not in (set, OrderedSet)
        or is_disabled()
    ):
        return None
    names = [*declared] if only is None else [*only]
    if exclude:
        names = [name for name in names if name not in exclude]
    is_known = (only is None or only <= declared.keys()) and exclude <= declared.keys()
    return names if is_known else None


def _bound_fields(schema: Any, names: list[Any]) -> dict[Any, Any]:
    """The fields, each bound as by ``Schema._bind_field``."""
    cls, own = type(schema), schema.__dict__
    is_plain = cls._bind_field is _STOCK_BIND_FIELD and cls.on_bind_field is _STOCK_ON_BIND_FIELD
    bound = {}
    for name in names:
        field = schema.declared_fields.get(name, missing)
        if field is missing:
            field = _undeclared_field(name)
        bound[name] = field
        # A field that is bound may give the schema a method of its own.
        if (
            not is_plain
            or "_bind_field" in own
            or (_REFUSES_CLASSES and issubclass(type(field), type))
        ):
            schema._bind_field(name, field)
            continue
        if name in schema.load_only:
            field.load_only = True
        if name in schema.dump_only:
            field.dump_only = True
        field._bind_to_schema(name, schema)
        if "on_bind_field" in own:
            schema.on_bind_field(name, field)
    return bound


def _bind_to_schema(self: Any, field_name: Any, parent: Any) -> None:
    """``Field._bind_to_schema``: tell the field its name and where it is.

    A field of one of marshmallow's own classes, which have nothing of these names, is told without
    writing to its attributes: nobody can have seen a field that is not bound yet.
    """
    cls = type(self)
    if cls in _FIELD_CLASSES and cls.__setattr__ in _PLAIN_SETTERS and not is_disabled():
        own = self.__dict__
        get = own.get
        if get("parent") is None and get("name") is None and get("root") is None:
            own["parent"] = parent
            own["name"] = field_name
            own["root"] = parent.root if isinstance(parent, _FIELD) else parent
            return
    _STOCK_BIND_TO_SCHEMA(self, field_name, parent)


def _bind_to_schema_3(self: Any, field_name: Any, schema: Any) -> None:
    """The same with the name that marshmallow 3 has for the parameter."""
    _bind_to_schema(self, field_name, schema)


_NAMES_IT_PARENT = "parent" in signature(_STOCK_BIND_TO_SCHEMA).parameters
bind_to_schema = _bind_to_schema if _NAMES_IT_PARENT else _bind_to_schema_3
bind_to_schema.__qualname__ = _STOCK_BIND_TO_SCHEMA.__qualname__  # errors tell it
_FIELD_CLASSES = {
    cls
    for cls in vars(fields).values()
    if isinstance(cls, type) and issubclass(cls, fields.Field) and cls.__module__ == fields.__name__
}
_FIELD: Any = getattr(fields, "FieldABC", fields.Field)  # of marshmallow 3


def _undeclared_field(name: Any) -> Any:
    """What stock takes for a field that was declared until another was bound.

    :raises KeyError: as marshmallow 4
    """
    if _Inferred is None:
        raise KeyError(name)
    return _Inferred()


def _refuse(settings: list[dict[str, Any]]) -> None:
    """Have stock say which of the settings two fields share; the fields are not asked again.

    :raises ValueError: as stock
    """
    unset = {"data_key": None, "attribute": None, "load_only": False, "dump_only": False}
    _STOCK_INIT_FIELDS(
        SimpleNamespace(
            declared_fields={
                number: SimpleNamespace(**(unset | each)) for number, each in enumerate(settings)
            },
            opts=SimpleNamespace(fields=(), additional=()),
            only=None,
            exclude=(),
            set_class=OrderedSet,
            dict_class=dict,
            _bind_field=lambda name, field: None,
        )
    )
