"""Settings, time zones and languages that change between dumps, after plans were made and used."""

import datetime
from contextlib import nullcontext
from decimal import Decimal

import pytest
from django.conf import settings
from django.test import override_settings
from django.utils import timezone, translation
from django.utils.translation import gettext_lazy
from rest_framework import generics, serializers
from rest_framework.test import APIRequestFactory

from fastschema.contrib.django.renderers import FastJSONRenderer
from fastschema.contrib.django.streaming import StreamingListMixin
from flights.models import Flight
from flights.serializers import FlightSerializer
from tests.promises.django.differential import (
    Thing,
    assert_returns_as_in_stock,
    assert_same,
    exactly,
)


def rest_framework(**options):
    """DRF's settings with other options; each call makes a new context manager."""
    return lambda: override_settings(REST_FRAMEWORK={**settings.REST_FRAMEWORK, **options})


def django(**options):
    """Django's settings, likewise."""
    return lambda: override_settings(**options)


CHANGES = {
    "decimals": rest_framework(COERCE_DECIMAL_TO_STRING=False),
    "big integers": rest_framework(COERCE_BIGINT_TO_STRING=True),
    "datetimes as they are": rest_framework(DATETIME_FORMAT=None),
    "datetimes in a format": rest_framework(DATETIME_FORMAT="%A %d %B %Y %H %Z"),
    "dates as they are": rest_framework(DATE_FORMAT=None),
    "dates in a format": rest_framework(DATE_FORMAT="%d.%m."),
    "times as they are": rest_framework(TIME_FORMAT=None),
    "times in a format": rest_framework(TIME_FORMAT="%H"),
    "durations as they are": rest_framework(DURATION_FORMAT=None),
    "durations in a format": rest_framework(DURATION_FORMAT="iso-8601"),
    "names of files": rest_framework(UPLOADED_FILES_USE_URL=False),
    # Read once, when DRF is imported.
    "lenient": rest_framework(STRICT_JSON=False),
    "ASCII": rest_framework(UNICODE_JSON=False),
    "spaced": rest_framework(COMPACT_JSON=False),
    "no time zones": django(USE_TZ=False),
    "time zone": django(TIME_ZONE="Asia/Tokyo"),
    "naive elsewhere": django(TIME_ZONE="Asia/Tokyo", USE_TZ=False),
    "language": django(LANGUAGE_CODE="de"),
    "separators": django(LANGUAGE_CODE="de", USE_THOUSAND_SEPARATOR=True),
    "own separators": django(USE_I18N=False, DECIMAL_SEPARATOR="!"),
    "active time zone": lambda: timezone.override("America/New_York"),
    "no active time zone": lambda: timezone.override(None),
    "active language": lambda: translation.override("fr"),
    "no active language": lambda: translation.override(None),
}

INSTANT = datetime.datetime(2013, 1, 1, 5, 15, 0, 120, tzinfo=datetime.UTC)


class Stored:
    url, name = "/media/a.txt", "a.txt"


class Inner(serializers.Serializer):
    decimal = serializers.DecimalField(None, 2)
    localized = serializers.DecimalField(None, 2, source="decimal", localize=True)
    big = getattr(serializers, "BigIntegerField", serializers.IntegerField)()
    instant = serializers.DateTimeField()
    naive = serializers.DateTimeField()
    zoned = serializers.DateTimeField(source="instant", default_timezone=datetime.UTC)
    spelled = serializers.DateTimeField(source="instant", format="%A %B %Y %H %Z")
    listed = serializers.ListField(child=serializers.DateTimeField())
    date = serializers.DateField()
    time = serializers.TimeField()
    duration = serializers.DurationField()
    file = serializers.FileField()
    text = serializers.CharField()
    as_it_is = serializers.ReadOnlyField(source="text")
    chosen = serializers.ChoiceField([("Yes", gettext_lazy("Yes"))], source="text")
    active = serializers.SerializerMethodField()

    def get_active(self, obj):
        """What a method finds."""
        return f"{translation.get_language()}, {timezone.get_current_timezone_name()}"


class Outer(serializers.Serializer):
    one = Inner()
    many = Inner(many=True)


INNER = Thing(
    decimal=Decimal("1234567.5"),
    big=2**60,
    instant=INSTANT,
    naive=INSTANT.replace(tzinfo=None),
    listed=[INSTANT, INSTANT.replace(tzinfo=None)],
    date=INSTANT.date(),
    time=INSTANT.time(),
    duration=datetime.timedelta(days=3, seconds=1),
    file=Stored(),
    text=gettext_lazy("Yes"),
)
OUTER = Thing(one=INNER, many=[INNER, INNER])


class Flights(generics.ListAPIView):
    queryset = Flight.objects.select_related("airline", "origin", "destination", "plane")
    serializer_class = FlightSerializer
    pagination_class = None
    filter_backends = []
    renderer_classes = [FastJSONRenderer]


class StreamedFlights(StreamingListMixin, Flights):
    stream_chunk_size = 2


def begun(view_class):
    """What a view returns, before it is rendered or read."""
    return view_class.as_view()(APIRequestFactory().get("/"))


def answer():
    """The body and the data of the list."""
    response = begun(Flights).render()
    return response.content, exactly(response.data)


@pytest.mark.parametrize("change", CHANGES.values(), ids=CHANGES)
def test_serializers_see_what_has_changed(change):
    for context in (nullcontext, change, nullcontext):
        with context():
            assert_same(Inner, INNER)
            assert_same(Outer, OUTER)
            assert_same(Outer, [OUTER, OUTER], many=True)


@pytest.mark.parametrize("change", CHANGES.values(), ids=CHANGES)
def test_lists_see_what_has_changed(flights, change):
    for context in (nullcontext, change, nullcontext):
        with context():
            expected = assert_returns_as_in_stock(answer)
            assert begun(StreamedFlights).getvalue() == expected[0]
