"""What equal schemas share: the node, the functions generated from it, and their use."""

from __future__ import annotations

import threading
import weakref
from collections.abc import Callable, Iterable, Iterator
from itertools import chain, islice
from types import GeneratorType
from typing import Any, Protocol

from fastschema import loading
from fastschema.dumping import DumpFunction, generate
from fastschema.load_nodes import LoadNode
from fastschema.loading import LoadFunction
from fastschema.nodes import Form, ObjectNode
from fastschema.overwriting import ChunkDumper, DumpOver, can_be_written_over
from fastschema.statistics import recorder

_JSON = Form.JSON  # a lookup on an enum takes as long as all the rest

Dump = Callable[[Any], Any]
"""From an object to what its schema makes of it."""

DumpRows = Callable[[Iterable[Any]], list[Any]]
"""From rows to what their schema makes of each."""


class Program:
    """The functions generated from one node. Shared by all schemas that read as that node.

    It holds nothing of a schema instance, a request or a dump; :class:`Dispatch` brings those.
    Functions are generated when first needed; safe to use from many threads at once.
    """

    def __init__(self, node: ObjectNode) -> None:
        self.node = node
        self.stock_fields = sum(field.reason is not None for field in node.fields)
        self.compiled_fields = len(node.fields) - self.stock_fields
        self.last_used = 0
        self._faithful: dict[tuple[str, bool, bool], DumpFunction] = {}
        self._json: dict[tuple[str, bool, bool], DumpFunction] = {}
        self._lock = threading.Lock()
        self.can_be_written_over = can_be_written_over(node)

    def function(
        self, form: Form, access: str, *, many: bool = False, over: bool = False
    ) -> DumpFunction:
        """The generated ``bind`` function for one form and one kind of access.

        :param many: whether it is for many rows, or for one object
        :param over: whether the rows are written over others
        """
        functions = self._json if form is _JSON else self._faithful
        function = functions.get((access, many, over))
        if function is None:
            with self._lock:
                function = functions.get((access, many, over))
                if function is None:
                    function = generate(self.node, form, access, many=many, over=over)
                    functions[access, many, over] = function
        return function


class LoadProgram:
    """The function generated from the node of a schema that loads.

    As :class:`Program`, it holds nothing of a schema instance, a request or a load.
    """

    def __init__(self, node: LoadNode) -> None:
        self.node = node
        self.stock_fields = sum(field.reason is not None for field in node.fields)
        self.compiled_fields = len(node.fields) - self.stock_fields
        self.last_used = 0
        self._function: LoadFunction | None = None
        self._lock = threading.Lock()

    @property
    def function(self) -> LoadFunction:
        """The generated ``bind`` function."""
        if self._function is None:
            with self._lock:
                if self._function is None:
                    self._function = loading.generate(self.node)
        return self._function


class Dispatcher(Protocol):
    """What dumps objects in one dump: compiled (:class:`Dispatch`) or not (:class:`Always`)."""

    def __getitem__(self, cls: type, /) -> Dump:
        """The function that dumps objects of one class."""
        ...

    def for_rows(self, cls: type, /) -> DumpRows:
        """The function that dumps many rows, most of them of one class."""
        ...

    def count(self, rows: int) -> None:
        """Count rows that were dumped."""
        ...


class RowDumper(Protocol):
    """What dumps and counts the rows of one dump: a :class:`Dispatch`, say, or a :class:`Link`."""

    def one_row(self, obj: Any) -> Any:
        """Dump one object, and count it."""
        ...

    def all_rows(self, rows: Iterable[Any]) -> list[Any]:
        """Dump each row, and count them."""
        ...

    def chunk_dumper(self) -> DumpRows:
        """What dumps and counts the rows of a JSON text, a chunk of them after the other.

        What it returns for a chunk may be written over with the next one. The first chunk has as
        many rows as any.
        """
        ...

    def end(self) -> None:
        """All rows are dumped: what was made for them may be used again."""
        ...


class Dispatch(dict[type, Dump]):
    """One dump by one program: from the class of an object to the function that dumps it.

    What a class allows is looked up once for each dump, so that nothing outlives a change to the
    class and no class is kept alive (but see :mod:`fastschema.reuse`). The functions refer to it
    weakly: whoever runs a dump holds the dispatch while it lasts, and leaves no reference cycle
    behind.

    :param program: the program
    :param form: the form of the output
    :param subject: what the front end's slots resolve from
    """

    __slots__ = ("__weakref__", "_bound", "_rows", "form", "program", "subject")

    def __init__(self, program: Program, form: Form, subject: Any) -> None:
        self.program = program
        self.form = form
        self.subject = subject
        self._rows: dict[type, DumpRows] = {}
        self._bound: dict[type, tuple[str, list[Any]]] = {}

    def __missing__(self, cls: type) -> Dump:
        dump: Dump = self.bind(cls, many=False)
        self[cls] = dump
        return dump

    def for_rows(self, cls: type, /) -> DumpRows:
        """The function that dumps many rows, most of them of one class."""
        dump_rows: DumpRows | None = self._rows.get(cls)
        if dump_rows is None:
            dump_rows = self._rows[cls] = self.bind(cls, many=True)
        return dump_rows

    def bind(self, cls: type, *, many: bool) -> Any:
        """A generated function for objects of a class, with what belongs to this dump.

        :param many: whether it dumps many rows, or one object
        """
        subject, form = self.subject, self.form
        access = self.access(cls)
        function = self.program.function(form, access, many=many)
        values = [slot.resolve(subject, cls, form) for slot in function.slots]
        self.bound(cls, access, function, values)
        if many:
            self._bound[cls] = access, values
        return function.bind(cls, weakref.ref(self), *values)

    def bind_over(self, cls: type, /) -> DumpOver:
        """A generated function that dumps rows, most of them of one class, over others.

        It belongs to the same dump as :meth:`for_rows`: nothing is looked up again.
        """
        self.for_rows(cls)
        access, values = self._bound[cls]
        # It has the slots of the function that builds rows.
        function = self.program.function(_JSON, access, many=True, over=True)
        dump_over: DumpOver = function.bind(cls, weakref.ref(self), *values)
        return dump_over

    def access(self, cls: type) -> str:
        """How values are read from the objects of a class."""
        return self.program.node.access(cls)

    def bound(self, cls: type, access: str, function: DumpFunction, values: list[Any]) -> None:
        """Objects of a class will be dumped by a function, bound to these values of its slots."""

    def __call__(self, obj: Any) -> Any:
        """Dump one object, of another class than a function expected."""
        return self[type(obj)](obj)

    def one_row(self, obj: Any) -> Any:
        """Dump one object, and count it."""
        result = self[type(obj)](obj)
        recorder.compiled_row(self.program)
        return result

    def all_rows(self, rows: Iterable[Any]) -> list[Any]:
        """Dump each row, and count them."""
        results = self.many(rows)
        self.count(len(results))
        return results

    def chunk_dumper(self) -> DumpRows:
        """What dumps and counts the rows of a JSON text, a chunk of them after the other."""
        if self.form is _JSON and self.program.can_be_written_over:
            return ChunkDumper(self, self.program.node)
        return self.all_rows

    def end(self) -> None:
        """Nothing is used again."""

    def count(self, rows: int) -> None:
        """Count rows that were dumped."""
        recorder.compiled(rows, self.program.compiled_fields, self.program.stock_fields)

    def many(self, rows: Iterable[Any]) -> list[Any]:
        """Dump each row as it is read."""
        if type(rows) is list and rows:  # most lists of nested objects are short
            return self.for_rows(type(rows[0]))(rows)
        return dump_each(rows, lambda: self)


def dump_each(rows: Iterable[Any], find: Callable[[], Dispatcher]) -> list[Any]:
    """Dump each row as it is read (a row source may reuse one object for all rows).

    :param find: finds the dispatch, when there is a first row
    """
    iterator = iter(rows)
    if type(iterator) not in _PLAIN_ITERATORS:
        return _dump_each(iterator, find)
    for first in iterator:
        # As any row, the first one goes when the next is there: no reference to it is left here.
        all_rows = chain(iter((first,)), iterator)
        dispatch = find()
        dump_rows = dispatch.for_rows(type(first))
        del first
        return dump_rows(all_rows)
    return []


_PLAIN_ITERATORS: tuple[type, ...] = (type(iter([])), type(iter(())), islice, GeneratorType)
"""Iterators that may be asked for their iterator without anybody noticing."""


def _dump_each(iterator: Iterator[Any], find: Callable[[], Dispatcher]) -> list[Any]:
    """The same for an iterator that is only ever asked for the next row."""
    results: list[Any] = []
    dispatch = None
    while True:
        try:
            row = next(iterator)
        except StopIteration:
            return results
        if dispatch is None:
            dispatch = find()
        results.append(dispatch[type(row)](row))


def one_by_one(dump: Dump) -> DumpRows:
    """What dumps many rows by a function for one."""
    # Not map(): a StopIteration of user code would end it silently.
    return lambda rows: [dump(row) for row in rows]


class Always:
    """Dumps objects of every class by one function: stock's, or that of a whole collection."""

    __slots__ = ("_dump",)

    def __init__(self, dump: Dump) -> None:
        self._dump = dump

    def __getitem__(self, cls: type, /) -> Dump:
        return self._dump

    def for_rows(self, cls: type, /) -> DumpRows:
        """The function that dumps many rows."""
        return one_by_one(self._dump)

    def count(self, rows: int) -> None:
        """Count rows that were dumped."""
        recorder.stock(rows)


NOT_FOUND = object()


class Link:
    """From a field to the dispatch of its nested schema, found when the first value needs it.

    Calling it without a value gives the dispatch; with a value, the dumped value.

    :param find: finds the dispatch; may raise what stock raises for a schema that is not there
    """

    __slots__ = ("_find", "found")

    def __init__(self, find: Callable[[], Dispatcher]) -> None:
        self._find = find
        self.found: object = NOT_FOUND
        """The dispatch, once it is found in this dump; until then ``NOT_FOUND``."""

    @property
    def dispatch(self) -> Dispatcher:
        """The dispatch of the nested schema in this dump."""
        if self.found is NOT_FOUND:
            self.found = self._find()
        return self.found  # type: ignore[return-value]  # a cast would be a call for each dump

    def many(self, rows: Iterable[Any]) -> list[Any]:
        """Dump each row; without rows the nested schema is not looked for."""
        return dump_each(rows, lambda: self.dispatch)

    def one_row(self, obj: Any) -> Any:
        """Dump one object, and count it."""
        result = self.dispatch[type(obj)](obj)
        self.dispatch.count(1)
        return result

    def all_rows(self, rows: Iterable[Any]) -> list[Any]:
        """Dump each row, and count them."""
        results = self.many(rows)
        if results:
            self.dispatch.count(len(results))
        return results

    def chunk_dumper(self) -> DumpRows:
        """What dumps and counts the rows of a JSON text, a chunk of them after the other."""
        return self.all_rows

    def end(self) -> None:
        """Nothing is used again."""

    def each(self, values: Iterable[Any]) -> list[Any]:
        """Dump each of some values; None stays None."""
        return [self(value) for value in values]

    def __call__(self, value: Any) -> Any:
        """Dump one value; None stays None."""
        dispatch = self.dispatch
        return None if value is None else dispatch[type(value)](value)
