"""Pending schemas: what they have in the place of their fields.

``Schema.__init__`` sets ``declared_fields``, ``fields``, ``load_fields`` and ``dump_fields``. On a
pending schema they are missing, and a :class:`Pending` has what they would be.
:mod:`fastschema.marshmallow.states` tells which schemas are pending, and what they run.
"""

from __future__ import annotations

import copy
from functools import partial
from typing import Any

from marshmallow import Schema

from fastschema.marshmallow.customization import INNER, is_field
from fastschema.runtime.guard import STATE_KEY, State
from fastschema.runtime.patching import is_stock, stock_method

NAMES = ("declared_fields", "fields", "load_fields", "dump_fields")
"""The attributes of a schema that hold its fields."""
ALL_NAMES = frozenset(NAMES)
FieldsByName = dict[str, dict[str, Any]]
"""The fields of a schema, by :data:`NAMES`."""
_STOCK_SERIALIZE: Any = stock_method(Schema, "_serialize")
_STOCK_DESERIALIZE: Any = stock_method(Schema, "_deserialize")
_FOR_EACH: dict[str, Any] = {
    name: stock_method(Schema, name) for name in ("get_attribute", "dict_class", "_call_and_store")
}
"""What stock asks a schema for again with each object, or each value."""


class SchemaState(State):
    """What hangs on a schema object that has its fields.

    :param record: what is known of its class
    """

    is_made = True
    dump: Any = None
    load: Any = None
    """What it runs; whoever compiles it sets them."""

    def __init__(self, schema: Any, record: Any) -> None:
        self.owner = id(schema)
        """Whose it is: code of users may copy the attributes of a schema."""
        self.record = record


class Pending(SchemaState):
    """What hangs on a schema object whose fields no code of users has seen.

    :param arguments: those of its constructor that choose its fields
    :param exemplar: of whose fields its own are clones, made when they are needed
    :param put_away: its own fields, where stock has made them
    """

    is_made = False
    put_away: FieldsByName | None = None

    def __init__(
        self,
        schema: Any,
        record: Any,
        arguments: Any,
        *,
        exemplar: Any = None,
        put_away: FieldsByName | None = None,
    ) -> None:
        super().__init__(schema, record)
        self.arguments = arguments
        self.exemplar = exemplar
        self._clones: dict[int, Any] = {}
        if put_away is not None:
            self.put_away = put_away

    def field(self, schema: Any, name: str, number: int) -> Any:
        """Return a field by its number among those of a name."""
        if self.put_away is not None:
            return list(self.put_away[name].values())[number]
        return self._clone(schema, list(self.exemplar.schema.__dict__[name].values())[number])

    def _clone(self, schema: Any, field: Any) -> Any:
        cloned = self._clones.get(id(field))
        if cloned is None:
            cloned = clone(field, self.exemplar.schema, schema, schema)
            cloned = self._clones.setdefault(id(field), cloned)
        return cloned

    def fields(self, schema: Any) -> FieldsByName:
        """Return all fields: the same for threads that ask at the same time."""
        if self.put_away is None:
            by_name: FieldsByName = {}
            for name in NAMES:
                originals = self.exemplar.schema.__dict__[name]
                fields = by_name[name] = type(originals)()
                for key, field in originals.items():
                    fields[key] = self._clone(schema, field)
            vars(self).setdefault("put_away", by_name)
        assert self.put_away is not None
        return self.put_away


def pending_state(schema: Any) -> Pending | None:
    """Return the state of a schema whose fields were never read; None if it has fields."""
    attributes = schema.__dict__
    state = attributes.get(STATE_KEY)
    if type(state) is not Pending or not ALL_NAMES.isdisjoint(attributes):
        return None
    if state.owner != id(schema):  # its attributes were copied
        made_of = {"exemplar": state.exemplar, "put_away": state.put_away}
        state = Pending(schema, state.record, state.arguments, **made_of)
        attributes[STATE_KEY] = state
    return state


class SchemaProxy:
    """Stands for a schema as ``self`` of stock's own methods, some of its attributes replaced."""

    def __init__(self, schema: Any, **attributes: Any) -> None:
        self._schema = schema
        self.__dict__.update(attributes)

    def __getattr__(self, name: str) -> Any:
        return getattr(self._schema, name)


def for_stock(schema: Any, name: str, *, many: bool = False) -> Any:
    """Return what takes the place of a schema as the first argument of stock's own methods.

    Those need the fields of a pending schema, and do not hand them to code of users.

    :param name: that of the fields that are needed
    :param many: whether the method calls itself for each object
    """
    state = pending_state(schema)
    if state is None:
        return schema
    attributes, cls = schema.__dict__, type(schema)
    fields = state.put_away or state.fields(schema)
    proxy: Any = SchemaProxy(schema, **{name: fields[name]})
    if not many:
        return proxy
    for each, stock in _FOR_EACH.items():
        if getattr(cls, each) is stock:
            setattr(proxy, each, getattr(schema, each))
    if is_stock(cls._serialize, _STOCK_SERIALIZE) and "_serialize" not in attributes:
        proxy._serialize = partial(_STOCK_SERIALIZE, proxy)
    if is_stock(cls._deserialize, _STOCK_DESERIALIZE) and "_deserialize" not in attributes:
        proxy._deserialize = partial(_STOCK_DESERIALIZE, proxy)
    return proxy


_CHOICES = ("only", "exclude")
METHODS = ("_serialize_method", "_deserialize_method")
"""Where a ``Method`` keeps the methods of the schema that it was bound to last."""
_METHOD_NAMES = frozenset(METHODS)
_FIELD_CACHE = "_field_cache"  # of marshmallow 3's Inferred
_DIFFERING = frozenset([*INNER, *_CHOICES, *METHODS, "tuple_fields", _FIELD_CACHE])
"""The attributes that may differ between two schemas, besides ``parent`` and ``root``."""
_new: Any = object.__new__
_new_choice: Any = Schema.set_class  # it has no types


def clone(field: Any, old_parent: Any, parent: Any, schema: Any) -> Any:
    """Return a field for a schema, like a field of another schema of its class.

    :param old_parent: that schema, or the field of it that has the field inside
    :param parent: what is to take the place of that
    """
    cloned = _new(type(field))
    attributes = cloned.__dict__
    attributes.update(field.__dict__)  # not by assigning it, of which a __setattr__ would hear
    if attributes.get("parent") is not old_parent:
        return cloned  # it was not chosen, so it was not bound
    attributes["parent"], attributes["root"] = parent, schema
    differing = _DIFFERING.intersection(attributes)
    if differing:
        _clone_inside(field, cloned, schema, differing)
    return cloned


def _clone_inside(field: Any, cloned: Any, schema: Any, differing: frozenset[str]) -> None:
    attributes = cloned.__dict__
    choices = differing.intersection(_CHOICES)
    for choice in choices:
        # Of dotted names in the arguments of the schema stock makes a collection for each schema.
        if type(attributes[choice]) is Schema.set_class:
            attributes[choice] = _new_choice(attributes[choice])
    for name in differing.intersection(INNER):
        inner = attributes[name]
        if _is_bound_to(inner, field):
            attributes[name] = cloned_inner = clone(inner, field, cloned, schema)
            for choice in choices:
                if getattr(inner, choice, None) is getattr(field, choice):
                    cloned_inner.__dict__[choice] = attributes[choice]
    if "tuple_fields" in differing:
        several = attributes["tuple_fields"]
        if type(several) is list and all(_is_bound_to(inner, field) for inner in several):
            attributes["tuple_fields"] = [clone(inner, field, cloned, schema) for inner in several]
    for name in differing.intersection(METHODS):
        method = attributes[name]
        if getattr(method, "__self__", None) is field.__dict__["root"]:
            attributes[name] = method.__func__.__get__(schema)
    if _FIELD_CACHE in differing:
        attributes[_FIELD_CACHE] = {}


def _is_bound_to(inner: Any, field: Any) -> bool:
    """Return whether something is a field that another one has copied and bound.

    What a field of users' holds and does not bind, all schemas of a class share.
    """
    return is_field(inner) and inner.__dict__.get("parent") is field


def frozen_copy(field: Any) -> Any:
    """Return a copy of a field, and of the fields inside of it, that later changes pass by."""
    copied = copy.copy(field)
    attributes = copied.__dict__
    for name in INNER:
        if is_field(attributes.get(name)):
            attributes[name] = frozen_copy(attributes[name])
    for name in ("tuple_fields", "validators"):
        if type(attributes.get(name)) is list:
            attributes[name] = [
                frozen_copy(member) if is_field(member) else member for member in attributes[name]
            ]
    return copied
