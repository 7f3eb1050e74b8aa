"""What a list of flights can be narrowed to in its query string."""

from calendar import monthrange
from datetime import date

from django import forms
from django.db.models import QuerySet
from django_filters import rest_framework as filters

from flights.models import Flight

# The data set covers this year and no other.
YEAR = 2013

# The largest whole number that every database takes.
LARGEST = 2**31 - 1


class WholeNumberFilter(filters.Filter):
    """A filter whose value is a whole number (django-filter's own takes fractions too)."""

    field_class = forms.IntegerField


class FlightFilter(filters.FilterSet):
    """``?carrier=UA``, ``?origin=JFK`` and ``?month=1``, the month being New York's."""

    carrier = filters.CharFilter(field_name="airline_id", label="Carrier code")
    origin = filters.CharFilter(field_name="origin_id", label="FAA code of the origin")
    month = WholeNumberFilter(method="in_month", label="Month", min_value=1, max_value=12)

    class Meta:
        model = Flight
        fields = ("carrier", "origin", "month")

    def in_month(self, flights: QuerySet[Flight], name: str, month: int) -> QuerySet[Flight]:
        """Return the flights that left in a month, 1 to 12."""
        # "date__month" would say the same, but could not use the index on the date.
        last_day = monthrange(YEAR, month)[1]
        return flights.filter(date__range=(date(YEAR, month, 1), date(YEAR, month, last_day)))


class BulkFlightFilter(FlightFilter):
    """Filters of flights, and ``?limit=``: how many to send at most."""

    limit = WholeNumberFilter(method="at_most", label="Limit", min_value=1, max_value=LARGEST)

    def filter_queryset(self, queryset: QuerySet[Flight]) -> QuerySet[Flight]:
        """Return the chosen flights, cut to the limit after every other filter."""
        limit = self.form.cleaned_data["limit"]
        return super().filter_queryset(queryset)[:limit]

    def at_most(self, flights: QuerySet[Flight], name: str, limit: int) -> QuerySet[Flight]:
        """Return the flights as they are: a list that is cut can no longer be filtered."""
        return flights
