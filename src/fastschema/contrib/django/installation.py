"""Making DRF serializers use plans."""

from __future__ import annotations

from typing import Any

from rest_framework.mixins import ListModelMixin
from rest_framework.serializers import ListSerializer, Serializer

from fastschema.contrib.django.dumping import (
    STOCK_LIST_TO_REPRESENTATION,
    STOCK_TO_REPRESENTATION,
    register_installed,
    represent,
    represent_list,
)
from fastschema.contrib.django.lazy import STOCK_LIST, list_lazily


def _to_representation(self: Any, instance: Any) -> Any:
    """``Serializer.to_representation``, compiled."""
    return represent(self, instance)


def _list_to_representation(self: Any, data: Any) -> Any:
    """``ListSerializer.to_representation``, compiled."""
    return represent_list(self, data)


register_installed(_to_representation, _list_to_representation)


def install() -> None:
    """Make all DRF serializers use plans, defined before or after; single and ``many=True``.

    List views answer with a :class:`fastschema.contrib.django.lazy.LazyResponse` where they can.
    Installing again does nothing.
    """
    Serializer.to_representation = _to_representation
    ListSerializer.to_representation = _list_to_representation
    ListModelMixin.list = list_lazily


def uninstall() -> None:
    """Give the classes of DRF their own methods back."""
    Serializer.to_representation = STOCK_TO_REPRESENTATION
    ListSerializer.to_representation = STOCK_LIST_TO_REPRESENTATION
    ListModelMixin.list = STOCK_LIST
