"""Stock's own serializers, told from those that represent in a way of their own."""

from __future__ import annotations

from typing import Any

from django.db.models.manager import BaseManager
from rest_framework.serializers import ListSerializer, Serializer

from fastschema.contrib.django.fields import RULES
from fastschema.runtime.patching import stock_method

STOCK_TO_REPRESENTATION = stock_method(Serializer, "to_representation")
STOCK_LIST_TO_REPRESENTATION = stock_method(ListSerializer, "to_representation")
KNOWN = {STOCK_TO_REPRESENTATION}
KNOWN_LIST = {STOCK_LIST_TO_REPRESENTATION}
"""The methods as stock has them, and as installed."""


def is_stock_serializer(serializer: Any) -> bool:
    """Whether a serializer's ``to_representation`` is stock's, be it installed or not."""
    return (
        isinstance(serializer, Serializer)
        and type(serializer).to_representation in KNOWN
        and "to_representation" not in vars(serializer)
    )


def is_stock_list(serializer: ListSerializer) -> bool:
    """Whether a list serializer's ``to_representation`` is stock's, be it installed or not."""
    return type(serializer).to_representation in KNOWN_LIST and "to_representation" not in vars(
        serializer
    )


def rows(data: Any) -> Any:
    """Return what stock iterates over: the rows, or all rows of a manager."""
    return data.all() if isinstance(data, BaseManager) else data


def register_installed(to_representation: Any, list_to_representation: Any) -> None:
    """Let the methods that :mod:`installation` puts in place count as stock's.

    So that nested serializers are compiled when fastschema is installed, too.
    """
    KNOWN.add(to_representation)
    KNOWN_LIST.add(list_to_representation)
    RULES[to_representation] = RULES[STOCK_TO_REPRESENTATION]
    RULES[list_to_representation] = RULES[STOCK_LIST_TO_REPRESENTATION]
