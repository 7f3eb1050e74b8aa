"""Which classes are compiled: those that more than one serializer uses, and long lists."""

import pytest
from rest_framework import serializers

import fastschema
from fastschema.contrib.django.front_end.record import class_record
from fastschema.runtime import thresholds
from flights.models import Airline
from tests.promises.django.differential import exactly

pytestmark = pytest.mark.usefixtures("users_thresholds")

MOST = thresholds.rows_worth_reading_at_once


def new_class(**more):
    """A class as a factory makes it for each call."""

    class Inner(serializers.Serializer):
        b = serializers.CharField()

    class Made(serializers.Serializer):
        a = serializers.IntegerField()
        inner = Inner()
        many = Inner(many=True)

    return type("Made", (Made,), more)


def rows(count):
    """So many rows of them."""
    return [{"a": number, "inner": {"b": "x"}, "many": [{"b": "y"}] * 2} for number in range(count)]


def field_makers(cls):
    """How many exemplars there are of a class and of what is nested in it."""
    nested = [type(cls._declared_fields["inner"]), type(cls._declared_fields["many"].child)]
    return sum(len(class_record(each).exemplars) for each in (cls, *nested))


def compiled_rows(use):
    """What a function returns, and how many rows generated code dumped meanwhile."""
    before = fastschema.stats().compiled_rows
    result = use()
    return result, fastschema.stats().compiled_rows - before


@pytest.mark.parametrize("count", [1, 24, MOST - 2, MOST])
def test_stock_represents_by_a_class_that_one_serializer_uses_but_for_long_lists(count):
    for _ in range(3):
        cls = new_class()
        found, compiled = compiled_rows(lambda cls=cls: cls(rows(count), many=True).data)
        with fastschema.disabled():
            assert exactly(found) == exactly(cls(rows(count), many=True).data)
        assert (compiled, field_makers(cls)) == ((MOST, 3) if count == MOST else (0, 0))


def test_classes_with_the_same_fields_share_the_code():
    new_class()(rows(MOST), many=True).data  # noqa: B018  # the first one, whose code is written
    before = fastschema.stats().programs
    assert new_class()(rows(MOST), many=True).data
    assert fastschema.stats().programs == before


def test_the_second_serializer_of_a_class_is_compiled():
    cls = new_class()
    counts = [compiled_rows(lambda: cls(rows(20), many=True).data)[1] for _ in range(3)]
    assert counts == [0, 20, 20]
    assert field_makers(cls) == 3


def test_the_second_list_of_a_serializer_is_compiled():
    serializer = new_class()(many=True)
    counts = [compiled_rows(lambda: serializer.to_representation(rows(20)))[1] for _ in range(3)]
    assert counts == [0, 20, 20]


def test_a_list_that_is_validated_and_represented_is_one_use():
    for _ in range(2):
        cls = new_class()
        serializer = cls(rows(30), data=rows(30), many=True)
        assert serializer.is_valid()
        assert compiled_rows(lambda each=serializer: each.data)[1] == 0
        assert field_makers(cls) == 0


def test_serializers_of_one_object_each_are_compiled_once_there_were_enough():
    cls = new_class()
    counts = [compiled_rows(lambda: cls(rows(1)[0]).data)[1] for _ in range(15)]
    assert counts == [0] * 12 + [1] * 3  # to make its fields counts as another object


@pytest.mark.parametrize("count", [1, 24, MOST - 2, MOST])
def test_input_of_a_class_that_one_serializer_uses(count):
    def answer(cls):
        data = [*rows(count - 1), {"a": "no", "inner": {}, "many": [{"b": "y"}, {}]}]
        serializer = cls(data=data, many=True)
        return serializer.is_valid(), exactly(serializer.errors)

    for _ in range(3):
        cls = new_class(validate_a=lambda self, value: value + 1)
        found = answer(cls)
        assert field_makers(cls) == (3 if count == MOST else 0)
        with fastschema.disabled():
            assert found == answer(cls)


class Recursive(serializers.Field):
    """Stands for a new serializer of its parent's class, as the field of drf-recursive does."""

    made = None

    def bind(self, field_name, parent):
        self.bound_to = field_name, parent

    def __getattribute__(self, name):
        if name not in ("run_validation", "get_value", "read_only", "field_name", "source_attrs"):
            return object.__getattribute__(self, name)
        if "bound_to" not in vars(self):
            return object.__getattribute__(self, name)
        if self.made is None:
            field_name, parent = self.bound_to
            self.made = type(parent)(required=False)
            self.made.bind(field_name, parent)
        return object.__getattribute__(self.made, name)


class Chain(serializers.Serializer):
    name = serializers.CharField()
    next = Recursive()


def test_a_class_with_a_field_whose_own_code_would_notice():
    data = [{"name": "a", "next": {"name": "b", "next": {"name": "c"}}}, {"name": []}]

    def answer():
        serializer = Chain(data=data, many=True)
        return serializer.is_valid(), exactly(serializer.errors)

    with fastschema.disabled():
        expected = answer()
    for _ in range(20):
        assert answer() == expected


@pytest.mark.django_db
def test_a_list_of_a_queryset_is_one_use():
    Airline.objects.bulk_create(Airline(code=str(number), name="a") for number in range(30))
    for _ in range(2):
        cls = type("Made", (serializers.Serializer,), {"name": serializers.CharField()})
        assert len(cls(Airline.objects.all(), many=True).data) == 30
        assert not class_record(cls).is_in_use
