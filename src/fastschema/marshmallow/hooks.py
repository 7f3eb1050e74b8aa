"""Hooks of a schema, called directly: what stock's ``_invoke_processors`` does for one object."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from fastschema.runtime.registration import Refused, function_of, registered_for

Hook = Callable[[Any, Any], Any]
"""From data, and what they were before any hook, to other data."""


def hooks_of(
    schema: Any, tag: str, compiled: Any, keywords: dict[str, Any], *, collections_first: bool
) -> list[Hook]:
    """Return the hooks of one sort, in the order in which stock calls them.

    :param collections_first: whether those that take whole collections come first
    """
    hooks = schema._hooks.get(tag) or ()
    in_order = sorted(hooks, key=lambda hook: hook[1] is not collections_first)
    return [
        _hook(schema, name, compiled, keywords, passes_original=options.get("pass_original", False))
        for name, _, options in in_order
    ]


def _hook(
    schema: Any, name: str, compiled: Any, keywords: dict[str, Any], *, passes_original: bool
) -> Hook:
    def by_method(data: Any, original: Any) -> Any:
        if passes_original:
            return getattr(schema, name)(data, original, **keywords)
        return getattr(schema, name)(data, **keywords)

    registered = registered_for(schema, name)
    if registered is None:
        return by_method
    function = function_of(registered, schema, compiled)

    def by_function(data: Any, original: Any) -> Any:
        try:
            return function(data, original) if passes_original else function(data)
        except Refused:
            return by_method(data, original)

    return by_function
