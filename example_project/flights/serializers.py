"""Plain Django REST framework serializers: fastschema is no more to them than an attribute."""

from rest_framework import serializers

from flights.models import Airline, Airport, Flight, Plane


class AirlineSerializer(serializers.ModelSerializer):
    """An airline with both its fields."""

    class Meta:
        model = Airline
        fields = "__all__"


class AirportSerializer(serializers.ModelSerializer):
    """An airport with all its fields."""

    class Meta:
        model = Airport
        fields = "__all__"


class PlaneSerializer(serializers.ModelSerializer):
    """A plane with all its fields."""

    class Meta:
        model = Plane
        fields = "__all__"


class FlightSerializer(serializers.ModelSerializer):
    """A flight with all its fields, its airline, airports and plane written out in full."""

    airline = AirlineSerializer(read_only=True)
    origin = AirportSerializer(read_only=True)
    destination = AirportSerializer(read_only=True)
    plane = PlaneSerializer(read_only=True)

    class Meta:
        model = Flight
        fields = "__all__"


class CompactFlightSerializer(serializers.ModelSerializer):
    """A flight with the keys, and only the keys, of what it refers to.

    The four foreign keys become ``PrimaryKeyRelatedField``, as in any ``ModelSerializer``.
    """

    class Meta:
        model = Flight
        fields = (
            "id",
            "airline",
            "number",
            "origin",
            "destination",
            "plane",
            "scheduled_departure",
            "departure_delay",
            "arrival_delay",
            "cancelled",
        )


class FlightInputSerializer(serializers.ModelSerializer):
    """A flight as it is posted, or imported from a file: all columns; keys of what it refers to.

    ``id`` must be new, and the keys must be those of rows that are there.
    """

    # Without fastschema, it means nothing.
    fastschema_bulk_input = True

    class Meta:
        model = Flight
        fields = "__all__"
