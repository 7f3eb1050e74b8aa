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
from fastschema.runtime import thresholds
from fastschema.runtime.bound_program import RowDumper
from fastschema.runtime.front_end import DumpingSchema
from fastschema.runtime.json_engine import Engine
from fastschema.switch import is_disabled

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

    :param watched: the schema
    """

    def __init__(self, watched: DumpingSchema) -> None:
        self.schema = watched.schema
        self._watched = watched
        self._app: Flask = current_app._get_current_object()  # type: ignore[attr-defined]  # a proxy
        self._rows: int | None = 0
        self._is_compiled = False

    def tell(self, seconds: float) -> None:
        """Send the signal.

        :raises Exception: what a receiver raises
        """
        dumped.send(
            self._app,
            _async_wrapper=self._app.ensure_sync,
            schema=type(self.schema),
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

    def dump(self, obj: Any, many: bool | None) -> Any:
        """Return what stock's dump returns, by generated code where that is possible."""
        result = self._watched.dump(obj, many)
        self._count(obj, many, result)
        self._is_compiled = not is_disabled() and was_compiled(self.schema, DUMP)
        return result

    def stock_dump(self, obj: Any, many: bool | None) -> Any:
        """Return what stock's dump returns, by stock."""
        result = self._watched.stock_dump(obj, many)
        self._count(obj, many, result)
        return result

    def is_collection(self, obj: Any, many: bool | None) -> bool:
        """Return whether stock dumps ``obj`` row by row."""
        return self._watched.is_collection(obj, many)

    def row_dumper(self, form: Form, rows: int | None) -> RowDumper | None:
        """Return what dumps the rows, and counts them for the signal."""
        dumper = self._watched.row_dumper(form, rows)
        if dumper is None:
            return None
        self._is_compiled = True
        return _Counting(dumper, self)

    def rows(self, obj: Any) -> Iterable[Any]:
        """Return what stock iterates over when it dumps a collection."""
        return self._watched.rows(obj)

    def engine(self) -> Engine:
        """Return the schema's own JSON writer."""
        return self._watched.engine()

    def stock_encode(self, data: Any) -> bytes:
        """Stock's data as JSON."""
        return self._watched.stock_encode(data)

    def add(self, rows: int) -> None:
        """Count rows that were dumped."""
        self._rows = (self._rows or 0) + rows

    def _count(self, obj: Any, many: bool | None, result: Any) -> None:
        """Count the rows of a dump in one piece.

        Hooks may have put the rows into something, or left some out.
        """
        if not self.is_collection(obj, many):
            self._rows = 1
            return
        known = len(obj) if type(obj) is list else thresholds.MANY
        if isinstance(result, list):
            self._rows = len(result)
        else:
            self._rows = None if known == thresholds.MANY else known


class _Counting:
    """Counts the rows that another one dumps; see ``bound_program.RowDumper``.

    :param dumper: the other one
    :param watched: what counts
    """

    def __init__(self, dumper: RowDumper, watched: CountingSchema) -> None:
        self._dumper = dumper
        self._watched = watched

    def one_row(self, obj: Any) -> Any:
        """Dump one object."""
        result = self._dumper.one_row(obj)
        self._watched.add(1)
        return result

    def all_rows(self, rows: Iterable[Any]) -> list[Any]:
        """Dump each row."""
        results = self._dumper.all_rows(rows)
        self._watched.add(len(results))
        return results

    def end(self) -> None:
        """End the dump."""
        self._dumper.end()
