"""The text that ``json.dumps`` makes of a list, written while its members are dumped."""

from __future__ import annotations

import json
import secrets
from io import StringIO
from itertools import chain, zip_longest
from math import isfinite
from typing import Any

from fastschema.compiler.dump_text_code import quote

_PLACE = "\0"
"""Stands where a value is to be written later. No JSON text has this character."""


class StockText:
    """A text in the making, and the values that are written when all rows are dumped.

    Stock writes when everything is dumped. A list or a dictionary may change until then, and what
    ``json.dumps`` refuses raises nothing before. So such values wait.

    :param missing: the object that stands for "no value", which has no text
    """

    def __init__(self, missing: object) -> None:
        self._missing = missing
        self._waiting: list[Any] = []
        self._text = StringIO()  # a list of all texts would be in memory beside their sum

    def written(self, value: Any) -> Any:
        """The text of a value, or what stands for it; the missing object stays."""
        cls = type(value)
        if cls is str:
            return quote(value)
        if value is None:
            return "null"
        if cls is int:
            return str(value)
        if cls is bool:
            return "true" if value else "false"
        if cls is float:
            return repr(value) if isfinite(value) else json.dumps(value)
        if value is self._missing:
            return value
        self._waiting.append(value)
        return _PLACE

    def array(self, texts: list[Any]) -> str:
        """The text of an array inside of the one that is written.

        :param texts: those of its members; None for null
        """
        try:
            return f"[{', '.join(texts)}]"
        except TypeError:
            members = [text if type(text) is str else self._member(text) for text in texts]
            return f"[{', '.join(members)}]"

    def _member(self, text: Any) -> str:
        if text is None:
            return "null"
        self._waiting.append(text)  # stock leaves out no member, so json.dumps refuses the object
        return _PLACE

    def add(self, texts: list[str]) -> None:
        """Add members of the array that is written."""
        self._text.write(", " if self._text.tell() else "[")
        self._text.write(", ".join(texts))

    def finished(self) -> str:
        """The whole array.

        :raises Exception: what ``json.dumps`` raises
        """
        self._text.write("]" if self._text.tell() else "[]")
        text = self._text.getvalue()
        if not self._waiting:
            return text
        pieces = text.split(_PLACE)
        try:
            return _joined(pieces, [json.dumps(value) for value in self._waiting])
        except Exception:
            # Python 3.14 tells the way to the value that is refused, from the outside in.
            return json.dumps(self._data(pieces))

    def _data(self, pieces: list[str]) -> Any:
        """What stock gives to ``json.dumps``."""
        token = secrets.token_hex()
        waiting = {f"{token} {number}": value for number, value in enumerate(self._waiting)}
        text = _joined(pieces, [quote(key) for key in waiting])
        return _replaced(json.loads(text), waiting)


def _joined(pieces: list[str], texts: list[str]) -> str:
    return "".join(chain.from_iterable(zip_longest(pieces, texts, fillvalue="")))


def _replaced(data: Any, values: dict[str, Any]) -> Any:
    """Data with values in the place of the strings that stand for them."""
    if type(data) is dict:
        return {key: _replaced(value, values) for key, value in data.items()}
    if type(data) is list:
        return [_replaced(value, values) for value in data]
    return values.get(data, data) if type(data) is str else data
