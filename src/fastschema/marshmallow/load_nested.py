"""Loading the values of nested fields, as those fields' own ``deserialize`` does."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any, NoReturn

from marshmallow import EXCLUDE, INCLUDE, RAISE, ValidationError, error_store

from fastschema.loading import BoundLoad, LoadRow, load_rows
from fastschema.marshmallow.load_overrides import (
    LOAD_METHODS,
    has_load_hooks,
    loads_as_stock,
    overrides_load,
)
from fastschema.marshmallow.nested import is_plain_many, same_schema
from fastschema.marshmallow.validators import has_validators
from fastschema.nodes import Checks, ClassCheck
from fastschema.reuse import Uses

if TYPE_CHECKING:
    from fastschema.marshmallow.load import Load

ErrorStore: Any = error_store.ErrorStore  # marshmallow has no types for it

ValueLoader = Callable[[Any], Any]
"""From a value to what a nested schema makes of it; raises ``ValidationError``."""


class NestedLoader:
    """Loads values of a ``Nested`` field as its ``deserialize`` does, but for None.

    The nested schema is looked for when the first value needs it.

    :param field: the field
    :param keywords: the keyword arguments of its ``deserialize``
    :param outer: the load that it is a part of
    """

    __slots__ = (
        "_bound",
        "_field",
        "_is_found",
        "_keywords",
        "_last",
        "_outer",
        "_schema",
        "row",
        "run",
        "store",
    )

    def __init__(self, field: Any, keywords: dict[str, Any], outer: Load) -> None:
        self._field = field
        self._keywords = keywords
        self._outer = outer
        self._is_found = False
        self._bound: BoundLoad | None = None
        self._schema: Any = None
        self.row: LoadRow | None = None
        """What loads a dictionary where there is no more to do, but for errors in the store."""
        self.run: object = None
        """The load for which that was found; see :attr:`Load.run`."""
        self.store: Any = ErrorStore()
        self._last: Load | None = None

    def __call__(self, value: Any) -> Any:
        """Load a value.

        :raises ValidationError: as stock
        """
        self.begin()
        if not self._is_found and (type(value) is dict or type(value) is list):
            self._find()
        if not self._is_found or type(value) is not (list if self._schema.many else dict):
            return self._field.deserialize(value, None, None, **self._keywords)
        loaded = self._load(value)
        if has_validators(self._field):
            self._field._validate(loaded)
        return loaded

    def begin(self) -> None:
        """If another load has begun, forget what was found for the last, but what is the same."""
        if self.run is self._outer.run:
            return
        self.run = self._outer.run
        if self._last is not None:
            load = self._last
            if load.uses is not None and load.uses.hold():
                load.run = object()
                return
            self._last = None
        self._is_found = False
        self._bound = self.row = None

    def _find(self) -> None:
        """Find the nested schema, and how values are loaded by it, if not by the field itself."""
        field = self._field
        schema = self._schema = field.schema
        settings = self._settings
        unknown = settings[0]
        if (
            bool(schema.many or field.many) is not bool(schema.many)
            or overrides_load(schema) is not None
            or unknown not in (RAISE, INCLUDE, EXCLUDE)
        ):
            return
        self._is_found = True
        if has_load_hooks(schema):
            return
        begun = self._outer.begin_nested(schema, self.store, self._partial, unknown)
        if begun is not None:
            self._bound = begun.bind()
            if not (schema.many or has_validators(field)):
                self.row = self._bound[0]
            if begun.uses is not None:
                begun.uses.check(_found_again(field, schema, begun.uses))
                # Checks, which were written down later, go by what was found.
                if is_plain_many(schema.many, field.many) and self._settings == settings:
                    self._last = begun

    @property
    def _settings(self) -> tuple[Any, ...]:
        """What is found depends on, besides the classes of the field and of its schema."""
        field, schema = self._field, self._schema
        unknown = schema.unknown if field.unknown is None else field.unknown
        many = bool(schema.many or field.many)
        return unknown, many, self._partial, has_validators(field), has_load_hooks(schema)

    @property
    def _partial(self) -> Any:
        partial = self._keywords.get("partial")
        return self._schema.partial if partial is None else partial

    def _load(self, value: Any) -> Any:
        return self._with_hooks(value) if self._bound is None else self._without_hooks(value)

    def _with_hooks(self, value: Any) -> Any:
        """Load a value by all that ``Schema.load`` does."""
        try:
            return self._outer.load_nested(
                self._schema,
                value,
                partial=self._keywords.get("partial"),
                unknown=self._field.unknown,
            )
        except ValidationError as error:
            raise ValidationError(error.messages, valid_data=error.valid_data) from error

    def _without_hooks(self, value: Any) -> Any:
        """Load a value by a schema that has no hooks."""
        bound, schema = self._bound, self._schema
        assert bound is not None
        try:
            if schema.many:
                loaded = load_rows(bound, value, is_indexed=schema.opts.index_errors)
            else:
                loaded = bound[0](value, None)
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
        self.begin()
        if not self._is_found and value is not None:
            self._find()
            self.row = None
        if (
            value is None
            or not self._is_found
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
    :param outer: as for :class:`NestedLoader`
    """

    __slots__ = ("_field", "_inner", "_keywords")

    def __init__(self, field: Any, keywords: dict[str, Any], outer: Load) -> None:
        self._field = field
        self._inner = NestedLoader(field.inner, keywords, outer)
        self._keywords = keywords

    def __call__(self, value: Any) -> Any:
        """Load a list.

        :raises ValidationError: as stock
        """
        field, inner = self._field, self._inner
        if type(value) is not list:
            return field.deserialize(value, None, None, **self._keywords)
        inner.begin()
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


def _found_again(field: Any, schema: Any, uses: Uses) -> Checks:
    """What says whether the same would be found for a nested field.

    :param schema: the schema of the field
    :param uses: what the load that was begun by it depends on
    """
    cls, own, hooks = type(schema), schema.__dict__, schema._hooks
    unknown, many, partial = schema.unknown, schema.many, schema.partial
    is_validated = has_validators(field)

    def is_the_same() -> bool:
        return (
            schema.unknown is unknown
            and schema.many is many
            and schema.partial is partial
            and schema._hooks is hooks
            and loads_as_stock(schema)
        )

    names = ("unknown", "many", "partial", "_hooks", *LOAD_METHODS)
    yield from same_schema(field, schema, ("unknown", "many"), uses)
    yield ClassCheck(cls, is_the_same, names, own)
    yield lambda: not hooks or not has_load_hooks(schema)
    yield lambda: has_validators(field) is is_validated
