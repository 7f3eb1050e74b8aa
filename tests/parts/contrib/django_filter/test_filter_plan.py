"""Why filter sets of a class make their filters, and what is kept with the class."""

import pickle

import django_filters
import pytest
from django import forms
from django.http import QueryDict

from fastschema.contrib.django_filter.filter_plan import FilterSetRecord
from flights.models import Airline, Flight
from tests.promises.django_filter.test_on_demand import filter_set

pytestmark = pytest.mark.usefixtures("flights")


def test_the_state_of_a_class_is_not_pickled():
    cls = filter_set()
    cls(QueryDict(""), Flight.objects.all())
    assert pickle.loads(pickle.dumps(FilterSetRecord.of(cls))) is None


def why_of(cls):
    return FilterSetRecord.of(cls).why(Flight)


@pytest.mark.parametrize(
    ("made", "why"),
    [
        (
            django_filters.AllValuesFilter(field_name="tail_number"),
            "the choices of the filter x are asked for in any case",
        ),
        (
            django_filters.ChoiceFilter(choices=lambda: [("UA", "United")]),
            "the choices of the filter x may be others for each request",
        ),
        (
            django_filters.TypedChoiceFilter(choices=[("UA", "United")], coerce=lambda x: x),
            "the form field of the filter x has code of its own",
        ),
        (
            type("Own", (django_filters.CharFilter,), {"always": 1})(),
            "the filter x has code of its own",
        ),
        (
            django_filters.CharFilter(validators=[lambda value: None]),
            "the form field of the filter x has code of its own",
        ),
        (django_filters.NumberFilter(required=True), "the filter x is required, or disabled"),
        (
            django_filters.ModelChoiceFilter(queryset=lambda request: Airline.objects.all()),
            "the queryset of the filter x is made for each request",
        ),
        (
            django_filters.BooleanFilter(field_name="cancelled", widget=forms.CheckboxInput),
            "the widget of the filter x is not one that reads one parameter",
        ),
        (
            django_filters.CharFilter(empty_value="UA", field_name="airline"),
            "the filter x filters without a parameter",
        ),
        (
            django_filters.LookupChoiceFilter(field_name="nothing"),
            "the filter x cannot be made: AttributeError: "
            "'NoneType' object has no attribute 'get_lookups'",
        ),
    ],
)
def test_reasons_of_filters(made, why):
    assert why_of(filter_set(x=made)) == why


@pytest.mark.parametrize(
    ("content", "why"),
    [
        ({"get_form_class": lambda self: None}, "get_form_class is overridden"),
        ({"errors": None}, "errors is overridden"),
        ({"form": None}, "form, filters or __getattr__ is overridden"),
        ({"filters": None}, "form, filters or __getattr__ is overridden"),
    ],
)
def test_reasons_of_classes(content, why):
    assert why_of(filter_set(**content)) == why
