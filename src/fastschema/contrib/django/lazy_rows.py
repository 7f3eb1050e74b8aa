"""Rows written as JSON at once, which become stock's data if somebody asks for them."""

from __future__ import annotations

import contextvars
import datetime
import decimal
import json
import uuid
from collections.abc import Callable
from dataclasses import replace
from functools import partial
from itertools import chain
from typing import Any

from django.db.models import QuerySet
from django.db.models.query import ModelIterable
from rest_framework.serializers import BaseSerializer, ListSerializer

from fastschema.compiler.nodes import Form, ObjectNode, Slot
from fastschema.contrib.django.construction import blueprint_of
from fastschema.contrib.django.json_encoding import engine, json_value, missing
from fastschema.contrib.django.lazy_reading import ReadOnceError, kept_fields
from fastschema.contrib.django.renderers import FastJSONRenderer
from fastschema.contrib.django.stock_serializers import is_stock_list, is_stock_serializer
from fastschema.contrib.django.subjects import dispatch_for
from fastschema.runtime import policy
from fastschema.runtime.dispatch import Dispatch
from fastschema.runtime.json_chunks import JsonArray
from fastschema.runtime.json_engine import JsonText

# As they are when fastschema is imported: what is patched later is not stock's.
_DATA = ListSerializer.data
_BASE_DATA = BaseSerializer.data
_ITER, _LEN, _FETCH_ALL = QuerySet.__iter__, QuerySet.__len__, QuerySet._fetch_all
_LASTING = frozenset(
    [
        *(str, int, bool, float, type(None), decimal.Decimal, uuid.UUID, type(missing)),
        *(datetime.date, datetime.datetime, datetime.time, datetime.timedelta),
    ]
)
"""Values of these classes stay what they were when they were written."""
_engine = engine()


class LazyRows:
    """The rows of a serializer as JSON, and what makes stock's data of them.

    :param serializer: the serializer, with ``many=True``
    :param text: the JSON
    :param kept: the values that cannot be read again, if there are any
    """

    def __init__(self, serializer: Any, text: bytes, kept: _KeptValues | None = None) -> None:
        self.text = JsonText(text)
        self._serializer = serializer
        self._kept = kept
        # The time zone and the language of the view, for whoever reads the data later.
        self._context = contextvars.copy_context()

    def data(self) -> Any:
        """Stock's data of the rows, as they were when they were written."""
        return self._context.run(self._data)

    def _data(self) -> Any:
        serializer, text = self._serializer, self.text.text
        try:
            if self._kept is not None:
                serializer._data = self._kept.rows(list(serializer.instance))
            if FastJSONRenderer().render(serializer.data) == text:
                return serializer.data
        except Exception:
            pass  # the rows were in order when they were written
        # Something has changed the objects since then.
        serializer._data = json.loads(text)
        return serializer.data


def write(serializer: Any) -> LazyRows | None:
    """Write the rows of a serializer, or return None if stock must make data of them.

    Where values turn out not to last, the serializer gets its data, and the result is None.

    :raises Exception: what code of users raises for a row, as in stock
    """
    try:
        check_serializer(serializer)
    except ReadOnceError:
        return None
    rows = serializer.instance
    if isinstance(rows, QuerySet):
        rows = list(rows)
    if not rows:
        return LazyRows(serializer, b"[]")
    child = serializer.child
    try:
        check_child(child)
        if blueprint_of(child) is None and not policy.is_list_worth_reading(len(rows)):
            return None
        dispatch, kept = dispatch_for_rows(child, set(map(type, rows)))
        if not kept:
            return LazyRows(serializer, _array(rows, dispatch, _engine.encode))
    except Exception:
        return None  # stock raises its own
    return _write_and_keep(serializer, rows, dispatch, kept)


def check_serializer(serializer: Any) -> None:
    """Check that ``data`` of a serializer is what stock makes of rows that are there.

    :raises ReadOnceError: if not
    """
    if not isinstance(serializer, ListSerializer) or not is_stock_list(serializer):
        raise ReadOnceError(f"{type(serializer).__name__} is no list serializer as stock has it")
    if type(serializer).data is not _DATA or BaseSerializer.data is not _BASE_DATA:
        raise ReadOnceError("data is overridden")
    own = vars(serializer)
    if "instance" not in own or any(
        name in own for name in ("_data", "_errors", "_validated_data", "initial_data")
    ):
        raise ReadOnceError("its serializer has more than rows")
    rows = serializer.instance
    if type(rows) is not list and not _is_stock_queryset(rows):
        raise ReadOnceError(f"a {type(rows).__name__} is no list or queryset as stock has it")


def _is_stock_queryset(rows: Any) -> bool:
    return (
        isinstance(rows, QuerySet)
        and type(rows).__iter__ is _ITER
        and type(rows).__len__ is _LEN
        and type(rows)._fetch_all is _FETCH_ALL
        and "_fetch_all" not in vars(rows)
        and rows._iterable_class is ModelIterable
    )


def check_child(child: Any) -> None:
    """Check that a serializer represents rows as stock does.

    :raises ReadOnceError: if not
    """
    if not is_stock_serializer(child):
        raise ReadOnceError(f"to_representation of {type(child).__name__} is overridden")


def dispatch_for_rows(child: Any, classes: set[type]) -> tuple[Dispatch, frozenset[int]]:
    """What writes rows of some classes, and the numbers of the fields whose values are kept.

    :raises ReadOnceError: if the rows cannot be read a second time
    :raises UnreadableError: if the serializer cannot be compiled
    """
    dispatch = dispatch_for(child, Form.JSON)
    node, subject = dispatch.program.node, dispatch.subject
    kept: frozenset[int] = frozenset()
    for cls in classes:
        kept |= kept_fields(subject.options, node, cls, subject.context)
    return dispatch, kept


def _write_and_keep(
    serializer: Any, rows: list[Any], dispatch: Dispatch, kept: frozenset[int]
) -> LazyRows | None:
    values = _KeptValues(dispatch, kept)
    text = _array(rows, values.dispatch, values.encode)
    if values.are_lasting():
        return LazyRows(serializer, text, values)
    serializer._data = values.rows(rows)
    return None


def _array(rows: list[Any], dispatch: Dispatch, encode: Callable[[Any], bytes]) -> bytes:
    return JsonArray(rows, dispatch.all_rows, encode).join()


class _KeptValues:
    """What code of users returned for some fields of each row: it is not asked twice.

    :param dispatch: what would dump the rows without keeping anything
    :param kept: the numbers of the fields
    """

    def __init__(self, dispatch: Dispatch, kept: frozenset[int]) -> None:
        program = dispatch.program
        self._node = program.node
        self._subject = dispatch.subject
        self._others = program.derived(("without", kept), partial(_without, kept))
        self._values: dict[int, list[Any]] = {number: [] for number in sorted(kept)}
        self._is_refused = False
        self._subject.keep = [
            partial(_keep, self._values[number].append) if number in kept else None
            for number in range(len(self._node.fields))
        ]
        keeping = program.derived(("keeping", kept), partial(_keeping, kept))
        self.dispatch = Dispatch(keeping, Form.JSON, self._subject)

    def encode(self, rows: list[Any]) -> bytes:
        """Rows as JSON; after an exception nothing more is written, but every row is dumped.

        Stock encodes later, and raises its own.
        """
        try:
            return b"[]" if self._is_refused else _engine.encode(rows)
        except Exception:
            self._is_refused = True
            return b"[]"

    def are_lasting(self) -> bool:
        """Whether all was written, and the values are such that nobody can change them."""
        return not self._is_refused and all(
            _are_lasting(values, makes_lists=self._node.fields[number].kind.makes_lists)
            for number, values in self._values.items()
        )

    def rows(self, rows: list[Any]) -> list[dict[str, Any]]:
        """Stock's data of the rows, for which no code of users is called.

        :param rows: the rows, in the order in which they were dumped
        """
        others = Dispatch(self._others, Form.PYTHON, self._subject).many(rows)
        fields = [
            (field.key, self._values.get(number)) for number, field in enumerate(self._node.fields)
        ]
        return [
            {
                key: value
                for key, kept in fields
                if (value := other.get(key, missing) if kept is None else kept[index])
                is not missing
            }
            for index, other in enumerate(others)
        ]


def _are_lasting(values: list[Any], *, makes_lists: bool) -> bool:
    if makes_lists:
        values = list(
            chain.from_iterable(each if type(each) is list else [each] for each in values)
        )
    return _LASTING.issuperset(map(type, values))


def _keep(append: Callable[[Any], None], value: Any) -> Any:
    append(value)
    return json_value(value)


def _keeping(kept: frozenset[int], node: ObjectNode) -> ObjectNode:
    """A node that keeps the values of some fields."""
    slots = [Slot(f"keep_{number}", partial(_keeper, number)) for number in sorted(kept)]
    fields = [
        replace(field, kept=f"keep_{number}({{value}})") if number in kept else field
        for number, field in enumerate(node.fields)
    ]
    return replace(node, fields=tuple(fields), slots=(*node.slots, *slots))


def _keeper(number: int, subject: Any, cls: type, form: Form) -> Any:
    return subject.keep[number]


def _without(kept: frozenset[int], node: ObjectNode) -> ObjectNode:
    """A node without some fields."""
    fields = [field for number, field in enumerate(node.fields) if number not in kept]
    return replace(node, fields=tuple(fields))
