"""Lists whose nested serializers choose their fields, by who asks."""

import pytest
from rest_framework import serializers

import fastschema
from tests.promises.django.differential import assert_equal, outcome
from tests.promises.django.list_views import FlightList, Numbered, view_of
from tests.promises.django.lists.models import City, Person
from tests.promises.django.requests_in_turns import FLAGS, IN_TURNS

CALLS = []


class CitySerializer(serializers.ModelSerializer):
    note = serializers.CharField(source="country_id")  # which only an administrator may see

    class Meta:
        model = City
        fields = ["id", "note"]


class ByUser(CitySerializer):
    def get_fields(self):
        CALLS.append("get_fields")
        fields = super().get_fields()
        request = self.context.get("request")
        if request is not None and request.GET.get("user") != "admin":
            fields["note"] = serializers.CharField(source="name")
        return fields


class Demanding(CitySerializer):
    def get_fields(self):
        fields = super().get_fields()
        if self.context["request"].GET["user"] != "admin":
            del fields["note"]
        return fields


class ByFlag(CitySerializer):
    def get_fields(self):
        fields = super().get_fields()
        return fields if FLAGS["is_on"] else {"id": fields["id"]}


class ByNames(CitySerializer):
    def get_field_names(self, declared_fields, info):
        names = super().get_field_names(declared_fields, info)
        return names if self.context["request"].GET["user"] == "admin" else ["id", "note"][:1]


class ByBuilding(CitySerializer):
    note = None

    def build_unknown_field(self, field_name, model_class):
        by_admin = self.context["request"].GET["user"] == "admin"
        return serializers.CharField, {"source": "country_id" if by_admin else "name"}


CHOOSING = [ByUser, Demanding, ByFlag, ByNames, ByBuilding]


@pytest.fixture(params=["from the first row", "by users' numbers"])
def _numbers(request, more_people):
    """A class is compiled at once, or after some requests."""
    if request.param == "by users' numbers":
        request.getfixturevalue("users_thresholds")


def assert_same_in_turns(**attributes):
    """Assert that each visitor in turn gets from a list view what they get in stock."""
    views = [view_of(FlightList, **attributes).as_view() for _ in range(2)]
    bodies = {}
    for visitor in IN_TURNS * 2:
        with visitor.visiting():
            with fastschema.disabled():
                request = visitor.http_request()
                expected = outcome(lambda r=request: views[0](r).render().content, CALLS)
            request = visitor.http_request()
            found = outcome(lambda r=request: views[1](r).render().content, CALLS)
        assert_equal(found, expected)
        assert found.error is None
        bodies[visitor.name] = found.value
    assert bodies["guest"] != bodies["admin"]


def people_with(city, **fields):
    """A serializer of people with a serializer of their cities."""
    return type("People", (serializers.Serializer,), {"city": city, **fields})


@pytest.mark.usefixtures("_numbers")
class TestWhoAsks:
    @pytest.mark.parametrize("pages", [None, Numbered])
    @pytest.mark.parametrize("load", ["select_related", "prefetch_related"])
    @pytest.mark.parametrize("chooses", CHOOSING)
    def test_a_guest_sees_the_columns_of_a_guest(self, chooses, load, pages):
        queryset = getattr(Person.objects.order_by("pk"), load)("city")
        serializer_class = people_with(chooses())
        assert_same_in_turns(
            queryset=queryset, serializer_class=serializer_class, pagination_class=pages
        )

    @pytest.mark.parametrize("chooses", CHOOSING)
    def test_also_beside_fields_and_methods_of_users(self, chooses):
        class Own(serializers.CharField):
            def to_representation(self, value):
                return value.upper()

        serializer_class = people_with(
            chooses(),
            name=Own(),
            told=serializers.SerializerMethodField(),
            get_told=lambda self, person: person.pk,
        )
        queryset = Person.objects.order_by("pk").select_related("city")
        assert_same_in_turns(queryset=queryset, serializer_class=serializer_class)

    @pytest.mark.parametrize("chooses", CHOOSING)
    def test_also_further_down_and_in_lists(self, chooses):
        class Outer(serializers.Serializer):
            natives = people_with(chooses(), name=serializers.CharField())(many=True)

        queryset = City.objects.order_by("pk").prefetch_related("natives__city")
        assert_same_in_turns(queryset=queryset, serializer_class=Outer)

    def test_no_serializer_chooses_fields_where_there_is_nothing_to_show(self):
        queryset = Person.objects.order_by("pk").select_related("birthplace")
        serializer_class = type(
            "People",
            (serializers.Serializer,),
            {"birthplace": ByUser(), "pk": serializers.CharField()},
        )
        none = queryset.filter(birthplace=None)
        for rows in (none, none.none()):
            CALLS.clear()
            for _ in range(3):
                assert len(serializer_class(rows.all(), many=True).data) == len(rows.all())
            assert CALLS == []


@pytest.mark.at_once
@pytest.mark.usefixtures("people")
def test_fields_that_the_queryset_has_chosen_already_are_read_from_rows(django_assert_num_queries):
    class Pops(serializers.Serializer):
        city = CitySerializer()

        def __init__(self, *args, **kwargs):
            super().__init__(*args, **kwargs)
            if not FLAGS["is_on"]:
                self.fields["city"].fields.pop("note")

    queryset = Person.objects.order_by("pk").select_related("city")
    for _ in range(2):
        rows = queryset.all()
        with django_assert_num_queries(1):
            data = Pops(rows, many=True).data
        assert {tuple(each["city"]) for each in data} == {("id",)}
        assert rows._result_cache.fetched is not None  # no instance was needed
