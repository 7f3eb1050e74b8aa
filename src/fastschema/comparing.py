"""assert_same(): what is registered does what the methods do, for some rows."""

from __future__ import annotations

import copy
from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import Any

from fastschema.runtime.front_end import front_end_for
from fastschema.runtime.switch import disabled, enabled


def assert_same(schema: Any, rows: Iterable[Any]) -> None:
    """Assert that a schema dumps each row as stock does, with all that is registered.

    For a test of what you have given to :func:`register`. Each row is dumped twice, so your own
    code runs twice. A schema's own ``dump``, if it is registered, is compared too.

    :param schema: a marshmallow schema or a DRF serializer, instance or class
    :param rows: what to dump, one by one
    :raises AssertionError: for the first row of which another value comes, or another exception;
        it says where they differ
    """
    compiled = front_end_for(schema).compiled(schema, is_frozen=True)
    _compare(rows, lambda row: compiled.stock_dump(row, False), compiled.dump_inside)


def assert_loads_same(schema: Any, data: Iterable[Any]) -> None:
    """Assert that a schema loads each of some data as stock does; see :func:`assert_same`.

    A serializer validates them.

    What hooks make is compared by ``==``, or else by class and attributes.

    :param schema: the schema or serializer, instance or class
    :param data: what to load, one by one; each is copied, for hooks may change it
    :raises AssertionError: for the first of which something else comes
    """
    compiled = front_end_for(schema).compiled(schema, is_frozen=True)
    _compare(
        data,
        lambda each: compiled.stock_load(copy.deepcopy(each)),
        lambda each: compiled.load_inside(copy.deepcopy(each)),
    )


def _compare(
    rows: Iterable[Any], by_stock: Callable[[Any], Any], compiled: Callable[[Any], Any]
) -> None:
    for number, row in enumerate(rows):
        with disabled():
            expected = _outcome(by_stock, row)
        with enabled():
            outcome = _outcome(compiled, row)
        for path, one, other in _differences(expected, outcome, "", frozenset()):
            raise AssertionError(f"row {number}{path}: {one!r} by stock, but {other!r}")


def _outcome(call: Callable[[Any], Any], row: Any) -> Any:
    try:
        return call(row)
    except Exception as error:
        return _Raised(error)


class _Raised:
    """An exception that a call has raised, to be compared."""

    def __init__(self, error: Exception) -> None:
        self.error = type(error)
        self.messages = getattr(error, "messages", str(error))
        self.valid_data = getattr(error, "valid_data", None)

    def __repr__(self) -> str:
        return f"{self.error.__name__}({self.messages!r})"


def _differences(
    one: Any, other: Any, path: str, above: frozenset[tuple[int, int]]
) -> Iterator[tuple[str, Any, Any]]:
    """Yield where two values differ, and what is there, but for pairs that they are inside of."""
    pair = (id(one), id(other))
    if one is other or pair in above:
        return
    if type(one) is not type(other):
        yield path, one, other
        return
    above |= {pair}
    if isinstance(one, Mapping):
        yield from _of_members(list(one), list(other), one, other, path, above)
    elif isinstance(one, (list, tuple)):
        yield from _of_members(range(len(one)), range(len(other)), one, other, path, above)
    elif one != other and (one == one or other == other):
        if "__eq__" not in _attributes(type(one)) and hasattr(one, "__dict__"):
            yield from _differences(vars(one), vars(other), path, above)
        else:
            yield path, one, other


def _attributes(cls: type) -> set[str]:
    return {name for base in cls.__mro__[:-1] for name in vars(base)}


def _of_members(
    keys: Any, others: Any, one: Any, other: Any, path: str, above: frozenset[tuple[int, int]]
) -> Iterator[tuple[str, Any, Any]]:
    if keys != others:
        yield path, one, other
    else:
        for key in keys:
            yield from _differences(one[key], other[key], f"{path}[{key!r}]", above)
