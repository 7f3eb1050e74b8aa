"""What the core wants to know of DRF serializers."""

from __future__ import annotations

import contextlib
from collections.abc import Iterable
from typing import Any

from rest_framework.serializers import ListSerializer

from fastschema.compiler.nodes import Form, UnreadableError
from fastschema.contrib.django.app.explanation import explain
from fastschema.contrib.django.dump import represent, represent_list, represent_many
from fastschema.contrib.django.front_end.access import MODEL, rows
from fastschema.contrib.django.front_end.bound_serializer import (
    bound_now,
    dispatch_for,
    link_to,
    read_now,
)
from fastschema.contrib.django.front_end.class_state import forget_class
from fastschema.contrib.django.front_end.customization import is_stock_list, is_stock_serializer
from fastschema.contrib.django.front_end.json_encoding import engine, stock_encode
from fastschema.contrib.django.lists.lazy_rows import dump_rows
from fastschema.report import Report
from fastschema.runtime.bound_program import BoundProgram, Dispatch, RowDumper
from fastschema.runtime.guard import ATTRIBUTE, readings
from fastschema.runtime.json_engine import Engine
from fastschema.runtime.programs import DumpProgram
from fastschema.switch import disabled

_engine = engine()
_NOT_LOADED = (
    "fastschema does not load by Django REST framework's serializers; "
    "use Serializer(data=...).is_valid()"
)


class CompiledSerializer:
    """A DRF serializer; see :class:`fastschema.runtime.front_end.CompiledSchema`.

    :param schema: the serializer
    :param is_frozen: whether it is read now, and never again
    """

    accesses = (MODEL,)

    def __init__(self, schema: Any, *, is_frozen: bool) -> None:
        self.schema = schema
        self._binding: BoundProgram | None = None
        if is_frozen and is_stock_serializer(self._row_serializer):
            with contextlib.suppress(Exception):  # stock represents, or raises when it does
                self._binding = bound_now(self._row_serializer)

    @property
    def _row_serializer(self) -> Any:
        """What dumps a row: the serializer, or the child of a list serializer."""
        return self.schema.child if isinstance(self.schema, ListSerializer) else self.schema

    def dump(self, obj: Any, many: bool | None) -> Any:
        """Return what ``to_representation`` of the serializer returns, be it installed or not."""
        schema = self.schema
        if isinstance(schema, ListSerializer):
            if not is_stock_list(schema):
                return schema.to_representation(obj)
            if self._binding is None:
                return represent_list(schema, obj)
            return self._dump_rows(obj)
        if not is_stock_serializer(schema):
            if many:
                return [schema.to_representation(each) for each in rows(obj)]
            return schema.to_representation(obj)
        if self._binding is None:
            return represent_many(schema, obj) if many else represent(schema, obj)
        if many:
            return self._dump_rows(obj)
        dispatch = self._binding.begin(Form.PYTHON)
        result = dispatch.one_row(obj)
        dispatch.end()
        return result

    def _dump_rows(self, obj: Any) -> list[Any]:
        assert self._binding is not None
        dispatch = self._binding.new_dispatch(Form.PYTHON)
        results, each_row = dump_rows(self._row_serializer, rows(obj), dispatch)
        return dispatch.all_rows(each_row) if results is None else results

    def stock_dump(self, obj: Any, many: bool | None) -> Any:
        """Return what ``to_representation`` returns in stock."""
        with disabled():
            return CompiledSerializer(self.schema, is_frozen=False).dump(obj, many)

    def load(self, data: Any, options: dict[str, Any]) -> Any:
        """Not compiled: a serializer is told its data when it is made."""
        raise TypeError(_NOT_LOADED)

    loads = validate = load

    def is_collection(self, obj: Any, many: bool | None) -> bool:
        """Return whether ``many`` is true or it is a ``ListSerializer``."""
        return bool(many) or isinstance(self.schema, ListSerializer)

    def row_dumper(self, form: Form, rows: int | None) -> RowDumper | None:
        """Return what dumps the rows, unless ``to_representation`` is overridden."""
        schema = self.schema
        if isinstance(schema, ListSerializer) and not is_stock_list(schema):
            return None
        if not is_stock_serializer(self._row_serializer):
            return None
        if self._binding is None:
            return link_to(self._row_serializer, form)
        return self._binding.new_dispatch(form) if rows is None else self._binding.begin(form)

    def rows(self, obj: Any) -> Iterable[Any]:
        """Return the rows, or all rows of a manager."""
        iterable: Iterable[Any] = rows(obj)
        return iterable

    def engine(self) -> Engine:
        """Return the engine whose bytes equal those of ``JSONRenderer``."""
        return _engine

    def stock_encode(self, data: Any) -> bytes:
        """``JSONRenderer``'s JSON."""
        return stock_encode(data)

    def hooks(self, many: bool | None) -> None:
        """None: what surrounds a dump in DRF is an override, which runs as stock."""
        return

    def program(self) -> DumpProgram | None:
        """Return the program of the serializer, or None if it runs as stock."""
        if not is_stock_serializer(self._row_serializer):
            return None
        try:
            return read_now(self._row_serializer)[0]
        except UnreadableError:
            return None

    def load_program(self) -> None:
        """None: loading is stock's."""
        return

    def dispatch(self, form: Form) -> Dispatch:
        """Return the dispatch of the serializer, or of a list serializer's child."""
        return dispatch_for(self._row_serializer, form)

    def explain(self) -> Report:
        """Return how the serializer, with what it nests, is dumped and how it takes lists."""
        return explain(self.schema)


class RestFrameworkFrontEnd:
    """Reads DRF serializers; see :class:`fastschema.runtime.front_end.FrontEnd`."""

    framework = "Django REST framework"

    def compiled(self, schema: Any, *, is_frozen: bool) -> CompiledSerializer:
        """Return a serializer, an instance or a class, compiled."""
        if isinstance(schema, type):
            schema = schema()
        return CompiledSerializer(schema, is_frozen=is_frozen)

    def forget(self, schema: Any) -> None:
        """Forget a serializer, and what is known of its class; with a class, forget everything."""
        if isinstance(schema, type):
            readings.forget()
        else:
            for serializer in (schema, getattr(schema, "child", schema)):
                vars(serializer).pop(ATTRIBUTE, None)
                forget_class(type(serializer))


front_end = RestFrameworkFrontEnd()
