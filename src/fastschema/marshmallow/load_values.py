"""What loads values by itself: nested schemas, lists of those, what makers make.

A :class:`ValueLoader` does what the ``deserialize`` of a field does with a value, or the ``load``
of a schema, without further arguments. It belongs to one load (a
``fastschema.marshmallow.load.Load``), and finds what it needs when the first value comes.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import lru_cache, partial
from types import SimpleNamespace
from typing import Any, Protocol

from marshmallow import EXCLUDE, INCLUDE, RAISE, Schema, ValidationError, error_store, missing
from marshmallow.decorators import POST_LOAD, PRE_LOAD, VALIDATES, VALIDATES_SCHEMA
from marshmallow.fields import Field

from fastschema.compiler.load_code import LoadRow, load_rows
from fastschema.compiler.nodes import Slot
from fastschema.compiler.source import GeneratedFunction
from fastschema.compiler.value_code import generate_load
from fastschema.marshmallow import load_fields
from fastschema.marshmallow.customization import (
    IS_MARSHMALLOW_3,
    STOCK_LOAD,
    has_hooks,
    overrides_load,
    overrides_processors,
)
from fastschema.marshmallow.hooks import Hook, hooks_of
from fastschema.marshmallow.made import SchemaOf, as_schema, function_of
from fastschema.marshmallow.sqlalchemy import loads_instances, pass_session, passes_session
from fastschema.marshmallow.validators import CUSTOM, has_validators
from fastschema.registration import Function, Refused, Registered, registered_for
from fastschema.runtime.patching import overridden, stock_method
from fastschema.runtime.programs import CACHE_SIZE, OWN_METHOD, Description
from fastschema.statistics import recorder

ErrorStore: Any = error_store.ErrorStore  # marshmallow has no types for it
_PASS_COLLECTION = "pass_many" if IS_MARSHMALLOW_3 else "pass_collection"


def _calls_hooks_by_itself(schema: Any) -> bool:
    is_own = overrides_processors(schema) or loads_instances(type(schema).load)
    return bool(schema.many or is_own)


def _messages(error: Any) -> Any:
    return error.normalized_messages()  # marshmallow has no types for it


_HANDLE_ERROR = {"handle_error": stock_method(Schema, "handle_error")}


class ValueLoader(Protocol):
    """From a value to what a field or a schema makes of it; raises ``ValidationError``."""

    def __call__(self, value: Any, /) -> Any:
        """Load a value."""
        ...


class InnerLoader(ValueLoader, Protocol):
    """One that keeps something of a load."""

    def begin_again(self) -> None:
        """Begin another load: what is nested is found again when the first value needs it."""
        ...


def value_loader(load: Any, field: Any, description: Description | None = None) -> ValueLoader:
    """Return what does with a value what a field's ``deserialize`` does.

    :param load: the ``Load`` that it is a part of
    :param description: of the field, if it is known
    """
    if description is None:
        description = load_fields.describe(field)
    if load_fields.loads_by_itself(description):
        _, _, sort, *options = description
        loader: InnerLoader = _SORTS[sort](load, field, *options)
        load.add(loader)
        return loader
    by_field = partial(field.deserialize, **load.keywords)
    if description[0] == OWN_METHOD:
        return by_field
    checks = load_fields.describe_validators(field, description)
    generated = _value_function(description, checks, bool(field.allow_none))
    bound = SimpleNamespace(fields=[field], load_own=by_field, validate=field._validate)
    function: ValueLoader = generated.function(*[slot.resolve(bound) for slot in generated.slots])
    return function


def unvalidated_loader(load: Any, field: Any) -> ValueLoader:
    """Return the same for a nested field, or a list of those, whose validators are called by it."""
    loader: Any = value_loader(load, field)
    loader.validates = False
    return loader  # type: ignore[no-any-return]


@lru_cache(maxsize=CACHE_SIZE)
def _value_function(
    description: Description, checks: Description, none_stays: bool
) -> GeneratedFunction:
    is_custom = checks == CUSTOM
    slots = [Slot("fields", lambda bound: bound.fields)]
    path = load_fields.LoadPath.of(0)
    kind = load_fields.kind(description, () if is_custom else checks, path, slots)
    return generate_load(
        kind, slots, {"missing": missing}, none_stays=none_stays, validated=is_custom
    )


class SchemaLoader:
    """Loads data by a schema as its ``load`` does.

    :param outer: the load that it is a part of
    :param is_super: whether the schema's own ``load`` has called that of stock
    """

    def __init__(self, outer: Any, *, is_super: bool = False) -> None:
        self._outer = outer
        self._is_super = is_super
        self._compiled = LoadCompiler(outer)
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
        """Begin another load; :meth:`find` is to be called again."""
        self.schema = self._row = self._function = None
        self.store.errors = {}

    def find(self, field: Any, schema: Any, options: dict[str, Any]) -> bool:
        """Find how a schema loads; return whether it does more than its own ``load``.

        :param field: the field that nests it
        :param schema: the schema
        :param options: what its ``load`` is given
        """
        self.schema, self._options = schema, options
        if not self._is_super and overrides_load(schema) is not None:
            self._function = self._made_function(schema)
            return self._function is not None
        if self._is_super and overrides_load(schema, besides_load=True) is not None:
            self._function = partial(STOCK_LOAD, schema)
            return True
        given, unknown = options.get("partial"), options.get("unknown")
        self._partial = schema.partial if given is None else given
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
        """Return whether a value is of the class that it loads."""
        if self._function is not None:
            return value is not None and value is not missing
        return type(value) is (list if self.schema.many else dict)

    @property
    def plain_row(self) -> LoadRow | None:
        """What loads a dictionary where there is no more to do, but for errors in the store."""
        return None if self._is_hooked or self.schema.many else self._row

    def _made_function(self, schema: Any) -> Function | None:
        """Return what a maker has made for the schema's own ``load``; None if there is none."""
        is_given = any(each is not None for each in self._options.values())
        registered = None if is_given or schema.many else registered_for(schema, "load")
        if registered is None:
            return None
        if self._made is None or self._made[0] is not schema or self._made[1] is not registered:
            function = function_of(registered, schema, LoadCompiler(self._outer, schema))
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
        """Load data.

        :raises ValidationError: as ``Schema.load``
        :raises Refused: if what a maker has made refuses them
        """
        if self._function is not None:
            return self._function(data)
        if self._row is None:
            return self._outer.by_schema(self.schema, data, **self._options)
        before, self.store.errors = self.store.errors, {}
        loaded = self._between_hooks(data, self._row) if self._is_hooked else self._rows(data)
        self.store.errors = before
        return loaded

    def _rows(self, data: Any) -> Any:
        """Load an object, or several, by a schema that has no hooks."""
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
        """Raise what ``Schema.load`` raises for errors.

        :raises ValidationError: always, unless the schema raises another
        """
        self.store.errors = {}
        schema = self.schema
        error = ValidationError(errors, data=data, valid_data=loaded)
        schema.handle_error(error, data, many=schema.many, partial=self._partial)
        raise error

    def nested_error(self, data: Any, loaded: Any) -> ValidationError:
        """Return what ``Nested._load`` raises for the errors in the store.

        :raises Exception: another one that the schema raises
        """
        errors, self.store.errors = self.store.errors, {}
        if not self._handles_errors:
            return ValidationError(errors, valid_data=loaded)
        try:
            self.fail(errors, data, loaded)
        except ValidationError as error:
            errors, loaded = error.messages, error.valid_data
        return ValidationError(errors, valid_data=loaded)


class NestedLoader:
    """Loads values of a ``Nested`` field as its ``deserialize`` does, but for None.

    The nested schema is looked for when the first value needs it.

    :param outer: the load that it is a part of
    :param field: the field
    """

    def __init__(self, outer: Any, field: Any) -> None:
        self._field = field
        self._keywords = outer.keywords
        self._loader = SchemaLoader(outer)
        self.validates = True
        self._passes_session = passes_session(type(field)._deserialize)
        self.begin_again()

    def begin_again(self) -> None:
        """Begin another load: find the nested schema again when the first value needs it."""
        self._is_found = self._can_load = self._is_validated = False
        self._row: LoadRow | None = None
        self._loader.begin_again()

    def __call__(self, value: Any) -> Any:
        """Load a value.

        :raises ValidationError: as stock
        """
        if not self._is_found and value is not None:
            self._find()
        loader = self._loader
        if not self._can_load or not loader.takes(value):
            return self._by_field(value)
        if self._row is not None and not loader.store.errors:
            loaded = self._row(value, None)
            if not loader.store.errors:
                return loaded
            raise loader.nested_error(value, loaded)
        try:
            if self._passes_session:
                pass_session(self._field, loader.schema)
            loaded = loader(value)
        except ValidationError as error:
            raise ValidationError(error.messages, valid_data=error.valid_data) from error
        except Refused:
            return self._by_field(value)
        if self._is_validated:
            self._field._validate(loaded)
        return loaded

    def _by_field(self, value: Any) -> Any:
        by = self._field.deserialize if self.validates else self._field._deserialize
        return recorder.within(by, value, None, None, **self._keywords)

    def _find(self) -> None:
        """Find the nested schema, and how values are loaded by it, if not by the field itself."""
        field = self._field
        schema = field.schema
        self._is_found = True
        if bool(schema.many or field.many) is not bool(schema.many):
            return
        options = {"partial": self._keywords.get("partial"), "unknown": field.unknown}
        self._can_load = self._loader.find(field, schema, options)
        self._is_validated = self.validates and has_validators(field)
        if self._can_load and not (self._is_validated or self._passes_session):
            self._row = self._loader.plain_row


class PluckLoader(NestedLoader):
    """Loads values of a ``Pluck`` field as its ``deserialize`` does, but for None."""

    _key: str | None = None

    def __call__(self, value: Any) -> Any:
        """Load a value.

        :raises ValidationError: as stock
        """
        if not self._is_wrapped(value):
            return self._by_field(value)
        if self._key is None:
            self._key = self._field._field_data_key
        return super().__call__({self._key: value})

    def begin_again(self) -> None:
        """Begin another load."""
        super().begin_again()
        self._key = None

    def _by_field(self, value: Any) -> Any:
        return super()._by_field(value[self._key] if self._is_wrapped(value) else value)

    def _is_wrapped(self, value: Any) -> bool:
        return not (value is None or value is missing or self._field.many)


class ListLoader:
    """Loads values of a ``List`` of what loads by itself, as its ``deserialize``, but for None.

    :param outer: as for :class:`NestedLoader`
    :param field: the list field
    :param inner: the description of the field inside of it
    """

    def __init__(self, outer: Any, field: Any, inner: Description) -> None:
        self._field = field
        self._inner = value_loader(outer, field.inner, inner)
        self._keywords = outer.keywords
        self.validates = True

    def begin_again(self) -> None:
        """Begin another load."""

    def __call__(self, value: Any) -> Any:
        """Load a list.

        :raises ValidationError: as stock
        """
        field, inner = self._field, self._inner
        if type(value) is not list:
            by_field = field.deserialize if self.validates else field._deserialize
            return by_field(value, None, None, **self._keywords)
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
        if self.validates and has_validators(field):
            field._validate(result)
        return result


class MadeLoader:
    """Loads values of a field by what its maker makes, or by the field's own method.

    :param outer: as for :class:`NestedLoader`
    :param field: the field
    :param registered: what is registered for its method
    """

    def __init__(self, outer: Any, field: Any, registered: Registered) -> None:
        self._outer = outer
        self._field = field
        self._registered = registered
        self._function: Function | None = None

    def begin_again(self) -> None:
        """Begin another load."""

    def load(self, value: Any) -> Any:
        """Load a value that is not missing.

        :raises Refused: if the field itself must
        :raises ValidationError: as what the maker has made
        """
        function = self._function
        if function is None:
            function = self._function = self._made()
        if value is None:
            raise Refused
        loaded = function(value)
        if has_validators(self._field):
            self._field._validate(loaded)
        return loaded

    def _made(self) -> Function:
        if self._outer.partial:
            return _refuse
        return function_of(self._registered, self._field, LoadCompiler(self._outer))

    def __call__(self, value: Any) -> Any:
        """Load a value, in any case.

        :raises ValidationError: as stock
        """
        try:
            return self.load(value)
        except Refused:
            return self._field.deserialize(value, None, None, **self._outer.keywords)


def _refuse(value: Any) -> Any:
    raise Refused


class LoadCompiler:
    """``compiled``, as a maker is given it for loading.

    :param load: the load that it belongs to
    :param owner: the schema for which the maker is called, whose own ``load`` is not asked
    """

    def __init__(self, load: Any, owner: Any = None) -> None:
        self._load = load
        self._owner = owner

    def __call__(self, inner: Any) -> Callable[[Any], Any]:
        """Return what loads a value as a field's ``deserialize``, or data as a schema's ``load``.

        :param inner: the field or the schema, of which the class is enough
        :raises TypeError: if it is neither
        """
        if isinstance(inner, Field):
            return value_loader(self._load, inner)
        return self.with_options(as_schema(inner), {})

    def with_options(self, schema: Any, options: dict[str, Any]) -> Callable[[Any], Any]:
        """Return what loads data as a schema's ``load`` with some options."""
        loader = _ByOwnSchema(self._load, schema, options, is_super=schema is self._owner)
        self._load.add(loader)
        return loader


class _ByOwnSchema:
    """Loads data by a schema that a maker has asked for."""

    def __init__(self, outer: Any, schema: Any, options: dict[str, Any], *, is_super: bool) -> None:
        self._schema = schema
        self._options = options
        self._loader = SchemaLoader(outer, is_super=is_super)
        self._is_found = self._can_load = False

    def begin_again(self) -> None:
        """Begin another load."""
        self._is_found = False
        self._loader.begin_again()

    def __call__(self, data: Any) -> Any:
        """Load data.

        :raises ValidationError: as stock
        """
        if not self._is_found:
            self._is_found = True
            self._can_load = self._loader.find(SchemaOf(self._schema), self._schema, self._options)
        if self._can_load:
            try:
                return self._loader(data)
            except Refused:
                pass
        return self._schema.load(data, **self._options)


_SORTS: dict[str, Callable[..., InnerLoader]] = {
    "nested": NestedLoader,
    "pluck": PluckLoader,
    "list": ListLoader,
    "made": MadeLoader,
}
