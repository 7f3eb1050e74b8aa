"""Filters by several choices, where nothing was chosen."""

import pytest
from django.db import models
from django_filters import filters

import fastschema
from flights.models import Airline, Flight


class OddQuerySet(models.QuerySet):
    """Is never empty."""

    def __bool__(self):
        return True


VALUES = [
    lambda: Airline.objects.none(),
    lambda: Airline.objects.filter(code="UA"),
    lambda: Airline.objects.filter(code="nothing"),
    lambda: Airline.objects.none().union(Airline.objects.filter(code="UA")),
    lambda: OddQuerySet(Airline).none(),
    list,
    lambda: ["UA"],
    lambda: "",
]


@pytest.mark.parametrize("make", VALUES)
def test_a_filter_by_choices_is_that_of_stock(flights, make):
    choices = filters.ModelMultipleChoiceFilter(
        field_name="airline", queryset=Airline.objects.all()
    )
    rows = Flight.objects.all()
    with fastschema.disabled():
        expected = choices.filter(rows, make())
    found = choices.filter(rows, make())
    assert (found is rows) == (expected is rows)
    assert str(found.query) == str(expected.query)


def test_a_queryset_of_nothing_is_not_evaluated(flights):
    rows, nothing = Flight.objects.all(), Airline.objects.none()
    choices = filters.ModelMultipleChoiceFilter(queryset=Airline.objects.all())

    assert choices.filter(rows, nothing) is rows
    assert nothing._result_cache is None
