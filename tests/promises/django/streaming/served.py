"""A small project that streams: the URL configuration of tests, and of real servers."""

from django.db import connection
from django.db.models.sql import compiler
from django.http import JsonResponse
from django.urls import path
from django.utils import timezone, translation
from django.utils.translation import gettext
from rest_framework import serializers
from rest_framework.decorators import api_view, renderer_classes
from rest_framework.generics import ListAPIView
from rest_framework.renderers import BrowsableAPIRenderer, JSONRenderer

from fastschema.contrib.django.renderers import FastJSONRenderer, NDJSONRenderer
from fastschema.contrib.django.streaming import StreamingListMixin, stream
from flights.models import Airline, Flight


class AirlineSerializer(serializers.ModelSerializer):
    """An airline. ``?pad=`` makes it larger, ``?fail=`` names one that fails."""

    padding = serializers.SerializerMethodField()

    class Meta:
        model = Airline
        fields = ("code", "name", "padding")

    def get_padding(self, airline):
        Cursors.rows += 1
        asked = self.context["request"].GET
        if airline.code == asked.get("fail"):
            raise RuntimeError(f"{airline.code} fails")
        if airline.code == asked.get("mistype"):
            raise TypeError(f"{airline.code} is of the wrong type")
        if airline.code == asked.get("refuse"):
            raise serializers.ValidationError({"code": ["refused"]})
        return "x" * int(asked.get("pad", 0))


class Airlines(ListAPIView):
    queryset = Airline.objects.all()
    serializer_class = AirlineSerializer
    renderer_classes = [FastJSONRenderer, NDJSONRenderer, BrowsableAPIRenderer]
    pagination_class = None
    filter_backends = []


class StreamedAirlines(StreamingListMixin, Airlines):
    stream_chunk_size = 10


class FlightSerializer(serializers.ModelSerializer):
    yes = serializers.SerializerMethodField()

    class Meta:
        model = Flight
        fields = ("id", "scheduled_departure", "yes")

    def get_yes(self, flight):
        return gettext("Yes")


class Flights(ListAPIView):
    queryset = Flight.objects.all()
    serializer_class = FlightSerializer
    renderer_classes = [JSONRenderer]
    pagination_class = None
    filter_backends = []


class StreamedFlights(StreamingListMixin, Flights):
    stream_chunk_size = 1


@api_view()
@renderer_classes([FastJSONRenderer])
def streamed_by_function(request):
    """The airlines, by a view that is a function."""
    airlines = AirlineSerializer(Airline.objects.all(), many=True, context={"request": request})
    return stream(request, airlines, chunk_size=1)


def elsewhere(get_response):
    """Middleware: a zone and a language that hold until the view has returned."""

    def middleware(request):
        with timezone.override("Asia/Tokyo"), translation.override("de"):
            return get_response(request)

    return middleware


class Cursors:
    """Counts the cursors that lists are read with, and the airlines that are dumped."""

    opened = closed = rows = 0

    @classmethod
    def count(cls):
        """Count from now on, in this process."""
        iterate = compiler.cursor_iter

        def counted(cursor, *args):
            cls.opened += 1
            close = cursor.close

            def counted_close():
                cls.closed += 1
                close()

            cursor.close = counted_close
            return iterate(cursor, *args)

        compiler.cursor_iter = counted


def cursors(request):
    """What was counted, and what serves."""
    return JsonResponse(
        {
            "opened": Cursors.opened,
            "closed": Cursors.closed,
            "rows": Cursors.rows,
            "database": connection.vendor,
            "interface": type(request).__name__,
        }
    )


urlpatterns = [
    path("airlines/", Airlines.as_view()),
    path("streamed/airlines/", StreamedAirlines.as_view()),
    path("function/airlines/", streamed_by_function),
    path("flights/", Flights.as_view()),
    path("streamed/flights/", StreamedFlights.as_view()),
    path("cursors/", cursors),
]
