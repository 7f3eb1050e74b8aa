"""Lists whose rows code of users sees, while nobody looks at what lies behind them."""

import gc
import weakref

import pytest
from django.db.models import Prefetch
from rest_framework import serializers

from fastschema.contrib.django.lazy_caches import PREFETCHED, LazyCache, RelatedRows
from tests.contrib.django.list_views import FlightList, assert_same_outcome, get, is_lazy, view_of
from tests.contrib.django.lists.models import City, Country, Language, Person, Profile
from tests.contrib.django.lists.test_random import Numbered
from tests.contrib.django.lists.user_code import CODE, seen

pytestmark = pytest.mark.usefixtures("people")

PEOPLE = Person.objects.order_by("pk")
QUERYSETS = {
    "select_related": PEOPLE.select_related("city__country", "birthplace", "profile__country"),
    "prefetch_related": PEOPLE.prefetch_related("languages", "pets", "friends"),
    "both": PEOPLE.select_related("city", "profile").prefetch_related("languages", "city__country"),
    "single ones prefetched": PEOPLE.prefetch_related("city__country", "birthplace", "profile"),
    "querysets prefetched": PEOPLE.select_related("birthplace").prefetch_related(
        Prefetch("languages", Language.objects.order_by("-name"), "tongues"),
        Prefetch("languages", Language.objects.filter(name__contains="a")),
        Prefetch("friends", Person.objects.select_related("city").prefetch_related("languages")),
        Prefetch("city", City.objects.select_related("country")),
    ),
}


class CountrySerializer(serializers.ModelSerializer):
    class Meta:
        model = Country
        fields = ("code", "name")


class CitySerializer(serializers.ModelSerializer):
    country = CountrySerializer()

    class Meta:
        model = City
        fields = ("name", "country", "twin", "founded")


class ProfileSerializer(serializers.ModelSerializer):
    class Meta:
        model = Profile
        fields = ("motto", "country", "person")


class LanguageSerializer(serializers.ModelSerializer):
    class Meta:
        model = Language
        fields = ("name",)


class FriendSerializer(serializers.ModelSerializer):
    class Meta:
        model = Person
        fields = ("name", "city")


def relations():
    """Fields that read relations in each way."""
    return {
        "city": CitySerializer(),
        "name": serializers.CharField(),
        "birthplace": CitySerializer(),
        "city_id": serializers.IntegerField(),
        "profile": ProfileSerializer(required=False, allow_null=True),
        "land": serializers.CharField(source="city.country.name", default="?"),
        "native": serializers.CharField(source="birthplace.name", allow_null=True, default=None),
        "town": serializers.SlugRelatedField("name", source="city", read_only=True),
        "home": serializers.PrimaryKeyRelatedField(source="birthplace", read_only=True),
        "languages": LanguageSerializer(many=True),
        "language_keys": serializers.PrimaryKeyRelatedField(
            source="languages", many=True, read_only=True
        ),
        "language_names": serializers.SlugRelatedField(
            "name", source="languages", many=True, read_only=True
        ),
        "friends": FriendSerializer(many=True),
        "pets": serializers.PrimaryKeyRelatedField(many=True, read_only=True),
    }


def people_list(queryset, function, fields=None, *, first=True, **attributes):
    """A list view of people with a method field before and after those that read relations."""

    def get_found(self, person):
        return function(self, person)

    method = {"found": serializers.SerializerMethodField()}
    fields = relations() if fields is None else fields
    half = dict(list(fields.items())[:3]) if not first else {}
    content = {**half, **method, **{key: fields[key] for key in fields if key not in half}}
    serializer_class = type("People", (serializers.Serializer,), {**content, "get_found": get_found})
    return view_of(
        FlightList,
        serializer_class=serializer_class,
        get_queryset=lambda self: queryset.all(),
        **attributes,
    )


@pytest.mark.parametrize("first", [True, False], ids=["before", "between"])
@pytest.mark.parametrize("queryset", QUERYSETS.values(), ids=list(QUERYSETS))
@pytest.mark.parametrize("name", CODE)
def test_code_that_is_given_a_row(name, queryset, first):
    calls = []

    def function(serializer, person):
        found = CODE[name](serializer, person)
        calls.append(seen(found))
        return found

    assert_same_outcome(people_list(queryset, function, first=first), calls=calls)


@pytest.mark.parametrize("queryset", QUERYSETS.values(), ids=list(QUERYSETS))
def test_what_is_in_an_instance_is_as_in_stock(queryset):
    calls = []
    view_class = people_list(queryset, lambda self, person: calls.append(seen(person, 6)))
    assert_same_outcome(view_class, calls=calls)
    assert len(calls) % 9 == 0


def kept_of(view_class):
    """The instances that the method field of a view has seen, after a request."""
    people = []
    fields = dict(view_class.serializer_class._declared_fields)
    serializer_class = type(
        "Keeping",
        (view_class.serializer_class,),
        {**fields, "get_found": lambda self, person: people.append(person)},
    )
    assert is_lazy(view_of(view_class, serializer_class=serializer_class))
    return people


def test_nothing_is_made_that_nobody_looks_at():
    view_class = people_list(QUERYSETS["both"], lambda self, person: None)
    for person in kept_of(view_class):
        caches = [person._state.fields_cache, vars(person)[PREFETCHED]]
        assert list(map(type, caches)) == [LazyCache, LazyCache]
        assert type(dict.get(caches[0], "city")) is tuple
        assert type(dict.get(caches[1], "languages")) is RelatedRows


def test_one_that_somebody_looks_at_is_made_alone():
    view_class = people_list(QUERYSETS["select_related"], lambda self, person: None)
    person, *others = kept_of(view_class)
    assert person.city.name == "Oslo"
    assert person.city is person.city
    assert type(dict.get(person._state.fields_cache, "city")) is City
    assert dict.get(person.city._state.fields_cache, "country") is not None
    for each in others:
        assert type(dict.get(each._state.fields_cache, "city")) is tuple


def test_no_row_is_kept_for_a_serializer_that_reads_none():
    fields = {"name": serializers.CharField(), "city": serializers.StringRelatedField()}
    view_class = people_list(QUERYSETS["both"], lambda self, person: None, fields)
    assert all(type(each._state.fields_cache) is dict for each in kept_of(view_class))


def test_rows_and_instances_are_freed_as_in_stock():
    queryset = PEOPLE.select_related("city__country", "birthplace")
    view_class = people_list(queryset, lambda self, person: None, {"city": CitySerializer()})
    people = kept_of(view_class)
    gc.disable()
    try:
        references = [weakref.ref(each) for each in people]
        _ = [each.city.name for each in people]
        del people[:]
        gc_needed = [each for each in references if each() is not None]
        assert not gc_needed
    finally:
        gc.enable()


@pytest.mark.parametrize("path", ["/", "/?page=2"])
@pytest.mark.parametrize("queryset", QUERYSETS.values(), ids=list(QUERYSETS))
def test_pages(queryset, path):
    view_class = people_list(
        queryset, lambda self, person: person.city.name, pagination_class=Numbered
    )
    assert_same_outcome(view_class, path)


@pytest.mark.parametrize("lookup", ["people", "natives__languages", "people__pets"])
def test_the_other_side_of_foreign_keys(lookup):
    cities = City.objects.order_by("pk").prefetch_related(lookup)
    name = lookup.split("__")[0]

    def get_found(self, city):
        if city.name == "Oslo":
            return [
                [person.city is city, person.birthplace is city, person.name]
                for person in getattr(city, name).all()
            ]
        return None

    fields = {"found": serializers.SerializerMethodField(), name: FriendSerializer(many=True)}
    serializer_class = type("Cities", (serializers.Serializer,), {**fields, "get_found": get_found})
    view_class = view_of(
        FlightList, serializer_class=serializer_class, get_queryset=lambda self: cities.all()
    )
    assert_same_outcome(view_class)
    assert is_lazy(view_class)


def test_objects_that_are_there_twice():
    twice = PEOPLE.filter(friends__isnull=False).prefetch_related("languages", "pets")
    seen_lists = []

    def get_found(self, person):
        seen_lists.append(person.languages.all()._result_cache)
        return [each is seen_lists[-1] for each in seen_lists]

    def answered(view_class):
        seen_lists.clear()
        return get(view_class).content

    view_class = people_list(twice, get_found)
    assert answered(view_class) == answered(view_class)
    calls = []
    counted = people_list(twice, lambda self, person: calls.append(len(get_found(self, person))))
    assert_same_outcome(counted, calls=calls)
