"""Dumping by marshmallow schemas: what stock does around the generated code."""

from __future__ import annotations

from functools import partial
from typing import Any

from marshmallow import Schema, utils
from marshmallow.decorators import POST_DUMP, PRE_DUMP

from fastschema.marshmallow.conversions import json_value
from fastschema.marshmallow.mapped import key_finder
from fastschema.marshmallow.reader import read
from fastschema.nodes import Form, UnreadableError
from fastschema.program import Always, Dispatch, Dispatcher, Link
from fastschema.statistics import recorder
from fastschema.switch import is_disabled

STOCK_DUMP = Schema.dump
STOCK_SERIALIZE = Schema._serialize
KNOWN_SERIALIZE = {STOCK_SERIALIZE}
"""``Schema._serialize`` as stock has it, and as installed."""


class Subject:
    """What the slots of a program resolve from: one schema's own objects, for one dump."""

    __slots__ = ("_find_key", "_found_for", "fields", "schema")

    def __init__(self, schema: Any, fields: list[Any]) -> None:
        self.schema = schema
        self.fields = fields
        self._found_for: type | None = None

    def loaded_key(self, cls: type, name: str) -> object:
        """The key of a loaded attribute; see :func:`fastschema.marshmallow.mapped.key_finder`."""
        if self._found_for is not cls:
            self._find_key, self._found_for = key_finder(cls), cls
        return self._find_key(name)

    def link(self, field: Any, form: Form) -> Link:
        """The link to the schema of a nested field."""
        return Link(partial(_nested_dispatch, field, form))

    def pluck(self, field: Any, form: Form) -> Link:
        """The link to the schema of a ``Pluck`` field, from which one value is taken."""
        return Link(partial(_pluck_dispatch, field, form))


def overrides_dump(schema: Any) -> str | None:
    """Why a schema's own code dumps instead of stock's, or None."""
    cls, own = type(schema), schema.__dict__
    if cls.dump is not STOCK_DUMP or "dump" in own:
        return "dump is overridden"
    if cls._serialize not in KNOWN_SERIALIZE or "_serialize" in own:
        return "_serialize is overridden"
    return None


def has_hooks(schema: Any) -> bool:
    """Whether a schema has ``pre_dump`` or ``post_dump`` hooks."""
    hooks = schema._hooks
    return bool(hooks and (hooks.get(PRE_DUMP) or hooks.get(POST_DUMP)))


def dispatch_for(schema: Any, form: Form) -> Dispatch:
    """The dispatch for one dump by a schema.

    :raises UnreadableError: if the schema cannot be compiled
    """
    program, fields = read(schema)
    return Dispatch(program, form, Subject(schema, fields))


def own_dump(schema: Any, obj: Any, many: bool | None) -> Any:
    """What the schema's own ``dump`` returns."""
    return schema.dump(obj) if many is None else schema.dump(obj, many=many)


def dump(schema: Any, obj: Any, many: bool | None) -> Any:
    """What ``Schema.dump`` returns, compiled between its hooks, be it installed or not."""
    if overrides_dump(schema) is not None:
        return own_dump(schema, obj, many)
    many = schema.many if many is None else bool(many)
    processed = obj
    if schema._hooks.get(PRE_DUMP):
        processed = schema._invoke_dump_processors(PRE_DUMP, obj, many=many, original_data=obj)
    result = serialize(schema, processed, many)
    if schema._hooks.get(POST_DUMP):
        result = schema._invoke_dump_processors(POST_DUMP, result, many=many, original_data=obj)
    return result


def serialize(schema: Any, obj: Any, many: bool) -> Any:
    """What ``Schema._serialize`` returns, by generated code where the schema can be compiled."""
    many = many and obj is not None
    if is_disabled():
        return _stock_serialize(schema, obj, many)
    try:
        dispatch = dispatch_for(schema, Form.FAITHFUL)
    except UnreadableError:
        return _stock_serialize(schema, obj, many)
    return dispatch.all_rows(obj) if many else dispatch.one_row(obj)


def _stock_serialize(schema: Any, obj: Any, many: bool) -> Any:
    if not many:
        result = STOCK_SERIALIZE(schema, obj)
        recorder.stock(1)
        return result
    results = [STOCK_SERIALIZE(schema, each) for each in obj]
    recorder.stock(len(results))
    return results


def _nested_dispatch(field: Any, form: Form) -> Dispatcher:
    """The dispatch of a nested field's schema, as ``Nested._serialize`` dumps by it.

    :raises Exception: what stock raises where the schema cannot be found
    """
    schema = field.schema
    many = schema.many or field.many
    if overrides_dump(schema) is None and not has_hooks(schema):
        try:
            dispatch = dispatch_for(schema, form)
        except UnreadableError:
            pass
        else:
            return Always(dispatch.many) if many else dispatch
    if overrides_dump(schema) is None:
        dump_nested = partial(dump, schema, many=many)
    else:
        dump_nested = partial(schema.dump, many=many)
    if form is Form.JSON:
        return Always(lambda value: json_value(dump_nested(value)))
    return Always(dump_nested)


def _pluck_dispatch(field: Any, form: Form) -> Dispatcher:
    """What dumps as ``Pluck._serialize`` does."""
    dispatch = _nested_dispatch(field, Form.FAITHFUL)

    def pluck(value: Any) -> Any:
        dumped = dispatch[type(value)](value)
        if dumped is None:
            return None
        key = field._field_data_key
        return utils.pluck(dumped, key=key) if field.many else dumped[key]

    if form is Form.JSON:
        return Always(lambda value: json_value(pluck(value)))
    return Always(pluck)
