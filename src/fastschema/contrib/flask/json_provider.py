"""Flask's JSON provider with orjson behind it: the bytes of ``DefaultJSONProvider``."""

from __future__ import annotations

import decimal
import json
import uuid
from collections.abc import Callable, Collection
from copy import copy
from functools import partial
from typing import Any

from flask import Flask
from flask.json.provider import DefaultJSONProvider

from fastschema.compiler.nodes import Form
from fastschema.compiler.real_classes import REAL
from fastschema.runtime import standard_json
from fastschema.runtime.json_engine import (
    Engine,
    JsonText,
    LeftToStock,
    matches_stdlib,
    orjson,
    text_of,
    to_ascii,
)
from fastschema.runtime.patching import overridden, stock_method
from fastschema.runtime.switch import is_disabled

COMPACT = (",", ":")
"""The separators of ``DefaultJSONProvider.response`` out of debug mode."""

_WRITTEN_BY_FLASK = frozenset([REAL.datetime, REAL.date, decimal.Decimal, uuid.UUID])
"""Classes that Flask's ``default`` makes text of, without a call to user code."""

_PASSED_ON = 0
if orjson is not None:
    # To ``default``, as json.dumps does; subclasses never get so far.
    _PASSED_ON = (
        orjson.OPT_PASSTHROUGH_DATETIME
        | orjson.OPT_PASSTHROUGH_DATACLASS
        | orjson.OPT_PASSTHROUGH_SUBCLASS
    )

_LEFT_TO_ENCODER = (JsonText, LeftToStock)


_DEFAULT = stock_method(DefaultJSONProvider, "default")


def written_by_default(default: Callable[[Any], Any]) -> Collection[type]:
    """Return the classes besides JSON's own whose values orjson and ``default`` write alike."""
    return _WRITTEN_BY_FLASK if default is _DEFAULT else ()


def encode(provider: Any, data: Any, *, indent: bool = False) -> bytes | None:
    """Return data as ``json.dumps`` writes them by a provider; None if that must do it.

    No user code is called, but for the ``utcoffset`` of a time zone of the user's own, which
    ``json.dumps`` may then call again. A function, as the provider may have an ``encode``.
    """
    default = provider.default
    option = orjson.OPT_SORT_KEYS | _PASSED_ON if provider.sort_keys else _PASSED_ON
    if indent:
        option |= orjson.OPT_INDENT_2
    try:
        if not matches_stdlib(data, (dict,), (list, tuple), written_by_default(default)):
            return None
        text = orjson.dumps(data, default, option)
    except (TypeError, RecursionError):
        return None
    return to_ascii(text) if provider.ensure_ascii else text


def stock_encode(provider: Any, data: Any, default: Callable[[Any], Any] | None = None) -> bytes:
    """Return what ``DefaultJSONProvider.dumps`` writes with ``COMPACT``, as UTF-8."""
    default = provider.default if default is None else default
    dumps = DefaultJSONProvider.dumps
    return dumps(provider, data, default=default, separators=COMPACT).encode()


_Left = dict[int, bytes | Exception]
"""The JSON of each value that is left to the encoder, or its exception, by the value's id."""


def jsonify_engine(provider: FastJSONProvider) -> Engine:
    """Return what writes what programs make of objects as ``jsonify`` writes ``Schema.dump``'s."""
    return Engine("orjson", Form.JSON, JsonFormWriter(provider).encode)


class JsonFormWriter:
    def __init__(self, provider: FastJSONProvider) -> None:
        self._provider = provider
        self._others = written_by_default(provider.default)
        self._option = orjson.OPT_SORT_KEYS if provider.sort_keys else None

    def encode(self, data: Any) -> bytes:
        """Write data in JSON form as UTF-8, or raise what ``jsonify`` raises."""
        left: _Left = {}
        try:
            text = orjson.dumps(data, partial(self._fragment, left), self._option)
        except TypeError:
            return stock_encode(self._provider, data, partial(self._plain, left))
        return to_ascii(text) if self._provider.ensure_ascii else text

    def _fragment(self, left: _Left, value: Any) -> Any:
        if type(value) in self._others:
            return self._provider.default(value)
        return orjson.Fragment(self._text(left, value))

    def _plain(self, left: _Left, value: Any) -> Any:
        """Return what stock's encoder is given for a value that only data in JSON form have."""
        written = text_of(value)
        return json.loads(self._text(left, value)) if written is None else written

    def _text(self, left: _Left, value: Any) -> bytes:
        """Return the JSON of a value that is left to the encoder, or raise what that raises."""
        written = left.get(id(value))
        if written is None:
            stock_value = value.value if type(value) in _LEFT_TO_ENCODER else value
            try:
                text = encode(self._provider, stock_value)
                written = stock_encode(self._provider, stock_value) if text is None else text
            except Exception as error:
                written = error
            left[id(value)] = written
        if isinstance(written, Exception):
            raise written
        return written


class FastJSONProvider(DefaultJSONProvider):
    """``DefaultJSONProvider`` with the same answers, written and read by orjson.

    The settings (``default``, ``ensure_ascii``, ``sort_keys``, ``compact``, ``mimetype``) mean what
    they mean there. What orjson would write or read otherwise, or not at all, is left to
    ``DefaultJSONProvider``.
    """

    @property
    def is_compact(self) -> bool:
        """Whether ``response`` writes compact JSON, as ``DefaultJSONProvider`` decides it."""
        return not ((self.compact is None and self._app.debug) or self.compact is False)

    def dumps(self, obj: Any, **kwargs: Any) -> str:
        """``DefaultJSONProvider.dumps``; by orjson for the two layouts that ``response`` has.

        :raises TypeError, ValueError: what it raises
        """
        if kwargs in ({"separators": COMPACT}, {"indent": 2}) and _orjson_writes():
            text = encode(self, obj, indent="indent" in kwargs)
            if text is not None:
                return text.decode()
        return super().dumps(obj, **kwargs)

    def loads(self, s: str | bytes, **kwargs: Any) -> Any:
        """``DefaultJSONProvider.loads``.

        :raises ValueError: what it raises (``json.JSONDecodeError``)
        """
        if kwargs or is_disabled():
            return super().loads(s, **kwargs)
        return standard_json.loads(s)

    @property
    def is_fast(self) -> bool:
        """Whether orjson writes, now, all that ``response`` is given: no method is overridden."""
        return _orjson_writes() and overridden(self, _FAST) is None


def _orjson_writes() -> bool:
    return orjson is not None and not is_disabled()


_METHODS = ("_prepare_response_obj", "dump", "dumps", "load", "loads", "response")
_FAST = {name: getattr(FastJSONProvider, name) for name in _METHODS}
_OF_FLASK = {name: stock_method(DefaultJSONProvider, name) for name in _METHODS}


def writes_as_flask(provider: Any) -> bool:
    """Return whether a provider writes what Flask's own does: only its settings may be others."""
    if isinstance(provider, FastJSONProvider):
        return overridden(provider, _FAST) is None
    return isinstance(provider, DefaultJSONProvider) and overridden(provider, _OF_FLASK) is None


def fast_provider(app: Flask) -> FastJSONProvider | None:
    """Return a provider that answers as an application's own does, or None if there can be none.

    That is one whose class changes settings only. Settings of the provider itself are taken over.
    """
    provider = app.json
    if isinstance(provider, FastJSONProvider):
        return provider
    if not writes_as_flask(provider):
        return None
    fast: Any = copy(provider)  # not made anew: its class may ask for more than the application
    cls = type(provider)
    if cls is DefaultJSONProvider:
        fast.__class__ = FastJSONProvider
    else:
        fast.__class__ = type(f"Fast{cls.__name__}", (FastJSONProvider, cls), {})
    result: FastJSONProvider = fast
    return result
