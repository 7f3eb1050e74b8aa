"""Dumping by marshmallow schemas: what stock does around the generated code."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any

from marshmallow import Schema, utils
from marshmallow.decorators import POST_DUMP, PRE_DUMP

from fastschema.marshmallow.conversions import json_value
from fastschema.marshmallow.mapped import key_finder
from fastschema.marshmallow.nested import is_plain_many, same_schema
from fastschema.marshmallow.reader import read, recognizer
from fastschema.nodes import Checks, ClassCheck, Form, UnreadableError
from fastschema.program import Always, Dispatch, Dispatcher, Link, RowDumper
from fastschema.recognition import Kept
from fastschema.reuse import LentDispatch, ReusedDispatch
from fastschema.statistics import plan_used, recorder
from fastschema.switch import is_disabled

STOCK_DUMP = Schema.dump
STOCK_SERIALIZE = Schema._serialize
_DUMP_METHODS = ("dump", "_serialize")
_FAITHFUL = Form.FAITHFUL
KNOWN_SERIALIZE = {STOCK_SERIALIZE}
"""``Schema._serialize`` as stock has it, and as installed."""


class Subject:
    """What the slots of a program resolve from: one schema's own objects.

    :param is_reused: whether it is for dump after dump
    """

    __slots__ = ("_finder", "_is_reused", "fields", "schema")

    def __init__(self, schema: Any, fields: list[Any], *, is_reused: bool = False) -> None:
        self.schema = schema
        self.fields = fields
        self._is_reused = is_reused
        self._finder: tuple[type | None, Any] = (None, None)

    def loaded_key(self, cls: type, name: str) -> object:
        """The key of a loaded attribute; see :func:`fastschema.marshmallow.mapped.key_finder`."""
        found_for, find = self._finder
        if found_for is not cls:
            find = key_finder(cls)
            self._finder = (cls, find)
        return find(name)

    def link(self, field: Any, form: Form) -> Link:
        """The link to the schema of a nested field."""
        return Link(_NestedFinder(field, form, self._is_reused))

    def pluck(self, field: Any, form: Form) -> Link:
        """The link to the schema of a ``Pluck`` field, from which one value is taken."""
        find = _NestedFinder(field, _FAITHFUL, self._is_reused)
        return Link(partial(_pluck_dispatch, field, form, find))


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


def _reused_dispatch_for(schema: Any, form: Form) -> Dispatch:
    """The same, and one that may be used again where the schema is kept.

    :raises UnreadableError: if the schema cannot be compiled
    """
    program, fields = read(schema)
    kept = recognizer.kept(schema)
    # The schema may have been changed since it was read, and then kept.
    if kept is None or not kept.reads_as(program, fields):
        return Dispatch(program, form, Subject(schema, fields))
    return ReusedDispatch(program, form, Subject(schema, fields, is_reused=True), kept)


def _waiting_dispatch(kept: Kept, form: Form) -> ReusedDispatch | None:
    """The dispatch of an earlier dump that is over, if another would be the same."""
    waiting: list[ReusedDispatch] = kept.waiting
    others: list[ReusedDispatch] = []
    found = None
    while waiting and found is None:
        try:
            dispatch = waiting.pop()
        except IndexError:  # another thread was faster
            break
        if dispatch.form is not form:
            others.append(dispatch)
        elif dispatch.uses.hold():
            found = dispatch
    if others:
        waiting[:0] = others
    return found


def _begin(schema: Any, form: Form) -> tuple[Dispatch, Kept | None]:
    """The dispatch for one dump, and for whom it waits when that is over, if for anybody.

    :raises UnreadableError: if the schema cannot be compiled
    """
    kept = recognizer.all_kept.get(id(schema))
    if kept is not None:
        waiting = _waiting_dispatch(kept, form)
        if waiting is not None:
            waiting.begin_again()
            waiting.program.last_used = plan_used()
            return waiting, kept
    dispatch = _reused_dispatch_for(schema, form)
    kept = recognizer.all_kept.get(id(schema))
    is_reused = type(dispatch) is ReusedDispatch and dispatch.uses.is_of(kept)
    return dispatch, kept if is_reused else None


def lent_dispatch_for(schema: Any, form: Form) -> RowDumper:
    """What dumps an object or a list, and is used again when that is over.

    :raises UnreadableError: if the schema cannot be compiled
    """
    dispatch, kept = _begin(schema, form)
    return dispatch if kept is None else LentDispatch(dispatch, kept)


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
    if many and type(obj) is not list:
        return _serialize_once(schema, obj)
    try:
        dispatch, kept = _begin(schema, _FAITHFUL)
    except UnreadableError:
        return _stock_serialize(schema, obj, many)
    result = dispatch.all_rows(obj) if many else dispatch.one_row(obj)
    if kept is not None:
        kept.waiting.append(dispatch)
    return result


def _serialize_once(schema: Any, rows: Any) -> Any:
    """The same for rows that are made by code of the user's, which runs before the first look."""
    try:
        dispatch = dispatch_for(schema, _FAITHFUL)
    except UnreadableError:
        return _stock_serialize(schema, rows, many=True)
    return dispatch.all_rows(rows)


def _stock_serialize(schema: Any, obj: Any, many: bool) -> Any:
    if not many:
        result = STOCK_SERIALIZE(schema, obj)
        recorder.stock(1)
        return result
    results = [STOCK_SERIALIZE(schema, each) for each in obj]
    recorder.stock(len(results))
    return results


class _NestedFinder:
    """Finds the dispatch of a nested field's schema, as ``Nested._serialize`` dumps by it.

    :param field: the field
    :param form: the form of the output
    :param is_reused: whether it is for dump after dump
    """

    __slots__ = ("_field", "_form", "_is_reused", "_last")

    def __init__(self, field: Any, form: Form, is_reused: bool) -> None:
        self._field = field
        self._form = form
        self._is_reused = is_reused
        self._last: tuple[ReusedDispatch, Dispatcher] | None = None

    def __call__(self) -> Dispatcher:
        """The dispatch of this dump; that of the last one, if it would be the same.

        :raises Exception: what stock raises where the schema cannot be found
        """
        if self._last is not None:
            dispatch, found = self._last
            if dispatch.uses.hold():
                dispatch.begin_again()
                return found
        return self._find(self._field.schema)

    def _find(self, schema: Any) -> Dispatcher:
        many = schema.many or self._field.many
        if overrides_dump(schema) is None and not has_hooks(schema):
            try:
                dispatch = (
                    _reused_dispatch_for(schema, self._form)
                    if self._is_reused
                    else dispatch_for(schema, self._form)
                )
            except UnreadableError:
                pass
            else:
                found: Dispatcher = Always(dispatch.many) if many else dispatch
                if type(dispatch) is ReusedDispatch:
                    uses = dispatch.uses
                    uses.check(same_schema(self._field, schema, ("many",), uses))
                    uses.check(_dumps_so(schema))
                    if self._is_still(schema, many):
                        self._last = (dispatch, found)
                return found
        if overrides_dump(schema) is None:
            dump_nested = partial(dump, schema, many=many)
        else:
            dump_nested = partial(schema.dump, many=many)
        if self._form is Form.JSON:
            return Always(lambda value: json_value(dump_nested(value)))
        return Always(dump_nested)

    def _is_still(self, schema: Any, many: object) -> bool:
        """Whether what was found is what checks, which were written down later, go by."""
        field = self._field
        return (
            is_plain_many(schema.many, field.many)
            and (schema.many or field.many) is many
            and not has_hooks(schema)
        )


def _dumps_so(schema: Any) -> Checks:
    """What says whether a schema is dumped as it was: by stock's methods, without hooks."""
    cls, own = type(schema), schema.__dict__
    many, hooks = schema.many, schema._hooks

    def is_the_same() -> bool:
        return schema.many is many and schema._hooks is hooks and overrides_dump(schema) is None

    yield ClassCheck(cls, is_the_same, ("many", "_hooks", *_DUMP_METHODS), own)
    yield lambda: not hooks or not has_hooks(schema)


def _pluck_dispatch(field: Any, form: Form, find: Callable[[], Dispatcher]) -> Dispatcher:
    """What dumps as ``Pluck._serialize`` does.

    :param find: finds the dispatch of the field's schema
    """
    dispatch = find()

    def pluck(value: Any) -> Any:
        dumped = dispatch[type(value)](value)
        if dumped is None:
            return None
        key = field._field_data_key
        return utils.pluck(dumped, key=key) if field.many else dumped[key]

    if form is Form.JSON:
        return Always(lambda value: json_value(pluck(value)))
    return Always(pluck)
