"""List views beside stock's answers."""

import copy
import pickle

import pytest
from django.db import InterfaceError, OperationalError, connection, models, transaction
from django.db.models import F
from django.test.utils import isolate_apps
from django.utils import timezone
from rest_framework import exceptions, mixins, pagination, renderers, serializers
from rest_framework.response import Response
from rest_framework.test import APIRequestFactory
from rest_framework.views import APIView

import fastschema
from fastschema.contrib.django.renderers import FastJSONRenderer
from flights.models import Airline, Flight
from flights.serializers import AirlineSerializer, CompactFlightSerializer, FlightSerializer
from tests.promises.django.differential import assert_as_in_stock, outcome
from tests.promises.django.list_views import (
    FLIGHTS,
    Cursor,
    FlightList,
    Limited,
    assert_same_answer,
    get,
    view_of,
)

pytestmark = pytest.mark.django_db


class NumberedPages(pagination.PageNumberPagination):
    page_size = 2


def of_method(value):
    """A serializer with a method field."""
    return type(
        "Rows",
        (serializers.Serializer,),
        {"value": serializers.SerializerMethodField(), "get_value": lambda self, obj: value(obj)},
    )


@pytest.mark.parametrize("pages", [None, NumberedPages, Limited, Cursor])
@pytest.mark.parametrize("serializer", [FlightSerializer, CompactFlightSerializer])
class TestStockViews:
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


def test_rows_are_queried_where_stock_queries_them(flights, django_assert_num_queries):
    view = FlightList.as_view()
    with django_assert_num_queries(1):
        response = view(APIRequestFactory().get("/"))
    with django_assert_num_queries(0):
        response.render()
        assert len(response.data) == 4


class TestData:
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

    def test_it_is_pickled_and_copied_as_in_stock(self, flights):
        with fastschema.disabled():
            stock = pickle.loads(pickle.dumps(get(FlightList)))
        for copied in (pickle.loads(pickle.dumps(get(FlightList))), copy.copy(get(FlightList))):
            assert type(copied) is Response
            assert copied.content == stock.content
            assert list(copied.data) == stock.data
        assert vars(pickle.loads(pickle.dumps(get(FlightList)))).keys() == vars(stock).keys()

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


class TestMethods:
    def check(self, calls, **attributes):
        view_class = view_of(**attributes)
        assert_same_answer(view_class, calls=calls)

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

    @pytest.mark.parametrize("make", [list, dict, object, lambda: float("nan"), lambda: "\ud800"])
    def test_values_that_may_change_or_cannot_be_written(self, flights, make):
        calls = []

        def value(obj):
            calls.append(obj.pk)
            return make()

        view_class = view_of(serializer_class=of_method(value))

        def ask():
            return bytes(get(view_class).content), get(view_class).data

        assert_as_in_stock(ask, calls)

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

        self.check_answer(serializer_class=Failing, calls=calls)

    def check_answer(self, base=FlightList, *, calls=(), **attributes):
        view_class = view_of(base, **attributes)
        noted = calls if calls != () else []

        def ask():
            return bytes(get(view_class).content)

        with fastschema.disabled():
            expected = [outcome(ask, noted) for _ in range(2)]
        noted.clear()
        assert [outcome(ask, noted) for _ in range(2)] == expected


class TestRows:
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
            name = serializers.CharField(source="airline.name")

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
            calls, serializer_class=Rows, get_queryset=lambda view: [Owned(id=1, airline_id="UA")]
        )

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

    def test_querysets_whose_own_method_fetches_the_rows(self, flights):
        calls = []

        class Flights(FlightList):
            def filter_queryset(self, queryset):
                queryset = queryset.all()
                fetch_all = queryset._fetch_all
                queryset._fetch_all = lambda: calls.append("fetch") or fetch_all()
                return queryset

        assert_same_answer(Flights, calls=calls)


class TestPages:
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

        expected = assert_as_in_stock(ask)
        assert expected.error[0] is OperationalError

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
