"""What ``prefetch_related`` adds to lists that are written from rows; the answers are stock's."""

import json

import pytest
from django.db import connection, models
from django.db.models import Prefetch
from django.test.utils import CaptureQueriesContext
from rest_framework import serializers

from tests.instruments.django import LazyInstanceList, fetch_rows
from tests.promises.django.list_views import FlightList, assert_same_outcome, get, view_of
from tests.promises.django.lists.models import (
    City,
    Country,
    Language,
    Letter,
    Person,
    Pet,
    Profile,
    Tame,
    Word,
    Worker,
)
from tests.promises.django.lists.reading import inside, reads_rows
from tests.promises.django.lists.user_code import seen
from tests.promises.django.serializers import Named

pytestmark = pytest.mark.usefixtures("people")

PEOPLE = Person.objects.order_by("pk")
COUNTRIES = Country.objects.order_by("pk")


class PersonSerializer(serializers.ModelSerializer):
    class Meta:
        model = Person
        fields = ("pk", "name", "age", "city", "languages")


class CitySerializer(serializers.ModelSerializer):
    people = PersonSerializer(many=True)

    class Meta:
        model = City
        fields = ("name", "country", "people")


class MottoSerializer(serializers.ModelSerializer):
    class Meta:
        model = Profile
        fields = ("motto", "country")


class Own(models.QuerySet):
    def filter(self, *args, **kwargs):
        Tame.asked.append("filter")
        return super().filter(*args, **kwargs)


def list_of(queryset, **fields):
    return view_of(
        FlightList,
        serializer_class=type("Rows", (serializers.Serializer,), fields),
        get_queryset=lambda self: queryset.all(),
    )


def slugs(slug, **options):
    return serializers.SlugRelatedField(slug_field=slug, many=True, read_only=True, **options)


def keys():
    return serializers.PrimaryKeyRelatedField(many=True, read_only=True)


ROWS = {
    "the other side of foreign keys": (
        City.objects.order_by("pk").prefetch_related("people"),
        {"people": Named(many=True)},
    ),
    "many to many": (PEOPLE.prefetch_related("languages"), {"languages": Named(many=True)}),
    "keys and slugs": (
        PEOPLE.prefetch_related("languages", "friends"),
        {"languages": slugs("name"), "friends": keys(), "keys": slugs("pk", source="languages")},
    ),
    "a foreign key": (
        PEOPLE.prefetch_related("city", "birthplace"),
        {
            "city": Named(),
            "birthplace": Named(),
            "name_of_city": serializers.CharField(source="city.name"),
        },
    ),
    "several levels": (
        COUNTRIES.prefetch_related("cities__people__languages", "cities__people__profile"),
        {"cities": CitySerializer(many=True)},
    ),
    "levels of which one finds nothing": (
        Person.objects.filter(languages=None).prefetch_related("languages__speakers"),
        {"languages": type("Spoken", (Named,), {"speakers": keys()})(many=True)},
    ),
    "an attribute of its own": (
        City.objects.order_by("pk").prefetch_related(
            Prefetch("people", Person.objects.order_by("-age")[:2], to_attr="oldest"), "people"
        ),
        {"oldest": Named(many=True), "people": keys()},
    ),
    "a lookup that is there twice": (
        PEOPLE.prefetch_related("languages", "languages__speakers", "languages"),
        {"languages": Named(many=True)},
    ),
    "of an object that is joined": (
        PEOPLE.select_related("birthplace__country").prefetch_related("birthplace__natives"),
        {"birthplace": type("Town", (Named,), {"natives": Named(many=True)})()},
    ),
    "of an object behind a joined one, and one of its own": (
        PEOPLE.select_related("birthplace__country").prefetch_related(
            "languages",
            "birthplace__country__cities__people",
            Prefetch("birthplace__natives", Person.objects.order_by("name"), "born_there"),
        ),
        {
            "languages": slugs("name"),
            "place": type("Town", (Named,), {"born_there": keys()})(source="birthplace"),
            "cities": Named(source="birthplace.country.cities", many=True, default=None),
        },
    ),
    "one object of a joined one that is missing for some": (
        PEOPLE.select_related("profile").prefetch_related("profile__country"),
        {"profile": type("Of", (MottoSerializer,), {"country": Named()})()},
    ),
    "no rows": (PEOPLE.none().prefetch_related("languages"), {"languages": Named(many=True)}),
}


@pytest.mark.at_once
@pytest.mark.parametrize("name", ROWS)
def test_a_list_is_written_from_rows(name):
    queryset, fields = ROWS[name]
    view_class = list_of(queryset, **fields)
    assert_same_outcome(view_class)
    assert reads_rows(view_class) or name == "no rows"


class OwnPrefetching(models.QuerySet):
    def _prefetch_related_objects(self):
        Tame.asked.append("prefetch")
        super()._prefetch_related_objects()


class OwnPrefetch(Prefetch):
    def get_current_querysets(self, level):
        Tame.asked.append("querysets")
        return super().get_current_querysets(level)


INSTANCES = {
    "a queryset that prefetches in its own way": (
        OwnPrefetching(Person).order_by("pk").prefetch_related("languages"),
        {"languages": Named(many=True)},
    ),
    "a Prefetch of its own kind": (
        PEOPLE.prefetch_related(OwnPrefetch("languages")),
        {"languages": Named(many=True)},
    ),
    "what another queryset prefetches is continued": (
        City.objects.order_by("-pk").prefetch_related(
            Prefetch(
                "people",
                Person.objects.order_by("name").prefetch_related(
                    Prefetch("languages", Language.objects.order_by("-pk"))
                ),
            ),
            "people__languages__speakers",
        ),
        {"people": PersonSerializer(many=True)},
    ),
    "a manager with its own get_queryset": (
        PEOPLE.prefetch_related("pets"),
        {"pets": Named(many=True)},
    ),
    "a queryset with its own filter": (
        PEOPLE.prefetch_related(Prefetch("pets", Own(Pet))),
        {"pets": Named(many=True)},
    ),
    "objects of a derived model": (
        Profile.objects.prefetch_related(Prefetch("person", Worker.objects.all())),
        {"motto": serializers.CharField()},
    ),
    "the key of related objects is deferred": (
        City.objects.prefetch_related(Prefetch("people", Person.objects.only("name"))),
        {"people": Named(many=True)},
    ),
    "the foreign key is deferred": (
        PEOPLE.only("name").prefetch_related("city"),
        {"name": serializers.CharField()},
    ),
    "a key that is no primary key": (
        City.objects.prefetch_related("twins"),
        {"twins": Named(many=True)},
    ),
    "an object that is known": (
        City.objects.prefetch_related("people__city"),
        {"people": Named(many=True)},
    ),
    "a method that sees what belongs to a joined object": (
        PEOPLE.select_related("birthplace").prefetch_related("birthplace__natives"),
        {
            "there": serializers.SerializerMethodField(),
            "get_there": lambda self, person: seen(person),
            "birthplace": type("Town", (Named,), {"natives": keys()})(),
        },
    ),
}


@pytest.mark.parametrize("name", INSTANCES)
def test_a_list_needs_instances(name):
    queryset, fields = INSTANCES[name]
    view_class = list_of(queryset, **fields)
    assert_same_outcome(view_class, calls=Tame.asked)
    assert not reads_rows(view_class)


ERRORS = {
    "a slice": (
        PEOPLE.prefetch_related(Prefetch("languages", Language.objects.order_by("pk")[:1])),
        {"languages": Named(many=True)},
    ),
    "a union": (
        PEOPLE.prefetch_related(
            Prefetch("languages", Language.objects.all().union(Language.objects.all()))
        ),
        {"languages": Named(many=True)},
    ),
    "an attribute that is there": (
        PEOPLE.prefetch_related(Prefetch("languages", to_attr="shout")),
        {"shout": Named(many=True)},
    ),
    "a lookup with another queryset": (
        PEOPLE.prefetch_related("languages", Prefetch("languages", Language.objects.all())),
        {"name": serializers.CharField()},
    ),
    "no relation": (PEOPLE.prefetch_related("shout"), {"name": serializers.CharField()}),
}


@pytest.mark.parametrize("name", ERRORS)
def test_what_cannot_be_prefetched_raises_what_it_does_in_stock(name):
    queryset, fields = ERRORS[name]
    assert_same_outcome(list_of(queryset, **fields))


def test_objects_that_the_queryset_knows_are_not_asked_for():
    city = City.objects.get(name="Oslo")
    city.name = "changed in memory"
    people = city.people.order_by("pk").prefetch_related("city")
    view_class = view_of(
        FlightList,
        serializer_class=type("Rows", (serializers.Serializer,), {"city": Named()}),
        get_queryset=lambda self: people.all(),
    )
    assert_same_outcome(view_class)
    assert json.loads(get(view_class).content)[0] == {"city": {"name": "changed in memory"}}
    assert all(person.city is city for person in fetch_rows(people.all()))


@pytest.mark.skipif(connection.vendor != "sqlite", reason="the collation is one of SQLite")
@pytest.mark.parametrize("lookup", ["words", "first"])
def test_keys_that_only_the_database_takes_for_equal_are_stocks_error(lookup):
    Letter.objects.create(code="a")
    Word.objects.create(letter_id="A", first_id="A")
    view_class = list_of(Letter.objects.prefetch_related(lookup), code=serializers.CharField())
    assert_same_outcome(view_class)
    with pytest.raises(KeyError):
        get(view_class)
    Word.objects.all().delete()


def test_a_queryset_of_ones_own_stays_as_it_is():
    people = Person.objects.order_by("-age")
    prefetch = Prefetch("people", people)
    fetch_rows(City.objects.prefetch_related(prefetch))
    assert people._hints == {}
    assert people._result_cache is None
    assert people._iterable_class is models.query.ModelIterable


def test_an_exception_of_a_prefetching_query_is_stock_s():
    unsound = Language.objects.extra(where=["no such column"])
    view_class = list_of(
        PEOPLE.prefetch_related("friends", Prefetch("languages", unsound)), friends=keys()
    )
    assert_same_outcome(view_class)


@pytest.mark.parametrize("name", ROWS)
def test_instances_are_those_of_stock(name):
    queryset, _ = ROWS[name]
    rows = fetch_rows(queryset.all())
    assert type(rows) is (list if name == "no rows" else LazyInstanceList)
    with CaptureQueriesContext(connection) as queries:
        found = list(rows)
    assert not queries.captured_queries
    assert list(map(inside, found)) == list(map(inside, queryset.all()))
