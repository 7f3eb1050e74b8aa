"""``run_validation`` of serializers and of lists: by generated code, found for each class once."""

from __future__ import annotations

import functools
import inspect
from collections.abc import Callable
from contextlib import ExitStack
from types import CodeType, FunctionType
from typing import TYPE_CHECKING, Any, NamedTuple

from django.conf import settings
from django.core.exceptions import ValidationError as DjangoValidationError
from django.utils import timezone
from rest_framework import serializers
from rest_framework.exceptions import ValidationError
from rest_framework.fields import Field, empty
from rest_framework.serializers import (
    BaseSerializer,
    ListSerializer,
    ModelSerializer,
    Serializer,
    as_serializer_error,
)

from fastschema.compiler.nodes import UnreadableError
from fastschema.contrib.django.front_end.class_state import (
    Direction,
    SerializerClassState,
    class_state,
    follows_its_class,
    unseen_field,
)
from fastschema.contrib.django.front_end.customization import STOCK_FIELDS, own_classes
from fastschema.contrib.django.front_end.field_cloner import UNREAD_VALIDATORS
from fastschema.contrib.django.front_end.fields import inner_fields
from fastschema.contrib.django.front_end.made_fields import has_made_fields
from fastschema.contrib.django.front_end.read_around import VALIDATES
from fastschema.contrib.django.front_end.schema_reader import all_fields, field_mapping
from fastschema.contrib.django.input.batch_lookup import batch_lookups, refusing_duplicates
from fastschema.contrib.django.input.bulk_create import is_list_in_bulk
from fastschema.contrib.django.input.code import InputNode, InputProgram, generate
from fastschema.contrib.django.input.fields import OPTIONS, details, input_field
from fastschema.runtime.guard import Snapshot
from fastschema.runtime.patching import StockMethods, is_stock, overridden, stands_for, stock_method
from fastschema.runtime.programs import Program, programs
from fastschema.switch import is_disabled

if TYPE_CHECKING:
    from functools import cached_property
else:  # that of functools has a lock before Python 3.12, one for all objects
    from django.utils.functional import cached_property

STOCK_RUN_VALIDATION = stock_method(Serializer, "run_validation")
_STOCK_TO_INTERNAL_VALUE = stock_method(Serializer, "to_internal_value")
_STOCK_RAISE_ERRORS = stock_method(serializers, "raise_errors_on_nested_writes")
_STOCK_RUN_LIST_VALIDATION = stock_method(ListSerializer, "run_validation")
_OF_LISTS = {
    name: stock_method(ListSerializer, name)
    for name in ("run_child_validation", "to_internal_value")
}
STOCK: dict[str, Any] = {
    "run_validation": STOCK_RUN_VALIDATION,
    "to_internal_value": _STOCK_TO_INTERNAL_VALUE,
    "run_validators": stock_method(Serializer, "run_validators"),
}

_RELIED_ON = {name: stock_method(Serializer, name) for name in ("set_value", "_writable_fields")}
_EMPTY_VALUES = stock_method(Field, "validate_empty_values")
_VALIDATE = stock_method(Serializer, "validate")
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

    :param program: the program
    :param options: the exemplar's fields, for serializers that have made none; else []
    :param snapshot: what all fields were like
    :param details: what else they were like
    :param names: what a serializer must not have of its own
    :param is_whole: whether ``run_validation`` is stock's as a whole
    :param is_flat: whether it gives no values for other objects than the serializer's own
    :param has_validators: whether ``run_validators`` does anything
    :param has_validate: whether there is a ``validate``
    """

    program: InputProgram
    options: list[Any]
    snapshot: Snapshot
    details: list[Any]
    names: frozenset[str]
    is_whole: bool
    is_flat: bool
    has_validators: bool
    has_validate: bool

    def matches(self, fields: list[Any]) -> bool:
        """Return whether fields are what those were."""
        # First, as to ask for validators is to set them.
        return list(map(details, fields)) == self.details and self.snapshot.matches(fields)

    def run(self, serializer: Any, options: list[Any], own: OwnFields, data: Any) -> Any:
        """Return what ``run_validation`` does for a dictionary.

        :param options: fields like those of the serializer
        :param own: its own fields
        :raises ValidationError: as stock
        """
        value = self.program.generated().function(serializer, options, own, data)
        has_validators = self.has_validators_for(serializer)
        if has_validators or self.has_validate:
            return checked(serializer, value, has_validators=has_validators)
        return value

    def has_validators_for(self, serializer: Any) -> bool:
        """Return whether ``run_validators`` does anything for one of the serializers."""
        own = vars(serializer)
        return self.has_validators or UNREAD_VALIDATORS in own or bool(own.get("_validators"))


class OwnFields(dict[str, Any]):
    """The fields of a serializer that validates, by name: none is made before it is needed.

    :param serializer: the serializer
    """

    def __init__(self, serializer: Any) -> None:
        self._serializer = serializer

    def __missing__(self, name: str) -> Any:
        field = self[name] = unseen_field(self._serializer, name)
        return field

    @cached_property
    def nested(self) -> dict[str, RowValidator]:
        """Return what nested serializers do, by the names of their fields, each looked at once."""
        return {}

    def run_nested(self, name: str, data: Any) -> Any:
        """Return what ``run_validation`` of a nested serializer does.

        :param name: of its field
        :raises ValidationError: as stock
        """
        if type(data) is not dict:
            return self[name].run_validation(data)
        if name not in self.nested:
            self.nested[name] = RowValidator(self[name], 1)
        return self.nested[name].run(data)

    @cached_property
    def zone(self) -> Any:
        """Return the zone of fields without one: ``DateTimeField.default_timezone``."""
        return timezone.get_current_timezone() if settings.USE_TZ else None


class RowValidator:
    """Does what ``run_validation`` of a serializer does, for one object after the other.

    :param serializer: the serializer, at which it looks once
    :param count: how many objects there are at least
    """

    __slots__ = ("_found", "_own", "_runs_as_stock", "_serializer")

    def __init__(self, serializer: Any, count: int) -> None:
        self._serializer = serializer
        self._own = OwnFields(serializer)
        state = None if serializer.read_only else _state_if_compiled(serializer, count)
        self._found = None if state is None else _find(state, serializer)
        is_ours = type(serializer).run_validation is run_validation
        self._runs_as_stock = state is None and is_ours and "run_validation" not in vars(serializer)

    def run(self, data: Any) -> Any:
        """Return what ``run_validation`` does.

        :raises ValidationError: as stock
        """
        if type(data) is dict and self._found is not None:
            validation, options = self._found
            return validation.run(self._serializer, options, self._own, data)
        if self._runs_as_stock:
            return _run_as_stock(self._serializer, data)
        return self._serializer.run_validation(data)


def _run_as_stock(serializer: Any, data: Any) -> Any:
    """Return what DRF's own ``run_validation`` does, for a class that is not compiled.

    Its ``to_internal_value`` is not asked where that would only ask once more whether it is.

    :raises ValidationError: as stock
    """
    name = "to_internal_value"
    if type(serializer).to_internal_value is not to_internal_value or name in vars(serializer):
        return STOCK_RUN_VALIDATION(serializer, data)
    is_empty_value, data = serializer.validate_empty_values(data)
    if is_empty_value:
        return data
    return checked(serializer, _STOCK_TO_INTERNAL_VALUE(serializer, data))


def _state_if_compiled(serializer: Any, objects: int) -> SerializerClassState | None:
    """Count objects, and return the state of their serializer's class; None if stock validates.

    :param objects: how many objects are to be validated
    """
    if is_disabled():
        return None
    state = class_state(type(serializer))
    if state.has_unreadable_fields:
        return None
    state.count_by(serializer, objects)
    return state if state.is_worth_reading(objects) and state.refresh() else None


def find_validation(
    serializer: Any, objects: int = 1, *, is_whole: bool = True, is_pending: bool = False
) -> tuple[Validation, list[Any]] | None:
    """Count objects, and return how their serializer validates, and fields like its own.

    None if stock must validate them.

    :param objects: how many objects are to be validated
    :param is_whole: whether its ``run_validation`` must be stock's as a whole
    :param is_pending: whether it must not make fields
    """
    state = _state_if_compiled(serializer, objects)
    if state is None:
        return None
    return _find(state, serializer, is_whole=is_whole, is_pending=is_pending)


def _find(
    state: SerializerClassState, serializer: Any, *, is_whole: bool = True, is_pending: bool = False
) -> tuple[Validation, list[Any]] | None:
    cls = type(serializer)
    found = _find_of_pending(state, serializer) if state.is_in_use else None
    if found is None and not is_pending and is_readable(cls):
        if is_whole and not runs_as_a_whole(cls):
            return None  # before its fields are made
        found = _find_of_made(state, serializer)
    if found is None:
        return None
    validation, _ = found
    has_own_methods = not validation.names.isdisjoint(vars(serializer))
    return None if has_own_methods or (is_whole and not validation.is_whole) else found


def _find_of_pending(
    state: SerializerClassState, serializer: Any
) -> tuple[Validation, list[Any]] | None:
    """Return how a serializer validates whose fields nobody has looked at, by its class."""
    if has_made_fields(serializer) or not follows_its_class(serializer):
        return None
    found: Validation | None = state.pending(VALIDATING)
    return None if found is None else (found, found.options)


def _find_of_made(
    state: SerializerClassState, serializer: Any
) -> tuple[Validation, list[Any]] | None:
    """Return how a serializer validates by its own fields, which are made if they are not."""
    try:
        options = all_fields(serializer)
    except UnreadableError:
        state.has_unreadable_fields = True
        return None
    names = list(field_mapping(serializer))
    if [field.field_name for field in options] != names:
        return None  # somebody has renamed one
    found: Validation | None = state.of_made(VALIDATING, serializer, options)
    return None if found is None else (found, options)


def is_readable(cls: Any) -> bool:
    """Return whether the serializers of a class take input field by field, as DRF's do."""
    return (
        issubclass(cls, Serializer)
        and is_stock(cls.fields, STOCK_FIELDS)
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
    """Return how a serializer validates objects.

    :param fields: all of its fields
    :param options: see :class:`Validation`
    :raises UnreadableError: if only stock can say
    """
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
        frozenset([*_OF_CLASS, *[f"validate_{each.name}" for each in nodes]]),
        runs_as_a_whole(cls),
        not any(_is_of_another_object(fields[number]) for number in numbers),
        has_defaults or _has_validators(serializer),
        cls.validate is not _VALIDATE,
    )


VALIDATING = Direction("validate", all_fields, read_validation, VALIDATES)

_OF_CLASS = (
    *("validate", "get_validators", "validate_empty_values", "set_value"),
    *("run_validation", "to_internal_value", "run_validators"),
)


def _is_of_another_object(field: Any) -> bool:
    return isinstance(field, BaseSerializer) or len(field.source_attrs) > 1


def _has_method(cls: Any, name: str) -> bool:
    found = getattr(cls, name, None)
    if found is not None and not isinstance(found, FunctionType):
        raise UnreadableError(f"{name} is not a plain method")
    if found is not None and _uses_fields(cls):
        raise UnreadableError(f"{name} may change the fields that come after it")
    return found is not None


def _uses_fields(cls: Any) -> bool:
    """Return whether what ``validate_`` methods may call names ``fields``."""
    methods = [
        inspect.unwrap(getattr(method, "fget", method))
        for each in own_classes(cls)
        for name, method in vars(each).items()
        if not hasattr(ModelSerializer, name)  # what DRF calls, it calls before or after
    ]
    codes = [method.__code__ for method in methods if isinstance(method, FunctionType)]
    return any("fields" in _names_in(code) for code in codes)


def _names_in(code: CodeType) -> set[str]:
    """Return what code names, and the functions in it."""
    inner = [each for each in code.co_consts if isinstance(each, CodeType)]
    return set(code.co_names).union(*map(_names_in, inner))


def _has_validators(serializer: Any) -> bool:
    """Return whether ``run_validators`` does anything, but for defaults of read-only fields."""
    cls: Any = type(serializer)
    # What sees attributes that are set sees the validators, which stock sets on first use.
    are_own = cls.__setattr__ is not object.__setattr__ or any(
        not _MAKING_VALIDATORS.isdisjoint(vars(each)) for each in own_classes(cls)
    )
    return are_own or not runs_as_a_whole(cls) or bool(cls.get_validators(serializer))


def checked(serializer: Any, value: Any, *, has_validators: bool = True) -> Any:
    """Return what ``run_validation`` of a serializer, or of a list, makes of its fields' values.

    :param has_validators: whether ``run_validators`` does anything
    :raises ValidationError: as stock
    """
    try:
        if has_validators:
            serializer.run_validators(value)
        value = serializer.validate(value)
        assert value is not None, ".validate() should return the validated data"
    except (ValidationError, DjangoValidationError) as error:
        raise ValidationError(detail=as_serializer_error(error))  # noqa: B904  # as stock does
    return value


def run_validation(self: Any, data: Any = empty) -> Any:
    """Return what ``Serializer.run_validation`` does.

    :raises ValidationError: as stock
    """
    if type(data) is not dict or self.read_only:
        return STOCK_RUN_VALIDATION(self, data)
    state = _state_if_compiled(self, 1)
    if state is None:
        return _run_as_stock(self, data)
    found = _find(state, self)
    if found is None:
        return STOCK_RUN_VALIDATION(self, data)
    validation, options = found
    return validation.run(self, options, OwnFields(self), data)


def to_internal_value(self: Any, data: Any) -> Any:
    """Return what ``Serializer.to_internal_value`` does.

    :raises ValidationError: as stock
    """
    found = find_validation(self, 0, is_whole=False) if type(data) is dict else None
    if found is None:
        return _STOCK_TO_INTERNAL_VALUE(self, data)
    validation, options = found
    return validation.program.generated().function(self, options, OwnFields(self), data)


def raise_errors_on_nested_writes(method_name: str, serializer: Any, validated_data: Any) -> None:
    """Do what DRF's function of that name does.

    :raises AssertionError: as stock
    """
    if not has_made_fields(serializer) and isinstance(serializer, Serializer):
        found = find_validation(serializer, 0, is_whole=False, is_pending=True)
        if found is not None and found[0].is_flat:
            return
    _STOCK_RAISE_ERRORS(method_name, serializer, validated_data)


@functools.wraps(_STOCK_RUN_LIST_VALIDATION)
def run_list_validation(self: Any, data: Any = empty) -> Any:
    """Return what ``ListSerializer.run_validation`` does, or raise what it raises.

    It does not call stock's: DRF's warning of an old format of errors blames the caller that it
    finds a number of frames away.
    """
    is_empty_value, data = self.validate_empty_values(data)
    if is_empty_value:
        return data
    with ExitStack() as stack:
        has_rows = type(data) is list and any(type(row) is dict for row in data)
        if has_rows and _has_length_of(self, data) and has_stock_rows(self) and not is_disabled():
            # Looked at before anything stands in the place of validators.
            validate: Callable[[Any], Any] = RowValidator(self.child, len(data)).run
            if _may_look_up_at_once(self, data):
                unique = stack.enter_context(batch_lookups(self, data))
                validate = refusing_duplicates(unique, validate)
            own = vars(self)
            own["run_child_validation"] = validate  # past a __setattr__ of users' own
            stack.callback(own.pop, "run_child_validation", None)
        value = self.to_internal_value(data)
    return checked(self, value)


REPLACEMENTS = [
    (Serializer, "run_validation", STOCK_RUN_VALIDATION, run_validation),
    (Serializer, "to_internal_value", _STOCK_TO_INTERNAL_VALUE, to_internal_value),
    (ListSerializer, "run_validation", _STOCK_RUN_LIST_VALIDATION, run_list_validation),
    (
        serializers,
        "raise_errors_on_nested_writes",
        _STOCK_RAISE_ERRORS,
        raise_errors_on_nested_writes,
    ),
]
stands_for(run_validation, STOCK_RUN_VALIDATION)
stands_for(run_list_validation, _STOCK_RUN_LIST_VALIDATION)


def has_stock_rows(serializer: Any) -> bool:
    """Return whether a list serializer validates each row by its child, without code of users."""
    return overridden(serializer, _OF_LISTS) is None


def _may_look_up_at_once(serializer: Any, rows: list[Any]) -> bool:
    cls = type(serializer.child)
    return is_list_in_bulk(serializer) and is_readable(cls) and runs_as_a_whole(cls)


def _has_length_of(serializer: Any, rows: list[Any]) -> bool:
    """Return whether a list is not refused before its first row is looked at."""
    longest, shortest = serializer.max_length, serializer.min_length
    return (longest is None or len(rows) <= longest) and (shortest is None or len(rows) >= shortest)
