"""The serializers of the example project as serpy's."""

from __future__ import annotations

import decimal

from serpy import Field, IntField, Serializer, StrField

DEGREES = decimal.Decimal("0.0000001")


class Degrees(Field):
    """Latitudes and longitudes, which have seven decimals."""

    def to_value(self, value: decimal.Decimal) -> str:
        """As DRF writes them."""
        return str(value.quantize(DEGREES))


class Airline(Serializer):
    """An airline."""

    code = StrField()
    name = StrField()


class Airport(Serializer):
    """An airport."""

    code = StrField()
    name = StrField()
    latitude = Degrees()
    longitude = Degrees()
    altitude = IntField()
    utc_offset = IntField()
    daylight_saving = StrField()
    time_zone = StrField()


class Plane(Serializer):
    """A plane."""

    tail_number = StrField()
    year = IntField(required=False)
    type = StrField()
    manufacturer = StrField()
    model = StrField()
    engines = IntField()
    seats = IntField()
    speed = IntField(required=False)
    engine = StrField()


class Flight(Serializer):
    """A flight with what it refers to."""

    id = IntField()
    airline = Airline()
    origin = Airport()
    destination = Airport(required=False)
    plane = Plane(required=False)
    number = IntField()
    destination_code = StrField()
    tail_number = StrField()
    date = Field()
    scheduled_departure = Field()
    departure = Field()
    departure_delay = IntField(required=False)
    scheduled_arrival_time = Field()
    arrival_time = Field()
    arrival_delay = IntField(required=False)
    air_time = IntField(required=False)
    distance = IntField()
    cancelled = Field()
