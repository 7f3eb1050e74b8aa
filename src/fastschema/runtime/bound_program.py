"""Bound programs: a program for one schema object, and the functions for each class of row.

.. code-block:: text

    DumpProgram      the functions of a schema class; it knows no schema object
        |
    BoundProgram     of one schema object, and kept with it
        |  begin(): a dispatch that waits, or a new one          end(): it waits again
    Dispatch         of one dump, in one form: from the class of a row to what dumps it
        |  dispatch[type(row)]
    function         bound when the first row of its class comes: each slot is given its value
        |  a slot for each nested field
    NestedDumper     finds the dispatch of the nested schema when a value needs it first

A slot gets its value from the bound schema (``BoundSchema`` or ``BoundSerializer``). Some values
depend on something else, such as the active time zone: they are *ambient*. If one of those has
changed, all functions are bound anew. What changes on the schema itself is not noticed here: the
front end then binds another program.

``Dispatch.begin()`` looks at ambient values, and nested schemas are found anew. The next row of
many that are dumped one by one looks by ``refresh()``, and nested schemas stay. After an exception,
the dispatch is thrown away.

A row of another class than its function expects goes back to the dispatch. Where there is no
program, a :class:`CallDumper` takes the place of the dispatch: it calls stock.
"""

from __future__ import annotations

import weakref
from collections.abc import Callable, Iterable
from typing import Any, Protocol

from fastschema.compiler.nodes import Form, Slot
from fastschema.runtime.plain_values import are_same
from fastschema.runtime.programs import DumpProgram
from fastschema.runtime.statistics import recorder

_PYTHON, _JSON = Form.PYTHON, Form.JSON  # a lookup on an enum takes as long as all the rest


class BoundProgram:
    """A program bound to one schema object.

    A dispatch serves one dump at a time, so that threads, and dumps within dumps, do not meet. When
    the dump is over it waits for the next one.
    """

    __slots__ = ("_idle_json", "_idle_python", "bound_schema", "program")

    def __init__(self, program: DumpProgram, bound_schema: Any) -> None:
        self.program = program
        self.bound_schema = bound_schema
        self._idle_python: list[Dispatch] = []
        self._idle_json: list[Dispatch] = []

    def begin(self, form: Form) -> Dispatch:
        """Return a dispatch for one dump; call its ``end()`` when the dump is over."""
        try:
            dispatch = self._idle(form).pop()
            recorder.program_used()
        except IndexError:
            dispatch = self.new_dispatch(form)
        dispatch.owner = self
        dispatch.begin()
        return dispatch

    def dump_one(self, obj: Any) -> Any:
        """Dump one object, as stock gives it, and count it."""
        idle = self._idle_python
        try:
            dispatch = idle.pop()
            recorder.program_used()
        except IndexError:
            dispatch = self.new_dispatch(_PYTHON)
        if dispatch.nested or dispatch._ambient or len(dispatch) > _MOST_CLASSES:
            dispatch.begin()
        result = dispatch[type(obj)](obj)
        recorder.compiled(self.program)
        if len(idle) < MOST_IDLE:
            idle.append(dispatch)
        return result

    def checkout(self) -> Dispatch | None:
        """Return a dispatch for one row of many; call its ``end()`` when the row is over.

        What is nested in it stays what it was. None if something that does not belong to the schema
        has changed since the row before.
        """
        idle = self._idle_python
        if not idle:
            dispatch = self.new_dispatch(_PYTHON)
        elif (dispatch := idle.pop()).refresh():
            return None
        dispatch.owner = self
        return dispatch

    def take_back(self, dispatch: Dispatch) -> None:
        idle = self._idle(dispatch.form)
        if len(idle) < MOST_IDLE:
            idle.append(dispatch)

    def _idle(self, form: Form) -> list[Dispatch]:
        return self._idle_json if form is _JSON else self._idle_python

    def new_dispatch(self, form: Form) -> Dispatch:
        return Dispatch(self.program, form, self.bound_schema)


Dump = Callable[[Any], Any]
"""From an object to what its schema makes of it."""

Ambient = Callable[[Any], object]
"""Gives, for a bound schema, what a value depends on besides the schema."""

MOST_IDLE = 4
_MOST_CLASSES = 8
"""The functions of how many classes of objects a dispatch keeps for the next dump."""


class Dispatcher(Protocol):
    """What dumps objects: generated code (:class:`Dispatch`) or not (:class:`CallDumper`)."""

    def __getitem__(self, cls: type, /) -> Dump: ...

    def count(self, rows: int) -> None: ...

    def refresh(self) -> bool:
        """Look up again what does not belong to the schema; return whether it had changed."""
        ...


class Dispatch(dict[type, Dump]):
    """A program bound to one schema object, for one form of output and one dump at a time.

    From the class of an object to the function that dumps it. The functions of a few classes are
    kept for the next dump. They refer to the dispatch weakly: whoever runs a dump holds it while it
    lasts, and leaves no reference cycle.
    """

    __slots__ = (
        "__weakref__",
        "_ambient",
        "_values",
        "bound_schema",
        "form",
        "nested",
        "owner",
        "program",
    )

    def __init__(self, program: DumpProgram, form: Form, bound_schema: Any) -> None:
        self.program = program
        self.form = form
        self.bound_schema = bound_schema
        self.owner: BoundProgram | None = None
        """What takes it back when the dump is over, if it is to wait for another."""
        self._values: dict[str, Any] = {}
        self._ambient: dict[Ambient, object] = {}
        """What values depend on besides the schema, and what it gave."""
        self.nested: list[NestedDumper] = []
        """What dumps the values of nested fields, as far as functions are bound to it."""

    def __missing__(self, cls: type) -> Dump:
        dump: Dump = self.bind(cls)
        self[cls] = dump
        return dump

    def bind(self, cls: type) -> Any:
        access = self.program.node.access(cls)
        generated = self.program.generated(self.form, access)
        values_by_name = self._values
        values = [
            values_by_name[slot.name] if slot.name in values_by_name else self._resolve(slot, cls)
            for slot in generated.slots
        ]
        return generated.function(cls, weakref.ref(self), *values)

    def _resolve(self, slot: Slot, cls: type) -> Any:
        bound_schema = self.bound_schema
        ambient = slot.ambient
        value = slot.resolve(bound_schema, cls, self.form)
        if ambient is not None and ambient not in self._ambient:
            seen = value if ambient is slot.resolve else ambient(bound_schema)
            self._ambient[ambient] = seen
        if not slot.per_class:
            self._values[slot.name] = value
        if issubclass(type(value), NestedDumper):
            self.nested.append(value)
        return value

    def begin(self) -> None:
        """Begin a dump: look up again what does not belong to the schema, and what is nested."""
        for nested in self.nested:
            nested.found = NOT_FOUND
        if self._ambient or self._has_many_classes:
            self.refresh()

    def refresh(self) -> bool:
        """Look up again what does not belong to the schema; return whether it had changed."""
        if self._has_many_classes:
            self.clear()
        has_changed = False
        for ambient, seen in self._ambient.items():
            value = ambient(self.bound_schema)
            if value is not seen and not are_same(value, seen):
                self.clear()
                self._values.clear()
                self.nested.clear()
                self._ambient.clear()
                has_changed = True
                break
        for nested in self.nested:
            if nested.found is not NOT_FOUND:
                has_changed |= nested.dispatch.refresh()
        return has_changed

    def end(self) -> None:
        """End the dump. After one that ended with an exception this need not be called."""
        owner, self.owner = self.owner, None  # while it waits, the owner refers to it
        if owner is not None:
            owner.take_back(self)

    @property
    def _has_many_classes(self) -> bool:
        return len(self) > _MOST_CLASSES

    def __call__(self, obj: Any) -> Any:
        """Dump one object, of another class than a function expected."""
        return self[type(obj)](obj)

    def one_row(self, obj: Any) -> Any:
        result = self[type(obj)](obj)
        recorder.compiled(self.program)
        return result

    def all_rows(self, rows: Iterable[Any]) -> list[Any]:
        results = self.many(rows)
        self.count(len(results))
        return results

    def count(self, rows: int) -> None:
        recorder.compiled(self.program, rows)

    def many(self, rows: Iterable[Any]) -> list[Any]:
        return dump_each(rows, lambda: self)


def dump_each(rows: Iterable[Any], find: Callable[[], Dispatcher]) -> list[Any]:
    """Dump each row as it is read: a row source may reuse one object for all rows.

    The dispatch is found when there is a first row.
    """
    results: list[Any] = []
    dispatch = dump = None
    for row in rows:
        if dump is None:
            dispatch = find()  # held while the function refers to it weakly
            dump = dispatch[type(row)]
        results.append(dump(row))
    return results


class CallDumper:
    """Dumps objects of every class by one function: stock's, or that of a whole collection.

    :param each: the dispatch whose ``many`` the function is, if it is one
    :param convert: what is done to what the function returns
    :param is_stock: whether code of stock's or of users' dumps
    """

    __slots__ = ("_dump", "_rows", "each", "inner", "is_stock")

    def __init__(
        self,
        dump: Dump,
        *,
        each: Dispatch | None = None,
        convert: Callable[[Any], Any] | None = None,
        is_stock: bool = True,
    ) -> None:
        self._dump = dump if convert is None else lambda value: convert(dump(value))
        self.each = each
        self.is_stock = is_stock
        self.inner: NestedDumper | None = None
        """What dumps each object of a collection, if :meth:`of_each` made this."""
        self._rows: Callable[[Any], Iterable[Any]] | None = None

    @classmethod
    def of_each(
        cls, inner: NestedDumper, rows: Callable[[Any], Iterable[Any]] | None = None
    ) -> CallDumper:
        """Return what dumps collections; ``rows`` gives their objects if iterating does not."""
        dump = inner.many if rows is None else lambda collection: inner.many(rows(collection))
        dumper = cls(dump, is_stock=False)
        dumper.inner, dumper._rows = inner, rows
        return dumper

    def with_inner(self, make: Callable[[NestedDumper], Dispatcher]) -> CallDumper:
        """Return a dumper of the same collections; ``make`` makes what dumps each object."""
        inner = self.inner
        assert inner is not None
        return self.of_each(NestedDumper(lambda: make(inner)), self._rows)

    def __getitem__(self, cls: type, /) -> Dump:
        return self._dump

    def count(self, rows: int) -> None:
        recorder.stock(rows)

    def refresh(self) -> bool:
        inner = self.inner
        return inner is not None and inner.found is not NOT_FOUND and inner.dispatch.refresh()


NOT_FOUND = object()


class NestedDumper:
    """From a field to the dispatch of its nested schema, found when the first value needs it."""

    __slots__ = ("_find", "found")

    def __init__(self, find: Callable[[], Dispatcher]) -> None:
        self._find = find
        self.found: object = NOT_FOUND
        """The dispatch, once it is found in this dump; until then ``NOT_FOUND``."""

    @property
    def dispatch(self) -> Dispatcher:
        if self.found is NOT_FOUND:
            self.found = self._find()
        return self.found  # type: ignore[return-value]  # a cast would be a call for each dump

    def many(self, rows: Iterable[Any]) -> list[Any]:
        """Dump each row; without rows the nested schema is not looked for."""
        return dump_each(rows, lambda: self.dispatch)

    def one_row(self, obj: Any) -> Any:
        result = self.dispatch[type(obj)](obj)
        self.dispatch.count(1)
        return result

    def all_rows(self, rows: Iterable[Any]) -> list[Any]:
        results = self.many(rows)
        if results:
            self.dispatch.count(len(results))
        return results

    def end(self) -> None:
        """End the dump."""

    def each(self, values: Iterable[Any]) -> list[Any]:
        return [self(value) for value in values]

    def __call__(self, value: Any) -> Any:
        dispatch = self.dispatch
        return None if value is None else dispatch[type(value)](value)
