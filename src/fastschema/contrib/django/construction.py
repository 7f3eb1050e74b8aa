"""The fields of a serializer class, made once for all serializers that would make the same.

DRF makes the fields of each serializer anew: it copies the declared ones and derives the others
from the model. For a page of rows that takes as long as dumping them, for a single object many
times as long. Dumping reads only a few options of them. So for classes whose fields depend on
nothing but the class, they are made once more, from no request and no context, and kept on the
class: the *blueprint*. The serializer's own fields are made when somebody asks for them, be it the
generated code (a value that only the field's own method can represent) or a user.

A guard knows what the fields depend on: the methods that make them, the declared fields and their
arguments, ``Meta``, the model's fields. Fields and serializers with an ``__init__`` of their own
run users' code when they are made, so classes that declare some have no blueprint.
"""

from __future__ import annotations

import contextlib
import datetime
import decimal
import weakref
from collections.abc import Iterable, Iterator
from types import FunctionType
from typing import Any

from django.db import models
from django.utils.functional import Promise
from rest_framework import fields, serializers
from rest_framework.settings import api_settings
from rest_framework.utils.field_mapping import ClassLookupDict

from fastschema.compiler.nodes import UnreadableError
from fastschema.contrib.django.later_fields import has_made_fields
from fastschema.contrib.django.schema_reader import read
from fastschema.runtime.guard import CLASS_ATTRIBUTE, Guard, readings
from fastschema.runtime.programs import DumpProgram

_ABOUT_OTHER_THINGS = frozenset(
    [
        "_declared_fields",
        "_read_only_defaults",
        "_writable_fields",
        "create",
        "data",
        "default_error_messages",
        "errors",
        "get_initial",
        "get_unique_for_date_validators",
        "get_unique_together_validators",
        "get_validators",
        "get_value",
        "run_validation",
        "set_value",
        "to_internal_value",
        "to_representation",
        "update",
        "validate",
    ]
)
"""What stock's serializers have that does not decide which fields they have."""
_STOCK_SERIALIZERS = (
    serializers.HyperlinkedModelSerializer,
    serializers.ModelSerializer,
    serializers.Serializer,
)
_META = ("model", "fields", "exclude", "read_only_fields", "extra_kwargs", "depth")
_FIELD_METHODS = frozenset(
    [
        "__annotations__",
        "__dict__",
        "__doc__",
        "__firstlineno__",
        "__module__",
        "__qualname__",
        "__static_attributes__",
        "__weakref__",
        "default_empty_html",
        "default_validators",
        "initial",
        "run_validators",
        "validate_empty_values",
    ]
)
"""What field classes of users may have besides :data:`_ABOUT_OTHER_THINGS`."""
_REPRESENTING = frozenset(
    [
        "default_timezone",
        "display_value",
        "enforce_timezone",
        "get_attribute",
        "get_object",
        "get_queryset",
        "get_url",
        "quantize",
        "use_pk_only_optimization",
    ]
)
"""Methods that do not make a field. Whether they are overridden is asked when it is read."""
_FIELD_ATTRIBUTES = (
    frozenset(vars(fields.Field())) | frozenset(dir(serializers.ListSerializer))
) - {"Meta"}
"""What nested serializers of users may not have of their own, unless it is one of those."""
_NOT_DUMPED = frozenset(
    ["error_messages", "help_text", "initial", "label", "queryset", "style", "validators"]
)
"""Arguments of fields that do not matter to what they give."""
_FIXED = (
    str,
    int,
    float,
    bool,
    type(None),
    decimal.Decimal,
    datetime.tzinfo,
    type,
    FunctionType,
    Promise,
)
_TRIES = 4


class _UnfitError(Exception):
    """A class whose fields depend on more than can be written down."""


class Blueprint:
    """What all serializers of a class would make, and read as.

    :param cls: the class
    :raises _UnfitError: if the fields depend on more than a guard can know
    :raises UnreadableError: if they cannot be compiled
    :raises Exception: whatever is wrong with the class
    """

    __slots__ = ("_declared", "_guard", "_reading_guard", "fields", "made", "objects", "program")

    def __init__(self, cls: Any) -> None:
        self._guard = Guard()
        self._declared = list(cls._declared_fields.items())
        _look_at_class(cls, self._guard)
        serializer = fields.Field.__new__(cls)
        serializers.BaseSerializer.__init__(serializer)
        made = list(serializer.fields.fields.values())
        for field in made:
            _refuse_paths(field)
        self.fields: list[Any] = [field for field in made if not field.write_only]
        """The fields that are dumped. They belong to no serializer: read their options only."""
        guard = Guard()
        self.program: DumpProgram = read(serializer, self.fields, guard)
        if not guard.is_lasting:
            raise _UnfitError("an option of a field is computed")
        for field in made:
            # A class that is thrown away must not live on through its blueprint.
            field.parent = None
        self._reading_guard = guard
        self.objects = 0
        """How many serializers were to represent one object, or a few."""
        self.made = 0
        """How often a serializer's own fields were made all the same."""

    def pays_for_few(self) -> bool:
        """Whether a few objects are represented without the serializer's own fields, mostly."""
        return 2 * self.made <= self.objects or self.objects < _TRIES

    def holds(self, cls: Any) -> bool:
        """Whether serializers of the class would still make the same fields."""
        return (
            list(cls._declared_fields.items()) == self._declared
            and self._guard.objects_hold()
            and self._guard.classes_hold()
            and self._reading_guard.classes_hold()
        )


class _ClassState:
    """What is known of a serializer class; it hangs on the class."""

    __slots__ = ("_owner", "blueprint", "first", "generation", "tries")

    def __init__(self, cls: type) -> None:
        self._owner = weakref.ref(cls)
        self.blueprint: Blueprint | None = None
        self.generation = readings.current
        self.first: weakref.ref[Any] | None = None
        self.tries = 0

    def belongs_to(self, cls: type) -> bool:
        """Whether it is known of this class: one may be made of the attributes of another."""
        return self._owner() is cls and self.generation is readings.current


def runs_as_stock(cls: type) -> bool:
    """Whether a single object of a serializer class is known not to be worth more than a look."""
    state = cls.__dict__.get(CLASS_ATTRIBUTE)
    if type(state) is not _ClassState or not state.belongs_to(cls):
        return False
    blueprint = state.blueprint
    return state.tries == _TRIES if blueprint is None else not blueprint.pays_for_few()


def blueprint_of(serializer: Any, *, is_few: bool = False) -> Blueprint | None:
    """The blueprint of a serializer's class, or None if only the serializer can make its fields.

    :param is_few: whether a few objects are to be represented, for which it may not pay
    """
    if not makes_fields_as_its_class_says(serializer):
        return None
    cls = type(serializer)
    state = cls.__dict__.get(CLASS_ATTRIBUTE)
    if type(state) is not _ClassState or not state.belongs_to(cls):
        state = _ClassState(cls)
        type.__setattr__(cls, CLASS_ATTRIBUTE, state)
    blueprint = state.blueprint
    if blueprint is not None:
        if is_few and not blueprint.pays_for_few():
            return None
        if blueprint.holds(cls):
            return blueprint
        state.blueprint = None
    # The first serializer of a class makes its own fields: there may be no second one.
    if state.first is None:
        state.first = weakref.ref(serializer)
    if state.first() is serializer or state.tries == _TRIES:
        return None
    state.tries += 1
    try:
        state.blueprint = Blueprint(cls)
    except (_UnfitError, UnreadableError):
        state.tries = _TRIES
    except Exception:
        return None  # there is no blueprint; what is wrong with the class, stock will say
    return state.blueprint


def makes_fields_as_its_class_says(serializer: Any) -> bool:
    """Whether a serializer has not made its fields yet, and has nothing of its own to make them."""
    own = vars(serializer)
    if has_made_fields(serializer) or not _DECIDING_ON_ITSELF.isdisjoint(own):
        return False
    url_name = own.get("url_field_name")
    return url_name is None or url_name == api_settings.URL_FIELD_NAME


def with_url_name(serializer: Any) -> Any:
    """A serializer that has a blueprint, with what making its fields sets besides them."""
    if isinstance(serializer, serializers.ModelSerializer) and serializer.url_field_name is None:
        serializer.url_field_name = api_settings.URL_FIELD_NAME
    return serializer


def _look_at_class(cls: Any, guard: Guard) -> None:
    """Tell a guard all that the fields of a serializer class depend on.

    :raises _UnfitError: if that cannot be done
    """
    stock: Any = next(each for each in _STOCK_SERIALIZERS if issubclass(cls, each))
    for name in sorted((_DECIDING - {"Meta", "_declared_fields"}) & set(dir(stock))):
        value = getattr(stock, name)
        if getattr(cls, name) is not value:
            raise _UnfitError(name)
        guard.class_attribute(cls, name, value)
    for _, field in cls._declared_fields.items():
        _look_at_field(field, guard)
    if issubclass(cls, serializers.ModelSerializer):
        guard.contents(cls.serializer_field_mapping)
        guard.computed(api_settings, "URL_FIELD_NAME", api_settings.URL_FIELD_NAME)
        guard.class_attribute(cls, "Meta", cls.Meta)
        _look_at_model(cls.Meta, guard)


def _look_at_field(field: Any, guard: Guard) -> None:
    """A declared field: how it is made, and of what."""
    cls = type(field)
    _look_at_field_class(cls)
    guard.class_attribute(cls, "__init__", cls.__init__)
    guard.attribute(vars(field), "_args")
    guard.attribute(vars(field), "_kwargs")
    guard.contents(field._kwargs)
    _look_at_values(enumerate(field._args), guard)
    _look_at_values(
        ((key, value) for key, value in field._kwargs.items() if key not in _NOT_DUMPED), guard
    )


def _refuse_paths(field: Any) -> None:
    """Refuse fields, as they were made, whose making looks at the file system."""
    if isinstance(field, fields.FilePathField):
        raise _UnfitError("the directory is read for each serializer")
    for name in ("child", "child_relation"):
        inner = getattr(field, name, None)
        if isinstance(inner, fields.Field):
            _refuse_paths(inner)


def _look_at_field_class(cls: Any) -> None:
    """The class of a field: users' own may only have what neither makes nor describes a field.

    :raises _UnfitError: if it has more
    """
    stock = [base for base in cls.__mro__ if base.__module__.startswith("rest_framework.")]
    for base in cls.__mro__[:-1]:
        if base in stock:
            continue
        is_serializer = issubclass(base, serializers.BaseSerializer)
        for name, value in vars(base).items():
            if name in _FIELD_METHODS or name in _ABOUT_OTHER_THINGS:
                continue
            if is_serializer:
                is_fit = name not in _FIELD_ATTRIBUTES
            else:
                is_fit = name in _REPRESENTING or _is_unknown_method(name, value, stock[0])
            if not is_fit:
                raise _UnfitError(name)


def _is_unknown_method(name: str, value: Any, stock: type) -> bool:
    """Whether it is a method of a name that stock does not have: nothing of stock's calls it.

    :param stock: the nearest stock class of the field
    """
    is_method = isinstance(value, (FunctionType, staticmethod, classmethod))
    is_unknown = not (name.startswith("__") or name in _FIELD_ATTRIBUTES or hasattr(stock, name))
    return is_method and is_unknown


def _look_at_values(values: Iterable[tuple[Any, Any]], guard: Guard) -> None:
    """Values that a field is made of; those that can change in place must be as they were."""
    for key, value in values:
        if isinstance(value, fields.Field):
            _look_at_field(value, guard)
        elif type(value) in (list, tuple, dict):
            if not all(isinstance(each, _FIXED) for each in _flat(value)):
                raise _UnfitError(str(key))
            guard.nested_contents(value)
        elif not isinstance(value, _FIXED):
            raise _UnfitError(str(key))


def _flat(value: Any) -> Iterator[Any]:
    """All that is in nested lists, tuples and dictionaries."""
    if type(value) is dict:
        value = [*value, *value.values()]
    if type(value) not in (list, tuple):
        yield value
        return
    for each in value:
        yield from _flat(each)


def _look_at_model(meta: Any, guard: Guard) -> None:
    """``Meta`` of a model serializer, and its model."""
    if getattr(meta, "depth", 0):
        raise _UnfitError("nested serializers are classes made anew for each serializer")
    for name in _META:
        value = getattr(meta, name, None)
        if isinstance(value, (list, dict)):
            if not all(isinstance(each, _FIXED) for each in _flat(value)):
                raise _UnfitError(name)
            guard.nested_contents(value)
        if hasattr(meta, name):
            guard.class_attribute(meta, name, value)
        else:
            guard.attribute(vars(meta), name)
    options = meta.model._meta.concrete_model._meta
    for name in ("fields", "many_to_many", "related_objects"):
        guard.computed(options, name, getattr(options, name))
    for field in [*options.fields, *options.many_to_many]:
        _look_at_model_field(field, guard)


def _look_at_model_field(field: Any, guard: Guard) -> None:
    remote = field.remote_field
    if remote is not None and getattr(remote, "limit_choices_to", None):
        raise _UnfitError("a manager of the user's is asked for each serializer")
    _look_at_mapped_class(field)
    if field.choices:
        if type(field.choices) not in (list, tuple):
            raise _UnfitError("choices are a function")
        guard.nested_contents(field.choices)
        guard.computed(field, "choices", field.choices)
    if isinstance(field, models.DecimalField):
        for name in ("max_digits", "decimal_places"):
            guard.attribute(vars(field), name)


def _look_at_mapped_class(field: Any) -> None:
    """The class that stands for a model's field: the mapping may have got some of users' own."""
    mapping = ClassLookupDict(serializers.ModelSerializer.serializer_field_mapping)
    # Those of an array, too, which have fields inside of them.
    while field is not None:
        with contextlib.suppress(KeyError):  # a ModelField stands for what is not in it
            cls = mapping[field]
            if not cls.__module__.startswith("rest_framework."):
                _look_at_field_class(cls)
        field = getattr(field, "base_field", None)


_DECIDING = frozenset(
    name
    for stock in _STOCK_SERIALIZERS
    for name in vars(stock)
    if not name.startswith("__") and name not in _ABOUT_OTHER_THINGS
) | {"Meta", "_declared_fields"}
"""The names that decide which fields a serializer has, be they on its class or set on itself."""
_DECIDING_ON_ITSELF = _DECIDING - {"fields", "url_field_name"}
"""Those that may not be set on a serializer itself; making its fields sets the others."""
