"""Exemplars: the fields of a serializer class, made once by stock's code and cloned from then on.

DRF makes the fields of each serializer anew: it copies the declared ones and derives the others
from the model. Here it does so for an exemplar, which belongs to no request and has no context.
Users' code never runs for an exemplar: fields that it makes are made by it for each serializer.
"""

from __future__ import annotations

import contextlib
import copy
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from typing import Any

from rest_framework.fields import Field
from rest_framework.serializers import (
    BaseSerializer,
    HyperlinkedModelSerializer,
    ModelSerializer,
    Serializer,
)
from rest_framework.utils import model_meta
from rest_framework.utils.serializer_helpers import BindingDict

from fastschema.contrib.django.clones import Cloner, Comparison, UncloneableError
from fastschema.contrib.django.customization import (
    copies_by_own_code,
    has_own_code,
    is_mapped_by_own_code,
    runs_own_code,
)
from fastschema.runtime.patching import stock_method

STOCK_GET_FIELDS = stock_method(Serializer, "get_fields")
STOCK_MODEL_GET_FIELDS = stock_method(ModelSerializer, "get_fields")


class Exemplar:
    """What makes the fields of the serializers of a class, in one language.

    :param cls: the class, whose own ``get_fields`` is not asked
    :raises Exception: what stock raises for it
    """

    def __init__(self, cls: Any) -> None:
        self._declared: dict[str, Any] = dict(cls._declared_fields)
        self._own = {name for name, field in self._declared.items() if runs_own_code(field)}
        self._built: dict[str, _Built] = {}
        self.is_partial = issubclass(cls, ModelSerializer) and decides_by_own_code(cls)
        """Whether it has declared fields only: users' code decides on the others."""
        one, other = self._make(cls), self._make(cls)
        uncloneable = {name for name in one if not _is_cloneable(name, one, other)}
        if uncloneable:
            self._own |= uncloneable
            one, other = self._make(cls), self._make(cls)
        self._names = list(one)
        self.classes = Comparison(self._cloneable(one), self._cloneable(other)).classes | {
            type(self._declared[name]) for name in self._own & self._declared.keys()
        }
        """The classes of the fields."""
        self._cloners: dict[bool, Cloner | None] = {}
        """What makes clones, unbound or bound to their serializer, once somebody has asked."""

    @property
    def is_complete(self) -> bool:
        """Return whether all fields are clones."""
        return not (self.is_partial or self._own or self._built)

    def _cloner(self, cls: Any, *, is_bound: bool) -> Cloner | None:
        """Return what makes clones; None if stock must make each field."""
        known = self._cloners
        if is_bound not in known:
            parents = (bare_serializer(cls), bare_serializer(cls)) if is_bound else (None, None)
            try:
                one, other = [self._cloneable(self._make(cls), parent) for parent in parents]
                known[is_bound] = Cloner(one, other, parents)
            except Exception:
                known[is_bound] = None  # the names are wrong, say, as stock will tell
        return known[is_bound]

    def _cloneable(self, made: dict[str, Any], parent: Any = None) -> dict[str, Any]:
        """Return those of the fields that are cloned, bound to a serializer if one is given."""
        others = self._own | self._built.keys()
        fields = {name: field for name, field in made.items() if name not in others}
        return fields if parent is None else _bound(fields, parent).fields

    def example_fields(self, serializer: Any) -> BindingDict:
        """Return fields that stock has made, bound to a serializer that nobody gets."""
        return _bound(self._make(type(serializer)), serializer)

    def bound_fields(self, serializer: Any) -> BindingDict:
        """Return new fields of a serializer, as stock's ``fields`` gives them."""
        cloner = self._cloner(type(serializer), is_bound=True) if self.is_complete else None
        if cloner is None:
            return _bound(self.fields(serializer), serializer)
        mapping = BindingDict(serializer)
        mapping.fields = cloner.clones(serializer)
        return mapping

    def bound_field(self, name: str, serializer: Any) -> Any:
        """Return one of those fields without the others; None if they are made together."""
        cloner = self._cloner(type(serializer), is_bound=True) if self.is_complete else None
        return None if cloner is None else cloner.clone(name, serializer)

    def fields(self, serializer: Any) -> dict[str, Any]:
        """Return new fields of a serializer, bound to none, as stock's ``get_fields`` does."""
        if self.is_partial:
            declared = _Declared(self._declared, lambda: self._new(serializer))
            return _with_declared(serializer, declared)
        return self._new(serializer)

    def _new(self, serializer: Any) -> dict[str, Any]:
        cls = type(serializer)
        cloner = self._cloner(cls, is_bound=False)
        clones = self._cloneable(self._make(cls)) if cloner is None else cloner.clones()
        if not self._own and not self._built:
            return clones
        memo: dict[int, Any] = {}
        made = {
            name: copy.deepcopy(field, memo)
            for name, field in self._declared.items()
            if name in self._own
        }
        if self._built:
            info = model_meta.get_field_info(serializer.Meta.model)
            made |= {name: built.make(serializer, info) for name, built in self._built.items()}
        made |= clones
        return {name: made[name] for name in self._names}

    def _make(self, cls: Any) -> dict[str, Any]:
        """Make fields by stock's code; in the place of those that users' code makes is anything."""
        declared = _Declared(self._declared, self._copy_declared)
        if self.is_partial or not issubclass(cls, ModelSerializer):
            return copy.deepcopy(declared)
        recorder = _Recorder(cls, self._own)
        made = _with_declared(recorder.serializer, declared)
        self._built = recorder.built
        return made

    def _copy_declared(self) -> dict[str, Any]:
        memo: dict[int, Any] = {}
        return {
            name: field if name in self._own else copy.deepcopy(field, memo)
            for name, field in self._declared.items()
        }


def _bound(fields: dict[str, Any], serializer: Any) -> BindingDict:
    mapping = BindingDict(serializer)
    mapping.update(fields)
    return mapping


class _Declared(dict[str, Any]):
    """Declared fields of which stock makes copies in another way.

    :param make: gives the copies
    """

    def __init__(self, declared: dict[str, Any], make: Callable[[], dict[str, Any]]) -> None:
        super().__init__(declared)
        self._make = make

    def __deepcopy__(self, memo: Any) -> dict[str, Any]:
        return self._make()


def _with_declared(serializer: Any, declared: _Declared) -> dict[str, Any]:
    """Call stock's ``ModelSerializer.get_fields``, with other copies of declared fields."""
    own = vars(serializer)
    own["_declared_fields"] = declared
    try:
        made: dict[str, Any] = STOCK_MODEL_GET_FIELDS(serializer)
    finally:
        del own["_declared_fields"]
    return made


@dataclass
class _Built:
    """A field that stock builds from the model with the help of users' code.

    :param arguments: those of ``build_field``, but for the model's ``FieldInfo``
    :param extra: what ``Meta`` has for it
    """

    arguments: tuple[str, Any, int]
    extra: dict[str, Any] = field(default_factory=dict)

    def make(self, serializer: Any, info: Any) -> Any:
        """Make one, as ``ModelSerializer.get_fields`` does.

        :param info: the model's ``FieldInfo``
        """
        source, model, depth = self.arguments
        field_class, arguments = serializer.build_field(source, info, model, depth)
        extra = copy.deepcopy(self.extra) if self.extra else {}
        return field_class(**serializer.include_extra_kwargs(arguments, extra))


class _Recorder:
    """A serializer that does not build those fields for which users' code would run.

    :param cls: its class
    :param own: the names of fields that it does not build in any case
    """

    def __init__(self, cls: Any, own: set[str]) -> None:
        self.serializer = bare_serializer(cls)
        self.built: dict[str, _Built] = {}
        self._cls = cls
        self._own = own
        self._stock_build = _refuse if is_overridden(cls, "build_field") else cls.build_field
        self._names: Iterator[str] = iter(())
        self._current: _Built | None = None
        vars(self.serializer).update(
            {name: _refuse for name in _BUILDING_ONE if is_overridden(cls, name)},
            get_field_names=self._get_field_names,
            build_field=self._build_field,
            include_extra_kwargs=self._include_extra_kwargs,
        )

    def _get_field_names(self, declared: Any, info: Any) -> Any:
        names = self._cls.get_field_names(self.serializer, declared, info)
        self._names = iter([name for name in names if name not in declared])
        return names

    def _build_field(self, source: str, info: Any, model: Any, depth: int) -> Any:
        name = next(self._names)
        self._current = None
        relation = info.relations.get(source)
        of_model = relation.model_field if relation else info.fields_and_pk.get(source)
        if name not in self._own and not is_mapped_by_own_code(of_model):
            with contextlib.suppress(UncloneableError):
                built = self._stock_build(self.serializer, source, info, model, depth)
                if not has_own_code(built[0]):
                    return built
        self._current = self.built[name] = _Built((source, model, depth))
        return object, {}

    def _include_extra_kwargs(self, arguments: Any, extra: Any) -> Any:
        if self._current is not None:
            self._current.extra = copy.deepcopy(extra)
            return {}
        return self._cls.include_extra_kwargs(self.serializer, arguments, extra)


def bare_serializer(cls: Any) -> Any:
    """Return a serializer of a class, whose own ``__init__`` does not run."""
    serializer = Field.__new__(cls)
    BaseSerializer.__init__(serializer)
    return serializer


def decides_by_own_code(cls: Any) -> bool:
    """Return whether users' code decides which fields a class of model serializers has."""
    return any(
        is_overridden(cls, name) for name in BUILDING if name not in _BUILDING_ONE
    ) or copies_by_own_code(getattr(cls.Meta, "extra_kwargs", None))


def is_overridden(cls: Any, name: str) -> bool:
    """Return whether a method of a class of model serializers is none of stock's."""
    stock = (ModelSerializer, HyperlinkedModelSerializer)
    return getattr(cls, name) not in [getattr(each, name) for each in stock]


def _refuse(*args: Any) -> Any:
    raise UncloneableError("users' code builds it")


BUILDING = [
    name
    for name in vars(ModelSerializer)
    if name.startswith(("build_", "include_", "get_", "_get_model"))
    if name != "get_fields" and not name.endswith("validators")
]
"""The methods by which ``ModelSerializer.get_fields`` makes fields."""
_BUILDING_ONE = [name for name in BUILDING if name.startswith("build_")]
"""Those that build one field each."""


def _is_cloneable(name: str, one: dict[str, Any], other: dict[str, Any]) -> bool:
    if type(one[name]) is object or one[name] is other[name]:
        return True  # it is made by users' code anyway
    try:
        Comparison({name: one[name]}, {name: other[name]})
    except UncloneableError:
        return False
    return True
