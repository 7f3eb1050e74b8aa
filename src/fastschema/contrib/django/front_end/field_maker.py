"""The fields of a serializer class, made by stock's code for an exemplar and cloned from then on.

DRF makes the fields of each serializer anew: it copies the declared ones and derives the others
from the model. Here it does so for an exemplar, which belongs to no request and has no context.
Users' code never runs for an exemplar: fields that it makes are made by it for each serializer. All
others are :mod:`.clones` of the exemplar's.
"""

from __future__ import annotations

import copy
from collections.abc import Collection
from types import NoneType
from typing import TYPE_CHECKING, Any

from django.db.models import Model
from django.db.models.base import ModelBase
from rest_framework.fields import Field
from rest_framework.serializers import (
    BaseSerializer,
    ModelSerializer,
    Serializer,
)
from rest_framework.settings import api_settings
from rest_framework.utils import model_meta
from rest_framework.utils.serializer_helpers import BindingDict

from fastschema.contrib.django.front_end.access import on_class
from fastschema.contrib.django.front_end.customization import (
    STOCK_MODEL_SERIALIZERS,
    has_custom_code,
    has_lazy_arguments,
    is_copied_by_attributes,
    is_mapped_by_custom_code,
    runs_custom_code,
)
from fastschema.runtime.patching import stock_method, stock_of
from fastschema.runtime.plain_values import (
    has_plain_truth,
    is_a,
    is_lazy,
    is_plain,
)

if TYPE_CHECKING:
    from functools import cached_property
else:
    from django.utils.functional import cached_property  # has no lock

from fastschema.contrib.django.front_end.clones import Originals, UncloneableError

STOCK_GET_FIELDS = stock_method(Serializer, "get_fields")
STOCK_MODEL_GET_FIELDS = stock_method(ModelSerializer, "get_fields")


class FieldMaker:
    """What makes the fields of the serializers of a class, in one language, by cloning."""

    def __init__(self, cls: Any) -> None:
        if issubclass(cls, ModelSerializer) and builds_by_custom_code(cls):
            raise UncloneableError("its own code builds fields")
        self._declared: dict[str, Any] = dict(cls._declared_fields)
        self._uncloned = {name for name, field in self._declared.items() if runs_custom_code(field)}
        """The names of the fields that code of users makes."""
        one, other = self._make(cls), self._make(cls)
        self._names = list(one)
        self._originals = Originals(self._cloned(one), self._cloned(other))
        self.classes = self._originals.classes | {
            type(self._declared[name]) for name in self._uncloned
        }
        """The classes of the fields, those inside of others included."""
        self._class = cls

    @property
    def is_complete(self) -> bool:
        return not self._uncloned

    @cached_property
    def _bound_originals(self) -> Originals | None:
        """Return what makes clones bound to a serializer; None if some fields are no clones."""
        if not self.is_complete:
            return None
        parents = bare_serializer(self._class), bare_serializer(self._class)
        try:
            one, other = [self.exemplar_fields(parent).fields for parent in parents]
            return Originals(one, other, parents)
        except Exception:
            return None  # the names are wrong, say, as stock will tell

    def exemplar_fields(self, serializer: Any) -> BindingDict:
        """Return fields that stock has made, bound to a serializer that no code of users gets."""
        return _bound(self._make(self._class), serializer)

    def bound_fields(self, serializer: Any) -> BindingDict:
        """Return new fields of a serializer, as stock's ``fields`` gives them."""
        originals = self._bound_originals
        if originals is None:
            return _bound(self.fields(), serializer)
        mapping = BindingDict(serializer)
        mapping.fields = originals.clones(serializer)
        return mapping

    def bound_field(self, name: str, serializer: Any) -> Any:
        """Return one of those fields without the others; None if they are made together."""
        originals = self._bound_originals
        return None if originals is None else originals.clone(name, serializer)

    def fields(self) -> dict[str, Any]:
        """Return new fields, bound to no serializer, as stock's ``get_fields`` does."""
        clones = self._originals.clones()
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


def builds_by_custom_code(cls: Any) -> bool:
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
        if is_mapped_by_custom_code(of_model):
            return True
        if has_custom_code(serializer.build_field(source, info, model, depth)[0]):
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
