"""What the rows of a list ask the database, asked at once.

DRF asks for each unique value and for each related object on its own. Here the values of all rows
are asked for by one query for each field, before the first row is validated. While the list is
validated, its fields find the answers where they would ask. What was not asked, or has no answer,
is asked by stock, whose errors are the answer.
"""

from __future__ import annotations

import uuid
from collections.abc import Callable, Iterable, Iterator
from contextlib import ExitStack, contextmanager
from typing import Any, NamedTuple

from django.core.exceptions import FieldDoesNotExist
from django.db import connections, models
from rest_framework.exceptions import ValidationError
from rest_framework.relations import (
    ManyRelatedField,
    PrimaryKeyRelatedField,
    RelatedField,
    SlugRelatedField,
)
from rest_framework.validators import UniqueValidator

from fastschema.contrib.django.rows.fetching import is_stock_queryset
from fastschema.contrib.django.schema_reader import field_mapping
from fastschema.runtime.stock import stock_method

_GET, _FILTER = (stock_method(models.QuerySet, name) for name in ("get", "filter"))
_CALL = stock_method(UniqueValidator, "__call__")
_TEXTS = (models.CharField, models.TextField)
_KEYS = (*_TEXTS, models.IntegerField, models.UUIDField)
_EXACT_VENDORS = ("postgresql", "sqlite")
"""Databases to which two texts are equal if they are equal to Python, unless a column says more."""


@contextmanager
def asked_at_once(serializer: Any, data: list[Any]) -> Iterator[None]:
    """While it holds, the fields of a list's child know what the database says of some rows.

    :param serializer: the list serializer
    :param data: the rows, before they are validated
    """
    rows = [row for row in data if type(row) is dict]
    with ExitStack() as stack:
        for field in field_mapping(serializer.child).values() if rows else ():
            if not field.read_only:
                name = field.field_name
                values = [row[name] for row in rows if name in row]
                _know(field, values, serializer, stack)
        yield


def _know(field: Any, values: list[Any], serializer: Any, stack: ExitStack) -> None:
    """Let a field know what the database says of some values, until the stack is closed."""
    if isinstance(field, ManyRelatedField):
        items = [item for value in values if type(value) is list for item in value]
        _know_related(field.child_relation, items, stack)
        return
    convert = _converter(field)
    if isinstance(field, RelatedField):
        known = _know_related(field, values, stack)
        convert = None if known is None else known.find
    # With instances, stock leaves them out one by one.
    if convert is not None and serializer.instance is None:
        converted = list(_converted(convert, values))
        for number, validator in enumerate(field.validators):
            question = _unique_question(validator, field)
            if question is not None:
                known_unique = _known_unique(validator, question, converted)
                _replace(field.validators, number, known_unique, stack)


def asks_at_once(field: Any) -> bool:
    """Whether a list asks the database once for all values of a field."""
    relation = getattr(field, "child_relation", field)
    if isinstance(relation, RelatedField) and _related_question(relation) is not None:
        return True
    return any(_unique_question(each, field) is not None for each in field.validators)


class _Question(NamedTuple):
    """What is asked of the database for all rows.

    :param queryset: of whom
    :param lookup: by what
    :param field: the field of the model
    """

    queryset: Any
    lookup: str
    field: Any

    def answers(self, keys: set[Any]) -> Iterator[Any]:
        """The queryset for some of the keys at a time, as many as the database takes."""
        alias = self.queryset.db
        waiting = list(keys)
        size = connections[alias].features.max_query_params or len(waiting)
        for start in range(0, len(waiting), size or 1):
            chunk = waiting[start : start + size]
            yield self.queryset.filter(**{f"{self.lookup}__in": chunk})


def _converter(field: Any) -> Callable[[Any], Any] | None:
    """What makes of primitive values what validators are given; None if it is code of users."""
    is_stock = type(field).to_internal_value.__module__.startswith("rest_framework.")
    return field.to_internal_value if is_stock else None


def _converted(convert: Callable[[Any], Any], values: list[Any]) -> Iterator[Any]:
    for value in values:
        if value is not None:
            try:
                yield convert(value)
            except Exception:
                continue  # stock says what is wrong with it


class KnownObjects:
    """Stands for the queryset of a relation: ``get`` knows some of the objects.

    :param queryset: asked for all others
    :param lookup: by what objects are looked up
    :param key_field: the field of the model
    :param objects: those that are known, by their values of that field
    """

    def __init__(self, queryset: Any, lookup: str, key_field: Any, objects: dict[Any, Any]) -> None:
        self._queryset = queryset
        self._lookup = lookup
        self._key_field = key_field
        self._objects = objects

    def find(self, value: Any) -> Any:
        """The object that is known by a value.

        :raises KeyError: if there is none
        """
        return self._objects[_key(self._key_field, value)]

    def get(self, *args: Any, **kwargs: Any) -> Any:
        """What ``QuerySet.get`` returns, or raises."""
        if not args and list(kwargs) == [self._lookup]:
            try:
                return self.find(kwargs[self._lookup])
            except KeyError:
                pass  # stock asks, and says what is wrong with it
        return self._queryset.all().get(*args, **kwargs)

    def __getattr__(self, name: str) -> Any:
        return getattr(self._queryset, name)


def _know_related(field: Any, values: list[Any], stack: ExitStack) -> KnownObjects | None:
    """Let a relation know the objects to which some values lead, if that can be asked."""
    question = _related_question(field) if values else None
    if question is None:
        return None
    queryset, lookup, key_field = question
    found: dict[Any, list[Any]] = {}
    for objects in question.answers(_keys(key_field, values, queryset.db)):
        for each in objects:
            found.setdefault(getattr(each, key_field.attname), []).append(each)
    known = {key: each[0] for key, each in found.items() if len(each) == 1}
    stand_in = KnownObjects(queryset, lookup, key_field, known)
    own = vars(field)
    own["get_queryset"] = lambda: stand_in
    stack.callback(own.pop, "get_queryset", None)
    return stand_in


def _related_question(field: Any) -> _Question | None:
    """How to ask for related objects; None if they are asked for one by one."""
    if isinstance(field, PrimaryKeyRelatedField) and field.pk_field is None:
        lookup = "pk"
    elif isinstance(field, SlugRelatedField):
        lookup = field.slug_field
    else:
        return None
    if "get_queryset" in vars(field):
        return None
    queryset = field.get_queryset()
    if not _is_askable(queryset):
        return None
    key_field = _model_field(queryset.model, lookup)
    is_one = key_field is not None and (key_field.unique or _is_exact(key_field, queryset.db))
    return _Question(queryset, lookup, key_field) if is_one else None


class KnownUnique:
    """Stands for a ``UniqueValidator``: it knows values that are free, and those it has seen.

    :param validator: asked for all others
    :param free: values that the database has not
    """

    requires_context = True

    def __init__(self, validator: Any, free: frozenset[Any]) -> None:
        self._validator = validator
        self._free = free
        self._seen: set[Any] = set()

    def __call__(self, value: Any, serializer_field: Any) -> None:
        """The same as ``UniqueValidator`` does; of two rows with one value, the later one is wrong.

        :raises ValidationError: if the value is not unique
        """
        key = value.pk if isinstance(value, models.Model) else value
        if type(key) in (str, int, uuid.UUID):
            if key in self._seen:
                raise ValidationError(self._validator.message, code="unique")
            self._seen.add(key)
            if key in self._free:
                return
        self._validator(value, serializer_field)

    def __getattr__(self, name: str) -> Any:
        return getattr(self._validator, name)


def _unique_question(validator: Any, field: Any) -> _Question | None:
    """How to ask whether values are free; None if a validator asks for them one by one."""
    if type(validator) is not UniqueValidator or UniqueValidator.__call__ is not _CALL:
        return None
    queryset = validator.queryset
    if isinstance(queryset, models.Manager):
        queryset = queryset.all()
    if validator.lookup != "exact" or not _is_askable(queryset):
        return None
    name = field.source_attrs[-1]
    key_field = _model_field(queryset.model, name)
    return None if key_field is None else _Question(queryset, name, key_field)


def _known_unique(validator: Any, question: _Question, values: list[Any]) -> KnownUnique:
    """A validator that knows which of some values are free."""
    queryset, name, key_field = question
    keys = _keys(key_field, [getattr(each, "pk", each) for each in values], queryset.db)
    taken: set[Any] = set()
    for objects in question.answers(keys):
        taken.update(objects.values_list(name, flat=True))
    if taken and not _is_exact(key_field, queryset.db):
        keys = set()  # who knows which of them equals what was found
    return KnownUnique(validator, frozenset(keys - taken))


def _replace(validators: list[Any], number: int, known: Any, stack: ExitStack) -> None:
    stock, validators[number] = validators[number], known

    def restore() -> None:
        for place, each in enumerate(validators):
            if each is known:
                validators[place] = stock

    stack.callback(restore)


def _is_askable(queryset: Any) -> bool:
    """Whether a queryset answers as Django's do, and may be filtered."""
    return (
        is_stock_queryset(queryset)
        and type(queryset).get is _GET
        and type(queryset).filter is _FILTER
        and not queryset.query.is_sliced
        and not queryset.query.combinator
    )


def _model_field(model: Any, name: str) -> Any:
    """The field of a model by which rows are told apart; None if it is none of Django's own."""
    try:
        field = model._meta.pk if name == "pk" else model._meta.get_field(name)
    except FieldDoesNotExist:
        return None
    target = field.target_field if isinstance(field, models.ForeignKey) else field
    is_known = isinstance(target, _KEYS) and type(target).__module__.startswith("django.")
    return field if is_known else None


def _is_exact(field: Any, alias: str) -> bool:
    """Whether the database takes two values of a field for equal only if Python does."""
    field = field.target_field if isinstance(field, models.ForeignKey) else field
    if not isinstance(field, _TEXTS):
        return True
    return field.db_collation is None and connections[alias].vendor in _EXACT_VENDORS


def _keys(field: Any, values: Iterable[Any], alias: str) -> set[Any]:
    """Some values as the rows of a model have them, without those that cannot be asked for."""
    field = field.target_field if isinstance(field, models.ForeignKey) else field
    keys = set()
    least = most = None
    if isinstance(field, models.IntegerField):
        least, most = connections[alias].ops.integer_field_range(field.get_internal_type())
    for value in values:
        try:
            key = _key(field, value)
        except KeyError:
            continue
        is_small = least is None or least <= key
        if is_small and (most is None or key <= most):
            keys.add(key)
    return keys


def _key(field: Any, value: Any) -> Any:
    """A primitive value as the rows of a model have it.

    :raises KeyError: if that is not for us to say
    """
    if type(value) not in (str, int, uuid.UUID):
        raise KeyError(value)
    try:
        key = field.to_python(value)
        if type(key) is str:
            key.encode()
    except Exception:
        raise KeyError(value) from None
    if type(key) is str and "\x00" in key:
        raise KeyError(value)
    return key
