"""What makers make, for dumping: see :func:`fastschema.register`."""

from __future__ import annotations

from collections.abc import Callable
from functools import lru_cache
from typing import Any, NamedTuple

from marshmallow import Schema, missing
from marshmallow.fields import Field

from fastschema.compiler.kinds import ENGINE_NAMES
from fastschema.compiler.nodes import Form, Slot
from fastschema.compiler.source import GeneratedFunction
from fastschema.compiler.value_code import generate_dump
from fastschema.marshmallow.fields import NESTED, DumpPath, describe, kind
from fastschema.runtime.bound_program import NOT_FOUND, NestedDumper
from fastschema.runtime.programs import CACHE_SIZE, OWN_METHOD, Description
from fastschema.runtime.registration import Function, Refused, Registered, function_of

_NAMES = {"missing": missing, **ENGINE_NAMES}


class SchemaOf(NamedTuple):
    """Stands for a field in which a schema is nested."""

    schema: Any
    many: bool = False
    root: Any = None


class DumpCompiler:
    """``compiled``, as a maker is given it for dumping; its owner's own ``dump`` is not asked."""

    def __init__(self, bound: Any, owner: Any = None) -> None:
        self._bound = bound
        self._owner = owner
        self._nested: list[NestedDumper] = []

    def __call__(self, inner: Any) -> Callable[[Any], Any]:
        """Return what dumps by an inner field or schema, of which the class is enough."""
        if isinstance(inner, Field):
            return self._of_field(inner)
        schema = as_schema(inner)
        dumper = self._bound.schema_dumper(schema, is_super=schema is self._owner)
        self._nested.append(dumper)
        return lambda obj: dumper.dispatch[type(obj)](obj)

    def _of_field(self, field: Any) -> Callable[[Any], Any]:
        description = describe(field)
        if description == NESTED:
            dumper: NestedDumper = self._bound.nested_dumper(field, Form.PYTHON)
            self._nested.append(dumper)
            return dumper
        generated = _value_function(description)
        if generated is None:
            return lambda value: field._serialize(value, None, None)
        bound = self._bound.of_field(field)
        values = [slot.resolve(bound, None, Form.PYTHON) for slot in generated.slots]
        self._nested += [resolved for resolved in values if isinstance(resolved, NestedDumper)]
        dump: Callable[[Any], Any] = generated.function(*values)
        return dump

    def begin(self) -> None:
        for nested in self._nested:
            nested.found = NOT_FOUND

    def refresh(self) -> bool:
        in_use = [nested for nested in self._nested if nested.found is not NOT_FOUND]
        has_changed = [nested.dispatch.refresh() for nested in in_use]
        return any(has_changed)


def as_schema(inner: Any) -> Any:
    schema = inner() if isinstance(inner, type) and issubclass(inner, Schema) else inner
    if not isinstance(schema, Schema):
        raise TypeError(f"compiled() takes a field or a schema, not {inner!r}")
    return schema


@lru_cache(maxsize=CACHE_SIZE)
def _value_function(description: Description) -> GeneratedFunction | None:
    """Return what dumps values by a description; None if the field's own method does it best."""
    slots = [Slot("fields", lambda bound, cls, form: bound.fields)]
    if description[0] == OWN_METHOD:
        return None
    value_kind = kind(description, DumpPath.of_value(), slots)
    if any(slot.ambient is not None for slot in slots):
        return None  # that is looked up for each dump
    return generate_dump(value_kind, slots, _NAMES)


class MakerDumper(NestedDumper):
    """Dumps the values of a field by what its maker makes, or by the field's own method."""

    __slots__ = ("_compiled", "_field", "_function", "_registered")

    def __init__(self, field: Any, registered: Registered, compiled: DumpCompiler) -> None:
        self.found = NOT_FOUND
        self._field = field
        self._registered = registered
        self._compiled = compiled
        self._function: Function | None = None

    @property
    def dispatch(self) -> Any:
        return self

    def refresh(self) -> bool:
        return self._compiled.refresh()

    def __call__(self, value: Any, attribute: Any = None, obj: Any = None) -> Any:
        try:
            return self._begun()(value)
        except Refused:
            return self._field._serialize(value, attribute, obj)

    def of_object(self, attribute: Any, obj: Any) -> Any:
        """Dump an object, by a field that reads no attribute of it."""
        try:
            return self._begun()(obj)
        except Refused:
            return self._field._serialize(None, attribute, obj)

    def _begun(self) -> Function:
        function = self._function
        if self.found is NOT_FOUND:
            if function is None:
                function = function_of(self._registered, self._field, self._compiled)
                self._function = function
            self._compiled.begin()
            self.found = True
        assert function is not None
        return function


class MakerSchemaDump:
    """What a maker makes for a schema's own ``dump``."""

    def __init__(self, schema: Any, registered: Registered, compiled: DumpCompiler) -> None:
        self._schema = schema
        self._registered = registered
        self._compiled = compiled
        self._function = function_of(registered, schema, compiled)

    def is_of(self, schema: Any, registered: Registered) -> bool:
        """Return whether it was made for a schema, by what is registered now."""
        return self._schema is schema and self._registered is registered

    def begin(self) -> None:
        self._compiled.begin()

    def dump(self, obj: Any) -> Any:
        try:
            return self._function(obj)
        except Refused:
            return self._schema.dump(obj, many=False)
