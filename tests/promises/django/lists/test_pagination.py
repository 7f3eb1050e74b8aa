"""Pages that are written from rows, and whose items are instances for whoever looks at them."""

import pytest
from django.core.paginator import Paginator
from django.db import connection
from django.db.models import F, Prefetch
from django.db.models.functions import Lower, Upper
from django.test.utils import CaptureQueriesContext
from rest_framework import serializers
from rest_framework.filters import OrderingFilter
from rest_framework.response import Response

import fastschema
from tests.promises.django.list_views import (
    Cursor,
    FlightList,
    Limited,
    Numbered,
    assert_same_outcome,
    get,
    view_of,
)
from tests.promises.django.lists.models import Language, Person
from tests.promises.django.lists.reading import reads_rows
from tests.promises.django.lists.test_row_layout import CALLS, Noting, model_of
from tests.promises.django.serializers import Named

pytestmark = pytest.mark.usefixtures("people")

SEEN = []


def pages_of(pagination_class, **attributes):
    """A view of people by pages."""
    attributes = {
        "serializer_class": Named,
        "get_queryset": lambda self: Person.objects.order_by("pk"),
        "pagination_class": pagination_class,
        **attributes,
    }
    return view_of(FlightList, **attributes)


@pytest.mark.at_once
@pytest.mark.parametrize("pagination_class", [Numbered, Limited])
@pytest.mark.parametrize(
    "path", ["/", "/?page=2", "/?page=last", "/?offset=7", "/?offset=4&limit=3", "/?size=2"]
)
def test_a_page_is_written_from_rows(pagination_class, path):
    view_class = pages_of(pagination_class)
    assert_same_outcome(view_class, path)
    assert reads_rows(view_class, path)


@pytest.mark.parametrize("path", ["/?page=9", "/?page=x", "/?offset=99", "/?limit=0"])
@pytest.mark.parametrize("pagination_class", [Numbered, Limited])
def test_a_page_that_is_not_there(pagination_class, path):
    assert_same_outcome(pages_of(pagination_class), path)


@pytest.mark.parametrize("pagination_class", [Numbered, Limited])
def test_what_cannot_be_prefetched_is_tried_as_often_as_in_stock(pagination_class):
    # list() ignores a TypeError when it asks a page for its length, and tries once more.
    sliced = Prefetch("languages", Language.objects.order_by("pk")[:2])
    view_class = pages_of(
        pagination_class,
        serializer_class=type("People", (Named,), {"languages": Named(many=True)}),
        get_queryset=lambda self: Person.objects.order_by("pk").prefetch_related(sliced),
    )
    assert_same_outcome(view_class)
    with pytest.raises(TypeError, match="once a slice has been taken"):
        get(view_class)


def test_an_empty_table():
    for pagination_class in (Numbered, Limited):
        empty = pages_of(pagination_class, get_queryset=lambda self: Person.objects.none())
        assert_same_outcome(empty)


def cursors_by(*ordering, **attributes):
    """A pagination class by cursors."""
    return type("Pages", (Cursor,), {"ordering": ordering, **attributes})


def links_of(view_class):
    """The paths to the pages of a view, forwards and backwards again, or to one that fails."""
    paths = []
    for link in ("next", "previous"):
        path = paths[-1] if paths else "/"
        while path and len(paths) < 20:
            paths.append(path)
            try:
                path = get(view_class, path).data[link]
            except Exception:  # a null is no position, and no object is
                return paths
    return paths


CURSORS = {
    "a key": cursors_by("key"),
    "pk": cursors_by("pk"),
    "backwards": cursors_by("-name"),
    "values that are there often": cursors_by("is_active", "key"),
    "one value for all": cursors_by("rank", "key"),
    "a foreign key": cursors_by("city", "key"),
    "a column of a foreign key": cursors_by("-city_id", "key"),
    "an annotation": cursors_by("added", "key"),
    "names of attributes of ours": cursors_by("number", "fetched"),
    "three of a page": cursors_by("age", "key", page_size=3),
}
METHOD = {
    "method": serializers.SerializerMethodField(),
    "get_method": lambda self, person: SEEN.append(person.name) or person.city.name,
}


@pytest.mark.parametrize("queryset", ["plain", "joined", "prefetched", "deferred"])
@pytest.mark.parametrize("own", [{}, METHOD], ids=["columns", "a method"])
@pytest.mark.parametrize("pagination_class", CURSORS.values(), ids=CURSORS)
def test_cursors(pagination_class, own, queryset):
    others = {"number": Lower("name"), "fetched": F("name")}
    people = Person.objects.annotate(added=Upper("name"), **others)
    querysets = {
        "plain": people,
        "joined": people.select_related("city"),
        "prefetched": people.prefetch_related("city", "languages"),
        "deferred": people.only("name"),
    }
    fields = {
        "city": Named(),
        "languages": serializers.SlugRelatedField("name", many=True, read_only=True),
    }
    view_class = pages_of(
        pagination_class,
        serializer_class=type("People", (Named,), {**fields, **own}),
        get_queryset=lambda self: querysets[queryset].all(),
    )
    with fastschema.disabled():
        paths = links_of(view_class)
    assert len(paths) > 1
    assert paths == links_of(view_class)
    for path in paths:
        assert_same_outcome(view_class, path, calls=SEEN)


@pytest.mark.parametrize("name", ["a key", "pk", "backwards", "a column of a foreign key"])
def test_cursors_need_no_instances(name):
    view_class = pages_of(CURSORS[name])
    for path in links_of(view_class):
        assert reads_rows(view_class, path)


def test_whoever_changes_what_is_on_a_page_finds_it_in_the_links():
    def get(self, request):
        page = self.paginate_queryset(self.get_queryset())
        page.sort(key=lambda person: person.name)
        page[-1].key = "changed"
        return self.get_paginated_response(Named(page, many=True).data)

    assert_same_outcome(pages_of(CURSORS["backwards"], get=get))
    assert_same_outcome(pages_of(Cursor, get=get))


def test_cursors_of_users_see_instances():
    class Own(Cursor):
        def _get_position_from_instance(self, instance, ordering):
            SEEN.append((type(instance), instance.name))
            return super()._get_position_from_instance(instance, ordering)

    class Linked(Cursor):
        def get_next_link(self):
            SEEN.append([(type(each), each.name) for each in self.page])
            return super().get_next_link()

    class Encoded(Cursor):
        def encode_cursor(self, cursor):
            SEEN.append([(type(each), each.name) for each in self.page])
            return super().encode_cursor(cursor)

    class Ordered(Cursor):
        def get_ordering(self, request, queryset, view):
            SEEN.append([(type(each), each.name) for each in queryset])
            return super().get_ordering(request, queryset, view)

    for pagination_class in (Own, Linked, Encoded, Ordered):
        view_class = pages_of(pagination_class)
        for path in links_of(view_class):
            assert_same_outcome(view_class, path, calls=SEEN)


def test_filters_choose_the_order():
    view_class = pages_of(Cursor, filter_backends=[OrderingFilter], ordering_fields=["name"])
    for path in ("/", "/?ordering=-name", "/?ordering=age"):
        assert_same_outcome(view_class, path)
    assert reads_rows(view_class)


def test_what_was_changed_through_the_paginator_is_seen():
    def get(self, request):
        page = self.paginate_queryset(self.get_queryset())
        for person in self.paginator.page:
            person.name = "Another"
        return self.get_paginated_response(Named(page, many=True).data)

    assert_same_outcome(pages_of(Numbered, get=get))


class Counting(Paginator):
    @property
    def count(self):
        return len([person.name for person in self.object_list])


def test_a_paginator_that_looks_at_a_queryset_sees_instances():
    view_class = pages_of(type("Pages", (Numbered,), {"django_paginator_class": Counting}))
    assert_same_outcome(view_class)
    assert not reads_rows(view_class)


def seen(queryset):
    """What a paginator sees of a queryset: the view's, which makes instances."""
    some = [(type(person), person.name) for person in queryset[:2]]
    return type(queryset), len(vars(queryset)), queryset._result_cache is None, some


class Enveloped:
    def paginate_queryset(self, queryset, request, view=None):
        SEEN.append(("paginate_queryset", *seen(queryset)))
        self.view_queryset = queryset
        return super().paginate_queryset(queryset, request, view=view)

    def get_paginated_response(self, data):
        response = super().get_paginated_response(data)
        response.data["kind"] = type(self).__mro__[2].__name__
        return response


class OwnCount(Enveloped, Limited):
    def get_count(self, queryset):
        SEEN.append(("get_count", queryset is self.view_queryset, *seen(queryset)))
        return queryset.values("pk").count()

    def get_limit(self, request):
        SEEN.append(("get_limit", type(self), sorted(vars(self))))
        return super().get_limit(request)

    def get_offset(self, request):
        SEEN.append(("get_offset", self.count, self.limit))
        return super().get_offset(request)


class SuperCount(Enveloped, Limited):
    def get_count(self, queryset):
        SEEN.append(("get_count", queryset is self.view_queryset))
        return min(super().get_count(queryset), 7)


class CountingByValues(Paginator):
    @property
    def count(self):
        SEEN.append(("count", *seen(self.object_list)))
        return self.object_list.values("pk").count()

    def page(self, number):
        SEEN.append(("page", number, *seen(self.object_list)))
        return super().page(number)


class OwnNumber(Enveloped, Numbered):
    django_paginator_class = CountingByValues

    def get_page_number(self, request, paginator):
        SEEN.append(("get_page_number", paginator.object_list is self.view_queryset))
        SEEN.append([(type(person), person.name) for person in paginator.page(1)])
        return super().get_page_number(request, paginator)


PATHS = [
    "/",
    "/?page=2",
    "/?page=last",
    "/?offset=4&limit=3",
    "/?page=99",
    "/?offset=99",
    "/?page=x",
]


@pytest.mark.parametrize(
    "pagination_class",
    [
        type("Pages", (Enveloped, Numbered), {}),
        type("Limits", (Enveloped, Limited), {}),
        type("Cursors", (Enveloped, Cursor), {}),
        OwnCount,
        SuperCount,
        OwnNumber,
    ],
    ids=lambda each: each.__name__,
)
def test_what_paginators_of_users_override_sees_the_queryset_of_the_view(pagination_class):
    view_class = pages_of(pagination_class)
    for path in PATHS:
        assert_same_outcome(view_class, path, calls=SEEN)
    assert reads_rows(view_class)


def counts_by(count):
    """A pagination class that counts in a way of its own."""
    return type("Own", (Limited,), {"get_count": lambda self, queryset: count(self, queryset)})


@pytest.mark.parametrize(
    "count",
    [
        lambda self, queryset: len(queryset),
        lambda self, queryset: [setattr(each, "name", "changed") for each in queryset] and 5,
        lambda self, queryset: queryset.query.set_limits(0, 5) or 5,
        lambda self, queryset: setattr(queryset, "total", 5) or 5,
        lambda self, queryset: 0,
    ],
    ids=["evaluates", "changes instances", "changes the query", "sets an attribute", "nothing"],
)
def test_what_get_count_does_with_the_queryset_is_seen_on_the_page(count):
    view_class = pages_of(counts_by(count))
    for path in ("/", "/?offset=4&limit=3"):
        assert_same_outcome(view_class, path)


def test_a_paginate_queryset_that_replaces_that_of_drf_gets_a_list():
    class Whole(Numbered):
        def paginate_queryset(self, queryset, request, view=None):
            page = list(queryset[:3])
            SEEN.append([(type(person), person.name) for person in page])
            return page

        def get_paginated_response(self, data):
            return Response(data)

    view_class = pages_of(Whole)
    assert_same_outcome(view_class, calls=SEEN)
    assert not reads_rows(view_class)


class Looking(Numbered):
    def paginate_queryset(self, queryset, request, view=None):
        page = super().paginate_queryset(queryset, request, view)
        SEEN.extend(person.name for person in page)
        return [*page, *page]


class Watching(Numbered):
    def __setattr__(self, name, value):
        if name == "page":
            SEEN.append([(type(person), person.name) for person in value])
        super().__setattr__(name, value)


class Elsewhere(Numbered):
    @property
    def page(self):
        return SEEN.append("page") or self.kept

    @page.setter
    def page(self, page):
        self.kept = page


class LookingNames(Named):
    def __init__(self, instance, **kwargs):
        SEEN.append([type(each) for each in instance or ()])
        super().__init__(instance, **kwargs)


def paginate_queryset(self, queryset):
    SEEN.append(queryset[0].name)
    return self.paginator.paginate_queryset(queryset, self.request, view=self)


def get_serializer(self, page, many):
    SEEN.append((isinstance(page, list), page == list(page), [page[0].name], page + page))
    return Named(page, many=many, context=self.get_serializer_context())


@pytest.mark.parametrize(
    "attributes",
    [
        {"pagination_class": Looking},
        {"pagination_class": Watching},
        {"pagination_class": Elsewhere},
        {"serializer_class": LookingNames},
        {"paginate_queryset": paginate_queryset},
        {"get_serializer": get_serializer},
    ],
)
def test_whoever_looks_at_a_page_finds_a_list_of_instances(attributes):
    assert_same_outcome(pages_of(**{"pagination_class": Limited, **attributes}), calls=SEEN)


def test_the_items_of_a_page_are_instances():
    paginators = []

    class Kept(Numbered):
        def __init__(self):
            paginators.append(self)

    view_class = pages_of(Kept)
    get(view_class, "/?page=2")
    page = paginators[0].page
    with CaptureQueriesContext(connection) as queries:
        assert [person.name for person in page] == [f"Person {number}" for number in range(4, 8)]
    assert not queries.captured_queries
    assert page.paginator.object_list[0].name == "Person 0"
    assert list(page.paginator.page(3)) == list(Person.objects.order_by("pk")[8:])


def test_a_queryset_with_attributes_of_its_own():
    def people(self):
        found = Person.objects.order_by("pk")
        found.count = lambda: SEEN.append("count") or 100
        return found

    assert_same_outcome(pages_of(Limited, get_queryset=people), calls=SEEN)


def test_the_queryset_of_the_paginator_is_the_views():
    def filter_queryset(self, queryset):
        queryset.total = 5
        return queryset

    class Totals(Numbered):
        def get_next_link(self):
            return str(getattr(self.page.paginator.object_list, "total", None))

    assert_same_outcome(pages_of(Totals, filter_queryset=filter_queryset))


def test_a_page_and_the_list_of_its_paginator_are_two():
    lengths = []

    def get_serializer(self, page, many):
        page.pop()
        lengths.append((len(page), len(self.paginator.page.object_list)))
        return Named(page, many=many)

    assert_same_outcome(pages_of(Numbered, get_serializer=get_serializer), calls=lengths)


@pytest.mark.at_once
@pytest.mark.parametrize("pagination_class", [Numbered, Limited])
def test_values_are_converted_before_the_serializer_is_made(pagination_class):
    noting = model_of(name=Noting(max_length=9))

    class Telling(Named):
        def __init__(self, *args, **kwargs):
            CALLS.append("serializer")
            super().__init__(*args, **kwargs)

    view_class = pages_of(
        pagination_class,
        serializer_class=Telling,
        get_queryset=lambda self: noting.objects.order_by("pk"),
    )
    assert_same_outcome(view_class, calls=CALLS)
    assert reads_rows(view_class)
