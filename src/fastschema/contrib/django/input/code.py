"""From what is known of a serializer's fields to the function that validates an object.

The function for a serializer with the fields ``name`` and ``age``, and a ``validate_name``::

    def validate_Person(serializer, options, own, data):
        values = {}
        errors = {}
        # 'name'
        value = data.get('name', empty)
        if value is not empty or not is_partial(serializer):
            try:
                if type(value) is str and (converted := value.strip()) and len(converted) <= 50:
                    value = converted
                else:
                    value = own['name'].run_validation(value)
                value = serializer.validate_name(value)
            except SkipField:
                pass
            except (ValidationError, DjangoValidationError) as error:
                errors['name'] = detail(error)
            else:
                values['name'] = value
        # 'age'
        ...
        if errors:
            raise ValidationError(errors)
        return values

It does what ``Serializer.to_internal_value`` does. ``options`` are fields like those of the
serializer; the methods of fields are those of its own: ``own['name']``.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, NamedTuple

from django.core.exceptions import ValidationError as DjangoValidationError
from rest_framework.exceptions import ValidationError
from rest_framework.fields import SkipField, empty, get_error_detail
from rest_framework.serializers import Serializer

from fastschema.compiler.nodes import fill, literal
from fastschema.compiler.source import GeneratedFunction, Lines, Names, branches, text_of
from fastschema.runtime.patching import stock_method
from fastschema.runtime.plain_values import is_lazy
from fastschema.runtime.programs import Program

_SET_VALUE = stock_method(Serializer, "set_value")


class InputConversion(NamedTuple):
    """What is done to a value of the usual class.

    :param kind: how reports name it
    :param accepts: the condition on values that are converted here, which may assign to
        ``converted``; "": there are none. ``$field`` is the field
    :param result: what such a value becomes; ``$own`` is the serializer's own field
    :param names: objects that the condition names
    :param has_more_validators: whether converted values go through ``run_validators``
    """

    kind: str
    accepts: str = ""
    result: str = "value"
    names: tuple[tuple[str, object], ...] = ()
    has_more_validators: bool = False


@dataclass(frozen=True, slots=True)
class InputField:
    """What is done to the value of one field.

    :param source_attrs: where the value is put
    :param skips: whether a missing value is left out; None: only the field's own method knows
    :param has_default: whether a missing value becomes the field's ``default`` as it is
    :param value: "get": the value is that of the key; "empty": it is never given; "own": the
        field's own method finds it
    :param has_method: whether the serializer has a ``validate_`` method for it
    :param reason: why its value is converted by its own method, or None if it is not
    """

    name: str
    source_attrs: tuple[str, ...]
    conversion: InputConversion
    is_nested: bool = False
    skips: bool | None = None
    has_default: bool = False
    none_stays: bool = False
    value: str = "get"
    has_method: bool = False
    reason: str | None = None


@dataclass(frozen=True, slots=True)
class InputNode:
    """What is done to the input of a serializer; ``numbers``: the places of fields among all."""

    name: str
    fields: tuple[InputField, ...]
    numbers: tuple[int, ...]


InputProgram = Program[InputNode, GeneratedFunction]
"""The program of a serializer that takes input."""


def is_partial(serializer: Any) -> bool:
    """Return whether keys may be missing, as DRF's fields ask for it."""
    return bool(getattr(_root(serializer), "partial", False))


def is_lazily_partial(serializer: Any) -> bool:
    """Return whether code of users says that, each time when stock asks."""
    return is_lazy(vars(_root(serializer)).get("partial"))


def _root(serializer: Any) -> Any:
    while serializer.parent is not None:
        serializer = serializer.parent
    return serializer


def detail(error: Any) -> Any:
    return error.detail if isinstance(error, ValidationError) else get_error_detail(error)


_OBJECTS: dict[str, object] = {
    "DjangoValidationError": DjangoValidationError,
    "SkipField": SkipField,
    "ValidationError": ValidationError,
    "detail": detail,
    "empty": empty,
    "is_partial": is_partial,
    "set_value": _SET_VALUE,
}


def generate(node: InputNode) -> GeneratedFunction:
    objects = _OBJECTS | {
        name: value for field in node.fields for name, value in field.conversion.names
    }
    name = Names(frozenset(objects)).unique(f"validate_{node.name}")
    body: Lines = ["values = {}", "errors = {}"]
    for number, field in zip(node.numbers, node.fields, strict=True):
        body += _field(field, f"options[{number}]")
    body += ["if errors:", ["raise ValidationError(errors)"], "return values"]
    text = text_of([f"def {name}(serializer, options, own, data):", body])
    return GeneratedFunction(name, name, text, objects)


def _field(field: InputField, options: str) -> Lines:
    name = literal(field.name)
    own_field = f"own[{name}]"
    value = {
        "get": f"data.get({name}, empty)",
        "empty": "empty",
        "own": f"{own_field}.get_value(data)",
    }[field.value]
    converted = _value(field, options, own_field)
    if field.has_method:
        converted.append(f"value = {_method(field.name)}(value)")
    validated: Lines = [
        "try:",
        converted,
        "except SkipField:",
        ["pass"],
        "except (ValidationError, DjangoValidationError) as error:",
        [f"errors[{name}] = detail(error)"],
        "else:",
        [_setting(field.source_attrs)],
    ]
    if field.skips is not None:
        is_given = "value is not empty"
        condition = is_given if field.skips else f"{is_given} or not is_partial(serializer)"
        validated = [f"if {condition}:", validated]
    return [f"# {name}", f"value = {value}", *validated]


def _method(field_name: str) -> str:
    name = f"validate_{field_name}"
    if name.isascii() and name.isidentifier():
        return f"serializer.{name}"
    return f"getattr(serializer, {literal(name)})"


def _value(field: InputField, options: str, own: str) -> Lines:
    """Return the lines that validate a value, but for the serializer's own method."""
    cases: list[tuple[str | None, Lines]] = []
    conversion = field.conversion
    if conversion.accepts:
        result = fill(conversion.result, own=own)
        lines: Lines = [] if result == "value" else [f"value = {result}"]
        if conversion.has_more_validators:
            lines.append(f"{own}.run_validators(value)")
        cases.append((fill(conversion.accepts, field=options), lines or ["pass"]))
    if field.has_default:
        cases.append(("value is empty", [f"value = {options}.default"]))
    if field.none_stays:
        cases.append(("value is None", ["pass"]))
    validation = f"value = {own}.run_validation(value)"
    if field.is_nested:
        validation = f"value = own.run_nested({literal(field.name)}, value)"
    return branches(*cases, (None, [validation]))


def _setting(source_attrs: tuple[str, ...]) -> str:
    if not source_attrs:
        return "values.update(value)"
    if len(source_attrs) == 1:
        return f"values[{literal(source_attrs[0])}] = value"
    keys = ", ".join(map(literal, source_attrs))
    return f"set_value(serializer, values, ({keys}), value)"
