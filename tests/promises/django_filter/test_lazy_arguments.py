"""What users give to filters may be lazy: what it stands for is its request's."""

import django_filters
import pytest
from django.db.models import QuerySet
from django_filters.rest_framework import FilterSet

from flights.models import Airline, Flight
from tests.lazy_values import CALLS, KINDS, assert_same_in_turns, noting, request_of
from tests.promises.django.differential import outcome

pytestmark = pytest.mark.django_db


def code(who):
    return {"a": "UA", "b": "DL", "nobody": "XX"}[who]


def same(value):
    return lambda who: value


def is_b(who):
    return who == "b"


Choice, Char, Model = (
    *(django_filters.ChoiceFilter, django_filters.CharFilter),
    django_filters.ModelChoiceFilter,
)
FILTERS = {
    "choices": lambda lazy: Choice(
        field_name="airline_id", choices=lazy(lambda who: [(code(who), who)])
    ),
    "a choice": lambda lazy: Choice(field_name="airline_id", choices=[(lazy(code), "x")]),
    "label of a choice": lambda lazy: Choice(field_name="airline_id", choices=[("UA", lazy(code))]),
    "required": lambda lazy: Char(field_name="airline_id", required=lazy(is_b)),
    "field_name": lambda lazy: Char(field_name=lazy(same("airline_id"))),
    "lookup_expr": lambda lazy: Char(field_name="airline_id", lookup_expr=lazy(same("startswith"))),
    "exclude": lambda lazy: Char(field_name="airline_id", exclude=lazy(is_b)),
    "distinct": lambda lazy: Char(field_name="airline_id", distinct=lazy(is_b)),
    "queryset": lambda lazy: Model(
        field_name="airline", queryset=lazy(lambda who: Airline.objects.filter(code=code(who)))
    ),
    "label": lambda lazy: Char(field_name="airline_id", label=lazy(code)),
    "help_text": lambda lazy: Char(field_name="airline_id", help_text=lazy(code)),
    "initial": lambda lazy: Char(field_name="airline_id", initial=lazy(code)),
    "method": lambda lazy: Char(method=lazy(same("by_code"))),
    "max_length": lambda lazy: Char(field_name="airline_id", max_length=lazy(same(2))),
    "empty_label": lambda lazy: Choice(
        field_name="airline_id", choices=[("UA", "x")], empty_label=lazy(code)
    ),
    "disabled": lambda lazy: Char(field_name="airline_id", disabled=lazy(is_b)),
    "validators": lambda lazy: Char(field_name="airline_id", validators=lazy(same([]))),
    "error_messages": lambda lazy: Choice(
        field_name="airline_id",
        choices=[("UA", "x")],
        error_messages=lazy(lambda who: {"invalid_choice": who}),
    ),
    "an error message": lambda lazy: Choice(
        field_name="airline_id",
        choices=[("UA", "x")],
        error_messages={"invalid_choice": lazy(code)},
    ),
    "widget": lambda lazy: Char(
        field_name="airline_id", widget=lazy(same(django_filters.widgets.forms.TextInput))
    ),
    "min_value": lambda lazy: django_filters.NumberFilter(min_value=lazy(same(2))),
}
DATA = [{}, {"field": "UA"}, {"field": "DL"}, {"field": "XX"}, {"field": ""}, {"number": 1}]


class Base(FilterSet):
    number = django_filters.NumberFilter()

    class Meta:
        model = Flight
        fields = ()

    def by_code(self, queryset, name, value):
        return queryset.filter(airline_id=value)


def requests(cls, visits):
    """What a filter set gives in the requests of some visits: rows, errors and calls."""
    outcomes = []
    for who in visits:
        with request_of(who):
            for data in DATA:
                outcomes.append(outcome(lambda: filtered(cls(data)), CALLS))  # noqa: B023  # called at once
            outcomes.append(outcome(lambda: types_of(cls({}).filters), CALLS))
    return outcomes


def filtered(filter_set):
    if not filter_set.is_valid():
        return filter_set.errors
    rows = filter_set.filter_queryset(Flight.objects.all())
    return [row.pk for row in rows] if isinstance(rows, QuerySet) else rows


def types_of(filters):
    return {
        (name, key): type(value).__name__
        for name, filter_ in filters.items()
        for key, value in {**vars(filter_), **filter_.extra}.items()
        if key not in ("model", "parent")
    }


@pytest.mark.parametrize("name", FILTERS)
def test_a_lazy_argument_of_a_filter_is_that_of_its_request(name, visits, flights):
    def make():
        field = FILTERS[name](lambda give: KINDS["SimpleLazyObject"](noting("lazy", give)))
        return type("Set", (Base,), {"field": field})

    assert_same_in_turns(requests, make, visits)
