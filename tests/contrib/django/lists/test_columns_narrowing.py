"""Lists that select no columns but those that are read, if asked."""

import pytest
from django.db import connection
from django.db.models import Count, QuerySet
from django.test import override_settings
from django.test.utils import CaptureQueriesContext
from rest_framework import pagination, serializers

import fastschema
from tests.contrib.django.list_views import FlightList, get, view_of
from tests.contrib.django.lists.models import Person, Profile
from tests.contrib.django.lists.reading import reads_rows

pytestmark = pytest.mark.usefixtures("people")

PEOPLE = Person.objects.order_by("pk")


def serializer_of(**fields):
    return type("Rows", (serializers.Serializer,), fields)


NAMES = serializer_of(name=serializers.CharField())


class Pages(pagination.PageNumberPagination):
    page_size = 4


def list_of(queryset, serializer_class=NAMES, **attributes):
    return view_of(
        FlightList,
        serializer_class=serializer_class,
        get_queryset=lambda self: queryset.all(),
        fastschema_only_columns=True,
        **attributes,
    )


def selected(view_class):
    """The columns of the last query, without those of other tables; the answer is stock's."""
    with fastschema.disabled():
        expected = get(view_class).content
    with CaptureQueriesContext(connection) as queries:
        assert get(view_class).content == expected
    sql = queries.captured_queries[-1]["sql"]
    columns = sql.removeprefix("SELECT ").split(" FROM ")[0].split(", ")
    return [column.replace('"', "").removeprefix("flights_") for column in columns]


@pytest.mark.parametrize(
    ("queryset", "fields", "columns"),
    [
        (PEOPLE, {"name": serializers.CharField()}, ["person.key", "person.name"]),
        (
            PEOPLE.select_related("city__country"),
            {"city": serializers.CharField(source="city.name")},
            [
                *("person.key", "person.city_id"),
                *("city.id", "city.name", "city.country_id", "country.code"),
            ],
        ),
        (
            PEOPLE.select_related("profile"),
            {"profile": serializer_of(motto=serializers.CharField())()},
            ["person.key", "profile.id", "profile.person_id", "profile.motto"],
        ),
        (
            Profile.objects.order_by("pk").defer("motto"),
            {"country": serializers.PrimaryKeyRelatedField(read_only=True)},
            ["profile.id", "profile.country_id"],
        ),
    ],
    ids=["columns", "nested", "reverse", "keys"],
)
def test_only_what_is_read_is_selected(queryset, fields, columns):
    view_class = list_of(queryset, serializer_of(**fields))
    assert selected(view_class) == columns
    assert reads_rows(view_class)


def test_a_page_selects_only_what_is_read():
    assert selected(list_of(PEOPLE, pagination_class=Pages)) == ["person.key", "person.name"]


@pytest.mark.parametrize(
    "queryset",
    [
        PEOPLE.distinct(),
        Person.objects.order_by().union(Person.objects.order_by()).order_by("name"),
        PEOPLE.annotate(many=Count("profile")),
        PEOPLE.prefetch_related("city"),
    ],
    ids=["distinct", "union", "grouped", "prefetched"],
)
def test_rows_that_would_be_others_have_all_columns(queryset):
    view_class = list_of(queryset)
    with CaptureQueriesContext(connection) as queries:
        get(view_class)
    assert "height" in queries.captured_queries[0]["sql"]


def test_instances_have_all_columns():
    methods = {"f": serializers.SerializerMethodField(), "get_f": lambda self, person: person.age}
    assert len(selected(list_of(PEOPLE, serializer_of(**methods)))) == 15


def test_the_setting_is_for_all_views_and_a_view_may_say_more():
    view_class = list_of(PEOPLE)
    with override_settings(FASTSCHEMA={"ONLY_COLUMNS": True}):
        view_class.fastschema_only_columns = False
        assert len(selected(view_class)) == 15
        del view_class.fastschema_only_columns
        assert selected(view_class) == ["person.key", "person.name"]
    assert len(selected(view_class)) == 15


def test_the_data_are_read_without_another_query():
    view_class = list_of(PEOPLE)
    with CaptureQueriesContext(connection) as queries:
        response = get(view_class)
        assert [row["name"] for row in response.data] == [f"Person {n}" for n in range(9)]
    assert len(queries.captured_queries) == 1


def answers(view_class, path="/"):
    """What a view answers with all columns, and with those that are read; and its queries."""
    found = []
    for narrows in (False, True):
        view_class.fastschema_only_columns = narrows
        with CaptureQueriesContext(connection) as queries:
            found.append((get(view_class, path).content, len(queries.captured_queries)))
    return found


def test_a_count_has_no_joins():
    view_class = list_of(
        PEOPLE.select_related("city"),
        serializer_of(city=serializers.CharField(source="city.name")),
        pagination_class=Pages,
    )
    with CaptureQueriesContext(connection) as queries:
        get(view_class)
    assert "JOIN" not in queries.captured_queries[0]["sql"]


def test_a_context_that_looks_at_the_page():
    def get_serializer_context(self):
        return {"request": self.request, "number": self.paginator.page.number}

    view_class = list_of(
        PEOPLE, pagination_class=Pages, get_serializer_context=get_serializer_context
    )
    with_all, narrowed = answers(view_class, "/?page=2")
    assert narrowed == with_all


def test_a_serializer_that_looks_at_its_rows():
    seen = []

    def get_serializer(self, rows, many):
        seen.append(len(rows))
        return NAMES(rows, many=many)

    with_all, narrowed = answers(
        list_of(PEOPLE, pagination_class=Pages, get_serializer=get_serializer)
    )
    assert narrowed == with_all
    assert seen == [4, 4]


def test_a_page_that_is_not_there_comes_before_a_wrong_query():
    wrong = PEOPLE.defer("city").select_related("city")
    with_all, narrowed = answers(list_of(wrong, pagination_class=Pages), "/?page=9")
    assert narrowed == with_all


def test_an_only_of_ones_own_is_not_called():
    def only(self, *names):
        return self.none()

    people = type("People", (QuerySet,), {"only": only})(Person).order_by("pk")
    with_all, narrowed = answers(list_of(people))
    assert narrowed == with_all
