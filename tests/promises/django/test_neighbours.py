"""What people use beside serializers and views works as in stock."""

import pickle
import re

import pytest
from django.core.cache import cache
from django.test import Client, override_settings
from django.urls import resolve
from drf_spectacular.generators import SchemaGenerator
from drf_spectacular.openapi import AutoSchema
from rest_framework.test import APIClient, APIRequestFactory
from rest_framework.utils.serializer_helpers import ReturnDict, ReturnList
from rest_framework.views import APIView

import fastschema
from fastschema.contrib import django as front_end
from flights.models import Airline
from tests.promises.django import neighbours
from tests.promises.django.differential import exactly
from tests.promises.django.streaming import served

CSRF_TOKEN = re.compile(rb'(csrfToken": "|name="csrfmiddlewaretoken" value=")\w+')


@pytest.fixture(autouse=True)
def empty_cache():
    cache.clear()
    yield
    cache.clear()


def answers(paths, method="get", client_class=Client, middleware=(), **kwargs):
    """What is answered to requests, one after the other, in stock and then by fastschema."""

    def ask(urlconf):
        cache.clear()
        client = client_class()
        with override_settings(ROOT_URLCONF=urlconf, MIDDLEWARE=list(middleware)):
            return [snapshot(getattr(client, method)(path, **kwargs)) for path in paths]

    with fastschema.disabled():
        stock = ask(neighbours.Stock)
    return stock, ask(neighbours.Fast)


def snapshot(response):
    headers = {key: value for key, value in response.headers.items() if key != "Expires"}
    return response.status_code, headers, CSRF_TOKEN.sub(rb"\1", response.content)


def assert_same(paths, **kwargs):
    """Assert that the answers are stock's, headers and bytes; return them."""
    stock, fast = answers(paths, **kwargs)
    assert fast == stock
    return stock


HTML = {"accept": "text/html"}


class TestBrowsableApi:
    @pytest.mark.parametrize(
        "path", ["/all/", "/pages/?page=2", "/limits/", "/airlines/", "/airlines/UA/", "/all/?x=1"]
    )
    def test_a_page_is_that_of_stock(self, flights, path):
        [(status, _, content)] = assert_same([path], headers=HTML)
        assert status == 200
        assert b"Django REST framework" in content

    def test_a_form_with_errors_is_that_of_stock(self, flights):
        kwargs = {"data": "{", "content_type": "application/json", "headers": HTML}
        [(status, _, content)] = assert_same(["/airlines/"], method="post", **kwargs)
        assert status == 400
        assert b"JSON parse error" in content


class TestVersioning:
    @pytest.mark.parametrize("version", ["1", "2", "3"])
    def test_by_header(self, flights, version):
        headers = {"accept": f"application/json; version={version}"}
        [(status, _, content)] = assert_same(["/by-header/"], headers=headers)
        assert status == (406 if version == "3" else 200)
        assert (b'"name"' in content) is (version == "2")

    @pytest.mark.parametrize("version", ["1", "2", "3"])
    def test_by_query(self, flights, version):
        [(_, _, content)] = assert_same([f"/by-query/?version={version}"])
        assert (f"/airlines/UA/?version={version}".encode() in content) is (version != "3")

    @pytest.mark.parametrize("version", ["1", "2", "3"])
    def test_by_path(self, flights, version):
        [(_, _, content)] = assert_same([f"/{version}/by-path/"])
        assert (f"/{version}/airlines/UA/".encode() in content) is (version != "3")


class TestCaching:
    def test_a_cached_response_is_that_of_stock_and_made_once(self, flights):
        neighbours.calls.clear()
        first, second = assert_same(["/cached/"] * 2)
        assert first[2] == second[2]
        assert neighbours.calls == ["/cached/"] * 2  # one in stock, one by fastschema

    @pytest.mark.parametrize("path", ["/all/", "/pages/", "/airlines/UA/"])
    def test_a_response_survives_pickling(self, flights, path):
        def pickled(urlconf):
            match = resolve(path, urlconf)
            with override_settings(ROOT_URLCONF=urlconf):
                response = match.func(APIRequestFactory().get(path), **match.kwargs).render()
            copy = pickle.loads(pickle.dumps(response))
            assert copy.content == response.content
            return snapshot(copy), exactly(copy.data)

        with fastschema.disabled():
            stock = pickled(neighbours.Stock)
        assert pickled(neighbours.Fast) == stock

    def test_conditional_requests_are_answered_as_by_stock(self, flights):
        middleware = ["django.middleware.http.ConditionalGetMiddleware"]
        [(_, headers, _)] = assert_same(["/all/"], middleware=middleware)
        known = {"if-none-match": headers["ETag"]}
        [(status, _, content)] = assert_same(["/all/"], middleware=middleware, headers=known)
        assert (status, content) == (304, b"")


class TestClients:
    @pytest.mark.parametrize(
        ("path", "data_class"),
        [("/all/", ReturnList), ("/pages/", dict), ("/airlines/UA/", ReturnDict)],
    )
    def test_the_data_of_a_response_are_those_of_stock(self, flights, path, data_class):
        with fastschema.disabled(), override_settings(ROOT_URLCONF=neighbours.Stock):
            stock = APIClient().get(path)
        with override_settings(ROOT_URLCONF=neighbours.Fast):
            fast = APIClient().get(path)
        assert type(fast.data) is type(stock.data) is data_class
        assert exactly(fast.data) == exactly(stock.data)
        assert fast.json() == stock.json()
        assert fast.content == stock.content

    def test_a_middleware_may_change_the_data(self, flights):
        middleware = ["tests.promises.django.test_neighbours.Shortened"]
        [(_, _, content)] = assert_same(["/all/"], middleware=middleware)
        assert content.count(b'"destination_code"') == 1

    @pytest.mark.parametrize("method", ["head", "options"])
    def test_other_methods_are_answered_as_by_stock(self, flights, method):
        assert_same(["/all/", "/airlines/UA/", "/airlines/"], method=method)

    @pytest.mark.parametrize(
        "data", ['{"code": "AA", "name": "é"}', '{"code": "UA"}', "[]", "{", "", '{"code": 1e999}']
    )
    def test_writing_is_answered_as_by_stock(self, flights, data):
        def write(urlconf):
            with override_settings(ROOT_URLCONF=urlconf):
                answer = Client().post("/airlines/", data, content_type="application/json")
            Airline.objects.filter(code="AA").delete()
            return snapshot(answer)

        with fastschema.disabled():
            stock = write(neighbours.Stock)
        assert write(neighbours.Fast) == stock


class Shortened:
    def __init__(self, get_response):
        self.get_response = get_response

    def __call__(self, request):
        return self.get_response(request)

    def process_template_response(self, request, response):
        del response.data[1:]
        return response


class TestOpenApi:
    @pytest.fixture(autouse=True)
    def with_its_inspector(self, monkeypatch):
        monkeypatch.setattr(APIView, "schema", AutoSchema())

    def schema(self, patterns):
        return SchemaGenerator(patterns=patterns).get_schema(request=None, public=True)

    def test_the_schema_of_a_project_is_that_of_stock(self):
        fast = self.schema(neighbours.Fast.urlpatterns)
        front_end.uninstall()
        try:
            stock = self.schema(neighbours.Stock.urlpatterns)
        finally:
            front_end.install()
        assert fast == stock
        assert set(fast["components"]["schemas"]) >= {"Flight", "Airline", "PaginatedFlightList"}

    def test_a_streamed_list_is_a_list(self):
        views = (served.Airlines, served.StreamedAirlines)
        patterns = [each for each in served.urlpatterns if vars(each.callback).get("cls") in views]
        paths = self.schema(patterns)["paths"]
        stock = paths["/airlines/"]["get"]["responses"]["200"]["content"]
        assert stock["application/json"]["schema"]["type"] == "array"
        assert set(stock) == {"application/json", "application/x-ndjson"}
        assert paths["/streamed/airlines/"]["get"]["responses"]["200"]["content"] == stock
