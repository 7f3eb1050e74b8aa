"""Stock's own serializers, told from those that represent in a way of their own."""

from __future__ import annotations

from typing import Any

from django.db.models.manager import BaseManager
from rest_framework.serializers import ListSerializer, Serializer

from fastschema.runtime.patching import is_stock, stock_method

STOCK_TO_REPRESENTATION = stock_method(Serializer, "to_representation")
STOCK_LIST_TO_REPRESENTATION = stock_method(ListSerializer, "to_representation")


def is_stock_serializer(serializer: Any) -> bool:
    """Whether a serializer's ``to_representation`` is stock's, be it installed or not."""
    return (
        isinstance(serializer, Serializer)
        and is_stock(type(serializer).to_representation, STOCK_TO_REPRESENTATION)
        and "to_representation" not in vars(serializer)
    )


def is_stock_list(serializer: ListSerializer) -> bool:
    """Whether a list serializer's ``to_representation`` is stock's, be it installed or not."""
    method = type(serializer).to_representation
    is_own = "to_representation" in vars(serializer)
    return is_stock(method, STOCK_LIST_TO_REPRESENTATION) and not is_own


def rows(data: Any) -> Any:
    """Return what stock iterates over: the rows, or all rows of a manager."""
    return data.all() if isinstance(data, BaseManager) else data
