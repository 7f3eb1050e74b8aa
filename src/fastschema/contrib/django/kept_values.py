"""Rows as JSON whose values from code of users are kept, so that no such code runs a second time.

Values that nobody can change are written at once. Any other (a list of the user's, a generator, a
lazy text) is not looked at: then the rows become stock's data, made of what was kept and of
columns that are read again, and it is written where stock writes it.
"""

from __future__ import annotations

import datetime
import decimal
import json
import uuid
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import replace
from functools import partial
from itertools import islice
from typing import Any, NoReturn

from django.db import connections
from rest_framework.relations import Hyperlink

from fastschema.compiler.nodes import Form, ObjectNode, Slot
from fastschema.compiler.source import identifiers
from fastschema.contrib.django.json_encoding import engine, json_value, missing
from fastschema.contrib.django.renderers import FastJSONRenderer
from fastschema.contrib.django.rows.programs import by_row
from fastschema.contrib.django.rows.reading import Reads
from fastschema.runtime.dispatch import Dispatch
from fastschema.runtime.json_chunks import CHUNK_SIZE

_LASTING = frozenset(
    [
        *(str, int, bool, float, type(None), decimal.Decimal, uuid.UUID, type(missing)),
        *(datetime.date, datetime.datetime, datetime.time, datetime.timedelta, Hyperlink),
    ]
)
"""Values of these classes stay what they were when they were written."""


class KeptValues:
    """What code of users returned for some fields of each row.

    :param dispatch: what would dump the rows without keeping anything
    :param kept: the numbers of the fields
    :param reads: how the fields are read from rows of the database; None: from instances
    """

    def __init__(
        self, dispatch: Dispatch, kept: frozenset[int], reads: Reads | None = None
    ) -> None:
        program = dispatch.program
        self._node = program.node
        self._subject = dispatch.subject
        self._others = program.derived(("without", kept), partial(_without, kept))
        self._values: dict[int, list[Any]] = {number: [] for number in sorted(kept)}
        self._is_lasting = True
        self._subject.keep = {number: self._keeper(number) for number in kept}
        keeping = program.derived(("keeping", kept), partial(_keeping, kept))
        self._dispatch = Dispatch(keeping, Form.JSON, self._subject)
        if reads is not None:
            self._dispatch = by_row(self._dispatch, reads)
        self._chunks: list[tuple[int, bytes | None]] = []
        """The number of rows of each chunk, and its JSON; None if it cannot be written."""
        self._encode = engine().encode

    def write(self, rows: list[Any]) -> bytes | None:
        """The rows as JSON, or None if stock must write :meth:`data`.

        Each row is dumped, whatever its values are.

        :raises Exception: what code of users raises for a row
        """
        iterator = iter(rows)
        while dumped := self._dispatch.all_rows(islice(iterator, CHUNK_SIZE)):
            self._chunks.append((len(dumped), self._encoded(dumped)))
        texts = [text for _, text in self._chunks if text is not None]
        if not self._is_lasting or len(texts) < len(self._chunks):
            return None
        text = b"".join([b"[", b",".join([each[1:-1] for each in texts]), b"]"])
        self._chunks = [(len(rows), text)]  # one copy of it is enough
        return text

    def _encoded(self, dumped: list[Any]) -> bytes | None:
        try:
            return self._encode(dumped)
        except Exception:
            return None  # stock encodes later, and raises its own

    def data(self, rows: list[Any]) -> list[dict[str, Any]]:
        """Stock's data of the rows, for which no code of users is called.

        Columns are read again. Where something has changed them, they are as they were written.

        :param rows: the rows that were written, in their order
        """
        data: list[dict[str, Any]] = []
        for count, text in self._chunks:
            start = len(data)
            data += self._chunk_data(rows[start : start + count], start, text)
        return data

    def _chunk_data(self, rows: list[Any], start: int, text: bytes | None) -> list[dict[str, Any]]:
        """The data of a chunk.

        :param text: the chunk as it was written; None if it was not
        """
        if text is None:
            return self._merged(self._other_values(rows), start)
        try:
            with no_queries():
                others = self._other_values(rows)
            written = self._merged(others, start, is_written=True)
            if FastJSONRenderer().render(written) == text:
                return self._merged(others, start)
        except Exception:
            pass  # something has changed the objects since they were written
        return self._merged(json.loads(text), start)

    def _other_values(self, rows: list[Any]) -> list[Any]:
        return Dispatch(self._others, Form.PYTHON, self._subject).many(rows)

    def _merged(
        self, others: list[Any], start: int, *, is_written: bool = False
    ) -> list[dict[str, Any]]:
        """Rows with the values that were kept.

        :param others: the rows with their other values
        :param start: the number of the first one
        :param is_written: whether values that do not last are null, as they were written
        """
        fields = [
            (field.key, self._values.get(number), field.kind.makes_lists)
            for number, field in enumerate(self._node.fields)
        ]
        merged = []
        for number, other in enumerate(others, start):
            row = {}
            for key, kept, makes_lists in fields:
                value = other.get(key, missing) if kept is None else kept[number]
                if is_written and kept is not None and not _is_lasting(value, makes_lists):
                    value = None
                if value is not missing:
                    row[key] = value
            merged.append(row)
        return merged

    def _keeper(self, number: int) -> Callable[[Any], Any]:
        """What keeps a value of a field, and gives what the JSON engine writes for it."""
        append = self._values[number].append
        makes_lists = self._node.fields[number].kind.makes_lists

        def keep(value: Any) -> Any:
            append(value)
            if type(value) is str or _is_lasting(value, makes_lists):
                return json_value(value)
            self._is_lasting = False
            return None

        return keep


@contextmanager
def no_queries() -> Iterator[None]:
    """While it holds, an object that must be loaded again raises an error."""
    with ExitStack() as stack:
        for each in connections.all(initialized_only=True):
            # The first of them, so that no other sees the query.
            each.execute_wrappers.insert(0, _refuse)
            stack.callback(each.execute_wrappers.remove, _refuse)
        yield


def _refuse(*args: Any) -> NoReturn:
    raise RuntimeError("the objects were loaded when they were written")


def _is_lasting(value: Any, makes_lists: bool) -> bool:
    """Whether nobody can change a value.

    :param makes_lists: whether a list is a new one, of the dump's own
    """
    if makes_lists and type(value) is list:
        return _LASTING.issuperset(map(type, value))
    return type(value) in _LASTING


def _keeping(kept: frozenset[int], node: ObjectNode) -> ObjectNode:
    """A node that keeps the values of some fields, as stock returns them."""
    used: frozenset[str] = frozenset()
    fields = list(node.fields)
    for number in kept:
        python = fields[number].kind.python
        used |= identifiers(f"{python.inline} {python.otherwise}")
        fields[number] = replace(fields[number], kept=f"keep_{number}({{value}})")
    slots = [
        replace(slot, resolve=partial(_in_python_form, slot.resolve)) if slot.name in used else slot
        for slot in node.slots
    ]
    slots += [Slot(f"keep_{number}", partial(_keeper_of, number)) for number in sorted(kept)]
    return replace(node, fields=tuple(fields), slots=tuple(slots))


def _in_python_form(resolve: Callable[..., Any], subject: Any, cls: type, form: Form) -> Any:
    """What a slot resolves to where stock's values are made, whatever is made of them later."""
    return resolve(subject, cls, Form.PYTHON)


def _keeper_of(number: int, subject: Any, cls: type, form: Form) -> Any:
    return subject.keep[number]


def _without(kept: frozenset[int], node: ObjectNode) -> ObjectNode:
    """A node without some fields."""
    fields = [field for number, field in enumerate(node.fields) if number not in kept]
    return replace(node, fields=tuple(fields))
