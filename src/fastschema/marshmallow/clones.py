"""Cloning the fields of an exemplar for another schema, as marshmallow would have made them there.

``Schema.__init__`` copies the fields of its class and binds each copy. What comes of that differs
between two schemas of a class in a few attributes only: which schema a field belongs to, the fields
inside of it, the methods of the schema that it calls.
"""

from __future__ import annotations

import copy
from typing import Any

from marshmallow import Schema, fields

_INNER = ("inner", "key_field", "value_field")
"""The attributes of fields that hold another field, which is bound together with them."""
_CHOICES = ("only", "exclude")
_METHODS = ("_serialize_method", "_deserialize_method")
_FIELD_CACHE = "_field_cache"  # of marshmallow 3's Inferred
_DIFFERING = frozenset([*_INNER, *_CHOICES, *_METHODS, "tuple_fields", _FIELD_CACHE])
"""The attributes that may differ between two schemas, besides ``parent`` and ``root``."""
_OF_SCHEMA = frozenset(["parent", "root", "_schema", *_METHODS, _FIELD_CACHE])
_new: Any = object.__new__
_new_choice: Any = Schema.set_class  # it has no types


def clone(field: Any, old_parent: Any, parent: Any, schema: Any) -> Any:
    """Return a field for a schema, like a field of another schema of its class.

    :param field: a field of the other schema, bound or not
    :param old_parent: that schema, or the field of it that has the field inside
    :param parent: what is to take the place of that
    :param schema: the schema that the new field is for
    """
    cloned = _new(type(field))
    own = cloned.__dict__ = field.__dict__.copy()
    if own.get("parent") is not old_parent:
        return cloned  # it was not chosen, so it was not bound
    own["parent"], own["root"] = parent, schema
    if not own.keys().isdisjoint(_DIFFERING):
        _clone_inside(field, cloned, schema)
    return cloned


def _clone_inside(field: Any, cloned: Any, schema: Any) -> None:
    """Clone what a field has for one schema only.

    :param cloned: its clone, which has the same
    """
    own = cloned.__dict__
    for choice in _CHOICES:
        # Of dotted names in the arguments of the schema stock makes a collection for each schema.
        if type(own.get(choice)) is Schema.set_class:
            own[choice] = _new_choice(own[choice])
    for name in _INNER:
        inner = own.get(name)
        if inner is not None:
            own[name] = cloned_inner = clone(inner, field, cloned, schema)
            for choice in _CHOICES:
                if choice in own and getattr(inner, choice, None) is getattr(field, choice):
                    setattr(cloned_inner, choice, own[choice])
    if "tuple_fields" in own:
        own["tuple_fields"] = [clone(each, field, cloned, schema) for each in own["tuple_fields"]]
    bind_methods(cloned, schema)
    if _FIELD_CACHE in own:
        own[_FIELD_CACHE] = {}


def is_clone(field: Any, original: Any) -> bool:
    """Return whether a field is as :func:`clone` makes one of a field of another schema."""
    own, like = field.__dict__, original.__dict__
    return (
        type(field) is type(original)
        and own.keys() == like.keys()
        and (own.get("parent") is None) is (like.get("parent") is None)
        and all(
            value is like[name]
            or name in _OF_SCHEMA
            or value == like[name]
            or (isinstance(value, fields.Field) and is_clone(value, like[name]))
            for name, value in own.items()
        )
    )


def bind_methods(field: Any, schema: Any) -> None:
    """Let a ``Method`` field call the methods of a schema, not those of another of its class."""
    own = field.__dict__
    for name in _METHODS:
        method = own.get(name)
        if type(getattr(method, "__self__", None)) is type(schema):
            own[name] = method.__func__.__get__(schema)


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
