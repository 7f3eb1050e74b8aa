"""Rows as JSON that become stock's data again: what JSON does not tell is captured beside it.

Of a text, a number, a boolean and None, the JSON tells what they were; so nothing is captured of
most fields. A method field may return anything, though, a choice may be of any class, a decimal may
be written as a number, and a hyperlink knows its object. What the fields of such kinds return is
captured, in the order of the rows, and put into the data that are read from the JSON. No row is
read twice, no code of users called again, and no query run.

Of a value that somebody may still change before the response is rendered (a list of the user's, a
generator, a lazy text) the JSON cannot be written yet: such rows become data at once.
"""

from __future__ import annotations

import datetime
import decimal
import json
import uuid
from collections.abc import Callable, Iterator
from dataclasses import replace
from functools import partial
from typing import Any

from rest_framework.relations import Hyperlink

from fastschema.compiler.nodes import FieldNode, Form, ObjectNode, Repeatable
from fastschema.compiler.source import identifiers
from fastschema.contrib.django.front_end.json_encoding import (
    ENGINE,
    encode_anything,
    json_value,
    missing,
)
from fastschema.runtime.bound_program import CallDumper, Dispatch, Dispatcher, NestedDumper
from fastschema.runtime.derived_node import DerivedNode
from fastschema.runtime.encode import JsonArray
from fastschema.runtime.json_engine import JsonText

_LASTING = frozenset(
    [
        *(str, int, bool, float, type(None), decimal.Decimal, uuid.UUID, type(missing)),
        *(datetime.date, datetime.datetime, datetime.time, datetime.timedelta, Hyperlink),
    ]
)
"""Values of these classes stay what they were when they were written."""


class WrittenRows:
    """The rows of a list serializer as JSON, which become stock's data if somebody asks for them.

    :param serializer: the serializer, with ``many=True``
    :param count: how many rows it has
    """

    def __init__(self, serializer: Any, count: int) -> None:
        self.count = count
        self.of_database = False
        """Whether they are rows of the database, whose values nobody else has; else instances."""
        self.text: JsonText
        self.is_final = True
        """Whether stock would write the same, whatever happens until it is asked to."""
        self._serializer = serializer
        self.captured = CapturedValues(self)
        self._encode = ENGINE.encode

    def write(self, dispatch: Dispatch, rows: list[Any]) -> None:
        """Write the rows.

        :param dispatch: what dumps them, made of a capturing one
        :raises Exception: what a row raises
        """
        self.text = JsonText(JsonArray(rows, dispatch.all_rows, self._encoded).join())

    def _encoded(self, dumped: list[Any]) -> bytes:
        try:
            return self._encode(dumped)
        except Exception:
            self.is_final = False  # stock encodes later, and raises its own
            return encode_anything(dumped)

    def give_data(self) -> None:
        """Let the serializer have stock's data of the rows; later, if they may be made later."""
        # What BaseSerializer.data returns, from which ListSerializer.data makes a list.
        self._serializer._data = self if self.is_final else self._made()

    def __iter__(self) -> Iterator[Any]:
        """Stock's data, made when somebody asks for them."""
        self._serializer._data = data = self._made()
        return iter(data)

    def data(self) -> Any:
        """Return stock's data of the rows, as they were when they were written."""
        return self._serializer.data

    def _made(self) -> list[dict[str, Any]]:
        data: list[dict[str, Any]] = json.loads(self.text.text)
        self.captured.put_into([(data, index) for index in range(len(data))])
        return data


class CapturedValues:
    """What the objects of one serializer have that JSON does not tell, in the order of the objects.

    :param written: the rows to which they belong
    """

    def __init__(self, written: WrittenRows) -> None:
        self._written = written
        self._values: dict[str, list[Any]] = {}
        """By the keys of fields, what these returned."""
        self._nested: dict[str, CapturedValues] = {}
        """By the keys of nested serializers, the same for their objects."""
        self._wholes: list[Any] = []
        """What a ``to_representation`` of users' own has made of the objects."""

    def capturing(self, dispatch: Dispatch) -> Dispatch:
        """Return what dumps as a dispatch does in JSON form, and captures values.

        Slots find this object at the bound schema, as ``captured``.
        """
        dispatch.bound_schema.captured = self
        return dispatch.derived("capturing", _capturing, Form.JSON)

    def capture(self, field: FieldNode) -> Callable[[Any], Any]:
        """Return what captures a value of a field, and returns what the JSON engine writes."""
        append = self._values.setdefault(field.key, []).append
        written, makes_lists = self._written, field.kind.makes_lists
        lasts = written.of_database and field.kind.repeatable is not Repeatable.NEVER

        def capture(value: Any) -> Any:
            append(value)
            if type(value) is str:  # as most of them are
                return value
            if lasts or _is_lasting(value, makes_lists):
                return json_value(value)
            written.is_final = False
            return None

        return capture

    def nested(self, field: FieldNode, dumper: NestedDumper) -> Dispatcher:
        """Return what dumps the objects of a nested field, and captures values of theirs."""
        inner = self._nested.setdefault(field.key, CapturedValues(self._written))
        return inner._dumper(dumper)

    def _dumper(self, dumper: NestedDumper) -> Dispatcher:
        """Return what dumps the objects of a nested serializer, or lists of them."""
        found = dumper.dispatch
        if isinstance(found, Dispatch):
            return self.capturing(found)
        assert isinstance(found, CallDumper)
        if found.inner is not None:
            return found.with_inner(self._dumper)
        represent = found.unconverted

        def dump(value: Any) -> int:
            self._written.is_final = False
            self._wholes.append(represent(value))
            return 0  # a place for it

        return CallDumper(dump)

    def put_into(self, places: list[tuple[Any, Any]]) -> None:
        """Put the values where they belong.

        :param places: of each object, what it is in, and its index or key there
        """
        if self._wholes:
            for (owner, key), whole in zip(places, self._wholes, strict=True):
                owner[key] = whole
            return
        objects = [owner[key] for owner, key in places]
        for key, values in self._values.items():
            for each, value in zip(objects, values, strict=True):
                if value is not missing:
                    each[key] = value
        for key, nested in self._nested.items():
            nested.put_into([place for each in objects for place in _places(each, key)])


def _places(owner: dict[str, Any], key: str) -> list[tuple[Any, Any]]:
    """Return where the objects of a nested field are: one, several, or none."""
    value = owner.get(key)
    if type(value) is list:
        return [(value, index) for index in range(len(value))]
    return [] if value is None else [(owner, key)]


def _is_lasting(value: Any, makes_lists: bool) -> bool:
    """Return whether nobody can change a value.

    :param makes_lists: whether a list is a new one, of the dump's own
    """
    if makes_lists and type(value) is list:
        return _LASTING.issuperset(map(type, value))
    return type(value) in _LASTING


def _capturing(node: ObjectNode) -> ObjectNode:
    """Return a node that captures the values that JSON does not tell, as stock returns them."""
    derived = DerivedNode(node)
    fields = list(node.fields)
    used: frozenset[str] = frozenset()
    for number, field in enumerate(node.fields):
        if field.kind.nested_slot is not None:
            derived.nest(field.kind.nested_slot, partial(_nested, field))
        elif not field.kind.survives_json:
            capture = derived.add_slot(f"capture_{number}", partial(_capture, field))
            fields[number] = replace(field, captured=f"{capture}({{value}})")
            used |= _names(field)
    for slot in node.slots:
        if slot.name in used:
            derived.add_slot(slot.name, partial(_in_python_form, slot.resolve))
    return derived.with_fields(fields)


def _names(field: FieldNode) -> frozenset[str]:
    """Return what is named by the code that reads the value of a field and makes stock's of it."""
    reads = [field.source.otherwise, *field.source.reads.values()]
    read = " ".join([each.expression for each in reads])
    return identifiers(f"{field.kind.python.inline} {field.kind.python.otherwise} {read}")


def _nested(field: FieldNode, bound: Any, dumper: NestedDumper) -> Dispatcher:
    dispatcher: Dispatcher = bound.captured.nested(field, dumper)
    return dispatcher


def _capture(field: FieldNode, bound: Any, cls: type, form: Form) -> Any:
    return bound.captured.capture(field)


def _in_python_form(resolve: Callable[..., Any], bound: Any, cls: type, form: Form) -> Any:
    """Return what a slot resolves to where stock's values are made, whatever is made of
    them later.
    """
    return resolve(bound, cls, Form.PYTHON)
