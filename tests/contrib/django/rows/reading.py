"""Whether a list view makes instances."""

from fastschema.contrib.django import lazy_list
from fastschema.contrib.django.lazy_list import LazyResponse
from fastschema.contrib.django.rows.fetching import LaterInstances
from tests.contrib.django.list_views import get


def reads_rows(view_class, path="/"):
    """Whether a view writes its rows without making instances of them."""
    lazy_list._need_data.discard(view_class)
    response = get(view_class, path)
    if type(response) is not LazyResponse:
        return False
    rows = response._lazy._rows
    rows = getattr(rows, "_result_cache", rows)
    return type(rows) is LaterInstances and rows.fetched is not None
