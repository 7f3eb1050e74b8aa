"""Load the values of nested schemas, and lists of them, as ``Nested`` and ``List`` do."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from marshmallow import EXCLUDE, INCLUDE, RAISE, ValidationError, error_store

from fastschema.compiler.load_code import BoundLoad, LoadRow, load_rows
from fastschema.marshmallow.customization import has_hooks, overrides_load
from fastschema.marshmallow.sqlalchemy import pass_session, passes_session
from fastschema.marshmallow.validators import has_validators

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

    def __init__(self, field: Any, keywords: dict[str, Any], outer: Load) -> None:
        self._field = field
        self._keywords = keywords
        self._outer = outer
        self._is_found = False
        self._before: Load | None = None
        self._bound: BoundLoad | None = None
        self._schema: Any = None
        self._passes_session = passes_session(type(field)._deserialize)
        self._row: LoadRow | None = None
        """What loads a dictionary where there is no more to do, but for errors in the store."""
        self._store: Any = ErrorStore()

    def begin_again(self) -> None:
        """Begin another load: find the nested schema again when the first value needs it."""
        self._is_found = False
        self._bound = self._row = None
        self._store.errors = {}

    def __call__(self, value: Any) -> Any:
        """Load a value.

        :raises ValidationError: as stock
        """
        if not self._is_found and (type(value) is dict or type(value) is list):
            self._find()
        if self._row is not None and type(value) is dict:
            return self._checked(value, self._row(value, None))
        if not self._is_found or type(value) is not (list if self._schema.many else dict):
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
        self._is_found = True
        if has_hooks(schema, "load"):
            return
        load = self._outer.begin_nested(schema, self._partial, unknown, self._before)
        self._before = load
        if load is not None:
            self._bound = load.begin(schema, self._store)
            if not (schema.many or has_validators(field) or self._passes_session):
                self._row = self._bound[0]

    @property
    def _partial(self) -> Any:
        partial = self._keywords.get("partial")
        return self._schema.partial if partial is None else partial

    def _load(self, value: Any) -> Any:
        if self._passes_session:
            pass_session(self._field, self._schema)
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
        if schema.many:
            return self._checked(
                value, load_rows(bound, value, is_indexed=schema.opts.index_errors)
            )
        return self._checked(value, bound[0](value, None))

    def _checked(self, value: Any, loaded: Any) -> Any:
        """Return what was loaded of a value, if no errors are stored.

        :raises ValidationError: what ``Nested._load`` raises for those that are
        """
        if not self._store.errors:
            return loaded
        errors, self._store.errors = self._store.errors, {}
        schema = self._schema
        error = ValidationError(errors, data=value, valid_data=loaded)
        try:
            schema.handle_error(error, value, many=schema.many, partial=self._partial)
        except ValidationError as raised:
            error = raised
        raise ValidationError(error.messages, valid_data=error.valid_data) from error


class NestedListLoader:
    """Loads values of a ``List`` of ``Nested`` as its ``deserialize`` does, but for None.

    :param field: the list field
    :param keywords: the keyword arguments of its ``deserialize``
    :param outer: as for :class:`NestedLoader`
    """

    def __init__(self, field: Any, keywords: dict[str, Any], outer: Load) -> None:
        self._field = field
        self.inner = NestedLoader(field.inner, keywords, outer)
        self._keywords = keywords

    def __call__(self, value: Any) -> Any:
        """Load a list.

        :raises ValidationError: as stock
        """
        field, inner = self._field, self.inner
        if type(value) is not list:
            return field.deserialize(value, None, None, **self._keywords)
        none_stays = field.inner.allow_none
        result: list[Any] = []
        errors = {}
        for index, each in enumerate(value):
            try:
                result.append(None if each is None and none_stays else inner(each))
            except ValidationError as error:
                if error.valid_data is not None:
                    result.append(error.valid_data)
                errors[index] = error.messages
        if errors:
            raise ValidationError(errors, valid_data=result)
        if has_validators(field):
            field._validate(result)
        return result
