"""Cloning the fields of an exemplar for another schema, as marshmallow would have made them there.

``Schema.__init__`` copies the fields of its class and binds each copy. What comes of that differs
between two schemas of a class in a few attributes only: which schema a field belongs to, the fields
inside of it, the methods of the schema that it calls.
"""

from __future__ import annotations

import copy
from typing import Any

from marshmallow import fields, utils

_INNER = ("inner", "key_field", "value_field")
"""The attributes of fields that hold another field, which is bound together with them."""
_METHODS = (
    ("serialize_method_name", "_serialize_method"),
    ("deserialize_method_name", "_deserialize_method"),
)
_new: Any = object.__new__
_callable_or_raise: Any = utils.callable_or_raise  # it has no types


def clone(field: Any, original: Any, schema: Any) -> Any:
    """Return a field for a schema, like a field of another schema of its class.

    :param field: a field of the other schema, bound or not
    :param original: that schema
    :param schema: the schema that the new field is for
    """
    return _clone(field, original, schema, schema)


def _clone(field: Any, old_parent: Any, parent: Any, schema: Any) -> Any:
    cloned = _new(type(field))
    own = cloned.__dict__ = field.__dict__.copy()
    if own["parent"] is not old_parent:
        return cloned  # it was not chosen, so it was not bound
    own["parent"], own["root"] = parent, schema
    for name in _INNER:
        inner = own.get(name)
        if inner is not None:
            own[name] = _clone(inner, field, cloned, schema)
    if "tuple_fields" in own:
        own["tuple_fields"] = [_clone(each, field, cloned, schema) for each in own["tuple_fields"]]
    elif "serialize_method_name" in own:
        for name, method in _METHODS:
            if own[name]:
                own[method] = _callable_or_raise(getattr(parent, own[name]))
    elif "_field_cache" in own:  # of marshmallow 3's Inferred
        own["_field_cache"] = {}
    return cloned


def frozen_copy(field: Any) -> Any:
    """Return a copy of a field, and of the fields inside of it, that later changes pass by."""
    copied = copy.copy(field)
    own = copied.__dict__
    for name in _INNER:
        if isinstance(own.get(name), fields.Field):
            own[name] = frozen_copy(own[name])
    for name in ("tuple_fields", "validators"):
        if type(own.get(name)) is list:
            own[name] = [
                frozen_copy(each) if isinstance(each, fields.Field) else each for each in own[name]
            ]
    return copied
