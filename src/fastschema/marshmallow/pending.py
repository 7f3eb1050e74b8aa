"""Pending schemas: their fields are made when somebody looks at them.

``Schema.__init__`` sets ``declared_fields``, ``fields``, ``load_fields`` and ``dump_fields``. On a
pending schema they are missing, and :class:`FieldsOnDemand`, of which the class has one for each,
makes all of them. :mod:`fastschema.marshmallow.schema_state` tells what comes before and after.
"""

from __future__ import annotations

import warnings
from collections.abc import Mapping
from functools import partial
from typing import Any

from marshmallow import Schema, utils

from fastschema.marshmallow.customization import (
    FIELD_CLASSES,
    INNER,
    OPTIONS,
    all_fields,
    computes_attributes,
    inner_fields,
)
from fastschema.marshmallow.exemplars import (
    DECIDING_NAMES,
    METHODS,
    STOCK_INIT,
    Exemplar,
    class_state,
    clone,
    find_exemplar,
)
from fastschema.runtime.guard import STATE_KEY, State
from fastschema.runtime.patching import is_stock, stock_method
from fastschema.switch import is_disabled

NAMES = ("declared_fields", "fields", "load_fields", "dump_fields")
_Made = dict[str, dict[str, Any]]
_ALL_NAMES = frozenset(NAMES)
DECIDING_ON_ITSELF = DECIDING_NAMES - {*NAMES, "error_messages"}
"""What a schema may have of its own, and not as its class has it."""
_NOT_PENDING = DECIDING_ON_ITSELF | _ALL_NAMES
_CHOICES = ("only", "exclude", "load_only", "dump_only")
STOCK_INIT_FIELDS: Any = stock_method(Schema, "_init_fields")
STOCK_REDUCE_EX: Any = object.__reduce_ex__
_STOCK_SERIALIZE: Any = stock_method(Schema, "_serialize")
_STOCK_DESERIALIZE: Any = stock_method(Schema, "_deserialize")
_HAS_CONTEXT = hasattr(Schema(), "context")  # marshmallow 3
_CONTEXT_WARNING = (
    "The `context` parameter is deprecated and will be removed in marshmallow 4.0. "
    "Use `contextvars.ContextVar` to pass context instead."
)
checked_unknown: Any = getattr(utils, "validate_unknown_parameter_value", lambda unknown: unknown)

if _HAS_CONTEXT:
    from marshmallow.warnings import (  # type: ignore[import-not-found]  # marshmallow 3
        RemovedInMarshmallow4Warning,
    )

# The default, so that ``schema._fastschema`` never raises.
setattr(Schema, STATE_KEY, None)


class SchemaState(State):
    """What is known of one schema object.

    :param schema: the schema
    :param exemplar: the exemplar of which its fields are, or would be, clones; else None
    """

    made: tuple[_Made, FieldsSnapshot] | None = None
    """Its fields by :data:`NAMES`, and what they were like then; None if stock made them."""

    def __init__(self, schema: Any, exemplar: Exemplar | None = None) -> None:
        self.owner = id(schema)
        """A copy of a schema may share its state."""
        self.exemplar = exemplar
        self.rows = 0
        """How many rows were dumped or loaded before its own fields were read."""
        self.stock_up_to = 0
        """Dumps of at most this many rows go to stock at once: with so few fields, they are below
        ``values_worth_comparing``."""
        self.dump: Any = None
        self.load: Any = None
        """What it compiles to by fields of its own."""
        self._clones: dict[int, Any] = {}

    def forget(self) -> None:
        """Forget what the schema compiles to by fields of its own."""
        self.dump = self.load = None

    def field(self, schema: Any, field: Any) -> Any:
        """Return the schema's own field that is like one of its exemplar.

        :param schema: the schema
        :param field: the exemplar's field
        """
        own = self._clones.get(id(field))
        if own is None:
            assert self.exemplar is not None
            own = clone(field, self.exemplar.schema, schema, schema)
            own = self._clones.setdefault(id(field), own)
        return own

    def make(self, schema: Any) -> _Made:
        """Return all that the schema is to have, by :data:`NAMES`.

        Threads that ask at the same time are given the same fields.
        """
        if self.made is None:
            made = {name: self.fields(schema, name) for name in NAMES}
            vars(self).setdefault("made", (made, FieldsSnapshot(made)))
        assert self.made is not None
        return self.made[0]

    def is_unchanged(self, name: str, fields: dict[str, Any]) -> bool:
        """Return whether fields that were made are what they were.

        :param name: one of :data:`NAMES`
        :param fields: what the schema has as that
        """
        return self.made is not None and self.made[1].is_current(name, fields)

    def fields(self, schema: Any, name: str) -> dict[str, Any]:
        """Return what the schema is to have as one of :data:`NAMES`, in a dictionary of its own."""
        assert self.exemplar is not None
        originals = self.exemplar.schema.__dict__[name]
        clones = self._clones
        fields: dict[str, Any] = type(originals)()
        for each, field in originals.items():
            fields[each] = clones.get(id(field)) or self.field(schema, field)
        return fields


class FieldsOnDemand:
    """Makes the fields of a pending schema, for one of the attributes that hold them.

    It has no ``__set__``: what is in the ``__dict__`` of a schema is found first.

    :param name: the attribute
    """

    def __init__(self, name: str) -> None:
        self._name = name

    def __get__(self, schema: Any, owner: Any = None) -> Any:
        name = self._name
        if schema is None:
            raise AttributeError(f"type object {owner.__name__!r} has no attribute {name!r}")
        make_fields(schema)
        own = schema.__dict__
        if name in own:  # another thread may have made them meanwhile
            return own[name]
        raise AttributeError(f"{owner.__name__!r} object has no attribute {name!r}")


def make_fields(schema: Any) -> None:
    """Make the fields of a pending schema, and hand them out."""
    own = schema.__dict__
    state = own.get(STATE_KEY)
    if type(state) is not SchemaState or state.exemplar is None or own.keys() >= _ALL_NAMES:
        return
    if state.owner != id(schema):
        state = own[STATE_KEY] = SchemaState(schema, state.exemplar)
    for name, made in state.make(schema).items():
        own.setdefault(name, made)


def pending_like(exemplar: Exemplar) -> Any:
    """Return a pending schema like an exemplar."""
    like = exemplar.schema
    schema = object.__new__(type(like))
    own = {name: each for name, each in vars(like).items() if name not in _ALL_NAMES}
    vars(schema).update(own, **{STATE_KEY: SchemaState(schema, exemplar)})
    return schema


def init(
    self: Any,
    *,
    only: Any = None,
    exclude: Any = (),
    many: Any = None,
    load_only: Any = (),
    dump_only: Any = (),
    partial: Any = None,
    unknown: Any = None,
    **others: Any,
) -> None:
    """``Schema.__init__``, which makes no fields where those of an exemplar would be the same.

    :param others: ``context``, in marshmallow 3
    """
    exemplar = None
    if not is_disabled() and (not others or (_HAS_CONTEXT and others.keys() == {"context"})):
        exemplar = find_exemplar(self, only, exclude, load_only, dump_only)
    if exemplar is None:
        others |= {"load_only": load_only, "dump_only": dump_only, "partial": partial}
        STOCK_INIT(self, only=only, exclude=exclude, many=many, unknown=unknown, **others)
        return
    like = exemplar.schema.__dict__
    own = self.__dict__
    own["many"] = like["many"] if many is None else many
    chosen = like["only"]
    own["only"] = None if chosen is None else type(chosen)(chosen)
    left_out = like["exclude"]
    own["exclude"] = type(left_out)(left_out)
    own["load_only"] = set(like["load_only"])
    own["dump_only"] = set(like["dump_only"])
    own["partial"] = partial
    own["unknown"] = like["unknown"] if unknown is None else checked_unknown(unknown)
    own["error_messages"] = like["error_messages"].copy()
    if _HAS_CONTEXT:
        own["ordered"] = like["ordered"]
        own["context"] = others.get("context") or {}
        if own["context"]:
            warnings.warn(_CONTEXT_WARNING, RemovedInMarshmallow4Warning, stacklevel=2)
    own[STATE_KEY] = SchemaState(self, exemplar)


def init_fields(self: Any) -> None:
    """``Schema._init_fields``, which chooses and binds fields where somebody calls it.

    ``Nested.schema`` does so for a copy of a schema. A pending one with the options that it was
    made with stays pending.
    """
    own = self.__dict__
    state = own.get(STATE_KEY)
    if type(state) is not SchemaState or not _is_as_made(own, state):
        STOCK_INIT_FIELDS(self)


def _is_as_made(own: dict[str, Any], state: SchemaState) -> bool:
    """Return whether a schema is pending, and has the options that it was made with."""
    exemplar = state.exemplar
    if exemplar is None or not exemplar.is_current() or not _NOT_PENDING.isdisjoint(own):
        return False
    like = exemplar.schema.__dict__
    return all(type(own[x]) is type(like[x]) and own[x] == like[x] for x in _CHOICES)


class _Copying:
    """``Schema.__copy__``, for the classes whose schemas have nothing to say in it."""

    def __get__(self, schema: Any, owner: Any) -> Any:
        is_installed = owner._init_fields is init_fields
        if schema is None and is_installed and class_state(owner).makes_fields_as_stock:
            return _copy
        raise AttributeError(f"type object {owner.__name__!r} has no attribute '__copy__'")


def _copy(schema: Any) -> Any:
    """Return a copy of a schema, pending if its fields are those of a new schema."""
    own = schema.__dict__
    copied = object.__new__(type(schema))
    copied_own = copied.__dict__
    if is_disabled():
        make_fields(schema)
    copied_own.update(own, **{STATE_KEY: None})
    state = own.get(STATE_KEY)
    if is_disabled() or type(state) is not SchemaState or state.exemplar is None:
        return copied
    made = {name: own[name] for name in NAMES if name in own}
    if all(state.is_unchanged(*each) for each in made.items()) and not _knows_nested(made):
        for name in made:
            del copied_own[name]
        copied_own[STATE_KEY] = SchemaState(copied, state.exemplar)
    return copied


def _knows_nested(made: _Made) -> bool:
    """Return whether a field has its nested schema, which somebody may have changed."""
    return any(
        field.__dict__.get(_FOUND_LATER) is not None
        for fields in made.values()
        for field in all_fields(fields.values())
    )


def reduce_ex(self: Any, protocol: Any) -> Any:
    """``Schema.__reduce_ex__``, by which schemas are copied and pickled: with their fields."""
    make_fields(self)
    return STOCK_REDUCE_EX(self, protocol)


class SchemaProxy:
    """Stands for a schema as ``self`` of stock's own methods, some of its attributes replaced.

    :param schema: the schema
    :param own: the attributes that are not the schema's
    """

    def __init__(self, schema: Any, **own: Any) -> None:
        self._schema = schema
        self.__dict__.update(own)

    def __getattr__(self, name: str) -> Any:
        return getattr(self._schema, name)


def for_stock(schema: Any, name: str) -> Any:
    """Return what takes the place of a schema as the first argument of stock's own methods.

    Those need the fields of a pending schema, and hand them to nobody.

    :param name: the attribute with the fields that they need
    """
    own, cls = schema.__dict__, type(schema)
    state = own.get(STATE_KEY)
    if type(state) is not SchemaState or state.exemplar is None or name in own:
        return schema
    proxy: Any = SchemaProxy(schema, **{name: state.fields(schema, name)})
    if is_stock(cls._serialize, _STOCK_SERIALIZE) and "_serialize" not in own:
        proxy._serialize = partial(_STOCK_SERIALIZE, proxy)
    if is_stock(cls._deserialize, _STOCK_DESERIALIZE) and "_deserialize" not in own:
        proxy._deserialize = partial(_STOCK_DESERIALIZE, proxy)
    return proxy


def fields_of(schema: Any, name: str) -> dict[str, Any]:
    """Return the fields of a schema by one of its attributes, without handing them out."""
    fields: dict[str, Any] = getattr(for_stock(schema, name), name)
    return fields


# Also where fastschema is not installed any more there may be pending schemas.
for _name in NAMES:
    setattr(Schema, _name, FieldsOnDemand(_name))
setattr(Schema, "__copy__", _Copying())  # noqa: B010  # it has no such method
type.__setattr__(Schema, "__reduce_ex__", reduce_ex)


_ABSENT = object()
_FOUND_LATER = "_schema"
"""Where a nested field keeps its schema, once that was needed."""
_HOLDING = frozenset([*INNER, "tuple_fields"])
"""Where a field has fields inside of it."""
_LISTS = ("validators", "pre_load", "post_load", "tuple_fields")


class FieldsSnapshot:
    """The fields of a schema as they are when it is taken.

    :param made: from attributes of the schema to the fields that they hold by name
    """

    __slots__ = ("_attributes", "_items")

    def __init__(self, made: Mapping[str, dict[str, Any]]) -> None:
        self._items = {name: list(fields.items()) for name, fields in made.items()}
        self._attributes: list[tuple[Any, dict[str, Any], type]] = []
        seen: set[int] = set()
        for items in self._items.values():
            for _, field in items:
                if id(field) not in seen:
                    seen.add(id(field))
                    self._add(field)

    def _add(self, field: Any) -> None:
        if computes_attributes(field):
            return  # its schema runs as stock
        own = field.__dict__
        self._attributes.append((field, _copied(own), type(field)))
        if not _HOLDING.isdisjoint(own):
            for inner in inner_fields(field):
                self._add(inner)

    def is_current(self, name: str, fields: dict[str, Any]) -> bool:
        """Return whether a schema still has those fields, and these the attributes that they had.

        :param name: an attribute of the schema
        :param fields: the fields that it holds now
        """
        if list(fields.items()) != self._items[name]:
            return False
        for field, seen, cls in self._attributes:
            if type(field) is not cls:
                return False
            if field.__dict__ != seen and not _accept_if_alike(field.__dict__, seen, cls):
                return False
        return True


def _copied(own: dict[str, Any]) -> dict[str, Any]:
    """Return a copy of a field's attributes, with lists of its own."""
    seen = own.copy()
    for name in _LISTS:
        if name in seen:
            value = seen[name]
            if type(value) is list:
                seen[name] = value.copy()
    return seen


def _accept_if_alike(own: dict[str, Any], seen: dict[str, Any], cls: type) -> bool:
    """Return whether no attribute that says what a field does has changed.

    Then the snapshot takes what else has changed, such as what a user's field keeps for itself.
    """
    for name in own.keys() | seen.keys():
        value, before = own.get(name, _ABSENT), seen.get(name, _ABSENT)
        if value is before or name == _FOUND_LATER:
            continue
        if name in METHODS:
            value, before = (getattr(each, "__func__", each) for each in (value, before))
        is_deciding = cls in FIELD_CLASSES or name in OPTIONS or hasattr(cls, name)
        if is_deciding and (type(value) is not type(before) or value != before):
            return False
    for name in seen.keys() - own.keys():
        seen.pop(name, None)
    seen.update(_copied(own))  # never empty: another thread may be comparing
    return True
