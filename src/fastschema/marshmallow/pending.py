"""Pending schemas: their fields are made when somebody looks at them.

``Schema.__init__`` sets ``declared_fields``, ``fields``, ``load_fields`` and ``dump_fields``. On a
pending schema they are missing, and :class:`FieldsOnDemand`, of which the class has one for each,
makes all of them. Until then nobody can have changed a field.
"""

from __future__ import annotations

import warnings
from functools import partial
from types import FunctionType
from typing import Any

from marshmallow import Schema, utils

from fastschema.marshmallow.customization import KNOWN_INIT_FIELDS
from fastschema.marshmallow.exemplars import (
    DECIDING_NAMES,
    STOCK_INIT,
    Exemplar,
    bind_methods,
    clone,
    find_exemplar,
    is_clone,
    record_of,
)
from fastschema.marshmallow.snapshot import Snapshot
from fastschema.runtime.guard import ATTRIBUTE, State
from fastschema.runtime.patching import stock_method
from fastschema.switch import is_disabled

NAMES = ("declared_fields", "fields", "load_fields", "dump_fields")
_Made = dict[str, dict[str, Any]]
_MADE = "made"
_ALL_NAMES = frozenset(NAMES)
DECIDING_ON_ITSELF = DECIDING_NAMES - {*NAMES, "error_messages"}
"""What a schema may have of its own, and not as its class has it."""
_CHOICES = ("only", "exclude", "load_only", "dump_only")
_get_attribute: Any = object.__getattribute__  # a schema may notice others
STOCK_INIT_FIELDS: Any = stock_method(Schema, "_init_fields")
STOCK_REDUCE_EX: Any = object.__reduce_ex__
_STOCK_SERIALIZE: Any = stock_method(Schema, "_serialize")
_STOCK_DESERIALIZE: Any = stock_method(Schema, "_deserialize")
_HAS_CONTEXT = hasattr(Schema(), "context")  # marshmallow 3
checked_unknown: Any = getattr(utils, "validate_unknown_parameter_value", lambda unknown: unknown)

# So that a schema of which nothing is known says so at the price of any attribute.
setattr(Schema, ATTRIBUTE, None)


class SchemaState(State):
    """What is known of one schema object.

    :param schema: the schema
    :param exemplar: the exemplar of which its fields are, or would be, clones; else None
    :param original: the schema of which it is a copy, and with which it shares fields; else None
    """

    def __init__(self, schema: Any, exemplar: Exemplar | None = None, original: Any = None) -> None:
        self.owner = id(schema)
        """A copy of a schema may share its state."""
        self.exemplar = exemplar
        self.original = original
        self.is_bound_anew = False
        """Whether a copy has dictionaries of its own, be it with the same fields."""
        self.rows = 0
        """How many rows were dumped or loaded before its own fields were read."""
        self.few_rows = 0
        """So few rows are known to be dumped by stock: it has made few fields."""
        self.dump: Any = None
        self.load: Any = None
        """What it compiles to by fields of its own."""
        self._clones: dict[int, Any] = {}
        self._made: dict[str, tuple[_Made, Snapshot]] = {}

    def forget(self) -> None:
        """Forget what the schema compiles to by fields of its own."""
        self.dump = self.load = None

    def is_pending(self, schema: Any, name: str) -> bool:
        """Return whether nobody can have changed the fields of a schema, as there are none yet.

        Those of a copy are made as soon as those of the original are, which it shares.

        :param name: one of :data:`NAMES`
        """
        if name in schema.__dict__:
            return False
        original = self.original
        if original is None or original.__dict__[ATTRIBUTE].is_pending(original, name):
            return True
        make_fields(schema)
        return False

    def field(self, schema: Any, field: Any) -> Any:
        """Return the schema's own field that is like one of its exemplar.

        :param schema: the schema
        :param field: the exemplar's field
        """
        key = id(field)
        own = self._clones.get(key)
        if own is None:
            assert self.exemplar is not None
            original = self.original
            if original is None:
                own = clone(field, self.exemplar.schema, schema, schema)
            else:
                own = original.__dict__[ATTRIBUTE].field(original, field)
                if self.is_bound_anew:
                    bind_methods(own, schema)
            own = self._clones.setdefault(key, own)
        return own

    @property
    def snapshot(self) -> Snapshot | None:
        """Its fields as they were when they were made; None if they were not, or by stock."""
        made = self._made.get(_MADE)
        if made is not None:
            return made[1]
        original = self.original
        return None if original is None else original.__dict__[ATTRIBUTE].snapshot

    def made(self, schema: Any) -> _Made:
        """Return all that the schema is to have, by :data:`NAMES`, without handing it out.

        Threads that ask at the same time are given the same fields.
        """
        known = self._made.get(_MADE)
        if known is None:
            original = self.original
            if original is None:
                made = {name: self.fields(schema, name) for name in NAMES}
                snapshot = Snapshot(made)
            else:
                state = original.__dict__[ATTRIBUTE]
                made = dict(state.made(original))
                make_fields(original)  # whoever gets the copy's fields gets the original's
                if self.is_bound_anew:
                    made |= {name: self.fields(schema, name) for name in NAMES[1:]}
                snapshot = state.snapshot
            known = self._made.setdefault(_MADE, (made, snapshot))
        return known[0]

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
        if schema is not None:
            make_fields(schema)
            own = schema.__dict__
            if name in own:  # another thread may have made them meanwhile
                return own[name]
            raise AttributeError(f"{owner.__name__!r} object has no attribute {name!r}")
        return _inherited(owner, name)


def _inherited(owner: Any, name: str) -> Any:
    """Return the attribute of a schema class that comes after ``Schema``."""
    for base in owner.__mro__[owner.__mro__.index(Schema) + 1 :]:
        if name in vars(base):
            return getattr(base, name)
    raise AttributeError(f"type object {owner.__name__!r} has no attribute {name!r}")


def make_fields(schema: Any) -> None:
    """Make the fields of a pending schema, and hand them out."""
    own = _get_attribute(schema, "__dict__")
    state = own.get(ATTRIBUTE)
    if type(state) is not SchemaState or state.exemplar is None or own.keys() >= _ALL_NAMES:
        return
    if state.owner != id(schema):
        state = own[ATTRIBUTE] = SchemaState(schema, state.exemplar)
    for name, made in state.made(schema).items():
        own.setdefault(name, made)


def pending_like(exemplar: Exemplar) -> Any:
    """Return a pending schema like an exemplar."""
    like = exemplar.schema
    schema = object.__new__(type(like))
    own = {name: each for name, each in vars(like).items() if name not in _ALL_NAMES}
    vars(schema).update(own, **{ATTRIBUTE: SchemaState(schema, exemplar)})
    return schema


if _HAS_CONTEXT:

    def _context_warning() -> Any:
        """Return the warning of marshmallow 3 about a context."""
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always")
            STOCK_INIT(object.__new__(Schema), context={"": None})
        return caught[0].message

    # It may be another library's.
    _CONTEXT_WARNING: Any = _context_warning() if isinstance(STOCK_INIT, FunctionType) else None


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
            warnings.warn(_CONTEXT_WARNING, stacklevel=2)
    own[ATTRIBUTE] = SchemaState(self, exemplar)


def init_fields(self: Any) -> None:
    """``Schema._init_fields``, which chooses and binds fields anew where somebody calls it.

    ``Nested.schema`` does so for a copy of a schema. Where nobody has changed anything, the fields
    stay those that the schema has, or is to have.
    """
    own = _get_attribute(self, "__dict__")
    state = own.get(ATTRIBUTE)
    if type(state) is not SchemaState or not _chooses_alike(own, state):
        STOCK_INIT_FIELDS(self)
        return
    state.is_bound_anew = True
    for name in NAMES[1:]:
        if name in own:
            own[name] = state.fields(self, name)


def _chooses_alike(own: dict[str, Any], state: SchemaState) -> bool:
    """Return whether a schema has the options, and declared fields, that it was made with."""
    exemplar = state.exemplar
    if exemplar is None or not exemplar.is_current() or not DECIDING_ON_ITSELF.isdisjoint(own):
        return False
    like = exemplar.schema.__dict__
    if any(type(own[x]) is not type(like[x]) or own[x] != like[x] for x in _CHOICES):
        return False
    declared, snapshot = own.get("declared_fields"), state.snapshot
    if declared is None:
        return True
    return snapshot is not None and snapshot.is_current("declared_fields", declared)


class _Copying:
    """``Schema.__copy__``, for the classes whose schemas have nothing to say in it."""

    def __get__(self, schema: Any, owner: Any) -> Any:
        is_installed = owner._init_fields is init_fields
        if schema is None and is_installed and record_of(owner).makes_fields_as_stock:
            return _copy
        return _inherited(owner, "__copy__")


def _copy(schema: Any) -> Any:
    """Return a copy of a schema, which shares its fields; they need not be made for it."""
    own = schema.__dict__
    state = own.get(ATTRIBUTE)
    if type(state) is not SchemaState:
        state = own[ATTRIBUTE] = _state_of_made(schema)
    copied = object.__new__(type(schema))
    copied.__dict__.update(own)
    if state.exemplar is not None and state.owner == id(schema):
        copied.__dict__[ATTRIBUTE] = SchemaState(copied, state.exemplar, schema)
    return copied


def _state_of_made(schema: Any) -> SchemaState:
    """Return a state for a schema that stock has made, before fastschema was installed, say.

    Its fields may be those that a new schema would have.
    """
    own = schema.__dict__
    made = {name: own.get(name) or {} for name in NAMES}
    exemplar = find_exemplar(object.__new__(type(schema)), *(own.get(name) for name in _CHOICES))
    if exemplar is None:
        return SchemaState(schema)
    state = SchemaState(schema, exemplar)
    for name, fields in made.items():
        originals = exemplar.schema.__dict__[name]
        if list(fields) != list(originals) or type(fields) is not type(originals):
            return SchemaState(schema)
        for field, original in zip(fields.values(), originals.values(), strict=True):
            if not is_clone(field, original):
                return SchemaState(schema)
            state._clones[id(original)] = field
    state._made[_MADE] = made, Snapshot(made)
    return state


def reduce_ex(self: Any, protocol: Any) -> Any:
    """``Schema.__reduce_ex__``, by which schemas are copied and pickled: with their fields."""
    make_fields(self)
    return STOCK_REDUCE_EX(self, protocol)


KNOWN_INIT_FIELDS.add(init_fields)


class _Unseen:
    """A pending schema for stock's own methods, which need its fields and hand them to nobody.

    :param schema: the schema
    :param name: the attribute with the fields that they need
    :param fields: those
    """

    def __init__(self, schema: Any, name: str, fields: dict[str, Any]) -> None:
        self._schema = schema
        setattr(self, name, fields)
        own, cls = schema.__dict__, type(schema)
        if cls._serialize is Schema._serialize and "_serialize" not in own:
            self._serialize = partial(_STOCK_SERIALIZE, self)
        if cls._deserialize is Schema._deserialize and "_deserialize" not in own:
            self._deserialize = partial(_STOCK_DESERIALIZE, self)

    def __getattr__(self, name: str) -> Any:
        return getattr(self._schema, name)


def for_stock(schema: Any, name: str) -> Any:
    """Return what takes the place of a schema as the first argument of stock's own methods.

    :param name: the attribute with the fields that they need
    """
    own = schema.__dict__
    state = own.get(ATTRIBUTE)
    if type(state) is SchemaState and state.exemplar is not None and state.is_pending(schema, name):
        return _Unseen(schema, name, state.fields(schema, name))
    return schema


def fields_of(schema: Any, name: str) -> dict[str, Any]:
    """Return the fields of a schema by one of its attributes, without handing them out."""
    fields: dict[str, Any] = getattr(for_stock(schema, name), name)
    return fields


# Also where fastschema is not installed any more there may be pending schemas.
for _name in NAMES:
    setattr(Schema, _name, FieldsOnDemand(_name))
setattr(Schema, "__copy__", _Copying())  # noqa: B010  # it has no such method
type.__setattr__(Schema, "__reduce_ex__", reduce_ex)
