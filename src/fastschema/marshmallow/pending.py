"""Pending schemas: their fields are made when somebody looks at them.

``Schema.__init__`` sets ``declared_fields``, ``fields``, ``load_fields`` and ``dump_fields``. On a
pending schema they are missing, and :class:`FieldsOnDemand`, of which the class has one for each,
makes all of them. :mod:`fastschema.marshmallow.schema_state` tells what comes before and after.
"""

from __future__ import annotations

import copy
import warnings
from functools import cache, partial
from typing import Any

from marshmallow import Schema, utils
from marshmallow.exceptions import StringNotCollectionError

from fastschema.marshmallow.customization import IS_MARSHMALLOW_3
from fastschema.marshmallow.exemplars import (
    DECIDING_NAMES,
    STOCK_INIT,
    Exemplar,
    SchemaRecord,
    find_exemplar,
    is_first_of_throw_away,
    makers_are_stock,
)
from fastschema.marshmallow.shared_fields import NAMES, SharedFields
from fastschema.runtime import thresholds
from fastschema.runtime.guard import STATE_KEY, State
from fastschema.runtime.patching import is_stock, stock_method
from fastschema.runtime.switch import is_disabled

_ALL_NAMES = frozenset(NAMES)
DECIDING_ON_ITSELF = DECIDING_NAMES - {*NAMES, "error_messages"}
"""What a schema may have of its own, and not as its class has it."""
_OPTIONS_OF_FIELDS = ("only", "exclude", "load_only", "dump_only")
"""The options of a schema that choose its fields, or are written into them."""
STOCK_INIT_FIELDS: Any = stock_method(Schema, "_init_fields")
STOCK_REDUCE_EX: Any = object.__reduce_ex__
_STOCK_SERIALIZE: Any = stock_method(Schema, "_serialize")
_STOCK_DESERIALIZE: Any = stock_method(Schema, "_deserialize")
_CONTEXT_WARNING = (
    "The `context` parameter is deprecated and will be removed in marshmallow 4.0. "
    "Use `contextvars.ContextVar` to pass context instead."
)
_OPTIONS = {"only", "exclude", "many", "context", "load_only", "dump_only", "partial", "unknown"}
checked_unknown: Any = getattr(utils, "validate_unknown_parameter_value", lambda unknown: unknown)

if IS_MARSHMALLOW_3:
    from marshmallow.warnings import (  # type: ignore[import-not-found]  # marshmallow 3
        RemovedInMarshmallow4Warning,
    )


class SchemaState(State):
    """What is known of one schema object.

    :param shared: its fields, if they are, or would be, clones of an exemplar's
    :param original: the schema that had these fields first; None if that is this one
    """

    exemplar: Exemplar | None = None
    is_bound_anew = False
    """Whether it has dictionaries of its own, though they hold the fields of the original."""
    left_to_stock = 0
    """For a made schema: if no more rows than these are to be dumped, nobody looks whether it can
    be compiled, and stock dumps them."""
    was_left = False
    """For a schema with fewer values still: whether stock has dumped its first object."""
    leaves_dump = leaves_load = False
    """Whether it has so few values that single objects are left to stock for good."""
    dump: Any = None
    load: Any = None
    """What it has compiled to."""

    def __init__(
        self, schema: Any, shared: SharedFields | None = None, original: Any = None
    ) -> None:
        self.owner = id(schema)
        """A copy of a schema may share its state."""
        self.shared = shared
        self.original = original
        if shared is None:
            self.left_to_stock = thresholds.rows_worth_binding - 1
        else:
            self.exemplar = shared.exemplar

    def is_pending(self, own: dict[str, Any], name: str) -> bool:
        """Return whether nobody has looked at the fields, be it those of a copy."""
        return name not in own and self.shared is not None and self.shared.made is None

    @property
    def is_made(self) -> bool:
        """Whether somebody has looked at the fields, be it those of a copy."""
        return self.shared is not None and self.shared.made is not None

    def field(self, schema: Any, field: Any) -> Any:
        """Return the schema's own field that is like one of its exemplar."""
        assert self.shared is not None
        return self.shared.field(self._first(schema), field)

    def fields(self, schema: Any, name: str) -> dict[str, Any]:
        """Return what the schema is to have as one of :data:`NAMES`, in a dictionary of its own."""
        assert self.shared is not None
        return self.shared.fields(self._first(schema), name)

    def make(self, schema: Any) -> None:
        shared = self.shared
        assert shared is not None
        fields_by_name = shared.make(self._first(schema))
        if self.is_bound_anew:
            anew = {name: self.fields(schema, name) for name in NAMES[1:]}
            fields_by_name = {NAMES[0]: fields_by_name[NAMES[0]], **anew}
        for name, fields in fields_by_name.items():
            schema.__dict__.setdefault(name, fields)
        self.left_to_stock = thresholds.rows_worth_binding - 1
        self.dump = self.load = None

    def _first(self, schema: Any) -> Any:
        return schema if self.original is None else self.original


def state_of(schema: Any) -> SchemaState:
    attributes = schema.__dict__
    state = attributes.get(STATE_KEY)
    if type(state) is SchemaState:
        if state.owner == id(schema):
            return state
        if state.exemplar is not None and _ALL_NAMES.isdisjoint(attributes):
            # Somebody has copied its attributes.
            state = attributes[STATE_KEY] = SchemaState(schema, SharedFields(state.exemplar))
            return state
    state = attributes[STATE_KEY] = SchemaState(schema)
    return state


class FieldsOnDemand:
    """Makes the fields of a pending schema, for one of the attributes that hold them.

    It has no ``__set__``: what is in the ``__dict__`` of a schema is found first.
    """

    def __init__(self, name: str) -> None:
        self._name = name

    def __get__(self, schema: Any, owner: Any = None) -> Any:
        name = self._name
        if schema is None:
            raise AttributeError(f"type object {owner.__name__!r} has no attribute {name!r}")
        make_fields(schema)
        attributes = schema.__dict__
        if name in attributes:  # another thread may have made them meanwhile
            return attributes[name]
        raise AttributeError(f"{owner.__name__!r} object has no attribute {name!r}")


def make_fields(schema: Any) -> None:
    attributes = schema.__dict__
    state = attributes.get(STATE_KEY)
    if (
        type(state) is SchemaState
        and state.exemplar is not None
        and not attributes.keys() >= _ALL_NAMES
    ):
        state_of(schema).make(schema)


def make_if_copies_have(schema: Any) -> None:
    """Make the fields of a schema if somebody has looked at those of a copy, which are the same."""
    state = schema.__dict__.get(STATE_KEY)
    if type(state) is SchemaState and state.is_made:
        make_fields(schema)


def pending_like(exemplar: Exemplar) -> Any:
    prepare()
    like = exemplar.schema
    schema = object.__new__(type(like))
    attributes = {name: value for name, value in vars(like).items() if name not in _ALL_NAMES}
    vars(schema).update(attributes, **{STATE_KEY: SchemaState(schema, SharedFields(exemplar))})
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
    """``Schema.__init__``, which makes no fields where those of an exemplar would be the same."""
    exemplar = None
    is_first = is_first_of_throw_away(type(self))
    if (
        not is_first
        and not is_disabled()
        and (not others or (IS_MARSHMALLOW_3 and others.keys() == {"context"}))
    ):
        exemplar = find_exemplar(self, only, exclude, load_only, dump_only)
    if exemplar is None:
        others |= {"only": only, "exclude": exclude, "load_only": load_only, "dump_only": dump_only}
        others |= {"many": many, "partial": partial, "unknown": unknown}
        if IS_MARSHMALLOW_3 and others.get("context") and others.keys() == _OPTIONS:
            _init_with_context(self, **others)
        else:
            STOCK_INIT(self, **others)
        if is_first:
            state = self.__dict__[STATE_KEY] = SchemaState(self)
            state.left_to_stock = thresholds.rows_worth_reading_once
        return
    like = exemplar.schema.__dict__
    attributes = self.__dict__
    attributes["many"] = like["many"] if many is None else many
    chosen = like["only"]
    attributes["only"] = None if chosen is None else type(chosen)(chosen)
    left_out = like["exclude"]
    attributes["exclude"] = type(left_out)(left_out)
    attributes["load_only"] = set(like["load_only"])
    attributes["dump_only"] = set(like["dump_only"])
    attributes["partial"] = partial
    attributes["unknown"] = like["unknown"] if unknown is None else checked_unknown(unknown)
    attributes["error_messages"] = like["error_messages"].copy()
    if IS_MARSHMALLOW_3:
        attributes["ordered"] = like["ordered"]
        attributes["context"] = others.get("context") or {}
        if attributes["context"]:
            warnings.warn(_CONTEXT_WARNING, RemovedInMarshmallow4Warning, stacklevel=2)
    attributes[STATE_KEY] = SchemaState(self, SharedFields(exemplar))


def _init_with_context(
    self: Any,
    *,
    only: Any,
    exclude: Any,
    many: Any,
    context: Any,
    load_only: Any,
    dump_only: Any,
    partial: Any,
    unknown: Any,
) -> None:
    """``Schema.__init__`` of marshmallow 3, whose warning names the file that calls it."""
    if only is not None and not utils.is_collection(only):
        raise StringNotCollectionError('"only" should be a list of strings')
    if not utils.is_collection(exclude):
        raise StringNotCollectionError('"exclude" should be a list of strings')
    self.declared_fields = copy.deepcopy(self._declared_fields)
    self.many = self.opts.many if many is None else many
    self.only = only
    self.exclude = set(self.opts.exclude) | set(exclude)
    self.ordered = self.opts.ordered
    self.load_only = set(load_only) or set(self.opts.load_only)
    self.dump_only = set(dump_only) or set(self.opts.dump_only)
    self.partial = partial
    self.unknown = self.opts.unknown if unknown is None else checked_unknown(unknown)
    warnings.warn(_CONTEXT_WARNING, RemovedInMarshmallow4Warning, stacklevel=3)
    self.context = context
    self._normalize_nested_options()
    self.fields, self.load_fields, self.dump_fields = {}, {}, {}
    self._init_fields()
    messages = dict(self._default_error_messages)
    for cls in reversed(type(self).__mro__):
        messages.update(getattr(cls, "error_messages", {}))
    messages.update(self.error_messages or {})
    self.error_messages = messages


def init_fields(self: Any) -> None:
    """``Schema._init_fields``, which chooses and binds fields where somebody calls it.

    ``Nested.schema`` does so for a copy of a schema. A pending one with the options that it was
    made with stays pending. What stock does to other fields that were unchanged is no change.
    """
    state = self._fastschema  # guard.STATE_KEY
    if state is not None:
        attributes = self.__dict__
        if state.is_pending(attributes, NAMES[0]) and _has_as_made(attributes, state.shared):
            state.is_bound_anew = True
            state.shared.bind_methods(self)
            return
    STOCK_INIT_FIELDS(self)


def _has_as_made(own: dict[str, Any], shared: SharedFields) -> bool:
    exemplar = shared.exemplar
    if (
        not exemplar.classes.is_current()
        or not makers_are_stock()
        or not own.keys().isdisjoint((*NAMES, *DECIDING_ON_ITSELF))
    ):
        return False
    like = exemplar.schema.__dict__
    return all(type(own[x]) is type(like[x]) and own[x] == like[x] for x in _OPTIONS_OF_FIELDS)


class _Copying:
    """``Schema.__copy__``, for the classes whose schemas have nothing to say in it."""

    def __get__(self, schema: Any, owner: Any) -> Any:
        if schema is None and owner._init_fields is init_fields:
            record = SchemaRecord.of(owner)
            if record.refresh() and record.makes_fields_as_stock:
                return _copy
        raise AttributeError(f"type object {owner.__name__!r} has no attribute '__copy__'")


def _copy(schema: Any) -> Any:
    """Return a copy of a schema, which shares its fields, and is pending as long as it is."""
    attributes = schema.__dict__
    copied = object.__new__(type(schema))
    is_known = type(attributes.get(STATE_KEY)) is SchemaState
    state = state_of(schema) if is_known else None
    shared = None if state is None else state.shared
    if is_disabled() or (state is not None and (state.is_made or state.is_bound_anew)):
        make_fields(schema)  # the copy gets these very dictionaries
    copied.__dict__.update(attributes, **{STATE_KEY: None})
    if state is not None and shared is not None and not is_disabled():
        original = schema if state.original is None else state.original
        copied.__dict__[STATE_KEY] = SchemaState(copied, shared, original)
    return copied


def reduce_ex(self: Any, protocol: Any) -> Any:
    """``Schema.__reduce_ex__``, by which schemas are copied and pickled: with their fields."""
    make_fields(self)
    return STOCK_REDUCE_EX(self, protocol)


class SchemaProxy:
    """Stands for a schema as ``self`` of stock's own methods, some of its attributes replaced."""

    def __init__(self, schema: Any, **own: Any) -> None:
        self._schema = schema
        self.__dict__.update(own)

    def __getattr__(self, name: str) -> Any:
        return getattr(self._schema, name)


def for_stock(schema: Any, name: str) -> Any:
    """Return what takes the place of a schema as the first argument of stock's own methods.

    Those need the fields of a pending schema, and hand them to nobody.
    """
    attributes, cls = schema.__dict__, type(schema)
    state = attributes.get(STATE_KEY)
    if type(state) is not SchemaState or not state_of(schema).is_pending(attributes, name):
        return schema
    state = state_of(schema)
    proxy: Any = SchemaProxy(schema, **{name: state.fields(schema, name)})
    if is_stock(cls._serialize, _STOCK_SERIALIZE) and "_serialize" not in attributes:
        proxy._serialize = partial(_STOCK_SERIALIZE, proxy)
    if is_stock(cls._deserialize, _STOCK_DESERIALIZE) and "_deserialize" not in attributes:
        proxy._deserialize = partial(_STOCK_DESERIALIZE, proxy)
    return proxy


@cache
def prepare() -> None:
    """Let the class of all schemas make the fields of pending ones when somebody looks at them.

    That stays, as there may be pending schemas where fastschema is not installed any more.
    """
    for name in NAMES:
        setattr(Schema, name, FieldsOnDemand(name))
    setattr(Schema, "__copy__", _Copying())  # noqa: B010  # it has no such method
    type.__setattr__(Schema, "__reduce_ex__", reduce_ex)
    # The default, so that ``schema._fastschema`` never raises.
    setattr(Schema, STATE_KEY, None)
