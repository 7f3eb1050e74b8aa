"""The first dump and load of many schemas: what compiling costs where an application starts.

python benchmarks/ordinary_first.py stock|fastschema [--schemas N] [--fields N]

Prints a line of JSON: the seconds, and by how much the process has grown.
"""

from __future__ import annotations

import argparse
import datetime
import gc
import json
import time
import uuid
from collections.abc import Callable
from dataclasses import asdict, dataclass
from decimal import Decimal
from typing import Any

from records import Record

SCHEMAS, FIELDS = 200, 20


@dataclass(frozen=True)
class FirstUse:
    """What the first uses cost.

    :param dump: seconds of processor time
    :param load: seconds of processor time
    :param megabytes: by how much the process is larger afterwards
    """

    dump: float
    load: float
    megabytes: float


def columns() -> list[tuple[Callable[[], Any], Any]]:
    """Kinds of fields, and a value for each."""
    from marshmallow import fields, validate

    return [
        (lambda: fields.Integer(required=True), 7),
        (lambda: fields.String(validate=validate.Length(1, 80)), "text"),
        (fields.Boolean, True),
        (fields.Float, 0.5),
        (fields.Date, datetime.date(2024, 1, 1)),
        (fields.AwareDateTime, datetime.datetime(2024, 1, 1, 8, tzinfo=datetime.UTC)),
        (lambda: fields.Decimal(places=2, as_string=True), Decimal("1.25")),
        (fields.UUID, uuid.UUID(int=7)),
        (lambda: fields.List(fields.String()), ["a", "b"]),
        (lambda: fields.Integer(validate=validate.Range(0, 99), allow_none=True), None),
    ]


def schema_class(number: int, count: int) -> tuple[Any, dict[str, Any]]:
    """A schema class whose names no other has, and the values of an object for it."""
    from marshmallow import Schema

    kinds = columns()
    chosen = {f"field_{number}_{n}": kinds[(n + number) % len(kinds)] for n in range(count)}
    values = {name: value for name, (_, value) in chosen.items()}
    return Schema.from_dict({name: make() for name, (make, _) in chosen.items()}), values


@dataclass(frozen=True)
class New:
    """A schema class that was never used, an object for it, and what loading is to give."""

    schema: Any
    obj: Record
    values: dict[str, Any]


def schemas(start: int, number: int, count: int) -> list[New]:
    """So many new schema classes, numbered from a start."""
    made = [schema_class(each, count) for each in range(start, start + number)]
    return [New(schema, Record(**values), values) for schema, values in made]


def dump_all(new: list[New]) -> list[tuple[Any, dict[str, Any]]]:
    """Make an instance of each, and dump its object."""
    instances = [each.schema() for each in new]
    return [(each, each.dump(of.obj)) for each, of in zip(instances, new, strict=True)]


def use(new: list[New]) -> list[Any]:
    """Dump an object by each, and load what comes of it."""
    return [schema.load(data) for schema, data in dump_all(new)]


def main() -> None:
    """Measure, print."""
    import psutil

    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("contender", choices=("stock", "fastschema"))
    parser.add_argument("--schemas", type=int, default=SCHEMAS)
    parser.add_argument("--fields", type=int, default=FIELDS)
    arguments = parser.parse_args()
    if arguments.contender == "fastschema":
        import fastschema

        fastschema.install()
    use(schemas(0, 2, arguments.fields))  # what is imported late is there
    new = schemas(2, arguments.schemas, arguments.fields)
    process = psutil.Process()
    gc.collect()
    before = process.memory_info().rss
    start = time.process_time()
    dumped = dump_all(new)
    middle = time.process_time()
    loaded = [schema.load(data) for schema, data in dumped]
    end = time.process_time()
    megabytes = (process.memory_info().rss - before) / 1e6
    if loaded != [each.values for each in new]:
        raise SystemExit("what is loaded is not what was dumped")
    result = FirstUse(middle - start, end - middle, megabytes)
    print(json.dumps(asdict(result)))


if __name__ == "__main__":
    main()
