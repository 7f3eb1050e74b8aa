"""One object: what is made of it, and that no field is made that nobody needs."""

import threading
from concurrent.futures import ThreadPoolExecutor

import pytest
from django.http import QueryDict
from django.utils import timezone, translation
from rest_framework import serializers
from rest_framework.test import APIRequestFactory
from rest_framework.validators import UniqueTogetherValidator

import fastschema
from fastschema.contrib.django.class_state import made_fields
from flights.models import Airline, Airport
from tests.contrib.django.differential import assert_equal, exactly, outcome
from tests.contrib.django.validation.test_lists import CALLS, assert_same_input, told


class Person(serializers.Serializer):
    name = serializers.CharField(max_length=20)
    age = serializers.IntegerField(min_value=0, max_value=150)
    email = serializers.EmailField(required=False)
    seen = serializers.DateTimeField(required=False)
    note = serializers.CharField(required=False, allow_blank=True, default="none")
    role = serializers.ChoiceField(["admin", "member"], default="member")
    tags = serializers.ListField(child=serializers.CharField(), required=False)


RIGHT = {"name": "Ann", "age": 5, "email": "a@b.de", "seen": "2020-01-01T10:00:00Z", "tags": ["x"]}


class AirportSerializer(serializers.ModelSerializer):
    class Meta:
        model = Airport
        exclude = ()


def made(serializer):
    """The names of the fields that were made."""
    return sorted(made_fields(serializer))


class TestFieldsOnDemand:
    def test_right_values_need_no_fields(self):
        serializer = Person(data=RIGHT)
        assert serializer.is_valid(), serializer.errors
        assert serializer.data["name"] == "Ann"
        assert serializer.errors == {}
        assert made(serializer) == []

    def test_nor_do_wrong_ones_that_no_validator_refuses(self):
        serializer = Person(data={**RIGHT, "age": "x", "email": 1, "role": None, "name": [1]})
        assert not serializer.is_valid()
        assert sorted(serializer.errors) == ["age", "email", "name", "role"]
        assert made(serializer) == ["age", "name"]

    def test_what_is_shown_after_errors_needs_none(self):
        serializer = Person(data={"age": [], "other": 1})
        assert not serializer.is_valid()
        made_before = made(serializer)
        assert serializer.data == {"age": []}
        assert made(serializer) == made_before

    def test_keys_that_are_missing_from_a_partial_update_need_none(self):
        serializer = Person(data={"note": ""}, partial=True)
        assert serializer.is_valid()
        assert serializer.validated_data == {"note": ""}
        assert made(serializer) == []

    @pytest.mark.django_db
    def test_an_object_is_saved_by_the_fields_that_ask_the_database(self):
        data = {"code": "XXX", "name": "x", "city": "y", "country": "DE", "state": ""}
        data |= {"latitude": 1.5, "longitude": 2, "elevation": 3, "timezone": "UTC"}
        with fastschema.disabled():
            names = [*AirportSerializer().fields]
        data = {key: value for key, value in data.items() if key in names}
        serializer = AirportSerializer(data=data)
        serializer.is_valid()
        assert set(serializer.errors) <= set(names)
        assert set(made(serializer)) < set(names)


@pytest.mark.parametrize(
    "data",
    [RIGHT, {}, {"name": ""}, {**RIGHT, "age": 2**80}, {**RIGHT, "seen": "0001-01-01T00:00:00+14"}],
    ids=str,
)
@pytest.mark.parametrize("options", [{}, {"partial": True}], ids=str)
def test_plain_fields(data, options):
    assert_same_input(lambda: Person(data=data, **options))


@pytest.mark.parametrize("data", [None, [], "x", 5, QueryDict("name=x&age=5"), {1: 2}], ids=repr)
def test_what_is_no_dictionary(data):
    assert_same_input(lambda: Person(data=data))


class Owns(Person):
    """Overrides everything, and calls ``super()``."""

    def to_internal_value(self, data):
        CALLS.append(("to_internal_value", dict(data)))
        self.fields["age"].required = "name" in data
        return {**super().to_internal_value(data), "own": True}

    def run_validation(self, data=serializers.empty):
        CALLS.append("run_validation")
        return super().run_validation(data)

    def run_validators(self, value):
        CALLS.append("run_validators")
        return super().run_validators(value)

    def validate_age(self, value):
        CALLS.append("age")
        if value == 13:
            raise serializers.ValidationError({"age": "bad luck"}, code="luck")
        return value

    def validate(self, values):
        CALLS.append("validate")
        if values.get("age") == 14:
            raise serializers.ValidationError("too old", code="old")
        return values


@pytest.mark.parametrize(
    "data", [RIGHT, {"name": "x"}, {}, {"name": "x", "age": 13}, {"name": "x", "age": 14}], ids=str
)
def test_overrides_that_call_super(data):
    assert_same_input(lambda: Owns(data=data))
    assert_same_input(lambda: Owns(data=[data] * 3, many=True))


class Changing(Person):
    """Changes its fields before they are used."""

    def __init__(self, *args, drop=(), **kwargs):
        super().__init__(*args, **kwargs)
        for name in drop:
            self.fields.pop(name)
        if drop:
            self.fields["age"].validators.append(odd)
            self.fields["name"].trim_whitespace = False
            self.fields["role"].choices = ["x"]


def odd(value):
    CALLS.append(("odd", value))
    if value % 2 == 0:
        raise serializers.ValidationError("even")


def test_fields_that_are_changed_are_seen():
    for drop in ((), ("note",), ("note", "email"), ()):
        for age in (4, 5):
            data = {"name": " x ", "age": age, "role": "x", "note": "y"}
            assert_same_input(lambda: Changing(data=data, drop=drop))  # noqa: B023


def test_methods_set_on_one_serializer_are_called():
    def make():
        serializer = Person(data=RIGHT)
        serializer.validate_age = lambda value: value + 1
        serializer.validate = lambda values: {**values, "seen": None}
        return serializer

    assert_same_input(make)


def test_validators_set_on_one_serializer_are_called():
    def refuse(values):
        raise serializers.ValidationError("no", code="no")

    assert_same_input(lambda: Person(data=RIGHT, validators=[refuse]))
    assert_same_input(lambda: Person(data=RIGHT, validators=[]))


class Parent(serializers.Serializer):
    one = Person()
    maybe = Person(required=False, allow_null=True)
    several = Person(many=True, allow_empty=False)
    flat = Person(source="*")
    deep = serializers.IntegerField(source="a.b", default=3)
    other = serializers.IntegerField(source="a.c", required=False)
    by = serializers.HiddenField(default=serializers.CurrentUserDefault())
    own = serializers.SerializerMethodField()
    fixed = serializers.IntegerField(read_only=True, default=4)


@pytest.mark.parametrize("several", [[RIGHT], [], None, [RIGHT, {}], {}, [5]], ids=repr)
@pytest.mark.parametrize("one", [RIGHT, {"name": "x"}, None, 5], ids=repr)
def test_nested_ones(one, several):
    data = {"one": one, "several": several, "flat": RIGHT, "other": 5, "fixed": 5}
    request = APIRequestFactory().get("/")
    request.user = "me"
    for given in (data, {**data, "maybe": one}, {**data, "flat": None, "deep": None}):
        for options in ({}, {"partial": True}):
            assert_same_input(
                lambda: Parent(data=given, context={"request": request}, **options)  # noqa: B023
            )


@pytest.mark.django_db
def test_what_asks_the_database_does_so_as_in_stock(flights):
    class Unique(serializers.ModelSerializer):
        class Meta:
            model = Airline
            fields = ("code", "name")
            validators = [UniqueTogetherValidator(Airline.objects.all(), ("code", "name"))]

    airline = Airline.objects.get(code="UA")
    for data in ({"code": "UA", "name": "United"}, {"code": "YY", "name": "x"}, {"name": "z"}):
        assert_same_input(lambda: Unique(data=data))  # noqa: B023
        assert_same_input(lambda: Unique(airline, data=data))  # noqa: B023
        assert_same_input(lambda: Unique(airline, data=data, partial=True))  # noqa: B023


class Writing(serializers.ModelSerializer):
    class Meta:
        model = Airline
        fields = ("code", "name")


class WritingDotted(Writing):
    name = serializers.CharField(source="fleet.name")

    class Meta(Writing.Meta):
        pass


@pytest.mark.django_db
@pytest.mark.parametrize("serializer_class", [Writing, WritingDotted])
def test_saving_and_what_is_shown_then(serializer_class, flights):
    def saved():
        serializer = serializer_class(data={"code": "ZZ", "name": "z"})
        serializer.is_valid(raise_exception=True)
        try:
            instance = serializer.save()
            return exactly(serializer.data), instance.name
        finally:
            Airline.objects.filter(code="ZZ").delete()

    def updated():
        airline = Airline.objects.get(code="UA")
        serializer = serializer_class(airline, data={"name": "new"}, partial=True)
        serializer.is_valid(raise_exception=True)
        serializer.save()
        return exactly(serializer.data)

    for ask in (saved, updated):
        with fastschema.disabled():
            expected = outcome(ask, CALLS)
        assert_equal(outcome(ask, CALLS), expected)


def test_the_state_of_a_class_notices_new_methods():
    class Late(serializers.Serializer):
        a = serializers.IntegerField()

    def make():
        return Late(data={"a": 1})

    assert_same_input(make)
    Late.validate_a = lambda self, value: value + 1
    assert "0x2" in assert_same_input(make)
    Late.validate = lambda self, values: {**values, "b": 1}
    assert "'b'" in assert_same_input(make)
    del Late.validate_a
    assert "0x2" not in assert_same_input(make)


def test_languages_and_time_zones_at_the_same_time():
    barrier = threading.Barrier(8)
    wrong = {"name": "x" * 30, "age": 200, "seen": "2020-01-01T10:00:00"}

    def run(number):
        language = ("en", "de", "fr", "es")[number % 4]
        zone = timezone.get_fixed_timezone(60 * number)
        with translation.override(language), timezone.override(zone):
            with fastschema.disabled():
                bad = Person(data=wrong)
                bad.is_valid()
                expected = told(bad.errors)
            barrier.wait()
            for _ in range(30):
                bad, good = Person(data=wrong), Person(data={**RIGHT, "seen": wrong["seen"]})
                assert not bad.is_valid()
                assert told(bad.errors) == expected
                assert good.is_valid()
                assert good.validated_data["seen"].utcoffset().total_seconds() == 3600 * number
        return True

    with ThreadPoolExecutor(8) as pool:
        assert all(pool.map(run, range(8)))


def test_names_that_are_no_identifiers():
    class Odd(serializers.Serializer):
        def get_fields(self):
            return {'"); import os #': serializers.IntegerField(), "": serializers.CharField()}

    setattr(Odd, 'validate_"); import os #', lambda self, value: value + 1)
    for data in ({'"); import os #': 1, "": "x"}, {}, {'"); import os #': "x"}):
        assert_same_input(lambda: Odd(data=data))  # noqa: B023
