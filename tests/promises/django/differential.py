"""Stock's answer beside fastschema's: the same call in every way there is, compared in detail."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping, MutableSequence
from dataclasses import replace
from typing import Any

from django.db import connection
from rest_framework.renderers import JSONRenderer
from rest_framework.serializers import Serializer

import fastschema
from fastschema.contrib.django.renderers import FastJSONRenderer
from tests import outcomes
from tests.outcomes import Outcome, outcome_of, without_address
from tests.promises.django.requests_in_turns import ADMINISTRATOR


def outcome(call: Callable[[], Any], calls: MutableSequence[Any]) -> Outcome:
    """Make a call, noting the queries it makes and what it appends to ``calls``."""
    queries = []

    def note(execute, sql, params, many, context):
        queries.append((sql, params))
        return execute(sql, params, many, context)

    with connection.execute_wrapper(note):
        found = outcome_of(call, calls, exactly, lambda error: without_address(str(error)))
    return replace(found, queries=tuple(queries))


def exactly(value: Any) -> Any:
    """A value with the classes of all its parts; equal only to what users cannot tell from it."""
    return outcomes.exactly(
        value, lambda leaf: without_address(repr(leaf)), dict, text=without_address
    )


def assert_equal(actual: Outcome, expected: Outcome) -> None:
    """Assert that two outcomes are equal, and say first what differs most."""
    assert actual.error == expected.error
    assert actual.value == expected.value
    assert actual.calls == expected.calls
    assert actual.queries == expected.queries


def assert_as_in_stock(
    ask: Callable[[], Any], calls: MutableSequence[Any] | None = None
) -> Outcome:
    """Assert that a function returns, raises, queries and calls what it does in stock.

    :param calls: what user code appends its calls to
    :returns: what came of it in stock
    """
    calls = [] if calls is None else calls
    with fastschema.disabled():
        expected = outcome(ask, calls)
    for _ in range(3):
        assert_equal(outcome(ask, calls), expected)
    return expected


def assert_returns_as_in_stock(ask: Callable[[], Any]) -> Any:
    """Assert that a function returns what it does in stock, and return that."""
    with fastschema.disabled():
        expected = ask()
    for _ in range(3):
        assert ask() == expected
    return expected


def shown(value: Any) -> str:
    """A value as it is named in a test's id, the same in each run."""
    return without_address(repr(value))


def without_position(error: tuple[type, str] | None) -> tuple[type, str] | None:
    """An error of writing, apart from the position: a plan writes the text in pieces."""
    return error and (error[0], re.sub(r" in position \d+", "", error[1]))


def assert_same(
    make: Callable[..., Any], instance: Any, *, calls: MutableSequence[Any] | None = None, **kwargs
) -> Any:
    """Assert that a serializer makes of an object what it makes of it in stock.

    :param make: makes the serializer, from the instance and ``kwargs``
    :param calls: what user code appends its calls to
    :returns: ``.data`` in stock, or the exception it raises there
    """
    return assert_same_each_time(make, lambda: instance, calls=calls, **kwargs)


def assert_same_each_time(
    make: Callable[..., Any],
    make_instance: Callable[[], Any],
    *,
    calls: MutableSequence[Any] | None = None,
    **kwargs,
) -> Any:
    """As :func:`assert_same`, for an object that each use changes: it is made anew."""
    calls = [] if calls is None else calls

    def data():
        return make(make_instance(), **kwargs).data

    def representation():
        instance = make_instance()
        return make(instance, **kwargs).to_representation(instance)

    def plan_dump():
        instance = make_instance()
        return fastschema.compile(make(instance, **kwargs)).dump(instance)

    def plan_dumps():
        instance = make_instance()
        return fastschema.compile(make(instance, **kwargs)).dumps(instance)

    def in_stock(call):
        with fastschema.disabled():
            return outcome(call, calls)

    expected = in_stock(data)
    assert_equal(outcome(data, calls), expected)
    # Another user asks in between.
    given = kwargs
    kwargs = {**given, **ADMINISTRATOR.asking(given)}
    with ADMINISTRATOR.visiting():
        assert_equal(outcome(data, calls), in_stock(data))
    kwargs = given
    assert_equal(outcome(data, calls), expected)
    assert_equal(outcome(plan_dump, calls), in_stock(representation))
    rendered = in_stock(lambda: JSONRenderer().render(data()))
    assert_equal(outcome(lambda: FastJSONRenderer().render(data()), calls), rendered)
    # The renderer writes nothing for None, where a plan writes null.
    written = in_stock(lambda: JSONRenderer().render(representation()) or b"null")
    dumped = outcome(plan_dumps, calls)
    assert (dumped.value, without_position(dumped.error)) == (
        written.value,
        without_position(written.error),
    )
    assert (dumped.calls, dumped.queries) == (written.calls, written.queries)
    if isinstance(make, type) and "many" not in kwargs:
        # Many rows are dumped by functions of their own.
        assert_same_each_time(
            make, lambda: [make_instance(), make_instance()], calls=calls, many=True, **kwargs
        )
    calls.clear()
    with fastschema.disabled():
        try:
            return data()
        except Exception as exception:
            return exception


def serializer_of(**fields: Any) -> type[Serializer]:
    """A serializer class with these fields."""
    return type("ThingSerializer", (Serializer,), fields)


class Thing:
    def __init__(self, **values: Any) -> None:
        vars(self).update(values)

    def __repr__(self) -> str:
        return "<thing>"


class Witness:
    """An object whose every read is noted; a value that is an exception is raised."""

    def __init__(self, calls: list[Any], **values: Any) -> None:
        vars(self).update(_calls=calls, _values=values)

    def __repr__(self) -> str:
        return "<witness>"

    def __getattr__(self, name: str) -> Any:
        if name.startswith("__") or name == "tolist":  # what an encoder asks for
            raise AttributeError(name)
        self._calls.append(name)
        if name not in self._values:
            raise AttributeError(f"no {name} here")
        value = self._values[name]
        if isinstance(value, Exception):
            raise value
        return value


class WitnessMapping(Mapping):
    """Notes which items are read. It cannot be listed, and so not be written as it is."""

    def __init__(self, calls: list[Any], **values: Any) -> None:
        self._calls = calls
        self._values = values

    def __repr__(self) -> str:
        return "<witness>"

    def __getitem__(self, key: str) -> Any:
        self._calls.append(key)
        value = self._values[key]
        if isinstance(value, Exception):
            raise value
        return value

    def __iter__(self) -> Iterator[str]:
        raise TypeError("a witness is not to be listed")

    def __len__(self) -> int:
        return len(self._values)
