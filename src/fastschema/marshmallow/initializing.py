"""Making new schemas: what ``Schema.__init__`` does, from a template where there is one."""

from __future__ import annotations

import gc
import weakref
from functools import wraps
from typing import Any

import marshmallow.schema
from marshmallow.orderedset import OrderedSet

from fastschema import garbage
from fastschema.marshmallow.alike import Alike
from fastschema.marshmallow.templates import (
    DEFAULTS,
    STOCK_INIT,
    Arguments,
    SchemaTemplate,
    dictionary_of_schema,
)
from fastschema.switch import is_disabled

_MOST_KNOWN = 1024
_FIRST_LEARNT_FROM = 4  # learning takes as long as making some ten of them
_WORTH_KEEPING = 8
_LONGEST_IDLE = 8  # periods between two collections of garbage
_UNKNOWN = object()
_NAMES = ("only", "exclude", "load_only", "dump_only")
_COLLECTIONS = (list, tuple, set, OrderedSet)

ARE_MADE_FROM_TEMPLATES = (
    garbage.ARE_COLLECTIONS_TOLD
    and "context" not in DEFAULTS
    and STOCK_INIT.__globals__ is vars(marshmallow.schema)
)
"""Whether schemas are. Those of marshmallow 3 warn whoever called ``Schema.__init__``, who would
seem to be fastschema."""


class _NewSchemas:
    """What is known of the new schemas of one class.

    :param cls: the class
    :param names: the names of fields that are given to make them
    """

    __slots__ = (
        "_first_period",
        "_idle",
        "_made",
        "_names",
        "_uses_before",
        "cls",
        "found",
        "uses",
    )

    _period = 0

    def __init__(self, cls: type, names: Arguments) -> None:
        self._names = names
        self._first_period = self._period
        self._made = self._uses_before = self._idle = 0
        self.cls = weakref.ref(cls)
        self.found: tuple[SchemaTemplate, Alike] | None = None
        """A template, and whether it still is one; they keep the class alive."""
        self.uses = 0
        """How many schemas were made from it."""

    def learn(self, schema: Any) -> None:
        """Learn a template from a schema that stock has just made, if it is time to.

        It takes longer than making a schema, so it is tried again after twice as many. A class that
        has not outlived a collection of garbage may be thrown away soon.
        """
        if self._first_period == self._period and gc.isenabled():
            return
        self._made += 1
        if self._made >= _FIRST_LEARNT_FROM and self._made & (self._made - 1) == 0:
            try:
                template = SchemaTemplate(schema, self._names)
                self.found = template, Alike(template)
            except Exception:  # NotAlikeError, or whatever else is odd about the class
                self.found = None

    def garbage_is_collected(self, is_full: bool) -> None:
        """Let go of a template: of any before all objects are looked at, else of one of no use."""
        if is_full:
            self.found = None
            self._made = 0  # it is learnt anew as soon as it is used
        elif self.uses > self._uses_before:
            self._uses_before = self.uses
            self._idle = 0
        else:
            self._idle += 1
            if self.uses < _WORTH_KEEPING or self._idle > _LONGEST_IDLE:
                self.found = None


_known: dict[tuple[int, Arguments], _NewSchemas] = {}
"""By the ids of classes, and arguments."""


@wraps(STOCK_INIT)
def initialize(self: Any, *args: Any, **options: Any) -> None:
    """``Schema.__init__``.

    :raises Exception: as stock
    """
    cls = type(self)
    names = None if args or is_disabled() else _names_given(options)
    try:
        is_new = not dictionary_of_schema(self)
    except TypeError:  # it is not even a schema
        is_new = False
    if names is None or not is_new:
        STOCK_INIT(self, *args, **options)
        return
    known = _known.get((id(cls), names))
    if known is None or known.cls() is not cls:
        known = _begin(cls, names)
    found = known.found
    if found is not None:
        template, alike = found
        if alike.still():
            known.uses += 1
            template.make(self, options.get("many"))
            return
        known.found = None
    STOCK_INIT(self, **options)
    known.learn(self)


# Python takes them from stock, whose they are.
initialize.__kwdefaults__ = DEFAULTS  # type: ignore[attr-defined]  # of a function, but wrapped


def _begin(cls: type, names: Arguments) -> _NewSchemas:
    if len(_known) >= _MOST_KNOWN:
        _known.clear()
    garbage.tell(_garbage_is_collected)
    known = _known[id(cls), names] = _NewSchemas(cls, names)
    return known


def _names_given(options: dict[str, Any]) -> Arguments | None:
    """The arguments that are names of fields, but for ``many``; None if stock must see to them."""
    given = []
    for name, value in options.items():
        default = DEFAULTS.get(name, _UNKNOWN)
        if value is default or (name == "many" and type(value) is bool):
            continue
        if name not in _NAMES or type(value) not in _COLLECTIONS:
            return None
        names = (*value,)
        for each in names:
            if type(each) is not str:
                return None
        if names and type(value) is set and name != "only":
            return None  # a set that is like it may have another order
        if names or default is None:
            given.append((name, names))
    return (*given,)


def _garbage_is_collected(is_full: bool) -> None:
    _NewSchemas._period += 1
    for key, known in [*_known.items()]:
        if known.found is not None:
            known.garbage_is_collected(is_full)
        elif is_full and known.cls() is None:
            _known.pop(key, None)


def forget() -> None:
    """Learn anew what new schemas are like."""
    _known.clear()
