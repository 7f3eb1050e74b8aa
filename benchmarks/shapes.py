"""Polymorphic schemas: each object is dumped and loaded by a fresh schema of its own class.

Fifteen classes, recursive, half of their fields with methods of their own, objects made by
``post_load``: what large code bases grow into.
"""

from __future__ import annotations

import datetime
from typing import Any

from marshmallow import EXCLUDE, Schema, ValidationError, fields, post_load, validate

CLASSES = 15


class Code(fields.String):
    """Upper case outside, lower case inside."""

    def _serialize(self, value: Any, attr: str | None, obj: Any, **kwargs: Any) -> str | None:
        text = super()._serialize(value, attr, obj, **kwargs)
        return None if text is None else text.upper()

    def _deserialize(self, value: Any, attr: str | None, data: Any, **kwargs: Any) -> Any:
        return super()._deserialize(value, attr, data, **kwargs).lower()


class Day(fields.Date):
    """A date as people write it."""

    def _serialize(self, value: Any, attr: str | None, obj: Any, **kwargs: Any) -> Any:
        return None if value is None else f"{value.day}.{value.month}.{value.year}"

    def _deserialize(self, value: Any, attr: str | None, data: Any, **kwargs: Any) -> Any:
        try:
            day, month, year = map(int, value.split("."))
            return datetime.date(year, month, day)
        except ValueError as error:
            raise ValidationError("Not a day.") from error


class Amount(fields.Integer):
    """A number that may have thousands separators."""

    def _format_num(self, value: Any) -> Any:
        return int(str(value).replace(",", ""))


class Shape:
    """What is dumped, and what is loaded."""

    def __init__(self, **attributes: Any) -> None:
        self.__dict__.update(attributes)

    def __repr__(self) -> str:
        return f"Shape({vars(self)})"


class ShapeSchema(Schema):
    """Finds the schema of each object by its kind."""

    class Meta:
        """Keys that nobody knows are left out."""

        unknown = EXCLUDE

    kind = fields.String()
    name = fields.String(required=True)
    code = Code(required=True)
    number = fields.Integer(validate=validate.Range(min=0))
    amount = Amount()
    day = Day()
    children = fields.List(fields.Nested(lambda: ShapeSchema()))

    def dump(self, obj: Any, *, many: bool | None = None) -> Any:
        """Each object by a new schema of its class."""
        if self.many if many is None else many:
            return [self.dump(each, many=False) for each in obj]
        cls = _SCHEMAS[obj.kind]
        return super().dump(obj, many=False) if type(self) is cls else cls().dump(obj)

    def load(self, data: Any, *, many: bool | None = None, **options: Any) -> Any:
        """Likewise."""
        if self.many if many is None else many:
            return [self.load(each, many=False, **options) for each in data]
        cls = _SCHEMAS[data["kind"]]
        if type(self) is cls:
            return super().load(data, many=False, **options)
        return cls().load(data, **options)

    @post_load
    def make(self, data: dict[str, Any], **options: Any) -> Shape:
        """An object."""
        return Shape(**data)


_OWN_FIELDS = {f"field_{number}": (fields.Integer, Code)[number % 2]() for number in range(6)}
_SCHEMAS: dict[str, Any] = {
    f"kind {number}": type(f"Shape{number}Schema", (ShapeSchema,), dict(_OWN_FIELDS))
    for number in range(CLASSES)
}


def shapes(count: int) -> list[Shape]:
    """The same objects in every run; some have children, which may have children."""
    return [_shape(number, depth=0) for number in range(count)]


def _shape(number: int, depth: int) -> Shape:
    children = range(2 if number % 3 == 0 and depth < 2 else 0)
    return Shape(
        kind=f"kind {number % CLASSES}",
        name=f"shape {number}",
        code=f"code {number}",
        number=number,
        amount=number * 3,
        day=datetime.date(2024, 1, 1) + datetime.timedelta(days=number % 500),
        children=[_shape(number + 1 + each, depth + 1) for each in children],
        **{f"field_{each}": f"text {each}" if each % 2 else each for each in range(6)},
    )
