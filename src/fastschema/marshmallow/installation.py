"""Make ``Schema.dump`` and ``Schema.load`` run compiled programs, and new schemas cheap to make."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from marshmallow import RAISE, Schema
from marshmallow.decorators import POST_DUMP, PRE_DUMP

from fastschema.marshmallow.customization import parses_as_stock
from fastschema.marshmallow.dump import STOCK_DUMP, serialize
from fastschema.marshmallow.load import (
    STOCK_DESERIALIZE,
    STOCK_LOADS,
    deserialize,
    deserialize_as_stock,
)
from fastschema.marshmallow.record import STOCK_INIT
from fastschema.marshmallow.states import init, is_left_to_stock, prepare
from fastschema.runtime import standard_json as json
from fastschema.runtime.patching import Replacements, warn_of_newer
from fastschema.runtime.statistics import recorder
from fastschema.runtime.switch import is_disabled

_NEWEST_TESTED = (4, 4)
_follow: Callable[[Any, Any, Any], object] | None = None
"""Called with each list that ``Schema.dump`` dumps: the schema, the objects, and the result."""


def _dump(self: Any, obj: Any, *, many: bool | None = None) -> Any:
    """``Schema.dump``, line by line, but for what is compiled between its hooks."""
    many = self.many if many is None else bool(many)
    hooks = self._hooks
    original = obj
    if hooks[PRE_DUMP]:
        obj = self._invoke_dump_processors(PRE_DUMP, obj, many=many, original_data=original)
    if not _replacements.are_installed:
        result = self._serialize(obj, many=many)
    elif not many and is_left_to_stock(self, "dump"):
        recorder.stock()
        result = self._serialize(obj, many=many)
    else:
        result = serialize(self, obj, many)
    if hooks[POST_DUMP]:
        result = self._invoke_dump_processors(POST_DUMP, result, many=many, original_data=original)
    if many and _follow is not None and _replacements.are_installed:
        _follow(self, original, result)
    return result


def _loads(
    self: Any,
    *args: Any,
    many: bool | None = None,
    partial: Any = None,
    unknown: Any = None,
    **kwargs: Any,
) -> Any:
    """``Schema.loads``; the text is parsed in less time where its value is the same."""
    options = {"many": many, "partial": partial, "unknown": unknown}
    can_parse = _replacements.are_installed and len(args) == 1 and not kwargs
    if can_parse and not is_disabled() and parses_as_stock(self):
        return self.load(json.loads(args[0]), **options)
    arguments = {name: value for name, value in options.items() if value is not None}
    return STOCK_LOADS(self, *args, **arguments, **kwargs)


def _deserialize(
    self: Any,
    data: Any,
    *,
    error_store: Any,
    many: bool = False,
    partial: Any = None,
    unknown: Any = RAISE,
    index: int | None = None,
) -> Any:
    """``Schema._deserialize``, compiled: what ``Schema.load`` calls between its hooks."""
    # With an index, it is a row of those that stock loads.
    if type(many) is not bool:
        load = deserialize_as_stock  # which looks whether there are many
    elif index is not None:
        load = STOCK_DESERIALIZE
    elif not many and is_left_to_stock(self, "load"):
        recorder.stock()
        load = STOCK_DESERIALIZE
    elif not _replacements.are_installed or (many and _is_overridden(self)):
        load = deserialize_as_stock
    else:
        return deserialize(
            self, data, many, error_store=error_store, partial=partial, unknown=unknown
        )
    return load(
        self,
        data,
        error_store=error_store,
        many=many,
        partial=partial,
        unknown=unknown,
        index=index,
    )


def _is_overridden(schema: Any) -> bool:
    """Return whether ``_deserialize`` is overridden: stock calls that for each row."""
    return type(schema)._deserialize is not _deserialize or "_deserialize" in schema.__dict__


_replacements = Replacements(
    [
        (Schema, "dump", STOCK_DUMP, _dump),
        (Schema, "loads", STOCK_LOADS, _loads),
        (Schema, "_deserialize", STOCK_DESERIALIZE, _deserialize),
        (Schema, "__init__", STOCK_INIT, init),
    ]
)


def follow_lists(follow: Callable[[Any, Any, Any], object]) -> None:
    """Call a function with each list that ``Schema.dump`` dumps from now on, to compare it."""
    global _follow
    _follow = follow


def install() -> None:
    """Make ``Schema.dump`` and ``Schema.load`` run compiled programs, for all schemas.

    A method that another library has replaced stays as it is. Installing again does nothing.
    """
    if _replacements.are_installed:
        return
    warn_of_newer("marshmallow", _NEWEST_TESTED)
    prepare()
    _replacements.install()


def is_installed() -> bool:
    """Return whether ``install`` was called last, and fastschema is not switched off here."""
    return _replacements.are_installed and not is_disabled()


def uninstall() -> None:
    _replacements.uninstall()
