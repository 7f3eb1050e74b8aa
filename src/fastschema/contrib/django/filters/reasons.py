"""Why the filters of a view are made for each request, for the doctor."""

from __future__ import annotations

from typing import Any

from django_filters.rest_framework import DjangoFilterBackend

from fastschema.contrib.django.filters.plans import filter_set_state


def why_filters_are_made(view: Any) -> str | None:
    """Return why a view makes its filters for each request; None if it does not.

    :param view: made as for a request
    """
    for backend in view.filter_backends:
        if isinstance(backend, type) and issubclass(backend, DjangoFilterBackend):
            queryset = view.get_queryset()
            cls, again = (backend().get_filterset_class(view, queryset) for _ in range(2))
            if cls is not again:
                return "its filter set class may be another one for each request"
            if cls is not None:
                return filter_set_state(cls).why(queryset.model)
    return None
