"""Dictionaries whose values are read and set as attributes.

Python remembers for each line of code where in a dictionary an attribute was found the last time,
and looks there first: that takes half the time of a subscript. Rows mostly have the same keys in
the same order, so that it is found there.
"""

from __future__ import annotations

import keyword
from typing import Any


class AsAttributes:
    """An object whose attributes are what a dictionary has.

    :param values: the dictionary; that of another row can be put in its place as ``__dict__``
    """

    def __init__(self, values: dict[str, Any]) -> None:
        self.__dict__ = values


def is_attribute(key: str) -> bool:
    """Whether what a dictionary has for a key can be read and set as an attribute."""
    # Python would read other letters as what they are normalised to.
    return (
        key.isascii()
        and key.isidentifier()
        and not keyword.iskeyword(key)
        and not key.startswith("__")
    )
