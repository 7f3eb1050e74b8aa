"""The tables: airlines, airports, planes, and the flights that refer to all three.

An unknown number, date or time is null; an unknown text is empty, as usual in Django.
"""

from django.db import models


class Airline(models.Model):
    """A carrier, such as UA, United Air Lines Inc."""

    code = models.CharField("carrier code", max_length=2, primary_key=True)
    name = models.CharField(max_length=100)

    class Meta:
        verbose_name = "airline"
        verbose_name_plural = "airlines"
        ordering = ("code",)

    def __str__(self) -> str:
        return self.name


class Airport(models.Model):
    """An airport in the United States, such as EWR, Newark Liberty Intl."""

    class DaylightSaving(models.TextChoices):
        """Whether the airport's clocks change in summer."""

        AMERICAN = "A", "on the American dates"
        NONE = "N", "never"
        UNKNOWN = "U", "unknown"

    code = models.CharField("FAA code", max_length=3, primary_key=True)
    name = models.CharField(max_length=100)
    # Seven decimals of a degree are about a centimetre.
    latitude = models.DecimalField("latitude in degrees", max_digits=9, decimal_places=7)
    longitude = models.DecimalField("longitude in degrees", max_digits=10, decimal_places=7)
    altitude = models.IntegerField("altitude in feet")
    utc_offset = models.SmallIntegerField("hours ahead of UTC in winter")
    daylight_saving = models.CharField(max_length=1, choices=DaylightSaving)
    time_zone = models.CharField("IANA time zone", max_length=50, blank=True)

    class Meta:
        verbose_name = "airport"
        verbose_name_plural = "airports"
        ordering = ("code",)

    def __str__(self) -> str:
        return f"{self.name} ({self.code})"


class Plane(models.Model):
    """One aircraft, known by its tail number."""

    tail_number = models.CharField(max_length=6, primary_key=True)
    year = models.PositiveSmallIntegerField("year of manufacture", null=True, blank=True)
    type = models.CharField(max_length=50)
    manufacturer = models.CharField(max_length=50)
    model = models.CharField(max_length=50)
    engines = models.PositiveSmallIntegerField("number of engines")
    seats = models.PositiveSmallIntegerField("number of seats")
    speed = models.PositiveSmallIntegerField("cruising speed in mph", null=True, blank=True)
    engine = models.CharField("kind of engine", max_length=50)

    class Meta:
        verbose_name = "plane"
        verbose_name_plural = "planes"
        ordering = ("tail_number",)

    def __str__(self) -> str:
        return self.tail_number


class Flight(models.Model):
    """One scheduled departure from New York City.

    The data set gives the moment of departure, but only the local clock time of arrival: hence
    aware datetimes for the one and plain times for the other. ``destination`` and ``plane`` are
    null when their tables lack them; the codes of the data set are kept beside them.
    """

    id = models.PositiveIntegerField("row in the data set", primary_key=True)
    airline = models.ForeignKey(Airline, models.PROTECT, related_name="flights")
    number = models.PositiveSmallIntegerField("flight number")
    origin = models.ForeignKey(Airport, models.PROTECT, related_name="departures")
    destination = models.ForeignKey(
        Airport, models.PROTECT, related_name="arrivals", null=True, blank=True
    )
    destination_code = models.CharField("FAA code of the destination", max_length=3)
    plane = models.ForeignKey(Plane, models.PROTECT, related_name="flights", null=True, blank=True)
    tail_number = models.CharField(max_length=6, blank=True)
    date = models.DateField("date of departure in New York")
    scheduled_departure = models.DateTimeField()
    departure = models.DateTimeField(null=True, blank=True)
    departure_delay = models.SmallIntegerField("minutes late in leaving", null=True, blank=True)
    scheduled_arrival_time = models.TimeField("scheduled arrival, local time")
    arrival_time = models.TimeField("arrival, local time", null=True, blank=True)
    arrival_delay = models.SmallIntegerField("minutes late in arriving", null=True, blank=True)
    air_time = models.PositiveSmallIntegerField("minutes in the air", null=True, blank=True)
    distance = models.PositiveSmallIntegerField("distance in miles")
    cancelled = models.BooleanField("never departed", default=False)

    class Meta:
        verbose_name = "flight"
        verbose_name_plural = "flights"
        ordering = ("id",)
        # The other columns one can filter on are foreign keys, which Django indexes anyway.
        indexes = (models.Index(fields=["date"], name="flight_date"),)

    def __str__(self) -> str:
        return f"{self.airline_id}{self.number} to {self.destination_code} on {self.date}"
