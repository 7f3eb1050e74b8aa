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
    """What dumps and counts the rows of one dump.

    A ``Dispatch`` does, once there is a program; and a ``NestedDumper``, which looks for one when
    the first row comes. So JSON is written in one way.
    """

    def one_row(self, obj: Any) -> Any:
        """Dump one object, and count it."""
        ...

    def all_rows(self, rows: Iterable[Any]) -> list[Any]:
        """Dump each row, and count them."""
        ...

    def end(self) -> None:
        """End the dump."""
        ...


@dataclass(frozen=True, slots=True)
class Hooks:
    """What users' code does around a dump, before and after the rows are dumped.

    :param names_before: the names of the hooks before, for reports
    :param before: from what is to be dumped to what is dumped instead
    :param names_after: the names of those after
    :param after: from what was dumped, and what was to be, to the result
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

    def stock_dump(self, obj: Any, many: bool | None) -> Any:
        """Return what stock's dump returns, by stock."""
        ...

    def is_collection(self, obj: Any, many: bool | None) -> bool:
        """Return whether stock dumps ``obj`` row by row."""
        ...

    def row_dumper(self, form: Form, rows: int | None) -> RowDumper | None:
        """Return what does all that stock's dump does, row by row, or None if there is more to do.

        :param rows: how many rows are to be dumped; None if nobody knows yet, since user code makes
            them
        """
        ...

    def rows(self, obj: Any) -> Iterable[Any]:
        """Return what stock iterates over when it dumps a collection."""
        ...

    def engine(self) -> Engine:
        """Return the JSON writer whose output equals stock's."""
        ...

    def stock_encode(self, data: Any) -> bytes:
        """Stock's data as JSON, in the standard library's writing."""
        ...


def dumped_data(schema: DumpingSchema, obj: Any, many: bool | None) -> Any:
    """Return what stock's dump returns, by generated code unless that is switched off.

    :raises Exception: what stock's dump raises
    """
    return schema.stock_dump(obj, many) if is_disabled() else schema.dump(obj, many)


class CompiledSchema(DumpingSchema, Protocol):
    """One schema object, as its front end compiles it."""

    accesses: tuple[str, ...]
    """The accesses that the front end has besides attributes, items and stock's own."""

    def refuse_collection(self, obj: Any) -> None:
        """Refuse several objects where one is dumped, and stock would say nothing of it.

        :raises TypeError: if they are several
        """
        ...

    def load(self, data: Any, options: dict[str, Any]) -> Any:
        """Return what stock's load returns, by generated code where that is possible.

        :raises TypeError: if the framework's loading is not compiled
        """
        ...

    def loads(self, text: str | bytes | bytearray, options: dict[str, Any]) -> Any:
        """Return what stock's load returns for the value of a JSON text, likewise.

        :raises TypeError: if the framework's loading is not compiled
        """
        ...

    def validate(self, data: Any, options: dict[str, Any]) -> Any:
        """Return what stock's validation returns, likewise.

        :raises TypeError: if the framework's loading is not compiled
        """
        ...

    def dump_inside(self, obj: Any) -> Any:
        """Dump one object as where the schema is nested: with all that is registered for it."""
        ...

    def load_inside(self, data: Any) -> Any:
        """Load data likewise.

        :raises TypeError: if the framework's loading is not compiled
        """
        ...

    def hooks(self, many: bool | None) -> Hooks | None:
        """Return what users' code does around a dump, or None if there is no such code.

        :param many: whether it dumps a collection; None: as the schema says
        """
        ...

    def program(self) -> DumpProgram | None:
        """Return the program that dumps by the schema, or None if that runs as stock."""
        ...

    def load_program(self) -> LoadProgram | None:
        """Return the program that loads by the schema, or None if that runs as stock."""
        ...

    def dispatch(self, form: Form) -> Dispatch:
        """Return what dumps single objects by generated code, without anything that stock does
        around it.

        :raises UnreadableError: if the schema cannot be compiled
        """
        ...

    def explain(self) -> Report:
        """How the schema is dumped, and loaded."""
        ...


class FrontEnd(Protocol):
    """Reads the schemas of one framework."""

    def compiled(self, schema: Any, *, is_frozen: bool) -> CompiledSchema:
        """Return a schema, compiled.

        :param schema: an instance or a class
        :param is_frozen: whether the schema is read now and never again, or for each dump as far as
            it has changed
        """
        ...

    def forget(self, schema: Any) -> None:
        """Forget what is known of a schema, an instance or a class."""
        ...


_FRONT_ENDS = {
    # The framework's base class: the module whose ``front_end`` reads its subclasses.
    "marshmallow.schema.Schema": "fastschema.marshmallow.front_end",
    "rest_framework.serializers.BaseSerializer": "fastschema.contrib.django.compiled_serializer",
}


def front_end_for(schema: Any) -> FrontEnd:
    """Return the front end that reads a schema, an instance or a class.

    No framework is imported that the schema does not come from.

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
