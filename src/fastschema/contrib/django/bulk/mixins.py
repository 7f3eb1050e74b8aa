"""Mixins of serializers and of views that take lists in bulk."""

from __future__ import annotations

from typing import Any

from rest_framework.mixins import CreateModelMixin
from rest_framework.serializers import ListSerializer

from fastschema.contrib.django.bulk.setting import PER_SERIALIZER
from fastschema.contrib.django.input import validation
from fastschema.contrib.django.serializers import fast_list, speed_up


class FastBulkMixin:
    """Validates and creates lists of a serializer in bulk; it is listed first.

    ::

        class FlightSerializer(FastBulkMixin, serializers.ModelSerializer): ...

    For all serializers, set ``FASTSCHEMA = {"BULK_INPUT": True}``; with ``fastschema_bulk_input =
    False``, one of them is left out. docs/django-input.md tells what it does.

    :raises TypeError: with ``many=True``, if ``Meta`` names a list serializer that knows nothing of
        it, where fastschema is not installed for all
    """

    fastschema_bulk_input = True

    @classmethod
    def many_init(cls, *args: Any, **kwargs: Any) -> Any:
        """Return the list serializer that ``BaseSerializer.many_init`` makes, compiled."""
        many = super().many_init(*args, **kwargs)  # type: ignore[misc]  # of a serializer
        many = fast_list(many)
        _check_bulk(many)
        return many


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
        if is_list and isinstance(serializer, ListSerializer):
            if not hasattr(serializer.child, PER_SERIALIZER):
                setattr(serializer.child, PER_SERIALIZER, True)
            speed_up(serializer)
            _check_bulk(serializer)
        return serializer


def _check_bulk(many: Any) -> None:
    """Raise TypeError if the class of a list serializer knows nothing of bulk."""
    methods = [vars(base).get("run_validation") for base in type(many).__mro__]
    if isinstance(many, ListSerializer) and validation.run_list_validation not in methods:
        raise TypeError(
            f"{type(many).__name__}: derive it from FastListSerializer to use it in bulk"
        )
