"""Views with filters: their requests, and the class of ``filterset_fields``."""

import django_filters
import pytest
from django.db.models import ForeignKey
from django_filters.rest_framework import DjangoFilterBackend, FilterSet
from rest_framework.generics import ListAPIView, RetrieveAPIView
from rest_framework.test import APIRequestFactory

import fastschema
from fastschema.contrib.django.renderers import FastJSONRenderer
from flights.models import Airline, Flight
from flights.serializers import AirlineSerializer
from tests.promises.django.differential import assert_equal, assert_returns_as_in_stock, outcome
from tests.promises.django_filter.models import Holder, tenant


class ByFields(ListAPIView):
    queryset = Airline.objects.all()
    serializer_class = AirlineSerializer
    renderer_classes = [FastJSONRenderer]
    filter_backends = [DjangoFilterBackend]
    filterset_fields = {"code": ["exact", "in"], "flights": ["exact"], "flights__plane": ["exact"]}


class ByClass(ByFields):
    class filterset_class(FilterSet):  # noqa: N801  # DRF's name for it
        name = django_filters.CharFilter(lookup_expr="icontains")

        class Meta:
            model = Airline
            fields = ["code"]


class OneByFields(RetrieveAPIView):
    queryset = Airline.objects.all()
    serializer_class = AirlineSerializer
    renderer_classes = [FastJSONRenderer]
    filter_backends = [DjangoFilterBackend]
    filterset_fields = ["name"]


QUERIES = [
    *("", "code=UA", "code__in=UA,DL", "flights=1&flights=2", "flights=99", "flights__plane=N1"),
    *("flights=x&code=UA", "name=united", "x=y"),
]


def answer(view_class, query, **arguments):
    def call():
        response = view_class.as_view()(APIRequestFactory().get(f"/?{query}"), **arguments)
        return response.status_code, response.render().content

    return outcome(call, [])


def assert_same_answer(view_class, query, **arguments):
    with fastschema.disabled():
        expected = answer(view_class, query, **arguments)
    for _ in range(2):
        assert_equal(answer(view_class, query, **arguments), expected)


@pytest.mark.parametrize("query", QUERIES)
@pytest.mark.parametrize("view_class", [ByFields, ByClass])
def test_a_list_is_that_of_stock(flights, view_class, query):
    assert_same_answer(view_class, query)


@pytest.mark.parametrize("query", ["", "name=United", "name=x"])
def test_a_detail_is_that_of_stock(flights, query):
    assert_same_answer(OneByFields, query, pk="UA")


class View:
    def __init__(self, fields):
        self.filterset_fields = fields


def class_of(fields, model=Flight, backend=DjangoFilterBackend, view=View):
    return backend().get_filterset_class(view(fields), model.objects.all())


class TestClassOfFields:
    @pytest.mark.parametrize(
        "fields",
        [["number", "plane"], ("number",), {"number": ["lt", "in"], "date": ["year"]}, "__all__"],
    )
    def test_it_is_made_once(self, fields):
        assert class_of(fields) is class_of(fields)
        with fastschema.disabled():
            stock = class_of(fields)
        assert stock is not class_of(fields)
        assert list(stock.base_filters) == list(class_of(fields).base_filters)
        assert stock.__qualname__ == class_of(fields).__qualname__

    def test_other_fields_make_another_class(self):
        fields = ["number"]
        before = class_of(fields)
        fields.append("date")
        assert list(class_of(fields).base_filters) == ["number", "date"]
        assert class_of(["number"]) is before
        assert class_of(["code"], Airline) is not class_of(["code"], Airline, view=Other)

    def test_it_is_not_made_once_if_users_code_may_change_it(self):
        class Changing(DjangoFilterBackend):
            def get_filterset_class(self, view, queryset=None):
                made = super().get_filterset_class(view, queryset)
                made.base_filters["x"] = django_filters.CharFilter()
                return made

        assert class_of(["number"], backend=Changing) is not class_of(["number"], backend=Changing)
        assert "x" not in class_of(["number"]).base_filters

    def test_own_hooks_run_each_time(self):
        class Own(FilterSet):
            @classmethod
            def filter_for_lookup(cls, field, lookup_type):
                return django_filters.CharFilter, {}

        backend = type("Backend", (DjangoFilterBackend,), {"filterset_base": Own})
        assert class_of(["number"], backend=backend) is not class_of(["number"], backend=backend)

    @pytest.mark.parametrize("fields", [[1], {"number": 1}, ["nothing"], {1, 2}, None, [["a"]]])
    def test_what_is_wrong_is_wrong_as_in_stock(self, fields):
        with fastschema.disabled():
            expected = outcome(lambda: class_of(fields), [])
        for _ in range(2):
            assert outcome(lambda: class_of(fields), []).error == expected.error

    def test_forgetting_forgets_it(self):
        before = class_of(["number"])
        fastschema.forget()
        assert class_of(["number"]) is not before


class Other(View):
    pass


class TestTenants:
    @pytest.mark.parametrize("name", ["owned", "limited", "cloned"])
    def test_related_objects_are_those_of_the_request(self, name):
        def query_of(which):
            token = tenant.set(which)
            try:
                made = class_of([name], Holder)({}, Holder.objects.all())
                return str(made.filters[name].field.queryset.query)
            finally:
                tenant.reset(token)

        def both():
            return [query_of(which) for which in "abab"]

        expected = assert_returns_as_in_stock(both)
        assert len(set(expected)) == 2

    def test_others_are_made_once(self):
        assert isinstance(Holder._meta.get_field("free"), ForeignKey)
        assert class_of(["free"], Holder) is class_of(["free"], Holder)
