"""How a schema was made: by marshmallow alone, or with code of the user's."""

from __future__ import annotations

from typing import Any

from marshmallow import Schema, fields

from fastschema.marshmallow.copying import (
    FIELD_CLASSES,
    STOCK_DEEPCOPY,
    deepcopy_field,
    has_plain_copies,
)
from fastschema.runtime.stock import stock_method

_STOCK_BIND_FIELD = stock_method(Schema, "_bind_field")
_STOCK_ON_BIND_FIELD = stock_method(Schema, "on_bind_field")
_KNOWN_BINDING = {stock_method(cls, "_bind_to_schema") for cls in FIELD_CLASSES}
_Inferred = getattr(fields, "Inferred", None)  # of marshmallow 3
_get_attribute: Any = object.__getattribute__
_get_class_attribute: Any = type.__getattribute__
_set_attribute: Any = object.__setattr__


def is_made_plainly(schema: Any) -> bool:
    """Whether the fields of a new schema are those that its class declares, and nothing else.

    Fields with ways of their own to be copied or bound may differ from schema to schema.
    """
    cls, own = type(schema), schema.__dict__
    if (
        type(cls).__getattribute__ is not _get_class_attribute
        or cls.__getattribute__ is not _get_attribute
        or cls._bind_field is not _STOCK_BIND_FIELD
        or cls.on_bind_field is not _STOCK_ON_BIND_FIELD
        or "_bind_field" in own
        or "on_bind_field" in own
    ):
        return False
    declared = cls._declared_fields
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
        cls._bind_to_schema in _KNOWN_BINDING
        and cls.__deepcopy__ in (deepcopy_field, STOCK_DEEPCOPY)
        and cls.__setattr__ is _set_attribute
        and has_plain_copies(cls)
    )
