"""Whether a list view makes instances."""

from rest_framework.test import APIRequestFactory

from fastschema.contrib.django.lists import lazy_list
from fastschema.contrib.django.lists.lazy_list import LazyResponse
from fastschema.contrib.django.lists.queryset_rows import LazyInstanceList


def reads_rows(view_class, path="/"):
    """Whether a view writes its rows without making instances of them."""
    lazy_list._need_data.discard(view_class)
    response = view_class.as_view()(APIRequestFactory().get(path)).render()
    if type(response) is not LazyResponse:
        return False
    rows = response._lazy._rows
    rows = getattr(rows, "_result_cache", rows)
    return type(rows) is LazyInstanceList and rows.fetched is not None
