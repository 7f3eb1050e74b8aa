"""Serializers whose fields are made, asked row by row: whoever looks at the fields is seen."""

import functools

import pytest
from django.utils.functional import cached_property
from rest_framework import serializers

import fastschema
from tests.instruments.core import thresholds
from tests.instruments.django import has_made_fields
from tests.promises.django.differential import assert_as_in_stock, exactly
from tests.promises.django.requests_in_turns import visitor_of

CALLS = []


class Loud(serializers.CharField):
    def to_representation(self, value):
        CALLS.append((self.field_name, value, self.context.get("user")))
        return super().to_representation(value).upper()


class Inner(serializers.Serializer):
    number = serializers.IntegerField()
    text = serializers.CharField()


class Less(Inner):
    more = Loud()

    def __init__(self, *args, **kwargs):
        super().__init__(*args, **kwargs)
        self.fields.pop("number")


class Looping(serializers.ListSerializer):
    def to_representation(self, data):
        return [self.child.to_representation(row) for row in data]


class Popping(serializers.Serializer):
    first = serializers.IntegerField()
    last = serializers.CharField()
    loud = Loud()
    hidden = serializers.CharField(write_only=True)
    gone = serializers.CharField()
    method = serializers.SerializerMethodField()
    inner = Inner()
    many = Inner(many=True)
    less = Less()
    all_less = Less(many=True)

    class Meta:
        list_serializer_class = Looping

    def __init__(self, *args, **kwargs):
        super().__init__(*args, **kwargs)
        self.fields.pop("gone")

    def get_method(self, row):
        CALLS.append(("method", row["first"]))
        return row["first"]


class Own(Popping):
    def to_representation(self, instance):
        CALLS.append("to_representation")
        return {**super().to_representation(instance), "own": 1}


class CachingInner(Inner):
    @cached_property
    def fields(self):
        CALLS.append("fields of what is nested")
        fields = super().fields
        if visitor_of(self) != "admin":
            del fields["number"]
        return fields


class Caching(Popping):
    inner = CachingInner()
    many = CachingInner(many=True)

    @functools.cached_property
    def fields(self):
        CALLS.append("fields")
        fields = super().fields
        if visitor_of(self) != "admin":
            del fields["last"]
        return fields


def row(number):
    """A row with something in each place."""
    inner = {"number": number, "text": f"{number}", "more": "more"}
    each = {"inner": inner, "less": inner, "many": [inner] * 2, "all_less": [inner] * 2}
    texts = {"last": "l", "loud": f"loud {number}", "hidden": "h", "gone": "g"}
    return {"first": number, **texts, **each}


ROWS = [row(number) for number in range(12)]


def compiled_rows(use):
    """How many rows generated code dumped while a function ran."""
    before = fastschema.stats().compiled_rows
    use()
    return fastschema.stats().compiled_rows - before


@pytest.mark.at_once
@pytest.mark.parametrize("cls", [Popping, Own])
def test_generated_code_represents_all_but_the_first(cls):
    for _ in range(2):
        serializer = cls()
        assert (
            compiled_rows(lambda s=serializer: [s.to_representation(each) for each in ROWS]) == 11
        )


@pytest.mark.usefixtures("users_thresholds")
def test_a_few_rows_are_left_to_stock():
    class Rows(Popping):
        pass

    for _ in range(24):
        assert Rows(ROWS[0]).data
    serializer = Rows()
    few = thresholds.few_for_django - 1
    numbers = range(few + 2)
    assert [compiled_rows(lambda: serializer.to_representation(ROWS[0])) for _ in numbers] == [
        *[0] * few,
        *(1, 1),
    ]


FEWEST = thresholds.few_for_django


@pytest.mark.parametrize("count", [FEWEST - 1, FEWEST])
@pytest.mark.usefixtures("users_thresholds")
def test_objects_of_few_fields_that_come_one_by_one_are_left_to_stock(count):
    data = {f"f{number}": 1 for number in range(count)}
    fields = {name: serializers.IntegerField() for name in data}
    cls = type("Rows", (serializers.Serializer,), fields)
    for _ in range(24):
        assert cls(data).data
    serializer = cls()
    assert serializer.fields
    numbers = range(thresholds.few_for_django + 2)
    compiled = compiled_rows(lambda: [serializer.to_representation(data) for _ in numbers])
    assert compiled == (3 if count == FEWEST else 0)


def test_the_fields_are_the_same_objects_before_and_after():
    serializer = Popping()
    mapping, fields = serializer.fields, list(serializer.fields.values())
    for each in ROWS:
        serializer.to_representation(each)
    assert "fields" not in vars(serializer)
    assert has_made_fields(serializer)
    assert serializer.fields is mapping
    assert list(serializer.fields.values()) == fields
    assert "fields" in vars(serializer)


def test_fields_that_change_with_each_row_are_left_to_stock():
    def ask():
        serializer = Popping()
        found = []
        for number, each in enumerate(ROWS):
            serializer.fields["last"].source_attrs = ["first" if number % 2 else "loud"]
            found.append(exactly(serializer.to_representation(each)))
        return found

    assert_as_in_stock(ask, CALLS)
    assert compiled_rows(ask) < 8


@pytest.mark.at_once
def test_an_own_property_leaves_single_rows_to_stock_and_lists_to_generated_code():
    serializer = Caching()
    assert compiled_rows(lambda: [serializer.to_representation(each) for each in ROWS]) == 0
    assert compiled_rows(lambda: Caching(ROWS, many=True).data) == 0  # it asks row by row

    class Listed(Caching):
        class Meta:
            pass

    assert compiled_rows(lambda: Listed(ROWS, many=True).data) == len(ROWS)


def test_fields_that_belong_to_another_serializer_call_its_methods():
    shared = {}

    class Sharing(serializers.Serializer):
        method = serializers.SerializerMethodField()

        def get_method(self, row):
            return self.context["user"]

        @functools.cached_property
        def fields(self):
            return shared.setdefault("fields", super().fields)

    def ask():
        shared.clear()
        return [exactly(Sharing(ROWS, many=True, context={"user": user}).data) for user in "xyz"]

    assert_as_in_stock(ask, CALLS)


def test_an_own_property_is_asked_again_when_its_fields_are_dropped():
    def ask():
        serializer = Caching()
        found = []
        for number, each in enumerate(ROWS):
            if number == 5:
                del serializer.fields
            if number == 8:
                del serializer.fields["inner"].fields
            found.append(exactly(serializer.to_representation(each)))
        return found

    assert_as_in_stock(ask, CALLS)
