"""Load by marshmallow schemas: by generated code, and by what stock does around it."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from marshmallow import EXCLUDE, INCLUDE, RAISE, Schema, ValidationError, missing

from fastschema.compiler.load_code import LoadRow, load_rows
from fastschema.marshmallow.bound_schema import Compiled, Direction
from fastschema.marshmallow.customization import overrides_load
from fastschema.marshmallow.load_values import (
    InnerLoader,
    LoadCompiler,
    MakerLoader,
    value_loader,
)
from fastschema.marshmallow.pending import SchemaProxy, for_stock
from fastschema.marshmallow.read_around import LOADS
from fastschema.marshmallow.schema_reader import describe_load, make_load_program
from fastschema.marshmallow.sqlalchemy import load_instances, loads_instances
from fastschema.marshmallow.states import find_compiled, find_nested
from fastschema.runtime.bound_program import MOST_IDLE
from fastschema.runtime.patching import stock_method
from fastschema.runtime.programs import Description
from fastschema.runtime.registration import Refused
from fastschema.runtime.statistics import recorder
from fastschema.runtime.switch import is_disabled

STOCK_DESERIALIZE = stock_method(Schema, "_deserialize")
_STOCK_DO_LOAD = stock_method(Schema, "_do_load")
STOCK_LOADS = stock_method(Schema, "loads")

LinkedLoader = Callable[[Any, Any, int | None], Any]
"""From a value, the data it is in and their index to the same; errors are stored."""


def deserialize_as_stock(schema: Any, data: Any, **options: Any) -> Any:
    """Return what stock's ``Schema._deserialize`` returns; a pending schema stays pending."""
    many = options.get("many", False)
    return STOCK_DESERIALIZE(for_stock(schema, "load_fields", many=many), data, **options)


LOAD = Direction("load", "load_fields", describe_load, make_load_program, overrides_load, LOADS)


class Load:
    """One load by one schema: what generated code is bound to.

    Its methods are what stock's ``Schema._deserialize`` does with a value, or a row, that is not
    handled in generated code. When the load is over, it waits for the next one.
    """

    def __init__(self, compiled: Compiled, partial: Any, unknown: Any) -> None:
        self._bound: LoadRow | None = None
        self._inner: list[InnerLoader] = []
        self.compiled = compiled
        self.program = compiled.program
        self.fields = compiled.fields
        self.schema: Any = None
        self.store: Any = None
        self.partial = partial
        self.unknown = unknown
        self.keywords = {} if partial is None else {"partial": partial}
        """The keyword arguments of a field's ``deserialize``."""

    def begin(self, schema: Any, store: Any) -> LoadRow:
        """Begin a load, and return what loads a row; nested schemas are found when needed."""
        self.schema = schema
        self.store = store
        if self._bound is None:
            generated = self.program.generated()
            self._bound = generated.function(*[slot.resolve(self) for slot in generated.slots])
        else:
            for loader in self._inner:
                loader.begin_again()
        return self._bound

    def end(self, idle: list[Load] | None) -> None:
        """End the load, which then waits; nobody need call this after an exception.

        :param idle: where it waits; None: there may be no other load
        """
        self.schema = self.store = None
        if idle is not None and len(idle) < MOST_IDLE:
            idle.append(self)
            return
        # The function refers to what it was bound to: nothing is left to the garbage collector.
        self._bound = None
        for loader in self._inner:
            loader.end()
        self._inner.clear()

    def begin_nested(
        self, field: Any, schema: Any, partial: Any, unknown: Any, before: Load | None
    ) -> Load | None:
        """Return a load by a nested schema, which has not begun; None if stock must load."""
        if not is_plain_partial(partial):
            return None
        compiled = find_nested(schema, LOAD, self.compiled.nested)
        if compiled is None or compiled.program is None:
            return None
        if (
            before is not None
            and before.compiled is compiled
            and before.partial is partial
            and before.unknown == unknown
        ):
            return before
        return Load(compiled, partial, unknown)

    def load_field(self, number: int, value: Any, data: Any, index: int | None) -> Any:
        field = self.fields[number]
        if value is missing and self.partial:
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
        options = {"error_store": self.store, "partial": self.partial, "unknown": self.unknown}
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
                self.store.store_error([self.schema.error_messages["unknown"]], key, index)

    def linked(self, number: int, description: Description) -> LinkedLoader:
        """Return what loads the values of a field that loads by itself."""
        load = value_loader(self, self.fields[number], description)
        if isinstance(load, MakerLoader):
            load = load.load  # what that refuses is loaded here, with all that stock passes

        def load_linked(value: Any, data: Any, index: int | None) -> Any:
            if value is missing:
                return self.load_field(number, value, data, index)
            try:
                return load(value)
            except Refused:
                return self.load_field(number, value, data, index)
            except ValidationError as error:
                return self._stored(error, self._key(number), index)

        return load_linked

    def add(self, loader: InnerLoader) -> None:
        self._inner.append(loader)

    def compiler(self, owner: Any = None) -> LoadCompiler:
        return LoadCompiler(self, owner)

    def by_schema(self, schema: Any, data: Any, **options: Any) -> Any:
        return load(schema, data, **options)

    def _stored(self, error: ValidationError, key: str, index: int | None) -> Any:
        self.store.store_error(error.messages, key, index=index)
        return error.valid_data or missing

    def _key(self, number: int) -> str:
        key: str = self.program.node.fields[number].key
        return key


def is_plain_partial(partial: Any) -> bool:
    """Return whether ``partial`` names no fields: with names, stock loads."""
    return partial is None or partial is True or partial is False


def load(schema: Any, data: Any, compiled: Compiled | None = None, **options: Any) -> Any:
    """Return what stock's ``Schema.load`` returns, or that of marshmallow-sqlalchemy, compiled."""
    if loads_instances(type(schema).load):
        return load_instances(schema, lambda: do_load(schema, data, compiled, **options))
    return do_load(schema, data, compiled, **options)


def do_load(schema: Any, data: Any, compiled: Compiled | None, **options: Any) -> Any:
    """Return what ``Schema._do_load`` returns, with compiled code for ``_deserialize``."""
    if compiled is None and type(schema)._deserialize is not STOCK_DESERIALIZE:
        return _STOCK_DO_LOAD(schema, data, **options)  # it is installed

    def own(data: Any, *, many: bool = False, **options: Any) -> Any:
        return deserialize(schema, data, many, compiled=compiled, **options)

    return _STOCK_DO_LOAD(SchemaProxy(schema, _deserialize=own), data, **options)


def deserialize(
    schema: Any,
    data: Any,
    many: bool,
    *,
    error_store: Any,
    partial: Any = None,
    unknown: Any = RAISE,
    compiled: Compiled | None = None,
) -> Any:
    """Return what ``Schema._deserialize`` returns, by generated code where that is possible."""
    is_plain = type(data) is list or type(data) is tuple if many else type(data) is dict
    if is_plain and is_plain_partial(partial) and not is_disabled():
        if compiled is None:
            compiled = find_compiled(schema, LOAD, len(data) if many else 1)
        if compiled is not None and compiled.program is not None:
            recorder.program_used()
            idle = compiled.idle_loads(partial, unknown)
            load: Load = idle.pop() if idle else Load(compiled, partial, unknown)
            load_row = load.begin(schema, error_store)
            recorder.compiled(load.program, len(data) if many else 1)
            if many:
                result: Any = load_rows(load_row, data, is_indexed=schema.opts.index_errors)
            else:
                result = load_row(data, None)
            load.end(idle)
            return result
    options = {"error_store": error_store, "partial": partial, "unknown": unknown}
    result = deserialize_as_stock(schema, data, many=many, **options)
    recorder.stock(len(result) if many else 1)
    return result
