"""What is known of a schema class: one record, and the exemplars that its schemas are like."""

from __future__ import annotations

from collections.abc import Hashable
from typing import Any

from marshmallow import Schema

from fastschema.marshmallow.bypassed import MAKES
from fastschema.marshmallow.customization import (
    STOCK_CLASSES,
    dumps_lists_of_schemas,
    is_unseen_schema,
    makes_fields_as_stock,
    method_names,
    own_classes,
    why_class_is_lazy,
)
from fastschema.marshmallow.schema_program import DECIDING_NAMES, classes_of
from fastschema.runtime import thresholds
from fastschema.runtime.class_record import MOST_EXEMPLARS, ClassRecord
from fastschema.runtime.guard import ClassSnapshot
from fastschema.runtime.patching import is_stock, stock_method
from fastschema.runtime.registration import is_registered, load_plugin, registered

STOCK_INIT: Any = stock_method(Schema, "__init__")
makers_are_stock = MAKES.unchanged() if MAKES.are_stock() else lambda: False


Arguments = tuple[Any, ...]
"""``only``, ``exclude``, ``load_only`` and ``dump_only``, as tuples."""
_NO_NAMES: tuple[str, ...] = ()
_NO_ARGUMENTS: Arguments = (None, (), (), ())
_COLLECTIONS = (list, tuple, set, frozenset, Schema.set_class)
_STR = {str}


class Exemplar:
    """A schema made by stock, of which others of its class with the same arguments are like.

    No code of users gets it, and nothing is dumped or loaded by it.
    """

    def __init__(self, schema: Any, arguments: Arguments) -> None:
        self.schema = schema
        self.arguments = arguments
        self.is_being_read = False
        self.dump: Any = None
        self.load: Any = None
        """What it compiles to; whoever compiles it sets them."""

    def has_same_options(self, attributes: dict[str, Any]) -> bool:
        """Return whether a schema gives nested schemas what it gave when new.

        That is what they choose among their fields, and the context of marshmallow 3, about which
        they warn.
        """
        like = self.schema.__dict__
        load_only, dump_only = attributes.get("load_only"), attributes.get("dump_only")
        return bool(
            type(load_only) is type(like["load_only"])
            and load_only == like["load_only"]
            and type(dump_only) is type(like["dump_only"])
            and dump_only == like["dump_only"]
            and not attributes.get("context")
        )


class SchemaRecord(ClassRecord):
    """What is known of a schema class. The class is not looked at before that is worth it."""

    def reset(self) -> None:
        super().reset()
        self._had_one: set[Arguments] = set()
        """The arguments with which there has been a schema."""
        self._unseen: dict[str, bool] = {}
        self._is_lazy: bool | None = None
        cls = self.owner()
        for base in cls.__mro__:
            if base not in STOCK_CLASSES:
                load_plugin(base)
        self._is_registered = bool(registered) and _is_registered(cls)

    def _look(self) -> ClassSnapshot:
        """Find out what the class says of its schemas, and watch it from now on."""
        cls = self.owner()
        declared = cls._declared_fields.values()
        classes = classes_of(cls, declared)
        self._makes_fields_as_stock = makes_fields_as_stock(cls)
        self._names = DECIDING_NAMES
        if self._makes_fields_as_stock:
            for field in declared:
                if names := method_names(field):
                    self._names = self._names.union(names)
        self._compares_one = {
            "dump": dumps_lists_of_schemas(declared),
            "load": len(declared) >= thresholds.few_for_marshmallow,
        }
        self.classes = classes
        return classes

    def is_lazy(self) -> bool:
        """Return whether only stock may look at the options of the class."""
        if self._is_lazy is None:
            self._is_lazy = why_class_is_lazy(self.owner()) is not None
        return self._is_lazy

    def refresh(self) -> bool:
        is_known = super().refresh()
        if self.classes is None:
            self._look()
        return is_known

    def compares_one(self, direction: str) -> bool:
        """Return whether it pays to compare the fields of a MADE object for less than 4 rows."""
        if self.classes is None:
            self._look()
        return self._compares_one[direction]

    def count(self, objects: int, key: Hashable = None) -> bool:
        """Count objects likewise; where a maker is registered, a program is worth it at once.

        At first use it takes more objects: of a class that is made for a request there may be no
        second one.
        """
        is_first = not self.was_counted(key) and objects < thresholds.rows_worth_reading_at_once
        return (super().count(objects, key) and not is_first) or self._is_registered

    def is_unseen(self, direction: str) -> bool:
        """Return whether no code of users makes the objects of the class, or sees them."""
        if direction not in self._unseen:
            cls, classes = self.owner(), self.classes or self._look()
            nested: dict[int, Any] = {}
            is_made = is_stock(cls.__init__, STOCK_INIT)
            self._unseen[direction] = is_made and is_unseen_schema(cls, direction, nested)
            for nested_class in nested.values():
                classes.add_all(classes_of(nested_class))
        return self._unseen[direction]

    def makes_fields_of(self, schema: Any) -> bool:
        """Return whether the fields of a schema are those that its class alone gives it."""
        attributes = schema.__dict__
        return (
            self.refresh()
            and self._makes_fields_as_stock
            and makers_are_stock()
            and not (attributes and not self._names.isdisjoint(attributes))
        )

    def is_first(self, arguments: Arguments) -> bool:
        """Return whether there was no schema with these arguments; if so, now there is."""
        had_one = self._had_one
        if arguments in had_one or thresholds.uses_worth_an_exemplar <= 1:
            return False
        if len(had_one) < MOST_EXEMPLARS:
            had_one.add(arguments)
        return True

    def exemplar_for(self, arguments: Arguments) -> Exemplar | None:
        """Return the exemplar for arguments; None if there can be none."""
        exemplar: Exemplar | None = self.exemplars.get(arguments)
        if exemplar is None and self._has(arguments):
            exemplar = self.exemplar(arguments, lambda: _make_exemplar(self.owner(), arguments))
        return exemplar

    def _has(self, arguments: Arguments) -> bool:
        """Return whether there are the fields that are chosen; stock's error shows the schema."""
        only, exclude, *_ = arguments
        names = {name.split(".", 1)[0] for name in (*(only or ()), *exclude)}
        return bool(names <= self.owner()._declared_fields.keys())


def _is_registered(cls: Any) -> bool:
    classes = own_classes(cls, cls._declared_fields.values())
    return any(is_registered(method) for base in classes for method in vars(base).values())


def _make_exemplar(cls: Any, arguments: Arguments) -> Exemplar | None:
    """Make an exemplar by stock's own code; return None if that raises."""
    schema = object.__new__(cls)
    only, exclude, load_only, dump_only = arguments
    try:
        STOCK_INIT(schema, only=only, exclude=exclude, load_only=load_only, dump_only=dump_only)
    except Exception:
        return None  # the schema itself is made by stock then, which raises it
    return Exemplar(schema, arguments)


def arguments_of(only: Any, exclude: Any, load_only: Any, dump_only: Any) -> Arguments | None:
    """Return the arguments as tuples; None if one of them is no plain collection of names."""
    if only is None and exclude is load_only is dump_only is _NO_NAMES:
        return _NO_ARGUMENTS
    arguments: list[Any] = []
    for names in (only, exclude, load_only, dump_only):
        if names is None and not arguments:
            arguments.append(None)
            continue
        if type(names) not in _COLLECTIONS:
            return None
        as_tuple = tuple(names)
        if as_tuple and not _STR.issuperset(map(type, as_tuple)):
            return None
        arguments.append(as_tuple)
    return tuple(arguments)
