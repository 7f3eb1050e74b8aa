"""Whether a list view makes instances."""

from rest_framework.test import APIRequestFactory

from fastschema.contrib.django import lazy_list
from fastschema.contrib.django.lazy_list import LazyResponse
from fastschema.contrib.django.rows.fetching import LaterInstances


def reads_rows(view_class, path="/"):
    """Whether a view writes its rows without making instances of them."""
    lazy_list._need_data.discard(view_class)
    response = view_class.as_view()(APIRequestFactory().get(path)).render()
    if type(response) is not LazyResponse:
        return False
    rows = response._lazy._rows
    rows = getattr(rows, "_result_cache", rows)
    return type(rows) is LaterInstances and rows.fetched is not None
