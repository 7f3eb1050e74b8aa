"""Plan: what users hold of a schema."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from fastschema.front_end import FrontEnd, front_end_for
from fastschema.nodes import ATTRIBUTE, Form
from fastschema.program import RowDumper
from fastschema.report import Report
from fastschema.streaming import CHUNK_SIZE, JsonArray
from fastschema.switch import is_disabled


def compile(schema: Any) -> Plan:
    """The plan of a schema: a marshmallow ``Schema`` or a DRF ``Serializer``, instance or class.

    The schema is not changed, and nothing needs to be installed.

    :raises TypeError: if it is no schema of a framework that fastschema knows
    """
    front_end = front_end_for(schema)
    return Plan(front_end.instance(schema), front_end)


class Plan:
    """Dumps objects by one schema: what stock gives, in a fraction of the time.

    A plan is a schema and the way to its compiled program. Each call looks at the schema again, so
    that changes to it are seen; the program is shared with all schemas that read alike.

    Made by :func:`compile`.
    """

    def __init__(self, schema: Any, front_end: FrontEnd) -> None:
        self._schema = schema
        self._front_end = front_end

    def __repr__(self) -> str:
        return f"<Plan of {type(self._schema).__name__}>"

    def dump(self, obj: Any, many: bool | None = None) -> Any:
        """What stock's dump (``Schema.dump``, ``Serializer(obj).data``) returns for an object.

        :param obj: the object, or a collection of objects
        :param many: whether it is a collection; None: as the schema says
        :raises Exception: what stock raises
        """
        if is_disabled():
            return self._front_end.stock_dump(self._schema, obj, many)
        return self._front_end.dump(self._schema, obj, many)

    def dumps(self, obj: Any, many: bool | None = None) -> bytes:
        """The JSON text (UTF-8) of what :meth:`dump` returns.

        Parameters as for :meth:`dump`.

        :raises Exception: what stock's dump or the framework's JSON encoder raises
        """
        dumper = self._row_dumper()
        if dumper is None:
            return self._stock_dumps(obj, many)
        if self._front_end.is_collection(self._schema, obj, many):
            return self._json_array(dumper, self._front_end.rows(self._schema, obj)).join()
        return self._front_end.engine(self._schema).encode(dumper.one_row(obj))

    def stream(self, rows: Any, chunk_size: int = CHUNK_SIZE) -> Iterator[bytes]:
        """The rows as one JSON array, in chunks of bytes, written while the rows are read.

        A schema that must see all rows at once (one with hooks, say) is dumped in one piece.

        :param rows: any iterable
        :param chunk_size: how many rows to write at a time
        :raises ValueError: if ``chunk_size`` is not positive
        :raises Exception: what stock raises, when the row that causes it is reached
        """
        if chunk_size < 1:
            raise ValueError(f"chunk_size must be at least 1, not {chunk_size}")
        return self._stream(self._row_dumper(), rows, chunk_size)

    def explain(self) -> Report:
        """Field by field: compiled or stock, and why. Prints as a table."""
        return self._front_end.explain(self._schema)

    def source(self, form: str = "faithful", access: str = ATTRIBUTE) -> str:
        """The generated code.

        :param form: "faithful" (what :meth:`dump` runs) or "json" (:meth:`dumps`)
        :param access: for objects read by "attribute", by "item", or in "general" as stock does;
            Django models have "model"
        :returns: the source of the function, or a comment if the schema runs as stock
        :raises ValueError: for a form or an access that there is not
        """
        program = self._front_end.program(self._schema)
        if program is None:
            return f"# {self.explain()}\n"
        return program.function(Form(form), self._front_end.access(access)).text

    def _row_dumper(self) -> RowDumper | None:
        if is_disabled():
            return None
        engine = self._front_end.engine(self._schema)
        return self._front_end.row_dumper(self._schema, engine.form)

    def _stock_dumps(self, obj: Any, many: bool | None) -> bytes:
        return self._front_end.stock_encode(self._schema, self.dump(obj, many))

    def _stream(self, dumper: RowDumper | None, rows: Any, chunk_size: int) -> Iterator[bytes]:
        if dumper is None:
            yield self._stock_dumps(rows, True)
        else:
            yield from self._json_array(dumper, rows, chunk_size)

    def _json_array(self, dumper: RowDumper, rows: Any, chunk_size: int = CHUNK_SIZE) -> JsonArray:
        encode = self._front_end.engine(self._schema).encode
        return JsonArray(rows, dumper.all_rows, encode, chunk_size)
