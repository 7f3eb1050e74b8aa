"""The endpoints: Django REST framework's generic views."""

from django_filters.rest_framework import DjangoFilterBackend
from rest_framework import generics, viewsets

from flights.filters import BulkFlightFilter, FlightFilter
from flights.models import Airline, Airport, Flight, Plane
from flights.serializers import (
    AirlineSerializer,
    AirportSerializer,
    CompactFlightSerializer,
    FlightInputSerializer,
    FlightSerializer,
    PlaneSerializer,
)
from race.django import InstancesFirst

# One query, whatever the number of flights.
FLIGHTS = Flight.objects.select_related("airline", "origin", "destination", "plane")


class AirlineViewSet(viewsets.ReadOnlyModelViewSet):
    """The airlines."""

    queryset = Airline.objects.all()
    serializer_class = AirlineSerializer


class AirportViewSet(viewsets.ReadOnlyModelViewSet):
    """The airports."""

    queryset = Airport.objects.all()
    serializer_class = AirportSerializer


class PlaneViewSet(viewsets.ReadOnlyModelViewSet):
    """The planes."""

    queryset = Plane.objects.all()
    serializer_class = PlaneSerializer


class FlightViewSet(viewsets.ReadOnlyModelViewSet):
    """The flights, page by page. Filters: carrier, origin and month."""

    queryset = FLIGHTS
    serializer_class = FlightSerializer
    filterset_class = FlightFilter


class BulkFlightView(generics.ListAPIView):
    """The flights, all at once. Filters: carrier, origin, month and limit."""

    queryset = FLIGHTS
    serializer_class = FlightSerializer
    filter_backends = [DjangoFilterBackend, InstancesFirst]
    filterset_class = BulkFlightFilter
    pagination_class = None


class CompactFlightView(generics.ListAPIView):
    """The flights with keys only, page by page. Filters: carrier, origin and month."""

    queryset = Flight.objects.all()
    serializer_class = CompactFlightSerializer
    filterset_class = FlightFilter


class ImportFlightView(generics.CreateAPIView):
    """Takes a list of new flights: all of them are saved, or none and the errors are answered."""

    queryset = Flight.objects.all()
    serializer_class = FlightInputSerializer

    def get_serializer(self, *args, **kwargs):
        """Return a serializer of many flights."""
        return super().get_serializer(*args, **kwargs, many=True)
