"""One object: what is made of it, and that no field is made that is not needed."""

import os
import random
import threading
import warnings
from concurrent.futures import ThreadPoolExecutor

import pytest
from django.http import QueryDict
from django.utils import timezone, translation
from rest_framework import serializers
from rest_framework.test import APIRequestFactory
from rest_framework.validators import UniqueTogetherValidator

import fastschema
from flights.models import Airline
from flights.serializers import AirlineSerializer
from tests.instruments.django import made_fields
from tests.marks import seeds
from tests.promises.django.differential import assert_as_in_stock, exactly
from tests.promises.django.input.test_validation_lists import (
    CALLS,
    FIELDS,
    ODD,
    assert_same_input,
    called,
    told,
)

THOROUGH = os.environ.get("HYPOTHESIS_PROFILE") == "thorough"


class Person(serializers.Serializer):
    name = serializers.CharField(max_length=20)
    age = serializers.IntegerField(min_value=0, max_value=150)
    email = serializers.EmailField(required=False)
    seen = serializers.DateTimeField(required=False)
    note = serializers.CharField(required=False, allow_blank=True, default="none")
    role = serializers.ChoiceField(["admin", "member"], default="member")
    tags = serializers.ListField(child=serializers.CharField(), required=False)


RIGHT = {"name": "Ann", "age": 5, "email": "a@b.de", "seen": "2020-01-01T10:00:00Z", "tags": ["x"]}


def made(serializer):
    """The names of the fields that were made."""
    return sorted(made_fields(serializer))


class TestFieldsOnDemand:
    @pytest.mark.at_once
    def test_right_values_need_no_fields(self):
        serializer = Person(data=RIGHT)
        assert serializer.is_valid(), serializer.errors
        assert serializer.data["name"] == "Ann"
        assert serializer.errors == {}
        assert made(serializer) == []

    @pytest.mark.at_once
    def test_wrong_ones_need_their_own(self):
        serializer = Person(data={**RIGHT, "age": "x", "email": 1, "role": None, "name": [1]})
        assert not serializer.is_valid()
        assert sorted(serializer.errors) == ["age", "email", "name", "role"]
        assert made(serializer) == ["age", "email", "name", "role"]


@pytest.mark.parametrize("data", [None, [], "x", 5, QueryDict("name=x&age=5"), {1: 2}], ids=repr)
def test_what_is_no_dictionary(data):
    assert_same_input(lambda: Person(data=data))


class Owns(Person):
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


def test_fields_that_are_others_each_time():
    class Other(Person):
        def __init__(self, *args, role, **kwargs):
            super().__init__(*args, **kwargs)
            self.fields["role"].choices = [role]

    for number in range(40):
        for role in ("x", f"role {number}"):
            rows = [{**RIGHT, "role": "x"}] * 2
            assert_same_input(lambda: Other(data=rows, role=role, many=True))


def refuse(value):
    CALLS.append(("refuse", value))
    raise serializers.ValidationError("no", code="no")


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
            assert_same_input(lambda: Parent(data=given, context={"request": request}, **options))


@pytest.mark.django_db
def test_what_asks_the_database_does_so_as_in_stock(flights):
    class Unique(serializers.ModelSerializer):
        class Meta:
            model = Airline
            fields = ("code", "name")
            validators = [UniqueTogetherValidator(Airline.objects.all(), ("code", "name"))]

    airline = Airline.objects.get(code="UA")
    for data in ({"code": "UA", "name": "United"}, {"code": "YY", "name": "x"}, {"name": "z"}):
        assert_same_input(lambda: Unique(data=data))
        assert_same_input(lambda: Unique(airline, data=data))
        assert_same_input(lambda: Unique(airline, data=data, partial=True))


class WritingDotted(AirlineSerializer):
    name = serializers.CharField(source="fleet.name")

    class Meta(AirlineSerializer.Meta):
        pass


@pytest.mark.django_db
@pytest.mark.parametrize("serializer_class", [AirlineSerializer, WritingDotted])
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
        assert_as_in_stock(ask, CALLS)


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
        assert_same_input(lambda: Odd(data=data))


RIGHT_VALUES = {
    "text": "some text",
    "short text": "abc",
    "blank text": "",
    "text as it is": " x ",
    "letters": "abc",
    "checked text": "abc",
    "limited text": "abc",
    "e-mail": "a.b@c.de",
    "slug": "a-b",
    "uuid": "00000000-0000-0000-0000-000000000001",
    "integer": 7,
    "small integer": 3,
    "checked integer": 5,
    "float": 1.5,
    "small float": 1,
    "boolean": True,
    "decimal": "12.5",
    "limited decimal": "11.50",
    "any decimal": 1.25,
    "date": "2020-01-01",
    "datetime": "2020-01-01T10:00:00Z",
    "time": "10:00",
    "choice": "a",
    "choices": ["a", "x"],
    "list": [1, 2],
    "short list": ["a", " b "],
    "list of lists": [["2020-01-01", "2020-01-02"], []],
    "list of checked": ["abc"],
    "dictionary": {"a": "x"},
    "json": {"a": [1, None]},
    "nested": {"a": "x"},
    "nested list": [{"a": "x", "b": 1}],
    "own": "y",
}


def some_options(chance):
    options = {}
    if chance.random() < 0.3:
        options["default"] = chance.choice(["b", 3, None, called, [1]])
    elif chance.random() < 0.3:
        options["required"] = False
    if chance.random() < 0.3:
        options["allow_null"] = True
    if chance.random() < 0.2:
        options["source"] = chance.choice(["x.y", "x.z", "other", "*"])
    if chance.random() < 0.1:
        options["validators"] = [chance.choice([odd, refusing])]
    if chance.random() < 0.1:
        options["error_messages"] = {"required": "where is it?", "null": "nothing?"}
    return options


def some_field(chance, kind):
    options = some_options(chance)
    if kind in HAVE_VALIDATORS:
        options.pop("validators", None)
    return FIELDS[kind](**options)


HAVE_VALIDATORS = {
    *("checked text", "limited text", "number of text", "checked integer", "checked boolean"),
    *("checked date", "limit that is called"),
}


def refusing(value):
    CALLS.append(("refusing", repr(value)))
    if chance_of(value) < 0.5:
        raise serializers.ValidationError(["no", "never"], code="refused")


def chance_of(value):
    return random.Random(repr(value)).random()


def checking(name):
    def check(self, value):
        CALLS.append((name, repr(value)))
        if chance_of((name, value)) < 0.3:
            raise serializers.ValidationError(f"{name} refuses", code=name)
        return value

    return check


def some_serializer(chance, depth=0):
    """A class with a method for some of its fields, and the kind of each field."""
    attributes, kinds = {}, {}
    for number in range(chance.randint(1, 6)):
        name = f"f{number}"
        if depth < 2 and chance.random() < 0.2:
            inner, kinds[name] = some_serializer(chance, depth + 1)
            many = chance.random() < 0.4
            kinds[name] = [kinds[name]] if many else kinds[name]
            options = chance.choice([{}, {"required": False}, {"allow_null": True}])
            attributes[name] = inner(**options, **({"many": True} if many else {}))
        else:
            kinds[name] = chance.choice(sorted(FIELDS))
            attributes[name] = some_field(chance, kinds[name])
        if chance.random() < 0.3:
            attributes[f"validate_{name}"] = checking(f"validate_{name}")
    if chance.random() < 0.3:
        attributes["validate"] = checking("validate")
    if chance.random() < 0.1:
        attributes["to_internal_value"] = calling_super("to_internal_value")
    if chance.random() < 0.1:
        attributes["run_validation"] = calling_super("run_validation")
    if chance.random() < 0.1:
        attributes["Meta"] = type("Meta", (), {"validators": [refusing]})
    base = chance.choice([serializers.Serializer, LooksAtFields])
    return type("Some", (base,), attributes), kinds


class LooksAtFields(serializers.Serializer):
    def __init__(self, *args, **kwargs):
        super().__init__(*args, **kwargs)
        CALLS.append(list(self.fields))


def calling_super(name):
    def method(self, data):
        CALLS.append((name, repr(data)))
        return getattr(super(self.__class__, self), name)(data)

    return method


def some_data(chance, kinds):
    data = {}
    wrong = chance.choice([0, 0, 0.1, 0.5])
    for name, kind in kinds.items():
        if chance.random() < wrong / 2:
            continue
        if chance.random() < wrong:
            data[name] = chance.choice(ODD)
        elif isinstance(kind, dict):
            data[name] = some_data(chance, kind)
        elif isinstance(kind, list):
            data[name] = [some_data(chance, kind[0]) for _ in range(chance.randint(0, 3))]
        elif kind in RIGHT_VALUES:
            data[name] = RIGHT_VALUES[kind]
    return data


@pytest.mark.parametrize("seed", seeds(*range(20_000 if THOROUGH else 300)))
def test_random_serializers_and_objects(seed):
    chance = random.Random(seed)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # DRF warns of some options, with fastschema or without
        serializer_class, kinds = some_serializer(chance)
    for _ in range(3):
        data = some_data(chance, kinds)
        options = {"partial": True} if chance.random() < 0.3 else {}
        assert_same_input(lambda: serializer_class(data=data, **options))
    rows = [some_data(chance, kinds) for _ in range(3)]
    assert_same_input(lambda: serializer_class(data=rows, many=True))


class Noting:
    def __setattr__(self, name, value):
        CALLS.append((type(self).__name__, name))
        super().__setattr__(name, value)


class NotingText(Noting, serializers.CharField):
    pass


class NotingPerson(Noting, serializers.Serializer):
    name = serializers.CharField(max_length=20)
    nick = NotingText(max_length=5, required=False)


class NestingNoting(serializers.Serializer):
    person = NotingPerson()
    nick = NotingText()


@pytest.mark.parametrize(
    "data", [{"name": "Ann", "nick": "An"}, {"name": "Ann"}, {"nick": "x" * 9}], ids=str
)
def test_what_validation_sets_is_seen_by_a_setattr_of_users(data):
    assert_same_input(lambda: NotingPerson(data=data))
    assert_same_input(lambda: NestingNoting(data={"person": data, "nick": "x"}))
