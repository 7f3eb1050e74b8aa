"""Binding the fields of a new schema: what ``Schema._init_fields`` does, without its ordered sets.

A schema is often made for a single object, and takes longer to make than the object to dump.
"""

from __future__ import annotations

from typing import Any

from marshmallow import Schema, fields
from marshmallow.orderedset import OrderedSet

from fastschema.switch import is_disabled

_STOCK_INIT_FIELDS: Any = Schema._init_fields
_STOCK_BIND_FIELD = Schema._bind_field
_STOCK_ON_BIND_FIELD = Schema.on_bind_field
_Inferred = getattr(fields, "Inferred", None)  # of marshmallow 3


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
    keys = {
        field.data_key if field.data_key is not None else name
        for name, field in dump_fields.items()
    }
    attributes = {field.attribute or name for name, field in load_fields.items()}
    if len(keys) != len(dump_fields) or len(attributes) != len(load_fields):
        _STOCK_INIT_FIELDS(_Bound(self))  # raises the error
    self.fields, self.load_fields, self.dump_fields = bound, load_fields, dump_fields


def _names(schema: Any) -> list[Any] | None:
    """The names of the schema's fields, in order; None where stock must tell."""
    declared, only, exclude = schema.declared_fields, schema.only, schema.exclude
    if (
        schema.opts.fields
        or getattr(schema.opts, "additional", ())  # of marshmallow 3
        or schema.set_class is not OrderedSet
        or schema.dict_class is not dict
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
    is_plain = (
        cls._bind_field is _STOCK_BIND_FIELD
        and cls.on_bind_field is _STOCK_ON_BIND_FIELD
        and "_bind_field" not in own
        and "on_bind_field" not in own
    )
    bound = {}
    for name in names:
        field = schema.declared_fields.get(name)
        if field is None:
            field = _undeclared_field(name)
        bound[name] = field
        if not is_plain or issubclass(type(field), type):
            schema._bind_field(name, field)
            continue
        if name in schema.load_only:
            field.load_only = True
        if name in schema.dump_only:
            field.dump_only = True
        field._bind_to_schema(name, schema)
    return bound


def _undeclared_field(name: Any) -> Any:
    """What stock takes for a field that was declared until another was bound.

    :raises KeyError: as marshmallow 4
    """
    if _Inferred is None:
        raise KeyError(name)
    return _Inferred()


class _Bound:
    """A schema whose fields are bound already, for stock to find what is wrong with them."""

    def __init__(self, schema: Any) -> None:
        self._schema = schema

    def __getattr__(self, name: str) -> Any:
        return getattr(self._schema, name)

    def _bind_field(self, name: str, field: Any) -> None:
        """Nothing: it is done."""
