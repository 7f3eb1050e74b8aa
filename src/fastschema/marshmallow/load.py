"""Loading by a marshmallow schema: what generated code is bound to, nested schemas included."""

from __future__ import annotations

from collections.abc import Callable
from types import SimpleNamespace
from typing import Any

from marshmallow import EXCLUDE, INCLUDE, RAISE, Schema, ValidationError, fields, missing

from fastschema.loading import BoundLoad, load_rows
from fastschema.marshmallow.load_nested import (
    NestedListLoader,
    NestedLoader,
    PluckLoader,
    ValueLoader,
)
from fastschema.marshmallow.load_overrides import deserialize_as_stock
from fastschema.marshmallow.load_reader import read, recognizer
from fastschema.nodes import UnreadableError
from fastschema.program import LoadProgram
from fastschema.reuse import Uses
from fastschema.statistics import recorder

_PLAIN_COLLECTIONS = (tuple, list, set, frozenset)

LinkedLoader = Callable[[Any, Any, int | None], Any]
"""From a value, the data it is in and their index to the same; errors are stored."""


class Load:
    """One load at a time by one schema: what generated code is bound to.

    Its methods are what stock's ``Schema._deserialize`` does with a value, or a row, that is not
    handled in generated code.
    """

    __slots__ = (
        "_names",
        "fields",
        "load_nested",
        "partial",
        "program",
        "run",
        "schema",
        "store",
        "unknown",
        "uses",
    )

    def __init__(
        self,
        schema: Any,
        program: LoadProgram,
        fields: list[Any],
        store: Any,
        partial: Any,
        unknown: Any,
        load_nested: Callable[..., Any],
        uses: Uses | None,
    ) -> None:
        self.schema = schema
        self.uses = uses
        self.program = program
        self.fields = fields
        self.partial = partial
        self.unknown = unknown
        self.run = object()
        """Another object for each load."""
        self.store = store
        """Where errors are stored; nothing of a load that is over."""
        self.load_nested = load_nested
        self._names: list[str] | None = None

    @classmethod
    def begin(
        cls,
        schema: Any,
        store: Any,
        partial: Any,
        unknown: Any,
        load_nested: Callable[..., Any],
    ) -> Load | None:
        """A load that stores errors in ``store``; None if stock must load.

        :param load_nested: loads by a nested schema that has hooks, as ``Schema._do_load`` does
        """
        if not (
            partial is None
            or partial is True
            or partial is False
            or (type(partial) in _PLAIN_COLLECTIONS and all(type(each) is str for each in partial))
        ):
            return None
        try:
            program, fields = read(schema)
        except UnreadableError:
            return None
        uses = None
        if partial is None or type(partial) is bool:
            kept = recognizer.kept(schema)
            # The schema may have been changed since it was read, and then kept.
            if kept is not None and kept.reads_as(program, fields):
                uses = Uses(kept)
        return cls(schema, program, fields, store, partial, unknown, load_nested, uses)

    def begin_nested(self, schema: Any, store: Any, partial: Any, unknown: Any) -> Load | None:
        """A load by a nested schema, likewise."""
        return self.begin(schema, store, partial, unknown, self.load_nested)

    def is_begun_again(self, store: Any) -> bool:
        """Load once more, if another load would be bound to the same; if not, return False.

        :param store: where to store errors
        """
        uses = self.uses
        if uses is None or not uses.hold():
            return False
        self.store = store
        self.run = object()
        return True

    def bind(self) -> BoundLoad:
        """What loads rows."""
        function = self.program.function
        common = [getattr(self, name) for name in function.common]
        values = [slot.resolve(self) for slot in function.slots]
        if self.uses is not None:
            # Checks must not refer to the load, which refers to them.
            subject = SimpleNamespace(schema=self.schema, fields=self.fields)
            for slot, value in zip(function.slots, values, strict=True):
                self.uses.slot(slot, subject, value)
        return function.bind(*common, *values)

    def rows(self, bound: BoundLoad, data: list[Any] | tuple[Any, ...]) -> list[Any]:
        """Load all rows."""
        program = self.program
        recorder.compiled(len(data), program.compiled_fields, program.stock_fields)
        return load_rows(bound, data, is_indexed=self.schema.opts.index_errors)

    def load_field(self, number: int, value: Any, data: Any, index: int | None) -> Any:
        """The field's own ``deserialize``; errors are stored."""
        field = self.fields[number]
        if value is missing and self._may_be_missing(number):
            return missing
        key = self._key(number)
        try:
            return field.deserialize(value, key, data, **self.keywords(number))
        except ValidationError as error:
            return self._stored(error, key, index)

    def validate_field(self, number: int, value: Any, index: int | None) -> Any:
        """The value, if the field's validators agree; errors are stored."""
        try:
            self.fields[number]._validate(value)
        except ValidationError as error:
            return self._stored(error, self._key(number), index)
        return value

    def load_other(self, data: Any, index: int | None) -> Any:
        """A row that is no dictionary, by stock."""
        return deserialize_as_stock(
            self.schema, data, self.store, False, self.partial, self.unknown, index
        )

    @property
    def take_unknown(self) -> Callable[[dict[Any, Any], Any, int | None], None] | None:
        """What includes or refuses the keys of a row that no field has; None if they are left."""
        return self._take_unknown if self.unknown != EXCLUDE else None

    def _take_unknown(self, data: dict[Any, Any], result: Any, index: int | None) -> None:
        known = {self._key(number) for number in range(len(self.fields))}
        for key in set(data) - known:
            if self.unknown == INCLUDE:
                result[key] = data[key]
            elif self.unknown == RAISE:
                self.store.store_error([self.schema.error_messages["unknown"]], key, index)

    def nested(self, number: int) -> LinkedLoader:
        """What loads a nested value; most are dictionaries without errors."""
        load = NestedLoader(self.fields[number], self.keywords(number), self)
        store = load.store
        by_itself = self._link(number, load)

        def load_nested(value: Any, data: Any, index: int | None) -> Any:
            if type(value) is not dict:
                return by_itself(value, data, index)
            try:
                if load.run is not self.run:
                    load.begin()
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
        """What loads a list of nested values."""
        field, keywords = self.fields[number], self.keywords(number)
        return self._link(number, NestedListLoader(field, keywords, self))

    def pluck(self, number: int) -> LinkedLoader:
        """What loads a plucked value."""
        field, keywords = self.fields[number], self.keywords(number)
        return self._link(number, PluckLoader(field, keywords, self))

    def keywords(self, number: int) -> dict[str, Any]:
        """The keyword arguments of a field's ``deserialize``: what is partial in a nested schema.

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
        if self._names is None:
            self._names = [*self.schema.load_fields]
        return self._names[number]

    def _key(self, number: int) -> str:
        key: str | None = self.fields[number].data_key
        return self._name(number) if key is None else key


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
