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

from marshmallow import ValidationError, missing
from marshmallow.fields import Field

from fastschema.compiler.load_code import LoadRow
from fastschema.compiler.nodes import Slot
from fastschema.compiler.source import GeneratedFunction
from fastschema.compiler.value_code import generate_load
from fastschema.marshmallow import load_fields
from fastschema.marshmallow.makers import SchemaOf, as_schema
from fastschema.marshmallow.schema_loader import SchemaLoader
from fastschema.marshmallow.sqlalchemy import pass_session, passes_session
from fastschema.marshmallow.validators import CUSTOM, has_validators
from fastschema.runtime.programs import CACHE_SIZE, OWN_METHOD, Description
from fastschema.runtime.registration import Function, Refused, Registered, function_of, refuse


class ValueLoader(Protocol):
    """From a value to what a field or a schema makes of it; raises ``ValidationError``."""

    def __call__(self, value: Any, /) -> Any: ...


class InnerLoader(ValueLoader, Protocol):
    """One that keeps something of a load."""

    def begin_again(self) -> None:
        """Begin another load: what is nested is found again when the first value needs it."""
        ...

    def end(self) -> None:
        """Let go of what is nested: there is no other load."""
        ...


def value_loader(load: Any, field: Any, description: Description | None = None) -> ValueLoader:
    """Return what does with a value what a field's ``deserialize`` does, as a part of a load."""
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


class NestedLoader:
    """Loads values of a ``Nested`` field as its ``deserialize`` does, but for None."""

    def __init__(self, outer: Any, field: Any) -> None:
        self._field = field
        self._keywords = outer.keywords
        self._loader = SchemaLoader(outer)
        self._passes_session = passes_session(type(field)._deserialize)
        self._stays = outer.compiled.nested is not None
        """Whether nobody can change what the nested schema does."""
        self._is_found = self._is_begun = self._can_load = self._is_validated = False
        self._is_left_to_field = False
        """Whether the field loads by itself, in this load and in those after it."""
        self._row: LoadRow | None = None

    def begin_again(self) -> None:
        self._is_begun = False

    def end(self) -> None:
        self._loader.end()

    def __call__(self, value: Any) -> Any:
        if self._is_left_to_field:
            return self._by_field(value)
        if not self._is_begun and value is not None:
            self._begin()
        loader = self._loader
        if self._row is not None and type(value) is dict and not loader.store.errors:
            loaded = self._row(value, None)
            if not loader.store.errors:
                return loaded
            raise loader.nested_error(value, loaded)
        if not self._can_load or not loader.takes(value):
            return self._by_field(value)
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
        return self._field.deserialize(value, None, None, **self._keywords)

    def _begin(self) -> None:
        """Find the nested schema, and how values are loaded by it, if not by the field itself."""
        self._is_begun = True
        if self._is_found and self._stays:
            self._loader.begin_again()
            return
        field = self._field
        schema = field.schema
        self._is_found, self._row = True, None
        self._can_load = bool(schema.many or field.many) is bool(schema.many)
        if self._can_load:
            options = {"partial": self._keywords.get("partial"), "unknown": field.unknown}
            self._can_load = self._loader.find(field, schema, options)
        if not self._can_load:
            self._is_left_to_field = True
            return
        self._is_validated = has_validators(field)
        if not (self._is_validated or self._passes_session):
            self._row = self._loader.plain_row


class PluckLoader(NestedLoader):
    """Loads values of a ``Pluck`` field as its ``deserialize`` does, but for None."""

    _key: str | None = None

    def __call__(self, value: Any) -> Any:
        if value is None or value is missing or self._field.many:
            return super()._by_field(value)
        # As in stock: the nested schema first, then its field.
        if not (self._is_begun or self._is_left_to_field):
            self._begin()
        if self._is_left_to_field or not self._loader.takes({}):
            return super()._by_field(value)
        if self._key is None:
            self._key = self._field._field_data_key
        return super().__call__({self._key: value})

    def begin_again(self) -> None:
        super().begin_again()
        self._key = None

    def _by_field(self, value: Any) -> Any:
        return super()._by_field(value[self._key])


class ListLoader:
    """Loads values of a ``List`` of what loads by itself, as its ``deserialize``, but for None."""

    def __init__(self, outer: Any, field: Any, inner: Description) -> None:
        self._field = field
        self._inner = value_loader(outer, field.inner, inner)
        self._keywords = outer.keywords

    def begin_again(self) -> None:
        """Begin another load."""

    def end(self) -> None:
        """There is nothing to let go of."""

    def __call__(self, value: Any) -> Any:
        field, inner = self._field, self._inner
        if type(value) is not list:
            return field.deserialize(value, None, None, **self._keywords)
        none_stays = field.inner.allow_none
        result: list[Any] = []
        errors = {}
        for index, item in enumerate(value):
            try:
                result.append(None if item is None and none_stays else inner(item))
            except ValidationError as error:
                if error.valid_data is not None:
                    result.append(error.valid_data)
                errors[index] = error.messages
        if errors:
            raise ValidationError(errors, valid_data=result)
        if has_validators(field):
            field._validate(result)
        return result


class MakerLoader:
    """Loads values of a field by what its maker makes, or by the field's own method."""

    def __init__(self, outer: Any, field: Any, registered: Registered) -> None:
        self._outer = outer
        self._field = field
        self._registered = registered
        self._function: Function | None = None

    def begin_again(self) -> None:
        """Begin another load."""

    def end(self) -> None:
        """There is nothing to let go of."""

    def load(self, value: Any) -> Any:
        """Load a value that is not missing; raise ``Refused`` if the field itself must."""
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
            return refuse
        return function_of(self._registered, self._field, LoadCompiler(self._outer))

    def __call__(self, value: Any) -> Any:
        try:
            return self.load(value)
        except Refused:
            return self._field.deserialize(value, None, None, **self._outer.keywords)


class LoadCompiler:
    """``compiled``, as a maker is given it for loading; its owner's own ``load`` is not asked."""

    def __init__(self, load: Any, owner: Any = None) -> None:
        self._load = load
        self._owner = owner

    def __call__(self, inner: Any) -> Callable[[Any], Any]:
        """Return what loads by an inner field or schema, of which the class is enough."""
        if isinstance(inner, Field):
            return value_loader(self._load, inner)
        return self.with_options(as_schema(inner), {})

    def with_options(self, schema: Any, options: dict[str, Any]) -> Callable[[Any], Any]:
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
        self._is_found = False

    def end(self) -> None:
        self._loader.end()

    def __call__(self, data: Any) -> Any:
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
    "made": MakerLoader,
}
