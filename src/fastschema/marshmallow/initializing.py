"""Making new schemas: what ``Schema.__init__`` does, from a template where there is one."""

from __future__ import annotations

import weakref
from functools import wraps
from inspect import signature
from typing import Any

from marshmallow import Schema

from fastschema import garbage
from fastschema.marshmallow.alike import Alike
from fastschema.marshmallow.templates import SchemaTemplate, dictionary_of_schema
from fastschema.switch import is_disabled

STOCK_INIT: Any = Schema.__init__
_DEFAULTS = {name: each.default for name, each in signature(STOCK_INIT).parameters.items()}
_MOST_KNOWN = 1024
_FIRST_LEARNT_FROM = 4  # learning takes as long as making some ten of them
_UNKNOWN = object()

ARE_MADE_FROM_TEMPLATES = garbage.ARE_COLLECTIONS_TOLD and "context" not in _DEFAULTS
"""Whether schemas are. Those of marshmallow 3 warn whoever called ``Schema.__init__``, who would
seem to be fastschema."""


class _NewSchemas:
    """What is known of the new schemas of one class.

    :param cls: the class
    """

    __slots__ = ("_count", "cls", "found")

    def __init__(self, cls: type) -> None:
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
                template = SchemaTemplate(schema)
                self.found = template, Alike(template)
            except Exception:  # NotAlikeError, or whatever else is odd about the class
                self.found = None


_known: dict[int, _NewSchemas] = {}
"""By the ids of classes."""


@wraps(STOCK_INIT)
def initialize(self: Any, /, *args: Any, **options: Any) -> None:
    """``Schema.__init__``.

    :raises Exception: as stock
    """
    cls = type(self)
    if args or is_disabled() or dictionary_of_schema(self) or not _are_defaults(options):
        STOCK_INIT(self, *args, **options)
        return
    known = _known.get(id(cls))
    if known is None or known.cls() is not cls:
        if len(_known) >= _MOST_KNOWN:
            _known.clear()
        known = _known[id(cls)] = _NewSchemas(cls)
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


def _are_defaults(options: dict[str, Any]) -> bool:
    """Whether arguments, but for ``many``, make no difference."""
    for name, value in options.items():
        default = _DEFAULTS.get(name, _UNKNOWN)
        if value is default or (name == "many" and type(value) is bool):
            continue
        if default != () or type(value) not in (list, tuple, set) or value:
            return False
    return True


def _garbage_is_collected(is_full: bool) -> None:
    """What is known keeps classes alive."""
    if is_full:
        forget()


def forget() -> None:
    """Learn anew what new schemas are like."""
    _known.clear()
