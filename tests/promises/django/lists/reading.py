"""Whether instances are made of rows, and what is in them."""

from unittest import mock

from django.core.exceptions import EmptyResultSet
from django.db import models
from rest_framework.test import APIRequestFactory

from tests.instruments.django import LazyInstanceList


def reads_rows(view_class, path="/"):
    """Whether a view makes its list without making instances of the rows."""
    rows_of, taken = LazyInstanceList.rows, []

    def noted(rows):
        taken.append(rows)
        return rows_of(rows)

    with mock.patch.object(LazyInstanceList, "rows", noted):
        view_class.as_view()(APIRequestFactory().get(path)).render()
    return any(rows.fetched is not None for rows in taken)


def inside(instance, seen=()):
    """All that is in an instance, and in what it keeps of relations, in order."""
    if not isinstance(instance, models.Model):
        return instance
    if instance in seen:
        return str(instance)
    state = dict(vars(instance._state))
    own = dict(vars(instance))
    kept = state.pop("fields_cache", {}), own.pop("_prefetched_objects_cache", {})
    related = [
        {name: inside(each, (*seen, instance)) for name, each in kept[0].items()},
        {name: [inside(each, (*seen, instance)) for each in kept[1][name]] for name in kept[1]},
        [(each._prefetch_done, _sql_of(each)) for each in kept[1].values()],
    ]
    del own["_state"]
    lists = {name: own.pop(name) for name in list(own) if isinstance(own[name], list)}
    related += [
        (name, [inside(each, (*seen, instance)) for each in lists[name]])
        for name in lists
        if name != "notes"
    ]
    return type(instance), list(vars(instance)), own, state, related


def _sql_of(queryset):
    try:
        return str(queryset.query)
    except EmptyResultSet:
        return ""
