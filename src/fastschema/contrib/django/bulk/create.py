"""Create lists in bulk: all rows in one transaction, by as few queries as can be."""

from __future__ import annotations

import functools
from collections.abc import Iterator
from typing import Any

from django.db import DataError, IntegrityError, connections, router, transaction
from django.db.models import AutoField, FileField, Manager, Model, QuerySet
from django.db.models.signals import post_init, post_save, pre_init, pre_save
from rest_framework.serializers import BaseSerializer, ListSerializer, ModelSerializer

from fastschema.contrib.django.bulk.batch_lookup import uses_batch_lookup
from fastschema.contrib.django.bulk.setting import is_in_bulk, is_list_in_bulk
from fastschema.contrib.django.front_end.access import on_class
from fastschema.contrib.django.front_end.schema_reader import field_mapping
from fastschema.runtime.patching import Replacements, overridden, stock_method
from fastschema.runtime.plain_values import is_a

STOCK_CREATE = stock_method(ListSerializer, "create")
_CREATE = stock_method(ModelSerializer, "create")
_CREATING = {
    name: stock_method(Model, name)
    for name in (
        *("__new__", "__init__", "__setattr__"),
        *("save", "save_base", "_save_parents", "_save_table", "_do_insert"),
    )
}
_SIGNALS = {
    "pre_init": pre_init,
    "post_init": post_init,
    "pre_save": pre_save,
    "post_save": post_save,
}
_OF_MANAGERS = {
    name: stock_method(Manager, name) for name in ("get_queryset", "create", "bulk_create")
}
_OF_QUERYSETS = {name: stock_method(QuerySet, name) for name in ("create", "bulk_create")}
_ASKING_NOTHING = (
    "builtins",
    "datetime",
    "uuid",
    "django.db.models.fields",
    "django.utils.timezone",
)
"""Modules of functions that are usual as defaults."""
_ROWS_AT_ONCE = 1_000
_OF_ONE_ROW = (IntegrityError, DataError, TypeError)
"""Errors for which a row is to blame. Of a TypeError, stock tells what the model was given."""


@functools.wraps(STOCK_CREATE)
def create_list(self: Any, validated_data: list[Any]) -> list[Any]:
    """Return what ``ListSerializer.create`` returns; in bulk if users say so.

    Then all is done in one transaction, and an error has a note that names the row.
    """
    child = self.child
    model: Any = getattr(getattr(child, "Meta", None), "model", None)
    has_table = is_a(model, type) and issubclass(model, Model)
    if not has_table or not is_list_in_bulk(self):
        created: list[Any] = STOCK_CREATE(self, validated_data)
        return created
    rows, alias = list(validated_data), router.db_for_write(model)
    with transaction.atomic(using=alias):
        instances = _in_bulk(child, rows, alias)
        return _one_by_one(child, rows) if instances is None else instances


def _one_by_one(child: Any, rows: list[Any]) -> list[Any]:
    created = []
    for number, row in enumerate(rows):
        try:
            created.append(child.create(row))
        except Exception as error:
            error.add_note(f"This is row {number} of {len(rows)}, counted from 0.")
            raise
    return created


def _in_bulk(child: Any, rows: list[Any], alias: str) -> list[Any] | None:
    """Create rows by ``bulk_create``; None if that may not be the same, or one of them is wrong.

    In the latter case, objects are made again, so no code of users may see them made.
    """
    if why_one_by_one(child) is not None:
        return None
    model: Any = child.Meta.model
    # Neither relations to many, nor properties of users.
    names = {name for field in model._meta.concrete_fields for name in (field.name, field.attname)}
    if not all(row.keys() <= names for row in rows):
        return None
    try:
        instances = [model(**row) for row in rows]
    except Exception:
        return None  # stock says which cannot be made, and why
    try:
        with transaction.atomic(using=alias):
            return list(model._default_manager.bulk_create(instances, batch_size=_ROWS_AT_ONCE))
    except _OF_ONE_ROW:
        return None


def why_one_by_one(child: Any) -> str | None:
    """Return why ``bulk_create`` does not do what creating objects one by one does, or None."""
    return next(_reasons_of(child), None)


def _reasons_of(child: Any) -> Iterator[str]:
    if not is_a(child, ModelSerializer) or type(child).create is not _CREATE:
        yield f"{type(child).__name__} has its own create"
    if "create" in vars(child):
        yield "create is set on the serializer object"
    for name, field in field_mapping(child).items():
        is_nested = is_a(field, BaseSerializer) or len(field.source_attrs) > 1
        if is_nested and not field.read_only:
            yield f"{name} is written to a related object"
    yield from _reasons_of_model(child.Meta.model)


def _reasons_of_model(model: Any) -> Iterator[str]:
    name, meta, manager = model.__name__, model._meta, model._default_manager
    for method, stock in _CREATING.items():
        if getattr(model, method) is not stock:
            yield f"{name} has its own {method}"
    if overridden(manager, _OF_MANAGERS) or overridden(manager._queryset_class, _OF_QUERYSETS):
        yield f"the manager of {name} creates in its own way"
    for signal_name, signal in _SIGNALS.items():
        if signal.has_listeners(model):
            yield f"{signal_name} of {name} has receivers"
    if any(parent._meta.concrete_model is not meta.concrete_model for parent in meta.all_parents):
        yield f"{name} has the table of a parent, too"
    if meta.order_with_respect_to:
        yield f"objects of {name} are numbered as they are saved"
    for field in meta.concrete_fields:
        yield from _reasons_of_column(model, field)
    features = connections[router.db_for_write(model)].features
    if not features.can_return_rows_from_bulk_insert:
        made_by_database = [*meta.db_returning_fields]
        if made_by_database or isinstance(meta.pk, AutoField):
            yield f"the database does not tell the keys of new rows of {name}"


def _reasons_of_column(model: Any, field: Any) -> Iterator[str]:
    """Yield why a column's value may not be the same before and after other rows are saved."""
    name = model.__name__
    for attribute in {field.name, field.attname}:
        if not type(on_class(model, attribute)).__module__.startswith("django."):
            yield f"{name}.{attribute} is not a plain column"
    if isinstance(field, FileField):
        yield f"{name} has files, which are saved with it"
    if not type(field).pre_save.__module__.startswith("django."):
        yield f"{field.name} of {name} makes its value when it is saved"
    default = field.default
    if callable(default) and getattr(default, "__module__", None) not in _ASKING_NOTHING:
        yield f"the default of {field.name} of {name} may ask the database"


def notes_on_bulk(serializer: Any, *, is_asked: bool) -> list[str]:
    """Return what is asked of the database at once, and how rows are created, if in bulk."""
    if not is_in_bulk(serializer):
        return []
    notes = []
    fields = [field for field in field_mapping(serializer).values() if not field.read_only]
    asked = [field.field_name for field in fields if is_asked and uses_batch_lookup(field)]
    if asked:
        notes.append(f"In bulk, the database is asked once for all rows of {', '.join(asked)}.")
    reason = why_one_by_one(serializer)
    how = "by bulk_create" if reason is None else f"one by one, because {reason}"
    return [*notes, f"Rows are created {how}."]


_replacements = Replacements([(ListSerializer, "create", STOCK_CREATE, create_list)])
install, uninstall = _replacements.install, _replacements.uninstall
