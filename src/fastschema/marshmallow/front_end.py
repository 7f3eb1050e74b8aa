"""What the core asks about marshmallow schemas."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from fastschema.engines import Engine, engine, standard_dumps
from fastschema.marshmallow.dumping import (
    dispatch_for,
    dump,
    has_hooks,
    lent_dispatch_for,
    overrides_dump,
    own_dump,
)
from fastschema.marshmallow.explaining import explain
from fastschema.marshmallow.load_overrides import overrides_load
from fastschema.marshmallow.load_reader import read as read_load
from fastschema.marshmallow.loading import load, loads, validate
from fastschema.marshmallow.mapped import MAPPED
from fastschema.marshmallow.reader import read
from fastschema.nodes import Form, UnreadableError, known_access
from fastschema.program import Dispatch, LoadProgram, Program, RowDumper
from fastschema.report import Report
from fastschema.switch import disabled


class MarshmallowFrontEnd:
    """Reads marshmallow schemas; see :class:`fastschema.front_end.FrontEnd`."""

    def __init__(self) -> None:
        self._engine = engine()

    def instance(self, schema: Any) -> Any:
        """The schema itself, or an instance of a schema class."""
        return schema() if isinstance(schema, type) else schema

    def dump(self, schema: Any, obj: Any, many: bool | None) -> Any:
        """``Schema.dump``, compiled between its hooks, be it installed or not."""
        return dump(schema, obj, many)

    def stock_dump(self, schema: Any, obj: Any, many: bool | None) -> Any:
        """``Schema.dump`` of stock."""
        with disabled():
            return own_dump(schema, obj, many)

    def load(self, schema: Any, data: Any, options: dict[str, Any]) -> Any:
        """``Schema.load``, compiled between its hooks, be it installed or not."""
        return load(schema, data, **options)

    def loads(self, schema: Any, text: str | bytes | bytearray, options: dict[str, Any]) -> Any:
        """``Schema.load`` of the value of a JSON text, likewise."""
        return loads(schema, text, **options)

    def validate(self, schema: Any, data: Any, options: dict[str, Any]) -> Any:
        """``Schema.validate``, likewise."""
        return validate(schema, data, **options)

    def is_collection(self, schema: Any, obj: Any, many: bool | None) -> bool:
        """Whether ``many``, or else ``Schema.many``, is true; None is never a collection."""
        return obj is not None and bool(schema.many if many is None else many)

    def is_at_once(self, schema: Any, obj: Any, many: bool | None) -> bool:
        """Whether it is a list, or ``many`` (or else the schema's own ``many``) is False."""
        if type(obj) is list or many is False:
            return True
        return many is None and schema.__dict__.get("many") is False

    def row_dumper(self, schema: Any, form: Form, *, at_once: bool = False) -> RowDumper | None:
        """The schema's dispatch, unless it has hooks or overrides or cannot be read."""
        if overrides_dump(schema) is not None or has_hooks(schema):
            return None
        try:
            return (lent_dispatch_for if at_once else dispatch_for)(schema, form)
        except UnreadableError:
            return None

    def rows(self, schema: Any, obj: Any) -> Iterable[Any]:
        """The collection itself."""
        rows: Iterable[Any] = obj
        return rows

    def engine(self, schema: Any) -> Engine:
        """The engine whose values equal those of ``json.dumps``."""
        return self._engine

    def stock_encode(self, schema: Any, data: Any) -> bytes:
        """``json.dumps``, compact and as UTF-8."""
        return standard_dumps(data)

    def program(self, schema: Any) -> Program | None:
        """The program of a schema, or None if it runs as stock."""
        try:
            return None if overrides_dump(schema) is not None else read(schema)[0]
        except UnreadableError:
            return None

    def load_program(self, schema: Any) -> LoadProgram | None:
        """The program that loads by a schema, or None if that runs as stock."""
        try:
            return None if overrides_load(schema) is not None else read_load(schema)[0]
        except UnreadableError:
            return None

    def dispatch(self, schema: Any, form: Form) -> Dispatch:
        """The dispatch of the schema."""
        return dispatch_for(schema, form)

    def arguments(self, schema: Any) -> dict[str, Any]:
        """Its ``only``, ``exclude`` and so on, where they are not as the class has them."""
        given = {
            name: [each for each in getattr(schema, name) if each not in getattr(schema.opts, name)]
            for name in ("exclude", "load_only", "dump_only")
        }
        given["exclude"] += [
            dotted for name in schema.fields for dotted in _nested_names(schema, "exclude", name)
        ]
        given = {name: names for name, names in given.items() if names}
        if schema.only is not None:
            given["only"] = [
                each
                for name in schema.only
                for each in _nested_names(schema, "only", name) or [name]
            ]
        return given

    def access(self, name: str) -> str:
        """A way of access by its name; see :func:`fastschema.nodes.known_access`."""
        return known_access(name, MAPPED)

    def explain(self, schema: Any) -> Report:
        """How the schema is dumped, nested schemas included."""
        return explain(schema)


def _nested_names(schema: Any, option: str, name: str) -> list[str]:
    """The dotted names ("author.name") that an option gave to a nested field.

    Stock hands them on to the field, and keeps their first part at the most.
    """
    nested = getattr(schema.declared_fields.get(name), option, None) or ()
    declared = getattr(type(schema)._declared_fields.get(name), option, None) or ()
    return [] if [*nested] == [*declared] else [f"{name}.{each}" for each in nested]


front_end = MarshmallowFrontEnd()
