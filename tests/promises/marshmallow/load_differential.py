"""Loading through stock and through fastschema, and comparing all that can be observed."""

from __future__ import annotations

import copy
import inspect
import json
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from typing import Any

from marshmallow import Schema, ValidationError

import fastschema
from tests.outcomes import exactly, without_address
from tests.promises.marshmallow.differential import NO_CALLS, USES, installed


@dataclass(frozen=True)
class Loaded:
    """What came of a load.

    :param value: what it returned, with all types spelled out
    :param error: all that can be seen of what it raised
    :param sharing: which containers of the result are containers of the data, or one another
    :param data: the data afterwards
    :param calls: what user code logged meanwhile
    """

    value: Any
    error: Any
    sharing: list[int]
    data: Any
    calls: Any


class Comparison:
    """A schema that is loaded through stock and through fastschema, again and again.

    ``stock`` is the schema that stock loads, ``schema`` the one that ``plan`` was made of.

    :param make_schema: a schema class, or a function that makes a schema
    :param calls: the list that user code logs to
    """

    def __init__(self, make_schema: Callable[[], Schema], calls: list[Any] = NO_CALLS) -> None:
        self._make_schema = make_schema
        self._calls = calls
        self._uses = 0
        self.stock = make_schema()
        self.schema = make_schema()
        self.plan = fastschema.compile(self.schema)

    def compile_again(self) -> None:
        """Make a plan of the schema as it is now."""
        self.plan = fastschema.compile(self.schema)

    def check(self, data: Any, **arguments: Any) -> None:
        """Check that fastschema loads as stock does.

        :param data: what to load: copied for each run; or a function that makes it
        :param arguments: as for ``Schema.load``; a function makes one anew for each run
        """
        expected = self.check_plan(data, **arguments)
        with installed():
            # Often enough for all ways that a schema is loaded, and twice in each of them.
            for _ in range(max(2, USES - self._uses)):
                self._uses += 1
                got = self._run(self.schema.load, data, arguments)
                assert got == expected, "installed"
        self._check_validate(data, arguments)

    def check_installed(self, data: Any, **arguments: Any) -> None:
        """Check no more than the schema's own ``load``, for schemas that stay installed."""
        with fastschema.disabled():
            expected = self._run(self.stock.load, data, arguments)
        got = self._run(self.schema.load, data, arguments)
        assert got == expected, "installed"

    def check_plan(self, data: Any, **arguments: Any) -> Loaded:
        """Check no more than the plan's ``load``; return what stock's gave."""
        expected = self._run(self.stock.load, data, arguments)
        got = self._run(self.plan.load, data, arguments)
        assert got == expected, "by the plan"
        return expected

    def check_fresh(self, data: Any, **arguments: Any) -> None:
        """The same for schemas and plans that were never used, and then used again."""
        expected = self._run(self._make_schema().load, data, arguments)
        plan = fastschema.compile(self._make_schema())
        for _ in range(2):
            got = self._run(plan.load, data, arguments)
            assert got == expected, "by a fresh plan"
        schema = self._make_schema()
        with installed():
            for _ in range(2):
                got = self._run(schema.load, data, arguments)
                assert got == expected, "by a fresh schema, installed"

    def check_text(self, data: Any, **arguments: Any) -> None:
        """The same for data as JSON text; data that JSON cannot carry is let go."""
        try:
            texts = [json.dumps(made(data)), json.dumps(made(data), ensure_ascii=False)]
        except (TypeError, ValueError, RecursionError):
            return
        self.check_texts(
            [texts[0], texts[1], texts[0].encode(), bytearray(texts[0], "ascii")],
            **arguments,
        )

    def check_texts(self, texts: Iterable[str | bytes | bytearray], **arguments: Any) -> None:
        """The same for texts that need not be JSON."""
        for text in texts:
            expected = self._run(self.stock.loads, text, arguments)
            assert self._run(self.plan.loads, text, arguments) == expected, "by loads"
            with installed():
                got = self._run(self.schema.loads, text, arguments)
            assert got == expected, "by loads, installed"

    def _check_validate(self, data: Any, arguments: dict[str, Any]) -> None:
        arguments = {name: each for name, each in arguments.items() if name != "unknown"}
        expected = self._run(self.stock.validate, data, arguments)
        assert self._run(self.plan.validate, data, arguments) == expected, "by validate"
        with installed():
            got = self._run(self.schema.validate, data, arguments)
        assert got == expected, "by validate, installed"

    def _run(self, load: Callable[..., Any], data: Any, arguments: dict[str, Any]) -> Loaded:
        data = made(data)
        arguments = {name: made(each) for name, each in arguments.items()}
        value, error, sharing = None, None, []
        self._calls.clear()
        try:
            result = load(data, **arguments)
        except Exception as raised:
            calls = typed(self._calls)
            error = described(raised, data)
            if isinstance(raised, ValidationError):
                sharing = shared(data, raised.valid_data)
        else:
            calls = typed(self._calls)
            value, sharing = typed(result), shared(data, result)
        return Loaded(value, error, sharing, typed(data), calls)


def assert_loads_same(
    make_schema: Callable[[], Schema],
    *several: Any,
    calls: list[Any] = NO_CALLS,
    **arguments: Any,
) -> None:
    """Check that fastschema loads as stock does: results, errors, calls, and what becomes of data.

    A result is compared with types, key order, and what it shares with the data; an error in all
    its attributes. ``load``, ``loads`` and ``validate`` are called, by a plan and installed, on
    schemas that are fresh and on those that are not.

    :param make_schema: a schema class, or a function that makes a schema
    :param several: data to load, copied for each run; or functions that make it
    :param calls: the list that user code logs to
    :param arguments: as for ``Schema.load``; a function makes one anew for each run
    """
    comparison = Comparison(make_schema, calls)
    for data in several:
        comparison.check_fresh(data, **arguments)
        comparison.check(data, **arguments)
        comparison.check_text(data, **arguments)


def assert_sequence_loads_same(
    make_schema: Callable[[], Schema], rows: Iterable[Any], calls: list[Any] = NO_CALLS
) -> None:
    """Check that fastschema loads as stock does where one load may change what the next one does.

    :param make_schema: a schema class, or a function that makes a schema
    :param rows: data to load, one after the other, each copied
    :param calls: the list that user code logs to
    """
    stock, compiled, patched = (Comparison(make_schema, calls) for _ in range(3))
    for data in rows:
        expected = stock._run(stock.stock.load, data, {})
        got = compiled._run(compiled.plan.load, data, {})
        assert got == expected, "by the plan"
        with installed():
            got = patched._run(patched.schema.load, data, {})
        assert got == expected, "installed"


def made(data: Any) -> Any:
    """Data of its own for one run."""
    return data() if inspect.isfunction(data) else copy.deepcopy(data)


def described(error: Exception, data: Any) -> Any:
    """All that can be seen of an exception."""
    if isinstance(error, RecursionError):
        return type(error)  # how deep it was, and in what, is not compared
    if isinstance(error, ValidationError):
        return {
            "class": type(error),
            "messages": typed(error.messages),
            "valid_data": typed(error.valid_data),
            "field_name": error.field_name,
            "data": error.data is data or typed(error.data),
            "kwargs": typed(error.kwargs),
            "args": error.args == (error.messages,) or typed(error.args),
            "cause": type(error.__cause__),
            "others": sorted(vars(error)),
        }
    return type(error), str(error), type(error.__context__)


def typed(value: Any) -> Any:
    """A value with the classes of all that is in it; objects are what they hold."""
    return exactly(value, _content_or_text)


def _content_or_text(value: Any) -> Any:
    if isinstance(value, Iterator):
        return [typed(each) for each in value]  # what is left of it
    if type(value).__repr__ is object.__repr__:
        return typed(getattr(value, "__dict__", None))
    try:
        return without_address(repr(value))
    except LookupError:  # of a hostile value
        return id(type(value))


def shared(data: Any, result: Any) -> list[int]:
    """Which containers are the same object: their numbers, in the order of a walk of the result."""
    numbers: dict[int, int] = {}
    for container in containers(data):
        numbers.setdefault(id(container), len(numbers))
    return [numbers.setdefault(id(each), len(numbers)) for each in containers(result)]


def containers(value: Any) -> list[Any]:
    """The dictionaries and lists in a value, itself included, in order."""
    found: list[Any] = []
    pending = [value]
    seen = set()
    while pending:
        each = pending.pop()
        if not isinstance(each, (dict, list)):
            continue
        found.append(each)
        if id(each) not in seen:
            seen.add(id(each))
            # PyPy aborts where it reverses the values of a dictionary.
            inner = list(dict.values(each)) if isinstance(each, dict) else each
            pending.extend(reversed(inner))
    return found
