"""The signal that tells of each response and each stream of the extension."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from time import perf_counter
from typing import Any

from blinker import Namespace
from flask import Flask, current_app

from fastschema.compiler.nodes import Form
from fastschema.marshmallow.dump import DUMP
from fastschema.marshmallow.schema_state import was_compiled
from fastschema.runtime.bound_program import RowDumper
from fastschema.runtime.front_end import DumpingSchema

dumped = Namespace().signal("fastschema-dumped")
"""Sent when ``fs.response``, ``fs.output`` or ``fs.stream`` has written what it was given.

The sender is the application. Receivers are called with:

- ``schema``: the class of the schema
- ``rows``: how many rows were written, 1 for a single object; None if only hooks know
- ``seconds``: how long it took to read, dump and write them, without what the network takes
- ``compiled``: whether generated code did it, or else stock

A stream is over when its last row is written; one that is cut off sends nothing. Without receivers
nothing is counted.
"""


class CountingSchema:
    """A schema of which ``dumped`` tells; see :class:`fastschema.runtime.front_end.DumpingSchema`.

    :param watched: the schema, which does all that is not counted
    """

    def __init__(self, watched: DumpingSchema) -> None:
        self._watched = watched
        self._rows: int | None = 1
        self._is_compiled = False

    def __getattr__(self, name: str) -> Any:
        return getattr(self._watched, name)

    def tell(self, seconds: float) -> None:
        """Send the signal.

        :raises Exception: what a receiver raises
        """
        app: Flask = current_app._get_current_object()  # type: ignore[attr-defined]  # a proxy
        dumped.send(
            app,
            _async_wrapper=app.ensure_sync,
            schema=type(self._watched.schema),
            rows=self._rows,
            seconds=seconds,
            compiled=self._is_compiled,
        )

    def telling(self, chunks: Iterable[bytes]) -> Iterator[bytes]:
        """Yield chunks of its rows, and send the signal after the last one."""
        seconds = 0.0
        iterator = iter(chunks)
        while True:
            started = perf_counter()
            chunk = next(iterator, None)
            seconds += perf_counter() - started
            if chunk is None:
                break
            yield chunk
        self.tell(seconds)

    def row_dumper(self, form: Form, rows: int | None) -> RowDumper | None:
        """Return what dumps the rows."""
        dumper = self._watched.row_dumper(form, rows)
        self._is_compiled = dumper is not None
        return dumper

    def rows(self, obj: Any) -> Iterator[Any]:
        """Yield what stock iterates over when it dumps a collection."""
        count = self._rows = 0
        for row in self._watched.rows(obj):
            self._rows = count = count + 1
            yield row

    def dump(self, obj: Any, many: bool | None) -> Any:
        """Return what stock's dump returns, by generated code where that is possible."""
        result = self._counted(obj, many, self._watched.dump(obj, many))
        self._is_compiled = was_compiled(self._watched.schema, DUMP)
        return result

    def stock_dump(self, obj: Any, many: bool | None) -> Any:
        """Return what stock's dump returns, by stock."""
        return self._counted(obj, many, self._watched.stock_dump(obj, many))

    def _counted(self, obj: Any, many: bool | None, result: Any) -> Any:
        """Return the result of a dump in one piece; hooks may have put the rows into something."""
        if self._watched.is_collection(obj, many):
            rows = result if isinstance(result, list) else obj
            self._rows = len(rows) if type(rows) is list else None
        return result
