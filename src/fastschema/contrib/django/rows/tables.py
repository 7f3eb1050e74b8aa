"""What stands where in the rows of a query: the columns of a model and of loaded relations."""

from __future__ import annotations

import functools
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from typing import Any, TypeVar

from django.db.models import Model
from django.db.models.fields.files import FileDescriptor, ImageFileDescriptor
from django.db.models.fields.mixins import FieldCacheMixin
from django.db.models.fields.related_descriptors import (
    ForeignKeyDeferredAttribute,
    ReverseOneToOneDescriptor,
)
from django.db.models.query_utils import DeferredAttribute
from django.db.models.signals import post_init, pre_init

from fastschema.contrib.django.attribute_access import (
    FORWARD,
    MODEL,
    access_of,
    has_plain_key,
    on_class,
)
from fastschema.contrib.django.rows.converting import converted_by_users
from fastschema.runtime.stock import stock_method

_INIT = stock_method(Model, "__init__")
_NEW = stock_method(Model, "__new__")
_SETATTR = stock_method(Model, "__setattr__")
_FROM_DB = stock_method(Model, "from_db").__func__
_BASES = (Model, object)
_CACHE = {
    name: stock_method(FieldCacheMixin, name)
    for name in ("is_cached", "get_cached_value", "set_cached_value", "delete_cached_value")
}
# These keep the name that they are given, until somebody reads it.
_FILES = (FileDescriptor, ImageFileDescriptor)


class InstancesNeededError(Exception):
    """Rows that cannot be written without model instances, and why."""


@dataclass(slots=True)
class Relation:
    """A related object that is in the same row.

    :param table: its columns
    :param none_has_no_attributes: whether the attribute is None where there is no such object;
        else it raises ``ObjectDoesNotExist``
    """

    table: Table
    none_has_no_attributes: bool


@dataclass(slots=True)
class Joined(Relation):
    """One that ``select_related`` has loaded.

    :param set_here: lets an instance know its related object, or None
    :param set_there: lets the related object know the instance
    """

    set_here: Callable[[Any, Any], None]
    set_there: Callable[[Any, Any], None]


@dataclass(slots=True)
class Collection:
    """The objects of a relation to many, which stand beside a row as a list of rows.

    :param position: of the list
    :param table: the columns of their rows
    """

    position: int
    table: Table


@dataclass(slots=True)
class Table:
    """The columns of one model in the rows of a query.

    :param model: the model
    :param key: the position of its primary key; null if there is no such object
    :param columns: positions by the names of attributes, one after the other
    :param foreign_keys: those of foreign keys among them
    :param files: the names of files among them, of which instances make objects when they are read
    :param annotations: positions of what the query adds, by the names of attributes
    :param of_users: gives the positions of columns whose values code of users may make
    :param relations: what was loaded with it, by the field and whether it is followed backwards
    :param prefetched: the same for what another query has loaded
    :param collections: the relations to many that were prefetched, by the names of attributes
    """

    model: Any
    key: int
    columns: dict[str, int]
    of_users: Callable[[], frozenset[int]]
    foreign_keys: list[int] = field(default_factory=list)
    files: set[str] = field(default_factory=set)
    annotations: dict[str, int] = field(default_factory=dict)
    relations: dict[tuple[Any, bool], Joined] = field(default_factory=dict)
    prefetched: dict[tuple[Any, bool], Relation] = field(default_factory=dict)
    collections: dict[str, Collection] = field(default_factory=dict)

    def column(self, name: str) -> int:
        """The position of what an attribute of the model holds.

        :raises InstancesNeededError: if that is not in the row, or not a plain value
        """
        if name == "pk" and has_plain_key(self.model):
            return self.key
        position = self.columns.get(name, self.annotations.get(name))
        if position is None or name in self.files:
            raise InstancesNeededError(f"{name} is no column of {self.model.__name__} that is read")
        return position

    def relation(self, name: str) -> Relation:
        """The related object that an attribute of the model gives.

        :raises InstancesNeededError: if it was not loaded with the rows
        """
        key = single_relation(self.model, name)
        relation = self.relations.get(key) or self.prefetched.get(key)
        if relation is None:
            raise InstancesNeededError(f"{name} is no relation that the query loads")
        return relation

    def collection(self, name: str) -> Collection:
        """The related objects that an attribute of the model gives.

        :raises InstancesNeededError: if they were not loaded with the rows
        """
        if name not in self.collections:
            raise InstancesNeededError(f"{name} is no relation that prefetch_related loads as rows")
        return self.collections[name]

    def shifted(self, offset: int) -> Table:
        """The same for rows that stand some places further to the right in a longer row."""
        return replace(
            self,
            key=self.key + offset,
            columns={name: position + offset for name, position in self.columns.items()},
            of_users=lambda: frozenset(position + offset for position in self.of_users()),
            foreign_keys=[position + offset for position in self.foreign_keys],
            annotations={name: position + offset for name, position in self.annotations.items()},
            relations=_shifted(self.relations, offset),
            prefetched=_shifted(self.prefetched, offset),
            collections={
                name: replace(each, position=each.position + offset)
                for name, each in self.collections.items()
            },
        )


_Relation = TypeVar("_Relation", bound=Relation)


def _shifted(relations: dict[Any, _Relation], offset: int) -> dict[Any, _Relation]:
    return {key: replace(each, table=each.table.shifted(offset)) for key, each in relations.items()}


def single_relation(model: Any, name: str) -> tuple[Any, bool]:
    """The field of a relation to one object, and whether the attribute follows it backwards.

    The field is None if the attribute is no such relation.
    """
    descriptor = on_class(model, name)
    if type(descriptor) in FORWARD:
        return descriptor.field, False
    if type(descriptor) is ReverseOneToOneDescriptor:
        return descriptor.related.field, True
    return None, False


def table_of(compiler: Any) -> Table:
    """What stands where in the rows of a query.

    :param compiler: the one that has executed the query
    :raises InstancesNeededError: if somebody could tell that no instances are made of the rows
    """
    if compiler.klass_info is None:
        raise InstancesNeededError("the query selects no model")
    if compiler.query._filtered_relations:
        raise InstancesNeededError("the query has a FilteredRelation")
    of_users = functools.cache(lambda: converted_by_users(compiler))
    table = _table(compiler.klass_info, compiler.select, of_users)
    for name, position in (compiler.annotation_col_map or {}).items():
        if on_class(table.model, name) is not None or name in table.columns:
            raise InstancesNeededError(f"the annotation {name} is an attribute of the model, too")
        table.annotations[name] = position
    return table


def _table(
    klass_info: dict[str, Any], select: Any, of_users: Callable[[], frozenset[int]]
) -> Table:
    model = klass_info["model"]
    if klass_info.get("from_parent"):
        raise InstancesNeededError(f"{model.__name__} is selected by way of its parent")
    columns = {select[each][0].target.attname: each for each in klass_info["select_fields"]}
    table = _own_table(model, columns, of_users)
    for related in klass_info.get("related_klass_infos", ()):
        is_reverse = related["reverse"]
        _check_cache(related["field"])
        table.relations[related["field"], is_reverse] = Joined(
            _table(related, select, of_users),
            # A key that may be null gives None, any other raises an error if there is no object.
            not is_reverse and related["field"].null,
            related["local_setter"],
            related["remote_setter"],
        )
    return table


def whole_table(model: Any) -> Table:
    """What stands where in the rows of a query that selects a model and nothing else.

    :raises InstancesNeededError: if somebody could tell that no instances are made of the rows
    """
    names = [field.attname for field in model._meta.concrete_fields]
    return _own_table(model, {name: position for position, name in enumerate(names)}, frozenset)


def _own_table(
    model: Any, columns: dict[str, int], of_users: Callable[[], frozenset[int]]
) -> Table:
    """The table of a model without what is loaded with it."""
    _check_model(model, columns)
    table = Table(model, columns[model._meta.pk.attname], columns, of_users)
    for name, position in columns.items():
        descriptor = type(on_class(model, name))
        if descriptor is ForeignKeyDeferredAttribute:
            _check_cache(on_class(model, name).field)
            table.foreign_keys.append(position)
        elif descriptor in _FILES:
            table.files.add(name)
        elif descriptor is not DeferredAttribute:
            raise InstancesNeededError(f"{name} of {model.__name__} is more than a column")
    return table


def _check_model(model: Any, columns: dict[str, int]) -> None:
    """Check that making an instance of a model from these columns runs no code of users.

    :raises InstancesNeededError: if it may
    """
    is_plain = (
        access_of(model) == MODEL
        and not hasattr(model, "__getattr__")
        and model.__init__ is _INIT
        # Model.__init__ calls that of the class behind it.
        and not any("__init__" in vars(base) for base in model.__mro__ if base not in _BASES)
        and model.__new__ is _NEW
        and model.__setattr__ is _SETATTR
        and model.from_db.__func__ is _FROM_DB
        and type(model).__call__ is type.__call__
    )
    if not is_plain:
        raise InstancesNeededError(f"{model.__name__} has its own way to make or read instances")
    if pre_init.has_listeners(model) or post_init.has_listeners(model):
        raise InstancesNeededError(f"pre_init or post_init of {model.__name__} has receivers")
    meta = model._meta
    if meta.is_composite_pk:
        raise InstancesNeededError(f"the primary key of {model.__name__} is several columns")
    expected = [each.attname for each in meta.concrete_fields if each.attname in columns]
    first = next(iter(columns.values()))
    in_order = list(columns.values()) == list(range(first, first + len(columns)))
    if list(columns) != expected or not in_order:
        raise InstancesNeededError(f"the columns of {model.__name__} are not in their usual order")


def _check_cache(field: Any) -> None:
    """Check that Django itself keeps the related objects of a foreign key.

    :raises InstancesNeededError: if not
    """
    for each in (field, field.remote_field):
        for name, method in _CACHE.items():
            if getattr(type(each), name, None) is not method or name in vars(each):
                raise InstancesNeededError(f"{field} keeps related objects in its own way")
