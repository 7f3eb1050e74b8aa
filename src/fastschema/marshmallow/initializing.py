"""Making new schemas: what ``Schema.__init__`` does, from a template where there is one."""

from __future__ import annotations

import weakref
from functools import wraps
from inspect import signature
from typing import Any

from marshmallow import Schema
from marshmallow.orderedset import OrderedSet

from fastschema import garbage
from fastschema.marshmallow.alike import Alike
from fastschema.marshmallow.templates import Arguments, SchemaTemplate, dictionary_of_schema
from fastschema.switch import is_disabled

STOCK_INIT: Any = Schema.__init__
_DEFAULTS = {name: each.default for name, each in signature(STOCK_INIT).parameters.items()}
_MOST_KNOWN = 1024
_FIRST_LEARNT_FROM = 4  # learning takes as long as making some ten of them
_UNKNOWN = object()
_NAMES = ("only", "exclude", "load_only", "dump_only")
_COLLECTIONS = (list, tuple, set, OrderedSet)
_PLAIN = {str}

ARE_MADE_FROM_TEMPLATES = garbage.ARE_COLLECTIONS_TOLD and "context" not in _DEFAULTS
"""Whether schemas are. Those of marshmallow 3 warn whoever called ``Schema.__init__``, who would
seem to be fastschema."""


class _NewSchemas:
    """What is known of the new schemas of one class.

    :param cls: the class
    :param names: the names of fields that are given to make them
    """

    __slots__ = ("_count", "_names", "cls", "found")

    def __init__(self, cls: type, names: Arguments) -> None:
        self._names = names
        self.cls = weakref.ref(cls)
        self.found: tuple[SchemaTemplate, Alike] | None = None
        """A template, and whether it still is one."""
        self._count = 0

    def learn(self, schema: Any) -> None:
        """Learn a template from a schema that stock has just made, if it is time to.

        It takes longer than making a schema, so it is tried again after twice as many.
        """
        self._count += 1
        if self._count >= _FIRST_LEARNT_FROM and self._count & (self._count - 1) == 0:
            try:
                template = SchemaTemplate(schema, self._names)
                self.found = template, Alike(template)
            except Exception:  # NotAlikeError, or whatever else is odd about the class
                self.found = None


_known: dict[tuple[int, Arguments], _NewSchemas] = {}
"""By the ids of classes, and arguments."""


@wraps(STOCK_INIT)
def initialize(self: Any, /, *args: Any, **options: Any) -> None:
    """``Schema.__init__``.

    :raises Exception: as stock
    """
    cls = type(self)
    names = None if args or is_disabled() else _names_given(options)
    if names is None or dictionary_of_schema(self):
        STOCK_INIT(self, *args, **options)
        return
    key = id(cls), names
    known = _known.get(key)
    if known is None or known.cls() is not cls:
        if len(_known) >= _MOST_KNOWN:
            _known.clear()
        known = _known[key] = _NewSchemas(cls, names)
        garbage.tell(_garbage_is_collected)
    found = known.found
    if found is not None:
        template, alike = found
        if alike.still():
            template.make(self, options.get("many"))
            return
        known.found = None
    STOCK_INIT(self, **options)
    known.learn(self)


def _names_given(options: dict[str, Any]) -> Arguments | None:
    """The arguments that are names of fields, but for ``many``; None if stock must see to them."""
    given = []
    for name, value in options.items():
        default = _DEFAULTS.get(name, _UNKNOWN)
        if value is default or (name == "many" and type(value) is bool):
            continue
        if name not in _NAMES or type(value) not in _COLLECTIONS:
            return None
        names = (*value,)
        if not {*map(type, names)} <= _PLAIN:
            return None
        if names and type(value) is set and name != "only":
            return None  # a set that is like it may have another order
        if names or default is None:
            given.append((name, names))
    return (*given,)


def _garbage_is_collected(is_full: bool) -> None:
    """What is known keeps classes alive."""
    if is_full:
        forget()


def forget() -> None:
    """Learn anew what new schemas are like."""
    _known.clear()
