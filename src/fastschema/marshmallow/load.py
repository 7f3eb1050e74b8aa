"""One load by a marshmallow schema: what generated code is bound to, nested schemas included."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NoReturn

from marshmallow import (
    EXCLUDE,
    INCLUDE,
    RAISE,
    Schema,
    ValidationError,
    error_store,
    fields,
    missing,
)
from marshmallow.decorators import POST_LOAD, PRE_LOAD, VALIDATES, VALIDATES_SCHEMA

from fastschema.loading import LoadRow
from fastschema.marshmallow.load_reader import read
from fastschema.marshmallow.validators import has_validators
from fastschema.nodes import UnreadableError
from fastschema.program import LoadProgram
from fastschema.statistics import recorder

ErrorStore: Any = error_store.ErrorStore  # marshmallow has no types for it

STOCK_DESERIALIZE = Schema._deserialize
KNOWN_DESERIALIZE = {STOCK_DESERIALIZE}
"""``Schema._deserialize`` as stock has it, and as installed."""

_STOCK_METHODS = {
    name: getattr(Schema, name)
    for name in ("load", "_do_load", "_call_and_store", "_invoke_field_validators")
}
_PLAIN_COLLECTIONS = (tuple, list, set, frozenset)

ValueLoader = Callable[[Any], Any]
"""From a value to what a nested schema makes of it; raises ``ValidationError``."""

LinkedLoader = Callable[[Any, Any, int | None], Any]
"""From a value, the data it is in and their index to the same; errors are stored."""


def overrides_load(schema: Any) -> str | None:
    """Why a schema's own code loads instead of stock's, or None."""
    cls, own = type(schema), schema.__dict__
    for name, function in _STOCK_METHODS.items():
        if getattr(cls, name) is not function or name in own:
            return f"{name} is overridden"
    if cls._deserialize not in KNOWN_DESERIALIZE or "_deserialize" in own:
        return "_deserialize is overridden"
    return None


def calls_and_stores_by_itself(schema: Any) -> bool:
    """Whether ``Schema._call_and_store``, in which stock loads each value, is overridden."""
    is_stock = type(schema)._call_and_store is _STOCK_METHODS["_call_and_store"]
    return not is_stock or "_call_and_store" in schema.__dict__


def has_load_hooks(schema: Any) -> bool:
    """Whether a schema has hooks that take part in loading."""
    get = schema._hooks.get
    return bool(get(PRE_LOAD) or get(POST_LOAD) or get(VALIDATES) or get(VALIDATES_SCHEMA))


class Load:
    """One load by one schema: what generated code is bound to.

    Its methods are what stock's ``Schema._deserialize`` does with a value, or a row, that is not
    handled in generated code.
    """

    __slots__ = (
        "_load_nested",
        "_names",
        "_store",
        "_unknown",
        "fields",
        "partial",
        "program",
        "schema",
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
    ) -> None:
        self.schema = schema
        self.program = program
        self.fields = fields
        self.partial = partial
        self._store = store
        self._unknown = unknown
        self._load_nested = load_nested
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
        if calls_and_stores_by_itself(schema) or not (
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
        return cls(schema, program, fields, store, partial, unknown, load_nested)

    def bind(self) -> LoadRow:
        """The function that loads one row."""
        function = self.program.function
        common = [getattr(self, name) for name in function.common]
        return function.bind(*common, *[slot.resolve(self) for slot in function.slots])

    def rows(self, data: list[Any] | tuple[Any, ...]) -> list[Any]:
        """Load all rows."""
        program = self.program
        recorder.compiled(len(data), program.compiled_fields, program.stock_fields)
        row = self.bind()
        if self.schema.opts.index_errors:
            return [row(each, index) for index, each in enumerate(data)]
        return [row(each, None) for each in data]

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
        return STOCK_DESERIALIZE(
            self.schema,
            data,
            error_store=self._store,
            many=False,
            partial=self.partial,
            unknown=self._unknown,
            index=index,
        )

    @property
    def take_unknown(self) -> Callable[[dict[Any, Any], Any, int | None], None] | None:
        """What includes or refuses the keys of a row that no field has; None if they are left."""
        return self._take_unknown if self._unknown != EXCLUDE else None

    def _take_unknown(self, data: dict[Any, Any], result: Any, index: int | None) -> None:
        known = {self._key(number) for number in range(len(self.fields))}
        for key in set(data) - known:
            if self._unknown == INCLUDE:
                result[key] = data[key]
            elif self._unknown == RAISE:
                self._store.store_error([self.schema.error_messages["unknown"]], key, index)

    def nested(self, number: int) -> LinkedLoader:
        """What loads a nested value; most are dictionaries without errors."""
        load = NestedLoader(self.fields[number], self.keywords(number), self._load_nested)
        store = load.store
        by_itself = self._link(number, load)

        def load_nested(value: Any, data: Any, index: int | None) -> Any:
            if load.row is None or type(value) is not dict:
                return by_itself(value, data, index)
            try:
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
        return self._link(number, NestedListLoader(field, keywords, self._load_nested))

    def pluck(self, number: int) -> LinkedLoader:
        """What loads a plucked value."""
        field, keywords = self.fields[number], self.keywords(number)
        return self._link(number, PluckLoader(field, keywords, self._load_nested))

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
        self._store.store_error(error.messages, key, index=index)
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


class NestedLoader:
    """Loads values of a ``Nested`` field as its ``deserialize`` does, but for None.

    The nested schema is looked for when the first value needs it.

    :param field: the field
    :param keywords: the keyword arguments of its ``deserialize``
    :param load_nested: loads by a nested schema that has hooks, as ``Schema._do_load`` does
    """

    __slots__ = ("_field", "_keywords", "_load", "_load_nested", "_row", "_schema", "row", "store")

    def __init__(
        self, field: Any, keywords: dict[str, Any], load_nested: Callable[..., Any]
    ) -> None:
        self._field = field
        self._keywords = keywords
        self._load_nested = load_nested
        self._load: ValueLoader | None = None
        self._row: LoadRow | None = None
        self._schema: Any = None
        self.row: LoadRow | None = None
        """What loads a dictionary where there is no more to do, but for errors in the store."""
        self.store: Any = ErrorStore()

    def __call__(self, value: Any) -> Any:
        """Load a value.

        :raises ValidationError: as stock
        """
        if self._load is None and (type(value) is dict or type(value) is list):
            self._find()
        if self._load is None or type(value) is not (list if self._schema.many else dict):
            return self._field.deserialize(value, None, None, **self._keywords)
        loaded = self._load(value)
        if has_validators(self._field):
            self._field._validate(loaded)
        return loaded

    def _find(self) -> None:
        """Find the nested schema, and how values are loaded by it, if not by the field itself."""
        field = self._field
        schema = self._schema = field.schema
        unknown = schema.unknown if field.unknown is None else field.unknown
        if (
            bool(schema.many or field.many) is not bool(schema.many)
            or overrides_load(schema) is not None
            or unknown not in (RAISE, INCLUDE, EXCLUDE)
        ):
            return
        self._load = self._with_hooks
        if has_load_hooks(schema):
            return
        load = Load.begin(schema, self.store, self._partial, unknown, self._load_nested)
        if load is not None:
            self._row = load.bind()
            self._load = self._without_hooks
            if not (schema.many or has_validators(field)):
                self.row = self._row

    @property
    def _partial(self) -> Any:
        partial = self._keywords.get("partial")
        return self._schema.partial if partial is None else partial

    def _with_hooks(self, value: Any) -> Any:
        """Load a value by all that ``Schema.load`` does."""
        try:
            return self._load_nested(
                self._schema,
                value,
                partial=self._keywords.get("partial"),
                unknown=self._field.unknown,
            )
        except ValidationError as error:
            raise ValidationError(error.messages, valid_data=error.valid_data) from error

    def _without_hooks(self, value: Any) -> Any:
        """Load a value by a schema that has no hooks."""
        row = self._row
        assert row is not None
        try:
            if not self._schema.many:
                loaded = row(value, None)
            elif self._schema.opts.index_errors:
                loaded = [row(each, index) for index, each in enumerate(value)]
            else:
                loaded = [row(each, None) for each in value]
            if self.store.errors:
                self.fail(value, loaded)
        except ValidationError:
            self.store.errors = {}
            raise
        return loaded

    def fail(self, value: Any, loaded: Any) -> NoReturn:
        """Raise what ``Nested._load`` raises for the errors that are stored.

        :raises ValidationError: with their messages
        """
        errors, self.store.errors = self.store.errors, {}
        schema = self._schema
        error = ValidationError(errors, data=value, valid_data=loaded)
        try:
            schema.handle_error(error, value, many=schema.many, partial=self._partial)
        except ValidationError as raised:
            error = raised
        raise ValidationError(error.messages, valid_data=error.valid_data) from error


class PluckLoader(NestedLoader):
    """Loads values of a ``Pluck`` field as its ``deserialize`` does, but for None."""

    __slots__ = ()

    def __call__(self, value: Any) -> Any:
        """Load a value.

        :raises ValidationError: as stock
        """
        field = self._field
        if self._load is None and value is not None:
            self._find()
            self.row = None
        if (
            value is None
            or self._load is None
            or bool(self._schema.many) is not bool(field.many)
            or (field.many and type(value) is not list)
        ):
            return field.deserialize(value, None, None, **self._keywords)
        if not field.many:
            loaded = self._load({field._field_data_key: value})
        elif value:
            key = field._field_data_key
            loaded = self._load([{key: each} for each in value])
        else:
            loaded = self._load([])  # the key, which may not be there, is not looked for
        if has_validators(field):
            field._validate(loaded)
        return loaded


class NestedListLoader:
    """Loads values of a ``List`` of ``Nested`` as its ``deserialize`` does, but for None.

    :param field: the list field
    :param keywords: the keyword arguments of its ``deserialize``
    :param load_nested: as for :class:`NestedLoader`
    """

    __slots__ = ("_field", "_inner", "_keywords")

    def __init__(
        self, field: Any, keywords: dict[str, Any], load_nested: Callable[..., Any]
    ) -> None:
        self._field = field
        self._inner = NestedLoader(field.inner, keywords, load_nested)
        self._keywords = keywords

    def __call__(self, value: Any) -> Any:
        """Load a list.

        :raises ValidationError: as stock
        """
        field, inner = self._field, self._inner
        if type(value) is not list:
            return field.deserialize(value, None, None, **self._keywords)
        none_stays = field.inner.allow_none
        store = inner.store
        result: list[Any] = []
        errors = {}
        for index, each in enumerate(value):
            try:
                if inner.row is not None and type(each) is dict:
                    loaded = inner.row(each, None)
                    if store.errors:
                        inner.fail(each, loaded)
                    result.append(loaded)
                else:
                    result.append(None if each is None and none_stays else inner(each))
            except ValidationError as error:
                store.errors = {}
                if error.valid_data is not None:
                    result.append(error.valid_data)
                errors[index] = error.messages
        if errors:
            raise ValidationError(errors, valid_data=result)
        if has_validators(field):
            field._validate(result)
        return result
