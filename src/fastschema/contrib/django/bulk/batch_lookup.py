"""Look up by one query what the rows of a list would look up one by one.

DRF runs a query for each unique value and for each related object. Here one query for each field
looks up the values of all rows, before the first row is validated. While the list is validated, its
fields find there what they would look up. What was not looked up, or not found, stock looks up, and
its errors are the answer.

DRF alone does not notice rows of one list that have the same unique value: see
:func:`refusing_duplicates`.
"""

from __future__ import annotations

import uuid
from collections.abc import Callable, Iterable, Iterator
from contextlib import ExitStack, contextmanager
from typing import Any, NamedTuple

from django.core.exceptions import FieldDoesNotExist
from django.db import connections, models
from rest_framework.exceptions import ErrorDetail, ValidationError
from rest_framework.relations import (
    ManyRelatedField,
    PrimaryKeyRelatedField,
    RelatedField,
    SlugRelatedField,
)
from rest_framework.validators import UniqueValidator

from fastschema.contrib.django.bulk.setting import is_list_in_bulk
from fastschema.contrib.django.front_end.schema_reader import field_mapping
from fastschema.contrib.django.internals.queries import is_exact, iterates_as_django
from fastschema.runtime.patching import stock_method
from fastschema.runtime.plain_values import is_a

GET_QUERYSET = stock_method(RelatedField, "get_queryset")
_GET, _FILTER = (stock_method(models.QuerySet, name) for name in ("get", "filter"))
_CALL = stock_method(UniqueValidator, "__call__")
_TEXTS = (models.CharField, models.TextField)
_KEYS = (*_TEXTS, models.IntegerField, models.UUIDField)
_PRIMITIVES = (str, int, uuid.UUID)


class BatchLookup(NamedTuple):
    """Rows of a model by values of a column; of a foreign key, ``field`` is what it refers to."""

    queryset: Any
    column: str
    field: Any

    @property
    def is_exact(self) -> bool:
        """Whether the database takes two values for equal only if Python does."""
        return is_exact(self.field, connections[self.queryset.db].vendor)

    def key(self, value: Any) -> Any:
        """Return a primitive value, or an object's key, as the column has it, or raise KeyError."""
        if isinstance(value, models.Model):
            value = value.__dict__.get(self.field.attname)
        if type(value) not in _PRIMITIVES:
            raise KeyError(value)
        try:
            key = self.field.to_python(value)
            is_valid = type(key) is not str or ("\x00" not in key and key.encode() is not None)
        except Exception:
            is_valid = False
        if not is_valid:
            raise KeyError(value)
        return key

    def keys(self, values: Iterable[Any]) -> set[Any]:
        """Return values as the column has them, without those that cannot be looked up."""
        least = most = None
        if is_a(self.field, models.IntegerField):
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

    def found(self, keys: set[Any]) -> Iterator[Any]:
        """Yield the rows with these values, as querysets, for as many as the database takes."""
        waiting = list(keys)
        limit = connections[self.queryset.db].features.max_query_params
        # The other half is for what the queryset itself is filtered by.
        size = max(1, limit // 2) if limit else max(1, len(waiting))
        for start in range(0, len(waiting), size):
            chunk = waiting[start : start + size]
            yield self.queryset.filter(**{f"{self.column}__in": chunk})


def related_lookup(field: Any, values: Iterable[Any]) -> BatchLookup | None:
    """Return the lookup of the objects of a relation; None if stock looks them up one by one."""
    if is_a(field, PrimaryKeyRelatedField) and field.pk_field is None:
        lookup = "pk"
    elif is_a(field, SlugRelatedField) and type(field.slug_field) is str:
        lookup = field.slug_field
    else:
        return None
    if "get_queryset" in vars(field) or not any(type(value) in _PRIMITIVES for value in values):
        return None
    batch = _lookup(field.get_queryset(), lookup)
    is_one = batch is not None and (batch.field.unique or batch.is_exact)
    return batch if is_one else None


def unique_lookup(validator: Any, field: Any) -> BatchLookup | None:
    """Return the lookup of values that are taken; None if stock looks them up one by one."""
    if type(validator) is not UniqueValidator or UniqueValidator.__call__ is not _CALL:
        return None
    if type(validator.lookup) is not str or validator.lookup != "exact":
        return None
    if len(field.source_attrs) != 1:
        return None
    queryset = validator.queryset
    if is_a(queryset, models.Manager):
        queryset = queryset.all()
    return _lookup(queryset, field.source_attrs[0])


def _lookup(queryset: Any, lookup: str) -> BatchLookup | None:
    if not _is_plain_queryset(queryset):
        return None
    try:
        field = column_of(queryset.model, lookup)
    except FieldDoesNotExist:
        return None
    while is_a(field, models.ForeignKey):
        field = field.target_field
    is_known = is_a(field, *_KEYS) and type(field).__module__.startswith("django.")
    return BatchLookup(queryset, lookup, field) if is_known else None


def column_of(model: Any, lookup: str) -> Any:
    """Return the field of a model that querysets look up by a name, or by ``pk``."""
    return model._meta.pk if lookup == "pk" else model._meta.get_field(lookup)


def _is_plain_queryset(queryset: Any) -> bool:
    """Return whether a queryset answers as Django's do, for many rows as for one."""
    if not (is_a(queryset, models.QuerySet) and iterates_as_django(queryset)):
        return False
    query = queryset.query
    return (
        type(queryset).get is _GET
        and type(queryset).filter is _FILTER
        and not query.is_sliced
        and not query.combinator
        and query.deferred_loading == (frozenset(), True)
        and not any(
            getattr(annotation, "contains_over_clause", False)
            for annotation in query.annotations.values()
        )
    )


Unique = dict[str, tuple[str, str]]
"""By the names of columns whose values are unique in the table to which rows go: the name of the
field, and the message of its validator."""


@contextmanager
def validating_at_once(
    serializer: Any, data: list[Any], validate: Callable[[Any], Any]
) -> Iterator[Callable[[Any], Any]]:
    """While it holds, the database is asked once for all rows of a list, if it is one in bulk.

    It gives what validates a row in the place of ``validate``. At least one row is a dictionary.
    """
    if not is_list_in_bulk(serializer):
        yield validate
        return
    with batch_lookups(serializer, data) as unique:
        yield refusing_duplicates(unique, validate)


@contextmanager
def batch_lookups(serializer: Any, data: list[Any]) -> Iterator[Unique]:
    """While it holds, the fields of a list's child know what the database says of some rows."""
    rows = [item for item in data if type(item) is dict]
    unique: Unique = {}
    with ExitStack() as stack:
        for field in field_mapping(serializer.child).values():
            if field.read_only:
                continue
            name = field.field_name
            values = [item[name] for item in rows if name in item]
            if is_a(field, ManyRelatedField):
                items = [item for value in values if type(value) is list for item in value]
                _know_related(field.child_relation, items, stack)
            elif is_a(field, RelatedField):
                _know_related(field, values, stack)
            if serializer.instance is None:  # with instances, stock leaves them out one by one
                unique |= _know_unique(field, values, stack)
        yield unique


def uses_batch_lookup(field: Any) -> bool:
    """Return whether a list looks all values of a field up at once, as far as is known before.

    A ``get_queryset`` of the user's, who may need a request for it, is taken for one that does.
    """
    relation = getattr(field, "child_relation", field)
    if is_a(relation, RelatedField) and (
        type(relation).get_queryset is not GET_QUERYSET or related_lookup(relation, [0])
    ):
        return True
    return any(unique_lookup(validator, field) is not None for validator in field.validators)


class ObjectCache:
    """Related objects that are known, by their values."""

    def __init__(self, batch: BatchLookup, objects: dict[Any, Any]) -> None:
        self._batch = batch
        self._objects = objects

    def find(self, value: Any) -> Any:
        """Return the object with a value, or raise KeyError."""
        return self._objects[self._batch.key(value)]

    def queryset(self) -> Any:
        """Return the queryset of the relation, whose ``get`` finds what is known without asking."""
        queryset = self._batch.queryset._chain()
        vars(queryset)["get"] = self._get
        return queryset

    def _get(self, *args: Any, **kwargs: Any) -> Any:
        if not args and list(kwargs) == [self._batch.column]:
            try:
                return self.find(kwargs[self._batch.column])
            except KeyError:
                pass  # stock looks it up, and says what is wrong with it
        return self._batch.queryset.get(*args, **kwargs)


def _know_related(field: Any, values: list[Any], stack: ExitStack) -> None:
    """Let a relation know the objects to which some values lead, if that can be looked up."""
    batch = related_lookup(field, values)
    if batch is None:
        return
    by_key: dict[Any, list[Any]] = {}
    for objects in batch.found(batch.keys(values)):
        for related in objects:
            by_key.setdefault(getattr(related, batch.field.attname), []).append(related)
    cache = ObjectCache(
        batch, {key: related[0] for key, related in by_key.items() if len(related) == 1}
    )
    queryset, original = cache.queryset(), field.queryset

    def get_queryset() -> Any:
        # A method of the serializer may have set another one.
        return queryset if field.queryset is original else type(field).get_queryset(field)

    attributes = vars(field)
    attributes["get_queryset"] = get_queryset
    stack.callback(attributes.pop, "get_queryset", None)


class PrefetchedUniqueValidator:
    """Stands for a ``UniqueValidator``: it knows free values, and asks that for all others."""

    requires_context = True

    def __init__(self, validator: Any, batch: BatchLookup, free: frozenset[Any]) -> None:
        self.stock = validator
        self._batch = batch
        self._free = free

    def __call__(self, value: Any, serializer_field: Any) -> None:
        try:
            is_free = self._batch.key(value) in self._free
        except KeyError:
            is_free = False
        if not is_free:
            self.stock(value, serializer_field)

    def __getattr__(self, name: str) -> Any:
        return getattr(self.stock, name)


def _know_unique(field: Any, values: list[Any], stack: ExitStack) -> Unique:
    """Let validators of a field know which of some values are free, if that can be looked up."""
    unique: Unique = {}
    validators = field.validators
    for number, validator in enumerate(validators):
        batch = unique_lookup(validator, field)
        if batch is None:
            continue
        if _is_of_table(batch, getattr(getattr(field.parent, "Meta", None), "model", None)):
            unique[batch.column] = field.field_name, validator.message
        if type(validators) is not list:
            continue  # nothing can stand in the place of this one
        keys = batch.keys(values)
        taken: set[Any] = set()
        for objects in batch.found(keys):
            taken.update(objects.values_list(batch.column, flat=True))
        # If some are taken, who knows which of the keys equal them to the database?
        if batch.is_exact or not taken:
            prefetched = PrefetchedUniqueValidator(validator, batch, frozenset(keys - taken))
            validators[number] = prefetched
            stack.callback(_restore, validators, prefetched)
    return unique


def _restore(validators: list[Any], known: PrefetchedUniqueValidator) -> None:
    validators[:] = [known.stock if validator is known else validator for validator in validators]


def refusing_duplicates(unique: Unique, validate: Callable[[Any], Any]) -> Callable[[Any], Any]:
    """Return what validates the rows of a list, and refuses unique values of earlier rows.

    Rows are compared when they are valid, by the values that would be saved.
    """
    seen: dict[str, set[Any]] = {attribute: set() for attribute in unique}

    def validate_row(data: Any) -> Any:
        value = validate(data)
        if type(value) is dict:
            errors = {
                name: [ErrorDetail(message, code="unique")]
                for attribute, (name, message) in unique.items()
                if _add_and_tell(seen[attribute], value.get(attribute))
            }
            if errors:
                raise ValidationError(errors)
        return value

    return validate_row if unique else validate


def _add_and_tell(seen: set[Any], value: Any) -> bool:
    """Add a value to those that were seen; return whether it was among them."""
    try:
        is_second = value is not None and value in seen
        seen.add(value)
    except TypeError:
        return False  # nothing with which it could be compared
    return is_second


def _is_of_table(batch: Any, model: Any) -> bool:
    """Return whether no two rows of a model's table may have the same value."""
    table = batch.queryset.model
    is_same = is_a(model, type) and issubclass(model, models.Model)
    is_same = is_same and model._meta.concrete_model is table._meta.concrete_model
    # A constraint with a condition asks some of the rows only.
    column = column_of(table, batch.column)
    return is_same and bool(column.unique) and not batch.queryset.query.has_filters()
