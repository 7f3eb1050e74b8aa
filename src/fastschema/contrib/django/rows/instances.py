"""Model instances made of rows at once: as Django makes them, without what it looks up each time.

Only for models of which nobody can tell how their instances are made; see :mod:`tables`.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from django.db.models.base import ModelState

from fastschema.contrib.django.rows.tables import Table

Make = Callable[[Any], Any]
"""From a row to an instance."""


def instance_maker(table: Table, db: str, fetch_mode: Any) -> Make:
    """What makes an instance of each row, related objects included.

    The same as ``ModelIterable`` and ``Model.from_db`` make, down to the order of attributes.

    :param table: what stands where in the rows
    :param db: the alias of the database
    :param fetch_mode: that of the queryset; None before Django 6.1
    """
    model, new = table.model, object.__new__
    names = list(table.columns)
    start, end = min(table.columns.values()), max(table.columns.values()) + 1
    keys = table.foreign_keys
    relations = [
        (each.table.key, instance_maker(each.table, db, fetch_mode), each.set_here, each.set_there)
        for each in table.relations.values()
    ]
    annotations = list(table.annotations.items())

    def make(row: Any) -> Any:
        instance = new(model)
        attributes = instance.__dict__
        attributes["_state"] = state = ModelState()
        for position in keys:
            if row[position] is not None:
                state.fields_cache = {}  # which Django looks into when it sets a key
                break
        state.adding = False
        state.db = db
        if fetch_mode is not None:
            state.fetch_mode = fetch_mode
        attributes.update(zip(names, row[start:end], strict=True))
        for key, make_related, set_here, set_there in relations:
            if row[key] is None:
                set_here(instance, None)
            else:
                related = make_related(row)
                set_here(instance, related)
                set_there(related, instance)
        for name, position in annotations:
            attributes[name] = row[position]
        return instance

    return make
