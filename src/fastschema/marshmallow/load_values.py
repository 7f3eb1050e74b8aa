"""What loads values by itself: nested schemas, lists of those, what makers make.

A *value loader* is a function from a value to what the ``deserialize`` of a field makes of it, or
the ``load`` of a schema, without further arguments. It belongs to a schema in a load
(``outer``, a :class:`fastschema.marshmallow.load.SchemaLoad`) and finds what is nested when the
first value comes, once in each load: it compares the ``turn``. ``outer`` refers to none of them.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import lru_cache, partial
from types import SimpleNamespace
from typing import Any, NamedTuple

from marshmallow import EXCLUDE, INCLUDE, RAISE, ValidationError, missing
from marshmallow.fields import Field

from fastschema.compiler.nodes import Slot
from fastschema.compiler.source import GeneratedFunction
from fastschema.compiler.value_code import generate_load
from fastschema.marshmallow import load_fields
from fastschema.marshmallow.customization import STOCK_LOAD, overrides_load
from fastschema.marshmallow.makers import as_schema
from fastschema.marshmallow.sqlalchemy import pass_session, passes_session
from fastschema.marshmallow.validators import CUSTOM, has_validators
from fastschema.runtime.programs import CACHE_SIZE, OWN_METHOD, Description
from fastschema.runtime.registration import (
    Function,
    Refused,
    Registered,
    function_of,
    refuse,
    registered_for,
)

ValueLoader = Callable[[Any], Any]
"""From a value to what a field or a schema makes of it; it raises ``ValidationError``."""


def value_loader(outer: Any, field: Any, description: Description | None = None) -> ValueLoader:
    """Return what does with a value what a field's ``deserialize`` does."""
    if description is None:
        description = load_fields.describe(field)
    by_field = partial(field.deserialize, **outer.keywords)
    if load_fields.loads_by_itself(description):
        load = linked_loader(outer, field, description)
        return _or_by_field(load, by_field) if load_fields.is_by_maker(description) else load
    if description[0] == OWN_METHOD:
        return by_field
    checks = load_fields.describe_validators(field, description)
    generated = _value_function(description, checks, bool(field.allow_none))
    bound = SimpleNamespace(fields=[field], load_own=by_field, validate=field._validate)
    function: ValueLoader = generated.function(*[slot.resolve(bound) for slot in generated.slots])
    return function


def _or_by_field(load: ValueLoader, by_field: ValueLoader) -> ValueLoader:
    def load_value(value: Any) -> Any:
        try:
            return load(value)
        except Refused:
            pass  # what the field raises has nothing to do with it
        return by_field(value)

    return load_value


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


def linked_loader(outer: Any, field: Any, description: Description) -> ValueLoader:
    """Return what loads values of a field that loads by itself.

    Where a maker makes it, it raises ``Refused`` for what it leaves to the field.
    """
    _, _, sort, *options = description
    loader: ValueLoader = _LOADERS[sort](outer, field, *options)
    return loader


class NestedLoad(NamedTuple):
    """How data are loaded by a nested schema.

    :param load: loads data; it raises ``Refused`` for what it leaves to the schema's ``load``
    :param inner: the schema in this load, a ``SchemaLoad``; None: it loads by another way
    :param load_row: loads a dictionary between hooks; errors are left in ``inner``
    :param is_plain: whether that is all there is to do
    """

    load: Function
    inner: Any = None
    load_row: Any = None
    is_plain: bool = False


def _finder(
    outer: Any, *, is_super: bool = False
) -> Callable[[Any, dict[str, Any]], NestedLoad | None]:
    """Return what finds how a nested schema loads with some options; None if only itself knows.

    :param is_super: whether the schema's own ``load`` has called that of stock
    """
    before: NestedLoad | None = None
    made: tuple[Any, Registered, Function] | None = None

    def find(schema: Any, options: dict[str, Any]) -> NestedLoad | None:
        nonlocal before
        if not is_super and overrides_load(schema) is not None:
            return find_made(schema, options)
        if is_super and overrides_load(schema, besides_load=True) is not None:
            return NestedLoad(partial(STOCK_LOAD, schema, **options))
        partial_load, unknown = options.get("partial"), options.get("unknown")
        partial_load = schema.partial if partial_load is None else partial_load
        unknown = schema.unknown if unknown is None else unknown
        if type(unknown) is not str or unknown not in (RAISE, INCLUDE, EXCLUDE):
            return None
        before = outer.begin_nested(schema, partial_load, unknown, before)
        return before or NestedLoad(partial(outer.load_by_schema, schema, options))

    def find_made(schema: Any, options: dict[str, Any]) -> NestedLoad | None:
        nonlocal made
        is_given = any(option is not None for option in options.values())
        registered = None if is_given or schema.many else registered_for(schema, "load")
        if registered is None:
            return None
        if made is None or made[0] is not schema or made[1] is not registered:
            made = schema, registered, function_of(registered, schema, LoadCompiler(outer, schema))
        return NestedLoad(made[2])

    return find


def _nested(outer: Any, field: Any, *, is_plucked: bool = False) -> ValueLoader:
    """Return what loads values of a ``Nested`` field, or of a ``Pluck``."""
    by_field = partial(field.deserialize, **outer.keywords)
    find = _finder(outer)
    stays = outer.compiled.nested is not None
    takes_session = passes_session(type(field)._deserialize)
    turn = -1
    is_known = is_validated = False
    nested: NestedLoad | None = None
    schema = key = None

    def begin() -> None:
        nonlocal turn, is_known, is_validated, nested, schema, key
        turn, nested, schema = outer.turn, None, field.schema
        is_many = schema.many
        is_known = type(is_many) is bool and (is_many or not field.many)
        if is_known and not (is_plucked and is_many):
            options = {"partial": outer.keywords.get("partial"), "unknown": field.unknown}
            nested = find(schema, options)
        is_known = stays or nested is None
        is_validated = has_validators(field)
        if is_plucked and nested is not None:
            key = field._field_data_key

    def load_nested(value: Any) -> Any:
        if value is None or value is missing:
            return by_field(value)
        if turn != outer.turn and not is_known:
            begin()
        if nested is None:
            return by_field(value)
        data = {key: value} if is_plucked else value
        load, inner, load_row, is_plain = nested
        try:
            if takes_session:
                pass_session(field, schema)
            if is_plain and type(data) is dict and inner.store is None:
                loaded = load_row(data, None)
                if inner.store is not None:
                    inner.end(data, loaded)
            else:
                loaded = load(data)
        except ValidationError as error:
            raise ValidationError(error.messages, valid_data=error.valid_data) from error
        except Refused:
            pass
        else:
            if is_validated:
                field._validate(loaded)
            return loaded
        return by_field(value)

    return load_nested


def _list(outer: Any, field: Any, inner: Description) -> ValueLoader:
    """Return what loads values of a ``List`` of what loads by itself."""
    by_field = partial(field.deserialize, **outer.keywords)
    load_item = value_loader(outer, field.inner, inner)

    def load_list(value: Any) -> Any:
        if type(value) is not list:
            return by_field(value)
        none_stays = field.inner.allow_none
        result: list[Any] = []
        errors = {}
        for index, item in enumerate(value):
            try:
                result.append(None if item is None and none_stays else load_item(item))
            except ValidationError as error:
                if error.valid_data is not None:
                    result.append(error.valid_data)
                errors[index] = error.messages
        if errors:
            raise ValidationError(errors, valid_data=result)
        if has_validators(field):
            field._validate(result)
        return result

    return load_list


def _by_maker(outer: Any, field: Any, registered: Registered) -> ValueLoader:
    """Return what loads values of a field by what its maker makes."""
    function: Function | None = None

    def load_by_function(value: Any) -> Any:
        nonlocal function
        if function is None:
            compiled = LoadCompiler(outer)
            function = refuse if outer.partial else function_of(registered, field, compiled)
        if value is None:
            raise Refused
        loaded = function(value)
        if has_validators(field):
            field._validate(loaded)
        return loaded

    return load_by_function


_LOADERS: dict[str, Callable[..., ValueLoader]] = {
    "nested": _nested,
    "pluck": partial(_nested, is_plucked=True),
    "list": _list,
    "maker": _by_maker,
}


class LoadCompiler:
    """``compiled``, as a maker is given it for loading; its owner's own ``load`` is not asked."""

    def __init__(self, outer: Any, owner: Any = None) -> None:
        self._outer = outer
        self._owner = owner

    def __call__(self, inner: Any) -> ValueLoader:
        """Return what loads by an inner field or schema, of which the class is enough."""
        if isinstance(inner, Field):
            return value_loader(self._outer, inner)
        return self.with_options(as_schema(inner), {})

    def with_options(self, schema: Any, options: dict[str, Any]) -> ValueLoader:
        """Return what loads by a schema; the options may change from load to load."""
        outer = self._outer
        find = _finder(outer, is_super=schema is self._owner)
        turn = -1
        nested: NestedLoad | None = None

        def load_by_schema(data: Any) -> Any:
            nonlocal turn, nested
            if turn != outer.turn:
                turn, nested = outer.turn, find(schema, options)
            if nested is not None:
                try:
                    return nested.load(data)
                except Refused:
                    pass
            return schema.load(data, **options)

        return load_by_schema
