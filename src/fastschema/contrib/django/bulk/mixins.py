"""Mixins of serializers and of views that take lists in bulk."""

from __future__ import annotations

from typing import Any

from rest_framework.mixins import CreateModelMixin
from rest_framework.serializers import ListSerializer

from fastschema.contrib.django.bulk.setting import PER_SERIALIZER


class FastBulkMixin:
    """Validates and creates lists of a serializer in bulk; it is listed first.

    ::

        class FlightSerializer(FastBulkMixin, serializers.ModelSerializer): ...

    For all serializers, set ``FASTSCHEMA = {"BULK_INPUT": True}``; with ``fastschema_bulk_input =
    False``, one of them is left out. docs/django-input.md tells what it does. Where fastschema is
    not installed, it has no effect.
    """

    fastschema_bulk_input = True


class BulkCreateModelMixin(CreateModelMixin):
    """Takes one object or a list of them, which is validated and created in bulk.

    ::

        class Flights(BulkCreateModelMixin, ListCreateAPIView): ...

    It is listed first. A list is answered by the list of what was created, or by status 400 and the
    errors of each row; then nothing is saved.
    """

    def get_serializer(self, *args: Any, **kwargs: Any) -> Any:
        """Return what ``GenericAPIView.get_serializer`` returns, with ``many=True`` for a list."""
        is_update = bool(args) or kwargs.get("instance") is not None
        is_list = isinstance(kwargs.get("data"), list) and not is_update
        if is_list:
            kwargs.setdefault("many", True)
        serializer = super().get_serializer(*args, **kwargs)
        is_in_bulk = is_list and isinstance(serializer, ListSerializer)
        if is_in_bulk and not hasattr(serializer.child, PER_SERIALIZER):
            setattr(serializer.child, PER_SERIALIZER, True)
        return serializer
