"""The fields of a serializer class, made by stock's code for an exemplar and cloned from then on.

DRF makes the fields of each serializer anew: it copies the declared ones and derives the others
from the model. Here it does so for an exemplar, which belongs to no request and has no context.
Users' code never runs for an exemplar: fields that it makes are made by it for each serializer.

Clones are the objects that stock's code would make, without running it. To know how to copy what,
stock makes the fields twice. What is one object in both results, stock shares between all
serializers of the class, and so do clones. What is another object in each, stock makes anew for
each serializer, and a clone gets a copy of it. So we need not know which attribute is which.
"""

from __future__ import annotations

import copy
from collections import Counter
from collections.abc import Callable, Collection, Iterator
from functools import cache, partial
from types import NoneType
from typing import TYPE_CHECKING, Any, NamedTuple

from django.db.models import Model, QuerySet
from django.db.models.base import ModelBase
from django.utils.functional import Promise, SimpleLazyObject
from rest_framework.fields import Field
from rest_framework.serializers import (
    BaseSerializer,
    HyperlinkedModelSerializer,
    ModelSerializer,
    Serializer,
)
from rest_framework.settings import api_settings
from rest_framework.utils import model_meta
from rest_framework.utils.formatting import lazy_format
from rest_framework.utils.serializer_helpers import BindingDict

from fastschema.contrib.django.front_end.access import on_class
from fastschema.contrib.django.front_end.customization import (
    IMMUTABLE,
    STOCK_MODEL_SERIALIZERS,
    copies_as_django,
    has_lazy_arguments,
    has_own_code,
    is_copied_by_attributes,
    is_mapped_by_own_code,
    runs_own_code,
)
from fastschema.runtime.patching import stock_method, stock_of
from fastschema.runtime.plain_values import (
    CONTAINERS,
    PLAIN,
    are_same,
    has_plain_truth,
    is_a,
    is_lazy,
    is_plain,
)

if TYPE_CHECKING:
    from functools import cached_property
else:
    from django.utils.functional import cached_property  # has no lock

STOCK_GET_FIELDS = stock_method(Serializer, "get_fields")
STOCK_MODEL_GET_FIELDS = stock_method(ModelSerializer, "get_fields")

Memo = dict[int, Any]
"""What was copied already for one set of clones, by the id of what was copied."""

UNREAD_VALIDATORS = "_fastschema_validators"
"""Where a clone has what copies its validators, until they are read: a key of its
``__dict__``. To copy them takes about as long as to copy all the rest of a model's fields."""

_SHARED = (Promise, SimpleLazyObject)
"""Lazy objects that stock itself makes: translations, and patterns of its validators."""
NESTED = tuple(
    f"{cls.build_nested_field.__qualname__}.<locals>.NestedSerializer"
    for cls in (ModelSerializer, HyperlinkedModelSerializer)
)
"""The classes that stock makes for ``Meta.depth``, for each serializer anew. Clones share one."""


class UncloneableError(Exception):
    """Something that stock makes, and that we do not know how to copy."""


class FieldCloner:
    """What makes the fields of the serializers of a class, in one language, by cloning."""

    def __init__(self, cls: Any) -> None:
        if issubclass(cls, ModelSerializer) and builds_by_own_code(cls):
            raise UncloneableError("its own code builds fields")
        self._declared: dict[str, Any] = dict(cls._declared_fields)
        self._uncloned = {name for name, field in self._declared.items() if runs_own_code(field)}
        """The names of the fields that code of users makes."""
        one, other = self._make(cls), self._make(cls)
        self._names = list(one)
        self._cloner = Cloner(self._cloned(one), self._cloned(other))
        self.classes = self._cloner.classes | {
            type(self._declared[name]) for name in self._uncloned
        }
        """The classes of the fields, those inside of others included."""
        self._class = cls

    @property
    def is_complete(self) -> bool:
        return not self._uncloned

    @cached_property
    def _bound_cloner(self) -> Cloner | None:
        """Return what makes clones bound to a serializer; None if some fields are no clones."""
        if not self.is_complete:
            return None
        parents = bare_serializer(self._class), bare_serializer(self._class)
        try:
            one, other = [self.exemplar_fields(parent).fields for parent in parents]
            return Cloner(one, other, parents)
        except Exception:
            return None  # the names are wrong, say, as stock will tell

    def exemplar_fields(self, serializer: Any) -> BindingDict:
        """Return fields that stock has made, bound to a serializer that no code of users gets."""
        return _bound(self._make(self._class), serializer)

    def bound_fields(self, serializer: Any) -> BindingDict:
        """Return new fields of a serializer, as stock's ``fields`` gives them."""
        cloner = self._bound_cloner
        if cloner is None:
            return _bound(self.fields(), serializer)
        mapping = BindingDict(serializer)
        mapping.fields = cloner.clones(serializer)
        return mapping

    def bound_field(self, name: str, serializer: Any) -> Any:
        """Return one of those fields without the others; None if they are made together."""
        cloner = self._bound_cloner
        return None if cloner is None else cloner.clone(name, serializer)

    def fields(self) -> dict[str, Any]:
        """Return new fields, bound to no serializer, as stock's ``get_fields`` does."""
        clones = self._cloner.clones()
        if not self._uncloned:
            return clones
        memo: dict[int, Any] = {}
        by_name = clones | {
            name: copy.deepcopy(field, memo)
            for name, field in self._declared.items()
            if name in self._uncloned
        }
        return {name: by_name[name] for name in self._names}

    def _cloned(self, made: dict[str, Any]) -> dict[str, Any]:
        return {name: field for name, field in made.items() if name not in self._uncloned}

    def _make(self, cls: Any) -> dict[str, Any]:
        """Make fields by stock's code; those that users' code makes are the declared ones."""
        declared = _Declared(self._declared, self._uncloned)
        if not issubclass(cls, ModelSerializer):
            return copy.deepcopy(declared)
        serializer = bare_serializer(cls)
        serializer._declared_fields = declared
        fields: dict[str, Any] = STOCK_MODEL_GET_FIELDS(serializer)
        return fields


def _bound(fields: dict[str, Any], serializer: Any) -> BindingDict:
    mapping = BindingDict(serializer)
    mapping.update(fields)
    return mapping


class _Declared(dict[str, Any]):
    """Declared fields of which stock copies all but some."""

    def __init__(self, declared: dict[str, Any], uncopied: Collection[str]) -> None:
        super().__init__(declared)
        self._uncopied = uncopied

    def __deepcopy__(self, memo: Any) -> dict[str, Any]:
        return {
            name: field if name in self._uncopied else copy.deepcopy(field, memo)
            for name, field in self.items()
        }


def bare_serializer(cls: Any) -> Any:
    """Return a serializer of a class, whose own ``__init__`` does not run."""
    serializer = Field.__new__(cls)
    BaseSerializer.__init__(serializer)
    return serializer


def with_url_name(serializer: Any) -> Any:
    """Return a serializer with what ``ModelSerializer.get_fields`` sets besides making fields."""
    if issubclass(type(serializer), ModelSerializer) and serializer.url_field_name is None:
        serializer.url_field_name = api_settings.URL_FIELD_NAME
    return serializer


def gets_fields_as_stock(cls: Any) -> bool:
    return stock_of(cls.get_fields) in (STOCK_GET_FIELDS, STOCK_MODEL_GET_FIELDS)


def builds_by_own_code(cls: Any) -> bool:
    """Return whether users' code takes part when stock builds the fields of a model."""
    for name in BUILDING:
        method = on_class(cls, name)
        if not any(method is on_class(base, name) for base in STOCK_MODEL_SERIALIZERS):
            return True
    if _is_computed(on_class(cls, "Meta")) or computes_options(cls.Meta):
        return True
    if not all(_chooses_as_stock(on_class(cls, name)) for name in CHOOSING):
        return True
    serializer = bare_serializer(cls)
    serializer.url_field_name = serializer.url_field_name or api_settings.URL_FIELD_NAME
    model, depth = cls.Meta.model, getattr(cls.Meta, "depth", 0)
    info, extra = model_meta.get_field_info(model), serializer.get_extra_kwargs()
    for name in serializer.get_field_names(cls._declared_fields, info):
        if name in cls._declared_fields:
            continue
        source = extra.get(name, {}).get("source", "*")
        source = name if source == "*" else source
        relation = info.relations.get(source)
        of_model = relation.model_field if relation else info.fields_and_pk.get(source)
        if is_mapped_by_own_code(of_model):
            return True
        if has_own_code(serializer.build_field(source, info, model, depth)[0]):
            return True
    return False


CHOOSING = ["url_field_name"]
CHOOSING += [name for name in vars(ModelSerializer) if name.startswith("serializer_")]
"""The attributes by which ``ModelSerializer`` chooses the classes and names of its fields."""


def _chooses_as_stock(value: Any) -> bool:
    return type(value) in (str, dict, NoneType) or is_a(value, type)


def _is_computed(value: Any) -> bool:
    """Return whether code of users runs when an attribute with this value on a class is read."""
    return hasattr(type(value), "__get__") and not is_a(value, type)


def computes_options(meta: Any) -> bool:
    """Return whether code of users runs when stock reads the options in a ``Meta``."""
    if type(meta) is not type:
        return True
    values = [
        value
        for base in meta.__mro__[:-1]
        for name, value in vars(base).items()
        if not name.startswith("__")
    ]
    names = [getattr(meta, name, None) for name in ("fields", "exclude", "read_only_fields")]
    return (
        any(map(_is_computed, values))
        or any(type(option) not in (list, tuple, str, NoneType) for option in names)
        or not all(map(is_plain, names))
        or not is_a(getattr(meta, "model", Model), ModelBase)
        or type(getattr(meta, "depth", 0)) is not int
        or _has_lazy_extra(getattr(meta, "extra_kwargs", {}))
    )


def _has_lazy_extra(extra: Any) -> bool:
    """Return whether stock runs code of users when it takes arguments of fields from a ``Meta``."""
    return type(extra) is not dict or any(
        type(arguments) is not dict
        or has_lazy_arguments(arguments)
        or not has_plain_truth(arguments.get("default"))
        or any(
            is_lazy(validator) and not is_copied_by_attributes(type(validator))
            for validator in arguments.get("validators") or ()  # which stock copies here
        )
        for arguments in extra.values()
    )


BUILDING = [
    name
    for name in vars(ModelSerializer)
    if name.startswith(("build_", "include_", "get_", "_get_model"))
    if name != "get_fields" and not name.endswith("validators")
]
"""The methods by which ``ModelSerializer.get_fields`` makes fields."""


# Copies of what stock has made


_new_object = object.__new__
_WHOLE = (set, frozenset, lazy_format)
"""Classes of objects that are copied without a look at what is inside."""


class _Unread:
    """What copies the validators of a clone; a pickle has the copy."""

    __slots__ = ("_copy",)

    def __init__(self, copy: Callable[[Memo], Any]) -> None:
        self._copy = copy

    def __call__(self) -> Any:
        return self._copy({})

    def __reduce__(self) -> Any:
        return _unread, (self(),)


def _unread(validators: list[Any]) -> _Unread:
    return _Unread(lambda memo: validators)


class _Validators:
    """``Field._validators`` of a clone; as in stock, other fields have none until they are set."""

    def __get__(self, field: Any, owner: Any) -> Any:
        attributes = {} if field is None else field.__dict__
        copy = attributes.get(UNREAD_VALIDATORS)
        if copy is None:
            # The same list for all threads that ask first.
            if "_validators" in attributes:
                return attributes["_validators"]
            raise AttributeError(f"{owner.__name__!r} object has no attribute '_validators'")
        validators = attributes.setdefault("_validators", copy())
        attributes.pop(UNREAD_VALIDATORS, None)
        return validators


@cache
def prepare() -> None:
    """Let fields copy their validators when they are asked for them, if they are clones."""
    Field._validators = _Validators()


class _Original(NamedTuple):
    """An object that stock makes anew each time.

    :param shared: what is inside of it, by name; what is copied of that stands in for its copy
    :param flat: the names of lists and dictionaries in which there is nothing to copy
    :param others: the names of all else that is copied, and its ids
    """

    value: Any
    shared: dict[Any, Any]
    flat: list[Any]
    others: list[tuple[Any, int]]


class Cloner:
    """Makes clones of fields.

    :param fields: fields that stock has made, by name; they must not be used for anything else
    :param other: those fields, made again
    :param parents: the serializers to which both are bound, if they are
    """

    def __init__(self, fields: Any, other: Any, parents: tuple[Any, Any] = (None, None)) -> None:
        prepare()
        parent = parents[0]
        self._parent = id(parent)
        self._names = {name: id(field) for name, field in fields.items()}
        pairs: dict[int, tuple[Any, Any]] = {} if parent is None else {self._parent: parents}
        places: Counter[int] = Counter()
        _compare(fields, other, pairs, places)
        made = [one for one, _ in pairs.values() if one is not parent]
        self.classes = {type(one) for one in made if is_a(one, Field)}
        """The classes of the fields, those inside of others included."""
        self._originals = {id(one): self._original(one, pairs, places) for one in made}
        """All that stock makes anew, by id."""

    def _original(self, one: Any, anew: Collection[int], places: Counter[int]) -> _Original:
        shared = {} if type(one) in _WHOLE or is_a(one, QuerySet) else dict(_inside(one))
        names = [name for name, part in shared.items() if id(part) in anew]
        if is_a(one, Field) and "_validators" in names:
            names.remove("_validators")
            copy = partial(self._copy, id(shared.pop("_validators")))
            shared[UNREAD_VALIDATORS] = _Unread(copy)
        flat = [
            name
            for name in names
            if type(part := shared[name]) in (list, dict) and places[id(part)] == 1
            if all(id(inner) not in anew for inner in _inside(part).values())
        ]
        others = [(name, id(shared[name])) for name in names if name not in flat]
        return _Original(one, shared, flat, others)

    def clones(self, parent: Any = None) -> dict[str, Any]:
        """Return new fields, as stock would make them, bound if the others are."""
        memo: Memo = {self._parent: parent}
        return {
            name: memo[key] if key in memo else self._copy(key, memo)
            for name, key in self._names.items()
        }

    def clone(self, name: str, parent: Any) -> Any:
        return self._copy(self._names[name], {self._parent: parent})

    def _copy(self, key: int, memo: Memo) -> Any:
        """Return a copy of an object, and of those inside of it that are no copies yet."""
        one, shared, flat, others = self._originals[key]
        cls = type(one)
        if cls is dict or cls is list:
            clone = parts = one.copy()
        elif cls is tuple:
            clone = parts = list(one)
        elif shared:
            clone = _new_object(cls)
            parts = clone.__dict__
            parts.update(shared)
        else:
            return memo.setdefault(key, _copy_as_a_whole(one))
        memo[key] = clone  # before what is inside of it, which may refer to it
        for name in flat:
            parts[name] = parts[name].copy()
        for name, inner in others:
            parts[name] = memo[inner] if inner in memo else self._copy(inner, memo)
        if cls is tuple:
            clone = memo[key] = tuple(parts)
        return clone


def _copy_as_a_whole(one: Any) -> Any:
    cls = type(one)
    if cls is lazy_format:
        return lazy_format(one.format_string, *one.args, **one.kwargs)
    if is_a(one, QuerySet):
        return one.all()
    return one.copy() if cls in CONTAINERS else _new_object(cls)


def _compare(one: Any, other: Any, pairs: dict[int, tuple[Any, Any]], places: Counter[int]) -> None:
    """Note the objects that are others in two results, at the same place, and in how many places.

    :param pairs: both of them, by the id of the first
    """
    if one is other:
        return
    _check_classes(type(one), type(other))
    if is_a(one, *_SHARED):
        return
    if type(one) in IMMUTABLE:
        if type(one) in PLAIN and not are_same(one, other):
            raise UncloneableError(f"it is {one!r} once, and {other!r} another time")
        return
    key = id(one)
    places[key] += 1
    if key in pairs:
        if pairs[key][1] is not other:
            raise UncloneableError("its parts are arranged in another way each time")
        return
    pairs[key] = one, other
    for mine, others in _pairs(one, other):
        _compare(mine, others, pairs, places)


def _pairs(one: Any, other: Any) -> Iterator[tuple[Any, Any]]:
    """Return what is inside of two objects of one class, in pairs of what each of them has."""
    if is_a(one, set, frozenset, QuerySet):
        return
    mine, others = _inside(one), _inside(other)
    if list(mine) != list(others):
        raise UncloneableError("it is made of other parts each time")
    for name, value in mine.items():
        if name != "_creation_counter" or not is_a(one, Field):
            yield value, others[name]


def _inside(one: Any) -> dict[Any, Any]:
    if is_a(one, lazy_format):
        return {"args": one.args, "kwargs": one.kwargs}
    if is_a(one, list, tuple):
        return dict(enumerate(one))
    return one if type(one) is dict else vars(one)


def _check_classes(cls: type, other: type) -> None:
    """Raise UncloneableError unless objects at the same place in two results can be copied."""
    if cls is not other:
        names = {cls.__qualname__, other.__qualname__}
        if len(names) > 1 or cls.__module__ != other.__module__ or names.isdisjoint(NESTED):
            raise UncloneableError(f"it is a {cls.__name__} once, and a {other.__name__} later")
    cloneable = (*CONTAINERS, lazy_format)
    is_known = cls in (*cloneable, *IMMUTABLE) or issubclass(cls, (Field, *_SHARED))
    if not (is_known or copies_as_django(cls) or is_copied_by_attributes(cls)):
        raise UncloneableError(f"it is not known how to copy a {cls.__name__}")
