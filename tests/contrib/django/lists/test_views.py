"""List views beside stock's answers."""

import copy
import math
import pickle
from datetime import UTC, date, datetime, time, timedelta
from decimal import Decimal
from uuid import UUID

import pytest
from django.db import InterfaceError, OperationalError, connection, models, transaction
from django.db.models import F, FloatField, Value
from django.test.utils import isolate_apps
from django.utils import timezone
from django.utils.translation import gettext_lazy
from rest_framework import (
    exceptions,
    mixins,
    pagination,
    renderers,
    serializers,
    versioning,
)
from rest_framework.response import Response
from rest_framework.test import APIClient, APIRequestFactory
from rest_framework.utils.serializer_helpers import ReturnList
from rest_framework.views import APIView

import fastschema
from fastschema.contrib.django.lists.views import STOCK_LIST, list_rows
from fastschema.contrib.django.renderers import FastJSONRenderer
from flights.models import Airline, Flight, Plane
from flights.serializers import AirlineSerializer, CompactFlightSerializer, FlightSerializer
from tests.contrib.django.differential import outcome
from tests.contrib.django.list_views import (
    FLIGHTS,
    FlightList,
    assert_same_answer,
    get,
    view_of,
)

pytestmark = pytest.mark.django_db


class NumberedPages(pagination.PageNumberPagination):
    page_size = 2


class LimitedPages(pagination.LimitOffsetPagination):
    default_limit = 2


class CursorPages(pagination.CursorPagination):
    page_size = 2
    ordering = "id"


def of_method(value):
    """A serializer with a method field."""
    return type(
        "Rows",
        (serializers.Serializer,),
        {"value": serializers.SerializerMethodField(), "get_value": lambda self, obj: value(obj)},
    )


def of_values(values):
    """The same: of several values, one for each row in turn."""
    return of_method(lambda obj: values(obj)[obj.id % len(values(obj))])


def many_flights(view):
    """More rows than fit into a chunk, without a database."""
    return [Flight(id=number, number=str(number)) for number in range(600)]


@pytest.mark.parametrize("pages", [None, NumberedPages, LimitedPages, CursorPages])
@pytest.mark.parametrize("serializer", [FlightSerializer, CompactFlightSerializer])
class TestStockViews:
    """What the framework brings along answers as in stock."""

    def test_the_answer_is_that_of_stock(self, flights, pages, serializer):
        view_class = view_of(pagination_class=pages, serializer_class=serializer)
        assert_same_answer(view_class)
        assert_same_answer(view_class, "/?page=2&offset=2")

    def test_without_rows_too(self, pages, serializer, db):
        assert_same_answer(view_of(pagination_class=pages, serializer_class=serializer))

    def test_other_renderers_get_data(self, flights, pages, serializer):
        view_class = view_of(
            pagination_class=pages,
            serializer_class=serializer,
            renderer_classes=[renderers.JSONRenderer],
        )
        assert_same_answer(view_class)


@pytest.mark.parametrize("accept", ["application/json; indent=4", "text/html", "*/*"])
def test_the_accepted_media_type_counts(flights, accept):
    assert_same_answer(FlightList, HTTP_ACCEPT=accept)


@pytest.mark.parametrize(
    "queryset",
    [
        Flight.objects.all(),
        Flight.objects.defer("airline", "number"),
        Flight.objects.only("pk"),
        Flight.objects.filter(pk__lt=3)[:1],
        FLIGHTS.annotate(extra=F("number")),
        Flight.objects.none(),
    ],
)
def test_rows_are_queried_as_in_stock(flights, queryset):
    view_class = view_of(get_queryset=lambda self: queryset.all())
    assert_same_answer(view_class)


def test_a_list_in_ascii(flights):
    class AsciiRenderer(FastJSONRenderer):
        ensure_ascii = True

    Airline.objects.filter(pk="UA").update(name="Ünited \x7f \U0001f600")

    class Named(serializers.ModelSerializer):
        name = serializers.CharField(source="airline.name")

        class Meta:
            model = Flight
            fields = ("number", "name")

    view = view_of(serializer_class=Named, renderer_classes=[AsciiRenderer])
    assert_same_answer(view)
    assert b"\\u00dcnited \\u007f \\ud83d\\ude00" in get(view).content


def test_rows_are_queried_where_stock_queries_them(flights, django_assert_num_queries):
    view = FlightList.as_view()
    with django_assert_num_queries(1):
        response = view(APIRequestFactory().get("/"))
    with django_assert_num_queries(0):
        response.render()
        assert len(response.data) == 4


def test_reading_the_data_later_reads_nothing_anew(flights, django_assert_num_queries):
    view = view_of(queryset=Flight.objects.defer("number"))
    with django_assert_num_queries(4 + 4 + 4 + 3 + 3 + 1):
        response = get(view)
    with django_assert_num_queries(0):
        assert response.data[0]["number"] == 1


class TestData:
    """Whoever reads the data gets stock's."""

    @pytest.mark.parametrize("pages", [None, NumberedPages])
    def test_what_is_changed_is_rendered(self, flights, pages):
        def change(self, request, *args, **kwargs):
            response = super(view_class, self).list(request, *args, **kwargs)
            rows = response.data if pages is None else response.data["results"]
            rows[0]["number"] = "changed"
            rows.pop()
            return response

        view_class = view_of(pagination_class=pages, list=change)
        assert_same_answer(view_class)
        assert b'"changed"' in get(view_class).content

    def test_what_is_set_is_rendered(self, flights):
        def replace(self, request, *args, **kwargs):
            response = super(view_class, self).list(request, *args, **kwargs)
            response.data = {"set": 1}
            return response

        view_class = view_of(list=replace)
        assert assert_same_answer(view_class) == {"set": 1}

    def test_a_view_that_only_adds_headers(self, flights):
        def with_header(self, request, *args, **kwargs):
            response = super(view_class, self).list(request, *args, **kwargs)
            response["X-Rows"] = "4"
            return response

        view_class = view_of(list=with_header)
        assert_same_answer(view_class)

    def test_the_envelope_keeps_its_order_and_identity(self, flights):
        view_class = view_of(pagination_class=NumberedPages)
        data = get(view_class).data
        assert list(data) == ["count", "next", "previous", "results"]
        assert type(data) is dict
        assert type(data["results"]) is ReturnList

    def test_rows_that_change_after_they_were_listed(self, flights):
        def mark_as_seen(self, request, *args, **kwargs):
            response = super(view_class, self).list(request, *args, **kwargs)
            for flight in self.paginator.page:
                flight.number = 999
                flight.distance = "far"
            return response

        def envelop(self, request, response, *args, **kwargs):
            response.data = {"data": response.data}
            return super(enveloped, self).finalize_response(request, response, *args, **kwargs)

        view_class = view_of(pagination_class=NumberedPages, list=mark_as_seen)
        assert assert_same_answer(view_class)["results"][0]["number"] == 1
        enveloped = view_of(view_class, finalize_response=envelop)
        assert assert_same_answer(enveloped)["data"]["results"][0]["number"] == 1

    @pytest.mark.parametrize("link", [1e16, [1e-5], math.nan, 2**70, {"a": b"b"}, object()])
    def test_whatever_stands_beside_the_rows_is_written_as_in_stock(self, flights, link):
        class OddPages(NumberedPages):
            def get_next_link(self):
                return link

        view = view_of(pagination_class=OddPages).as_view()

        def body():
            return view(APIRequestFactory().get("/")).render().content

        with fastschema.disabled():
            expected = outcome(body, [])
        assert outcome(body, []) == expected

    def test_it_is_pickled_and_copied_as_in_stock(self, flights):
        with fastschema.disabled():
            stock = pickle.loads(pickle.dumps(get(FlightList)))
        for copied in (pickle.loads(pickle.dumps(get(FlightList))), copy.copy(get(FlightList))):
            assert type(copied) is Response
            assert copied.content == stock.content
            assert list(copied.data) == stock.data
        assert vars(pickle.loads(pickle.dumps(get(FlightList)))).keys() == vars(stock).keys()

    def test_a_response_that_is_not_rendered_cannot_be_pickled(self, flights):
        response = FlightList.as_view()(APIRequestFactory().get("/"))
        with fastschema.disabled():
            stock = FlightList.as_view()(APIRequestFactory().get("/"))
        (expected, found) = (
            outcome(lambda each=each: pickle.dumps(each), []) for each in (stock, response)
        )
        assert found == expected
        assert found.error

    def test_rendering_again_gives_the_same(self, flights):
        response = get(FlightList)
        assert response.rendered_content == response.content
        assert type(response) is Response

    def test_the_renderer_may_be_exchanged_before_rendering(self, flights):
        class Upper(renderers.BaseRenderer):
            media_type, format, charset = "text/upper", "upper", "utf-8"

            def render(self, data, accepted_media_type=None, renderer_context=None):
                return f"{type(data).__name__} {data}".upper()

        def finalize(self, request, response, *args, **kwargs):
            response = super(view_class, self).finalize_response(request, response, *args, **kwargs)
            response.accepted_renderer = Upper()
            return response

        view_class = view_of(finalize_response=finalize)
        assert_same_answer(view_class)

    def test_a_renderer_context_with_an_indent_is_heeded(self, flights):
        def context(self):
            return {**super(view_class, self).get_renderer_context(), "indent": 2}

        view_class = view_of(get_renderer_context=context)
        assert_same_answer(view_class)


class TestThroughTheStack:
    """With routers, middleware and the test client."""

    @pytest.mark.parametrize(
        "path",
        ["/api/flights/", "/api/flights/bulk/", "/api/airlines/?page_size=1", "/api/planes/"],
    )
    def test_the_example_project_answers_as_in_stock(self, flights, path):
        def ask():
            response = APIClient().get(f"/api/{path}")
            return response.content, dict(response.headers), response.data, response.json()

        with fastschema.disabled():
            expected = outcome(ask, [])
        assert outcome(ask, []) == expected


class TestMethods:
    """Code of users is called once for each row, and its values are those of stock."""

    def check(self, calls, **attributes):
        view_class = view_of(**attributes)
        assert_same_answer(view_class, calls=calls)

    def test_method_fields(self, flights):
        calls = []

        class Own(serializers.ModelSerializer):
            a = serializers.SerializerMethodField()

            class Meta:
                model = Flight
                fields = ("id", "a")

            def get_a(self, obj):
                calls.append(obj.pk)
                return 1

        self.check(calls, serializer_class=Own)

    def test_properties_and_own_fields(self, flights):
        calls = []

        class WithProperty(Flight):
            class Meta:
                proxy = True
                app_label = "flights"

            @property
            def far(self):
                calls.append(self.pk)
                return self.distance > 100

        class Own(serializers.IntegerField):
            def to_representation(self, value):
                calls.append(str(value))
                return str(value)

        def of(**fields):
            return type("Rows", (serializers.Serializer,), fields)

        for serializer in (
            of(far=serializers.BooleanField()),
            of(id=Own()),
            of(text=serializers.StringRelatedField(source="airline")),
            of(deep=serializers.CharField(source="airline.__class__")),
            of(deep=serializers.CharField(source="airline.__str__")),
            of(save=serializers.CharField(source="get_deferred_fields")),
            of(nothing=serializers.CharField(default=lambda: calls.append("default") or "x")),
            of(ids=serializers.ListField(source="airline.flights.all", child=Own())),
        ):
            queryset = WithProperty.objects.all()
            self.check(calls, serializer_class=serializer, queryset=queryset)

    def test_values_of_all_classes_that_nobody_can_change(self, flights):
        values = [
            *(None, True, 1, 2**70, 1.5, 1e-7, "text", "\u2028"),
            *(Decimal("1.50"), UUID(int=5), timedelta(days=1, microseconds=3)),
            *(date(2024, 2, 29), time(1, 2, 3, 4), datetime(2024, 2, 29, 1, 2, 3, 456789)),
            datetime(2024, 2, 29, 1, 2, 3, tzinfo=UTC),
        ]
        self.check([], serializer_class=of_values(lambda obj: values), get_queryset=many_flights)

    def test_values_of_properties_are_converted_by_their_fields(self, flights):
        calls = []

        class Computing(Flight):
            class Meta:
                proxy = True
                app_label = "flights"

            @property
            def value(self):
                calls.append(self.pk)
                return Decimal("1.5") if self.pk % 2 else datetime(2024, 2, 29, 1, tzinfo=UTC)

        class Rows(serializers.Serializer):
            value = serializers.ReadOnlyField()
            text = serializers.CharField(source="value")
            items = serializers.ListField(source="tags", child=serializers.CharField())

        Computing.tags = property(lambda self: calls.append("tags") or [self.number, 5])
        self.check(calls, serializer_class=Rows, queryset=Computing.objects.order_by("pk"))

    @isolate_apps()
    def test_a_dotted_source_over_a_foreign_key_that_may_refer_to_nothing(self, db):
        class Loose(models.Model):
            airline = models.ForeignKey(Airline, models.DO_NOTHING, "+", db_constraint=False)

            class Meta:
                app_label = "flights"

        class Names(serializers.Serializer):
            name = serializers.CharField(source="airline.name")

        view_class = view_of(
            serializer_class=Names, get_queryset=lambda self: [Loose(id=1, airline_id="?")]
        )
        assert_same_answer(view_class)

    def test_rows_of_several_models(self, flights):
        class Ids(serializers.Serializer):
            id = serializers.CharField(source="pk", default=None)

        def rows(self):
            return [*Flight.objects.all()[:1], Plane(tail_number="x")]

        self.check([], serializer_class=Ids, get_queryset=rows)

    def test_keys_of_a_prefetched_relation(self, flights, django_assert_num_queries):
        class Rows(serializers.ModelSerializer):
            class Meta:
                model = Airline
                fields = ("code", "flights")

        queryset = Airline.objects.prefetch_related("flights")
        self.check([], serializer_class=Rows, queryset=queryset)
        with django_assert_num_queries(2):
            _ = get(view_of(serializer_class=Rows, queryset=queryset)).data

    def test_fields_that_some_rows_have_not(self, flights):
        calls = []

        class Some(serializers.IntegerField):
            def get_attribute(self, instance):
                calls.append(instance.pk)
                if instance.pk % 2:
                    raise serializers.SkipField
                return instance.pk

        class Rows(serializers.Serializer):
            id = serializers.IntegerField()
            some = Some()
            number = serializers.CharField()

        self.check(calls, serializer_class=Rows)

    def test_an_exception_of_a_row(self, flights):
        calls = []

        def value(obj):
            calls.append(obj.pk)
            if len(calls) == 2:
                raise exceptions.PermissionDenied("not that one")
            return 1

        serializer = of_method(value)
        assert_same_answer(view_of(serializer_class=serializer), calls=calls)

    def test_methods_that_change_the_row(self, flights):
        def value(obj):
            obj.distance += 1
            return obj.distance

        class Rows(of_method(value)):
            id = serializers.IntegerField()
            distance = serializers.IntegerField()

        self.check([], serializer_class=type("Rows", (Rows,), {}))

    @pytest.mark.parametrize("make", [list, dict, object, lambda: float("nan"), lambda: "\ud800"])
    def test_values_that_may_change_or_cannot_be_written(self, flights, make):
        calls = []

        def value(obj):
            calls.append(obj.pk)
            return make()

        view_class = view_of(serializer_class=of_method(value))

        def ask():
            return bytes(get(view_class).content), get(view_class).data

        with fastschema.disabled():
            expected = outcome(ask, calls)
        assert outcome(ask, calls) == expected

    @pytest.mark.parametrize(
        "make",
        [
            lambda: (each for each in "ab"),
            lambda: {"k": map(str, [1, 2])},
            lambda: Airline.objects.values_list("code"),
            lambda: [gettext_lazy("Yes")],
        ],
    )
    def test_values_that_can_be_read_once_are_read_by_the_renderer(self, flights, make):
        view_class = view_of(serializer_class=of_method(lambda obj: make()))

        def ask():
            return bytes(get(view_class).content)

        with fastschema.disabled():
            expected = outcome(ask, [])
        assert outcome(ask, []) == expected
        assert outcome(ask, []) == expected

    @pytest.mark.parametrize("value", [["x"], "x"])
    def test_columns_that_a_method_changes_are_as_they_were_before(self, flights, value):
        class Rows(serializers.Serializer):
            number = serializers.IntegerField()
            date = serializers.DateField(format=None)
            value = serializers.SerializerMethodField()

            def get_value(self, obj):
                obj.number = 0
                return value

        self.check_answer(serializer_class=Rows)

    @pytest.mark.parametrize("make", [object, lambda: float("nan"), lambda: "\ud800", set])
    def test_more_than_a_chunk_of_values_that_cannot_be_written(self, make):
        calls = []

        class Flights(view_of(get_queryset=many_flights)):
            serializer_class = of_method(lambda obj: calls.append(obj.pk) or make())

            def list(self, request):
                response = super().list(request)
                for row in response.data:
                    row["value"] = str(type(row["value"]))
                return response

        self.check_answer(Flights, calls=calls)
        self.check_answer(view_of(Flights, list=FlightList.list), calls=calls)

    def test_a_view_that_keeps_its_serializer_calls_nothing_twice(self, flights):
        calls = []

        class Flights(FlightList):
            serializer_class = of_method(lambda obj: calls.append(obj.pk))

            def get_serializer(self, *args, **kwargs):
                self.made = super().get_serializer(*args, **kwargs)
                return self.made

            def finalize_response(self, request, response, *args, **kwargs):
                response["X-Rows"] = f"{self.made.data} {type(self.made.data).__name__}"
                return super().finalize_response(request, response, *args, **kwargs)

        self.check_answer(Flights, calls=calls)

    def test_an_exception_of_get_fields_is_raised_once(self, flights):
        calls = []

        class Failing(serializers.Serializer):
            id = serializers.IntegerField()

            def get_fields(self):
                calls.append("get_fields")
                if len(calls) == 1:
                    raise ValueError("not yet")
                return super().get_fields()

        self.check_answer(serializer_class=Failing, get_queryset=many_flights, calls=calls)

    def check_answer(self, base=FlightList, *, calls=(), **attributes):
        view_class = view_of(base, **attributes)
        noted = calls if calls != () else []

        def ask():
            return bytes(get(view_class).content)

        with fastschema.disabled():
            expected = [outcome(ask, noted) for _ in range(2)]
        noted.clear()
        assert [outcome(ask, noted) for _ in range(2)] == expected

    def test_a_value_that_changes_from_row_to_row(self, flights):
        seen = []

        def value(obj):
            seen[:] = [obj.pk]  # the same list for all rows
            return seen

        class Emptying(view_of(serializer_class=of_method(value), get_queryset=many_flights)):
            def list(self, request):
                seen.clear()
                return super().list(request)

        assert_same_answer(Emptying)

    @pytest.mark.parametrize("read", [False, True])
    def test_the_method_is_called_once_for_each_row(self, flights, read):
        calls = []
        view_class = view_of(serializer_class=of_method(lambda obj: calls.append(obj.pk)))
        response = get(view_class)
        if read:
            assert response.data == [{"value": None} for _ in calls]
        assert calls == [flight.pk for flight in FLIGHTS.all()]


class TestRows:
    """Rows and related objects of all sorts."""

    def check(self, calls, **attributes):
        view_class = view_of(**attributes)
        assert_same_answer(view_class, calls=calls)

    @isolate_apps()
    def test_foreign_keys_that_may_refer_to_nothing(self, db):
        class Loose(models.Model):
            airline = models.ForeignKey(Airline, models.DO_NOTHING, "+", db_constraint=False)

            class Meta:
                app_label = "flights"

        class Rows(serializers.Serializer):
            airline = AirlineSerializer()

        def rows(self):
            return [Loose(id=1, airline_id="?")]

        self.check([], serializer_class=Rows, get_queryset=rows)

    @pytest.mark.parametrize("owner", ["manager", "class"])
    def test_related_objects_that_are_found_in_a_way_of_their_own(self, flights, owner):
        calls = []

        class Hiding(models.Manager):
            def get_queryset(self):
                calls.append("get_queryset")
                return super().get_queryset().none()

        class Watched:
            def __getattribute__(self, name):
                if name == "name":
                    calls.append(name)
                return super().__getattribute__(name)

        with isolate_apps("flights"):

            class Owner(*((Watched,) if owner == "class" else ()), models.Model):
                code = models.CharField(max_length=2, primary_key=True)
                name = models.CharField(max_length=100)
                hiding = Hiding()

                class Meta:
                    app_label = "flights"
                    db_table = "flights_airline"
                    base_manager_name = "hiding" if owner == "manager" else None

            class Owned(models.Model):
                airline = models.ForeignKey(Owner, models.DO_NOTHING, "+")

                class Meta:
                    app_label = "flights"

        class Rows(serializers.Serializer):
            airline = AirlineSerializer()
            text = serializers.CharField(source="airline.name", default="-")

        self.check(
            calls,
            serializer_class=Rows,
            get_queryset=lambda view: [Owned(id=1, airline_id="UA")],
        )

    def test_versioning_schemes_that_are_asked_for_each_address(self, flights):
        calls = []

        class Own(versioning.AcceptHeaderVersioning):
            def reverse(self, viewname, args=None, kwargs=None, *options, **extra):
                calls.append(kwargs)
                return super().reverse(viewname, args, kwargs, *options, **extra)

        class Linked(serializers.HyperlinkedModelSerializer):
            class Meta:
                model = Flight
                fields = ("url", "airline")
                extra_kwargs = {
                    "url": {"view_name": "flight-detail"},
                    "airline": {"view_name": "airline-detail"},
                }

        class Nested(serializers.Serializer):
            linked = Linked(source="*")

        for serializer in (Linked, Nested):
            self.check(calls, serializer_class=serializer, versioning_class=Own)
            assert {"pk": "UA"} in calls

    def test_managers(self, flights):
        class WithFlights(AirlineSerializer):
            flights = CompactFlightSerializer(many=True)

        for queryset in (
            Airline.objects.all(),
            Airline.objects.prefetch_related("flights__airline"),
        ):
            self.check([], serializer_class=WithFlights, queryset=queryset)

    def test_a_list_serializer_that_finds_its_instance_anew(self, flights):
        class FirstTwo(serializers.ListSerializer):
            @property
            def instance(self):
                return self.rows[:2]

            @instance.setter
            def instance(self, rows):
                self.rows = rows

        class Meta(FlightSerializer.Meta):
            list_serializer_class = FirstTwo

        self.check([], serializer_class=type("Few", (FlightSerializer,), {"Meta": Meta}))

    def test_serializers_that_represent_in_their_own_way(self, flights):
        calls = []

        class Own(CompactFlightSerializer):
            def to_representation(self, instance):
                calls.append(instance.pk)
                return super().to_representation(instance)

        class OwnData(serializers.ListSerializer):
            @property
            def data(self):
                calls.append("data")
                return super().data

        class OwnList(serializers.ListSerializer):
            def to_representation(self, data):
                calls.append("list")
                return super().to_representation(data)[::-1]

        class Nested(serializers.Serializer):
            whole = Own(source="*")

        def listed(by):
            meta = type("Meta", (CompactFlightSerializer.Meta,), {"list_serializer_class": by})
            return type("Listed", (CompactFlightSerializer,), {"Meta": meta})

        for serializer in (Own, listed(OwnData), listed(OwnList), Nested):
            self.check(calls, serializer_class=serializer)

    @pytest.mark.parametrize(
        "rows",
        [
            lambda: tuple(Flight.objects.all()),
            lambda: Flight.objects.values("id", "number"),
            lambda: [*Flight.objects.all()[:1], {"pk": 1}],
            lambda: iter(Flight.objects.all()),
            lambda: [{"id": 1}],
        ],
    )
    def test_rows_that_are_no_instances_of_one_model(self, flights, rows):
        class Ids(serializers.Serializer):
            id = serializers.CharField(source="pk", default=None)

        self.check([], serializer_class=Ids, get_queryset=lambda self: rows())

    def test_querysets_that_tell_their_length_in_their_own_way(self, flights):
        calls = []

        class Noted(type(Flight.objects.all())):
            def __len__(self):
                calls.append("len")
                return super().__len__()

        self.check(calls, get_queryset=lambda self: Noted(Flight).all())

    def test_querysets_whose_own_method_fetches_the_rows(self, flights):
        calls = []

        class Flights(FlightList):
            def filter_queryset(self, queryset):
                queryset = queryset.all()
                fetch_all = queryset._fetch_all
                queryset._fetch_all = lambda: calls.append("fetch") or fetch_all()
                return queryset

        assert_same_answer(Flights, calls=calls)

    def test_querysets_that_are_read_in_their_own_way(self, flights):
        calls = []

        class Noted(type(Flight.objects.all())):
            def __iter__(self):
                calls.append("iter")
                return super().__iter__()

        self.check(calls, get_queryset=lambda self: Noted(Flight).all())


class TestPages:
    """Pages of users' own see data."""

    def test_a_paginator_that_answers_in_its_own_way(self, flights):
        seen = []

        class Own(NumberedPages):
            def get_paginated_response(self, data):
                seen.append(type(data))
                return Response({"rows": data, "last": data[-1]["id"]})

        view_class = view_of(pagination_class=Own)
        assert_same_answer(view_class)
        assert set(seen) == {ReturnList}

    def test_a_view_that_does(self, flights):
        def paginated(self, data):
            return Response({"rows": data, "count": len(data)})

        view_class = view_of(pagination_class=NumberedPages, get_paginated_response=paginated)
        assert_same_answer(view_class)

    def test_a_view_that_finds_its_paginator_in_its_own_way(self, flights):
        calls = []

        def paginator(self):
            calls.append("paginator")
            if not hasattr(self, "_own"):
                self._own = NumberedPages()
            return self._own

        view_class = view_of(pagination_class=NumberedPages, paginator=property(paginator))
        assert_same_answer(view_class, calls=calls)

    def test_a_view_of_another_kind_may_list_too(self, flights):
        class Own(mixins.ListModelMixin, APIView):
            renderer_classes = [FastJSONRenderer]

            def get(self, request):
                return self.list(request)

            def get_queryset(self):
                return Flight.objects.all()

            def filter_queryset(self, queryset):
                return queryset

            def paginate_queryset(self, queryset):
                return list(queryset)[:1]

            def get_serializer(self, *args, **kwargs):
                return CompactFlightSerializer(*args, **kwargs)

            def get_paginated_response(self, data):
                return Response({"own": data})

        assert_same_answer(Own)


class TestErrors:
    """Errors come where stock's come."""

    def test_an_error_of_a_row_goes_to_the_exception_handler(self, flights):
        handled = []

        def handler(self):
            def handle(error, context):
                handled.append(type(error))
                return Response({"error": str(error)}, status=400)

            return handle

        class Gone(serializers.Serializer):
            nothing = serializers.CharField()

        view_class = view_of(serializer_class=Gone, get_exception_handler=handler)
        data = assert_same_answer(view_class)
        assert "nothing" in data["error"]
        assert set(handled) == {AttributeError}

    def test_what_cannot_be_written_is_refused_when_it_is_rendered(self, flights):
        class Floats(serializers.Serializer):
            x = serializers.FloatField()

        for number in (1e-9, 1.5, float("nan")):
            queryset = Flight.objects.annotate(x=Value(number, FloatField()))
            view_class = view_of(serializer_class=Floats, get_queryset=lambda self, q=queryset: q)
            rows = [flight.__dict__ for flight in queryset]
            assert rows
            with fastschema.disabled():
                expected = outcome(lambda v=view_class: get(v).content, [])
            assert outcome(lambda v=view_class: get(v).content, []) == expected

    @pytest.mark.parametrize("last", range(4))
    def test_a_database_that_goes_away_is_not_asked_again(self, flights, last):
        class Rows(serializers.ModelSerializer):
            airline = AirlineSerializer()

            class Meta:
                model = Flight
                fields = ("id", "airline")

        view_class = view_of(serializer_class=Rows, queryset=Flight.objects.order_by("pk"))

        def ask():
            asked = []

            def run(execute, sql, params, many, context):
                asked.append(sql)
                if len(asked) > last + 1:
                    raise InterfaceError("the connection is closed")
                if len(asked) > last:
                    raise OperationalError("the server has closed the connection")
                return execute(sql, params, many, context)

            with connection.execute_wrapper(run):
                return get(view_class).content

        with fastschema.disabled():
            expected = outcome(ask, [])
        assert expected.error[0] is OperationalError
        assert outcome(ask, []) == expected

    def test_a_failing_query_fails_in_the_view(self, flights):
        view_class = view_of(get_queryset=lambda self: Flight.objects.extra(where=["nonsense"]))

        def answered():
            before = connection.savepoint()  # PostgreSQL refuses all that follows in it
            found = outcome(lambda: view_class.as_view()(APIRequestFactory().get("/")), [])
            connection.savepoint_rollback(before)
            return found

        with fastschema.disabled():
            expected = answered()
        assert expected.error
        assert answered() == expected


def test_the_time_zone_is_that_of_the_view(flights):
    def listed(self, request, *args, **kwargs):
        with timezone.override("Asia/Tokyo"):
            return super(view_class, self).list(request, *args, **kwargs)

    view_class = view_of(list=listed)
    data = assert_same_answer(view_class)
    assert data[0]["scheduled_departure"].endswith("+09:00")
    assert b"+09:00" in get(view_class).content


def test_a_transaction_of_the_view_holds_all_queries(flights):

    seen = []

    def note(execute, sql, params, many, context):
        seen.append(connection.in_atomic_block)
        return execute(sql, params, many, context)

    def listed(self, request, *args, **kwargs):
        with transaction.atomic(), connection.execute_wrapper(note):
            return super(view_class, self).list(request, *args, **kwargs)

    view_class = view_of(list=listed, queryset=Flight.objects.all())
    get(view_class)
    assert len(seen) > 4
    assert all(seen)


def test_the_method_is_documented_as_in_stock():
    assert mixins.ListModelMixin.list.__doc__ == STOCK_LIST.__doc__
    assert mixins.ListModelMixin.list is list_rows


def test_rows_are_counted(flights):
    before = fastschema.stats().compiled_rows
    get(FlightList)
    assert fastschema.stats().compiled_rows == before + 4
