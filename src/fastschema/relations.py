"""``load_relations``: what a schema is about to read, loaded for all objects at once."""

from __future__ import annotations

import sys
from collections.abc import Callable
from importlib import import_module
from typing import Any

from fastschema.runtime.switch import is_disabled


def load_relations(rows: Any, schema: Any) -> Any:
    """Load the relations that a schema reads and that are not loaded.

    ::

        books = load_relations(session.scalars(select(Book)).all(), BookSchema)
        return BookSchema(many=True).dump(books)

    What might be something else than by a query for each object is left to that.

    :param rows: a list of mapped objects of SQLAlchemy, which have their relationships afterwards;
        for a serializer of Django REST framework a list of model instances or a queryset, see
        :func:`fastschema.contrib.django.relations.load_relations`
    :param schema: a marshmallow schema or a serializer, instance or class
    :returns: the list, or a queryset that prefetches the relations
    :raises TypeError: if it is no schema, or for other rows
    :raises ImportError: if SQLAlchemy is older than 1.4
    """
    cls = schema if isinstance(schema, type) else type(schema)
    if any(base.__module__.startswith("rest_framework.") for base in cls.__mro__):
        load: Callable[[Any, Any], Any] = _attribute("fastschema.contrib.django.relations")
        return load(rows, schema)
    if not any(base.__module__ == "marshmallow.schema" for base in cls.__mro__):
        raise TypeError(f"load_relations() takes a schema or its class, not {schema!r}")
    if not isinstance(rows, list):
        raise TypeError(f"load_relations() takes a list of objects, not a {type(rows).__name__}")
    if not is_disabled() and "sqlalchemy.orm" in sys.modules:
        of_schema = _attribute("fastschema.contrib.sqlalchemy_relations.loading", "load_for")
        of_schema(schema() if isinstance(schema, type) else schema, rows)
    return rows


def _attribute(module: str, name: str = "load_relations") -> Any:
    return getattr(import_module(module), name)
