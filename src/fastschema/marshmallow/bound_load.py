"""Loading by a marshmallow schema: what generated code is bound to, nested schemas included."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from marshmallow import EXCLUDE, INCLUDE, RAISE, Schema, ValidationError, fields, missing

from fastschema.compiler.load_code import BoundLoad, load_rows
from fastschema.marshmallow.load_nested import (
    NestedListLoader,
    NestedLoader,
    PluckLoader,
    ValueLoader,
)
from fastschema.marshmallow.load_overrides import deserialize_as_stock
from fastschema.marshmallow.load_schema_reader import describe_load, make_load_program
from fastschema.marshmallow.schema_state import Compiled, Direction, find_compiled, read_once
from fastschema.runtime.bound_program import MOST_IDLE
from fastschema.statistics import recorder

LOAD = Direction("load", "load_fields", describe_load, make_load_program)
_PLAIN_COLLECTIONS = (tuple, list, set, frozenset)

LinkedLoader = Callable[[Any, Any, int | None], Any]
"""From a value, the data it is in and their index to the same; errors are stored."""


def read_for_plan(schema: Any) -> Compiled:
    """Return what a schema compiles to for loading, for a plan."""
    return read_once(schema, LOAD)


def find_compiled_load(schema: Any, rows: int, *, is_inner: bool = False) -> Compiled | None:
    """Return what loads by a schema, if it is known or pays to find out; None if stock must.

    The parameters are those of :func:`find_compiled`.
    """
    compiled = find_compiled(schema, LOAD, rows, is_inner=is_inner)
    return None if compiled is None or compiled.program is None else compiled


class Load:
    """One load by one schema: what generated code is bound to.

    Its methods are what stock's ``Schema._deserialize`` does with a value, or a row, that is not
    handled in generated code. When the load is over, it waits for the next one.

    :param compiled: what its schema compiles to; it has a program
    :param partial: as for ``Schema.load``
    :param unknown: likewise
    :param load_nested: loads by a nested schema that has hooks, as ``Schema._do_load`` does
    """

    def __init__(
        self,
        compiled: Compiled,
        partial: Any,
        unknown: Any,
        load_nested: Callable[..., Any],
    ) -> None:
        self._bound: BoundLoad | None = None
        self._nested: list[NestedLoader] = []
        self.compiled = compiled
        self.program = compiled.program
        self.fields = compiled.fields
        self.schema: Any = None
        self.store: Any = None
        self.partial = partial
        self.unknown = unknown
        self.load_nested = load_nested

    def begin(self, schema: Any, store: Any) -> BoundLoad:
        """Begin a load, and return what loads rows; nested schemas are found when needed.

        :param schema: the schema
        :param store: where errors are stored
        """
        self.schema = schema
        self.store = store
        if self._bound is None:
            function = self.program.function()
            common = [getattr(self, name) for name in function.common]
            values = [slot.resolve(self) for slot in function.slots]
            self._bound = function.bind(*common, *values)
        else:
            for loader in self._nested:
                loader.begin_again()
        return self._bound

    def end(self, idle: list[Load] | None) -> None:
        """End the load. After one that ended with an exception nobody need call this.

        :param idle: where it is to wait for the next one with the same options; None: nowhere
        """
        self.schema = self.store = None
        if idle is not None and len(idle) < MOST_IDLE:
            idle.append(self)
        else:
            self._bound = None  # which refers to it
            self._nested.clear()

    def is_like(self, compiled: Compiled, partial: Any, unknown: Any) -> bool:
        """Return whether it can begin again with these options."""
        return self.compiled is compiled and self.partial is partial and self.unknown == unknown

    def begin_nested(
        self, schema: Any, partial: Any, unknown: Any, before: Load | None
    ) -> Load | None:
        """Return a load by a nested schema, which has not begun; None if stock must load.

        :param before: that of the load before, if there was one
        """
        if not is_plain_partial(partial):
            return None
        compiled = self._compiled_nested(schema)
        if compiled is None or compiled.program is None:
            return None
        if before is not None and before.is_like(compiled, partial, unknown):
            return before
        return Load(compiled, partial, unknown, self.load_nested)

    def _compiled_nested(self, schema: Any) -> Compiled | None:
        if not self.compiled.is_frozen:
            return find_compiled_load(schema, 1, is_inner=True)
        inner = self.compiled.inner
        compiled = inner.get(id(schema))
        if compiled is None:
            compiled = inner[id(schema)] = read_for_plan(schema)
        return compiled

    def rows(self, bound: BoundLoad, data: list[Any] | tuple[Any, ...]) -> list[Any]:
        """Load all rows."""
        program = self.program
        recorder.compiled(len(data), program.compiled_fields, program.stock_fields)
        return load_rows(bound, data, is_indexed=self.schema.opts.index_errors)

    def load_field(self, number: int, value: Any, data: Any, index: int | None) -> Any:
        """Return the field's own ``deserialize``; errors are stored."""
        field = self.fields[number]
        if value is missing and self._may_be_missing(number):
            return missing
        key = self._key(number)
        try:
            return field.deserialize(value, key, data, **self.keywords(number))
        except ValidationError as error:
            return self._stored(error, key, index)

    def load_own(
        self, number: int, value: Any, key: str, data: Any, index: int | None, is_validated: bool
    ) -> Any:
        """Return what ``Field.deserialize`` makes of a value by the field's own ``_deserialize``.

        Errors are stored.

        :param value: neither None nor the missing object
        :param is_validated: whether the field has validators
        """
        field = self.fields[number]
        try:
            if self.partial is None:
                loaded = field._deserialize(value, key, data)
            else:
                loaded = field._deserialize(value, key, data, **self.keywords(number))
            if is_validated:
                field._validate(loaded)
        except ValidationError as error:
            return self._stored(error, key, index)
        return loaded

    def validate_field(self, number: int, value: Any, index: int | None) -> Any:
        """Return the value, if the field's validators agree; errors are stored."""
        try:
            self.fields[number]._validate(value)
        except ValidationError as error:
            return self._stored(error, self._key(number), index)
        return value

    def load_other(self, data: Any, index: int | None) -> Any:
        """Return a row that is no dictionary, by stock."""
        return deserialize_as_stock(
            self.schema, data, self.store, False, self.partial, self.unknown, index
        )

    @property
    def take_unknown(self) -> Callable[[dict[Any, Any], Any, int | None], None] | None:
        """What includes or refuses the keys of a row that no field has; None if they are left."""
        return self._take_unknown if self.unknown != EXCLUDE else None

    def _take_unknown(self, data: dict[Any, Any], result: Any, index: int | None) -> None:
        known = {field.key for field in self.program.node.fields}
        for key in set(data) - known:
            if self.unknown == INCLUDE:
                result[key] = data[key]
            elif self.unknown == RAISE:
                self.store.store_error([self.schema.error_messages["unknown"]], key, index)

    def nested(self, number: int) -> LinkedLoader:
        """Return what loads a nested value; most are dictionaries without errors."""
        load = NestedLoader(self.fields[number], self.keywords(number), self)
        self._nested.append(load)
        store = load.store
        by_itself = self._link(number, load)

        def load_nested(value: Any, data: Any, index: int | None) -> Any:
            if type(value) is not dict:
                return by_itself(value, data, index)
            try:
                if load.row is None:
                    return by_itself(value, data, index)
                loaded = load.row(value, None)
                if not store.errors:
                    return loaded
                load.fail(value, loaded)
            except ValidationError as error:
                store.errors = {}
                return self._stored(error, self._key(number), index)

        return load_nested

    def nested_list(self, number: int) -> LinkedLoader:
        """Return what loads a list of nested values."""
        field, keywords = self.fields[number], self.keywords(number)
        load = NestedListLoader(field, keywords, self)
        self._nested.append(load.inner)
        return self._link(number, load)

    def pluck(self, number: int) -> LinkedLoader:
        """Return what loads a plucked value."""
        field, keywords = self.fields[number], self.keywords(number)
        load = PluckLoader(field, keywords, self)
        self._nested.append(load)
        return self._link(number, load)

    def keywords(self, number: int) -> dict[str, Any]:
        """Return the keyword arguments of a field's ``deserialize``: what is partial in a nested
        schema.

        See ``Schema._deserialize``.
        """
        partial = self.partial
        if type(partial) in _PLAIN_COLLECTIONS:
            name = self._key(number) if _PREFIX_IS_KEY else self._name(number)
            prefix = f"{name}."
            return {"partial": [each[len(prefix) :] for each in partial if each.startswith(prefix)]}
        return {} if partial is None else {"partial": partial}

    def _link(self, number: int, load: ValueLoader) -> LinkedLoader:
        def load_nested(value: Any, data: Any, index: int | None) -> Any:
            if value is missing:
                return self.load_field(number, value, data, index)
            try:
                return load(value)
            except ValidationError as error:
                return self._stored(error, self._key(number), index)

        return load_nested

    def _stored(self, error: ValidationError, key: str, index: int | None) -> Any:
        self.store.store_error(error.messages, key, index=index)
        return error.valid_data or missing

    def _may_be_missing(self, number: int) -> bool:
        if self.partial is True:
            return True
        return type(self.partial) in _PLAIN_COLLECTIONS and self._name(number) in self.partial

    def _name(self, number: int) -> str:
        name: str = self.compiled.names[number]
        return name

    def _key(self, number: int) -> str:
        key: str = self.program.node.fields[number].key
        return key


def idle_loads(compiled: Compiled, partial: Any, unknown: Any) -> list[Load] | None:
    """Return the loads that wait for another one with some options; None if none ever does."""
    if type(unknown) is not str or type(partial) in _PLAIN_COLLECTIONS:
        return None
    idle: list[Load] | None = compiled.idle.get((partial, unknown))
    if idle is None:
        idle = compiled.idle.setdefault((partial, unknown), [])
    return idle


def is_plain_partial(partial: Any) -> bool:
    """Whether ``partial`` is None, a bool, or a plain collection of names."""
    if partial is None or partial is True or partial is False:
        return True
    return type(partial) in _PLAIN_COLLECTIONS and all(type(each) is str for each in partial)


def _is_prefix_key() -> bool:
    """Whether this marshmallow looks for dotted names in ``partial`` by data key, not by name."""
    seen = []

    class Probe(fields.Field):  # type: ignore[type-arg]  # not generic in marshmallow 3
        def _deserialize(self, value: Any, attr: Any, data: Any, **keywords: Any) -> Any:
            seen.append(keywords["partial"])
            return value

    schema = Schema.from_dict({"name": Probe(data_key="key")})()
    schema.load({"key": 1}, partial=("key.part",))
    return seen == [["part"]]


_PREFIX_IS_KEY = _is_prefix_key()
