"""The text that ``json.dumps`` makes of a list, written while its members are dumped."""

from __future__ import annotations

import json
import secrets
from collections import OrderedDict, defaultdict
from io import StringIO
from itertools import chain, zip_longest
from math import isfinite
from typing import Any

from fastschema.compiler.text_code import quote

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
        """Return the text of a value, or what stands for it; the missing object stays."""
        cls = type(value)
        if cls is str:
            return quote(value)
        if value is None:
            return "null"
        if cls is int and _has_digits(value):
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
        """Return the text of an array inside of the one that is written.

        :param texts: those of its members; None for null
        """
        try:
            return f"[{', '.join(texts)}]"
        except TypeError:
            return f"[{', '.join(self._members(texts))}]"

    def _members(self, texts: list[Any]) -> list[str]:
        """Return the texts of members, None and the missing object among them.

        Stock leaves out no member, so that the missing object waits, too, in its turn.
        """
        places = [text.count(_PLACE) if type(text) is str else 0 for text in texts]
        position = len(self._waiting) - sum(places)
        members = []
        for text, count in zip(texts, places, strict=True):
            if type(text) is str:
                members.append(text)
                position += count
            elif text is None:
                members.append("null")
            else:
                members.append(_PLACE)
                self._waiting.insert(position, text)
                position += 1
        return members

    def add(self, texts: list[str]) -> None:
        """Add members of the array that is written."""
        self._text.write(", " if self._text.tell() else "[")
        self._text.write(", ".join(texts))

    def finished(self) -> str:
        """Return the whole array.

        :raises Exception: what ``json.dumps`` raises
        """
        self._text.write("]" if self._text.tell() else "[]")
        text = self._text.getvalue()
        if not self._waiting:
            return text
        pieces = text.split(_PLACE)
        if all(map(_is_plain, self._waiting)):
            return _joined(pieces, [json.dumps(value) for value in self._waiting])
        # Others call code of users, or are refused: once, and in the order of all the data.
        return json.dumps(self._data(pieces))

    def _data(self, pieces: list[str]) -> Any:
        """All that stock gives to ``json.dumps``."""
        token = secrets.token_hex()
        waiting = {f"{token} {number}": value for number, value in enumerate(self._waiting)}
        text = _joined(pieces, [quote(key) for key in waiting])
        return _replaced(json.loads(text), waiting)


def _is_plain(value: Any) -> bool:
    """Whether ``json.dumps`` writes a value, and calls no code of users for it."""
    try:
        return _is_plain_within(value)
    except RecursionError:  # it is nested too deeply, or in itself
        return False


def _is_plain_within(value: Any) -> bool:
    cls = type(value)
    if cls in _PLAIN_DICTS:
        return all(type(key) is str for key in value) and all(map(_is_plain_within, value.values()))
    if cls is list or cls is tuple:
        return all(map(_is_plain_within, value))
    if issubclass(cls, int):
        return _has_digits(value)
    return value is None or issubclass(cls, (str, float))


_PLAIN_DICTS = (dict, OrderedDict, defaultdict)


def _has_digits(value: int) -> bool:
    """Whether Python writes the digits of an integer: it refuses more than some thousands."""
    return int.bit_length(value) < _MOST_BITS


_MOST_BITS = 2048
"""Less than ``sys.set_int_max_str_digits`` may be set to."""


def _joined(pieces: list[str], texts: list[str]) -> str:
    return "".join(chain.from_iterable(zip_longest(pieces, texts, fillvalue="")))


def _replaced(data: Any, values: dict[str, Any]) -> Any:
    """Return data with values in place of the strings that stand for them."""
    if type(data) is dict:
        return {key: _replaced(value, values) for key, value in data.items()}
    if type(data) is list:
        return [_replaced(value, values) for value in data]
    return values.get(data, data) if type(data) is str else data
