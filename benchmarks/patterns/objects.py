"""Objects of all kinds, one at a time: kept, or made for the call.

``calls.py`` counts what they call, which is the same on every machine. Imported when Django is set
up.
"""

from __future__ import annotations

from typing import Any

from marshmallow import Schema, fields
from rest_framework import serializers

from harness.measuring import Run
from patterns import ONE, Collection
from patterns.models import Plane, Wide, wide_rows
from patterns.orders import AuthorSchema, FlatSchema, dump, dump_by_new, load, outcome
from patterns.serializers import data_of, model_serializer
from records import Record

PATTERNS = Collection("objects")
add = PATTERNS.add


class PlaneSerializer(serializers.ModelSerializer):
    class Meta:
        model = Plane
        fields = "__all__"


class PoppingSerializer(PlaneSerializer):
    """Removes what a view does not want."""

    def __init__(self, *args: Any, without: Any = (), **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        for name in without:
            self.fields.pop(name)


class AddingSerializer(PlaneSerializer):
    """Adds a field to what stock makes."""

    label = serializers.CharField(source="tail_number", read_only=True)

    def get_fields(self) -> dict[str, Any]:
        all_fields: dict[str, Any] = super().get_fields()
        all_fields["maker"] = serializers.CharField(source="manufacturer")
        return all_fields


class PlainInput(serializers.Serializer):
    """Ten plain fields."""

    name = serializers.CharField(max_length=50)
    kind = serializers.CharField(max_length=50)
    maker = serializers.CharField(max_length=50)
    model = serializers.CharField(max_length=50)
    year = serializers.IntegerField(min_value=1900)
    seats = serializers.IntegerField()
    engines = serializers.IntegerField()
    speed = serializers.FloatField()
    retired = serializers.BooleanField()
    note = serializers.CharField(allow_blank=True)


def planes(count: int) -> list[Plane]:
    plain = {"type": "jet", "manufacturer": "BOEING", "model": "737", "engine": "Turbo-fan"}
    return [
        Plane(tail_number=f"N{n}", year=2000, engines=2, seats=149, speed=400, **plain)
        for n in range(count)
    ]


INPUT = {
    "name": "N1",
    "kind": "jet",
    "maker": "BOEING",
    "model": "737",
    "year": 2000,
    "seats": 149,
    "engines": 2,
    "speed": 400.5,
    "retired": False,
    "note": "",
}


def validated(serializer: Any, data: dict[str, Any]) -> Run:
    def run() -> Any:
        validating = serializer(data=data)
        return validating.validated_data if validating.is_valid() else validating.errors

    return run


add("PlaneSerializer(plane).data", lambda n: data_of(PlaneSerializer, planes(n)))
add(
    "fields popped in __init__",
    lambda n: data_of(PoppingSerializer, planes(n), without=("engines", "speed")),
    (1, 20),
)
add(
    "own get_fields that adds a field",
    lambda n: data_of(AddingSerializer, planes(n)),
    (1, 5, 14),
)


@add("own get_fields, a kept serializer", sizes=ONE)
def kept_adding(count: int) -> Run:
    serializer, [plane] = AddingSerializer(), planes(1)
    return lambda: serializer.to_representation(plane)


add("is_valid() of ten plain fields", lambda _: validated(PlainInput, INPUT), ONE)
add(
    "is_valid() of ten plain fields, two wrong",
    lambda _: validated(PlainInput, INPUT | {"year": 1, "seats": "many"}),
    ONE,
)


@add("is_valid() of a ModelSerializer", sizes=ONE)
def validated_model(count: int) -> Run:
    serializer = model_serializer(Wide)
    [row] = wide_rows(count)
    return validated(serializer, dict(serializer(row).data))


class OrderSchema(Schema):
    """Six plain fields and a nested schema."""

    id = fields.Integer()
    title = fields.String()
    reference = fields.String()
    note = fields.String()
    quantity = fields.Integer()
    weight = fields.Float()
    author = fields.Nested(AuthorSchema)


class MethodSchema(FlatSchema):
    label = fields.Method("get_label")

    def get_label(self, obj: Any) -> str:
        return f"{obj.id}: {obj.title}"


FLAT = {
    "id": 1,
    "title": "Item",
    "reference": "REF-1",
    "note": "",
    "quantity": 3,
    "weight": 0.5,
    "paid": True,
    "due": "2024-01-01",
}
NESTED = {name: FLAT[name] for name in ("id", "title", "reference", "note", "quantity", "weight")}
NESTED["author"] = {"id": 1, "name": "Ann Author", "email": "ann@example.com"}


def flat(count: int) -> list[Record]:
    loaded = FlatSchema().load(FLAT)
    return [Record(**loaded) for _ in range(count)]


def nested(count: int) -> list[Record]:
    return [Record(**{**NESTED, "author": Record(**NESTED["author"])}) for _ in range(count)]


def made_in_a_function() -> Schema:
    class LocalSchema(OrderSchema):
        """A class that no module holds."""

    return LocalSchema()


add("schema made for the call, flat", lambda n: dump_by_new(FlatSchema, flat(n)), ONE)
add("schema made for the call, nested", lambda n: dump_by_new(OrderSchema, nested(n)), (1, 20))
add("schema made for the call, with a Method", lambda n: dump_by_new(MethodSchema, flat(n)), ONE)
add(
    "schema made for the call, flat, loaded",
    lambda _: lambda: outcome(FlatSchema(), FLAT),
    ONE,
)
add("kept schema, flat", lambda n: dump(FlatSchema(), flat(n)), ONE)
add("kept schema, nested", lambda n: dump(OrderSchema(), nested(n)), ONE)
add("kept schema, flat, loaded", lambda _: load(FlatSchema(), [FLAT]), ONE)
add("kept schema, nested, loaded", lambda _: load(OrderSchema(), [NESTED]), ONE)
add(
    "kept schema of a class made in a function, nested",
    lambda n: dump(made_in_a_function(), nested(n)),
    ONE,
)
