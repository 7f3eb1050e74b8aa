"""Lists of input, validated by ordinary serializers of Django REST framework.

Imported when Django is set up.
"""

from __future__ import annotations

import itertools
from typing import Any

from rest_framework import serializers

from ordinary_drf import DRF, model_serializer
from ordinary_models import WIDE, wide_rows
from ordinary_pattern import Run

SIZES = (1, 20, 240)


class Person(serializers.Serializer):
    """Ten fields of usual classes."""

    name = serializers.CharField(max_length=50)
    nickname = serializers.CharField(allow_blank=True, required=False)
    code = serializers.CharField(max_length=8, min_length=2)
    age = serializers.IntegerField(min_value=0, max_value=150)
    points = serializers.IntegerField()
    height = serializers.FloatField()
    is_active = serializers.BooleanField()
    born = serializers.DateField()
    balance = serializers.DecimalField(max_digits=8, decimal_places=2)
    role = serializers.ChoiceField(["admin", "member"])


class Checked(Person):
    """The same, with methods."""

    def validate_name(self, name: str) -> str:
        return name.title()

    def validate_code(self, code: str) -> str:
        if not code.isalnum():
            raise serializers.ValidationError("letters and digits only")
        return code

    def validate(self, values: dict[str, Any]) -> dict[str, Any]:
        if values["points"] < 0 and values["is_active"]:
            raise serializers.ValidationError("active, with a debt")
        return values


class Team(serializers.Serializer):
    """A list in each row."""

    name = serializers.CharField()
    members = Person(many=True)


PLAIN = type(
    "Plain",
    (serializers.Serializer,),
    {
        f"field_{n}": serializers.CharField(max_length=50) if n % 2 else serializers.IntegerField()
        for n in range(10)
    },
)
PLAIN_ROW = {f"field_{n}": f"text {n}" if n % 2 else n for n in range(10)}
ROW = {
    "name": "Ann Müller",
    "code": "ab12",
    "age": 42,
    "points": 7,
    "height": 1.75,
    "is_active": True,
    "born": "1990-02-03",
    "balance": "12.50",
    "role": "member",
}
WRONG = {**ROW, "age": -1, "born": "yesterday", "name": ""}


class Addressed(Person):
    """Ten fields of all usual classes."""

    nickname = None
    code = None
    seen = serializers.DateTimeField()
    email = serializers.EmailField()


class Inner(serializers.Serializer):
    """What is nested in another one."""

    street = serializers.CharField(max_length=80)
    number = serializers.IntegerField(min_value=1)


class Housed(Addressed):
    """The same with a nested object."""

    house = Inner()


ADDRESSED = {**ROW, "seen": "2024-01-02T03:04:05Z", "email": "ann@example.com"}
del ADDRESSED["code"]
HOUSED = {**ADDRESSED, "house": {"street": "Main Street", "number": 5}}
MISTAKES = {"age": -1, "born": "yesterday", "name": ""}


def validated(serializer_class: Any, rows: list[dict[str, Any]]) -> Run:
    """What a serializer made for each call says of its input, as views make it."""
    many = {"many": True} if len(rows) > 1 else {}
    data = rows if many else rows[0]

    def run() -> Any:
        serializer = serializer_class(data=data, **many)
        return serializer.is_valid(), serializer.validated_data, serializer.errors

    return run


@DRF.add("input: ten plain fields", sizes=SIZES)
def plain(count: int) -> Run:
    return validated(PLAIN, [PLAIN_ROW] * count)


@DRF.add("input: dates, decimals and choices among ten fields", sizes=SIZES)
def usual(count: int) -> Run:
    return validated(Person, [ROW] * count)


@DRF.add("input: the same, wrong in every second row", sizes=SIZES)
def wrong(count: int) -> Run:
    return validated(Person, ([ROW, WRONG] * count)[:count])


@DRF.add("input: the same with methods of the serializer", sizes=SIZES)
def checked(count: int) -> Run:
    return validated(Checked, [ROW] * count)


@DRF.add("input: a list of five in each row", sizes=SIZES)
def nested(count: int) -> Run:
    return validated(Team, [{"name": "x", "members": [ROW] * 5}] * count)


@DRF.add("input: a ModelSerializer of 14 fields", sizes=SIZES)
def model(count: int) -> Run:
    serializer_class = model_serializer(WIDE[14])
    shown = [dict(serializer_class(row).data) for row in wide_rows(14, count)]
    return validated(serializer_class, shown)


@DRF.add("input: ten fields of all usual classes", sizes=SIZES)
def addressed(count: int) -> Run:
    return validated(Addressed, [ADDRESSED] * count)


@DRF.add("input: the same, wrong", sizes=(1,))
def addressed_wrong(count: int) -> Run:
    return validated(Addressed, [{**ADDRESSED, **MISTAKES}] * count)


@DRF.add("input: the same, every second one wrong", sizes=(240,))
def addressed_half_wrong(count: int) -> Run:
    return validated(Addressed, ([ADDRESSED, {**ADDRESSED, **MISTAKES}] * count)[:count])


@DRF.add("input: the same with a nested object", sizes=SIZES)
def housed(count: int) -> Run:
    return validated(Housed, [HOUSED] * count)


@DRF.add("input: a nested object, every second one wrong", sizes=(240,))
def housed_half_wrong(count: int) -> Run:
    wrong = {**HOUSED, **MISTAKES, "house": {"street": "", "number": 0}}
    return validated(Housed, ([HOUSED, wrong] * count)[:count])


@DRF.add("input: fields that are others each time", sizes=(1,))
def others(count: int) -> Run:
    names = itertools.count()

    class Other(Addressed):
        def __init__(self, *args: Any, **kwargs: Any) -> None:
            super().__init__(*args, **kwargs)
            self.fields["role"].choices = ["member", f"role {next(names)}"]

    return validated(Other, [ADDRESSED] * count)


@DRF.add("input: fields that __init__ has looked at", sizes=SIZES)
def looked_at(count: int) -> Run:
    class LookedAt(Addressed):
        def __init__(self, *args: Any, **kwargs: Any) -> None:
            super().__init__(*args, **kwargs)
            self.fields["name"].required = True

    return validated(LookedAt, [ADDRESSED] * count)
