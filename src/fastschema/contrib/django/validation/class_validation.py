"""How the serializers of a class validate objects: what is known of the class, for all of them."""

from __future__ import annotations

from types import FunctionType
from typing import Any, NamedTuple

from rest_framework.fields import Field, empty
from rest_framework.serializers import ModelSerializer, Serializer

from fastschema.compiler.nodes import UnreadableError
from fastschema.contrib.django.class_state import (
    KNOWN_FIELDS,
    ClassState,
    class_state,
    follows_its_class,
    has_made_fields,
)
from fastschema.contrib.django.clones import LATER
from fastschema.contrib.django.own_code import STOCK_CLASSES
from fastschema.contrib.django.schema_reader import field_mapping
from fastschema.contrib.django.validation.code import InputNode, InputProgram, input_program
from fastschema.contrib.django.validation.fields import input_field
from fastschema.runtime.guard import Guard
from fastschema.runtime.inspection import Inspection
from fastschema.runtime.programs import programs
from fastschema.runtime.stock import stock_method
from fastschema.switch import is_disabled

STOCK_RUN_VALIDATION = stock_method(Serializer, "run_validation")
STOCK_TO_INTERNAL_VALUE = stock_method(Serializer, "to_internal_value")
STOCK_RUN_VALIDATORS = stock_method(Serializer, "run_validators")

KNOWN: dict[str, set[Any]] = {
    "run_validation": {STOCK_RUN_VALIDATION},
    "to_internal_value": {STOCK_TO_INTERNAL_VALUE},
    "run_validators": {STOCK_RUN_VALIDATORS},
}
"""The methods as stock has them, and as installed."""

_RELIED_ON = {
    **{name: stock_method(Serializer, name) for name in ("set_value", "_writable_fields")},
    "__getattribute__": object.__getattribute__,
}
_EMPTY_VALUES = stock_method(Field, "validate_empty_values")
_VALIDATORS = stock_method(Field, "validators")
_RUN_FIELD_VALIDATORS = stock_method(Field, "run_validators")
_GET_VALIDATORS = (
    stock_method(Serializer, "get_validators"),
    stock_method(ModelSerializer, "get_validators"),
)
_VALIDATE = stock_method(Serializer, "validate")
_UNKNOWN: Any = object()
_MOST_READINGS = 4
_MOST_NAMES = 64
_MOST_FAILURES = 4


class Validation(NamedTuple):
    """How serializers with the same fields validate objects.

    :param program: the program
    :param guard: knows what it relies on
    :param options: the exemplar's fields, for serializers that have made none; else []
    :param validators: for each field that takes input, what its validators were like
    :param names: what a serializer must not have of its own
    :param is_whole: whether ``run_validation`` is stock's as a whole
    :param has_validators: whether ``run_validators`` does anything
    :param has_validate: whether there is a ``validate``
    """

    program: InputProgram
    guard: Guard
    options: list[Any]
    validators: list[Any]
    names: frozenset[str]
    is_whole: bool
    has_validators: bool
    has_validate: bool

    def holds(self, fields: list[Any]) -> bool:
        """Return whether fields of the same names are still like those that were read."""
        # First the validators: to ask for them is to set them.
        numbers = self.program.node.numbers
        return (
            all(
                _has_validators_like(fields[number], seen)
                for number, seen in zip(numbers, self.validators, strict=True)
            )
            and self.guard.objects_hold()
            and self.guard.fields_hold(fields)
            and self.guard.classes_hold()
        )


class _ClassValidation:
    """What is known of a class; it hangs on the class's state.

    :param state: the state
    """

    def __init__(self, state: ClassState) -> None:
        self._state = state
        self._pending: Validation | None = _UNKNOWN
        self._readings: dict[tuple[str, ...], list[Validation]] = {}
        self._failures = 0

    def pending(self) -> Validation | None:
        """Return how serializers validate that have made no fields; None if they must make them."""
        known = self._pending
        if known is _UNKNOWN or (known is not None and not known.guard.classes_hold()):
            known = self._pending = self._new_pending()
        return known

    def _new_pending(self) -> Validation | None:
        serializer = self._state.new_exemplar_serializer()
        if serializer is None:
            return None
        fields = list(field_mapping(serializer).values())
        try:
            found = read_validation(serializer, fields)
        except UnreadableError:
            return None
        if not found.guard.is_lasting:
            return None
        found.program.hold(self._state)
        return found._replace(options=fields)

    def made(self, serializer: Any, fields: list[Any]) -> Validation | None:
        """Return how a serializer validates that has made its fields; None if stock must.

        :param fields: its fields
        """
        names = tuple([field.field_name for field in fields])
        known = self._readings.get(names, [])
        for each in known:
            if each.holds(fields):
                return each
        has_room = len(known) < _MOST_READINGS and (known or len(self._readings) < _MOST_NAMES)
        if not has_room or self._failures >= _MOST_FAILURES:
            return None
        self._state.watch()
        try:
            found = read_validation(serializer, fields)
        except UnreadableError:
            self._failures += 1
            return None
        if not found.guard.is_lasting:
            self._failures += 1
            return None
        found.program.hold(self._state)
        self._readings[names] = [*known, found]
        return found


def find_validation(
    serializer: Any, objects: int = 1, *, is_whole: bool = True
) -> tuple[Validation, list[Any]] | None:
    """Return how a serializer validates, and fields like its own; None if stock must.

    :param objects: how many objects are to be validated
    :param is_whole: whether its ``run_validation`` must be stock's as a whole
    """
    cls = type(serializer)
    if is_disabled():
        return None
    state = class_state(cls)
    if not state.is_in_use(objects) or not state.is_current():
        return None
    known = state.validation
    if known is None:
        known = state.validation = _ClassValidation(state)
    own = vars(serializer)
    found: Validation | None = None
    if not has_made_fields(serializer) and follows_its_class(serializer):
        found = known.pending()
    if found is not None:
        options = found.options
    elif not is_readable(cls) or (is_whole and not runs_as_a_whole(cls)):
        return None  # before its fields are made
    else:
        options = list(field_mapping(serializer).values())
        found = known.made(serializer, options)
    if found is None or not found.names.isdisjoint(own) or (is_whole and not found.is_whole):
        return None
    return found, options


def is_readable(cls: Any) -> bool:
    """Return whether the serializers of a class take input field by field, as DRF's do."""
    return (
        issubclass(cls, Serializer)
        and cls.fields in KNOWN_FIELDS
        and all(getattr(cls, name) is method for name, method in _RELIED_ON.items())
        and not hasattr(cls, "__getattr__")
    )


def runs_as_a_whole(cls: Any) -> bool:
    """Return whether ``run_validation`` and all that it calls are DRF's."""
    return cls.validate_empty_values is _EMPTY_VALUES and all(
        getattr(cls, name) in known for name, known in KNOWN.items()
    )


def read_validation(serializer: Any, fields: list[Any]) -> Validation:
    """Return how a serializer validates objects.

    :param fields: all of its fields
    :raises UnreadableError: if only stock can say
    """
    cls = type(serializer)
    if not is_readable(cls):
        raise UnreadableError("it has its own way to validate a row")
    if any(field.parent is not serializer for field in fields):
        raise UnreadableError("its fields belong to another serializer")
    guard = Guard(STOCK_CLASSES)
    try:
        return _read_validation(serializer, fields, guard)
    except UnreadableError:
        raise
    except Exception as error:
        raise UnreadableError(f"it cannot be read: {error}") from error


def _read_validation(serializer: Any, fields: list[Any], guard: Guard) -> Validation:
    cls = type(serializer)
    nodes, numbers, validators = [], [], []
    has_defaults = False
    for number, field in enumerate(fields):
        if not field.read_only:
            validators.append(_like_validators(field))
        look = Inspection.of_field(field, guard)
        if look.get("read_only"):
            look.get("field_name")
            look.is_given("default")
            has_defaults |= field.default is not empty
            continue
        look.get("source")
        has_method = _has_method(cls, f"validate_{field.field_name}", guard)
        nodes.append(input_field(look, has_method=has_method))
        numbers.append(number)
    for name in ("validate_empty_values", *KNOWN):
        guard.class_attribute(cls, name, getattr(cls, name))
    node = InputNode(cls.__name__, tuple(nodes), tuple(numbers))
    methods = [f"validate_{each.name}" for each in nodes]
    return Validation(
        programs.get(node, lambda: input_program(node)),
        guard,
        [],
        validators,
        frozenset([*_OF_CLASS, *methods]),
        runs_as_a_whole(cls),
        has_defaults or _has_validators(serializer, guard),
        _has_own(cls, "validate", _VALIDATE, guard),
    )


_OF_CLASS = (
    *("validate", "validators", "get_validators", "validate_empty_values"),
    *("run_validation", "to_internal_value", "run_validators", "set_value", "run_child_validation"),
)


def _has_method(cls: Any, name: str, guard: Guard) -> bool:
    found = getattr(cls, name, None)  # the class is watched: it may get one
    if found is None:
        return False
    if not isinstance(found, FunctionType):
        raise UnreadableError(f"{name} is no plain method")
    guard.class_attribute(cls, name, found)
    return True


def _has_own(cls: Any, name: str, stock: Any, guard: Guard) -> bool:
    """Return whether a class has another attribute than stock's."""
    found = getattr(cls, name)
    guard.class_attribute(cls, name, found)
    return found is not stock




def _has_validators(serializer: Any, guard: Guard) -> bool:
    """Return whether ``run_validators`` does anything, but for defaults of read-only fields."""
    cls = type(serializer)
    for name in ("validators", "get_validators"):
        guard.class_attribute(cls, name, getattr(cls, name))
    is_stock = (
        cls.run_validators in KNOWN["run_validators"]
        and super(Serializer, serializer).run_validators.__func__ is _RUN_FIELD_VALIDATORS
        and cls.validators is _VALIDATORS
        and cls.get_validators in _GET_VALIDATORS
    )
    return not is_stock or bool(cls.get_validators(serializer))


def _like_validators(field: Any) -> Any:
    """Return what tells whether a field has validators like those of another one."""
    later = vars(field).get(LATER)
    if later is not None:
        return later  # a clone, whose validators nobody has looked at
    return [(type(each), getattr(each, "limit_value", None)) for each in field.validators]


def _has_validators_like(field: Any, seen: Any) -> bool:
    found = _like_validators(field)
    if found is seen or type(found) is type(seen):
        return bool(found is seen or found == seen)
    return False
