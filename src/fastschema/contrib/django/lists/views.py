"""``ListModelMixin.list``, of whose answers shadow mode compares a share with stock's."""

from __future__ import annotations

import functools
from typing import Any

from rest_framework.mixins import ListModelMixin
from rest_framework.response import Response

from fastschema.contrib.django import conf
from fastschema.runtime.patching import stock_method
from fastschema.runtime.plugins import plugin
from fastschema.runtime.switch import is_disabled

_shadow = plugin("fastschema.shadow.django")
STOCK_LIST = stock_method(ListModelMixin, "list")


@functools.wraps(STOCK_LIST)
def list_rows(self: Any, request: Any, *args: Any, **kwargs: Any) -> Any:
    """``ListModelMixin.list``; see :mod:`fastschema.contrib.django.lists.views`."""
    share = conf.settings().shadow
    if not share or _shadow is None or is_disabled():
        return STOCK_LIST(self, request, *args, **kwargs)
    queryset = self.filter_queryset(self.get_queryset())
    page = self.paginate_queryset(queryset)
    serializer = self.get_serializer(queryset if page is None else page, many=True)
    data = serializer.data
    response = Response(data) if page is None else self.get_paginated_response(data)
    _shadow.schedule_comparison(response, self, serializer, data, request, share)
    return response
