"""What users give to classes of filter sets, to views and to paginators may be lazy."""

import django_filters
import pytest
from django import forms
from django.db.models import CharField
from django_filters.filterset import UnknownFieldBehavior
from django_filters.rest_framework import DjangoFilterBackend, FilterSet
from rest_framework import filters, generics, pagination
from rest_framework.test import APIRequestFactory

import fastschema
from flights.models import Airline
from flights.serializers import AirlineSerializer
from tests.lazy_values import CALLS, EACH_OR_ALL, TURNS, cases_of, differing, request_of
from tests.promises.django.differential import outcome
from tests.promises.django.test_lazy_arguments import is_b, same

pytestmark = [
    pytest.mark.django_db,
    pytest.mark.filterwarnings("ignore"),  # as an error, it would end both sides alike
]


class View(generics.ListAPIView):
    queryset = Airline.objects.all()
    serializer_class = AirlineSerializer
    filter_backends = [DjangoFilterBackend, filters.SearchFilter, filters.OrderingFilter]


class Form(forms.Form):
    pass


def name(who):
    return "name" if is_b(who) else "code"


def names(who):
    return [name(who)]


def number(who):
    return 2 if is_b(who) else 1


def lookups(who):
    return {name(who): ["exact"]}


def of_char_field(who):
    return {"filter_class": django_filters.CharFilter, "extra": lambda field: {"label": who}}


def view(**attributes):
    return type("View", (View,), attributes)


def meta(**options):
    """A view with a filter set that has options of its own."""
    options = {"model": Airline, "fields": ["code"], **options}
    of_class = {"Meta": type("Meta", (), options)}
    return view(filterset_class=type("Set", (FilterSet,), of_class))


def paginated(base, **attributes):
    return view(pagination_class=type("Pages", (base,), attributes))


def by_page(**attributes):
    return paginated(pagination.PageNumberPagination, **{"page_size": 2, **attributes})


def by_offset(**attributes):
    return paginated(pagination.LimitOffsetPagination, **{"default_limit": 2, **attributes})


def by_cursor(**attributes):
    options = {"page_size": 2, "ordering": "code", **attributes}
    return paginated(pagination.CursorPagination, **options)


OPTIONS = {
    "model": lambda lazy: meta(model=lazy(same(Airline))),
    "fields": lambda lazy: meta(fields=lazy(names)),
    "lookups": lambda lazy: meta(fields=lazy(lookups)),
    "a field": lambda lazy: meta(fields=["code", lazy(same("name"))]),
    "lookups of a field": lambda lazy: meta(fields={"name": lazy(same(["exact"]))}),
    "a lookup": lambda lazy: meta(fields={"name": [lazy(same("startswith"))]}),
    "exclude": lambda lazy: meta(fields=None, exclude=lazy(names)),
    "an excluded field": lambda lazy: meta(fields=None, exclude=[lazy(name)]),
    "filter_overrides": lambda lazy: meta(
        filter_overrides=lazy(lambda who: {CharField: of_char_field(who)})
    ),
    "an override": lambda lazy: meta(filter_overrides={CharField: lazy(of_char_field)}),
    "a class": lambda lazy: meta(
        filter_overrides={CharField: {"filter_class": lazy(same(django_filters.CharFilter))}}
    ),
    "form": lambda lazy: meta(form=lazy(same(Form))),
    "unknown_field_behavior": lambda lazy: meta(
        unknown_field_behavior=lazy(same(UnknownFieldBehavior.IGNORE))
    ),
    "filterset_class": lambda lazy: view(
        filterset_class=lazy(lambda who: vars(meta())["filterset_class"])
    ),
    "filterset_fields": lambda lazy: view(filterset_fields=lazy(names)),
    "lookups of a view": lambda lazy: view(filterset_fields=lazy(lookups)),
    "a field of a view": lambda lazy: view(filterset_fields=[lazy(name)]),
    "search_fields": lambda lazy: view(search_fields=lazy(names)),
    "a field to search": lambda lazy: view(search_fields=[lazy(name)]),
    "ordering_fields": lambda lazy: view(ordering_fields=lazy(names)),
    "a field to order by": lambda lazy: view(ordering_fields=[lazy(name)]),
    "ordering": lambda lazy: view(ordering=lazy(names)),
    "queryset": lambda lazy: view(queryset=lazy(lambda who: Airline.objects.order_by(name(who)))),
    "serializer_class": lambda lazy: view(serializer_class=lazy(same(AirlineSerializer))),
    "filter_backends": lambda lazy: view(filter_backends=lazy(same([]))),
    "pagination_class": lambda lazy: view(pagination_class=lazy(same(None))),
    "page_size": lambda lazy: by_page(page_size=lazy(number)),
    "page_size_query_param": lambda lazy: by_page(page_size_query_param=lazy(same("size"))),
    "page_query_param": lambda lazy: by_page(page_query_param=lazy(same("page"))),
    "max_page_size": lambda lazy: by_page(page_size_query_param="size", max_page_size=lazy(number)),
    "default_limit": lambda lazy: by_offset(default_limit=lazy(number)),
    "max_limit": lambda lazy: by_offset(max_limit=lazy(number)),
    "limit_query_param": lambda lazy: by_offset(limit_query_param=lazy(same("size"))),
    "page_size of cursors": lambda lazy: by_cursor(page_size=lazy(number)),
    "ordering of cursors": lambda lazy: by_cursor(ordering=lazy(name)),
    "a name in the ordering of cursors": lambda lazy: by_cursor(ordering=[lazy(name)]),
}
QUERIES = ["", "code=UA", "name=United", "search=U", "ordering=-code", "size=3", "page=2&x=y"]


def calls(view_class):
    """What a view answers for each query, and the calls of code of users."""
    outcomes = []
    for who in TURNS:
        with request_of(who):
            for query in QUERIES:
                request = APIRequestFactory().get(f"/?{query}")
                outcomes.append(outcome(lambda: view_class.as_view()(request).data, CALLS))  # noqa: B023  # called at once
    return outcomes


@EACH_OR_ALL
def test_only_stock_looks_at_an_option(choose, flights):
    cases = choose(cases_of(OPTIONS))
    failures, count = differing(cases, calls, fastschema.disabled)
    assert failures == {}
    assert count > len(cases) / 2
