"""Load by marshmallow schemas: by generated code, and by what stock does around it."""

from __future__ import annotations

import functools
from collections.abc import Callable, Container
from typing import Any

from marshmallow import EXCLUDE, INCLUDE, RAISE, Schema, ValidationError, error_store, missing
from marshmallow.decorators import POST_LOAD, PRE_LOAD, VALIDATES, VALIDATES_SCHEMA

from fastschema.compiler.load_code import LoadRow, load_rows
from fastschema.marshmallow.bypassed import LOADS
from fastschema.marshmallow.customization import (
    IS_MARSHMALLOW_3,
    has_hooks,
    overrides_load,
    overrides_processors,
)
from fastschema.marshmallow.hooks import Hook, hooks_of
from fastschema.marshmallow.load_values import LoadCompiler, NestedLoad, linked_loader
from fastschema.marshmallow.marshmallow_3 import checked_unknown
from fastschema.marshmallow.pending import SchemaProxy, for_stock, pending_state
from fastschema.marshmallow.schema_program import Direction, SchemaProgram
from fastschema.marshmallow.schema_reader import describe_load, make_load_program
from fastschema.marshmallow.sqlalchemy import load_instances, loads_instances
from fastschema.marshmallow.states import find_compiled, find_nested
from fastschema.runtime.bound_program import MOST_IDLE
from fastschema.runtime.patching import stock_method
from fastschema.runtime.programs import Description
from fastschema.runtime.registration import Refused
from fastschema.runtime.statistics import recorder
from fastschema.runtime.switch import call_disabled, is_disabled

STOCK_DESERIALIZE = stock_method(Schema, "_deserialize")
_STOCK_DO_LOAD = stock_method(Schema, "_do_load")
STOCK_LOADS = stock_method(Schema, "loads")
_ErrorStore: Any = error_store.ErrorStore  # marshmallow has no types for it
_PASS_COLLECTION = "pass_many" if IS_MARSHMALLOW_3 else "pass_collection"

_COLLECTIONS = (tuple, list, set, frozenset)

LinkedLoader = Callable[[Any, Any, int | None], Any]
"""From a value, the data it is in and their index to the same; errors are stored."""

LOAD = Direction("load", "load_fields", describe_load, make_load_program, overrides_load, LOADS)


def load(schema: Any, data: Any, compiled: SchemaProgram | None = None, **options: Any) -> Any:
    """Return what stock's ``Schema.load`` returns, or that of marshmallow-sqlalchemy, compiled."""
    if loads_instances(type(schema).load):
        return load_instances(schema, lambda: do_load(schema, data, compiled, **options))
    return do_load(schema, data, compiled, **options)


def do_load(schema: Any, data: Any, compiled: SchemaProgram | None, **options: Any) -> Any:
    """Return what ``Schema._do_load`` returns, with compiled code for ``_deserialize``."""
    if not has_hooks(schema, "load"):
        return load_plainly(schema, data, compiled, **options)
    if compiled is None and type(schema)._deserialize is not STOCK_DESERIALIZE:
        return _STOCK_DO_LOAD(schema, data, **options)  # it is installed

    def deserialize_compiled(data: Any, *, many: bool = False, **options: Any) -> Any:
        return deserialize(schema, data, many, compiled=compiled, **options)

    return _STOCK_DO_LOAD(SchemaProxy(schema, _deserialize=deserialize_compiled), data, **options)


def loads_plainly(schema: Any) -> bool:
    """Return whether stock's own methods are all that loads by a schema, and there are no hooks."""
    is_own = overrides_load(schema) is not None or loads_instances(type(schema).load)
    return not (is_own or has_hooks(schema, "load"))


def load_plainly(
    schema: Any,
    data: Any,
    compiled: SchemaProgram | None,
    *,
    many: bool | None = None,
    partial: Any = None,
    unknown: Any = None,
    postprocess: bool = True,
) -> Any:
    """Return what ``_do_load`` returns for a schema without hooks, which this follows line by line.

    :param postprocess: whether hooks run afterwards, of which there are none
    """
    store = _ErrorStore()
    many = schema.many if many is None else bool(many)
    unknown = schema.unknown if unknown is None else checked_unknown(unknown)
    partial = schema.partial if partial is None else partial
    options = {"error_store": store, "partial": partial, "unknown": unknown, "compiled": compiled}
    result = deserialize(schema, data, many, **options)
    if store.errors:
        error = ValidationError(store.errors, data=data, valid_data=result)
        schema.handle_error(error, data, many=many, partial=partial)
        raise error
    return result


def deserialize(
    schema: Any,
    data: Any,
    many: bool,
    *,
    error_store: Any,
    partial: Any = None,
    unknown: Any = RAISE,
    compiled: SchemaProgram | None = None,
) -> Any:
    """Return what ``Schema._deserialize`` returns, by generated code where that is possible."""
    is_plain = type(many) is bool and type(unknown) is str
    if is_plain:
        is_plain = type(data) is list or type(data) is tuple if many else type(data) is dict
    if is_plain and is_plain_partial(partial) and not is_disabled():
        if compiled is None:
            compiled = find_compiled(schema, LOAD, len(data) if many else 1)
        if compiled is not None and compiled.program is not None:
            recorder.program_used()
            idle = compiled.idle_loads(partial, unknown)
            if idle:
                schema_load, load_row = idle.pop()
                schema_load.begin(schema, error_store)
            else:
                schema_load = SchemaLoad(compiled, partial, unknown)
                load_row = schema_load.bound(schema, error_store)
            recorder.compiled(compiled.program, len(data) if many else 1)
            if many:
                result: Any = load_rows(load_row, data, is_indexed=schema.opts.index_errors)
            else:
                result = load_row(data, None)
            if idle is not None and len(idle) < MOST_IDLE:
                schema_load.schema = schema_load.store = None
                idle.append((schema_load, load_row))
            return result
    options = {"error_store": error_store, "partial": partial, "unknown": unknown}
    if many is True and compiled is None and pending_state(schema) is not None:
        # Its class is not compiled yet: then what is nested in it is left to stock, too.
        result = call_disabled(deserialize_as_stock, schema, data, many=many, **options)
    else:
        result = deserialize_as_stock(schema, data, many=many, **options)
    recorder.stock(len(result) if many is True else 1)
    return result


def deserialize_as_stock(schema: Any, data: Any, **options: Any) -> Any:
    """Return what stock's ``Schema._deserialize`` returns; a pending schema stays pending."""
    many = options.get("many", False) is not False
    return STOCK_DESERIALIZE(for_stock(schema, "load_fields", many=many), data, **options)


def is_plain_partial(partial: Any) -> bool:
    """Return whether ``partial`` names no fields of nested schemas: with those, stock loads."""
    if partial is None or partial is True or partial is False:
        return True
    return type(partial) in _COLLECTIONS and all(
        type(name) is str and "." not in name for name in partial
    )


class SchemaLoad:
    """One schema in a load: what generated code is bound to.

    Its methods are what stock does with a value, or a row, that is not handled in generated code,
    and around a nested one. When a load is over, its outermost one waits for the next.
    """

    def __init__(self, compiled: Any, partial: Any, unknown: Any) -> None:
        self.compiled = compiled
        self.program = compiled.program
        self.fields = compiled.fields
        self.partial = partial
        self.unknown = unknown
        self.keywords = {} if partial is None else {"partial": partial}
        """The keyword arguments of a field's ``deserialize``. Of names it gets those of fields that
        are nested in it: none, as :func:`is_plain_partial` has found."""
        self._optional: Container[str] = ()
        if type(partial) in _COLLECTIONS:
            self.keywords, self._optional = {"partial": []}, partial
        self.schema: Any = None
        self.store: Any = None
        """Where errors are stored; that of a nested schema is there from its first error on."""
        self.turn = 0
        """Which load it is: what is nested is found once in each."""
        self._pre_load: list[Hook] = []
        self._post_load: list[Hook] = []
        self._has_validators = False

    def begin(self, schema: Any, store: Any = None) -> None:
        """Begin a load, of a schema for which a function was bound."""
        self.schema = schema
        self.store = store
        self.turn += 1

    def bound(self, schema: Any, store: Any = None) -> LoadRow:
        """Begin the first load, and return what loads a row."""
        self.begin(schema, store)
        generated = self.program.generated()
        load_row: LoadRow = generated.function(*[slot.resolve(self) for slot in generated.slots])
        return load_row

    # What generated code calls.

    def load_field(self, number: int, value: Any, data: Any, index: int | None) -> Any:
        field = self.fields[number]
        if value is missing and (
            self.partial is True or self.program.node.fields[number].name in self._optional
        ):
            return missing
        key = self._key(number)
        try:
            return field.deserialize(value, key, data, **self.keywords)
        except ValidationError as error:
            return self._stored(error, key, index)

    def load_own(
        self, number: int, value: Any, key: str, data: Any, index: int | None, is_validated: bool
    ) -> Any:
        """Return what ``Field.deserialize`` makes of a value by the field's own ``_deserialize``.

        The value is neither None nor the missing object. Errors are stored.
        """
        field = self.fields[number]
        try:
            loaded = field._deserialize(value, key, data, **self.keywords)
            if is_validated:
                field._validate(loaded)
        except ValidationError as error:
            return self._stored(error, key, index)
        return loaded

    def validate_field(self, number: int, value: Any, index: int | None) -> Any:
        try:
            self.fields[number]._validate(value)
        except ValidationError as error:
            return self._stored(error, self._key(number), index)
        return value

    def load_other(self, data: Any, index: int | None) -> Any:
        options = {"error_store": self._errors(), "partial": self.partial, "unknown": self.unknown}
        return deserialize_as_stock(self.schema, data, index=index, **options)

    @property
    def take_unknown(self) -> Callable[[dict[Any, Any], Any, int | None], None] | None:
        """What includes or refuses the keys of a row that no field has; None if they are left."""
        return self._take_unknown if self.unknown != EXCLUDE else None

    def _take_unknown(self, data: dict[Any, Any], result: Any, index: int | None) -> None:
        keys = {field.key for field in self.program.node.fields}
        for key in set(data) - keys:
            if self.unknown == INCLUDE:
                result[key] = data[key]
            elif self.unknown == RAISE:
                self._errors().store_error([self.schema.error_messages["unknown"]], key, index)

    def linked(self, number: int, description: Description) -> LinkedLoader:
        """Return what loads the values of a field that loads by itself."""
        load_value = linked_loader(self, self.fields[number], description)

        def load_linked(value: Any, data: Any, index: int | None) -> Any:
            if value is missing:
                return self.load_field(number, value, data, index)
            try:
                return load_value(value)
            except Refused:
                pass
            except ValidationError as error:
                return self._stored(error, self._key(number), index)
            return self.load_field(number, value, data, index)

        return load_linked

    def _stored(self, error: ValidationError, key: str, index: int | None) -> Any:
        self._errors().store_error(error.messages, key, index=index)
        return error.valid_data or missing

    def _errors(self) -> Any:
        if self.store is None:
            self.store = _ErrorStore()
        return self.store

    def _key(self, number: int) -> str:
        key: str = self.program.node.fields[number].key
        return key

    # Nested schemas.

    def begin_nested(
        self, schema: Any, partial: Any, unknown: Any, before: NestedLoad | None
    ) -> NestedLoad | None:
        """Begin to load by a nested schema; return None if its own ``load`` must.

        :param before: what this has returned before, which is returned again if it is still right
        """
        is_hooked = has_hooks(schema, "load")
        if not is_plain_partial(partial) or (is_hooked and _calls_hooks_itself(schema)):
            return None
        compiled = find_nested(schema, LOAD, self.compiled.nested)
        if compiled is None or compiled.program is None:
            return None
        is_plain = not (is_hooked or schema.many)
        if before is not None and before.is_plain is is_plain:
            inner = before.inner
            if (inner.compiled, inner.partial, inner.unknown) == (compiled, partial, unknown):
                inner.begin(schema)
                return before
        inner = SchemaLoad(compiled, partial, unknown)
        load_row = inner.bound(schema)
        if is_hooked:
            inner.find_hooks(self)
        load = functools.partial(inner.load_between_hooks, load_row)
        return NestedLoad(load, inner, load_row, is_plain)

    def load_by_schema(self, schema: Any, options: dict[str, Any], data: Any) -> Any:
        _refuse_other(schema, data)
        return load(schema, data, **options)

    def find_hooks(self, outer: SchemaLoad) -> None:
        keywords = {"many": False, "partial": self.partial}
        if not IS_MARSHMALLOW_3:
            keywords["unknown"] = self.unknown
        self._pre_load, self._post_load = (
            hooks_of(self.schema, tag, LoadCompiler(outer), keywords, collections_first=True)
            for tag in (PRE_LOAD, POST_LOAD)
        )
        self._has_validators = any(map(self.schema._hooks.get, (VALIDATES, VALIDATES_SCHEMA)))

    def load_between_hooks(self, load_row: LoadRow, data: Any) -> Any:
        """Load data as ``Schema._do_load``, which this follows line by line.

        :raises Refused: for data that stock refuses
        """
        many = self.schema.many
        _refuse_other(self.schema, data)
        store, self.store = self.store, None
        errors = result = None
        try:
            processed_data = data
            for hook in self._pre_load:
                processed_data = hook(processed_data, data)
        except ValidationError as error:
            errors = _messages(error)
        if not errors:
            if many:
                is_indexed = self.schema.opts.index_errors
                result = load_rows(load_row, processed_data, is_indexed=is_indexed)
            else:
                result = load_row(processed_data, None)
            if self._has_validators:
                self._validate(result, data)
            errors = None if self.store is None else self.store.errors
            if not errors:
                try:
                    for hook in self._post_load:
                        result = hook(result, data)
                except ValidationError as error:
                    errors = _messages(error)
        self.store = store
        if errors:
            self._fail(errors, data, result)
        return result

    def _validate(self, loaded: Any, data: Any) -> None:
        schema, store = self.schema, self._errors()
        schema._invoke_field_validators(error_store=store, data=loaded, many=False)
        if not schema._hooks.get(VALIDATES_SCHEMA):
            return
        keywords = {
            "error_store": store,
            "data": loaded,
            "original_data": data,
            "many": False,
            "partial": self.partial,
            "field_errors": bool(store.errors),
        }
        if not IS_MARSHMALLOW_3:
            keywords["unknown"] = self.unknown
        for passes_collection in (True, False):
            keywords[_PASS_COLLECTION] = passes_collection
            schema._invoke_schema_validators(**keywords)

    def end(self, data: Any, loaded: Any) -> None:
        """End a load with errors: raise what ``Schema.load`` raises, if there are any."""
        store, self.store = self.store, None
        if store.errors:
            self._fail(store.errors, data, loaded)

    def _fail(self, errors: Any, data: Any, loaded: Any) -> None:
        schema = self.schema
        error = ValidationError(errors, data=data, valid_data=loaded)
        schema.handle_error(error, data, many=schema.many, partial=self.partial)
        raise error


def _refuse_other(schema: Any, data: Any) -> None:
    """Leave to stock what is no plain data of a schema."""
    if type(data) is not (list if schema.many else dict):
        raise Refused


def _messages(error: Any) -> Any:
    return error.normalized_messages()  # marshmallow has no types for it


def _calls_hooks_itself(schema: Any) -> bool:
    is_own = overrides_processors(schema) or loads_instances(type(schema).load)
    return bool(schema.many or is_own)
