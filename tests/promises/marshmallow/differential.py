"""Dumping through stock and through fastschema, and comparing all that can be observed."""

from __future__ import annotations

import inspect
import json
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from importlib.metadata import version
from typing import Any

import msgpack
from marshmallow import Schema

import fastschema
from tests.instruments.core import plugin
from tests.outcomes import Outcome, exactly, outcome_of

PACKING = plugin("fastschema.message_pack.packing")
MARSHMALLOW_3 = version("marshmallow").startswith("3.")
USES = 3
"""How often each schema is used: read, bound, and bound again."""
NO_CALLS: list[Any] = []


def assert_same(
    make_schema: Callable[[], Schema],
    objects: Any,
    *,
    many: bool | None = None,
    calls: list[Any] = NO_CALLS,
) -> None:
    """Check that fastschema dumps as stock does: value, types, key order, error and calls.

    The first uses of a schema and its later ones go different ways, so there are several; so do a
    single object and one in a list, a schema that was used and a fresh one, a dump and its JSON.

    :param make_schema: a schema class, or a function that makes a schema
    :param objects: what to dump, or a function that makes it anew for each dump
    :param many: as for ``Schema.dump``
    :param calls: the list that user code logs to
    """

    def fresh() -> Any:
        return objects() if inspect.isfunction(objects) else objects

    def dump(by: Callable[..., Any]) -> Outcome:
        given = fresh()
        return outcome(lambda: by(given, many=many), calls)

    expected = dump(make_schema().dump)
    text = dump(make_schema().dumps)
    schema = make_schema()
    plan = fastschema.compile(schema)
    for _ in range(2):
        assert dump(plan.dump) == expected
    with installed():
        for _ in range(USES):
            assert dump(schema.dump) == expected
            assert dump(schema.dumps) == text
        assert dump(make_schema().dump) == expected
    encoded = expected if expected.error else dump(as_json(make_schema().dump, json.dumps))
    assert dump(as_json(plan.dumps)) == encoded
    if PACKING is not None:
        packed = dump(as_packed(plan.packb))
        if packed.error is None or packed.error[0] is not PACKING.MessagePackError:
            assert packed == encoded
    if encoded.error is None and (schema.many if many is None else many) and fresh() is not None:
        assert dump(as_json(lambda rows, many: b"".join(plan.stream(rows, 1)))) == encoded
    if not (many or schema.many):
        assert_same(make_schema, lambda: [fresh() for _ in range(5)], many=True, calls=calls)


def as_json(dump: Callable[..., Any], encode: Callable[[Any], Any] | None = None) -> Any:
    """The dump, through JSON and back."""

    def through_json(obj: Any, many: bool | None) -> Any:
        dumped = dump(obj, many=many)
        return json.loads(dumped if encode is None else encode(dumped))

    return through_json


def as_packed(dump: Callable[..., bytes]) -> Any:
    """The dump, through MessagePack and back."""
    return lambda obj, many: msgpack.unpackb(dump(obj, many=many))


def outcome(call: Callable[[], Any], calls: list[Any] = NO_CALLS) -> Outcome:
    """Call, and tell what came of it."""
    return outcome_of(call, calls, typed)


def typed(value: Any) -> Any:
    """A value with the classes of all that is in it; objects without ``__eq__`` are themselves."""
    return exactly(value, _itself_or_text)


def _itself_or_text(value: Any) -> Any:
    return value if type(value).__eq__ is object.__eq__ else repr(value)


def assert_as_stock(use: Callable[[], Any]) -> Outcome:
    """Check that a function gives what it gives by stock, and return that."""
    with fastschema.disabled():
        expected = outcome(use)
    assert outcome(use) == expected
    return expected


@contextmanager
def installed() -> Iterator[None]:
    """Have ``Schema.dump`` use plans inside the ``with`` statement."""
    fastschema.install()
    try:
        yield
    finally:
        fastschema.uninstall()


def is_compiled(schema: Any, key: str) -> bool:
    """Whether the field with an output key is compiled."""
    (report,) = [field for field in fastschema.compile(schema).explain() if field.key == key]
    return report.compiled
