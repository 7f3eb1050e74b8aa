"""Exemplars: one schema for each schema class and the arguments that choose its fields.

Stock's own code makes it, and it belongs to no request. Other schemas of the class with the same
arguments make no fields until somebody looks at them: they would be clones of the exemplar's.

``Schema.__init__`` copies the fields of its class and binds each copy. What comes of that differs
between two schemas of a class in a few attributes only: which schema a field belongs to, the fields
inside of it, the methods of the schema that it calls.
"""

from __future__ import annotations

import copy
import sys
from collections.abc import Hashable, Iterable
from typing import Any

from marshmallow import Schema

from fastschema.marshmallow.customization import (
    INNER,
    is_field,
    is_unseen_schema,
    makes_fields_as_stock,
    method_names,
    own_classes,
)
from fastschema.marshmallow.read_around import MAKES
from fastschema.runtime import thresholds
from fastschema.runtime.class_record import ClassRecord
from fastschema.runtime.guard import CLASS_STATE_KEY, ClassSnapshot
from fastschema.runtime.patching import is_stock, stock_method
from fastschema.runtime.registration import is_registered, open_room, registered

STOCK_INIT: Any = stock_method(Schema, "__init__")
_STOCK_INIT_FIELDS: Any = stock_method(Schema, "_init_fields")
_COLLECTIONS = (list, tuple, set, frozenset, Schema.set_class)
_STR = {str}
_makers_are_stock = MAKES.unchanged() if MAKES.are_stock() else lambda: False

DECIDING_NAMES = frozenset(
    [
        *("_declared_fields", "opts", "_hooks", "dict_class", "set_class", "get_attribute"),
        *("_init_fields", "_bind_field", "on_bind_field", "_normalize_nested_options"),
        *("dump", "_serialize", "load", "_do_load", "_deserialize", "_call_and_store"),
        *("_invoke_field_validators", "error_messages", "_default_error_messages"),
        *("TYPE_MAPPING", "declared_fields", "fields", "load_fields", "dump_fields"),
    ]
)
"""What a schema may have of its own that decides which fields it has and what they do."""

Arguments = tuple[Any, ...]
"""``only``, ``exclude``, ``load_only`` and ``dump_only``, as tuples."""
_NO_NAMES: tuple[str, ...] = ()
_NO_ARGUMENTS: Arguments = (None, (), (), ())


class Exemplar:
    """A schema made by stock, of which others of its class with the same arguments are like.

    Nobody gets it, and nothing is dumped or loaded by it.
    """

    def __init__(self, schema: Any, arguments: Arguments, classes: ClassSnapshot) -> None:
        self.schema = schema
        self.arguments = arguments
        self.classes = classes
        declared = schema.__dict__["declared_fields"].values()
        self.binds_methods = any(not _METHOD_NAMES.isdisjoint(vars(field)) for field in declared)
        """Whether a field has methods of the schema that it was bound to last."""
        self.is_being_read = False
        self.dump: Any = None
        self.load: Any = None
        """What it compiles to; whoever compiles it sets them."""

    def has_same_options(self, own: dict[str, Any]) -> bool:
        """Return whether a schema gives nested schemas what it gave when new.

        That is what they choose among their fields, and the context of marshmallow 3, about which
        they warn.
        """
        like = self.schema.__dict__
        load_only, dump_only = own.get("load_only"), own.get("dump_only")
        return bool(
            type(load_only) is type(like["load_only"])
            and load_only == like["load_only"]
            and type(dump_only) is type(like["dump_only"])
            and dump_only == like["dump_only"]
            and not own.get("context")
        )


def classes_of(cls: Any, fields: Iterable[Any]) -> ClassSnapshot:
    """Return what the classes of users are like that say what schemas of a class do."""
    classes = ClassSnapshot(own_classes(cls, fields))
    classes.add(cls.opts)
    return classes


class SchemaRecord(ClassRecord):
    classes: ClassSnapshot

    def forget(self) -> None:
        cls = self.owner()
        for base in cls.__mro__:
            open_room(base)
        classes = classes_of(cls, cls._declared_fields.values())
        self._is_registered = bool(registered) and _is_registered(cls)
        self.makes_fields_as_stock = makes_fields_as_stock(cls)
        self._names = DECIDING_NAMES
        if self.makes_fields_as_stock:
            for field in cls._declared_fields.values():
                if names := method_names(field):
                    self._names = self._names.union(names)
        self._unseen: dict[str, bool] = {}
        super().forget()
        self.classes = classes

    def count(self, objects: int, key: Hashable = None) -> bool:
        """Count objects likewise; where a maker is registered, a program is worth it at once."""
        return super().count(objects, key) or self._is_registered

    def is_unseen(self, direction: str) -> bool:
        """Return whether no code of users makes the objects of the class, or sees them."""
        if direction not in self._unseen:
            cls = self.owner()
            nested: dict[int, Any] = {}
            is_made = is_stock(cls.__init__, STOCK_INIT)
            self._unseen[direction] = is_made and is_unseen_schema(cls, direction, nested)
            for nested_class in nested.values():
                self.classes.add_all(
                    classes_of(nested_class, nested_class._declared_fields.values())
                )
        return self._unseen[direction]

    def exemplar_of(self, schema: Any, arguments: Arguments) -> Exemplar | None:
        """Return the exemplar of a new schema; None if stock is to make its fields."""
        attributes = schema.__dict__
        if attributes and not self._names.isdisjoint(attributes):
            return None
        exemplar: Exemplar | None = self.exemplars.get(arguments)
        if exemplar is None and self._has(arguments):
            cls = type(schema)
            exemplar = self.exemplar(arguments, lambda: _make(cls, arguments, self.classes))
        return exemplar

    def _has(self, arguments: Arguments) -> bool:
        """Return whether there are the fields that are chosen; stock's error shows the schema."""
        only, exclude, *_ = arguments
        names = {name.split(".", 1)[0] for name in (*(only or ()), *exclude)}
        return bool(names <= self.owner()._declared_fields.keys())


def _is_registered(cls: Any) -> bool:
    classes = own_classes(cls, cls._declared_fields.values())
    return any(is_registered(method) for base in classes for method in vars(base).values())


def _make(cls: Any, arguments: Arguments, classes: ClassSnapshot) -> Exemplar | None:
    """Make an exemplar by stock's own code; return None if that raises."""
    schema = object.__new__(cls)
    only, exclude, load_only, dump_only = arguments
    try:
        STOCK_INIT(schema, only=only, exclude=exclude, load_only=load_only, dump_only=dump_only)
    except Exception:
        return None  # the schema itself is made by stock then, which raises it
    return Exemplar(schema, arguments, classes)


def find_exemplar(
    schema: Any, only: Any, exclude: Any, load_only: Any, dump_only: Any
) -> Exemplar | None:
    """Return the exemplar of a new schema, or None if stock is to make its fields."""
    cls: Any = type(schema)
    record = SchemaRecord.of(cls)
    if not (record.refresh() and record.makes_fields_as_stock and makers_are_stock()):
        return None
    arguments: Arguments | None = _NO_ARGUMENTS
    if only is not None or not (exclude is load_only is dump_only is _NO_NAMES):
        arguments = _given(only, exclude, load_only, dump_only)
    return None if arguments is None else record.exemplar_of(schema, arguments)


def makers_are_stock() -> bool:
    return _makers_are_stock() and is_stock(Schema._init_fields, _STOCK_INIT_FIELDS)


def is_first_of_throw_away(cls: type) -> bool:
    """Return whether nothing is known of a class that may live no longer than a request.

    If so, the next schema of the class is not the first one any more.
    """
    if CLASS_STATE_KEY in vars(cls) or thresholds.rows_worth_reading_once <= 1 or is_lasting(cls):
        return False
    type.__setattr__(cls, CLASS_STATE_KEY, None)
    return True


def is_lasting(cls: type) -> bool:
    """Return whether a module holds a class, which then lives as long as the process."""
    module = sys.modules.get(cls.__module__)
    return module is not None and vars(module).get(cls.__qualname__) is cls


def _given(only: Any, *others: Any) -> Arguments | None:
    """Return the arguments as tuples; None if one of them is no plain collection of names."""
    arguments: list[Any] = [] if only is not None else [None]
    for names in others if only is None else (only, *others):
        if type(names) not in _COLLECTIONS:
            return None
        as_tuple = tuple(names)
        if not _STR.issuperset(map(type, as_tuple)):
            return None
        arguments.append(as_tuple)
    return tuple(arguments)


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
    if not attributes.keys().isdisjoint(_DIFFERING):
        _clone_inside(field, cloned, schema)
    return cloned


def _clone_inside(field: Any, cloned: Any, schema: Any) -> None:
    attributes = cloned.__dict__
    for choice in _CHOICES:
        # Of dotted names in the arguments of the schema stock makes a collection for each schema.
        if type(attributes.get(choice)) is Schema.set_class:
            attributes[choice] = _new_choice(attributes[choice])
    for name in INNER:
        inner = attributes.get(name)
        if _is_bound_to(inner, field):
            attributes[name] = cloned_inner = clone(inner, field, cloned, schema)
            for choice in _CHOICES:
                if choice in attributes and getattr(inner, choice, None) is getattr(field, choice):
                    cloned_inner.__dict__[choice] = attributes[choice]
    several = attributes.get("tuple_fields")
    if type(several) is list and all(_is_bound_to(inner, field) for inner in several):
        attributes["tuple_fields"] = [clone(inner, field, cloned, schema) for inner in several]
    for name in METHODS:
        method = attributes.get(name)
        if type(getattr(method, "__self__", None)) is type(schema):
            attributes[name] = method.__func__.__get__(schema)
    if _FIELD_CACHE in attributes:
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
