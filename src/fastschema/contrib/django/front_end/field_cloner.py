"""The fields of a serializer class, made once by stock's code and cloned from then on.

DRF makes the fields of each serializer anew: it copies the declared ones and derives the others
from the model. Here it does so for an exemplar, which belongs to no request and has no context.
Users' code never runs for an exemplar: fields that it makes are made by it for each serializer.
"""

from __future__ import annotations

import copy
from collections.abc import Collection
from typing import TYPE_CHECKING, Any

from rest_framework.fields import Field
from rest_framework.serializers import (
    BaseSerializer,
    HyperlinkedModelSerializer,
    ModelSerializer,
    Serializer,
)
from rest_framework.settings import api_settings
from rest_framework.utils import model_meta
from rest_framework.utils.serializer_helpers import BindingDict

from fastschema.contrib.django.front_end.clones import Cloner, UncloneableError
from fastschema.contrib.django.front_end.customization import (
    copies_by_own_code,
    has_own_code,
    is_mapped_by_own_code,
    runs_own_code,
)
from fastschema.runtime.patching import stock_method, stock_of

if TYPE_CHECKING:
    from functools import cached_property
else:
    from django.utils.functional import cached_property  # has no lock

STOCK_FIELDS = stock_method(Serializer, "fields")
STOCK_GET_FIELDS = stock_method(Serializer, "get_fields")
STOCK_MODEL_GET_FIELDS = stock_method(ModelSerializer, "get_fields")


class FieldCloner:
    """What makes the fields of the serializers of a class, in one language.

    :param cls: the class, whose own ``get_fields`` is not asked
    :raises UncloneableError: if only stock's code can make its fields
    :raises Exception: what stock raises for it
    """

    def __init__(self, cls: Any) -> None:
        if issubclass(cls, ModelSerializer) and builds_by_own_code(cls):
            raise UncloneableError("its own code builds fields")
        self._declared: dict[str, Any] = dict(cls._declared_fields)
        self._own = {name for name, field in self._declared.items() if runs_own_code(field)}
        one, other = self._make(cls), self._make(cls)
        self._names = list(one)
        self._cloner = Cloner(self._without_own(one), self._without_own(other))
        self.classes = self._cloner.classes | {type(self._declared[name]) for name in self._own}
        """The classes of the fields."""
        self._class = cls

    @property
    def is_complete(self) -> bool:
        """Return whether all fields are clones."""
        return not self._own

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
        """Return fields that stock has made, bound to a serializer that nobody gets."""
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
        if not self._own:
            return clones
        memo: dict[int, Any] = {}
        made = clones | {
            name: copy.deepcopy(field, memo)
            for name, field in self._declared.items()
            if name in self._own
        }
        return {name: made[name] for name in self._names}

    def _without_own(self, made: dict[str, Any]) -> dict[str, Any]:
        return {name: field for name, field in made.items() if name not in self._own}

    def _make(self, cls: Any) -> dict[str, Any]:
        """Make fields by stock's code; those that users' code makes are the declared ones."""
        declared = _Declared(self._declared, self._own)
        if not issubclass(cls, ModelSerializer):
            return copy.deepcopy(declared)
        serializer = bare_serializer(cls)
        serializer._declared_fields = declared
        made: dict[str, Any] = STOCK_MODEL_GET_FIELDS(serializer)
        return made


def _bound(fields: dict[str, Any], serializer: Any) -> BindingDict:
    mapping = BindingDict(serializer)
    mapping.update(fields)
    return mapping


class _Declared(dict[str, Any]):
    """Declared fields of which stock copies all but some.

    :param own: the names of those that are not copied
    """

    def __init__(self, declared: dict[str, Any], own: Collection[str]) -> None:
        super().__init__(declared)
        self._own = own

    def __deepcopy__(self, memo: Any) -> dict[str, Any]:
        return {
            name: field if name in self._own else copy.deepcopy(field, memo)
            for name, field in self.items()
        }


def bare_serializer(cls: Any) -> Any:
    """Return a serializer of a class, whose own ``__init__`` does not run."""
    serializer = Field.__new__(cls)
    BaseSerializer.__init__(serializer)
    return serializer


def with_url_name(serializer: Any) -> Any:
    """Return a serializer with what ``ModelSerializer.get_fields`` sets besides making fields."""
    if isinstance(serializer, ModelSerializer) and serializer.url_field_name is None:
        serializer.url_field_name = api_settings.URL_FIELD_NAME
    return serializer


def gets_fields_as_stock(cls: Any) -> bool:
    """Return whether a class has no ``get_fields`` of its own."""
    return stock_of(cls.get_fields) in (STOCK_GET_FIELDS, STOCK_MODEL_GET_FIELDS)


def builds_by_own_code(cls: Any) -> bool:
    """Return whether users' code takes part when stock builds the fields of a model."""
    stock = (ModelSerializer, HyperlinkedModelSerializer)
    if any(getattr(cls, name) not in [getattr(each, name) for each in stock] for name in BUILDING):
        return True
    if copies_by_own_code(getattr(cls.Meta, "extra_kwargs", None)):
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


BUILDING = [
    name
    for name in vars(ModelSerializer)
    if name.startswith(("build_", "include_", "get_", "_get_model"))
    if name != "get_fields" and not name.endswith("validators")
]
"""The methods by which ``ModelSerializer.get_fields`` makes fields."""
