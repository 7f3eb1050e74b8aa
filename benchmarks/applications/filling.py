"""Objects that fill a database, many of a kind."""

from __future__ import annotations

from typing import Any


def made(model: Any, count: int, /, **columns: Any) -> list[Any]:
    """Objects that are not saved; their columns depend on their numbers, from 0 on.

    :param columns: a text, in which ``{}`` is the number; a list, whose values take turns; a
        function of the number; or any other value
    """
    return [
        model(**{name: chosen(value, number) for name, value in columns.items()})
        for number in range(count)
    ]


def created(model: Any, count: int, /, **columns: Any) -> list[Any]:
    """Saved objects of Django, each by itself; columns as for :func:`made`."""
    return made(model.objects.create, count, **columns)


def created_at_once(model: Any, count: int, /, **columns: Any) -> list[Any]:
    found: list[Any] = model.objects.bulk_create(made(model, count, **columns))
    return found


def chosen(value: Any, number: int) -> Any:
    if isinstance(value, list):
        value = value[number % len(value)]
    if isinstance(value, str):
        return value.replace("{}", str(number))
    return value(number) if callable(value) else value
