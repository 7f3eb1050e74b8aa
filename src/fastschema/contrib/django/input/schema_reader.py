"""Reading how a serializer validates: a node of its fields, and what else there is to know."""

from __future__ import annotations

import inspect
from types import CodeType, FunctionType, NoneType
from typing import Any, NamedTuple

from rest_framework.fields import Field, empty
from rest_framework.serializers import BaseSerializer, ModelSerializer, Serializer

from fastschema.compiler.nodes import UnreadableError
from fastschema.contrib.django.front_end.bypassed import VALIDATES
from fastschema.contrib.django.front_end.customization import own_classes, why_fields_are_own
from fastschema.contrib.django.front_end.field_maker import computes_options
from fastschema.contrib.django.front_end.fields import inner_fields
from fastschema.contrib.django.front_end.record import Direction
from fastschema.contrib.django.front_end.schema_reader import all_fields
from fastschema.contrib.django.input.code import InputNode, InputProgram, generate
from fastschema.contrib.django.input.fields import OPTIONS, details, input_field
from fastschema.runtime.guard import Snapshot
from fastschema.runtime.patching import StockMethods, is_stock, stock_method
from fastschema.runtime.plain_values import are_same
from fastschema.runtime.programs import Program, programs

STOCK: dict[str, Any] = {
    name: stock_method(Serializer, name)
    for name in ("run_validation", "to_internal_value", "run_validators")
}
_RELIED_ON = {name: stock_method(Serializer, name) for name in ("set_value", "_writable_fields")}
_EMPTY_VALUES = stock_method(Field, "validate_empty_values")
_STOCK_VALIDATE = stock_method(Serializer, "validate")
_RUN_VALIDATORS = StockMethods(
    [
        *[(cls, "run_validators") for cls in (Field, BaseSerializer)],
        *[(Serializer, name) for name in ("validators", "get_validators", "_read_only_defaults")],
    ]
)
"""What ``Serializer.run_validators`` calls."""
_MAKING_VALIDATORS = frozenset(
    [
        *("validators", "get_validators", "run_validators", "_read_only_defaults"),
        *("get_unique_together_validators", "get_unique_for_date_validators"),
    ]
)
"""What a class has of its own only if its serializers are validated in its own way."""


class Validation(NamedTuple):
    """How serializers with the same fields validate objects.

    :param options: the exemplar's fields, for serializers that have made none; else []
    :param snapshot: what all fields were like
    :param details: what else they were like
    :param names: what a serializer must not have of its own
    :param is_whole: whether ``run_validation`` is stock's as a whole
    :param has_validators: whether ``run_validators`` does anything
    """

    program: InputProgram
    options: list[Any]
    snapshot: Snapshot
    details: list[Any]
    names: frozenset[str]
    is_whole: bool
    has_validators: bool
    has_validate: bool

    def matches(self, fields: list[Any]) -> bool:
        try:
            # First, as to ask for validators is to set them.
            is_alike = are_same(list(map(details, fields)), self.details)
        except Exception:
            return False  # an attribute that is gone
        return is_alike and self.snapshot.matches(fields)


def is_readable(cls: Any) -> bool:
    """Return whether the serializers of a class take input field by field, as DRF's do."""
    return (
        issubclass(cls, Serializer)
        and why_fields_are_own(cls) is None
        and all(getattr(cls, name) is method for name, method in _RELIED_ON.items())
    )


def runs_as_a_whole(cls: Any) -> bool:
    """Return whether ``run_validation`` and all that it calls are DRF's."""
    return (
        cls.validate_empty_values is _EMPTY_VALUES
        and _RUN_VALIDATORS.are_stock()
        and all(is_stock(getattr(cls, name), stock) for name, stock in STOCK.items())
    )


def read_validation(serializer: Any, fields: list[Any], options: list[Any]) -> Validation:
    """Return how a serializer validates objects; raise UnreadableError if only stock can say."""
    cls = type(serializer)
    if not is_readable(cls):
        raise UnreadableError("it overrides how a row is validated")
    if any(field.parent is not serializer for field in fields):
        raise UnreadableError("its fields belong to another serializer")
    try:
        return _read_validation(serializer, fields, options)
    except UnreadableError:
        raise
    except Exception as error:
        raise UnreadableError(f"it cannot be read: {error}") from error


def _read_validation(serializer: Any, fields: list[Any], options: list[Any]) -> Validation:
    cls = type(serializer)
    numbers = [number for number, field in enumerate(fields) if not field.read_only]
    seen = list(map(details, fields))
    snapshot = Snapshot(fields, OPTIONS, inner_fields)
    nodes = [
        input_field(fields[number], has_method=_has_method(cls, f"validate_{name}"))
        for number in numbers
        for name in [fields[number].field_name]
    ]
    node = InputNode(cls.__name__, tuple(nodes), tuple(numbers))
    has_defaults = any(field.read_only and field.default is not empty for field in fields)
    return Validation(
        programs.get(node, lambda: Program(node, generate)),
        options,
        snapshot,
        seen,
        frozenset([*_OF_CLASS, *[f"validate_{field_node.name}" for field_node in nodes]]),
        runs_as_a_whole(cls),
        has_defaults or _has_validators(serializer),
        cls.validate is not _STOCK_VALIDATE,
    )


VALIDATE = Direction("validate", all_fields, read_validation, VALIDATES)

_OF_CLASS = (
    *("validate", "validate_empty_values", "set_value", "run_validation", "to_internal_value"),
    *("Meta", *_MAKING_VALIDATORS),
)


def _has_method(cls: Any, name: str) -> bool:
    method = getattr(cls, name, None)
    if method is not None and type(method) is not FunctionType:
        raise UnreadableError(f"{name} is not a plain method")
    if method is not None and _uses_fields(cls):
        raise UnreadableError(f"{name} may change the fields that come after it")
    return method is not None


def _uses_fields(cls: Any) -> bool:
    """Return whether what ``validate_`` methods may call names ``fields``."""
    methods = [
        inspect.unwrap(getattr(method, "fget", method))
        for base in own_classes(cls)
        for name, method in vars(base).items()
        if not hasattr(ModelSerializer, name)  # what DRF calls, it calls before or after
    ]
    codes = [method.__code__ for method in methods if type(method) is FunctionType]
    return any("fields" in _names_in(code) for code in codes)


def _names_in(code: CodeType) -> set[str]:
    inner = [constant for constant in code.co_consts if type(constant) is CodeType]
    return set(code.co_names).union(*map(_names_in, inner))


def _has_validators(serializer: Any) -> bool:
    """Return whether ``run_validators`` does anything, but for defaults of read-only fields."""
    cls: Any = type(serializer)
    meta = getattr(cls, "Meta", None)
    if type(getattr(meta, "validators", None)) not in (list, tuple, NoneType):
        return True
    if meta is not None and computes_options(meta):
        return True  # stock looks at them when it makes the validators of a serializer
    # What sees attributes that are set sees the validators, which stock sets on first use.
    are_own = cls.__setattr__ is not object.__setattr__ or any(
        not _MAKING_VALIDATORS.isdisjoint(vars(base)) for base in own_classes(cls)
    )
    return are_own or not runs_as_a_whole(cls) or bool(cls.get_validators(serializer))
