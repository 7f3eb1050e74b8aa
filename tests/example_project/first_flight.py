"""The first flight of the data set, as the API of the example project writes it in full."""

UNITED = {"code": "UA", "name": "United Air Lines Inc."}
NEWARK = {
    "code": "EWR",
    "name": "Newark Liberty Intl",
    "latitude": "40.6925000",
    "longitude": "-74.1686670",
    "altitude": 18,
    "utc_offset": -5,
    "daylight_saving": "A",
    "time_zone": "America/New_York",
}
HOUSTON = {
    "code": "IAH",
    "name": "George Bush Intercontinental",
    "latitude": "29.9844330",
    "longitude": "-95.3414420",
    "altitude": 97,
    "utc_offset": -6,
    "daylight_saving": "A",
    "time_zone": "America/Chicago",
}
PLANE = {
    "tail_number": "N14228",
    "year": 1999,
    "type": "Fixed wing multi engine",
    "manufacturer": "BOEING",
    "model": "737-824",
    "engines": 2,
    "seats": 149,
    "speed": None,
    "engine": "Turbo-fan",
}
FLIGHT = {
    "id": 1,
    "airline": UNITED,
    "number": 1545,
    "origin": NEWARK,
    "destination": HOUSTON,
    "destination_code": "IAH",
    "plane": PLANE,
    "tail_number": "N14228",
    "date": "2013-01-01",
    "scheduled_departure": "2013-01-01T10:15:00Z",
    "departure": "2013-01-01T10:17:00Z",
    "departure_delay": 2,
    "scheduled_arrival_time": "08:19:00",
    "arrival_time": "08:30:00",
    "arrival_delay": 11,
    "air_time": 227,
    "distance": 1400,
    "cancelled": False,
}
