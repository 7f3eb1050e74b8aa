"""Plain marshmallow schemas: nothing here knows of fastschema."""

from marshmallow import Schema, fields


class AirlineSchema(Schema):
    """An airline with both its fields."""

    code = fields.String()
    name = fields.String()


class AirportSchema(Schema):
    """An airport with all its fields."""

    code = fields.String()
    name = fields.String()
    latitude = fields.Decimal(places=7, as_string=True)
    longitude = fields.Decimal(places=7, as_string=True)
    altitude = fields.Integer()
    utc_offset = fields.Integer()
    daylight_saving = fields.String()
    time_zone = fields.String()


class PlaneSchema(Schema):
    """A plane with all its fields."""

    tail_number = fields.String()
    year = fields.Integer()
    type = fields.String()
    manufacturer = fields.String()
    model = fields.String()
    engines = fields.Integer()
    seats = fields.Integer()
    speed = fields.Integer()
    engine = fields.String()


class FlightSchema(Schema):
    """A flight with all its fields, its airline, airports and plane written out in full."""

    id = fields.Integer()
    airline = fields.Nested(AirlineSchema)
    number = fields.Integer()
    origin = fields.Nested(AirportSchema)
    destination = fields.Nested(AirportSchema)
    destination_code = fields.String()
    plane = fields.Nested(PlaneSchema)
    tail_number = fields.String()
    date = fields.Date()
    scheduled_departure = fields.AwareDateTime()
    departure = fields.AwareDateTime()
    departure_delay = fields.Integer()
    scheduled_arrival_time = fields.Time()
    arrival_time = fields.Time()
    arrival_delay = fields.Integer()
    air_time = fields.Integer()
    distance = fields.Integer()
    cancelled = fields.Boolean()
