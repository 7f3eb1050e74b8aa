"""FastCamelCaseJSONRenderer writes the bytes of CamelCaseJSONRenderer, or raises what it raises."""

import pytest
from djangorestframework_camel_case.render import CamelCaseJSONRenderer
from rest_framework import generics, serializers

import fastschema
from fastschema.contrib.camel_case import renderers
from fastschema.contrib.camel_case.renderers import FastCamelCaseJSONRenderer
from flights.models import Airline
from tests.marks import needs_orjson
from tests.promises.django.differential import outcome
from tests.promises.django.dump.test_fields import VALUES as VALUES_OF_FIELDS
from tests.promises.django.requests_in_turns import IN_TURNS

VALUES = {
    **{name: {"the_value": value} for name, value in VALUES_OF_FIELDS.items()},
    "None": None,
    "text": "a_b",
    "rows": [{"a_b": 1, "c_d": [{"e_f": None}]}, {"a_b": 2.5, "c_d": []}],
    "beyond ASCII": {"\u00e9_\u00e9": "\u2028"},
    "numbers as keys": {1: {"a_b": 2}},
}


def assert_same(data, stock=CamelCaseJSONRenderer, fast=FastCamelCaseJSONRenderer, **kwargs):
    expected = outcome(lambda: stock().render(data, **kwargs), [])
    assert outcome(lambda: fast().render(data, **kwargs), []) == expected
    return expected


@pytest.mark.parametrize("value", VALUES.values(), ids=VALUES)
def test_the_bytes_are_those_of_the_package(value):
    assert_same(value)
    assert_same([value])


@pytest.mark.parametrize("value", VALUES.values(), ids=VALUES)
def test_indented_json_is_that_of_the_package(value):
    assert_same(value, accepted_media_type="application/json; indent=4", renderer_context={})


@pytest.mark.parametrize(
    "options",
    [{}, {"ignore_fields": ("a_b",)}, {"ignore_keys": ["a_b"]}, {"ignore_fields": {"cD"}}],
    ids=str,
)
def test_options_of_a_class_hold(options):
    class Stock(CamelCaseJSONRenderer):
        json_underscoreize = options

    class Fast(FastCamelCaseJSONRenderer):
        json_underscoreize = options

    assert_same({"a_b": {"c_d": {"e_f": 1}}, "c_d": [{"a_b": 1}]}, Stock, Fast)


class RouteSerializer(serializers.ModelSerializer):
    airline_code = serializers.CharField(source="code")
    asked_by_user = serializers.SerializerMethodField()

    class Meta:
        model = Airline
        fields = ("airline_code", "name", "asked_by_user")

    def get_fields(self):
        fields = super().get_fields()
        if self.context["request"].GET.get("user") == "guest":
            del fields["name"]
        return fields

    def get_asked_by_user(self, airline):
        return {"user_name": self.context["request"].GET.get("user")}


class Routes(generics.ListAPIView):
    queryset = Airline.objects.order_by("code")
    serializer_class = RouteSerializer
    renderer_classes = [FastCamelCaseJSONRenderer]
    pagination_class = None


class StockRoutes(Routes):
    renderer_classes = [CamelCaseJSONRenderer]


@pytest.mark.django_db
def test_each_visitor_gets_the_answer_of_stock():
    Airline.objects.create(code="AA", name="American")
    for visitor in IN_TURNS:
        with visitor.visiting():
            with fastschema.disabled():
                expected = StockRoutes.as_view()(visitor.http_request()).render()
            response = Routes.as_view()(visitor.http_request()).render()
            assert response.content == expected.content
            assert response.headers == expected.headers


@needs_orjson
def test_json_is_written_by_orjson(monkeypatch):
    monkeypatch.setattr("rest_framework.renderers.json.dumps", None)
    assert FastCamelCaseJSONRenderer().render([{"a_b": 1}]) == b'[{"aB":1}]'


def test_the_package_writes_where_fastschema_is_disabled(monkeypatch):
    monkeypatch.setattr(renderers, "camelized", None)
    with fastschema.disabled():
        assert FastCamelCaseJSONRenderer().render([{"a_b": 1}]) == b'[{"aB":1}]'
