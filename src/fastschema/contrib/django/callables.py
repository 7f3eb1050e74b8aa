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
from fastschema.runtime.stock import stock_method

_IS_SIMPLE_CALLABLE = stock_method(fields, "is_simple_callable")
_EMPTY = inspect.Parameter.empty
_OTHER_SIGNATURE = frozenset(
    ["__wrapped__", "__signature__", "_partialmethod", "__partialmethod__"]
)
"""Attributes of functions whose signature is not what their code says."""
_SELF = {"__self__"}
"""What ``functools.partialmethod`` sets on the partials that it makes."""


def is_method(value: Any) -> bool:
    """Whether a value that was read is what stock may call."""
    return callable(value) and (inspect.isroutine(value) or isinstance(value, functools.partial))


def call_if_callable(field: Any, value: Any, obj: Any) -> Any:
    """A value as it was read: called if stock would call it.

    Where it is out of the ordinary, stock's own ``get_attribute`` decides and calls, so that its
    errors and its treatment of them are its own; it finds the value that was read in place of the
    object.
    """
    if not is_method(value):
        return value
    try:
        return called(value, lambda found: field.get_attribute(Holding(obj, found)))
    except fields.SkipField:
        return missing


def called(value: Any, by_stock: Callable[[Any], Any]) -> Any:
    """A value, or what it gives where stock would call it.

    :param by_stock: what stock makes of a value that it finds
    :raises Exception: what stock raises
    """
    try:
        is_called = is_simple_callable(value)
    except Exception:  # a default that cannot be compared
        is_called = None
    if is_called is None:
        return by_stock(value)
    if not is_called:
        return value
    try:
        return value()
    except (AttributeError, KeyError) as error:
        return by_stock(_Raised(error).again)


def is_simple_callable(value: Any) -> bool | None:
    """DRF's ``is_simple_callable`` for methods, functions and partials; None if DRF must tell.

    DRF makes an ``inspect.Signature`` of each value, which takes longer than most methods do. What
    it looks for there is in the function's code.
    """
    if fields.is_simple_callable is not _IS_SIMPLE_CALLABLE:
        return None
    given: dict[str, Any] = {}
    # Such as Model.get_status_display.
    if type(value) is functools.partial:
        given = value.keywords
        if value.args or not vars(value).keys() <= _SELF:
            return None
        value = value.func
    bound = type(value) is MethodType
    function = value.__func__ if bound else value
    if type(function) is not FunctionType or not _OTHER_SIGNATURE.isdisjoint(function.__dict__):
        return None
    code, defaults = function.__code__, function.__defaults__ or ()
    if code.co_argcount <= bound and not code.co_kwonlyargcount and not given:
        return True if code.co_argcount == bound else None
    if bound and not code.co_argcount:
        return None
    keywords = function.__kwdefaults__ or {}
    names = code.co_varnames[: code.co_argcount + code.co_kwonlyargcount]
    if not given.keys() <= set(names[max(bound, code.co_posonlyargcount) :]):
        return None
    values = dict(zip(reversed(names[: code.co_argcount]), reversed(defaults), strict=False))
    values |= keywords | given
    # As in stock, the first one that has no default ends the search.
    return all(name in values and values[name] != _EMPTY for name in names[bound:])


class _Raised:
    """An exception that was raised, to be raised where stock calls."""

    def __init__(self, error: Exception) -> None:
        self._error = error

    def again(self) -> Any:
        """What stock calls.

        :raises Exception: the exception
        """
        raise self._error
