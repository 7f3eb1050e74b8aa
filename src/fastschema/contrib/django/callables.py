"""Values that DRF calls: methods of objects, found by a field's source."""

from __future__ import annotations

import functools
import inspect
from collections.abc import Callable
from types import FunctionType, MethodType
from typing import Any

from rest_framework import fields

from fastschema.contrib.django.json_encoding import missing
from fastschema.contrib.django.substitutes import Holding

_MOST_FUNCTIONS = 256
_SELF = {"__self__"}
"""What ``functools.partialmethod`` sets on the partials that it makes."""


class Callables(dict[Any, bool]):
    """Whether functions can be called without arguments, by function.

    DRF asks for the signature of each method it finds, which takes longer than most methods do. One
    of these lives as long as what a program is bound to.
    """

    def can_be_called(self, function: Any, value: Any) -> bool:
        """DRF's ``is_simple_callable``.

        :param function: :func:`function_of` the value
        """
        known = self.get(function)
        if known is None:
            if len(self) >= _MOST_FUNCTIONS:
                self.clear()  # each object has functions of its own
            known = self[function] = fields.is_simple_callable(value)
        return known

    def call(self, value: Any, by_stock: Callable[[Any], Any]) -> Any:
        """A value, or what it gives where stock would call it.

        :param by_stock: what stock makes of a value that it finds
        :raises Exception: what stock raises
        """
        function = function_of(value)
        if function is None:
            return by_stock(value)
        try:
            is_called = self.can_be_called(function, value)
        except Exception:  # a signature that cannot be told
            return by_stock(value)
        if not is_called:
            return value
        try:
            return value()
        except (AttributeError, KeyError) as error:
            return by_stock(_Raised(error).again)


class _Raised:
    """An exception that was raised, to be raised where stock calls."""

    def __init__(self, error: Exception) -> None:
        self._error = error

    def again(self) -> Any:
        raise self._error


def function_of(value: Any) -> Any:
    """What the signature of a method, function or partial depends on; None for anything else."""
    cls = type(value)
    if cls is FunctionType:
        return value
    if cls is MethodType:
        return (value.__func__,) if type(value.__func__) is FunctionType else None
    # Such as Model.get_status_display.
    if cls is functools.partial and not value.args and vars(value).keys() <= _SELF:
        function = function_of(value.func)
        return None if function is None else (function, *value.keywords)
    return None


def is_method(value: Any) -> bool:
    """Whether a value that was read is what stock may call."""
    return callable(value) and (inspect.isroutine(value) or isinstance(value, functools.partial))


def call_if_callable(field: Any, value: Any, obj: Any, callables: Callables) -> Any:
    """A value as it was read: called if stock would call it.

    Where it is out of the ordinary, stock's own ``get_attribute`` decides and calls, so that its
    errors and its treatment of them are its own; it finds the value that was read in place of the
    object.
    """
    if not is_method(value):
        return value
    try:
        return callables.call(value, lambda found: field.get_attribute(Holding(obj, found)))
    except fields.SkipField:
        return missing
