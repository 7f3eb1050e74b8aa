"""Plan: what users hold of a schema."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import closing
from typing import TYPE_CHECKING, Any, Self

from fastschema.compiler.nodes import ATTRIBUTE, GENERAL, ITEM, Form
from fastschema.runtime.encode import (
    CHUNK_SIZE,
    checked_chunk_size,
    json_bytes,
    json_stream,
)
from fastschema.runtime.front_end import CompiledSchema, dumped_data, front_end_for
from fastschema.runtime.guard import generations
from fastschema.runtime.report import Report
from fastschema.runtime.switch import is_disabled

if TYPE_CHECKING:
    from fastschema.contrib.sqlalchemy.selection import SelectDumper
    from fastschema.doctor.profiling import Profile


def compile(schema: Any) -> Plan:
    """Return the plan of a schema: a marshmallow ``Schema`` or a DRF ``Serializer``, instance or
    class.

    Like ``re.compile``: the schema is read now, once. The plan does not see what is changed about
    the schema later; compile it again for that. The schema itself is not changed, and nothing needs
    to be installed.

    :raises TypeError: if it is no schema of a framework that fastschema knows
    """
    return Plan(front_end_for(schema).compiled(schema, is_frozen=True))


def forget(schema: Any = None) -> None:
    """Forget what fastschema knows of a schema, so that its next dump or load reads it anew.

    You need this only after a change that is not noticed: docs/is-it-the-same.md lists them. Plans
    keep what they were made of.

    :param schema: a schema, instance or class; None: all schemas
    :raises TypeError: if it is no schema of a framework that fastschema knows
    """
    front_end = None if schema is None else front_end_for(schema)
    if front_end is None or isinstance(schema, type):
        generations.advance()  # what is known of a class is in what is known of others, too
    else:
        front_end.forget(schema)


FORMS = (Form.PYTHON.value, Form.JSON.value)
"""The forms of output whose code can be shown."""


class Plan:
    """Dumps objects by one schema: what stock gives, in a fraction of the time.

    Made by :func:`compile`.
    """

    def __init__(self, schema: CompiledSchema) -> None:
        self._schema = schema

    def __repr__(self) -> str:
        return f"<Plan of {type(self._schema.schema).__name__}>"

    def __reduce__(self) -> Any:
        name = type(self._schema.schema).__name__
        raise TypeError(
            f"A plan cannot be pickled: where it is needed, make it anew, by "
            f"fastschema.compile({name})"
        )

    def __copy__(self) -> Self:
        return self  # nothing about it changes

    def __deepcopy__(self, memo: Any) -> Self:
        return self

    def dump(self, obj: Any, many: bool | None = None) -> Any:
        """Return what stock's dump (``Schema.dump``, ``Serializer(obj).data``) returns for an
        object.

        :param obj: the object, or a collection of objects
        :param many: whether it is a collection; None: as the schema says
        :raises TypeError: for several objects where a marshmallow schema dumps one, unless
            ``many`` says that they are one
        :raises Exception: what stock raises
        """
        if many is None:
            self._schema.refuse_collection(obj)
        return dumped_data(self._schema, obj, many)

    def dumps(self, obj: Any, many: bool | None = None) -> bytes:
        """Return the JSON of what :meth:`dump` returns, as ``bytes``: compact UTF-8.

        marshmallow's ``Schema.dumps`` returns ``str``; decode the result if you need that.
        Parameters as for :meth:`dump`.

        :raises TypeError: as :meth:`dump`
        :raises Exception: what stock's dump or the framework's JSON encoder raises
        """
        if many is None:
            self._schema.refuse_collection(obj)
        return json_bytes(self._schema, obj, many)

    def packb(self, obj: Any, many: bool | None = None) -> bytes:
        """One MessagePack message, as ``bytes``, with the values of the JSON of :meth:`dumps`.

        Dates, decimals and UUIDs are texts in it, as they are in JSON. Parameters as for
        :meth:`dump`.

        :raises ModuleNotFoundError: if neither ormsgpack nor msgpack is installed
        :raises ValueError: for an integer of more than 64 bits or a lone
            surrogate; it names the schema and the field
        :raises Exception: what stock's dump or the framework's JSON encoder raises
        """
        # Imported here, as is what else can be taken out: see CONTRIBUTING.md.
        from fastschema.message_pack.plans import message

        if many is None:
            self._schema.refuse_collection(obj)
        return message(self._schema, obj, many)

    def pack_stream(self, rows: Any, chunk_size: int = CHUNK_SIZE) -> Iterator[bytes]:
        """Return the rows as MessagePack messages, one after the other, packed while the rows are
        read.

        Read them with a streaming unpacker (``msgpack.Unpacker``): there is no array around them,
        which would have to tell their number first. Parameters as for :meth:`stream`.

        :raises ModuleNotFoundError: if neither ormsgpack nor msgpack is installed
        :raises ValueError: if ``chunk_size`` is no positive integer
        :raises Exception: what :meth:`packb` raises, when the row that causes it is reached
        """
        from fastschema.message_pack.plans import messages

        size = checked_chunk_size(chunk_size)
        return messages(self._schema, rows, size, is_stock=is_disabled())

    def stream(self, rows: Any, chunk_size: int = CHUNK_SIZE) -> Iterator[bytes]:
        """Return the rows as one JSON array, in chunks of ``bytes``, written while the rows are
        read.

        A schema that must see all rows at once (one with hooks, say) is dumped in one piece.

        :param rows: any iterable; for a DRF serializer also a model's manager
        :param chunk_size: how many rows to write at a time
        :raises ValueError: if ``chunk_size`` is no positive integer
        :raises Exception: what stock raises, when the row that causes it is reached
        """
        size = checked_chunk_size(chunk_size)
        return json_stream(self._schema, rows, size, is_stock=is_disabled())

    def dumps_select(self, statement: Any, session: Any) -> bytes:
        """Return the JSON of the objects that a SQLAlchemy statement selects, as ``bytes``.

        What :meth:`dumps` returns for ``session.scalars(statement).unique().all()``. Where no
        code can tell, no objects are made: the text is written from the rows, and the session holds
        no objects of them afterwards. :meth:`explain_select` says whether that is so.

        :param statement: a ``Select`` of one mapped class, or a legacy ``Query`` of one
        :param session: a SQLAlchemy ``Session`` or ``scoped_session``
        :raises TypeError: for another statement or session
        :raises ValueError: for a ``Query`` of another session
        :raises Exception: what SQLAlchemy or :meth:`dumps` raises
        """
        selecting = self._selecting(statement, session, is_streamed=False)
        with closing(selecting):
            return json_bytes(selecting, None, True)

    def stream_select(
        self, statement: Any, session: Any, chunk_size: int = CHUNK_SIZE
    ) -> Iterator[bytes]:
        """Return what a SQLAlchemy statement selects as one JSON array, in chunks of ``bytes``.

        As :meth:`dumps_select`, but for ``session.scalars(statement)``: the rows are fetched some
        at a time (as many as the statement's ``yield_per`` says, or 1,000), where the database
        can by a cursor of its own. The cursor is closed at the end, at an error, and when the
        iterator is closed.

        :param chunk_size: how many rows to write at a time
        :raises TypeError: for another statement or session
        :raises ValueError: if ``chunk_size`` is no positive integer
        :raises Exception: what SQLAlchemy or :meth:`stream` raises, when the row that causes it is
            reached
        """
        size = checked_chunk_size(chunk_size)
        selecting = self._selecting(statement, session, is_streamed=True)
        return selecting.closing(json_stream(selecting, None, size, is_stock=is_disabled()))

    def explain_select(self, statement: Any, session: Any) -> Report:
        """As :meth:`explain`, with a note whether objects are made of a statement's rows, and why.

        The statement is run, a ``Select`` with ``LIMIT 0``, and nothing is flushed. Parameters as
        for :meth:`dumps_select`.

        :raises TypeError: for another statement or session
        :raises Exception: what SQLAlchemy raises
        """
        from fastschema.contrib.sqlalchemy.selection import explain_select

        return explain_select(self._schema, statement, session)

    def load(
        self,
        data: Any,
        many: bool | None = None,
        partial: Any = None,
        unknown: str | None = None,
    ) -> Any:
        """Return what stock's ``Schema.load`` returns for data.

        :param data: a dictionary, or a list of them
        :param many: whether it is a collection; None: as the schema says
        :param partial: which keys may be missing, as for ``Schema.load``
        :param unknown: what becomes of keys that no field has, as for ``Schema.load``
        :raises ValidationError: marshmallow's, with stock's messages and valid data
        :raises TypeError: for a DRF serializer, whose loading is not compiled
        """
        options = {"many": many, "partial": partial, "unknown": unknown}
        return self._schema.load(data, _given(options))

    def loads(
        self,
        text: str | bytes | bytearray,
        many: bool | None = None,
        partial: Any = None,
        unknown: str | None = None,
    ) -> Any:
        """Return what :meth:`load` returns for the value of a JSON text, ``str`` or ``bytes``.

        Parameters as for :meth:`load`.

        :raises ValueError: what ``json.loads`` raises for text that is no JSON
        """
        options = {"many": many, "partial": partial, "unknown": unknown}
        return self._schema.loads(text, _given(options))

    def validate(self, data: Any, many: bool | None = None, partial: Any = None) -> Any:
        """Return what stock's ``Schema.validate`` returns: all errors, or an empty dictionary.

        Parameters as for :meth:`load`.
        """
        options = {"many": many, "partial": partial}
        return self._schema.validate(data, _given(options))

    def explain(self) -> Report:
        """Field by field: compiled or stock, and why. Prints as a table."""
        return self._schema.explain()

    def profile(self, rows: Any, many: bool | None = True) -> Profile:
        """Dump rows once, and tell how long each field took: your own code and generated code.

        It is a real dump, so your code is called as often as by :meth:`dump`; what it gives is
        thrown away. The functions that read the clock are made for this one call.

        :param rows: the rows; any iterable
        :param many: whether it is a collection; False: one object, None: as the schema says
        :raises Exception: what :meth:`dump` raises
        """
        # Imported here: few ask for it.
        from fastschema.doctor.profile_run import profile

        return profile(self._schema, rows, many)

    def source(self, form: str = "python", access: str = ATTRIBUTE) -> str:
        """Return the generated code that dumps an object, a function.

        :param form: "python" (what :meth:`dump` runs) or "json" (:meth:`dumps`)
        :param access: for objects read by "attribute", by "item", or in "general" as stock does;
            Django models have "model", SQLAlchemy's mapped classes "mapped"
        :returns: its source, or a comment if the schema runs as stock
        :raises ValueError: for a form or an access that there is not
        """
        if form not in FORMS:
            raise ValueError(f"form must be one of {', '.join(FORMS)}, not {form!r}")
        accesses = (ATTRIBUTE, ITEM, GENERAL, *self._schema.accesses)
        if access not in accesses:
            raise ValueError(f"access must be one of {', '.join(accesses)}, not {access!r}")
        program = self._schema.program()
        return self._comment() if program is None else program.generated(Form(form), access).text

    def load_source(self) -> str:
        """Return the generated code that loads a row, a function.

        :returns: its source, or a comment if the schema loads as stock
        """
        program = self._schema.load_program()
        return self._comment() if program is None else program.generated().text

    def _comment(self) -> str:
        return "".join(f"# {line}".rstrip() + "\n" for line in str(self.explain()).splitlines())

    def _selecting(self, statement: Any, session: Any, *, is_streamed: bool) -> SelectDumper:
        # Imported here: SQLAlchemy may not be installed.
        from fastschema.contrib.sqlalchemy.selection import SelectDumper

        return SelectDumper(self._schema, statement, session, is_streamed=is_streamed)


def _given(options: dict[str, Any]) -> dict[str, Any]:
    """Return the options that were given: a schema's own ``load`` need not know the others."""
    return {name: value for name, value in options.items() if value is not None}
