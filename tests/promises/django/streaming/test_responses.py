"""Streamed lists: stock's bytes, made while the rows are read; errors; what is not streamed."""

import asyncio
import gzip
import logging

import pytest
from asgiref.sync import sync_to_async
from django.core.exceptions import ImproperlyConfigured
from django.core.signals import got_request_exception
from django.db import connection, connections, transaction
from django.db.models import CharField, ExpressionWrapper, F, Prefetch, QuerySet
from django.db.models.sql import compiler
from django.test import AsyncClient, Client, override_settings
from django.test.utils import CaptureQueriesContext
from django.urls import resolve
from django.utils import timezone
from django.utils.translation import get_language
from rest_framework import serializers
from rest_framework.decorators import api_view
from rest_framework.pagination import LimitOffsetPagination, PageNumberPagination
from rest_framework.renderers import JSONRenderer
from rest_framework.response import Response
from rest_framework.test import APIRequestFactory

import fastschema
from fastschema.contrib.django.renderers import FastJSONRenderer, NDJSONRenderer
from fastschema.contrib.django.streaming import stream
from flights.models import Airline, Flight
from tests.promises.django.streaming import served

pytestmark = pytest.mark.urls("tests.promises.django.streaming.served")


@pytest.fixture(autouse=True)
def keep_connection(db, monkeypatch):
    """The connection is in the test's transaction: it must outlive the answers that are closed."""
    monkeypatch.setattr(connection, "close_if_unusable_or_obsolete", lambda: None)


@pytest.fixture
def airlines(db):
    """More than two chunks of rows."""
    return Airline.objects.bulk_create(
        Airline(code=f"{number:02}", name=f"Airline {number} \u2028 é") for number in range(25)
    )


def answer(path, **headers):
    """Status, content type and body of an answer, streamed or not."""
    response = Client().get(path, headers=headers)
    body = response.getvalue() if response.streaming else response.content
    return response.status_code, response.headers.get("Content-Type"), body


def call(view_class, path="/", method="get", **attributes):
    """The response of a view with other attributes, and of a request with a WSGI environment."""
    view = type(view_class.__name__, (view_class,), attributes).as_view()
    request = getattr(APIRequestFactory(), method)(path)
    request.resolver_match = resolve("/airlines/")
    return view(request)


def body(response):
    if not response.streaming:
        return response.render().content
    return response.getvalue()


def run(coroutine):
    """What a coroutine returns; the connection of its thread is closed."""

    async def main():
        try:
            return await coroutine
        finally:
            await sync_to_async(connections.close_all)()

    return asyncio.run(main())


class TestAnswer:
    @pytest.mark.parametrize(
        ("query", "accept"),
        [
            ("", "*/*"),
            ("", "application/json"),
            ("", "application/x-ndjson"),
            ("?format=ndjson", "*/*"),
            ("?pad=2000", "application/json"),
        ],
    )
    def test_it_is_that_of_stock_and_streamed(self, airlines, query, accept):
        expected = answer(f"/airlines/{query}", accept=accept)
        assert expected[0] == 200
        response = Client().get(f"/streamed/airlines/{query}", headers={"accept": accept})
        assert response.streaming
        body = response.getvalue()
        assert (response.status_code, response["Content-Type"], body) == expected

    @pytest.mark.parametrize("accept", ["application/json", "application/x-ndjson"])
    def test_no_rows_are_a_whole_answer_too(self, db, accept):
        status, content_type, written = answer("/streamed/airlines/", accept=accept)
        assert (status, content_type) == (200, accept)
        assert written == (b"[]" if accept == "application/json" else b"")

    def test_its_headers_are_those_of_stock(self, airlines):
        def headers(path):
            response = Client().get(path)
            found = dict(response.headers)
            found.pop("Content-Length", None)
            response.close()
            return found

        assert headers("/streamed/airlines/") == headers("/airlines/")

    @pytest.mark.parametrize("accept", ["application/json", "application/x-ndjson"])
    @pytest.mark.parametrize(
        "options",
        [{"compact": False}, {"ensure_ascii": True}, {"strict": False}, {"charset": "utf-8"}],
        ids=repr,
    )
    def test_the_settings_of_renderers_are_heeded(self, airlines, accept, options):
        base = FastJSONRenderer if accept == "application/json" else NDJSONRenderer
        renderers = [type("Renderer", (base,), options)]
        streamed = call(served.StreamedAirlines, renderer_classes=renderers)
        assert streamed.streaming
        stock = call(served.Airlines, renderer_classes=renderers)
        assert body(streamed) == body(stock)
        assert streamed["Content-Type"] == stock["Content-Type"]

    def test_disabled_switches_to_stock_until_the_last_row(self, airlines):
        before = fastschema.stats().compiled_rows
        with fastschema.disabled():
            response = Client().get("/streamed/airlines/")
        assert response.getvalue() == answer("/airlines/")[2]
        assert fastschema.stats().compiled_rows - before == 25  # those of /airlines/

    def test_without_installing_it_is_compiled_too(self, airlines):
        expected = answer("/airlines/")
        before = fastschema.stats().compiled_rows
        with override_settings(FASTSCHEMA={"INSTALL": False}):
            assert answer("/streamed/airlines/") == expected
        assert fastschema.stats().compiled_rows - before == 25

    def test_a_middleware_can_compress_it(self, airlines):
        with override_settings(MIDDLEWARE=["django.middleware.gzip.GZipMiddleware"]):
            response = Client().get("/streamed/airlines/", headers={"accept-encoding": "gzip"})
            assert response["Content-Encoding"] == "gzip"
            assert gzip.decompress(response.getvalue()) == answer("/airlines/")[2]

    def test_head_reads_the_first_rows_only_and_sends_nothing(self, airlines):
        with CaptureQueriesContext(connection) as queries:
            response = Client().head("/streamed/airlines/")
        assert (response.status_code, response.getvalue()) == (200, b"")
        assert response["Content-Type"] == "application/json"
        assert len(queries) == 1
        assert (
            Client(raise_request_exception=False).head("/streamed/airlines/?fail=00").status_code
            == 500
        )


# The rows are read in another thread, which must see them.
@pytest.mark.django_db(transaction=True)
class TestAsync:
    def test_the_bytes_are_the_same(self, airlines):
        async def ask():
            response = await AsyncClient().get("/streamed/airlines/")
            assert response.is_async
            return b"".join([chunk async for chunk in response.streaming_content])

        assert run(ask()) == answer("/airlines/")[2]

    def test_chunks_are_made_when_they_are_asked_for_and_not_after_closing(self, airlines):
        async def ask():
            response = await AsyncClient().get("/streamed/airlines/")
            chunks = aiter(response)
            first = await anext(chunks)
            await sync_to_async(response.close)()
            return first, [chunk async for chunk in chunks]

        first, rest = run(ask())
        assert (first.count(b'"code"'), rest) == (10, [])

    def test_an_error_arrives(self, airlines):
        async def ask():
            response = await AsyncClient().get("/streamed/airlines/?fail=12")
            return [chunk async for chunk in response.streaming_content]

        with pytest.raises(RuntimeError, match="12 fails"):
            run(ask())

    def test_a_type_error_is_not_taken_for_an_iterator_of_the_wrong_kind(self, airlines, caplog):
        async def ask():
            response = await AsyncClient().get("/streamed/airlines/?mistype=12")
            return [chunk async for chunk in aiter(response)]

        with pytest.raises(RuntimeError, match="the answer was cut off") as raised:
            run(ask())
        assert str(raised.value.__cause__) == "12 is of the wrong type"
        assert "TypeError: 12 is of the wrong type" in caplog.text


class TestReading:
    def reading(self, rows, **attributes):
        class View(served.StreamedAirlines):
            def get_queryset(self):
                return rows

            def filter_queryset(self, queryset):
                return queryset

        return call(View, **attributes)

    def test_only_what_is_sent_is_read(self, db):
        read = []

        def rows():
            for number in range(1000):
                read.append(number)
                yield Airline(code=str(number), name="")

        response = self.reading(rows(), stream_chunk_size=7)
        chunks = iter(response)
        assert read == list(range(7))
        assert next(chunks).count(b'"code"') == 7
        assert read == list(range(7))
        next(chunks)
        assert read == list(range(14))
        response.close()
        assert len(read) == 14

    @pytest.mark.parametrize("fail_at", [None, 5])
    def test_a_generator_of_rows_is_closed_with_the_answer(self, db, fail_at):
        closed = []

        def make_rows():
            try:
                for number in range(100):
                    yield object() if number == fail_at else Airline(code=str(number), name="")
            finally:
                closed.append(True)

        rows = make_rows()  # which the serializer holds, too
        response = self.reading(rows, stream_chunk_size=2)
        chunks = iter(response)
        next(chunks)
        assert closed == []
        if fail_at is not None:
            with pytest.raises(AttributeError):
                list(chunks)
        else:
            response.close()
        assert closed == [True]

    def test_the_setting_says_how_many_rows_are_read_at_a_time(self, db):
        rows = [Airline(code=str(number), name="") for number in range(10)]
        with override_settings(FASTSCHEMA={"STREAM_CHUNK_SIZE": 4}):
            chunks = list(self.reading(rows, stream_chunk_size=None))
        assert [chunk.count(b'"code"') for chunk in chunks] == [4, 4, 2, 0]

    @pytest.mark.parametrize("size", [0, -1])
    def test_a_chunk_without_rows_is_a_clear_error(self, db, size):
        with pytest.raises(ValueError, match=f"chunk_size must be at least 1, not {size}"):
            self.reading([], stream_chunk_size=size)

    def test_a_request_that_is_none_of_rest_frameworks_is_a_clear_error(self):
        request = APIRequestFactory().get("/")
        with pytest.raises(TypeError, match="the request of a DRF view"):
            stream(request, served.AirlineSerializer([], many=True))

    def test_what_is_no_serializer_is_a_clear_error(self):
        @api_view()
        def view(request):
            return stream(request, [])

        with pytest.raises(TypeError, match="a serializer made with many=True, not a list"):
            view(APIRequestFactory().get("/"))

    @pytest.mark.parametrize("name", ["__iter__", "_fetch_all", "iterator"])
    def test_querysets_that_are_read_in_their_own_way(self, airlines, name):
        class Rows(QuerySet):
            def __iter__(self):
                for row in super().__iter__():
                    row.name = "iterated"
                    yield row

        class Fetched(QuerySet):
            def _fetch_all(self):
                super()._fetch_all()
                for row in self._result_cache:
                    row.name = "fetched"

        class Both(Rows):
            def iterator(self, chunk_size=None):
                sizes.append(chunk_size)
                for row in super().iterator(chunk_size):
                    row.name = "iterated"
                    yield row

        sizes = []
        rows = {"__iter__": Rows, "_fetch_all": Fetched, "iterator": Both}[name](Airline)
        streamed = self.reading(rows.all(), stream_chunk_size=7)
        assert streamed.streaming
        stock = call(served.Airlines, get_queryset=lambda self: rows.all())
        assert body(streamed) == body(stock)
        assert sizes == [7] * (name == "iterator")

    @pytest.mark.parametrize(
        "rows",
        [
            lambda: Airline.objects,
            lambda: Airline.objects.all()[3:17],
            lambda: Airline.objects.none(),
            lambda: Airline.objects.raw("SELECT * FROM flights_airline ORDER BY code"),
            lambda: (
                Airline.objects.order_by()
                .filter(code="01")
                .union(Airline.objects.order_by().filter(code="02"))
            ),
            lambda: list(Airline.objects.all()),
            lambda: tuple(Airline.objects.all()),
        ],
    )
    def test_any_rows_give_what_they_give_in_stock(self, airlines, rows):
        class Stock(served.Airlines):
            def get_queryset(self):
                return rows()

        streamed = self.reading(rows())
        assert streamed.streaming
        assert body(streamed) == body(call(Stock))

    def test_a_queryset_that_was_evaluated_is_not_asked_again(self, airlines):
        queryset = Airline.objects.all()
        assert len(queryset) == 25
        with CaptureQueriesContext(connection) as queries:
            body(self.reading(queryset))
        assert len(queries) == 0

    def test_prefetched_relations_are_fetched_for_each_chunk(self, flights):
        class FlightNumbers(serializers.ModelSerializer):
            class Meta:
                model = Airline
                fields = ("code", "flights")

        views = [served.Airlines, served.StreamedAirlines]
        options = {
            "queryset": Airline.objects.prefetch_related(
                Prefetch("flights", Flight.objects.order_by("-id"))
            ),
            "serializer_class": FlightNumbers,
            "stream_chunk_size": 2,
        }
        bodies, counts = [], []
        for view in views:
            with CaptureQueriesContext(connection) as queries:
                bodies.append(body(call(view, **options)))
            counts.append(len(queries))
        assert bodies[0] == bodies[1]
        assert counts == [2, 3]  # three airlines in two chunks, the flights of each

    def test_closing_early_closes_the_cursor(self, airlines, monkeypatch):
        monkeypatch.setattr(compiler, "cursor_iter", compiler.cursor_iter)
        monkeypatch.setattr(served.Cursors, "opened", 0)
        monkeypatch.setattr(served.Cursors, "closed", 0)
        served.Cursors.count()
        response = Client().get("/streamed/airlines/")
        next(iter(response))
        assert (served.Cursors.opened, served.Cursors.closed) == (1, 0)
        response.close()
        assert (served.Cursors.opened, served.Cursors.closed) == (1, 1)


class TestSurroundings:
    def test_time_zone_and_language_are_those_of_the_view(self, flights):
        with override_settings(MIDDLEWARE=["tests.promises.django.streaming.served.elsewhere"]):
            expected = answer("/flights/")
            assert b'"2013-01-01T14:15:00+09:00","yes":"Ja"' in expected[2]
            assert answer("/streamed/flights/") == expected

    def test_it_is_not_what_holds_elsewhere_meanwhile(self, flights):
        with override_settings(MIDDLEWARE=["tests.promises.django.streaming.served.elsewhere"]):
            chunks = iter(Client().get("/streamed/flights/"))
            next(chunks)
            assert (str(timezone.get_current_timezone()), get_language()) == ("UTC", "en-us")
            assert b'+09:00","yes":"Ja"' in b"".join(chunks)


@pytest.mark.at_once
@pytest.mark.parametrize("is_own", [False, True])
def test_each_row_of_a_stream_is_counted_once(airlines, is_own):
    class Own(served.AirlineSerializer):
        def to_representation(self, instance):
            return super().to_representation(instance)

    before = fastschema.stats()
    body(
        call(served.StreamedAirlines, serializer_class=Own if is_own else served.AirlineSerializer)
    )
    after = fastschema.stats()
    counted = (after.compiled_rows - before.compiled_rows, after.stock_rows - before.stock_rows)
    assert counted == (25, 0)


class TestErrors:
    def test_before_the_first_byte_it_is_the_answer_of_stock(self, airlines):
        expected = answer("/airlines/?refuse=05")
        assert expected[0] == 400
        assert answer("/streamed/airlines/?refuse=05") == expected

    def test_a_query_that_fails_is_an_error_before_the_first_byte(self, db):
        with pytest.raises(Exception, match="no_such_column"):
            call(
                served.StreamedAirlines,
                queryset=Airline.objects.extra(where=["no_such_column = 1"]),
            )

    @pytest.mark.parametrize("accept", ["application/json", "application/x-ndjson"])
    @pytest.mark.parametrize("fail", ["10", "19", "24"])
    def test_after_it_the_answer_never_looks_whole(self, airlines, accept, fail):
        response = Client().get(f"/streamed/airlines/?fail={fail}", headers={"accept": accept})
        received = []
        with pytest.raises(RuntimeError, match=f"{fail} fails"):
            received.extend(response)
        assert b'"code":"09"' in received[0]
        assert not received[-1].endswith((b"]", b"\n"))

    def test_it_is_logged_with_its_traceback(self, airlines, caplog):
        response = Client().get("/streamed/airlines/?fail=15")
        with caplog.at_level(logging.ERROR, "django.request"), pytest.raises(RuntimeError):
            list(response)
        [record] = caplog.records
        assert record.getMessage() == "Answer cut off: /streamed/airlines/"
        assert str(record.exc_info[1]) == "15 fails"
        assert "in get_padding" in caplog.text
        assert record.request.path == "/streamed/airlines/"

    def test_it_is_signalled(self, airlines):
        heard = []

        def hear(request, **kwargs):
            heard.append(request.path)

        response = Client().get("/streamed/airlines/?fail=15")
        got_request_exception.connect(hear)
        try:
            with pytest.raises(RuntimeError):
                list(response)
        finally:
            got_request_exception.disconnect(hear)
        assert heard == ["/streamed/airlines/"]

    def test_it_does_not_go_on_after_an_error(self, airlines):
        chunks = iter(Client().get("/streamed/airlines/?fail=10"))
        next(chunks)
        with pytest.raises(RuntimeError):
            next(chunks)
        with pytest.raises(StopIteration):
            next(chunks)


class TestNotStreamed:
    def assert_stock(self, path="/", **attributes):
        streamed = call(served.StreamedAirlines, path, **attributes)
        assert isinstance(streamed, Response)
        attributes = {"pagination_class": None, **attributes}
        assert body(streamed) == body(call(served.Airlines, path, **attributes))

    def test_indented_json(self, airlines):
        headers = {"accept": "application/json; indent=4"}
        assert answer("/streamed/airlines/", **headers) == answer("/airlines/", **headers)
        assert not Client().get("/streamed/airlines/", headers=headers).streaming

    def test_json_that_a_view_indents(self, airlines):
        self.assert_stock(get_renderer_context=lambda self: {"indent": 2})

    def test_the_browsable_api(self, airlines):
        response = Client().get("/streamed/airlines/", headers={"accept": "text/html"})
        assert not response.streaming
        assert b"Streamed Airlines" in response.content
        assert b"Airline 24" in response.content

    def test_a_renderer_of_ones_own(self, airlines):
        class Loud(JSONRenderer):
            def render(self, data, *args):
                return super().render({"loud": data}, *args)

        self.assert_stock(renderer_classes=[Loud])

    def test_a_list_serializer_of_ones_own(self, airlines):
        class Backwards(serializers.ListSerializer):
            def to_representation(self, data):
                return super().to_representation(data.order_by("-code"))

        class Enveloped(serializers.ListSerializer):
            @property
            def data(self):
                return {"rows": super().data}

        for list_class in (Backwards, Enveloped):
            meta = type(
                "Meta", (served.AirlineSerializer.Meta,), {"list_serializer_class": list_class}
            )
            cls = type("Own", (served.AirlineSerializer,), {"Meta": meta})
            self.assert_stock(serializer_class=cls)

    def test_pages(self, airlines):
        class Pages(PageNumberPagination):
            page_size = 3

        self.assert_stock("/?page=2", pagination_class=Pages)

    def test_what_is_not_cut_into_pages_is_streamed(self, airlines):
        options = {"pagination_class": LimitOffsetPagination}
        streamed = call(served.StreamedAirlines, **options)
        assert streamed.streaming
        assert body(streamed) == answer("/airlines/")[2]
        self.assert_stock("/?limit=2", **options)


class TestPostgreSQL:
    @pytest.fixture(autouse=True)
    def only_there(self):
        if connection.vendor != "postgresql":
            pytest.skip("the tests run on another database than PostgreSQL: see CONTRIBUTING.md")

    def cursors(self):
        with connection.cursor() as cursor:
            cursor.execute("SELECT count(*) FROM pg_cursors WHERE name LIKE '\\_django\\_curs%'")
            return cursor.fetchone()[0]

    def test_rows_are_read_by_a_server_side_cursor_which_is_closed_at_the_end(self, airlines):
        response = Client().get("/streamed/airlines/")
        chunks = iter(response)
        next(chunks)
        assert self.cursors() == 1
        list(chunks)
        assert self.cursors() == 0

    def test_it_is_closed_when_the_answer_is(self, airlines):
        response = Client().get("/streamed/airlines/")
        next(iter(response))
        assert self.cursors() == 1
        response.close()
        assert self.cursors() == 0

    def test_it_is_closed_when_a_value_cannot_be_converted(self, airlines):
        class Refusing(CharField):
            def from_db_value(self, value, expression, connection):
                raise RuntimeError(f"{value} cannot be read")

        queryset = Airline.objects.annotate(again=ExpressionWrapper(F("name"), Refusing()))
        with pytest.raises(RuntimeError, match="cannot be read") as raised:
            call(served.StreamedAirlines, queryset=queryset)
        assert self.cursors() == 0
        assert raised.tb  # which refers to all that was going on

    def test_a_transaction_of_the_view_is_a_clear_error(self, airlines, monkeypatch):
        monkeypatch.setitem(connections["default"].settings_dict, "ATOMIC_REQUESTS", True)
        with pytest.raises(ImproperlyConfigured, match="ATOMIC_REQUESTS"):
            Client().get("/streamed/airlines/")
        assert answer("/airlines/")[0] == 200

    def test_a_view_that_is_exempt_from_it_streams(self, airlines, monkeypatch):
        monkeypatch.setitem(connections["default"].settings_dict, "ATOMIC_REQUESTS", True)
        request = APIRequestFactory().get("/")
        view = transaction.non_atomic_requests(served.StreamedAirlines.as_view())
        request.resolver_match = resolve("/airlines/")
        monkeypatch.setattr(request.resolver_match, "func", view)
        assert body(view(request)) == answer("/airlines/")[2]
