"""Loads data by a nested schema, with its hooks and validators, as ``Schema.load`` does."""

from __future__ import annotations

from functools import partial
from typing import Any

from marshmallow import EXCLUDE, INCLUDE, RAISE, Schema, ValidationError, error_store, missing
from marshmallow.decorators import POST_LOAD, PRE_LOAD, VALIDATES, VALIDATES_SCHEMA

from fastschema.compiler.load_code import LoadRow, load_rows
from fastschema.marshmallow.customization import (
    IS_MARSHMALLOW_3,
    STOCK_LOAD,
    has_hooks,
    overrides_load,
    overrides_processors,
)
from fastschema.marshmallow.hooks import Hook, hooks_of
from fastschema.marshmallow.sqlalchemy import loads_instances
from fastschema.runtime.patching import overridden, stock_method
from fastschema.runtime.registration import Function, Registered, function_of, registered_for

ErrorStore: Any = error_store.ErrorStore  # marshmallow has no types for it
_PASS_COLLECTION = "pass_many" if IS_MARSHMALLOW_3 else "pass_collection"
_HANDLE_ERROR = {"handle_error": stock_method(Schema, "handle_error")}


def _messages(error: Any) -> Any:
    return error.normalized_messages()  # marshmallow has no types for it


def _calls_hooks_by_itself(schema: Any) -> bool:
    is_own = overrides_processors(schema) or loads_instances(type(schema).load)
    return bool(schema.many or is_own)


class SchemaLoader:
    """Loads data by a schema as its ``load`` does.

    :param is_super: whether the schema's own ``load`` has called that of stock
    """

    def __init__(self, outer: Any, *, is_super: bool = False) -> None:
        self._outer = outer
        self._is_super = is_super
        self._compiled = outer.compiler()
        self._before: Any = None
        self._row: LoadRow | None = None
        self._made: tuple[Any, Registered, Function] | None = None
        self._function: Function | None = None
        self._pre_load: list[Hook] = []
        self._post_load: list[Hook] = []
        self._is_hooked = self._has_validators = False
        self.schema: Any = None
        self.store: Any = ErrorStore()

    def begin_again(self) -> None:
        self.store.errors = {}
        if self._before is not None:
            self._before.begin(self.schema, self.store)

    def end(self) -> None:
        """Let go of the load by the nested schema."""
        if self._before is not None:
            self._before.end(None)

    def find(self, field: Any, schema: Any, options: dict[str, Any]) -> bool:
        """Find how a schema loads; return whether it does more than its own ``load``."""
        self.schema, self._options = schema, options
        self._row = self._function = None
        self.store.errors = {}
        if not self._is_super and overrides_load(schema) is not None:
            self._function = self._made_function(schema)
            return self._function is not None
        if self._is_super and overrides_load(schema, besides_load=True) is not None:
            self._function = partial(STOCK_LOAD, schema)
            return True
        partial_option, unknown = options.get("partial"), options.get("unknown")
        self._partial = schema.partial if partial_option is None else partial_option
        self._unknown = schema.unknown if unknown is None else unknown
        if self._unknown not in (RAISE, INCLUDE, EXCLUDE):
            return False
        self._handles_errors = overridden(schema, _HANDLE_ERROR) is not None
        is_hooked = has_hooks(schema, "load")
        if is_hooked and _calls_hooks_by_itself(schema):
            return True
        load = self._outer.begin_nested(field, schema, self._partial, self._unknown, self._before)
        if load is not None:
            self._row = load.begin(schema, self.store)
            if load is not self._before:
                self._find_hooks(is_hooked=is_hooked)
        self._before = load
        return True

    def takes(self, value: Any) -> bool:
        if self._function is not None:
            return value is not None and value is not missing
        return type(value) is (list if self.schema.many else dict)

    @property
    def plain_row(self) -> LoadRow | None:
        """What loads a dictionary where there is no more to do, but for errors in the store."""
        return None if self._is_hooked or self.schema.many else self._row

    def _made_function(self, schema: Any) -> Function | None:
        is_given = any(option is not None for option in self._options.values())
        registered = None if is_given or schema.many else registered_for(schema, "load")
        if registered is None:
            return None
        if self._made is None or self._made[0] is not schema or self._made[1] is not registered:
            function = function_of(registered, schema, self._outer.compiler(schema))
            self._made = schema, registered, function
        return self._made[2]

    def _find_hooks(self, *, is_hooked: bool) -> None:
        schema, self._is_hooked = self.schema, is_hooked
        if is_hooked:
            keywords = {"many": False, "partial": self._partial}
            if not IS_MARSHMALLOW_3:
                keywords["unknown"] = self._unknown
            self._pre_load, self._post_load = (
                hooks_of(schema, tag, self._compiled, keywords, collections_first=True)
                for tag in (PRE_LOAD, POST_LOAD)
            )
            self._has_validators = any(map(schema._hooks.get, (VALIDATES, VALIDATES_SCHEMA)))

    def __call__(self, data: Any) -> Any:
        """Load data, or raise ``Refused`` if what a maker has made does."""
        if self._function is not None:
            return self._function(data)
        if self._row is None:
            return self._outer.by_schema(self.schema, data, **self._options)
        before, self.store.errors = self.store.errors, {}
        loaded = self._between_hooks(data, self._row) if self._is_hooked else self._rows(data)
        self.store.errors = before
        return loaded

    def _rows(self, data: Any) -> Any:
        row, schema = self._row, self.schema
        assert row is not None
        if schema.many:
            loaded = load_rows(row, data, is_indexed=schema.opts.index_errors)
        else:
            loaded = row(data, None)
        if self.store.errors:
            self.fail(self.store.errors, data, loaded)
        return loaded

    def _between_hooks(self, data: Any, row: LoadRow) -> Any:
        """Load an object as ``Schema._do_load``, which this follows line by line."""
        errors: Any = None
        try:
            processed_data = data
            for hook in self._pre_load:
                processed_data = hook(processed_data, data)
        except ValidationError as error:
            errors = _messages(error)
            result = None
        if not errors:
            result = row(processed_data, None)
            if self._has_validators:
                self._validate(result, data)
            errors = self.store.errors
            if not errors:
                try:
                    for hook in self._post_load:
                        result = hook(result, data)
                except ValidationError as error:
                    errors = _messages(error)
        if errors:
            self.fail(errors, data, result)
        return result

    def _validate(self, loaded: Any, data: Any) -> None:
        schema, store = self.schema, self.store
        schema._invoke_field_validators(error_store=store, data=loaded, many=False)
        if not schema._hooks.get(VALIDATES_SCHEMA):
            return
        keywords = {
            "error_store": store,
            "data": loaded,
            "original_data": data,
            "many": False,
            "partial": self._partial,
            "field_errors": bool(store.errors),
        }
        if not IS_MARSHMALLOW_3:
            keywords["unknown"] = self._unknown
        for passes_collection in (True, False):
            keywords[_PASS_COLLECTION] = passes_collection
            schema._invoke_schema_validators(**keywords)

    def fail(self, errors: Any, data: Any, loaded: Any) -> None:
        """Raise what ``Schema.load`` raises for errors."""
        self.store.errors = {}
        schema = self.schema
        error = ValidationError(errors, data=data, valid_data=loaded)
        schema.handle_error(error, data, many=schema.many, partial=self._partial)
        raise error

    def nested_error(self, data: Any, loaded: Any) -> ValidationError:
        """Return what ``Nested._load`` raises for the errors in the store."""
        errors, self.store.errors = self.store.errors, {}
        if not self._handles_errors:
            return ValidationError(errors, valid_data=loaded)
        try:
            self.fail(errors, data, loaded)
        except ValidationError as error:
            errors, loaded = error.messages, error.valid_data
        return ValidationError(errors, valid_data=loaded)
