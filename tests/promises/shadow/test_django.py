"""Shadow mode: stock renders list responses as well, from the rows that they were written from."""

import asyncio
import gc
import weakref

import pytest
from django.db import connection
from django.test import AsyncClient, override_settings
from django.test.utils import CaptureQueriesContext
from django.utils import timezone
from rest_framework import pagination, serializers
from rest_framework.renderers import JSONRenderer
from rest_framework.response import Response
from rest_framework.test import APIRequestFactory

import fastschema
from fastschema.shadow.django import shadow_differed
from flights.models import Airline, Flight
from flights.serializers import AirlineSerializer, FlightSerializer
from tests.instruments.core import JsonArray, is_disabled
from tests.instruments.django import installation, queryset_rows
from tests.promises.django.list_views import FlightList, get, view_of

pytestmark = pytest.mark.django_db
ALL = {"SHADOW": 1}


class NumberedPages(pagination.PageNumberPagination):
    page_size = 2


class EnvelopePages(NumberedPages):
    def get_paginated_response(self, data):
        return Response({"total": self.page.paginator.count, "rows": data})


class LabelledSerializer(FlightSerializer):
    """A flight with a method field, so that there are instances."""

    label = serializers.SerializerMethodField()

    class Meta:
        model = Flight
        fields = ("id", "airline", "label")

    def get_label(self, flight):
        return f"flight {flight.id}"


class BaggedSerializer(LabelledSerializer):
    """The same with a value that does not last."""

    def get_label(self, flight):
        return {"id": flight.id}


@pytest.fixture
def told():
    """The differences that were signalled, each with its sender."""
    found = []

    def receive(sender, difference, **kwargs):
        found.append((sender, difference))

    shadow_differed.connect(receive)
    yield found
    shadow_differed.disconnect(receive)


@pytest.fixture
def wrong(monkeypatch):
    """A fast path that writes a name wrongly."""
    join = JsonArray.join

    def joined_wrongly(*args):
        return join(*args).replace(b'"Newark"', b'"Newyork"')

    monkeypatch.setattr(JsonArray, "join", joined_wrongly)


def counts(counter):
    return counter.compared, counter.differed, counter.failed


@pytest.mark.parametrize("serializer", [FlightSerializer, LabelledSerializer, BaggedSerializer])
@pytest.mark.parametrize("pages", [None, NumberedPages, EnvelopePages])
class TestEveryList:
    def test_answers_are_compared_and_the_same(self, flights, counter, serializer, pages, caplog):
        view_class = view_of(serializer_class=serializer, pagination_class=pages)
        expected = get(view_class).content
        with override_settings(FASTSCHEMA=ALL):
            assert [get(view_class).content for _ in range(2)] == [expected, expected]
        assert counts(counter) == (2, 0, 0)
        assert caplog.records == []

    def test_no_query_is_run_again(self, flights, serializer, pages):
        view_class = view_of(serializer_class=serializer, pagination_class=pages)
        with CaptureQueriesContext(connection) as alone:
            get(view_class)
        with override_settings(FASTSCHEMA=ALL), CaptureQueriesContext(connection) as followed:
            get(view_class)
        savepoints = [each for each in followed.captured_queries if "SAVEPOINT" in each["sql"]]
        assert len(followed) - len(savepoints) == len(alone)


def test_a_wrong_fast_path_is_found(flights, wrong, counter, told, caplog):
    with override_settings(FASTSCHEMA=ALL):
        response = get(FlightList)
    assert b"Newyork" in response.content
    ((sender, difference),) = told
    assert sender is FlightList
    assert difference.schema == "FlightSerializer"
    assert difference.view == "tests.promises.django.list_views.FlightList"
    assert difference.path == "$[0].origin.name"
    assert response.content[: difference.position].endswith(b'"New')
    assert (difference.written, difference.expected) == (None, None)
    assert counts(counter) == (1, 1, 0)
    assert caplog.messages == [
        "FlightSerializer in tests.promises.django.list_views.FlightList differs from stock at "
        f"byte {difference.position}, $[0].origin.name"
    ]


def test_wrong_data_of_a_page_are_found(flights, monkeypatch, told):
    represent_list = installation.represent_list

    def wrong(serializer, data):
        rows = represent_list(serializer, data)
        return rows if is_disabled() else [{**row, "label": "wrong"} for row in rows]

    monkeypatch.setattr(installation, "represent_list", wrong)
    view_class = view_of(serializer_class=LabelledSerializer, pagination_class=EnvelopePages)
    with override_settings(FASTSCHEMA=ALL):
        get(view_class)
    assert [each.path for _, each in told] == ["$.rows[0].label"]


def test_stock_gets_instances_of_django_where_the_answer_did_without(flights, monkeypatch, told):
    maker = queryset_rows.instance_maker

    def wrong_maker(*args):
        make = maker(*args)

        def wrong_make(row):
            instance = make(row)
            instance.number = "wrong"
            return instance

        return wrong_make

    monkeypatch.setattr(queryset_rows, "instance_maker", wrong_maker)
    with override_settings(FASTSCHEMA=ALL):
        assert b"wrong" not in get(FlightList).content
    assert told == []  # stock's instances are Django's own


def test_values_are_told_only_if_the_settings_say_so(flights, wrong, told):
    with override_settings(FASTSCHEMA={**ALL, "SHADOW_VALUES": True}):
        get(FlightList)
    ((_, difference),) = told
    assert b"Newyork" in difference.written
    assert b"Newark" in difference.expected


def test_without_the_setting_nothing_is_followed(flights, wrong, told, counter):
    response = FlightList.as_view()(APIRequestFactory().get("/"))
    assert response._post_render_callbacks == []
    response.render()
    assert (told, counts(counter)) == ([], (0, 0, 0))


@pytest.mark.instruments
def test_the_share_is_drawn_for_each_response(flights, counter, monkeypatch):
    drawn = iter([0.1, 0.7, 0.2, 0.5])
    monkeypatch.setattr("fastschema.shadow._random.random", lambda: next(drawn))
    with override_settings(FASTSCHEMA={"SHADOW": 0.5}):
        for _ in range(4):
            get(FlightList)
    assert counts(counter) == (2, 0, 0)


def test_what_is_disabled_is_not_followed(flights, counter):
    with override_settings(FASTSCHEMA=ALL), fastschema.disabled():
        get(FlightList)
    assert counts(counter) == (0, 0, 0)


@pytest.mark.at_once
def test_an_error_of_stock_does_not_reach_the_client(flights, counter, caplog):
    class Fickle(LabelledSerializer):
        calls = 0

        def get_label(self, flight):
            Fickle.calls += 1
            if Fickle.calls > 4:
                raise RuntimeError("asked too often")
            return "fine"

    with override_settings(FASTSCHEMA=ALL):
        response = get(view_of(serializer_class=Fickle))
    assert response.status_code == 200
    assert response.content.count(b'"fine"') == 4
    assert counts(counter) == (0, 0, 1)
    assert caplog.records[-1].exc_info[0] is RuntimeError


def test_an_error_of_the_database_leaves_the_transaction_as_it_was(flights, counter):
    class Asking(LabelledSerializer):
        calls = 0

        def get_label(self, flight):
            Asking.calls += 1
            if Asking.calls > 4:
                with connection.cursor() as cursor:
                    cursor.execute("SELECT nothing FROM nowhere")
            return "fine"

    with override_settings(FASTSCHEMA=ALL):
        get(view_of(serializer_class=Asking))
    assert counts(counter) == (0, 0, 1)
    assert Flight.objects.count() == 4


def test_the_time_zone_is_that_of_the_view(flights, counter):
    class InTokyo(FlightList):
        def dispatch(self, request, *args, **kwargs):
            with timezone.override("Asia/Tokyo"):
                return super().dispatch(request, *args, **kwargs)

    with override_settings(FASTSCHEMA=ALL):
        assert b"+09:00" in get(InTokyo).content
    assert counts(counter) == (1, 0, 0)


CHANGES = {
    "a value": lambda data: data[0].update(number=0),
    "a key": lambda data: data[1].update(new=1),
    "a key that is gone": lambda data: data[1].pop("label"),
    "the order of keys": lambda data: data[0].update(id=data[0].pop("id")),
    "a nested value": lambda data: data[2]["label"].update(id="changed"),
    "a row": lambda data: data.append({}),
    "the order of rows": lambda data: data.reverse(),
    "another type": lambda data: data[0].update(id=True),  # the one with the id 1
}


@pytest.mark.parametrize("change", CHANGES.values(), ids=CHANGES)
@pytest.mark.parametrize("pages", [None, NumberedPages, EnvelopePages])
def test_rows_that_are_changed_in_place_after_the_list_are_not_compared(
    flights, counter, told, change, pages
):
    class Changed(FlightList):
        serializer_class = BaggedSerializer
        pagination_class = pages

        def finalize_response(self, *args, **kwargs):
            response = super().finalize_response(*args, **kwargs)
            data = response.data
            if pages is not None:
                data = data["results" if pages is NumberedPages else "rows"]
                data.append({"id": 1, "label": {}})
            change(data)
            return response

    with fastschema.disabled():
        expected = [get(Changed).content for _ in range(2)]
    with override_settings(FASTSCHEMA=ALL):
        assert [get(Changed).content for _ in range(2)] == expected
    assert told == []
    assert counts(counter) == (0, 0, 0)


def test_what_can_be_read_once_is_read_by_the_answer_alone(flights, counter):
    class Once(LabelledSerializer):
        def get_label(self, flight):
            return iter(["a", "b"])

    class Looking(FlightList):
        serializer_class = Once

        def finalize_response(self, *args, **kwargs):
            response = super().finalize_response(*args, **kwargs)
            assert response.data
            return response

    with override_settings(FASTSCHEMA=ALL):
        assert get(Looking).content.count(b'["a","b"]') == 4
    assert counts(counter) == (1, 0, 0)


def test_rows_that_can_be_read_only_once_are_not_compared(counter):
    airlines = [Airline(code="UA", name="United")]
    view_class = view_of(
        serializer_class=AirlineSerializer,
        get_queryset=lambda self: (each for each in airlines),
        filter_queryset=lambda self, rows: rows,
    )
    with override_settings(FASTSCHEMA=ALL):
        assert get(view_class).data == [{"code": "UA", "name": "United"}]
    assert counts(counter) == (0, 0, 0)


def test_a_list_serializer_of_ones_own_is_not_compared(flights, counter):
    class Counted(serializers.ListSerializer):
        def to_representation(self, data):
            return [{"count": len(super().to_representation(data))}]

    class Serializer(FlightSerializer):
        class Meta(FlightSerializer.Meta):
            list_serializer_class = Counted

    with override_settings(FASTSCHEMA=ALL):
        assert get(view_of(serializer_class=Serializer)).data == [{"count": 4}]
    assert counts(counter) == (0, 0, 0)


def test_nothing_is_kept_alive_after_the_response(flights):
    with override_settings(FASTSCHEMA=ALL):
        response = get(FlightList)
    view = weakref.ref(response.renderer_context["view"])
    del response
    gc.collect()
    assert view() is None


def test_an_application_on_asgi_is_compared(transactional_db, flights, counter, settings):
    settings.FASTSCHEMA = ALL

    async def ask():
        return await AsyncClient().get("/api/flights/")

    response = asyncio.run(ask())
    assert response.status_code == 200
    assert counts(counter) == (1, 0, 0)


def test_a_page_of_the_browsable_api_is_not_compared(flights, counter, caplog):
    with override_settings(FASTSCHEMA={**ALL, "LOAD_RELATIONS": True}):
        response = get(FlightList, HTTP_ACCEPT="text/html")
    assert response["Content-Type"].startswith("text/html")
    assert counts(counter) == (0, 0, 0)
    assert caplog.records == []


def test_data_that_hold_themselves_raise_what_stock_raises(flights):
    class Circular(LabelledSerializer):
        def get_label(self, flight):
            label = []
            label.append(label)
            return label

    with override_settings(FASTSCHEMA=ALL), pytest.raises(ValueError, match="Circular"):
        get(view_of(serializer_class=Circular))


def test_an_answer_by_another_renderer_is_not_compared(flights, counter):
    class Exchanged(FlightList):
        serializer_class = BaggedSerializer

        def finalize_response(self, *args, **kwargs):
            response = super().finalize_response(*args, **kwargs)
            response.accepted_renderer = JSONRenderer()
            return response

    with override_settings(FASTSCHEMA=ALL):
        get(Exchanged)
        get(Exchanged)
    assert counts(counter) == (0, 0, 0)
