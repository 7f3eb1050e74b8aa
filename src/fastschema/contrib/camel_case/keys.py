"""Converts the keys of data as djangorestframework-camel-case does, each key once.

The package's own functions convert a key that is new, and all data that JSON has not.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import lru_cache, partial
from typing import Any

from djangorestframework_camel_case.util import camelize, underscoreize
from rest_framework.relations import Hyperlink
from rest_framework.utils.serializer_helpers import ReturnDict, ReturnList

from fastschema.runtime.json_engine import PLAIN_CLASSES
from fastschema.runtime.programs import CACHE_SIZE

_SCALARS = PLAIN_CLASSES | {float, Hyperlink}
"""Values of exactly these classes stay as they are."""
_LISTS = frozenset([list, tuple, ReturnList])
_KEYS = frozenset([str])
_LONGEST_NAME = 64
"""A longer key is no name of a field, and is not kept."""


@lru_cache(maxsize=CACHE_SIZE)
def _converted(convert: Callable[..., Any], key: str, short_numbers: bool) -> Any:
    (converted,) = convert({key: None}, no_underscore_before_number=short_numbers)
    return converted


def convert_keys(convert: Callable[..., Any], data: Any, options: Mapping[str, Any]) -> Any:
    """Return what ``camelize`` or ``underscoreize`` makes of data, with such options."""
    short_numbers = bool(options.get("no_underscore_before_number"))
    ignored_fields = options.get("ignore_fields") or ()
    ignored_keys = options.get("ignore_keys") or ()

    def converted(value: Any) -> Any:
        cls = type(value)
        if cls in _SCALARS:
            return value
        if cls in _LISTS:
            return [converted(item) for item in value]
        is_known = cls is dict or cls is ReturnDict
        if not is_known or not _KEYS.issuperset(map(type, value)):
            return convert(value, **options)
        result = {} if cls is dict else ReturnDict(serializer=value.serializer)
        for key, inner in value.items():
            find = _converted if len(key) <= _LONGEST_NAME else _converted.__wrapped__
            name = find(convert, key, short_numbers)
            if type(inner) not in _SCALARS and not (
                key in ignored_fields or name in ignored_fields
            ):
                inner = converted(inner)
            result[key if key in ignored_keys or name in ignored_keys else name] = inner
        return result

    return converted(data)


camelized = partial(convert_keys, camelize)
underscored = partial(convert_keys, underscoreize)
