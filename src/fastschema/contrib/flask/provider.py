"""Flask's JSON provider, with orjson behind it."""

from __future__ import annotations

from copy import copy
from typing import Any

from flask import Flask
from flask.json.provider import DefaultJSONProvider

import fastschema.json
from fastschema.contrib.flask.encoding import COMPACT, Writing
from fastschema.runtime.json_engine import orjson
from fastschema.switch import is_disabled

_METHODS = ("_prepare_response_obj", "dump", "dumps", "load", "loads", "response")


class FastJSONProvider(DefaultJSONProvider):
    """``DefaultJSONProvider`` with the same answers, written and read by orjson.

    The settings (``default``, ``ensure_ascii``, ``sort_keys``, ``compact``, ``mimetype``) mean what
    they mean there. What orjson would write or read otherwise, or not at all, is left to
    ``DefaultJSONProvider``.
    """

    @property
    def writing(self) -> Writing:
        """The settings that orjson writes by, as they are now."""
        return Writing(self.default, bool(self.sort_keys), bool(self.ensure_ascii))

    @property
    def is_compact(self) -> bool:
        """Whether ``response`` writes compact JSON, as ``DefaultJSONProvider`` decides it."""
        return not ((self.compact is None and self._app.debug) or self.compact is False)

    def dumps(self, obj: Any, **kwargs: Any) -> str:
        """``DefaultJSONProvider.dumps``; by orjson for the two layouts that ``response`` has.

        :raises TypeError, ValueError: what it raises
        """
        if kwargs in ({"separators": COMPACT}, {"indent": 2}) and _orjson_writes():
            text = self.writing.encode(obj, indent="indent" in kwargs)
            if text is not None:
                return text.decode()
        return super().dumps(obj, **kwargs)

    def loads(self, s: str | bytes, **kwargs: Any) -> Any:
        """``DefaultJSONProvider.loads``.

        :raises ValueError: what it raises (``json.JSONDecodeError``)
        """
        if kwargs or is_disabled():
            return super().loads(s, **kwargs)
        return fastschema.json.loads(s)

    @property
    def is_fast(self) -> bool:
        """Whether orjson writes, now, all that ``response`` is given: no method is overridden."""
        return _orjson_writes() and _is_own(self, _METHODS, FastJSONProvider)


def _orjson_writes() -> bool:
    return orjson is not None and not is_disabled()


def _is_own(provider: DefaultJSONProvider, names: tuple[str, ...], cls: type) -> bool:
    """Whether a provider's methods are those of a class, neither overridden nor replaced."""
    own = vars(provider)
    return all(
        getattr(type(provider), name) is getattr(cls, name) and name not in own for name in names
    )


def writes_as_flask(provider: Any) -> bool:
    """Whether a provider writes what Flask's own does: only its settings may be others."""
    if isinstance(provider, FastJSONProvider):
        return _is_own(provider, _METHODS, FastJSONProvider)
    return isinstance(provider, DefaultJSONProvider) and _is_own(
        provider, _METHODS, DefaultJSONProvider
    )


def fast_provider(app: Flask) -> FastJSONProvider | None:
    """A provider that answers as an application's own does, or None if there can be none.

    That is one whose class is Flask's default, or one of the application's that changes settings
    only. Settings of the provider itself are taken over.
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
    made: FastJSONProvider = fast
    return made
