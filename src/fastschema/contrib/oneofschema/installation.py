"""Register the makers for ``OneOfSchema``, and dump and load its lists by them."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any
from weakref import WeakKeyDictionary

from marshmallow import ValidationError
from marshmallow_oneofschema.one_of_schema import OneOfSchema

from fastschema.contrib.oneofschema.makers import (
    OWN_DUMP,
    OWN_LOAD,
    dump_one_of,
    load_by_type,
    load_one_of,
    messages_of,
)
from fastschema.marshmallow.compiled_schema import dump_compiler, load_compiler
from fastschema.marshmallow.installation import is_installed
from fastschema.runtime.patching import Replacements, overridden, stock_method
from fastschema.runtime.registration import register_ours
from fastschema.runtime.thresholds import is_worth_compiling

_STOCK_DUMP = stock_method(OneOfSchema, "dump")
_STOCK_LOAD = stock_method(OneOfSchema, "load")
_FEWEST_ROWS = 6
"""Fewer take less time by stock than to find what their schemas compile to."""
_rows: WeakKeyDictionary[type, int] = WeakKeyDictionary()
"""How many rows in lists the schemas of each class have dumped and loaded."""


def _is_worth_it(schema: Any, many: Any, rows: Any, methods: dict[str, Any]) -> bool:
    """Count the rows of a list, and return whether it pays to compile for them."""
    is_list = many and type(rows) is list and len(rows) >= _FEWEST_ROWS
    if not is_list or not is_installed() or overridden(schema, methods):
        return False
    cls = type(schema)
    count = _rows[cls] = _rows.get(cls, 0) + len(rows)
    return is_worth_compiling(count)


def _dump(self: Any, obj: Any, *, many: Any = None, **kwargs: Any) -> Any:
    """``OneOfSchema.dump``, which finds the schema of each type once for a list."""
    if kwargs or not _is_worth_it(self, self.many if many is None else many, obj, OWN_DUMP):
        return _STOCK_DUMP(self, obj, many=many, **kwargs)
    return _each(dump_one_of(self, dump_compiler(self)), obj)


def _load(
    self: Any,
    data: Any,
    *,
    many: Any = None,
    partial: Any = None,
    unknown: Any = None,
    **kwargs: Any,
) -> Any:
    """``OneOfSchema.load``, likewise. Of a list, stock does not pass on ``unknown``."""
    is_plain = not kwargs and partial is None
    if not is_plain or not _is_worth_it(self, self.many if many is None else many, data, OWN_LOAD):
        return _STOCK_LOAD(self, data, many=many, partial=partial, unknown=unknown, **kwargs)
    return _each(load_by_type(self, load_compiler(self)), data)


def _each(function: Callable[[Any], Any], rows: Iterable[Any]) -> list[Any]:
    """Return what a function makes of each row, with the errors of all, as ``OneOfSchema`` does."""
    results, errors = [], {}
    for index, row in enumerate(rows):
        try:
            results.append(function(row))
        except ValidationError as error:
            errors[index] = messages_of(error)
            results.append(error.valid_data)
    if errors:
        raise ValidationError(errors, data=rows, valid_data=results)
    return results


_replacements = Replacements(
    [(OneOfSchema, "dump", _STOCK_DUMP, _dump), (OneOfSchema, "load", _STOCK_LOAD, _load)]
)


def install() -> None:
    """Register the makers, and replace the methods for good: they ask whether to do anything."""
    register_ours(_STOCK_DUMP, dump_one_of)
    register_ours(_STOCK_LOAD, load_one_of)
    _replacements.install()
