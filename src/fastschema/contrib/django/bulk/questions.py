"""What a field asks the database for each value, as one question for many."""

from __future__ import annotations

import uuid
from collections.abc import Iterable, Iterator
from typing import Any, NamedTuple

from django.core.exceptions import FieldDoesNotExist
from django.db import connections, models
from rest_framework.relations import PrimaryKeyRelatedField, RelatedField, SlugRelatedField
from rest_framework.validators import UniqueValidator

from fastschema.contrib.django.rows.fetching import is_stock_queryset
from fastschema.runtime.stock import stock_method

GET_QUERYSET = stock_method(RelatedField, "get_queryset")
_GET, _FILTER = (stock_method(models.QuerySet, name) for name in ("get", "filter"))
_CALL = stock_method(UniqueValidator, "__call__")
_TEXTS = (models.CharField, models.TextField)
_KEYS = (*_TEXTS, models.IntegerField, models.UUIDField)
_PRIMITIVES = (str, int, uuid.UUID)
_EXACT_VENDORS = ("postgresql", "sqlite")
"""Databases to which two texts are equal if they are equal to Python, unless a column says more."""


def is_exact(column: Any, vendor: str) -> bool:
    """Return whether a database takes two values of a column for equal only if Python does."""
    is_text = isinstance(column, _TEXTS)
    return not is_text or (column.db_collation is None and vendor in _EXACT_VENDORS)


class Question(NamedTuple):
    """Which rows of a model have some values in a column.

    :param queryset: the rows
    :param lookup: the column, as querysets name it
    :param field: the column; for a foreign key, that to which it refers
    """

    queryset: Any
    lookup: str
    field: Any

    @property
    def is_exact(self) -> bool:
        """Whether the database takes two values for equal only if Python does."""
        return is_exact(self.field, connections[self.queryset.db].vendor)

    def key(self, value: Any) -> Any:
        """A primitive value, or an object that a foreign key refers to, as the column has it.

        :raises KeyError: if that is not for us to say
        """
        if isinstance(value, models.Model):
            value = value.__dict__.get(self.field.attname)
        if type(value) not in _PRIMITIVES:
            raise KeyError(value)
        try:
            key = self.field.to_python(value)
            is_askable = type(key) is not str or ("\x00" not in key and key.encode() is not None)
        except Exception:
            is_askable = False
        if not is_askable:
            raise KeyError(value)
        return key

    def keys(self, values: Iterable[Any]) -> set[Any]:
        """Some values as the column has them, without those that cannot be asked for."""
        least = most = None
        if isinstance(self.field, models.IntegerField):
            operations = connections[self.queryset.db].ops
            least, most = operations.integer_field_range(self.field.get_internal_type())
        keys = set()
        for value in values:
            try:
                key = self.key(value)
            except KeyError:
                continue
            if (least is None or least <= key) and (most is None or key <= most):
                keys.add(key)
        return keys

    def answers(self, keys: set[Any]) -> Iterator[Any]:
        """The rows with these values, as querysets, each for as many as the database takes."""
        waiting = list(keys)
        limit = connections[self.queryset.db].features.max_query_params
        # The other half is for what the queryset itself is filtered by.
        size = max(1, limit // 2) if limit else max(1, len(waiting))
        for start in range(0, len(waiting), size):
            chunk = waiting[start : start + size]
            yield self.queryset.filter(**{f"{self.lookup}__in": chunk})


def related_question(field: Any, values: Iterable[Any]) -> Question | None:
    """How to ask for the objects of a relation; None if they are asked for one by one.

    :param values: those that it is given
    """
    if isinstance(field, PrimaryKeyRelatedField) and field.pk_field is None:
        lookup = "pk"
    elif isinstance(field, SlugRelatedField):
        lookup = field.slug_field
    else:
        return None
    if "get_queryset" in vars(field) or not any(type(value) in _PRIMITIVES for value in values):
        return None
    question = _question(field.get_queryset(), lookup)
    is_one = question is not None and (question.field.unique or question.is_exact)
    return question if is_one else None


def unique_question(validator: Any, field: Any) -> Question | None:
    """How to ask whether values are free; None if a validator asks for them one by one."""
    if type(validator) is not UniqueValidator or UniqueValidator.__call__ is not _CALL:
        return None
    if validator.lookup != "exact" or len(field.source_attrs) != 1:
        return None
    queryset = validator.queryset
    if isinstance(queryset, models.Manager):
        queryset = queryset.all()
    return _question(queryset, field.source_attrs[0])


def _question(queryset: Any, lookup: str) -> Question | None:
    if not _is_askable(queryset):
        return None
    try:
        field = column_of(queryset.model, lookup)
    except FieldDoesNotExist:
        return None
    while isinstance(field, models.ForeignKey):
        field = field.target_field
    is_known = isinstance(field, _KEYS) and type(field).__module__.startswith("django.")
    return Question(queryset, lookup, field) if is_known else None


def column_of(model: Any, lookup: str) -> Any:
    """The field of a model that querysets look up by a name, or by ``pk``.

    :raises FieldDoesNotExist: if there is none
    """
    return model._meta.pk if lookup == "pk" else model._meta.get_field(lookup)


def _is_askable(queryset: Any) -> bool:
    """Whether a queryset answers as Django's do, for many rows as for one."""
    if not is_stock_queryset(queryset):
        return False
    query = queryset.query
    return (
        type(queryset).get is _GET
        and type(queryset).filter is _FILTER
        and not query.is_sliced
        and not query.combinator
        and query.deferred_loading == (frozenset(), True)
        and not any(
            getattr(each, "contains_over_clause", False) for each in query.annotations.values()
        )
    )
