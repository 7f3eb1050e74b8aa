"""Plan: what users hold of a schema."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from fastschema.front_end import FrontEnd, front_end_for
from fastschema.nodes import ATTRIBUTE, Form
from fastschema.program import RowDumper
from fastschema.report import Report
from fastschema.standalone import module_text
from fastschema.streaming import CHUNK_SIZE, JsonArray, checked_chunk_size
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
        front_end, schema = self._front_end, self._schema
        dumper = self._row_dumper(at_once=front_end.is_at_once(schema, obj, many))
        if dumper is None:
            return self._stock_dumps(obj, many)
        if front_end.is_collection(schema, obj, many):
            text = self._json_array(dumper, front_end.rows(schema, obj)).join()
        else:
            text = front_end.engine(schema).encode(dumper.one_row(obj))
        dumper.end()
        return text

    def stream(self, rows: Any, chunk_size: int = CHUNK_SIZE) -> Iterator[bytes]:
        """The rows as one JSON array, in chunks of bytes, written while the rows are read.

        A schema that must see all rows at once (one with hooks, say) is dumped in one piece.

        :param rows: any iterable
        :param chunk_size: how many rows to write at a time
        :raises ValueError: if ``chunk_size`` is no positive integer
        :raises Exception: what stock raises, when the row that causes it is reached
        """
        return self._stream(self._row_dumper(), rows, checked_chunk_size(chunk_size))

    def load(
        self,
        data: Any,
        many: bool | None = None,
        partial: Any = None,
        unknown: str | None = None,
    ) -> Any:
        """What stock's ``Schema.load`` returns for data.

        :param data: a dictionary, or a list of them
        :param many: whether it is a collection; None: as the schema says
        :param partial: which keys may be missing, as for ``Schema.load``
        :param unknown: what becomes of keys that no field has, as for ``Schema.load``
        :raises ValidationError: marshmallow's, with stock's messages and valid data
        :raises TypeError: for a DRF serializer, whose loading is not compiled
        """
        options = {"many": many, "partial": partial, "unknown": unknown}
        return self._front_end.load(self._schema, data, _given(options))

    def loads(
        self,
        text: str | bytes | bytearray,
        many: bool | None = None,
        partial: Any = None,
        unknown: str | None = None,
    ) -> Any:
        """What :meth:`load` returns for the value of a JSON text.

        Parameters as for :meth:`load`.

        :raises ValueError: what ``json.loads`` raises for text that is no JSON
        """
        options = {"many": many, "partial": partial, "unknown": unknown}
        return self._front_end.loads(self._schema, text, _given(options))

    def validate(self, data: Any, many: bool | None = None, partial: Any = None) -> Any:
        """What stock's ``Schema.validate`` returns: all errors, or an empty dictionary.

        Parameters as for :meth:`load`.
        """
        options = {"many": many, "partial": partial}
        return self._front_end.validate(self._schema, data, _given(options))

    def explain(self) -> Report:
        """Field by field: compiled or stock, and why. Prints as a table."""
        return self._front_end.explain(self._schema)

    def source(self, form: str = "faithful", access: str = ATTRIBUTE, *, many: bool = False) -> str:
        """The generated code, as a module that runs on its own: its ``dump`` dumps an object.

        :param form: "faithful" (what :meth:`dump` runs) or "json" (:meth:`dumps`)
        :param access: for objects read by "attribute", by "item", or in "general" as stock does;
            Django models have "model", SQLAlchemy's mapped classes "mapped"
        :param many: the code for many rows: ``dump`` takes them all
        :returns: the source of the module, or a comment if the schema runs as stock
        :raises ValueError: for a form or an access that there is not
        """
        program = self._front_end.program(self._schema)
        if program is None:
            return self._comment()
        function = program.function(Form(form), self._front_end.access(access), many=many)
        return module_text(function, self._schema, Form(form), access, many=many)

    def load_source(self) -> str:
        """The generated code that loads a row, a function.

        :returns: its source, or a comment if the schema loads as stock
        """
        program = self._front_end.load_program(self._schema)
        return self._comment() if program is None else program.function.text

    def _comment(self) -> str:
        return "".join(f"# {line}".rstrip() + "\n" for line in str(self.explain()).splitlines())

    def _row_dumper(self, *, at_once: bool = False) -> RowDumper | None:
        if is_disabled():
            return None
        engine = self._front_end.engine(self._schema)
        return self._front_end.row_dumper(self._schema, engine.form, at_once=at_once)

    def _stock_dumps(self, obj: Any, many: bool | None) -> bytes:
        return self._front_end.stock_encode(self._schema, self.dump(obj, many))

    def _stream(self, dumper: RowDumper | None, rows: Any, chunk_size: int) -> Iterator[bytes]:
        if dumper is None:
            yield self._stock_dumps(rows, True)
        else:
            yield from self._json_array(dumper, rows, chunk_size)

    def _json_array(self, dumper: RowDumper, rows: Any, chunk_size: int = CHUNK_SIZE) -> JsonArray:
        encode = self._front_end.engine(self._schema).encode
        return JsonArray(rows, dumper.chunk_dumper(), encode, chunk_size)


def _given(options: dict[str, Any]) -> dict[str, Any]:
    """The options that were given: a schema's own ``load`` need not know the others."""
    return {name: value for name, value in options.items() if value is not None}
