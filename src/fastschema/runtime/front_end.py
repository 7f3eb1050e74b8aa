"""What the core asks of a front end, and which front end reads which schema."""

from __future__ import annotations

import importlib
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import Any, Protocol

from fastschema.compiler.nodes import Form
from fastschema.runtime.bound_program import Dispatch
from fastschema.runtime.json_engine import Engine
from fastschema.runtime.programs import DumpProgram, LoadProgram
from fastschema.runtime.report import Report
from fastschema.runtime.switch import is_disabled


class RowDumper(Protocol):
    """What dumps and counts the rows of one dump: a ``Dispatch``, or a ``NestedDumper``."""

    def one_row(self, obj: Any) -> Any: ...

    def all_rows(self, rows: Iterable[Any]) -> list[Any]: ...

    def end(self) -> None: ...


@dataclass(frozen=True, slots=True)
class Hooks:
    """What users' code does around a dump, before and after the rows are dumped.

    ``after`` gets what was dumped, and what was to be; names are for reports.
    """

    names_before: str
    before: Callable[[Any], Any]
    names_after: str
    after: Callable[[Any, Any], Any]


class DumpingSchema(Protocol):
    """What dumps by one schema object."""

    schema: Any

    def dump(self, obj: Any, many: bool | None) -> Any:
        """Return what stock's dump returns, by generated code where that is possible."""
        ...

    def stock_dump(self, obj: Any, many: bool | None) -> Any: ...

    def is_collection(self, obj: Any, many: bool | None) -> bool:
        """Return whether stock dumps ``obj`` row by row."""
        ...

    def row_dumper(self, form: Form, rows: int | None) -> RowDumper | None:
        """Return what does, row by row, all that stock's dump does; None if there is more to do.

        :param rows: how many are to be dumped; None if user code makes them, one by one
        """
        ...

    def rows(self, obj: Any) -> Iterable[Any]:
        """Return what stock iterates over when it dumps a collection."""
        ...

    def engine(self) -> Engine: ...

    def stock_encode(self, data: Any) -> bytes:
        """Stock's data as JSON, in the standard library's writing."""
        ...


def dumped_data(schema: DumpingSchema, obj: Any, many: bool | None) -> Any:
    return schema.stock_dump(obj, many) if is_disabled() else schema.dump(obj, many)


class CompiledSchema(DumpingSchema, Protocol):
    """One schema object, as its front end compiles it."""

    accesses: tuple[str, ...]
    """The accesses that the front end has besides attributes, items and stock's own."""

    def refuse_collection(self, obj: Any) -> None:
        """Raise ``TypeError`` for several objects where one is dumped and stock says nothing."""
        ...

    def load(self, data: Any, options: dict[str, Any]) -> Any:
        """Return what stock's load returns; raise ``TypeError`` where loading is not compiled."""
        ...

    def loads(self, text: str | bytes | bytearray, options: dict[str, Any]) -> Any: ...

    def validate(self, data: Any, options: dict[str, Any]) -> Any: ...

    def dump_inside(self, obj: Any) -> Any:
        """Dump one object as where the schema is nested: with all that is registered for it."""
        ...

    def stock_load(self, data: Any) -> Any: ...

    def load_inside(self, data: Any) -> Any: ...

    def hooks(self, many: bool | None) -> Hooks | None:
        """Return what users' code does around a dump, or None if there is no such code."""
        ...

    def program(self) -> DumpProgram | None: ...

    def load_program(self) -> LoadProgram | None: ...

    def dispatch(self, form: Form) -> Dispatch:
        """Return what dumps single objects by generated code, without what stock does around it."""
        ...

    def explain(self) -> Report: ...


class FrontEnd(Protocol):
    """Reads the schemas of one framework."""

    def compiled(self, schema: Any, *, is_frozen: bool) -> CompiledSchema:
        """Return a schema, compiled: as it is now, if it is frozen, or as it is at each dump."""
        ...

    def forget(self, schema: Any) -> None:
        """Forget what is known of a schema object."""
        ...


_FRONT_ENDS = {
    # The framework's base class: the module whose ``front_end`` reads its subclasses.
    "marshmallow.schema.Schema": "fastschema.marshmallow.compiled_schema",
    "rest_framework.serializers.BaseSerializer": "fastschema.contrib.django.compiled_serializer",
}


def front_end_for(schema: Any) -> FrontEnd:
    """Return the front end of a schema or class, without importing that of another framework.

    :raises TypeError: if it is no schema of a framework that fastschema knows
    """
    cls = schema if isinstance(schema, type) else type(schema)
    for base in cls.__mro__:
        module = _FRONT_ENDS.get(f"{base.__module__}.{base.__qualname__}")
        if module is not None:
            front_end: FrontEnd = importlib.import_module(module).front_end
            return front_end
    raise TypeError(
        f"{cls.__module__}.{cls.__qualname__} is not a schema that fastschema can read; "
        "give it a marshmallow Schema or a Django REST framework Serializer"
    )
