"""What the core asks of a front end, and which front end reads which schema."""

from __future__ import annotations

import importlib
from collections.abc import Iterable
from typing import Any, Protocol

from fastschema.engines import Engine
from fastschema.nodes import Form
from fastschema.program import Dispatch, LoadProgram, Program, RowDumper
from fastschema.report import Report


class FrontEnd(Protocol):
    """Reads the schemas of one framework."""

    def instance(self, schema: Any) -> Any:
        """The schema itself, or an instance of a schema class."""
        ...

    def dump(self, schema: Any, obj: Any, many: bool | None) -> Any:
        """What stock's dump returns, by generated code where that is possible."""
        ...

    def stock_dump(self, schema: Any, obj: Any, many: bool | None) -> Any:
        """What stock's dump returns, by stock."""
        ...

    def load(self, schema: Any, data: Any, options: dict[str, Any]) -> Any:
        """What stock's load returns, by generated code where that is possible.

        :raises TypeError: if the framework's loading is not compiled
        """
        ...

    def loads(self, schema: Any, text: str | bytes | bytearray, options: dict[str, Any]) -> Any:
        """What stock's load returns for the value of a JSON text, likewise.

        :raises TypeError: if the framework's loading is not compiled
        """
        ...

    def validate(self, schema: Any, data: Any, options: dict[str, Any]) -> Any:
        """What stock's validation returns, likewise.

        :raises TypeError: if the framework's loading is not compiled
        """
        ...

    def is_collection(self, schema: Any, obj: Any, many: bool | None) -> bool:
        """Whether stock dumps ``obj`` row by row."""
        ...

    def is_at_once(self, schema: Any, obj: Any, many: bool | None) -> bool:
        """Whether all that is to be dumped is there: one object, or a list.

        False if only a call to user code could tell.
        """
        ...

    def row_dumper(self, schema: Any, form: Form, *, at_once: bool = False) -> RowDumper | None:
        """What does all that stock's dump does, row by row, or None if there is more to do.

        :param at_once: whether it is for all that :meth:`is_at_once`, and ``end`` is called then
        """
        ...

    def rows(self, schema: Any, obj: Any) -> Iterable[Any]:
        """What stock iterates over when it dumps a collection."""
        ...

    def engine(self, schema: Any) -> Engine:
        """The JSON writer whose output equals stock's."""
        ...

    def stock_encode(self, schema: Any, data: Any) -> bytes:
        """Stock's data as JSON, in the standard library's writing."""
        ...

    def program(self, schema: Any) -> Program | None:
        """The program of a schema, or None if it runs as stock."""
        ...

    def load_program(self, schema: Any) -> LoadProgram | None:
        """The program that loads by a schema, or None if that runs as stock."""
        ...

    def dispatch(self, schema: Any, form: Form) -> Dispatch:
        """What dumps single objects by generated code, without anything that stock does around it.

        :raises UnreadableError: if the schema cannot be compiled
        """
        ...

    def arguments(self, schema: Any) -> dict[str, Any]:
        """The keyword arguments, plain values all, that make such a schema from its class."""
        ...

    def access(self, name: str) -> str:
        """A way of access by its name.

        :raises ValueError: if there is none of that name
        """
        ...

    def explain(self, schema: Any) -> Report:
        """How the schema is dumped."""
        ...


_FRONT_ENDS = {
    # The framework's base class: the module whose ``front_end`` reads its subclasses.
    "marshmallow.schema.Schema": "fastschema.marshmallow.front_end",
    "rest_framework.serializers.BaseSerializer": "fastschema.contrib.django.front_end",
}


def front_end_for(schema: Any) -> FrontEnd:
    """The front end that reads a schema, an instance or a class.

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
