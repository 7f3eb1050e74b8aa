"""The fields of a serializer class, made once for all serializers that would make the same.

DRF makes the fields of each serializer anew: it copies the declared ones and derives the others
from the model. For a page of rows that takes as long as dumping them, for a single object many
times as long. Dumping reads only a few options of them. So for classes whose fields depend on
nothing but the class, they are made once more, from no request and no context, and kept: the
*blueprint*. The serializer's own fields are made when somebody asks for them, be it the generated
code (a value that only the field's own method can represent) or a user.

What the fields depend on is written down as conditions, as in :mod:`fastschema.recognition`, and
checked for each dump: methods that are overridden later, declared fields that come and go, and
changes to ``Meta`` are seen. Fields and serializers with an ``__init__`` of their own run users'
code when they are made, so classes that declare some have no blueprint.
"""

from __future__ import annotations

import contextlib
import datetime
import decimal
import weakref
from collections.abc import Callable, Iterator
from types import FunctionType
from typing import Any

from django.db import models
from django.utils.functional import Promise
from rest_framework import fields, serializers
from rest_framework.settings import api_settings
from rest_framework.utils.field_mapping import ClassLookupDict

from fastschema.facts import Facts

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
_MADE_BY = ("__init__", "__new__", "__deepcopy__", "__getattribute__", "__setattr__", "bind")
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


class _Blueprint:
    """The blueprint of one class, and how to know that it still holds."""

    __slots__ = ("cls", "fields", "holds", "tries", "uses")

    def __init__(self, cls: type, known: dict[int, _Blueprint]) -> None:
        key = id(cls)
        self.cls = weakref.ref(cls, lambda _: known.pop(key, None))
        self.fields: list[Any] | None = None
        self.holds: Callable[[Any, Any], bool] = lambda serializer, nothing: False
        self.uses = 0
        self.tries = 0


_blueprints: dict[int, _Blueprint] = {}
# By the id of a class, as in recognition.


def blueprint_of(serializer: Any) -> list[Any] | None:
    """The fields that a serializer would make and dump, or None if only it can make them.

    They belong to no serializer: only their options may be read.
    """
    own = vars(serializer)
    if "fields" in own or not _DECIDING_ON_ITSELF.isdisjoint(own):
        return None
    url_name = own.get("url_field_name")
    if url_name is not None and url_name != api_settings.URL_FIELD_NAME:
        return None
    cls = type(serializer)
    blueprint = _blueprints.get(id(cls))
    if blueprint is None or blueprint.cls() is not cls:
        blueprint = _blueprints[id(cls)] = _Blueprint(cls, _blueprints)
    if not blueprint.holds(serializer, ()):
        blueprint.uses += 1
        # The first serializer of a class makes its own fields: there may be no second one.
        if blueprint.uses < 2 or blueprint.tries == _TRIES:
            return None
        blueprint.tries += 1
        blueprint.fields = None
        _make(blueprint, cls)
    return blueprint.fields


def with_url_name(serializer: Any) -> Any:
    """A serializer that has a blueprint, with what making its fields sets besides them."""
    if isinstance(serializer, serializers.ModelSerializer) and serializer.url_field_name is None:
        serializer.url_field_name = api_settings.URL_FIELD_NAME
    return serializer


def _make(blueprint: _Blueprint, cls: Any) -> None:
    facts = Facts()
    try:
        _look_at_class(cls, facts)
        serializer = fields.Field.__new__(cls)
        serializers.BaseSerializer.__init__(serializer)
        made = list(serializer.fields.fields.values())
        for field in made:
            _refuse_paths(field)
    except Exception:
        return  # there is no blueprint; what is wrong with the class, stock will say
    for field in made:
        # A class that is thrown away must not live on through its blueprint.
        field.parent = None
    holds = facts.compile(f"fields of {cls.__name__}", 0).function
    blueprint.holds = holds
    blueprint.fields = [field for field in made if not field.write_only]


def _look_at_class(cls: Any, facts: Facts) -> None:
    """Write down all that the fields of a serializer class depend on.

    :raises _UnfitError: if that cannot be done
    """
    stock: Any = next(each for each in _STOCK_SERIALIZERS if issubclass(cls, each))
    for name in sorted((_DECIDING - {"Meta", "_declared_fields"}) & set(dir(stock))):
        value = getattr(stock, name)
        if getattr(cls, name) is not value:
            raise _UnfitError(name)
        facts.class_attribute("type(schema)", name, value)
    declared = (*cls._declared_fields.items(),)
    facts.add(f"(*type(schema)._declared_fields.items(),) == {facts.name(declared)}")
    for _, field in declared:
        _look_at_field(field, facts)
    if issubclass(cls, serializers.ModelSerializer):
        mapping = (*cls.serializer_field_mapping.items(),)
        facts.add(f"(*type(schema).serializer_field_mapping.items(),) == {facts.name(mapping)}")
        facts.add(f"{facts.name(api_settings)}.URL_FIELD_NAME == {api_settings.URL_FIELD_NAME!r}")
        _look_at_model(cls.Meta, facts)


def _look_at_field(field: Any, facts: Facts) -> None:
    """A declared field: how it is made, and of what."""
    _look_at_field_class(type(field), facts)
    name = facts.name(field)
    facts.add(f"type({name}) is {facts.name(type(field))}")
    if field._args:
        _look_at_values(enumerate(field._args), f"{name}._args", facts)
    arguments = (*field._kwargs.items(),)
    facts.add(
        f"(*{name}._args, *{name}._kwargs.items()) == {facts.name((*field._args, *arguments))}"
    )
    _look_at_values(
        ((key, value) for key, value in arguments if key not in _NOT_DUMPED),
        f"{name}._kwargs",
        facts,
    )


def _refuse_paths(field: Any) -> None:
    """Refuse fields, as they were made, whose making looks at the file system."""
    if isinstance(field, fields.FilePathField):
        raise _UnfitError("the directory is read for each serializer")
    for name in ("child", "child_relation"):
        inner = getattr(field, name, None)
        if isinstance(inner, fields.Field):
            _refuse_paths(inner)


def _look_at_field_class(cls: Any, facts: Facts) -> None:
    """The class of a field: users' own may only have what neither makes nor describes a field."""
    for base in cls.__mro__[:-1]:
        if base.__module__.startswith("rest_framework."):
            path = facts.name(base)
            for method in _MADE_BY:
                function = getattr(base, method)
                if isinstance(function, FunctionType):
                    facts.class_attribute(path, method, function)
            continue
        is_serializer = issubclass(base, serializers.BaseSerializer)
        for name in vars(base):
            is_known = name in _FIELD_METHODS or name in _ABOUT_OTHER_THINGS
            if not is_known and not (is_serializer and name not in _FIELD_ATTRIBUTES):
                raise _UnfitError(name)
        facts.add(f"(*{facts.name(base)}.__dict__,) == {facts.name((*vars(base),))}")


def _look_at_values(values: Any, path: str, facts: Facts) -> None:
    """Values that a field is made of; those that can change in place must be as they were."""
    for key, value in values:
        if isinstance(value, fields.Field):
            _look_at_field(value, facts)
        elif type(value) in (list, tuple, dict):
            if not all(isinstance(each, _FIXED) for each in _flat(value)):
                raise _UnfitError(str(key))
            # The same object is equal to itself, whatever is in it now; a copy is not.
            facts.add(f"{path}[{key!r}] == {facts.name(_copied(value))}")
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


def _look_at_model(meta: Any, facts: Facts) -> None:
    """``Meta`` of a model serializer, and its model."""
    if getattr(meta, "depth", 0):
        raise _UnfitError("nested serializers are classes made anew for each serializer")
    facts.add(f"type(schema).Meta is {facts.name(meta)}")
    path = facts.name(meta)
    for name in _META:
        value = getattr(meta, name, None)
        if isinstance(value, (list, dict)):
            if not all(isinstance(each, _FIXED) for each in _flat(value)):
                raise _UnfitError(name)
            facts.add(f"getattr({path}, {name!r}, None) == {facts.name(_copied(value))}")
        else:
            facts.add(f"getattr({path}, {name!r}, None) is {facts.name(value)}")
    options = meta.model._meta.concrete_model._meta
    known = facts.name(options)
    for name in ("fields", "many_to_many", "related_objects"):
        facts.add(f"{known}.{name} is {facts.name(getattr(options, name))}")
    for field in [*options.fields, *options.many_to_many]:
        _look_at_model_field(field, facts)


def _copied(value: Any) -> Any:
    """Nested lists, tuples and dictionaries anew; what is in them stays."""
    if type(value) is dict:
        return {key: _copied(each) for key, each in value.items()}
    if type(value) in (list, tuple):
        return type(value)(map(_copied, value))
    return value


def _look_at_model_field(field: Any, facts: Facts) -> None:
    remote = field.remote_field
    if remote is not None and getattr(remote, "limit_choices_to", None):
        raise _UnfitError("a manager of the user's is asked for each serializer")
    _look_at_mapped_class(field, facts)
    path = facts.name(field)
    if field.choices:
        if type(field.choices) not in (list, tuple):
            raise _UnfitError("choices are a function")
        facts.add(f"{path}.choices == {facts.name(_copied(field.choices))}")
    else:
        facts.add(f"not {path}.choices")
    if isinstance(field, models.DecimalField):
        for name in ("max_digits", "decimal_places"):
            facts.add(f"{path}.{name} == {getattr(field, name)!r}")


def _look_at_mapped_class(field: Any, facts: Facts) -> None:
    """The class that stands for a model's field: the mapping may have got some of users' own."""
    mapping = ClassLookupDict(serializers.ModelSerializer.serializer_field_mapping)
    # Those of an array, too, which have fields inside of them.
    while field is not None:
        with contextlib.suppress(KeyError):  # a ModelField stands for what is not in it
            cls = mapping[field]
            if not cls.__module__.startswith("rest_framework."):
                _look_at_field_class(cls, facts)
        field = getattr(field, "base_field", None)


_DECIDING = frozenset(
    name
    for stock in _STOCK_SERIALIZERS
    for name in vars(stock)
    if not name.startswith("__") and name not in _ABOUT_OTHER_THINGS
) | {"Meta", "_declared_fields"}
"""The names that decide which fields a serializer has, be they on its class or set on itself."""
_DECIDING_ON_ITSELF = _DECIDING - {"url_field_name"}
"""Those that may not be set on a serializer itself; making its fields sets the other one."""
