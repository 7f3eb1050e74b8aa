"""What the core asks about DRF serializers."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from rest_framework.serializers import ListSerializer

from fastschema.contrib.django.dumping import (
    dispatch_for,
    is_stock_list,
    is_stock_serializer,
    link_to,
    represent,
    represent_list,
    represent_many,
    rows,
)
from fastschema.contrib.django.encoding import engine, stock_encode
from fastschema.contrib.django.reader import MODEL, read, readable_fields
from fastschema.engines import Engine
from fastschema.nodes import Form, UnreadableError, known_access
from fastschema.program import Dispatch, LoadProgram, Program, RowDumper
from fastschema.report import Report, field_reports, with_nested
from fastschema.switch import disabled

_NOT_LOADED = (
    "fastschema does not load by Django REST framework's serializers; "
    "use Serializer(data=...).is_valid()"
)


class RestFrameworkFrontEnd:
    """Reads DRF serializers; see :class:`fastschema.front_end.FrontEnd`."""

    def __init__(self) -> None:
        self._engine = engine()

    def instance(self, schema: Any) -> Any:
        """The serializer itself, or an instance of a serializer class."""
        return schema() if isinstance(schema, type) else schema

    def dump(self, schema: Any, obj: Any, many: bool | None) -> Any:
        """What ``to_representation`` of the serializer returns, be it installed or not."""
        if isinstance(schema, ListSerializer):
            if is_stock_list(schema):
                return represent_list(schema, obj)
            return schema.to_representation(obj)
        if is_stock_serializer(schema):
            return represent_many(schema, obj) if many else represent(schema, obj)
        if many:
            return [schema.to_representation(each) for each in rows(obj)]
        return schema.to_representation(obj)

    def stock_dump(self, schema: Any, obj: Any, many: bool | None) -> Any:
        """What ``to_representation`` returns in stock."""
        with disabled():
            return self.dump(schema, obj, many)

    def load(self, schema: Any, data: Any, options: dict[str, Any]) -> Any:
        """Not compiled: a serializer is told its data when it is made."""
        raise TypeError(_NOT_LOADED)

    def loads(self, schema: Any, text: str | bytes | bytearray, options: dict[str, Any]) -> Any:
        """Not compiled, likewise."""
        raise TypeError(_NOT_LOADED)

    def validate(self, schema: Any, data: Any, options: dict[str, Any]) -> Any:
        """Not compiled, likewise."""
        raise TypeError(_NOT_LOADED)

    def is_collection(self, schema: Any, obj: Any, many: bool | None) -> bool:
        """Whether ``many`` is true or it is a ``ListSerializer``."""
        return bool(many) or isinstance(schema, ListSerializer)

    def is_at_once(self, schema: Any, obj: Any, many: bool | None) -> bool:
        """Never: nothing is kept of a serializer, which is made for one dump."""
        return False

    def row_dumper(self, schema: Any, form: Form, *, at_once: bool = False) -> RowDumper | None:
        """What dumps the rows, unless ``to_representation`` is overridden."""
        if isinstance(schema, ListSerializer):
            if not is_stock_list(schema):
                return None
            schema = schema.child
        return link_to(schema, form) if is_stock_serializer(schema) else None

    def rows(self, schema: Any, obj: Any) -> Iterable[Any]:
        """The rows, or all rows of a manager."""
        iterable: Iterable[Any] = rows(obj)
        return iterable

    def engine(self, schema: Any) -> Engine:
        """The engine whose bytes equal those of ``JSONRenderer``."""
        return self._engine

    def stock_encode(self, schema: Any, data: Any) -> bytes:
        """``JSONRenderer``'s JSON."""
        return stock_encode(data)

    def program(self, schema: Any) -> Program | None:
        """The program of a serializer, or None if it runs as stock."""
        serializer = schema.child if isinstance(schema, ListSerializer) else schema
        if not is_stock_serializer(serializer):
            return None
        try:
            return read(serializer, readable_fields(serializer))
        except UnreadableError:
            return None

    def load_program(self, schema: Any) -> LoadProgram | None:
        """None: loading is stock's."""
        return None

    def dispatch(self, schema: Any, form: Form) -> Dispatch:
        """The dispatch of the serializer, or of a list serializer's child."""
        return dispatch_for(schema.child if isinstance(schema, ListSerializer) else schema, form)

    def arguments(self, schema: Any) -> dict[str, Any]:
        """None: a serializer is told its instance and context, which belong to a request."""
        return {}

    def access(self, name: str) -> str:
        """A way of access by its name; see :func:`fastschema.nodes.known_access`."""
        return known_access(name, MODEL)

    def explain(self, schema: Any) -> Report:
        """How the serializer is dumped, nested serializers included."""
        if isinstance(schema, ListSerializer):
            if not is_stock_list(schema):
                return Report(type(schema).__name__, [], "to_representation is overridden")
            schema = schema.child
        name = type(schema).__name__
        if not is_stock_serializer(schema):
            return Report(name, [], "to_representation is overridden")
        fields = readable_fields(schema)
        try:
            program = read(schema, fields)
        except UnreadableError as error:
            return Report(name, [], str(error))
        nested = {
            node.key: self.explain(field)
            for node, field in zip(program.node.fields, fields, strict=True)
            if node.kind.link is not None
        }
        return Report(name, with_nested(field_reports(program.node), nested))


front_end = RestFrameworkFrontEnd()
