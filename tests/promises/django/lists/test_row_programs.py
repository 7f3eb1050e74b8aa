"""Lists whose rows code of users sees, while no code looks at what lies behind them."""

import copy
import gc
import random
import weakref

import pytest
from django.db import connection, transaction
from django.db.models import Prefetch
from rest_framework import serializers

import fastschema
from tests.marks import seeds
from tests.promises.django.differential import assert_equal, outcome
from tests.promises.django.list_views import FlightList, Numbered, assert_same_outcome, get, view_of
from tests.promises.django.lists.models import City, Language, Person, Profile
from tests.promises.django.lists.random_views import pick, random_queryset, random_serializer
from tests.promises.django.lists.user_code import CODE, seen
from tests.promises.django.serializers import CitySerializer, LanguageSerializer

pytestmark = pytest.mark.usefixtures("people")

PEOPLE = Person.objects.order_by("pk")
QUERYSETS = {
    "select_related": PEOPLE.select_related("city__country", "birthplace", "profile__country"),
    "prefetch_related": PEOPLE.prefetch_related("languages", "friends"),
    "both": PEOPLE.select_related("city__country", "profile").prefetch_related(
        "languages", "friends", "birthplace__country"
    ),
    "single ones prefetched": PEOPLE.prefetch_related("city__country", "birthplace", "profile"),
    "querysets prefetched": PEOPLE.select_related("birthplace").prefetch_related(
        Prefetch("languages", Language.objects.order_by("-name"), "tongues"),
        Prefetch("friends", Person.objects.select_related("city").prefetch_related("languages")),
        Prefetch("city", City.objects.select_related("country")),
    ),
    "prefetched for joined ones": PEOPLE.select_related(
        "city", "birthplace", "profile"
    ).prefetch_related(
        "languages",
        "city__country",
        "birthplace__natives__friends",
        "profile__country",
        Prefetch("friends", Person.objects.select_related("city").prefetch_related("city__people")),
    ),
}
COLLECTIONS = {
    "select_related": (),
    "single ones prefetched": (),
    "querysets prefetched": ("friends",),
}
"""The relations to many that are prefetched, if not all are."""


MORE = {
    "foreign keys": PEOPLE.select_related("city__country", "birthplace"),
    "twice": PEOPLE.filter(friends__isnull=False).prefetch_related("languages", "friends"),
}


class PlaceSerializer(serializers.ModelSerializer):
    class Meta:
        model = City
        fields = ("name", "country", "founded")


class ProfileSerializer(serializers.ModelSerializer):
    class Meta:
        model = Profile
        fields = ("motto", "country", "person")


class FriendSerializer(serializers.ModelSerializer):
    class Meta:
        model = Person
        fields = ("name", "city")


def relations(collections=("languages", "friends")):
    """Fields that read relations in each way.

    :param collections: the relations to many that may be nested
    """
    nested = {"languages": LanguageSerializer(many=True), "friends": FriendSerializer(many=True)}
    return {
        "city": CitySerializer(),
        "name": serializers.CharField(),
        "birthplace": PlaceSerializer(),
        "city_id": serializers.IntegerField(),
        "profile": ProfileSerializer(required=False, allow_null=True),
        "land": serializers.CharField(source="city.country.name", default="?"),
        "native": serializers.CharField(source="birthplace.name", allow_null=True, default=None),
        "town": serializers.SlugRelatedField("name", source="city", read_only=True),
        "home": serializers.PrimaryKeyRelatedField(source="birthplace", read_only=True),
        **{name: nested[name] for name in collections},
        "language_keys": serializers.PrimaryKeyRelatedField(
            source="languages", many=True, read_only=True
        ),
        "language_names": serializers.SlugRelatedField(
            "name", source="languages", many=True, read_only=True
        ),
        "pets": serializers.PrimaryKeyRelatedField(many=True, read_only=True),
    }


def people_list(name, function, fields=None, *, first=True, **attributes):
    """A list view of people with a method field before, or between, those that read relations.

    :param name: that of the queryset
    """
    queryset = {**QUERYSETS, **MORE}[name]

    def get_found(self, person):
        return function(self, person)

    method = {"found": serializers.SerializerMethodField()}
    if fields is None:
        fields = relations(COLLECTIONS.get(name, ("languages", "friends")))
    half = dict(list(fields.items())[:3]) if not first else {}
    content = {**half, **method, **{key: fields[key] for key in fields if key not in half}}
    serializer_class = type(
        "People", (serializers.Serializer,), {**content, "get_found": get_found}
    )
    return view_of(
        FlightList,
        serializer_class=serializer_class,
        get_queryset=lambda self: queryset.all(),
        **attributes,
    )


def writes(name):
    """Whether some code writes to the database; PostgreSQL then has rows in another order."""
    return any(each in name for each in ("create(", "save()", "delete()", "add(", "set("))


SAFE = [name for name in CODE if connection.vendor == "sqlite" or not writes(name)]
CASES = [
    pytest.param(name, queryset, first, marks=() if first or number % 3 == 0 else pytest.mark.long)
    for number, name in enumerate(CODE)
    for other, queryset in enumerate(QUERYSETS)
    for first in [(number + other) % 5 == 0]
    if (number + other) % 5 in (0, 2) and name in SAFE
]
"""Each code with a few of the querysets; before all other fields in `make test`, or for a third."""


@pytest.mark.parametrize(("name", "queryset", "first"), CASES)
def test_code_that_is_given_a_row(name, queryset, first):
    calls = []

    def function(serializer, person):
        found = CODE[name](serializer, person)
        calls.append(seen(found))
        return found

    view_class = people_list(queryset, function, first=first)
    get_safely(view_class)
    if name.startswith("forget"):  # data that are read later are those that were written
        assert_same_body(view_class, calls)
    else:
        assert_same_outcome(view_class, calls=calls)


def assert_same_body(view_class, calls):
    """Assert that a view answers with the same body, error, calls and queries as in stock."""

    def answered():
        with transaction.atomic():
            found = outcome(lambda: get(view_class).content, calls)
            transaction.set_rollback(True)
        return found

    with fastschema.disabled():
        expected = answered()
    assert_equal(answered(), expected)


@pytest.mark.parametrize("seed", seeds(*range(200)))
def test_random_lists_with_code_that_is_given_a_row(seed):
    chance = random.Random(seed).random
    calls = []
    names = sorted(SAFE)

    def method():
        name = pick(chance, names)

        def get_found(self, person):
            found = seen(CODE[name](self, person), 2)
            calls.append(found)
            return found

        return get_found

    fields = random_serializer(chance, Person, is_plain=True)().fields
    content = {}
    for name in fields:
        if chance() < 0.4:
            content |= {f"m{name}": serializers.SerializerMethodField(), f"get_m{name}": method()}
        content[name] = copy.deepcopy(fields[name])
    content |= {"last": serializers.SerializerMethodField(), "get_last": method()}
    content["city"] = CitySerializer()
    view_class = view_of(
        FlightList,
        serializer_class=type("Found", (serializers.Serializer,), content),
        get_queryset=lambda self: random_queryset(random.Random(seed).random, Person),
        pagination_class=pick(chance, [None, Numbered]),
    )
    get_safely(view_class)
    assert_same_body(view_class, calls)


def get_safely(view_class):
    """Ask a view once: the first time, its nested serializers are looked at."""
    try:
        with transaction.atomic():
            get(view_class)
            transaction.set_rollback(True)
    except Exception:
        pass  # it raises the same again


@pytest.mark.parametrize("queryset", QUERYSETS)
def test_what_is_in_an_instance_is_as_in_stock(queryset):
    calls = []
    view_class = people_list(queryset, lambda self, person: calls.append(seen(person, 6)))
    get(view_class)
    assert_same_outcome(view_class, calls=calls)
    assert calls


def kept_of(name, fields=None):
    """The instances that the method field of a view has seen, after a request."""
    people = []
    view_class = people_list(name, lambda self, person: people.append(person), fields)
    get(view_class)
    people.clear()
    get(view_class)
    return people


def test_instances_are_freed_as_in_stock():
    people = kept_of("foreign keys", {"city": CitySerializer()})
    references = [weakref.ref(each) for each in people]
    _ = [each.city.name for each in people]
    gc.collect()  # the serializer, which had them
    gc.disable()
    try:
        del people[:]
        assert not [each for each in references if each() is not None]
    finally:
        gc.enable()


@pytest.mark.parametrize("lookup", ["people", "natives__languages"])
def test_the_other_side_of_foreign_keys(lookup):
    cities = City.objects.order_by("pk").prefetch_related(lookup)
    name = lookup.split("__")[0]

    def get_found(self, city):
        if city.name == "Oslo":
            people = getattr(city, name).all()
            return str([[each.city is city, each.birthplace is city] for each in people])
        return None

    fields = {"found": serializers.SerializerMethodField(), name: FriendSerializer(many=True)}
    serializer_class = type("Cities", (serializers.Serializer,), {**fields, "get_found": get_found})
    view_class = view_of(
        FlightList, serializer_class=serializer_class, get_queryset=lambda self: cities.all()
    )
    get(view_class)
    assert_same_outcome(view_class)


@pytest.mark.parametrize("queryset", QUERYSETS)
def test_objects_that_rows_share_are_seen_as_they_are(queryset):
    def rename(self, person):
        for each in (person.city, *person.languages.all()):
            each.name += "!"
        return person.city.name

    view_class = people_list(queryset, rename)
    get(view_class)
    assert_same_body(view_class, [])


def test_objects_that_are_there_twice():
    def get_found(self, person):
        lists = self.context.setdefault("lists", [])
        lists.append(person.languages.all()._result_cache)
        return str([each is lists[-1] for each in lists])

    view_class = people_list("twice", get_found)
    get(view_class)
    assert_same_outcome(view_class)


class NotedFriendSerializer(FriendSerializer):
    note = serializers.SerializerMethodField()

    class Meta(FriendSerializer.Meta):
        fields = (*FriendSerializer.Meta.fields, "note")

    def get_note(self, friend):
        self.context.setdefault("noted", []).append(friend)
        return seen(friend)


def noted_list(function=None):
    """A list view of people with friends that a method is given.

    :param function: if given, a method field of each person comes after the friends
    """
    content = {"friends": NotedFriendSerializer(many=True)}
    if function is not None:
        content |= {"found": serializers.SerializerMethodField(), "get_found": function}
    return view_of(
        FlightList,
        serializer_class=type("Befriended", (serializers.Serializer,), content),
        get_queryset=lambda self: QUERYSETS["prefetch_related"].all(),
    )


def test_objects_of_a_nested_list_are_those_of_the_relation():
    def get_found(self, person):
        friends = person.friends.all()
        noted = self.context["noted"][-len(friends) :] if friends else []
        return str(
            [type(friends), [one is other for one, other in zip(friends, noted, strict=True)]]
        )

    view_class = noted_list(get_found)
    get(view_class)
    assert_same_outcome(view_class)
