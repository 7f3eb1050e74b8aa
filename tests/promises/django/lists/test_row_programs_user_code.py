"""Lists that are built by hand, where code of users sees the rows or what lies behind them."""

import copy
import random

import pytest
from rest_framework import serializers

from tests.marks import seeds
from tests.promises.django.differential import serializer_of
from tests.promises.django.lists.hand_built import (
    assert_built_as_in_stock,
    in_dictionary,
    of_data,
    of_page,
)
from tests.promises.django.lists.models import City, Person
from tests.promises.django.lists.random_views import pick, random_queryset, random_serializer
from tests.promises.django.lists.test_row_programs import QUERYSETS, SAFE
from tests.promises.django.lists.user_code import CODE, seen
from tests.promises.django.serializers import CountrySerializer

# Of another class, an object is not what is dumped any more: see docs/is-it-the-same.md.
OF_ANY_OBJECT = [name for name in SAFE if "__class__" not in name]
pytestmark = pytest.mark.usefixtures("people")


def method(function):
    """A method field that calls a function, and the method, for the name ``found``."""
    return {
        "found": serializers.SerializerMethodField(),
        "get_found": lambda self, obj: function(self, obj),
    }


def noting(name, calls):
    """A function that runs some code, and notes what came of it."""

    def function(serializer, obj):
        found = seen(CODE[name](serializer, obj), 2)
        calls.append(found)
        return found

    return function


@pytest.mark.parametrize("way", [of_data, of_page, in_dictionary])
@pytest.mark.parametrize("queryset", QUERYSETS)
def test_code_that_is_given_related_objects(queryset, way):
    calls = []

    def look(serializer, obj):
        calls.append((type(obj).__name__, obj.pk))
        return seen(obj, 3)

    class CitySerializer(serializers.ModelSerializer):
        found = serializers.SerializerMethodField()
        country = CountrySerializer()

        class Meta:
            model = City
            fields = ("name", "country", "found")

        def get_found(self, city):
            return look(self, city)

    class LanguageSerializer(serializers.Serializer):
        name = serializers.CharField()
        found = serializers.SerializerMethodField()

        def get_found(self, language):
            return look(self, language)

    people = serializer_of(
        city=CitySerializer(),
        name=serializers.CharField(),
        native=CitySerializer(source="birthplace"),
        languages=LanguageSerializer(many=True),
        friends=serializers.PrimaryKeyRelatedField(many=True, read_only=True),
        land=serializers.CharField(source="city.country.name", default="?"),
    )
    assert_built_as_in_stock(way, QUERYSETS[queryset].all, people, calls)
    assert calls


@pytest.mark.parametrize("seed", seeds(*range(100)))
def test_random_lists_with_code_that_is_given_rows(seed):
    chance = random.Random(seed).random
    calls = []

    def with_methods(serializer_class, depth=0):
        content = {}
        for name, field in serializer_class().fields.items():
            if chance() < 0.3:
                found = method(noting(pick(chance, OF_ANY_OBJECT), calls))
                content |= {f"m{name}": found["found"], f"get_m{name}": found["get_found"]}
            content[name] = copy.deepcopy(field)
        return serializer_of(**content)

    inner = with_methods(random_serializer(chance, City, is_plain=True))
    outer = with_methods(random_serializer(chance, Person, is_plain=True))
    people = type("Outer", (outer,), {"city": inner(), **method(noting("nothing", calls))})
    assert_built_as_in_stock(
        pick(chance, [of_data, of_page]),
        lambda: random_queryset(random.Random(seed).random, Person),
        people,
        calls,
    )
